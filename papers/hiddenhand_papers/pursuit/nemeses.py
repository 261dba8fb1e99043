"""Nemesis tables, as Fig. 5.5 of Lisy's thesis (2014) shows them, in text and as pictures.

An evader in a row wants much, pursuers in a column want little. In each row the cell with the least
is bold: there the evader meets its nemesis. In each column the cell with the most is underlined:
there the pursuers meet theirs. The largest bold cell is grey, which is the best evader's, and so is
the smallest underlined one, which is the best pursuers'.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from hiddenhand_papers.findings import BOLD, GREY, UNDERLINED, Grid, Marks, written

# lengths in pixels
_WIDTH: Final = 92  # of a cell, or more where its text is longer
_LETTER: Final = 8
_HEIGHT: Final = 22  # of a cell
_NAMES: Final = 40  # the width of the names of rows
_GAP: Final = 24  # between two tables
Place = tuple[str, str]
"""A row and a column."""
_STYLES: Final = {BOLD: 'font-weight="bold"', UNDERLINED: 'text-decoration="underline"'}


def marks_of(means: Mapping[Place, float]) -> Marks:
    """The marks of each cell, by what the cells hold; see the module."""
    bold = [min(row, key=means.__getitem__) for row in _along(means, 0)]
    lined = [max(column, key=means.__getitem__) for column in _along(means, 1)]
    grey = [max(bold, key=means.__getitem__), min(lined, key=means.__getitem__)]
    marked = ((BOLD, bold), (UNDERLINED, lined), (GREY, grey))
    return {at: tuple(mark for mark, places in marked if at in places) for at in means}


def _along(means: Mapping[Place, float], axis: int) -> list[list[Place]]:
    """The places of the cells in each row (axis 0) or in each column (axis 1)."""
    found: dict[str, list[Place]] = {}
    for place in means:
        found.setdefault(place[axis], []).append(place)
    return list(found.values())


def drawn(title: str, grids: Sequence[Grid]) -> bytes:
    """The tables beside each other, as an SVG file."""
    parts, left, height = [_text(4, 16, title, 'font-weight="bold"')], 0, 0
    for grid in grids:
        parts += _table(grid, left)
        left += _NAMES + _width(grid) * len(grid.columns) + _GAP
        height = max(height, 64 + _HEIGHT * len(grid.rows))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left}" height="{height}" '
        'font-family="sans-serif" font-size="12" style="background: #ffffff">'
    )
    return "\n".join([head, *parts, "</svg>", ""]).encode()


def _table(grid: Grid, left: int) -> list[str]:
    parts, width = [_text(left + 4, 38, grid.name)], _width(grid)
    for number, column in enumerate(grid.columns):
        parts.append(_text(left + _NAMES + number * width + 4, 56, column))
    for line, row in enumerate(grid.rows):
        top = 60 + line * _HEIGHT
        parts.append(_text(left + 4, top + 16, row))
        for number, column in enumerate(grid.columns):
            if (row, column) in grid.cells:
                across, marks = left + _NAMES + number * width, grid.marks.get((row, column), ())
                fill = "#cccccc" if GREY in marks else "none"
                parts.append(
                    f'<rect x="{across}" y="{top}" width="{width}" height="{_HEIGHT}" '
                    f'fill="{fill}" stroke="#888888"/>'
                )
                style = " ".join(_STYLES[mark] for mark in marks if mark in _STYLES)
                parts.append(_text(across + 4, top + 16, written(grid.cells[row, column]), style))
    return parts


def _width(grid: Grid) -> int:
    longest = max((len(written(cell)) for cell in grid.cells.values()), default=0)
    return max(_WIDTH, _LETTER * longest)


def _text(x: int, y: int, words: str, style: str = "") -> str:
    return f'<text x="{x}" y="{y}" {style}>{escape(words)}</text>'.replace(" >", ">")
