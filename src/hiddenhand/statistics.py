"""Means, win rates and other figures with intervals that contain the true figure in 95 of 100 runs.

Sources: Student (1908), "The probable error of a mean", for means; Wilson (1927), "Probable
inference, the law of succession, and statistical inference", for win rates. There a draw counts as
half a win and half a loss. With draws, the intervals are too wide, but never too narrow. The
jackknife of Quenouille (1949) and Tukey (1958) is for figures that are no means, such as
`nash_conv` of the strategy that all seeds have together. It measures how the figure changes when
one seed at a time is left out.

No interval reaches beyond what is possible. `mean_interval` cuts its ends at bounds that are given.
`bounded_interval` is for the payoffs of matches, which are few different numbers between two
bounds. It also allows for outcomes that were never seen, as Wilson's interval does. It is the
empirical likelihood of Owen (1988), "Empirical likelihood ratio confidence intervals for a
single functional", Biometrika 75(2), over all distributions between the bounds: Cappe, Garivier,
Maillard, Munos and Stoltz (2013), "Kullback-Leibler upper confidence bounds for optimal sequential
allocation", Annals of Statistics 41(3). For few observations it is calibrated by Student's t.

These intervals are for a number of observations that is fixed beforehand. If you stop as soon as an
interval shows a difference, you are wrong more often than in 5 of 100 runs. `ConfidenceSequence` is
right at all times at once. If you make many intervals and pick those that show a difference, you
are wrong more often, too. Intervals that are made inside of `jointly` are all right at once.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from hiddenhand.errors import OptionError

_NORMAL: Final = 1.959963984540054  # the 97.5 % quantile of the normal distribution
_TAIL: Final = 0.025  # how often the true figure lies below an interval, and above it
SHARES: Final = (0.95, *(2.0 ** (-g / 2) for g in range(1, 16)))
"""Stakes of the bets, as fractions of the largest stake that is possible."""
WEIGHTS: Final = tuple(0.8**g / sum(0.8**k for k in range(16)) for g in range(16))
"""The part of the capital that is bet with each of `SHARES`."""
_MOST_PLACES: Final = 6  # decimal places of a number; smaller ones are written with an exponent
_NOTHING: Final = 1e-12  # a smaller number is an error of rounding
_SQUARES: Final = 1e150  # a larger number has a square that may be beyond floating point
_HALVINGS: Final = 60  # steps of a search for the end of an interval
_MANY: Final = 300  # degrees of freedom from which on a series is exact
_STAKES: Final = (-30.0, 60.0)  # logarithms of the least and the largest ratio of a bet to the rest


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

    def within(self, low: float, high: float) -> "Interval":
        """Return the interval without what lies below ``low`` and above ``high``. These are bounds
        of the true figure, so that the interval contains it as often as before.
        """
        return Interval(self.value, max(self.low, low), min(self.high, high))

    def __format__(self, spec: str) -> str:
        """Return the estimate and the interval: ``1.25 ± 0.31`` where the estimate is in its
        middle, else ``1.25 (0.9 to 2.1)``. Only the estimate where an end is infinite, or where
        both ends are equal to it.

        spec: the format of all numbers, such as ``.1%``; by default, half of the interval's width
            has two significant digits, and other numbers have as many decimal places.
        """
        half = self.width / 2
        if not _NOTHING * max(1.0, abs(self.value)) < half < math.inf:
            return _written(self.value, spec or ".6g")
        places = 1 - math.floor(math.log10(half))

        def write(number: float) -> str:
            return _written(number, spec) if spec else _to_places(number, places)

        above, below = write(self.high - self.value), write(self.value - self.low)
        if above == below:
            return f"{write(self.value)} ± {above}"
        return f"{write(self.value)} ({write(self.low)} to {write(self.high)})"


@dataclass
class Joint:
    """Intervals that are made in one block of `jointly`.

    count: the number of intervals that all contain their true figures at once, in 95 of 100 runs.
    made: the number of intervals made so far.
    """

    count: int = 1
    made: int = 0

    @property
    def tail(self) -> float:
        """The probability that the true figure lies below an interval, and that it lies above it
        (Bonferroni 1936).
        """
        return _TAIL / self.count

    @property
    def stretch(self) -> float:
        """The width of an interval by the normal distribution, as a multiple of a single one's."""
        return _normal(self.tail) / _NORMAL


