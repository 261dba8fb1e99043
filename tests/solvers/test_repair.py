"""Strategies of CFR, repaired where play hardly ever comes: against a slow twin, and by what they
play after errors.
"""

import numpy as np
import pytest
from naive.behaviour import behaviour_of, written_out
from naive.errors import wrong_sets
from naive.small_trees import THREE, game_of, tree_of
from naive.trembling import NaiveTrembling
from studies.errors import random_tree

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.solvers import repair
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.solvers.repair import repaired, seldom_sets
from hiddenhand.trees.profile import (
    best_response_values,
    nash_conv,
    normalised,
    reach_of_others,
    reach_of_sets,
    realisation_plan,
)
from hiddenhand.trees.unroll import unroll


@pytest.mark.parametrize("variant", ["cfr", "cfr+", "dcfr", "pdcfr+"])
@pytest.mark.parametrize("game", ["Kuhn", "IIGS(3)", random_tree(4, 4, chance=0.3)], ids=str)
def test_trembles_are_those_of_the_slow_twin(game: str, variant: str) -> None:
    tree = tree_of(game)
    twin = NaiveTrembling(
        written_out(game_of(game)), tree.num_players, VARIANTS[variant], tremble=1e-3
    )
    for _ in range(37):
        twin.iterate()
    everywhere = np.ones(tree.num_sets, np.bool_)
    found = repair._with_trembles(CFR(tree, variant), everywhere, Budget(37), e=1e-3)
    expected = twin.average()
    for key, sigma in behaviour_of(tree, found).items():
        assert sigma == pytest.approx(expected[key], abs=1e-9)


@pytest.mark.parametrize(("game", "variant"), [("Leduc", "cfr+"), ("IIGS(4)", "pdcfr+")])
def test_a_repair_costs_nothing(game: str, variant: str) -> None:
    tree = tree_of(game)
    run = CFR(tree, variant)
    run.iterate(150)
    before = run.average_profile()
    seldom = np.repeat(seldom_sets(tree, before), np.diff(tree.set_start))
    found = repaired(run, 40)
    changed = (found != before)[tree.num_players :]
    assert changed.any()
    assert not changed[~seldom].any()
    np.testing.assert_array_less(
        best_response_values(tree, found), best_response_values(tree, before) + 1e-8
    )
    np.testing.assert_array_equal(run.average_profile(), before)


@pytest.mark.parametrize("chance", [0.0, 0.3])
@pytest.mark.parametrize(("depth", "most"), [(4, 3), (7, 3)])
def test_moves_in_plain_sight_are_right_after_errors_of_the_opponent(
    depth: int, most: int, chance: float
) -> None:
    wrong_before = 0
    for seed in range(12 if depth == 4 else 2):
        tree = unroll(random_tree(seed, depth, chance, most))
        run = CFR(tree, "pdcfr+")
        run.iterate(400)
        wrong_before += len(wrong_sets(tree, run.average_profile()))
        found = repaired(run, 400)
        assert wrong_sets(tree, found) == []
        assert nash_conv(tree, found) < 1e-3
    assert wrong_before > 10


def test_equal_iterations_give_equal_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the work is cut into pieces, which depends on the clock."""
    tree = tree_of("Leduc")
    run = CFR(tree, "pdcfr+")
    run.iterate(100)
    whole = repaired(run, 50)
    monkeypatch.setattr(Budget, "_next_chunk", lambda *arguments: 7)
    np.testing.assert_array_equal(repaired(run, 50), whole)


@pytest.mark.parametrize("game", ["Leduc", random_tree(2, 5, chance=0.3), THREE])
def test_the_reach_of_sets_is_that_of_their_histories(game: str) -> None:
    tree = tree_of(game)
    rng = np.random.default_rng(1)
    profile = normalised(tree, rng.random(tree.num_sequences))
    expected, found = reach_of_others(tree, profile), np.zeros(tree.num_sets)
    for player in range(tree.num_players):
        found += reach_of_sets(tree, realisation_plan(tree, profile), player)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_bad_input_is_refused() -> None:
    run = CFR(tree_of("Kuhn"), "cfr+")
    with pytest.raises(OptionError, match="iterations=0"):
        repaired(run, 0)
    with pytest.raises(OptionError, match="no budget was given"):
        repaired(run)
