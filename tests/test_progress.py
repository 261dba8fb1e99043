"""Progress: the default does nothing, and the drawn one shows what it is told, on a terminal
only.
"""

import sys
import types
from typing import Any, ClassVar

import pytest
from naive.small_games import small

from hiddenhand import solve, unroll
from hiddenhand.cli.progress import describe, live_progress
from hiddenhand.errors import OptionError
from hiddenhand.progress import SILENT, ProgressBar, Report


def test_silent_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    SILENT.update(Report(done=1))
    assert capfd.readouterr() == ("", "")


def test_nothing_is_drawn_without_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with live_progress("searching") as progress:
        progress.update(Report(done=1))
    assert capfd.readouterr() == ("", "")


def test_drawn_on_standard_error_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with live_progress("searching") as progress:
        progress.update(Report(done=2000, total=5000, figures={"nash_conv": 0.125}))
    out, err = capsys.readouterr()
    assert out == ""
    assert "searching" in err
    assert "2,000 of 5,000 iterations" in err
    assert "nash_conv 0.125" in err


@pytest.mark.parametrize(
    ("report", "elapsed", "words"),
    [
        (Report(done=1000, total=4000), 0.0, "1,000 of 4,000 iterations"),
        (
            Report(done=1000, figures={"information sets": 12}),
            2.0,
            "1,000 iterations, 500/s, information sets 12",
        ),
        (
            Report(done=1.5, total=10.0, unit="seconds", figures={"nash_conv": 0.312345}),
            1.5,
            "1.5 of 10 s, nash_conv 0.3123",
        ),
    ],
)
def test_describe(report: Report, elapsed: float, words: str) -> None:
    assert describe(report, elapsed) == words


class FakeBar:
    """Remembers what a bar of tqdm is told."""

    made: ClassVar[list["FakeBar"]] = []

    def __init__(self, **told: object) -> None:
        self.told, self.n, self.figures, self.closed = told, 0.0, dict[str, str](), False
        self.made.append(self)

    def update(self, more: float) -> None:
        self.n += more

    def set_postfix(self, figures: dict[str, str], refresh: bool) -> None:
        self.figures = figures

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[FakeBar]:
    """The bars that are made, by a stand-in for tqdm."""
    fake: Any = types.ModuleType("tqdm.auto")
    fake.tqdm = FakeBar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", fake)
    monkeypatch.setattr(FakeBar, "made", [])
    return FakeBar.made


def test_a_bar_shows_reports_and_ends_with_the_work(bars: list[FakeBar]) -> None:
    with ProgressBar("solving") as progress:
        progress.update(Report(done=2, total=5, figures={"nash_conv": 0.123456}))
        progress.update(Report(done=4, total=5))
        (bar,) = bars
        assert bar.told == {
            "total": 5,
            "desc": "solving",
            "unit": " iterations",
            "unit_scale": True,
        }
        assert (bar.n, bar.figures, bar.closed) == (4, {"nash_conv": "0.1235"}, False)
        progress.update(Report(done=5, total=5))
        assert bar.closed
        progress.update(Report(done=1, total=5))  # another piece of work
        progress.update(Report(done=1, unit="seconds"))  # and one of another kind
        progress.update(Report(done=0.5, unit="seconds"))  # and one that begins anew
        assert [(one.n, one.closed) for one in bars] == [
            (5, True),
            (1, True),
            (1, True),
            (0.5, False),
        ]
    assert bars[-1].closed


def test_solve_tells_a_bar_how_far_it_is(bars: list[FakeBar]) -> None:
    solve(unroll(small("Kuhn"), verified=True), "cfr+", iterations=300, progress=ProgressBar())
    assert bars[-1].n == 300
    assert bars[-1].closed


def test_without_tqdm_a_bar_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(OptionError, match=r"install hiddenhand\[notebook\]"):
        ProgressBar()
