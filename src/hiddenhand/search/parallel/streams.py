"""Streams: a search on several cores at once, with results that do not depend on the cores.

W logical streams search side by side, each with random numbers of its own and with a copy of the
tables (see `search.parallel.table_merging`). They go on in rounds. In a round every stream makes
the same number of iterations on its copy, and hears nothing of the others; then all copies are
merged, in the order of the streams. How long a round is follows from how many iterations were made
since thinking began, and before, how many there will be, and how many rows the last round added:
rounds are short while little is known, and then a fixed part of what was done, up to ``chunk``
iterations a stream. So the bits depend on W, on the chunk and on how many iterations each thinking
has, but neither on the number of threads nor on their speed. Kernels release the global lock of
Python, so threads are enough.

A stream makes a W-th of the iterations, and its copy holds a W-th of all sums. So with rounds that
never end, streams would be independent searches, whose sums are added in the end: the root
parallelisation of Chaslot, Winands and van den Herik (2008), "Parallel Monte-Carlo tree search".
With short rounds they are one search whose samples vary less.

A budget of seconds ends between two rounds. Its last rounds are shorter, by the clock.
"""

import math
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from threading import Event
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import numpy.typing as npt
from numba.core import config

from hiddenhand import clock
from hiddenhand.archives import Array, Kind
from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.infoset_table import InformationSetTable, num_bytes, num_sets
from hiddenhand.jit.random import RandomState, new_state, seed_sequence
from hiddenhand.search.exclusive_use import uninterrupted
from hiddenhand.search.parallel.cache_lines import alone, rows_apart
from hiddenhand.search.parallel.table_copies import Copies
from hiddenhand.search.parallel.table_merging import Merging
from hiddenhand.search.selection.baselines import Baseline, NoBaseline
from hiddenhand.search.traversal import ADDED, ITERATIONS, NUM_COUNTERS, Traversal, run

DEFAULT_CHUNK: Final = 1_048_576
MOST_STREAMS: Final = 1024
_LEAST_EACH: Final = 2**18  # bytes for the table and for each of its copies
_FIRST: Final = 64  # iterations of a stream in a round, at least
_ROUNDS: Final = 64  # rounds of a thinking, at most, were they alike,
_ROUNDS_LATER: Final = 2  # and of one that has iterations before it to build on
_SHARE: Final = 4  # later rounds have this part of the iterations made since thinking began,
_GROWING_SHARE: Final = 2  # or this part while tables grow, because new rows make merges dear
_GROWING: Final = 8  # iterations of which one at least adds something, if tables grow
_ROUND_SECONDS: Final = (0.05, 0.25)
"""What a round may take of a budget in seconds: the least, while that is left, and the most in
short thinkings.
"""
_ROUND_SHARE: Final = 16
"""A round of a long thinking takes at most a 16th of the time so far: early iterations count little
by then.
"""
_MERGE_SHARE: Final = 20
"""A merge should take at most a 20th of a round, so rounds become longer where merges are dear."""
_DEAR_ROUND_SHARE: Final = 4
"""Such a round takes at most a quarter of the time so far."""
_LONG_ROUND: Final = 4.0
"""No round takes more seconds."""
_PIECE_SECONDS: Final = 0.1
"""How long a stream works, roughly, before it looks whether Ctrl-C came."""
_ROUNDS_AT_FIRST: Final = 16
"""As many first rounds would fill a budget in seconds: how fast thinking was before may mislead."""

SUMS: Final = Merging()
AVERAGES: Final = Merging(averages=True)


class Divided(Protocol):
    """What streams ask of a search.

    MERGED: by the field of a traversal, where the search keeps a table and what its rows are.
    SUMMED: by the field of a traversal, the name of an array of sums in it.
    COUNTS_MARKS: whether rows of one number, rather than all, are what `ADDED` counts.
    """

    MERGED: ClassVar[dict[str, tuple[str, Merging]]]
    SUMMED: ClassVar[dict[str, str]]
    COUNTS_MARKS: ClassVar[bool]
    _counters: Integers
    _shared: int
    _seconds: float

    def _traversal(self) -> Traversal: ...
    def _make_room(self) -> None: ...
    def _room(self) -> int: ...


