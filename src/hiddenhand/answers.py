"""SQLite files that keep the answer to one question, piece by piece, each piece written as it is found.

The file remembers the question, and refuses another. A row is either there, whole, or not: a run that is killed has lost what it was about to write,
and nothing else.
"""

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError

_FORMAT: Final = 1
_QUESTION: Final = "CREATE TABLE question (name TEXT PRIMARY KEY, value TEXT NOT NULL)"


def open_answers(file: Path | str | None, question: dict[str, Any], tables: Sequence[str], mark: int, writers: str) -> sqlite3.Connection:
    """The file that answers ``question``, a mapping that JSON can hold; new with ``tables``, statements in SQL, if there is none; in memory if None.

    mark: the 32-bit number by which SQLite knows whose file it is; writers: who writes such files, in words. Raises FileError for a file of others,
    for another question, and where nothing can be written.
    """
    name = ":memory:" if file is None else str(file)
    try:
        rows = sqlite3.connect(name, timeout=30.0, isolation_level=None)
    except sqlite3.Error as error:
        raise FileError(f"{file} cannot be opened ({error}); give a path in a folder you may write to") from None
    try:
        rows.execute("BEGIN IMMEDIATE")  # of two runs that begin at once, the second finds what the first wrote
        with rows:  # commits, or rolls back
            asked = {name: json.dumps(value) for name, value in question.items()}
            if not rows.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                _write(rows, asked, tables, mark)
            _verify(rows, name, asked, mark, writers)
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute("PRAGMA synchronous = NORMAL")  # what is committed outlives the process, if not the machine
    except sqlite3.Error as error:
        rows.close()
        raise FileError(f"{file} cannot be used ({error}); give a new file, or one that {writers} wrote") from None
    except BaseException:
        rows.close()
        raise
    return rows


def _write(rows: sqlite3.Connection, question: dict[str, str], tables: Sequence[str], mark: int) -> None:
    for statement in (_QUESTION, *tables):
        rows.execute(statement)
    rows.executemany("INSERT INTO question VALUES (?, ?)", question.items())
    rows.execute(f"PRAGMA application_id = {mark}")
    rows.execute(f"PRAGMA user_version = {_FORMAT}")


def _verify(rows: sqlite3.Connection, file: str, question: dict[str, str], mark: int, writers: str) -> None:
    marks = [rows.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in ("application_id", "user_version")]
    if marks != [mark, _FORMAT]:
        raise FileError(f"{file} was not written by {writers} of this version; give a new file")
    kept = dict(rows.execute("SELECT name, value FROM question"))
    for name, value in question.items():
        if kept.get(name) != value:
            raise FileError(f"{file} is about {name} {kept.get(name)}, not {value}; ask the same question, or give a new file")
