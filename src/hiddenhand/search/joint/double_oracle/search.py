"""Double oracle with serialised alpha-beta: exact play in games with simultaneous moves, as far as
time allows.

Bosansky, Lisy, Cermak, Vitek and Pechoucek (2013), "Using double-oracle method and serialized
alpha-beta search for pruning in simultaneous move games" (DO alpha beta), and Bosansky, Lisy,
Lanctot, Cermak and Winands (2016), Section 3. Of a state s with moves in it for both players,

A [R, C]       the matrix of the values of the states that pairs of actions lead to; what is sought
               is the value u of the game A
P, O [R, C]    pessimistic and optimistic bounds of the entries of A
x, y           an equilibrium of the *restricted* game: some rows and some columns of A
alpha, beta    what the state's value must lie between to matter where it is asked for

The entries of the restricted game are found exactly. Then each player looks for a best response to
the other among all actions; if one earns more than u it is added, and the restricted game is solved
again; if none does, u is the value of the state. Most entries are never found exactly, because
their bounds show that a row or column cannot be better. Bounds come from alpha-beta search of two
games in which moves are made in turns: in one player 0 commits first, which helps player 1, in the
other player 1 does.

For a time limit the search deepens: states ``depth`` moves ahead are worth what the game's
evaluation function says, or 0 if it has none. What a search by one depth has found it plays until
that by the next is finished. If no evaluation was asked the play is optimal, and the search ends.

What is different here. One explicit stack holds states that are searched by double oracle and by
both kinds of alpha-beta, so that compiled code can stop after any number of steps. A table keeps
bounds by state: for a depth, or, if no evaluation was asked below a state, for all depths that
reach its ends. States are found equal whatever their past, see `Game.forget_past`. Alpha-beta tries
first what was best or refuted the last time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Flags, Floats, Integers, Keys, Players
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import Key, mix
from hiddenhand.compiled.table import MISSING, InformationSetTable, grown, new_table, num_sets
from hiddenhand.errors import GameError
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    State,
    verify_listed,
    verify_two_players_zero_sum,
)
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.thinking import verify_memory
from hiddenhand.states.graph import copy_into, simultaneous_form, state_hash
from hiddenhand.states.matrix_games import TOLERANCE, Simplex, new_simplex, solve_game
from hiddenhand.trees.strategy import Weights

DEFAULT_MEMORY: Final = 2**30
_WITHOUT_END: Final = 2**62  # steps
_GROWTH: Final = 10_000  # rows that a larger table has room for at least

# how a state is searched: by double oracle, or by alpha-beta with player 0 or player 1 committing
# first
_BOTH, _ZERO_FIRST, _ONE_FIRST = 0, 1, 2
# a row of the table: bounds of the value for each way, 1 + the action to try first for both kinds
# of alpha-beta, and the height
_LOWER, _UPPER, _TRY, _REACH, _ROW = 0, 3, 6, 8, 9
_UNENDING = 1 << 20  # the height of what was evaluated; else the most moves to an end that mattered
_ALL_DEPTHS = 1 << 21  # in place of a depth, in the key of what holds for all that reach the height
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_RESTRICTED, _OF_ROWS, _OF_COLUMNS = (
    0,
    1,
    2,
)  # phases of double oracle: solve the restricted game, then look for responses
_UNKNOWN, _HALF_KNOWN, _BOUNDED = 0, 1, 2  # whether an entry has bounds: none, a lower one, both
# counters: states on the stack, states put there in each way, states evaluated; of the last result
# the height, and whether it is the exact value
_TOP, _PUSHED, _EVALUATED, _RESULT_HEIGHT, _CERTAIN, _NUM_COUNTERS = 0, 1, 4, 5, 6, 7
# marks of a state on the stack: how it is searched, who moves, to what depth, the size of its
# matrix, the height of what was looked at below; the entry whose value it waits for, -1 for none,
# and how that is searched; how far it has come: the phase, and two numbers; the best row and the
# worst column so far (in alpha-beta: the best row, and what refuted a row the last time); the row
# that alpha-beta begins with
(
    _MODE,
    _MOVER,
    _DEPTH,
    _ROWS,
    _COLUMNS,
    _HEIGHT,
    _ASKED,
    _ASKED_MODE,
    _PHASE,
    _I,
    _J,
    _BEST_I,
    _REPLY,
    _TRIED,
    _NUM_MARKS,
) = range(15)
# numbers of a state on the stack: the limits between which its value matters, and those of the
# entry it waits for; what the best row and the worst column earn (in alpha-beta: the best row and
# the least entry of the present row); the value of the restricted game; bounds of the state's value
_ALPHA, _BETA, _ASKED_ALPHA, _ASKED_BETA, _BEST, _WORST, _U, _LEAST, _MOST, _NUM_NUMBERS = range(10)

Bytes = Players


@dataclass(frozen=True)
class Even(EvaluationFunction):
    """Every state is worth 0: for games without an evaluation function."""

    def evaluate(self, game: Any, state: State, player: int) -> float:
        return 0.0


class DoubleOracle:
    """DO alpha-beta for zero-sum games of two players in which nothing is hidden but what both
    choose at the same time.

    An iteration is a search to one more depth. memory: bytes that the table may take; where it is
    full, it is emptied. There is no chance in the search: ``seed`` makes no difference.
    """

    ALGORITHM: ClassVar[str] = "doab"

    def __init__(self, game: Game, *, memory: int = DEFAULT_MEMORY, seed: int = 0) -> None:
        self.game = as_sequential(game)
        self.inner = simultaneous_form(game)
        verify_rules(self.game)
        verify_listed(self.game)
        verify_two_players_zero_sum(self.inner, "doab", "ismcts")
        self.memory = verify_memory(memory)
        self.evaluation = evaluation_of(self.inner)
        self._simplex = new_simplex(self.game.max_actions, self.game.max_actions)
        self.start(0, seed)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        self.seat = seat
        self.belief = Belief(self.game, seat, seed=seed)
        self.table = _empty_table()
        self._stack = new_stack(self.inner, 1)
        self._plays: dict[
            int, Floats
        ] = {}  # information set -> what the deepest search that was finished there plays
        self._pushed = np.zeros(3, np.int64)
        self._evaluated = self._iterations = self._emptied = 0
        self._forget_position()

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Follow the match. ``seconds`` and ``iterations`` make no difference: what is known is few
        histories.
        """
        with explaining(self.game, self.belief.way):
            self.belief.notice(events)
        self._forget_position()

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search the present state: ``iterations`` more depths, or for some seconds. Raises
        GameError if the players cannot know the state.
        """
        budget = Budget(None if seconds is not None else _WITHOUT_END, seconds)
        Budget(iterations, seconds)  # says what is wrong with it
        if not self.belief.is_alive or self.is_exact:
            return
        wanted = math.inf if iterations is None else self._iterations + iterations
        with explaining(self.game):
            state = self._state()
            self._begin(state)
            self._search(0)  # compile, or load, before the clock starts

            def tell(_: int) -> None:
                figures = {"depth": self.depth, "states": int(self._pushed.sum())}
                progress.update(Report(self._iterations, unit="depths", figures=figures))
                if self._stack.counters[_TOP] == 0:
                    self._finish_depth()
                    if self.is_exact or self._iterations >= wanted:
                        raise StopIteration
                    self._begin(state)

            budget.spend(self._search, tell)

    def policy(self, num_actions: int) -> Floats:
        """What the deepest finished search plays; uniform if none was."""
        played = self._plays.get(self.belief.information_key)
        return np.full(num_actions, 1.0 / num_actions) if played is None else played.copy()

    def weights(self) -> Weights:
        """The strategy in each information set that was searched, with weight 1."""
        starts = np.concatenate(
            [[0], np.cumsum([played.size for played in self._plays.values()])]
        ).astype(np.int64)
        return Weights(
            np.array(list(self._plays), np.uint64),
            starts,
            np.concatenate([*self._plays.values(), np.zeros(0)]),
        )

    def thought(self) -> Mapping[str, float]:
        """Depths searched, the last of them, states searched by double oracle and by alpha-beta,
        states evaluated, rows of the table.
        """
        return {
            "iterations": self._iterations,
            "depth": self.depth,
            "double oracle": int(self._pushed[_BOTH]),
            "alpha-beta": int(self._pushed[_ZERO_FIRST] + self._pushed[_ONE_FIRST]),
            "evaluated": self._evaluated,
            "table": num_sets(self.table),
            "emptied": self._emptied,
        }

    # --- searches of one state ---

    def _forget_position(self) -> None:
        self.depth = 0
        """How deep the deepest finished search of the present state was."""
        self.value = 0.0
        """What it found the state to be worth to player 0."""
        self.is_exact = False
        """Whether no evaluation was asked: then the value and the play are optimal."""

    def _state(self) -> State:
        """The present state, which all histories that fit what was noticed have in common."""
        states = self.belief.leaves.state[:, : self.inner.state_size].copy()
        for state in states:
            self.inner.forget_past(state)
        if np.any(states != states[0]):
            raise GameError(
                f"{self.inner} hides things: player {self.seat} cannot know the state, which doab "
                "needs; use oos or ismcts"
            )
        return states[0]

    def _begin(self, state: State) -> None:
        """Put ``state`` on the stack, to be searched one move deeper than before."""
        self._stack = new_stack(self.inner, self.depth + 2)
        self._stack.state[0] = state
        self._make_room()
        _push_root(self.inner, self.table, self._stack, self.depth + 1)
        self._pushed[_BOTH] += 1

    def _search(self, steps: int) -> int:
        """Make up to ``steps`` steps of the search that was begun, and count what it did."""
        self._make_room()
        counters = self._stack.counters
        before = counters.copy()
        made = _run(
            self.inner,
            self.evaluation,
            self.table,
            self._stack,
            self._simplex,
            TOLERANCE * self.inner.max_utility,
            steps,
        )
        self._pushed += (counters - before)[_PUSHED : _PUSHED + 3]
        self._evaluated += int((counters - before)[_EVALUATED])
        return int(made)

    def _make_room(self) -> None:
        """Let the table grow, or begin a new one: nothing on the stack depends on it."""
        if not self.table.has_room(1, 1):
            larger = grown(self.table, _GROWTH, 1, self.memory)
            self._emptied += larger is None
            self.table = _empty_table() if larger is None else larger

    def _finish_depth(self) -> None:
        stack = self._stack
        self._iterations += 1
        self.depth += 1
        self.value = float(stack.result[0])
        self.is_exact = stack.counters[_RESULT_HEIGHT] < _UNENDING
        if stack.marks[0, _MOVER] in (self.seat, SIMULTANEOUS):
            num_actions = int(stack.marks[0, (_ROWS, _COLUMNS)[self.seat]])
            self._plays[self.belief.information_key] = stack.play[0, self.seat, :num_actions].copy()


def evaluation_of(game: Game) -> EvaluationFunction:
    """The game's own evaluation function, or `Even`."""
    try:
        return game.evaluation()
    except GameError:
        return Even()


