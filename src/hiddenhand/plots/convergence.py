"""nash_conv against iterations or seconds, with the bands of 95 % intervals: `draw_convergence`."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.evaluation.measurement import Evaluation
from hiddenhand.plots.figures import colour, new_figure, save, verify_picture
from hiddenhand.search.snapshots import Curve
from hiddenhand.solvers.solution import Solution
from hiddenhand.statistics import Interval

Points = Sequence[tuple[float, Interval | float]]
"""Pairs of a count of iterations or seconds, and nash_conv at that time."""
Converging = Evaluation | Solution | Curve | Points
"""The results that have a curve of convergence."""

_STYLES: Final = ("-", "--", ":", "-.")
_FEW: Final = 6  # lines whose legend fits into the picture


def draw_convergence(
    results: Mapping[str, Converging], path: Path | str, title: str = "", x: str = ""
) -> None:
    """Write a picture of how nash_conv falls: a line for each result, and a band if its intervals
    are known.

    results: the results by name. A result comes from `evaluate` or `solve`, or is the curve of a
        long search that measured nash_conv, or a list of points.
    path: the file to write; its suffix gives the format: .png, .svg or .pdf.
    title: the title above the picture.
    x: the unit of your own points, such as seconds; other results know their unit.

    Raises OptionError if a result has no points, if the units of results differ, or if matplotlib
    is not installed. Raises FileError if the picture cannot be written.
    """
    verify_picture(path)
    save(convergence_figure(results, title, x), path)


def convergence_figure(results: Mapping[str, Converging], title: str = "", x: str = "") -> Any:
    """The figure of `draw_convergence`."""
    if not results:
        raise OptionError("there are no results to draw; give one or more, by their names")
    units = {_unit(result) for result in results.values()} - {""}
    if len(units) > 1:
        raise OptionError(
            f"one picture cannot show both {' and '.join(sorted(units))}; draw one picture for each"
        )
    figure, axes = new_figure(6.4 if len(results) <= _FEW else 8.4, 4.0)
    logarithmic = True
    for number, (name, result) in enumerate(results.items()):
        points = [(at, *_ends(value)) for at, value in _points(result)]
        if not points:
            raise OptionError(f"{name} has no points to draw; measure nash_conv during the run")
        logarithmic &= all(at > 0 and value > 0 for at, value, _, _ in points)
        at, middle, low, high = zip(*points, strict=True)
        style = _STYLES[number // len(_STYLES) % len(_STYLES)] if len(results) > _FEW else "-"
        axes.plot(at, middle, style, color=colour(number), marker="o", markersize=3, label=name)
        if all(map(math.isfinite, (*low, *high))):
            axes.fill_between(at, low, high, color=colour(number), alpha=0.18, linewidth=0)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log", nonpositive="clip")
        lowest = min(_ends(value)[0] for result in results.values() for _, value in _points(result))
        axes.set_ylim(bottom=0.6 * lowest)  # bands may reach to 0 and below
    else:
        axes.set_ylim(bottom=0)
    axes.set(title=title, xlabel=x or "".join(units), ylabel="nash_conv")
    axes.grid(alpha=0.3)
    axes.legend(
        fontsize=8,
        frameon=False,
        **({} if len(results) <= _FEW else {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}),
    )
    return figure


def _points(result: Converging) -> Points:
    if isinstance(result, Evaluation):
        return [(point.at, point.nash_conv) for point in result.curve]
    if isinstance(result, Solution):
        return result.convergence
    if isinstance(result, Curve):
        return [
            (line["iterations"], line["nash_conv"])
            for line in result.lines
            if line["iterations"] and "nash_conv" in line
        ]
    return result


def _unit(result: Converging) -> str:
    """The unit of the points; empty for points without one."""
    if isinstance(result, Evaluation):
        return result.unit
    return "iterations" if isinstance(result, (Solution, Curve)) else ""


def _ends(value: Interval | float) -> tuple[float, float, float]:
    """A value and the ends of its interval; a number alone has none."""
    if isinstance(value, Interval):
        return value.value, value.low, value.high
    return value, math.nan, math.nan
