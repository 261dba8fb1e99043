"""Joint nodes: what the searches of games with simultaneous moves remember, and how their
iterations move.

Lisy (2014), Section 3.1. A *joint node* is a history in which players choose. Where one player
moves alone, the other player has one action. Each node in memory has a row in the table. The key of
the row is made from the history: at each move it is folded with the indices of both actions, or
with the index of the outcome of chance. Moves of chance are sampled and have no nodes. Forced
moves, where both players have one action, have no nodes either. The numbers of a row are

parent    where the row of the node above starts, -1 if there is none; a row is added after the row
          of its parent
...       what is passed up, see `sm_mcts`
...       what the selection rule keeps, see `joint_selectors`

SM-MCTS learns nothing from the first visit of a node, and most nodes are visited only once. So a
first visit leaves only a *mark*: a row that consists of the number ``parent``, and whose key is the
bitwise complement of the key of the node.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, Game
from hiddenhand.games.guards import BrokenRule
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, begin
from hiddenhand.jit.infoset_table import InformationSetTable, num_sets
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import Key, first_key, fold
from hiddenhand.jit.random import below
from hiddenhand.jit.sampling import sample
from hiddenhand.jit.views import view
from hiddenhand.search.traversal import MOVES, Traversal


@inline
def after_joint(node: Key, a_0: int, a_1: int) -> Key:
    """The key of the node that a joint action leads to."""
    return fold(node, a_0 + 1, a_1 + 1, 0)


@inline
def after_chance(node: Key, a: int) -> Key:
    """The key of the node that an outcome of chance leads to."""
    return fold(node, 0, 0, a + 1)


# --- an iteration ---


@dataclass(frozen=True)
class Root(Compiled):
    """Where iterations start.

    state: ``int64[state_size]`` of the `TurnBased` game, with no choice pending.
    keys: ``uint64[3]``, of both players and of the public.
    node: ``uint64[1]``, the key of the node.
    reach: ``float64[3]``, the parts of player 0, player 1 and chance in the probability of the
        root; 1 where a search does not keep them.
    length: ``int64[1]``, how many joint actions and outcomes of chance led to the root.
    """

    state: Integers
    keys: Keys
    node: Keys
    reach: Floats
    length: Integers

    def write(self, state: Integers, keys: Keys, node: Key) -> None:
        """Make the node with key ``node`` the root, of which ``state`` and ``keys`` are as in the
        fields.
        """
        for index in range(state.size):
            self.state[index] = state[index]
        for observer in range(keys.size):
            self.keys[observer] = keys[observer]
        self.node[0] = node


def new_root(state_size: int) -> Root:
    """Room for a root, whose ``reach`` is 1 for all players and chance."""
    return Root(
        state=np.zeros(state_size, np.int64),
        keys=np.zeros(3, np.uint64),
        node=np.zeros(1, np.uint64),
        reach=np.ones(3),
        length=np.zeros(1, np.int64),
    )


@dataclass(frozen=True)
class JointTrajectory(Compiled):
    """Where an iteration is, and how it got there. The arrays are made once and written by kernels.

    A is the most actions of a player, M the most moves of a history, D = M + 1, C the most outcomes
    of a move of chance.

    trail: ``int64[1 + 2 M]``, how many moves were made, and for each of them both actions, or the
        one action and -1. Only the moves of a guarded game are written down.
    state: ``int64[state_size]``, the present state.
    actions_0: ``int64[A]``, room for rules to write legal actions of player 0 into.
    actions_1: ``int64[A]``, room for rules to write legal actions of player 1 into.
    outcomes: ``int64[C]``, room for chance's outcomes.
    probabilities: ``float64[C]``, room for their probabilities.
    observations: ``int64[3]``, room for rules to write tokens into.
    joint: ``int64[2]``, room for a joint action.
    max_actions: A.

    The other arrays have an entry for each node in memory on the way, and in `sm_oos` one for each
    move of chance between them:

    row: ``int64[D]``, where the row of the node begins in the table.
    n_0: ``int64[D]``, how many actions player 0 has; 0 at a move of chance.
    n_1: ``int64[D]``, how many actions player 1 has.
    a_0: ``int64[D]``, the index of the action that player 0 took.
    a_1: ``int64[D]``, the index of the action that player 1 took.
    sigma: ``float64[2 A D]``, the distributions of both players.
    pi: ``float64[D]``, pi of `sm_oos`; at a move of chance the probability of the outcome.
    sampled: ``float64[D]``, s of `sm_oos`.
    """

    trail: Integers
    state: Integers
    actions_0: Integers
    actions_1: Integers
    outcomes: Integers
    probabilities: Floats
    observations: Integers
    joint: Integers
    row: Integers
    n_0: Integers
    n_1: Integers
    a_0: Integers
    a_1: Integers
    sigma: Floats
    pi: Floats
    sampled: Floats
    max_actions: int

    def sigmas(self, depth: Any) -> Any:
        """The distributions of both players at a depth, as parts of `sigma`."""
        n = self.max_actions
        first = int(depth) * 2 * n
        return view(self.sigma, first, n), view(self.sigma, first + n, n)


def joint_trajectory(game: Game) -> JointTrajectory:
    """Room for iterations of ``game``, which has joint actions."""
    actions, outcomes = game.max_actions, max(game.max_chance_outcomes, 1)
    depth = game.max_depth + 1
    of_depths = {name: np.zeros(depth, np.int64) for name in ("row", "n_0", "n_1", "a_0", "a_1")}
    return JointTrajectory(
        trail=np.zeros(1 + 2 * game.max_depth, np.int64),
        state=np.zeros(game.state_size, np.int64),
        actions_0=np.zeros(actions, np.int64),
        actions_1=np.zeros(actions, np.int64),
        outcomes=np.zeros(outcomes, np.int64),
        probabilities=np.zeros(outcomes),
        observations=np.zeros(3, np.int64),
        joint=np.zeros(2, np.int64),
        **of_depths,
        sigma=np.ones(2 * depth * actions),
        pi=np.zeros(depth),
        sampled=np.zeros(depth),
        max_actions=actions,
    )


@dataclass(frozen=True)
class JointTraversal(Traversal):
    """An iteration over joint nodes; `path` is a `JointTrajectory`, and `game` has joint actions.

    root: where iterations start.
    """

    root: Root

    def begin(self) -> Key:
        """Start at the root: write the state, return the node's key."""
        self.path.trail[0] = 0
        for index in range(self.path.state.size):
            self.path.state[index] = self.root.state[index]
        return self.root.node[0]

    def count_joint(self, mover: int) -> tuple[int, int]:
        """Write both players' actions into the path and return how many there are; a player who
        does not move has one.
        """
        game, path = self.game, self.path
        n_0 = game.legal_actions(path.state, 0, path.actions_0) if mover != 1 else 1
        n_1 = game.legal_actions(path.state, 1, path.actions_1) if mover != 0 else 1
        return n_0, n_1

    def choose_at_random(self, n_0: int, n_1: int) -> tuple[int, int]:
        """The index of an action for each player, drawn uniformly."""
        a_0 = below(self.rng, n_0) if n_0 > 1 else 0
        a_1 = below(self.rng, n_1) if n_1 > 1 else 0
        return a_0, a_1

    def move_jointly(self, mover: int, a_0: int, a_1: int) -> int:
        """Let the players to move take the actions with these indices. Returns who moves next."""
        game, path = self.game, self.path
        self.counters[MOVES] += 1
        if mover == SIMULTANEOUS:
            path.joint[0] = path.actions_0[a_0]
            path.joint[1] = path.actions_1[a_1]
            _note(game, path.trail, path.joint[0], path.joint[1])
            game.apply_joint_action(path.state, path.joint, path.observations)
        else:
            action = path.actions_0[a_0] if mover == 0 else path.actions_1[a_1]
            _note(game, path.trail, action, -1)
            game.apply_action(path.state, action, path.observations)
        return game.current_player(path.state)

    def move_chance(self) -> tuple[int, int]:
        """Let chance move. Returns the number of the outcome, and who moves next. The probability
        of the outcome is then in ``path.probabilities``, at that number.
        """
        game, path = self.game, self.path
        self.counters[MOVES] += 1
        n = game.chance_outcomes(path.state, path.outcomes, path.probabilities)
        a = sample(self.rng, path.probabilities, n)
        _note(game, path.trail, path.outcomes[a], -1)
        game.apply_action(path.state, path.outcomes[a], path.observations)
        return a, game.current_player(path.state)


