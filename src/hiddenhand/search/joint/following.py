"""What the searches of games with simultaneous moves share: joint nodes, following a match, and
what they know in terms of information sets.

Lisy (2014), Section 3.1. These games have perfect information but for what is chosen at the same
moment. So the state of a match is known whenever a decision is due, and all that a search needs to
remember is what lies below it.

A *joint node* is a history in which players choose; where one of them moves alone, the other has
one action. Nodes are rows of the table, keyed by their joint history: a key is folded with the
indices of both actions, or of chance's outcome. Chance is sampled and has no nodes, nor have forced
moves, where both players have one action. A row is

parent    where the row of the node above starts, -1 if there is none: a row is added after its
          parent
...       what `Values` or `Means` keep
...       what the rule keeps (see `joint_selectors`)

SM-MCTS learns nothing from the first visit of a node, and most nodes have no second. So a first
visit leaves a *mark* only, a row that ends after the parent's number, under the complement of the
key.

When a match moves on, the present state becomes the root: rows that do not lie under it are
dropped. The game is handed over in its `TurnBased` form, and strategies are in terms of its
information sets, so they can be measured like those of other searches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.archives import Array, Rows, defect
from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Flags, Floats, Integers, Keys
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.draws import sample
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import Key, first_key, fold
from hiddenhand.compiled.random import RandomState, below, new_state, seed_sequence
from hiddenhand.compiled.table import (
    MISSING,
    InformationSetTable,
    new_table,
    num_sets,
    table_to_arrays,
)
from hiddenhand.compiled.views import copy_row, view
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game, verify_listed
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.guards import BrokenRule
from hiddenhand.games.history import Event, History
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.rules.joint_selectors import JointRule
from hiddenhand.search.rules.leaves import frontier_of
from hiddenhand.search.thinking import ITERATIONS, MOVES, NUM_COUNTERS, TableSearch, verify_memory
from hiddenhand.trees.strategy import Strategy, Weights, strategy_from_weights

_PLAYS: Final = 3  # at random, to see whether a game hides anything


@dataclass(frozen=True)
class Values(Compiled):
    """The value of a sample is passed up as it is: SM-MCTS (Fig. 3.1)."""

    SIZE: ClassVar[int] = 0

    def passed_up(self, values: Floats, row: int, u: float) -> float:
        return u


@dataclass(frozen=True)
class Means(Compiled):
    """The mean of all values seen at a node so far is passed up: SM-MCTS-A (Section 3.1.2). Row:
    how many, their sum.
    """

    SIZE: ClassVar[int] = 2

    def passed_up(self, values: Floats, row: int, u: float) -> float:
        values[row] += 1.0
        values[row + 1] += u
        return values[row + 1] / values[row]


@dataclass(frozen=True)
class Root(Compiled):
    """Where iterations start.

    state: ``int64[state_size]`` of the `TurnBased` game, with no choice pending; keys:
    ``uint64[3]``, of both players and the public; node: ``uint64[1]``, its key; reach:
    ``float64[3]``, the parts of the players and of chance in its probability, where a search counts
    them; length: ``int64[1]``, how many joint actions and outcomes led there.
    """

    state: Integers
    keys: Keys
    node: Keys
    reach: Floats
    length: Integers


@dataclass(frozen=True)
class JointPath(Compiled):
    """Where an iteration is, and how it got there; arrays over depths d are filled for nodes in
    memory (dimension A: actions).

    trail: ``int64[1 + 2 M]``, how many moves were made, and for each of up to M both actions, or
    the one and -1. state: ``int64[state_size]``; actions_0, actions_1, outcomes, probabilities,
    observations: room for rules to write into; joint: a joint action. row, n_0, n_1, a_0, a_1:
    ``int64[D]``; sigma: ``float64[D 2 A]``, the distributions of player 0 and 1. For `sm_oos`: pi,
    sampled (s): ``float64[D]``; for a move of chance only n_0 = 0, and the outcome's probability in
    pi.
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
        """Where the distributions of both players at a depth are."""
        n = self.max_actions
        first = int(depth) * 2 * n
        return view(self.sigma, first, n), view(self.sigma, first + n, n)


