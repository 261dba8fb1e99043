"""A whole walk, made in parts by several threads.

A walk is cut into parts where the share of all probability falls to `LEAST`. So the cuts, the order
of the parts and the bits of the result do not depend on the number of threads. The top of the game,
above the cuts, is walked twice: first to find the parts, then with the values of the parts.

The finished parts may be kept in a file. The program writes the whole file anew every few seconds,
and then replaces the old one. A killed program loses the parts that it finished since, and those in
work.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.archives import Array, Kind, load_arrays, save_arrays, text
from hiddenhand.errors import FileError
from hiddenhand.evaluation.streaming_best_response import (
    DONE,
    HANDED_OVER,
    Found,
    Part,
    Task,
    Walker,
)

LEAST: Final = 1.0 / 4096.0
"""The largest share of all probability that a part has."""
_CHUNK: Final = 5_000_000  # histories; then a thread looks whether it is to stop
_WAITING: Final = 4  # parts that wait, for each thread

_FILE: Final = Kind(
    "checkpoint of nash-conv",
    {"question": text},
    {
        "walks": Array(np.int64, ("T",), least=0),
        "parts": Array(np.int64, ("T",), least=0),
        "found": Array(np.float64, ("T", len(Found._fields))),
    },
)
_SECONDS: Final = 10.0  # between two times that the file is written

Tell = Callable[[float, float, int], None]
"""Receives the finished share of all probability, how much of it an earlier run finished, and the
number of histories that this run visited.
"""


class Checkpoint:
    """The finished parts of several walks. Raises FileError if the file is about something else.

    file: the file that keeps them; None keeps them in memory.
    question: in words, what the walks are to find out.
    replaces: whether to replace a file about something else, or a damaged one.
    """

    def __init__(self, file: Path | None, question: str, *, replaces: bool = False) -> None:
        self._file = file
        self._question = question
        self._known: dict[int, dict[int, Found]] = {}
        self._written = clock.now()
        self._new = 0
        if file is not None and file.exists():
            with suppress(FileError) if replaces else nullcontext():
                self._read(file)

    @property
    def size(self) -> int:
        """How many parts are finished, of all walks."""
        return sum(len(parts) for parts in self._known.values())

    def known(self, walk: int) -> dict[int, Found]:
        """The finished parts of a walk, by their numbers."""
        return dict(self._known.get(walk, {}))

    def add(self, walk: int, part: int, found: Found) -> None:
        """Add a finished part. If the file cannot be written now, a later call writes it."""
        self._known.setdefault(walk, {})[part] = found
        self._new += 1
        if clock.now() - self._written > _SECONDS:
            self._written = clock.now()
            with suppress(FileError):
                self.write()

    def write(self) -> None:
        """Write the finished parts, if there is a file and a new part. Raises FileError."""
        if self._file is None or not self._new:
            return
        rows = [
            (walk, part, found)
            for walk, parts in self._known.items()
            for part, found in parts.items()
        ]
        arrays = {
            "walks": np.array([walk for walk, _, _ in rows], np.int64),
            "parts": np.array([part for _, part, _ in rows], np.int64),
            "found": np.array([found for _, _, found in rows], np.float64),
        }
        save_arrays(self._file, _FILE, {"question": self._question}, arrays)
        self._written, self._new = clock.now(), 0

    def _read(self, file: Path) -> None:
        header, arrays = load_arrays(file, _FILE)
        if header["question"] != self._question:
            raise FileError(
                f"{file} is a checkpoint of another question: {header['question']:.300}; remove "
                "it, or give another file with checkpoint"
            )
        for walk, part, row in zip(
            arrays["walks"].tolist(),
            arrays["parts"].tolist(),
            arrays["found"].tolist(),
            strict=True,
        ):
            found = Found(row[0], row[1], *map(int, row[2:]))
            self._known.setdefault(walk, {})[part] = found


def walked(task: Task, threads: int, checkpoint: Checkpoint, walk: int, tell: Tell) -> Found:
    """What a whole walk finds.

    threads: how many threads work.
    checkpoint: knows which parts are finished.
    walk: the number of this walk there.
    """
    found, top = checkpoint.known(walk), Walker(task, LEAST)
    masses: dict[int, float] = {}
    visited, before = 0, 0.0
    top.begin()
    with _Crew(task, threads) as crew:

        def take(all_of_them: bool) -> float:
            """Take note of finished parts. Returns their share of all probability."""
            nonlocal visited
            share = 0.0
            for number, result in crew.finished(all_of_them):
                found[number] = result
                checkpoint.add(walk, number, result)
                visited += result.histories
                share += masses.pop(number)
                if all_of_them:
                    tell(done + share + top.done, before, visited)
            return share

        done = 0.0
        while (told := top.go(_CHUNK)) != DONE:
            if told == HANDED_OVER:
                number, part = top.num_handed - 1, top.handed_over()
                if number in found:
                    done += part.mass
                    before += part.mass
                else:
                    masses[number] = part.mass
                    crew.give(number, part)
            done += take(False)
            tell(done + top.done, before, visited + top.found.histories)
        take(True)
    return _filled(task, [found[number] for number in range(top.num_handed)])


def _filled(task: Task, parts: list[Found]) -> Found:
    """What the walk finds whose parts have found ``parts``."""
    given = np.array([(part.value, part.own) for part in parts], np.float64).reshape(-1)
    top = Walker(task, LEAST, given)
    top.begin()
    while top.go(_CHUNK) != DONE:
        pass  # no group is handed over; between two chunks, Ctrl-C is heard
    above = top.found
    counts = np.array([above[2:], *(part[2:] for part in parts)], np.int64).sum(axis=0)
    return Found(above.value, above.own, *map(int, counts))


class _Crew:
    """Threads that walk through parts. If the block in which it is used fails, they stop soon.

    task: what the walk is to do.
    threads: how many threads there are.
    """

    def __init__(self, task: Task, threads: int) -> None:
        self._task = task
        self._threads = threads
        self._idle: SimpleQueue[Walker] = SimpleQueue()
        self._made = 0
        self._stop = Event()
        self._pool = ThreadPoolExecutor(threads)
        self._busy: dict[Future[Found], int] = {}

    def __enter__(self) -> "_Crew":
        return self

    def __exit__(self, *problem: object) -> None:
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)

    def give(self, number: int, part: Part) -> None:
        """Let a thread walk through a part."""
        if self._made < self._threads:
            self._idle.put(Walker(self._task))
            self._made += 1
        self._busy[self._pool.submit(self._walk, part)] = number

    def finished(self, all_of_them: bool) -> Iterator[tuple[int, Found]]:
        """The numbers of parts that are finished, and what was found there. It waits while too many
        parts are in work, or for all of them.
        """
        most = 0 if all_of_them else _WAITING * self._threads
        while self._busy:
            ready = [future for future in self._busy if future.done()]
            if not ready and len(self._busy) <= most:
                return
            if not ready:
                wait(self._busy, timeout=clock.timeout(0.5), return_when=FIRST_COMPLETED)
            for future in ready:
                yield self._busy.pop(future), future.result()

    def _walk(self, part: Part) -> Found:
        walker = self._idle.get()
        try:
            walker.begin_at(part)
            while walker.go(_CHUNK) != DONE:
                if self._stop.is_set():
                    raise RuntimeError("stopped")  # its result is not used any more
            return walker.found
        finally:
            self._idle.put(walker)  # another thread may use it, also if this part has failed
