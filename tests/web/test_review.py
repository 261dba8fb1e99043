"""A match that is over: what its moves lost, what bots would have done, and its hand history."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.trees.profile import reach_probabilities
from hiddenhand.web import analysis, judging
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.exact_solution import solved
from hiddenhand.web.hand_history import hand_history, is_poker
from hiddenhand.web.hands import hands_of
from hiddenhand.web.judging import Estimator, Judgement, decisions, judge_exactly, mark_of
from hiddenhand.web.match import Stopped
from hiddenhand.web.review import Parts, bot_moves, course_of, parts_of, review

J, Q, K = range(3)
PASS, BET = 0, 1
FOLD, CHECK, RAISE = 0, 1, 2  # of Leduc poker, where 1 is also a call, and 2 a bet


def played(game: str, moves: Sequence[int]) -> History:
    history = History(loaded(game))
    for move in moves:
        history = history.child(move)
    return history


def judged_moves(history: History) -> list[Judgement]:
    known, moves = solved(history.game), history.actions
    return [judge_exactly(one, moves[len(one.moves)], known) for one in decisions(history)]


def parts_for(history: History, seat: int) -> Parts:
    value = float(solved(history.game).values[seat])
    return parts_of(history, judged_moves(history), seat, value)


def frames_of(history: History, seats: Sequence[int] = (0, 1)) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = []
    review(history, seats, Budget(iterations=50), said.append, lambda: False)
    json.dumps(said, allow_nan=False)
    return said


def ends_of(game: Game) -> list[History]:
    return [history for history in all_histories(game) if history.is_terminal]


@pytest.mark.parametrize(
    ("moves", "lost"),
    [
        # After a bet, a king that passes loses the pot of 3 that it
        # is sure to win: -1 instead of 2. The equilibrium that is found never bets first.
        ([Q, K, BET, PASS], [None, 3.0]),
        # a jack that calls loses 2 instead of 1
        ([Q, J, BET, BET], [None, 1.0]),
        # and neither loses anything by what is right
        ([Q, K, BET, BET], [None, 0.0]),
        ([K, J, PASS, PASS], [0.0, 0.0]),
    ],
)
def test_what_moves_of_kuhn_poker_lose(moves: list[int], lost: list[float | None]) -> None:
    found = [one.loss for one in judged_moves(played("kuhn_poker", moves))]
    for expected, own in zip(lost, found, strict=True):
        assert expected is None or own == pytest.approx(expected, abs=1e-6)


def test_what_an_equilibrium_plays_loses_nothing() -> None:
    """In all matches that an equilibrium of Kuhn poker can lead to, and in no other."""
    game = loaded("kuhn_poker")
    known = solved(game)
    parts = reach_probabilities(known.tree, known.profile).prod(axis=1)
    for history in ends_of(game):
        judged = judged_moves(history)
        if parts[known.node_after(history.actions)] > 1e-9:
            assert [one.loss for one in judged] == [0.0] * len(judged)
            assert {one.mark for one in judged} <= {"best", "mix"}
        assert all(one.loss >= 0 for one in judged)
        assert all(one.policy.sum() == pytest.approx(1.0) for one in judged)
        assert all(sum(one.secrets.values()) == pytest.approx(1.0) for one in judged)


@pytest.mark.parametrize("game", ["kuhn_poker", "liars_dice(1,1,2)"])
def test_the_parts_of_a_result_add_up(game: str) -> None:
    for history in ends_of(loaded(game)):
        first, second = parts_for(history, 0), parts_for(history, 1)
        for parts in (first, second):
            assert parts.value - parts.own + parts.others + parts.cards == pytest.approx(
                parts.result, abs=1e-9
            )
        # what the cards bring to one, they take from the other
        assert first.cards == pytest.approx(-second.cards, abs=1e-6)
        assert (first.own, first.others) == (second.others, second.own)


@pytest.mark.parametrize("seat", [0, 1])
def test_against_an_equilibrium_the_cards_bring_nothing_on_average(seat: int) -> None:
    """Whatever the seat itself plays: here all moves alike."""
    game = loaded("kuhn_poker")
    known = solved(game)
    reach = reach_probabilities(known.tree, known.profile)
    total = cards = others = result = own = 0.0
    for history in ends_of(game):
        weight = float(np.delete(reach[known.node_after(history.actions)], seat).prod())
        weight *= 0.5 ** history.movers.count(seat)  # two moves at each decision
        parts = parts_for(history, seat)
        total += weight
        cards += weight * parts.cards
        others += weight * parts.others
        own += weight * parts.own
        result += weight * parts.result
    assert total == pytest.approx(1.0)
    assert others == pytest.approx(0.0, abs=1e-6)
    assert cards == pytest.approx(0.0, abs=1e-6)
    assert result == pytest.approx(float(known.values[seat]) - own, abs=1e-6)


def test_a_king_that_folds_in_leduc_poker() -> None:
    """The value of Leduc poker for player 1, -0.0856, is in Southey et al. (2005). A king that
    folds after its check and a bet gets -1; by a raise or a call it expects 1.28.
    """
    history = played("leduc_poker", [K, Q, CHECK, RAISE, FOLD])
    folds = judged_moves(history)[2]
    assert folds.names == ("fold", "call", "raise")
    assert folds.payoffs == pytest.approx([-1.0, 1.279, 1.279], abs=1e-3)
    assert folds.loss == pytest.approx(2.279, abs=1e-3)
    assert folds.mark == "blunder"
    parts = parts_for(history, 0)
    assert (parts.result, parts.value) == (-1.0, pytest.approx(-0.0856, abs=1e-4))
    assert (parts.own, parts.others) == (pytest.approx(2.279, abs=1e-3), 0.0)
    assert parts.cards == pytest.approx(1.365, abs=1e-3)
    course = course_of(history, judged_moves(history), 0, parts.value)
    assert [ply for ply, _ in course] == [0, 2, 3, 4, 5, 5]
    assert course[-1] == (5, -1.0)


@pytest.mark.parametrize(
    ("loss", "is_open", "is_likeliest", "mark"),
    [
        (0.0, False, True, "best"),
        (0.0, False, False, "mix"),
        (0.09, False, False, "mix"),
        (0.2, False, False, "inaccuracy"),
        (0.4, False, True, "mistake"),
        (1.1, False, False, "blunder"),
        (1.1, True, False, "open"),
        (0.05, True, False, "mix"),
    ],
)
def test_what_moves_are_called(loss: float, is_open: bool, is_likeliest: bool, mark: str) -> None:
    """Where the largest payoff is 10."""
    assert mark_of(loss, is_open, is_likeliest, 10.0) == mark


def test_a_review_of_a_solved_game() -> None:
    said = frames_of(played("kuhn_poker", [K, J, BET, PASS]))
    states = [frame["state"] for frame in said]
    assert states == ["begun", *["judged"] * 2, *["summed", "hands"] * 2, "done"]
    assert (said[0]["exact"], said[0]["poker"], said[0]["decisions"]) == (True, True, 2)
    chosen = [frame["decision"]["names"][frame["decision"]["chosen"]] for frame in said[1:3]]
    assert chosen == ["bet", "fold"]
    words = [(frame["decision"]["said"], frame["decision"]["told"]) for frame in said[1:3]]
    assert words == [("you bet", "player 1 bets"), ("you fold", "player 2 folds")]
    assert said[1]["decision"]["secrets"] == [
        {"name": "they hold J", "p": pytest.approx(0.5)},
        {"name": "they hold Q", "p": pytest.approx(0.5)},
    ]


def test_what_is_drawn_on_the_board() -> None:
    """A queen has passed, and player 2 bets: with a king three times as often as with a jack."""
    (found,) = (
        frame["decision"]
        for frame in frames_of(played("kuhn_poker", [Q, J, PASS, BET, PASS]))
        if frame["state"] == "judged" and frame["decision"]["ply"] == 4
    )
    (hand,) = found["ghosts"]["hands"]
    assert {held["rank"]: held["p"] for held in hand["held"]} == pytest.approx(
        {"K": 0.75, "J": 0.25}, abs=1e-4
    )


@pytest.mark.usefixtures("nothing_is_small")
def test_the_moves_are_drawn_on_a_board() -> None:
    history = played("phantom_ttt", [0, 4, 8, 8, 2, 1, 6])
    first, second = (
        frame["decision"]
        for frame in frames_of(history, seats=(0,))[1:4]
        if frame["state"] == "judged"
    )
    scene = history.game.picture(played("phantom_ttt", []).state, 0).to_json()
    (moved,) = first["moved"]
    assert scene["items"][moved]["action"] == 0
    assert first["plan"]["seat"] == 0
    assert sum(p for _, p in first["plan"]["items"]) == pytest.approx(1.0, abs=1e-3)
    assert len(second["plan"]["items"]) == 8
    assert sum(p for _, p in second["ghosts"]["cells"]) == pytest.approx(1.0, abs=1e-2)


def test_what_an_equilibrium_does_with_every_hand() -> None:
    """Player 2 has one equilibrium strategy (Kuhn 1950): after a pass, a jack bets in one of three
    matches and a king always; after a bet, a queen calls in one of three.
    """
    history = played("kuhn_poker", [Q, K, PASS, BET, PASS])
    table = hands_of(history, 1, solved(history.game))
    assert table is not None
    assert table["columns"] == [{"ply": 3, "title": "after check", "own": "K"}]
    bets = {row["name"]: row["cells"][0]["policy"][1] for row in table["rows"]}
    assert bets == pytest.approx({"J": 1 / 3, "Q": 0.0, "K": 1.0}, abs=1e-6)
    first = hands_of(history, 0, solved(history.game))
    assert first is not None
    assert [column["title"] for column in first["columns"]] == ["first to act", "after check, bet"]
    assert [row["name"] for row in first["rows"]] == ["J", "Q", "K"]
    calls = {row["name"]: row["cells"][1]["policy"][1] for row in first["rows"]}
    assert (calls["J"], calls["K"]) == (pytest.approx(0.0, abs=1e-6), pytest.approx(1.0))


@pytest.mark.slow
def test_a_game_without_private_states_has_no_table_of_hands() -> None:
    """Nobody has placed a ship yet, so nothing is hidden at the first decision."""
    game = "battleship(rows=2,columns=2,ships=(2))"
    history = played(game, [0])
    assert hands_of(history, 0, solved(history.game)) is None


@pytest.fixture
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No game is solved."""
    monkeypatch.setattr(analysis, "_SMALL", 10)
    analysis.written_out.cache_clear()
    yield
    analysis.written_out.cache_clear()