def _new_path(game: Game) -> JointPath:
    actions, outcomes, depth = (
        game.max_actions,
        max(game.max_chance_outcomes, 1),
        game.max_depth + 1,
    )

    def integers(size: int) -> Integers:
        return np.zeros(size, np.int64)

    return JointPath(
        trail=integers(1 + 2 * game.max_depth),
        state=integers(game.state_size),
        actions_0=integers(actions),
        actions_1=integers(actions),
        outcomes=integers(outcomes),
        probabilities=np.zeros(outcomes),
        observations=integers(3),
        joint=integers(2),
        row=integers(depth),
        n_0=integers(depth),
        n_1=integers(depth),
        a_0=integers(depth),
        a_1=integers(depth),
        sigma=np.ones(2 * depth * actions),
        pi=np.zeros(depth),
        sampled=np.zeros(depth),
        max_actions=actions,
    )


class SimultaneousSearch(TableSearch):
    """A search of a two-player zero-sum game that hides nothing but what is chosen at the same
    moment. `start`, `notice`, `think` and `policy` follow a match. Derived classes say what is kept
    at a node and how an iteration goes.
    """

    FILE = TableSearch.ANY_FILE.with_more(
        arrays={
            "node_keys": Array(np.uint64, ("N",), distinct=True),
            "node_starts": Array(np.int64, ("N+1",)),
            "node_values": Array(np.float64, ("W",)),
            "node_layout": Array(np.int64, (2,)),
            "node_room": Array(np.int64, (2,), least=1),
            "way": Array(np.int64, ("M",), least=0),
            "reach": Array(np.float64, (3,), least=0.0, most=1.0),
            "dropped": Array(np.int64, (), least=0),
        },
        rows=(Rows("node_starts", "node_values"),),
    )

    def __init__(
        self,
        game: Game,
        rule: JointRule,
        *,
        extra: int = 0,
        evaluation: bool = False,
        after_move: bool = False,
        memory: int,
        seed: int,
    ) -> None:
        self.game = as_sequential(game)
        self.rules = _verified(self.game)  # the game itself, with joint actions
        self.rule = rule
        self.evaluation = evaluation
        self.memory = verify_memory(memory)
        self._extra = extra  # numbers in a row between the parent and the rule's
        self._frontier = frontier_of(self.rules, evaluation, after_move=after_move)
        self._path = _new_path(self.rules)
        self.start(0, seed)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        table_seed, belief_seed = seed_sequence(seed).spawn(2)
        self.seat = seat
        self.seed = seed
        largest = int(self.rule.size(self.rules.max_actions, self.rules.max_actions))
        self.table = new_table(
            per_action=1, per_set=1 + self._extra, rows=2, row_actions=largest
        )  # rows for two traversals, or a row and a mark
        self.belief = Belief(self.game, seat, seed=belief_seed)
        self._rng = new_state(table_seed)
        self._counters = np.zeros(NUM_COUNTERS, np.int64)
        self._dropped = 0
        self._seconds = 0.0
        self._moves_made = np.zeros(0, np.int64)  # to the root, see `_moves`
        self._root = self._root_after(self._moves_made, new_trail(0))

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Make the present state the root, and forget what does not lie under it. Raises GameError
        if the state is not known for sure.

        ``seconds`` and ``iterations`` make no difference: there is little to follow.
        """
        with explaining(self.game, self.belief.way):
            self.belief.notice(events)
            if self.belief.is_alive:
                self._moves_made = self._moves()
                trail = new_trail(self._moves_made.size)
                self._move_to(self._root_after(self._moves_made, trail), trail)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search on from the present state; before the first ``notice`` from the root. After the
        end of a match there is nothing to search.
        """
        Budget(iterations, seconds)  # says what is wrong with it
        if self.belief.is_alive:
            super().think(iterations, seconds, progress)

    def policy(self, num_actions: int) -> Floats:
        """The player's own part of the strategy in the present state; uniform if it is not in
        memory.
        """
        row = int(self.table.find(self._root.node[0]))
        if row == MISSING:
            return np.full(num_actions, 1.0 / num_actions)
        n_0, n_1 = (
            (num_actions, self._num_actions(1))
            if self.seat == 0
            else (self._num_actions(0), num_actions)
        )
        first = self._first(row) + self.rule.strategy(self.seat, n_0, n_1)
        sums = self.table.values[first : first + num_actions]
        return self._move_probabilities(self._final(sums, sums.sum(), num_actions))

    def thought(self) -> Mapping[str, float]:
        """Iterations, nodes in memory, nodes dropped when the match moved on."""
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "nodes": self._num_known(),
            "dropped": self._dropped,
        }

    def _moves(self) -> Integers:
        """What was done from the root of the game to the present state: the index of each move of
        the `TurnBased` game.
        """
        leaves, trie = self.belief.leaves, self.belief.trie
        known = leaves.state[:, : self.rules.state_size]
        if (known != known[0]).any():
            raise _hidden(self.rules)
        node, moves = int(leaves.node[0]), []
        while node > 0:
            moves.append(int(trie.index[node]))
            node = int(trie.parent[node])
        return np.array(moves[::-1], np.int64)

    def _root_after(self, moves: Integers, trail: "Trail") -> Root:
        root = Root(
            np.zeros(self.game.state_size, np.int64),
            np.zeros(3, np.uint64),
            np.zeros(1, np.uint64),
            np.ones(3),
            np.zeros(1, np.int64),
        )
        _replay(self.game, moves, root, trail)
        return root

    def _move_to(self, root: Root, trail: "Trail") -> None:
        """Make ``root`` the root; the table keeps what lies under it."""
        if root.node[0] != self._root.node[0]:
            before = self._num_known()
            _keep_subtree(self.table, root.node[0])
            self._dropped += before - self._num_known()
        self._root = root

    def _num_actions(self, player: int) -> int:
        """How many actions ``player`` has at the root."""
        state = self._root.state[: self.rules.state_size]
        mover = self.rules.current_player(state)
        return len(self.rules.actions_of(state, player)) if mover in (player, SIMULTANEOUS) else 1

    # --- what is known, in terms of information sets ---

    def strategy(self) -> Strategy:
        """`weights`, normalised; uniform where there are none."""
        return strategy_from_weights(self.game, self.weights())

    def weights(self) -> Weights:
        """What was accumulated for each information set of the `TurnBased` game that belongs to a
        node in memory.
        """
        known = _known_sets(self.game, self.table, self._root)
        parts = []
        for player in range(2):
            row, key, n_0, n_1 = known.of(player)
            parts.append(
                (
                    key,
                    self._first(row) + self.rule.strategy(player, n_0, n_1),
                    n_1 if player else n_0,
                )
            )
        keys, first, sizes = (np.concatenate(column) for column in zip(*parts, strict=True))
        before = np.cumsum(sizes) - sizes
        within = np.arange(sizes.sum()) - np.repeat(before, sizes)
        sums = self.table.values[np.repeat(first, sizes) + within]
        totals = np.add.reduceat(sums, before) if sums.size else sums
        final = self._final(sums, np.repeat(totals, sizes), np.repeat(sizes, sizes))
        # histories that a player cannot tell apart, because they led to the same state, share a set
        unique, one, which = np.unique(keys, return_index=True, return_inverse=True)
        starts = np.concatenate([[0], np.cumsum(sizes[one])]).astype(np.int64)
        place = np.repeat(starts[which], sizes) + within
        return Weights(
            unique, starts, np.bincount(place, final, minlength=int(starts[-1])).astype(np.float64)
        )

    def _way(self) -> list[int] | None:
        if self._root.length[0] > 0:
            return None
        trail = self._path.trail
        return [
            int(action) for action in trail[1 : 1 + 2 * trail[0]] if action >= 0
        ]  # moves at once are moves in turns

    def _first(self, row: Any) -> Any:
        """Where the rule's numbers begin in a row."""
        return row + 1 + self._extra

    def _final(self, sums: Floats, totals: Any, sizes: Any) -> Floats:
        """What runs of the table say as weights; of each number also the total of its run and the
        run's size.
        """
        return sums

    def _move_probabilities(self, weights: Floats) -> Floats:
        total = weights.sum()
        return weights / total if total > 0 else np.full(weights.size, 1.0 / weights.size)

    # --- what `TableSearch` asks for ---

    @property
    def _strategy_column(self) -> int:
        return 0

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The strategy, as all searches write it, and besides it the nodes and how the match came
        to the root.
        """
        weights = self.weights()
        nodes = {f"node_{name}": array for name, array in table_to_arrays(self.table).items()}
        root = {
            "way": self._moves_made,
            "reach": self._root.reach,
            "dropped": np.array(self._dropped),
        }
        strategy = {
            "keys": weights.keys,
            "starts": weights.starts,
            "values": weights.values,
            "layout": np.array([1, 0]),
        }
        return strategy | nodes | root

    def _restore(self, path: object, arrays: dict[str, npt.NDArray[Any]]) -> None:
        nodes = {
            name.removeprefix("node_"): array
            for name, array in arrays.items()
            if name.startswith("node_")
        }
        if not _are_under_each_other(nodes["starts"], nodes["values"]):
            raise defect(path, self.FILE.name, "node_values")
        if not _can_be_played(self.game, arrays["way"]):
            raise defect(path, self.FILE.name, "way")
        self.table = self._table_from(path, nodes, self.table)
        self._moves_made = arrays["way"]
        self._root = self._root_after(self._moves_made, new_trail(self._moves_made.size))
        self._root.reach[:] = arrays["reach"]
        self._dropped = int(arrays["dropped"])


# --- what a file may say ---


def _are_under_each_other(starts: Integers, values: Floats) -> bool:
    """Whether the first number of each row is where its parent, an earlier row, starts, or -1."""
    parents = values[starts[:-1]]
    return bool(((parents == -1) | (np.isin(parents, starts[:-1]) & (parents < starts[:-1]))).all())


def _can_be_played(game: Game, way: Integers) -> bool:
    """Whether each number of ``way`` is the index of a move of ``game`` after those before, or a
    drawn outcome.
    """
    history = History(game)
    for number in way.tolist():
        legal = [] if history.is_terminal else game.actions_of(history.state, history.player)
        drawn = history.player == CHANCE and game.draws_chance
        moves = dict(zip(legal, legal, strict=True) if drawn else enumerate(legal))
        if number not in moves:
            return False
        history = history.child(moves[number])
    return True


# --- games in which the state is known ---


def _verified(game: Game) -> Game:
    """The game with joint actions that ``game`` plays in turns. Raises GameError if it is not one
    for these searches.
    """
    verify_rules(game)
    verify_listed(game)
    if not isinstance(game, TurnBased):
        raise GameError(
            f"{game} has no simultaneous moves; search it with oos or ismcts, or name a game such "
            "as goofspiel(num_cards=5)"
        )
    rules: Game = game.game
    if rules.num_players != 2 or not rules.zero_sum:
        raise GameError(
            f"searches with joint nodes are for two players and zero-sum games; {rules} has "
            f"{rules.num_players} players"
            f"{'' if rules.zero_sum else ', not zero-sum'}"
        )
    _verify_open(rules)
    return rules


def _hidden(game: Game) -> GameError:
    return GameError(
        f"{game} hides more than what is chosen at the same moment, so its state is not known in a "
        "match; search it with oos or ismcts"
    )


def _verify_open(game: Game) -> None:
    """Raise GameError if a few random plays show that somebody is not told all that happened.
    `SimultaneousSearch.notice` sees the rest.
    """
    rng = np.random.default_rng(0)
    for _ in range(_PLAYS):
        state = np.zeros(game.state_size, np.int64)
        game.initial_state(state)
        while (mover := game.current_player(state)) != TERMINAL:
            joint = [int(rng.choice(_choices(game, state, mover, player))) for player in range(2)]
            for observer in range(2):
                told: dict[tuple[int, ...], bytes] = {}
                for changed in _choices(game, state, mover, 1 - observer):
                    other = (
                        [changed, changed]
                        if mover == CHANCE
                        else [joint[0], changed]
                        if observer == 0
                        else [changed, joint[1]]
                    )
                    noticed, after = _after(game, state, mover, other, observer)
                    if told.setdefault(noticed, after.tobytes()) != after.tobytes():
                        raise _hidden(game)
            state = _after(game, state, mover, joint, 0)[1]


def _choices(game: Game, state: Integers, mover: int, player: int) -> list[int]:
    """What ``player``, or chance, may do; 0 for a player who does not move."""
    if mover == CHANCE:
        return game.actions_of(state, CHANCE)
    return game.actions_of(state, player) if mover in (player, SIMULTANEOUS) else [0]


def _after(
    game: Game, state: Integers, mover: int, joint: Sequence[int], observer: int
) -> tuple[tuple[int, ...], Integers]:
    """What ``observer`` is told by a move, and the state after it. Chance makes the first of
    ``joint``.
    """
    after, observations = state.copy(), np.zeros(3, np.int64)
    if mover == SIMULTANEOUS:
        game.apply_joint_action(after, np.array(joint, np.int64), observations)
    else:
        game.apply_action(after, joint[max(mover, 0)], observations)
    return (int(observations[observer]), int(observations[2])), after


# --- moves, for kernels ---


@inline
def begin_at(root: Root, path: JointPath) -> Key:
    """Start at ``root``: write the state, return the node's key."""
    path.trail[0] = 0
    for index in range(path.state.size):
        path.state[index] = root.state[index]
    return root.node[0]


