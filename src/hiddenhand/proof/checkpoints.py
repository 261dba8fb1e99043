"""The finished parts of long walks, kept in a file.

The program writes the whole file anew every few seconds, and then replaces the old one. A killed
program loses the parts that it finished since, and those in work.
"""

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.archives import Array, Kind, load_arrays, save_arrays, text
from hiddenhand.errors import FileError
from hiddenhand.proof.walker import Found

_FILE: Final = Kind(
    "checkpoint of nash-conv",
    {"question": text},
    {
        "walks": Array(np.int64, ("T",), least=0),
        "parts": Array(np.int64, ("T",), least=0),
        "found": Array(np.float64, ("T", len(Found._fields))),
    },
)
_SECONDS: Final = 10.0  # between two times that the file is written


class Checkpoint:
    """The finished parts of several walks. Raises FileError if the file is about something else.

    file: the file that keeps them; None keeps them in memory.
    question: in words, what the walks are to find out.
    replaces: whether to replace a file about something else, or a damaged one.
    """

    def __init__(self, file: Path | None, question: str, *, replaces: bool = False) -> None:
        self._file = file
        self._question = question
        self._known: dict[int, dict[int, Found]] = {}
        self._written = clock.now()
        self._new = 0
        if file is not None and file.exists():
            with suppress(FileError) if replaces else nullcontext():
                self._read(file)

    @property
    def size(self) -> int:
        """How many parts are finished, of all walks."""
        return sum(len(parts) for parts in self._known.values())

    def known(self, walk: int) -> dict[int, Found]:
        """The finished parts of a walk, by their numbers."""
        return dict(self._known.get(walk, {}))

    def add(self, walk: int, part: int, found: Found) -> None:
        """Add a finished part. If the file cannot be written now, a later call writes it."""
        self._known.setdefault(walk, {})[part] = found
        self._new += 1
        if clock.now() - self._written > _SECONDS:
            self._written = clock.now()
            with suppress(FileError):
                self.write()

    def write(self) -> None:
        """Write the finished parts, if there is a file and a new part. Raises FileError."""
        if self._file is None or not self._new:
            return
        rows = [
            (walk, part, found)
            for walk, parts in self._known.items()
            for part, found in parts.items()
        ]
        arrays = {
            "walks": np.array([walk for walk, _, _ in rows], np.int64),
            "parts": np.array([part for _, part, _ in rows], np.int64),
            "found": np.array([found for _, _, found in rows], np.float64),
        }
        save_arrays(self._file, _FILE, {"question": self._question}, arrays)
        self._written, self._new = clock.now(), 0

    def _read(self, file: Path) -> None:
        header, arrays = load_arrays(file, _FILE)
        if header["question"] != self._question:
            raise FileError(
                f"{file} is a checkpoint of another question: {header['question']:.300}; remove "
                "it, or give another file with checkpoint"
            )
        for walk, part, row in zip(
            arrays["walks"].tolist(),
            arrays["parts"].tolist(),
            arrays["found"].tolist(),
            strict=True,
        ):
            found = Found(row[0], row[1], *map(int, row[2:]))
            self._known.setdefault(walk, {})[part] = found
