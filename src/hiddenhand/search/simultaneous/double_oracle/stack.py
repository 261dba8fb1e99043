"""The stack: the states on the way to the state that is searched now, each with what is known of it
so far.

A state on the stack waits for the value of an *entry* of its matrix, which it has *asked* for. The
state that the entry stands for is searched on top of the stack, and its value is the *result*. The
letters are those of `search`.

Dimensions: D states that there is room for, A actions of a player, C entries of a matrix.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.games.base import SIMULTANEOUS, Game
from hiddenhand.jit.arrays import Flags, Floats, Integers, Keys, Players
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import InformationSetTable
from hiddenhand.jit.kernels import inline
from hiddenhand.jit.views import copy_into
from hiddenhand.solvers.simultaneous.matrix_games import Workspace

# --- how a state is searched ---

BOTH = 0  # by double oracle, both players choosing at once
ZERO_FIRST = 1  # by alpha-beta, player 0 committing first
ONE_FIRST = 2  # by alpha-beta, player 1 committing first

# --- marks of a state on the stack ---

MODE = 0  # how the state is searched
MOVER = 1  # who moves there
DEPTH = 2  # how many moves ahead it is searched
ROWS = 3  # the size of its matrix
COLUMNS = 4
HEIGHT = 5  # how many moves ahead the search has looked from it; UNENDING if it used an evaluation
ASKED = 6  # the entry whose value it waits for, or NOTHING
ASKED_MODE = 7  # how the state of that entry is searched
PHASE = 8  # double oracle: what is done now, see `responses`
I = 9  # the row that is looked at, or its place in the order of alpha-beta
J = 10  # the column that is looked at, or its place in that order
BEST_I = 11  # the best row so far; in double oracle NOTHING if none is better than u
REPLY = 12  # double oracle: the best column so far, or NOTHING; alpha-beta: the last refutation
TRIED = 13  # alpha-beta: the row to begin with
NUM_MARKS = 14

NOTHING = -1
UNENDING = 1 << 20

# --- numbers of a state on the stack ---

ALPHA = 0  # the value matters only above alpha
BETA = 1  # and only below beta
ASKED_ALPHA = 2  # the same limits for the value of the entry that it waits for
ASKED_BETA = 3
BEST = 4  # what the best row earns player 0, or the first to commit in alpha-beta
WORST = 5  # double oracle: what the best column leaves player 0; alpha-beta: the row's least entry
U = 6  # the value of the restricted game
LEAST = 7  # bounds of the value of the state
MOST = 8
NUM_NUMBERS = 9

# --- counters ---

TOP = 0  # states on the stack
PUSHED = 1  # and the two after it: states that were put there, for each way to search them
EVALUATED = 4  # states whose value was estimated by the evaluation function
RESULT_HEIGHT = 5  # the height of the last result
CERTAIN = 6  # 1 if the last result is the exact value or its bounds by double oracle, else 0
NUM_COUNTERS = 7

# --- what is known of an entry ---

UNKNOWN = 0  # no bound was looked for
HALF_KNOWN = 1  # the lower bound was found
BOUNDED = 2  # both bounds were found

Bytes = Players


@dataclass(frozen=True)
class Stack(Compiled):
    """The states on the way to the state that is searched now.

    state: ``int64[D, state_size]``, the states.
    key: ``uint64[D]``, their hashes.
    marks: ``int64[D, 14]``, see MODE and what follows.
    numbers: ``float64[D, 9]``, see ALPHA and what follows.
    actions: ``int64[D, 2, A]``, the actions of player 0 (or the outcomes of chance) and of
        player 1.
    probability: ``float64[D, A]``, the probabilities of the outcomes.
    bounds: ``float64[D, 2, C]``, P and O, row by row.
    known: ``int8[D, C]``, whether an entry is UNKNOWN, HALF_KNOWN or BOUNDED.
    restricted: ``bool[D, 2, A]``, the rows and the columns of the restricted game.
    play: ``float64[D, 2, A]``, x and y.
    joint: ``int64[2]``, room for a joint action.
    observations: ``int64[3]``, room for the tokens of rules.
    counters: ``int64[7]``, see TOP and what follows.
    result: ``float64[2]``, a lower and an upper bound of the value that was requested last. If
        alpha-beta found the value, both are the value, or both are the bound that it found of a
        value beyond alpha or beta.
    """

    state: Integers
    key: Keys
    marks: Integers
    numbers: Floats
    actions: Integers
    probability: Floats
    bounds: Floats
    known: Bytes
    restricted: Flags
    play: Floats
    joint: Integers
    observations: Integers
    counters: Integers
    result: Floats

    @staticmethod
    def of(game: Game, size: int) -> "Stack":
        """An empty stack for ``size`` states."""
        actions = max(game.max_actions, game.max_chance_outcomes, 1)
        cells = max(game.max_actions**2, actions)
        return Stack(
            state=np.zeros((size, game.state_size), np.int64),
            key=np.zeros(size, np.uint64),
            marks=np.zeros((size, NUM_MARKS), np.int64),
            numbers=np.zeros((size, NUM_NUMBERS)),
            actions=np.zeros((size, 2, actions), np.int64),
            probability=np.zeros((size, actions)),
            bounds=np.zeros((size, 2, cells)),
            known=np.zeros((size, cells), np.int8),
            restricted=np.zeros((size, 2, actions), np.bool_),
            play=np.zeros((size, 2, actions)),
            joint=np.zeros(2, np.int64),
            observations=np.zeros(3, np.int64),
            counters=np.zeros(NUM_COUNTERS, np.int64),
            result=np.zeros(2),
        )


@dataclass(frozen=True)
class Task(Compiled):
    """What a search works with, whatever the game.

    table: bounds of the values of states, see `bounds`.
    stack: the states that are being searched.
    room: where restricted games are solved.
    tolerance: entries whose bounds are no further apart count as exact.
    """

    table: InformationSetTable
    stack: Stack
    room: Workspace
    tolerance: float


# --- parts of kernels; ``top`` is the place of a state on the stack ---


@inline
def make_child(game: Any, stack: Stack, top: int, k: int) -> None:
    """Write the state that entry ``k`` stands for above the state at ``top``."""
    state, n, mover = stack.state[top + 1], stack.marks[top, COLUMNS], stack.marks[top, MOVER]
    copy_into(state, stack.state[top])
    for observer in range(3):
        stack.observations[observer] = 0
    if mover == SIMULTANEOUS:
        stack.joint[0], stack.joint[1] = stack.actions[top, 0, k // n], stack.actions[top, 1, k % n]
        game.apply_joint_action(state, stack.joint, stack.observations)
    else:
        action = stack.actions[top, 1, k] if mover == 1 else stack.actions[top, 0, k]
        game.apply_action(state, action, stack.observations)


@inline
def ask(stack: Stack, top: int, k: int, mode: int, alpha: float, beta: float) -> bool:
    """Let the state at ``top`` ask for the value of entry ``k``. Returns False, because the state
    is not finished.

    mode: how the state of the entry is to be searched.
    alpha: the value makes a difference only above this limit,
    beta: and only below this one.
    """
    stack.marks[top, ASKED], stack.marks[top, ASKED_MODE] = k, mode
    stack.numbers[top, ASKED_ALPHA], stack.numbers[top, ASKED_BETA] = alpha, beta
    return False


@inline
def raise_height(stack: Stack, top: int) -> None:
    """Raise the height of the state at ``top``, which requested the last result, to one move more
    than the height of that result.
    """
    reached = min(stack.counters[RESULT_HEIGHT] + 1, UNENDING)
    stack.marks[top, HEIGHT] = max(stack.marks[top, HEIGHT], reached)
