"""Contents of our own files: cut, with other bytes, noise; or whole and with a right checksum,
which is easy to make, but with other numbers.
"""

import contextlib
import hashlib
import io
import json
import random
import warnings
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from fuzzing.drawing import FLOATS, NUMBERS, changed_json, damaged, damaged_bytes, json_text

_SEAL = "sha256"  # what the header of an archive calls its checksum
_TYPES = ("f4", "f8", "i4", "i8", "u8", "u1", "c16", "S3", "?")
_FRONT = b"hiddenhand arrays 1\n"  # of a file that is mapped
_PLACE = 4096  # a multiple of it is where its arrays begin


class Archive:
    """An archive of arrays, of which others are made.

    whole: its content.
    """

    def __init__(self, whole: bytes) -> None:
        self.whole = whole
        with np.load(io.BytesIO(whole)) as archive:
            self._arrays = {name: archive[name] for name in archive.files}
        self._header = json.loads(str(self._arrays.pop("_header")))

    def other(self, source: random.Random) -> tuple[bytes, bool]:
        """Another content, and whether its checksum was made for it."""
        if source.random() < 0.5:
            return damaged_bytes(source, self.whole), False
        header, arrays = dict(self._header), dict(self._arrays)
        if source.random() < 0.05:  # one digit of the checksum, in a file that is whole besides
            seal, place = header[_SEAL], source.randrange(64)
            digit = source.choice([digit for digit in "0123456789abcdef" if digit != seal[place]])
            header[_SEAL] = seal[:place] + digit + seal[place + 1 :]
            return packed(json.dumps(header), arrays), False
        for _ in range(source.choice((1, 1, 2))):
            if source.random() < 0.3:
                header = changed_json(source, header)
            elif arrays:
                change(source, arrays)
        return packed(_sealed(header, arrays), arrays), True


def change(source: random.Random, arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Change something in one of the arrays."""
    name = source.choice(sorted(arrays))
    array, kind = arrays[name], source.randrange(7)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of numbers that lose a part of them
            with contextlib.suppress(ValueError):  # letters that are no number stay what they are
                arrays[name] = array.astype(source.choice(_TYPES))
    elif kind == 2:
        shapes = (0, 1, array.size + 1, (2, 3), (), max(array.size - 1, 0))
        arrays[name] = np.resize(array, source.choice(shapes))
    elif array.size:
        changed = array.copy().reshape(-1)
        with np.errstate(all="ignore"):
            for _ in range(source.choice((1, 1, 3))):
                number = source.choice((*NUMBERS, *FLOATS, source.randint(-5, 50)))
                value = np.array([float(number) if abs(number) < 1e308 else 1e308])
                place = source.randrange(changed.size)
                changed[place : place + 1] = value.astype(changed.dtype)
        arrays[name] = changed.reshape(array.shape)


def packed(header: str, arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """An archive as NumPy writes it, without compression."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in (("_header", np.array(header)), *arrays.items()):
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
            archive.writestr(f"{name}.npy", member.getvalue())
    return buffer.getvalue()


def _sealed(header: Any, arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """A header with the checksum of it and of the arrays."""
    if not isinstance(header, dict):
        return json.dumps(header)
    named = {name: value for name, value in header.items() if name != _SEAL}
    found = hashlib.sha256(json.dumps(named, sort_keys=True).encode())
    for name in sorted(arrays):
        found.update(json.dumps([name, arrays[name].dtype.str, arrays[name].shape]).encode())
        found.update(np.ascontiguousarray(arrays[name]).tobytes())
    return json.dumps(named | {_SEAL: found.hexdigest()})


class MappedFile:
    """A file of arrays that is mapped into memory, of which others are made.

    whole: its content.
    """

    def __init__(self, whole: bytes) -> None:
        self.whole = whole
        front = len(_FRONT) + 65
        length = int.from_bytes(whole[front : front + 8], "little")
        self._header = json.loads(whole[front + 8 : front + 8 + length])
        begin = front + 8 + length
        self._body = whole[begin + -begin % _PLACE :]

    def other(self, source: random.Random) -> tuple[bytes, bool]:
        """Another content, and whether its checksums were made for it."""
        kind = source.random()
        if kind < 0.4:
            return damaged_bytes(source, self.whole), False
        if kind < 0.6:
            return self._front_damaged(source), False
        header, body = dict(self._header), self._body
        if kind < 0.85:
            for _ in range(source.choice((1, 1, 2))):
                header = changed_json(source, header)
        if kind > 0.75:
            body = damaged_bytes(source, body)
            if isinstance(header, dict):
                header["digests"] = [hashlib.sha256(body).hexdigest()]
        return _with_front(json.dumps(header).encode(), body), True

    def _front_damaged(self, source: random.Random) -> bytes:
        """The file with other bytes in its front, where a header says what it is."""
        front = damaged_bytes(source, self.whole[: len(self.whole) - len(self._body)])
        return front + self._body


def _with_front(header: bytes, body: bytes) -> bytes:
    front = _FRONT + hashlib.sha256(header).hexdigest().encode() + b"\n"
    front += len(header).to_bytes(8, "little") + header
    return front + bytes(-len(front) % _PLACE) + body


def text_lines(source: random.Random, right: str) -> str:
    """Lines of JSON of which some are changed, missing, or there twice."""
    lines = right.splitlines()
    for _ in range(source.choice((1, 1, 2))):
        place = source.randrange(len(lines)) if lines else 0
        kind = source.random()
        if kind < 0.2 or not lines:
            lines.insert(place, json_text(source, {"iterations": 1}))
        elif kind < 0.3:
            del lines[place]
        elif kind < 0.4:
            lines.insert(place, source.choice(lines))
        elif kind < 0.6:
            lines[place] = damaged(source, lines[place])
        else:
            lines[place] = json_text(source, json.loads(right.splitlines()[0]))
    return "\n".join(lines)
