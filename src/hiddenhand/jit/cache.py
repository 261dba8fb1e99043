"""Where machine code is kept on disk, and who may put it there.

The program runs this machine code, so it uses a file only if no other user can have written it. The
rule is that of OpenSSH for its keys: files and folders must belong to the user or to root, and no
other user may write to them. Folders are made for the user alone. Every file begins with `_HEADER`,
which marks it as a file of this package, and with a checksum over its name and contents. A kernel
whose file is damaged or was renamed is compiled anew. Files are written beside their target and
renamed, so any number of processes may compile at the same time. Processes that need the same
kernel take turns, see `compile_lock`.
"""

import contextlib
import functools
import hashlib
import os
import re
import stat
import tempfile
import warnings
from pathlib import Path
from typing import Final

from hiddenhand.errors import FileError
from hiddenhand.files import write_whole
from hiddenhand.jit.fingerprint import digest_text

# the modules that decide how kernels are compiled and kept, which no kernel names
_BRIDGE: Final = (
    *(
        "bridge.py",
        "cache.py",
        "dispatching.py",
        "generic_forms.py",
        "fingerprint.py",
        "helpers.py",
    ),
    *("bits.py", "inlining.py", "methods.py", "pointers.py", "views.py"),
)
_HEADER: Final = b"hiddenhand machine code 1\n"
_SEAL: Final = 32  # bytes of a SHA-256
_LEFTOVER: Final = re.compile(r"\w+-[0-9a-f]{16}\.code\.(.*\.part|turn)")
"""The files that a process which was killed leaves behind."""
_OTHERS_MAY_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def cache_root() -> Path:
    """The folder of all compiled code: ``$HIDDENHAND_CACHE``, or ``hiddenhand`` in the user's cache
    folder.

    A user without a home folder gets a folder among the temporary files.
    """
    if chosen := os.environ.get("HIDDENHAND_CACHE"):
        return Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "hiddenhand"
    try:
        return Path.home() / ".cache" / "hiddenhand"
    except RuntimeError:
        return Path(tempfile.gettempdir()) / f"hiddenhand-{_user()}"


def cache_folder() -> Path:
    """The folder for this version of the bridge."""
    return cache_root() / _bridge_digest()


@functools.cache
def _bridge_digest() -> str:
    return digest_text(
        "".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _BRIDGE)
    )


def read_code(name: str) -> bytes | None:
    """What was kept under ``name``, or None if it must be compiled, because there is no such file
    or because the file cannot be trusted.
    """
    try:
        if not _is_trusted(cache_root()) or not _is_trusted(cache_folder()):
            return None
        with (cache_folder() / name).open("rb") as file:
            if not _is_private(cache_folder() / name, os.fstat(file.fileno())):
                return None
            content = file.read()
    except OSError:
        return None
    header, seal = content[: len(_HEADER)], content[len(_HEADER) : len(_HEADER) + _SEAL]
    payload = content[len(_HEADER) + _SEAL :]
    return payload if header == _HEADER and seal == _seal(name, payload) else None


def write_code(name: str, payload: bytes) -> None:
    """Keep ``payload`` under ``name``. If that cannot be done, on a full disk for example, nothing
    is kept, and the kernel is compiled again the next time.
    """
    with contextlib.suppress(OSError):
        _make_folder()
        if _is_trusted(cache_root()) and _is_trusted(cache_folder()):
            content = _HEADER + _seal(name, payload) + payload
            write_whole(cache_folder() / name, content, private=True)


def turn_file(name: str) -> Path | None:
    """The file by which processes take turns to compile what is kept under ``name``, see
    `compile_lock`. None where no code is kept.
    """
    try:
        _make_folder()
        if not _is_trusted(cache_root()) or not _is_trusted(cache_folder()):
            return None
    except OSError:
        return None
    return cache_folder() / f"{name}.turn"


def keeps_code() -> bool:
    """Whether code can be kept on disk."""
    try:
        _make_folder()
        trusted = _is_trusted(cache_root()) and _is_trusted(cache_folder())
    except OSError:
        return False
    return trusted and os.access(cache_folder(), os.W_OK)


def clear_cache() -> int:
    """Delete all compiled code, of all versions, and nothing else. Returns the number of bytes
    freed.

    Raises FileError if some of it cannot be deleted.
    """
    freed = 0
    kept: list[tuple[Path, OSError]] = []
    for path in cache_root().glob("*/*.code*"):
        try:
            freed += _delete(path) if _is_ours(path) else 0
        except FileNotFoundError:
            pass  # another process clears as well
        except OSError as error:
            kept.append((path, error))
        with contextlib.suppress(OSError):  # not empty yet, or files of another program are there
            path.parent.rmdir()
    if kept:
        path, reason = kept[0]
        which = f"{path} and {len(kept) - 1} more" if len(kept) > 1 else f"{path}"
        raise FileError(
            f"{which} cannot be deleted ({reason.strerror}); make {path.parent} writable, or set "
            "HIDDENHAND_CACHE to another folder"
        )
    return freed


def _make_folder() -> None:
    cache_root().mkdir(mode=0o700, parents=True, exist_ok=True)
    cache_folder().mkdir(mode=0o700, exist_ok=True)


def _delete(path: Path) -> int:
    size = path.stat().st_size
    path.unlink()
    return size


def _is_ours(path: Path) -> bool:
    """Whether a file is compiled code, or what a process that was killed had written of it."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        begins = file.read(len(_HEADER))
    return begins == _HEADER or (
        _HEADER.startswith(begins) and bool(_LEFTOVER.fullmatch(path.name))
    )


def _seal(name: str, payload: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + payload).digest()


# --- trust ---


def _is_trusted(folder: Path) -> bool:
    """Whether no other user can have put anything into ``folder``, or can have made it a link to
    another folder. If another user can, a warning says so once.
    """
    link = folder.lstat()
    return _is_private(folder, folder.stat()) and (
        not stat.S_ISLNK(link.st_mode) or _is_owned(folder, link)
    )


def _is_private(path: Path, status: os.stat_result) -> bool:
    if not _is_owned(path, status):
        return False
    if status.st_mode & _OTHERS_MAY_WRITE and os.name == "posix":
        _say(
            f"{_folder_of(path)} is writable by other users, or files in it are, so they are not "
            f"used; run: chmod -R go-w {_folder_of(path)}"
        )
        return False
    return True


def _is_owned(path: Path, status: os.stat_result) -> bool:
    if status.st_uid in (0, _user()):
        return True
    _say(
        f"{_folder_of(path)} belongs to another user, or files in it do, so they are not used; set "
        "HIDDENHAND_CACHE to a folder of your own"
    )
    return False


def _folder_of(path: Path) -> Path:
    """The folder that a warning names, so that there is one warning for all files in it."""
    return path if path.is_dir() else path.parent


def _user() -> int:
    """The number of the user. On Windows, where every file belongs to number 0, it is 0."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


@functools.cache
def _say(sentence: str) -> None:
    """Warn, once in a process."""
    warnings.warn(sentence, RuntimeWarning, stacklevel=2)