@dataclass(frozen=True)
class Division:
    """How a search is divided.

    threads: how many streams work at the same time.
    streams: W; None for as many as threads.
    chunk: how many iterations a stream makes between two merges, at most; None for 1,048,576.
    """

    threads: int = 1
    streams: int | None = None
    chunk: int | None = None

    @property
    def count(self) -> int:
        """W."""
        return self.threads if self.streams is None else self.streams

    def verified(self, memory: int) -> "Division":
        """The same. Raises OptionError for numbers that are not allowed, or that do not fit into
        ``memory`` bytes.
        """
        for name, value, most in (
            ("threads", self.threads, MOST_STREAMS),
            ("streams", self.streams, MOST_STREAMS),
            ("chunk", self.chunk, 2**40),
        ):
            if value is not None and not 1 <= value <= most:
                raise OptionError(
                    f"{name}={value} is not allowed; give a whole number from 1 to {most}"
                )
        if self.count > 1 and (self.count + 1) * _LEAST_EACH > memory:
            raise OptionError(
                f"{self.count} streams need a table and {self.count} copies of it, which do not "
                f"fit into memory={memory}; give at least {(self.count + 1) * _LEAST_EACH} bytes, "
                "or fewer streams"
            )
        return self

    def parameters(self) -> dict[str, Any]:
        """What a file keeps of it; nothing of a search that is not divided."""
        named = {"threads": self.threads, "streams": self.streams, "chunk": self.chunk}
        return {} if self == UNDIVIDED else named


UNDIVIDED: Final = Division()
"""One stream, which works in the table itself."""

Elsewhere = Callable[[Traversal, list[Traversal], list[int]], None]
"""Makes iterations in other processes: given the whole search, its streams, and how many iterations
each of them is to make, it leaves in the streams what they have found.
"""


