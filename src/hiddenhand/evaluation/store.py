"""Where the finished parts of a measurement are kept: an SQLite file with one row for each. See `answers` for what such a file is.

A part is known by its name, which says with which seed it was made and what it is of. So a measurement may be taken up again, and may ask for more
seeds or matches than before.
"""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.answers import open_answers
from hiddenhand.trees.strategy import Weights

_MARK: Final = 0x48494445  # "HIDE"
_TABLE: Final = "CREATE TABLE part (name TEXT PRIMARY KEY, weights BLOB NOT NULL)"


class Store:
    """The parts of the measurement that answers ``question``, in ``file`` or, without one, in memory. Raises FileError."""

    def __init__(self, file: Path | str | None, question: dict[str, Any]) -> None:
        self._rows = open_answers(file, question, [_TABLE], _MARK, "an evaluation")

    def add(self, name: str, part: Sequence[Weights]) -> None:
        """Write a part; it is safe when this returns. One that is there already stays as it was."""
        self._rows.execute("INSERT OR IGNORE INTO part VALUES (?, ?)", (name, _packed(part)))

    def names(self) -> set[str]:
        """Of all parts."""
        return {name for (name,) in self._rows.execute("SELECT name FROM part")}

    def part(self, name: str) -> list[Weights]:
        """The part called ``name``, which must be there."""
        return _unpacked(self._rows.execute("SELECT weights FROM part WHERE name = ?", (name,)).fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._rows.close()


def _packed(part: Sequence[Weights]) -> bytes:
    buffer = io.BytesIO()
    arrays = [array for weights in part for array in (weights.keys, weights.starts, weights.values)]
    np.savez_compressed(buffer, *arrays)
    return buffer.getvalue()


def _unpacked(packed: bytes) -> list[Weights]:
    with np.load(io.BytesIO(packed), allow_pickle=False) as content:
        arrays = [content[f"arr_{number}"] for number in range(len(content.files))]
    return [Weights(*arrays[first : first + 3]) for first in range(0, len(arrays), 3)]
