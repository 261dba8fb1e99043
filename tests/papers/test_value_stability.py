"""How values settle: the counts of the paper, figures by hand, and its trends (Sustr, Kovarik and
Lisy 2019, Section 5.4).
"""

import math
from itertools import pairwise

import numpy as np
import pytest
from naive.resolving import frontier_of, prefixes, tree_of

from hiddenhand.errors import OptionError
from hiddenhand.games.base import TERMINAL
from hiddenhand.games.registry import load_game
from hiddenhand.search.resolving.gadgets import root_gadget
from hiddenhand.search.resolving.mccr import MCCR, SamplingResolver
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.trees.profile import best_response, nash_conv, reach_probabilities
from hiddenhand.trees.strategy import strategy_from_weights, weights_from_table
from hiddenhand.trees.unroll import unroll
from hiddenhand_papers.value_stability import averaging_error, mccr_bound, omega, value_stability

BRPS = "BRPS(10)"


@pytest.mark.parametrize(
    ("spec", "sets"), [("LD(1,1,6)", 396), ("GP(3,3,2,2)", 45), ("IIGS(5)", 13)]
)
def test_omega_is_as_large_as_in_the_paper(spec: str, sets: int) -> None:
    """By hand: 66 pairs of bids by 6 dice; bids 1 and 5 end in two ways and 2 to 4 in three; 15
    public ways on by 3 cards.
    """
    assert omega(unroll(load_game(spec))).size == sets


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(4)", "hidden turns"])
def test_omega_by_enumeration(spec: str) -> None:
    tree = tree_of(spec)
    for seat in range(2):
        before: dict[int, set[int]] = {}
        for h in range(tree.num_histories):
            before[h] = {
                int(tree.keys[g, -1]) for g in prefixes(tree, h) if tree.player[g] == seat
            } - {int(tree.keys[h, -1])}
        states = {
            int(tree.keys[h, -1])
            for h in range(tree.num_histories)
            if tree.player[h] == seat and len(before[h]) == 1
        }
        entering = [
            h
            for h in range(tree.num_histories)
            if int(tree.keys[h, -1]) in states and tree.player[h] != TERMINAL
        ]
        entering = [
            h for h in entering if int(tree.keys[tree.parent[h], -1]) != int(tree.keys[h, -1])
        ]
        found = omega(tree, seat)
        assert found.histories.tolist() == entering
        assert found.size == len({int(tree.keys[h, 1 - seat]) for h in entering})
        assert all(
            (tree.keys[g, 1 - seat] == tree.keys[h, 1 - seat]) == (a == b)
            for g, a in pairs(found)
            for h, b in pairs(found)
        )


def pairs(found) -> list[tuple[int, int]]:  # type: ignore[no-untyped-def]
    return list(zip(found.histories.tolist(), found.set.tolist(), strict=True))


def test_instability_by_hand() -> None:
    """Kuhn poker: t(J) and v(J) of the sets in Omega from what the resolver says itself."""
    tree, looks, rows = tree_of("Kuhn"), (200, 500, 2000), []
    found = value_stability(tree, looks, (4,))
    wanted = omega(tree)
    resolver = SamplingResolver(
        mode="reset",
        epsilon=0.6,
        values="weighted",
        focus=0.0,
        corrected=True,
        baseline="off",
        memory=2**26,
    )
    resolver.start(tree.game, 4)
    resolver.begin(root_gadget(tree.game, 0), 0, 1)
    for before, at in pairwise((0, *looks)):
        resolver.think(at - before, None)
        profile = strategy_from_weights(tree.game, weights_from_table(resolver.table, 1)).on(tree)
        reach = reach_probabilities(tree, profile)
        values, _ = resolver.values(frontier_of(tree, wanted.histories.tolist(), reach))
        counterfactual, mass = {}, {}
        for h, value in zip(wanted.histories.tolist(), values, strict=True):
            key, others = int(tree.keys[h, 1]), reach[h, 0] * reach[h, 2]
            counterfactual[key] = counterfactual.get(key, 0.0) + others * value
            mass[key] = mass.get(key, 0.0) + others
        rows.append(
            (
                [counterfactual[key] / mass[key] for key in mass],
                list(counterfactual.values()),
                nash_conv(tree, profile),
            )
        )
    for point, (payoffs, values_, gap) in zip(found.curve, rows, strict=True):
        assert point.payoffs.value == pytest.approx(
            np.abs(np.subtract(payoffs, rows[-1][0])).mean()
        )
        assert point.values.value == pytest.approx(np.abs(np.subtract(values_, rows[-1][1])).mean())
        assert point.nash_conv.value == pytest.approx(gap)
    assert (found.curve[-1].payoffs.value, found.sets, found.seeds) == (0.0, wanted.size, (4,))


@pytest.mark.slow
def test_values_settle_before_the_strategy_does() -> None:
    """LD(1,1,3): what is left to change falls, and so does nash_conv (Figure 3)."""
    found = value_stability(tree_of("LD(1,1,3)"), (300, 3000, 30_000, 300_000), range(3))
    for quantity in ("payoffs", "values", "nash_conv"):
        curve = [getattr(point, quantity).value for point in found.curve]
        assert all(later < earlier for earlier, later in pairwise(curve))


