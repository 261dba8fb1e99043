"""Searches of users and of other packages, as entries of the registry of algorithms.

A search of yours is a class with the methods of `OnlineSearch`, whose constructor takes a game and
a seed. Further parameters of the constructor become parameters of its name. The first sentence of
the docstring becomes the summary, and entries ``name: meaning`` explain the parameters.
"""

import inspect
import re
from dataclasses import replace
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.plugins import Plugin
from hiddenhand.search.entry import SEARCH, Algorithm
from hiddenhand.text import shortened, without_middle
from hiddenhand.user_code import classes_in, module_at, parted

_METHODS: Final = ("start", "notice", "think", "policy", "weights", "thought")
"""What a class needs to be a search: see `OnlineSearch`."""
_SAID: Final = ("PAPER", "GAMES", "GUARANTEE")
"""What a class may say of itself: where it comes from, what games it is for, what is proven."""


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
