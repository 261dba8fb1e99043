"""What the searches with a table of information sets share: thinking in chunks, a table that grows,
results, and files.

A search says how one chunk of iterations is made (`TableSearch._iterate`) and which run of a row is
its strategy; the rest is the same for all.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self, TypeVar

import numpy as np
import numpy.typing as npt

from hiddenhand import clock
from hiddenhand.archives import (
    Array,
    Kind,
    count,
    defect,
    duration,
    load_arrays,
    mapping,
    save_arrays,
    text,
)
from hiddenhand.budget import Budget, verify_budget
from hiddenhand.errors import FileError, HiddenhandError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.rule_digests import rules_of, verify_same_rules
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.dispatching import Stopwatch
from hiddenhand.jit.infoset_table import (
    MISSING,
    InformationSetTable,
    fits_room,
    growth_bytes,
    left_as_it_is,
    made_ready,
    new_table,
    num_bytes,
    num_sets,
    table_from_arrays,
    table_to_arrays,
)
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief_search import BeliefSearch, SearchParameters
from hiddenhand.search.exclusive_use import alone, works_elsewhere
from hiddenhand.search.online import above, mean_or_uniform
from hiddenhand.search.parallel.streams import SUMS, UNDIVIDED, Division, Streams
from hiddenhand.search.parallel.table_merging import Merging
from hiddenhand.search.result import SearchResult
from hiddenhand.search.selection.leaf_values import PlayOn
from hiddenhand.search.traversal import (
    ADDED,
    IN_TREE,
    ITERATIONS,
    MOVES,
    PLAYOUTS,
    REFUSED,
    Traversal,
    iterations_made,
)
from hiddenhand.trees.strategy import (
    SEARCH_FILE,
    Strategy,
    Weights,
    strategy_from_weights,
    weights_from_table,
)

DEFAULT_MEMORY: Final = 4 * 2**30
LEAST_MEMORY: Final = 2**20
_PACE: Final = 2e-9  # seconds to grow by a byte, before anything was measured


@dataclass(frozen=True, kw_only=True)
class TableParameters(SearchParameters):
    """The parameters of every search whose memory is one table.

    memory: bytes that the tables may take, also while they grow.
    threads: number of streams that search at the same time, on as many cores, at least 1.
    streams: number of streams, at least 1; by default as many as threads.
    chunk: the most iterations that each stream makes before all streams are merged, at least 1;
        1048576 by default.
    """

    memory: int = DEFAULT_MEMORY
    threads: int = 1
    streams: int | None = None
    chunk: int | None = None


@dataclass(frozen=True, kw_only=True)
class LeafParameters(TableParameters):
    """The parameters of a search that may value states where its memory ends.

    evaluation: whether the game's evaluation function gives the value where memory ends, instead of
        a random rollout to the end of the game.
    """

    evaluation: bool = False


class TableSearch(BeliefSearch):
    """A search whose memory is one table.

    Equal seeds and equal numbers of iterations give equal results to the last bit, however the
    search is called; with several streams only if each thinking has equal numbers of iterations.
    """

    ALGORITHM: ClassVar[str]
    TRAVERSALS: int
    """Traversals of the game in one iteration; each may add an information set to each tree."""
    TREES: int = 1
    """In how many trees, of a player each, a traversal is at the same time."""
    ANY_FILE: ClassVar[Kind] = SEARCH_FILE.with_more(
        {"algorithm": text, "parameters": mapping, "seconds": duration, "events": count},
        {"rng": Array(np.uint64, (4,)), "counters": Array(np.int64, ("C",), least=0)},
    )
    """What a file that any search wrote holds."""

    FILE: ClassVar[Kind] = ANY_FILE.with_more(arrays={"room": Array(np.int64, (2,), least=1)})
    """What a file that `save` wrote holds."""

    MERGED: ClassVar[dict[str, tuple[str, Merging]]] = {"table": ("table", SUMS)}
    SUMMED: ClassVar[dict[str, str]] = {}
    COUNTS_MARKS: ClassVar[bool] = False
    """What `streams` asks: see `streams.Divided`."""

    threshold: float = 0.0
    """The search does not play moves below this share of the likeliest one: see `Weights.above`."""

    memory: int
    table: InformationSetTable
    _leaves: Any = PlayOn()
    _seconds: float = 0.0
    _dropped: int = 0
    _shared: int = 0
    _streams: Streams = Streams(UNDIVIDED)
    _budget: Budget = Budget(1)  # of the last thinking
    _until: float = math.inf  # when the present thinking has to end, by `clock.now`
    _pace: float = _PACE
    _is_warm: bool = False  # whether what thinking needs is compiled

    def _prepare(self) -> None:
        given = self.settings
        self.memory = verify_memory(given.memory)
        division = Division(given.threads, given.streams, given.chunk)
        self._streams = Streams(division.verified(self.memory))

    def _forget(self, own: np.random.SeedSequence) -> None:
        self._seconds, self._dropped, self._shared = 0.0, 0, 0
        self._streams.start(self.seed)
        self.table = self._empty_table()

    def _empty_table(self) -> InformationSetTable:
        per_action, per_set = self._row
        return new_table(
            per_action=per_action,
            per_set=per_set,
            rows=self.TRAVERSALS * self.TREES,
            row_actions=self.game.max_actions,
        )

    def run(
        self,
        iterations: int | Budget | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> SearchResult:
        """Search on for some iterations or seconds, or for a budget, and return the figures of the
        whole search. An interrupted search keeps its result: see `result`. One thread at a time may
        use a search: see `think`.
        """
        self.think(*verify_budget(iterations, seconds), progress)
        return self.result()

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search on, targeted at the present information set; before the first ``notice``, from the
        root. Raises OptionError while another thread, or a ``progress``, runs this method.
        """
        budget = self._budget = Budget(iterations, seconds).after(self._budget)
        iterations, seconds = budget.iterations, budget.seconds
        unit, total = ("iterations", iterations) if iterations is not None else ("seconds", seconds)
        with alone(self), explaining(self.game, self._way):
            if seconds is not None or not self._is_warm:
                self._warm_up()  # before the clock starts
                self._is_warm = True
            watch, before = Stopwatch(), self._seconds
            self._until = math.inf if seconds is None else clock.now() + seconds

            def tell(done: int) -> None:
                self._seconds = before + watch.seconds
                progress.update(
                    Report(
                        done if unit == "iterations" else self._seconds - before,
                        total,
                        unit,
                        self._figures(),
                    )
                )

            try:
                if self._streams.count > 1:
                    self._streams.spend(self, budget, tell)
                else:
                    budget.spend(self._iterate, tell)
            except KeyboardInterrupt:  # what was done counts
                self._seconds = before + watch.seconds
                raise

    def __repr__(self) -> str:
        made, known = int(self._counters[ITERATIONS]), self._num_known()
        return (
            f"{type(self).__name__}({self.game}, {made:,} iterations, {known:,} information sets)"
        )

    def policy(self, num_actions: int) -> Floats:
        """The strategy in the present information set, which has ``num_actions``; uniform if the
        set is not in memory.
        """
        row = int(self.table.find(np.uint64(self.belief.information_key)))
        if row == MISSING:
            return mean_or_uniform(np.zeros(num_actions))
        first = row + self._strategy_column * num_actions
        found = self.table.values[first : first + num_actions]
        return self._move_probabilities(above(found, self.threshold))

    def _move_probabilities(self, weights: Floats) -> Floats:
        """The probabilities of moves in an information set with ``weights``."""
        return mean_or_uniform(weights)

    def result(self) -> SearchResult:
        """The figures of the search so far."""
        iterations = int(self._counters[ITERATIONS])
        counted = {name: int(self._counters[which]) for name, which in _COUNTED.items()}
        return SearchResult(
            game=self.game,
            algorithm=self.ALGORITHM,
            iterations=iterations,
            traversals=self._num_traversals,
            information_sets=self._num_known(),
            bytes=self._copies() * num_bytes(self.table),
            seconds=self._seconds,
            dropped=self._dropped,
            shared=self._shared,
            trees=self.TREES,
            **counted,
        )

    def strategy(self) -> Strategy:
        """`weights`, normalised, in all information sets in memory; uniform in those that have
        none.
        """
        return strategy_from_weights(self.game, self.weights())

    def weights(self) -> Weights:
        """What was accumulated for each information set in memory: visits, or sums of
        strategies; 0 for moves below the threshold.
        """
        return weights_from_table(self.table, self._strategy_column).above(self.threshold)

    def save(self, path: Path | str) -> None:
        """Write everything to a file: the table, the random state and the parameters. `load`
        continues as if nothing had happened.

        The file does not hold the belief of a search that follows a match: a file from the middle
        of a match can be read only as a strategy.

        Raises OptionError while the search is at work in another thread, which changes its table; a
        ``progress`` may save the search.
        """
        if works_elsewhere(self):
            raise OptionError(
                f"this search by {self.ALGORITHM} is at work in another thread; wait for its "
                "end, or save it in its progress"
            )
        header = {
            "game": repr(self.game),
            "rules": rules_of(self.game),
            "algorithm": self.ALGORITHM,
            "parameters": self._parameters() | self._streams.division.parameters(),
            "seconds": self._seconds,
            "strategy_column": self._strategy_column,
            "events": self._events_forgotten(),
        }
        if self._is_greedy is not None:
            header["greedy"] = self._is_greedy
        if self.threshold > 0:
            header["threshold"] = float(self.threshold)
        state = {"rng": self._rng, "counters": self._counters, **self._streams.arrays()}
        save_arrays(path, self.FILE, header, self._arrays() | state)

    @classmethod
    def load(cls, path: Path | str, game: Game) -> Self:
        """Load a saved search of ``game``. Raises FileError if the file holds something else."""
        header, arrays = load_arrays(path, SEARCH_FILE)
        if header["game"] != repr(as_sequential(game)) or header.get("algorithm") != cls.ALGORITHM:
            algorithm = f"{header.get('algorithm')!s:.40}"
            raise FileError(
                f"{path} is a search of {header['game']} by {algorithm}, not of "
                f"{as_sequential(game)} by {cls.ALGORITHM}; name the game and the search that "
                "wrote it, or another file"
            )
        cls.FILE.verify(path, header, arrays)
        verify_same_rules(as_sequential(game), path, header["rules"])
        if header["events"] > 0:
            raise FileError(
                f"{path} was written in the middle of a match, and cannot be continued; use it as "
                "a strategy"
            )
        search = _made_with(path, cls, game, header["parameters"])
        if (
            search._strategy_column != header["strategy_column"]
            or search._counters.shape != arrays["counters"].shape
            or not arrays["rng"].any()
        ):
            raise defect(path, cls.FILE.name, "strategy_column, counters or rng")
        search._rng[:] = arrays["rng"]
        search._counters[:] = arrays["counters"]
        search._seconds = header["seconds"]
        search._streams.restore(path, cls.FILE.name, arrays)
        search._restore(path, arrays)
        if search._streams.count > 1:  # which is all that can be missing
            playouts, added, refused = search._counters[[PLAYOUTS, ADDED, REFUSED]].tolist()
            search._shared = max(playouts - added - refused, 0)
        try:
            search.result()
        except AssertionError:
            raise defect(path, cls.FILE.name, "counters") from None
        return search

    def _selector_of_streams(self, selector: Any) -> Any:
        """What iterations select by: ``selector``, or its form for streams."""
        count = self._streams.count
        return selector if count == 1 else selector.for_streams(count)

    def _copies(self) -> int:
        """How often each table is in memory."""
        return 1 if self._streams.count == 1 else 1 + self._streams.count

    def _room(self) -> int:
        """Bytes that the tables may take together, without the copies of streams."""
        return self.memory // self._copies()

    @property
    def _is_greedy(self) -> bool | None:
        """Whether the strategy is the action with the best mean payoff. If not None, the column of
        the strategy holds visits, and the next one sums of payoffs.
        """
        return None

    def _events_forgotten(self) -> int:
        """How many events of a match a file does not keep, so that it can be read as a strategy,
        and not continued.
        """
        return self.belief.num_events

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What a file keeps besides random state and counters; `load_strategy` reads a strategy
        from it.
        """
        return table_to_arrays(self.table)

    def _restore(self, path: object, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Take over the table, and whatever else `_arrays` wrote. Raises FileError, about ``path``,
        for what no such search can have written.
        """
        self.table = self._table_from(path, arrays, self.table)

    def _table_from(
        self, path: object, arrays: dict[str, npt.NDArray[Any]], like: InformationSetTable
    ) -> InformationSetTable:
        """The table that ``arrays`` describe. Raises FileError if its rows are not laid out as
        those of ``like``.
        """
        if arrays["layout"].tolist() != [like.per_action, like.per_set]:
            raise defect(path, self.FILE.name, "layout")
        if not fits_room(arrays, like.row_actions, max(self._room(), num_bytes(like))):
            raise defect(path, self.FILE.name, "room")
        return table_from_arrays(arrays, rows=like.rows, row_actions=like.row_actions)

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor, but for the game, as they are kept in a file. Raises
        FileError if the search cannot be kept in a file.
        """
        return self._parameters()

    @property
    def can_be_saved(self) -> bool:
        """Whether the search can be kept in a file."""
        try:
            self._parameters()
        except FileError:
            return False
        return True

    def _parameters(self) -> dict[str, Any]:
        """The arguments of the constructor, but for the game and the division into streams, as a
        file can keep them.
        """
        division = vars(self._streams.division)
        kept = {name: value for name, value in vars(self.settings).items() if name not in division}
        return kept | {"seed": self.seed}

    @property
    def _row(self) -> tuple[int, int]:
        """How many numbers a row of the table has for each action, and how many besides."""
        raise NotImplementedError

    @property
    @abstractmethod
    def _strategy_column(self) -> int:
        """Which run of a row holds the strategy."""

    @abstractmethod
    def _traversal(self) -> Traversal:
        """What an iteration works with, and how it goes."""

    def _in_common(self) -> dict[str, Any]:
        """The fields of every `Traversal`."""
        return {
            "game": self.game,
            "table": self.table,
            "path": self._path,
            "leaves": self._leaves,
            "rng": self._rng,
            "counters": self._counters,
        }

    def _warm_up(self) -> None:
        """Compile, or load, what thinking needs."""
        if self._streams.count > 1:
            self._streams.warm_up(self)
        else:
            self._iterate(0)

    def _iterate(self, count: int) -> int:
        """Make up to ``count`` iterations and return how many; see `_make_room` for what may end
        them early.
        """
        self._make_room()
        return iterations_made(self._traversal(), count)

    def _make_room(self) -> None:
        """Before a chunk: let the table grow if it is full, and else go on without adding to it.

        A budget of seconds counts, too: a table that would take longer to copy than there is time
        is left as it is for now.
        """
        began, size = clock.now(), growth_bytes(self.table)
        if self._pace * size > self._until - began:
            self.table = left_as_it_is(self.table)
            return
        before, self.table = self.table, made_ready(self.table, self._room() - self._other_bytes())
        if self.table.values.size + self.table.slots.size > before.values.size + before.slots.size:
            self._pace = (clock.now() - began) / max(size, 1)

    def _other_bytes(self) -> int:
        """What is in memory besides the table and counts as well."""
        return 0

    def _memory(self) -> dict[str, float]:
        return {"information sets": self._num_known()}

    def _figures(self) -> dict[str, float]:
        return {
            "traversals": self._num_traversals,
            "information sets": self._num_known(),
        }

    @property
    def _num_traversals(self) -> int:
        return self.TRAVERSALS * int(self._counters[ITERATIONS])

    def _num_known(self) -> int:
        """How many information sets, or nodes, are in memory."""
        return num_sets(self.table)


def unnamed(rule: object) -> FileError:
    """The error of a search by a selection rule that a file cannot name."""
    return FileError(
        f"a search by {rule} cannot be written to a file; name one of our selection rules, or keep "
        "the search's strategy"
    )


class CountingSearch(TableSearch):
    """A search in which every sample adds 1 to the weights, so that they count samples."""

    def count_samples(self) -> None:
        """Nothing changes, because samples are counted in any case."""

    def weights(self) -> Weights:
        found = super().weights()
        return replace(found, visits=found.mass)


_Search = TypeVar("_Search", bound=TableSearch)


def _made_with(path: object, cls: type[_Search], game: Game, parameters: dict[str, Any]) -> _Search:
    """A search with parameters from a file. Raises FileError if they are none of its own."""
    try:
        return cls(game, **parameters)
    except (HiddenhandError, TypeError, OverflowError, MemoryError):
        raise defect(path, cls.FILE.name, "parameters") from None


_COUNTED: Final = {
    "in_tree": IN_TREE,
    "playouts": PLAYOUTS,
    "added": ADDED,
    "refused": REFUSED,
    "moves": MOVES,
}


def verify_memory(memory: int) -> int:
    """``memory`` in bytes. Raises OptionError if no table fits into it."""
    if memory < LEAST_MEMORY:
        raise OptionError(
            f"memory={memory} is not allowed; give at least one MiB, {LEAST_MEMORY} bytes"
        )
    return memory


def prefixed(prefix: str, arrays: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """``arrays`` of a table, named as those of a further table in a file."""
    return {prefix + name: array for name, array in arrays.items()}


def with_prefix(prefix: str, arrays: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Those of the ``arrays`` of a file that `prefixed` named, by the names that they had."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
