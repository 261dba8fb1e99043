"""How sentences of Lisy's thesis are tested on what was found.

Each function makes a `Test`: it compares intervals, and tells the compared numbers in words. If
two intervals meet, the answer is open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.findings import Check, Curve, all_of, below, not_above, written
from hiddenhand_papers.thesis.sections import Found, Test, lowest, near

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

    def interval(self, found: Found) -> Interval | None:
        """What the cells show."""
        if self.section not in found.sections:
            return None
        return found.pool(self.section, self.rows, self.columns, flip=self.flip)

    def __str__(self) -> str:
        who, against = ", ".join(self.rows), ", ".join(self.columns)
        if self.flip:
            return f"{against} in the second seat against {who} ({self.section})"
        return f"{who} in the first seat against {against} ({self.section})"


Height = Side | float
"""Something that a side can be compared with: another side, or a number."""


def point(value: float) -> Interval:
    """A number that is known exactly."""
    return Interval(value, value, value)


def above(check: str, *pairs: tuple[Side, Height]) -> Test:
    """The sentence ``check`` says that the first of each pair is above the second."""

    def test(found: Found) -> Check | None:
        answers: list[bool | None] = []
        words: list[str] = []
        for high, low in pairs:
            ours = high.interval(found)
            other = point(low) if isinstance(low, float) else low.interval(found)
            if ours is None or other is None:
                return None
            answers.append(below(other, ours))
            named = f"{low:g}" if isinstance(low, float) else f"{written(other)} of {low}"
            words.append(f"{high}: {written(ours)}, against {named}")
        return Check(check, all_of(answers), "; ".join(words))

    return test


def not_below(check: str, *pairs: tuple[Side, Height]) -> Test:
    """The sentence ``check`` says that the first of each pair is at least as high as the second."""

    def test(found: Found) -> Check | None:
        answers: list[bool | None] = []
        words: list[str] = []
        for high, low in pairs:
            ours = high.interval(found)
            other = point(low) if isinstance(low, float) else low.interval(found)
            if ours is None or other is None:
                return None
            narrow = ours.width / 2 <= 100 * _NARROW
            answers.append(not_above(other, ours) if narrow or other.low > ours.high else None)
            words.append(f"{high}: {written(ours)}, against {written(other)}")
        return Check(check, all_of(answers), "; ".join(words))

    return test


def level(check: str, section: str, rows: Sequence[str], columns: Sequence[str]) -> Test:
    """The sentence ``check`` says that no cell differs clearly from a draw."""

    def test(found: Found) -> Check | None:
        if section not in found.sections:
            return None
        table = found.sections[section]
        cells = [
            table.pool(found.results, [row], [column]) for row, column in product(rows, columns)
        ]
        known = [cell for cell in cells if cell is not None]
        if len(known) < len(cells):
            return None
        missing = sum(not cell.low <= table.level <= cell.high for cell in known)
        widest = max(cell.width / 2 for cell in known)
        words = (
            f"{missing} of {len(known)} cells differ from a draw; the widest half is {widest:.2g}"
        )
        if missing > _BY_CHANCE * len(known):
            return Check(check, False, words)
        narrow = widest <= _NARROW * (100.0 if not table.value_of else 10.0)
        return Check(check, True if narrow else None, words)

    return test


def alike_cells(check: str, *pairs: tuple[Side, Side]) -> Test:
    """The sentence ``check`` says that the two of each pair are the same."""

    def test(found: Found) -> Check | None:
        answers: list[bool] = []
        widest = 0.0
        for one, other in pairs:
            ours, theirs = one.interval(found), other.interval(found)
            if ours is None or theirs is None:
                return None
            answers.append(ours.high >= theirs.low and theirs.high >= ours.low)
            widest = max(widest, ours.width / 2, theirs.width / 2)
        apart = answers.count(False)
        words = f"{apart} of {len(pairs)} pairs are clearly apart; the widest half is {widest:.2g}"
        if apart > _BY_CHANCE * len(pairs):
            return Check(check, False, words)
        return Check(check, True if widest <= 100 * _NARROW else None, words)

    return test


def nearer(check: str, one: str, other: str, rows: Sequence[str], columns: Sequence[str]) -> Test:
    """The sentence ``check`` says that the cells of ``one`` are nearer to a draw on average than
    those of ``other``.
    """

    def test(found: Found) -> Check | None:
        means: list[Interval] = []
        for section in (one, other):
            mean = _deviation(found, section, rows, columns)
            if mean is None:
                return None
            means.append(mean)
        words = f"on average {written(means[0])} from a draw, against {written(means[1])}"
        return Check(check, below(*means), words)

    return test


def _deviation(
    found: Found, section: str, rows: Sequence[str], columns: Sequence[str]
) -> Interval | None:
    """How far cells are from a draw on average. The half-width is that of a mean of independent
    cells.
    """
    if section not in found.sections:
        return None
    table = found.sections[section]
    cells = [table.pool(found.results, [row], [column]) for row, column in product(rows, columns)]
    known = [cell for cell in cells if cell is not None]
    if len(known) < len(cells):
        return None
    mean = sum(abs(cell.value - table.level) for cell in known) / len(known)
    half = hypot(*(cell.width / 2 for cell in known)) / len(known)
    return Interval(mean, mean - half, mean + half)


def all_hold(check: str, tests: Sequence[Test]) -> Test:
    """The sentence ``check`` says what all ``tests`` say together."""

    def test(found: Found) -> Check | None:
        made = [each(found) for each in tests]
        known = [part for part in made if part is not None]
        if len(known) < len(made):
            return None
        words = "; ".join(part.words for part in known)
        return Check(check, all_of([part.holds for part in known]), words)

    return test


# --- lines ---


def lower(check: str, panel: str, low: str, highs: Sequence[str], at: float | None = None) -> Test:
    """The sentence ``check`` says that the line ``low`` is below the ``highs`` at the time ``at``,
    by default at the last time that all lines have.
    """

    def test(found: Found) -> Check | None:
        curves = [found.curve(panel, name) for name in (low, *highs)]
        known = [curve for curve in curves if curve is not None]
        if len(known) < len(curves):
            return None
        when = min(curve.points[-1][0] for curve in known) if at is None else at
        values = [near(curve, when) for curve in known]
        there = [value for value in values if value is not None]
        if len(there) < len(values):
            return Check(check, None, f"not every line goes to {when:.3g} s")
        words = f"at {when:.3g} s {low} {written(there[0])}"
        words += "".join(
            f", {name} {written(value)}" for name, value in zip(highs, there[1:], strict=True)
        )
        return Check(check, all_of([below(there[0], other) for other in there[1:]]), words)

    return test


def lower_throughout(
    check: str,
    panel: str,
    low: str,
    highs: Sequence[str],
    after: float = 0.0,
    until: float = float("inf"),
) -> Test:
    """The sentence ``check`` says that the line ``low`` is never above the ``highs``, and below
    them at most times between ``after`` and ``until``.
    """

    def test(found: Found) -> Check | None:
        curves = [found.curve(panel, name) for name in (low, *highs)]
        known = [curve for curve in curves if curve is not None]
        if len(known) < len(curves):
            return None
        times = [time for time, _ in known[0].points if after <= time <= until]
        if not times:
            return Check(check, None, "no line goes that far")
        answers: list[bool | None] = []
        for time in times:
            values = [near(curve, time) for curve in known]
            own, others = values[0], values[1:]
            answers += [
                below(own, other) for other in others if own is not None and other is not None
            ]
        yes, no = answers.count(True), answers.count(False)
        words = (
            f"of {len(answers)} comparisons from {times[0]:.3g} s to {times[-1]:.3g} s, {low} is "
            f"clearly lower in {yes} and clearly higher in {no}"
        )
        if no > _BY_CHANCE * len(answers):
            return Check(check, False, words)
        return Check(check, True if 2 * yes > len(answers) else None, words)

    return test


def rises_again(check: str, panel: str, *lines: str, after: float | None = None) -> Test:
    """The sentence ``check`` says that each of ``lines`` ends above its lowest point, which comes
    before the time ``after`` if one is given.
    """

    def test(found: Found) -> Check | None:
        answers: list[bool | None] = []
        words: list[str] = []
        for name in lines:
            curve = found.curve(panel, name)
            if curve is None:
                return None
            end = curve.points[-1][0]
            if after is not None and end < 2 * after:
                return Check(check, None, f"{name} goes to {end:.3g} s only")
            answers.append(below(lowest(curve), curve.last))
            words.append(
                f"{name} is {written(lowest(curve))} at its lowest and {written(curve.last)} "
                f"at {end:.3g} s"
            )
        return Check(check, all_of(answers), "; ".join(words))

    return test


def rises_at_first(check: str, panel: str, *lines: str, until: float) -> Test:
    """The sentence ``check`` says that each of ``lines`` is above its first value at some time
    before ``until``.
    """

    def test(found: Found) -> Check | None:
        answers: list[bool | None] = []
        words: list[str] = []
        for name in lines:
            curve = found.curve(panel, name)
            if curve is None:
                return None
            early = [value for time, value in curve.points if time <= until]
            highest = max(early, key=lambda value: value.value, default=curve.first)
            if highest is not curve.first:
                answers.append(below(curve.first, highest))
            else:
                falls = all_of([below(value, curve.first) for value in early[1:]])
                answers.append(False if falls else None)
            words.append(
                f"{name} is {written(curve.first)} at first and at most {written(highest)}"
            )
        return Check(check, all_of(answers), "; ".join(words))

    return test


def under(check: str, panel: str, line: str, bound: float, at: float | None = None) -> Test:
    """The sentence ``check`` says that the line is below ``bound`` at the time ``at``, by default
    at its end.
    """
    return _bounded(check, panel, line, bound, at, is_under=True)


def over(check: str, panel: str, line: str, bound: float, at: float | None = None) -> Test:
    """The sentence ``check`` says that the line is above ``bound`` at the time ``at``, by default
    at its end.
    """
    return _bounded(check, panel, line, bound, at, is_under=False)


def _bounded(
    check: str, panel: str, line: str, bound: float, at: float | None, *, is_under: bool
) -> Test:
    def test(found: Found) -> Check | None:
        curve = found.curve(panel, line)
        if curve is None:
            return None
        value = curve.last if at is None else near(curve, at)
        if value is None:
            return Check(check, None, f"{line} goes to {curve.points[-1][0]:.3g} s only")
        answer = below(value, point(bound)) if is_under else below(point(bound), value)
        when = curve.points[-1][0] if at is None else at
        return Check(check, answer, f"{line} is {written(value)} at {when:.3g} s")

    return test


def alike(check: str, panel: str, one: str, other: str, share: float = 0.25) -> Test:
    """The sentence ``check`` says that two lines are almost the same: nowhere apart by more than a
    ``share`` of the higher one for sure.
    """

    def test(found: Found) -> Check | None:
        first, second = found.curve(panel, one), found.curve(panel, other)
        if first is None or second is None:
            return None
        gaps = [_gap(a, b) for (_, a), (_, b) in zip(first.points, second.points, strict=False)]
        worst = max(gaps, key=lambda gap: gap.value)
        words = f"at most {worst.value:.0%} apart"
        sure = max(gap.low for gap in gaps)
        open_ = max(gap.high for gap in gaps)
        return Check(check, False if sure > share else True if open_ <= 2 * share else None, words)

    return test


def _gap(one: Interval, other: Interval) -> Interval:
    """How far apart two values are, as a share of the higher one."""
    scale = max(one.value, other.value) or 1.0
    apart, half = abs(one.value - other.value), hypot(one.width, other.width) / 2
    return Interval(apart / scale, (apart - half) / scale, (apart + half) / scale)


def moves_more(check: str, panel: str, one: Sequence[str], other: Sequence[str]) -> Test:
    """The sentence ``check`` says that the lines ``one`` are further apart than ``other``, on
    average over all times, on a logarithmic scale: the parameter that tells them apart matters
    more.
    """

    def test(found: Found) -> Check | None:
        spreads: list[Interval] = []
        for names in (one, other):
            curves = [found.curve(panel, name) for name in names]
            known = [curve for curve in curves if curve is not None]
            if len(known) < len(curves):
                return None
            spreads.append(_spread(known))
        words = f"highest over lowest {written(spreads[0])}, against {written(spreads[1])}"
        return Check(check, below(spreads[1], spreads[0]), words)

    return test


def _spread(curves: Sequence[Curve]) -> Interval:
    """The highest line over the lowest, on average over times, with the errors of both."""
    ratios: list[float] = []
    errors: list[float] = []
    for column in zip(*(curve.points for curve in curves), strict=False):
        values = sorted((value for _, value in column), key=lambda value: value.value)
        low, high = values[0], values[-1]
        ratio = high.value / low.value
        ratios.append(ratio)
        errors.append(ratio * hypot(high.width / 2 / high.value, low.width / 2 / low.value))
    mean, half = sum(ratios) / len(ratios), hypot(*errors) / len(errors)
    return Interval(mean, mean - half, mean + half)
