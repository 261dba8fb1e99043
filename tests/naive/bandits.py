"""Bandits: the selection rules of the tree searches on their own, against any sequence of rewards.

Lisy (2014), Section 2.2. In each round a player chooses one of K arms and sees the reward of that
arm, which lies in [0, 1], and nothing of the other arms. *External regret* (Definition 2.2.2) is
how much more the best single arm would have earned.

A bandit is a `Selector` with one row of numbers. Selectors take payoffs in [-1, 1], so a reward x
becomes the payoff 2 x - 1. For the same reason the constant of UCB1 here is twice sqrt(2), which it
is for rewards in [0, 1].
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, new_state
from hiddenhand.search.selection.joint_selectors import FirstUCT
from hiddenhand.search.selection.selectors import UCT, Exp3, Exp3P, RegretMatching

BANDITS: Final = ("ucb1", "exp3", "exp3p", "rm")


class Bandit:
    """A selection rule that chooses among arms. Equal seeds and rewards give equal choices.

    rule: a `Selector` for payoffs in [-1, 1].
    """

    def __init__(self, rule: Any, num_arms: int, seed: int = 0) -> None:
        self.rule = rule
        self._values = np.zeros(rule.PER_ACTION * num_arms + rule.PER_SET)
        self._sigma = np.ones(num_arms)
        self._rng = new_state(seed)

    def choose(self) -> int:
        """The arm to play next."""
        num_arms = self._sigma.size
        self._chosen = int(_choose(self.rule, self._values, num_arms, self._sigma, self._rng))
        return self._chosen

    def learn(self, reward: float) -> None:
        """Learn the reward of the arm that was chosen last."""
        chosen, sigma = self._chosen, self._sigma
        _learn(self.rule, self._values, sigma.size, chosen, reward, sigma)

    def play(self, rewards: Floats) -> "Rounds":
        """Play T rounds, with ``float64[T, K]`` rewards of all arms, at once."""
        chosen = np.zeros(rewards.shape[0], np.int64)
        _play(self.rule, self._values, self._sigma, rewards, chosen, self._rng)
        return Rounds(rewards, chosen)

    @property
    def strategy(self) -> Floats:
        """``float64[K]``: for UCB1, how often each arm was played; for the other rules, the mean of
        the distributions that were used, without their exploration.
        """
        num_arms = self._sigma.size
        sums = self._values[self.rule.STRATEGY * num_arms :][:num_arms]
        return sums / sums.sum() if sums.sum() > 0 else np.full(num_arms, 1.0 / num_arms)


@dataclass(frozen=True, eq=False)
class Rounds:
    """T rounds that were played.

    rewards: ``float64[T, K]``, of all arms, in [0, 1].
    chosen: ``int64[T]``, the arm that was played in each round.
    """

    rewards: Floats
    chosen: Integers

    @property
    def earned(self) -> float:
        """The sum of the rewards of the chosen arms."""
        return float(self.rewards[np.arange(self.chosen.size), self.chosen].sum())

    @property
    def external_regret(self) -> float:
        """R_n of Definition 2.2.2."""
        return float(self.rewards.sum(axis=0).max()) - self.earned


def make_bandit(
    name: str,
    num_arms: int,
    *,
    gamma: float = 0.1,
    horizon: float = 100_000.0,
    ties: str = "random",
    seed: int = 0,
) -> Bandit:
    """One of `BANDITS`.

    gamma: exploration of exp3 and rm.
    horizon: the rounds that exp3p is tuned for, with delta = 1 / K in Theorem 2.2.8.
    ties: of ucb1, "random" or "first".
    """
    c = 2.0 * math.sqrt(2.0)
    rules = {
        "ucb1": UCT(c, random_ties=True) if ties == "random" else FirstUCT(c),
        "exp3": Exp3(1.0, gamma),
        "exp3p": Exp3P(1.0, horizon),
        "rm": RegretMatching(1.0, gamma),
    }
    return Bandit(rules[name], num_arms, seed)


@kernel
def _choose(rule: Any, values: Floats, n: int, sigma: Floats, rng: RandomState) -> int:
    return rule.select(values, 0, n, sigma, rng)


@kernel
def _learn(rule: Any, values: Floats, n: int, chosen: int, reward: float, sigma: Floats) -> None:
    rule.update(values, 0, n, chosen, sigma[chosen], 2.0 * reward - 1.0, sigma)


@kernel
def _play(
    rule: Any, values: Floats, sigma: Floats, rewards: Floats, chosen: Integers, rng: RandomState
) -> None:
    n = rewards.shape[1]
    for t in range(chosen.size):
        chosen[t] = rule.select(values, 0, n, sigma, rng)
        reward = rewards[t, chosen[t]]
        rule.update(values, 0, n, chosen[t], sigma[chosen[t]], 2.0 * reward - 1.0, sigma)
