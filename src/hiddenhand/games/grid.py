"""Boards of squares: what their cells and the directions are called, and how they are drawn. For
people; nothing here is compiled.

A cell is a row, counted from the top, and a column, counted from the left, both from 0. Its name is
the letter of the column and the number of the row, counted from 1: a1 is the top left corner.
"""

import re
import string
from collections.abc import Mapping
from typing import Final

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import Game

Cell = tuple[int, int]
MAX_SIDE: Final = 26  # as many columns as letters
DIRECTIONS: Final = ("up", "right", "down", "left")
"""The names of directions 0 to 3; ``(direction + 2) % 4`` is the opposite one."""
STEPS: Final[tuple[Cell, ...]] = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""What each direction adds to the row and the column."""


def cell_name(row: int, column: int) -> str:
    """The name of a cell, like b3."""
    return f"{string.ascii_lowercase[column]}{row + 1}"


def read_cells(game: Game, name: str, rows: int, columns: int) -> list[Cell]:
    """The cells whose names the field ``name`` of ``game`` lists, divided by blanks or commas.
    Raises ParameterError unless all are on the board.
    """
    text = getattr(game, name)
    words = re.findall(r"[^\s,]+", text) if isinstance(text, str) else []
    board = {
        cell_name(row, column): (row, column) for row in range(rows) for column in range(columns)
    }
    if not words or any(word.lower() not in board for word in words):
        raise ParameterError(
            f"{type(game).__name__}: {name}={text!r} is not allowed; give cells from a1 to "
            f"{cell_name(rows - 1, columns - 1)}, divided by blanks"
        )
    return [board[word.lower()] for word in words]


def write_cells(cells: list[Cell]) -> str:
    """The text that `read_cells` reads."""
    return " ".join(cell_name(*cell) for cell in cells)


def draw(rows: int, columns: int, marks: Mapping[Cell, str]) -> str:
    """The board with a character for each cell in ``marks`` and a dot for all others."""
    margin = len(str(rows))
    lines = [f"{'':{margin}} {' '.join(string.ascii_lowercase[:columns])}"]
    lines += [
        f"{row + 1:{margin}} {' '.join(marks.get((row, column), '.') for column in range(columns))}"
        for row in range(rows)
    ]
    return "\n".join(lines)
