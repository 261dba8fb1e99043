"""Digests of rules, which files keep, so that no file is read with other rules.

`repr` of a game says its name and parameters, and stays the same when a rule is edited. But numbers
in a file from the old rules may then belong to other information sets.
"""

import contextlib
import dataclasses
import hashlib
import sys
from typing import Any, Final

import numpy as np

from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.fingerprint import digest_text
from hiddenhand.jit.methods import rules_digest

_UNDER: Final = " under "
_PYTHON: Final = sys.implementation.cache_tag or sys.implementation.name


def rules_of(game: Game) -> str:
    """A digest of the rules of ``game``, with the Python whose bytecode it was taken from, such as
    ``"0123456789abcdef under cpython-311"``.

    It changes with the rules of the game, of the games inside it and of its evaluation function,
    and with the values of their fields.
    """
    parts: list[str] = []
    _describe(game, parts)
    with contextlib.suppress(Exception):  # it may have none, or fail, which `verify_rules` tells
        _describe(game.evaluation(), parts)
    return f"{digest_text(' '.join(parts))}{_UNDER}{_PYTHON}"


def other_rules(game: Game, what: object, kept: object) -> FileError:
    """The error for ``what``, such as a file, that was made when `rules_of` ``game`` were as
    ``kept`` says.
    """
    python = str(kept).partition(_UNDER)[2]
    if python != _PYTHON:
        return FileError(
            f"{what} was made under {python:.40}, and {_PYTHON} cannot find out whether {game} had "
            "the same rules; make it anew"
        )
    return FileError(
        f"{what} was made with other rules of {game}; undo the change of the rules, or make it anew"
    )


def verify_same_rules(game: Game, what: object, kept: str) -> None:
    """Raise FileError unless ``kept`` is what `rules_of` says of ``game``."""
    if kept != rules_of(game):
        raise other_rules(game, what, kept)


def remembers_all(game: Game) -> bool:
    """Whether information sets of ``game`` are filed under keys of all that a player noticed. A
    game that overrides `information`, and yet does so for some of its parameters only, says it in
    a property ``remembers_all``.
    """
    said: bool | None = getattr(game, "remembers_all", None)
    return type(game).information is Game.information if said is None else said


def _describe(value: Any, parts: list[str]) -> None:
    """Add to ``parts`` what tells ``value`` from other values. An instance that knows a digest of
    its arrays, which may be large, has it in a field ``contents``.
    """
    value = getattr(value, "described", value)  # a game that is another one but for a shift
    if isinstance(value, Compiled) and dataclasses.is_dataclass(value):
        parts.append(f"{type(value).__qualname__} {rules_digest(type(value))}")
        if contents := getattr(value, "contents", ""):
            parts.append(str(contents))
            return
        for field in dataclasses.fields(value):
            parts.append(field.name)
            _describe(getattr(value, field.name), parts)
    elif isinstance(value, np.ndarray):
        contents = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        parts.append(f"{value.dtype} {value.shape} {contents}")
    elif isinstance(value, tuple):
        parts.append(f"tuple {len(value)}")
        for item in value:
            _describe(item, parts)
    elif isinstance(value, (bool, int, float, str, np.generic, type(None))):
        parts.append(repr(value))
    else:
        parts.append(type(value).__qualname__)
