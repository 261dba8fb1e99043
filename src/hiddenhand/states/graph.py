"""All states of a game with simultaneous moves in which nothing else is hidden: a directed graph of
states, as flat arrays.

Where the players know the state whenever they choose, what comes after a state does not depend on
how it was reached (Ross 1971; Buro 2003; Bosansky, Lisy, Lanctot, Cermak and Winands 2016). So a
state is a node once, however many histories lead to it; the ends of the game that pay alike are one
node. A node at which both choose is a matrix of nodes: its *cells* lie row by row, a row for each
action of player 0, a column for each of player 1. A node at which one player or chance moves is a
matrix of one column or one row.

Whether players know the state is looked at in every state, one move ahead: of moves that a player
cannot tell apart, all must lead to one state.

A game is finite, so no state comes before itself, and the nodes can be put in order. With
``by_history`` a node is a history instead, with keys of what was noticed: that is what strategies
of searches are filed by, see `joint_profile`.

Dimensions: N nodes, C cells, A actions of both players in all nodes.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats, Indices, Integers, Keys, Players
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import Key, fold, mix
from hiddenhand.compiled.table import (
    MISSING,
    InformationSetTable,
    grown,
    new_table,
    num_bytes,
    num_sets,
)
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.errors import GameError, OptionError, TooLargeError
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    verify_listed,
    verify_two_players_zero_sum,
)
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.turn_based import CHOSEN, TurnBased
from hiddenhand.progress import SILENT, Progress, Report

DEFAULT_LIMIT: Final = 20_000_000
DEFAULT_MEMORY: Final = 4 * 2**30
_CHUNK: Final = 100_000  # cells that a kernel writes before progress is told
_STATE = np.uint64(0x8F14E45FCEEA167A)  # where the hashes of states and of payments begin
_ENDS = np.uint64(0x45C48CCE2E2D7FBD)

Movers = Players


class HiddenStateError(GameError):
    """A player may not know the state when they choose, so the game cannot be solved state by
    state.
    """


@dataclass(frozen=True, eq=False)
class StateGraph(Compiled):
    """The nodes and where they lead; node 0 is the root. Arrays are read-only.

    mover: ``int8[N]``, a player, SIMULTANEOUS, CHANCE or TERMINAL. rows, columns: ``int32[N]``, how
    many actions player 0 and player 1 have; chance has rows; both are 0 at the end. first_cell:
    ``int64[N + 1]``; cell: ``int32[C]``, the node that each pair of actions leads to. probability:
    ``float64[C]``, chance's, and 1 elsewhere; empty in games without chance. first_action:
    ``int64[N + 1]``: strategies, ``float64[A]``, hold the probabilities of a node's rows and then
    its columns from there on. payoff: ``float64[N]``, what player 0 is paid, 0 where the game goes
    on. order: ``int32[N]``, the nodes such that each comes before those it leads to. keys:
    ``uint64[N, 3]``, with ``by_history``: the keys of player 0's and player 1's information sets,
    with moves in turns, and the public key. state_key: ``uint64[N]``, a hash of what matters of the
    state, see `Game.forget_past`.
    """

    mover: Movers
    rows: Indices
    columns: Indices
    first_cell: Integers
    cell: Indices
    probability: Floats
    first_action: Integers
    payoff: Floats
    order: Indices
    keys: Keys
    state_key: Keys

    @property
    def num_nodes(self) -> int:
        return self.mover.size

    @property
    def num_actions(self) -> int:
        """Actions of both players in all nodes."""
        return int(self.first_action[-1])

    @property
    def by_history(self) -> bool:
        """Whether nodes are histories."""
        return self.keys.size > 0

    @property
    def num_states(self) -> int:
        """Nodes at which the game goes on."""
        return int(np.sum(self.mover != TERMINAL))


def simultaneous_form(game: Game) -> Game:
    """The game with simultaneous moves that ``game`` plays in turns, if it does; else ``game``
    itself.
    """
    return game.game if isinstance(game, TurnBased) else game


def expand(
    game: Game,
    *,
    by_history: bool = False,
    max_nodes: int = DEFAULT_LIMIT,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = SILENT,
) -> StateGraph:
    """Find all states of ``game`` (or, with ``by_history``, all histories).

    Raises GameError if it is no zero-sum game of two players, HiddenStateError if a player may not
    know the state when choosing, and TooLargeError if there are more than ``max_nodes`` of them, or
    they take more than ``memory`` bytes.
    """
    if max_nodes < 1 or memory < 1:
        raise OptionError(
            f"max_nodes={max_nodes} with memory={memory} is not allowed; give at least 1 node, and "
            "some bytes of memory"
        )
    game = simultaneous_form(game)
    verify_two_players_zero_sum(game, "backward induction", "cfr")
    verify_rules(game)
    verify_listed(game)
    with explaining(game):
        return _Expansion(game, by_history, max_nodes, memory, progress).run()


class _Expansion:
    """Grows the graph a level at a time: the nodes first met after l moves. Only the newest level's
    states are kept.
    """

    def __init__(
        self, game: Game, by_history: bool, max_nodes: int, memory: int, progress: Progress
    ) -> None:
        self.game = game
        self.by_history = by_history
        self.max_nodes = max_nodes
        self.memory = memory
        self.progress = progress
        self.room = max(game.max_actions, game.max_chance_outcomes, 1)
        self.scratch = _Scratch.of(game, self.room)
        self.table = new_table(
            per_action=0, per_set=1
        )  # so that a row starts at the number of its node; its value is the payoff
        self.levels: list[_Level] = []
        self.used = 0  # bytes of the levels

    def run(self) -> StateGraph:
        newest = _Frontier.of(self.game, self.by_history, 1)
        _write_root(self.game, self.table, self.by_history, newest)
        while newest.size:
            newest = self._expand(newest)
        return self._assemble()

    def _expand(self, frontier: "_Frontier") -> "_Frontier":
        """Where the newest nodes lead; the nodes that are new among those."""
        level = _Level(self.game, frontier, self.room)
        self.used += level.num_bytes
        if self.used > self.memory:
            raise self._too_large()
        level.make_cells(with_chance=self.game.max_chance_outcomes > 0)
        self.levels.append(level)
        first = num_sets(self.table)
        found = _Frontier.of(self.game, self.by_history, 1024)
        begin_at = 0
        while begin_at < level.size:
            end = max(
                begin_at + 1,
                int(np.searchsorted(level.first_cell, level.first_cell[begin_at] + _CHUNK)) - 1,
            )
            end = min(end, level.size)
            cells = int(level.first_cell[end] - level.first_cell[begin_at])
            found = found.with_room(num_sets(self.table) - first + cells)
            self._make_room(cells, frontier, found)
            hidden = self._expand_nodes(frontier, level, (begin_at, end), found, first)
            if hidden >= 0:
                raise HiddenStateError(
                    f"{self.game} hides things: player {hidden} may not know the state when "
                    "choosing, which backward induction needs; "
                    "use the linear program or cfr"
                )
            if num_sets(self.table) > self.max_nodes:
                raise self._too_large(f"more than {self.max_nodes:,}")
            self.progress.update(
                Report(num_sets(self.table), unit="histories" if self.by_history else "states")
            )
            begin_at = end
        return found.first(num_sets(self.table) - first)

    def _expand_nodes(
        self,
        frontier: "_Frontier",
        level: "_Level",
        some: tuple[int, int],
        found: "_Frontier",
        first: int,
    ) -> int:
        return _expand_nodes(
            self.game,
            self.table,
            self.by_history,
            frontier,
            level.mover,
            level.rows,
            level.columns,
            level.first_cell,
            level.cell,
            level.probability,
            *some,
            found,
            first,
            self.scratch,
        )

    def _make_room(self, nodes: int, frontier: "_Frontier", found: "_Frontier") -> None:
        if not self.table.has_room(nodes, 1):
            larger = grown(self.table, nodes, 1, self.memory)
            if larger is None:
                raise self._too_large()
            self.table = larger
        if self.used + num_bytes(self.table) + frontier.num_bytes + found.num_bytes > self.memory:
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
        nodes, levels = num_sets(self.table), self.levels
        mover, rows, columns = (
            np.concatenate([getattr(level, name) for level in levels])
            for name in ("mover", "rows", "columns")
        )
        cell, probability = (
            np.concatenate([vars(level).pop(name) for level in levels])
            for name in ("cell", "probability")
        )
        players_rows = np.where(mover == CHANCE, 0, rows).astype(np.int64)  # chance has no strategy
        players_columns = np.where(mover == CHANCE, 0, columns).astype(np.int64)
        graph = StateGraph(
            mover=mover,
            rows=rows,
            columns=columns,
            first_cell=_starts(rows.astype(np.int64) * columns),
            cell=cell,
            probability=probability,
            first_action=_starts(players_rows + players_columns),
            payoff=self.table.values[:nodes].copy(),
            order=np.zeros(nodes, np.int32),
            keys=np.concatenate([level.keys for level in levels]),
            state_key=np.concatenate([level.state_key for level in levels]),
        )
        if _sort(graph, np.zeros(nodes, np.int32)) < nodes:
            raise GameError(
                f"{self.game} need not end: some state comes before itself; a game's state must "
                "tell how far the game has come"
            )
        for array in vars(graph).values():
            array.flags.writeable = False
        return graph


def _starts(sizes: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@dataclass(frozen=True)
class _Scratch(Compiled):
    """What the kernel writes into for one node: actions, probabilities, tokens, and for each cell
    what came of it.
    """

    first: Integers
    second: Integers
    joint: Integers
    probabilities: Floats
    observations: Integers
    state: Integers
    bare: Integers
    keys: Keys
    event: Keys
    after: Keys

    @staticmethod
    def of(game: Game, room: int) -> "_Scratch":
        cells = max(room, game.max_actions**2)

        def integers(size: int) -> Integers:
            return np.zeros(size, np.int64)

        return _Scratch(
            integers(room),
            integers(room),
            integers(2),
            np.zeros(room),
            integers(3),
            integers(game.state_size),
            integers(game.state_size),
            np.zeros(3, np.uint64),
            np.zeros((cells, 2), np.uint64),
            np.zeros(cells, np.uint64),
        )


@dataclass(frozen=True)
class _Frontier(Compiled):
    """Nodes yet to be expanded. state: ``int64[F, state_size]``; keys: ``uint64[F, 3]``, or empty;
    state_key: ``uint64[F]``.
    """

    state: Integers
    keys: Keys
    state_key: Keys

    @staticmethod
    def of(game: Game, by_history: bool, size: int) -> "_Frontier":
        return _Frontier(
            np.zeros((size, game.state_size), np.int64),
            np.zeros((size if by_history else 0, 3), np.uint64),
            np.zeros(size, np.uint64),
        )

    @property
    def size(self) -> int:
        return self.state_key.size

    @property
    def num_bytes(self) -> int:
        return self.state.nbytes + self.keys.nbytes + self.state_key.nbytes

    def with_room(self, size: int) -> "_Frontier":
        """The same with room for at least ``size`` nodes."""
        if size <= self.size:
            return self
        size = max(size, 2 * self.size)
        return _Frontier(
            *(_lengthened(array, size if array.size else 0) for array in vars(self).values())
        )

    def first(self, size: int) -> "_Frontier":
        return _Frontier(*(array[:size].copy() for array in vars(self).values()))


def _lengthened(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    longer = np.zeros((size, *array.shape[1:]), array.dtype)
    longer[: array.shape[0]] = array
    return longer


class _Level:
    """The nodes of one level, with arrays as in `StateGraph`; cells are counted from the first of
    the level.
    """

    def __init__(self, game: Game, frontier: _Frontier, room: int) -> None:
        self.size = frontier.size
        self.mover = np.zeros(self.size, np.int8)
        self.rows = np.zeros(self.size, np.int32)
        self.columns = np.zeros(self.size, np.int32)
        self.keys = np.zeros((self.size if frontier.keys.size else 0, 3), np.uint64)
        self.state_key = frontier.state_key
        _look_at(game, frontier, self.mover, self.rows, self.columns, self.keys, room)
        self.first_cell = _starts(self.rows.astype(np.int64) * self.columns)

    def make_cells(self, with_chance: bool) -> None:
        self.cell = np.zeros(self.first_cell[-1], np.int32)
        self.probability = np.ones(self.first_cell[-1] if with_chance else 0)

    @property
    def num_bytes(self) -> int:
        """Bytes of the arrays, those of the cells included."""
        each = 9 + 8 + 8 + (24 if self.keys.size else 0)
        return self.size * each + int(self.first_cell[-1]) * 12


# --- kernels; ``room`` is the size of the arrays that rules write actions into ---


@kernel
def _write_root(
    game: Game, table: InformationSetTable, by_history: bool, frontier: _Frontier
) -> None:
    keys = np.zeros(3, np.uint64)
    begin(game, frontier.state[0], keys)
    if by_history:
        copy_into(frontier.keys[0], keys)
    frontier.state_key[0] = _state_key(
        game, frontier.state[0], np.zeros(game.state_size, np.int64), by_history
    )
    table.add(_node_key(frontier.state_key[0], keys, by_history), 1)


@kernel
def _look_at(
    game: Game,
    frontier: _Frontier,
    mover: Movers,
    rows: Indices,
    columns: Indices,
    keys: Keys,
    room: int,
) -> None:
    """Write who moves at each node of a level, with how many actions, and the keys of the
    information sets.
    """
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    for node in range(mover.size):
        state = frontier.state[node]
        player = game.current_player(state)
        mover[node] = player
        if player == TERMINAL:
            continue
        rows[node] = columns[node] = 1
        if player == CHANCE:
            rows[node] = game.chance_outcomes(state, actions, probabilities)
        if player in (0, SIMULTANEOUS):
            rows[node] = game.legal_actions(state, 0, actions)
        if player in (1, SIMULTANEOUS):
            columns[node] = game.legal_actions(state, 1, actions)
        if keys.size > 0:
            _write_keys(game, state, player, frontier.keys[node], keys[node])


@inline
def _write_keys(game: Game, state: Integers, player: int, noticed: Keys, keys: Keys) -> None:
    """The keys under which those who move file what they know, and the public one. In turns, player
    1 notices that player 0 has chosen.
    """
    if player in (0, SIMULTANEOUS):
        keys[0] = game.information(state, 0, noticed[0])
    if player == 1:
        keys[1] = game.information(state, 1, noticed[1])
    if player == SIMULTANEOUS:
        keys[1] = game.information(state, 1, fold(noticed[1], 0, 0, CHOSEN))
    keys[2] = noticed[2]


@kernel
def _expand_nodes(
    game: Game,
    table: InformationSetTable,
    by_history: bool,
    frontier: _Frontier,
    mover: Movers,
    rows: Indices,
    columns: Indices,
    first_cell: Integers,
    cell: Indices,
    probability: Floats,
    begin_at: int,
    end: int,
    found: _Frontier,
    first: int,
    scratch: _Scratch,
) -> int:
    """Write the cells of nodes ``begin_at .. end - 1`` of a level. New nodes go to ``found``, whose
    first has number ``first``.

    Returns -1, or a player who may not know the state after a move.
    """
    for node in range(begin_at, end):
        player = mover[node]
        if player == TERMINAL:
            continue
        state = frontier.state[node]
        if player == CHANCE:
            game.chance_outcomes(state, scratch.first, scratch.probabilities)
        if player in (0, SIMULTANEOUS):
            game.legal_actions(state, 0, scratch.first)
        if player in (1, SIMULTANEOUS):
            game.legal_actions(state, 1, scratch.second)
        m, n = rows[node], columns[node]
        for i in range(m):
            for j in range(n):
                k = i * n + j
                copy_into(scratch.state, state)
                if by_history:
                    copy_into(scratch.keys, frontier.keys[node])
                _move(game, player, i, j, scratch)
                for p in range(2):
                    scratch.event[k, p] = fold(
                        np.uint64(0), 0, scratch.observations[p], scratch.observations[2]
                    )
                scratch.after[k] = _state_key(game, scratch.state, scratch.bare, by_history)
                cell[first_cell[node] + k] = _node(
                    game, table, by_history, found, first, scratch, scratch.after[k]
                )
                if player == CHANCE:
                    probability[first_cell[node] + k] = scratch.probabilities[i]
        hidden = _hidden_from(player, m, n, scratch)
        if hidden >= 0:
            return hidden
    return -1


@inline
def _move(game: Game, player: int, i: int, j: int, scratch: _Scratch) -> None:
    """Move the state and the keys in ``scratch`` on by the moves numbered i and j; as if in turns,
    where both move.
    """
    if player == SIMULTANEOUS:
        scratch.joint[0], scratch.joint[1] = scratch.first[i], scratch.second[j]
        for observer in range(3):
            scratch.observations[observer] = 0
        game.apply_joint_action(scratch.state, scratch.joint, scratch.observations)
        private, public = scratch.observations, scratch.observations[2]
        scratch.keys[0] = fold(
            fold(scratch.keys[0], scratch.joint[0] + 1, 0, CHOSEN), 0, private[0], public
        )
        scratch.keys[1] = fold(
            fold(scratch.keys[1], 0, 0, CHOSEN), scratch.joint[1] + 1, private[1], public
        )
        scratch.keys[2] = fold(fold(scratch.keys[2], 0, 0, CHOSEN), 0, 0, public)
    else:
        action = scratch.second[j] if player == 1 else scratch.first[i]
        advance(game, scratch.state, player, action, scratch.keys, scratch.observations)


@inline
def _node(
    game: Game,
    table: InformationSetTable,
    by_history: bool,
    found: _Frontier,
    first: int,
    scratch: _Scratch,
    state_key: Key,
) -> int:
    """The number of the node in ``scratch``, which is added if it is new."""
    ends = game.current_player(scratch.state) == TERMINAL
    key = state_key if ends else _node_key(state_key, scratch.keys, by_history)
    node = table.find(key)
    if node == MISSING:
        node = table.add(key, 1)
        if ends:
            table.values[node] = game.returns(scratch.state, 0)
        copy_into(found.state[node - first], scratch.state)
        found.state_key[node - first] = state_key
        if by_history:
            copy_into(found.keys[node - first], scratch.keys)
    return node


@inline
def _hidden_from(player: int, m: int, n: int, scratch: _Scratch) -> int:
    """A player to whom two moves of others, which lead to different states, look alike; or -1."""
    for i in range(m):
        for j in range(n):
            for other in range(j + 1, n):
                if _look_alike(0, player, i * n + j, i * n + other, scratch):
                    return 0
            for other in range(i + 1, m):
                if _look_alike(1, player, i * n + j, other * n + j, scratch):
                    return 1
                if player == CHANCE and _look_alike(0, player, i * n + j, other * n + j, scratch):
                    return 0
    return -1


@inline
def _look_alike(observer: int, player: int, k: int, other: int, scratch: _Scratch) -> bool:
    """A move that is not noticed looks like any other. Where both move, each notices that they
    did.
    """
    if scratch.after[k] == scratch.after[other]:
        return False
    one, two = scratch.event[k, observer], scratch.event[other, observer]
    missed = player != SIMULTANEOUS and (one == np.uint64(0) or two == np.uint64(0))
    return missed or one == two


@inline
def _state_key(game: Game, state: Integers, bare: Integers, by_history: bool) -> Key:
    """A hash of what matters of the state; where the game ends, of what is paid. Unless
    ``by_history``, ``state`` forgets all else.
    """
    if game.current_player(state) == TERMINAL:
        paid = game.returns(state, 0) + 0.0  # no negative zero
        return mix(_ENDS ^ mix(np.float64(paid).view(np.uint64)))
    copy_into(bare, state)
    game.forget_past(bare)
    if not by_history:
        copy_into(state, bare)
    return state_hash(bare)


@inline
def copy_into(target: npt.NDArray[Any], source: npt.NDArray[Any]) -> None:
    """``target[:] = source`` for vectors of one length, which compiles several times faster."""
    for place in range(source.size):
        target[place] = source[place]


@inline
def state_hash(state: Integers) -> Key:
    """A hash of all numbers in ``state``."""
    key = _STATE
    for place in range(state.size):
        key = mix(key ^ np.uint64(state[place]))
    return key


@inline
def _node_key(state_key: Key, keys: Keys, by_history: bool) -> Key:
    """What a node that is no end is found by: the state, and by history also what everybody
    noticed.
    """
    if not by_history:
        return state_key
    return mix(state_key ^ mix(keys[0] ^ mix(keys[1] ^ mix(keys[2]))))


@kernel
def _sort(graph: StateGraph, entries: Indices) -> int:
    """Write ``order`` (Kahn 1962) and return how many nodes it has: all of them unless some node
    comes before itself.

    ``entries``: ``int32[N]`` zeros; the cells that lead to a node and whose nodes are not in order
    yet.
    """
    for c in range(graph.cell.size):
        entries[graph.cell[c]] += 1
    if entries[0] > 0:  # all nodes come after the root
        return 0
    done, placed = 0, 1
    graph.order[0] = 0
    while done < placed:
        node = graph.order[done]
        done += 1
        for c in range(graph.first_cell[node], graph.first_cell[node + 1]):
            child = graph.cell[c]
            entries[child] -= 1
            if entries[child] == 0:
                graph.order[placed] = child
                placed += 1
    return placed
