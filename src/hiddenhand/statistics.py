"""How sure a figure is: means, win rates and other figures with intervals that contain the true
figure in 95 of 100 runs.

Sources: Student (1908), "The probable error of a mean", for means; Wilson (1927), "Probable
inference, the law of succession, and statistical inference", for win rates. There a draw counts as
half a win and half a loss. With draws the intervals are then too wide, but never too narrow. The
jackknife of Quenouille (1949) and Tukey (1958) is for figures that are no means, such as
`nash_conv` of the strategy that all seeds have together. It looks at how the figure changes when
one seed at a time is left out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hiddenhand.errors import OptionError

_NORMAL: Final = 1.959963984540054  # the 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Interval:
    """An estimate, and the 95 % confidence interval around it.

    value: the estimate.
    low: the lower end of the interval; minus infinity where there was only one observation.
    high: the upper end; infinity where there was only one observation.
    """

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """The distance between the two ends."""
        return self.high - self.low


def mean_interval(values: Sequence[float]) -> Interval:
    """The mean of ``values``, of which there is at least one, with Student's interval."""
    n = _verified_count(len(values))
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, -math.inf, math.inf)
    from scipy.special import stdtrit

    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = float(stdtrit(n - 1, 0.975)) * math.sqrt(variance / n)
    return Interval(mean, mean - half, mean + half)


def wilson_interval(wins: float, n: int) -> Interval:
    """The rate of ``wins`` in ``n`` matches, with Wilson's interval. A draw is half a win."""
    _verified_count(n)
    if not 0 <= wins <= n:
        raise OptionError(
            f"{wins} wins in {n} matches are not possible; give a number from 0 to {n}"
        )
    rate, z = wins / n, _NORMAL
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return Interval(rate, max(0.0, centre - half), min(1.0, centre + half))


def jackknife_interval(value: float, without: Sequence[float]) -> Interval:
    """A figure that n seeds have together, with its 95 % interval by Student's t.

    value: the figure, from all seeds.
    without: the same figure n times, each time with another of the seeds left out. For one seed the
        ends of the interval are infinite.
    """
    n = len(without)
    if n < 1:
        raise OptionError("there is nothing to leave out; give at least one seed")
    if n == 1:
        return Interval(value, -math.inf, math.inf)
    from scipy.special import stdtrit

    mean = math.fsum(without) / n
    variance = (n - 1) / n * math.fsum((other - mean) ** 2 for other in without)
    half = float(stdtrit(n - 1, 0.975)) * math.sqrt(variance)
    return Interval(value, value - half, value + half)


def win_points(own: float, other: float) -> float:
    """1 if the ``own`` payoff is larger than the ``other`` player's, 1/2 if both are equal, 0 if it
    is smaller.
    """
    return 1.0 if own > other else 0.5 if own == other else 0.0


def win_rate(payoffs: Sequence[tuple[float, float]]) -> Interval:
    """The win rate in some matches.

    payoffs: for each match the own payoff, and the other player's.
    """
    return wilson_interval(sum(win_points(own, other) for own, other in payoffs), len(payoffs))


def against_value(payoff: Interval, value: float) -> Interval:
    """How far a mean payoff lies above the ``value`` of the game for the same seat."""
    return Interval(payoff.value - value, payoff.low - value, payoff.high - value)


def _verified_count(n: int) -> int:
    if n < 1:
        raise OptionError("there is nothing to average; play at least one match")
    return n
