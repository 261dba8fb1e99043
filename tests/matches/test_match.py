"""The referee: what reaches players, what does not, seeds, and the record."""

import itertools
import typing
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from naive.watching import Logged, Scripted

from hiddenhand.budget import Budget
from hiddenhand.errors import HiddenhandError, OptionError, PlayerError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.wrapped import Wrapped
from hiddenhand.matches.match import Match, MatchRecord, final_state, play_match
from hiddenhand.matches.narration import Announcer
from hiddenhand.matches.ranking import play_tournament
from hiddenhand.matches.tournament import Tournament
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.player import Decision, Player, derived_seed
from hiddenhand.players.registry import make_player

SMALL = ["Kuhn", "Leduc", "LD(1,1,2)", "IIGS(4)", "GS(3)", "PTTT", "coordination_game"]


def replayed(record: MatchRecord) -> History:
    history = History(record.game)
    for move in record.moves:
        history = history.child(move)
    return history


def deals(record: MatchRecord) -> list[int]:
    return [
        move
        for move, mover in zip(record.moves, replayed(record).movers, strict=True)
        if mover == CHANCE
    ]


# --- a player never receives a state ---


def test_the_protocol_has_no_place_for_a_state() -> None:
    """Everything that can reach a player, by type: rules and numbers of their own, events, actions,
    budgets, what they are paid.
    """
    allowed = {
        Game,
        int,
        float,
        Budget,
        Budget | None,
        typing.get_type_hints(Player.act)["events"],
        typing.get_type_hints(Player.act)["legal_actions"],
    }
    assert str(typing.get_type_hints(Player.act)["events"]).endswith(
        "Sequence[hiddenhand.games.history.Event]"
    )
    assert str(typing.get_type_hints(Player.act)["legal_actions"]).endswith("Sequence[int]")
    for method in ("start", "prepare", "act", "end"):
        hints = typing.get_type_hints(getattr(Player, method))
        assert {hint for name, hint in hints.items() if name != "return"} <= allowed


@pytest.mark.parametrize("text", SMALL)
def test_nothing_but_numbers_reaches_a_player(text: str) -> None:
    for seed in range(5):
        players = [Logged(RandomPlayer()), Logged(RandomPlayer())]
        record = play_match(load_game(text), players, seed, chance_seed=seed)
        for player in players:
            assert player.ended is not None
            everything = [event for events in (*player.heard, player.ended[0]) for event in events]
            assert all(
                type(event) is Event and all(type(token) is int for token in event)
                for event in everything
            )
            assert all(type(action) is int for offered in player.offered for action in offered)
            assert player.ended[1] == record.returns[player.seat]


@pytest.mark.parametrize("text", SMALL)
def test_events_are_what_the_seat_noticed(text: str) -> None:
    """Against a walk along the finished match."""
    players = [Logged(RandomPlayer()), Logged(RandomPlayer())]
    record = play_match(load_game(text), players, seed=3, chance_seed=3)
    for player in players:
        noticed, heard, history = [], [], History(record.game)
        for move in record.moves:
            if history.player == player.seat:
                heard.append(tuple(noticed))
            history = history.child(move)
            noticed += [event for event in [history.noticed(player.seat)] if event]
        assert player.heard == heard
        assert player.ended is not None
        assert (*(heard[-1] if heard else ()), *player.ended[0]) == tuple(noticed)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("Kuhn", "random"),
        ("Kuhn", "equilibrium"),
        ("naive.small_games:Written(Kuhn)", "oos(targeting=ist,iterations=30)"),
        ("naive.small_games:Written(Kuhn)", "oos(targeting=pst,iterations=30)"),
        ("naive.small_games:Written(Kuhn)", "ismcts(selector=rm,iterations=30)"),
        ("naive.small_games:Written(IIGS(4))", "oos(iterations=30)"),
        ("PTTT", "ismcts(selector=rm,iterations=30)"),
    ],
)
def test_histories_alike_to_a_player_have_the_same_policy(text: str, spec: str) -> None:
    """Matches with one seed for the player, and others for chance and the opponent: equal events,
    equal policies and actions.
    """
    game = load_game(text)
    decided: dict[tuple[int, tuple[Event, ...]], set[tuple[object, ...]]] = {}
    hidden: dict[tuple[int, tuple[Event, ...]], set[tuple[int, ...]]] = {}
    for seat, number in itertools.product(range(2), range(15)):
        player = Logged(make_player(game, spec))
        others = Logged(RandomPlayer(), seed=number)
        record = play_match(
            game, [player, others] if seat == 0 else [others, player], seed=1, chance_seed=number
        )
        own_moves = [
            length for length, mover in enumerate(replayed(record).movers) if mover == seat
        ]
        for heard, decision, length in zip(player.heard, player.decisions, own_moves, strict=True):
            decided.setdefault((seat, heard), set()).add((decision.policy, decision.action))
            hidden.setdefault((seat, heard), set()).add(record.moves[:length])
    assert all(len(ways) == 1 for ways in decided.values())
    assert (
        sum(len(histories) > 1 for histories in hidden.values()) >= 3
    )  # the test has looked at something


