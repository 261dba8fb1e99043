"""Reports of progress: long work sends reports, and its caller decides what to do with them.

No library function prints. Long work takes ``progress: Progress = SILENT`` and calls
``progress.update(Report(...))`` between chunks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self

from hiddenhand.errors import OptionError


@dataclass(frozen=True)
class Report:
    """One report: ``done`` of ``total`` units. ``total`` is None if it is unknown beforehand.

    ``figures`` are further numbers to show, by name and in this order:
    ``{"information sets": 288, "nash_conv": 0.31}``.
    """

    done: float
    total: float | None = None
    unit: str = "iterations"
    figures: Mapping[str, float] = field(default_factory=dict)


class Progress(Protocol):
    """A receiver of reports. The thread that does the work calls `update`, and an exception that
    `update` raises ends the work.
    """

    def update(self, report: Report) -> None:
        """Receive ``report``; the work waits meanwhile."""


class _Silent:
    def update(self, report: Report) -> None:
        pass


def verify_progress(progress: object) -> None:
    """Raise OptionError for an object that cannot receive a `Report`."""
    if not callable(getattr(progress, "update", None)):
        raise OptionError(
            f"progress={progress!r:.60} is not allowed; give an object with a method update(report)"
        )


SILENT: Final[Progress] = _Silent()
"""Ignores all reports: the default everywhere."""


class ProgressBar:
    """Shows reports as a bar of tqdm: a widget in a notebook, a line in a terminal. Raises
    OptionError if tqdm, which the optional extra ``notebook`` installs, is missing.

    One bar serves one piece of work after the other, and begins anew with each. A bar of work that
    has no known total stays until `close`; a ``with`` statement closes it, too.

    title: the words before the bar.
    """

    def __init__(self, title: str = "") -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise OptionError(
                "a progress bar needs tqdm, which is not installed; install hiddenhand[notebook]"
            ) from error
        self._title = title
        self._new_bar: Any = tqdm
        self._bar: Any = None
        self._work: tuple[float | None, str] = (None, "")  # the total and the unit

    def update(self, report: Report) -> None:
        """See `Progress`."""
        work = report.total, report.unit
        if self._bar is None or work != self._work or report.done < self._bar.n:
            self.close()
            self._work = work
            self._bar = self._new_bar(
                total=report.total,
                desc=self._title or None,
                unit=f" {report.unit}",
                unit_scale=True,
            )
        if report.figures:
            told = {name: f"{value:.4g}" for name, value in report.figures.items()}
            self._bar.set_postfix(told, refresh=False)
        self._bar.update(report.done - self._bar.n)
        if report.total is not None and report.done >= report.total:
            self.close()

    def close(self) -> None:
        """End the present bar, which stays as it is."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
