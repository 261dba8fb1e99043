"""How far the strategy of a search may be trusted, and the expected payoff of each move."""

from typing import Any

import numpy as np
import pytest
from naive.small_games import small

from hiddenhand.games.history import History
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.unroll import unroll
from hiddenhand.web import analysis
from hiddenhand.web.analysis import Analysis
from hiddenhand.web.payoffs import payoffs_of
from hiddenhand.web.trust import Course


def course_of(policies: list[list[float]]) -> Course:
    """A course with a report in each second."""
    course = Course()
    for second, policy in enumerate(policies, 1):
        course.note(second, policy)
    return course


def test_only_the_last_third_of_the_time_counts() -> None:
    early = [[1.0, 0.0]] * 7
    course = course_of([*early, [0.5, 0.5], [0.52, 0.48], [0.51, 0.49]])
    assert course.drift() == pytest.approx(0.49)  # the seventh second is in the last third
    course = course_of([*early, *[[0.5, 0.5]] * 7, [0.51, 0.49]])
    assert course.drift() == pytest.approx(0.01)


def test_how_much_of_a_belief_has_moved() -> None:
    course = course_of([[0.5, 0.5, 0.0]] * 6 + [[0.4, 0.4, 0.2]] * 2)
    assert course.moved() == pytest.approx(0.2)
    assert course_of([[1.0]]).moved() is None


@pytest.mark.parametrize(
    ("late", "samples", "mark"),
    [
        ([0.5, 0.5, 0.5], 19.0, {"level": "few", "visits": 19}),
        ([0.5, 0.5, 0.5], 20.0, {"level": "steady", "points": 0, "visits": 20}),
        ([0.5, 0.5, 0.5], None, {"level": "steady", "points": 0}),
        ([0.5, 0.515, 0.5], None, {"level": "steady", "points": 2}),
        ([0.5, 0.56, 0.5], 1e6, {"level": "moving", "points": 6, "visits": 1_000_000}),
        ([0.501], None, {"level": "begun"}),
    ],
)
def test_marks(late: list[float], samples: float | None, mark: dict[str, Any]) -> None:
    before = [[0.9, 0.1]] * (2 * len(late) if len(late) > 1 else 0)
    course = course_of([*before, *[[p, 1 - p] for p in [late[0], *late]]])
    assert course.mark(samples) == mark


def kuhn_after(*moves: int) -> History:
    history = History(small("Kuhn"))
    for move in moves:
        history = history.child(move)
    return history


def test_payoffs_against_uniform_play_computed_by_hand() -> None:
    """Player 1 has the king in Kuhn poker, and all play every move alike. A bet earns 1 if player 2
    passes, 2 if not. After a pass, player 2 passes (1); or bets, and then a pass loses 1, a bet
    wins 2.
    """
    tree = unroll(small("Kuhn"))
    payoffs = payoffs_of(tree, uniform_profile(tree), kuhn_after(2, 0))
    assert payoffs == pytest.approx([(1 + (-1 + 2) / 2) / 2, 1.5])


def test_payoffs_where_the_strategy_never_leads() -> None:
    """All players always pass, so player 2 with the king never faces a bet. After one, a pass loses
    1, and a bet wins 2 against any card.
    """
    tree = unroll(small("Kuhn"))
    passing = np.where(tree.sequence_action == 0, 1.0, 0.0)
    passing[: tree.num_players] = 1.0  # the empty sequences
    payoffs = payoffs_of(tree, passing, kuhn_after(1, 1, 1))
    assert payoffs == pytest.approx([-1.0, 2.0])


@pytest.mark.parametrize(
    ("player", "knows"),
    [
        ("oos", {"regrets", "ev", "trust", "belief"}),
        ("ismcts", {"visits", "values", "ev", "trust", "belief"}),
        ("smooth_uct", {"visits", "values", "ev", "trust", "belief"}),
        ("equilibrium", {"ev", "trust", "belief"}),
        ("random", {"ev", "trust"}),
    ],
)
@pytest.mark.timed
def test_what_a_report_has(player: str, knows: set[str]) -> None:
    frames: list[dict[str, Any]] = []
    analysis = Analysis(kuhn_after(2, 0), player, 0.05, frames.append)
    analysis.start()
    analysis._thread.join(30)
    first = next(frame for frame in frames if frame["state"] in ("thinking", "done"))
    assert first["names"] == ["check", "bet"]
    assert first["actions"] == [0, 1]
    last = frames[-1]
    assert last["state"] == "done"
    assert {"regrets", "visits", "values", "ev", "trust", "belief"} & set(last) == knows
    assert len(last["ev"]) == 2
    if player == "equilibrium":
        assert last["trust"] == {"level": "exact"}
    if player in ("oos", "ismcts", "smooth_uct"):
        assert last is first or "names" not in last  # sent once
        assert last["trust"]["visits"] >= 0


@pytest.mark.timed
def test_payoffs_in_a_game_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """By rollouts: a jack that faces a bet loses 1 if it folds, and 2 against each other card."""
    monkeypatch.setattr(analysis, "written_out", lambda game: None)
    frames: list[dict[str, Any]] = []
    thinking = Analysis(kuhn_after(2, 0, 1), "oos", 0.05, frames.append)
    thinking.start()
    thinking._thread.join(30)
    assert frames[-1]["ev"] == [-1.0, -2.0]
    assert frames[-1]["rollouts"] >= 1


def test_the_belief_of_an_equilibrium() -> None:
    """Player 1 has bet in Kuhn poker. Each equilibrium bets no queen, and bets kings three times as
    often as jacks (Kuhn 1950). Player 2 has the queen, so the odds of a king are 3 to 1.
    """
    frames: list[dict[str, Any]] = []
    analysis = Analysis(kuhn_after(0, 0, 1), "equilibrium", 1.0, frames.append)
    analysis.start()
    analysis._thread.join(30)
    assert frames[-1]["state"] == "done"
    told = {secret["name"][0]: secret["p"] for secret in frames[-1]["belief"]["secrets"]}
    assert told == pytest.approx({"K": 0.75, "J": 0.25}, abs=1e-3)
    below = analysis.below(frames[-1]["belief"]["secrets"][0]["name"], [])
    assert below["mover"] == 1
    assert sum(below["policy"]) == pytest.approx(1.0)
