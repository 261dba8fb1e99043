"""Streams of a search in other processes, on one machine or on many.

The streams are those of `streams`, and so are the bits: which process a stream is in, and how many
processes there are, makes no difference. For each round the workers get the whole tables, with the
random numbers of their streams, and send back what the streams have changed. So a worker keeps
nothing that is unknown here. If a worker dies, another worker makes its part of the round again.
Each round sends the tables once to every worker: on a cluster, rounds should be long (``chunk``),
and memory should be limited.

Backends: "loky" (processes on this machine), "ray" and "dask".
"""

import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand import clock
from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.jit.infoset_table import (
    InformationSetTable,
    left_as_it_is,
    table_from_arrays,
    table_to_arrays,
)
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.parallel.cache_lines import rows_apart
from hiddenhand.search.parallel.streams import tables_of, with_table
from hiddenhand.search.parallel.table_copies import Changes, change, changes_of
from hiddenhand.search.table_search import TableSearch
from hiddenhand.search.traversal import Traversal
from hiddenhand.systems import when_parent_ends

BACKENDS: Final = ("loky", "ray", "dask")
_TRIES: Final = 5  # how often a part of a round is given to a worker before we give up
_LOOK: Final = 1.0  # seconds between two looks at whether a process is still there


@dataclass(frozen=True)
class Job:
    """A search that workers can make.

    name: one of its own, by which workers know it again.
    kind: its class.
    game: the game, or its name, which may name a file that all workers can read.
    parameters: of the constructor.
    """

    name: str
    kind: type[TableSearch]
    game: Game | str
    parameters: tuple[tuple[str, Any], ...]

    def search(self) -> TableSearch:
        """The search, with nothing in its tables."""
        from hiddenhand.games.registry import load_game

        game = load_game(self.game) if isinstance(self.game, str) else self.game
        return self.kind(game, **dict(self.parameters))


@dataclass(frozen=True)
class Part:
    """What a worker has to do in a round: some streams.

    rng: ``uint64[w, 4]``, their random numbers.
    counters: ``int64[w, C]``.
    each: how many iterations each of them is to make.
    """

    rng: npt.NDArray[np.uint64]
    counters: npt.NDArray[np.int64]
    each: list[int]


@dataclass(frozen=True)
class Done:
    """What a worker has done: the same after the round, and what each stream has changed in each
    table.
    """

    rng: npt.NDArray[np.uint64]
    counters: npt.NDArray[np.int64]
    changes: list[dict[str, Changes]]


Tables = dict[str, tuple[dict[str, npt.NDArray[Any]], bool]]
"""By the field of a traversal, the arrays of a table, and whether it grows."""

_SEARCHES: dict[str, TableSearch] = {}
"""The search that this worker made last, by the name of the job."""
_ONE_AT_A_TIME: Final = threading.Lock()
"""Held while a part is worked off: a worker of Dask may have several threads, and one search."""


def work_off(job: Job, tables: Tables, part: Part) -> Done:
    """What workers do: make the iterations of ``part`` on copies of ``tables``."""
    with _ONE_AT_A_TIME:
        return _worked_off(job, tables, part)


def _worked_off(job: Job, tables: Tables, part: Part) -> Done:
    if job.name not in _SEARCHES:
        _SEARCHES.clear()
        _SEARCHES[job.name] = job.search()
    search = _SEARCHES[job.name]
    for name, (arrays, growing) in tables.items():
        _take_over(search, name, arrays, growing)
    whole, rng, counters = search._traversal(), rows_apart(part.rng), rows_apart(part.counters)
    streams = search._streams.divided(search, whole, rng, counters)
    if search._streams.run_all(streams, part.each):
        raise KeyboardInterrupt
    changes = [
        {name: changes_of(_copy_of(stream, name)) for name in tables_of(search, whole)}
        for stream in streams
    ]
    search._streams.copies_are_used()
    return Done(rng, counters, changes)


