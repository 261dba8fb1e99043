"""Results as tables of pandas, which can be written as Parquet: ``result.to_frame()``.

pandas and PyArrow are the optional extra ``frames``. Nothing here is imported before a table is
asked for.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from hiddenhand.errors import OptionError
from hiddenhand.statistics import Interval


def frame(rows: Iterable[Mapping[str, Any]]) -> Any:
    """A ``pandas.DataFrame`` with a row for each of ``rows``. Raises OptionError if pandas is not
    installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise OptionError(
            "a table needs pandas, which is not installed; install hiddenhand[frames]"
        ) from error
    return pandas.DataFrame.from_records([dict(row) for row in rows])


def columns(name: str, interval: Interval) -> dict[str, float]:
    """An interval as three columns: its middle, and its ends."""
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}