_JOINT: ContextVar[Joint | None] = ContextVar("intervals that hold at once", default=None)


@contextmanager
def jointly(count: int = 1) -> Iterator[Joint]:
    """Make intervals wider in the block of the ``with`` statement: ``count`` intervals of means and
    win rates all contain their true figures at once, in 95 of 100 runs. Intervals may depend on
    each other in any way. Yields a `Joint`, which counts them.
    """
    token = _JOINT.set(joint := Joint(count))
    try:
        yield joint
    finally:
        _JOINT.reset(token)


def _tail() -> float:
    """Return the probability that the true figure lies below the interval that is made now, and
    that it lies above it. Counts the interval.
    """
    joint = _JOINT.get()
    if joint is None:
        return _TAIL
    joint.made += 1
    return joint.tail


def _normal(tail: float) -> float:
    """Return the upper ``tail`` quantile of the normal distribution."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf(tail)


@lru_cache(maxsize=1024)
def _student(n: int, tail: float) -> float:
    """Return the upper ``tail`` quantile of Student's t with n - 1 degrees of freedom.

    scipy has it, too. But every match needs it, and the import of scipy.special takes a tenth of a
    second.

    Source: Abramowitz and Stegun (1964), "Handbook of mathematical functions", 26.7.3 to 26.7.5.
    """
    freedom = n - 1
    if freedom < _MANY:
        return _student_of_few(freedom, tail)
    z = _normal(tail)
    q, f = z * z, 1.0 / freedom
    terms = (
        (q + 1) / 4,
        ((5 * q + 16) * q + 3) / 96,
        (((3 * q + 19) * q + 17) * q - 15) / 384,
        ((((79 * q + 776) * q + 1482) * q - 1920) * q - 945) / 92160,
    )
    return z * (1.0 + f * (terms[0] + f * (terms[1] + f * (terms[2] + f * terms[3]))))


def _student_of_few(freedom: int, tail: float) -> float:
    """Return the same by halving a range of the angle whose tangent is t / sqrt(freedom)."""
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _within(freedom, middle) < 1.0 - 2.0 * tail:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(high)


def _within(freedom: int, angle: float) -> float:
    """Return the probability that t lies between minus and plus sqrt(freedom) tan(angle)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    is_odd = freedom % 2 == 1
    term = cosine if is_odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if is_odd else 2, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2.0 / math.pi * (angle + sine * total) if is_odd else sine * total


def mean_interval(
    values: Sequence[float], low: float = -math.inf, high: float = math.inf
) -> Interval:
    """Return the mean of ``values``, which are one or more, with Student's interval.

    low, high: bounds of the true mean, at which the interval ends. The ends are infinite if there
        is only one value.
    """
    n = _verified_count(len(values))
    largest = max(map(abs, values))
    if _SQUARES < largest < math.inf:
        found = mean_interval([value / largest for value in values])
        return Interval(*(largest * end for end in (found.value, found.low, found.high))).within(
            low, high
        )
    mean, tail = math.fsum(values) / n, _tail()
    if n == 1:
        return Interval(mean, -math.inf, math.inf)
    variance = math.fsum((value - mean) ** 2 for value in values) / (n - 1)
    half = _student(n, tail) * math.sqrt(variance / n)
    return Interval(mean, mean - half, mean + half).within(low, high)


def bounded_interval(values: Sequence[float], low: float, high: float) -> Interval:
    """Return the mean of ``values``, which are one or more, with its interval by empirical
    likelihood, which lies between the bounds.

    The interval has the means m of distributions between the bounds under which the observations
    are not much less likely than under the best distribution. The logarithm of that ratio is at
    most t^2 / 2, with t the quantile of Student's distribution. A single observation says nothing.

    low, high: the least and the largest possible value; extended to contain all ``values``. If one
        of them is infinite, the interval is that of `mean_interval`.
    """
    import numpy as np

    n = _verified_count(len(values))
    low, high = min(low, *values), max(high, *values)
    if not math.isfinite(high - low):
        return mean_interval(values, low, high)
    tail = _tail()
    mean = math.fsum(values) / n
    if n == 1 or low == high:
        return Interval(mean, low, high)
    found, counts = np.unique(np.asarray(values, np.float64), return_counts=True)
    threshold = _student(n, tail) ** 2 / 2
    room = high - low
    least = room * _least_mean((found - low) / room, counts, threshold)
    most = room * _least_mean((high - found) / room, counts, threshold)
    return Interval(mean, min(low + least, mean), max(high - most, mean))


