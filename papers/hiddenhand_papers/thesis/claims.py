"""How sentences of Lisy's thesis are tested on what was found.

Each function is a kind of sentence, see `sentence`: it compares intervals, and tells the compared
numbers in words. If two intervals meet, the answer is open.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot, inf, isfinite
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.findings import (
    Answer,
    Curve,
    all_of,
    apart,
    below,
    lowest,
    not_above,
    picked,
    point,
    sentence,
    written,
)
from hiddenhand_papers.thesis.sections import Found, Test, near

_NARROW: Final = 0.1  # of what a draw and a win differ by: a half-width that tells something
_BY_CHANCE: Final = 0.1  # of the cells of a table may miss the middle


@dataclass(frozen=True)
class Side:
    """Some cells of a table of matches, together.

    section: the name of the table.
    rows: the rows.
    columns: the columns.
    flip: whether the result of the players in the columns is meant.
    """

    section: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    flip: bool = False

    def interval(self, found: Found) -> Interval:
        """What the cells show."""
        return found.pool(self.section, self.rows, self.columns, flip=self.flip)

    def __str__(self) -> str:
        who, against = ", ".join(self.rows), ", ".join(self.columns)
        if self.flip:
            return f"{against} in the second seat against {who} ({self.section})"
        return f"{who} in the first seat against {against} ({self.section})"


Height = Side | float
"""Something that a side can be compared with: another side, or a number."""


def _interval(height: Height, found: Found) -> Interval:
    return point(height) if isinstance(height, float) else height.interval(found)


@sentence
def above(found: Found, *pairs: tuple[Side, Height]) -> Answer:
    """The first of each pair is above the second."""
    answers: list[bool | None] = []
    words: list[str] = []
    for high, low in pairs:
        ours, other = high.interval(found), _interval(low, found)
        answers.append(below(other, ours))
        named = f"{low:g}" if isinstance(low, float) else f"{written(other)} of {low}"
        words.append(f"{high}: {written(ours)}, against {named}")
    return all_of(answers), "; ".join(words)


@sentence
def not_below(found: Found, *pairs: tuple[Side, Height]) -> Answer:
    """The first of each pair is at least as high as the second."""
    answers: list[bool | None] = []
    words: list[str] = []
    for high, low in pairs:
        ours, other = high.interval(found), _interval(low, found)
        narrow = ours.width / 2 <= 100 * _NARROW
        answers.append(not_above(other, ours) if narrow or other.low > ours.high else None)
        words.append(f"{high}: {written(ours)}, against {written(other)}")
    return all_of(answers), "; ".join(words)


@sentence
def level(found: Found, section: str, rows: Sequence[str], columns: Sequence[str]) -> Answer:
    """No cell differs clearly from a draw, and each is narrow, or all together are near a draw."""
    cells, table = found.cells(section, rows, columns), found.sections[section]
    missing = sum(not cell.low <= table.level <= cell.high for cell in cells)
    draws = dict.fromkeys(product(rows, columns), point(table.level))
    far = apart(table.grid(found.results), draws)
    widest = max(cell.width / 2 for cell in cells)
    words = f"{missing} of {len(cells)} cells differ from a draw; the widest half is {widest:.2g}"
    if far is not None:
        words += f", and in root mean square all are at most {far.high:.2g} from a draw"
    high = min(widest, inf if far is None else far.high)
    return _by_chance(missing, len(cells), high, 10.0 if table.value_of else 100.0), words


@sentence
def alike_cells(found: Found, *pairs: tuple[Side, Side]) -> Answer:
    """The two of each pair are the same."""
    both = [(one.interval(found), other.interval(found)) for one, other in pairs]
    apart = sum(below(*pair) is not None for pair in both)
    widest = max(side.width / 2 for pair in both for side in pair)
    words = f"{apart} of {len(pairs)} pairs are clearly apart; the widest half is {widest:.2g}"
    return _by_chance(apart, len(pairs), widest, 100.0), words


def _by_chance(against: int, count: int, widest: float, unit: float) -> bool | None:
    """Whether no more comparisons of ``count`` speak against a sentence than may do so by chance.

    widest: the largest half-width, or the largest distance.
    unit: what a draw and a win differ by.
    """
    if against > _BY_CHANCE * count:
        return False
    return True if widest <= _NARROW * unit else None


@sentence
def nearer(
    found: Found, one: str, other: str, rows: Sequence[str], columns: Sequence[str]
) -> Answer:
    """The cells of ``one`` are nearer to a draw on average than those of ``other``."""
    means = [_deviation(found, section, rows, columns) for section in (one, other)]
    words = f"on average {written(means[0])} from a draw, against {written(means[1])}"
    return below(*means), words


def _deviation(found: Found, section: str, rows: Sequence[str], columns: Sequence[str]) -> Interval:
    """How far cells are from a draw on average. The half-width is that of a mean of independent
    cells.
    """
    cells, middle = found.cells(section, rows, columns), found.sections[section].level
    mean = sum(abs(cell.value - middle) for cell in cells) / len(cells)
    half = hypot(*(cell.width / 2 for cell in cells)) / len(cells)
    return Interval(mean, mean - half, mean + half)


@sentence
def all_hold(found: Found, tests: Sequence[Test]) -> Answer:
    """All ``tests`` hold."""
    parts = [test(found) for test in tests]
    return all_of([part.holds for part in parts]), "; ".join(part.words for part in parts)


# --- lines ---


@sentence
def lower(
    found: Found, panel: str, low: str, highs: Sequence[str], at: float | None = None
) -> Answer:
    """The line ``low`` is below the ``highs`` at the time ``at``, by default at the last time that
    all lines have.
    """
    curves = [found.curve(panel, name) for name in (low, *highs)]
    when = min(curve.points[-1][0] for curve in curves) if at is None else at
    values = [value for curve in curves if (value := near(curve, when)) is not None]
    if len(values) < len(curves):
        return None, f"not every line goes to {when:.3g} s"
    words = [f"{name} {written(value)}" for name, value in zip((low, *highs), values, strict=True)]
    answer = all_of([below(values[0], other) for other in values[1:]])
    return answer, f"at {when:.3g} s {', '.join(words)}"


@sentence
def lower_throughout(
    found: Found,
    panel: str,
    low: str,
    highs: Sequence[str],
    after: float = 0.0,
    until: float = float("inf"),
) -> Answer:
    """The line ``low`` is never above the ``highs``, and below them at most times between ``after``
    and ``until``.
    """
    own, *others = [found.curve(panel, name) for name in (low, *highs)]
    times = [time for time, _ in own.points if after <= time <= until]
    if not times:
        return None, "no line goes that far"
    answers = [
        below(here, there)
        for time in times
        for other in others
        if (here := near(own, time)) is not None and (there := near(other, time)) is not None
    ]
    yes, no = answers.count(True), answers.count(False)
    words = (
        f"of {len(answers)} comparisons from {times[0]:.3g} s to {times[-1]:.3g} s, {low} is "
        f"clearly lower in {yes} and clearly higher in {no}"
    )
    if no > _BY_CHANCE * len(answers):
        return False, words
    return True if 2 * yes > len(answers) else None, words


@sentence
def rises_again(found: Found, panel: str, *lines: str, after: float | None = None) -> Answer:
    """Each of ``lines`` ends above its lowest point, which comes before the time ``after`` if one
    is given.
    """
    answers: list[bool | None] = []
    words: list[str] = []
    for name in lines:
        curve = found.curve(panel, name)
        end = curve.points[-1][0]
        if after is not None and end < 2 * after:
            return None, f"{name} goes to {end:.3g} s only"
        answers.append(below(lowest(curve), curve.last))
        words.append(
            f"{name} is {written(lowest(curve))} at its lowest and {written(curve.last)} "
            f"at {end:.3g} s"
        )
    return all_of(answers), "; ".join(words)


@sentence
def rises_at_first(found: Found, panel: str, *lines: str, until: float) -> Answer:
    """Each of ``lines`` is above its first value at some time before ``until``."""
    answers: list[bool | None] = []
    words: list[str] = []
    for name in lines:
        curve = found.curve(panel, name)
        early = [value for time, value in curve.points if time <= until]
        highest = max(early, key=lambda value: value.value, default=curve.first)
        if highest is not curve.first:
            answers.append(below(curve.first, picked(highest)))
        else:
            falls = all_of([below(value, curve.first) for value in early[1:]])
            answers.append(False if falls else None)
        words.append(f"{name} is {written(curve.first)} at first and at most {written(highest)}")
    return all_of(answers), "; ".join(words)


@sentence
def under(found: Found, panel: str, line: str, bound: float, at: float | None = None) -> Answer:
    """The line is below ``bound`` at the time ``at``, by default at its end."""
    value, words = _at(found.curve(panel, line), at)
    return None if value is None else below(value, point(bound)), words


@sentence
def over(found: Found, panel: str, line: str, bound: float, at: float | None = None) -> Answer:
    """The line is above ``bound`` at the time ``at``, by default at its end."""
    value, words = _at(found.curve(panel, line), at)
    return None if value is None else below(point(bound), value), words


def _at(curve: Curve, at: float | None) -> tuple[Interval | None, str]:
    """The value of a line at a time, if it goes that far, and what to say of it."""
    end = curve.points[-1][0]
    value = curve.last if at is None else near(curve, at)
    if value is None:
        return None, f"{curve.name} goes to {end:.3g} s only"
    return value, f"{curve.name} is {written(value)} at {end if at is None else at:.3g} s"


@sentence
def alike(found: Found, panel: str, one: str, other: str, share: float = 0.25) -> Answer:
    """Two lines are almost the same: nowhere apart by more than a ``share`` of the higher one for
    sure, at the times of `_columns`.
    """
    columns = _columns([found.curve(panel, name) for name in (one, other)])
    if not columns:
        return None, "the lines have no time in common"
    gaps = [_gap(*pair) for pair in columns.values()]
    words = (
        f"{_span(columns)} {one} and {other} are at most {max(gap.value for gap in gaps):.0%} apart"
    )
    sure = max(gap.low for gap in gaps)
    open_ = max(gap.high for gap in gaps)
    return False if sure > share else True if open_ <= 2 * share else None, words


def _gap(one: Interval, other: Interval) -> Interval:
    """How far apart two values are, as a share of the higher one."""
    scale = max(one.value, other.value) or 1.0
    apart, half = abs(one.value - other.value), hypot(one.width, other.width) / 2
    return Interval(apart / scale, (apart - half) / scale, (apart + half) / scale)


@sentence
def moves_more(found: Found, panel: str, one: Sequence[str], other: Sequence[str]) -> Answer:
    """The lines ``one`` are further apart than ``other``, on average over the times of `_columns`,
    on a logarithmic scale: the parameter that tells them apart matters more.
    """
    groups = [[found.curve(panel, name) for name in names] for names in (one, other)]
    columns = _columns([curve for group in groups for curve in group])
    if not columns:
        return None, "the lines have no time in common"
    more = _spread([column[: len(one)] for column in columns.values()])
    less = _spread([column[len(one) :] for column in columns.values()])
    words = f"{_span(columns)} highest over lowest {written(more)}, against {written(less)}"
    return below(less, more), words


def _columns(curves: Sequence[Curve]) -> dict[float, list[Interval]]:
    """The values of several lines, by the times that all of them have. Times at which a line has
    one observation only are left out, unless there are no others.
    """
    columns: dict[float, list[Interval]] = {}
    for time, _ in curves[0].points:
        values = [value for curve in curves if (value := near(curve, time)) is not None]
        if len(values) == len(curves):
            columns[time] = values
    certain = {
        time: values
        for time, values in columns.items()
        if all(isfinite(value.width) for value in values)
    }
    return certain or columns


def _span(times: Collection[float]) -> str:
    """Which times were compared, in words."""
    first, last = min(times), max(times)
    return f"at {first:.3g} s" if first == last else f"from {first:.3g} s to {last:.3g} s"


def _spread(columns: Sequence[Sequence[Interval]]) -> Interval:
    """The highest line over the lowest, on average over times, with the errors of both.

    columns: the values of the lines at each time.
    """
    ratios: list[float] = []
    errors: list[float] = []
    for column in columns:
        low, *_, high = sorted(column, key=lambda value: value.value)
        ratio = high.value / low.value
        ratios.append(ratio)
        errors.append(ratio * hypot(high.width / 2 / high.value, low.width / 2 / low.value))
    mean, half = sum(ratios) / len(ratios), hypot(*errors) / len(errors)
    return Interval(mean, mean - half, mean + half)
