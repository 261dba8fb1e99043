"""Monte Carlo CFR: what it samples is right on average, what it learns converges, and equal seeds
give equal runs.
"""

from collections.abc import Callable

import numpy as np
import pytest
from naive.behaviour import random_profile
from naive.small_trees import THREE, tree_of

from hiddenhand.errors import GameError, OptionError
from hiddenhand.games.base import TERMINAL
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.random import new_state
from hiddenhand.solvers import mccfr
from hiddenhand.solvers.mccfr import MCCFR, SAMPLINGS
from hiddenhand.trees.profile import (
    counterfactual_values,
    reach_probabilities,
    realisation_plan,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

BATCHES, BATCH = 1_000, 20
"""A sample is the mean of a batch of iterations: one call of compiled code for each."""
SCALE = 1e8
"""Regrets so large that a batch of iterations, which update one player after the other, hardly
changes the strategy.
"""

Mean = tuple[np.ndarray, np.ndarray]  # and its standard error


def sampled(
    tree: GameTree, sampling: str, profile: np.ndarray, seed: int, baseline: str = "off"
) -> tuple[Mean, Mean]:
    """What an iteration from regrets that match to ``profile`` adds to the regrets and to the
    averages, for each sequence.
    """
    run = MCCFR(tree, sampling, baseline=baseline, seed=seed)
    negative = -SCALE * np.random.default_rng(seed).random(
        profile.size
    )  # an action that is not played has regret below 0
    fixed = np.where(profile > 0, SCALE * profile, negative)
    sums = np.zeros((4, profile.size))
    for _ in range(BATCHES):
        run.regret[:] = fixed
        run.average[:] = 0.0
        run._iterate(BATCH)
        regret, average = (run.regret - fixed) / BATCH, run.average / BATCH
        sums += regret, regret**2, average, average**2
    means = sums / BATCHES
    error = [
        np.sqrt(np.maximum(means[1] - means[0] ** 2, 0.0) / BATCHES),
        np.sqrt(np.maximum(means[3] - means[2] ** 2, 0.0) / BATCHES),
    ]
    return (means[0], error[0]), (means[2], error[1])


def exact_regrets(tree: GameTree, profile: np.ndarray) -> np.ndarray:
    """r(I, a) of each sequence: `hiddenhand.solvers.cfr`."""
    regrets = np.zeros(profile.size)
    for player in range(tree.num_players):
        values = counterfactual_values(tree, profile, player)
        worth = np.add.reduceat(profile * values, tree.set_start[:-1])
        own = np.flatnonzero((tree.sequence_player == player) & (tree.sequence_set >= 0))
        regrets[own] = values[own] - worth[tree.sequence_set[own]]
    return regrets


def visits(tree: GameTree, sampling: str, profile: np.ndarray) -> np.ndarray:
    """How much weight an information set's average gets in one iteration, over the player's own
    reach: it must not depend on the strategy.

    External sampling of two players comes to a history with the probability of chance and of the
    player who is not updated. Outcome sampling divides by the probability to come there, so every
    history counts once in each traversal that updates averages.
    """
    reach = reach_probabilities(tree, uniform_profile(tree))
    weight = np.zeros(tree.num_sets)
    deciding = np.flatnonzero(tree.player >= 0)
    np.add.at(
        weight,
        tree.information_set[deciding],
        reach[deciding, -1] if sampling == "external" else 1.0,
    )
    return weight


def assert_near(mean: Mean, expected: np.ndarray, scale: float) -> None:
    found, error = mean
    wrong = np.flatnonzero(np.abs(found - expected) > 5 * error + 1e-5 * scale)
    assert not wrong.size, [
        (int(s), float(found[s]), float(expected[s]), float(error[s])) for s in wrong
    ]


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("game", ["Kuhn", "IIGS(3)"])
def test_one_iteration_is_right_on_average(game: str, sampling: str) -> None:
    """Within five standard errors. Lanctot (2013), Theorem 4: sampled counterfactual regrets are
    unbiased; so are the strategy sums.
    """
    tree = tree_of(game)
    profile = random_profile(tree, 1)
    regret, average = sampled(tree, sampling, profile, seed=2)
    expected = exact_regrets(tree, profile)
    players = tree.num_players
    assert_near(regret, np.concatenate([np.zeros(players), expected[players:]]), scale=1.0)
    shares = (
        realisation_plan(tree, profile)[players:]
        * visits(tree, sampling, profile)[tree.sequence_set[players:]]
    )
    assert_near(average, np.concatenate([np.zeros(players), shares]), scale=1.0)


@pytest.mark.parametrize("baseline", ["set", "history", "predictive"])
@pytest.mark.parametrize("sampling", ["external", "outcome"])
@pytest.mark.parametrize("game", ["IIGS(3)", THREE])
def test_baselines_do_not_change_what_is_right_on_average(
    game: str, sampling: str, baseline: str
) -> None:
    """Schmid et al. (2019), Lemma 2; and samples of single plays vary less."""
    tree = tree_of(game)
    profile = random_profile(tree, 1)
    regret, _ = sampled(tree, sampling, profile, seed=2, baseline=baseline)
    assert_near(regret, exact_regrets(tree, profile), scale=1.0)
    if sampling == "outcome" and baseline != "set":
        plain, _ = sampled(tree, sampling, profile, seed=2)
        assert regret[1].sum() < 0.9 * plain[1].sum()


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_regrets_of_three_players_are_right_on_average(sampling: str) -> None:
    tree = tree_of(THREE)
    profile = random_profile(tree, 3)
    regret, _ = sampled(tree, sampling, profile, seed=4)
    expected = exact_regrets(tree, profile)
    assert_near(regret, expected, scale=1.0)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_exploration_does_not_change_what_is_right_on_average(epsilon: float) -> None:
    tree = tree_of("Kuhn")
    profile = uniform_profile(tree)
    total, samples = np.zeros(profile.size), BATCHES * BATCH
    run = MCCFR(tree, "outcome", epsilon=epsilon, seed=5)
    for _ in range(BATCHES):
        run.regret[:] = SCALE * profile
        run._iterate(BATCH)
        total += run.regret - SCALE * profile
    # the payoffs are at most 2 and 1/q at most 6 * 2**3, so a standard error is at most 96 /
    # sqrt(samples); far less, in fact
    assert total / samples == pytest.approx(exact_regrets(tree, profile), abs=0.1)


@pytest.mark.parametrize(
    ("sampling", "traversals"), [("external", 20), ("outcome", 20), ("outcome-parallel", 10)]
)
def test_traversals_are_counted(sampling: str, traversals: int) -> None:
    run = MCCFR(tree_of("Kuhn"), sampling)
    assert run.run(10).method == f"mccfr {sampling}"
    assert run.traversals == traversals


def test_a_game_without_decisions_of_one_player() -> None:
    """Only player 0 chooses, between 1, 3 and 2."""
    tree = tree_of("matrix_game([[1],[3],[2]])")
    for sampling in SAMPLINGS:
        assert MCCFR(tree, sampling).run(2_000).value == pytest.approx(3, abs=0.05)


def test_a_game_of_one_player() -> None:
    """Averages are learned while another player is updated, or all players at once."""
    over = [TERMINAL] * 2
    game = TreeGame([0, *over], [1, 3, 3], [2, 0, 0], [1] * 3, [0, -1, -1], [[0.0], [0.0], [1.0]])
    tree = unroll(game)
    assert MCCFR(tree, "outcome-parallel").run(2_000).value == pytest.approx(1, abs=0.05)
    for sampling in ("external", "outcome"):
        with pytest.raises(GameError, match=r"has one player, .*; use cfr\+ or mccfr-outcome-par"):
            MCCFR(tree, sampling)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda tree: MCCFR(tree, "robust"), "there is no sampling 'robust'; choose one of:"),
        (
            lambda tree: MCCFR(tree, "outcome-parallel", baseline="set"),
            "baseline='set' is not allowed for outcome-parallel",
        ),
        (lambda tree: MCCFR(tree, baseline="best"), "baseline='best' is not allowed; choose one"),
        (lambda tree: MCCFR(tree, baseline="set", rate=2), "rate=2 is not allowed"),
        (lambda tree: MCCFR(tree, epsilon=0), "epsilon=0 is not allowed; exploration must be"),
        (lambda tree: MCCFR(tree, epsilon=1.5), "epsilon=1.5 is not allowed"),
        (lambda tree: MCCFR(tree, epsilon=float("nan")), "epsilon=nan is not allowed"),
        (lambda tree: MCCFR(tree, seed=-1), "seed -1 is not allowed; give an integer of at least"),
    ],
    ids=["sampling", "parallel", "baseline", "rate", "none", "too much", "nan", "seed"],
)
def test_bad_input_is_refused(make: Callable[[GameTree], object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        make(tree_of("Kuhn"))


def test_chance_is_drawn_by_its_probabilities() -> None:
    """A chi-square test with 2 degrees of freedom; 13.8 is passed by one fair draw in a
    thousand.
    """
    rng, probability = (
        new_state(1),
        np.array([9.0, 0.5, 0.125, 0.375]),
    )  # the first is not the children's
    drawn = np.bincount(
        [mccfr._sample_chance(rng, probability, 1, 3) for _ in range(30_000)], minlength=3
    )
    expected = 30_000 * probability[1:]
    assert np.sum((drawn - expected) ** 2 / expected) < 13.8
