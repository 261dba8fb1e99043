"""Public states: where a match stands for all to see, and which histories may have led there.

Sustr, Kovarik and Lisy (2019), Sections 3.1 and 3.2. A public state is what the public noticed, a
public key; an augmented information set is what a player noticed, a player's key, also where the
player does not move. Either may hold a history together with its descendants ("thick" ones, as in
Phantom Tic-Tac-Toe), so sums run over the *upper frontier*: the histories with which a state or set
is entered.

pi_p(h)   player p's part in the probability of history h, chance's under the last index: under the
          strategies known so far, see `Frontier.reach`

Dimensions: F histories in the frontier, P players, N nodes of a trie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Keys
from hiddenhand.jit.history_step import advance, begin, write_root
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, grown, new_table
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import Key, mix
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.history_trie import Leaves, Trie, step_probabilities

FIRST_HISTORY: Final = np.uint64(0x8BB84B93962EACC9)  # the key of the empty history
_MOVE = np.uint64(0x2D358DCCAA6C78A5)


@inline
def next_history(history: Key, index: int) -> Key:
    """The key of a history after the move number ``index`` of its legal actions or outcomes. Unlike
    players' keys it tells all histories apart.
    """
    return mix(history ^ ((np.uint64(index) + np.uint64(1)) * _MOVE))


@dataclass(frozen=True)
class Frontier:
    """The upper frontier of a public state, as far as it is known.

    state: ``int64[F, state_size]``, the state after each history.
    keys: ``uint64[F, P + 1]``, the key of each player, and last the public key.
    history: ``uint64[F]``, the keys of the histories, see `next_history`.
    weight: ``float64[F]``, how many histories each stands for; 1 unless sampled.
    reach: ``float64[F, P + 1]``, pi_p(h).
    focus: ``bool[F]``, whether the history is in the present information set of the searcher.
    """

    state: Integers
    keys: Keys
    history: Keys
    weight: Floats
    reach: Floats
    focus: Flags

    @property
    def size(self) -> int:
        return self.history.size


def root_frontier(game: Game) -> Frontier:
    """The empty history alone."""
    state = np.zeros((1, game.state_size), np.int64)
    keys = np.zeros((1, game.num_players + 1), np.uint64)
    write_root(game, state[0], keys[0])
    return Frontier(
        state,
        keys,
        np.array([FIRST_HISTORY]),
        np.ones(1),
        np.ones((1, game.num_players + 1)),
        np.ones(1, np.bool_),
    )


def frontier(own: Belief, public: Belief, strategies: InformationSetTable, column: int) -> Frontier:
    """The frontier of the present public state, of which ``own`` is what the player to move knows
    and ``public`` what all know.

    pi comes from the run ``column`` of ``strategies``, uniform where they say nothing. If there are
    too many histories to keep, those of the own set are there as far as the own belief goes, and of
    the others a sample.
    """
    entered = _entries(own, strategies, column)
    key = entered.keys[0, own.observer] if entered.size else np.uint64(own.key)
    others = _leaves(public, strategies, column)
    others = _select(others, public.trie.player[public.leaves.node] != TERMINAL)
    in_own_set = others.keys[:, own.observer] == key
    if not public.is_sample or not entered.size:
        return Frontier(
            others.state, others.keys, others.history, others.weight, others.reach, in_own_set
        )
    return _joined(entered, _select(others, ~in_own_set))


def remember(
    beliefs: Sequence[Belief], source: InformationSetTable, column: int, known: InformationSetTable
) -> InformationSetTable:
    """Add to ``known`` (one run a row) what the run ``column`` of ``source`` says about the sets
    that ``beliefs`` lead through, but for those it has.

    Returns the table, which may have had to grow.
    """
    for belief in beliefs:
        room = max(belief.game.max_actions, 1)
        if not known.has_room(belief.trie.size, room):
            known = grown(known, belief.trie.size, room, memory_limit=2**62) or known
        _remember(belief.trie, source, column, known)
    return known


def node_of(belief: Belief, history: Key) -> int | None:
    """The node of a belief's trie whose key as a history is ``history``; None if there is none."""
    _, names = _reach(belief.trie, new_table(per_action=1), 0, belief.game.num_players)
    found = np.flatnonzero(names == history)
    return int(found[0]) if found.size else None


def _leaves(belief: Belief, strategies: InformationSetTable, column: int) -> Frontier:
    """The leaves of a belief, with reach and history keys."""
    leaves, trie = belief.leaves, belief.trie
    reach, history = _reach(trie, strategies, column, belief.game.num_players)
    return Frontier(
        leaves.state,
        leaves.keys,
        history[leaves.node],
        leaves.weight,
        reach[leaves.node],
        np.ones(leaves.size, np.bool_),
    )


