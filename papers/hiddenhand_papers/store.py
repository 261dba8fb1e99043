"""Where the results of experiments are kept: an SQLite file with one row for each finished unit.

`records` describes such files. A row is written as soon as its unit is finished, and holds with the
result how it came about: the commit, the machine, the versions, the seconds and the date.

Two runs may work on one file at once. Before a run begins a unit, it *claims* the unit, by a lock
on one byte of the file beside, whose name ends in ``.claims``. The operating system frees the locks
of a process that ends, however it ends. Where there are no such locks, two runs may do the same
work twice; the file stays right.

A store can be written as CSV, whole or for some experiments, and be read from there.
"""

import csv
import gzip
import io
import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError, OptionError
from hiddenhand.files import user_data, write_file
from hiddenhand.records import Answers, Table
from hiddenhand.systems import module_or_none
from hiddenhand_papers.units import Result, Unit, key_of

_FCNTL: Any = module_or_none("fcntl")  # which Windows lacks

_COLUMNS: Final = ("key", "unit", "digest", "result", "made")
_TABLE: Final = Table(
    name="unit",
    columns=dict.fromkeys(_COLUMNS, "TEXT"),
    key=("key",),
    mark=0x48494458,  # "HIDX"
    writers="hiddenhand experiment",
)
_LONGEST: Final = 2**31 - 1  # characters of a cell
_QUESTION: Final = {"holds": "results of experiments"}


@dataclass(frozen=True)
class Row:
    """A finished unit.

    unit: the text of the unit.
    digest: what the rules and the searches were.
    result: what the unit found.
    made: how: commit, machine, versions, seconds, seeds and date.
    """

    unit: str
    digest: str
    result: Result
    made: dict[str, Any]

    @property
    def key(self) -> str:
        """The key of the unit."""
        return key_of(self.unit, self.digest)


_REPOSITORY: Final = Path(__file__).parents[2] / "docs" / "papers" / "data"


def stored_in_repository() -> Path | None:
    """The folder of results in this copy of the repository; None in an installed package."""
    return _REPOSITORY if _REPOSITORY.is_dir() else None


def default_store() -> Path:
    """The store that is used where none is named: in ``$HIDDENHAND_DATA``, or in the user's folder
    for data.
    """
    return user_data() / "experiments.sqlite"