@pytest.mark.usefixtures("nothing_is_small")
def test_a_jack_that_calls_is_judged_by_a_search() -> None:
    """It loses 2 against both other cards, and 1 if it passes, so rollouts do not err."""
    said = frames_of(played("kuhn_poker", [K, J, BET, BET]), seats=(1,))
    assert [frame["state"] for frame in said] == ["begun", "judged", "summed", "done"]
    assert (said[0]["exact"], said[0]["decisions"]) == (False, 1)
    found = said[1]["decision"]
    assert (found["ply"], found["seat"], found["mark"]) == (3, 1, "blunder")
    assert found["payoffs"] == [-1.0, -2.0]
    assert found["margins"] == [0.0, 0.0]
    assert said[2]["parts"] == {"result": -2.0, "own": 1.0, "own_margin": 0.0}
    assert said[2]["course"] == [(3, -1.0), (4, -2.0), (4, -2.0)]


@pytest.mark.usefixtures("nothing_is_small")
def test_estimates_are_the_payoffs_when_all_play_as_the_search_does() -> None:
    """Against the same expectation, computed history by history."""
    history = played("kuhn_poker", [Q, K, PASS, BET, BET])
    estimator = Estimator(history.game, 0, Budget(iterations=4000), lambda: False)
    before = decisions(history)[0]
    found = estimator.judge(before, PASS)
    strategies = [judging.found_by(search, 0.0).strategy for search in estimator._searches]

    def expected(at: History, strategy: Any) -> float:
        if at.is_terminal:
            return at.returns()[0]
        policy = strategy.at(at.information_key)
        chances = [0.5, 0.5] if policy is None else policy
        return sum(p * expected(at.child(move), strategy) for move, p in enumerate(chances))

    for move in (PASS, BET):
        after = [played("kuhn_poker", [Q, card, move]) for card in (J, K)]
        exact = np.mean([expected(one, strategy) for one in after for strategy in strategies])
        assert found.payoffs[move] == pytest.approx(exact, abs=0.1)
        assert 0 < found.margins[move] < 0.3
    assert found.secrets == pytest.approx({"they hold J": 0.5, "they hold K": 0.5})


