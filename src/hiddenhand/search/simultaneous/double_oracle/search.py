"""Double oracle with serialised alpha-beta: a search of games with simultaneous moves, which plays
exactly once it has searched to the end of the game.

Bosansky, Lisy, Cermak, Vitek and Pechoucek (2013), "Using double-oracle method and serialized
alpha-beta search for pruning in simultaneous move games" (DO alpha beta), and Bosansky, Lisy,
Lanctot, Cermak and Winands (2016), Section 3. For a state s in which both players choose,

A [R, C]       the matrix of the values of the states that pairs of actions lead to; the value of
               the matrix game A is the value of s
P, O [R, C]    pessimistic and optimistic bounds of the entries of A
x, y           an equilibrium of the *restricted* game, which consists of some rows and some columns
               of A
u              the value of the restricted game
alpha, beta    limits: the value of s makes a difference, to the state that asks for it, only
               between them

The entries of the restricted game are found exactly. Then each player looks for a best response to
the other among all actions. If a response earns more than u, it is added, and the restricted game
is solved again. If none does, u is the value of the state. Most entries are never found exactly,
because their bounds show that a row or column cannot be better. Bounds come from alpha-beta search
of two games in which moves are made in turns. In one of them player 0 commits first, which helps
player 1; in the other one player 1 commits first.

To keep a time limit, the search deepens step by step. States ``depth`` moves ahead are worth what
the game's evaluation function says, or 0 if the game has none. The search plays what it found to
one depth until it has finished the next depth. If the search used no evaluation, the play is
optimal, and the search ends.

What is different here. One explicit stack (`stack`) holds states that are searched by double oracle
and by both kinds of alpha-beta (`responses`), so that compiled code can stop after any number of
steps. A table (`bounds`) keeps what was found of a state, for one depth or for all
depths. States that differ only in their past count as equal, see `Game.forget_past`. Alpha-beta
first tries the action that was best, or the reply that refuted one, the last time.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.budget import Budget, verify_budget
from hiddenhand.errors import GameError
from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    State,
    verify_constant_sum,
    verify_listed,
)
from hiddenhand.games.history import Event
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.infoset_table import grown, num_sets
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.random import seed_sequence
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief_search import BeliefSearch, SearchParameters
from hiddenhand.search.exclusive_use import alone
from hiddenhand.search.simultaneous.double_oracle.bounds import empty_table, recall
from hiddenhand.search.simultaneous.double_oracle.responses import (
    begin_alpha_beta,
    begin_double_oracle,
    search_by_responses,
    search_in_turns,
    search_mean,
)
from hiddenhand.search.simultaneous.double_oracle.stack import (
    ALPHA,
    ASKED,
    ASKED_ALPHA,
    ASKED_BETA,
    ASKED_MODE,
    BETA,
    BOTH,
    CERTAIN,
    COLUMNS,
    DEPTH,
    EVALUATED,
    HEIGHT,
    MODE,
    MOVER,
    NOTHING,
    ONE_FIRST,
    PUSHED,
    RESULT_HEIGHT,
    ROWS,
    TOP,
    UNENDING,
    ZERO_FIRST,
    Stack,
    Task,
    make_child,
)
from hiddenhand.search.simultaneous.simultaneous_search import verify_open
from hiddenhand.search.table_search import verify_memory
from hiddenhand.solvers.simultaneous.matrix_games import TOLERANCE, Workspace
from hiddenhand.solvers.simultaneous.state_graph import simultaneous_form
from hiddenhand.solvers.simultaneous.state_keys import state_hash
from hiddenhand.text import one_line, rounded
from hiddenhand.trees.strategy import Weights

DEFAULT_MEMORY: Final = 2**30
_WITHOUT_END: Final = 2**62  # steps
_GROWTH: Final = 10_000  # rows that a larger table has room for at least


@dataclass(frozen=True)
class Even(EvaluationFunction):
    """Every state is worth 0: for games without an evaluation function."""

    def evaluate(self, game: Any, state: State, player: int) -> float:
        return 0.0


@dataclass(frozen=True, kw_only=True)
class DoubleOracleParameters(SearchParameters):
    """The parameters of `DoubleOracle`.

    memory: bytes that the table of states may take; a full table is emptied.
    seed: makes no difference, because the search draws nothing at random.
    """

    memory: int = DEFAULT_MEMORY
    seed: int = 0


@Algorithm(
    name="doab",
    paper="Bošanský, Lisý, Čermák, Vítek and Pěchouček (2013), Using double-oracle method and "
    "serialized alpha-beta search for pruning in simultaneous move games",
    summary="Double oracle with alpha-beta bounds, searching deeper and deeper; an iteration is "
    "one more depth.",
    games="zero-sum games of two players with simultaneous moves, in which nothing else is hidden",
    guarantee="optimal play once the search has reached the ends of the game; before that as good "
    "as the evaluation function",
    searches_chance=False,
)
class DoubleOracle(BeliefSearch):
    """DO alpha-beta for zero-sum games of two players in which nothing is hidden but what both
    choose at the same time.

    An iteration is a search to one more depth.

    Attributes:

    depth: how deep the deepest finished search of the present state was, in moves.
    value: what that search found the state to be worth to player 0.
    is_exact: whether that search used no evaluation; then the value and the play are optimal.
    """

    PARAMETERS = DoubleOracleParameters
    ALGORITHM: ClassVar[str] = "doab"

    settings: DoubleOracleParameters

    def _form_of(self, game: Game | str) -> Game:
        self.inner = simultaneous_form(game)
        return super()._form_of(game)

    def _prepare(self) -> None:
        verify_listed(self.game)
        verify_constant_sum(self.inner, "doab", "ismcts")
        verify_open(self.inner, past=False)
        self.memory = verify_memory(self.settings.memory)
        self.evaluation = evaluation_of(self.inner)
        self._room = Workspace.of(self.game.max_actions, self.game.max_actions)

    def __repr__(self) -> str:
        return one_line(self, self.game, f"depth {self.depth}", f"value {rounded(self.value)}")

    # --- a match ---

    def _sequences(self, seed: int) -> list[np.random.SeedSequence]:
        return [seed_sequence(seed)] * 2

    def _forget(self, own: np.random.SeedSequence) -> None:
        self.table = empty_table()
        self._stack = Stack.of(self.inner, 1)
        # by information set: what the deepest search that was finished there plays
        self._plays: dict[int, Floats] = {}
        self._pushed = np.zeros(3, np.int64)
        self._evaluated = self._iterations = self._emptied = 0
        self._forget_position()

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Follow the match. ``seconds`` and ``iterations`` make no difference, because few
        histories are consistent with what a player notices.
        """
        super().notice(events)

    def _arrive(self) -> None:
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
        iterations, seconds = verify_budget(iterations, seconds)
        budget = Budget(None if seconds is not None else _WITHOUT_END, seconds)
        if not self.belief.is_alive or self.is_exact:
            return
        wanted = math.inf if iterations is None else self._iterations + iterations
        with alone(self), explaining(self.game):
            state = self._state()
            self._begin(state)
            self._search(0)  # kernels are compiled, or loaded, before the clock starts

            def tell(_: int) -> None:
                is_finished = self._stack.counters[TOP] == 0
                if is_finished:
                    self._finish_depth()
                figures = {"depth": self.depth, "states": int(self._pushed.sum())}
                progress.update(Report(self._iterations, unit="depths", figures=figures))
                if is_finished:
                    if self.is_exact or self._iterations >= wanted:
                        raise StopIteration
                    self._begin(state)

            budget.spend(self._search, tell)

    def policy(self, num_actions: int) -> Floats:
        """What the deepest finished search plays; uniform if no search was finished."""
        played = self._plays.get(self.belief.information_key)
        return np.full(num_actions, 1.0 / num_actions) if played is None else played.copy()

    def weights(self) -> Weights:
        """The strategy in each information set that was searched, with weight 1."""
        return Weights.of(self._plays)

    def thought(self) -> Mapping[str, float]:
        """Figures by name: how many depths were searched, the last of them, how many states were
        searched by double oracle and by alpha-beta, how many were evaluated, the rows of the table,
        and how often the table was emptied.
        """
        return {
            "iterations": self._iterations,
            "depth": self.depth,
            "double oracle": int(self._pushed[BOTH]),
            "alpha-beta": int(self._pushed[ZERO_FIRST] + self._pushed[ONE_FIRST]),
            "evaluated": self._evaluated,
            "table": num_sets(self.table),
            "emptied": self._emptied,
        }

    # --- searches of one state ---

    def _forget_position(self) -> None:
        self.depth = 0
        self.value = 0.0
        self.is_exact = False

    def _state(self) -> State:
        """The present state. Raises GameError unless all histories that are consistent with what
        was noticed lead to the same state.
        """
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
        self._stack = Stack.of(self.inner, self.depth + 2)
        self._stack.state[0] = state
        self._make_room()
        _push_root(self.inner, self._task(), self.depth + 1)
        self._pushed[BOTH] += 1

    def _search(self, steps: int) -> int:
        """Make up to ``steps`` steps of the search that was begun, and count what it did."""
        self._make_room()
        counters = self._stack.counters
        before = counters.copy()
        made = _run(self.inner, self.evaluation, self._task(), steps)
        more = counters - before
        self._pushed += more[PUSHED : PUSHED + 3]
        self._evaluated += int(more[EVALUATED])
        return int(made)

    def _task(self) -> Task:
        tolerance = TOLERANCE * self.inner.max_utility
        return Task(self.table, self._stack, self._room, tolerance)

    def _make_room(self) -> None:
        """Let a full table grow, or begin a new one if it may not. Nothing on the stack depends on
        the rows of the table.
        """
        if not self.table.has_room(1, 1):
            larger = grown(self.table, _GROWTH, 1, self.memory)
            self._emptied += larger is None
            self.table = empty_table() if larger is None else larger

    def _finish_depth(self) -> None:
        stack = self._stack
        self._iterations += 1
        self.depth += 1
        self.value = float(stack.result[0])
        self.is_exact = stack.counters[RESULT_HEIGHT] < UNENDING
        if stack.marks[0, MOVER] in (self.seat, SIMULTANEOUS):
            num_actions = int(stack.marks[0, (ROWS, COLUMNS)[self.seat]])
            self._plays[self.belief.information_key] = stack.play[0, self.seat, :num_actions].copy()