def _take_over(
    search: TableSearch, name: str, arrays: dict[str, npt.NDArray[Any]], growing: bool
) -> None:
    attribute = search.MERGED[name][0]
    holder = getattr(search, attribute)
    like = holder if isinstance(holder, InformationSetTable) else holder.table
    table = table_from_arrays(arrays, rows=like.rows, row_actions=like.row_actions)
    setattr(search, attribute, with_table(holder, table if growing else left_as_it_is(table)))


def _copy_of(stream: Traversal, name: str) -> Any:
    holder = getattr(stream, name)
    return holder if isinstance(holder, InformationSetTable) else holder.table


# --- who gives workers their parts ---


class LostError(Exception):
    """A worker died, or cannot be reached any more."""


class Backend(ABC):
    """Workers, who make calls of `work_off`."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    @abstractmethod
    def everywhere(self, value: Any) -> Any:
        """``value`` as an argument for many calls."""

    @abstractmethod
    def submit(self, *arguments: Any) -> Any:
        """Let some worker call ``work_off(*arguments)``."""

    @abstractmethod
    def result(self, call: Any) -> Done:
        """The result of a call. Raises LostError if the worker died."""

    @abstractmethod
    def close(self) -> None:
        """End the workers."""

    def calls(self, job: Job, tables: Tables, parts: Sequence[Part]) -> list[Done]:
        """What ``parts`` give, in their order. A part whose worker dies is made again."""
        shared = self.everywhere(tables)
        calls = [self.submit(job, shared, part) for part in parts]
        done = []
        for number, part in enumerate(parts):
            for attempt in range(_TRIES):
                try:
                    done.append(self.result(calls[number]))
                    break
                except LostError:
                    if attempt + 1 == _TRIES:
                        raise HiddenhandError(
                            f"a part of the search was given to workers {_TRIES} times, and each "
                            "of them died; they may lack memory: set a lower limit with --memory"
                        ) from None
                    shared = self.everywhere(tables)  # which may have died, too
                    calls[number] = self.submit(job, shared, part)
        return done


class Loky(Backend):
    """Processes on this machine."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self._executor: Any = None

    def everywhere(self, value: Any) -> Any:
        return value

    def submit(self, *arguments: Any) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor

        for _ in range(2):
            if self._executor is None:
                self._executor = ProcessPoolExecutor(
                    self.workers, initializer=_prepare, initargs=(os.getpid(),)
                )
            try:
                return self._executor.submit(work_off, *arguments)
            except BrokenExecutor:
                self._executor = None
        raise LostError

    def result(self, call: Any) -> Done:
        try:
            done: Done = call.result()
        except BrokenExecutor:
            raise LostError from None
        return done

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None


def _prepare(parent: int) -> None:
    """Make this process a worker: Ctrl-C is for the parent, and without it there is no work."""
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    when_parent_ends(parent, lambda: os._exit(1))