def _empty_table() -> InformationSetTable:
    return new_table(per_action=0, per_set=_ROW)


@dataclass(frozen=True)
class Stack(Compiled):
    """The states on the way to the one that is being looked at: up to D of them, with up to A
    actions and C entries.

    state: ``int64[D, state_size]``; key: ``uint64[D]``, its hash; marks: ``int64[D, 14]`` and
    numbers: ``float64[D, 9]``, see `_MODE` and `_ALPHA`. actions: ``int64[D, 2, A]``, of player 0
    (or chance's outcomes) and of player 1; probability: ``float64[D, A]``, of outcomes. bounds:
    ``float64[D, 2, C]``, P and O row by row; known: ``int8[D, C]``, which of them are. restricted:
    ``bool[D, 2, A]``, the rows and the columns of the restricted game; play: ``float64[D, 2, A]``,
    x and y. matrix: ``float64[A, A]`` and sub: ``float64[2, A]``, room for the restricted game;
    joint: ``int64[2]`` and observations: ``int64[3]``, for rules. counters: see `_TOP`. result:
    ``float64[4]``, first bounds of the value that was asked for last; in alpha-beta both are the
    value, or one bound of it if it lies beyond alpha or beta; then the value and the gap of the
    restricted game.
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
    matrix: Floats
    sub: Floats
    joint: Integers
    observations: Integers
    counters: Integers
    result: Floats


def new_stack(game: Game, size: int) -> Stack:
    """An empty stack for ``size`` states."""
    actions = max(game.max_actions, game.max_chance_outcomes, 1)
    cells = max(game.max_actions**2, actions)
    return Stack(
        state=np.zeros((size, game.state_size), np.int64),
        key=np.zeros(size, np.uint64),
        marks=np.zeros((size, _NUM_MARKS), np.int64),
        numbers=np.zeros((size, _NUM_NUMBERS)),
        actions=np.zeros((size, 2, actions), np.int64),
        probability=np.zeros((size, actions)),
        bounds=np.zeros((size, 2, cells)),
        known=np.zeros((size, cells), np.int8),
        restricted=np.zeros((size, 2, actions), np.bool_),
        play=np.zeros((size, 2, actions)),
        matrix=np.zeros((actions, actions)),
        sub=np.zeros((2, actions)),
        joint=np.zeros(2, np.int64),
        observations=np.zeros(3, np.int64),
        counters=np.zeros(_NUM_COUNTERS, np.int64),
        result=np.zeros(4),
    )


# --- kernels ---


@kernel
def _push_root(game: Any, table: InformationSetTable, stack: Stack, depth: int) -> None:
    stack.counters[_TOP] = 0
    stack.key[0] = state_hash(stack.state[0])
    _push(game, table, stack, _BOTH, depth, -np.inf, np.inf)


@kernel
def _run(
    game: Any,
    evaluation: Any,
    table: InformationSetTable,
    stack: Stack,
    simplex: Simplex,
    tolerance: float,
    steps: int,
) -> int:
    """Make up to ``steps`` steps and return how many: the state on top takes what it asked for, and
    asks for more or is finished.
    """
    made = 0
    while made < steps and stack.counters[_TOP] > 0 and table.has_room(1, 1):
        top = stack.counters[_TOP] - 1
        if stack.marks[top, _MODE] != _BOTH:
            finished = _alpha_beta(table, stack, top)
        elif stack.marks[top, _MOVER] == CHANCE:
            finished = _mean(table, stack, top, tolerance)
        else:
            finished = _double_oracle(table, stack, simplex, top, tolerance)
        if not finished:
            _answer(game, evaluation, table, stack, top)
        made += 1
    return made


# --- the stack ---


@inline
def _answer(game: Any, evaluation: Any, table: InformationSetTable, stack: Stack, top: int) -> None:
    """Write the value of the entry that the state at ``top`` asked for into `result`, or put the
    entry's state on the stack.
    """
    mode, alpha, beta = (
        stack.marks[top, _ASKED_MODE],
        stack.numbers[top, _ASKED_ALPHA],
        stack.numbers[top, _ASKED_BETA],
    )
    state, depth = stack.state[top + 1], stack.marks[top, _DEPTH] - 1
    _make_child(game, stack, top, stack.marks[top, _ASKED])
    sign = -1.0 if mode == _ONE_FIRST else 1.0
    stack.counters[_CERTAIN] = 1
    if game.current_player(state) == TERMINAL:
        stack.result[0] = stack.result[1] = sign * game.returns(state, 0)
        stack.counters[_RESULT_HEIGHT] = 0
        return
    if depth == 0:
        stack.counters[_EVALUATED] += 1
        stack.result[0] = stack.result[1] = sign * evaluation.evaluate(game, state, 0)
        stack.counters[_RESULT_HEIGHT] = _UNENDING
        return
    game.forget_past(state)
    key = state_hash(state)
    stack.key[top + 1] = key
    if (
        stack.marks[top, _MODE] == _BOTH
        and mode == _ZERO_FIRST
        and _recall(table, stack, _BOTH, key, depth, -np.inf, np.inf)
    ):
        return
    stack.counters[_CERTAIN] = 0
    if not _recall(table, stack, mode, key, depth, alpha, beta):
        _push(game, table, stack, mode, depth, alpha, beta)


@inline
def _make_child(game: Any, stack: Stack, top: int, k: int) -> None:
    """The state that entry ``k`` stands for, written above the state at ``top``."""
    state, n, mover = stack.state[top + 1], stack.marks[top, _COLUMNS], stack.marks[top, _MOVER]
    copy_into(state, stack.state[top])
    for observer in range(3):
        stack.observations[observer] = 0
    if mover == SIMULTANEOUS:
        stack.joint[0], stack.joint[1] = stack.actions[top, 0, k // n], stack.actions[top, 1, k % n]
        game.apply_joint_action(state, stack.joint, stack.observations)
    else:
        game.apply_action(
            state,
            stack.actions[top, 1, k] if mover == 1 else stack.actions[top, 0, k],
            stack.observations,
        )


@inline
def _ask(stack: Stack, top: int, k: int, mode: int, alpha: float, beta: float) -> bool:
    (
        stack.marks[top, _ASKED],
        stack.marks[top, _ASKED_MODE],
        stack.numbers[top, _ASKED_ALPHA],
        stack.numbers[top, _ASKED_BETA],
    ) = k, mode, alpha, beta
    return False


@inline
def _push(
    game: Any,
    table: InformationSetTable,
    stack: Stack,
    mode: int,
    depth: int,
    alpha: float,
    beta: float,
) -> None:
    """Begin to search the state that lies on top of the stack."""
    top = stack.counters[_TOP]
    stack.counters[_TOP] += 1
    stack.counters[_PUSHED + mode] += 1
    state = stack.state[top]
    mover = game.current_player(state)
    (
        stack.marks[top, _MODE],
        stack.marks[top, _MOVER],
        stack.marks[top, _DEPTH],
        stack.marks[top, _HEIGHT],
    ) = mode, mover, depth, 0
    stack.numbers[top, _ALPHA], stack.numbers[top, _BETA], stack.marks[top, _ASKED] = (
        alpha,
        beta,
        -1,
    )
    m, n = 1, 1
    if mover == CHANCE:
        m = game.chance_outcomes(state, stack.actions[top, 0], stack.probability[top])
    if mover in (0, SIMULTANEOUS):
        m = game.legal_actions(state, 0, stack.actions[top, 0])
    if mover in (1, SIMULTANEOUS):
        n = game.legal_actions(state, 1, stack.actions[top, 1])
    stack.marks[top, _ROWS], stack.marks[top, _COLUMNS] = m, n
    if mode == _BOTH:
        _begin_double_oracle(table, stack, top, game.max_utility)
    else:
        _begin_alpha_beta(table, stack, top)


@inline
def _finish(table: InformationSetTable, stack: Stack, top: int, lower: float, upper: float) -> bool:
    """Take the state at ``top`` off the stack: its value lies between ``lower`` and ``upper``."""
    stack.counters[_TOP] = top
    stack.counters[_RESULT_HEIGHT] = stack.marks[top, _HEIGHT]
    stack.counters[_CERTAIN] = 0
    stack.result[0], stack.result[1] = lower, upper
    _remember(table, stack, top, lower, upper)
    return True


@inline
def _raise_height(stack: Stack, top: int) -> None:
    """What the state at ``top`` asked for is one move further from it."""
    stack.marks[top, _HEIGHT] = max(
        stack.marks[top, _HEIGHT], min(stack.counters[_RESULT_HEIGHT] + 1, _UNENDING)
    )


# --- the table: what is known of a state, for a depth or for all depths that reach the height of
# what was looked at ---


@inline
def _row_key(key: Key, depth: int) -> Key:
    return mix(key ^ (np.uint64(depth) * _SPREAD))


@inline
def _recall(
    table: InformationSetTable,
    stack: Stack,
    mode: int,
    key: Key,
    depth: int,
    alpha: float,
    beta: float,
) -> bool:
    """Whether the table knows the value so far as it matters between ``alpha`` and ``beta``; then
    it is in `result`.
    """
    row = table.find(_row_key(key, _ALL_DEPTHS))
    if (
        row != MISSING
        and int(table.values[row + _REACH]) <= depth
        and _suffices(table, stack, mode, row, alpha, beta)
    ):
        stack.counters[_RESULT_HEIGHT] = int(table.values[row + _REACH])
        return True
    row = table.find(_row_key(key, depth))
    if row != MISSING and _suffices(table, stack, mode, row, alpha, beta):
        stack.counters[_RESULT_HEIGHT] = _UNENDING
        return True
    return False


@inline
def _suffices(
    table: InformationSetTable, stack: Stack, mode: int, row: int, alpha: float, beta: float
) -> bool:
    lower, upper = table.values[row + _LOWER + mode], table.values[row + _UPPER + mode]
    if lower < upper and lower < beta and upper > alpha:
        return False
    stack.result[0], stack.result[1] = lower, upper
    if mode != _BOTH:
        stack.result[0] = stack.result[1] = lower if lower >= beta else upper
    return True


@inline
def _remember(
    table: InformationSetTable, stack: Stack, top: int, lower: float, upper: float
) -> None:
    mode, ends = stack.marks[top, _MODE], stack.marks[top, _HEIGHT] < _UNENDING
    key = _row_key(stack.key[top], _ALL_DEPTHS if ends else stack.marks[top, _DEPTH])
    row = table.find(key)
    if row == MISSING:
        row = table.add(key, 1)
        for other in range(3):
            table.values[row + _LOWER + other], table.values[row + _UPPER + other] = -np.inf, np.inf
    table.values[row + _LOWER + mode] = max(table.values[row + _LOWER + mode], lower)
    table.values[row + _UPPER + mode] = min(table.values[row + _UPPER + mode], upper)
    if ends:
        table.values[row + _REACH] = max(
            table.values[row + _REACH], float(stack.marks[top, _HEIGHT])
        )
    if mode != _BOTH:
        table.values[row + _TRY + mode - 1] = float(1 + stack.marks[top, _BEST_I])


@inline
def _to_try(table: InformationSetTable, stack: Stack, top: int, mode: int) -> int:
    """The action that alpha-beta found best in the state at ``top``: to this depth, to the depth
    before, or to the ends; 0 if it never looked.
    """
    for look in range(3):
        depth = _ALL_DEPTHS if look == 2 else stack.marks[top, _DEPTH] - look
        row = table.find(_row_key(stack.key[top], depth))
        if row != MISSING and table.values[row + _TRY + mode - 1] > 0.0:
            return int(table.values[row + _TRY + mode - 1]) - 1
    return 0


# --- alpha-beta: values are for the player who commits first and chooses a "row"; the other chooses
# an entry of it ---


@inline
def _begin_alpha_beta(table: InformationSetTable, stack: Stack, top: int) -> None:
    of_chance = stack.marks[top, _MOVER] == CHANCE
    stack.marks[top, _I] = stack.marks[top, _J] = stack.marks[top, _REPLY] = stack.marks[
        top, _BEST_I
    ] = 0
    stack.numbers[top, _BEST], stack.numbers[top, _WORST] = (0.0 if of_chance else -np.inf), np.inf
    stack.marks[top, _TRIED] = (
        0 if of_chance else _to_try(table, stack, top, stack.marks[top, _MODE])
    )


@kernel
def _alpha_beta(table: InformationSetTable, stack: Stack, top: int) -> bool:
    """A step of the search of a state in turns. Returns whether it is finished."""
    of_chance = stack.marks[top, _MOVER] == CHANCE
    turned = stack.marks[top, _MODE] == _ONE_FIRST and not of_chance
    m, n = (
        (stack.marks[top, _COLUMNS], stack.marks[top, _ROWS])
        if turned
        else (stack.marks[top, _ROWS], stack.marks[top, _COLUMNS])
    )
    if stack.marks[top, _ASKED] >= 0:
        _take_value(stack, top, n)
    alpha, beta, best = (
        stack.numbers[top, _ALPHA],
        stack.numbers[top, _BETA],
        stack.numbers[top, _BEST],
    )
    if of_chance:
        if stack.marks[top, _I] == m:
            return _finish(table, stack, top, best, best)
        return _ask(stack, top, stack.marks[top, _I], stack.marks[top, _MODE], -np.inf, np.inf)
    if stack.marks[top, _I] == m or best >= beta:
        _finish(
            table, stack, top, best if best > alpha else -np.inf, best if best < beta else np.inf
        )
        stack.result[0] = stack.result[1] = best
        return True
    i, j = (
        _in_order(stack.marks[top, _I], stack.marks[top, _TRIED]),
        _in_order(stack.marks[top, _J], stack.marks[top, _REPLY]),
    )
    k = j * m + i if turned else i * n + j
    return _ask(
        stack,
        top,
        k,
        stack.marks[top, _MODE],
        max(alpha, best),
        min(beta, stack.numbers[top, _WORST]),
    )


@inline
def _take_value(stack: Stack, top: int, n: int) -> None:
    """Note the value of the entry that was looked at last, one of ``n`` in the row."""
    _raise_height(stack, top)
    value = stack.result[0]
    if stack.marks[top, _MOVER] == CHANCE:
        stack.numbers[top, _BEST] += stack.probability[top, stack.marks[top, _I]] * value
        stack.marks[top, _I] += 1
        return
    stack.numbers[top, _WORST] = min(stack.numbers[top, _WORST], value)
    refuted = stack.numbers[top, _WORST] <= max(
        stack.numbers[top, _BEST], stack.numbers[top, _ALPHA]
    )
    if refuted:
        stack.marks[top, _REPLY] = _in_order(stack.marks[top, _J], stack.marks[top, _REPLY])
    stack.marks[top, _J] += 1
    if refuted or stack.marks[top, _J] == n:
        if stack.numbers[top, _WORST] > stack.numbers[top, _BEST]:
            stack.numbers[top, _BEST], stack.marks[top, _BEST_I] = (
                stack.numbers[top, _WORST],
                _in_order(stack.marks[top, _I], stack.marks[top, _TRIED]),
            )
        stack.marks[top, _I] += 1
        stack.marks[top, _J], stack.numbers[top, _WORST] = 0, np.inf


@inline
def _in_order(place: int, first: int) -> int:
    """What stands at a place if ``first`` is moved to the front."""
    return first if place == 0 else (place - 1 if place <= first else place)


# --- double oracle ---


@inline
def _begin_double_oracle(
    table: InformationSetTable, stack: Stack, top: int, largest: float
) -> None:
    m, n = stack.marks[top, _ROWS], stack.marks[top, _COLUMNS]
    for k in range(m * n):
        stack.bounds[top, 0, k], stack.bounds[top, 1, k], stack.known[top, k] = (
            -largest,
            largest,
            _UNKNOWN,
        )
    stack.numbers[top, _LEAST], stack.numbers[top, _MOST] = -largest, largest
    if stack.marks[top, _MOVER] == CHANCE:
        return
    for i in range(m):
        stack.restricted[top, 0, i] = False
    for j in range(n):
        stack.restricted[top, 1, j] = False
    stack.restricted[top, 0, _to_try(table, stack, top, _ZERO_FIRST)] = True
    stack.restricted[top, 1, _to_try(table, stack, top, _ONE_FIRST)] = True
    stack.marks[top, _PHASE] = _RESTRICTED


@kernel
def _double_oracle(
    table: InformationSetTable, stack: Stack, simplex: Simplex, top: int, tolerance: float
) -> bool:
    """A step of the search of a state in which somebody decides. Returns whether it is finished."""
    if stack.marks[top, _ASKED] >= 0:
        _take_bounds(stack, top)
    while True:
        if stack.marks[top, _PHASE] == _RESTRICTED:
            if _lacks_entry(stack, top, tolerance):
                return False
            _solve_restricted(stack, simplex, top, tolerance)
        if stack.marks[top, _PHASE] == _OF_ROWS:
            if _lacks_row(stack, top, tolerance):
                return False
            stack.numbers[top, _MOST] = min(stack.numbers[top, _MOST], stack.numbers[top, _BEST])
            if stack.numbers[top, _MOST] <= stack.numbers[top, _ALPHA]:
                return _finish(
                    table, stack, top, stack.numbers[top, _LEAST], stack.numbers[top, _MOST]
                )
            stack.marks[top, _PHASE] = _OF_COLUMNS
        if _lacks_column(stack, top, tolerance):
            return False
        stack.numbers[top, _LEAST] = max(stack.numbers[top, _LEAST], stack.numbers[top, _WORST])
        if stack.numbers[top, _LEAST] >= stack.numbers[top, _BETA]:
            return _finish(table, stack, top, stack.numbers[top, _LEAST], stack.numbers[top, _MOST])
        row, column = stack.marks[top, _BEST_I], stack.marks[top, _REPLY]
        if row < 0 and column < 0:
            return _finish(table, stack, top, stack.numbers[top, _U], stack.numbers[top, _U])
        if row >= 0:
            stack.restricted[top, 0, row] = True
        if column >= 0:
            stack.restricted[top, 1, column] = True
        stack.marks[top, _PHASE] = _RESTRICTED


@inline
def _lacks_entry(stack: Stack, top: int, tolerance: float) -> bool:
    """Whether an entry of the restricted game is not exact; then it is asked for."""
    n = stack.marks[top, _COLUMNS]
    for i in range(stack.marks[top, _ROWS]):
        if not stack.restricted[top, 0, i]:
            continue
        for j in range(n):
            k = i * n + j
            if stack.restricted[top, 1, j] and _is_open(stack, top, k, tolerance):
                if not _lacks_bounds(stack, top, k):
                    _ask(stack, top, k, _BOTH, stack.bounds[top, 0, k], stack.bounds[top, 1, k])
                return True
    return False


@inline
def _solve_restricted(stack: Stack, simplex: Simplex, top: int, tolerance: float) -> None:
    """Write x, y and u, and let the responses begin."""
    m, n = stack.marks[top, _ROWS], stack.marks[top, _COLUMNS]
    rows = 0
    for i in range(m):
        if not stack.restricted[top, 0, i]:
            continue
        columns = 0
        for j in range(n):
            if stack.restricted[top, 1, j]:
                stack.matrix[rows, columns] = 0.5 * (
                    stack.bounds[top, 0, i * n + j] + stack.bounds[top, 1, i * n + j]
                )
                columns += 1
        rows += 1
    solve_game(
        simplex,
        stack.matrix,
        rows,
        columns,
        tolerance,
        stack.sub[0],
        stack.sub[1],
        stack.result[2:],
    )
    _spread_out(stack.sub[0], stack.restricted[top, 0], m, stack.play[top, 0])
    _spread_out(stack.sub[1], stack.restricted[top, 1], n, stack.play[top, 1])
    stack.numbers[top, _U] = stack.numbers[top, _BEST] = stack.numbers[top, _WORST] = stack.result[
        2
    ]
    stack.marks[top, _I] = stack.marks[top, _J] = 0
    stack.marks[top, _BEST_I] = stack.marks[top, _REPLY] = -1
    stack.marks[top, _PHASE] = _OF_ROWS


@inline
def _spread_out(some: Floats, chosen: Flags, count: int, probabilities: Floats) -> None:
    place = 0
    for a in range(count):
        probabilities[a] = some[place] if chosen[a] else 0.0
        place += int(chosen[a])


@inline
def _lacks_row(stack: Stack, top: int, tolerance: float) -> bool:
    """Go through the rows for the best response to y. Whether it must be known first what was asked
    for.
    """
    m, n = stack.marks[top, _ROWS], stack.marks[top, _COLUMNS]
    while stack.marks[top, _I] < m:
        i = stack.marks[top, _I]
        if not stack.restricted[top, 0, i]:
            optimistic, unclear = 0.0, -1
            for j in range(n):
                if stack.play[top, 1, j] > 0.0:
                    if _lacks_bounds(stack, top, i * n + j):
                        return True
                    optimistic += stack.play[top, 1, j] * stack.bounds[top, 1, i * n + j]
                    if unclear < 0 and _is_open(stack, top, i * n + j, tolerance):
                        unclear = j
            if optimistic > stack.numbers[top, _BEST] + tolerance:
                if unclear >= 0:
                    k, weight = i * n + unclear, stack.play[top, 1, unclear]
                    needed = (
                        stack.numbers[top, _BEST] - (optimistic - weight * stack.bounds[top, 1, k])
                    ) / weight
                    _ask(
                        stack,
                        top,
                        k,
                        _BOTH,
                        max(stack.bounds[top, 0, k], needed),
                        stack.bounds[top, 1, k],
                    )
                    return True
                stack.numbers[top, _BEST], stack.marks[top, _BEST_I] = optimistic, i
        stack.marks[top, _I] += 1
    return False


@inline
def _lacks_column(stack: Stack, top: int, tolerance: float) -> bool:
    """The same for the best response to x."""
    m, n = stack.marks[top, _ROWS], stack.marks[top, _COLUMNS]
    while stack.marks[top, _J] < n:
        j = stack.marks[top, _J]
        if not stack.restricted[top, 1, j]:
            pessimistic, unclear = 0.0, -1
            for i in range(m):
                if stack.play[top, 0, i] > 0.0:
                    if _lacks_bounds(stack, top, i * n + j):
                        return True
                    pessimistic += stack.play[top, 0, i] * stack.bounds[top, 0, i * n + j]
                    if unclear < 0 and _is_open(stack, top, i * n + j, tolerance):
                        unclear = i
            if pessimistic < stack.numbers[top, _WORST] - tolerance:
                if unclear >= 0:
                    k, weight = unclear * n + j, stack.play[top, 0, unclear]
                    needed = (
                        stack.numbers[top, _WORST]
                        - (pessimistic - weight * stack.bounds[top, 0, k])
                    ) / weight
                    _ask(
                        stack,
                        top,
                        k,
                        _BOTH,
                        stack.bounds[top, 0, k],
                        min(stack.bounds[top, 1, k], needed),
                    )
                    return True
                stack.numbers[top, _WORST], stack.marks[top, _REPLY] = pessimistic, j
        stack.marks[top, _J] += 1
    return False


@kernel
def _mean(table: InformationSetTable, stack: Stack, top: int, tolerance: float) -> bool:
    """A step of the search of a state in which chance moves. Returns whether it is finished."""
    if stack.marks[top, _ASKED] >= 0:
        _take_bounds(stack, top)
    least, most, unclear = 0.0, 0.0, -1
    for k in range(stack.marks[top, _ROWS]):
        if _lacks_bounds(stack, top, k):
            return False
        least += stack.probability[top, k] * stack.bounds[top, 0, k]
        most += stack.probability[top, k] * stack.bounds[top, 1, k]
        if unclear < 0 and _is_open(stack, top, k, tolerance):
            unclear = k
    if unclear < 0 or most <= stack.numbers[top, _ALPHA] or least >= stack.numbers[top, _BETA]:
        return _finish(table, stack, top, least, most)
    lower, upper, weight = (
        stack.bounds[top, 0, unclear],
        stack.bounds[top, 1, unclear],
        stack.probability[top, unclear],
    )
    alpha = (stack.numbers[top, _ALPHA] - (most - weight * upper)) / weight
    beta = (stack.numbers[top, _BETA] - (least - weight * lower)) / weight
    return _ask(stack, top, unclear, _BOTH, max(lower, alpha), min(upper, beta))


@inline
def _is_open(stack: Stack, top: int, k: int, tolerance: float) -> bool:
    return stack.bounds[top, 1, k] - stack.bounds[top, 0, k] > tolerance


@inline
def _lacks_bounds(stack: Stack, top: int, k: int) -> bool:
    """Whether alpha-beta has yet to look at an entry; then it is asked for. The lower bound comes
    first.
    """
    lower, upper = stack.bounds[top, 0, k], stack.bounds[top, 1, k]
    if stack.known[top, k] == _UNKNOWN:
        _ask(stack, top, k, _ZERO_FIRST, lower, upper)
        return True
    if stack.known[top, k] == _HALF_KNOWN:
        _ask(stack, top, k, _ONE_FIRST, -upper, -lower)
        return True
    return False


@inline
def _take_bounds(stack: Stack, top: int) -> None:
    """Note the bounds of the entry that was asked for."""
    _raise_height(stack, top)
    k, mode, lower, upper = (
        stack.marks[top, _ASKED],
        stack.marks[top, _ASKED_MODE],
        stack.result[0],
        stack.result[1],
    )
    if mode == _ONE_FIRST:  # a value for player 1
        lower, upper = -upper, -lower
    if stack.counters[_CERTAIN] == 1:
        stack.bounds[top, 0, k], stack.bounds[top, 1, k], stack.known[top, k] = (
            lower,
            upper,
            _BOUNDED,
        )
    elif mode == _ZERO_FIRST:
        stack.bounds[top, 0, k] = min(max(stack.bounds[top, 0, k], lower), stack.bounds[top, 1, k])
        stack.known[top, k] = (
            _HALF_KNOWN if stack.bounds[top, 0, k] < stack.bounds[top, 1, k] else _BOUNDED
        )
    elif mode == _ONE_FIRST:
        stack.bounds[top, 1, k] = max(min(stack.bounds[top, 1, k], upper), stack.bounds[top, 0, k])
        stack.known[top, k] = _BOUNDED
    else:
        stack.bounds[top, 0, k] = min(max(stack.bounds[top, 0, k], lower), stack.bounds[top, 1, k])
        stack.bounds[top, 1, k] = max(min(stack.bounds[top, 1, k], upper), stack.bounds[top, 0, k])
    stack.marks[top, _ASKED] = -1