def evaluation_of(game: Game) -> EvaluationFunction:
    """The game's own evaluation function, or `Even`."""
    try:
        return game.evaluation()
    except GameError:
        return Even()


# --- kernels ---


@kernel
def _push_root(game: Any, task: Task, depth: int) -> None:
    """Begin to search the state at the bottom of the stack."""
    task.stack.counters[TOP] = 0
    task.stack.key[0] = state_hash(task.stack.state[0])
    _push(game, task, BOTH, depth, -np.inf, np.inf)


@kernel
def _run(game: Any, evaluation: Any, task: Task, steps: int) -> int:
    """Make up to ``steps`` steps and return how many were made. In a step, the state on top of the
    stack takes the result that it requested. Then it requests another one, or is finished.
    """
    stack = task.stack
    made = 0
    while made < steps and stack.counters[TOP] > 0 and task.table.has_room(1, 1):
        top = stack.counters[TOP] - 1
        if stack.marks[top, MODE] != BOTH:
            finished = search_in_turns(task, top)
        elif stack.marks[top, MOVER] == CHANCE:
            finished = search_mean(task, top)
        else:
            finished = search_by_responses(task, top)
        if not finished:
            _answer(game, evaluation, task, top)
        made += 1
    return made


@inline
def _answer(game: Any, evaluation: Any, task: Task, top: int) -> None:
    """Answer the state at ``top``, which requested the value of an entry. If that value is known,
    it becomes the result. Else the state of the entry is put on the stack.
    """
    stack = task.stack
    counters, result, mode = stack.counters, stack.result, stack.marks[top, ASKED_MODE]
    alpha, beta = stack.numbers[top, ASKED_ALPHA], stack.numbers[top, ASKED_BETA]
    state, depth = stack.state[top + 1], stack.marks[top, DEPTH] - 1
    make_child(game, stack, top, stack.marks[top, ASKED])
    sign = -1.0 if mode == ONE_FIRST else 1.0
    counters[CERTAIN] = 1
    if game.current_player(state) == TERMINAL:
        result[0] = result[1] = sign * game.returns(state, 0)
        counters[RESULT_HEIGHT] = 0
        return
    if depth == 0:
        counters[EVALUATED] += 1
        result[0] = result[1] = sign * evaluation.evaluate(game, state, 0)
        counters[RESULT_HEIGHT] = UNENDING
        return
    game.forget_past(state)
    key = state_hash(state)
    stack.key[top + 1] = key
    is_new = stack.marks[top, MODE] == BOTH and mode == ZERO_FIRST
    if is_new and recall(task, BOTH, key, depth, -np.inf, np.inf):
        return
    counters[CERTAIN] = 0
    if not recall(task, mode, key, depth, alpha, beta):
        _push(game, task, mode, depth, alpha, beta)


@inline
def _push(game: Any, task: Task, mode: int, depth: int, alpha: float, beta: float) -> None:
    """Begin to search the state that lies above the stack."""
    stack = task.stack
    top = stack.counters[TOP]
    stack.counters[TOP] += 1
    stack.counters[PUSHED + mode] += 1
    state, marks, numbers = stack.state[top], stack.marks[top], stack.numbers[top]
    mover = game.current_player(state)
    marks[MODE], marks[MOVER], marks[DEPTH], marks[HEIGHT] = mode, mover, depth, 0
    marks[ASKED] = NOTHING
    numbers[ALPHA], numbers[BETA] = alpha, beta
    m, n = 1, 1
    if mover == CHANCE:
        m = game.chance_outcomes(state, stack.actions[top, 0], stack.probability[top])
    if mover in (0, SIMULTANEOUS):
        m = game.legal_actions(state, 0, stack.actions[top, 0])
    if mover in (1, SIMULTANEOUS):
        n = game.legal_actions(state, 1, stack.actions[top, 1])
    marks[ROWS], marks[COLUMNS] = m, n
    if mode == BOTH:
        begin_double_oracle(task, top, game.max_utility)
    else:
        begin_alpha_beta(task, top)
