"""Regret matching and sampling from it: the few lines that all regret-minimising searches share."""

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.kernels import inline
from hiddenhand.compiled.random import State, uniform

Floats = npt.NDArray[np.float64]


@inline
def match_regrets(regret: Floats, start: int, n: int, gamma: float, sigma: Floats) -> None:
    """Write into ``sigma[:n]`` the strategy proportional to the positive part of ``regret[start:start + n]``, mixed with ``gamma`` uniform.

    Hart and Mas-Colell (2000); uniform where no regret is positive.
    """
    total = 0.0
    for a in range(n):
        total += max(regret[start + a], 0.0)
    uniform_part = gamma / n if total > 0.0 else 1.0 / n
    scale = (1.0 - gamma) / total if total > 0.0 else 0.0
    for a in range(n):
        sigma[a] = uniform_part + max(regret[start + a], 0.0) * scale


@inline
def sample_exploring(rng: State, sigma: Floats, n: int, epsilon: float) -> int:
    """An action drawn from ``epsilon`` uniform plus 1 - ``epsilon`` times ``sigma[:n]``; never one of probability 0."""
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