# --- seeds ---


def test_matches_with_one_chance_seed_share_deals() -> None:
    """The cards of Leduc's players do not depend on who plays how; the k-th chance move takes the
    k-th number.
    """
    game = load_game("Leduc")
    for chance_seed in range(10):
        records = [
            play_match(game, [RandomPlayer(), RandomPlayer()], seed, chance_seed=chance_seed)
            for seed in range(5)
        ]
        assert len({tuple(deals(record)[:2]) for record in records}) == 1
        tables = {(deals(record)[2]) for record in records if len(deals(record)) == 3}
        assert len(tables) <= 1
    other = [
        tuple(deals(play_match(game, [RandomPlayer(), RandomPlayer()], 0, chance_seed=seed))[:2])
        for seed in range(30)
    ]
    assert len(set(other)) > 5


def test_a_match_can_be_played_again_from_its_record() -> None:
    game = load_game("Leduc")
    record = play_match(game, [RandomPlayer(), RandomPlayer()], 3)
    again = play_match(
        game, [RandomPlayer(), RandomPlayer()], record.seed, chance_seed=record.chance_seed
    )
    assert again.moves == record.moves


def test_deals_are_drawn_unless_they_are_given() -> None:
    """Nine deals of two cards: 30 matches with one seed have several."""
    game = load_game("Leduc")
    records = [play_match(game, [RandomPlayer(), RandomPlayer()], 0) for _ in range(30)]
    assert len({record.chance_seed for record in records}) == 30
    assert max(record.chance_seed for record in records) >= 2**100
    assert len({tuple(deals(record)[:2]) for record in records}) > 1


def test_players_have_seeds_of_their_own() -> None:
    players = [Logged(RandomPlayer()), Logged(RandomPlayer())]
    play_match(load_game("Kuhn"), players, seed=7)
    assert len({players[0].seed, players[1].seed, derived_seed(7, 0)}) == 3
    seen = [
        derived_seed(seed, *path)
        for seed in range(20)
        for path in [(), (0,), (1,), (0, 0), (0, 1), (1, 0)]
    ]
    assert len(set(seen)) == len(seen)
    with pytest.raises(OptionError, match="seed -1"):
        derived_seed(-1)


@pytest.mark.slow
def test_deals_have_chance_s_probabilities() -> None:
    """Leduc's first two cards, nine pairs of ranks: two equal ranks 1/15 each, others 2/15, within
    four standard deviations.
    """
    game = load_game("Leduc")
    dealt = [
        tuple(deals(play_match(game, [RandomPlayer(), RandomPlayer()], seed, chance_seed=seed))[:2])
        for seed in range(1500)
    ]
    for pair in itertools.product(range(3), repeat=2):
        p = 1 / 15 if pair[0] == pair[1] else 2 / 15
        assert abs(dealt.count(pair) / 1500 - p) < 4 * np.sqrt(p * (1 - p) / 1500)


