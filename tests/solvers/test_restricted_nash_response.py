"""Restricted Nash responses: published and independently computed figures, and limits on losses."""

from functools import cache

import numpy as np
import pytest
from naive.small_trees import tree_of

from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.jit.arrays import Floats
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.restricted_nash_response import (
    Limits,
    keeps,
    restricted_response,
    safe_response,
    trade_offs,
)
from hiddenhand.trees.profile import (
    best_response,
    normalised,
    realisation_plan,
    sequence_values,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree


@cache
def solved(game: str) -> tuple[CFR, Floats]:
    """A run, and the equilibrium that it found."""
    run = CFR(tree_of(game), "pdcfr+")
    run.iterate(1500)
    return run, run.average_profile()


def most_of_opponent(tree: GameTree, profile: Floats, player: int) -> float:
    return best_response(tree, profile, 1 - player).value


def best_response_limits(tree: GameTree, profile: Floats, player: int, loss: float) -> Limits:
    """That the opponent may earn more than against ``profile`` by ``loss``."""
    worth = most_of_opponent(tree, profile, player)
    return Limits(np.array([1 - player], np.int32), np.array([worth + loss]))


@pytest.mark.parametrize(
    ("game", "points"),  # trust, earned, risked: computed by two other programs
    [
        ("Leduc", [(0.05, 0.839, 0.003), (0.1, 1.007, 0.015), (0.2, 1.181, 0.045)]),
        ("IIGS(4)", [(0.05, 0.680, 0.000)]),
    ],
)
def test_figures_against_random_play(game: str, points: list[tuple[float, float, float]]) -> None:
    tree = tree_of(game)
    found = trade_offs(tree, uniform_profile(tree), [one[0] for one in points])
    for one, (trust, earned, risked) in zip(found, points, strict=True):
        assert one.trust == trust
        assert one.gain == pytest.approx(earned, abs=0.004)
        assert one.loss == pytest.approx(risked, abs=0.001)


def test_the_curve_goes_from_an_equilibrium_to_a_best_response() -> None:
    tree = tree_of("Kuhn")
    model = uniform_profile(tree)
    found = trade_offs(tree, model, iterations=500)
    best = [best_response(tree, model, player).value for player in range(2)]
    assert found[-1].gains == pytest.approx(best)
    assert found[0].loss == 0.0
    assert found[0].gain < 0.2
    assert [one.gain for one in found] == sorted(one.gain for one in found)
    assert all(one.loss > -1e-3 for one in found)


@pytest.mark.parametrize(("game", "loss"), [("Kuhn", 0.0), ("Leduc", 0.02), ("LD(1,1,3)", 0.1)])
def test_no_more_is_lost_than_allowed_and_never_less_earned(game: str, loss: float) -> None:
    run, safe = solved(game)
    tree = run.tree
    rng = np.random.default_rng(3)
    models = [uniform_profile(tree), normalised(tree, rng.random(tree.num_sequences) ** 3)]
    for model in models:
        plan = realisation_plan(tree, model)
        for player in range(2):
            limits = best_response_limits(tree, safe, player, loss)
            found = safe_response(run, safe, player, plan, limits, Budget(70))
            worst = most_of_opponent(tree, found.profile, player)
            assert worst <= most_of_opponent(tree, safe, player) + loss + 1e-8
            worth = sequence_values(tree, plan, player)
            assert found.gain >= worth @ realisation_plan(tree, safe) - 1e-12
            assert found.gain == pytest.approx(
                float(worth @ realisation_plan(tree, found.profile)), abs=1e-9
            )
            assert (found.share > 0) == (found.trust > 0)


def test_what_is_fixed_stays() -> None:
    run, safe = solved("Leduc")
    tree = run.tree
    model = realisation_plan(tree, uniform_profile(tree))
    fixed = np.arange(tree.num_sets) % 2 == 0
    limits = best_response_limits(tree, safe, 0, 0.1)
    found = safe_response(run, safe, 0, model, limits, Budget(70), fixed)
    changed = np.abs(found.profile - safe) > 1e-12
    assert changed.any()
    assert not changed[tree.of_sets(fixed) | (tree.sequence_player != 0)].any()
    assert keeps(tree, realisation_plan(tree, found.profile), 0, limits)


def test_little_time_still_keeps_within_limits() -> None:
    run, safe = solved("Leduc")
    model = realisation_plan(run.tree, uniform_profile(run.tree))
    limits = best_response_limits(run.tree, safe, 1, 0.05)
    for seconds in (1e-6, 1e-3):
        found = safe_response(run, safe, 1, model, limits, Budget(seconds=seconds))
        assert keeps(run.tree, realisation_plan(run.tree, found.profile), 1, limits)


def test_bad_input_is_refused() -> None:
    run, _ = solved("Kuhn")
    model = realisation_plan(run.tree, uniform_profile(run.tree))
    with pytest.raises(OptionError, match=r"trust=1\.0 is not allowed"):
        restricted_response(run, 0, model, 1.0, Budget(1))
    with pytest.raises(OptionError, match=r"trust=-0\.1"):
        trade_offs(run.tree, uniform_profile(run.tree), [-0.1])
