"""The table: bounds of the values of states that were searched before.

The bounds of a state hold for the depth to which the state was searched. If the search used no
evaluation, the bounds hold for all depths that are at least as large as the *reach* of the state:
the number of moves that this search looked ahead. So a state may have several rows: one for each
depth, and one for all depths.
"""

from typing import Final

import numpy as np

from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, new_table
from hiddenhand.jit.kernels import inline
from hiddenhand.jit.observation_keys import Key, mix
from hiddenhand.search.simultaneous.double_oracle.stack import (
    BEST_I,
    BOTH,
    CERTAIN,
    DEPTH,
    HEIGHT,
    MODE,
    RESULT_HEIGHT,
    TOP,
    UNENDING,
    Stack,
    Task,
)

# --- the numbers of a row ---

_LOWER = 0  # and the two after it: the lower bound of the value, for each way to search the state
_UPPER = 3  # and the two after it: the upper bound
_TRY = 6  # and the one after it: 1 + the action to try first, for both kinds of alpha-beta; or 0
_REACH = 8  # in a row for all depths: the reach
_ROW: Final = 9

_ALL_DEPTHS = 1 << 21  # in place of a depth, in the key of the row for all depths
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def empty_table() -> InformationSetTable:
    """A table for what is found of states."""
    return new_table(per_action=0, per_set=_ROW)


@inline
def _row_key(key: Key, depth: int) -> Key:
    return mix(key ^ (np.uint64(depth) * _SPREAD))


@inline
def recall(task: Task, mode: int, key: Key, depth: int, alpha: float, beta: float) -> bool:
    """Whether the table knows the value of the state with ``key`` well enough, given that the value
    makes a difference only between ``alpha`` and ``beta``. If so, the value becomes the result.
    """
    table, counters = task.table, task.stack.counters
    row = table.find(_row_key(key, _ALL_DEPTHS))
    reaches = row != MISSING and int(table.values[row + _REACH]) <= depth
    if reaches and _suffices(task, mode, row, alpha, beta):
        counters[RESULT_HEIGHT] = int(table.values[row + _REACH])
        return True
    row = table.find(_row_key(key, depth))
    if row != MISSING and _suffices(task, mode, row, alpha, beta):
        counters[RESULT_HEIGHT] = UNENDING
        return True
    return False


@inline
def _suffices(task: Task, mode: int, row: int, alpha: float, beta: float) -> bool:
    """Whether the bounds in a row are equal, or lie beyond ``alpha`` or ``beta``. If so, they
    become the result.
    """
    values, result = task.table.values, task.stack.result
    lower, upper = values[row + _LOWER + mode], values[row + _UPPER + mode]
    if lower < upper and lower < beta and upper > alpha:
        return False
    result[0], result[1] = lower, upper
    if mode != BOTH:
        result[0] = result[1] = lower if lower >= beta else upper
    return True


@inline
def finish(task: Task, top: int, lower: float, upper: float) -> bool:
    """Take the state at ``top``, whose value lies between ``lower`` and ``upper``, off the stack.
    Returns True: the state is finished.
    """
    stack = task.stack
    stack.counters[TOP] = top
    stack.counters[RESULT_HEIGHT] = stack.marks[top, HEIGHT]
    stack.counters[CERTAIN] = 0
    stack.result[0], stack.result[1] = lower, upper
    _remember(task.table, stack, top, lower, upper)
    return True


@inline
def _remember(
    table: InformationSetTable, stack: Stack, top: int, lower: float, upper: float
) -> None:
    """Write what was found of the state at ``top`` into the table."""
    values, mode, height = table.values, stack.marks[top, MODE], stack.marks[top, HEIGHT]
    ends = height < UNENDING
    key = _row_key(stack.key[top], _ALL_DEPTHS if ends else stack.marks[top, DEPTH])
    row = table.find(key)
    if row == MISSING:
        row = table.add(key, 1)
        for other in range(3):
            values[row + _LOWER + other], values[row + _UPPER + other] = -np.inf, np.inf
    values[row + _LOWER + mode] = max(values[row + _LOWER + mode], lower)
    values[row + _UPPER + mode] = min(values[row + _UPPER + mode], upper)
    if ends:
        values[row + _REACH] = max(values[row + _REACH], float(height))
    if mode != BOTH:
        values[row + _TRY + mode - 1] = float(1 + stack.marks[top, BEST_I])


@inline
def to_try(table: InformationSetTable, stack: Stack, top: int, mode: int) -> int:
    """The action that alpha-beta of a ``mode`` found best in the state at ``top``, when it searched
    the state to this depth, to the depth before, or to its reach; 0 if it never searched the state.
    """
    for look in range(3):
        depth = _ALL_DEPTHS if look == 2 else stack.marks[top, DEPTH] - look
        row = table.find(_row_key(stack.key[top], depth))
        if row != MISSING and table.values[row + _TRY + mode - 1] > 0.0:
            return int(table.values[row + _TRY + mode - 1]) - 1
    return 0
