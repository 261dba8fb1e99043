"""What an experiment shows: tables, curves and checks, all computed from stored results."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import wraps
from statistics import fmean
from typing import Concatenate, Final, ParamSpec, TypeVar

import numpy as np

from hiddenhand.jit.arrays import Floats
from hiddenhand.statistics import Interval, mean_interval

_Found = TypeVar("_Found")
_Arguments = ParamSpec("_Arguments")

Place = tuple[str, str]
"""A row and a column."""
Cells = Mapping[Place, Interval]
"""By row and column, our value with its 95 % interval."""
Samples = Mapping[Place, Mapping[Hashable, float]]
"""By row and column, the single observations that the value of a cell is the mean of, in its unit.
Observations of several cells with the same key share deals and seeds.
"""
Marks = Mapping[tuple[str, str], tuple[str, ...]]
"""By row and column, how a cell is made to stand out: `BOLD`, `UNDERLINED`, `GREY`, or several."""
BOLD, UNDERLINED, GREY = "bold", "underlined", "grey"

_FEWEST_MATCHES: Final = 5  # of a cell that a variance is taken of
_ONE_SIDED: Final = 1.6448536269514722  # the 95 % quantile of the normal distribution
_NORMAL: Final = 1.959963984540054  # the 97.5 % quantile
_TAIL: Final = 0.025  # what lies beyond it
_FEWEST_GROUPS: Final = 3  # that a mean over groups is taken of
_LOPSIDED: Final = 0.1  # of half an interval: how far its value may be from its middle


@dataclass(frozen=True)
class Sampled(Interval):
    """A mean with its interval and the values that it is of.

    samples: the values, by the seeds that they are from. Those of different seeds are independent,
        and two means are compared by the differences of what has the same seed.
    """

    samples: Mapping[Hashable, float]


@dataclass(frozen=True)
class Grid:
    """A table, made anew.

    name: the name of the printed table that it is compared with.
    rows: the names of its rows.
    columns: the names of its columns.
    cells: our values. Cells that were not measured are missing.
    reading: how the set-up was read, where it can be read in more than one way. The first reading
        of an experiment is the one that decides its verdict.
    unit: what the numbers are.
    observations: how many matches or seeds the smallest cell has.
    marks: the cells that stand out.
    samples: the observations of cells that are means over matches.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Cells
    reading: str = ""
    unit: str = ""
    observations: int = 0
    marks: Marks = field(default_factory=dict)
    samples: Samples = field(default_factory=dict)


@dataclass(frozen=True)
class Picture:
    """A picture that is drawn already.

    name: the end of the name of its file.
    title: what it shows.
    svg: the file.
    """

    name: str
    title: str
    svg: bytes


@dataclass(frozen=True)
class Curve:
    """A line in a picture.

    name: what the legend calls it.
    points: by the place on the horizontal axis, our value with its interval.
    """

    name: str
    points: tuple[tuple[float, Interval], ...]

    @property
    def last(self) -> Interval:
        """The value at the right end."""
        return self.points[-1][1]

    @property
    def first(self) -> Interval:
        """The value at the left end."""
        return self.points[0][1]


@dataclass(frozen=True)
class Plot:
    """A picture.

    name: the end of the name of its file; empty for the only picture of an experiment.
    title: what stands above it.
    x: what is on the horizontal axis.
    y: what is on the vertical axis.
    curves: its lines.
    log_x: whether the horizontal axis is logarithmic.
    log_y: whether the vertical axis is logarithmic.
    """

    name: str
    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]
    log_x: bool = True
    log_y: bool = True


@dataclass(frozen=True)
class Check:
    """A sentence that was tested.

    name: what printed claims call it.
    holds: whether our numbers say so; None if their intervals are too wide to tell.
    words: the numbers that were compared.
    reading: how the set-up was read, as in `Grid`.
    """

    name: str
    holds: bool | None
    words: str
    reading: str = ""


@dataclass(frozen=True)
class Findings:
    """What an experiment shows.

    grids: its tables.
    plots: its pictures of curves.
    checks: the sentences that were tested.
    notes: what else there is to say, a sentence each.
    pictures: its other pictures.
    """

    grids: tuple[Grid, ...] = ()
    plots: tuple[Plot, ...] = ()
    checks: tuple[Check, ...] = ()
    notes: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()


# --- whole tables ---


@dataclass(frozen=True)
class Distance:
    """How far true figures are from others, in root mean square.

    value: the estimate; 0.0 where they are no further apart than chance explains.
    low: what it is at least, but for the share of runs that `apart` was given.
    high: what it is at most, with 95 % confidence.
    """

    value: float
    low: float
    high: float