class Store:
    """Results in a file. Use it in a ``with`` statement.

    path: the SQLite file, which is made if it does not exist; or a CSV file that `write_rows`
        wrote, or a folder of such files, whose rows are read and to which nothing is added. None
        keeps rows in memory.
    """

    def __init__(self, path: Path | str | None) -> None:
        self._claims: int | None = None
        exported = [] if path is None or not is_exported(path) else _exported_files(Path(path))
        self._path = None if path is None or is_exported(path) else Path(path)
        if self._path is not None:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise FileError(
                    f"the folder of {path} cannot be made: {error.strerror}; name another file"
                ) from None
        self._answers = Answers(self._path, _QUESTION, _TABLE)
        for row in (row for file in exported for row in read_csv(file)):
            self.add(row)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and give up all claims."""
        if self._claims is not None:
            os.close(self._claims)
            self._claims = None
        self._answers.close()

    def add(self, row: Row) -> None:
        """Keep a row, which is safe when this returns. A row with the same key stays as it was."""
        self._answers.add(row.key, row.unit, row.digest, json.dumps(row.result), _json(row.made))

    def keys(self) -> set[str]:
        """The keys of all rows."""
        return {key for (key,) in self._answers.known()}

    def rows(self) -> list[Row]:
        """All rows."""
        try:
            return [
                Row(unit, digest, json.loads(result), json.loads(made))
                for _, unit, digest, result, made in self._answers.rows()
            ]
        except (TypeError, ValueError):  # made on purpose: its checksum is right
            raise self._answers.damaged() from None

    def claim(self, key: str) -> bool:
        """Try to claim the unit with ``key`` for this process. Returns False if another run has
        claimed it, or has finished it since this store was opened.
        """
        if self._path is None or _FCNTL is None:
            return True
        if self._claims is None:
            self._claims = os.open(f"{self._path}.claims", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _FCNTL.lockf(self._claims, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB, 1, _place(key))
        except OSError:
            return False
        if not self._is_finished(key):
            return True
        self.release(key)
        return False

    def release(self, key: str) -> None:
        """Give up the claim of a unit."""
        if self._claims is not None:
            _FCNTL.lockf(self._claims, _FCNTL.LOCK_UN, 1, _place(key))

    def _is_finished(self, key: str) -> bool:
        """Whether the file has the unit now. The file is opened anew, because claims are made in
        whichever thread asks for work.
        """
        assert self._path is not None
        with closing(sqlite3.connect(self._path, timeout=30.0)) as now:
            found = now.execute(f"SELECT 1 FROM {_TABLE.name} WHERE key = ?", (key,)).fetchone()
        return found is not None


def _place(key: str) -> int:
    """The byte whose lock is the claim of a unit."""
    return int(key[:15], 16)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


# --- files that people and git read ---


def is_csv(path: Path | str) -> bool:
    """Whether the name of a file says that it is CSV, compressed or not."""
    return str(path).endswith((".csv", ".csv.gz"))


def is_exported(path: Path | str) -> bool:
    """Whether a path is that of exported results: a CSV file, or a folder."""
    return is_csv(path) or Path(path).is_dir()


def _exported_files(path: Path) -> list[Path]:
    """The CSV files at a path. Raises FileError for a folder without any."""
    found = sorted(file for file in path.iterdir() if is_csv(file)) if path.is_dir() else [path]
    if not found:
        raise FileError(f"{path} has no .csv or .csv.gz file; name a file of results")
    return found


def rows_of(store: Store, units: Iterable[Unit], *, stale: bool = False) -> Iterator[Row]:
    """The rows of ``units`` that are in the store and not stale.

    stale: whether a unit without such a row has its newest stale row.
    """
    known = by_text(store.rows())
    for unit in dict.fromkeys(units):
        if rows := known.get(unit.text):
            now = [row for row in rows if row.digest == unit.digest]
            yield from now or (rows[-1:] if stale else ())


def by_text(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by the texts of their units, the oldest first. A unit is looked up by its text first,
    because its digest takes longer and most units of a large scale are in no store.
    """
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: str(row.made.get("when"))):
        found.setdefault(row.unit, []).append(row)
    return found


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write ``rows`` to a file in the format that its name says: ``.csv``, ``.csv.gz`` or
    ``.parquet``. Equal rows give equal bytes. Raises OptionError for another ending.
    """
    ordered = sorted(rows, key=lambda row: (row.unit, row.digest))
    if str(path).endswith(".parquet"):
        _write_parquet(path, ordered)
    elif is_csv(path):
        content = _csv(ordered).encode()
        write_file(path, gzip.compress(content, 9, mtime=0) if path.suffix == ".gz" else content)
    else:
        raise OptionError(
            f"{path.name} is not a name for exported results; end it in .csv, .csv.gz or .parquet"
        )


def read_csv(path: Path) -> list[Row]:
    """The rows that `write_rows` wrote. Raises FileError."""
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
        return [
            Row(row["unit"], row["digest"], json.loads(row["result"]), json.loads(row["made"]))
            for row in _read(text)
        ]
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except (EOFError, KeyError, TypeError, ValueError, csv.Error, zlib.error):
        raise FileError(
            f"{path} was not written by hiddenhand experiment export; name a file that was"
        ) from None


def _read(text: str) -> list[dict[str, str]]:
    """The rows of a CSV text, whose cells may be longer than csv allows by default."""
    before = csv.field_size_limit(_LONGEST)
    try:
        return list(csv.DictReader(io.StringIO(text)))
    finally:
        csv.field_size_limit(before)


def _cells(row: Row) -> tuple[str, str, str, str]:
    return row.unit, row.digest, _json(row.result), _json(row.made)


def _csv(rows: Iterable[Row]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS[1:])
    writer.writerows(map(_cells, rows))
    return text.getvalue()


def _write_parquet(path: Path, rows: list[Row]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise OptionError(
            "Parquet needs pyarrow, which is not installed; install it, or export to a name that "
            "ends in .csv.gz"
        ) from None
    columns = zip(*map(_cells, rows), strict=True) if rows else [[]] * 4
    table = pyarrow.table(dict(zip(_COLUMNS[1:], map(list, columns), strict=True)))
    pyarrow.parquet.write_table(table, path)
