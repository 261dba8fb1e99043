"""Archives: files, or parts of them, that hold named arrays and a header of plain values.

An archive is in NumPy's ``.npz`` format, whatever its suffix. Its header says what `Kind` of thing
it holds and carries a SHA-256 of the header and of all arrays, so a change of a single bit is
noticed. That does not help against a file that somebody made on purpose, and kernels do not look
where they write. So whoever reads a kind of archive describes what it must hold, and gets that or
a FileError.
"""

import hashlib
import io
import json
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import FileError
from hiddenhand.files import open_to_read, write_file

Arrays = Mapping[str, npt.NDArray[Any]]

_VERSION: Final = 2
_TOLERANCE: Final = 1e-6  # how far a distribution may be from summing to 1


# --- what values of a header may be ---


def text(value: Any) -> bool:
    return isinstance(value, str)


def count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def duration(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


# --- what arrays may be ---


@dataclass(frozen=True)
class Array:
    """What one array must be.

    dtype: the type of its numbers, which are finite.
    shape: for each dimension a number, or a letter that stands for the same number in all arrays of
        the archive, perhaps as in ``"I+1"``.
    least, most: bounds of its numbers; None where there are none.
    increasing: of a list, whether each number is larger than the one before.
    distinct: of a list, whether no number is there twice.
    """

    dtype: type[np.generic]
    shape: tuple[int | str, ...]
    least: float = -math.inf
    most: float = math.inf
    increasing: bool = False
    distinct: bool = False

    def holds(self, array: npt.NDArray[Any], sizes: dict[str, int]) -> bool:
        """Whether ``array`` is as described. ``sizes``: what letters stand for; new ones are
        added.
        """
        if array.dtype != np.dtype(self.dtype) or array.ndim != len(self.shape):
            return False
        if not all(
            _agrees(size, wanted, sizes)
            for size, wanted in zip(array.shape, self.shape, strict=True)
        ):
            return False
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            return False
        if self.increasing and not (array[1:] > array[:-1]).all():
            return False
        if self.distinct and np.unique(array).size < array.size:
            return False
        return not array.size or bool(array.min() >= self.least and array.max() <= self.most)


def _agrees(size: int, wanted: int | str, sizes: dict[str, int]) -> bool:
    if isinstance(wanted, int):
        return size == wanted
    letter, _, more = wanted.partition("+")
    return sizes.setdefault(letter, size - int(more or 0)) == size - int(more or 0)


@dataclass(frozen=True)
class Rows:
    """That an array consists of rows, one behind the other: row i is ``values[starts[i] :
    starts[i + 1]]``.

    starts, values: the names of the two arrays.
    layout: two numbers, or the name of the array that holds them: how many numbers a row has for
        each of its actions, of which there is at least one, and how many besides; None for rows of
        any size but 0.
    distributions: whether each row sums to 1.
    """

    starts: str = "starts"
    values: str = "values"
    layout: tuple[int, int] | str | None = None
    distributions: bool = False

    def hold(self, arrays: Arrays) -> bool:
        """Whether the rows are as described."""
        starts, values = arrays[self.starts], arrays[self.values]
        if (
            not starts.size
            or starts[0] != 0
            or starts[-1] != values.size
            or not (starts[1:] > starts[:-1]).all()
        ):
            return False
        if self.layout is not None:
            per_action, per_set = map(
                int, arrays[self.layout] if isinstance(self.layout, str) else self.layout
            )
            own = np.diff(starts) - per_set
            if (
                per_action < 1
                or per_set < 0
                or (own < per_action).any()
                or (own % per_action).any()
            ):
                return False
        return (
            not self.distributions
            or starts.size == 1
            or bool((abs(np.add.reduceat(values, starts[:-1]) - 1.0) <= _TOLERANCE).all())
        )


@dataclass(frozen=True)
class Kind:
    """What archives of a kind hold: by name, what each value of the header and each array must be.

    There may be more, at which a reader does not look.
    """

    name: str
    header: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    rows: tuple[Rows, ...] = ()

    def with_more(
        self,
        header: Mapping[str, Callable[[Any], bool]] | None = None,
        arrays: Mapping[str, Array] | None = None,
        rows: tuple[Rows, ...] = (),
    ) -> "Kind":
        """A kind that holds all this, and more."""
        return Kind(
            self.name,
            {**self.header, **(header or {})},
            {**self.arrays, **(arrays or {})},
            (*self.rows, *rows),
        )

    def verify(self, where: object, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Raise FileError, about ``where``, unless all is as described."""
        sizes: dict[str, int] = {}
        for name, fits in self.header.items():
            if name not in header or not fits(header[name]):
                raise defect(where, self.name, name)
        for name, array in self.arrays.items():
            if name not in arrays or not array.holds(arrays[name], sizes):
                raise defect(where, self.name, name)
        for rows in self.rows:
            if not rows.hold(arrays):
                raise defect(where, self.name, rows.starts)


def defect(where: object, kind: str, name: str) -> FileError:
    """What is raised for something that no archive of ``kind`` can hold under ``name``."""
    return FileError(f"{where} is damaged: no {kind} has such {name}; make it anew")


# --- writing and reading ---


def save_arrays(path: Path | str, kind: Kind, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write arrays and a header of plain values to one file. Raises FileError where that cannot be
    done.
    """
    write_file(path, packed(path, kind, header, arrays))


def load_arrays(
    path: Path | str, *kinds: Kind
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The header and the arrays of a file that `save_arrays` wrote. Raises FileError if it is
    missing, damaged, or none of ``kinds``.
    """
    with open_to_read(path) as file:
        return _read(path, file, kinds)


def packed(where: object, kind: Kind, header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """An archive. What could not be read again is not written: raises FileError, about
    ``where``.
    """
    kind.verify(where, header, arrays)
    named = {"kind": kind.name, "version": _VERSION, **header}
    written = json.dumps(named | {"sha256": _digest(named, arrays)})
    buffer = io.BytesIO()
    np.savez_compressed(buffer, _header=np.array(written), **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpacked(
    where: object, content: bytes, *kinds: Kind
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The header and the arrays of an archive. Raises FileError, about ``where``."""
    return _read(where, io.BytesIO(content), kinds)


def _read(
    where: object, file: BinaryIO, kinds: tuple[Kind, ...]
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    try:
        header, arrays, seal = _parse(file)
        name, version = header["kind"], header["version"]
    except (
        Exception
    ):  # three parsers read what anybody may have written, and raise whatever they like
        raise FileError(
            f"{where} cannot be read: it is damaged, or was not written by Hiddenhand"
        ) from None
    known = {kind.name: kind for kind in kinds}
    if name not in known or version != _VERSION:
        raise FileError(
            f"{where} holds a {name:.40} of format {version!s:.20}; needed is a "
            f"{' or '.join(known)} of format {_VERSION}"
        )
    if seal != _digest(header, arrays):
        raise FileError(f"{where} is damaged: its checksum is wrong; make it anew")
    known[name].verify(where, header, arrays)
    return header, arrays


def _parse(file: BinaryIO) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]], object]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # they are about files that we never write
        with np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
    header = json.loads(str(arrays.pop("_header")))
    seal = header.pop("sha256", None)
    if not isinstance(header["kind"], str) or any(
        array.dtype.kind not in "biuf" for array in arrays.values()
    ):
        raise ValueError
    return header, arrays, seal


def _digest(header: Mapping[str, Any], arrays: Arrays) -> str:
    """The SHA-256 of the content, whatever order it comes in and however it is compressed."""
    found = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        found.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        found.update(np.ascontiguousarray(array).reshape(-1).data)
    return found.hexdigest()