# --- the record ---


@pytest.mark.parametrize("text", SMALL)
def test_the_record_is_the_match(text: str) -> None:
    game = load_game(text)
    record = play_match(game, [RandomPlayer(), RandomPlayer()], seed=2, chance_seed=2)
    history = replayed(record)
    assert record.game == as_sequential(game)
    assert history.is_terminal
    assert record.returns == history.returns()
    for seat in range(2):
        own = [
            move for move, mover in zip(record.moves, history.movers, strict=True) if mover == seat
        ]
        assert [decision.action for decision in record.decisions[seat]] == own
        assert len(record.seconds[seat]) == len(own)
        assert all(
            0 <= decision.seconds <= took
            for decision, took in zip(record.decisions[seat], record.seconds[seat], strict=True)
        )


def test_the_largest_of_each_figure_is_kept() -> None:
    decisions = tuple(
        Decision(0, (1.0,), thought)
        for thought in ({"a": 1.0, "b": 5.0}, {"a": 3.0, "b": 2.0, "c": -1.0})
    )
    record = MatchRecord(load_game("Kuhn"), 0, 0, (), (0.0, 0.0), (decisions, ()), ((), ()))
    assert record.thought(0) == {"a": 3.0, "b": 5.0, "c": -1.0}
    assert record.thought(1) == {}


def test_players_prepare_only_when_there_is_time_to() -> None:
    game, budget = load_game("Kuhn"), Budget(seconds=0.01)
    player = Logged(RandomPlayer())
    play_match(game, [player, RandomPlayer()], 0, preplay=budget)
    assert player.prepared is budget
    idle = Logged(RandomPlayer())
    play_match(game, [idle, RandomPlayer()], 0)
    assert not hasattr(idle, "prepared")


def test_every_seat_needs_a_player_and_a_budget() -> None:
    game = load_game("Kuhn")
    with pytest.raises(PlayerError, match="for 2 players; there are 3"):
        play_match(game, [RandomPlayer()] * 3, 0)
    with pytest.raises(PlayerError, match="1 budgets"):
        play_match(game, [RandomPlayer()] * 2, 0, budgets=[None])


@pytest.mark.parametrize(
    ("players", "given", "says"),
    [
        (None, {}, "players=None is no list; give a list of players"),
        (["random", 3], {}, r"^3 is not a player; write make_player\(game, NAME\)"),
        ([RandomPlayer, "random"], {}, "RandomPlayer.* is not a player"),
        (["random"] * 2, {"preplay": 1.0}, "preplay=1.0 .*; give budgets"),
        (["random"] * 2, {"budgets": 5}, "budgets=5 .*; give budgets"),
        (["random"] * 2, {"budgets": [None, 5]}, "budgets=5 .*; give budgets"),
    ],
)
def test_what_is_no_player_and_no_budget_is_refused(
    players: Any, given: dict[str, Any], says: str
) -> None:
    with pytest.raises(HiddenhandError, match=says):
        play_match("kuhn_poker", players, **given)


def test_an_illegal_action_is_refused() -> None:
    with pytest.raises(
        PlayerError, match=r"Scripted in seat 0 answered 7; legal actions are \[0, 1\]"
    ):
        play_match(load_game("Kuhn"), [Scripted(7), RandomPlayer()], 0)


def test_a_scripted_match() -> None:
    """Kuhn poker, bet and fold: the first player wins the ante, whatever the cards."""
    record = play_match(load_game("Kuhn"), [Scripted(1), Scripted(0)], seed=4)
    assert record.returns == (1.0, -1.0)
    assert record.moves[2:] == (1, 0)


# --- in words ---


