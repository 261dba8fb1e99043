"""Hex with stones as sets of cells, and Dark Hex with what players tried as sets too."""

from collections import Counter

Cell = tuple[int, int]  # row, column


def connects(player: int, stones: frozenset[Cell], size: int) -> bool:
    """Whether ``stones`` connect top and bottom (player 0) or left and right (player 1)."""
    waiting = [cell for cell in stones if cell[player] == 0]
    reached = set(waiting)
    while waiting:
        row, column = waiting.pop()
        for cell in (
            (row, column - 1),
            (row, column + 1),
            (row - 1, column),
            (row - 1, column + 1),
            (row + 1, column - 1),
            (row + 1, column),
        ):
            if cell in stones and cell not in reached:
                reached.add(cell)
                waiting.append(cell)
    return any(cell[player] == size - 1 for cell in reached)


def endings(size: int, abrupt: bool) -> Counter[tuple[int, int]]:
    """How many histories of Dark Hex there are for each winner and length."""
    board = [(row, column) for row in range(size) for column in range(size)]
    found: Counter[tuple[int, int]] = Counter()

    def visit(
        mover: int, stones: list[frozenset[Cell]], tried: list[frozenset[Cell]], length: int
    ) -> None:
        for cell in board:
            if cell in tried[mover]:
                continue
            now_tried = [
                cells | {cell} if player == mover else cells for player, cells in enumerate(tried)
            ]
            if cell in stones[1 - mover]:
                visit(1 - mover if abrupt else mover, stones, now_tried, length + 1)
                continue
            now = [
                cells | {cell} if player == mover else cells for player, cells in enumerate(stones)
            ]
            if connects(mover, now[mover], size):
                found[mover, length + 1] += 1
            else:
                visit(1 - mover, now, now_tried, length + 1)

    empty: frozenset[Cell] = frozenset()
    visit(0, [empty, empty], [empty, empty], 0)
    return found
