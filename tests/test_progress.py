"""Progress: the default does nothing, and the drawn one shows what it is told, on a terminal
only.
"""

import sys

import pytest

from hiddenhand.cli.progress import describe, live_progress
from hiddenhand.progress import SILENT, Report


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
