"""One table of information sets for all searches: from a 64-bit key to a ragged row of numbers.

Row layout, for a set with n actions: ``per_action`` runs of n float64 each (regrets, strategy sums, visits: the search says which), then ``per_set``
numbers that belong to the set as a whole. All rows lie one behind the other in one flat array, in the order in which the sets were added, so a set's
data share cache lines. Open addressing with linear probing finds a row's start; a slot holds key and start side by side, one cache line a look-up.

Kernels find and add; they never grow a table. Between chunks of iterations `grown` returns a larger one. Where a memory limit forbids that,
`has_room` stays false and the search goes on without adding.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import Key

MISSING = -1
_SETS, _VALUES = 0, 1  # what `counts` counts
_MAX_LOAD = 0.6  # of the slots
_VALUE_GROWTH = 1.5
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
_HALF = np.uint64(32)
_EVEN = np.uint64(0xFFFFFFFE)
_ONE = np.uint64(1)
_TWO = np.uint64(2)


@inline
def _first_slot(key: Key) -> Key:
    """Where in ``slots`` the search for a key begins: Fibonacci hashing (Knuth 1973, Section 6.4). An even number of 32 bits, yet to be masked."""
    return ((key * _SPREAD) >> _HALF) & _EVEN


@dataclass(frozen=True)
class InformationSetTable(Compiled):
    """A table with room for ``keys.size`` information sets. Its arrays are modified in place by kernels.

    slots: ``uint64[2 C]``, for each slot a key and start + 1; 0 marks a free slot. C is a power of two, at most 2**31.
    keys: ``uint64[S]``, the key of each set in the order of addition.
    starts: ``int64[S + 1]``, where each row starts in ``values``; one more than there are sets is meaningful.
    values: ``float64[V]``, the rows.
    counts: ``int64[2]``, information sets and values in use.
    """

    slots: npt.NDArray[np.uint64]
    keys: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    per_action: int
    per_set: int

    def find(self, key: Key) -> int:
        """Where the row of ``key`` starts in ``values``, or MISSING."""
        slots = self.slots
        mask = np.uint64(slots.size - 1)
        slot = _first_slot(key) & mask
        while True:
            start = slots[slot + _ONE]
            if start == np.uint64(0):
                return MISSING
            if slots[slot] == key:
                return int(np.int64(start)) - 1
            slot = (slot + _TWO) & mask

    def add(self, key: Key, num_actions: int) -> int:
        """Add a row of zeros for a key that is missing, and return its start. The caller made sure that there is room."""
        row = self.counts[_SETS]
        start = self.counts[_VALUES]
        self.keys[row] = key
        self.starts[row] = start
        self.counts[_SETS] = row + 1
        self.counts[_VALUES] = start + self.per_action * num_actions + self.per_set
        self.starts[row + 1] = self.counts[_VALUES]
        self._occupy(key, start)
        return start

    def has_room(self, sets: int, max_actions: int) -> bool:
        """Whether ``sets`` more rows of up to ``max_actions`` actions fit."""
        return (
            self.counts[_SETS] + sets <= self.keys.size
            and self.counts[_VALUES] + sets * (self.per_action * max_actions + self.per_set) <= self.values.size
        )

    def _occupy(self, key: Key, start: int) -> None:
        slots = self.slots
        mask = np.uint64(slots.size - 1)
        slot = _first_slot(key) & mask
        while slots[slot + _ONE] != np.uint64(0):
            slot = (slot + _TWO) & mask
        slots[slot] = key
        slots[slot + _ONE] = np.uint64(start + 1)


@kernel
def _fill_slots(table: InformationSetTable) -> None:
    """Enter all rows into empty slots."""
    for row in range(table.counts[_SETS]):
        table._occupy(table.keys[row], table.starts[row])


def new_table(*, per_action: int, per_set: int = 0, sets: int = 1024, values: int = 16384) -> InformationSetTable:
    """An empty table with room for at least ``sets`` information sets and ``values`` numbers."""
    slots = 16
    while slots * _MAX_LOAD < sets:
        slots *= 2
    rows = int(slots * _MAX_LOAD)
    table = InformationSetTable(
        slots=np.zeros(2 * slots, np.uint64),
        keys=np.zeros(rows, np.uint64),
        starts=np.zeros(rows + 1, np.int64),
        values=np.zeros(values, np.float64),
        counts=np.zeros(2, np.int64),
        per_action=per_action,
        per_set=per_set,
    )
    _fill_slots(table)  # nothing to do yet, but compiled now and not when the table first grows, in the middle of a timed search
    return table


def grown(table: InformationSetTable, sets: int, max_actions: int, memory_limit: int) -> InformationSetTable | None:
    """A copy with room for at least ``sets`` more rows of up to ``max_actions`` actions, or None if it would exceed ``memory_limit`` bytes."""
    larger = table
    if num_sets(table) + sets > table.keys.size:
        larger = _with_slots(larger, table.slots.size)
    needed = int(table.counts[_VALUES]) + sets * (table.per_action * max_actions + table.per_set)
    if needed > table.values.size:
        values = np.zeros(max(needed, int(table.values.size * _VALUE_GROWTH)))
        values[: table.values.size] = table.values
        larger = replace(larger, values=values)
    if num_bytes(larger) > memory_limit:
        return None
    return larger if larger.has_room(sets, max_actions) else grown(larger, sets, max_actions, memory_limit)


def _with_slots(table: InformationSetTable, slots: int) -> InformationSetTable:
    rows = int(slots * _MAX_LOAD)
    keys = np.zeros(rows, np.uint64)
    starts = np.zeros(rows + 1, np.int64)
    keys[: table.keys.size] = table.keys
    starts[: table.starts.size] = table.starts
    larger = replace(table, slots=np.zeros(2 * slots, np.uint64), keys=keys, starts=starts)
    _fill_slots(larger)
    return larger


def num_sets(table: InformationSetTable) -> int:
    """How many information sets the table holds."""
    return int(table.counts[_SETS])


def num_bytes(table: InformationSetTable) -> int:
    """Bytes of all arrays of the table, free room included."""
    return table.slots.nbytes + table.keys.nbytes + table.starts.nbytes + table.values.nbytes


def table_to_arrays(table: InformationSetTable) -> dict[str, npt.NDArray[Any]]:
    """What must be saved of a table, without free room; `table_from_arrays` reads it back."""
    sets, values = num_sets(table), int(table.counts[_VALUES])
    return {
        "keys": table.keys[:sets],
        "starts": table.starts[: sets + 1],
        "values": table.values[:values],
        "layout": np.array([table.per_action, table.per_set]),
    }


def table_from_arrays(arrays: dict[str, npt.NDArray[Any]], largest_row: int = 0) -> InformationSetTable:
    """The table that `table_to_arrays` described.

    largest_row: how many numbers the largest row can have. So many there are behind the start of each row; so a kernel that takes a row of a file
    for a larger one reads nonsense, but stays within the table.
    """
    sets, values = arrays["keys"].size, arrays["values"].size
    per_action, per_set = map(int, arrays["layout"])
    table = new_table(per_action=per_action, per_set=per_set, sets=max(sets, 1), values=max(values + largest_row, 1))
    table.keys[:sets] = arrays["keys"]
    table.starts[: sets + 1] = arrays["starts"]
    table.values[:values] = arrays["values"]
    table.counts[:] = sets, values
    _fill_slots(table)
    return table
