"""Serialised alpha-beta: a state searched as if its players moved in turns.

Values are payoffs of the player who commits first. That player chooses a "row", and the other
player, who knows the row, replies by one of its entries. The value of such a game is a lower bound
of the value of the state if player 0 commits first, and an upper bound if player 1 does. The row
that was best the last time, and the reply that last refuted a row, are tried first; the others
follow in their order.
"""

import numpy as np

from hiddenhand.games.base import CHANCE
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.search.simultaneous.double_oracle.bounds import finish, to_try
from hiddenhand.search.simultaneous.double_oracle.stack import (
    ALPHA,
    ASKED,
    BEST,
    BEST_I,
    BETA,
    COLUMNS,
    MODE,
    MOVER,
    ONE_FIRST,
    REPLY,
    ROWS,
    TRIED,
    WORST,
    I,
    J,
    Stack,
    Task,
    ask,
    raise_height,
)


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
