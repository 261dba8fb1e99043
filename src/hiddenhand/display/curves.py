"""Curves of convergence as small SVG pictures, with logarithmic axes where all is above 0."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hiddenhand.display.parts import OWN, Markup, number, tag

_WIDTH, _HEIGHT = 340, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 328, 8, 136  # the area of the curve
_TICKS: Final = 6  # labels on an axis, at most
_DEEP: Final = 4.0  # a band that reaches further down, as a factor, is cut
_TINY: Final = 1e-12  # less is rounded to 0 everywhere

Point = tuple[float, float, float, float]
"""Where on the axis, and a value with the ends of its interval."""


@dataclass(frozen=True)
class _Axis:
    """An axis.

    low, high: its ends, or the logarithms of them.
    is_log: whether it is logarithmic.
    first, last: where its ends lie in the picture.
    """

    low: float
    high: float
    is_log: bool
    first: float
    last: float

    @classmethod
    def over(cls, values: Sequence[float], first: float, last: float) -> "_Axis":
        """The axis that shows ``values``."""
        if min(values) > _TINY:
            low, high = math.log10(min(values)), math.log10(max(values))
            room = 0.05 * (high - low) or 0.5
            return cls(low - room, high + room, True, first, last)
        low, high = min(0.0, *values), max(values)
        return cls(low, high + (0.05 * (high - low) or 1.0), False, first, last)

    def at(self, value: float) -> float:
        """Where a value lies in the picture; values beyond an end lie at that end."""
        if self.is_log:
            value = math.log10(value) if value > 0 else self.low
        part = (value - self.low) / (self.high - self.low)
        return self.first + min(max(part, 0.0), 1.0) * (self.last - self.first)

    def ticks(self) -> list[float]:
        """Some round numbers on the axis."""
        low, high = self.low, self.high
        if self.is_log:
            for parts, fewest in (((1,), 2), ((1, 2, 5), 3)):
                decades = range(math.floor(low), math.floor(high) + 1)
                round_ones = [part * 10.0**at for at in decades for part in parts]
                inside = [one for one in round_ones if low <= math.log10(one) <= high]
                if len(inside) >= fewest:
                    return inside[:: math.ceil(len(inside) / _TICKS)]
            low, high = 10**low, 10**high
        decade = 10.0 ** math.floor(math.log10(high - low))
        steps = (part * decade for part in (0.2, 0.5, 1.0, 2.0))
        step = next(one for one in steps if (high - low) / one <= _TICKS)
        return [step * at for at in range(math.ceil(low / step), math.floor(high / step) + 1)]


def curve(points: Sequence[Point], unit: str, name: str = "nash_conv") -> Markup:
    """A curve with a band.

    points: at least one, with growing places.
    unit: what the horizontal axis counts.
    name: what the curve shows.
    """
    across = _Axis.over([at for at, *_ in points], _LEFT, _RIGHT)
    ends = [end for _, value, low, high in points for end in (max(low, value / _DEEP), value, high)]
    up = _Axis.over(ends, _BOTTOM, _TOP)
    line = [(across.at(at), up.at(value)) for at, value, *_ in points]
    band = [(across.at(at), up.at(high)) for at, _, _, high in points]
    band += [(across.at(at), up.at(low)) for at, _, low, _ in reversed(points)]
    inside = [
        *_frame(across, up),
        tag("polygon", points=_corners(band), fill=OWN[0], opacity=0.2),
        tag("polyline", points=_corners(line), fill="none", stroke=OWN[0], stroke_width=2),
        *(tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=2.5, fill=OWN[0]) for x, y in line),
        tag("text", unit, x=_RIGHT, y=_HEIGHT - 4, text_anchor="end"),
    ]
    (first, begin, *_), (last, end, *_) = points[0], points[-1]
    said = f"{name}: {number(begin)} at {number(first)} {unit}, {number(end)} at {number(last)}"
    size = {"width": _WIDTH, "height": _HEIGHT, "viewBox": f"0 0 {_WIDTH} {_HEIGHT}"}
    return tag("svg", *inside, **size, class_="curve", role="img", aria_label=said)


def _frame(across: _Axis, up: _Axis) -> Iterator[Markup]:
    """The lines and numbers of both axes."""
    for value in up.ticks():
        y = up.at(value)
        yield _line(_LEFT, y, _RIGHT, y)
        yield tag("text", number(value), x=_LEFT - 6, y=f"{y + 4:.1f}", text_anchor="end")
    for value in across.ticks():
        x = across.at(value)
        yield _line(x, _TOP, x, _BOTTOM)
        yield tag("text", _short(value), x=f"{x:.1f}", y=_BOTTOM + 15, text_anchor="middle")


def _line(x: float, y: float, to_x: float, to_y: float) -> Markup:
    return tag("line", x1=f"{x:.1f}", y1=f"{y:.1f}", x2=f"{to_x:.1f}", y2=f"{to_y:.1f}",
               stroke="var(--hh-line)")  # fmt: skip


def _short(value: float) -> str:
    """A count, thousands with k and millions with M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _corners(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
