"""Maps without the way units see: places, and the ways that join them.

A map is a grid of cells, some of which are walls, or a graph of nodes in the plane, between which
buildings may stand. Either has *nodes*, numbered from 0: the free cells of a grid in the order of
reading, the nodes of a graph in the order of the file. Nothing here is compiled.
"""

import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from hiddenhand.errors import ParameterError
from hiddenhand.games.grid import DIRECTIONS, STEPS
from hiddenhand.jit.arrays import Integers
from hiddenhand.pursuit.games.sight import Point, Truths, graph_sight, grid_sight

MAX_NODES: Final = 5000
_MOST_IN_PARTS: Final = 1_000_000  # nodes of a map of which a part is played on
SCALE: Final = 1000
"""Coordinates of graphs are whole numbers of thousandths, so that sight is computed exactly."""
STAY: Final = "stay"


class MapError(ParameterError):
    """A map that cannot be played on, or cannot be read."""


@dataclass(frozen=True, eq=False)
class Places:
    """A map: see the module.

    name: what messages call the map.
    names: the name of each node; names of different nodes differ.
    points: ``int64[N, 2]``, where the nodes lie, x to the right and y down: for a grid the column
        and the row, for a graph coordinates in thousandths.
    links: the pairs of nodes that are joined; each pair once.
    sight: how far a unit sees by default, in cells or in the unit of the file; infinity for without
        limit.
    walls: ``bool[rows, columns]`` for a grid, True for a wall; None for a graph.
    buildings: for a graph, the polygons that block sight.
    in_parts: whether it may consist of several parts, see `largest_part`, and be larger than a map
        that is played on.
    """

    name: str
    names: tuple[str, ...]
    points: Integers
    links: tuple[tuple[int, int], ...]
    sight: float
    walls: Truths | None = None
    buildings: tuple[tuple[Point, ...], ...] = field(default=())
    in_parts: bool = False

    def __post_init__(self) -> None:
        if not self.in_parts:
            _verify_size(self.name, len(self.names))
            self._verify_connected()

    def _verify_connected(self) -> None:
        from scipy.sparse.csgraph import connected_components

        parts, part = connected_components(self.joined(), directed=False)
        if parts > 1:
            other = int(np.flatnonzero(part != part[0])[0])
            raise MapError(
                f"map {self.name} has {parts} parts that no way joins: {self.names[0]} and "
                f"{self.names[other]} lie in two of them; join them, or play on the largest one "
                "with part=largest"
            )

    def joined(self) -> Any:
        """The links as a sparse matrix of SciPy, ``[N, N]``."""
        from scipy.sparse import csr_matrix

        ends = np.array(self.links, np.int64).reshape(-1, 2)
        return csr_matrix((np.ones(len(ends)), ends.T), (len(self.names),) * 2)

    @cached_property
    def number(self) -> dict[str, int]:
        """The node with a name, in small letters."""
        return {name.casefold(): node for node, name in enumerate(self.names)}

    @cached_property
    def beside(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each node. On a grid they lie up, right, down and left, in this order;
        on a graph the smallest number comes first.
        """
        found: list[list[int]] = [[] for _ in self.names]
        for one, other in self.links:
            found[one].append(other)
            found[other].append(one)
        if self.walls is None:
            return tuple(tuple(sorted(nodes)) for nodes in found)
        return tuple(
            tuple(sorted(nodes, key=lambda node, here=here: self._direction(here, node)))  # type: ignore[misc]
            for here, nodes in enumerate(found)
        )

    def way_name(self, here: int, there: int) -> str:
        """What the step from one node to a neighbour, or to itself, is called."""
        if here == there:
            return STAY
        if self.walls is None:
            return self.names[there]
        return DIRECTIONS[self._direction(here, there)]

    def _direction(self, here: int, there: int) -> int:
        right, down = (self.points[there] - self.points[here]).tolist()
        return STEPS.index((down, right))

    def sees(self, farthest: float) -> Truths:
        """``bool[N, N]``: which nodes see each other, if a unit sees ``farthest``."""
        if self.walls is not None:
            return grid_sight(self.walls, farthest)
        return graph_sight(self.points, self.buildings, farthest * SCALE)

    @cached_property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """Where each node is drawn, as row and column. Two nodes of a graph may be drawn at one
        place.
        """
        if self.walls is not None:
            return tuple((row, column) for column, row in self.points.tolist())
        step = max(self._spacing(), 1)
        low = self.points.min(0)
        drawn = np.rint((self.points - low) / (step, 2 * step)).astype(int)
        return tuple((row, column) for column, row in drawn.tolist())

    def _spacing(self) -> float:
        """The middle one of the lengths of all links. Links are drawn about one letter long."""
        ends = self.points[np.array(self.links, np.int64).reshape(-1, 2)]
        lengths = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
        return float(np.median(lengths)) if len(lengths) else 1.0


def largest_part(places: Places) -> Places:
    """The part of a map with the most nodes; of equal ones that which comes first. Nodes keep their
    names. On a grid the other parts become walls.
    """
    from scipy.sparse.csgraph import connected_components

    _, part = connected_components(places.joined(), directed=False)
    kept = np.flatnonzero(part == np.argmax(np.bincount(part)))
    number = {int(node): new for new, node in enumerate(kept)}
    walls = None
    if places.walls is not None:
        walls = np.ones_like(places.walls)
        columns, rows = places.points[kept].T
        walls[rows, columns] = False
    return Places(
        name=places.name,
        names=tuple(places.names[node] for node in kept),
        points=places.points[kept],
        links=tuple((number[one], number[other]) for one, other in places.links if one in number),
        sight=places.sight,
        walls=walls,
        buildings=places.buildings,
    )


def _verify_size(name: str, count: int, most: int = MAX_NODES) -> None:
    if count == 0:
        raise MapError(f"map {name} has no free cell; leave one cell free at least")
    if count > most:
        raise MapError(
            f"map {name} has {count} nodes; give a map of at most {most}, such as a part of this "
            "one"
        )


def column_name(column: int) -> str:
    """The name of a column as in spreadsheets: a ... z, aa, ab, ..."""
    letters = ""
    column += 1
    while column > 0:
        column, letter = divmod(column - 1, 26)
        letters = string.ascii_lowercase[letter] + letters
    return letters


def grid(name: str, walls: Truths, sight: float = float("inf"), in_parts: bool = False) -> Places:
    """A map of cells, four neighbours each. Raises MapError if the map cannot be played on.

    name: what messages call the map.
    walls: ``bool[rows, columns]``, True for a wall.
    sight: how far a unit sees, in cells; infinity for without limit.
    in_parts: see `Places`.
    """
    _verify_size(name, int(np.count_nonzero(~walls)), _MOST_IN_PARTS if in_parts else MAX_NODES)
    free = [(int(row), int(column)) for row, column in np.argwhere(~walls)]
    number = {cell: node for node, cell in enumerate(free)}
    links = [
        (node, number[there])
        for (row, column), node in number.items()
        for there in ((row, column + 1), (row + 1, column))
        if there in number
    ]
    return Places(
        name=name,
        names=tuple(f"{column_name(column)}{row + 1}" for row, column in free),
        points=np.array([(column, row) for row, column in free], np.int64).reshape(-1, 2),
        links=tuple(links),
        sight=sight,
        walls=walls,
        in_parts=in_parts,
    )


def graph(
    name: str,
    names: Sequence[str],
    points: Integers,
    links: Sequence[tuple[int, int]],
    buildings: Sequence[Sequence[Point]] = (),
    sight: float = float("inf"),
    in_parts: bool = False,
) -> Places:
    """A map of nodes in the plane. Raises MapError if the map cannot be played on.

    name: what messages call the map.
    names: the name of each of N nodes.
    points: ``int64[N, 2]``, coordinates x and y in thousandths.
    links: the pairs of nodes that are joined.
    buildings: polygons, whose corners are in thousandths, too.
    sight: how far a unit sees, in whole units; infinity for without limit.
    in_parts: see `Places`.
    """
    pairs = dict.fromkeys((min(link), max(link)) for link in links)
    return Places(
        name=name,
        names=tuple(names),
        points=points,
        links=tuple(pairs),
        sight=sight,
        buildings=tuple(tuple(building) for building in buildings),
        in_parts=in_parts,
    )


def rows_of(places: Places) -> list[str]:
    """A grid as text, a row each, ``#`` for a wall and ``.`` for a free cell."""
    assert places.walls is not None
    return ["".join("#" if wall else "." for wall in row) for row in places.walls.tolist()]
