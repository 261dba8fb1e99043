"""Solving a game by one of the solvers of the registry, whichever form the solver needs: the game's
states, or all its histories written out.

`solve` is what ``hiddenhand solve`` does. The methods are described in `hiddenhand algorithms`.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from hiddenhand import clock
from hiddenhand.budget import Budget, verify_budget
from hiddenhand.errors import (
    FileError,
    Interrupted,
    OptionError,
    RefusedOptionError,
    UnsavedError,
    UnusedOptionError,
)
from hiddenhand.files import as_path
from hiddenhand.games.base import Game, is_constant_sum, verify_constant_sum
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.parameters import plain_number, whole_number
from hiddenhand.progress import SILENT, Progress, Report, verify_progress
from hiddenhand.search.algorithms import SOLVER, Algorithm, read_algorithm
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.solvers.refined_lp import solve_refined_lp
from hiddenhand.solvers.runs import Checkpointed, SolverRun
from hiddenhand.solvers.simultaneous.backward_induction import (
    induction_solution,
    solve_by_induction,
)
from hiddenhand.solvers.simultaneous.state_graph import HiddenStateError, simultaneous_form
from hiddenhand.solvers.solution import Solution
from hiddenhand.solvers.vector_form.public_game import vector_form
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import DEFAULT_LIMIT, unroll

EXACT: Final = ("induction", "lp")
"""The methods that answer at once and exactly, so that there is nothing to iterate."""
VECTOR: Final = ("vector-cfr", "vector-mccfr")
"""The methods that look at all hands at once, and write nothing out."""

_TARGET: Final = 1e-3  # nash_conv to stop at by default, in units of the largest payoff above 1


def solve(
    game: Game | GameTree | str,
    method: str | None = None,
    *,
    iterations: int | Budget | None = None,
    seconds: float | None = None,
    target: float | None = None,
    seed: int | None = None,
    epsilon: float | None = None,
    baseline: str | None = None,
    rate: float | None = None,
    plus: bool | None = None,
    checkpoint: Path | str | None = None,
    max_histories: int = DEFAULT_LIMIT,
    progress: Progress = SILENT,
) -> Solution:
    """Solve a game that is small enough to be written out.

    game: a game, its name, or the tree of one.
    method: a solver of the registry, with its parameters if it has any, such as "cfr+" or
        "mccfr-outcome(epsilon=0.5,seed=1)". By default induction if players move at once and
        nothing else is hidden, and lp otherwise.
    iterations, seconds: the limits of a method that iterates.
    target: the nash_conv at which a variant of CFR, or a solver for all hands at once, stops;
        without any limit, 0.001, in units of the largest payoff if that is above 1.
    seed: the seed of the random numbers of a method that samples; 0 by default.
    epsilon: the exploration of outcome sampling of MCCFR; 0.6 by default.
    baseline, rate, plus: parameters of methods that sample, see `MCCFR` and `VRMCCFR`.
    checkpoint: the file in which such a solver keeps the state of its run; if the file exists, the
        run continues from it.
    max_histories: the most histories, or states, that are written out.

    Returns an equilibrium, or an approximation of one up to ``target``. Raises OptionError for a
    method that does not exist, and for options that have no meaning for the method. Raises
    GameError for a game that the method cannot solve, and TooLargeError. Ctrl-C in a method that
    iterates raises `Interrupted`.
    """
    if isinstance(iterations, Budget):
        iterations, seconds = verify_budget(iterations, seconds)
    algorithm, in_spec = (None, {}) if method is None else read_algorithm(method, SOLVER)
    name = None if algorithm is None else algorithm.name
    target, max_histories = plain_number(target), whole_number("max_histories", max_histories)
    checkpoint = None if checkpoint is None else as_path(checkpoint, "checkpoint")
    verify_progress(progress)
    _verify_options(name, iterations, seconds, target, checkpoint)
    by_name = {"seed": seed, "epsilon": epsilon, "baseline": baseline, "rate": rate, "plus": plus}
    arguments = _arguments(algorithm, in_spec, by_name)
    rules = game.game if isinstance(game, GameTree) else game_of(game)
    if name is not None:
        verify_solvable(rules, name)
    if name == "induction" or (name is None and _suits_induction(game, rules)):
        try:
            found = solve_by_induction(rules, max_nodes=max_histories, progress=progress)
            return induction_solution(found, max_histories)
        except HiddenStateError:
            if name is not None:
                raise
    form: Any
    if name in VECTOR:
        form = vector_form(rules, progress=progress)
    else:
        form = game if isinstance(game, GameTree) else unroll(rules, max_histories, progress)
    if algorithm is None or name == "lp":
        return solve_refined_lp(form)
    target = _target(rules, iterations, seconds, target)
    if checkpoint is not None and checkpoint.exists():
        run = algorithm.load().load(checkpoint, form, **arguments)
    else:
        run = algorithm.load()(form, **arguments)
    return _iterated(run, iterations, seconds, target, checkpoint, progress)


def method_used(method: str | None, found: Solution) -> str:
    """The method that ``solve`` used, with the parameters that its name came with, in the one form
    that is printed. ``found``: what it returned.
    """
    if method is None:
        return found.method
    algorithm, given = read_algorithm(method, SOLVER)
    return algorithm.spec(given)


_FOR_CONSTANT_SUM: Final = {
    "induction": "backward induction",
    "lp": "the linear program",
    **dict.fromkeys(VECTOR, "the vector form"),
}
"""Methods for constant-sum games of two players, and what messages call them."""


def verify_solvable(game: Game, method: str) -> None:
    """Raise GameError if ``method`` is not for games like ``game``, as far as the rules show that
    before the game is written out.
    """
    if method in _FOR_CONSTANT_SUM:
        verify_constant_sum(as_sequential(game), _FOR_CONSTANT_SUM[method], "cfr")


def _suits_induction(game: Game | GameTree | str, rules: Game) -> bool:
    """Whether induction is worth a try. It says itself if a player cannot know the state."""
    if isinstance(game, GameTree):
        return False
    joint = simultaneous_form(rules)
    return joint.simultaneous and is_constant_sum(joint)


def _arguments(
    algorithm: Algorithm | None, in_spec: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """What the solver is made with. ``options``: parameters that were given by name, or None."""
    given = {name: value for name, value in options.items() if value is not None}
    known = [] if algorithm is None else [parameter.name for parameter in algorithm.parameters]
    for name in given:
        if name not in known:
            asked = "methods induction and lp" if algorithm is None else f"method {algorithm.name}"
            raise UnusedOptionError(name, f"the {asked}")
    return {} if algorithm is None else algorithm.arguments(algorithm.given_once(in_spec, given))


def _verify_options(
    method: str | None,
    iterations: int | None,
    seconds: float | None,
    target: float | None,
    checkpoint: Path | str | None,
) -> None:
    """Raise OptionError for what has no meaning for ``method``, and for what it needs."""
    if target is not None and not isinstance(target, (int, float)):
        raise RefusedOptionError("target", target, "give a nash_conv above 0")
    of_variants = {"seconds": seconds, "target": target, "checkpoint": checkpoint}
    given = [name for name, option in of_variants.items() if option is not None]
    if method in (None, *EXACT):
        exact = "methods induction and lp, which are exact"
        if method is not None:
            exact = f"method {method}, which is exact"
        for name in (*(["iterations"] if iterations is not None else []), *given):
            raise UnusedOptionError(name, f"the {exact}", "leave it out, or name another method")
    elif method not in (*VARIANTS, *VECTOR):
        for name in given:
            raise UnusedOptionError(name, f"the method {method}")
        if iterations is None:
            raise OptionError(f"the method {method} needs a number of iterations; give one")


# --- methods that iterate ---


def _target(
    game: Game, iterations: int | None, seconds: float | None, target: float | None
) -> float | None:
    """The nash_conv to stop at; where nothing else says when to stop, there is one."""
    if iterations is None and seconds is None and target is None:
        return _TARGET * max(1.0, game.max_utility)
    return target


def _iterated(
    run: SolverRun,
    iterations: int | None,
    seconds: float | None,
    target: float | None,
    checkpoint: Path | None,
    progress: Progress,
) -> Solution:
    """What a run finds that is kept in a checkpoint, if there is one."""
    interrupted = False
    if checkpoint is not None:
        assert isinstance(run, Checkpointed)  # as was verified
        progress = _Saving(run, checkpoint, progress)
    try:
        found = run.run(iterations, seconds=seconds, target=target, progress=progress)
    except KeyboardInterrupt:
        found, interrupted = run.solution(), True
    if isinstance(progress, _Saving):
        try:
            progress.save()
        except FileError as error:
            raise UnsavedError(error, found) from error
    if interrupted:
        raise Interrupted(found)
    return found


class _Saving:
    """Saves a run of CFR now and then. If that fails, the run continues: it is saved again at the
    end, and that raises the error.
    """

    EVERY = 30.0  # seconds

    def __init__(self, run: Checkpointed, checkpoint: Path, progress: Progress) -> None:
        self._run, self._checkpoint, self._progress = run, checkpoint, progress
        self._saved = clock.now()

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._progress.update(report)
        if clock.now() - self._saved > self.EVERY:
            with suppress(FileError):
                self.save()
            self._saved = clock.now()

    def save(self) -> None:
        """Write the checkpoint now."""
        self._run.save(self._checkpoint)
