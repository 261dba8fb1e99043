"""One table of information sets for all searches: from a 64-bit key to a ragged row of numbers.

The row of a set with n actions consists of ``per_action`` runs of n float64 each (regrets, strategy
sums or visits, as the search says), then of ``per_set`` numbers that belong to the set as a whole.
All rows lie end to end in one flat array, in the order in which the sets were added, so that the
numbers of a set share cache lines. A hash table with open addressing and linear probing says where
a row starts. A slot of it holds key and start side by side, so that a look-up reads one cache line.

Kernels find and add rows, and never let a table grow. How much one iteration of a search may add is
said when the table is made: ``rows`` rows of up to ``row_actions`` actions. A chunk of iterations
ends when `is_ready` says that there is no more room for that much, and then `made_ready` returns a
larger table. Where a memory limit forbids a larger table, the search goes on without adding rows.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import Key

MISSING = -1
_SETS, _VALUES = 0, 1  # what `counts` counts
_MAX_LOAD = 0.6  # of the slots
_VALUE_GROWTH = 2.0
_LEAST_GROWTH = 17 / 16  # under a memory limit; less is not worth copying the table
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
_HALF = np.uint64(32)
_EVEN = np.uint64(0xFFFFFFFE)
_ONE = np.uint64(1)
_TWO = np.uint64(2)


@inline
def _first_slot(key: Key) -> Key:
    """Where in ``slots`` the search for a key begins: Fibonacci hashing (Knuth 1973, Section 6.4).
    An even number of 32 bits, yet to be masked.
    """
    return ((key * _SPREAD) >> _HALF) & _EVEN


@dataclass(frozen=True)
class InformationSetTable(Compiled):
    """A table with room for ``keys.size`` information sets. Its arrays are modified in place by
    kernels.

    slots: ``uint64[2 C]``, for each slot a key and start + 1; 0 marks a free slot. C is a power of
        two, at most 2**31.
    keys: ``uint64[S]``, the key of each set in the order of addition.
    starts: ``int64[S + 1]``, where each row starts in ``values``. One entry more than there are
        sets is meaningful.
    values: ``float64[V]``, the rows.
    counts: ``int64[2]``, how many information sets and how many values are in use.
    per_action: how many values a row has for each action.
    per_set: how many values a row has besides.
    rows: how many rows an iteration of the search may add.
    row_actions: how many actions each of these rows has at most.
    growing: whether a full table is to be exchanged for a larger one; else nothing is added to a
        full table.

    Behind the start of each row there is room for a row of the largest size. If a file is wrong
    about the size of a row, a kernel reads wrong numbers, but none outside of the table.
    """

    slots: Keys
    keys: Keys
    starts: Integers
    values: Floats
    counts: Integers
    per_action: int
    per_set: int
    rows: int
    row_actions: int
    growing: bool = True

    def find(self, key: Key) -> int:
        """Where the row of ``key`` starts in ``values``, or MISSING."""
        return self.look_up(key)

    def look_up(self, key: Key) -> int:
        """`find`, which tables that take note of what is found override."""
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
        """Add a row of zeros for a key that is missing, and return its start. The caller made sure
        that there is room.
        """
        row = self.counts[_SETS]
        start = self.counts[_VALUES]
        self.keys[row] = key
        self.starts[row] = start
        self.counts[_SETS] = row + 1
        self.counts[_VALUES] = start + self.per_action * num_actions + self.per_set
        self.starts[row + 1] = self.counts[_VALUES]
        self._occupy(key, start)
        return start

    def place(self, key: Key, start: int) -> None:
        """Let the row of ``key`` begin at ``start``, whether the key had a slot before or not."""
        slots = self.slots
        mask = np.uint64(slots.size - 1)
        slot = _first_slot(key) & mask
        while slots[slot + _ONE] != np.uint64(0) and slots[slot] != key:
            slot = (slot + _TWO) & mask
        slots[slot] = key
        slots[slot + _ONE] = np.uint64(start + 1)

    def clear(self) -> None:
        """Forget all rows. Their numbers stay where they are until the caller overwrites them:
        `add` writes no zeros.
        """
        for index in range(self.slots.size):
            self.slots[index] = np.uint64(0)
        self.counts[_SETS] = 0
        self.counts[_VALUES] = 0

    def has_room(self, sets: int, max_actions: int) -> bool:
        """Whether ``sets`` more rows of up to ``max_actions`` actions fit."""
        needed = (
            sets * (self.per_action * max_actions + self.per_set)
            + self.per_action * self.row_actions
            + self.per_set
        )
        return (
            self.counts[_SETS] + sets <= self.keys.size
            and self.counts[_VALUES] + needed <= self.values.size
        )

    def is_ready(self) -> bool:
        """Whether there is room for whatever the next iteration may add, or nothing is added any
        more.
        """
        return not self.growing or self.has_room(self.rows, self.row_actions)

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


def new_table(
    *,
    per_action: int,
    per_set: int = 0,
    rows: int = 1,
    row_actions: int = 1,
    sets: int = 1024,
    values: int = 16384,
) -> InformationSetTable:
    """An empty table, which has room for what one iteration may add.

    per_action: how many numbers a row has for each action.
    per_set: how many numbers a row has besides.
    rows: how many rows an iteration may add.
    row_actions: how many actions each of these rows has at most.
    sets: how many information sets there is room for, at least.
    values: how many numbers there is room for, at least.
    """
    slots = 16
    while int(slots * _MAX_LOAD) < max(sets, rows):
        slots *= 2
    largest = per_action * row_actions + per_set
    table = _empty(
        slots, max(values, rows * largest) + largest, (per_action, per_set), rows, row_actions
    )
    _fill_slots(
        table
        # There is nothing to enter yet. But the kernel is compiled now, and not in the middle of a
        # timed search, when the table first grows.
    )
    return table


def _empty(
    slots: int, values: int, layout: tuple[int, int], rows: int, row_actions: int
) -> InformationSetTable:
    capacity = int(slots * _MAX_LOAD)
    return InformationSetTable(
        slots=np.zeros(2 * slots, np.uint64),
        keys=np.zeros(capacity, np.uint64),
        starts=np.zeros(capacity + 1, np.int64),
        values=np.zeros(values, np.float64),
        counts=np.zeros(2, np.int64),
        per_action=layout[0],
        per_set=layout[1],
        rows=rows,
        row_actions=row_actions,
    )


def made_ready(table: InformationSetTable, memory_limit: int) -> InformationSetTable:
    """A table with room for what the next iteration may add: ``table`` itself, or a larger copy. If
    a larger copy would take more than ``memory_limit`` bytes, ``table`` as one that stops growing.
    """
    if table.has_room(table.rows, table.row_actions):
        return table if table.growing else replace(table, growing=True)
    larger = grown(table, table.rows, table.row_actions, memory_limit)
    return left_as_it_is(table) if larger is None else replace(larger, growing=True)


def left_as_it_is(table: InformationSetTable) -> InformationSetTable:
    """``table`` as one that stops growing: once it is full, nothing more is added to it."""
    return replace(table, growing=False) if table.growing else table


def grown(
    table: InformationSetTable, sets: int, max_actions: int, memory_limit: int
) -> InformationSetTable | None:
    """A copy with room for at least ``sets`` more rows of up to ``max_actions`` actions. It shares
    those arrays of ``table`` that are large enough already.

    While the rows are copied, both tables exist. None is returned if both together would take more
    than ``memory_limit`` bytes. That is found out before anything is allocated.
    """
    slots, values = _slots_for(table, sets), _values_for(table, sets, max_actions)
    spare = (
        memory_limit
        - num_bytes(table)
        - (_slot_bytes(slots) if slots > table.slots.size // 2 else 0)
    )
    if values > table.values.size and 8 * values > spare:
        values = spare // 8  # as much as is allowed, if that is enough
        if values < max(
            _values_needed(table, sets, max_actions), table.values.size * _LEAST_GROWTH
        ):
            return None
    if spare < 0:
        return None
    larger = _with_slots(table, slots) if slots > table.slots.size // 2 else table
    return _with_values(larger, values) if values > table.values.size else larger


def growth_bytes(table: InformationSetTable) -> int:
    """Roughly how many bytes `grown` would allocate for the next iteration."""
    slots, values = _slots_for(table, table.rows), _values_for(table, table.rows, table.row_actions)
    return (_slot_bytes(slots) if slots > table.slots.size // 2 else 0) + (
        8 * values if values > table.values.size else 0
    )


def _slots_for(table: InformationSetTable, sets: int) -> int:
    slots = table.slots.size // 2
    while int(slots * _MAX_LOAD) < num_sets(table) + sets:
        slots *= 2
    return slots


def _values_needed(table: InformationSetTable, sets: int, max_actions: int) -> int:
    largest = table.per_action * table.row_actions + table.per_set
    return (
        int(table.counts[_VALUES])
        + sets * (table.per_action * max_actions + table.per_set)
        + largest
    )


def _values_for(table: InformationSetTable, sets: int, max_actions: int) -> int:
    needed, size = _values_needed(table, sets, max_actions), table.values.size
    return size if needed <= size else max(needed, int(size * _VALUE_GROWTH))


def _slot_bytes(slots: int) -> int:
    """The bytes of ``slots`` slots, and of the keys and starts that belong to them."""
    return 16 * slots + 16 * int(slots * _MAX_LOAD) + 8


def _with_slots(table: InformationSetTable, slots: int) -> InformationSetTable:
    capacity = int(slots * _MAX_LOAD)
    keys = np.zeros(capacity, np.uint64)
    starts = np.zeros(capacity + 1, np.int64)
    keys[: table.keys.size] = table.keys
    starts[: table.starts.size] = table.starts
    larger = replace(table, slots=np.zeros(2 * slots, np.uint64), keys=keys, starts=starts)
    _fill_slots(larger)
    return larger


def _with_values(table: InformationSetTable, size: int) -> InformationSetTable:
    values, used = np.zeros(size), int(table.counts[_VALUES])
    values[:used] = table.values[:used]
    return replace(table, values=values)


def fits_room(arrays: dict[str, npt.NDArray[Any]], row_actions: int, memory_limit: int) -> bool:
    """Whether the sizes in ``arrays["room"]`` are possible: large enough for the rows in
    ``arrays``, and no more than ``memory_limit`` bytes.
    """
    (slots, values), (per_action, per_set) = map(int, arrays["room"]), map(int, arrays["layout"])
    is_power = slots >= 16 and slots & (slots - 1) == 0
    holds = (
        int(slots * _MAX_LOAD) >= arrays["keys"].size
        and values >= arrays["values"].size + per_action * row_actions + per_set
    )
    return is_power and holds and _slot_bytes(slots) + 8 * values <= memory_limit


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
        "room": np.array([table.slots.size // 2, table.values.size]),
    }


def table_from_arrays(
    arrays: dict[str, npt.NDArray[Any]], *, rows: int = 1, row_actions: int = 1
) -> InformationSetTable:
    """The table that `table_to_arrays` wrote as arrays.

    arrays: the arrays, by name. If ``room`` is among them, the new table has as much room as the
        old one had, and grows when the old one would have grown.
    rows: how many rows an iteration may add.
    row_actions: how many actions each of these rows has at most.
    """
    sets, values = arrays["keys"].size, arrays["values"].size
    per_action, per_set = map(int, arrays["layout"])
    if "room" in arrays:
        slots, room = map(int, arrays["room"])
        table = _empty(slots, room, (per_action, per_set), rows, row_actions)
    else:
        table = new_table(
            per_action=per_action,
            per_set=per_set,
            rows=rows,
            row_actions=row_actions,
            sets=max(sets, 1),
            values=max(values, 1),
        )
    table.keys[:sets] = arrays["keys"]
    table.starts[: sets + 1] = arrays["starts"]
    table.values[:values] = arrays["values"]
    table.counts[:] = sets, values
    _fill_slots(table)
    return table
