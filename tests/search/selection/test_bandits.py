"""Bandits: regret stays below the bounds of Section 2.2 of Lisy (2014), on rewards that are drawn
and on rewards that are chosen to hurt.
"""

import math

import numpy as np
import numpy.typing as npt
import pytest
from naive.bandits import BANDITS, Bandit, Rounds, make_bandit

from hiddenhand.search.selection.joint_selectors import Exploring
from hiddenhand.search.selection.selectors import RegretMatching

Floats = npt.NDArray[np.float64]
SEEDS = range(20)


def drawn(means: list[float], rounds: int, seed: int) -> Floats:
    """Rewards of 0 or 1."""
    return (np.random.default_rng(seed).random((rounds, len(means))) < means).astype(np.float64)


def switching(rounds: int) -> Floats:
    """The first of three arms pays for a third of the time, then the second for the rest; the third
    pays a little all along.
    """
    rewards = np.zeros((rounds, 3))
    rewards[: rounds // 3, 0] = 1.0
    rewards[rounds // 3 :, 1] = 1.0
    rewards[:, 2] = 0.3
    return rewards


def against_ucb1(rounds: int, num_arms: int) -> Floats:
    """Section 2.2.2: nothing for the arm that UCB1 plays, 1 for all others. Never paid, it plays
    all in turn.
    """
    rewards = np.ones((rounds, num_arms))
    rewards[np.arange(rounds), np.arange(rounds) % num_arms] = 0.0
    return rewards


def stochastic_bound(means: list[float], rounds: int) -> float:
    """Theorem 2.2.5."""
    gaps = max(means) - np.array(means)
    return float(8 * (math.log(rounds) / gaps[gaps > 0]).sum() + (1 + math.pi**2 / 3) * gaps.sum())


def exp3_bound(rounds: int, num_arms: int, gamma: float) -> float:
    """Theorem 2.2.7."""
    return (math.e - 1) * gamma * rounds + num_arms * math.log(num_arms) / gamma


def exp3p_bound(rounds: int, num_arms: int, delta: float) -> float:
    """Theorem 2.2.8."""
    return 5.15 * math.sqrt(rounds * num_arms * math.log(num_arms / delta))


@pytest.mark.parametrize("means", [[0.9, 0.8], [0.1, 0.5, 0.45, 0.2], [0.5, 0.55]])
@pytest.mark.parametrize("rounds", [100, 1_000, 20_000])
def test_ucb1_stays_below_its_bound(means: list[float], rounds: int) -> None:
    """Pseudo-regret, the mean over seeds of what the best arm is better on average; it is far below
    that of choosing at random.
    """
    gaps = max(means) - np.array(means)
    regret = np.mean(
        [
            gaps[
                make_bandit("ucb1", len(means), seed=seed).play(drawn(means, rounds, seed)).chosen
            ].sum()
            for seed in SEEDS
        ]
    )
    assert regret <= stochastic_bound(means, rounds)
    if rounds == 20_000:
        assert regret < 0.3 * gaps.mean() * rounds


@pytest.mark.parametrize("num_arms", [2, 3])
def test_the_adversary_of_a_deterministic_rule(num_arms: int) -> None:
    """UCB1 earns nothing, and its regret is at least (K - 1) / K n. Rules that randomise are not
    caught, each within its bound.
    """
    rounds = 6_000
    rewards = against_ucb1(rounds, num_arms)
    caught = make_bandit("ucb1", num_arms, ties="first").play(rewards)
    assert caught.earned == 0.0
    assert caught.external_regret >= (num_arms - 1) / num_arms * rounds - 1
    gamma = math.sqrt(num_arms * math.log(num_arms) / ((math.e - 1) * rounds))
    exp3 = [
        make_bandit("exp3", num_arms, gamma=gamma, seed=seed).play(rewards).external_regret
        for seed in SEEDS
    ]
    assert np.mean(exp3) <= exp3_bound(rounds, num_arms, gamma) < 0.1 * rounds
    for seed in SEEDS:
        assert (
            make_bandit("rm", num_arms, gamma=0.02, seed=seed).play(rewards).external_regret
            < 0.1 * rounds
        )


@pytest.mark.parametrize("gamma", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("kind", ["switching", "drawn"])
def test_exp3_stays_below_its_bound(kind: str, gamma: float) -> None:
    """Expected regret, as the mean over seeds, against rewards fixed in advance."""
    rounds = 10_000
    regrets = []
    for seed in SEEDS:
        rewards = switching(rounds) if kind == "switching" else drawn([0.5, 0.6, 0.4], rounds, seed)
        regrets.append(make_bandit("exp3", 3, gamma=gamma, seed=seed).play(rewards).external_regret)
    assert np.mean(regrets) <= exp3_bound(rounds, 3, gamma)


@pytest.mark.parametrize("num_arms", [2, 10])
def test_exp3p_stays_below_its_bound_with_high_probability(num_arms: int) -> None:
    """With probability 1 - delta; the rule takes delta = 1 / K. Against drawn and against chosen
    rewards.
    """
    rounds = 10_000
    bound = exp3p_bound(rounds, num_arms, 1.0 / num_arms)
    assert bound < 0.5 * rounds
    for kind in ("drawn", "chosen"):
        broken = 0
        for seed in SEEDS:
            means = [0.9, *[0.1] * (num_arms - 1)]
            rewards = (
                drawn(means, rounds, seed) if kind == "drawn" else against_ucb1(rounds, num_arms)
            )
            broken += (
                make_bandit("exp3p", num_arms, horizon=rounds, seed=seed)
                .play(rewards)
                .external_regret
                > bound
            )
        assert broken <= len(SEEDS) / num_arms


def test_regret_matching_has_little_regret_a_round() -> None:
    """No bound for finitely many rounds is known where other arms' rewards are not told: it falls,
    to what the exploration costs.
    """
    means = [0.5, 0.7, 0.4]
    short, long = (
        np.mean(
            [
                make_bandit("rm", 3, gamma=0.05, seed=s).play(drawn(means, n, s)).external_regret
                / n
                for s in SEEDS
            ]
        )
        for n in (200, 20_000)
    )
    assert long < short / 2
    assert long < 0.03


@pytest.mark.parametrize("name", ["exp3", "rm"])
def test_an_adversary_who_watches(name: str) -> None:
    """Who is not oblivious: of two arms, the one that the strategy prefers so far pays nothing, the
    other 1.
    """
    rounds = 2_000
    bandit = make_bandit(name, 2, seed=3)
    rewards, chosen = np.zeros((rounds, 2)), np.zeros(rounds, np.int64)
    for t in range(rounds):
        rewards[t, int(np.argmin(bandit.strategy))] = 1.0
        chosen[t] = bandit.choose()
        bandit.learn(rewards[t, chosen[t]])
    assert Rounds(rewards, chosen).external_regret < 0.1 * rounds


@pytest.mark.parametrize("name", BANDITS)
def test_round_by_round_is_the_same_as_all_at_once(name: str) -> None:
    rewards = drawn([0.2, 0.7, 0.5], 300, 1)
    one, other = (make_bandit(name, 3, seed=5) for _ in range(2))
    chosen = []
    for row in rewards:
        chosen.append(one.choose())
        one.learn(row[chosen[-1]])
    assert other.play(rewards).chosen.tolist() == chosen
    np.testing.assert_array_equal(one.strategy, other.strategy)
    assert one.strategy.sum() == pytest.approx(1.0)


def test_guaranteed_exploration_teaches_nothing() -> None:
    """Definition 3.1.2: about epsilon of all rounds are uniform, and the rule's own numbers know
    only of the others.
    """
    rounds, epsilon = 20_000, 0.3
    rewards = np.tile([1.0, 0.0], (rounds, 1))
    bandit = Bandit(Exploring(RegretMatching(1.0, 0.01), epsilon), 2, seed=1)
    played = bandit.play(rewards)
    assert np.mean(played.chosen == 1) == pytest.approx(
        epsilon / 2 + (1 - epsilon) * 0.005, abs=0.015
    )
    sums = bandit._values[2:4]
    assert sums.sum() / rounds == pytest.approx(1 - epsilon, abs=0.015)
    assert bandit.strategy[0] > 0.99
