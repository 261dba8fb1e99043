"""Pursuit with limited sight a second time, slow and obvious: sets of cells, fractions, recursion.

Lines of sight are found by clipping against every wall. Values of information-set trees are those
of Lisy (2014), Section 5.3.1: own moves, then the worst, or the mean, of all observations.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

Cell = tuple[int, int]  # row and column
Cells = frozenset[Cell]


class Board:
    """Rows of ``#`` and ``.``; ``sight`` in cells; whether units may stay."""

    def __init__(self, rows: str, sight: float = math.inf, stay: bool = True) -> None:
        lines = rows.split("/")
        self.size = (len(lines), len(lines[0]))
        self.free = [
            (r, c) for r, line in enumerate(lines) for c, cell in enumerate(line) if cell == "."
        ]
        self.walls = {
            (r, c) for r, line in enumerate(lines) for c, cell in enumerate(line) if cell == "#"
        }
        self.stay = stay
        self.sight = sight
        self._seen = {cell: self._look(cell) for cell in self.free}

    def t(self, cells: Cells) -> Cells:
        """All that one move leads to."""
        near = {(r + dr, c + dc) for r, c in cells for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        return frozenset((near | (cells if self.stay else set())) & set(self.free))

    def v(self, cells: Cells) -> Cells:
        """All that is in sight."""
        return frozenset().union(*(self._seen[cell] for cell in cells))

    def _look(self, cell: Cell) -> Cells:
        return frozenset(other for other in self.free if self.sees(cell, other))

    def sees(self, p: Cell, q: Cell) -> bool:
        if math.dist(p, q) > self.sight:
            return False
        return not any(self._inside(p, q, wall) for wall in self.walls) and not any(
            self._through(p, q, corner) for corner in self._corners()
        )

    def _inside(self, p: Cell, q: Cell, wall: Cell) -> bool:
        """Whether the line spends a part of its length inside of a wall."""
        low, high = Fraction(0), Fraction(1)
        for axis in range(2):
            start, way = Fraction(p[axis]), q[axis] - p[axis]
            first, last = wall[axis] - Fraction(1, 2), wall[axis] + Fraction(1, 2)
            if way == 0:
                if not first < start < last:
                    return False
            else:
                ends = sorted(((first - start) / way, (last - start) / way))
                low, high = max(low, ends[0]), min(high, ends[1])
        return low < high

    def _corners(self) -> Iterator[tuple[Fraction, Fraction]]:
        half = Fraction(1, 2)
        for r, c in itertools.product(range(self.size[0] - 1), range(self.size[1] - 1)):
            yield r + half, c + half

    def _through(self, p: Cell, q: Cell, corner: tuple[Fraction, Fraction]) -> bool:
        """Whether the line goes through a corner in which two walls meet, between them."""
        way = (q[0] - p[0], q[1] - p[1])
        off = (corner[0] - p[0], corner[1] - p[1])
        if way[0] * off[1] != way[1] * off[0] or 0 in way:
            return False
        if not 0 < off[0] / way[0] < 1:
            return False
        r, c = math.floor(corner[0]), math.floor(corner[1])
        falls = (way[0] > 0) == (way[1] > 0)
        beside = {(r, c + 1), (r + 1, c)} if falls else {(r, c), (r + 1, c + 1)}
        return beside <= self.walls


def value(
    board: Board, pursuers: tuple[Cell, ...], evader: Cell, moves: int, mean: bool = False
) -> Fraction:
    """What the pursuers' search of their information-set tree finds at full depth: the sum of |S|
    over all moves, which they make as small as they can, against the worst or the mean observation.
    """

    @cache
    def best(units: tuple[Cell, ...], s: Cells, left: int) -> Fraction:
        if left == 0:
            return Fraction(0)
        found = []
        for moved in itertools.product(*(sorted(board.t(frozenset([unit]))) for unit in units)):
            spread = board.t(s)
            seen = spread & board.v(frozenset(moved))
            sets = [frozenset([cell]) for cell in sorted(seen)]
            sets += [spread - seen] if spread - seen else []
            key = tuple(sorted(moved))
            values = [len(after) + best(key, after, left - 1) for after in sets]
            found.append(Fraction(sum(values), len(values)) if mean else Fraction(max(values)))
        return min(found)

    return best(tuple(sorted(pursuers)), frozenset([evader]), moves)


def action_values(
    board: Board, pursuers: tuple[Cell, ...], evader: Cell, moves: int
) -> dict[tuple[Cell, ...], Fraction]:
    """For each joint first move, by where it leads, the paranoid value as `value` has it."""
    found = {}
    for moved in itertools.product(*(sorted(board.t(frozenset([unit]))) for unit in pursuers)):
        spread = board.t(frozenset([evader]))
        seen = spread & board.v(frozenset(moved))
        sets = [frozenset([cell]) for cell in seen] + ([spread - seen] if spread - seen else [])
        found[moved] = max(len(s) + _value_of(board, moved, s, moves - 1) for s in sets)
    return found


def _value_of(board: Board, units: tuple[Cell, ...], s: Cells, left: int) -> Fraction:
    if left == 0:
        return Fraction(0)
    values = []
    for moved in itertools.product(*(sorted(board.t(frozenset([unit]))) for unit in units)):
        spread = board.t(s)
        seen = spread & board.v(frozenset(moved))
        sets = [frozenset([cell]) for cell in seen] + ([spread - seen] if spread - seen else [])
        values.append(max(len(after) + _value_of(board, moved, after, left - 1) for after in sets))
    return min(values)


def relaxed_lookahead(
    board: Board, units: Cells, s: Cells, depth: int, of_evader: bool
) -> Fraction:
    """RLA_P or RLA_e (5.9, 5.10), the nodes that cannot be seen however the seeing side moves.

    units: where the own units are. s: where units of the other side may be.
    """
    hiding, seeing = (units, s) if of_evader else (s, units)
    total = 0
    for _ in range(depth + 1):
        total += len(hiding - board.v(seeing))
        hiding, seeing = board.t(hiding), board.t(seeing)
    return Fraction(total, depth + 1)