def _least_mean(values: Any, counts: Any, threshold: float) -> float:
    """Return the lower end of an interval by empirical likelihood, from 0 to 1.

    A gambler who bets against the mean m that observations x are larger has the capital
    prod(1 + s (x / m - 1)) with the stake s from 0 to 1. The end is the m against which the best
    stake in hindsight makes exp(threshold) of 1. With the stake below 1, t = s / (1 - s) / m, the
    best stake satisfies mean(1 / (1 + t x)) = 1 - s. So each t gives its s, m and capital, which
    grows with t.

    values: ``float64[K]``, the different observations, from 0 to 1.
    counts: ``int64[K]``, how often each was made.
    """
    import numpy as np

    n = float(counts.sum())

    def bet(t: float) -> tuple[float, float]:
        shares = counts / (n * (1.0 + t * values))
        rest = float(shares.sum())
        gained = n * math.log(rest) + float(counts @ np.log1p(t * values))
        return float(shares @ values) / rest, gained

    low, high = _STAKES
    if bet(math.exp(high))[1] < threshold:
        if values.min() <= 0.0:
            return 0.0
        return float(np.exp(counts @ np.log(values) / n - threshold / n))  # all is at stake
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if bet(math.exp(middle))[1] >= threshold else (middle, high)
    return bet(math.exp(low))[0]


def widened(interval: Interval, n: int) -> Interval:
    """Return a single interval by Student's t from ``n`` observations, widened for the block of
    `jointly`.
    """
    tail = _tail()
    if n < 2:
        return Interval(interval.value, -math.inf, math.inf)
    factor = _student(n, tail) / _student(n, _TAIL)
    low, high = interval.value - interval.low, interval.high - interval.value
    return Interval(interval.value, interval.value - factor * low, interval.value + factor * high)


def wilson_interval(wins: float, n: int) -> Interval:
    """Return the rate of ``wins`` in ``n`` matches, with Wilson's interval. A draw is half a win.

    If many intervals must hold at once, the result is the exact interval of Clopper and Pearson
    (1934). Wilson's is an approximation, too narrow far from the middle of the distribution.
    """
    _verified_count(n)
    if not 0 <= wins <= n:
        raise OptionError(
            f"{wins} wins in {n} matches are not possible; give a number from 0 to {n}"
        )
    tail = _tail()
    if tail < _TAIL:
        return _exact_interval(wins, n, tail)
    rate, z = wins / n, _NORMAL
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return Interval(rate, max(0.0, centre - half), min(1.0, centre + half))


def _exact_interval(wins: float, n: int, tail: float) -> Interval:
    """Return the interval of Clopper and Pearson, with probability ``tail`` beyond each end."""
    from scipy.special import betaincinv

    low = float(betaincinv(wins, n - wins + 1, tail)) if wins > 0 else 0.0
    high = float(betaincinv(wins + 1, n - wins, 1.0 - tail)) if wins < n else 1.0
    return Interval(wins / n, low, high)


def jackknife_interval(
    value: float, without: Sequence[float], low: float = -math.inf, high: float = math.inf
) -> Interval:
    """Return a figure that n seeds have together, with its 95 % interval by Student's t.

    value: the figure, from all seeds.
    without: the same figure n times, each time with another of the seeds left out. For one seed the
        ends of the interval are infinite.
    low, high: bounds of the true figure, at which the interval ends.
    """
    n = len(without)
    if n < 1:
        raise OptionError("there is nothing to leave out; give at least one seed")
    if n == 1:
        return Interval(value, -math.inf, math.inf)
    mean = math.fsum(without) / n
    variance = (n - 1) / n * math.fsum((other - mean) ** 2 for other in without)
    half = _student(n, _TAIL) * math.sqrt(variance)
    return Interval(value, value - half, value + half).within(low, high)


