"""Bandits: the selection rules of the tree searches on their own, against any sequence of rewards.

Lisy (2014), Section 2.2. In each round a player chooses one of K arms and sees the reward of that
arm, which lies in [0, 1], and nothing of the other arms. *External regret* (Definition 2.2.2) is
how much more the best single arm would have earned. If fixed distributions give the rewards, the
regret of UCB1 grows like log n (Theorem 2.2.5). If an adversary chooses the rewards, only a rule
that randomises can keep the regret small: Exp3 (Theorem 2.2.7, in expectation), Exp3.P (Theorem
2.2.8, with high probability) or regret matching.

A bandit is a `Selector` with one row of numbers. Selectors take payoffs in [-1, 1], so a reward x
becomes the payoff 2 x - 1. For the same reason the constant of UCB1 here is twice sqrt(2), which it
is for rewards in [0, 1].
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.random import RandomState, new_state
from hiddenhand.errors import OptionError
from hiddenhand.search.rules.joint_selectors import FirstUCT
from hiddenhand.search.rules.selectors import UCT, Exp3, Exp3P, RegretMatching

BANDITS: Final = ("ucb1", "exp3", "exp3p", "rm")


class Bandit:
    """A selection rule that chooses among arms. Equal seeds and rewards give equal choices.

    rule: a `Selector` for payoffs in [-1, 1].
    num_arms: K, at least 1.
    seed: what its random numbers are made from, a whole number of at least 0.
    """

    def __init__(self, rule: Any, num_arms: int, seed: int = 0) -> None:
        if num_arms < 1:
            raise OptionError(f"num_arms={num_arms} is not allowed; a bandit has at least 1")
        self.rule = rule
        self.num_arms = num_arms
        self._values = np.zeros(rule.PER_ACTION * num_arms + rule.PER_SET)
        self._sigma = np.ones(num_arms)
        self._rng = new_state(seed)

    def choose(self) -> int:
        """The arm to play next."""
        self._chosen = int(_choose(self.rule, self._values, self.num_arms, self._sigma, self._rng))
        return self._chosen

    def learn(self, reward: float) -> None:
        """Learn the ``reward`` of the arm that was chosen last, in [0, 1]."""
        _learn(
            self.rule,
            self._values,
            self.num_arms,
            self._chosen,
            _verified(np.array([reward]))[0],
            self._sigma,
        )

    def play(self, rewards: Floats) -> "Rounds":
        """Play T rounds at once.

        rewards: ``float64[T, K]`` in [0, 1], of all arms, fixed beforehand.
        """
        rewards = _verified(np.asarray(rewards, np.float64))
        if rewards.ndim != 2 or rewards.shape[1] != self.num_arms:
            raise OptionError(
                f"rewards of shape {rewards.shape} are not allowed; give one row for each round "
                f"and {self.num_arms} columns"
            )
        chosen = np.zeros(rewards.shape[0], np.int64)
        _play(self.rule, self._values, self._sigma, rewards, chosen, self._rng)
        return Rounds(rewards, chosen)

    @property
    def strategy(self) -> Floats:
        """``float64[K]``: for UCB1, how often each arm was played; for the other rules, the mean of
        the distributions that were used, without their exploration.
        """
        first = self.rule.STRATEGY * self.num_arms
        sums = self._values[first : first + self.num_arms]
        return sums / sums.sum() if sums.sum() > 0 else np.full(self.num_arms, 1.0 / self.num_arms)


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
    gamma: float | None = None,
    horizon: float | None = None,
    ties: str = "random",
    seed: int = 0,
) -> Bandit:
    """The bandit called ``name``, one of `BANDITS`. Raises OptionError.

    gamma: exploration of exp3 and rm, 0.1 by default.
    horizon: the number of rounds that exp3p is tuned for, with delta = 1 / K in Theorem 2.2.8;
        100,000 by default.
    ties: "random", or for ucb1 "first", which makes it deterministic.
    """
    if name not in BANDITS:
        raise OptionError(f"there is no bandit {name!r}; choose one of: {', '.join(BANDITS)}")
    if gamma is not None and (name not in ("exp3", "rm") or not 0 < gamma < 1):
        raise OptionError(
            f"gamma={gamma} is not allowed for {name}; it is the exploration of exp3 and rm, above "
            "0 and below 1"
        )
    if horizon is not None and (name != "exp3p" or not 1 <= horizon < math.inf):
        raise OptionError(
            f"horizon={horizon} is not allowed for {name}; it is the number of rounds that exp3p "
            "is tuned for, at least 1"
        )
    if ties not in ("random", "first") or (ties == "first" and name != "ucb1"):
        raise OptionError(
            f"ties={ties!r} is not allowed for {name}; choose random or, for ucb1, first"
        )
    return Bandit(
        _rule(
            name,
            0.1 if gamma is None else float(gamma),
            100_000.0 if horizon is None else float(horizon),
            ties,
        ),
        num_arms,
        seed,
    )


def _rule(name: str, gamma: float, horizon: float, ties: str) -> Any:
    if name == "ucb1":
        return (
            UCT(2.0 * math.sqrt(2.0), random_ties=True)
            if ties == "random"
            else FirstUCT(2.0 * math.sqrt(2.0))
        )
    if name == "exp3p":
        return Exp3P(1.0, horizon)
    return Exp3(1.0, gamma) if name == "exp3" else RegretMatching(1.0, gamma)


def _verified(rewards: Floats) -> Floats:
    outside = ~((rewards >= 0.0) & (rewards <= 1.0))
    if outside.any():
        raise OptionError(
            f"a reward of {rewards[outside][0]} is not allowed; rewards must be from 0 to 1"
        )
    return rewards


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
        rule.update(
            values, 0, n, chosen[t], sigma[chosen[t]], 2.0 * rewards[t, chosen[t]] - 1.0, sigma
        )
