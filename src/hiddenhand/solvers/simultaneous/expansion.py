"""Finding all states of a game: `expand` follows all moves, a level at a time, and makes a
`StateGraph`.

A level is the nodes that are first met after l moves. Only the states of the newest level are kept.
"""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.games.base import CHANCE, Game, State, verify_constant_sum, verify_listed
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Integers, starts_of
from hiddenhand.jit.infoset_table import grown, new_table, num_bytes, num_sets
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.solvers.simultaneous.state_graph import (
    HiddenStateError,
    StateGraph,
    put_in_order,
    simultaneous_form,
)
from hiddenhand.solvers.simultaneous.transitions import (
    NOBODY,
    Cells,
    Choices,
    Found,
    Nodes,
    Scratch,
    expand_nodes,
    write_first,
)

DEFAULT_LIMIT: Final = 20_000_000
DEFAULT_MEMORY: Final = 4 * 2**30
_FIRST: Final = 1000  # cells that a kernel writes before the first report of progress;
_CHUNK: Final = 100_000  # then twice as many each time, and so many at most


def expand(
    game: Game,
    *,
    by_history: bool = False,
    max_nodes: int = DEFAULT_LIMIT,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = SILENT,
    root: State | None = None,
) -> StateGraph:
    """Find all states of a game.

    game: a zero-sum game of two players, with simultaneous moves or in its form with turns.
    by_history: whether nodes are histories, and not states.
    max_nodes: the most nodes that are allowed, at least 1.
    memory: the most bytes that they may take.
    progress: receives the number of nodes found so far.

    root: a state to begin with, not with ``by_history``; by default the beginning of the game.

    Raises GameError if it is no zero-sum game of two players, HiddenStateError if a player may not
    know the state when choosing, and TooLargeError if there are too many nodes.
    """
    if max_nodes < 1 or memory < 1:
        raise OptionError(
            f"max_nodes={max_nodes} with memory={memory} is not allowed; give at least 1 node, and "
            "some bytes of memory"
        )
    game = simultaneous_form(game)
    verify_constant_sum(game, "backward induction", "cfr")
    if root is None:  # else a search has looked at the rules
        verify_rules(game)
    verify_listed(game)
    with explaining(game):
        expansion = _Expansion(game, by_history, max_nodes, memory, progress)
        return expansion.run(np.zeros(0, np.int64) if root is None else root)


class _Expansion:
    """Finds the nodes of a graph, a level at a time, and puts the graph together."""

    def __init__(
        self, game: Game, by_history: bool, max_nodes: int, memory: int, progress: Progress
    ) -> None:
        self.game = game
        self.by_history = by_history
        self.max_nodes = max_nodes
        self.memory = memory
        self.progress = progress
        self.room = max(game.max_actions, game.max_chance_outcomes, 1)
        self.scratch = Scratch.of(game, self.room)
        self.table = new_table(per_action=0, per_set=1)
        self.levels: list[dict[str, npt.NDArray[Any]]] = []  # what lasts of each
        self.used = 0  # bytes of the levels
        self.chunk = _FIRST

    def run(self, root: State) -> StateGraph:
        newest = Nodes.of(self.game, self.by_history, 1)
        write_first(self.game, self._found(newest, 0), root)
        while newest.size:
            newest = self._expand(newest)
        return self._assemble()

    def _found(self, nodes: Nodes, first: int) -> Found:
        return Found(self.table, self.by_history, nodes, first, self.scratch)

    def _expand(self, level: Nodes) -> Nodes:
        """Find the nodes that the nodes of a level lead to. Returns those that are new."""
        choices = Choices.at(self.game, level, self.room)
        self._count_bytes(choices)
        cells = Cells.of(choices, with_chance=self.game.max_chance_outcomes > 0)
        self.levels.append(
            vars(choices)
            | {"cell": cells.node, "probability": cells.probability, "state_key": level.state_key}
        )
        first = num_sets(self.table)
        found = Nodes.of(self.game, self.by_history, 1024)
        begin_at = 0
        while begin_at < level.size:
            end = self._chunk_end(cells.first, begin_at)
            count = int(cells.first[end] - cells.first[begin_at])
            found = found.with_room(num_sets(self.table) - first + count)
            self._make_room(count, level, found)
            hidden = expand_nodes(
                self.game, level, choices, cells, (begin_at, end), self._found(found, first)
            )
            if hidden != NOBODY:
                raise HiddenStateError(
                    f"{self.game} hides things: player {hidden} may not know the state when "
                    "choosing, which backward induction needs; use the linear program or cfr"
                )
            if num_sets(self.table) > self.max_nodes:
                raise self._too_large(f"more than {self.max_nodes:,}")
            what = "histories" if self.by_history else "states"
            self.progress.update(Report(num_sets(self.table), unit=what))
            begin_at, self.chunk = end, min(2 * self.chunk, _CHUNK)
        return found.first(num_sets(self.table) - first)

    def _chunk_end(self, first_cell: Integers, begin_at: int) -> int:
        """Where the nodes end that are expanded at once: after about ``chunk`` cells."""
        end = int(np.searchsorted(first_cell, first_cell[begin_at] + self.chunk)) - 1
        return min(max(begin_at + 1, end), first_cell.size - 1)

    def _count_bytes(self, choices: Choices) -> None:
        """Count the bytes of a level's arrays, those of the cells included."""
        each = 9 + 8 + 8 + (24 if choices.keys.size else 0)
        cells = int((choices.rows.astype(np.int64) * choices.columns).sum())
        self.used += choices.mover.size * each + cells * 12
        if self.used > self.memory:
            raise self._too_large()

    def _make_room(self, more: int, level: Nodes, found: Nodes) -> None:
        if not self.table.has_room(more, 1):
            larger = grown(self.table, more, 1, self.memory)
            if larger is None:
                raise self._too_large()
            self.table = larger
        if self.used + num_bytes(self.table) + level.num_bytes + found.num_bytes > self.memory:
            raise self._too_large()

    def _too_large(self, limit: str = "") -> TooLargeError:
        what = "histories" if self.by_history else "states"
        limit = limit or f"more than fit into {self.memory / 2**20:,.0f} MiB:"
        return TooLargeError(
            f"{self.game} has {limit} {what} ({num_sets(self.table):,} with at most "
            f"{len(self.levels)} moves); "
            "allow more, or search the game instead of writing it out"
        )

    def _assemble(self) -> StateGraph:
        nodes = num_sets(self.table)
        mover, rows, columns = map(self._joined, ("mover", "rows", "columns"))
        players_rows = np.where(mover == CHANCE, 0, rows).astype(np.int64)  # chance has no strategy
        players_columns = np.where(mover == CHANCE, 0, columns).astype(np.int64)
        graph = StateGraph(
            mover=mover,
            rows=rows,
            columns=columns,
            first_cell=starts_of(rows.astype(np.int64) * columns),
            cell=self._joined("cell"),
            probability=self._joined("probability"),
            first_action=starts_of(players_rows + players_columns),
            payoff=self.table.values[:nodes].copy(),
            order=np.zeros(nodes, np.int32),
            keys=self._joined("keys"),
            state_key=self._joined("state_key"),
        )
        if not put_in_order(graph):
            raise GameError(
                f"{self.game} need not end: some state comes before itself; a game's state must "
                "tell how far the game has come"
            )
        for array in vars(graph).values():
            array.flags.writeable = False
        return graph

    def _joined(self, name: str) -> npt.NDArray[Any]:
        """The arrays called ``name`` of all levels as one array. The levels forget their parts."""
        return np.concatenate([level.pop(name) for level in self.levels])
