"""Who can see whom on a map: lines of sight, in exact integer arithmetic and symmetric.

Source: Lisy (2014), thesis at the Czech Technical University in Prague, Section 5.5.1: "line-of-
sight visibility with Euclidean distance limitation" on a bitmap, and on a road network sight up to
a distance unless a building lies in between. The thesis does not say what happens at corners. Here
a line of sight goes from centre to centre. The inside of a wall blocks it. The corner of a single
wall does not, and two walls that meet in a corner do. A line that only touches a building is free.

Nothing here is compiled.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.arrays import Integers

Truths = npt.NDArray[np.bool_]
Point = tuple[int, int]
Offset = tuple[int, int]


def crossed(down: int, right: int) -> tuple[list[Offset], list[tuple[Offset, Offset]]]:
    """What the line from the centre of a cell to the centre of another cell crosses.

    down: by how many rows the other cell lies lower, of any sign.
    right: by how many columns it lies further right, of any sign.

    Returns the cells whose inside the line crosses, both ends included, as (rows down, columns
    right) from the first; and the pairs of cells that meet in a corner through which the line goes.
    """
    row_step, column_step = 1 if down >= 0 else -1, 1 if right >= 0 else -1
    rows, columns = abs(down), abs(right)
    row = column = 0
    cells, corners = [(0, 0)], []
    while (row, column) != (rows, columns):
        # The line leaves the cell through the border to the next column after the share
        # (2 column + 1) / (2 columns) of its length, and through the border to the next row after
        # (2 row + 1) / (2 rows). Both shares are compared without dividing.
        to_column, to_row = (2 * column + 1) * rows, (2 * row + 1) * columns
        if to_column == to_row:
            beside = (row_step * row, column_step * (column + 1))
            below = (row_step * (row + 1), column_step * column)
            corners.append((beside, below))
        column += int(to_column <= to_row)
        row += int(to_row <= to_column)
        cells.append((row_step * row, column_step * column))
    return cells, corners


def grid_sight(walls: Truths, farthest: float) -> Truths:
    """Which free cells of a grid see each other.

    walls: ``bool[rows, columns]``, True where there is a wall.
    farthest: how far one sees, in cells, from centre to centre; infinity for without limit.

    Returns ``bool[N, N]`` over the N free cells in the order of reading.
    """
    rows, columns = walls.shape
    number = np.full(walls.shape, -1, np.int64)
    number[~walls] = np.arange(np.count_nonzero(~walls))
    sees = np.eye(number.max() + 1, dtype=np.bool_)
    for down in range(rows):
        for right in range(1 if down == 0 else 1 - columns, columns):
            if down * down + right * right > farthest * farthest:
                continue
            window = _Window(rows - down, columns - abs(right), max(0, -right))
            cells, corners = crossed(down, right)
            blocked = np.zeros((window.height, window.width), np.bool_)
            for cell in cells:
                blocked |= window.of(walls, cell)
            for one, other in corners:
                blocked |= window.of(walls, one) & window.of(walls, other)
            seers = window.of(number, (0, 0))[~blocked]
            seen = window.of(number, (down, right))[~blocked]
            sees[seers, seen] = True
            sees[seen, seers] = True
    return sees


class _Window(NamedTuple):
    """The cells of a grid from which a step of some length leads to another cell of the grid."""

    height: int
    width: int
    left: int

    def of(self, array: npt.NDArray[Any], by: Offset) -> npt.NDArray[Any]:
        """The part of ``array`` that lies ``by`` away from these cells."""
        left = self.left + by[1]
        return array[by[0] : by[0] + self.height, left : left + self.width]


def graph_sight(points: Integers, buildings: Sequence[Sequence[Point]], farthest: float) -> Truths:
    """Which points in the plane see each other.

    points: ``int64[N, 2]``, the coordinates x and y.
    buildings: polygons, each as its corners in order.
    farthest: how far one sees, in the unit of the coordinates; infinity for without limit.

    Returns ``bool[N, N]``.
    """
    sees = np.eye(len(points), dtype=np.bool_)
    boxes = [(np.min(building, 0), np.max(building, 0)) for building in buildings]
    for first in range(len(points)):
        away = points[first + 1 :] - points[first]
        near = np.flatnonzero((away * away).sum(1) <= farthest * farthest) + first + 1
        for second in near.tolist():
            ends = points[[first, second]]
            low, high = ends.min(0), ends.max(0)
            p, q = (tuple(end) for end in ends.tolist())
            free = not any(
                (low <= box[1]).all() and (box[0] <= high).all() and is_blocked(p, q, building)
                for box, building in zip(boxes, buildings, strict=True)
            )
            sees[first, second] = sees[second, first] = free
    return sees


def is_blocked(p: Point, q: Point, building: Sequence[Point]) -> bool:
    """Whether the line from ``p`` to ``q`` goes through the inside of a polygon."""
    shares = [Fraction(0), Fraction(1)]
    for number, corner in enumerate(building):
        before = building[number - 1]
        here, there = _side(before, corner, p), _side(before, corner, q)
        one, other = _side(p, q, before), _side(p, q, corner)
        if here * there < 0 and one * other < 0:
            return True  # the line crosses a wall of the building
        if other == 0 and p != q:
            shares.append(_share(p, q, corner))
        if here * there <= 0 and here != there and one * other <= 0:
            shares.append(Fraction(here, here - there))
    # The line touches the building at most. Between two places where it does, the line is inside
    # or outside as a whole.
    within = sorted({share for share in shares if 0 <= share <= 1})
    return any(
        _is_inside(_between(p, q, (start + end) / 2), building)
        for start, end in itertools.pairwise(within)
    )


def _side(p: Point, q: Point, r: Point) -> int:
    """On which side of the line from ``p`` to ``q`` the point ``r`` lies: a number above 0 on one
    side, below 0 on the other, and 0 on the line.
    """
    return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])


def _share(p: Point, q: Point, corner: Point) -> Fraction:
    """After which share of the way from ``p`` to ``q`` the line reaches ``corner``, which lies on
    it.
    """
    axis = 0 if p[0] != q[0] else 1
    return Fraction(corner[axis] - p[axis], q[axis] - p[axis])


def _between(p: Point, q: Point, share: Fraction) -> tuple[Fraction, Fraction]:
    return p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])


def _is_inside(point: tuple[Fraction, Fraction], building: Sequence[Point]) -> bool:
    """Whether a point lies inside of a polygon, and not on its border: a ray to the right crosses
    the border an odd number of times.
    """
    x, y = point
    inside = False
    for number, (x_1, y_1) in enumerate(building):
        x_0, y_0 = building[number - 1]
        turn = (x_1 - x_0) * (y - y_0) - (y_1 - y_0) * (x - x_0)
        on_line = turn == 0 and min(x_0, x_1) <= x <= max(x_0, x_1)
        if on_line and min(y_0, y_1) <= y <= max(y_0, y_1):
            return False
        if (y_0 > y) != (y_1 > y) and x < x_0 + (x_1 - x_0) * (y - y_0) / (y_1 - y_0):
            inside = not inside
    return inside
