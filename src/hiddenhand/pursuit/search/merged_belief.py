"""Beliefs in which equal states are merged: the states that a player of pursuit with limited sight
holds possible, each with its probability.

Lisy (2014), thesis at the Czech Technical University in Prague, Fig. 3.5. When the player has
acted and noticed something, each state of the belief is moved on by the own action and by every
action of the opponent. The results that would have been noticed are kept. One result is as likely
as the state before it, times the frequency of that action in the opponent's information set: that
of the search so far.

A trie of histories (see `hiddenhand.search.belief`) cannot follow a match of a hundred moves. Here
histories are equal, and their probabilities are added up, once the units are on the same nodes and
were seen last at the same nodes and times. Then the information sets of last-seen recall are the
same from now on, too. What else the state holds, PP and the sums of its sizes, is that of one of
the merged histories, drawn in proportion to their probabilities.

F states of Z numbers; A joint actions of the opponent.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable
from hiddenhand.jit.kernels import specialised_kernel
from hiddenhand.jit.observation_keys import first_key, fold
from hiddenhand.jit.random import RandomState, uniform
from hiddenhand.jit.views import copy_row
from hiddenhand.pursuit.games.layout import NODES
from hiddenhand.pursuit.games.visibility import VisibilityPursuit

_FREE: Final = -1  # a slot of the hash table that holds no state


@dataclass(frozen=True)
class States(Compiled):
    """A belief.

    state: ``int64[F, Z]``.
    probability: ``float64[F]``; the sum is 1.
    """

    state: Integers
    probability: Floats

    @property
    def size(self) -> int:
        """F."""
        return self.probability.size


@dataclass(frozen=True)
class Noticed(Compiled):
    """What the player did and noticed in one move.

    player: the number of the player.
    action: the own action.
    token: what the player noticed.
    """

    player: int
    action: int
    token: int


def moved_on(
    game: VisibilityPursuit,
    states: States,
    noticed: Noticed,
    table: InformationSetTable,
    rng: RandomState,
) -> States:
    """The belief after a move of the match; without states if none explains what was noticed.

    game: with last-seen recall.
    table: of the search, whose rows begin with the visits of each action.
    rng: the state of a generator, by which one of merged histories is kept.
    """
    most = states.size * game.terrain.widest ** (1 if noticed.player else game.pursuers)
    slots = np.full(1 << max(2 * most - 1, 1).bit_length(), _FREE)
    state = np.empty((most, game.state_size), np.int64)
    found = States(state, np.zeros(most))
    size = _move_on(game, states, noticed, table, found, slots, rng)
    return _of_one(found.state[:size], found.probability[:size])


def all_alike(states: States) -> States:
    """The same states, as if all were equally likely."""
    return States(states.state, np.full(states.size, 1.0 / max(states.size, 1)))


def at_most(states: States, count: int, random: np.random.Generator) -> States:
    """The same belief, or ``count`` states drawn from it if it has more: by systematic sampling, in
    proportion to their probabilities. A state that is drawn k times is kept once with k shares.
    """
    if states.size <= count:
        return states
    points = (random.random() + np.arange(count)) / count
    drawn = np.searchsorted(np.cumsum(states.probability), points)
    kept, times = np.unique(np.minimum(drawn, states.size - 1), return_counts=True)
    return _of_one(states.state[kept], times.astype(np.float64))


def _of_one(state: Integers, weight: Floats) -> States:
    """States with probabilities in proportion to ``weight``; all alike where all weights are 0."""
    total = weight.sum()
    if total > 0:
        return States(state.copy(), weight / total)
    return all_alike(States(state.copy(), weight))


# --- the kernel ---


@specialised_kernel
def _move_on(
    game: Any,
    states: States,
    noticed: Noticed,
    table: InformationSetTable,
    found: States,
    slots: Integers,
    rng: RandomState,
) -> int:
    """Write the merged states after a move into ``found``, and return how many there are.

    slots: ``int64[C]``, room for a hash table; C is a power of two, above twice the number of
        states that there can be.
    """
    player, opponent = noticed.player, 1 - noticed.player
    state, joint = np.zeros(game.state_size, np.int64), np.zeros(2, np.int64)
    observations, actions = np.zeros(3, np.int64), np.zeros(game.max_actions, np.int64)
    joint[player] = noticed.action
    count = 0
    for before in range(states.probability.size):
        copy_row(states.state, before, state)
        n = game.legal_actions(state, opponent, actions)
        row = table.find(game.information(state, opponent, np.uint64(0)))
        visits = 0.0
        if row != MISSING:
            for a in range(n):
                visits += table.values[row + a]
        for a in range(n):
            copy_row(states.state, before, state)
            joint[opponent] = actions[a]
            game.apply_joint_action(state, joint, observations)
            if observations[player] != noticed.token:
                continue
            p = states.probability[before]
            p *= table.values[row + a] / visits if visits > 0.0 else 1.0 / n
            slot = _slot_of(game, state, found.state, slots)
            place = slots[slot]
            if place == _FREE:
                place = slots[slot] = count
                count += 1
                keeps = True
            else:
                keeps = uniform(rng) * (found.probability[place] + p) < p
            if keeps:
                for index in range(state.size):
                    found.state[place, index] = state[index]
            found.probability[place] += p
    return count


@specialised_kernel
def _slot_of(game: Any, state: Integers, found: Integers, slots: Integers) -> Any:
    """The slot of the state that ``state`` is merged with, or else a free one."""
    first, last = NODES, game.possible
    key = first_key(0)
    for index in range(first, last):
        key = fold(key, state[index] + 1, 0, 0)
    slot = np.int64(key & np.uint64(slots.size - 1))
    while slots[slot] != _FREE:
        place = slots[slot]
        same = True
        for index in range(first, last):
            same = same and found[place, index] == state[index]
        if same:
            return slot
        slot = (slot + 1) % slots.size
    return slot