@inline
def count_joint(game: Any, mover: int, path: JointPath) -> tuple[int, int]:
    """Write both players' actions into ``path`` and return how many there are; a player who does
    not move has one.
    """
    n_0 = game.legal_actions(path.state, 0, path.actions_0) if mover != 1 else 1
    n_1 = game.legal_actions(path.state, 1, path.actions_1) if mover != 0 else 1
    return n_0, n_1


@inline
def move_jointly(game: Any, mover: int, a_0: int, a_1: int, path: JointPath) -> None:
    """Let whoever moves take the actions with these indices."""
    if mover == SIMULTANEOUS:
        path.joint[0] = path.actions_0[a_0]
        path.joint[1] = path.actions_1[a_1]
        _note(game, path.trail, path.joint[0], path.joint[1])
        game.apply_joint_action(path.state, path.joint, path.observations)
    else:
        action = path.actions_0[a_0] if mover == 0 else path.actions_1[a_1]
        _note(game, path.trail, action, -1)
        game.apply_action(path.state, action, path.observations)


@inline
def _note(game: Any, trail: Integers, first: int, second: int) -> None:
    """Write a move of a guarded game down before it is made, see `path.note_move`."""
    if game.guarded:
        count = trail[0]
        if 2 * count + 1 == trail.size:
            raise BrokenRule("the game goes on after max_depth moves")
        trail[1 + 2 * count], trail[2 + 2 * count] = first, second
        trail[0] = count + 1


