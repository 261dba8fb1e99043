"""Strategies of a game, whose information sets have keys, as what is kept in vector form; and back.

A player's key is folded from all that the player noticed, see `jit.observation_keys`. So a walk
over the public tree that folds the tokens on its way knows the key of each hand. Hands that are
merged have keys of their own, and share what is kept of them.

Dimensions: I information sets of a player, V their actions in all, D the depth, H hands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import FileError
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys, starts_of
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import first_key, fold
from hiddenhand.solvers.vector_form.public_game import NOTHING, SAME, PublicGame, VectorForm, joined
from hiddenhand.trees.profile import proportional
from hiddenhand.trees.strategy import Strategy, Weights, sorted_strategy, spread

_COUNT: Final = 0
_WRITE: Final = 1


@dataclass(frozen=True, eq=False)
class NamedSets:
    """The information sets of a player.

    keys: ``uint64[I]``, their keys, in the order of a walk.
    starts: ``int64[I + 1]``, where the actions of each begin.
    positions: ``int64[V]``, where what is kept of each action lies in the player's array.
    """

    keys: Keys
    starts: Integers
    positions: Integers


def named_sets(form: VectorForm, player: int) -> NamedSets:
    """The information sets of a player, with their keys."""
    told = _Told.of(form, player)
    room = _Room.of(form, player)
    sizes = np.zeros(2, np.int64)
    nothing = np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    _name(form.arrays, told, room, player, _COUNT, *nothing, sizes)
    sets, actions = map(int, sizes)
    found = NamedSets(
        np.zeros(sets, np.uint64), np.zeros(sets + 1, np.int64), np.zeros(actions, np.int64)
    )
    sizes[:] = 0
    written = found.keys, found.starts, found.positions
    _name(form.arrays, told, room, player, _WRITE, *written, sizes)
    return found


def weights_in(form: VectorForm, kept: Sequence[npt.NDArray[Any]]) -> Weights:
    """What is kept for each player, such as x, by information sets."""
    named = [named_sets(form, player) for player in range(2)]
    return Weights(
        np.concatenate([one.keys for one in named]),
        starts_of(np.concatenate([np.diff(one.starts) for one in named])),
        np.concatenate([kept[p][one.positions].astype(np.float64) for p, one in enumerate(named)]),
    )


def strategy_of(form: VectorForm, kept: Sequence[npt.NDArray[Any]]) -> Strategy:
    """The strategy proportional to what is kept for each player, such as x; uniform where that is
    0.
    """
    weights = weights_in(form, kept)
    played = proportional(weights.values, weights.starts)
    return sorted_strategy(form.game, weights.keys, weights.starts, played)


def weights_of(
    form: VectorForm, strategy: Strategy, unseen: str = "uniform", seed: int = 0
) -> list[Floats]:
    """A strategy as what is kept for each player: probabilities, in ``float64`` arrays.

    form: with no hands merged, because a strategy may play hands differently that are alike.
    unseen, seed: what sets play that the strategy does not know, see `Strategy.on`.

    Raises FileError if the strategy does not fit the game.
    """
    if not strategy.num_sets and unseen == "uniform":
        return [np.zeros(size) for size in form.sizes]  # where all are alike, play is uniform
    found = []
    for player in range(2):
        named = named_sets(form, player)
        profile = np.ones(named.positions.size)
        if not spread(strategy, named.keys, named.starts, profile, unseen, seed):
            raise FileError(
                f"the strategy has other actions than {form.game}; name the game it was made for"
            )
        weights = np.zeros(form.sizes[player])
        weights[named.positions] = profile
        found.append(weights)
    return found


@dataclass(frozen=True, eq=False)
class _Told(Compiled):
    """The tokens that a player receives in the situations of a game, and the player's hands before
    some are merged.

    num_hands: ``int32[G]``, the hands in each situation.
    first_class: ``int64[G]``, where the list begins that says as which hand each hand is played.
    hand_class: ``int32[...]``, these lists.
    first_action: ``int64[G]``, where the list of actions begins.
    action: ``int64[...]``, these lists.
    first_token: ``int64[E + 1]``, where the list of public tokens of each edge begins.
    token: ``int64[...]``, these lists.
    first_private: ``int64[E]``, where the lists of private tokens begin, one for each public one.
    private: ``int64[...]``, these lists.
    first_parent: ``int64[E]``, where the list begins that says from which hand each hand comes.
    parent: ``int32[...]``, these lists.
    """

    num_hands: Indices
    first_class: Integers
    hand_class: Indices
    first_action: Integers
    action: Integers
    first_token: Integers
    token: Integers
    first_private: Integers
    private: Integers
    first_parent: Integers
    parent: Indices

    @staticmethod
    def of(form: VectorForm, player: int) -> "_Told":
        """The tokens and hands of a player."""
        edges = [edge.edge for one in form.merged for edge in one.edges]
        classes = [one.classes[player] for one in form.merged]
        actions = [one.situation.actions for one in form.merged]
        told = [edge.told[player].ravel() for edge in edges]
        parents = [edge.parent_hand[player] for edge in edges]
        return _Told(
            np.array([one.size for one in classes], np.int32),
            *_packed(classes, np.int32),
            *_packed(actions),
            *_packed([edge.tokens for edge in edges]),
            *_packed(told),
            *_packed(parents, np.int32),
        )


def _packed(lists: Sequence[Any], kind: npt.DTypeLike = np.int64) -> tuple[Integers, Any]:
    """Where each list begins, and all of them end to end."""
    return starts_of([len(one) for one in lists]), joined(lists, kind)


@dataclass(frozen=True, eq=False)
class _Room(Compiled):
    """Room for what a walk knows of the public histories on its way.

    situation, edge, base: ``int64[D]``; the edge to be walked next, and where begins what is kept.
    key: ``uint64[D, H]``, the key of each hand.
    """

    situation: Integers
    edge: Integers
    base: Integers
    key: Keys

    @staticmethod
    def of(form: VectorForm, player: int) -> "_Room":
        """Room for the hands of a player."""
        depth = form.depth
        hands = max(one.classes[player].size for one in form.merged)
        return _Room(
            np.zeros(depth, np.int64),
            np.zeros(depth, np.int64),
            np.zeros(depth, np.int64),
            np.zeros((depth, hands), np.uint64),
        )


@kernel
def _name(
    game: PublicGame,
    told: _Told,
    room: _Room,
    player: int,
    mode: int,
    keys: Keys,
    starts: Integers,
    positions: Integers,
    sizes: Integers,
) -> None:
    """Walk over the public tree and count the sets of a player and their actions, in ``sizes``
    ``int64[2]``, or write them.
    """
    depth = 0
    room.situation[0], room.base[0] = 0, 0
    room.edge[0] = game.first_edge[0]
    room.key[0, 0] = first_key(player)
    _visit(game, told, room, 0, player, mode, keys, starts, positions, sizes)
    while depth >= 0:
        situation, edge = room.situation[depth], room.edge[depth]
        if edge == game.first_edge[situation + 1]:
            depth -= 1
            continue
        room.edge[depth] += 1
        child = game.child[edge]
        if child == NOTHING:
            continue
        own = 0
        if game.mover[situation] == player:
            own = told.action[told.first_action[situation] + game.action[edge]] + 1
        hands = told.num_hands[child]
        for hand in range(hands):
            key = room.key[depth, told.parent[told.first_parent[edge] + hand]]
            first = told.first_token[edge]
            for t in range(told.first_token[edge + 1] - first):
                private = told.private[told.first_private[edge] + t * hands + hand]
                key = fold(key, own if t == 0 else 0, private, told.token[first + t])
            room.key[depth + 1, hand] = key
        depth += 1
        room.situation[depth], room.edge[depth] = child, game.first_edge[child]
        room.base[depth] = room.base[depth - 1] + game.base[edge, player]
        _visit(game, told, room, depth, player, mode, keys, starts, positions, sizes)


@inline
def _visit(
    game: PublicGame,
    told: _Told,
    room: _Room,
    depth: int,
    player: int,
    mode: int,
    keys: Keys,
    starts: Integers,
    positions: Integers,
    sizes: Integers,
) -> None:
    """Count or write the sets of the player in a public history, if the player moves there."""
    situation = room.situation[depth]
    if game.mover[situation] != player:
        return
    classes, legal = game.num_hands[situation, player], game.first_legal[situation]
    for hand in range(told.num_hands[situation]):
        played_as = told.hand_class[told.first_class[situation] + hand]
        for action in range(game.num_actions[situation]):
            at = action * classes + played_as
            if legal == SAME or game.legal[legal + at]:
                if mode == _WRITE:
                    positions[sizes[1]] = room.base[depth] + at
                sizes[1] += 1
        if mode == _WRITE:
            keys[sizes[0]] = room.key[depth, hand]
            starts[sizes[0] + 1] = sizes[1]
        sizes[0] += 1
