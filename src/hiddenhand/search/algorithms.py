"""The registry of algorithms: what can search or solve a game, by name.

`search`, `solve`, `play`, `match`, `tournament`, `evaluate`, their help texts, the documentation
and the contract test all read this registry, and no other. A new algorithm is a class with an
`Algorithm` above it; its parameters, with types, defaults and meanings, are read from its
constructor. The registry finds these decorators in the text of the files, so that nothing heavy is
imported before the first use of an algorithm.

Other packages add algorithms by entry points, and users name classes of their own by their places:
see `find`. A search of yours is a class with the methods of `OnlineSearch`, whose constructor takes
a game and a seed. Further parameters of the constructor become parameters of its name. The first
sentence of the docstring becomes the summary, and entries ``name: meaning`` explain the parameters.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from hiddenhand.algorithm import SEARCH, SOLVER, Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.parameters import meant, read_parameters
from hiddenhand.plugins import ALGORITHMS as PLUGINS
from hiddenhand.plugins import Plugin, plugins
from hiddenhand.text import Unreadable, folded, shortened, split, summary
from hiddenhand.user_code import classes_in, import_problem, is_place, module_at, parted

__all__ = [
    "SEARCH",
    "SOLVER",
    "Algorithm",
    "added_algorithms",
    "algorithms",
    "class_at",
    "find",
    "is_search",
    "names",
    "read_algorithm",
]

_FOLDERS: Final = {
    SEARCH: (
        "search/auto",
        "search/sampling",
        "search/simultaneous",
        "search/simultaneous/double_oracle",
        "search/resolving",
        "pursuit/search",
    ),
    SOLVER: ("solvers/simultaneous", "solvers", "solvers/vector_form"),
}
"""The folders that have the algorithms of each kind, in the order of lists."""
_ENTRY: Final = re.compile(r"^@Algorithm\(\n(.*?)^\)$", re.MULTILINE | re.DOTALL)
_MAKER: Final = re.compile(r"^(?:class|def) (\w+)", re.MULTILINE)

_METHODS: Final = ("start", "notice", "think", "policy", "weights", "thought")
"""What a class needs to be a search: see `OnlineSearch`."""
_SAID: Final = ("PAPER", "GAMES", "GUARANTEE")
"""What a class may say of itself: where it comes from, what games it is for, what is proven."""

_EXAMPLES: Final = {
    SEARCH: "write it like oos or oos(targeting=ist,delta=0.9)",
    SOLVER: "write it like cfr+ or mccfr-outcome(epsilon=0.6)",
}
_CALLED: Final = {SEARCH: "algorithm", SOLVER: "method"}  # what messages call the two kinds
_A: Final = {SEARCH: "an algorithm", SOLVER: "a method"}


def algorithms(kind: str | None = None) -> tuple[Algorithm, ...]:
    """All algorithms of this package, or those of a kind, `SEARCH` or `SOLVER`."""
    return _in_folders(SEARCH) + _in_folders(SOLVER) if kind is None else _in_folders(kind)


@cache
def _in_folders(kind: str) -> tuple[Algorithm, ...]:
    package = Path(__file__).parent.parent
    return tuple(
        Algorithm(**said, kind=kind, target=f"hiddenhand.{'.'.join(place)}:{maker}")
        for folder in _FOLDERS[kind]
        for file in sorted((package / folder).glob("*.py"))
        for place in [(*folder.split("/"), file.stem)]
        for maker, said in _decorated(file)
    )


def _decorated(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each class or function of a file that has an `Algorithm` above it, and what that says."""
    source = file.read_bytes()
    text = source.decode() if b"\n@Algorithm(" in source else ""
    for found in _ENTRY.finditer(text):
        call = ast.parse(f"dict({found[1]})", mode="eval").body
        assert isinstance(call, ast.Call)
        said = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        maker = _MAKER.search(text, found.end())
        assert maker is not None
        yield maker[1], said


def added_algorithms(
    kind: str | None = None, report: Callable[[str], object] = lambda problem: None
) -> tuple[Algorithm, ...]:
    """The same for those of other packages: see `plugins`.

    report: receives a sentence about each that cannot be loaded. It is left out.
    """
    found = []
    for plugin in plugins(PLUGINS):
        try:
            found.append(search_of(plugin))
        except OptionError as problem:
            report(str(problem))
    return tuple(entry for entry in found if kind in (None, entry.kind))


def names(kind: str | None = None) -> tuple[str, ...]:
    """The names of `algorithms`."""
    return tuple(entry.name for entry in algorithms(kind))


def find(name: str, kind: str | None = None) -> Algorithm | None:
    """The algorithm called ``name``, of ``kind`` if that is given; None if there is none. Raises
    OptionError for one of another package or of a user that cannot be loaded.

    name: a name of the list, one that another package adds, or the place of a class of your own,
        such as "package.module:MySearch" or "file.py:MySearch". A place runs its module.
    """
    if is_place(name):
        fits = kind in (None, SEARCH) and is_search(class_at(name, "search"))
        return search_at(name) if fits else None
    if found := _by_name(kind).get(folded(name)):
        return found
    for plugin in plugins(PLUGINS):
        if folded(plugin.name) == folded(name):
            added = search_of(plugin)
            return added if kind in (None, added.kind) else None
    return None


def read_algorithm(text: str, kind: str = SEARCH) -> tuple[Algorithm, dict[str, Any]]:
    """The algorithm that a text such as ``oos(epsilon=0.4)`` names, and its parameters. Raises
    OptionError for a text that cannot be read, and for an unknown algorithm.
    """
    try:
        name, inside = split(text)
    except Unreadable as problem:
        raise OptionError(
            f"{shortened(text)} is not the name of {_A[kind]}; {_EXAMPLES[kind]}"
        ) from problem
    entry = find(name, kind)
    if entry is None and is_place(name) and kind == SEARCH:
        search_at(name)  # says why it is none
    if entry is None:
        known = [*names(kind), *(entry.name for entry in added_algorithms(kind))]
        raise OptionError(
            f"there is no {_CALLED[kind]} {shortened(name)}; {meant(name, known)}choose one of: "
            f"{', '.join(known)}"
        )
    given = read_parameters(entry.name, inside, _EXAMPLES[kind])
    return entry, entry.verified(given)


@cache
def _by_name(kind: str | None) -> dict[str, Algorithm]:
    return {
        folded(name): entry
        for entry in reversed(algorithms(kind))  # a name of both kinds means the search
        for name in (entry.name, *entry.aliases)
    }


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
        raise OptionError(import_problem(source, error)) from error
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
    paper, games, guarantee = (getattr(cls, said, "") for said in _SAID)
    return Algorithm(name, paper, summary(inspect.getdoc(cls)), guarantee, games, target=place)
