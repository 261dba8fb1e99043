"""What the registry of algorithms says of each: an entry of `hiddenhand.search.algorithms`.

Searches of users and of other packages have entries, too. A search of yours is a class with the
methods of `OnlineSearch`, whose constructor takes a game and a seed. Further parameters of the
constructor become parameters of its name. The first sentence of the docstring becomes the summary,
and entries ``name: meaning`` explain the parameters.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hiddenhand.errors import GameError, OptionError
from hiddenhand.parameters import Parameter, parameters_of, verified_values
from hiddenhand.plugins import Plugin
from hiddenhand.text import shortened, without_middle, written_call
from hiddenhand.user_code import classes_in, module_at, parted

if TYPE_CHECKING:
    from hiddenhand.games.base import Game

SEARCH: Final = "search"
"""The kind of an algorithm that searches online: see `OnlineSearch`."""
SOLVER: Final = "solver"
"""The kind of an algorithm that solves a game that is written out: see `solve`."""

_NOT_PARAMETERS: Final = {
    SEARCH: ("game", "seed"),
    SOLVER: ("game", "tree", "form", "max_nodes", "memory", "progress"),
}
"""Parameters of constructors that are not part of a name: the caller gives them."""

_METHODS: Final = ("start", "notice", "think", "policy", "weights", "thought")
"""What a class needs to be a search: see `OnlineSearch`."""
_SAID: Final = ("PAPER", "GAMES", "GUARANTEE")
"""What a class may say of itself: where it comes from, what games it is for, what is proven."""


@dataclass(frozen=True)
class Algorithm:
    """An algorithm by name.

    name: what it is called; letters' case, blanks, hyphens and underscores make no difference.
    kind: `SEARCH` or `SOLVER`.
    target: its class or function as "module:name", imported at the first use.
    paper: where it comes from.
    summary: what it does, in a sentence.
    games: what games it is for, in words.
    guarantee: what is proven, or known, of what it finds.
    aliases: other names.
    fixed: parameters that the name decides, with their values.
    defaults: of parameters whose default is another than that of the constructor.
    searches_chance: whether it finds something where chance moves first, before any player does.
    needs_public: whether it needs games that say what all players see.
    package: the other package that it comes from; empty for the algorithms of this one.
    """

    name: str
    kind: str
    target: str
    paper: str
    summary: str
    games: str
    guarantee: str
    aliases: tuple[str, ...] = ()
    fixed: tuple[tuple[str, Any], ...] = ()
    defaults: tuple[tuple[str, Any], ...] = ()
    searches_chance: bool = True
    needs_public: bool = False
    package: str = ""

    def load(self) -> Any:
        """The class or function itself, imported now."""
        module, attribute = parted(self.target)
        return getattr(module_at(module), attribute)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What can be given in parentheses after the name."""
        fixed, other = [name for name, _ in self.fixed], dict(self.defaults)
        return tuple(
            replace(one, default=other.get(one.name, one.default))
            for one in parameters_of(self.load(), (*_NOT_PARAMETERS[self.kind], *fixed))
        )

    @property
    def can_be_saved(self) -> bool:
        """Whether a run can be written to a file and continued: the class has ``load``."""
        return hasattr(self.load(), "load")

    def verified(self, given: Mapping[str, Any], besides: tuple[str, ...] = ()) -> dict[str, Any]:
        """``given`` as the constructor wants it. Raises OptionError for a parameter that does not
        exist, or a value of another kind; ``besides``: further parameters that a player may have.
        """
        return verified_values(self.name, self.parameters, given, besides)

    def given_once(self, in_spec: Mapping[str, Any], by_name: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that the name came with, and those that were given by name, verified.
        Raises OptionError, also for one that was given in both ways.
        """
        for name in by_name:
            if name in in_spec:
                raise OptionError(f"{self.name}: {name!r} is given twice; give it once")
        return dict(in_spec) | self.verified(by_name)

    def spec(self, given: Mapping[str, Any]) -> str:
        """The name with the parameters ``given``, in the order of the constructor, in the one form
        that is printed; `read_algorithm` reads it.
        """
        known = [parameter.name for parameter in self.parameters]
        return written_call(self.name, ((name, given[name]) for name in known if name in given))

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All that the constructor is called with besides the game and the seed."""
        return dict(self.fixed) | dict(self.defaults) | dict(given)

    def verify_public(self, game: "Game") -> None:
        """Raise GameError if the algorithm needs to know what is public, and ``game``, which comes
        from another program, does not say (its ``tells_public`` is False).
        """
        if self.needs_public and not getattr(game, "tells_public", True):
            raise GameError(
                f"{self.name} needs to know what all players see, and {game} does not say that; "
                "use oos or ismcts"
            )


# --- entries of users and of other packages ---


def is_search(found: object) -> bool:
    """Whether ``found`` is a class of searches."""
    return isinstance(found, type) and all(hasattr(found, name) for name in _METHODS)


def class_at(place: str, what: str) -> Any:
    """The class at a place, ``package.module:Name`` or ``path/to/file.py:Name``. Raises OptionError
    if it cannot be imported.

    what: what the class should be, for messages, such as "search".
    """
    source, name = parted(place)
    try:
        module = module_at(source)
    except Exception as error:  # whatever the user's own code raises when it is imported
        said = without_middle(f"{type(error).__name__}: {error}", 300)
        raise OptionError(f"{without_middle(source, 200)} cannot be imported: {said}") from error
    found = getattr(module, name, None)
    if found is None:
        defined = ", ".join(cls.__name__ for cls in classes_in(module)) or "none"
        raise OptionError(
            f"{source} has no {what} {shortened(name)}; it has these classes: {defined}"
        )
    return found


def search_at(place: str) -> Algorithm:
    """The entry of the search of a user at a place. Raises OptionError if there is none."""
    return _described(place, place, class_at(place, "search"))


def search_of(plugin: Plugin) -> Algorithm:
    """The entry of an algorithm of another package. Raises OptionError if it cannot be loaded."""
    found = plugin.load()
    if isinstance(found, Algorithm):
        return replace(found, name=plugin.name, package=plugin.package)
    return replace(_described(plugin.name, plugin.place, found), package=plugin.package)


def _described(name: str, place: str, cls: Any) -> Algorithm:
    """The entry of a class, in the words of its docstring."""
    if not is_search(cls):
        missing = [method for method in _METHODS if not hasattr(cls, method)]
        raise OptionError(
            f"{shortened(place)} is not a search, because it has no {', '.join(missing) or 'class'}"
            "; give it the methods of hiddenhand.search.online.OnlineSearch"
        )
    if "seed" not in inspect.signature(cls).parameters:
        raise OptionError(
            f"{shortened(place)} cannot be made with a seed; write its constructor as "
            "__init__(self, game, ..., seed=0)"
        )
    text = " ".join((inspect.getdoc(cls) or "").split("\n\n", maxsplit=1)[0].split())
    summary = re.split(r"(?<=[^.][.])\s", text, maxsplit=1)[0]
    paper, games, guarantee = (getattr(cls, said, "") for said in _SAID)
    return Algorithm(name, SEARCH, place, paper, summary, games, guarantee)
