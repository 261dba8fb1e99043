"""What the searches of games with simultaneous moves share: following a match, and reporting
strategies for information sets.

Lisy (2014), Section 3.1. These games have perfect information except for what is chosen at the same
moment. So the state of a match is known whenever a decision is due, and a search needs to remember
only what lies below that state: see `joint_nodes`. When a match moves on, the present state becomes
the root, and rows that do not lie under it are dropped. Searches are given the game in its
`TurnBased` form, and report strategies for the information sets of that form: see `infoset_export`.
"""

import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.archives import Array, Rows, defect
from hiddenhand.budget import verify_budget
from hiddenhand.errors import GameError
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    State,
    verify_constant_sum,
    verify_listed,
)
from hiddenhand.games.constant_sum import zero_sum_form
from hiddenhand.games.history import Event, History
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, new_table, table_to_arrays
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.parallel.table_merging import Merging
from hiddenhand.search.selection.joint_selectors import JointRule
from hiddenhand.search.selection.leaf_values import leaves_of
from hiddenhand.search.simultaneous.infoset_export import known_sets
from hiddenhand.search.simultaneous.joint_nodes import (
    Root,
    Trail,
    joint_trajectory,
    keep_subtree,
    new_root,
    new_trail,
    replay,
)
from hiddenhand.search.table_search import TableSearch, prefixed, with_prefix
from hiddenhand.search.traversal import ITERATIONS
from hiddenhand.trees.strategy import Strategy, Weights, strategy_from_weights

_PLAYS: Final = 3  # at random, to see whether a game hides anything
_STEPS: Final = 500  # moves, to see the same in its first states


class SimultaneousSearch(TableSearch):
    """A search of a two-player zero-sum game that hides nothing but what is chosen at the same
    moment. Derived classes say what an iteration does, and set two attributes in `_prepare`:

    rule: what is kept at a node.
    extra: how many numbers a row has between the parent and the numbers of the rule.
    """

    MERGED: ClassVar[dict[str, tuple[str, Merging]]] = {"table": ("table", Merging(front=1))}
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

    rule: JointRule
    extra: int = 0

    def _form_of(self, game: Game | str) -> Game:
        form = zero_sum_form(game)
        self.rules = verify_open_game(form)  # the game itself, with joint actions
        return form

    def _prepare(self) -> None:
        super()._prepare()
        self._leaves = leaves_of(self.rules, self.settings.evaluation)
        self._path = joint_trajectory(self.rules)

    # --- a match ---

    def _forget(self, own: np.random.SeedSequence) -> None:
        super()._forget(own)
        self._moves_made = np.zeros(0, np.int64)  # to the root, see `_moves`
        self._root = self._root_after(self._moves_made, new_trail(0))

    def _empty_table(self) -> InformationSetTable:
        largest = int(self.rule.size(self.rules.max_actions, self.rules.max_actions))
        # rows for two traversals, or a row and a mark
        return new_table(per_action=1, per_set=1 + self.extra, rows=2, row_actions=largest)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Make the present state the root, and forget what does not lie under it. Raises GameError
        if the state is not known for sure.

        ``seconds`` and ``iterations`` make no difference: there is little to follow.
        """
        super().notice(events)

    def _arrive(self) -> None:
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
        iterations, seconds = verify_budget(iterations, seconds)
        if self.belief.is_alive:
            super().think(iterations, seconds, progress)

    def policy(self, num_actions: int) -> Floats:
        """The player's part of the strategy in the present state; uniform if the state is not in
        memory.
        """
        row = int(self.table.find(self._root.node[0]))
        if row == MISSING:
            return mean_or_uniform(np.zeros(num_actions))
        n_0, n_1 = (
            (num_actions, self._num_actions(1))
            if self.seat == 0
            else (self._num_actions(0), num_actions)
        )
        first = self._first(row) + self.rule.strategy(self.seat, n_0, n_1)
        sums = self.table.values[first : first + num_actions]
        return self._move_probabilities(self._final(sums, sums.sum(), num_actions))

    def thought(self) -> Mapping[str, float]:
        """Figures by name: the iterations, the nodes in memory, and the nodes that were dropped
        when the match moved on.
        """
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "nodes": self._num_known(),
            "dropped": self._dropped,
        }

    @property
    def state(self) -> State:
        """``int64[state_size]``: the present state of the match, of `rules`. Not a copy."""
        return self._root.state[: self.rules.state_size]

    def _moves(self) -> Integers:
        """The moves from the root of the `TurnBased` game to the present state, each as its index
        among the legal ones.
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

    def _root_after(self, moves: Integers, trail: Trail) -> Root:
        root = new_root(self.game.state_size)
        replay(self.game, moves, root, trail)
        return root

    def _move_to(self, root: Root, trail: Trail) -> None:
        """Make ``root`` the root; the table keeps what lies under it."""
        if root.node[0] != self._root.node[0]:
            before = self._num_known()
            keep_subtree(self.table, root.node[0])
            self._dropped += before - self._num_known()
        self._root = root

    def _num_actions(self, player: int) -> int:
        """How many actions ``player`` has at the root."""
        mover = self.rules.current_player(self.state)
        return (
            len(self.rules.actions_of(self.state, player)) if mover in (player, SIMULTANEOUS) else 1
        )

    # --- what is known, in terms of information sets ---

    def strategy(self) -> Strategy:
        """`weights`, normalised; uniform where there are none."""
        return strategy_from_weights(self.game, self.weights())

    def weights(self) -> Weights:
        """What was accumulated for each information set of the `TurnBased` game that belongs to a
        node in memory.
        """
        known = known_sets(self.game, self.rules, self.table, self._root)
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
        # Two histories that a player cannot tell apart led to the same state, and share a set.
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
        # a joint action is two moves in turns
        return [int(action) for action in trail[1 : 1 + 2 * trail[0]] if action >= 0]

    def _first(self, row: Any) -> Any:
        """Where the rule's numbers begin in a row."""
        return row + 1 + self.extra

    def _final(self, sums: Floats, totals: Any, sizes: Any) -> Floats:
        """The weights that numbers of the table stand for.

        sums: ``float64[K]``, numbers from the runs that are the strategy.
        totals: for each of these numbers, the sum of its run.
        sizes: for each of these numbers, how many numbers its run has.
        """
        return sums

    # --- what `TableSearch` asks for ---

    def _in_common(self) -> dict[str, Any]:
        return super()._in_common() | {"game": self.rules, "root": self._root}

    def _events_forgotten(self) -> int:
        return 0  # a file has the moves of the match, see `_arrays`

    @property
    def _strategy_column(self) -> int:
        return 0

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The strategy, in the form in which all searches write it; and besides, the nodes, and the
        moves of the match that led to the root.
        """
        weights = self.weights()
        nodes = prefixed("node_", table_to_arrays(self.table))
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
        nodes = with_prefix("node_", arrays)
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
    """Whether the moves in ``way`` can be made in ``game``, one after the other. Each is the index
    of a legal move, or an outcome that the game draws.
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


