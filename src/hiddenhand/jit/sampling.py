"""What searches share: from regrets or gains to a strategy, and from a strategy to an action."""

import math
from collections.abc import Sequence

from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.kernels import inline
from hiddenhand.jit.random import RandomState, uniform
from hiddenhand.jit.views import view


@inline
def match_regrets(regret: Floats, start: int, n: int, gamma: float, sigma: Floats) -> None:
    """Regret matching (Hart and Mas-Colell 2000): write a strategy into ``sigma[:n]``.

    regret: the regrets of the n actions are ``regret[start : start + n]``. The strategy is
        proportional to their positive parts, and uniform if none is positive.
    gamma: the share of uniform play that is mixed into the strategy, from 0 to 1.
    """
    own = view(regret, start, n)
    total = 0.0
    for a in range(n):
        total += max(own[a], 0.0)
    if total > 0.0:
        floor = gamma / n
        scale = (1.0 - gamma) / total
        for a in range(n):
            sigma[a] = floor + max(own[a], 0.0) * scale
    else:
        for a in range(n):
            sigma[a] = 1.0 / n


@inline
def match_exponentials(
    gains: Floats, start: int, n: int, eta: float, gamma: float, sigma: Floats
) -> None:
    """Exponential weights: write a strategy into ``sigma[:n]``. The largest gain is subtracted from
    all gains first, so that no weight overflows and the largest one is 1.

    gains: the gains G of the n actions are ``gains[start : start + n]``. The strategy is
        proportional to exp(eta G).
    eta: the learning rate.
    gamma: the share of uniform play that is mixed into the strategy, from 0 to 1.
    """
    largest = gains[start]
    for a in range(1, n):
        largest = max(largest, gains[start + a])
    total = 0.0
    for a in range(n):
        sigma[a] = math.exp(eta * (gains[start + a] - largest))
        total += sigma[a]
    floor = gamma / n
    scale = (1.0 - gamma) / total
    for a in range(n):
        sigma[a] = floor + sigma[a] * scale


@inline
def sample(state: RandomState, probabilities: Floats, n: int) -> int:
    """An index in 0..n-1 drawn from ``probabilities[:n]``, which sum to 1. An index of probability
    0 is never drawn.
    """
    r = uniform(state)
    chosen = 0
    for index in range(n):
        p = probabilities[index]
        if p > 0.0:
            chosen = index
            if r < p:
                break
            r -= p
    return chosen


@inline
def sample_exploring(rng: RandomState, sigma: Floats, n: int, epsilon: float) -> int:
    """The index of an action, drawn uniformly with probability ``epsilon``, else from
    ``sigma[:n]``. An action of probability 0 is never drawn.
    """
    floor = epsilon / n
    r = uniform(rng)
    chosen = 0
    for a in range(n):
        p = floor + (1.0 - epsilon) * sigma[a]
        if p > 0.0:
            chosen = a
            if r < p:
                break
            r -= p
    return chosen


@inline
def search_cumulative(cumulative: Floats, r: float) -> int:
    """The first index whose ``cumulative`` probability exceeds ``r``, found by binary search; the
    last index if none does.

    cumulative: ``float64[K]``, the sums of the probabilities up to each index, in ascending order.
    r: uniform in [0, 1) to draw an index in proportion to the probabilities.
    """
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > r:
            high = middle
        else:
            low = middle + 1
    return low


def draw(probabilities: Sequence[float], at: float) -> int:
    """An index drawn from ``probabilities``, in plain Python: the one on which ``at`` falls when
    they are laid end to end. It is never an index of probability 0.

    at: a random number, uniform in [0, 1).
    """
    chosen = 0
    for index, p in enumerate(probabilities):
        if p > 0.0:
            chosen = index
            if at < p:
                break
            at -= p
    return chosen
