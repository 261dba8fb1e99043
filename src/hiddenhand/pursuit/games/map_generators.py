"""Maps made from a seed: mazes and towns of the size of the two maps in Lisy's thesis (2014).

The thesis shows its maps as pictures only: a maze of "50x49 pixels", and the streets of a town as
"a graph with a node placed every 5 meters, creating 465 nodes" (Section 5.5.1). The maps made here
have these sizes, and nothing else in common with them. An equal seed makes an equal map, on every
machine.
"""

import itertools
import math
import random
from collections.abc import Iterable
from typing import Final

import numpy as np

from hiddenhand.jit.arrays import Integers
from hiddenhand.pursuit.games.sight import Point, Truths

MAZE_ROWS: Final = 49
MAZE_COLUMNS: Final = 50
TOWN_NODES: Final = 465
TOWN_SCALE: Final = 1000  # coordinates of a town are millimetres
_LOOPS: Final = 0.08  # the share of walls between passages that are opened after carving
_ROOMS: Final = 7
_SPACING: Final = 5000  # millimetres between nodes of a street
_BLOCK: Final = 45_000  # millimetres between crossings, on average
_CROSSINGS: Final = 6  # in each direction
_BENT: Final = 0.16  # by which share of a block a crossing is moved, at most
_CUT: Final = 20  # how many nodes more than wanted are left when streets are no longer dropped
_SHRUNK: Final = 0.78  # the size of a building, compared with its block
_MIDDLE: Final = (_CROSSINGS + 1) * (_CROSSINGS // 2)  # the number of the crossing in the middle

Link = tuple[int, int]


class _Draws:
    """Random numbers of which Python promises that they never change."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, count: int) -> int:
        return int(self._random.random() * count)

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self._random.random()

    def shuffled(self, items: Iterable[Link]) -> list[Link]:
        mixed = list(items)
        for place in range(len(mixed) - 1, 0, -1):
            other = self.below(place + 1)
            mixed[place], mixed[other] = mixed[other], mixed[place]
        return mixed


def maze(seed: int) -> Truths:
    """The walls of a maze, ``bool[49, 50]``: passages of one cell's width that reach everywhere,
    some loops, and some rooms.
    """
    draws = _Draws(seed)
    walls = np.ones((MAZE_ROWS, MAZE_COLUMNS), np.bool_)
    _carve(walls, draws)
    for row in range(1, MAZE_ROWS - 1):
        for column in range(1, MAZE_COLUMNS - 2):
            if (row + column) % 2 == 1 and draws.between(0.0, 1.0) < _LOOPS:
                walls[row, column] = False
    for _ in range(_ROOMS):
        height, width = 3 + 2 * draws.below(3), 3 + 2 * draws.below(3)
        top = 1 + 2 * draws.below((MAZE_ROWS - height) // 2)
        left = 1 + 2 * draws.below((MAZE_COLUMNS - 1 - width) // 2)
        walls[top : top + height, left : left + width] = False
    return walls


def _carve(walls: Truths, draws: _Draws) -> None:
    """Open passages between the cells of odd row and column, by a walk that goes on wherever it
    can, and else goes back.
    """
    path = [(1, 1)]
    walls[1, 1] = False
    while path:
        row, column = path[-1]
        ways = [
            (down, right)
            for down, right in ((-2, 0), (0, 2), (2, 0), (0, -2))
            if 0 < row + down < MAZE_ROWS
            and 0 < column + right < MAZE_COLUMNS - 1
            and walls[row + down, column + right]
        ]
        if not ways:
            path.pop()
            continue
        down, right = ways[draws.below(len(ways))]
        walls[row + down // 2, column + right // 2] = False
        walls[row + down, column + right] = False
        path.append((row + down, column + right))


def town(seed: int) -> tuple[Integers, list[Link], list[list[Point]]]:
    """A town: a lattice of streets that are bent, some of them missing, with a node about every 5 m
    and a building in each block.

    Returns the coordinates of the nodes in millimetres, ``int64[465, 2]``; the pairs of nodes that
    a street joins; and the buildings as polygons.
    """
    draws = _Draws(seed)
    corners = _crossings(draws)
    bends = {street: _bend(corners, street, draws) for street in _streets()}
    points, links = _nodes(corners, bends, _some_streets(corners, bends, draws))
    return *_cut(points, links), [_building(corners, bends, block) for block in _blocks()]


def _number(row: int, column: int) -> int:
    return row * _CROSSINGS + column


def _streets() -> list[Link]:
    """All streets between neighbouring crossings."""
    here = range(_CROSSINGS)
    return [
        (_number(row, column), _number(row + down, column + right))
        for row, column in itertools.product(here, here)
        for down, right in ((0, 1), (1, 0))
        if row + down < _CROSSINGS and column + right < _CROSSINGS
    ]


def _blocks() -> list[tuple[int, int, int, int]]:
    """The four crossings around each block, in order."""
    here = range(_CROSSINGS - 1)
    return [
        (
            _number(row, column),
            _number(row, column + 1),
            _number(row + 1, column + 1),
            _number(row + 1, column),
        )
        for row, column in itertools.product(here, here)
    ]


def _crossings(draws: _Draws) -> list[Point]:
    def moved(place: int) -> int:
        return int(_BLOCK * (place + draws.between(-_BENT, _BENT)))

    return [
        (moved(column), moved(row)) for row in range(_CROSSINGS) for column in range(_CROSSINGS)
    ]


def _bend(corners: list[Point], street: Link, draws: _Draws) -> Point:
    """Where a street bends: somewhere beside its middle."""
    (x_0, y_0), (x_1, y_1) = corners[street[0]], corners[street[1]]
    by = draws.between(-_BENT, _BENT) / 2
    return int((x_0 + x_1) / 2 - by * (y_1 - y_0)), int((y_0 + y_1) / 2 + by * (x_1 - x_0))


def _some_streets(corners: list[Point], bends: dict[Link, Point], draws: _Draws) -> list[Link]:
    """The streets that are left when so many were dropped that the town is not much too large; all
    crossings stay connected.
    """
    left = _streets()
    for street in draws.shuffled(left):
        if len(_nodes(corners, bends, left)[0]) <= TOWN_NODES + _CUT:
            break
        others = [other for other in left if other != street]
        if len(_in_order(_MIDDLE, others)) == len(corners):
            left = others
    return left


def _in_order(start: int, links: Iterable[Link]) -> list[int]:
    """What can be reached from ``start``, the nearest first."""
    beside: dict[int, list[int]] = {}
    for one, other in links:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    reached = dict.fromkeys([start])
    waiting = [start]
    for here in waiting:
        for there in beside.get(here, []):
            if there not in reached:
                reached[there] = None
                waiting.append(there)
    return waiting


def _nodes(
    corners: list[Point], bends: dict[Link, Point], streets: list[Link]
) -> tuple[list[Point], list[Link]]:
    """The crossings, and then the nodes along each street; and what is joined."""
    points, links = list(corners), []
    for street in streets:
        along = _along(corners[street[0]], bends[street], corners[street[1]])
        numbers = [street[0], *range(len(points), len(points) + len(along)), street[1]]
        points += along
        links += list(itertools.pairwise(numbers))
    return points, links


def _along(start: Point, bend: Point, end: Point) -> list[Point]:
    """The nodes between the two ends of a street, at equal distances of about 5 m."""
    halves = [_length(start, bend), _length(bend, end)]
    length = sum(halves)
    count = max((2 * length + _SPACING) // (2 * _SPACING), 1)
    places = []
    for number in range(1, count):
        gone = length * number // count
        first = gone < halves[0]
        (x_0, y_0), (x_1, y_1) = (start, bend) if first else (bend, end)
        gone, half = (gone, halves[0]) if first else (gone - halves[0], halves[1])
        places.append((x_0 + (x_1 - x_0) * gone // half, y_0 + (y_1 - y_0) * gone // half))
    return places


def _length(start: Point, end: Point) -> int:
    """In whole millimetres, and so the same on every machine."""
    return math.isqrt((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2)


def _cut(points: list[Point], links: list[Link]) -> tuple[Integers, list[Link]]:
    """The nodes that are nearest to the middle of the town, as many as wanted. They are connected,
    because a node's way to the middle leads over nearer ones.
    """
    kept = sorted(_in_order(_MIDDLE, links)[:TOWN_NODES])
    number = {node: place for place, node in enumerate(kept)}
    joined = [(number[a], number[b]) for a, b in links if a in number and b in number]
    return np.array([points[node] for node in kept], np.int64), joined


def _building(
    corners: list[Point], bends: dict[Link, Point], block: tuple[int, int, int, int]
) -> list[Point]:
    """A block without the streets around it: its corners and bends, drawn towards its middle."""
    outline = []
    for here, there in zip(block, (*block[1:], block[0]), strict=True):
        outline += [corners[here], bends[min(here, there), max(here, there)]]
    middle = np.mean(outline, 0)
    return [
        (
            round(middle[0] + _SHRUNK * (x - middle[0])),
            round(middle[1] + _SHRUNK * (y - middle[1])),
        )
        for x, y in outline
    ]
