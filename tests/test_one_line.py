"""What an object prints as, at a prompt and in messages, is one line with its key figures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hiddenhand import load_game, make_player, make_search
from hiddenhand.errors import HiddenhandError
from hiddenhand.search.algorithms import SEARCH, algorithms
from hiddenhand.text import one_line

GAMES = ("kuhn_poker", "goofspiel(num_cards=3)", "VP(map=block5,pursuers=2,moves=9,apart=2)")
PLAYERS = ("random", "equilibrium", "best_response(equilibrium)", "human", "oos", "auto")


def verify_one_line(value: object) -> None:
    """Raise AssertionError unless ``value`` prints as one line that says what it is."""
    told = repr(value)
    assert "\n" not in told
    assert " at 0x" not in told
    assert told.startswith(f"{type(value).__name__}(")
    assert len(told) <= 250


def search_of(name: str) -> Any:
    """The search with a name, of the first game that it can search."""
    for game in GAMES:
        try:
            return make_search(game, name)
        except HiddenhandError:
            continue
    raise AssertionError(f"no game for {name}")


@pytest.mark.parametrize("name", [one.name for one in algorithms(SEARCH)])
def test_searches(name: str) -> None:
    verify_one_line(search_of(name))


@pytest.mark.parametrize("name", PLAYERS)
def test_players(name: str) -> None:
    verify_one_line(make_player("kuhn_poker", name))


def figures() -> Iterator[tuple[object, str]]:
    """Objects whose fields are long, and what they print as."""
    from hiddenhand.evaluation.nash_conv import Measured
    from hiddenhand.games.validation.conformance import CheckReport
    from hiddenhand.matches.match import Match
    from hiddenhand.matches.match_records import Played
    from hiddenhand.matches.ranking import TournamentRecord, ranking
    from hiddenhand.matches.tournament import Pairing, Question
    from hiddenhand.players.player import Decision
    from hiddenhand.search.snapshots import Curve
    from hiddenhand.trees.policy_difference import Comparison
    from hiddenhand.trees.policy_report import Behaviour, StrategyTable

    kuhn = load_game("kuhn_poker")
    played = tuple(
        Played((0, 1), number, (0,), (1.0, -1.0), (1, 1), (0.0, 0.0), ({}, {}))
        for number in range(3)
    )
    pairing = Pairing(("a", "b"), played, 1.0)
    record = TournamentRecord(Question("kuhn_poker", ("a", "b")), (pairing,), ranking([pairing]))
    yield record, "TournamentRecord(kuhn_poker, 3 matches, a leads)"
    yield pairing, f"Pairing(a against b, 3 matches, payoff {pairing.score().payoff} of the first)"
    yield record.ranking[1], f"Standing(b, 3 matches, {record.ranking[1].points:.1%} of the points)"
    yield (
        CheckReport(kuhn, 200, 58, True, ("one", "two"), (), ("three",)),
        "CheckReport(KuhnPoker(num_cards=3), 2 laws hold in 58 histories, warnings: 1)",
    )
    score = pairing.score()
    yield score, f"Score(3 matches, payoff {score.payoff}, win rate {score.win_rate:.1%})"
    policy = (0.25, 0.75)
    yield Decision(1, policy, {}, 0.5), "Decision(action 1, policy 0.25, 0.75, 0.500 s)"
    here = Behaviour(0, "your card: J", {"pass": 0.75, "bet": 0.25}, True)
    yield here, "Behaviour(player 1: your card: J, pass 75%, bet 25%)"
    players = [make_player(kuhn, "random") for _ in range(2)]
    yield Match(kuhn, players, seed=1), "Match(KuhnPoker(num_cards=3), 0 moves made)"
    long_run = Curve(Path("oos.curve.jsonl"))
    long_run.lines = [{"snapshot": 3, "iterations": 1000}]
    yield long_run, "Curve(oos.curve.jsonl, 1,000 iterations, 3 snapshots)"
    yield StrategyTable(), "StrategyTable(0 information sets)"
    measured = Measured("kuhn_poker", "tree", (0.0, 0.0), (0.5, 0.25))
    yield measured, "Measured(kuhn_poker by tree, nash_conv 0.75)"
    yield (
        Comparison((), ((0.0,), (0.0,)), (0.5, 0.1)),
        "Comparison(0 differences, nash_conv 0.5 and 0.1)",
    )


def test_results() -> None:
    for value, told in figures():
        verify_one_line(value)
        assert repr(value) == told


def test_an_object_without_figures_has_its_name_alone() -> None:
    assert one_line(load_game("kuhn_poker")) == "KuhnPoker()"
