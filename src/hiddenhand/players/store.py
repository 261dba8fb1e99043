"""Where finished matches are kept: an SQLite file, one row for each, written as it finishes.

The file remembers the question it answers, and refuses another. A row is either there, whole, or not: a run that is killed has lost the matches that
were being played, and no other. Rows are known by who sat where and a number, so none is there twice.
"""

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError

_FORMAT: Final = 1
_APPLICATION: Final = 0x48494448  # "HIDH", where SQLite keeps whose file it is
_TABLES: Final = """
CREATE TABLE question (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE match (
    first INTEGER, second INTEGER, number INTEGER,
    history TEXT NOT NULL, payoffs TEXT NOT NULL, moves TEXT NOT NULL, seconds TEXT NOT NULL, thoughts TEXT NOT NULL,
    PRIMARY KEY (first, second, number)
);
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
        self._file = ":memory:" if file is None else str(file)
        try:
            self._rows = sqlite3.connect(self._file, timeout=30.0, isolation_level=None)
        except sqlite3.Error as error:
            raise FileError(f"{file} cannot be opened ({error}); give a path in a folder you may write to") from None
        try:
            self._prepare({name: json.dumps(value) for name, value in question.items()})
            self._rows.execute("PRAGMA journal_mode = WAL")
            self._rows.execute("PRAGMA synchronous = NORMAL")  # what is committed outlives the process, if not the machine
        except sqlite3.Error as error:
            self._rows.close()
            raise FileError(f"{file} cannot be used ({error}); give a new file, or one that a match or tournament wrote") from None
        except BaseException:
            self._rows.close()
            raise

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

    def _prepare(self, question: dict[str, str]) -> None:
        self._rows.execute("BEGIN IMMEDIATE")  # of two runs that begin at once, the second finds what the first wrote
        with self._rows:  # commits, or rolls back
            if not self._rows.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                self._write(question)
            self._verify(question)

    def _write(self, question: dict[str, str]) -> None:
        for statement in _TABLES.split(";"):
            self._rows.execute(statement)
        self._rows.executemany("INSERT INTO question VALUES (?, ?)", question.items())
        self._rows.execute(f"PRAGMA application_id = {_APPLICATION}")
        self._rows.execute(f"PRAGMA user_version = {_FORMAT}")

    def _verify(self, question: dict[str, str]) -> None:
        marks = [self._rows.execute(f"PRAGMA {mark}").fetchone()[0] for mark in ("application_id", "user_version")]
        if marks != [_APPLICATION, _FORMAT]:
            raise FileError(f"{self._file} was not written by a match or tournament of this version; give a new file")
        kept = dict(self._rows.execute("SELECT name, value FROM question"))
        for name, value in question.items():
            if kept.get(name) != value:
                raise FileError(f"{self._file} is about {name} {kept.get(name)}, not {value}; ask the same question, or give a new file")


def _read(first: int, second: int, number: int, *lists: str) -> Played:
    history, payoffs, moves, seconds, thoughts = map(json.loads, lists)
    return Played(first, second, number, tuple(history), tuple(payoffs), tuple(moves), tuple(seconds), tuple(thoughts))
