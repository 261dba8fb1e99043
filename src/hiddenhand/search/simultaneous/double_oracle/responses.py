"""Double oracle: a state searched by restricted games and best responses to their equilibria.

States at which chance moves are here as well. Their value is a mean of entries, which are found in
the same way. The letters are those of `search`.

Serialised alpha-beta, below, searches a state as if its players moved in turns. Values are payoffs
of the player who commits first. That player chooses a "row", and the other player, who knows the
row, replies by one of its entries. The value of such a game is a lower bound of the value of the
state if player 0 commits first, and an upper bound if player 1 does. The row that was best the last
time, and the reply that last refuted a row, are tried first; the others follow in their order.
"""

import numpy as np

from hiddenhand.games.base import CHANCE
from hiddenhand.jit.arrays import Flags, Floats
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.search.simultaneous.double_oracle.bounds import finish, to_try
from hiddenhand.search.simultaneous.double_oracle.stack import (
    ALPHA,
    ASKED,
    ASKED_MODE,
    BEST,
    BEST_I,
    BETA,
    BOTH,
    BOUNDED,
    CERTAIN,
    COLUMNS,
    HALF_KNOWN,
    LEAST,
    MODE,
    MOST,
    MOVER,
    NOTHING,
    ONE_FIRST,
    PHASE,
    REPLY,
    ROWS,
    TRIED,
    UNKNOWN,
    WORST,
    ZERO_FIRST,
    I,
    J,
    Stack,
    Task,
    U,
    ask,
    raise_height,
)
from hiddenhand.solvers.simultaneous.matrix_games import VALUE, solve_game


@inline
def begin_alpha_beta(task: Task, top: int) -> None:
    """Prepare the search of the state at ``top``."""
    stack = task.stack
    marks, numbers = stack.marks[top], stack.numbers[top]
    of_chance = marks[MOVER] == CHANCE
    marks[I] = marks[J] = marks[REPLY] = marks[BEST_I] = 0
    numbers[BEST], numbers[WORST] = (0.0 if of_chance else -np.inf), np.inf
    marks[TRIED] = 0 if of_chance else to_try(task.table, stack, top, marks[MODE])


@kernel
def search_in_turns(task: Task, top: int) -> bool:
    """A step of the search of the state at ``top``. Returns whether it is finished."""
    stack = task.stack
    marks, numbers = stack.marks[top], stack.numbers[top]
    of_chance = marks[MOVER] == CHANCE
    turned = marks[MODE] == ONE_FIRST and not of_chance
    m, n = marks[ROWS], marks[COLUMNS]
    if turned:
        m, n = n, m
    if marks[ASKED] >= 0:
        _take_value(stack, top, n)
    alpha, beta, best = numbers[ALPHA], numbers[BETA], numbers[BEST]
    if of_chance:
        if marks[I] == m:
            return finish(task, top, best, best)
        return ask(stack, top, marks[I], marks[MODE], -np.inf, np.inf)
    if marks[I] == m or best >= beta:
        finish(task, top, best if best > alpha else -np.inf, best if best < beta else np.inf)
        stack.result[0] = stack.result[1] = best
        return True
    i, j = _in_order(marks[I], marks[TRIED]), _in_order(marks[J], marks[REPLY])
    k = j * m + i if turned else i * n + j
    return ask(stack, top, k, marks[MODE], max(alpha, best), min(beta, numbers[WORST]))


@inline
def _take_value(stack: Stack, top: int, n: int) -> None:
    """Note the value of the entry that was looked at last, one of ``n`` in the row."""
    raise_height(stack, top)
    marks, numbers = stack.marks[top], stack.numbers[top]
    value = stack.result[0]
    if marks[MOVER] == CHANCE:
        numbers[BEST] += stack.probability[top, marks[I]] * value
        marks[I] += 1
        return
    numbers[WORST] = min(numbers[WORST], value)
    refuted = numbers[WORST] <= max(numbers[BEST], numbers[ALPHA])
    if refuted:
        marks[REPLY] = _in_order(marks[J], marks[REPLY])
    marks[J] += 1
    if refuted or marks[J] == n:
        if numbers[WORST] > numbers[BEST]:
            numbers[BEST], marks[BEST_I] = numbers[WORST], _in_order(marks[I], marks[TRIED])
        marks[I] += 1
        marks[J], numbers[WORST] = 0, np.inf


@inline
def _in_order(place: int, first: int) -> int:
    """The number at ``place`` among 0, 1, 2, ... when ``first`` is moved to the front."""
    return first if place == 0 else (place - 1 if place <= first else place)


# the phases: solve the restricted game, then look for a response of player 0, then of player 1
_RESTRICTED, _OF_ROWS, _OF_COLUMNS = 0, 1, 2


