"""Files of arrays that are mapped into memory, not read. They open at once, whatever their size,
and all processes share them.

A file begins with a line that names its format, and a header of JSON: the kind of the file, facts
about it, and the place of each array. The header has a SHA-256 of itself, and one of each mebibyte
of the arrays. `Mapped.verify` checks a part when the program first uses it.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import FileError
from hiddenhand.files import newer_format, open_to_read, write_file
from hiddenhand.systems import WINDOWS

Arrays = Mapping[str, npt.NDArray[Any]]

_NUMBER: Final = 1  # of the format
_FAMILY: Final = b"hiddenhand arrays"  # begins files of all formats
_BEGINS: Final = b"%s %d\n" % (_FAMILY, _NUMBER)
_CHUNK: Final = 2**20  # bytes with a digest of their own
_ALIGNED: Final = 4096
_MOST_HEADER: Final = 2**26  # bytes
_TYPE: Final = re.compile(r"[|<>](?:[iu][1248]|f[248])")
_FIELDS: Final = {"kind": str, "about": dict, "arrays": list, "digests": list}


@dataclass(frozen=True, eq=False)
class Mapped:
    """A file of arrays.

    path: the file.
    kind: the kind of its content, in a word or two.
    about: the facts in the header.
    arrays: the read-only arrays, by name. Call `verify` before using a part of one.
    format: the number of the format of the content, which grows with each change of what ``about``
        and ``arrays`` mean; the caller reads older ones by themselves.
    """

    path: Path
    kind: str
    about: dict[str, Any]
    arrays: dict[str, npt.NDArray[Any]]
    _places: dict[str, int]
    _digests: list[str]
    _begin: int
    format: int = 1
    _checked: set[int] = field(default_factory=set)

    @classmethod
    def load(cls, path: Path | str, made_by: str, newest: int = 1) -> Self:
        """Open a file. Raises FileError unless it is whole, and its header intact.

        made_by: the command that makes such files, for messages.
        newest: the newest format of the content that the caller reads; see ``format``.
        """
        with open_to_read(path) as file:
            header, begin = _header(path, file, made_by, newest)
            size = os.fstat(file.fileno()).st_size
        arrays, places, at = dict[str, npt.NDArray[Any]](), dict[str, int](), 0
        for name, dtype, length in header["arrays"]:
            places[name] = at
            at += length * np.dtype(dtype).itemsize
        if size != begin + at:
            raise FileError(
                f"{path} is not whole: it has {size:,} bytes, not {begin + at:,}; make it anew "
                f"with {made_by}"
            )
        for name, dtype, length in header["arrays"]:
            if length:
                arrays[name] = _array(path, dtype, begin + places[name], length)
            else:
                arrays[name] = np.zeros(0, dtype)
        return cls(
            Path(path),
            header["kind"],
            header["about"],
            arrays,
            places,
            header["digests"],
            begin,
            header.get("format", 1),
        )

    def verify_types(self, **types: str) -> None:
        """Raise FileError unless the file has arrays of these types, by name."""
        found = {name: array.dtype.str for name, array in self.arrays.items()}
        if found != types:
            raise FileError(f"{self.path} is of another version; make it anew")

    def verify(self, name: str, first: int, size: int) -> None:
        """Check the digests of a part of an array, once. Raises FileError if one is wrong."""
        self.verify_all(name, np.array([first]), np.array([size]))

    def verify_all(
        self, name: str, first: npt.NDArray[np.int64], size: npt.NDArray[np.int64]
    ) -> None:
        """Check the digests of many parts of an array, once. Raises FileError if one is wrong.

        first, size: ``int64[...]``, the begin and the size of each part.
        """
        each = self.arrays[name].itemsize
        begin = self._places[name] + first[size > 0] * each
        ends = begin + size[size > 0] * each
        chunks, last = begin // _CHUNK, (ends - 1) // _CHUNK
        wanted = {*chunks.tolist(), *last.tolist()}
        for one in np.flatnonzero(last - chunks > 1):
            wanted.update(range(chunks[one], last[one]))
        missing = sorted(wanted - self._checked)
        if not missing:
            return
        with open_to_read(self.path) as file:
            for chunk in missing:
                file.seek(self._begin + chunk * _CHUNK)
                if hashlib.sha256(file.read(_CHUNK)).hexdigest() != self._digests[chunk]:
                    raise FileError(f"{self.path} is damaged; make it anew")
                self._checked.add(chunk)


def write_mapped(
    path: Path | str, kind: str, about: Mapping[str, Any], arrays: Arrays, form: int = 1
) -> None:
    """Write a file of arrays, of one dimension each. Raises FileError if this fails; an old file is
    then still there.

    form: the number of the format of the content, see `Mapped`.
    """
    parts = [np.ascontiguousarray(array).view(np.uint8).data for array in arrays.values()]
    header = {
        "kind": kind,
        "about": dict(about),
        "arrays": [[name, array.dtype.str, array.size] for name, array in arrays.items()],
        "digests": _digests(parts),
    } | ({"format": form} if form > 1 else {})
    text = json.dumps(header).encode()
    front = _BEGINS + hashlib.sha256(text).hexdigest().encode() + b"\n"
    front += len(text).to_bytes(8, "little") + text
    front += bytes(-len(front) % _ALIGNED)
    write_file(path, front, *parts)


def _array(path: Path | str, dtype: str, at: int, length: int) -> npt.NDArray[Any]:
    """A read-only array from a file. On Windows it is read, because a file that is mapped could not
    be replaced by a newer one.
    """
    if not WINDOWS:
        return np.memmap(path, dtype, "r", at, (length,))
    array = np.fromfile(path, dtype, length, offset=at)
    array.flags.writeable = False
    return array


def _digests(parts: list[memoryview]) -> list[str]:
    """Return the digests of the chunks of all parts, one part behind the other."""
    ends = np.cumsum([0, *map(len, parts)]).tolist()
    found = []
    for begin in range(0, ends[-1], _CHUNK):
        digest = hashlib.sha256()
        for part, (first, last) in zip(parts, pairwise(ends), strict=True):
            if first < begin + _CHUNK and last > begin:
                digest.update(part[max(begin - first, 0) : begin + _CHUNK - first])
        found.append(digest.hexdigest())
    return found


def is_mapped(path: Path | str) -> bool:
    """Whether a file begins as those do that `write_mapped` writes. Raises FileError if it cannot
    be read.
    """
    with open_to_read(path) as file:
        return bool(file.read(len(_FAMILY)) == _FAMILY)


def _header(path: Path | str, file: Any, made_by: str, newest: int) -> tuple[dict[str, Any], int]:
    """Return the header of a file, and the place where the arrays begin."""
    begins = file.read(len(_BEGINS))
    if begins != _BEGINS:
        if begins.startswith(_FAMILY):
            number = begins.split(b" ")[-1].strip()
            if number.isdigit() and int(number) > _NUMBER:
                raise newer_format(path, int(number), _NUMBER)
            raise FileError(f"{path} is of another version; make it anew with {made_by}")
        raise FileError(f"{path} is no file that {made_by} wrote; give a file of that command")
    damaged = FileError(f"{path} is damaged; make it anew with {made_by}")
    digest = file.read(65).decode("ascii", "replace")
    length = int.from_bytes(file.read(8), "little")
    text = file.read(length) if length <= _MOST_HEADER else b""
    if f"{hashlib.sha256(text).hexdigest()}\n" != digest:
        raise damaged
    try:
        header: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):  # made on purpose: its digest is right
        raise damaged from None
    form = header.get("format", 1) if isinstance(header, dict) else 1
    if type(form) is int and form > newest:
        raise newer_format(f"{path}, of the kind {header.get('kind')!s:.40},", form, newest)
    if not _is_header(header) or type(form) is not int:
        raise FileError(f"{path} is of another version; make it anew with {made_by}")
    filling = bytes(-file.tell() % _ALIGNED)
    if file.read(len(filling)) != filling:
        raise damaged
    return header, file.tell()


def _is_header(said: Any) -> bool:
    """Whether parsed JSON is a header. Anyone can make a digest that fits."""
    if not isinstance(said, dict):
        return False
    if any(type(said.get(name)) is not kind for name, kind in _FIELDS.items()):
        return False
    arrays, digests = said["arrays"], said["digests"]
    if not all(map(_is_array, arrays)) or len({name for name, _, _ in arrays}) < len(arrays):
        return False
    size = sum(length * np.dtype(dtype).itemsize for _, dtype, length in arrays)
    return len(digests) == -(-size // _CHUNK) and all(isinstance(one, str) for one in digests)


def _is_array(said: Any) -> bool:
    """Whether parsed JSON is the name, the type and the length of an array."""
    if not isinstance(said, list) or [type(value) for value in said] != [str, str, int]:
        return False
    return _TYPE.fullmatch(said[1]) is not None and said[2] >= 0
