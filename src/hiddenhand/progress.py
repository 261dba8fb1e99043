"""How far long work has come: the work reports, and whoever started it decides what to do with the
reports.

No library function prints. Long work takes ``progress: Progress = SILENT`` and calls
``progress.update(Report(...))`` between chunks.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from hiddenhand.errors import OptionError


@dataclass(frozen=True)
class Report:
    """One report. ``done`` of ``total`` units; ``total`` is None where nobody knows it beforehand.

    ``figures`` are the numbers worth watching, by name, in the order in which to show them:
    ``{"information sets": 288, "nash_conv": 0.31}``.
    """

    done: float
    total: float | None = None
    unit: str = "iterations"
    figures: Mapping[str, float] = field(default_factory=dict)


class Progress(Protocol):
    """Whoever wants to know. Reports come from the thread that does the work, and an exception
    raised here ends that work.
    """

    def update(self, report: Report) -> None:
        """Take note of ``report``; the work waits meanwhile."""


class _Silent:
    def update(self, report: Report) -> None:
        pass


def verify_progress(progress: object) -> None:
    """Raise OptionError for what cannot take a `Report`."""
    if not callable(getattr(progress, "update", None)):
        raise OptionError(
            f"progress={progress!r:.60} is not allowed; give an object with a method update(report)"
        )


SILENT: Final[Progress] = _Silent()
"""Takes no note of anything: the default everywhere."""
