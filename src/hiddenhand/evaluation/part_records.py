"""Where the finished parts of a measurement are kept: an SQLite file with one row for each part.
`records` describes such files.

A part is known by its name, which says from which seed it was made and which part of the
measurement it is. So a measurement may be continued, also with more seeds or matches than before.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.archives import Array, Kind, Rows, packed, unpacked
from hiddenhand.errors import FileError
from hiddenhand.records import Answers, Complaint, Table
from hiddenhand.trees.strategy import Weights

_TABLE: Final = Table(
    name="part",
    columns={"name": "TEXT", "weights": "BLOB"},
    key=("name",),
    mark=0x48494445,  # "HIDE"
    writers="an evaluation",
)
_ARRAYS: Final = ("keys", "starts", "values")


class PartRecords:
    """The parts of a measurement. Arguments are those of `Answers`; all methods raise FileError
    where the file cannot be used.
    """

    def __init__(
        self,
        file: Path | str | None,
        question: Mapping[str, Any],
        complaints: Mapping[str, Complaint] | None = None,
    ) -> None:
        self._answers = Answers(file, question, _TABLE, complaints=complaints)

    def add(self, name: str, part: Sequence[Weights]) -> None:
        """Write a part, which is safe on disk when this returns. A part of the same name that is
        there already stays as it was.
        """
        arrays = {
            f"{array}_{number}": getattr(weights, array)
            for number, weights in enumerate(part)
            for array in _ARRAYS
        }
        self._answers.add(name, packed(name, _kind(len(part)), {}, arrays))

    def names(self) -> set[str]:
        """The names of all parts."""
        return {name for (name,) in self._answers.known()}

    def part(self, name: str) -> list[Weights]:
        """The part called ``name``, which must be there."""
        content = self._answers.row(name)[1]
        try:
            header, arrays = unpacked(name, content, _kind(0))
            number = len(arrays) // len(_ARRAYS)
            _kind(number).verify(name, header, arrays)
        except (FileError, TypeError):  # made on purpose: the checksum of its row is right
            raise self._answers.damaged() from None
        return [Weights(*(arrays[f"{array}_{i}"] for array in _ARRAYS)) for i in range(number)]

    def close(self) -> None:
        """Close the file."""
        self._answers.close()


def _kind(number: int) -> Kind:
    """The kind of archive that holds ``number`` `Weights`."""
    arrays: dict[str, Array] = {}
    for i in range(number):
        arrays |= {
            f"keys_{i}": Array(np.uint64, (f"I{i}",)),
            f"starts_{i}": Array(np.int64, (f"I{i}+1",)),
            f"values_{i}": Array(np.float64, (f"V{i}",)),
        }
    return Kind(
        "part", arrays=arrays, rows=tuple(Rows(f"starts_{i}", f"values_{i}") for i in range(number))
    )