@inline
def begin_double_oracle(task: Task, top: int, largest: float) -> None:
    """Prepare the search of the state at ``top``, whose payoffs are at most ``largest``."""
    table, stack = task.table, task.stack
    marks, numbers = stack.marks[top], stack.numbers[top]
    m, n = marks[ROWS], marks[COLUMNS]
    for k in range(m * n):
        stack.bounds[top, 0, k], stack.bounds[top, 1, k] = -largest, largest
        stack.known[top, k] = UNKNOWN
    numbers[LEAST], numbers[MOST] = -largest, largest
    if marks[MOVER] == CHANCE:
        return
    for i in range(m):
        stack.restricted[top, 0, i] = False
    for j in range(n):
        stack.restricted[top, 1, j] = False
    stack.restricted[top, 0, to_try(table, stack, top, ZERO_FIRST)] = True
    stack.restricted[top, 1, to_try(table, stack, top, ONE_FIRST)] = True
    marks[PHASE] = _RESTRICTED


@kernel
def search_by_responses(task: Task, top: int) -> bool:
    """A step of the search of a state in which a player decides. Returns whether it is finished."""
    stack = task.stack
    marks, numbers = stack.marks[top], stack.numbers[top]
    if marks[ASKED] >= 0:
        _take_bounds(stack, top)
    while True:
        if marks[PHASE] == _RESTRICTED:
            if _lacks_entry(task, top):
                return False
            _solve_restricted(task, top)
        if marks[PHASE] == _OF_ROWS:
            if _lacks_row(task, top):
                return False
            numbers[MOST] = min(numbers[MOST], numbers[BEST])
            if numbers[MOST] <= numbers[ALPHA]:
                return finish(task, top, numbers[LEAST], numbers[MOST])
            marks[PHASE] = _OF_COLUMNS
        if _lacks_column(task, top):
            return False
        numbers[LEAST] = max(numbers[LEAST], numbers[WORST])
        if numbers[LEAST] >= numbers[BETA]:
            return finish(task, top, numbers[LEAST], numbers[MOST])
        row, column = marks[BEST_I], marks[REPLY]
        if row < 0 and column < 0:
            return finish(task, top, numbers[U], numbers[U])
        if row >= 0:
            stack.restricted[top, 0, row] = True
        if column >= 0:
            stack.restricted[top, 1, column] = True
        marks[PHASE] = _RESTRICTED


# --- the restricted game ---


@inline
def _lacks_entry(task: Task, top: int) -> bool:
    """Whether some entry of the restricted game is not exact. If so, it requests the value."""
    stack = task.stack
    n, bounds = stack.marks[top, COLUMNS], stack.bounds[top]
    for i in range(stack.marks[top, ROWS]):
        if not stack.restricted[top, 0, i]:
            continue
        for j in range(n):
            k = i * n + j
            if stack.restricted[top, 1, j] and _is_open(task, top, k):
                if not _lacks_bounds(stack, top, k):
                    ask(stack, top, k, BOTH, bounds[0, k], bounds[1, k])
                return True
    return False


@inline
def _solve_restricted(task: Task, top: int) -> None:
    """Solve the restricted game, write x, y and u, and begin to look for best responses."""
    stack, room = task.stack, task.room
    marks, numbers, bounds = stack.marks[top], stack.numbers[top], stack.bounds[top]
    m, n = marks[ROWS], marks[COLUMNS]
    # a plain 0 would be a type of its own, for which Numba compiles the solver once more
    rows = columns = int(np.int64(0))
    for i in range(m):
        if not stack.restricted[top, 0, i]:
            continue
        columns = 0
        for j in range(n):
            if stack.restricted[top, 1, j]:
                k = i * n + j
                room.payoffs[rows, columns] = 0.5 * (bounds[0, k] + bounds[1, k])
                columns += 1
        rows += 1
    solve_game(room, rows, columns, task.tolerance)
    _spread_out(room.x, stack.restricted[top, 0], m, stack.play[top, 0])
    _spread_out(room.y, stack.restricted[top, 1], n, stack.play[top, 1])
    numbers[U] = numbers[BEST] = numbers[WORST] = room.found[VALUE]
    marks[I] = marks[J] = 0
    marks[BEST_I] = marks[REPLY] = NOTHING
    marks[PHASE] = _OF_ROWS


@inline
def _spread_out(some: Floats, chosen: Flags, count: int, probabilities: Floats) -> None:
    """Write the probabilities of the ``chosen`` actions to their places among all ``count``; the
    others get 0.
    """
    place = 0
    for a in range(count):
        probabilities[a] = some[place] if chosen[a] else 0.0
        place += int(chosen[a])


# --- best responses ---


@inline
def _lacks_row(task: Task, top: int) -> bool:
    """Go through the rows to find the best response to y. Returns whether an entry must be known
    better first; then it requests the value.
    """
    stack, tolerance = task.stack, task.tolerance
    marks, numbers, bounds = stack.marks[top], stack.numbers[top], stack.bounds[top]
    y, n = stack.play[top, 1], marks[COLUMNS]
    while marks[I] < marks[ROWS]:
        i = marks[I]
        if not stack.restricted[top, 0, i]:
            optimistic, unclear = 0.0, NOTHING
            for j in range(n):
                if y[j] > 0.0:
                    if _lacks_bounds(stack, top, i * n + j):
                        return True
                    optimistic += y[j] * bounds[1, i * n + j]
                    if unclear < 0 and _is_open(task, top, i * n + j):
                        unclear = j
            if optimistic > numbers[BEST] + tolerance:
                if unclear >= 0:
                    k = i * n + unclear
                    others = optimistic - y[unclear] * bounds[1, k]
                    needed = (numbers[BEST] - others) / y[unclear]
                    ask(stack, top, k, BOTH, max(bounds[0, k], needed), bounds[1, k])
                    return True
                numbers[BEST], marks[BEST_I] = optimistic, i
        marks[I] += 1
    return False


