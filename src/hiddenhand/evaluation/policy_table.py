"""A strategy as a hash table that kernels read: from the key of an information set to the
probabilities of its actions.

The table uses open addressing with linear probing. Keys are hashes already, so that the lowest bits
of a key say where the search for it begins. A slot holds the key and, beside it, where the
probabilities begin and how many there are; a look-up reads one cache line in most cases.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import Key, mix
from hiddenhand.jit.random import new_state
from hiddenhand.trees.strategy import Strategy

UNKNOWN: Final = 0
"""What `PolicyTable.find` returns for a set that the strategy does not know."""

_SHIFT = 16  # bits of an entry that say how many actions there are
_MOST = (1 << _SHIFT) - 1
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_ELEVEN = np.uint64(11)
_LOAD: Final = 0.6  # of the slots are in use at most
_UNIT = 1.0 / 9007199254740992.0  # 2**-53


@dataclass(frozen=True)
class PolicyTable(Compiled):
    """The strategy of all players.

    slots: ``uint64[2 C]``, for each slot a key and its entry; the entry 0 marks a free slot. C is a
        power of two.
    probabilities: ``float64[V]``, the probabilities of all sets.
    fixed: whether a set that is not known plays one action, drawn by ``seed`` and its key; else it
        plays all actions alike.
    seed: what decides these actions.

    An entry is 2**16 times the place where probabilities begin, plus the number of actions.
    """

    slots: Keys
    probabilities: Floats
    fixed: bool
    seed: np.uint64

    def find(self, key: Key) -> int:
        """The entry of ``key``, or UNKNOWN."""
        slots = self.slots
        mask = np.uint64(slots.size // 2 - 1)
        slot = key & mask
        while True:
            entry = slots[_TWO * slot + _ONE]
            if entry == np.uint64(0) or slots[_TWO * slot] == key:
                return int(np.int64(entry))
            slot = (slot + _ONE) & mask

    def fits(self, entry: int, n: int) -> bool:
        """Whether a set with this entry may have ``n`` actions."""
        return entry == UNKNOWN or entry & _MOST == n

    def first(self, entry: int) -> int:
        """Where the probabilities of a known set begin."""
        return entry >> _SHIFT

    def probability(self, entry: int, key: Key, n: int, a: int) -> float:
        """With which probability action number ``a`` of ``n`` is played in the set with ``key``."""
        if entry != UNKNOWN:
            return self.probabilities[(entry >> _SHIFT) + a]
        if not self.fixed:
            return 1.0 / n
        drawn = mix(key ^ mix(self.seed + _ONE)) >> _ELEVEN  # as in `Strategy.on`
        return 1.0 if a == np.int64(np.float64(drawn) * _UNIT * n) else 0.0

    def enter(self, key: Key, first: int, n: int) -> None:
        """Add a set, for which there is room, and whose ``n`` probabilities begin at ``first``."""
        slots = self.slots
        mask = np.uint64(slots.size // 2 - 1)
        slot = key & mask
        while slots[_TWO * slot + _ONE] != np.uint64(0):
            slot = (slot + _ONE) & mask
        slots[_TWO * slot] = key
        slots[_TWO * slot + _ONE] = np.uint64((first << _SHIFT) + n)


def new_policy_table(strategy: Strategy, unseen: str = "uniform", seed: int = 0) -> PolicyTable:
    """The table of a strategy.

    unseen: what sets play that the strategy does not know, "uniform" or "fixed".
    seed: what decides which actions are fixed.
    """
    slots = 16
    while int(slots * _LOAD) < strategy.num_sets:
        slots *= 2
    table = PolicyTable(
        np.zeros(2 * slots, np.uint64),
        strategy.probabilities if strategy.num_sets else np.ones(1),
        unseen == "fixed",
        new_state(seed)[0],
    )
    _enter_all(table, strategy.keys, strategy.starts)
    return table


@kernel
def _enter_all(table: PolicyTable, keys: Keys, starts: Integers) -> None:
    for i in range(keys.size):
        table.enter(keys[i], starts[i], starts[i + 1] - starts[i])
