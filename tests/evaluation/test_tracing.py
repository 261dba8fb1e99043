"""A trace: work measured from stop to stop, on a clock that only the work moves on."""

from typing import Any

import numpy as np
import pytest

from hiddenhand import CFR, OOS, clock, nash_conv, trace, unroll
from hiddenhand.errors import OptionError
from hiddenhand.evaluation.tracing import Point
from hiddenhand.jit import dispatching
from hiddenhand.progress import SILENT, Progress, Report


class Worker:
    """Work whose pieces take at least ``least`` seconds."""

    def __init__(self, least: float = 0.0) -> None:
        self.least, self.now, self.made = least, 100.0, 0
        self.pieces: list[dict[str, float]] = []

    def advance(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        if iterations is not None:
            self.pieces.append({"iterations": iterations})
            self.made += iterations
            self.now += iterations
            progress.update(Report(iterations, iterations))
        else:
            assert seconds is not None
            self.pieces.append({"seconds": seconds})
            self.now += max(seconds, self.least)
            progress.update(Report(max(seconds, self.least), seconds, "seconds"))

    def measure(self) -> str:
        self.now += 1000.0  # which no point counts
        return f"{len(self.pieces)} pieces"

    def clock(self) -> float:
        return self.now


class Heard:
    def __init__(self) -> None:
        self.reports: list[Report] = []

    def update(self, report: Report) -> None:
        self.reports.append(report)


def traced(worker: Worker, heard: Heard, **stops: Any) -> list[Point[str]]:
    now = worker.clock
    return list(trace(worker.advance, worker.measure, progress=heard, now=now, **stops))


def test_stops_in_iterations_and_the_time_of_the_work_alone() -> None:
    worker, heard = Worker(), Heard()
    points = traced(worker, heard, iterations=[1, 10, 100])
    assert [point.stop for point in points] == [1, 10, 100]
    assert [point.seconds for point in points] == [1.0, 10.0, 100.0]
    assert [point.value for point in points] == ["1 pieces", "2 pieces", "3 pieces"]
    assert worker.pieces == [{"iterations": 1}, {"iterations": 9}, {"iterations": 90}]
    assert heard.reports == [Report(done, 100) for done in (1, 10, 100)]


def test_a_stop_in_seconds_that_is_passed_repeats_the_last_measurement() -> None:
    worker, heard = Worker(least=0.7), Heard()
    points = traced(worker, heard, seconds=[0.25, 0.5, 2.0])
    assert [point.seconds for point in points] == pytest.approx([0.7, 0.7, 2.0])
    assert [point.value for point in points] == ["1 pieces", "1 pieces", "2 pieces"]
    assert [piece["seconds"] for piece in worker.pieces] == pytest.approx([0.25, 1.3])
    assert [report.done for report in heard.reports] == pytest.approx([0.7, 2.0])
    assert all(report.total == 2.0 for report in heard.reports)


def test_the_time_in_which_kernels_are_compiled_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = Worker()

    def advance(*, seconds: float, **_: Any) -> None:
        worker.now += seconds + 5.0
        monkeypatch.setattr(dispatching._COMPILED, "seconds", dispatching._COMPILED.seconds + 5.0)

    monkeypatch.setattr(clock, "now", worker.clock)
    points = list(trace(advance, lambda: None, seconds=[1.0, 2.0]))
    assert [point.seconds for point in points] == pytest.approx([1.0, 2.0])


def test_work_begins_when_a_point_is_wanted_and_ends_with_the_last_one_taken() -> None:
    worker = Worker()
    points = trace(worker.advance, worker.measure, iterations=[5, 10])
    assert worker.made == 0
    assert next(points).stop == 5
    assert worker.made == 5


def test_reports_in_another_unit_pass_as_they_are() -> None:
    heard = Heard()

    def advance(*, progress: Progress, **_: Any) -> None:
        progress.update(Report(3, 7, "histories"))

    list(trace(advance, lambda: None, iterations=[5, 10], progress=heard))
    assert heard.reports == [Report(3, 7, "histories")] * 2


@pytest.mark.parametrize(
    ("stops", "says"),
    [
        ({}, "one of the two"),
        ({"iterations": [1], "seconds": [1.0]}, "one of the two"),
        ({"iterations": []}, r"iterations=\[\] is not allowed; give a list"),
        ({"iterations": [0, 5]}, "in increasing order"),
        ({"iterations": [1.5, 2.5]}, "give a list of whole numbers"),
        ({"iterations": 100}, "iterations=100 is not allowed; give a list"),
        ({"seconds": ["soon"]}, "give a list of numbers"),
        ({"seconds": [2.0, 1.0]}, r"seconds=\[2.0, 1.0\] is not allowed"),
        ({"seconds": [float("nan")]}, r"seconds=\[nan\] is not allowed"),
    ],
)
def test_stops_that_are_refused(stops: dict[str, Any], says: str) -> None:
    worker = Worker()
    with pytest.raises(OptionError, match=says):
        trace(worker.advance, worker.measure, **stops)
    assert worker.made == 0


def test_arguments_of_a_wrong_kind_are_refused() -> None:
    search, worker = OOS("kuhn_poker"), Worker()
    with pytest.raises(OptionError, match="give a function, such as the think"):
        trace(search, worker.measure, iterations=[1])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"measure=0.5 is not allowed"):
        trace(worker.advance, 0.5, iterations=[1])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="give an object with a method update"):
        trace(worker.advance, worker.measure, iterations=[1], progress=print)  # type: ignore[arg-type]


def test_stops_may_be_an_array() -> None:
    worker = Worker()
    points = list(trace(worker.advance, worker.measure, iterations=np.array([1, 10])))
    assert [point.stop for point in points] == [1, 10]
    assert worker.pieces == [{"iterations": 1}, {"iterations": 9}]


def test_a_search_and_a_solver_are_cut_into_pieces_without_a_change() -> None:
    """Bits do not depend on the stops."""
    tree = unroll("kuhn_poker")
    stops = [10, 100, 1000]

    search, whole = OOS("kuhn_poker", seed=3), OOS("kuhn_poker", seed=3)
    gaps = [
        point.value
        for point in trace(search.think, lambda: nash_conv(tree, search), iterations=stops)
    ]
    whole.run(1000)
    assert gaps[0] > gaps[-1] == nash_conv(tree, whole)

    run = CFR(tree, "cfr+")
    measured = trace(run.iterate, lambda: (run.iterations, run.nash_conv()), iterations=stops)
    assert [point.value[0] for point in measured] == stops
    assert run.nash_conv() == CFR(tree, "cfr+").run(1000).nash_conv
