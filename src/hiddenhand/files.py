"""Files are written whole or not at all: beside the target, then renamed over it."""

import io
import json
import os
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import FileError

_VERSION: Final = 1


def write_whole(path: Path, content: bytes, *, private: bool = False) -> None:
    """Write ``content`` to ``path``, creating its folder. A reader, or a crash, sees the old file or the new one, never a part.

    ``private`` files are for the user alone.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        if not private:  # as it is made
            Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def save_arrays(path: Path | str, kind: str, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Write arrays and a header of plain values to one NumPy ``.npz`` file, whatever its suffix, marked with what ``kind`` of thing it holds."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, _header=np.array(json.dumps({"kind": kind, "version": _VERSION, **header})), **arrays)  # type: ignore[arg-type]
    try:
        write_whole(Path(path), buffer.getvalue())
    except OSError as error:
        raise FileError(f"{path} cannot be written ({error.strerror}); give a path in a folder you may write to") from None


def load_arrays(path: Path | str, *kinds: str) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The header and the arrays of a file that `save_arrays` wrote. Raises FileError if it is missing, damaged, or none of ``kinds``."""
    try:
        with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
        header = json.loads(str(arrays.pop("_header")))
        kind, version = header["kind"], header["version"]
    except FileNotFoundError:
        raise FileError(f"there is no file {path}") from None
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error):
        raise FileError(f"{path} cannot be read: it is damaged, or was not written by Hiddenhand") from None
    if kind not in kinds or version != _VERSION:
        raise FileError(f"{path} holds a {kind} of format {version}; needed is a {' or '.join(kinds)} of format {_VERSION}")
    return header, arrays
