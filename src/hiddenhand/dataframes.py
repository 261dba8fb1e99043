"""Results as tables of pandas, ``result.to_frame()``, and tables as files.

pandas and PyArrow are the optional extra ``frames``. They are imported for the first table.
"""

import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError, OptionError
from hiddenhand.files import write_file
from hiddenhand.statistics import Interval

TABLES: Final = (".csv", ".parquet", ".arrow")
"""The suffixes of files with tables."""


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """Return a ``pandas.DataFrame`` with a row for each of ``rows``. Raises OptionError without
    pandas.
    """
    try:
        import pandas
    except ImportError as error:
        raise _missing("a table", "pandas") from error
    return pandas.DataFrame.from_records([dict(row) for row in rows])


def columns(name: str, interval: Interval) -> dict[str, float]:
    """Return an interval as three columns: its estimate, and its ends."""
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def verify_table(path: Path | str) -> None:
    """Raise FileError unless the end of ``path`` is one of `TABLES`."""
    if Path(path).suffix not in TABLES:
        raise FileError(
            f"the table {path} cannot be written; give a path that ends in {' or '.join(TABLES)}"
        )


def save_table(table: Any, path: Path | str) -> None:
    """Write a ``pandas.DataFrame`` to a file, without its index. The ending of the file's name
    chooses the format: ``.csv``, ``.parquet``, or ``.arrow``, which is also called Feather.

    Raises FileError if the file cannot be written, and OptionError if PyArrow, which Parquet and
    Arrow need, is not installed.
    """
    verify_table(path)
    content, form = io.BytesIO(), Path(path).suffix
    try:
        if form == ".csv":
            table.to_csv(content, index=False)
        elif form == ".parquet":
            table.to_parquet(content, engine="pyarrow", index=False)
        else:
            table.reset_index(drop=True).to_feather(content)
    except ImportError as error:
        raise _missing("a file of Parquet or Arrow", "PyArrow") from error
    write_file(path, content.getvalue())


def _missing(what: str, library: str) -> OptionError:
    return OptionError(
        f"{what} needs {library}, which is not installed; install hiddenhand[frames]"
    )