@inline
def _lacks_column(task: Task, top: int) -> bool:
    """Go through the columns to find the best response to x. Returns the same as `_lacks_row`."""
    stack, tolerance = task.stack, task.tolerance
    marks, numbers, bounds = stack.marks[top], stack.numbers[top], stack.bounds[top]
    x, n = stack.play[top, 0], marks[COLUMNS]
    while marks[J] < n:
        j = marks[J]
        if not stack.restricted[top, 1, j]:
            pessimistic, unclear = 0.0, NOTHING
            for i in range(marks[ROWS]):
                if x[i] > 0.0:
                    if _lacks_bounds(stack, top, i * n + j):
                        return True
                    pessimistic += x[i] * bounds[0, i * n + j]
                    if unclear < 0 and _is_open(task, top, i * n + j):
                        unclear = i
            if pessimistic < numbers[WORST] - tolerance:
                if unclear >= 0:
                    k = unclear * n + j
                    others = pessimistic - x[unclear] * bounds[0, k]
                    needed = (numbers[WORST] - others) / x[unclear]
                    ask(stack, top, k, BOTH, bounds[0, k], min(bounds[1, k], needed))
                    return True
                numbers[WORST], marks[REPLY] = pessimistic, j
        marks[J] += 1
    return False


# --- chance ---


@kernel
def search_mean(task: Task, top: int) -> bool:
    """A step of the search of a state in which chance moves. Returns whether it is finished."""
    stack = task.stack
    marks, numbers, bounds = stack.marks[top], stack.numbers[top], stack.bounds[top]
    probability = stack.probability[top]
    if marks[ASKED] >= 0:
        _take_bounds(stack, top)
    least, most, unclear = 0.0, 0.0, NOTHING
    for k in range(marks[ROWS]):
        if _lacks_bounds(stack, top, k):
            return False
        least += probability[k] * bounds[0, k]
        most += probability[k] * bounds[1, k]
        if unclear < 0 and _is_open(task, top, k):
            unclear = k
    if unclear < 0 or most <= numbers[ALPHA] or least >= numbers[BETA]:
        return finish(task, top, least, most)
    lower, upper, weight = bounds[0, unclear], bounds[1, unclear], probability[unclear]
    alpha = (numbers[ALPHA] - (most - weight * upper)) / weight
    beta = (numbers[BETA] - (least - weight * lower)) / weight
    return ask(stack, top, unclear, BOTH, max(lower, alpha), min(upper, beta))


# --- bounds of an entry ---


@inline
def _is_open(task: Task, top: int, k: int) -> bool:
    """Whether entry ``k`` is not exact."""
    return task.stack.bounds[top, 1, k] - task.stack.bounds[top, 0, k] > task.tolerance


@inline
def _lacks_bounds(stack: Stack, top: int, k: int) -> bool:
    """Whether alpha-beta must still find a bound of entry ``k``. If so, it requests the bound, the
    lower one first.
    """
    lower, upper = stack.bounds[top, 0, k], stack.bounds[top, 1, k]
    if stack.known[top, k] == UNKNOWN:
        ask(stack, top, k, ZERO_FIRST, lower, upper)
        return True
    if stack.known[top, k] == HALF_KNOWN:
        ask(stack, top, k, ONE_FIRST, -upper, -lower)
        return True
    return False


@inline
def _take_bounds(stack: Stack, top: int) -> None:
    """Narrow the bounds of the requested entry by the result."""
    raise_height(stack, top)
    k, mode = stack.marks[top, ASKED], stack.marks[top, ASKED_MODE]
    bounds, known = stack.bounds[top], stack.known[top]
    lower, upper = stack.result[0], stack.result[1]
    if mode == ONE_FIRST:  # a value for player 1
        lower, upper = -upper, -lower
    if stack.counters[CERTAIN] == 1:
        bounds[0, k], bounds[1, k], known[k] = lower, upper, BOUNDED
    elif mode == ZERO_FIRST:
        bounds[0, k] = min(max(bounds[0, k], lower), bounds[1, k])
        known[k] = HALF_KNOWN if bounds[0, k] < bounds[1, k] else BOUNDED
    elif mode == ONE_FIRST:
        bounds[1, k] = max(min(bounds[1, k], upper), bounds[0, k])
        known[k] = BOUNDED
    else:
        bounds[0, k] = min(max(bounds[0, k], lower), bounds[1, k])
        bounds[1, k] = max(min(bounds[1, k], upper), bounds[0, k])
    stack.marks[top, ASKED] = NOTHING