def test_averages_in_biased_rock_paper_scissors() -> None:
    """Figure 2, left: weighted averages come to the values of the equilibrium; the arithmetic ones
    are no better.
    """
    found = averaging_error(tree_of(BRPS), (1000, 10_000, 100_000), range(6))
    weighted, arithmetic = (
        [getattr(point, kind).value for point in found.curve] for kind in ("weighted", "arithmetic")
    )
    assert all(later < earlier / 2 for earlier, later in pairwise(weighted))
    assert weighted[-1] < 0.03
    assert weighted[-1] <= arithmetic[-1]


def test_the_movers_values_and_the_formula_as_printed() -> None:
    """Divided by the sum of weights they come to those of the equilibrium; divided by the number of
    samples they stay about 0.05 away.
    """
    found = averaging_error(tree_of(BRPS), (1000, 10_000, 100_000), range(6))
    right, printed = (
        [getattr(point, kind).value for point in found.curve] for kind in ("mover", "mover_printed")
    )
    assert all(later < earlier / 2 for earlier, later in pairwise(right))
    assert right[-1] < 0.03
    assert printed[-1] > printed[-2] / 2
    assert 0.04 < printed[-1] < 0.08


def test_the_movers_values_by_hand() -> None:
    """From what the resolver has collected: sums of payoffs and of weights of 1, both divided by
    the probability of the sample.
    """
    tree = tree_of(BRPS)
    found = averaging_error(tree, (500,), (3,)).curve[0]
    resolver = SamplingResolver(
        mode="reset",
        epsilon=0.6,
        values="weighted",
        focus=0.0,
        corrected=True,
        baseline="off",
        memory=2**26,
    )
    resolver.start(tree.game, 3)
    resolver.begin(root_gadget(tree.game, 0), 0, 1)
    resolver.think(500, None)
    histories = np.flatnonzero(tree.player == 1).tolist()
    sums = resolver.collected(frontier_of(tree, histories, np.ones((tree.num_histories, 3))))
    value = solve_lp(tree).value
    assert found.mover.value == pytest.approx(np.abs(-sums[:, 2] / sums[:, 3] - value).mean())
    assert found.mover_printed.value == pytest.approx(np.abs(-sums[:, 2] / 1000 - value).mean())


def test_equal_seeds_give_equal_figures() -> None:
    tree = tree_of("Kuhn")
    assert value_stability(tree, (10, 100), (1, 2)) == value_stability(tree, (10, 100), (1, 2))
    assert value_stability(tree, (10, 100), (1,)) != value_stability(tree, (10, 100), (2,))


# --- Theorem 4.1 ---


def test_the_bound_by_hand() -> None:
    """Kuhn poker, player 0: 6 sets of 2 actions, payoffs from -2 to 2, 3 x 2 deals, at most two own
    moves in two public states.
    """
    bound = mccr_bound(tree_of("Kuhn"), 0, epsilon=0.6, preplay=10_000, iterations=40_000, p=0.1)
    assert (bound.information_sets, bound.spread, bound.actions, bound.resolvings) == (6, 4.0, 2, 2)
    assert bound.delta == pytest.approx(1 / 6 * 0.3**2)
    scale = (math.sqrt(2 / 0.1) + 1) * 6 * 4 * math.sqrt(2) / bound.delta
    assert bound.exploitability == pytest.approx(scale * (2 / 100 + 3 / 200))
    assert bound.probability == pytest.approx(0.9**3)


@pytest.mark.slow
def test_mccr_keeps_its_bound() -> None:
    """Biased rock, paper, scissors, where enough iterations for the bound to say something are made
    in a second.
    """
    tree, iterations = tree_of(BRPS), 200_000
    bound = mccr_bound(tree, 0, epsilon=0.6, preplay=iterations, iterations=iterations)
    assert bound.exploitability < 0.5 * bound.spread
    for seed in range(2):
        search = MCCR(tree.game, values="exact", epsilon=0.6)
        search.start(0, seed)
        search.think(iterations)
        search.notice([])
        search.think(iterations)
        profile = strategy_from_weights(tree.game, search.weights()).on(tree)
        profile[tree.set_start[0] : tree.set_start[1]] = search.policy(3)
        lost = solve_lp(tree).value + best_response(tree, profile, 1).value
        assert -1e-9 <= lost < bound.exploitability


# --- what is refused ---


@pytest.mark.parametrize("looks", [(), (0, 10), (10, 10), (20, 10)])
def test_bad_looks(looks: tuple[int, ...]) -> None:
    with pytest.raises(OptionError, match="looks="):
        value_stability(tree_of("Kuhn"), looks, (1,))
    with pytest.raises(OptionError, match="looks="):
        averaging_error(tree_of("Kuhn"), looks, (1,))


def test_other_refusals() -> None:
    with pytest.raises(OptionError, match="averages='exact'"):
        value_stability(tree_of("Kuhn"), (1,), (1,), averages="exact")
    with pytest.raises(OptionError, match=r"p=1\.5"):
        mccr_bound(tree_of("Kuhn"), 0, epsilon=0.6, preplay=1, iterations=1, p=1.5)
    with pytest.raises(OptionError, match="epsilon"):
        value_stability(tree_of("Kuhn"), (1,), (1,), epsilon=0.0)
