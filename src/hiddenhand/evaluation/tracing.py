"""Measure work on its way: advance a search or a solver from stop to stop, and measure at each.

Curves of convergence come from this loop.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

from hiddenhand.errors import OptionError, RefusedOptionError
from hiddenhand.jit.dispatching import Stopwatch
from hiddenhand.parameters import plain_number
from hiddenhand.progress import SILENT, Progress, Report, verify_progress

Measured = TypeVar("Measured")


class Advance(Protocol):
    """A function that makes iterations, or works for some seconds: the ``think`` of a search, or
    the ``iterate`` of a run of a solver.
    """

    def __call__(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> object:
        """Make ``iterations``, or work for ``seconds``; the other one is None."""


@dataclass(frozen=True)
class Point(Generic[Measured]):
    """A measurement.

    stop: the stop that it belongs to, in iterations or in seconds.
    seconds: how long all work up to here took, without measurements and compilation.
    value: what was measured.
    """

    stop: float
    seconds: float
    value: Measured


def trace(
    advance: Advance,
    measure: Callable[[], Measured],
    *,
    iterations: Sequence[int] | None = None,
    seconds: Sequence[float] | None = None,
    progress: Progress = SILENT,
    now: Callable[[], float] | None = None,
) -> Iterator[Point[Measured]]:
    """Yield a point at each stop. Raises OptionError.

    A stop in seconds that the work has already passed gets the last measurement again. The time of
    measurements does not count, and neither does that in which kernels are compiled.

    advance: does the work.
    measure: is called at each stop.
    iterations: the stops, in iterations from the beginning, in increasing order.
    seconds: the same in seconds. One of the two must be given.
    progress: receives the reports of the whole work.
    now: the clock, in seconds [default: time that passes while nothing is compiled].
    """
    stops, is_counted = _stops(iterations, seconds), iterations is not None
    for name, function in (("advance", advance), ("measure", measure)):
        if not callable(function):
            raise RefusedOptionError(
                name, function, "give a function, such as the think of a search"
            )
    verify_progress(progress)
    watch = Stopwatch()
    return _points(advance, measure, stops, is_counted, progress, now or (lambda: watch.seconds))


def _points(
    advance: Advance,
    measure: Callable[[], Measured],
    stops: Sequence[float],
    is_counted: bool,
    progress: Progress,
    now: Callable[[], float],
) -> Iterator[Point[Measured]]:
    done, worked, point = 0.0, 0.0, None
    for stop in stops:
        if point is not None and stop <= done:
            yield Point(stop, point.seconds, point.value)
            continue
        told = _Onward(progress, "iterations" if is_counted else "seconds", done, stops[-1])
        began = now()
        if is_counted:
            advance(iterations=int(stop - done), progress=told)
        else:
            advance(seconds=stop - done, progress=told)
        worked += now() - began
        done = stop if is_counted else worked
        point = Point(stop, worked, measure())
        yield point


def _stops(iterations: Sequence[int] | None, seconds: Sequence[float] | None) -> Sequence[float]:
    """The one list of stops that was given, as plain numbers."""
    if (iterations is None) == (seconds is None):
        raise OptionError("give stops in iterations or in seconds, one of the two")
    name, given = ("iterations", iterations) if seconds is None else ("seconds", seconds)
    kind, cure = (int, "whole numbers") if seconds is None else ((int, float), "numbers")
    assert given is not None
    try:
        stops = [plain_number(stop) for stop in given]
    except TypeError:
        stops = []
    are_numbers = bool(stops) and all(isinstance(stop, kind) for stop in stops)
    if not are_numbers or not all(one < other for one, other in pairwise((0, *stops))):
        raise RefusedOptionError(name, given, f"give a list of {cure} above 0, in increasing order")
    return stops


class _Onward:
    """A progress of which each piece of work continues what was done before. Reports in another
    unit pass as they are.
    """

    def __init__(self, told: Progress, unit: str, before: float, total: float) -> None:
        self._told, self._unit, self._before, self._total = told, unit, before, total

    def update(self, report: Report) -> None:
        """See `Progress`."""
        if report.unit == self._unit:
            report = replace(report, done=self._before + report.done, total=self._total)
        self._told.update(report)
