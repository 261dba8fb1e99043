"""Selection in self-play: UCB and Smooth UCB, and how much they explore.

Heinrich and Silver (2015), "Smooth UCT search in computer poker". Letters:

N, N(a)   visits of an information set, and of its action a
Q(a)      the mean payoff after action a
c         how much UCB explores, in payoffs
eta_k     the probability of UCB at a visit of Smooth UCB, Eq. 2
C, k      the constants of an exploration that follows the betting, Eq. 3

A row of the table holds the visits N(a) and the sums of payoffs N(a) Q(a). The paper keeps Q
itself; sums of payoffs in whole chips are exact.
"""

import math
from dataclasses import dataclass
from typing import Any, Protocol

from hiddenhand.games.base import State
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.random import RandomState, uniform
from hiddenhand.search.selection.selectors import UCT


@dataclass(frozen=True)
class UCB(UCT):
    """Eq. 1: maximise Q(a) + c sqrt(log N / N(a)). Ties go to any of the tied actions. An action
    never tried has an infinite bound.
    """

    random_ties: bool = True

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        return self.choose(values, row, n, self.exploration, sigma, rng)

    def choose(
        self, values: Floats, row: int, n: int, c: float, sigma: Floats, rng: RandomState
    ) -> int:
        """The index of the action to try, with an exploration of ``c``."""
        return self.best_bound(values, row, n, c, sigma, rng)


@dataclass(frozen=True)
class SmoothUCB(UCB):
    """Algorithm 2: with probability eta_k = max(gamma, eta / (1 + d sqrt(N))) UCB, else an action
    drawn from the average strategy N(a) / N.

    gamma: the least probability of UCB, from 0 to 1.
    eta: the probability of UCB at first, from 0 to 1.
    decay: d, how fast that probability falls with the visits, at least 0.
    """

    gamma: float = 0.1
    eta: float = 0.9
    decay: float = 0.002

    def choose(
        self, values: Floats, row: int, n: int, c: float, sigma: Floats, rng: RandomState
    ) -> int:
        visits = 0.0
        for a in range(n):
            visits += values[row + a]
        z = uniform(rng)
        slowed = 1.0 + self.decay * math.sqrt(visits * self.streams)
        if visits == 0.0 or z < self.gamma or z * slowed < self.eta:
            return self.best_bound(values, row, n, c, sigma, rng)
        return self._average(values, row, n, uniform(rng) * visits)

    def _average(self, values: Floats, row: int, n: int, r: float) -> int:
        """The action on whose visits ``r`` falls when the visits of all are laid end to end."""
        chosen = 0
        for a in range(n):
            if values[row + a] > 0.0:
                chosen = a
                if r < values[row + a]:
                    break
                r -= values[row + a]
        return chosen


# --- how much is explored ---


class Bounded(Protocol):
    """A game that says how much there is to explore about."""

    def exploration_bound(self, state: State, share: float) -> float:
        """What the pot held when the present betting round began, and ``share`` of what could still
        have been added to it then. It is compiled into searches.
        """


@dataclass(frozen=True)
class Constant(Compiled):
    """The same exploration everywhere.

    c: the exploration, in payoffs.
    """

    c: float

    def exploration(self, game: Any, state: State) -> float:
        """c, wherever the game is."""
        return self.c


@dataclass(frozen=True)
class ByPot(Compiled):
    """Eq. 3: c = min(C, pot + k * remaining betting potential), for a game that is `Bounded`.

    c: C, the most exploration, in payoffs.
    share: k, from 0 to 1.
    """

    whole = True

    c: float
    share: float

    def exploration(self, game: Any, state: State) -> float:
        """c in the present betting round."""
        return min(self.c, game.exploration_bound(state, self.share))
