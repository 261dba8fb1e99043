"""Ghosts: what a belief looks like on the board. Their probabilities are those of the belief, and
they hold nothing that the seat may not know.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from clocks import StillClock, installed
from table_pages import KeptFrames, agreeing_histories, random_play, store_in

from hiddenhand.games.base import ALL_SEEING, CHANCE
from hiddenhand.games.drawing.ghosts import MOST_ITEMS, Ghosts, plan_on
from hiddenhand.games.history import Event, History
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.registry import load_game
from hiddenhand.games.scene import Card, Circle, Rect, Scene, Text
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.making import make_search
from hiddenhand.search.root_search import found_by
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.strategy import Weights
from hiddenhand.web import analysis as analyses
from hiddenhand.web.analysis import Analysis, noticed_by
from hiddenhand.web.beliefs import ShownBelief, belief_of, weights_of
from hiddenhand.web.catalogue import loaded, offered_games
from hiddenhand.web.handler import Handler
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.messages import written
from hiddenhand.web.search_overlay import Pictured
from hiddenhand.web.views import PUBLIC, Plain

ROUNDED = 1e-4  # of a probability that a page gets


# --- the belief, once more, slowly ---


def consistent(history: History, seat: int, events: Sequence[Event]) -> Iterator[History]:
    """The histories from ``history`` on in which ``seat`` notices ``events`` and is to move."""
    if not events and history.player == seat:
        yield history
        return
    if history.is_terminal:
        return
    for move in history.legal_actions():
        after = history.child(move)
        event = after.noticed(seat)
        if event is None:
            yield from consistent(after, seat, events)
        elif events and event == events[0]:
            yield from consistent(after, seat, events[1:])


def weight_of(history: History, seat: int, strategy: Any) -> float:
    """How likely chance and the others lead to a history, where ``seat`` lets them."""
    weight, walked = 1.0, History(history.game)
    for move in history.moves:
        assert isinstance(move, int)
        if walked.player == CHANCE:
            weight *= dict(walked.chance_outcomes())[move]
        elif walked.player != seat:
            legal = walked.legal_actions()
            played = strategy.at(walked.information_key)
            weight *= 1 / len(legal) if played is None else played[legal.index(move)]
        walked = walked.child(move)
    return weight


def enumerated(search: Any, history: History) -> list[tuple[History, float]]:
    """All histories of the information set at the end of ``history``, with their probabilities."""
    seat = history.player
    strategy = found_by(search, 0.0).strategy
    found = list(consistent(History(history.game), seat, noticed_by(history, seat)))
    weights = np.array([weight_of(one, seat, strategy) for one in found])
    return list(zip(found, weights / weights.sum(), strict=True))


# --- a search, and what it shows ---


def history_of(game: str, moves: Sequence[int]) -> History:
    history = History(loaded(game))
    for move in moves:
        history = history.child(move)
    return history


def searched(history: History, iterations: int = 2000) -> OOS:
    """OOS in the seat that is to move at the end of ``history``."""
    seat = history.player
    search = OOS(history.game, seed=1)
    search.start(seat, 1)
    search.notice(noticed_by(history, seat))
    search.think(iterations=iterations)
    return search


def ghosts_of(search: Any, history: History, most: int = 1500) -> Plain:
    seat = history.player
    belief = belief_of(search, seat, [], 1.0)
    own = history.game.picture(history.state, seat)
    assert belief is not None
    assert own is not None
    ghosts = Ghosts(history.game, seat, own, belief.leaves.state, most)
    return ghosts.shown(ShownBelief(belief).weights(search))


LEDUC = {0: [0, 2, 1, 2], 1: [1, 2, 2]}  # cards J and K, check, bet; cards Q and K, bet


@pytest.mark.parametrize("seat", [0, 1])
def test_the_card_of_the_other_in_leduc(seat: int) -> None:
    history = history_of("leduc_poker", LEDUC[seat])
    assert history.player == seat
    search = searched(history)
    wanted: defaultdict[str, float] = defaultdict(float)
    for one, p in enumerated(search, history):
        wanted[one.game.told(one.state).cards[1 - seat]] += p  # type: ignore[attr-defined]
    (hand,) = ghosts_of(search, history)["hands"]
    assert hand["name"] == "they"
    assert {held["rank"]: held["p"] for held in hand["held"]} == pytest.approx(wanted, abs=ROUNDED)
    assert len({round(p, 3) for p in wanted.values()}) == 3  # the bet told something


@pytest.mark.parametrize(("seat", "moves"), [(0, [0, 2, 0, 3]), (1, [0, 2, 1])])
def test_the_die_of_the_other_in_liars_dice(seat: int, moves: list[int]) -> None:
    history = history_of("LD(1,1,3)", moves)
    assert history.player == seat
    search = searched(history)
    wanted: defaultdict[int, float] = defaultdict(float)
    for one, p in enumerated(search, history):
        wanted[one.game.told(one.state)[0][1 - seat][0]] += p  # type: ignore[attr-defined]
    (hand,) = ghosts_of(search, history)["hands"]
    possible = {face: p for face, p in wanted.items() if p > 0}
    assert {held["face"]: held["p"] for held in hand["held"]} == pytest.approx(
        possible, abs=ROUNDED
    )


PTTT = {0: [4, 0, 8, 2], 1: [4, 0, 8]}  # the moves of x and o in turn


def marked(one: History, seat: int) -> list[int]:
    """The squares of the marks that the seat does not see."""
    marks, tried = int(one.state[3 - seat]), int(one.state[4 + seat])
    return [square for square in range(9) if marks & ~tried & 1 << square]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_marks_of_the_other_in_phantom_ttt(seat: int) -> None:
    history = history_of("phantom_ttt", PTTT[seat])
    assert history.player == seat
    search = searched(history)
    own = history.game.picture(history.state, seat)
    assert own is not None
    middles = {}
    for square in range(9):
        cell = next(
            at
            for at, item in enumerate(own.items)
            if item.label.startswith(history.game.action_name(history.state, 0, square) + ":")
        )
        middles[cell] = square
    wanted = np.zeros(9)
    for one, p in enumerated(search, history):
        wanted[marked(one, seat)] += p
    shown = ghosts_of(search, history)
    found = np.zeros(9)
    for at, p in shown["cells"]:
        found[middles[at]] = p
    assert found == pytest.approx(wanted, abs=ROUNDED + 5e-4)  # the smallest are left out
    shapes = 1 if seat == 0 else 2  # a ring, or the two lines of a cross
    assert len(shown["items"]) == shapes * np.count_nonzero(found)
    assert sum(entry["p"] for entry in shown["items"]) == pytest.approx(shapes * found.sum())
    assert {entry["item"]["role"].split()[0] for entry in shown["items"]} == {"theirs"}


@pytest.mark.slow
def test_a_sample_is_near_the_belief() -> None:
    """1,500 of some thousand histories, the heavier ones with certainty."""
    history = history_of("phantom_ttt", [4, 0, 8, 2, 1, 3, 6])
    search = searched(history, 500)
    whole, sample = (ghosts_of(search, history, most) for most in (10**6, 1500))
    assert whole["of"] == sample["of"] > 2 * sample["histories"] == 3000
    assert (whole["is_whole"], sample["is_whole"]) == (True, False)
    assert dict(sample["cells"]) == pytest.approx(dict(whole["cells"]), abs=0.01)


@pytest.mark.slow
def test_the_pairs_of_holdem() -> None:
    """Before the first raise all pairs without the cards that the seat sees are alike."""
    history = history_of("limit_holdem", [0, 1, 30, 40])
    search = searched(history, 10)
    (hand,) = ghosts_of(search, history)["hands"]
    assert hand["held"] == []
    pairs = np.array(hand["pairs"])
    assert pairs.size == 52 * 51 // 2
    assert np.count_nonzero(pairs >= 0) == 50 * 49 // 2
    assert set(pairs[pairs >= 0]) == {816}  # in millionths: 1 / 1,225


# --- nothing that the seat may not know ---


class Calm(OOS):
    """OOS whose time is counted in iterations."""

    def think(self, iterations: Any = None, seconds: Any = None, **more: Any) -> None:
        super().think(iterations=300, **more)


def thoughts_at(history: History, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a page of the seat that is to move is sent while a search thinks."""
    monkeypatch.setattr(analyses, "make_player", lambda game, spec: SearchPlayer(Calm))
    installed(monkeypatch, StillClock())
    frames: list[Plain] = []
    analysis = Analysis(history, "oos", 1.0, frames.append)
    analysis.start()
    analysis._thread.join()
    # whether a kernel must be compiled depends on what ran before
    return [written(frame) for frame in frames if "kernel" not in frame]


