"""CFR and its variants: against the textbook recursion, towards equilibria, and schedules."""

import math
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from covering import covering
from naive.behaviour import Behaviour, Node, behaviour_of, written_out
from naive.regret_minimisation import NaiveCFR, NaivePublishedCFR, hs_dcfr_exponents
from naive.small_trees import THREE, game_of, tree_of

from hiddenhand.errors import OptionError
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.search.solving import solve
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS, Variant

TEXTBOOK_GAMES = (
    *("Kuhn", "coordination_game", "IIGS(3)", THREE),
    *("Leduc, untied", "IIGS(4), untied"),
)
OTHERS = {
    "cfr, simultaneous": Variant(alternating=False),
    "cfr+, simultaneous": Variant(beta=-math.inf, gamma=1.0, alternating=False),
    "dcfr, simultaneous": Variant(alpha=1.5, beta=0.0, gamma=2.0, alternating=False),
    "predictive, discounted": Variant(alpha=2.0, beta=0.5, gamma=3.0, prediction=1.0),
    "late iterations": Variant(gamma=9.0),
}


def assert_same(found: Behaviour, expected: Behaviour) -> None:
    assert found.keys() == expected.keys()
    for key in found:
        assert found[key] == pytest.approx(expected[key], abs=1e-10)


def gaps(run: CFR, checkpoints: tuple[int, ...]) -> list[float]:
    """nash_conv of the average strategy after so many iterations."""
    return [run.run(checkpoint - run.iterations).nash_conv for checkpoint in checkpoints]


@cache
def root_of(title: str) -> Node:
    return written_out(game_of(title))


def published_form(name: str, title: str, horizon: int) -> NaivePublishedCFR:
    """A variant of 2024 as its paper writes it. ``horizon``: for a schedule."""
    root, players = root_of(title), tree_of(title).num_players
    if name == "dcfr+":
        return NaivePublishedCFR(root, players, lambda t: (1.5, 0.0, 4.0))
    if name == "pdcfr+":
        return NaivePublishedCFR(root, players, lambda t: (2.3, 0.0, 5.0), prediction=1 / 3)
    return NaivePublishedCFR(root, players, hs_dcfr_exponents(horizon), floored=False)


PUBLISHED = ("dcfr+", "pdcfr+", "hs_dcfr")
"""Variants whose papers write them in another form than ours; Xu et al. (2024), Zhang et al.
(2024).
"""


def test_no_weight_of_an_iteration_is_too_large() -> None:
    """100^200 is no number of 64 bits. So late an average is nearly the last strategy."""
    run = CFR(tree_of("Kuhn"), Variant(alpha=1.5, beta=0.0, gamma=200.0))
    run.iterate(100)
    assert run.average_profile() == pytest.approx(run.last_profile(), abs=0.1)


@covering("title, name", TEXTBOOK_GAMES, [*VARIANTS, *OTHERS], together=1, times=2)
def test_strategies_are_those_of_the_papers(title: str, name: str) -> None:
    tree, variant = tree_of(title), (VARIANTS | OTHERS)[name]
    # in games of some size rounding errors grow tenfold every few iterations where old regret, by
    # which they are measured, is discounted
    iterations = 12 if title.endswith("untied") else 50
    twin: Any = NaiveCFR(root_of(title), tree.num_players, variant)
    if name in PUBLISHED:
        twin = published_form(name, title, iterations)
    for _ in range(iterations):
        twin.iterate()
    run = CFR(tree, variant)
    run.run(iterations)
    assert_same(behaviour_of(tree, run.average_profile()), twin.average())
    assert_same(behaviour_of(tree, run.last_profile()), twin.strategy)


@pytest.mark.parametrize("pieces", [(7, 33), (1, 39), (40,)], ids=str)
def test_a_schedule_that_goes_on_begins_another(pieces: tuple[int, ...]) -> None:
    """The first piece is the horizon; a run by seconds knows none, and begins with 1."""
    tree = tree_of("Kuhn")
    paper = published_form("hs_dcfr", "Kuhn", pieces[0])
    for _ in range(40):
        paper.iterate()
    run = CFR(tree, "hs_dcfr")
    for piece in pieces:
        run.run(piece)
    assert run.variant.horizon == pieces[0]
    assert run.method == "hs_dcfr"
    assert_same(behaviour_of(tree, run.average_profile()), paper.average())