def apart(grid: Grid, others: Cells, tail: float = _TAIL) -> Distance | None:
    """How far cells of matches are from ``others``; None where one of them has too few matches.

    tail: the share of runs in which the distance may be less than the lower bound.

    The mean square of the differences d is as much too large as the covariance S of their errors
    says: that of means over matches, in which cells with equal seeds depend on each other, and the
    variances of ``others``. So E d'd = |delta|^2 + tr S with the true differences delta, and
    Var d'd = 2 tr S^2 + 4 delta'S delta, in which delta'S delta is |delta|^2 (d'S d / d'd). The
    upper bound is the largest |delta| that this normal distribution does not reject.

    The lower bound has a small ``tail``, where d'd is not nearly normal. It is the smallest |delta|
    for which d'd is not above a bound that holds for all Gaussian d: with probability 1 - exp(-x),
    d'd <= |delta|^2 + tr S + 2 sqrt((tr S^2 + 2 delta'S delta) x) + 2 |S| x, in which |S| is the
    largest eigenvalue (Boucheron, Lugosi and Massart (2013), "Concentration inequalities", 2.4).
    """
    samples = [grid.samples.get(place, {}) for place in others]
    if min(map(len, samples), default=0) < _FEWEST_MATCHES:
        return None
    gaps = np.array([grid.cells[place].value - other.value for place, other in others.items()])
    errors = _covariance(samples)
    errors += np.diag([(other.width / 2 / _NORMAL) ** 2 for other in others.values()])
    count, squared = len(gaps), float(gaps @ gaps)
    mean_square = (squared - float(np.trace(errors))) / count
    along = float(gaps @ errors @ gaps) / squared if squared else 0.0
    square_of_errors = float(np.sum(errors * errors))
    middle = mean_square + 2.0 * along * _ONE_SIDED**2 / count
    spread = 2.0 * square_of_errors * (_ONE_SIDED / count) ** 2
    high = middle + math.sqrt(max(0.0, middle**2 - mean_square**2 + spread))
    x = -math.log(tail)
    rest = mean_square * count - 2.0 * float(np.linalg.norm(errors, 2)) * x
    low = 0.0
    if rest > 2.0 * math.sqrt(square_of_errors * x):
        middle = rest + 4.0 * along * x
        low = middle - math.sqrt(middle**2 - rest**2 + 4.0 * square_of_errors * x)
    return Distance(*(math.sqrt(max(value, 0.0)) for value in (mean_square, low / count, high)))


def _covariance(samples: Sequence[Mapping[Hashable, float]]) -> Floats:
    """``float64[C, C]``: the covariances of the errors of C means, of which each is over samples
    with keys of its own. Samples with the same key may depend on each other.
    """
    rows = {
        key: row for row, key in enumerate(dict.fromkeys(key for one in samples for key in one))
    }
    parts = np.zeros((len(rows), len(samples)))
    for column, one in enumerate(samples):
        mean, scale = fmean(one.values()), math.sqrt(len(one) * (len(one) - 1))
        for key, value in one.items():
            parts[rows[key], column] = (value - mean) / scale
    return np.asarray(parts.T @ parts, np.float64)


# --- testing sentences ---

Answer = tuple[bool | None, str]
"""Whether a sentence holds, and the numbers that were compared, as in `Check`."""


def sentence(
    test: Callable[Concatenate[_Found, _Arguments], Answer],
) -> Callable[Concatenate[str, _Arguments], Callable[[_Found], Check]]:
    """Make a kind of sentence. The result takes the name of a printed claim, and the arguments of
    ``test`` behind the first, which is what was found. It returns the test of that claim.
    """

    @wraps(test)
    def named(
        name: str, /, *arguments: _Arguments.args, **options: _Arguments.kwargs
    ) -> Callable[[_Found], Check]:
        return lambda found: Check(name, *test(found, *arguments, **options))

    return named


def checked(
    tests: Iterable[Callable[[_Found], Check]], found: _Found, reading: str = ""
) -> Iterator[Check]:
    """What the tests say of what was found. A test that lacks something raises KeyError, and is
    left out.
    """
    for test in tests:
        with suppress(KeyError):
            yield replace(test(found), reading=reading)


# --- comparing intervals ---


def lowest(curve: Curve) -> Interval:
    """The lowest value of a line, see `picked`."""
    return picked(min((value for _, value in curve.points), key=lambda value: value.value))


def picked(value: Interval) -> Interval:
    """A value that was picked for being low, or high, without its samples: differences of the same
    seeds would be too large.
    """
    return Interval(value.value, value.low, value.high)


def excess(one: Interval, other: Interval) -> Interval | None:
    """By how much ``other`` is above ``one``, from the differences of values with the same seed;
    None where too few values have the same seed.
    """
    if not (isinstance(one, Sampled) and isinstance(other, Sampled)):
        return None
    gaps = [
        other.samples[seed] - value for seed, value in one.samples.items() if seed in other.samples
    ]
    most = max(len(one.samples), len(other.samples))
    return mean_interval(gaps) if len(gaps) >= max(_FEWEST_GROUPS, most / 2) else None


def below(one: Interval, other: Interval) -> bool | None:
    """Whether ``one`` is below ``other``: None if the interval of their difference has both signs,
    or, where that is not known, if the two intervals meet.
    """
    if more := excess(one, other):
        return True if more.low > 0.0 else False if more.high < 0.0 else None
    if one.high < other.low:
        return True
    return False if one.low > other.high else None


