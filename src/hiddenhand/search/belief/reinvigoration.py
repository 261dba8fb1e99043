"""Reinvigoration of a belief: depth-first search from the root for histories that explain what was
noticed.

A dive goes down one history and goes back where no move explains what was noticed. Unlike growing a
set of histories it needs no room for those that turn out to be wrong. There are two kinds. One dive
may go through the whole game and find all histories. Or there are many dives, each of which takes
the moves of every history in another random order. A dive ends with the first history that it
finds, or after some moves, when another order is likely to be luckier.

Dimensions: K histories that there is room for, D moves that a history may have, P players.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.guards import BrokenRule
from hiddenhand.jit.arrays import Floats, Indices, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, begin
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.random import RandomState, below
from hiddenhand.jit.views import copy_row
from hiddenhand.search.belief.history_trie import Leaves, Trie, end_to_end, joined, select
from hiddenhand.search.belief.propagation import (
    UNEXPLAINED,
    Moves,
    Noticed,
    first_generation,
    index_of,
    list_moves,
    moved,
    room_of,
)

TOO_MANY: Final = -1
"""What is returned where all histories were to be found, and there are more than fit, or looking
for them took too long.
"""
_UNOPENED: Final = -1  # in place of a number of moves: the moves there are not listed yet


@dataclass(frozen=True)
class Dives(Compiled):
    """The histories that were found.

    index, seen, action, probability: ``[K, D]``, for each move of each history as in `Moves`.
    length: ``int64[K]``, the moves of each history.
    steps: the moves that all dives together may look at.
    a_dive: the moves that one dive may look at. If that is as many, there is one dive, which is to
        find all histories.
    """

    index: Integers
    seen: Indices
    action: Integers
    probability: Floats
    length: Integers
    steps: int
    a_dive: int

    @staticmethod
    def of(game: Game, count: int, steps: int, a_dive: int) -> "Dives":
        """Room for ``count`` histories."""
        shape = (count, game.max_depth + 1)
        return Dives(
            np.zeros(shape, np.int64),
            np.zeros(shape, np.int32),
            np.zeros(shape, np.int64),
            np.ones(shape),
            np.zeros(count, np.int64),
            steps,
            a_dive,
        )

    @property
    def find_all(self) -> bool:
        """Whether there is one dive, which is to find all histories."""
        return self.a_dive == self.steps

    def begin_alike(self, number: int, moves: int) -> None:
        """Let history ``number`` begin with the first ``moves`` moves of the one before."""
        for step in range(moves):
            self.index[number, step] = self.index[number - 1, step]
            self.seen[number, step] = self.seen[number - 1, step]
            self.action[number, step] = self.action[number - 1, step]
            self.probability[number, step] = self.probability[number - 1, step]


@dataclass(frozen=True)
class _Path(Compiled):
    """The history that a dive has come to, with all its prefixes: arrays over their lengths.

    state: ``int64[D + 1, state_size]``, the states.
    keys: ``uint64[D + 1, P + 1]``, everybody's keys.
    seen: ``int64[D + 1]``, how many events are explained.
    count: ``int64[D + 1]``, how many moves there are to try, or `_UNOPENED`.
    first: ``int64[D + 1]``, the number of the move that is tried first; the others follow in
        their order, around.
    tried: ``int64[D + 1]``, how many were tried.
    actions, probabilities, observations: room for rules to write into.
    """

    state: Integers
    keys: Keys
    seen: Integers
    count: Integers
    first: Integers
    tried: Integers
    actions: Integers
    probabilities: Floats
    observations: Integers

    @staticmethod
    def of(game: Game) -> "_Path":
        """Room for the longest path of a game."""
        lengths, room = game.max_depth + 2, room_of(game)
        return _Path(
            state=np.zeros((lengths, game.state_size), np.int64),
            keys=np.zeros((lengths, game.num_players + 1), np.uint64),
            seen=np.zeros(lengths, np.int64),
            count=np.zeros(lengths, np.int64),
            first=np.zeros(lengths, np.int64),
            tried=np.zeros(lengths, np.int64),
            actions=np.zeros(room, np.int64),
            probabilities=np.zeros(room),
            observations=np.zeros(game.num_players + 1, np.int64),
        )


def dive(game: Game, noticed: Noticed, dives: Dives, rng: RandomState) -> int:
    """Find histories that explain what was noticed, and write them into ``dives``; returns how
    many, or TOO_MANY.
    """
    return int(_dive(game, noticed, dives, _Path.of(game), rng))


def rebuilt(game: Game, dives: Dives, found: int) -> tuple[Leaves, Trie]:
    """The first ``found`` histories of ``dives``, one at least, as leaves of a trie."""
    last, at = first_generation(game), np.zeros(found, np.int64)
    grown, finished = [last.trie], list[Leaves]()
    length = dives.length[:found]
    for depth in range(int(length.max()) + 1):
        ends = np.isin(np.arange(last.leaves.size), at[length == depth])
        finished.append(select(last.leaves, ends))
        going = np.flatnonzero(length > depth)
        steps = np.stack([at[going], dives.index[going, depth]], axis=1)
        _, first, which = np.unique(steps, axis=0, return_index=True, return_inverse=True)
        one = going[first]
        moves = Moves(
            at[one].astype(np.int32),
            dives.index[one, depth],
            dives.seen[one, depth],
            dives.action[one, depth],
            dives.probability[one, depth],
        )
        last = moved(game, last, moves, np.ones(one.size))
        grown.append(last.trie)
        at[going] = which.ravel()
    return joined(finished), end_to_end(grown)


# --- kernels; d is the length of the path ---


@kernel
def _dive(game: Game, noticed: Noticed, dives: Dives, path: _Path, rng: RandomState) -> int:
    found, made = 0, 0
    while found < dives.length.size and made < dives.steps:
        begin(game, path.state[0], path.keys[0])
        d, last = 0, made + dives.a_dive
        path.count[0], path.seen[0] = _UNOPENED, 0
        while made < last:
            made += 1
            if path.count[d] == _UNOPENED:
                if _is_found(game, noticed, path, d):
                    dives.length[found] = d
                    found += 1
                    if not dives.find_all:
                        break
                    if found == dives.length.size:
                        return TOO_MANY
                    dives.begin_alike(found, d)
                    path.count[d] = path.tried[d] = 0
                else:
                    _open(game, dives, path, d, rng)
            if path.tried[d] == path.count[d]:  # nothing fits
                d -= 1
                if d < 0:
                    return found
                continue
            if d == dives.index.shape[1] - 1:
                raise BrokenRule("the game goes on after max_depth moves")
            d += _try_next(game, noticed, dives, path, found, d, rng)
    return TOO_MANY if dives.find_all else found


@inline
def _is_found(game: Game, noticed: Noticed, path: _Path, d: int) -> bool:
    """Whether all events are explained, and the observer is to move if they are a player."""
    if path.seen[d] < noticed.num_events:
        return False
    player = game.current_player(path.state[d])
    return noticed.observer in (game.num_players, player)


@inline
def _open(game: Game, dives: Dives, path: _Path, d: int, rng: RandomState) -> None:
    """See how many moves there are at the end of the path, and which is to be tried first."""
    player = game.current_player(path.state[d])
    path.count[d], path.tried[d] = 0, 0
    if player == CHANCE and game.draws_chance:
        path.count[d] = dives.a_dive
    elif player != TERMINAL:
        path.count[d] = list_moves(game, path.state[d], player, path.actions, path.probabilities)
        path.first[d] = below(rng, path.count[d])


@inline
def _try_next(
    game: Game,
    noticed: Noticed,
    dives: Dives,
    path: _Path,
    found: int,
    d: int,
    rng: RandomState,
) -> int:
    """Try the next move at the end of the path. If it explains what was noticed, the path goes on
    and 1 is returned; else 0.
    """
    player = game.current_player(path.state[d])
    a = (path.first[d] + path.tried[d]) % path.count[d]
    path.tried[d] += 1
    if player == CHANCE and game.draws_chance:
        move, p = game.sample_chance(path.state[d], rng), 1.0
    else:
        list_moves(game, path.state[d], player, path.actions, path.probabilities)
        move, p = path.actions[a], path.probabilities[a] if player == CHANCE else 1.0
    so_far = path.seen[d]
    if player == noticed.observer and (
        so_far >= noticed.num_events or move + 1 != noticed.acted[so_far + 1]
    ):
        return 0
    copy_row(path.state, d, path.state[d + 1])
    copy_row(path.keys, d, path.keys[d + 1])
    advance(game, path.state[d + 1], player, move, path.keys[d + 1], path.observations)
    after = noticed.explained(path.keys[d + 1, noticed.observer], so_far)
    if after == UNEXPLAINED:
        return 0
    dives.index[found, d], dives.seen[found, d] = index_of(game, player, a, move), after
    dives.action[found, d], dives.probability[found, d] = move, p
    path.count[d + 1], path.seen[d + 1] = _UNOPENED, after
    return 1
