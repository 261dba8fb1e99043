"""Compiling in the background, while kernels run.

The compiler is Python, and holds Numba's lock. In a thread it would slow the rest of the program
down, and let it wait where another kernel has to be loaded. So it works in a process, forked from
this one: whatever rules there are here, also those typed into a notebook, are there as well. The
process writes the machine code to disk, where this one finds it, and ends.

There is a thread instead where processes cannot be forked safely, where the machine code cannot be
kept on disk, and where this process is large: what is forked shares memory only as long as neither
process writes to it.
"""

import atexit
import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from numba.core import event
from numba.core.compiler_lock import global_compiler_lock

from hiddenhand.jit.cache import keeps_code

_NICENESS: Final = 3  # of the process that compiles; beside a full machine it still gets on
_LARGE: Final = 2**30  # bytes of memory above which nothing is forked
_AT_WORK: Final[list["Compilation"]] = []
"""At most one compilation at a time: what is compiled in turns is ready sooner, one by one."""


class Compilation:
    """Something that is being compiled in the background.

    is_of_parent: whether it was begun before this process was forked, and is lost to it.
    """

    def __init__(self, process: int | None, thread: threading.Thread | None) -> None:
        self.is_of_parent = False
        self._process = process
        self._thread = thread

    @classmethod
    def begun(cls, job: Callable[[], object]) -> "Compilation | None":
        """Begin; None while something else is being compiled."""
        while _AT_WORK:
            if not _AT_WORK[0].is_over():
                return None
        compilation = _forked(job) if may_fork() else _threaded(job)
        _AT_WORK.append(compilation)
        return compilation

    def is_over(self) -> bool:
        """Whether it has ended, with or without success."""
        if self.is_of_parent:
            over = True
        elif self._thread is not None:
            over = not self._thread.is_alive()
        else:
            over = self._has_exited()
        if over and self in _AT_WORK:
            _AT_WORK.remove(self)
        return over

    def _has_exited(self) -> bool:
        if self._process is None:
            return True
        try:
            exited, _ = os.waitpid(self._process, os.WNOHANG)
        except ChildProcessError:  # another caller has waited for it
            exited = self._process
        if exited:
            self._process = None
        return bool(exited)

    def end(self) -> None:
        """End it. A thread goes on, and ends with the process."""
        if self._process is not None and not self._has_exited():
            with contextlib.suppress(OSError):
                os.kill(self._process, signal.SIGKILL)
                os.waitpid(self._process, 0)


def may_fork() -> bool:
    """Whether a process may be forked to compile."""
    can = sys.platform == "linux" and hasattr(os, "fork")
    return can and keeps_code() and _resident_bytes() < _LARGE


def _resident_bytes() -> int:
    """How much memory this process has now, on Linux. The peak would not do, because Linux lets a
    new process begin with the peak of the process that started it. `_LARGE` where it cannot be
    read.
    """
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return _LARGE
    return pages * os.sysconf("SC_PAGE_SIZE")


def _forked(job: Callable[[], object]) -> Compilation:
    # This thread holds the compiler's lock, so no other thread compiles or loads code now. If one
    # did, the new process would get a copy of the lock as it is held, and would wait for ever.
    with global_compiler_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.12, where threads run
        process = os.fork()
        if process == 0:
            _compile_and_exit(job)
    return Compilation(process, None)


def _compile_and_exit(job: Callable[[], object]) -> NoReturn:
    """What the forked process does. It shares nothing with its parent, prints nothing, and is ended
    by any signal.
    """
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.nice(_NICENESS)
        event._registered.clear()  # listeners of the parent hear nothing of this compilation
        job()
    finally:
        os._exit(0)


def _threaded(job: Callable[[], object]) -> Compilation:
    def work() -> None:
        with contextlib.suppress(Exception):  # the kernel then stays in its generic form
            job()

    thread = threading.Thread(target=work, name="hiddenhand compiler", daemon=True)
    thread.start()
    return Compilation(None, thread)


def _end_all() -> None:
    for compilation in tuple(_AT_WORK):
        compilation.end()


def _forget() -> None:
    """In a forked process: what its parent began is not its own."""
    while _AT_WORK:
        _AT_WORK.pop().is_of_parent = True


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
