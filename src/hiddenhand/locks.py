"""Locks on open files. Of all processes that try to lock a file, one holds its lock, until it
closes the file or ends.

POSIX has them in ``fcntl``, and Windows in ``msvcrt``. Windows locks bytes, which others can then
neither read nor write. So the byte that is locked lies far behind the start of a file. Systems
without both have no locks: see `EXIST`.
"""

import contextlib
import errno
import os
from pathlib import Path
from typing import Any, Final

from hiddenhand import systems
from hiddenhand.systems import module_or_none

_BYTE: Final = 2**31 - 2  # which Windows locks
_FCNTL: Any = module_or_none("fcntl")
_MSVCRT: Any = None if _FCNTL is not None else module_or_none("msvcrt")
EXIST: Final[bool] = (_FCNTL or _MSVCRT) is not None
"""Whether this system has locks."""


def takes_lock(file: int) -> bool:
    """Take the lock of an open file, and return whether it was free.

    file: its descriptor.

    Raises OSError where the system, or the folder, has no locks.
    """
    if _FCNTL is not None:
        try:
            _FCNTL.flock(file, _FCNTL.LOCK_EX | _FCNTL.LOCK_NB)
        except BlockingIOError:
            return False
        return True
    if _MSVCRT is not None:
        return _takes_lock_of_windows(file)
    raise OSError(errno.ENOLCK, "this system has no locks")


def takes_lock_if_there_is_one(file: int) -> bool:
    """The same. Returns True where the system, or the folder, has no locks."""
    try:
        return takes_lock(file)
    except OSError:
        return True


def _takes_lock_of_windows(file: int) -> bool:
    at = os.lseek(file, 0, os.SEEK_CUR)
    os.lseek(file, _BYTE, os.SEEK_SET)
    try:
        _MSVCRT.locking(file, _MSVCRT.LK_NBLCK, 1)
    except PermissionError:
        return False
    finally:
        os.lseek(file, at, os.SEEK_SET)
    return True


def is_at(path: Path, file: int) -> bool:
    """Whether an open file is the one that is at ``path`` now."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def delete_and_close(path: Path, file: int) -> None:
    """Delete an open file whose lock this process holds, if it is still at ``path``, and close it.
    On Windows it is closed first, and stays if another process has opened it.
    """
    if systems.WINDOWS:
        os.close(file)
        with contextlib.suppress(OSError):
            path.unlink()
        return
    try:
        if is_at(path, file):
            path.unlink()
    finally:
        os.close(file)
