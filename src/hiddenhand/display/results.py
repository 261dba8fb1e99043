"""What was found or measured: figures, and the curve of convergence where there is one."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hiddenhand.display.curves import Point
from hiddenhand.display.curves import curve as drawn_curve
from hiddenhand.display.games import spec_of
from hiddenhand.display.parts import Markup, figures, joined, number, tag, title
from hiddenhand.evaluation.measurement import Evaluation
from hiddenhand.games.base import Game
from hiddenhand.search.result import SearchResult
from hiddenhand.search.snapshots import Curve
from hiddenhand.search.training import Trained
from hiddenhand.solvers.solution import Solution
from hiddenhand.statistics import Interval


def solution(shown: Solution) -> Markup:
    """A solution: values, nash_conv and the curve."""
    found: dict[str, object] = {
        "values": ", ".join(map(number, shown.values)),
        "nash_conv": number(shown.nash_conv),
        "iterations": f"{shown.iterations:,}" if shown.iterations else "none: an exact method",
        "time": _seconds(shown.seconds),
    }
    if shown.target is not None:
        short = ", which the run did not reach" if shown.fell_short else ""
        found["target"] = f"nash_conv {number(shown.target)}{short}"
    points = [(float(at), gap, gap, gap) for at, gap in shown.convergence]
    return _beside(_head(shown, shown.game, shown.method), found, points, "iterations")


def evaluation(shown: Evaluation) -> Markup:
    """A measurement: nash_conv with its interval, and the curve with a band."""
    found: dict[str, object] = {
        "nash_conv": f"{shown.nash_conv}",
        "seeds": len(shown.seeds),
        "method": shown.method,
        "information sets": f"{shown.known:,.0f} of {shown.information_sets:,} seen",
    }
    points = [(float(point.at), *_ends(point.nash_conv)) for point in shown.curve]
    return _beside(_head(shown, shown.game, shown.search), found, points, shown.unit)


def curve(shown: Curve) -> Markup:
    """The curve of a long search, if it measured nash_conv."""
    last = shown.lines[-1] if shown.lines else {}
    found = {
        "snapshots": shown.num_snapshots,
        "iterations": last.get("iterations", 0),
        "information sets": last.get("information_sets", 0),
    }
    points = [
        (float(line["iterations"]), *_ends(line["nash_conv"]))
        for line in shown.lines
        if line["iterations"] and "nash_conv" in line
    ]
    return _beside(title("Curve", shown.path.name), found, points, "iterations")


def trained(shown: Trained) -> Markup:
    """What training did, and how nash_conv fell with time."""
    gap = "not measured" if shown.nash_conv is None else number(shown.nash_conv)
    found = {
        "nash_conv": gap,
        "iterations": shown.iterations,
        "information sets": shown.information_sets,
        "time": _seconds(shown.seconds),
    }
    points = [(at, gap, gap, gap) for at, gap in shown.curve]
    return _beside(title("Trained", f"{shown.file.name}, {shown.method}"), found, points, "seconds")


def search(shown: SearchResult) -> Markup:
    """The figures of a search."""
    found = {
        "iterations": shown.iterations,
        "information sets": shown.information_sets,
        "moves": shown.moves,
        "memory": f"{shown.bytes / 2**20:,.1f} MiB",
        "time": _seconds(shown.seconds),
        "playthroughs a second": f"{shown.traversals_per_second:,.0f}",
    }
    return joined(_head(shown, shown.game, shown.algorithm), figures(found))


def _head(shown: object, game: Game, by: str) -> Markup:
    return title(type(shown).__name__, f"{spec_of(game)}, {by}")


def _beside(
    head: Markup, found: Mapping[str, object], points: Sequence[Point], unit: str
) -> Markup:
    """Figures, with the curve beside them if it has two points or more."""
    if len(points) < 2:
        return joined(head, figures(found))
    fell = tag("p", "nash_conv", class_="soft")
    drawn = tag("div", fell, drawn_curve(points, unit))
    return joined(head, tag("div", figures(found), drawn, class_="side"))


def _ends(value: Any) -> tuple[float, float, float]:
    """A value with the ends of its interval; a value whose interval is not known is both ends."""
    if not isinstance(value, Interval):
        return float(value), float(value), float(value)
    is_known = math.isfinite(value.width)
    return (value.value, *((value.low, value.high) if is_known else (value.value, value.value)))


def _seconds(seconds: float) -> str:
    return f"{seconds:,.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
