"""Games of the same class with other parameters, for `check`, which looks at them for a moment."""

import dataclasses
import enum
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from hiddenhand.games.base import Game


def variants(game: Game) -> Iterator[tuple[str, Game]]:
    """The games that differ from ``game`` in one parameter, as far as the class accepts the value;
    each with the parameter in words. Varied are numbers, truth values, and words of which the class
    declares the choices, as a Literal or an Enum.
    """
    try:
        declared = get_type_hints(type(game))
    except NameError:  # a type that is only imported for type checkers
        declared = {}
    for field in dataclasses.fields(game):  # type: ignore[arg-type]
        if not field.init or field.name.startswith("_"):
            continue
        for value in _others(getattr(game, field.name), declared.get(field.name)):
            try:
                other = dataclasses.replace(game, **{field.name: value})  # type: ignore[type-var]
            except Exception:  # the class does not accept the value, whatever it says
                continue
            yield f"{field.name}={value!r}", other


def _others(value: Any, kind: Any) -> tuple[Any, ...]:
    """A few other values of a parameter, near ``value``; numbers stay positive if they are."""
    if isinstance(value, enum.Enum):
        return tuple(one for one in type(value) if one is not value)
    if get_origin(kind) is Literal:
        return tuple(one for one in get_args(kind) if one != value)
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return tuple(one for one in (value + 1, value - 1, value + 2) if one > 0 or value < 0)
    if isinstance(value, float):
        return (value / 2, 2 * value) if value else (0.5, 1.0)
    return ()
