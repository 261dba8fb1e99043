"""Maps by name, and what `VisibilityPursuit` is played on.

A map is named in one of three ways:

    maze50x49           a map that is made here; with a seed, maze50x49_1
    'folder/file.map'   a file, see `map_files`
    '.../.#./...'       the rows of a grid, divided by slashes, ``#`` a wall and ``.`` free

With ``largest:`` in front, it is the largest of the parts of a map that no way joins.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand.errors import HiddenhandError
from hiddenhand.parameters import closest
from hiddenhand.pursuit.games import map_generators
from hiddenhand.pursuit.games.map_files import read_map, walls_of_rows
from hiddenhand.pursuit.games.places import SCALE, MapError, Places, graph, grid, largest_part
from hiddenhand.text import shortened

SHIPPED_SEEDS: Final = 5
"""Maps that are made from a seed are listed with the seeds 0 to 4."""

LARGEST: Final = "largest:"
"""The prefix of a map of which only the largest part counts."""

_BLOCK5: Final = "...../.###./.###./.###./....."
_WIDE6X7: Final = "......./.##.##./.##.##./......./.##.##./......."
_ROWS: Final = re.compile(r"[.#]+(?:/[.#]+)*/?")
_NAME: Final = re.compile(r"([a-z][a-z0-9]*)(?:_(0|[1-9]\d{0,8}))?")


@dataclass(frozen=True)
class MapDescription:
    """A map in the list of maps.

    name: what games call the map.
    summary: what it is like, in a sentence.
    """

    name: str
    summary: str


@dataclass(frozen=True)
class _Entry:
    """A map, or a family of maps, by name. make: takes the name and the seed. seeded: whether the
    seed makes a difference.
    """

    make: Callable[[str, int], Places]
    summary: str
    seeded: bool = False


def load_map(text: str) -> Places:
    """The map that ``text`` names: see the module. Raises MapError."""
    if not isinstance(text, str) or not text.strip():
        raise MapError(f"map={shortened(text)} is not allowed; {_CURE}")
    return _load(text.strip())


def open_map(text: str) -> Places:
    """The map that ``text`` names, as `load_map` returns it. Raises MapError, also for a file whose
    numbers its reader cannot use. The readers themselves are part of the digests of rules.
    """
    try:
        return load_map(text)
    except HiddenhandError:
        raise
    except (ValueError, ArithmeticError) as error:
        raise MapError(
            f"map {shortened(text)} has numbers that cannot be used ({error}); correct them"
        ) from None


def describe_maps() -> list[MapDescription]:
    """Descriptions of the maps that have a name, with seeds 0 to 4 where there are seeds."""
    return [
        MapDescription(name if seed == 0 else f"{name}_{seed}", entry.summary)
        for name, entry in _ENTRIES.items()
        for seed in range(SHIPPED_SEEDS if entry.seeded else 1)
    ]


def map_names() -> list[str]:
    """The names of these maps."""
    return [described.name for described in describe_maps()]


@lru_cache(maxsize=64)
def _load(text: str) -> Places:
    if _ROWS.fullmatch(text):
        return _of_rows(text, shortened(text))
    if text.startswith(LARGEST):
        return largest_part(_load_parts(text.removeprefix(LARGEST).strip()))
    found = _NAME.fullmatch(text.casefold())
    entry = _ENTRIES.get(found[1]) if found else None
    if found and entry and (entry.seeded or found[2] is None):
        return entry.make(text.casefold(), int(found[2] or 0))
    if "." in text or "/" in text:
        return read_map(text)
    close = closest(text.casefold(), map_names())
    question = f"did you mean {close}? " if close else ""
    raise MapError(f"there is no map {shortened(text)}; {question}{_CURE}")


def _load_parts(text: str) -> Places:
    """A map that may consist of several parts."""
    if _ROWS.fullmatch(text):
        return _of_rows(text, shortened(text), in_parts=True)
    return read_map(text, in_parts=True) if "." in text or "/" in text else _load(text)


def _of_rows(text: str, name: str, in_parts: bool = False) -> Places:
    return grid(name, walls_of_rows(text.rstrip("/").split("/"), name), in_parts=in_parts)


def _make_block(name: str, seed: int) -> Places:
    return _of_rows(_BLOCK5, name)


def _make_wide(name: str, seed: int) -> Places:
    return _of_rows(_WIDE6X7, name)


def _make_maze(name: str, seed: int) -> Places:
    return grid(name, map_generators.maze(seed), sight=10.0)


def _make_town(name: str, seed: int) -> Places:
    points, links, buildings = map_generators.town(seed)
    assert map_generators.TOWN_SCALE == SCALE
    names = [f"n{number}" for number in range(len(points))]
    return graph(name, names, np.asarray(points), links, buildings, sight=25.0)


_ENTRIES: Final = {
    "block5": _Entry(_make_block, "5 x 5 cells around a block of 3 x 3 walls, unlimited sight."),
    "wide6x7": _Entry(_make_wide, "6 x 7 cells around four blocks of walls, unlimited sight."),
    "maze50x49": _Entry(
        _make_maze,
        "A maze of 49 rows and 50 columns with loops and rooms, sight 10 cells.",
        seeded=True,
    ),
    "town465": _Entry(
        _make_town,
        "The bent streets of a town, 465 nodes about 5 m apart, sight 25 m past buildings.",
        seeded=True,
    ),
}
_CURE: Final = (
    f"choose one of: {', '.join(map_names())}, or give a file whose name ends with .txt, .map, "
    ".yaml or .json, or rows such as '.../.#./...'"
)