@inline
def move_chance(game: Any, path: JointPath, rng: RandomState) -> int:
    """Let chance move; the index of the outcome, whose probability is then in
    ``path.probabilities``.
    """
    n = game.chance_outcomes(path.state, path.outcomes, path.probabilities)
    a = sample(rng, path.probabilities, n)
    _note(game, path.trail, path.outcomes[a], -1)
    game.apply_action(path.state, path.outcomes[a], path.observations)
    return a


@inline
def after_joint(node: Key, a_0: int, a_1: int) -> Key:
    """The key of the node that a joint action leads to."""
    return fold(node, a_0 + 1, a_1 + 1, 0)


@inline
def after_chance(node: Key, a: int) -> Key:
    """The key of the node that an outcome of chance leads to."""
    return fold(node, 0, 0, a + 1)


@inline
def play_on(game: Any, path: JointPath, most: int, rng: RandomState, counters: Integers) -> None:
    """Go on to the end, all actions alike, for ``most`` joint moves at most."""
    mover, left = game.current_player(path.state), most
    while mover != TERMINAL and left > 0:
        counters[MOVES] += 1
        if mover == CHANCE:
            move_chance(game, path, rng)
        else:
            n_0, n_1 = count_joint(game, mover, path)
            a_0 = below(rng, n_0) if n_0 > 1 else 0
            a_1 = below(rng, n_1) if n_1 > 1 else 0
            move_jointly(game, mover, a_0, a_1, path)
            left -= 1
        mover = game.current_player(path.state)