@pytest.mark.usefixtures("nothing_is_small")
def test_a_review_can_be_stopped() -> None:
    history, asked = played("kuhn_poker", [K, J, BET, PASS]), list[int]()

    def is_stopped() -> bool:
        asked.append(1)
        return len(asked) > 3

    with pytest.raises(Stopped):
        review(history, (0, 1), Budget(iterations=50), lambda said: None, is_stopped)
    with pytest.raises(Stopped):
        bot_moves(history, "random", 0.1, lambda said: None, lambda: True)


def test_a_bot_regrets_nothing_where_it_plays_the_equilibrium() -> None:
    """Also after a bet that the equilibrium never makes."""
    history = played("kuhn_poker", [Q, K, BET, BET])
    for bot, regrets in (
        ("equilibrium", [0.0, 0.0]),
        ("random", [None, 1.5]),  # half of the pot of 3
        ("call", [0.0, 0.0]),
    ):
        said = list[dict[str, Any]]()
        bot_moves(history, bot, 0.1, said.append, lambda: False)
        assert [frame["state"] for frame in said] == ["asked", "asked", "answered"]
        assert [len(frame["policy"]) for frame in said[:2]] == [2, 2]
        for frame, regret in zip(said, regrets, strict=False):
            assert regret is None or frame["regret"] == pytest.approx(regret, abs=1e-6)