def win_points(own: float, other: float) -> float:
    """Return 1 if the ``own`` payoff is larger than the ``other`` player's, 1/2 if both are equal,
    0 if it is smaller.
    """
    return 1.0 if own > other else 0.5 if own == other else 0.0


def points_among(payoffs: Sequence[float], seat: int) -> float:
    """Return the share of the other players whom the player in ``seat`` beat, from 0 to 1. An equal
    payoff counts half. Between two players, these are the `win_points`.

    payoffs: the payoff of each player, two or more.
    """
    points = [win_points(payoffs[seat], other) for one, other in enumerate(payoffs) if one != seat]
    return math.fsum(points) / len(points)


def win_rate(payoffs: Sequence[tuple[float, float]]) -> Interval:
    """Return the win rate in some matches.

    payoffs: for each match the own payoff, and the other player's.
    """
    return wilson_interval(sum(win_points(own, other) for own, other in payoffs), len(payoffs))


def against_value(payoff: Interval, value: float) -> Interval:
    """Return a mean payoff minus the ``value`` of the game for the same seat."""
    return Interval(payoff.value - value, payoff.low - value, payoff.high - value)


class ConfidenceSequence:
    """Intervals around the mean of bounded observations. They all contain the true mean with a
    probability of at least ``confidence``, however many observations there will be. So you may look
    after each observation, and stop at any time.

    Waudby-Smith and Ramdas (2024), "Estimating means of bounded random variables by betting",
    Journal of the Royal Statistical Society B 86(1): two gamblers bet against each mean m, one that
    observations are larger, one that they are smaller. If m is the true mean, neither can expect to
    gain. Then the capital of either ever becomes 2 / (1 - confidence) times as large with a
    probability of at most (1 - confidence) / 2 (Ville 1939). The interval contains the means m for
    which neither gambler has become so rich. As in their hedged grid Kelly bet, the capital is
    spread over a grid of stakes, here geometric. Let the observations y be scaled to [0, 1]. A
    stake that is the fraction f of the largest possible stake multiplies the capital by
    1 + f (y / m - 1), which falls with m. So the means that remain form an interval.

    There may be several *views* of each observation, with the same mean and different spread and
    bounds, such as payoffs and corrected payoffs. Then the capital is spread over the views, too.
    That is as good as the best view, but for a few observations more.

    The method assumes that observations lie within the bounds, and that each has the same mean
    given those before it. It assumes nothing else about their distribution.

    bounds: for each view the least and the largest possible observation.
    confidence: above 0 and below 1.
    """

    def __init__(self, bounds: Sequence[tuple[float, float]], confidence: float = 0.95) -> None:
        for low, high in bounds:
            if not -math.inf < low < high < math.inf:
                raise OptionError(
                    f"low={low!r} and high={high!r} are not allowed; give two finite bounds, the "
                    "lower one first"
                )
        if not 0 < confidence < 1:
            raise OptionError(
                f"confidence={confidence!r} is not allowed; give a number above 0 and below 1, "
                "such as 0.95"
            )
        self.bounds = tuple(bounds)
        self.confidence = confidence
        self._observed: list[tuple[float, ...]] = []

    @property
    def count(self) -> int:
        """The number of observations."""
        return len(self._observed)

    def add(self, *views: float) -> None:
        """Add an observation, as each view has it. Raises OptionError if it is out of bounds."""
        for value, (low, high) in zip(views, self.bounds, strict=True):
            slack = 1e-9 * (high - low)  # of sums that were rounded
            if not low - slack <= value <= high + slack:
                raise OptionError(
                    f"value={value!r} is not allowed; give a number from {low} to {high}"
                )
        self._observed.append(
            tuple(
                min(max(value, low), high)
                for value, (low, high) in zip(views, self.bounds, strict=True)
            )
        )

    def interval(self) -> Interval:
        """Return the mean of the last view so far, and the interval. Before the first observation,
        the interval reaches from bound to bound.
        """
        least, most = max(low for low, _ in self.bounds), min(high for _, high in self.bounds)
        if not self._observed:
            return Interval((least + most) / 2, least, most)
        import numpy as np

        views = np.array(self._observed).T
        above = [
            (view - low, least - low) for view, (low, _) in zip(views, self.bounds, strict=True)
        ]
        below = [
            (high - view, high - most) for view, (_, high) in zip(views, self.bounds, strict=True)
        ]
        ends = least + self._end(above, most - least), most - self._end(below, most - least)
        return Interval(float(views[-1].mean()), min(ends), max(ends))

    def _end(self, views: Sequence[tuple[Any, float]], room: float) -> float:
        """Return the distance from the least possible mean to the begin of the interval.

        views: for each view, the distances of the observations above its lower bound,
            ``float64[n]``, and the distance of the least possible mean above it.
        room: the distance between the least and the largest possible mean.
        """
        threshold = math.log(2.0 / (1.0 - self.confidence))
        low, high = 0.0, room
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if _logarithm([(view, start + middle) for view, start in views]) < threshold:
                high = middle
            else:
                low = middle
        return low


