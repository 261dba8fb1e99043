"""The refined linear program: right after errors, and exact."""

import numpy as np
import pytest
from naive.errors import wrong_sets
from naive.small_trees import tree_of
from studies.errors import random_tree

from hiddenhand.solvers import refined_lp
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.solvers.refined_lp import solve_refined_lp
from hiddenhand.trees.after_errors import regret_after_errors
from hiddenhand.trees.profile import expected_values, nash_conv, uniform_profile
from hiddenhand.trees.unroll import unroll


def against_uniform(tree, profile) -> float:
    """The mean of both seats' payoffs against uniform play."""
    earned = 0.0
    for player in range(2):
        mixed = np.where(tree.sequence_player == player, profile, uniform_profile(tree))
        earned += expected_values(tree, mixed)[player] / 2
    return earned


@pytest.mark.parametrize(
    ("game", "least"),  # from an independent program with another refinement, rounded down
    [
        ("Kuhn", 0.166),
        ("Leduc", 0.700),
        ("LD(1,1,4)", 0.497),
        ("IIGS(4)", 0.664),
        pytest.param("LD(1,1,6)", 0.685, marks=pytest.mark.thorough),
        pytest.param("GP(3,3,2,2)", 1.81, marks=pytest.mark.thorough),
    ],
)
def test_earns_more_from_who_errs_and_loses_nothing(game: str, least: float) -> None:
    tree = tree_of(game)
    plain, refined = solve_lp(tree), solve_refined_lp(tree)
    largest = np.abs(tree.utility).max()
    assert refined.method == "lp"
    assert refined.nash_conv <= 1e-9 * largest
    assert refined.nash_conv == nash_conv(tree, refined.profile)
    assert refined.value == pytest.approx(plain.value, abs=1e-9 * largest)
    assert against_uniform(tree, refined.profile) >= least
    lead = against_uniform(tree, refined.profile) - against_uniform(tree, plain.profile)
    assert lead > -1e-12 if game == "Kuhn" else lead > 0.0  # there HiGHS may find the refined one
    before, after = (regret_after_errors(tree, found.profile) for found in (plain, refined))
    assert after.mean < before.mean / 2


@pytest.mark.parametrize("chance", [0.0, 0.3])
@pytest.mark.parametrize(("depth", "most"), [(4, 3), (6, 3), (9, 2)])
def test_no_move_is_wrong_in_games_in_plain_sight(depth: int, most: int, chance: float) -> None:
    wrong_plain = 0
    for seed in range(16 if depth == 4 else 2):
        tree = unroll(random_tree(seed, depth, chance, most))
        refined, plain = solve_refined_lp(tree), solve_lp(tree)
        assert (refined.method, wrong_sets(tree, refined.profile)) == ("lp", [])
        wrong_plain += len(wrong_sets(tree, plain.profile))
    assert wrong_plain > 20


def test_play_after_both_have_erred() -> None:
    """Where the coordination game is left by error, the others' errors are all that is known."""
    tree = tree_of("coordination_game")
    assert regret_after_errors(tree, solve_refined_lp(tree).profile).largest < 1e-6


def test_it_says_where_it_does_not_refine(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tree_of("Kuhn")
    monkeypatch.setattr(refined_lp, "_both_err", lambda *arguments: None)
    found = solve_refined_lp(tree)
    assert found.method == "lp, not refined"
    np.testing.assert_array_equal(found.profile, solve_lp(tree).profile)


def test_an_error_that_costs_the_equilibrium_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, tried = tree_of("Kuhn"), []
    exact = refined_lp._refined

    def spoilt(*arguments):
        tried.append(arguments[-1])
        return uniform_profile(tree) if len(tried) == 1 else exact(*arguments)

    monkeypatch.setattr(refined_lp, "_refined", spoilt)
    assert solve_refined_lp(tree).nash_conv < 1e-9
    assert tried == [0.01, 0.02]


def test_what_fails_in_a_thread_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments):
        raise MemoryError

    monkeypatch.setattr(refined_lp, "_both_err", fails)
    with pytest.raises(MemoryError):
        solve_refined_lp(tree_of("Kuhn"))
