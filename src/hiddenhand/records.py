"""SQLite files that keep the answer to one question in rows. Each row is written as soon as it is
known.

The file also keeps the question, and cannot be used for another question. A row is in the file
either as a whole or not at all, so a killed run loses at most the row that it was about to write.
Question and rows have checksums, because SQLite has none: without them, a wrong bit on a disk would
give another result.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError
from hiddenhand.files import as_path, newer_format, verify_regular

_FORMAT: Final = 2
_VERSIONS: Final = 1000  # of a table, in the number that SQLite keeps for us: user_version
_QUESTION: Final = "CREATE TABLE question (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
_SEAL: Final = "seal"
_UNREADABLE: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises for a file that cannot be used. Its texts may have bytes that are none."""

Complaint = Callable[[str, Any], FileError]
"""Makes the error for a file in which a part of the question has another value. Its arguments are
the name of the file and that value.
"""


@dataclass(frozen=True)
class Table:
    """The table of answers in the file.

    name: the name of the table in SQL.
    columns: the types of the columns in SQL, by their names.
    key: the columns in which no two rows are equal.
    mark: the 32-bit number that tells the file's program, SQLite's application_id.
    writers: the functions or commands that write such files, in words.
    version: the number of this description, which grows by 1 when the columns, or what they hold,
        change.
    older: the table of the version before, if files of it are still read.
    upgrade: makes a row of this table of the question and a row of the ``older`` one.
    """

    name: str
    columns: Mapping[str, str]
    key: tuple[str, ...]
    mark: int
    writers: str
    version: int = 1
    older: "Table | None" = None
    upgrade: Callable[[Mapping[str, Any], tuple[Any, ...]], tuple[Any, ...]] | None = None

    @property
    def number(self) -> int:
        """What SQLite keeps of the versions of files and of this table."""
        return _FORMAT + _VERSIONS * (self.version - 1)

    def statement(self) -> str:
        """Return the SQL statement that creates the table."""
        columns = ", ".join(
            f"{name} {kind} NOT NULL" for name, kind in {**self.columns, _SEAL: "TEXT"}.items()
        )
        return f"CREATE TABLE {self.name} ({columns}, PRIMARY KEY ({', '.join(self.key)}))"


