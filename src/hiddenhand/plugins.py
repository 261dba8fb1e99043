"""Parts that other installed packages add, by entry points: games, algorithms, players and verbs.

An entry point is a line in the ``pyproject.toml`` of a package. In a *group*, it gives a name and
the object that has it:

    [project.entry-points."hiddenhand.games"]
    bluff = "my_package.bluff:Bluff"

Nothing of another package is imported before its part is used or listed. A part that cannot be
loaded is left out of lists, and reported: one broken package does not break the others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from hiddenhand.errors import OptionError

GAMES: Final = "hiddenhand.games"
"""The group of games: classes of games, or functions that make one."""
ALGORITHMS: Final = "hiddenhand.algorithms"
"""The group of algorithms: classes of searches, or entries of the registry, `Algorithm`."""
PLAYERS: Final = "hiddenhand.players"
"""The group of players: classes whose instances are players, or functions that make one."""
VERBS: Final = "hiddenhand.verbs"
"""The group of verbs of the command line: each is a `typer.Typer`, or a function with options."""


@dataclass(frozen=True)
class Plugin:
    """A part of another package.

    name: what it is called.
    place: where it is, as module:attribute.
    package: the name of the package that it comes from.
    """

    name: str
    place: str
    package: str

    def load(self) -> Any:
        """The object itself. Raises OptionError if it cannot be loaded."""
        module, _, attribute = self.place.partition(":")
        try:
            return EntryPoint(self.name, f"{module}:{attribute}", "").load()
        except Exception as error:  # whatever another package does when it is imported
            raise OptionError(
                f"{self.name!r} of the package {self.package} cannot be loaded "
                f"({type(error).__name__}: {error}); repair or remove that package"
            ) from error


@cache
def plugins(group: str) -> tuple[Plugin, ...]:
    """The parts of a group, sorted by name, as installed when this was first called. Of two parts
    with one name, the one that comes first on Python's path counts.
    """
    found: dict[str, Plugin] = {}
    for entry in entry_points(group=group):
        package = entry.value.partition(":")[0] if entry.dist is None else entry.dist.name
        found.setdefault(entry.name, Plugin(entry.name, entry.value, package))
    return tuple(found[name] for name in sorted(found))


def loaded(
    group: str, report: Callable[[str], object] = lambda problem: None
) -> list[tuple[Plugin, Any]]:
    """The parts of a group that can be loaded, each with its object.

    report: receives a sentence about each part that cannot be loaded.
    """
    found = []
    for plugin in plugins(group):
        try:
            found.append((plugin, plugin.load()))
        except OptionError as problem:
            report(str(problem))
    return found