# --- the way to the present state ---


@dataclass(frozen=True)
class Trail(Compiled):
    """The moves that led to a state, one entry for each joint action or outcome of chance.

    node: ``uint64[M]``, the key before the move; n_0, n_1, a_0, a_1: ``int64[M]``, numbers of
    actions and indices, 0 for chance; probability: ``float64[M]``, of chance's outcome, else 1.
    """

    node: Keys
    n_0: Integers
    n_1: Integers
    a_0: Integers
    a_1: Integers
    probability: Floats


def new_trail(size: int) -> Trail:
    def integers() -> Integers:
        return np.zeros(size, np.int64)

    return Trail(
        np.zeros(size, np.uint64), integers(), integers(), integers(), integers(), np.ones(size)
    )


@kernel
def _replay(game: Any, moves: Integers, root: Root, trail: Trail) -> None:
    """Make ``moves`` from the beginning of a `TurnBased` game, and write the last state in which no
    choice is pending into ``root``.
    """
    state, keys, observations = root.state.copy(), root.keys.copy(), np.zeros(3, np.int64)
    actions = np.zeros(max(game.max_actions, game.max_chance_outcomes, 1), np.int64)
    probabilities = np.zeros(actions.size)
    begin(game, state, keys)
    node, length = first_key(0), 0
    _write_root(root, state, keys, node)
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
            _write_root(root, state, keys, node)
    root.length[0] = length


@inline
def _write_root(root: Root, state: Integers, keys: Keys, node: Key) -> None:
    for index in range(state.size):
        root.state[index] = state[index]
    for observer in range(keys.size):
        root.keys[observer] = keys[observer]
    root.node[0] = node