@inline
def _note(game: Any, trail: Integers, first: int, second: int) -> None:
    """Write a move of a guarded game down before it is made, see `traversal.note_move`."""
    if game.guarded:
        count = trail[0]
        if 2 * count + 1 == trail.size:
            raise BrokenRule("the game goes on after max_depth moves")
        trail[1 + 2 * count], trail[2 + 2 * count] = first, second
        trail[0] = count + 1


# --- the way to the present state ---


@dataclass(frozen=True)
class Trail(Compiled):
    """The moves that led to a state, one entry for each joint action or outcome of chance.

    node: ``uint64[M]``, the key of the node before the move.
    n_0: ``int64[M]``, how many actions player 0 had; 0 at a move of chance.
    n_1: ``int64[M]``, how many actions player 1 had; 0 at a move of chance.
    a_0: ``int64[M]``, the index of the action of player 0; 0 at a move of chance.
    a_1: ``int64[M]``, the index of the action of player 1; 0 at a move of chance.
    probability: ``float64[M]``, that of the outcome of chance; 1 at other moves.
    """

    node: Keys
    n_0: Integers
    n_1: Integers
    a_0: Integers
    a_1: Integers
    probability: Floats


def new_trail(size: int) -> Trail:
    """Room for ``size`` moves."""

    def integers() -> Integers:
        return np.zeros(size, np.int64)

    return Trail(
        np.zeros(size, np.uint64), integers(), integers(), integers(), integers(), np.ones(size)
    )


