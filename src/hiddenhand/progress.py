"""Reports of progress: long work sends reports, and its caller decides what to do with them.

No library function prints. Long work takes ``progress: Progress = SILENT`` and calls
``progress.update(Report(...))`` between chunks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

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
