"""What differs between operating systems in how processes start, interrupt and outlive each other.

POSIX gives a process another parent when its parent ends. Windows does not. There a process opens
its parent, and asks whether it has ended. POSIX sends signals. On Windows ``os.kill`` ends a
process instead, and Ctrl-Break interrupts a child that has a group of its own.
"""

import importlib
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hiddenhand import clock

if TYPE_CHECKING:
    import socket
    import subprocess

_LOOK: Final = 1.0  # seconds between looks at whether the parent lives
_SYNCHRONIZE: Final = 0x100000  # the right to wait for a process of Windows
_WAIT_TIMEOUT: Final = 258  # what Windows answers as long as a process runs
_OWN_SESSION: Final = Path("/proc/self/autogroup")  # where Linux keeps the priority of a session


def module_or_none(name: str) -> Any:
    """A module that only some systems have; None where it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


WINDOWS: Final[bool] = os.name == "nt"
"""Whether this is Windows, where an open file can be neither deleted nor replaced."""
_WINAPI: Any = module_or_none("_winapi")


class Parent:
    """The process that started this one.

    number: its process id.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._handle: Any = None
        self._behind_server = None if WINDOWS else _parent_behind_server()
        if WINDOWS:
            try:
                self._handle = _WINAPI.OpenProcess(_SYNCHRONIZE, False, number)
            except OSError:  # it has ended
                self._handle = None

    @property
    def lives(self) -> bool:
        """Whether it has not ended yet."""
        if self._behind_server is not None:
            return bool(self._behind_server.is_alive())
        if not WINDOWS:
            return os.getppid() == self.number
        if self._handle is None:
            return False
        return bool(_WINAPI.WaitForSingleObject(self._handle, 0) == _WAIT_TIMEOUT)


def _parent_behind_server() -> Any:
    """What `multiprocessing` knows of the process that had this one started by a fork server, which
    is what the system calls the parent then; None for other processes. Python 3.14 on Linux starts
    processes so by default.
    """
    import multiprocessing

    if multiprocessing.get_start_method(allow_none=True) != "forkserver":
        return None
    return multiprocessing.parent_process()


def when_parent_ends(number: int, act: Callable[[], object]) -> None:
    """Call ``act`` from a thread soon after the parent, with process id ``number``, has ended."""
    parent = Parent(number)

    def watch() -> None:
        while parent.lives:
            clock.sleep(_LOOK)
        act()

    threading.Thread(target=watch, daemon=True).start()


def keep_port(opened: "socket.socket") -> None:
    """Let no other program listen at the port that a socket will be bound to, and let this one
    listen there again right after its end. On Windows ``SO_REUSEADDR`` would let two share it.
    """
    import socket

    name = "SO_EXCLUSIVEADDRUSE" if WINDOWS else "SO_REUSEADDR"
    opened.setsockopt(socket.SOL_SOCKET, getattr(socket, name), 1)


def interrupt_this_process(number: int = signal.SIGINT) -> None:
    """Send a signal to this process, as a terminal does. Any thread may call it."""
    if WINDOWS:
        signal.raise_signal(number)
    else:
        os.kill(os.getpid(), number)


def start_apart(command: list[str]) -> "subprocess.Popen[bytes]":
    """Start a child that reads nothing, writes nothing, has the lowest priority, and gets no Ctrl-C
    from the terminal. `lower_priority` lowers the priority on POSIX, in the child.
    """
    import subprocess

    nothing = subprocess.DEVNULL
    flags = 0
    if WINDOWS:
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.IDLE_PRIORITY_CLASS  # type: ignore[attr-defined]
    return subprocess.Popen(
        command,
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        start_new_session=not WINDOWS,
        creationflags=flags,
    )


def lower_priority() -> None:
    """Give this process the lowest priority. On Windows it has that from its start.

    Linux gives all sessions equal parts of the processors, whatever the priorities of the processes
    in them. So a process that leads a session also lowers the priority of this session.
    """
    if not hasattr(os, "nice"):
        return
    os.nice(19)
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # only Linux has this file
            _OWN_SESSION.write_text("19")


def interrupt_child(child: "subprocess.Popen[bytes]") -> None:
    """Interrupt a child of `start_apart`. On Windows, where that fails without a console, it is
    ended.
    """
    if not WINDOWS:
        child.send_signal(signal.SIGINT)
        return
    try:
        child.send_signal(signal.CTRL_BREAK_EVENT)  # type: ignore[attr-defined]
    except OSError:
        child.kill()


def hear_interrupts() -> None:
    """In a child of `start_apart`: let `interrupt_child` raise KeyboardInterrupt. A shell may have
    had the signal ignored.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGBREAK"):  # on Windows
        signal.signal(signal.SIGBREAK, signal.default_int_handler)