class Ray(Backend):
    """Workers of Ray: of the cluster that ``RAY_ADDRESS`` names, else on this machine."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        ray = _imported("ray", "ray")
        self._ray = ray
        self._begun = not ray.is_initialized()
        if self._begun:
            ours = {} if os.environ.get("RAY_ADDRESS") else {"num_cpus": workers}
            ray.init(log_to_driver=False, include_dashboard=False, **ours)
        self._call = ray.remote(max_retries=0)(work_off)

    def everywhere(self, value: Any) -> Any:
        return self._ray.put(value)

    def submit(self, *arguments: Any) -> Any:
        return self._call.remote(*arguments)

    def result(self, call: Any) -> Done:
        errors = self._ray.exceptions
        try:
            done: Done = self._ray.get(call)
        except errors.RayTaskError as error:
            raise error.cause from None
        except errors.RayError:
            raise LostError from None
        return done

    def close(self) -> None:
        if self._begun:
            self._ray.shutdown()


class Dask(Backend):
    """Workers of Dask: of the cluster whose scheduler ``DASK_SCHEDULER_ADDRESS`` names, else on
    this machine.
    """

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        distributed = _imported("distributed", "dask")
        self._own: Any = None
        if not os.environ.get("DASK_SCHEDULER_ADDRESS"):
            self._own = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, dashboard_address=None
            )
        self._client = distributed.Client(self._own)
        self._killed = distributed.scheduler.KilledWorker

    def everywhere(self, value: Any) -> Any:
        for _ in range(_TRIES):
            try:
                # a list, because of a dict each entry would be one of its own; on all workers,
                # because one may die
                return self._client.scatter([value], broadcast=True, hash=False)[0]
            except (KeyError, OSError):  # one has died, which the scheduler is about to notice
                clock.sleep(_LOOK)
        raise HiddenhandError(
            f"the tables could not be sent to all workers, {_TRIES} times; see whether the workers "
            "run, and can be reached"
        )

    def submit(self, *arguments: Any) -> Any:
        return self._client.submit(work_off, *arguments, pure=False)

    def result(self, call: Any) -> Done:
        try:
            done: Done = call.result()
        except (self._killed, CancelledError):  # the second where what was shared is gone
            raise LostError from None
        return done

    def close(self) -> None:
        self._client.close()
        if self._own is not None:
            self._own.close()


def _imported(module: str, extra: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError:
        raise OptionError(
            f"the backend {extra} needs {module}, which is not installed; install "
            f"hiddenhand[{extra}], or use loky"
        ) from None


_MAKERS: Final[dict[str, Callable[[int], Backend]]] = {"loky": Loky, "ray": Ray, "dask": Dask}


@contextmanager
def spread(search: OnlineSearch, game: Game | str, backend: str, workers: int) -> Iterator[Backend]:
    """A context in which the streams of ``search`` work in ``workers`` processes. It has begun at
    the root of a game, and follows no match.

    game: the game of the search; or its name, if workers can load it by that. backend: one of
    `BACKENDS`. Raises OptionError.
    """
    if backend not in BACKENDS:
        raise OptionError(f"there is no backend {backend!r}; choose one of: {', '.join(BACKENDS)}")
    if isinstance(workers, bool) or workers < 1:
        raise OptionError(f"workers={workers} is not allowed; give a whole number of at least 1")
    if not isinstance(search, TableSearch):
        raise OptionError(
            "only searches that can be resumed from a file can be spread over workers; choose "
            "oos, mccfr, ismcts, smmcts or sm-oos"
        )
    streams = search._streams
    if streams.count == 1:
        raise OptionError(
            "a search with one stream cannot be spread over workers; give streams, such as "
            f"streams={max(workers, 2)}"
        )
    given = search._parameters() | streams.division.parameters()
    job = Job(os.urandom(8).hex(), type(search), game, tuple(given.items()))
    made = _MAKERS[backend](workers)

    def elsewhere(whole: Traversal, divided: list[Traversal], each: list[int]) -> None:
        tables = tables_of(search, whole)
        sent = {name: (table_to_arrays(table), table.growing) for name, table in tables.items()}
        groups = np.array_split(np.arange(len(divided)), min(workers, len(divided)))
        parts = [
            Part(
                np.stack([divided[w].rng for w in group]),
                np.stack([divided[w].counters for w in group]),
                [each[w] for w in group],
            )
            for group in groups
        ]
        for group, done in zip(groups, made.calls(job, sent, parts), strict=True):
            for w, rng, counters, changes in zip(
                group, done.rng, done.counters, done.changes, strict=True
            ):
                divided[w].rng[:], divided[w].counters[:] = rng, counters
                for name, changed in changes.items():
                    change(_copy_of(divided[w], name), changed)

    streams.elsewhere = elsewhere
    try:
        yield made
    finally:
        streams.elsewhere = None
        made.close()