class Streams:
    """The streams of one search: their random numbers, and the copies they work on.

    elsewhere: where iterations are made, if not in this process.
    """

    def __init__(self, division: Division) -> None:
        self.division = division
        self.elsewhere: Elsewhere | None = None
        self._rng = np.zeros((0, 4), np.uint64)
        self._copies: dict[str, Copies] = {}
        self._paths: list[Any] = []
        self._rate = 0.0  # iterations a second in the last round
        self._merge_began = 0.0  # when the last merge did, by the clock

    @property
    def count(self) -> int:
        """W."""
        return self.division.count

    def start(self, seed: int) -> None:
        """Forget everything, and draw from ``seed`` on."""
        if self.count == 1:
            return
        own = seed_sequence(seed).spawn(3)[2]  # the first two belong to beliefs
        self._rng = np.stack([new_state(stream) for stream in own.spawn(self.count)])
        self._copies, self._paths = {}, []

    def fork(self) -> "Streams":
        """Streams that go on in the same way, and share nothing with these."""
        other = Streams(self.division)
        other._rng = self._rng.copy()
        return other

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What a file keeps of the streams."""
        return {"stream_rng": self._rng} if self.count > 1 else {}

    def restore(self, path: object, kind: str, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over what `arrays` wrote. Raises FileError, about ``path``, for anything else."""
        if self.count > 1:
            wanted = {"stream_rng": Array(np.uint64, (self.count, 4))}
            Kind(kind, arrays=wanted).verify(path, {}, arrays)
            self._rng = arrays["stream_rng"].copy()

    # --- thinking ---

    def warm_up(self, search: Divided) -> None:
        """Compile, or load, what rounds need."""
        self._round(search, 0, np.zeros((self.count, search._counters.size), np.int64))

    def spend(self, search: Divided, budget: Budget, tell: Callable[[int], None]) -> None:
        """Let ``search`` think in rounds. ``tell`` is called after each, with the iterations made
        so far; raising StopIteration in it ends the thinking.
        """
        began, done, rate, share, merging = clock.now(), 0, self._rate, _SHARE, 0.0
        counters = np.zeros((self.count, search._counters.size), np.int64)
        known = _iterations_known(search)
        before = search._seconds if known > 0 else 0.0
        while budget.iterations is None or done < budget.iterations:
            expected = _expected(budget, rate)
            size = self._length(max(done // share, _part_of(expected, known)))
            if budget.iterations is not None:
                size = min(size, budget.iterations - done)
            started = clock.now()
            if budget.seconds is not None:
                spent = started - began
                left = budget.seconds - spent
                if left <= 0:
                    break
                if rate > 0:
                    takes = (
                        _seconds_of_round(before + spent, left, merging)
                        if done > 0
                        else left / _ROUNDS_AT_FIRST
                    )
                    size = min(size, max(int(rate * takes), self.count))
            added = int(search._counters[ADDED])
            made = self._round(search, size, counters)
            grows = _GROWING * (int(search._counters[ADDED]) - added) > made
            done, share = done + made, _GROWING_SHARE if grows else _SHARE
            ended = clock.now()
            merging = ended - self._merge_began
            self._rate = rate = made / max(ended - started, 1e-7)
            try:
                tell(done)
            except StopIteration:
                return

    def _length(self, size: int) -> int:
        """How many iterations all streams make in a round of about ``size``."""
        each = min(max(_FIRST, size // self.count), self.division.chunk or DEFAULT_CHUNK)
        return self.count * each

    def _round(self, search: Divided, size: int, counters: Integers) -> int:
        """``size`` iterations, shared by all streams, and a merge. Returns how many were made.

        Ctrl-C ends a round early; what the streams have learnt by then is merged. The merge cannot
        be broken off. A round in which a rule fails was never begun: random numbers and counters
        are taken over with what the streams have learnt.
        """
        search._make_room()
        whole = search._traversal()
        rng, counted = rows_apart(self._rng), rows_apart(counters)
        counted[:, :NUM_COUNTERS] = 0
        streams = self.divided(search, whole, rng, counted)
        each = [(size + self.count - 1 - w) // self.count for w in range(self.count)]
        is_interrupted = False

        def finish() -> None:
            self._merge_began = clock.now()
            self._rng, counters[:] = rng.copy(), counted
            self._take_over(search, whole, streams, counted)

        try:
            if size == 0:
                for stream in streams:  # here, so that compiling is told: see `when_compiling`
                    run(stream, 0)
            elif self.elsewhere is not None:
                self.elsewhere(whole, streams, each)
            else:
                is_interrupted = self.run_all(streams, each)
            if size == 0:
                finish()
            else:
                uninterrupted(finish)
        except BaseException as error:
            self._copies = {}  # they may hold what was not merged
            if hasattr(error, "trail"):  # where a rule broke off is looked for in `whole`
                whole.path.trail[:] = error.trail
            raise
        if is_interrupted:
            raise KeyboardInterrupt
        return int(counted[:, ITERATIONS].sum())

    def _take_over(
        self, search: Divided, whole: Traversal, streams: list[Traversal], counted: Integers
    ) -> None:
        """Merge, and count what the streams have done."""
        claimed = int(counted[:, ADDED].sum())
        added = self._merge(search, whole, streams)
        search._counters[:NUM_COUNTERS] += counted[:, :NUM_COUNTERS].sum(0)
        search._counters[ADDED] += added - claimed
        search._shared += claimed - added

    def divided(
        self, search: Divided, whole: Traversal, rng: RandomState, counters: Integers
    ) -> list[Traversal]:
        """``whole`` for each stream here: with tables, a path, random numbers and counters of its
        own.

        rng, counters: those of each stream.
        """
        here = len(rng)
        if len(self._paths) != here:
            self._paths = [_path_like(whole.path) for _ in range(here)]
            self._copies = {}
        own: list[dict[str, Any]] = [
            {"path": path, "rng": rng[w], "counters": counters[w]}
            for w, path in enumerate(self._paths)
        ]
        for name, table in tables_of(search, whole).items():
            if name not in self._copies:
                self._copies[name] = Copies(
                    self.count, search.MERGED[name][1], self._share, self.division.threads, here
                )
            self._copies[name].follow(table)
            for w, copy in enumerate(self._copies[name].copies):
                own[w][name] = with_table(getattr(whole, name), copy)
        for name, array in search.SUMMED.items():
            holder = getattr(whole, name)
            for w in range(here):
                part = alone(getattr(holder, array) / self.count)
                own[w][name] = replace(holder, **{array: part})
        return [replace(whole, **fields) for fields in own]

    def _merge(self, search: Divided, whole: Traversal, streams: list[Traversal]) -> int:
        """Take over what the streams have learnt. Returns how many sets, or nodes, are new."""
        tables, known = tables_of(search, whole), 0
        sizes = {name: num_bytes(table) for name, table in tables.items()}
        for name, table in tables.items():
            limit = search._room() - sum(sizes.values()) + sizes[name]
            merged, rows, marks = self._copies[name].merge(table, limit)
            if merged is not table:
                attribute = search.MERGED[name][0]
                setattr(search, attribute, with_table(getattr(search, attribute), merged))
                sizes[name] = num_bytes(merged)
            if name == "table":
                known = marks if search.COUNTS_MARKS else rows
        for name, array in search.SUMMED.items():
            total = getattr(getattr(whole, name), array)
            before = total / self.count
            for stream in streams:
                total += getattr(getattr(stream, name), array) - before
        return known

    def copies_are_used(self) -> None:
        """The copies follow their tables no more, because nothing is merged here."""
        self._copies = {}

    def run_all(self, streams: list[Traversal], each: list[int]) -> bool:
        """Let each of ``streams`` make its number of iterations, as many at once as there are
        threads. What a stream raises has the moves that led there as ``trail``. Returns whether
        Ctrl-C ended it.
        """
        broken = Event()
        piece = max(int(_PIECE_SECONDS * self._rate / self.count), 1) if self._rate else _FIRST
        calls = [
            (_run_in_pieces, stream, count, piece, broken)
            for stream, count in zip(streams, each, strict=True)
        ]
        try:
            self._share(calls, broken)
        except KeyboardInterrupt:
            return True
        except Exception as error:
            if hasattr(error, "stream"):
                vars(error)["trail"] = streams[error.stream].path.trail.copy()
            raise
        return False

    def _share(self, calls: list[tuple[Any, ...]], broken: Event | None = None) -> None:
        """Make calls, as many at once as there are threads. Raises what the first of them raised
        that did, after all have ended.

        broken: ends the calls early, once it is set.
        """
        if len(calls) == 1 or self.division.threads == 1:
            for number, (function, *arguments) in enumerate(calls):
                _called(number, function, *arguments)
            return
        pool = _pool(self.division.threads - 1, os.getpid())
        parts = [calls[thread :: self.division.threads] for thread in range(self.division.threads)]
        numbered = [
            [(thread + self.division.threads * i, *call) for i, call in enumerate(part)]
            for thread, part in enumerate(parts)
        ]
        futures = list[Future[None]]()

        def submit() -> None:
            futures.extend(pool.submit(_call_all, part) for part in numbered[1:] if part)

        try:
            uninterrupted(submit)
            _call_all(numbered[0])
            wait(futures)
        except BaseException as error:
            if broken is not None:
                broken.set()
            uninterrupted(partial(_ended, futures))
            if not isinstance(error, KeyboardInterrupt):
                raise
            for future in futures:
                future.result()  # what a rule raised counts for more than Ctrl-C
            raise
        for future in futures:
            future.result()


def _ended(futures: list[Future[None]]) -> None:
    """Wait until all calls have ended."""
    wait(futures)


def _run_in_pieces(stream: Traversal, count: int, piece: int, broken: Event) -> None:
    """Make iterations, until ``broken`` is set."""
    for made in range(0, count, piece):
        if broken.is_set():
            return
        run(stream, min(piece, count - made))


def _iterations_known(search: Divided) -> int:
    """How many iterations ``search`` can build on. A table that was emptied knows nothing."""
    table = tables_of(search, search._traversal())["table"]
    return int(search._counters[ITERATIONS]) if num_sets(table) > 0 else 0


def _expected(budget: Budget, rate: float) -> int:
    """How many iterations a budget will be, at ``rate`` iterations a second."""
    in_time = math.inf if budget.seconds is None else rate * budget.seconds
    return int(min(in_time, math.inf if budget.iterations is None else budget.iterations))


def _part_of(expected: int, known: int) -> int:
    """The iterations of a round that are few enough among those ``expected``, whatever was done
    since thinking began.
    """
    return max(expected // _ROUNDS, min(known, expected) // _ROUNDS_LATER)


def _seconds_of_round(worked: float, left: float, merging: float) -> float:
    """How much of the time that is ``left`` a round may take. Long rounds end far from the end,
    because their exact time is unknown.

    worked: the time so far, with that of earlier thinkings whose iterations are known.
    merging: the seconds of a merge.
    """
    least, most = _ROUND_SECONDS
    wanted = max(worked / _ROUND_SHARE, _MERGE_SHARE * merging)
    most = max(most, min(wanted, worked / _DEAR_ROUND_SHARE, _LONG_ROUND))
    return min(left, max(least, min(left / 2, most)))


def _path_like(path: Any) -> Any:
    """A path of the same size, whose arrays a stream writes to without holding up the others."""
    arrays = {field.name: getattr(path, field.name) for field in fields(path)}
    own = {name: alone(value) for name, value in arrays.items() if isinstance(value, np.ndarray)}
    return replace(deepcopy(path), **own)


def _called(number: int, function: Callable[..., None], *arguments: Any) -> None:
    """A call. What it raises knows its number."""
    try:
        function(*arguments)
    except Exception as error:
        vars(error)["stream"] = number
        raise


def _call_all(calls: list[tuple[Any, ...]]) -> None:
    for number, function, *arguments in calls:
        _called(number, function, *arguments)


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Threads of this process; one that was forked has none of its parent's."""
    return ThreadPoolExecutor(threads, "stream", _overflow_as_elsewhere)


def _overflow_as_elsewhere() -> None:
    """Where nothing is compiled, keys overflow in a new thread as silently as in the first: see
    `jit.kernels`.
    """
    if config.DISABLE_JIT:
        np.seterr(over="ignore")


def tables_of(search: Divided, whole: Traversal) -> dict[str, InformationSetTable]:
    """The tables that a traversal writes to, by its fields. Raises OptionError for a table that
    cannot be merged.
    """
    found = {}
    for name in search.MERGED:
        holder = getattr(whole, name)
        if isinstance(holder, InformationSetTable):
            found[name] = holder
        elif isinstance(holder, Baseline):
            found[name] = holder.table
        elif not isinstance(holder, NoBaseline):
            raise OptionError(
                f"a search with {type(holder).__name__} cannot be divided; leave out threads and "
                "streams"
            )
    return found


def with_table(holder: Any, table: InformationSetTable) -> Any:
    """``table`` in the place of another one, or of that of a baseline."""
    return table if isinstance(holder, InformationSetTable) else replace(holder, table=table)
