"""How sure is a figure that is not a mean over seeds, such as `nash_conv` of the strategy that all seeds have together?

The jackknife of Quenouille (1949) and Tukey (1958): see how the figure changes when one seed at a time is left out.
"""

import math
from collections.abc import Sequence

from hiddenhand.errors import BudgetError
from hiddenhand.players.statistics import Interval


def jackknife_interval(value: float, without: Sequence[float]) -> Interval:
    """``value``, a figure from n seeds, with its 95 % interval by Student's t; ``without``: the same figure without each one of them.

    The ends are infinite where there is one seed.
    """
    n = len(without)
    if n < 1:
        raise BudgetError("there is nothing to leave out; give at least one seed")
    if n == 1:
        return Interval(value, -math.inf, math.inf)
    from scipy.special import stdtrit

    mean = math.fsum(without) / n
    variance = (n - 1) / n * math.fsum((other - mean) ** 2 for other in without)
    half = float(stdtrit(n - 1, 0.975)) * math.sqrt(variance)
    return Interval(value, value - half, value + half)
