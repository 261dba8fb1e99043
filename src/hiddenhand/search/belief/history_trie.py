"""The particles of a belief: histories as the leaves of a trie of all their prefixes.

Dimensions: N nodes of the trie, F leaves, P players.
"""

from dataclasses import dataclass, replace

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Keys, Players
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable
from hiddenhand.jit.kernels import kernel


@dataclass(frozen=True)
class Trie(Compiled):
    """All kept histories and their prefixes. Parents come before children, and the children of a
    node are a range. A leaf has no children.

    parent: ``int32[N]``, -1 at the root.
    player: ``int8[N]``, who moves.
    key: ``uint64[N]``, the key of the mover's information set.
    index: ``int64[N]``, the number of the move from the parent among its legal actions or outcomes;
        where the game draws its chance, the outcome itself.
    probability: ``float64[N]``, chance's probability of that move, 1 where it was drawn.
    num_actions: ``int32[N]``, the legal actions or outcomes at the node, kept or not.
    first_child: ``int32[N]``, the first of the children that are kept.
    num_children: ``int32[N]``, how many are kept.
    """

    parent: Indices
    player: Players
    key: Keys
    index: Integers
    probability: Floats
    num_actions: Indices
    first_child: Indices
    num_children: Indices

    @staticmethod
    def empty(size: int) -> "Trie":
        """Room for ``size`` nodes."""
        return Trie(
            parent=np.zeros(size, np.int32),
            player=np.zeros(size, np.int8),
            key=np.zeros(size, np.uint64),
            index=np.zeros(size, np.int64),
            probability=np.ones(size),
            num_actions=np.zeros(size, np.int32),
            first_child=np.zeros(size, np.int32),
            num_children=np.zeros(size, np.int32),
        )

    @property
    def size(self) -> int:
        """N."""
        return self.parent.size


@dataclass(frozen=True)
class Leaves(Compiled):
    """The kept histories themselves.

    node: ``int32[F]``, where in the trie each is.
    state: ``int64[F, state_size]``, the state after it.
    keys: ``uint64[F, P + 1]``, the key of each player, and last the public key.
    seen: ``int32[F]``, how many events of the observer it explains.
    weight: ``float64[F]``, how many consistent histories it stands for; 1 unless sampled.
    odds: ``float64[F]``, the part of chance in its probability.
    """

    node: Indices
    state: Integers
    keys: Keys
    seen: Indices
    weight: Floats
    odds: Floats

    @property
    def size(self) -> int:
        """F."""
        return self.node.size


def select(leaves: Leaves, chosen: Flags) -> Leaves:
    """Some of the leaves. ``chosen``: ``bool[F]``."""
    if chosen.all():
        return leaves
    places = np.flatnonzero(chosen)
    return Leaves(**{name: array.take(places, axis=0) for name, array in vars(leaves).items()})


def joined(parts: list[Leaves]) -> Leaves:
    """The leaves of all parts, one part after the other; there is at least one part."""
    parts = [part for part in parts if part.size] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    return Leaves(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])}
    )


def end_to_end(tries: list[Trie]) -> Trie:
    """The nodes of all tries, one trie after the other."""
    return Trie(
        **{name: np.concatenate([getattr(trie, name) for trie in tries]) for name in vars(tries[0])}
    )


def pruned(leaves: Leaves, trie: Trie) -> tuple[Leaves, Trie]:
    """The same leaves, and the trie without the nodes that have none of them below."""
    kept = np.zeros(trie.size, np.bool_)
    kept[leaves.node] = True
    _mark_ancestors(trie.parent, kept)
    place = np.cumsum(kept, dtype=np.int32) - 1
    nodes = np.flatnonzero(kept)
    smaller = Trie(**{name: array.take(nodes) for name, array in vars(trie).items()})
    has_parent = smaller.parent >= 0
    smaller.parent[has_parent] = place[smaller.parent[has_parent]]
    smaller.num_children[:] = 0
    _link_children(smaller)
    moved = replace(leaves, node=place[leaves.node])
    return moved, smaller


def moves_to(game: Game, trie: Trie, node: int) -> list[int]:
    """The actions and outcomes that led to a node of a trie."""
    nodes = list[int]()
    while node > 0:
        nodes.append(node)
        node = int(trie.parent[node])
    history = History(game)
    for node in reversed(nodes):
        number = int(trie.index[node])
        drawn = history.player == CHANCE and game.draws_chance
        history = history.child(number if drawn else history.legal_actions()[number])
    return list(history.actions)


# --- kernels ---


@kernel
def _mark_ancestors(parent: Indices, kept: Flags) -> None:
    """Mark every node that has a marked one below."""
    for node in range(parent.size - 1, 0, -1):
        if kept[node]:
            kept[parent[node]] = True


@kernel
def _link_children(trie: Trie) -> None:
    """Write the first child of each node, and add how many it has."""
    for node in range(1, trie.parent.size):
        before = trie.parent[node]
        if trie.num_children[before] == 0:
            trie.first_child[before] = node
        trie.num_children[before] += 1


@kernel
def step_probabilities(trie: Trie, table: InformationSetTable, column: int) -> Floats:
    """``float64[N]``: the probability of the move that leads to each node, by chance or by the mean
    strategy in run ``column`` of ``table``, which is uniform where nothing is known; 1 at the root.

    A large table is not in the processor's cache, so siblings share a look-up.
    """
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
            step[node] = (
                table.values[row + column * n + trie.index[node]] / total
                if total > 0.0
                else 1.0 / n
            )
    return step


@kernel
def likelihoods(trie: Trie, observer: int, step: Floats) -> Floats:
    """``float64[N]``: the product of the probabilities ``step`` along the path to each node, but
    for the moves of ``observer``.
    """
    likelihood = np.ones(trie.parent.size)
    for node in range(1, trie.parent.size):
        before = trie.parent[node]
        likelihood[node] = likelihood[before]
        if trie.player[before] != observer:
            likelihood[node] *= step[node]
    return likelihood
