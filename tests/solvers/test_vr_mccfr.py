"""VR-MCCFR+: what it samples is right on average and, with exact baselines, always; it agrees with
its slow twin bit for bit, and it converges.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from naive.small_trees import THREE, game_of, tree_of
from naive.vr_mccfr import NaiveVRMCCFR
from naive.xoshiro import Xoshiro

from hiddenhand.errors import GameError, OptionError
from hiddenhand.jit.random import new_state
from hiddenhand.solvers.baselines import BASELINES
from hiddenhand.solvers.vr_mccfr import VRMCCFR
from hiddenhand.trees.profile import counterfactual_values

KINDS = sorted(BASELINES)


# --- the slow twin ---


@pytest.mark.parametrize("plus", [True, False], ids=["plus", "plain"])
@pytest.mark.parametrize("baseline", KINDS)
@pytest.mark.parametrize("spec", ["Kuhn", "hidden turns"])
def test_agrees_with_the_slow_twin_bit_for_bit(spec: str, baseline: str, plus: bool) -> None:
    """In the last game the public does not notice every move."""
    check_twin(spec, baseline, plus, 30)


@pytest.mark.parametrize("baseline", KINDS)
def test_agrees_with_the_slow_twin_for_three_players(baseline: str) -> None:
    check_twin(THREE, baseline, True, 30)


def check_twin(spec: str, baseline: str, plus: bool, iterations: int) -> None:
    tree = tree_of(spec)
    run = VRMCCFR(tree, baseline, rate=0.3, plus=plus, seed=5)
    twin = NaiveVRMCCFR(game_of(spec), baseline, 0.3, plus, Xoshiro(new_state(5).tolist()))
    run._iterate(iterations)
    for _ in range(iterations):
        twin.iterate()
    for found, rows in (
        (run.regret, twin.regret),
        (run.average, twin.average),
        (run.strategy, twin.strategy),
    ):
        expected = np.concatenate([rows[int(key)] for key in tree.set_key])
        np.testing.assert_array_equal(found[tree.num_players :], expected)


# --- unbiased, and without variance ---


def paths(run: VRMCCFR) -> Iterator[list[int]]:
    """All paths of public states, down to the last one."""
    public = run.public

    def below(path: list[int]) -> Iterator[list[int]]:
        first, end = public.first_child[path[-1]], public.first_child[path[-1] + 1]
        if first == end:
            yield path
        for child in public.child[first:end]:
            yield from below([*path, int(child)])

    return below([0])


def sampled_values(run: VRMCCFR, i: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean of v(I, a) over all paths, each with its probability, and its greatest difference
    from the mean, times q, of paths that come to I. By plain Python, one method after the other.
    """
    sampling, tree = run._traversals, run.tree
    mean = np.zeros(tree.num_sequences)
    seen: list[tuple[np.ndarray, np.ndarray]] = []
    for path in paths(run):
        probability = float(np.prod([1 / children(run, state) for state in path[:-1]]))
        values, q_of = np.zeros(tree.num_sequences), np.zeros(tree.num_sequences)
        for state in path:
            sampling.enter(i, state)
        after, xi, q = -1, 1.0, probability
        for d in reversed(range(len(path))):
            sampling.estimate(i, path[d], after, xi)
            for number in sets_of(run, path[d]):
                own = slice(tree.set_start[number], tree.set_start[number + 1])
                if tree.set_player[number] == i:
                    values[own], q_of[own] = sampling.value[own] / q, q
            sampling.value[:] = 0.0
            if d > 0:
                n = children(run, path[d - 1])
                after, xi, q = path[d], 1.0 / n, q * n
        mean += probability * values
        seen.append((values * q_of, q_of))
    spread = np.zeros(tree.num_sequences)
    for one, other in itertools.combinations(seen, 2):
        both = (one[1] > 0) & (other[1] > 0)
        spread[both] = np.maximum(spread[both], np.abs(one[0] - other[0])[both])
    return mean, spread


def children(run: VRMCCFR, state: int) -> int:
    return int(run.public.first_child[state + 1] - run.public.first_child[state])


def sets_of(run: VRMCCFR, state: int) -> np.ndarray:
    return run.public.information_set[run.public.first_set[state] : run.public.first_set[state + 1]]


def exact_values(run: VRMCCFR, i: int) -> np.ndarray:
    """v(I, a) of the present strategy for the sequences of player i, but for the empty one."""
    exact = counterfactual_values(run.tree, run.strategy, i)
    exact[: run.tree.num_players] = 0.0
    return exact


@pytest.mark.parametrize("baseline", KINDS)
@pytest.mark.parametrize("spec", ["Kuhn", "hidden turns"])
def test_sampled_values_are_right_on_average_whatever_the_baseline(
    spec: str, baseline: str
) -> None:
    """All samples are enumerated, so that equality is exact but for rounding. Schmid et al., Lemma
    2.
    """
    run = VRMCCFR(tree_of(spec), baseline, seed=1)
    run._iterate(10)
    if baseline != "off":
        run._traversals.baseline.value[:] += np.random.default_rng(1).normal(
            size=run._traversals.baseline.value.shape
        )
    for i in range(2):
        mean, spread = sampled_values(run, i)
        np.testing.assert_allclose(mean, exact_values(run, i), atol=1e-12)
        assert spread.max() > 0.01  # there is something that the mean makes good


@pytest.mark.parametrize("spec", ["Kuhn", "LD(1,1,2)", "IIGS(3)", "hidden turns", THREE])
def test_predictive_baselines_leave_no_variance(spec: str) -> None:
    """Davis et al.: every sample of v(I, a) is exact, times 1 / q."""
    run = VRMCCFR(tree_of(spec), "predictive", seed=1)
    for iterations in (1, 20):
        run._iterate(iterations)
        for i in range(run.tree.num_players):
            mean, spread = sampled_values(run, i)
            np.testing.assert_allclose(mean, exact_values(run, i), atol=1e-12)
            assert spread.max() < 1e-12


# --- convergence ---


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"baseline": "best"}, "baseline='best' is not allowed; choose one of: off, set, history"),
        ({"rate": 0}, "rate=0 is not allowed"),
        ({"rate": float("nan")}, "rate=nan is not allowed"),
        ({"seed": -1}, "seed -1 is not allowed"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, object], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        VRMCCFR(tree_of("Kuhn"), **given)  # type: ignore[arg-type]


def test_a_game_that_tells_the_public_what_a_player_does_not_notice_is_refused() -> None:
    tree = tree_of("Kuhn")
    keys = tree.keys.copy()
    keys[np.flatnonzero(tree.information_set == 0)[0], -1] = 1
    with pytest.raises(GameError, match="tells the public what a player does not notice"):
        VRMCCFR(replace(tree, keys=keys))


def test_a_baseline_changes_only_behind_what_was_estimated_by_it() -> None:
    """In Kuhn poker. With baselines that changed before they were read, it was 0.004 to 0.008."""
    for seed in range(4):
        run = VRMCCFR(tree_of("Kuhn"), seed=seed)
        run.iterate(10_000)
        assert run.nash_conv() < 0.003