GAMES = ["leduc_poker", "LD(1,1,3)", "battleship(rows=2,columns=2,ships=(2))"]
SLOW = ["phantom_ttt", "IIGS(4)", "coordination_game", "VP(map=block5,pursuers=1,moves=3)"]
SLOWEST = [
    *("kuhn_poker", "generic_poker", "biased_rps", "OZ(4,1,1)", "coordinated_mp", "random(2,2)"),
    *("matrix_tree(2,1,[1,-1,-1,1])", "pursuit_evasion", "tron(rows=3,columns=3)", "GS(3)"),
    *("dark_hex(size=3)", "phantom_ttt_abrupt", "tricks(players=2,ranks=3,suits=2,hand=2)"),
]


def verify_alike(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = 0
    for seat in range(loaded(game).num_players):
        for one, other in agreeing_histories(loaded(game), seat, 1):
            first, second = (thoughts_at(history, monkeypatch) for history in (one, other))
            assert first == second
            pairs += "ghosts" in json.loads(first[-1])
    assert pairs  # else nothing was compared


@pytest.mark.parametrize("game", GAMES)
def test_the_frames_of_a_seat_are_the_same_whatever_is_hidden(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    verify_alike(game, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("game", SLOW)
def test_so_they_are_in_other_games(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verify_alike(game, monkeypatch)


@pytest.mark.thorough
@pytest.mark.parametrize("game", SLOWEST)
def test_so_they_are_in_all_games(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verify_alike(game, monkeypatch)


@pytest.mark.slow
def test_so_they_are_in_holdem(monkeypatch: pytest.MonkeyPatch) -> None:
    deals = [(0, 1, 30, 40), (12, 51, 30, 40)]  # seat 1 moves first
    frames = [thoughts_at(history_of("limit_holdem", deal), monkeypatch) for deal in deals]
    assert frames[0] == frames[1]
    assert "pairs" in frames[0][-1]


def test_only_the_page_that_asked_is_sent_ghosts(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyses, "make_player", lambda game, spec: SearchPlayer(Calm))
    lobby = Lobby(store_in(tmp_path))
    table = lobby.open("leduc_poker", ["person", "person"], 1.0)
    tokens = [seat.token for seat in table.setup.seats]
    pages = []
    for token in (*tokens, ""):
        kept = KeptFrames(PUBLIC)
        handler = Handler(lobby, kept.send)
        handler.do({"type": "hello", "place": table.place, "token": token})
        pages.append((handler, kept))
    pages[0][1].wait_for_turn(0)
    pages[0][0].do(
        {"type": "think", "slot": 0, "player": "oos", "seconds": 1.0, "ply": None, "exact": False}
    )
    done = pages[0][1].wait_for(lambda frame: frame.get("state") == "done")
    assert done["ghosts"]["hands"]
    assert "plan" not in done  # no item of the picture can be clicked
    for _, kept in pages[1:]:
        assert not any(frame["type"] == "thought" for frame in kept.frames)
    lobby.close()


# --- all games ---


def in_the_middle(game: str, seat: int) -> History:
    """A history in which the seat is to move, from the middle of a play at random."""
    random = np.random.default_rng(5)
    while True:
        history, own = History(loaded(game)), list[History]()
        for move in random_play(history.game, random).moves:
            if history.player == seat:
                own.append(history)
            history = history.child(move)
        if own:
            return own[len(own) // 2]


@pytest.mark.parametrize("game", [entry["game"] for entry in offered_games()])
def test_all_games_draw_the_beliefs_of_all_seats(game: str) -> None:
    """What is hidden in some histories, and not the same in all, is a ghost or a word."""
    for seat in range(loaded(game).num_players):
        history = in_the_middle(game, seat)
        belief = Belief(history.game, seat, cap=60)
        belief.notice(noticed_by(history, seat))
        if not belief.is_alive:
            continue
        own = history.game.picture(history.state, seat)
        assert own is not None
        states = belief.leaves.state
        shown = Ghosts(history.game, seat, own, states).shown(belief.uniform())
        written(shown)  # raises for what JSON does not have
        assert "why" not in shown
        secrets = {history.game.hidden(np.array(state), seat) for state in states}
        drawn = [*shown["items"], *shown["words"], *shown["hands"]]
        assert len(secrets) == 1 or drawn, secrets


def test_each_of_several_hands_has_its_pairs() -> None:
    history = history_of("limit_holdem(players=3)", [0, 1, 30, 40, 12, 51])
    belief = Belief(history.game, history.player, cap=50)
    belief.notice(noticed_by(history, history.player))
    own = history.game.picture(history.state, history.player)
    assert own is not None
    ghosts = Ghosts(history.game, history.player, own, belief.leaves.state)
    hands = ghosts.shown(belief.uniform())["hands"]
    assert {hand["name"] for hand in hands} == {
        f"player {number}" for number in {1, 2, 3} - {history.player + 1}
    }
    for hand in hands:
        pairs = np.array(hand["pairs"])
        assert pairs[pairs > 0].sum() == pytest.approx(1e6, abs=100)


# --- pictures of all kinds ---


@dataclass(frozen=True)
class Drawing:
    """Stands for a game in which only the picture matters."""

    drawn: Any

    def picture(self, state: Any, observer: int) -> Scene | None:
        scene: Scene | None = self.drawn(state, observer)
        return scene


def ghosts_drawn(drawn: Any, seat: int = 0, states: Any = ((0,), (1,), (2,), (3,))) -> Plain:
    game: Any = Drawing(drawn)
    every = np.array(states)
    own = drawn(every[0], seat)
    return Ghosts(game, seat, own, every).shown(np.full(len(every), 1 / len(every)))


def test_at_most_so_many_items_are_sent_the_likeliest() -> None:
    def drawn(state: Any, observer: int) -> Scene:
        count = 300 - 200 * (state[0] % 2) if observer == ALL_SEEING else 0
        return Scene(400, 9, tuple(Circle(x, 1.0, 1.0) for x in range(count)))

    shown = ghosts_drawn(drawn)
    assert len(shown["items"]) == MOST_ITEMS
    assert shown["more"] == 300 - MOST_ITEMS
    likely = [entry["item"]["x"] for entry in shown["items"] if entry["p"] == 1]
    assert likely == list(range(100))
    assert shown["items"][-1]["p"] == 1  # likely ones lie above


def test_what_differs_in_style_only_is_no_ghost() -> None:
    def drawn(state: Any, observer: int) -> Scene:
        is_all = observer == ALL_SEEING
        cell = Rect(1, 1, 5, 5, role="failed" if is_all else "cell", label=str(is_all))
        click = Rect(7, 1, 5, 5, role="cell", action=None if is_all else 3, label="click")
        return Scene(20, 9, (cell, click, *((Circle(3, 3, 1),) if is_all else ())))

    shown = ghosts_drawn(drawn)
    assert [entry["item"]["kind"] for entry in shown["items"]] == ["circle"]


def without_sides(state: Any, player: int) -> Scene:
    """Units on a map, drawn at one place for all observers."""
    shown = [player] if player >= 0 else [0, 1, 2]
    places = [5.0, 14.0, 30.0 + state[0]]
    return Scene(90, 90, tuple(Circle(places[unit], 5, 2, role="mine") for unit in shown))


def with_sides(state: Any, player: int) -> Scene:
    """Two cards, that of the observer at the bottom. For ALL_SEEING it is that of player 0."""
    near, cards = max(player, 0), ["JQKA"[rank] for rank in state]
    other = "" if player >= 0 else cards[1 - near]
    return Scene(90, 90, (Card(9, 50, 20, cards[near]), Card(9, 10, 20, other)))


def test_a_game_of_ones_own_that_knows_no_seats() -> None:
    """If its picture always has the side of player 0, it has ghosts for player 0 only."""
    for seat in (0, 1):
        assert len(ghosts_drawn(without_sides, seat)["items"]) == 5
    (hand,) = ghosts_drawn(with_sides, 0, [(3, 0), (3, 1), (3, 2)])["hands"]
    third = 0.3333
    assert {held["rank"]: held["p"] for held in hand["held"]} == dict.fromkeys("JQK", third)
    said = ghosts_drawn(with_sides, 1, [(0, 3), (1, 3), (2, 3)])
    assert "not drawn from your seat" in said["why"]


def kuhn_with(picture: Any, monkeypatch: pytest.MonkeyPatch) -> History:
    """Player 0 of Kuhn poker is to move, in a game with another picture."""
    monkeypatch.setattr(KuhnPoker, "picture", picture)
    return History(loaded("kuhn_poker")).child(2).child(0)


def test_a_picture_that_fails_where_all_is_shown_ends_no_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(game: Any, state: Any, player: int) -> Scene:
        return Scene(9, 9, (Text(1, 1, ("J", "Q")[player]),))

    history = kuhn_with(fails, monkeypatch)
    belief = belief_of(KnowsNothing(history.game), 0, noticed_by(history, 0), 1.0)
    assert belief is not None
    pictured = Pictured(history, ShownBelief(belief))
    told = pictured.ghosts(KnowsNothing(history.game))
    assert "IndexError" in told["ghosts"]["why"]
    assert pictured.ghosts(KnowsNothing(history.game), is_last=True) == {}  # said once


def test_a_game_without_pictures_has_no_ghosts(monkeypatch: pytest.MonkeyPatch) -> None:
    history = kuhn_with(lambda game, state, player: None, monkeypatch)
    pictured = Pictured(history, None)
    assert pictured.ghosts(None, is_last=True) == {}
    assert pictured.plan([0, 1], [0.5, 0.5]) == {}


class KnowsNothing:
    """A search with no strategy of any player in memory."""

    def __init__(self, game: Any) -> None:
        self.game = game

    def weights(self) -> Weights:
        return Weights(np.array([], np.uint64), np.array([0]), np.array([]))


def test_ghosts_are_drawn_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    still = installed(monkeypatch, StillClock())
    history = History(loaded("kuhn_poker")).child(2).child(0)
    search: Any = KnowsNothing(history.game)
    belief = belief_of(search, 0, noticed_by(history, 0), 1.0)
    assert belief is not None
    pictured = Pictured(history, ShownBelief(belief))
    assert pictured.ghosts(search)
    still.sleep(0.29)
    assert pictured.ghosts(search) == {}
    still.sleep(0.02)
    assert pictured.ghosts(search)
    assert pictured.ghosts(search, is_last=True)


def test_the_plan_on_the_board() -> None:
    """Items have the sum of the probabilities of their actions."""
    scene = Scene(
        9,
        9,
        (
            Rect(1, 1, 1, 1),
            Rect(1, 1, 1, 1, action=3, label="a"),
            Circle(1, 1, 1, choices=(3, 7), label="b"),
            Circle(1, 1, 1, choices=(8,), label="c"),
        ),
    )
    assert plan_on(scene, [3, 7, 8], [0.25, 0.5, 0.25]) == [[1, 0.25], [2, 0.75], [3, 0.25]]


def test_rare_moves_of_others_stay_possible() -> None:
    """`auto` leaves out rare moves in a large game, but does not take the others to do so."""
    game = load_game("phantom_ttt")
    root = History(game)
    search: Any = make_search(game, "auto")
    search.start(1, 3)
    event = root.child(4).noticed(1)
    events = [event] if event is not None else []
    search.notice(events)
    search.think(iterations=3000)
    (first,) = search.weights().among(np.array([root.information_key], np.uint64)).values()
    belief = belief_of(search, 1, events, 1.0)
    assert belief is not None
    assert np.count_nonzero(weights_of(belief, search)) > np.count_nonzero(first)