def _entries(own: Belief, strategies: InformationSetTable, column: int) -> Frontier:
    """The histories with which the leaves of a player's belief entered the present public state,
    each once.
    """
    leaves, game = own.leaves, own.game
    node = np.zeros(leaves.size, np.int32)
    state, keys = np.zeros_like(leaves.state), np.zeros_like(leaves.keys)
    _enter(game, own.trie, leaves, node, state, keys)
    reach, history = _reach(own.trie, strategies, column, game.num_players)
    _, first = np.unique(node, return_index=True)
    entries = Frontier(
        state, keys, history[node], leaves.weight, reach[node], np.ones(leaves.size, np.bool_)
    )
    return _select(entries, first)


def _reach(
    trie: Trie, strategies: InformationSetTable, column: int, num_players: int
) -> tuple[Floats, Keys]:
    """For each node of a trie ``float64[N, P + 1]`` everybody's part in its probability, and
    ``uint64[N]`` its key as a history.
    """
    reach, history = np.ones((trie.size, num_players + 1)), np.full(trie.size, FIRST_HISTORY)
    _multiply(trie, step_probabilities(trie, strategies, column), reach, history)
    return reach, history


def _select(entries: Frontier, chosen: Flags | npt.NDArray[np.intp]) -> Frontier:
    return Frontier(**{name: array[chosen] for name, array in vars(entries).items()})


def _joined(first: Frontier, others: Frontier) -> Frontier:
    joined = {
        name: np.concatenate([array, getattr(others, name)]) for name, array in vars(first).items()
    }
    joined["focus"] = np.arange(first.size + others.size) < first.size
    return Frontier(**joined)


# --- kernels ---


@kernel
def _remember(
    trie: Trie, source: InformationSetTable, column: int, known: InformationSetTable
) -> None:
    for node in range(trie.parent.size):
        if (
            trie.player[node] < 0
            or trie.num_children[node] == 0
            or known.find(trie.key[node]) != MISSING
        ):
            continue
        row = source.find(trie.key[node])
        if row == MISSING:
            continue
        n = trie.num_actions[node]
        to = known.add(trie.key[node], n)
        for a in range(n):
            known.values[to + a] = source.values[row + column * n + a]


@kernel
def _multiply(trie: Trie, step: Floats, reach: Floats, history: Keys) -> None:
    last = reach.shape[1] - 1
    for node in range(1, trie.parent.size):
        before = trie.parent[node]
        for p in range(reach.shape[1]):
            reach[node, p] = reach[before, p]
        player = trie.player[before]
        reach[node, last if player == CHANCE else player] *= step[node]
        history[node] = next_history(history[before], trie.index[node])


@kernel
def _enter(
    game: Game, trie: Trie, leaves: Leaves, entry: Indices, state: Integers, keys: Keys
) -> None:
    """Play each leaf's history again, and write its last prefix before which the public noticed
    anything: node, state, keys.
    """
    room = max(game.max_actions, game.max_chance_outcomes, 1)
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    now, seen = np.zeros(state.shape[1], np.int64), np.zeros(keys.shape[1], np.uint64)
    observations = np.zeros(seen.size, np.int64)
    path = np.zeros(game.max_depth + 1, np.int32)
    public = keys.shape[1] - 1
    for leaf in range(leaves.node.size):
        length, node = 0, leaves.node[leaf]
        while node > 0:
            path[length] = node
            length += 1
            node = trie.parent[node]
        begin(game, now, seen)
        entry[leaf] = 0
        _write(now, seen, state, keys, leaf)
        for step in range(length - 1, -1, -1):
            before, move = trie.parent[path[step]], trie.index[path[step]]
            player = trie.player[before]
            if player == CHANCE and not game.draws_chance:
                game.chance_outcomes(now, actions, probabilities)
                move = actions[move]
            elif player != CHANCE:
                game.legal_actions(now, player, actions)
                move = actions[move]
            noticed = seen[public]
            advance(game, now, player, move, seen, observations)
            if seen[public] != noticed:
                entry[leaf] = path[step]
                _write(now, seen, state, keys, leaf)


@inline
def _write(now: Integers, seen: Keys, state: Integers, keys: Keys, row: int) -> None:
    for i in range(now.size):
        state[row, i] = now[i]
    for observer in range(seen.size):
        keys[row, observer] = seen[observer]
