"""Archives: files, or parts of them, that hold named arrays and a header of plain values.

An archive is in NumPy's ``.npz`` format, whatever its suffix. Its header names the `Kind` of its
content, and has a SHA-256 of the header and of all arrays, which reveals a change of a single bit.
A checksum does not help against a file that an attacker made, and kernels do not check where they
write. So the code that reads an archive describes what it must hold, and gets exactly that or a
FileError.
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
from hiddenhand.files import as_path, newer_format, open_to_read, write_file

Arrays = Mapping[str, npt.NDArray[Any]]
Content = tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]
"""The header and the arrays of an archive."""

_VERSION: Final = 2
_COMPRESSED: Final = 2**27  # bytes of arrays; more take too long to compress
_TOLERANCE: Final = 1e-6  # how far a distribution may be from summing to 1


# --- what values of a header may be ---


def text(value: Any) -> bool:
    """Whether ``value`` is a string."""
    return isinstance(value, str)


def count(value: Any) -> bool:
    """Whether ``value`` is a whole number from 0 to 2**63 - 1."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def duration(value: Any) -> bool:
    """Whether ``value`` is a finite number of at least 0."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < math.inf


def mapping(value: Any) -> bool:
    """Whether ``value`` has values by name."""
    return isinstance(value, dict)


# --- what arrays may be ---


@dataclass(frozen=True)
class Array:
    """What one array must be.

    dtype: the type of its numbers, which are finite.
    shape: for each dimension its size, or a letter that stands for the same size in all arrays of
        the archive. A number to add may follow the letter, as in ``"I+1"``.
    least: the least number that is allowed; minus infinity allows all.
    most: the largest number that is allowed; infinity allows all.
    increasing: whether, in an array of one dimension, each number is larger than the one before.
    distinct: whether, in an array of one dimension, no number occurs twice.
    """

    dtype: type[np.generic]
    shape: tuple[int | str, ...]
    least: float = -math.inf
    most: float = math.inf
    increasing: bool = False
    distinct: bool = False

    def holds(self, array: npt.NDArray[Any], sizes: dict[str, int]) -> bool:
        """Whether ``array`` is as described.

        sizes: the sizes that letters of shapes stand for. The call adds letters that are new.
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
    """A demand on two arrays: one consists of rows that lie end to end, and the other has the start
    of each row. Row i is ``values[starts[i] : starts[i + 1]]``, and no row is empty.

    starts: the name of the array of starts.
    values: the name of the array of rows.
    layout: the allowed sizes of a row, as two numbers or as the name of the array that holds them:
        the count of numbers for each action, of which there is at least one, and the count of
        further numbers. None allows all sizes.
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
    """The content that archives of a kind must have. Readers ignore further content.

    name: the name of the kind in messages.
    header: for the name of each value in the header, a function that says whether a value is right.
    arrays: for the name of each array, its description.
    rows: descriptions of the arrays that consist of rows.
    format: the number of this description, which grows by 1 with each change that makes older
        archives unreadable. An archive names it in its header; without the name it is 1.
    upgrades: for the number of each older format that is still read, the function that makes
        content of the next format of it. None may be left out between the oldest and ``format``.
    """

    name: str
    header: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    rows: tuple[Rows, ...] = ()
    format: int = 1
    upgrades: Mapping[int, Callable[[Content], Content]] = field(default_factory=dict)

    def with_more(
        self,
        header: Mapping[str, Callable[[Any], bool]] | None = None,
        arrays: Mapping[str, Array] | None = None,
        rows: tuple[Rows, ...] = (),
    ) -> "Kind":
        """A kind of the same name that demands all that this one does, and more."""
        return Kind(
            self.name,
            {**self.header, **(header or {})},
            {**self.arrays, **(arrays or {})},
            (*self.rows, *rows),
            self.format,
            self.upgrades,
        )

    def upgraded(self, where: object, content: Content) -> Content:
        """The content of an archive of this format, made of that of an older one. Raises FileError,
        about ``where``, for a format that is newer, or that is no longer read.
        """
        found = content[0].get("format", 1)
        if type(found) is not int or found > self.format:
            raise newer_format(f"{where}, a {self.name},", found, self.format)
        for number in range(found, self.format):
            if number not in self.upgrades:
                raise FileError(
                    f"{where} holds a {self.name} of format {found}, which is no longer read; make "
                    "it anew"
                )
            content = self.upgrades[number](content)
        return content

    def verify(self, where: object, header: Mapping[str, Any], arrays: Arrays) -> None:
        """Raise FileError, about the file or part of a file ``where``, unless ``header`` and
        ``arrays`` are as described.
        """
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
    """The error for an archive of ``kind`` that holds something impossible under ``name``."""
    return FileError(f"{where} is damaged: no {kind} has such {name}; make it anew")


# --- writing and reading ---


def save_arrays(path: Path | str, kind: Kind, header: Mapping[str, Any], arrays: Arrays) -> None:
    """Write arrays and a header of plain values to one file. Raises FileError if the file cannot be
    written.
    """
    # released at once: Python 3.12.1 crashes where the traceback of an error still holds a view
    with _written(path, kind, header, arrays).getbuffer() as content:
        write_file(path, content)


def load_arrays(path: Path | str, *kinds: Kind) -> Content:
    """The header and the arrays of a file that `save_arrays` wrote. Raises FileError if it is
    missing, damaged, or none of ``kinds``, and OptionError if ``path`` is no path.
    """
    path = as_path(path, "path")
    with open_to_read(path) as file:
        return _read(path, file, kinds)


def packed(where: object, kind: Kind, header: Mapping[str, Any], arrays: Arrays) -> bytes:
    """Return the bytes of an archive. Raises FileError, about ``where``, if ``header`` and
    ``arrays`` are not as ``kind`` demands, because no reader would accept the archive.
    """
    return _written(where, kind, header, arrays).getvalue()


def _written(where: object, kind: Kind, header: Mapping[str, Any], arrays: Arrays) -> io.BytesIO:
    kind.verify(where, header, arrays)
    named = {"kind": kind.name, "version": _VERSION, **header}
    if kind.format > 1:
        named["format"] = kind.format
    written = json.dumps(named | {"sha256": _digest(named, arrays)})
    buffer = io.BytesIO()
    is_large = sum(array.nbytes for array in arrays.values()) > _COMPRESSED
    write = np.savez if is_large else np.savez_compressed
    write(buffer, _header=np.array(written), **arrays)  # type: ignore[arg-type]
    return buffer


def unpacked(where: object, content: bytes, *kinds: Kind) -> Content:
    """The header and the arrays of an archive. Raises FileError, about ``where``."""
    return _read(where, io.BytesIO(content), kinds)


def _read(where: object, file: BinaryIO, kinds: tuple[Kind, ...]) -> Content:
    try:
        header, arrays, seal = _parse(file)
        name, version = header["kind"], header["version"]
    except Exception:  # three parsers read foreign content, and raise all kinds of errors
        raise FileError(
            f"{where} cannot be read: it is damaged, or was not written by Hiddenhand"
        ) from None
    known = {kind.name: kind for kind in kinds}
    if name in known and type(version) is int and version > _VERSION:
        raise newer_format(where, version, _VERSION)
    if name not in known or version != _VERSION:
        raise FileError(
            f"{where} holds a {name:.40} of format {version!s:.20}; give a file with a "
            f"{' or '.join(known)} of format {_VERSION}"
        )
    if seal != _digest(header, arrays):
        raise FileError(f"{where} is damaged: its checksum is wrong; make it anew")
    header, arrays = known[name].upgraded(where, (header, arrays))
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
    """Return the SHA-256 of the content, which depends on neither order nor compression."""
    found = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        found.update(json.dumps([name, array.dtype.str, array.shape]).encode())
        found.update(np.ascontiguousarray(array).reshape(-1).data)
    return found.hexdigest()