class Answers:
    """The answers to one question. All methods raise FileError if the file cannot be used or is
    damaged.

    file: the file of the answers; None keeps them in memory.
    question: the parts of the question by name, in values that JSON can hold. The attribute has the
        question as it stands in the file.
    table: the table of answers in the file.
    drawn: further parts of the question that were drawn at random. A new file gets them, and a file
        that exists keeps its own.
    complaints: for the names of some parts of the question, the function that makes the error for a
        file in which that part differs. Other parts have a general message.
    """

    def __init__(
        self,
        file: Path | str | None,
        question: Mapping[str, Any],
        table: Table,
        drawn: Mapping[str, Any] | None = None,
        complaints: Mapping[str, Complaint] | None = None,
    ) -> None:
        file = None if file is None else as_path(file, "file")
        self._file = ":memory:" if file is None else str(file)
        self._table = table
        if file is not None:
            verify_regular(file)
        try:
            # of a file, SQLite gets a path with a folder: the name :memory: alone means no file
            path = self._file if file is None else os.path.join(os.curdir, file)  # noqa: PTH118
            self._rows = sqlite3.connect(path, timeout=30.0, isolation_level=None)
        except sqlite3.Error as error:
            raise FileError(
                f"{file} cannot be opened ({error}); give a path in a folder you may write to"
            ) from None
        try:
            self.question = self._open(question, drawn or {}, complaints or {})
        except _UNREADABLE as error:
            self._rows.close()
            full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
            cure = (
                "make room there, or give another path"
                if full
                else f"give a new file, or one that {table.writers} wrote"
            )
            raise FileError(f"{file} cannot be used ({error}); {cure}") from None
        except BaseException:
            self._rows.close()
            raise

    def add(self, *row: Any) -> None:
        """Write a row. It is safe on disk when this returns. If the file has a row of this key
        already, that row stays.
        """
        places = ", ".join("?" * (len(row) + 1))
        with self._speaking(
            "written", "its rows are safe, so make room and run the same command again"
        ):
            self._rows.execute(
                f"INSERT OR IGNORE INTO {self._table.name} VALUES ({places})", (*row, _seal(row))
            )

    def known(self) -> list[tuple[Any, ...]]:
        """Return the keys of all rows, in order."""
        keys = ", ".join(self._table.key)
        with self._reading():
            return self._rows.execute(
                f"SELECT {keys} FROM {self._table.name} ORDER BY {keys}"
            ).fetchall()

    def rows(self) -> list[tuple[Any, ...]]:
        """Return all rows, in the order of their keys."""
        return self._read(f"ORDER BY {', '.join(self._table.key)}", ())

    def row(self, *key: Any) -> tuple[Any, ...]:
        """Return the row with ``key``, one of `known`."""
        found = self._read(self._with_key(), key)
        if not found:  # the index knows it, the table does not
            raise self.damaged()
        return found[0]

    def under(self, first: Any) -> list[tuple[Any, ...]]:
        """Return the rows whose first key column is ``first``, in the order of their keys."""
        keys = self._table.key
        return self._read(f"WHERE {keys[0]} = ? ORDER BY {', '.join(keys)}", (first,))

    def close(self) -> None:
        """Close the file."""
        with self._speaking("closed", "its rows are safe"):
            self._rows.close()

    def damaged(self) -> FileError:
        """Return the error for a row that differs from what was written."""
        return FileError(
            f"{self._file} is damaged: the checksum of a row is wrong; give a new file"
        )

    def _with_key(self) -> str:
        return f"WHERE {' AND '.join(f'{name} = ?' for name in self._table.key)}"

    def _read(self, where: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        columns = ", ".join((*self._table.columns, _SEAL))
        with self._reading():
            found = self._rows.execute(
                f"SELECT {columns} FROM {self._table.name} {where}", values
            ).fetchall()
        if any(_seal(row) != seal for *row, seal in found):
            raise self.damaged()
        return [tuple(row) for *row, _ in found]

    def _open(
        self,
        question: Mapping[str, Any],
        drawn: Mapping[str, Any],
        complaints: Mapping[str, Complaint],
    ) -> dict[str, Any]:
        rows = self._rows
        rows.execute(
            "BEGIN IMMEDIATE"
        )  # of two runs that begin at once, the second finds what the first wrote
        with rows:  # commits, or rolls back
            if not rows.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                self._create({**question, **drawn})
            kept = self._kept_question()
            for name, value in question.items():
                asked = json.loads(json.dumps(value))
                if kept.get(name) != asked:
                    raise self._complaint(name, kept.get(name), asked, complaints)
        rows.execute("PRAGMA journal_mode = WAL")
        rows.execute(
            "PRAGMA synchronous = NORMAL"
        )  # what is committed outlives the process, if not the machine
        return kept

    def _create(self, question: dict[str, Any]) -> None:
        for statement in (_QUESTION, self._table.statement()):
            self._rows.execute(statement)
        written = sorted((name, json.dumps(value)) for name, value in question.items())
        self._rows.executemany(
            "INSERT INTO question VALUES (?, ?)", [*written, (_SEAL, _seal(written))]
        )
        self._rows.execute(f"PRAGMA application_id = {self._table.mark}")
        self._rows.execute(f"PRAGMA user_version = {self._table.number}")

    def _version(self) -> int:
        """The version of the table in the file. Raises FileError for a file of another program, and
        for one whose version is not read.
        """
        mark, number = (
            int(self._rows.execute(f"PRAGMA {pragma}").fetchone()[0])
            for pragma in ("application_id", "user_version")
        )
        version, form = number // _VERSIONS + 1, number % _VERSIONS
        if mark == self._table.mark and form > _FORMAT:
            raise newer_format(self._file, form, _FORMAT)
        if mark == self._table.mark and form == _FORMAT and version > self._table.version:
            raise newer_format(self._file, version, self._table.version)
        if mark != self._table.mark or form != _FORMAT:
            raise self._other_version()
        return version

    def _other_version(self) -> FileError:
        return FileError(
            f"{self._file} was not written by {self._table.writers} of this version; give a new "
            "file"
        )

    def _upgrade(self, version: int, question: Mapping[str, Any]) -> None:
        """Rewrite the rows of an older version of the table, inside of the present transaction."""
        newest, steps, table = self._table, list[Table](), self._table
        while table.version > version:
            if table.older is None or table.upgrade is None:
                raise self._other_version()
            steps.insert(0, table)
            table = table.older
        if not steps:
            return
        self._table = table
        rows = self.rows()
        for step in steps:
            assert step.upgrade is not None
            rows = [step.upgrade(question, row) for row in rows]
        self._rows.execute(f"DROP TABLE {table.name}")
        self._table = newest
        self._rows.execute(newest.statement())
        places = ", ".join("?" * (len(newest.columns) + 1))
        self._rows.executemany(
            f"INSERT INTO {newest.name} VALUES ({places})", [(*row, _seal(row)) for row in rows]
        )
        self._rows.execute(f"PRAGMA user_version = {newest.number}")

    def _kept_question(self) -> dict[str, Any]:
        version = self._version()
        written = dict(self._rows.execute("SELECT name, value FROM question"))
        seal = written.pop(_SEAL, None)
        are_texts = all(isinstance(text, str) for pair in written.items() for text in pair)
        if not are_texts or seal != _seal(sorted(written.items())):
            raise FileError(
                f"{self._file} is damaged: the checksum of its question is wrong; give a new file"
            )
        try:
            question = {name: json.loads(value) for name, value in written.items()}
        except (ValueError, RecursionError):  # made on purpose: its checksum is right
            raise FileError(f"{self._file} is damaged; give a new file") from None
        self._upgrade(version, question)
        return question

    def _complaint(
        self, name: str, kept: Any, asked: Any, complaints: Mapping[str, Complaint]
    ) -> FileError:
        if name in complaints:
            return complaints[name](self._file, kept)
        values = json.dumps(kept), json.dumps(asked)
        return FileError(
            f"{self._file} is about {name} {values[0]}, not {values[1]}; ask the same question, or "
            "give a new file"
        )

    @contextmanager
    def _speaking(self, done: str, cure: str) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            raise FileError(f"{self._file} cannot be {done} ({error}); {cure}") from None

    def _reading(self) -> Any:
        return self._speaking("read", "it is damaged or in use; try again, or give a new file")


def _seal(values: Sequence[Any]) -> str:
    """Return the SHA-256 of the values of a row."""
    found = hashlib.sha256()
    for value in values:
        content = value if isinstance(value, bytes) else repr(value).encode()
        found.update(f"{type(value).__name__} {len(content)} ".encode())
        found.update(content)
    return found.hexdigest()