def test_a_budget_that_may_end_earlier_is_no_horizon() -> None:
    tree = tree_of("Kuhn")
    for limits in ({"seconds": 60.0}, {"target": 1e-9}):
        unknown, one = CFR(tree, "hs_dcfr"), CFR(tree, replace(VARIANTS["hs_dcfr"], horizon=1))
        unknown.run(60, **limits)
        one.run(60)
        assert unknown.variant.horizon == 0
        assert np.array_equal(unknown.average, one.average)
        unknown.run(10)
        assert unknown.variant.horizon == 0


def test_late_iterations_count_in_a_long_schedule() -> None:
    """t^30 of a million iterations is 1e180; the average stays of the size of a strategy."""
    tree = tree_of("Kuhn")
    run = CFR(tree, "hs_dcfr")
    run.run(20_000)
    assert 1 < run.average.max() < 20_000
    assert run.solution().nash_conv < 1e-3


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("game", ["Leduc", "BRPS(10)"])
def test_every_variant_converges(game: str, variant: str) -> None:
    found = gaps(CFR(tree_of(game), variant), (10, 100, 1000))
    assert all(later <= 0.6 * earlier for earlier, later in pairwise(found)), found
    assert found[-1] < 0.05


def test_more_than_two_players_run() -> None:
    """Nothing is promised but that the average settles; here the game is easy enough for it to
    reach an equilibrium.
    """
    found = gaps(CFR(tree_of(THREE), "cfr"), (10, 100, 1000))
    assert found[0] > found[1] > found[2]


def test_bad_input_is_refused() -> None:
    with pytest.raises(OptionError, match=r"there is no CFR variant 'cfr\+\+'; choose one"):
        CFR(tree_of("Kuhn"), "cfr++")
    with pytest.raises(OptionError, match=r"there is no CFR variant \['cfr'\]; choose one"):
        CFR(tree_of("Kuhn"), ["cfr"])  # type: ignore[arg-type]  # as users do
    bad: list[tuple[dict[str, Any], str]] = [
        ({"alpha_change": math.inf}, "an exponent changes by a number"),
        ({"gamma": 1.0, "gamma_change": -2.0}, "gamma=-1.0 is not allowed"),
    ]
    bad += [
        ({"horizon": horizon}, f"horizon={horizon} is not allowed; give a whole number")
        for horizon in (-1, 2.0, True, 2**62)
    ]
    for fields, message in bad:
        with pytest.raises(OptionError, match=message):
            Variant(**fields)


def three_players(seed: int) -> TreeGame:
    """Three players, one after the other, with two moves each, none of which is seen."""
    random = np.random.default_rng(seed)
    leaves = random.integers(-5, 6, (8, 3))
    inner = np.zeros((7, 3))
    return TreeGame(
        player=np.array([0, 1, 1, 2, 2, 2, 2] + [-4] * 8),
        first_child=np.array([1, 3, 5, 7, 9, 11, 13] + [15] * 8),
        num_children=np.array([2] * 7 + [0] * 8),
        probability=np.ones(15),
        information_set=np.array([0, 1, 1, 2, 2, 2, 2] + [-1] * 8),
        utilities=np.concatenate([inner, leaves]),
    )


@pytest.mark.parametrize("seed", range(12))
def test_a_run_with_a_target_alone_ends(seed: int) -> None:
    """Also in games of three players, in which nash_conv may stay high for ever."""
    found = solve(three_players(seed), "cfr+")
    assert found.target is not None
    assert found.fell_short == (found.nash_conv > found.target)
    if found.fell_short:
        assert found.iterations >= 4000
        best = min(gap for _, gap in found.convergence)
        earlier = min(gap for at, gap in found.convergence if 4 * at <= found.iterations + 400)
        assert best > 0.9 * earlier


def test_some_games_of_three_players_have_no_end_else() -> None:
    assert any(solve(three_players(seed), "cfr+").fell_short for seed in range(40))


def test_a_limit_takes_the_place_of_progress() -> None:
    run = CFR(tree_of("Kuhn"), "cfr+")
    assert run.run(10_000, target=1e-30).iterations == 10_000
