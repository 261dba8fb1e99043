"""Propagation of a belief: a set of histories grows by what an observer noticed, a move at a time.

A *generation* is the histories of equal age that are still to be continued. From each all moves are
looked at, those that explain what was noticed are taken, and the histories after these moves are
the next generation.

Dimensions: F leaves of a generation, M moves from them, E events, P players.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import CHANCE, TERMINAL, Game, State
from hiddenhand.jit.arrays import Flags, Floats, Indices, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, write_root
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import Key, first_key, fold
from hiddenhand.jit.random import RandomState
from hiddenhand.jit.views import copy_row
from hiddenhand.search.belief.history_trie import Leaves, Trie, select

MOST_LISTED: Final = 5_000_000
"""Moves that are looked at in one generation."""
_DRAWS: Final = 200_000  # outcomes drawn in one generation where there are too many to be listed
UNEXPLAINED: Final = -1


@dataclass(frozen=True)
class Noticed(Compiled):
    """What an observer noticed since the game began.

    observer: a player, or P for the public.
    keys: ``uint64[E + 1]``, the observer's key before the first event and after each.
    acted: ``int64[E + 1]``, 1 + the own action in each event, 0 if the observer only watched; the
        first entry is before all events.
    """

    observer: int
    keys: Keys
    acted: Integers

    @property
    def num_events(self) -> int:
        """E."""
        return self.keys.size - 1

    def explained(self, key: Key, so_far: int) -> int:
        """How many events are explained after a move that gave the observer ``key``, when it was
        ``so_far`` before; UNEXPLAINED if the key is not what they noticed.
        """
        if key == self.keys[so_far]:
            return so_far
        if so_far + 1 < self.keys.size and key == self.keys[so_far + 1]:
            return so_far + 1
        return UNEXPLAINED


@dataclass(frozen=True)
class Generation(Compiled):
    """Histories of equal age.

    leaves: the histories.
    trie: the nodes that were made with them.
    first: the number of the first of these nodes when all generations are put end to end.
    """

    leaves: Leaves
    trie: Trie
    first: int

    @property
    def places(self) -> Indices:
        """``int32[F]``: the node of each leaf in ``trie``."""
        return self.leaves.node - np.int32(self.first)

    @property
    def at_chance(self) -> Flags:
        """``bool[F]``: whether chance moves next."""
        return self.trie.player[self.places] == CHANCE

    def only(self, chosen: Flags) -> "Generation":
        """Some of the leaves. ``chosen``: ``bool[F]``."""
        return Generation(select(self.leaves, chosen), self.trie, self.first)


@dataclass(frozen=True)
class Moves(Compiled):
    """Moves from the leaves of a generation.

    parent: ``int32[M]``, the leaf.
    index: ``int64[M]``, the number of the move, as in `Trie`.
    seen: ``int32[M]``, the events that are explained after it.
    action: ``int64[M]``, the action or outcome.
    probability: ``float64[M]``, as in `Trie`.
    """

    parent: Indices
    index: Integers
    seen: Indices
    action: Integers
    probability: Floats

    def only(self, chosen: npt.NDArray[np.intp]) -> "Moves":
        """Some of the moves, by their numbers."""
        return Moves(**{name: array[chosen] for name, array in vars(self).items()})


@dataclass(frozen=True)
class Draws(Compiled):
    """How outcomes of chance are drawn.

    count: the outcomes that are drawn for each leaf; 0 where all outcomes are looked at.
    rng: the state of the generator.
    """

    count: int
    rng: RandomState


@dataclass(frozen=True)
class Scratch(Compiled):
    """Where kernels make a move. Compiled code counts the references to arrays that a kernel makes
    itself, in atomic steps at each call of a rule; these arrays are borrowed.

    state: ``int64[W]``, a state.
    keys: ``uint64[P + 1]``, the keys of all players and the public.
    observations: ``int64[P + 1]``, what they noticed.
    actions: ``int64[R]``, actions or outcomes of chance.
    probabilities: ``float64[R]``, those of the outcomes.
    """

    state: State
    keys: Keys
    observations: Integers
    actions: Integers
    probabilities: Floats


def scratch_of(game: Game) -> Scratch:
    """Room for the moves of a game."""
    observers, room = game.num_players + 1, room_of(game)
    return Scratch(
        state=np.zeros(game.state_size, np.int64),
        keys=np.zeros(observers, np.uint64),
        observations=np.zeros(observers, np.int64),
        actions=np.zeros(room, np.int64),
        probabilities=np.zeros(room),
    )


def room_of(game: Game) -> int:
    """The size of the arrays that rules write actions and outcomes into."""
    return max(game.max_actions, game.max_chance_outcomes, 1)


def first_generation(game: Game) -> Generation:
    """The empty history alone."""
    state = np.zeros((1, game.state_size), np.int64)
    keys = np.zeros((1, game.num_players + 1), np.uint64)
    write_root(game, state[0], keys[0])
    leaves = Leaves(
        np.zeros(1, np.int32), state, keys, np.zeros(1, np.int32), np.ones(1), np.ones(1)
    )
    trie = Trie.empty(1)
    trie.parent[0] = -1
    _describe(game, leaves, trie, scratch_of(game))
    return Generation(leaves, trie, 0)


def draws_for(game: Game, generation: Generation) -> int:
    """How many outcomes of chance to draw for each leaf; 0 if all of them are looked at."""
    chances = int(generation.at_chance.sum())
    if not game.draws_chance or chances == 0:
        return 0
    if game.lists_chance and chances * game.max_chance_outcomes <= MOST_LISTED:
        return 0
    return max(_DRAWS // chances, 1)


def num_moves(game: Game, generation: Generation) -> int:
    """How many moves from the leaves of a generation are looked at."""
    draws, moves = draws_for(game, generation), generation.trie.num_actions[generation.places]
    return int(moves.sum() if draws == 0 else np.where(generation.at_chance, draws, moves).sum())


def explaining_moves(
    game: Game, generation: Generation, noticed: Noticed, draws: int, rng: RandomState
) -> Moves:
    """The moves from the leaves of a generation that explain what was noticed.

    draws: as of `draws_for`; only then ``rng`` is drawn from.
    """
    most = num_moves(game, generation)
    return Moves(
        *_explaining_moves(game, generation, noticed, Draws(draws, rng), most, scratch_of(game))
    )


def moved(game: Game, last: Generation, moves: Moves, weight: Floats) -> Generation:
    """The histories after ``moves`` from the leaves of ``last``. ``weight``: ``float64[M]``."""
    size, first = moves.parent.size, last.first + last.trie.size
    grown = Leaves(
        node=np.arange(first, first + size, dtype=np.int32),
        state=np.empty((size, game.state_size), np.int64),
        keys=np.empty((size, game.num_players + 1), np.uint64),
        seen=moves.seen,
        weight=weight,
        odds=last.leaves.odds[moves.parent] * moves.probability,
    )
    trie = Trie.empty(size)
    trie.index[:] = moves.index
    trie.probability[:] = moves.probability
    trie.parent[:] = last.leaves.node[moves.parent]
    generation = Generation(grown, trie, first)
    _make(game, last, moves, generation, scratch_of(game))
    return generation


# --- kernels ---


@kernel
def first_of(observer: int) -> Key:
    """`first_key`, for callers in plain Python."""
    return first_key(observer)


@kernel
def folded(key: Key, action: int, private: int, public: int) -> Key:
    """`fold`, for callers in plain Python."""
    return fold(key, action, private, public)


@kernel
def _describe(game: Game, leaves: Leaves, trie: Trie, scratch: Scratch) -> None:
    """Write who moves at each leaf, their information set and how many actions they have. Leaf l is
    node l.

    Leaves of one information set often follow each other. They have the same legal actions, which
    are listed once: with 20,000 actions of each player, to list them at each leaf takes longer than
    all the rest.
    """
    actions, probabilities = scratch.actions, scratch.probabilities
    before, its_key, count = TERMINAL, np.uint64(0), 0
    for leaf in range(leaves.node.size):
        state = leaves.state[leaf]
        player = game.current_player(state)
        trie.player[leaf] = player
        if player == CHANCE:
            trie.num_actions[leaf] = (
                game.max_chance_outcomes
                if game.draws_chance
                else game.chance_outcomes(state, actions, probabilities)
            )
        elif player != TERMINAL:
            if player != before or leaves.keys[leaf, player] != its_key:
                before, its_key = player, leaves.keys[leaf, player]
                count = game.legal_actions(state, player, actions)
            trie.num_actions[leaf] = count
            trie.key[leaf] = game.information(state, player, leaves.keys[leaf, player])


@kernel
def _explaining_moves(
    game: Game, last: Generation, noticed: Noticed, draws: Draws, most: int, scratch: Scratch
) -> tuple[Indices, Integers, Indices, Integers, Floats]:
    """The columns of `Moves`; there are at most ``most`` moves."""
    leaves, observer = last.leaves, noticed.observer
    parent, index = np.empty(most, np.int32), np.empty(most, np.int64)
    seen, action = np.empty(most, np.int32), np.empty(most, np.int64)
    probability = np.empty(most)
    found = 0
    state, keys = scratch.state, scratch.keys
    actions, probabilities = scratch.actions, scratch.probabilities
    for leaf in range(leaves.node.size):
        player = last.trie.player[leaves.node[leaf] - last.first]
        if player == TERMINAL:
            continue
        drawn = draws.count > 0 and player == CHANCE
        n = (
            draws.count
            if drawn
            else list_moves(game, leaves.state[leaf], player, actions, probabilities)
        )
        explained = leaves.seen[leaf]
        for a in range(n):
            move = game.sample_chance(leaves.state[leaf], draws.rng) if drawn else actions[a]
            if player == observer and (
                explained == noticed.num_events or move + 1 != noticed.acted[explained + 1]
            ):
                continue  # its key would say so, too, but this is faster
            copy_row(leaves.state, leaf, state)
            copy_row(leaves.keys, leaf, keys)
            advance(game, state, player, move, keys, scratch.observations)
            after = noticed.explained(keys[observer], explained)
            if after == UNEXPLAINED:
                continue
            parent[found], index[found] = leaf, index_of(game, player, a, move)
            seen[found], action[found] = after, move
            probability[found] = probabilities[a] if player == CHANCE and not drawn else 1.0
            found += 1
    return (
        parent[:found].copy(),
        index[:found].copy(),
        seen[:found].copy(),
        action[:found].copy(),
        probability[:found].copy(),
    )


@kernel
def _make(game: Game, last: Generation, moves: Moves, grown: Generation, scratch: Scratch) -> None:
    """Write the states and keys after each move from a leaf of ``last``, and what there is to know
    of the new nodes.
    """
    leaves, new = last.leaves, grown.leaves
    for child in range(moves.parent.size):
        leaf, action = moves.parent[child], moves.action[child]
        player = last.trie.player[leaves.node[leaf] - last.first]
        state, keys = new.state[child], new.keys[child]
        copy_row(leaves.state, leaf, state)
        copy_row(leaves.keys, leaf, keys)
        advance(game, state, player, action, keys, scratch.observations)
    _describe(game, new, grown.trie, scratch)


@kernel
def list_moves(
    game: Game, state: State, player: int, actions: Integers, probabilities: Floats
) -> int:
    """Write the legal actions of ``player``, or the outcomes of chance with their probabilities;
    returns how many there are.
    """
    if player == CHANCE:
        return game.chance_outcomes(state, actions, probabilities)
    return game.legal_actions(state, player, actions)


@inline
def index_of(game: Game, player: int, a: int, move: int) -> int:
    """What a trie calls move number ``a``."""
    return move if game.draws_chance and player == CHANCE else a
