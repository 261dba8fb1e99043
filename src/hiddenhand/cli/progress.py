"""Progress drawn with rich on standard error, for the command line. If standard error is no
terminal, nothing is drawn.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from hiddenhand.progress import SILENT, Progress, Report

_WIDE: Final = 120  # columns from which there is room for a bar and a clock beside the figures


@contextmanager
def live_progress(title: str) -> Iterator[Progress]:
    """Show the progress of the work called ``title`` in a line, which disappears at the end."""
    if not sys.stderr.isatty():
        yield SILENT
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    told = TextColumn("{task.fields[told]}")
    words = (
        (told,) if console.width < _WIDE else (BarColumn(bar_width=20), told, TimeElapsedColumn())
    )
    columns = (SpinnerColumn(), TextColumn("{task.description}"), *words)
    with Bars(*columns, console=console, transient=True) as bars:
        yield _Drawn(bars, bars.add_task(title, total=None, told=""))


class _Drawn:
    """Draws each report on one line of ``bars``."""

    def __init__(self, bars: Any, line: Any) -> None:
        self._bars = bars
        self._line = line

    def update(self, report: Report) -> None:
        elapsed = self._bars.tasks[0].elapsed or 0.0
        self._bars.update(
            self._line, completed=report.done, total=report.total, told=describe(report, elapsed)
        )


def describe(report: Report, elapsed: float) -> str:
    """Return ``report`` in words: the work done, its speed after ``elapsed`` seconds, and the
    figures.
    """
    if report.unit == "seconds" and report.total is not None:
        return ", ".join([f"{report.done:.1f} of {report.total:g} s", *_words(report.figures)])
    of_total = f" of {_number(report.total)}" if report.total is not None else ""
    parts = [f"{_number(report.done)}{of_total} {report.unit}"]
    if elapsed > 0.0 and report.unit != "seconds":
        parts.append(f"{_number(report.done / elapsed)}/s")
    return ", ".join([*parts, *_words(report.figures)])


def _words(figures: Mapping[str, float]) -> list[str]:
    return [f"{name} {_number(value)}" for name, value in figures.items()]


def _number(value: float) -> str:
    """Return a number as text: millions with the letter M, whole and large numbers in full with
    separators, small ones to four significant digits.
    """
    if abs(value) >= 1e6:
        return f"{value / 1e6:,.2f} M"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:.4g}"
