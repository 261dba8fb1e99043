"""What processes hold, and what they leave behind, from ``/proc`` of Linux and from folders."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MARK = "HIDDENHAND_SOAK"
"""The variable of the environment that marks the processes of a soak, and those they start."""
PATIENCE = 60.0
"""Seconds to wait for what must happen. Nothing is judged by its speed: to wait longer only makes a
breach certain.
"""
_MIB = 2**20


class BreachError(Exception):
    """Something is not as it must be."""


@dataclass(frozen=True)
class Held:
    """What a process holds.

    memory: MiB of memory, resident.
    files: open files.
    threads: threads.
    """

    memory: float
    files: int
    threads: int

    def __str__(self) -> str:
        return f"{self.memory:.0f} MiB, {self.files} files, {self.threads} threads"


def held(process: int | str = "self") -> Held:
    """What a process holds now."""
    place = Path("/proc") / str(process)
    pages = int((place / "statm").read_text().split()[1])
    return Held(
        pages * os.sysconf("SC_PAGE_SIZE") / _MIB,
        len(list((place / "fd").iterdir())),
        len(list((place / "task").iterdir())),
    )


def command_of(process: int) -> str:
    """The command of a process. A fork has that of the process that it comes from."""
    words = (Path("/proc") / str(process) / "cmdline").read_bytes()
    return words.replace(b"\0", b" ").decode(errors="replace").strip()


def started(mark: str) -> dict[int, str]:
    """The processes that live, this one excepted, and were started with ``mark`` in their
    environment or by this process: their commands, by their numbers.
    """
    commands: dict[int, str] = {}
    parents: dict[int, int] = {}
    marked: set[int] = set()
    for place in Path("/proc").glob("[0-9]*"):
        number = int(place.name)
        try:
            state, parent = (place / "stat").read_text().rpartition(")")[2].split()[:2]
            if state == "Z":
                continue
            words = command_of(number)
            if f"{MARK}={mark}".encode() in (place / "environ").read_bytes().split(b"\0"):
                marked.add(number)
        except OSError:  # it has ended, or is of another user
            continue
        parents[number], commands[number] = int(parent), words
    own = {number for number in commands if number in marked or _descends(number, parents)}
    return {number: commands[number] for number in own - {os.getpid()}}


def _descends(number: int, parents: dict[int, int]) -> bool:
    """Whether a process comes from this one."""
    while (number := parents.get(number, 0)) > 1:
        if number == os.getpid():
            return True
    return False


def wait_for(condition: Callable[[], bool], what: Callable[[], str]) -> None:
    """Wait until a condition holds. Raises BreachError, with the words of ``what``, if it never
    does.
    """
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            raise BreachError(what())
        time.sleep(0.02)


def files_in(folder: Path) -> list[str]:
    """All files below a folder, with their paths in it."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def parts_in(folder: Path) -> list[str]:
    """The files below a folder that were not written to their ends."""
    return [name for name in files_in(folder) if name.endswith(".part")]


def kill_all(processes: dict[int, str]) -> None:
    """End processes that should have ended by themselves."""
    for number in processes:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue
