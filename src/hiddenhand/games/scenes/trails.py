"""Which walls in Tron are whose. A state of Tron holds walls, and not who left them behind."""

from collections.abc import Iterator
from typing import Final

from hiddenhand.games.grid import STEPS, Cell

_MOST_STEPS: Final = 6000
"""How many steps are tried. In narrow places there are many ways to lay two trails."""

Trail = tuple[Cell, ...]


class _TooManyError(Exception):
    """More steps than are tried."""


def trails_of(
    walls: frozenset[Cell], starts: tuple[Cell, Cell], riders: tuple[Cell, Cell]
) -> tuple[frozenset[Cell], frozenset[Cell]]:
    """The cells that certainly lie on the way of each rider: on all ways that leave these walls.
    None at all where there are too many ways to be tried.

    walls: the walls that riders left behind, those below the riders included.
    """
    crash = riders[0] == riders[1]
    length = (len(walls) + int(crash)) // 2
    tries = iter(range(_MOST_STEPS))
    mine, theirs = walls, walls
    found = False
    try:
        for first in _ways(walls, starts[0], riders[0], length, tries):
            left = walls - set(first) | ({riders[1]} if crash else set())
            for second in _ways(left, starts[1], riders[1], length, tries):
                mine, theirs, found = mine & set(first), theirs & set(second), True
    except _TooManyError:
        return frozenset(), frozenset()
    return (mine, theirs) if found else (frozenset(), frozenset())


def _ways(
    cells: frozenset[Cell], start: Cell, end: Cell, length: int, tries: Iterator[int]
) -> Iterator[Trail]:
    """All ways of so many cells from one to another."""
    waiting: list[Trail] = [(start,)]
    while waiting:
        if next(tries, None) is None:
            raise _TooManyError
        way = waiting.pop()
        row, column = way[-1]
        if len(way) == length:
            if way[-1] == end:
                yield way
            continue
        left = length - len(way)
        for down, right in STEPS:
            there = row + down, column + right
            near = abs(there[0] - end[0]) + abs(there[1] - end[1]) < left
            if near and there in cells and there not in way:
                waiting.append((*way, there))
