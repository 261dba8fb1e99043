"""How far the strategy of a search at one information set may be trusted.

A search reports a strategy from its first iteration on. Two figures tell whether its numbers mean
anything yet: the number of its samples in this information set, and the *drift*. The drift is the
largest change of a probability during the last third of the time. Both are evidence, and no proof:
a strategy that stands still may still be far from an equilibrium.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from hiddenhand.jit.arrays import Floats
from hiddenhand.web.views import Plain

_PART: Final = 1.0 / 3.0  # of the time so far, in which the drift is measured
_STEADY: Final = 2  # percentage points: a strategy that drifts less stands still
_ENOUGH: Final = 10  # samples for each action
_REPORTS: Final = 3  # in the last part of the time, from which a drift means something
EXACT: Final[Plain] = {"level": "exact"}
"""The mark of an exact equilibrium."""
UNKNOWN: Final[Plain] = {"level": "unknown"}
"""The mark of a bot that answers once, and tells nothing about its certainty."""


class Course:
    """The strategies of a search at one information set so far, from which the drift follows; or
    its beliefs.
    """

    def __init__(self) -> None:
        self._times = list[float]()
        self._policies = list[Floats]()

    def note(self, seconds: float, policy: Sequence[float] | Floats) -> None:
        """Add the strategy after so many seconds of thinking, and forget those that are too old."""
        self._times.append(seconds)
        self._policies.append(np.asarray(policy, float))
        old = sum(time < (1.0 - _PART) * seconds for time in self._times)
        del self._times[:old], self._policies[:old]

    def drift(self) -> float | None:
        """The largest difference between the present probability of an action and an earlier one
        of the last third of the time, from 0 to 1. None where too few strategies were noted.
        """
        gaps = self._gaps()
        return None if gaps is None else float(gaps.max())

    def moved(self) -> float | None:
        """The largest share of the probability that lay elsewhere in the last third of the time,
        from 0 to 1: the total variation distance. It suits distributions over many things.
        """
        gaps = self._gaps()
        return None if gaps is None else float(gaps.sum(axis=1).max()) / 2.0

    def _gaps(self) -> Floats | None:
        """``float64[T, n]``: how far each late distribution was from the present one."""
        if len(self._policies) < _REPORTS:
            return None
        return np.abs(np.array(self._policies) - self._policies[-1])

    def mark(self, samples: float | None) -> Plain:
        """The mark of confidence now, after at least one strategy.

        samples: the number of samples of the strategy in this information set; None where the
            search does not count them.

        The levels of a mark:

        few         there are too few samples; ``visits`` is their number
        begun       it is too early to tell
        moving      the strategy changes by up to ``points`` percentage points
        steady      it changes by less than that
        """
        visits: Plain = {} if samples is None else {"visits": round(samples)}
        if samples is not None and samples < _ENOUGH * self._policies[-1].size:
            return {"level": "few", **visits}
        drift = self.drift()
        if drift is None:
            return {"level": "begun", **visits}
        points = math.ceil(100 * drift - 1e-9)
        return {"level": "steady" if points <= _STEADY else "moving", "points": points, **visits}