def verify_open_game(game: Game) -> Game:
    """The game with joint actions that ``game`` plays in turns. Raises GameError if these searches
    are not for such a game.
    """
    verify_rules(game)
    verify_listed(game)
    if not isinstance(game, TurnBased):
        raise GameError(
            f"{game} has no simultaneous moves; search it with oos or ismcts, or name a game such "
            "as goofspiel(num_cards=5)"
        )
    rules: Game = game.game
    verify_constant_sum(rules, "a search with joint nodes", "ismcts")
    verify_open(rules)
    return rules


def _hidden(game: Game) -> GameError:
    return GameError(
        f"{game} hides more than what is chosen at the same moment, so its state is not known in a "
        "match; search it with oos or ismcts"
    )


def verify_open(game: Game, *, past: bool = True) -> None:
    """Raise GameError if the first states of the game, or a few random plays, show that a player
    does not notice all moves. `SimultaneousSearch.notice` raises it for what shows only in a match.

    past: whether players must also know what no longer matters, see `Game.forget_past`.
    """
    rng = np.random.default_rng(0)
    for state in itertools.chain(_played(game, rng), _first(game)):
        if _hides(game, state, rng, past):
            raise _hidden(game)


def _played(game: Game, rng: np.random.Generator) -> Iterator[State]:
    """The states of a few random plays."""
    for _ in range(_PLAYS):
        state = np.zeros(game.state_size, np.int64)
        game.initial_state(state)
        while (mover := game.current_player(state)) != TERMINAL:
            yield state
            joint = [int(rng.choice(_choices(game, state, mover, player))) for player in range(2)]
            state = _after(game, state, mover, joint, 0)[1]


def _first(game: Game) -> Iterator[State]:
    """The first states, breadth first, each once, as far as `_STEPS` moves lead."""
    state = np.zeros(game.state_size, np.int64)
    game.initial_state(state)
    waiting, seen, steps = deque([state]), {state.tobytes()}, 0
    while waiting:
        state = waiting.popleft()
        if (mover := game.current_player(state)) == TERMINAL:
            continue
        yield state
        both = [_choices(game, state, mover, player) for player in range(2)]
        for joint in (
            zip(both[0], both[0], strict=True) if mover == CHANCE else itertools.product(*both)
        ):
            if (steps := steps + 1) > _STEPS:
                return
            after = _after(game, state, mover, joint, 0)[1]
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                waiting.append(after)


def _hides(game: Game, state: State, rng: np.random.Generator, past: bool) -> bool:
    """Whether a player cannot tell apart two states that follow upon ``state``, if the player acts
    at random.
    """
    mover = game.current_player(state)
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
            if not past:
                game.forget_past(after)
            if told.setdefault(noticed, after.tobytes()) != after.tobytes():
                return True
    return False


def _choices(game: Game, state: Integers, mover: int, player: int) -> list[int]:
    """The actions of ``player``, or the outcomes if chance moves; only 0 for a player who does not
    move.
    """
    if mover == CHANCE:
        return game.actions_of(state, CHANCE)
    return game.actions_of(state, player) if mover in (player, SIMULTANEOUS) else [0]


def _after(
    game: Game, state: Integers, mover: int, joint: Sequence[int], observer: int
) -> tuple[tuple[int, ...], Integers]:
    """The private and the public token of a move for ``observer``, and the state after the move.

    joint: the actions of both players; if chance moves, the first of them is its outcome.
    """
    after, observations = state.copy(), np.zeros(3, np.int64)
    if mover == SIMULTANEOUS:
        game.apply_joint_action(after, np.array(joint, np.int64), observations)
    else:
        game.apply_action(after, joint[max(mover, 0)], observations)
    return (int(observations[observer]), int(observations[2])), after
