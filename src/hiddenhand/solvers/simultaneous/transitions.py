"""What the nodes of a level lead to: the cells of their matrices, and the nodes that are new.

The kernel checks in every state, one move ahead, whether the players know the state: moves that a
player cannot tell apart must all lead to the same state.

Dimensions as in `state_graph`; here F is a number of nodes.
"""

from dataclasses import dataclass

import numpy as np

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game, State
from hiddenhand.games.turn_based import CHOSEN
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys, Players, lengthened, starts_of
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, begin
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import Key, fold
from hiddenhand.jit.views import copy_into
from hiddenhand.solvers.simultaneous.state_keys import node_key, state_key

NOBODY = -1
ENDED = np.uint64(0)


@dataclass(frozen=True)
class Nodes(Compiled):
    """Nodes and their states.

    state: ``int64[F, state_size]``, the states.
    keys: ``uint64[F, 3]``, what both players and the public noticed; empty unless by history.
    state_key: ``uint64[F]``, hashes of the states, see `StateGraph`.
    """

    state: Integers
    keys: Keys
    state_key: Keys

    @staticmethod
    def of(game: Game, by_history: bool, size: int) -> "Nodes":
        """Room for ``size`` nodes."""
        return Nodes(
            np.zeros((size, game.state_size), np.int64),
            np.zeros((size if by_history else 0, 3), np.uint64),
            np.zeros(size, np.uint64),
        )

    @property
    def size(self) -> int:
        """F, the number of nodes that there is room for."""
        return self.state_key.size

    @property
    def num_bytes(self) -> int:
        """The bytes of all arrays."""
        return self.state.nbytes + self.keys.nbytes + self.state_key.nbytes

    def with_room(self, size: int) -> "Nodes":
        """These nodes, in arrays that have room for at least ``size`` nodes."""
        if size <= self.size:
            return self
        size = max(size, 2 * self.size)
        return Nodes(
            *(lengthened(array, size if array.size else 0) for array in vars(self).values())
        )

    def first(self, size: int) -> "Nodes":
        """The first ``size`` nodes."""
        return Nodes(*(array[:size].copy() for array in vars(self).values()))


@dataclass(frozen=True)
class Choices(Compiled):
    """Who moves at the F nodes of a level, and with how many actions.

    mover: ``int8[F]``, a player, SIMULTANEOUS, CHANCE or TERMINAL.
    rows: ``int32[F]``, the number of actions of player 0 or of outcomes of chance; 0 at the end.
    columns: ``int32[F]``, the number of actions of player 1; 0 at the end.
    keys: ``uint64[F, 3]``, as in `StateGraph`; empty unless by history.
    """

    mover: Players
    rows: Indices
    columns: Indices
    keys: Keys

    @staticmethod
    def at(game: Game, nodes: Nodes, room: int) -> "Choices":
        """The choices at ``nodes``.

        room: the size of the arrays that rules write actions into.
        """
        choices = Choices(
            np.zeros(nodes.size, np.int8),
            np.zeros(nodes.size, np.int32),
            np.zeros(nodes.size, np.int32),
            np.zeros((nodes.size if nodes.keys.size else 0, 3), np.uint64),
        )
        _look_at(game, nodes, choices, room)
        return choices


@dataclass(frozen=True)
class Cells(Compiled):
    """The C cells of a level of F nodes.

    first: ``int64[F + 1]``, the first cell of each node, counted from the first cell of the level.
    node: ``int32[C]``, the node that each pair of actions leads to.
    probability: ``float64[C]``, of outcomes of chance, and 1 elsewhere; empty in games without
        chance.
    """

    first: Integers
    node: Indices
    probability: Floats

    @staticmethod
    def of(choices: Choices, with_chance: bool) -> "Cells":
        """Room for the cells of all nodes."""
        first = starts_of(choices.rows.astype(np.int64) * choices.columns)
        size = first[-1]
        return Cells(first, np.zeros(size, np.int32), np.ones(size if with_chance else 0))