# --- the part of the table under a node ---


def _keep_subtree(table: InformationSetTable, node: Key) -> None:
    """Drop all rows and marks but those of ``node`` and of the nodes under it. The table keeps its
    size: a copy would need memory of its own.
    """
    above = np.zeros(num_sets(table), np.int64)
    _mark(table, table.find(node), table.find(~node), above)
    _close_up(table, above)


@kernel
def _mark(table: InformationSetTable, root: int, mark: int, above: Integers) -> None:
    """Write into the first number of each row where it goes, -1 for nowhere, and into ``above``
    where its parent goes. Parents come first.

    ``root`` and ``mark`` are the rows of the new root, MISSING if it has none.
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
    """Move the rows that are kept to the front, in their order. None moves up, so nothing is
    overwritten that is still needed.
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


# --- from nodes to information sets ---


@dataclass(frozen=True)
class _Known(Compiled):
    """Nodes in memory, N of them, as the players know them.

    row, n_0, n_1: ``int64[N]``; mover: ``int64[N]``, a player or SIMULTANEOUS; keys: ``uint64[N,
    2]``, of the information set of each who moves.
    """

    row: Integers
    n_0: Integers
    n_1: Integers
    mover: Integers
    keys: Keys

    def of(self, player: int) -> list[npt.NDArray[Any]]:
        """Rows, keys and numbers of actions where ``player`` moves."""
        moves = (self.mover == player) | (self.mover == SIMULTANEOUS)
        return [self.row[moves], self.keys[moves, player], self.n_0[moves], self.n_1[moves]]


@dataclass(frozen=True)
class _Frames(Compiled):
    """The histories from the root to where a walk is, one for each depth D.

    state: ``int64[D, state_size]`` and keys: ``uint64[D, 3]`` of the `TurnBased` game; node:
    ``uint64[D]``; mover, n_0, n_1: ``int64[D]``, who moves, and how many actions both players have,
    or n_0 outcomes; next, count: ``int64[D]``, which move to look at next, and how many. actions_0,
    actions_1, probabilities, observations: room for rules to write into.
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


def _known_sets(game: Game, table: InformationSetTable, root: Root) -> _Known:
    """All nodes in memory: a walk through the game that goes no further than they do."""
    size = num_sets(table)
    row, n_0, n_1, mover = (np.zeros(size, np.int64) for _ in range(4))
    known = _Known(row, n_0, n_1, mover, np.zeros((size, 2), np.uint64))
    branches = np.zeros(int(table.starts[size]) + 1, np.bool_)
    with explaining(game):
        count = int(_walk(game, table, root, branches, _new_frames(game), known))
    return _Known(
        known.row[:count],
        known.n_0[:count],
        known.n_1[:count],
        known.mover[:count],
        known.keys[:count],
    )


@kernel
def _walk(
    game: Any,
    table: InformationSetTable,
    root: Root,
    branches: Flags,
    frames: _Frames,
    known: _Known,
) -> int:
    """Write all nodes into ``known``, depth first; returns their number. branches: room to note
    which rows have nodes below them.
    """
    for index in range(known.row.size):
        branches[int(table.values[table.starts[index]]) + 1] = True  # the root has no parent, -1
    for index in range(root.state.size):
        frames.state[0, index] = root.state[index]
    for observer in range(root.keys.size):
        frames.keys[0, observer] = root.keys[observer]
    frames.node[0] = root.node[0]
    depth, found = 0, _enter(game, table, branches, frames, 0, known, 0)
    while depth >= 0:
        if frames.next[depth] == frames.count[depth]:
            depth -= 1
            continue
        _descend(game, frames, depth)
        depth += 1
        found = _enter(game, table, branches, frames, depth, known, found)
    return found


@inline
def _enter(
    game: Any,
    table: InformationSetTable,
    branches: Flags,
    frames: _Frames,
    depth: int,
    known: _Known,
    found: int,
) -> int:
    """See what can be done at ``depth``, and note the node if it is one in memory. Returns how many
    were found so far.
    """
    state = frames.state[depth]
    mover = game.game.current_player(view(state, 0, game.game.state_size))
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
    """The keys of the information sets of those who move. Player 1's is after player 0 has chosen,
    whatever that is.
    """
    state, keys = (
        frames.state[depth + 1],
        frames.keys[depth + 1],
    )  # free: the walk has not come there yet
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
    """Make the next move at ``depth``, and write what it leads to one deeper."""
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
