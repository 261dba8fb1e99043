"""Which information sets the joint nodes in memory belong to.

A search with joint nodes keeps a strategy for each history. It reports the strategy for the
information sets of the `TurnBased` game, so that it can be measured like that of any other search.
A walk through the game finds these sets. The walk goes no further than the nodes in memory do.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Flags, Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, num_sets
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.views import copy_row, view
from hiddenhand.search.simultaneous.joint_nodes import Root, after_chance, after_joint


@dataclass(frozen=True)
class Known(Compiled):
    """The N nodes in memory, and the information sets that they belong to.

    row: ``int64[N]``, where the row of the node begins in the table.
    n_0: ``int64[N]``, how many actions player 0 has; 1 where player 0 does not move.
    n_1: ``int64[N]``, how many actions player 1 has; 1 where player 1 does not move.
    mover: ``int64[N]``, a player or SIMULTANEOUS.
    keys: ``uint64[N, 2]``, the key of the information set of each player who moves; 0 for a player
        who does not.
    """

    row: Integers
    n_0: Integers
    n_1: Integers
    mover: Integers
    keys: Keys

    def of(self, player: int) -> list[npt.NDArray[Any]]:
        """Of the nodes at which ``player`` moves: their rows, the player's keys, n_0 and n_1."""
        moves = (self.mover == player) | (self.mover == SIMULTANEOUS)
        return [self.row[moves], self.keys[moves, player], self.n_0[moves], self.n_1[moves]]


@dataclass(frozen=True)
class _Frames(Compiled):
    """The histories from the root to where a walk is, one for each depth D.

    state: ``int64[D, state_size]`` of the `TurnBased` game.
    keys: ``uint64[D, 3]``, of both players and of the public.
    node: ``uint64[D]``, the key of the node.
    mover: ``int64[D]``, who moves.
    n_0: ``int64[D]``, how many actions player 0 has, or how many outcomes a move of chance has.
    n_1: ``int64[D]``, how many actions player 1 has; 1 at a move of chance.
    next: ``int64[D]``, the number of the move to make next.
    count: ``int64[D]``, how many moves there are.
    actions_0: ``int64[A]``, room for rules to write actions of player 0 or outcomes into.
    actions_1: ``int64[A]``, room for rules to write actions of player 1 into.
    probabilities: ``float64[A]``, room for the probabilities of outcomes.
    observations: ``int64[3]``, room for rules to write tokens into.
    """

    state: Integers
    keys: Keys
    node: Keys
    mover: Integers
    n_0: Integers
    n_1: Integers
    next: Integers
    count: Integers
    actions_0: Integers
    actions_1: Integers
    probabilities: Floats
    observations: Integers


def _new_frames(game: Game) -> _Frames:
    depth, room = game.max_depth + 2, max(game.max_actions, game.max_chance_outcomes, 1)

    def integers(size: int) -> Integers:
        return np.zeros(size, np.int64)

    return _Frames(
        state=np.zeros((depth, game.state_size), np.int64),
        keys=np.zeros((depth, 3), np.uint64),
        node=np.zeros(depth, np.uint64),
        mover=integers(depth),
        n_0=integers(depth),
        n_1=integers(depth),
        next=integers(depth),
        count=integers(depth),
        actions_0=integers(room),
        actions_1=integers(room),
        probabilities=np.zeros(room),
        observations=integers(3),
    )


def known_sets(game: Game, rules: Game, table: InformationSetTable, root: Root) -> Known:
    """All nodes in memory: a walk through the game that goes no further than they do.

    rules: the game with joint actions, of which ``game`` is the `TurnBased` form.
    """
    size = num_sets(table)
    row, n_0, n_1, mover = (np.zeros(size, np.int64) for _ in range(4))
    known = Known(row, n_0, n_1, mover, np.zeros((size, 2), np.uint64))
    branches = np.zeros(int(table.starts[size]) + 1, np.bool_)
    with explaining(game):
        count = int(_walk(game, rules, table, root, branches, _new_frames(game), known))
    return Known(
        known.row[:count],
        known.n_0[:count],
        known.n_1[:count],
        known.mover[:count],
        known.keys[:count],
    )


