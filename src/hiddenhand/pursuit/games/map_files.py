"""Readers of map files.

    rows of text      one line for each row of cells, ``#`` a wall and ``.`` free
    MovingAI          lines ``height`` and ``width``, a line ``map``, then rows; ``.``, ``G`` and
                      ``S`` are free
    ROS map_server    a YAML file beside a PGM picture
    graph             JSON: nodes with coordinates, edges, buildings as polygons

Each reader returns a `Places`, or raises MapError with one sentence that says where the file is
wrong. This package contains no such files: the MovingAI maps, for one, come with terms of their
own.
"""

import contextlib
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Integers
from hiddenhand.pursuit.games.places import MAX_NODES, SCALE, MapError, Places, graph, grid
from hiddenhand.pursuit.games.sight import Truths
from hiddenhand.text import on_one_line, shortened

_MOST_CELLS: Final = 1_000_000
_LARGEST: Final = 1e9  # coordinates, in the unit of the file
_SETTING: Final = re.compile(r"\s*([A-Za-z_]+)\s*:\s*(.*?)\s*(?:#.*)?")
_LONGEST_HEADER: Final = 20  # lines
_FREE: Final = ".GS"
_WALLS: Final = "@OTW"


def read_map(path: Path | str, in_parts: bool = False) -> Places:
    """The map in a file. The end of the name gives the format: ``.txt``, ``.map``, ``.yaml`` or
    ``.yml``, ``.json``. Raises MapError.

    in_parts: whether the map may consist of several parts, see `largest_part`.
    """
    path = Path(path)
    _verify_file(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise MapError(
            f"{_said(path)} is no kind of map file that is known; give a file whose name ends with "
            f"one of: {', '.join(_READERS)}"
        )
    return reader(path, in_parts)


def walls_of_rows(rows: list[str], name: str, first: int = 1, free: str = ".") -> Truths:
    """The walls that rows of text describe, ``bool[rows, columns]``. Raises MapError.

    rows: the rows; all have the same length.
    name: what messages call the map.
    first: the number of the first line.
    free: the letters of free cells.
    """
    allowed = "#." if free == "." else _FREE + _WALLS
    if not rows or not rows[0]:
        raise MapError(f"map {name} has no rows; give rows of # for walls and . for free cells")
    for number, row in enumerate(rows, first):
        if len(row) != len(rows[0]):
            raise MapError(
                f"map {name} is ragged: line {number} has {len(row)} cells, and line {first} has "
                f"{len(rows[0])}; make all rows equally long"
            )
        if wrong := set(row) - set(allowed):
            raise MapError(
                f"map {name}: line {number} has a cell {shortened(min(wrong))}; use only "
                f"{' '.join(allowed)}"
            )
    return np.array([[letter not in free for letter in row] for row in rows])


def _verify_file(path: Path) -> None:
    """Raise MapError if there is something at ``path`` that is no regular file. Reading a pipe
    would wait until another program writes into it.
    """
    is_other = False
    with contextlib.suppress(OSError, ValueError):  # opening the file says later what is wrong
        is_other = path.exists() and not path.is_file()
    if is_other:
        raise MapError(f"{_said(path)} is no file; give the name of a map file")


def _said(path: Path) -> str:
    """A path as messages have it."""
    return on_one_line(str(path), 100)


def _why(problem: Exception) -> str:
    return on_one_line(getattr(problem, "strerror", None) or str(problem), 100)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as problem:
        raise MapError(
            f"map {_said(path)} cannot be read: {_why(problem)}; give the name of a text file"
        ) from None


def _read_rows(path: Path, in_parts: bool) -> Places:
    rows = _text(path).rstrip().splitlines()
    walls = walls_of_rows([row.rstrip() for row in rows], _said(path))
    return grid(_said(path), walls, in_parts=in_parts)


def _read_moving_ai(path: Path, in_parts: bool) -> Places:
    """Public files differ in their headers: some have no line ``type``, some have tabs, empty lines
    or words in capitals. What counts is the lines up to ``map``.
    """
    lines = _text(path).removeprefix("\ufeff").splitlines()
    words = [line.casefold().split() for line in lines[:_LONGEST_HEADER]]
    end = words.index(["map"]) if ["map"] in words else 0
    header = {line[0]: line[1] for line in words[:end] if len(line) == 2}
    height, width = header.get("height", ""), header.get("width", "")
    if not (height.isdecimal() and width.isdecimal()):
        raise MapError(
            f"map {_said(path)} is no MovingAI map; before the line map it must have the lines "
            "height H and width W"
        )
    rows = [line.rstrip() for line in lines[end + 1 :] if line.strip()]
    walls = walls_of_rows(rows, _said(path), end + 2, _FREE)
    if walls.shape != (int(height), int(width)):
        raise MapError(
            f"map {_said(path)} says height {height} and width {width}, and has {walls.shape[0]} "
            f"rows of {walls.shape[1]} cells; correct its header"
        )
    return grid(_said(path), walls, in_parts=in_parts)


# --- ROS map_server ---


def _read_ros(path: Path, in_parts: bool) -> Places:
    """A cell is free if it is occupied with a probability below ``free_thresh``. Cells that are
    occupied or unknown are walls.
    """
    settings = {
        found[1]: found[2].strip("'\"")
        for line in _text(path).splitlines()
        if (found := _SETTING.fullmatch(line))
    }
    wanted = ("image", "free_thresh")
    if missing := [name for name in wanted if not settings.get(name)]:
        raise MapError(
            f"map {_said(path)} does not say {missing[0]}; a map of ROS says image, resolution, "
            "origin, occupied_thresh, free_thresh and negate"
        )
    try:
        threshold, negate = float(settings["free_thresh"]), int(settings.get("negate", "0"))
    except ValueError:
        raise MapError(
            f"map {_said(path)}: free_thresh and negate must be numbers, such as 0.196 and 0"
        ) from None
    levels, brightest = _read_pgm(path.parent / settings["image"])
    occupied = levels if negate else brightest - levels
    return grid(_said(path), occupied >= threshold * brightest, in_parts=in_parts)


def _read_pgm(path: Path) -> tuple[Integers, int]:
    """The grey levels of a picture, ``int64[rows, columns]``, and the level of white."""
    _verify_file(path)
    try:
        contents = path.read_bytes()
    except (OSError, ValueError) as problem:
        raise MapError(f"picture {_said(path)} cannot be read: {_why(problem)}") from None
    kind, at, sizes = contents[:2], 2, list[int]()
    while kind in (b"P2", b"P5") and len(sizes) < 3:
        found = re.compile(rb"(?:\s|#[^\n]*\n)*(\d+)").match(contents, at)
        if found is None:
            break
        sizes.append(int(found[1]))
        at = found.end()
    if len(sizes) < 3 or not 0 < sizes[2] < 256 or sizes[0] * sizes[1] > _MOST_CELLS:
        raise MapError(
            f"{_said(path)} is no PGM picture of at most {_MOST_CELLS} cells with levels up to "
            "255; save it as PGM, plain or binary"
        )
    columns, rows, brightest = sizes
    if kind == b"P5":
        levels = list(contents[at + 1 :])
    else:
        words = contents[at:].split()
        levels = [int(word) if word.isdigit() else -1 for word in words]
    if len(levels) != rows * columns or not all(0 <= level <= brightest for level in levels):
        raise MapError(
            f"picture {_said(path)} should hold {rows * columns} levels from 0 to {brightest}, and "
            "does not; save it again"
        )
    return np.array(levels, np.int64).reshape(rows, columns), brightest


# --- graphs ---


def _read_graph(path: Path, in_parts: bool) -> Places:
    try:
        said = json.loads(_text(path))
    except (ValueError, RecursionError) as problem:
        raise MapError(f"map {_said(path)} is no JSON: {_why(problem)}") from None
    return graph_of(said, _said(path), in_parts)


def graph_of(said: Any, name: str, in_parts: bool = False) -> Places:
    """The map that parsed JSON describes. Raises MapError.

    The JSON is an object with ``nodes``, each an object with ``x``, ``y`` and optionally ``name``.
    Its ``edges`` are pairs of names or numbers of nodes. Optional are ``buildings``, lists of
    corners ``[x, y]``, and ``sight``.
    """
    if not isinstance(said, Mapping) or not {"nodes", "edges"} <= said.keys():
        raise MapError(f"map {name} is no graph; give an object with nodes and edges")
    nodes, edges = said["nodes"], said["edges"]
    if not isinstance(nodes, list) or not nodes or len(nodes) > MAX_NODES:
        raise MapError(f"map {name}: nodes must be a list of 1 to {MAX_NODES} nodes")
    if not all(isinstance(node, Mapping) for node in nodes):
        raise MapError(f"map {name}: each node must be an object with x and y")
    names = [str(node.get("name", f"n{number}")) for number, node in enumerate(nodes)]
    _verify_names(names, name)
    points = [
        _point((node.get("x"), node.get("y")), f"node {names[number]}", name)
        for number, node in enumerate(nodes)
    ]
    number_of: dict[Any, int] = {label: number for number, label in enumerate(names)}
    number_of |= {number: number for number in range(len(nodes))}
    links = [_link(edge, number_of, name) for edge in _listed(edges, "edges", name)]
    buildings = [
        [_point(corner, "a building", name) for corner in _listed(building, "a building", name)]
        for building in _listed(said.get("buildings", []), "buildings", name)
    ]
    if short := [building for building in buildings if len(building) < 3]:
        raise MapError(
            f"map {name}: a building has {len(short[0])} corners; a building needs at least 3"
        )
    sight = said.get("sight", math.inf)
    if isinstance(sight, bool) or not isinstance(sight, (int, float)) or not sight > 0:
        raise MapError(
            f"map {name}: sight={shortened(sight)} is not allowed; give a number above 0"
        )
    return graph(name, names, np.array(points, np.int64), links, buildings, float(sight), in_parts)


def _verify_names(names: list[str], name: str) -> None:
    for label in names:
        if not re.fullmatch(r"[^\s,]{1,40}", label):
            raise MapError(
                f"map {name}: a node is called {shortened(label)}; give names without blanks and "
                "commas, of at most 40 letters"
            )
    if len({label.casefold() for label in names}) < len(names):
        raise MapError(f"map {name}: two nodes have the same name; give each a name of its own")


def _listed(value: Any, what: str, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise MapError(f"map {name}: {what} must be a list, not {shortened(value)}")
    return value


def _point(said: Any, what: str, name: str) -> tuple[int, int]:
    """Coordinates in thousandths."""
    pair = tuple(said) if isinstance(said, (list, tuple)) else ()
    if len(pair) == 2 and all(
        isinstance(number, (int, float)) and not isinstance(number, bool) and abs(number) < _LARGEST
        for number in pair
    ):
        return round(pair[0] * SCALE), round(pair[1] * SCALE)
    raise MapError(
        f"map {name}: {what} has the coordinates {shortened(said)}; give two numbers, x and y"
    )


def _link(edge: Any, number_of: Mapping[Any, int], name: str) -> tuple[int, int]:
    ends = edge if isinstance(edge, list) else []
    if len(ends) == 2 and all(
        isinstance(end, (int, str)) and not isinstance(end, bool) and end in number_of
        for end in ends
    ):
        one, other = number_of[ends[0]], number_of[ends[1]]
        if one != other:
            return one, other
    raise MapError(
        f"map {name}: {shortened(edge)} is no edge; give the names, or numbers from 0, of two nodes"
    )


_READERS: Final[dict[str, Callable[[Path, bool], Places]]] = {
    ".txt": _read_rows,
    ".map": _read_moving_ai,
    ".yaml": _read_ros,
    ".yml": _read_ros,
    ".json": _read_graph,
}
