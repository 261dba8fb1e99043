"""Files: writing is done as a whole or not at all, and reading never waits for another process.

A writer writes a part beside the target, and then renames the part over the target. So a reader
sees the old file or the new one, also after a crash. If the target is a symbolic link, the writer
replaces the file that the link points to, and the link stays. If the target is no regular file,
such as a device or a pipe, the writer writes to it directly, because to replace it would destroy
it. A writer that is killed leaves its part beside the target, and the next writer of the file
removes it.
"""

import contextlib
import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import Final

from hiddenhand import clock, locks
from hiddenhand.errors import FileError, OptionError

_PART: Final = ".hiddenhand.part"
_RANDOM: Final = "[a-z0-9_]{8}"  # what `tempfile` puts between prefix and suffix
_ABANDONED: Final = 60.0  # seconds; a writer locks its part long before
_POLL: Final = 0.1  # seconds between two looks at a lock that is taken
_AT_ONCE: Final = getattr(os, "O_NONBLOCK", 0)
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def user_data() -> Path:
    """Return the folder of results of long work: ``$HIDDENHAND_DATA``, or ``hiddenhand`` in the
    user's data folder. Raises FileError if there is no home folder.
    """
    if chosen := os.environ.get("HIDDENHAND_DATA"):
        return Path(chosen)
    if base := os.environ.get("XDG_DATA_HOME"):
        return Path(base) / "hiddenhand"
    try:
        return Path.home() / ".local" / "share" / "hiddenhand"
    except RuntimeError:
        raise FileError(
            "there is no home folder to keep tables in; set HIDDENHAND_DATA to a folder"
        ) from None


def newer_format(where: object, found: object, newest: int) -> FileError:
    """The error for a file, or a part of one, that a later version of the package wrote.

    found: the number of its format.
    newest: the newest format that this version reads.
    """
    return FileError(
        f"{where} has format {found!s:.20}, and this version of Hiddenhand reads formats up to "
        f"{newest}; install a newer version"
    )


def as_path(path: Path | str, name: str) -> Path:
    """Return the argument ``name`` as a path. Raises OptionError if it is no path, or empty."""
    if not isinstance(path, (str, os.PathLike)) or path == "":
        raise OptionError(f"{name}={path!r:.60} is not allowed; give the path of a file")
    return Path(path)


@contextlib.contextmanager
def alone_at(path: Path) -> Iterator[None]:
    """Of all processes that give the same path, one runs the block at a time, and the others wait.
    While the block runs, there is a file at the path. On systems and in folders without file locks,
    no process waits.
    """
    if not locks.EXIST:
        yield
        return
    file = _locked(path)
    try:
        yield
    finally:
        locks.delete_and_close(path, file)


def _locked(path: Path) -> int:
    """Return an open file at ``path``, whose lock this process holds. Raises FileError if the file
    cannot be made.
    """
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise FileError(
                f"{path} cannot be written ({_reason(error)}); give a path in a folder you may "
                "write to"
            ) from None
        try:
            while not locks.takes_lock_if_there_is_one(file):
                clock.sleep(_POLL)
            if locks.is_at(path, file):
                return file
        except BaseException:  # Ctrl-C, too
            os.close(file)
            raise
        os.close(file)  # the process that held the lock has deleted the file


def write_file(path: Path | str, *content: bytes | memoryview) -> None:
    """Write ``content``, one part behind the other, to ``path`` by `write_whole`. Raises FileError
    if this fails, and OptionError if ``path`` is none.
    """
    target = as_path(path, "path")
    try:
        write_whole(target, *content)
    except (OSError, ValueError) as error:
        full = getattr(error, "errno", None) in _NO_ROOM
        cure = (
            "make room there, or give another path"
            if full
            else "give a path in a folder you may write to"
        )
        raise FileError(f"{path} cannot be written ({_reason(error)}); {cure}") from None


def write_whole(path: Path, *content: bytes | memoryview, private: bool = False) -> None:
    """Write ``content``, one part behind the other, to ``path``, and create the folder if needed.
    Raises OSError if this fails; the old file is then still there.

    private: whether only the user may read the file.
    """
    if _is_special(path):
        # opened so, nothing is created and nothing is cut off
        with os.fdopen(os.open(path, os.O_WRONLY), "wb") as file:
            for piece in content:
                file.write(piece)
        return
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target)
    handle, part = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.", suffix=_PART)
    try:
        with os.fdopen(handle, "wb") as file:
            # in a folder without locks, no writer removes parts of others
            with contextlib.suppress(OSError):
                locks.takes_lock(file.fileno())
            for piece in content:
                file.write(piece)
        if not private:  # as it is made
            Path(part).chmod(0o666 & ~_umask())
        Path(part).replace(target)
    except BaseException:  # Ctrl-C, too, perhaps when the part has its name already
        Path(part).unlink(missing_ok=True)
        raise


def open_to_read(path: Path | str) -> BufferedReader:
    """Return the file at ``path``, open for reading. Raises FileError unless it is a regular file
    that may be read, also for a pipe, because opening a pipe would wait for a writer.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _AT_ONCE)
    except (FileNotFoundError, NotADirectoryError):
        raise FileError(f"there is no file {path}") from None
    except (OSError, ValueError) as error:
        raise FileError(
            f"{path} cannot be read ({_reason(error)}); give a file that you may read"
        ) from None
    mode = os.fstat(handle).st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        raise FileError(f"{path} cannot be read: it is {_kind_of(mode)}; give a regular file")
    return os.fdopen(handle, "rb")


def verify_regular(path: Path | str) -> None:
    """Raise FileError if ``path`` is something other than a regular file, such as a folder, a
    device or a pipe. A path where nothing is passes.
    """
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # nothing is there, or opening it raises the error
        return
    if not stat.S_ISREG(mode):
        raise FileError(
            f"{path} cannot be used: it is {_kind_of(mode)}; give a regular file, or a new path"
        )


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _kind_of(mode: int) -> str:
    named = (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISCHR, "a device"),
        (stat.S_ISBLK, "a device"),
    )
    return next((name for is_one, name in named if is_one(mode)), "no regular file")


def _is_special(path: Path) -> bool:
    """Whether there is something at ``path`` that is neither a regular file nor a folder."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _remove_abandoned(target: Path) -> None:
    """Remove parts of ``target`` whose writers no longer live. A writer's lock ends with its
    process.
    """
    pattern = re.compile(rf"{re.escape(target.name)}\.{_RANDOM}{re.escape(_PART)}")
    # in a folder that may not be read, parts stay
    with contextlib.suppress(OSError):
        found = [path for path in target.parent.iterdir() if pattern.fullmatch(path.name)]
        for path in found:
            if clock.since_1970() - path.lstat().st_mtime > _ABANDONED:
                _remove_if_abandoned(path)


def _remove_if_abandoned(part: Path) -> None:
    with contextlib.suppress(OSError, FileError):  # another writer may have removed it
        with open_to_read(part) as file:
            if _has_writer(file.fileno()):
                return
            handle = os.dup(file.fileno())
        locks.delete_and_close(part, handle)


def _has_writer(file: int) -> bool:
    """Whether another process writes an open part, or may write it, where there are no locks."""
    try:
        return not locks.takes_lock(file)
    except OSError:
        return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
