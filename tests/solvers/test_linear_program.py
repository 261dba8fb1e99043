"""The linear program: values of games from papers and from an independently written sequence-form
linear program, and exact equilibria.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from naive.scaled_games import badly_scaled, drawn_matrix, exact_value, loss_in
from naive.small_trees import tree_of

from hiddenhand import clock, solve
from hiddenhand.errors import SolverError
from hiddenhand.solvers import linear_program, runs, solution
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.solvers.refined_lp import solve_refined_lp
from hiddenhand.solvers.solution import Solution
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.trees.profile import expected_values, nash_conv
from hiddenhand.trees.stakes import stakes_of
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("Kuhn", -1 / 18),  # Kuhn (1950)
        (
            "Leduc",
            -0.0856064240780,
            # this and all below but the last two are from an independently written sequence-form
            # linear program
        ),
        ("GP(3,2,1,1)", -0.085606424078),
        ("GP(3,3,2,2)", -0.111353088039),
        ("LD(1,1,3)", 0.111111111111),
        ("LD(1,1,6)", -0.027131782946),
        ("IIGS(4)", 0.0),
        ("IIGS(5)", 0.0),
        ("GS(4)", 0.0),  # by symmetry
        ("BRPS(10)", 0.25),  # by hand: see below
    ],
)
def test_values(game: str, value: float) -> None:
    tree = tree_of(game)
    found = solve_lp(tree)
    assert found.value == pytest.approx(value, abs=2e-10)
    assert found.values[1] == -found.values[0]
    assert found.nash_conv <= 1e-9
    assert found.nash_conv == nash_conv(tree, found.profile)


def test_kuhn_poker_is_played_as_kuhn_says() -> None:
    """Kuhn (1950): player 1 (unique) calls with a queen in 1/3 and bluffs with a jack in 1/3;
    player 0 bets a king thrice as often as a jack.
    """
    tree = tree_of("Kuhn")
    profile = solve_lp(tree).profile
    bet = {}
    for card in range(3):
        first = tree.information_set[_after(tree, [card, (card + 1) % 3])]
        passed, raised = (
            tree.information_set[_after(tree, [(card + 1) % 3, card, move])] for move in (0, 1)
        )
        bet[card] = [profile[tree.set_start[i] + 1] for i in (first, passed, raised)]
    (jack, bluff, fold), (queen, passive, call), (king, value_bet, sure_call) = (
        bet[card] for card in range(3)
    )
    assert [bluff, fold, passive, call, value_bet, sure_call] == pytest.approx(
        [1 / 3, 0, 0, 1 / 3, 1, 1], abs=1e-9
    )
    assert 0 <= jack <= 1 / 3 + 1e-9
    assert [queen, king] == pytest.approx([0, 3 * jack], abs=1e-9)


def _after(tree, actions: list[int]) -> int:
    history = 0
    for action in actions:
        children = np.arange(
            tree.first_child[history], tree.first_child[history] + tree.num_children[history]
        )
        history = int(children[tree.action[children] == action][0])
    return history


def test_a_solution_says_how_it_was_found() -> None:
    tree = tree_of("Kuhn")
    found = solve_lp(tree)
    assert found.tree is tree
    assert found.method == "lp"
    assert found.iterations > 0
    assert found.values == tuple(expected_values(tree, found.profile))


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1e6, 1e12])
def test_payoffs_of_any_size(unit: float) -> None:
    """A game in millions or millionths is the same game. By hand: the value of [[2, -1], [-1, 1]]
    is (2 * 1 - 1 * 1) / (2 + 1 + 1 + 1) = 1/5.
    """
    found = solve_lp(tree_of(f"matrix_game([[{2 * unit},{-unit}],[{-unit},{unit}]])"))
    assert found.value == pytest.approx(unit / 5)
    assert found.nash_conv <= 2e-9 * unit


@pytest.mark.parametrize("solved", [solve_lp, solve_refined_lp])
@pytest.mark.parametrize("kind", ["balanced", "even", "rare", "mixed"])
def test_payoffs_of_many_sizes_in_one_game(
    kind: str, solved: Callable[[GameTree], Solution]
) -> None:
    """Against fractions: the value of the game, and what players lose in each of its parts, in
    units of the largest payoff there.
    """
    for parts in badly_scaled(kind, 6):
        tree = unroll(drawn_matrix(parts))
        found, at_stake = solved(tree), stakes_of(tree).game
        assert not found.fell_short
        assert abs(Fraction(found.value) - exact_value(parts)) <= Fraction(1e-9 * at_stake)
        for number, (_, matrix) in enumerate(parts):
            largest = np.abs(matrix).max()
            assert loss_in(tree, found.profile, number, matrix) <= Fraction(2e-9 * largest)


def test_what_rounding_keeps_from_the_target_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: the equilibrium is (1/7, 2/7, 4/7), which doubles do not have."""
    monkeypatch.setattr(linear_program, "TOLERANCE", 1e-30)
    found = solve_lp(tree_of("matrix_game([[4,0,0],[0,2,0],[0,0,1]])"))
    assert found.fell_short
    assert 0.0 < found.nash_conv < 1e-15
    assert found.target == 4e-30


def test_what_is_no_solution_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_program, "_profile", lambda tree, *_: normalised_first(tree))
    with pytest.raises(SolverError, match="was solved only to a nash_conv of 2"):
        solve_lp(tree_of("matrix_game([[1,-1],[-1,1]])"))


def normalised_first(tree: GameTree) -> np.ndarray:
    """The first action everywhere."""
    return np.array([1.0, 1.0, 1.0, 0.0, 1.0, 0.0])


@pytest.mark.parametrize("method", ["lp", "cfr", "mccfr-external", "vector-cfr"])
def test_seconds_count_what_measuring_takes(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that stands still but while nash_conv is computed, which takes 100 s."""
    now, measured = [0.0], [0]

    def slow(*arguments: Any) -> float:
        now[0] += 100.0
        measured[0] += 1
        return nash_conv(*arguments) if len(arguments) == 2 else 0.5

    monkeypatch.setattr(clock, "now", lambda: now[0])
    for module in (solution, runs):
        monkeypatch.setattr(module, "nash_conv", slow)
    monkeypatch.setattr(VectorCFR, "nash_conv", slow)
    found = solve("Kuhn", method, iterations=None if method == "lp" else 5000)
    assert measured[0] >= 1 + len(found.convergence[:-1])
    assert found.seconds >= 100.0 * len(found.convergence or (0,))