@dataclass(frozen=True)
class Scratch(Compiled):
    """Room that the kernel needs for one node, which has up to K cells and up to A actions of a
    player or outcomes of chance.

    first: ``int64[A]``, the actions of player 0, or the outcomes of chance.
    second: ``int64[A]``, the actions of player 1.
    joint: ``int64[2]``, a joint action.
    probabilities: ``float64[A]``, of the outcomes of chance.
    observations: ``int64[3]``, tokens.
    state: ``int64[state_size]``, the state after a move.
    bare: ``int64[state_size]``, room for the same state with its past forgotten.
    keys: ``uint64[3]``, what everybody noticed after the move.
    event: ``uint64[K, 2]``, what each player noticed of the move to each cell, folded.
    after: ``uint64[K]``, the key of the state in each cell, or ENDED.
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
    def of(game: Game, room: int) -> "Scratch":
        """Room for any node of a game."""
        cells = max(room, game.max_actions**2)
        return Scratch(
            first=np.zeros(room, np.int64),
            second=np.zeros(room, np.int64),
            joint=np.zeros(2, np.int64),
            probabilities=np.zeros(room),
            observations=np.zeros(3, np.int64),
            state=np.zeros(game.state_size, np.int64),
            bare=np.zeros(game.state_size, np.int64),
            keys=np.zeros(3, np.uint64),
            event=np.zeros((cells, 2), np.uint64),
            after=np.zeros(cells, np.uint64),
        )


@dataclass(frozen=True)
class Found(Compiled):
    """The nodes that were found so far.

    table: a row for each node, which starts at the number of the node; its value is the payoff.
    by_history: whether a node is a history.
    nodes: the newest of them, with room for more.
    first: the number of the first of ``nodes``.
    scratch: what the kernel writes into.
    """

    table: InformationSetTable
    by_history: bool
    nodes: Nodes
    first: int
    scratch: Scratch


# --- kernels ---


@kernel
def write_first(game: Game, found: Found, root: State) -> None:
    """Make the root the first node that was found.

    root: its state; empty for the beginning of the game.
    """
    state, keys = found.nodes.state[0], found.scratch.keys
    if root.size:
        copy_into(state, root)
    else:
        begin(game, state, keys)
    if found.by_history:
        copy_into(found.nodes.keys[0], keys)
    key = state_key(game, state, found.scratch.bare, found.by_history)
    found.nodes.state_key[0] = key
    node = found.table.add(node_key(key, keys, found.by_history), 1)
    if game.current_player(state) == TERMINAL:
        found.table.values[node] = game.returns(state, 0)


@kernel
def _look_at(game: Game, nodes: Nodes, choices: Choices, room: int) -> None:
    """Write who moves at each node, with how many actions, and the keys of the information sets.
    ``room`` is the size of the arrays that rules write actions into.
    """
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    rows, columns = choices.rows, choices.columns
    for node in range(choices.mover.size):
        state = nodes.state[node]
        player = game.current_player(state)
        choices.mover[node] = player
        if player == TERMINAL:
            continue
        rows[node] = columns[node] = 1
        if player == CHANCE:
            rows[node] = game.chance_outcomes(state, actions, probabilities)
        if player in (0, SIMULTANEOUS):
            rows[node] = game.legal_actions(state, 0, actions)
        if player in (1, SIMULTANEOUS):
            columns[node] = game.legal_actions(state, 1, actions)
        if choices.keys.size > 0:
            _write_keys(game, state, player, nodes.keys[node], choices.keys[node])


@inline
def _write_keys(game: Game, state: Integers, player: int, noticed: Keys, keys: Keys) -> None:
    """Write the keys of the information sets of the players who move, and the public key. With
    moves in turns, player 1 has noticed that player 0 has chosen.
    """
    if player in (0, SIMULTANEOUS):
        keys[0] = game.information(state, 0, noticed[0])
    if player == 1:
        keys[1] = game.information(state, 1, noticed[1])
    if player == SIMULTANEOUS:
        keys[1] = game.information(state, 1, fold(noticed[1], 0, 0, CHOSEN))
    keys[2] = noticed[2]


@kernel
def expand_nodes(
    game: Game,
    level: Nodes,
    choices: Choices,
    cells: Cells,
    some: tuple[int, int],
    found: Found,
) -> int:
    """Write the cells of the nodes ``some[0] .. some[1] - 1`` of a level, and add the nodes that
    are new to ``found``.

    Returns ``NOBODY``, or a player who may not know the state after a move.
    """
    scratch = found.scratch
    for node in range(some[0], some[1]):
        player = choices.mover[node]
        if player == TERMINAL:
            continue
        state = level.state[node]
        if player == CHANCE:
            game.chance_outcomes(state, scratch.first, scratch.probabilities)
        if player in (0, SIMULTANEOUS):
            game.legal_actions(state, 0, scratch.first)
        if player in (1, SIMULTANEOUS):
            game.legal_actions(state, 1, scratch.second)
        m, n, first = choices.rows[node], choices.columns[node], cells.first[node]
        for i in range(m):
            for j in range(n):
                k = i * n + j
                copy_into(scratch.state, state)
                if found.by_history:
                    copy_into(scratch.keys, level.keys[node])
                _move(game, player, i, j, scratch)
                for p in range(2):
                    private, public = scratch.observations[p], scratch.observations[2]
                    scratch.event[k, p] = fold(np.uint64(0), 0, private, public)
                key = state_key(game, scratch.state, scratch.bare, found.by_history)
                ends = game.current_player(scratch.state) == TERMINAL
                scratch.after[k] = ENDED if ends else key
                cells.node[first + k] = _node(game, found, key, ends)
                if player == CHANCE:
                    cells.probability[first + k] = scratch.probabilities[i]
        hidden = _hidden_from(player, m, n, scratch)
        if hidden != NOBODY:
            return hidden
    return NOBODY


@inline
def _move(game: Game, player: int, i: int, j: int, scratch: Scratch) -> None:
    """Move the state and the keys in ``scratch`` on by action number ``i`` of player 0, or outcome
    number ``i`` of chance, and action number ``j`` of player 1. Where both players move, the keys
    are those of the game with moves in turns.
    """
    if player == SIMULTANEOUS:
        scratch.joint[0], scratch.joint[1] = scratch.first[i], scratch.second[j]
        for observer in range(3):
            scratch.observations[observer] = 0
        game.apply_joint_action(scratch.state, scratch.joint, scratch.observations)
        private, public = scratch.observations, scratch.observations[2]
        chosen = fold(scratch.keys[0], scratch.joint[0] + 1, 0, CHOSEN)
        scratch.keys[0] = fold(chosen, 0, private[0], public)
        chosen = fold(scratch.keys[1], 0, 0, CHOSEN)
        scratch.keys[1] = fold(chosen, scratch.joint[1] + 1, private[1], public)
        scratch.keys[2] = fold(fold(scratch.keys[2], 0, 0, CHOSEN), 0, 0, public)
    else:
        action = scratch.second[j] if player == 1 else scratch.first[i]
        advance(game, scratch.state, player, action, scratch.keys, scratch.observations)


@inline
def _node(game: Game, found: Found, key: Key, ends: bool) -> int:
    """The number of the node in the scratch, whose state has ``key``; it is added if it is new."""
    table, nodes, scratch = found.table, found.nodes, found.scratch
    own_key = key if ends else node_key(key, scratch.keys, found.by_history)
    node = table.find(own_key)
    if node == MISSING:
        node = table.add(own_key, 1)
        if ends:
            table.values[node] = game.returns(scratch.state, 0)
        copy_into(nodes.state[node - found.first], scratch.state)
        nodes.state_key[node - found.first] = key
        if found.by_history:
            copy_into(nodes.keys[node - found.first], scratch.keys)
    return node


@inline
def _hidden_from(player: int, m: int, n: int, scratch: Scratch) -> int:
    """A player to whom two moves of others, which lead to different states, look alike; or
    ``NOBODY``.
    """
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
    return NOBODY


@inline
def _look_alike(observer: int, player: int, k: int, other: int, scratch: Scratch) -> bool:
    """Whether ``observer`` cannot tell apart the moves to two cells, which lead to different
    states in which the game goes on. A move that is not noticed looks like any other move. Where
    both players move, each of them notices that there was a move.
    """
    after, instead = scratch.after[k], scratch.after[other]
    if after in (ENDED, instead) or instead == ENDED:
        return False
    one, two = scratch.event[k, observer], scratch.event[other, observer]
    missed = player != SIMULTANEOUS and (one == np.uint64(0) or two == np.uint64(0))
    return missed or one == two
