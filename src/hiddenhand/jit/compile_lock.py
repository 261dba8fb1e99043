"""One process compiles a kernel, and the others that need it wait for the machine code.

A process that is about to compile takes a *turn*: a lock on a file beside the one that the code
will be kept in. A process that finds the lock taken waits, and finds the code when the lock is
free. The operating system frees the lock of a process that dies. A process that is forked closes
its copies of the files of turns, or else it would keep the locks of its parent. The file of a turn
is deleted at the end of the turn. The file of a process that was killed stays, without being
locked, until the next turn or until the cache is cleared.

A kernel that calls another takes a second turn while it holds the first. That cannot lock two
processes out of each other, because kernels do not recurse: a process that waits holds only turns
of kernels that call the one it waits for. A process gets no turn in a read-only folder, on a file
system without locks, or when it has waited too long. It then compiles the kernel without one: a
turn saves time, and nothing else depends on it.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hiddenhand import clock, locks

_LONGEST: Final = 60.0  # seconds to wait at most; most kernels take a few to compile
_POLL: Final = 0.02  # seconds between two looks at a lock that is taken
_OPENING: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)  # which Windows lacks


_open_files: Final[set[int]] = set()
"""The descriptors of all files of turns that this process has open."""


class Turns:
    """The turns that this process holds for one kernel, one for each combination of argument types
    that is being compiled.

    Two threads may use the turns of one kernel only while they hold Numba's global compiler lock,
    as `hiddenhand.jit.kernels` does: turns end in the opposite order to that in which they
    were taken.
    """

    def __init__(self) -> None:
        self._held: list[tuple[Path, int]] = []

    def take(self, path: Path) -> None:
        """Wait for the turn whose file is ``path``. Where there are no turns, or after too long a
        wait, none is held.
        """
        with contextlib.suppress(OSError):
            file = _locked_file(path, clock.now() + _LONGEST)
            if file is not None:
                self._held.append((path, file))

    @contextlib.contextmanager
    def ended(self) -> Iterator[None]:
        """End all turns that are taken within the block when it is left, however it is left."""
        before = len(self._held)
        try:
            yield
        finally:
            while len(self._held) > before:
                _free(*self._held.pop())


def _locked_file(path: Path, until: float) -> int | None:
    """An open file at ``path``, locked; None where locks do not exist, or if another process holds
    the lock ``until`` then. Raises OSError where files cannot be made or locked.
    """
    if not locks.EXIST:
        return None
    while True:
        file = os.open(path, _OPENING, 0o600)
        _open_files.add(file)
        try:
            if not _wait_for(file, until):
                _close(file)
                return None
            if locks.is_at(path, file):
                return file
        except BaseException:  # Ctrl-C, too
            _close(file)
            raise
        _close(file)  # the process that held the lock has deleted the file


def _wait_for(file: int, until: float) -> bool:
    """Lock a file; False if another process holds the lock ``until`` then."""
    while not locks.takes_lock(file):
        if clock.now() > until:
            return False
        clock.sleep(_POLL)
    return True


def _free(path: Path, file: int) -> None:
    """Delete the file of a turn, and free its lock. Nothing is done in a process that was forked
    after the turn was taken, because the turn is its parent's.
    """
    if file not in _open_files:
        return
    _open_files.discard(file)
    with contextlib.suppress(OSError):
        locks.delete_and_close(path, file)


def _close(file: int) -> None:
    _open_files.discard(file)
    os.close(file)


def _leave_to_parent() -> None:
    """Close the files of all turns in a process that was just forked. The locks stay with its
    parent.
    """
    while _open_files:
        os.close(_open_files.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)