def _logarithm(views: Sequence[tuple[Any, float]]) -> float:
    """Return the logarithm of what a capital of 1 becomes by bets on observations above a mean.

    views: the observations of each view, ``float64[n]``, and the mean, both above a lower bound.
    """
    import numpy as np

    if any(mean <= 0.0 for _, mean in views):
        return math.inf  # a bet that observations are above the least possible mean loses nothing
    logarithms = [
        float(np.log1p(share * (observed / mean - 1.0)).sum())
        for observed, mean in views
        for share in SHARES
    ]
    return _mixed(logarithms)


class Betting:
    """The capital of both gamblers of `ConfidenceSequence` against one mean. Each observation
    updates it.

    bounds: for each view the least and the largest possible observation.
    mean: the mean, within all bounds.
    """

    def __init__(self, bounds: Sequence[tuple[float, float]], mean: float = 0.0) -> None:
        self.bounds = tuple(bounds)
        self.mean = mean
        self._above = [0.0] * (len(SHARES) * len(self.bounds))
        self._below = list(self._above)

    def add(self, *views: float) -> None:
        """Add an observation, as each view has it."""
        place = 0
        for value, (low, high) in zip(views, self.bounds, strict=True):
            above = max(value - low, 0.0) / (self.mean - low) - 1.0
            below = max(high - value, 0.0) / (high - self.mean) - 1.0
            for share in SHARES:
                self._above[place] += math.log1p(share * above)
                self._below[place] += math.log1p(share * below)
                place += 1

    def side(self, confidence: float) -> int:
        """Return 1 if the true mean is larger with this confidence, -1 if smaller, else 0."""
        threshold = math.log(2.0 / (1.0 - confidence))
        if _mixed(self._above) >= threshold:
            return 1
        return -1 if _mixed(self._below) >= threshold else 0


def _mixed(logarithms: Sequence[float]) -> float:
    """Return the logarithm of a capital that was spread equally over all views, and in each view
    over all shares by their weights.

    logarithms: the logarithm of what a capital of 1 became, for each view and share.
    """
    largest = max(logarithms)
    views = len(logarithms) // len(SHARES)
    total = math.fsum(
        weight * math.exp(one - largest)
        for weight, one in zip(WEIGHTS * views, logarithms, strict=True)
    )
    return largest + math.log(total / views)


def _written(value: float, spec: str) -> str:
    """Return a number by a format; errors of rounding around 0 become 0."""
    return format(0.0 if abs(value) < _NOTHING else value, spec)


def _to_places(value: float, places: int) -> str:
    """Return a number with at most some decimal places, without zeros at its end."""
    if places > _MOST_PLACES:
        return _written(value, ".2g")
    text = f"{round(value, places) + 0.0:.{max(places, 0)}f}"  # + 0.0 because of -0.0
    return text.rstrip("0").rstrip(".") if "." in text else text


def _verified_count(n: int) -> int:
    if n < 1:
        raise OptionError("there is nothing to average; play at least one match")
    return n
