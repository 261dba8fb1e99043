"""The arrays of a walk, see `streaming_best_response`: items, groups of items, and the frames on
the path.
"""

from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import numpy as np

from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.views import view

NOBODY = -1
"""The end of a list."""
_Buffers = TypeVar("_Buffers", bound=Compiled)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@dataclass(frozen=True)
class Room(Compiled):
    """Arrays to work with.

    actions: ``int64[A]``; probabilities: ``float64[A]``; observations: ``int64[P + 1]``.
    slots: ``int64[2 C]``, a hash table of items, or of groups: for each slot a stamp and a number.
    group_slots: ``int64[2 C]``, the same for groups.
    odds: ``uint64[S + P]``, odd numbers by which items are hashed.
    """

    actions: Integers
    probabilities: Floats
    observations: Integers
    slots: Integers
    group_slots: Integers
    odds: Keys


@dataclass(frozen=True)
class Items(Compiled):
    """Room for R items. S is the size of a state and P the number of players.

    states: ``int64[R S]``.
    keys: ``uint64[R P]``, the keys of the players.
    weights: ``float64[R]``; 0 for an item that became part of another one.
    movers: ``int64[R]``, who is to move.
    entries: ``int64[R]``, in the queue the entry of the mover's set in the policy table.
    links: ``int64[R]``, the next item of the group, or `NOBODY`.
    """

    states: Integers
    keys: Keys
    weights: Floats
    movers: Integers
    entries: Integers
    links: Integers

    def first_equal(
        self, item: int, size: int, players: int, room: Room, stamp: int, mask: Any
    ) -> int:
        """The first item of equal state and keys in an earlier call with the same ``stamp``, else
        ``item`` itself.

        size: S.
        players: P.
        mask: what `mask_for` returned for the number of items.
        """
        slots, odds, key_odds = room.slots, room.odds, view(room.odds, size, players)
        state, keys = view(self.states, item * size, size), view(self.keys, item * players, players)
        code = _ODD
        for word in range(size):
            code += (np.uint64(state[word]) + odds[word]) * odds[word]
        for observer in range(players):
            code += (keys[observer] ^ key_odds[observer]) * _ODD
            code ^= code >> _HALF
        code *= _ODD
        slot = np.int64((code >> _HALF) & mask)
        while slots[2 * slot] == stamp:
            other = slots[2 * slot + 1]
            if self._equal(item, other, size, players):
                return other
            slot = np.int64(np.uint64(slot + 1) & mask)
        slots[2 * slot] = stamp
        slots[2 * slot + 1] = item
        return item

    def _equal(self, one: int, other: int, size: int, players: int) -> bool:
        states, keys = self.states, self.keys
        return _same(view(states, one * size, size), view(states, other * size, size)) and _same(
            view(keys, one * players, players), view(keys, other * players, players)
        )


@dataclass(frozen=True)
class Groups(Compiled):
    """Room for G groups.

    keys: ``uint64[G]``, the responder's key.
    heads, tails: ``int64[G]``, the first and the last item.
    sizes: ``int64[G]``, how many items there are.
    mass: ``float64[G]``, the sum of their weights.
    """

    keys: Keys
    heads: Integers
    tails: Integers
    sizes: Integers
    mass: Floats


@dataclass(frozen=True)
class Frames(Compiled):
    """Room for D frames. Frame 0 is no information set: its one group or batch is where the walk
    begins.

    actions: ``int64[D A]``, the legal actions.
    num_actions, action: ``int64[D]``, how many there are, and the number of the present one.
    entries: ``int64[D]``, the entry of the set in the policy table.
    keys: ``uint64[D]``, the key of the set.
    heads: ``int64[D]``, its first item.
    items, groups: ``int64[D]``, where the items and groups of its batches begin.
    next_group, last_group: ``int64[D]``, the next group of the batch, and the one after the last.
    best, mean: ``float64[D]``, the best value of the actions so far, and the part of them in the
        value of the responder's own strategy.
    value, own: ``float64[D]``, of the present action: its value if a best response follows, and if
        the own strategy follows.
    share: ``float64[D]``, one over the number of ways in which the responder could have acted so
        far: the weights of all ends of the game, times their shares, sum to 1.
    reach: ``float64[D]``, the part of the responder's own strategy in the probability of the set.
    """

    actions: Integers
    num_actions: Integers
    action: Integers
    entries: Integers
    keys: Keys
    heads: Integers
    items: Integers
    groups: Integers
    next_group: Integers
    last_group: Integers
    best: Floats
    mean: Floats
    value: Floats
    own: Floats
    share: Floats
    reach: Floats


@inline
def _same(one: Any, other: Any) -> bool:
    """Whether two vectors of one length are equal."""
    place = 0
    while place < one.size and one[place] == other[place]:
        place += 1
    return place == one.size


@inline
def mask_for(count: int) -> Any:
    """The mask of slots for ``count`` items."""
    slots = 16
    while slots < 2 * count:
        slots *= 2
    return np.uint64(slots - 1)


@kernel
def taken_out(
    items: Items, head: int, count: int, size: int, players: int
) -> tuple[Integers, Keys, Floats]:
    """``int64[N S]``, ``uint64[N P]`` and ``float64[N]``: states, keys and weights of all items of
    a list that begins with ``head``, at most ``count``.

    size: S.
    players: P.
    """
    states, keys = np.empty(count * size, np.int64), np.empty(count * players, np.uint64)
    weights = np.empty(count)
    n, item = 0, head
    while item != NOBODY:
        for word in range(size):
            states[n * size + word] = items.states[item * size + word]
        for observer in range(players):
            keys[n * players + observer] = items.keys[item * players + observer]
        weights[n] = items.weights[item]
        n += 1
        item = items.links[item]
    return states[: n * size], keys[: n * players], weights[:n]


def allocated(kind: type[_Buffers], rows: int, **widths: int) -> _Buffers:
    """Room for so many rows.

    kind: a class whose fields are arrays, the types of which say what they hold.
    widths: by the name of a field, how many numbers a row of it has, if it is more than one.
    """
    arrays = {}
    for name, array in kind.__annotations__.items():
        # NDArray[number] keeps the number; before NumPy 2.5 a shape and dtype[number]
        number = get_args(array)[-1]
        arrays[name] = np.zeros(rows * widths.get(name, 1), (*get_args(number), number)[0])
    return kind(**arrays)


def new_room(items: int, groups: int, size: int, players: int, actions: int) -> Room:
    """Arrays for as many ``items`` and ``groups``, and for ``actions`` actions.

    size: S.
    players: P.
    """
    draws = np.random.default_rng(0).integers(0, 2**63, size + players, np.uint64)
    return Room(
        actions=np.zeros(actions, np.int64),
        probabilities=np.zeros(actions),
        observations=np.zeros(players + 1, np.int64),
        slots=np.zeros(4 * items, np.int64),
        group_slots=np.zeros(4 * groups, np.int64),
        odds=2 * draws + np.uint64(1),
    )
