"""Parts that other installed packages add, by entry points.

An entry point is a line in the ``pyproject.toml`` of a package: in a *group*, it gives a name and
the object that has it. A package whose object cannot be loaded is reported and left out, so that
one broken package does not break the others.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

VERBS: Final = "hiddenhand.verbs"
"""The group of verbs of the command line: each is a `typer.Typer`, or a function with options."""


def added(group: str, report: Callable[[str], object]) -> Iterator[tuple[str, Any]]:
    """Yield name and object of each entry point in ``group``, in the order of the names.

    report: receives a sentence about each entry point that cannot be loaded.
    """
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            yield entry.name, entry.load()
        except Exception as error:  # whatever another package does when it is imported
            report(
                f"{entry.name!r} of the package {_package(entry)} cannot be loaded "
                f"({type(error).__name__}: {error}); it is left out"
            )


def _package(entry: EntryPoint) -> str:
    """The name of the package that has an entry point."""
    return entry.value.partition(":")[0] if entry.dist is None else entry.dist.name