@pytest.mark.usefixtures("nothing_is_small")
def test_a_bot_is_asked_in_a_game_that_is_not_solved() -> None:
    said = list[dict[str, Any]]()
    history = played("kuhn_poker(num_cards=6)", [5, 4, BET, PASS])
    bot_moves(history, "call", 0.1, said.append, lambda: False)
    assert [frame.get("policy") for frame in said] == [[1.0, 0.0], [0.0, 1.0], None]
    assert all("regret" not in frame for frame in said)


def test_the_hand_history_of_kuhn_poker() -> None:
    history = played("kuhn_poker", [Q, K, PASS, BET, BET])
    assert hand_history(history, ["call", "you"], "7").splitlines() == [
        "Hiddenhand Hand #7: kuhn_poker",
        "Seat 1: call",
        "Seat 2: you",
        "call: posts the ante 1",
        "you: posts the ante 1",
        "*** HOLE CARDS ***",
        "Dealt to call [Q]",
        "Dealt to you [K]",
        "call: checks",
        "you: bets 1",
        "call: calls 1",
        "*** SUMMARY ***",
        "Total pot 4",
        "Seat 1: call [Q]: lost 2",
        "Seat 2: you [K]: won 2",
    ]


def test_the_hand_history_of_leduc_poker() -> None:
    history = played("leduc_poker", [J, K, 1, 2, 1, J, 2, 0])
    told = hand_history(history, ["oos", "oos"], "8").splitlines()
    assert told[5:] == [
        "*** HOLE CARDS ***",
        "Dealt to oos (1) [J]",
        "Dealt to oos (2) [K]",
        "oos (1): checks",
        "oos (2): bets 2",
        "oos (1): calls 2",
        "*** TABLE CARD *** [J]",
        "oos (1): bets 4",
        "oos (2): folds",
        "*** SUMMARY ***",
        "Total pot 10",
        "Seat 1: oos (1) [J]: won 3",
        "Seat 2: oos (2) [K]: lost 3",
    ]


def test_hand_histories_of_three_players() -> None:
    history = played("kuhn_poker(players=3)", [0, 3, 1, PASS, BET, PASS, BET])
    told = hand_history(history, ["a", "b", "c"], "1").splitlines()
    assert told[4:7] == [f"{name}: posts the ante 1" for name in "abc"]
    assert told[8:11] == ["Dealt to a [0]", "Dealt to b [3]", "Dealt to c [1]"]
    assert told[-4:] == [
        "Total pot 5",
        "Seat 1: a [0]: lost 2",
        "Seat 2: b [3]: won 3",
        "Seat 3: c [1]: lost 1",
    ]
    leduc = played("leduc_poker(players=3)", [0, 3, 1, 2, 0, 1, 2, 2, 0])
    told = hand_history(leduc, ["a", "b", "c"], "2").splitlines()
    assert told[11:17] == [
        "a: bets 2",
        "b: folds",
        "c: calls 2",
        "*** TABLE CARD *** [2]",
        "a: bets 4",
        "c: folds",
    ]


def test_the_hand_history_of_holdem() -> None:
    """Cards are dealt in increasing order: 2c is 0, and 2d, 2h and 2s follow."""
    deal = [0, 4, 8, 12, 1, 1]  # 2c 3c, 4c 5c, then what comes of it below
    history = played("limit_holdem", deal[:4])
    history = history.child(1).child(1)  # call, check
    for card in (20, 24, 28):  # 7c 8c 9c
        history = history.child(card)
    for _ in range(2):
        history = history.child(1)
    history = history.child(33).child(2).child(0)  # Td, a bet and a fold
    told = hand_history(history, ["a", "b"], "9").splitlines()
    assert told[1:7] == [
        "Seat 1: a",
        "Seat 2: b",
        "a: posts 10",
        "b: posts 5",
        "*** HOLE CARDS ***",
        "Dealt to a [2c 3c]",
    ]
    assert "*** FLOP *** [7c 8c 9c]" in told
    assert "*** TURN *** [7c 8c 9c Td]" in told
    assert told[-3:] == [
        "Total pot 40",
        "Seat 1: a [2c 3c], a flush: won 10",
        "Seat 2: b [4c 5c]: lost 10",
    ]


def test_games_without_hand_histories() -> None:
    history = played("liars_dice(1,1,3)", [0, 0, 0, 6])
    assert not is_poker(history.game)
    with pytest.raises(OptionError, match="poker only"):
        hand_history(history, ["a", "b"], "1")