@kernel
def replay(game: Any, moves: Integers, root: Root, trail: Trail) -> None:
    """Make ``moves`` from the beginning of a `TurnBased` game, and write the last state in which no
    choice is pending into ``root``.
    """
    state, keys, observations = root.state.copy(), root.keys.copy(), np.zeros(3, np.int64)
    actions = np.zeros(max(game.max_actions, game.max_chance_outcomes, 1), np.int64)
    probabilities = np.zeros(actions.size)
    begin(game, state, keys)
    node, length = first_key(0), 0
    root.write(state, keys, node)
    for step in range(moves.size):
        player, a = game.current_player(state), moves[step]
        if player == CHANCE:
            n = game.chance_outcomes(state, actions, probabilities)
            if game.draws_chance:  # then the move is the outcome, not its number
                a = 0
                while actions[a] != moves[step]:
                    a += 1
            trail.probability[length] = probabilities[a]
        else:
            n = game.legal_actions(state, player, actions)
            if player == 0:
                trail.n_0[length], trail.a_0[length] = n, a
            else:
                trail.n_1[length], trail.a_1[length] = n, a
        advance(game, state, player, actions[a], keys, observations)
        if state[state.size - 1] == 0:  # no choice is pending
            trail.node[length] = node
            if player == CHANCE:
                node = after_chance(node, a)
            else:
                trail.n_0[length], trail.n_1[length] = (
                    max(trail.n_0[length], 1),
                    max(trail.n_1[length], 1),
                )
                node = after_joint(node, trail.a_0[length], trail.a_1[length])
            length += 1
            root.write(state, keys, node)
    root.length[0] = length


# --- the part of the table under a node ---


def keep_subtree(table: InformationSetTable, node: Key) -> None:
    """Drop all rows and marks except those of ``node`` and of the nodes under it. The table is
    changed in place and keeps its size, because a smaller copy would need memory of its own.
    """
    above = np.zeros(num_sets(table), np.int64)
    _mark(table, table.find(node), table.find(~node), above)
    _close_up(table, above)


@kernel
def _mark(table: InformationSetTable, root: int, mark: int, above: Integers) -> None:
    """Decide which rows are kept. Into the first number of each row is written where the row will
    start, or -1 if the row is dropped; into ``above``, where its parent will start. A parent comes
    before its children, so its new place is known when a child is looked at.

    root: the row of the new root, or MISSING.
    mark: the row of the new root's mark, or MISSING.
    above: ``int64[N]``, one entry for each row, written here.
    """
    values = 0
    for index in range(above.size):
        start = table.starts[index]
        parent, is_root = int(table.values[start]), start in (root, mark)
        above[index] = int(table.values[parent]) if parent >= 0 and not is_root else -1
        kept = is_root or above[index] >= 0
        table.values[start] = float(values) if kept else -1.0
        if kept:
            values += table.starts[index + 1] - start


@kernel
def _close_up(table: InformationSetTable, above: Integers) -> None:
    """Move the rows that are kept to the front, in their order. No row moves towards the end of the
    table, so nothing is overwritten that is still needed.

    above: what `_mark` wrote.
    """
    used, end = table.starts[above.size], table.starts[0]
    table.clear()
    for index in range(above.size):
        start = end
        end = table.starts[index + 1]
        if table.values[start] < 0.0:
            continue
        row = table.add(table.keys[index], end - start - table.per_set)
        for i in range(1, end - start):
            table.values[row + i] = table.values[start + i]
        table.values[row] = float(above[index])
    for i in range(table.starts[table.counts[0]], used):
        table.values[i] = 0.0
