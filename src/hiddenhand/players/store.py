"""Where finished matches are kept: an SQLite file, one row for each, written as it finishes.

See `answers` for what such a file is. Rows are known by who sat where and a number, so none is there twice.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hiddenhand.answers import open_answers

_MARK: Final = 0x48494448  # "HIDH"
_TABLE: Final = """
CREATE TABLE match (
    first INTEGER, second INTEGER, number INTEGER,
    history TEXT NOT NULL, payoffs TEXT NOT NULL, moves TEXT NOT NULL, seconds TEXT NOT NULL, thoughts TEXT NOT NULL,
    PRIMARY KEY (first, second, number)
)
"""


@dataclass(frozen=True)
class Played:
    """A finished match. Pairs are in the order of the seats.

    first, second: who sat where, as indices; number: of the match between them. history: all moves, chance's included, enough to see it again.
    payoffs; moves: how many each made; seconds: how long each took for them all; thoughts: the largest of each figure that they gave.
    """

    first: int
    second: int
    number: int
    history: tuple[int, ...]
    payoffs: tuple[float, float]
    moves: tuple[int, int]
    seconds: tuple[float, float]
    thoughts: tuple[dict[str, float], dict[str, float]]


class Store:
    """The matches that answer ``question``, a mapping that JSON can hold, in ``file`` or, without one, in memory. Raises FileError."""

    def __init__(self, file: Path | str | None, question: dict[str, Any]) -> None:
        self._rows = open_answers(file, question, [_TABLE], _MARK, "a match or tournament")

    def add(self, match: Played) -> None:
        """Write a match; it is safe when this returns. One that is there already stays as it was."""
        lists = (match.history, match.payoffs, match.moves, match.seconds, match.thoughts)
        row = (match.first, match.second, match.number, *map(json.dumps, lists))
        self._rows.execute("INSERT OR IGNORE INTO match VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)

    def played(self) -> list[Played]:
        """All matches, by number."""
        rows = self._rows.execute("SELECT * FROM match ORDER BY number, first, second").fetchall()
        return [_read(*row) for row in rows]

    def close(self) -> None:
        """Close the file."""
        self._rows.close()


def _read(first: int, second: int, number: int, *lists: str) -> Played:
    history, payoffs, moves, seconds, thoughts = map(json.loads, lists)
    return Played(first, second, number, tuple(history), tuple(payoffs), tuple(moves), tuple(seconds), tuple(thoughts))