def test_a_match_is_explained() -> None:
    game = load_game("Kuhn")
    record = play_match(game, [make_player(game, "equilibrium"), RandomPlayer()], seed=4)
    told = record.explain()
    assert [line for line in told.splitlines() if line.startswith("chance: ")] == [
        f"chance: {'JQK'[card]}" for card in record.moves[:2]
    ]
    assert told.count(" sees your card: ") == len(record.moves) - 2
    # Kuhn poker has many equilibria: player 1 may bet or check, and player 2 then has other moves.
    assert "(check 50.00%  bet 50.00%)" in told or "(fold 50.00%  call 50.00%)" in told
    assert (
        told.splitlines()[-1]
        == f"payoffs: player 1 {record.returns[0]:g}, player 2 {record.returns[1]:g}"
    )
    others = record.explain([1])
    assert "player 1 sees" not in others
    assert "chance" not in others
    assert others.count("player 2 sees") == len(record.decisions[1])


@dataclass(frozen=True)
class Untold(Wrapped):
    """A game that does not tell its moves itself."""

    def tell(self, before: typing.Any, move: int, after: typing.Any, observer: int) -> None:
        """Nothing is told."""


@pytest.mark.parametrize(
    "text", ["Kuhn", "Leduc", "LD(1,1,2)", "coordination_game", "coordinated_mp"]
)
def test_news_tell_nothing_that_was_hidden(text: str) -> None:
    """After all histories: whoever is told the name of a move has seen what they saw after no move
    of another name.
    """
    game = Untold(load_game(text))
    announcer = Announcer(game)
    named: dict[
        tuple[int, int], set[str]
    ] = {}  # what a seat saw -> names of the last moves that go with it
    told: set[tuple[int, int]] = set()
    for history in all_histories(game):
        if history.is_terminal:
            continue
        for move in history.legal_actions():
            after = history.child(move)
            for seat in range(game.num_players):
                seen = (seat, after.key(seat))
                named.setdefault(seen, set()).add(
                    game.action_name(history.state, history.player, move)
                )
                if seat != history.player and ": " in (announcer.said(history, after, seat) or ""):
                    told.add(seen)
    assert all(len(named[seen]) == 1 for seen in told)
    assert told or "coordinat" in text


def test_news_of_hidden_moves_are_that_there_was_one() -> None:
    game = Untold(load_game("PTTT"))
    announcer, history = Announcer(game), History(game)
    after = history.child(history.legal_actions()[4])
    assert announcer.said(history, after, 1) == "player 1 has moved"
    assert announcer.said(history, after, 0) == "you: b2"
    assert announcer.said(history, after.child(4), 0) is None  # in vain, which only they notice


def test_who_cannot_sit_down() -> None:
    game = load_game("Kuhn")
    twice = [make_player(game, "random")] * 2
    with pytest.raises(PlayerError, match="two seats; make a player for each"):
        play_match(game, twice, seed=1)
    names = typing.cast(list[Player], ["oos", "random"])
    with pytest.raises(PlayerError, match=r"^'oos' is not a player; write make_player\(game, "):
        Match(game, names, seed=1)
    wants: dict[typing.Any, typing.Any] = {Match: {"seed": 1}, play_tournament: {"matches": 1}}
    for function in (play_match, Tournament.between, *wants):
        with pytest.raises(PlayerError, match=r"players='auto random' is one text; give a list"):
            function(game, "auto random", **wants.get(function, {}))


def test_a_draw_pays_nobody_minus_nothing() -> None:
    """The rules of Oshi-Zumo pay the second player -0.0 in a draw."""
    game = load_game("oshi_zumo(coins=1,size=1)")
    record = play_match(game, ["random", "random"])
    assert str(as_sequential(game).returns(final_state(record.game, record.moves), 1)) == "-0.0"
    assert [str(payoff) for payoff in record.returns] == ["0.0", "0.0"]
    assert "-0" not in repr(record) + record.explain()