def not_above(one: Interval, other: Interval) -> bool | None:
    """Whether ``one`` is not clearly above ``other``. Where the intervals meet the answer is True:
    the claim was that there is no difference of that kind.
    """
    return not one.low > other.high


def at_most(one: Interval, other: Interval, slack: float) -> bool | None:
    """Whether ``one`` is no more than ``other``, or by less than ``slack``. Unlike in `not_above`,
    intervals that are too wide to tell give None.
    """
    if more := excess(one, other):
        return False if more.high < 0.0 else True if more.low >= -slack else None
    if one.low > other.high:
        return False
    return True if one.high <= other.value + slack else None


def all_below(groups: Sequence[Sequence[tuple[Interval, Interval]]]) -> bool | None:
    """Whether the first of each pair is below the second. Where single intervals are too wide to
    tell, the pairs together decide: their differences on average, with Student's interval over the
    seeds that all of them have. Where these are too few, it is over the ``groups``, which do not
    depend on each other.
    """
    each = all_of([below(low, high) for group in groups for low, high in group])
    if each is not None:
        return each
    means = _mean_gaps([pair for group in groups for pair in group])
    if len(means) < _FEWEST_GROUPS:
        means = [fmean(high.value - low.value for low, high in group) for group in groups]
    return below(point(0.0), mean_interval(means)) if len(means) >= _FEWEST_GROUPS else None


def _mean_gaps(pairs: Sequence[tuple[Interval, Interval]]) -> list[float]:
    """For each seed that all values have: by how much the second of a pair is above the first, on
    average over ``pairs``.
    """
    samples = [
        (low.samples, high.samples)
        for low, high in pairs
        if isinstance(low, Sampled) and isinstance(high, Sampled)
    ]
    if len(samples) < len(pairs) or not pairs:
        return []
    return [
        fmean(high[seed] - low[seed] for low, high in samples)
        for seed in samples[0][0]
        if all(seed in low and seed in high for low, high in samples)
    ]


def all_of(answers: Sequence[bool | None]) -> bool | None:
    """Whether all ``answers`` are True: False if one is False, else None if one is None, or if
    there are none.
    """
    if False in answers:
        return False
    return None if None in answers or not answers else True


def scaled(factor: float, one: Interval) -> Interval:
    """``factor``, which is positive, times a value."""
    ends = factor * one.value, factor * one.low, factor * one.high
    if not isinstance(one, Sampled):
        return Interval(*ends)
    return Sampled(*ends, {seed: factor * value for seed, value in one.samples.items()})


def point(value: float) -> Interval:
    """A number that is known exactly."""
    return Interval(value, value, value)


def rises(curve: Curve) -> bool | None:
    """Whether a line ends above its beginning."""
    return below(curve.first, curve.last)


def falls(curve: Curve) -> bool | None:
    """Whether a line ends below its beginning."""
    return below(curve.last, curve.first)


def written(interval: Interval) -> str:
    """An interval in words, such as ``0.25 ± 0.06``; with its ends, if it is lopsided."""
    half = interval.width / 2
    if not math.isfinite(half):
        return f"{interval.value:.3g} (one observation)"
    if is_lopsided(interval):
        return f"{interval.value:.3g} ({interval.low:.3g} to {interval.high:.3g})"
    return f"{interval.value:.3g} ± {half:.2g}" if half else f"{interval.value:.3g}"


def is_lopsided(interval: Interval) -> bool:
    """Whether the value is too far from the middle of its interval to be written with ``±``."""
    half = interval.width / 2
    return abs(interval.value - interval.low - half) > _LOPSIDED * half


def courses(curves: Mapping[str, Curve]) -> str:
    """Where lines begin and end, in words."""
    return "; ".join(
        f"{name} from {written(curve.first)} to {written(curve.last)}"
        for name, curve in curves.items()
    )


# --- kinds of sentences ---


@sentence
def each_line(
    curves: Mapping[str, Curve],
    names: Sequence[str] | Callable[[str], bool],
    holds: Callable[[Curve], bool | None],
) -> Answer:
    """Something holds of each line.

    names: the names of the lines, or whether a line is meant.
    """
    chosen = [name for name in curves if names(name)] if callable(names) else names
    lines = {name: curves[name] for name in chosen}
    return all_of([holds(curve) for curve in lines.values()]), courses(lines)


@sentence
def each_cell(
    cells: Cells, places: Sequence[Place], holds: Callable[[Cells, Place], bool | None]
) -> Answer:
    """Something holds of each of the cells that were measured."""
    known = [place for place in places if place in cells]
    if not known:
        raise KeyError(places)
    return all_of([holds(cells, place) for place in known]), told(cells, known)


def told(cells: Cells, places: Iterable[Place]) -> str:
    """The cells that were measured, in words."""
    return "; ".join(
        f"{row}–{column} {written(cells[row, column])}"
        for row, column in places
        if (row, column) in cells
    )