@kernel
def _walk(
    game: Any,
    rules: Any,
    table: InformationSetTable,
    root: Root,
    branches: Flags,
    frames: _Frames,
    known: Known,
) -> int:
    """Write all nodes into ``known``, depth first, and return how many there are.

    branches: ``bool[V + 1]`` of zeros, room to note which rows have nodes below them.
    """
    for index in range(known.row.size):
        branches[int(table.values[table.starts[index]]) + 1] = True  # the root has no parent, -1
    for index in range(root.state.size):
        frames.state[0, index] = root.state[index]
    for observer in range(root.keys.size):
        frames.keys[0, observer] = root.keys[observer]
    frames.node[0] = root.node[0]
    depth, found = 0, _enter(game, rules, table, branches, frames, 0, known, 0)
    while depth >= 0:
        if frames.next[depth] == frames.count[depth]:
            depth -= 1
            continue
        _descend(game, frames, depth)
        depth += 1
        found = _enter(game, rules, table, branches, frames, depth, known, found)
    return found


@inline
def _enter(
    game: Any,
    rules: Any,
    table: InformationSetTable,
    branches: Flags,
    frames: _Frames,
    depth: int,
    known: Known,
    found: int,
) -> int:
    """See what can be done at ``depth``, and note the node if it is one in memory. Returns how many
    were found so far.
    """
    state = frames.state[depth]
    mover = rules.current_player(view(state, 0, rules.state_size))
    n_0, n_1 = 1, 1
    if mover == CHANCE:
        n_0 = game.chance_outcomes(state, frames.actions_0, frames.probabilities)
    elif mover != TERMINAL:
        n_0 = game.legal_actions(state, 0, frames.actions_0) if mover != 1 else 1
        n_1 = game.legal_actions(state, 1, frames.actions_1) if mover != 0 else 1
    count = 0 if mover == TERMINAL else n_0 * n_1
    if mover != CHANCE and count > 1:
        row = table.find(frames.node[depth])
        if row == MISSING or not branches[row + 1]:
            count = 0
        if row != MISSING:
            known.row[found], known.n_0[found], known.n_1[found], known.mover[found] = (
                row,
                n_0,
                n_1,
                mover,
            )
            _write_keys(game, mover, frames, depth, known.keys[found])
            found += 1
    frames.mover[depth], frames.n_0[depth], frames.n_1[depth] = mover, n_0, n_1
    frames.next[depth], frames.count[depth] = 0, count
    return found


@inline
def _write_keys(game: Any, mover: int, frames: _Frames, depth: int, written: Keys) -> None:
    """Write the keys of the information sets of the players who move. In turns, player 1 moves
    after player 0 has chosen; which action that was makes no difference to the key of player 1.
    """
    # the next frame is free, because the walk has not come there yet
    state, keys = (
        frames.state[depth + 1],
        frames.keys[depth + 1],
    )
    copy_row(frames.state, depth, state)
    copy_row(frames.keys, depth, keys)
    if mover != 1:
        written[0] = game.information(state, 0, keys[0])
    if mover == SIMULTANEOUS:
        advance(game, state, 0, frames.actions_0[0], keys, frames.observations)
    if mover != 0:
        written[1] = game.information(state, 1, keys[1])


@inline
def _descend(game: Any, frames: _Frames, depth: int) -> None:
    """Make the next move at ``depth``, and write the state that it leads to at ``depth + 1``."""
    move = frames.next[depth]
    frames.next[depth] = move + 1
    state, keys = frames.state[depth + 1], frames.keys[depth + 1]
    copy_row(frames.state, depth, state)
    copy_row(frames.keys, depth, keys)
    mover = frames.mover[depth]
    if mover == CHANCE:
        game.chance_outcomes(state, frames.actions_0, frames.probabilities)
        advance(game, state, CHANCE, frames.actions_0[move], keys, frames.observations)
        frames.node[depth + 1] = after_chance(frames.node[depth], move)
        return
    a_0, a_1 = move // frames.n_1[depth], move % frames.n_1[depth]
    for player in range(2):
        if mover in (player, SIMULTANEOUS):
            game.legal_actions(state, player, frames.actions_0)
            advance(
                game,
                state,
                player,
                frames.actions_0[a_0 if player == 0 else a_1],
                keys,
                frames.observations,
            )
    frames.node[depth + 1] = after_joint(frames.node[depth], a_0, a_1)
