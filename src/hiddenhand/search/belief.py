"""Beliefs: the histories consistent with what was noticed, kept with all their prefixes.

An *observer* is a player, or the public. Whoever plays a match is told events; folded, they are keys, and a history is consistent if it gave the
observer the same keys. `Belief` keeps the consistent histories as the leaves of a trie from the root of the game. When new events arrive, each leaf
is continued by all actions that explain them, through as many unnoticed moves as it takes; branches that die are pruned. This works for every game,
with no code in the game.

For a player, who is asked to move, the leaves are the histories in their information set. For the public they are the first histories at which the
public noticed the last event: the upper frontier of the public state.

Where there are more than ``cap`` candidates, a uniformly random subset of that size is kept, and each weighs as much more: sums over the leaves stay
unbiased. A sample can die, when the opponent did what no kept history foresaw; then the whole belief is drawn again from the root, and `recoveries`
counts it. Who has little time keeps fewer still: see `Belief.notice`.

Dimensions: N nodes of the trie, F leaves, P players.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import Key, first_key, fold
from hiddenhand.compiled.table import MISSING, InformationSetTable
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.errors import BudgetError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import Event
from hiddenhand.games.rule_errors import explaining

DEFAULT_CAP: Final = 100_000
_ATTEMPTS: Final = 3  # at drawing a dead belief again
_FEWEST: Final = 1000  # leaves that are continued however little time is left
_PACE: Final = 1e-7  # seconds to look at a move, before anything was measured

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Trie(Compiled):
    """All kept histories and their prefixes. Parents come before children, and the children of a node are a range.

    parent: ``int32[N]``, -1 at the root; player: ``int8[N]``, who moves; key: ``uint64[N]``, the key of the mover's information set.
    index: ``int32[N]``, which of the legal actions (or outcomes) of the parent leads here; probability: ``float64[N]``, chance's part in that move.
    num_actions: ``int32[N]``, legal actions at the node, kept or not; first_child, num_children: ``int32[N]``, the kept ones. A leaf has none.
    """

    parent: Ints
    player: npt.NDArray[np.int8]
    key: Keys
    index: Ints
    probability: Floats
    num_actions: Ints
    first_child: Ints
    num_children: Ints

    @property
    def size(self) -> int:
        return self.parent.size


@dataclass(frozen=True)
class Leaves(Compiled):
    """The kept histories themselves.

    node: ``int32[F]``, where in the trie; state: ``int64[F, state_size]``; keys: ``uint64[F, P + 1]``; seen: ``int32[F]``, how many events of the
    observer they explain; weight: ``float64[F]``, how many consistent histories each stands for (1 unless sampled).
    """

    node: Ints
    state: Integers
    keys: Keys
    seen: Ints
    weight: Floats

    @property
    def size(self) -> int:
        return self.node.size


class Belief:
    """What ``observer`` (a player, or ``game.num_players`` for the public) knows about the present history of a match.

    trie, leaves: the consistent histories. is_sample: whether the cap was ever reached. recoveries: how often it had to be drawn again.
    """

    def __init__(self, game: Game, observer: int, *, cap: int = DEFAULT_CAP, seed: int | np.random.SeedSequence = 0) -> None:
        if cap < 1:
            raise BudgetError(f"cap={cap} is not allowed; a belief keeps at least 1 history")
        self.game = game
        self.observer = observer
        self.cap = cap
        self.recoveries = 0
        self.is_sample = False
        self._random = np.random.default_rng(seed)
        self._wanted = [_first_key(observer)]  # the observer's key after each event
        self._acted = [0]  # their own action + 1 in it, 0 if they only watched
        self._pace = _PACE
        self._room = max(game.max_actions, game.max_chance_outcomes, 1)
        with explaining(game):
            self._begin()

    @property
    def is_alive(self) -> bool:
        """Whether any history is left."""
        return self.leaves.size > 0

    @property
    def key(self) -> int:
        """What the observer noticed, folded."""
        return self._wanted[-1]

    @property
    def num_events(self) -> int:
        """How many events the observer has noticed."""
        return len(self._wanted) - 1

    @property
    def information_key(self) -> int:
        """The key under which the observer, a player who is to move, files what they know."""
        if self.is_alive:
            return int(self.trie.key[self.leaves.node[0]])
        return self.key

    def notice(self, events: Sequence[Event], seconds: float | None = None) -> None:
        """Continue all histories by what the observer noticed. The public notices the public token of an event.

        ``seconds``: what it may take, roughly. Where it would take longer, a random subset is kept, as it is for the cap.
        """
        until = math.inf if seconds is None else perf_counter() + seconds
        public = self.observer == self.game.num_players
        for event in events:
            noticed = Event(0, 0, event.public) if public else event
            if any(noticed):
                self._wanted.append(int(_fold(np.uint64(self._wanted[-1]), *noticed)))
                self._acted.append(noticed.action)
        self._continue(until)
        for _ in range(_ATTEMPTS):
            if self.is_alive or not self.is_sample:
                return
            self.recoveries += 1
            self._begin()
            self._continue(until)

    def modelled(self, table: InformationSetTable, column: int) -> Floats:
        """``float64[F]``: how likely each leaf is when the others play the mean strategies in ``table``; uniform if they never come here."""
        likelihood = np.ones(self.trie.size)
        _weigh(self.trie, self.observer, step_probabilities(self.trie, table, column), likelihood)
        weights = likelihood[self.leaves.node] * self.leaves.weight
        total = weights.sum()
        return weights / total if total > 0 else self.uniform()

    def uniform(self) -> Floats:
        """``float64[F]``: all consistent histories alike."""
        return np.asarray(self.leaves.weight / self.leaves.weight.sum())

    def _begin(self) -> None:
        """Nothing but the root."""
        game = self.game
        state, keys = np.zeros((1, game.state_size), np.int64), np.zeros((1, game.num_players + 1), np.uint64)
        _write_root(game, state[0], keys[0])
        self.leaves = Leaves(np.zeros(1, np.int32), state, keys, np.zeros(1, np.int32), np.ones(1))
        self.trie = _empty_trie(1)
        self.trie.parent[0] = -1
        _describe(game, self.leaves, self.trie, self._room)

    def _continue(self, until: float) -> None:
        """Grow the leaves until all have explained all events and wait for the observer; then prune. ``until`` is a time of `perf_counter`."""
        events, wanted, acted = len(self._wanted) - 1, np.array(self._wanted, np.uint64), np.array(self._acted)
        began, looked_at = perf_counter(), 0
        finished: list[Leaves] = []
        grown, last = [self.trie], _Generation(self.leaves, self.trie, 0)
        while last.leaves.size:
            done = self._is_done(last, events)
            finished.append(_select(last.leaves, done))
            waiting = self._affordable(last.only(~done), until)
            looked_at += waiting.num_moves
            last = self._grow(waiting, wanted, acted)
            grown.append(last.trie)
        self.leaves = self._subset(_joined(finished), self.cap)
        self.trie = _end_to_end(grown)
        self._prune()
        if looked_at > _FEWEST:
            self._pace = (perf_counter() - began) / looked_at

    def _affordable(self, generation: "_Generation", until: float) -> "_Generation":
        """As many leaves as can be continued in half of the time that is left: nobody knows how many generations are to follow."""
        if until == math.inf:
            return generation
        moves = (until - perf_counter()) / 2 / self._pace
        count = int(generation.leaves.size * moves / max(generation.num_moves, 1))
        return _Generation(self._subset(generation.leaves, max(count, _FEWEST)), generation.trie, generation.first)

    def _subset(self, leaves: Leaves, count: int) -> Leaves:
        """A random subset if there are more leaves than ``count``; each weighs as much more."""
        if leaves.size <= count:
            return leaves
        self.is_sample = True
        kept = np.zeros(leaves.size, np.bool_)
        kept[self._random.choice(leaves.size, count, replace=False)] = True
        fewer = _select(leaves, kept)
        return Leaves(fewer.node, fewer.state, fewer.keys, fewer.seen, fewer.weight * (leaves.size / count))

    def _is_done(self, generation: "_Generation", events: int) -> npt.NDArray[np.bool_]:
        done = generation.leaves.seen == events
        if self.observer < self.game.num_players:
            done &= generation.trie.player[generation.places] == self.observer
        return done

    def _grow(self, last: "_Generation", wanted: Keys, acted: Integers) -> "_Generation":
        """One move on from each leaf, as far as it explains what was noticed."""
        leaves, places, game = last.leaves, last.places, self.game
        parent, index, seen = _candidates(game, leaves, places, last.trie, self.observer, wanted, acted, last.num_moves, self._room)
        weight = leaves.weight[parent]
        if parent.size > self.cap:
            kept = np.sort(self._random.choice(parent.size, self.cap, replace=False))
            weight = weight[kept] * (parent.size / self.cap)
            parent, index, seen = parent[kept], index[kept], seen[kept]
            self.is_sample = True
        first = last.first + last.trie.size
        state = np.empty((parent.size, game.state_size), np.int64)
        keys = np.empty((parent.size, game.num_players + 1), np.uint64)
        grown = Leaves(np.arange(first, first + parent.size, dtype=np.int32), state, keys, seen, weight)
        trie = _empty_trie(parent.size)
        _materialise(game, leaves, places, last.trie, parent, index, grown, trie, self._room)
        return _Generation(grown, trie, first)

    def _prune(self) -> None:
        """Drop all nodes with no leaf below."""
        kept = np.zeros(self.trie.size, np.bool_)
        kept[self.leaves.node] = True
        _mark_ancestors(self.trie.parent, kept)
        place = np.cumsum(kept, dtype=np.int32) - 1
        self.trie = _compacted(self.trie, kept, place)
        self.leaves = Leaves(place[self.leaves.node], self.leaves.state, self.leaves.keys, self.leaves.seen, self.leaves.weight)


@dataclass(frozen=True)
class _Generation:
    """Leaves of equal age. trie: the nodes made with them, the first of which will be number ``first`` when all generations are put end to end."""

    leaves: Leaves
    trie: Trie
    first: int

    @property
    def places(self) -> Ints:
        """``int32[F]``: the node of each leaf in ``trie``."""
        return self.leaves.node - np.int32(self.first)

    @property
    def num_moves(self) -> int:
        """How many moves all leaves have together."""
        return int(self.trie.num_actions[self.places].sum())

    def only(self, chosen: npt.NDArray[np.bool_]) -> "_Generation":
        return _Generation(_select(self.leaves, chosen), self.trie, self.first)


def _first_key(observer: int) -> int:
    return int(_first(observer))


def _empty_trie(size: int) -> Trie:
    def ints() -> Ints:
        return np.zeros(size, np.int32)

    return Trie(ints(), np.zeros(size, np.int8), np.zeros(size, np.uint64), ints(), np.ones(size), ints(), ints(), ints())


def _end_to_end(tries: list[Trie]) -> Trie:
    return Trie(**{name: np.concatenate([getattr(trie, name) for trie in tries]) for name in vars(tries[0])})


def _compacted(trie: Trie, kept: npt.NDArray[np.bool_], place: Ints) -> Trie:
    nodes = np.flatnonzero(kept)
    smaller = Trie(**{name: array.take(nodes) for name, array in vars(trie).items()})
    has_parent = smaller.parent >= 0
    smaller.parent[has_parent] = place[smaller.parent[has_parent]]
    smaller.num_children[:] = 0
    _link_children(smaller)
    return smaller


def _select(leaves: Leaves, chosen: npt.NDArray[np.bool_]) -> Leaves:
    if chosen.all():
        return leaves
    places = np.flatnonzero(chosen)
    return Leaves(**{name: array.take(places, axis=0) for name, array in vars(leaves).items()})


def _joined(parts: list[Leaves]) -> Leaves:
    parts = [part for part in parts if part.size] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    return Leaves(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])})


# --- kernels; ``room`` is the size of the arrays that rules write actions into ---


@kernel
def _first(observer: int) -> Key:
    return first_key(observer)


@kernel
def _fold(key: Key, action: int, private: int, public: int) -> Key:
    return fold(key, action, private, public)


@kernel
def _write_root(game: Game, state: Integers, keys: Keys) -> None:
    begin(game, state, keys)


@kernel
def _describe(game: Game, leaves: Leaves, trie: Trie, room: int) -> None:
    """Write who moves at each leaf, their information set and how many actions they have; leaf l is node l."""
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    for leaf in range(leaves.node.size):
        state = leaves.state[leaf]
        player = game.current_player(state)
        trie.player[leaf] = player
        if player == CHANCE:
            trie.num_actions[leaf] = game.chance_outcomes(state, actions, probabilities)
        elif player != TERMINAL:
            trie.num_actions[leaf] = game.legal_actions(state, player, actions)
            trie.key[leaf] = game.information(state, player, leaves.keys[leaf, player])


@kernel
def _candidates(
    game: Game, leaves: Leaves, places: Ints, trie: Trie, observer: int, wanted: Keys, acted: Integers, most: int, room: int
) -> tuple[Ints, Ints, Ints]:
    """The moves from the leaves that explain what was noticed, of ``most`` that there are: the leaf, the index of the move, and the events explained
    after it. Leaf l is node ``places[l]`` of ``trie``."""
    parent, index, seen = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
    found = 0
    state, keys = np.zeros(leaves.state.shape[1], np.int64), np.zeros(leaves.keys.shape[1], np.uint64)
    observations = np.zeros(keys.size, np.int64)
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    for leaf in range(leaves.node.size):
        player = trie.player[places[leaf]]
        if player == TERMINAL:
            continue
        n = _moves(game, leaves.state[leaf], player, actions, probabilities)
        explained = leaves.seen[leaf]
        for a in range(n):
            if player == observer and actions[a] + 1 != acted[explained + 1]:
                continue  # its key would say so, too, but this is faster
            _copy(leaves.state, leaf, state)
            _copy(leaves.keys, leaf, keys)
            advance(game, state, player, actions[a], keys, observations)
            if keys[observer] == wanted[explained]:
                after = explained
            elif explained + 1 < wanted.size and keys[observer] == wanted[explained + 1]:
                after = explained + 1
            else:
                continue
            parent[found], index[found], seen[found] = leaf, a, after
            found += 1
    return parent[:found].copy(), index[:found].copy(), seen[:found].copy()


@kernel
def _materialise(game: Game, leaves: Leaves, places: Ints, trie: Trie, parent: Ints, index: Ints, grown: Leaves, grown_trie: Trie, room: int) -> None:
    """Write the states, keys and nodes of the chosen candidates."""
    observations = np.zeros(leaves.keys.shape[1], np.int64)
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    for child in range(parent.size):
        leaf = parent[child]
        player = trie.player[places[leaf]]
        _moves(game, leaves.state[leaf], player, actions, probabilities)
        _copy(leaves.state, leaf, grown.state[child])
        _copy(leaves.keys, leaf, grown.keys[child])
        advance(game, grown.state[child], player, actions[index[child]], grown.keys[child], observations)
        grown_trie.parent[child] = leaves.node[leaf]
        grown_trie.index[child] = index[child]
        grown_trie.probability[child] = probabilities[index[child]] if player == CHANCE else 1.0
    _describe(game, grown, grown_trie, room)


@inline
def _copy(rows: Any, row: int, into: Any) -> None:
    """A slice would do, but slowly."""
    for column in range(into.size):
        into[column] = rows[row, column]


@kernel
def _moves(game: Game, state: Integers, player: int, actions: Integers, probabilities: Floats) -> int:
    if player == CHANCE:
        return game.chance_outcomes(state, actions, probabilities)
    return game.legal_actions(state, player, actions)


@kernel
def _mark_ancestors(parent: Ints, kept: npt.NDArray[np.bool_]) -> None:
    for node in range(parent.size - 1, 0, -1):
        if kept[node]:
            kept[parent[node]] = True


@kernel
def _link_children(trie: Trie) -> None:
    for node in range(1, trie.parent.size):
        before = trie.parent[node]
        if trie.num_children[before] == 0:
            trie.first_child[before] = node
        trie.num_children[before] += 1


@kernel
def _mean(table: InformationSetTable, column: int, key: Key, index: int, n: int) -> float:
    """The probability of an action under the mean strategy; uniform where nothing is known."""
    row = table.find(key)
    if row == MISSING:
        return 1.0 / n
    total = 0.0
    for a in range(n):
        total += table.values[row + column * n + a]
    return table.values[row + column * n + index] / total if total > 0.0 else 1.0 / n


@kernel
def step_probability(trie: Trie, table: InformationSetTable, column: int, node: int) -> float:
    """The probability of the move that leads to ``node``, by chance or the mean strategy."""
    before = trie.parent[node]
    if trie.player[before] == CHANCE:
        return trie.probability[node]
    return _mean(table, column, trie.key[before], trie.index[node], trie.num_actions[before])


@kernel
def step_probabilities(trie: Trie, table: InformationSetTable, column: int) -> Floats:
    """``float64[N]``: `step_probability` of all nodes, 1 at the root. A large table is not in the processor's cache, so siblings share a look-up."""
    step = np.ones(trie.parent.size)
    for before in range(trie.parent.size):
        first, n = trie.first_child[before], trie.num_actions[before]
        last = first + trie.num_children[before]
        if first == last:
            continue
        if trie.player[before] == CHANCE:
            for node in range(first, last):
                step[node] = trie.probability[node]
            continue
        row, total = table.find(trie.key[before]), 0.0
        if row != MISSING:
            for a in range(n):
                total += table.values[row + column * n + a]
        for node in range(first, last):
            step[node] = table.values[row + column * n + trie.index[node]] / total if total > 0.0 else 1.0 / n
    return step


@kernel
def _weigh(trie: Trie, observer: int, step: Floats, likelihood: Floats) -> None:
    for node in range(1, trie.parent.size):
        before = trie.parent[node]
        likelihood[node] = likelihood[before]
        if trie.player[before] != observer:
            likelihood[node] *= step[node]
