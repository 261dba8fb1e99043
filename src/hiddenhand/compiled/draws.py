"""From regrets or gains to a strategy: the few lines that all searches that learn by them share."""

import math

from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.kernels import inline
from hiddenhand.compiled.random import RandomState, uniform
from hiddenhand.compiled.views import view


@inline
def match_regrets(regret: Floats, start: int, n: int, gamma: float, sigma: Floats) -> None:
    """Write into ``sigma[:n]`` the strategy proportional to the positive part of
    ``regret[start:start + n]``, mixed with ``gamma`` uniform.

    Hart and Mas-Colell (2000); uniform where no regret is positive.
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
def sample_exploring(rng: RandomState, sigma: Floats, n: int, epsilon: float) -> int:
    """An action drawn from ``epsilon`` uniform plus 1 - ``epsilon`` times ``sigma[:n]``; never one
    of probability 0.
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
def match_exponentials(
    gains: Floats, start: int, n: int, eta: float, gamma: float, sigma: Floats
) -> None:
    """Write into ``sigma[:n]`` the strategy proportional to exp(eta G) of the gains G, mixed with
    ``gamma`` uniform.

    In the form 1 / sum_k exp(eta (G_k - G_i)), which does not overflow to undefined values.
    """
    for a in range(n):
        total = 0.0
        for b in range(n):
            total += math.exp(min(eta * (gains[start + b] - gains[start + a]), 700.0))
        sigma[a] = (1.0 - gamma) / total + gamma / n
