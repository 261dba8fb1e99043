"""Solving a game by one of the offline methods, whichever form it needs: its states, or all its
histories written out.

`solve` is what ``hiddenhand solve`` does. The methods are described in `hiddenhand algorithms`.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any, Final

from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import FileError, GameError, OptionError, UnusedOptionError
from hiddenhand.games.base import Game
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.states.graph import HiddenStateError, simultaneous_form
from hiddenhand.states.induction import Induction, solve_by_induction
from hiddenhand.trees.cfr import CFR
from hiddenhand.trees.linear_program import solve_lp
from hiddenhand.trees.mccfr import MCCFR, SAMPLINGS
from hiddenhand.trees.sampled_run import SampledRun
from hiddenhand.trees.solution import Solution
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll
from hiddenhand.trees.variants import VARIANTS
from hiddenhand.trees.vector_sampling import VRMCCFR

EXACT: Final = ("induction", "lp")
"""The methods that answer at once and exactly, so that there is nothing to iterate."""

_SAMPLED: Final = "mccfr-"
_VECTOR: Final = "vr-mccfr+"
METHODS: Final = (
    *EXACT,
    *VARIANTS,
    *(f"{_SAMPLED}{sampling}" for sampling in SAMPLINGS),
    _VECTOR,
)
"""All methods, by the names that the registry of algorithms has for them."""

MAX_HISTORIES: Final = 20_000_000
_SETTINGS: Final = {
    "mccfr-external": ("baseline", "rate"),
    "mccfr-outcome": ("epsilon", "baseline", "rate"),
    "mccfr-outcome-parallel": ("epsilon",),
    _VECTOR: ("baseline", "rate", "plus"),
}
"""Of the methods that sample, what can be set besides the seed."""
_TARGET: Final = 1e-3  # nash_conv to stop at, unless said, in units of the largest payoff above 1


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a method that iterates. ``found``: the solution as far as it had come."""

    def __init__(self, found: Solution) -> None:
        super().__init__(found)
        self.found = found


class UnsavedError(FileError):
    """The checkpoint of a run that has ended cannot be written. ``found``: the solution, which is
    none the worse for it.
    """

    def __init__(self, message: object, found: Solution) -> None:
        super().__init__(message)
        self.found = found


class StateSolution(Solution):
    """What backward induction found, as a `Solution`.

    induction: all that it found, by states. The game's histories are written out when ``tree`` or
    ``profile`` is first asked for, which for many games takes longer than solving them.
    """

    def __init__(self, induction: Induction, max_histories: int = MAX_HISTORIES) -> None:
        fields: dict[str, Any] = {
            "induction": induction,
            "method": "induction",
            "values": (induction.value, 0.0 - induction.value),
            "nash_conv": induction.nash_conv,
            "iterations": 0,
            "seconds": induction.seconds,
            "convergence": (),
            "_max_histories": max_histories,
        }
        self.__dict__.update(fields)

    induction: Induction
    _max_histories: int

    @cached_property
    def tree(self) -> GameTree:
        """The game written out. Raises TooLargeError."""
        return unroll(self.induction.game, self._max_histories)

    @cached_property
    def profile(self) -> Floats:
        """``float64[S]`` over the sequences of `tree`."""
        return self.strategy().on(self.tree)

    def strategy(self, *, progress: Progress = SILENT) -> Strategy:
        """See `Solution.strategy`. Raises TooLargeError."""
        return self.induction.strategy(max_nodes=self._max_histories, progress=progress)

    def __repr__(self) -> str:
        return (
            f"StateSolution({self.induction.game}, value={self.value}, nash_conv={self.nash_conv})"
        )


def solve(
    game: Game | GameTree | str,
    method: str | None = None,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    target: float | None = None,
    seed: int = 0,
    epsilon: float | None = None,
    baseline: str | None = None,
    rate: float | None = None,
    plus: bool | None = None,
    checkpoint: Path | str | None = None,
    max_histories: int = MAX_HISTORIES,
    progress: Progress = SILENT,
) -> Solution:
    """An equilibrium of a game small enough to be written out, or as near as was asked for.

    game: a game, its name, or the tree of one.
    method: one of `METHODS`. Unless said, induction where players move at once and nothing else is
        hidden, and lp elsewhere.
    iterations, seconds: how long a method that iterates may go on.
    target: the nash_conv at which a variant of CFR stops; where nothing says when to stop, 0.001,
        in units of the largest payoff if that is above 1.
    seed, epsilon: of the random numbers of MCCFR, and how much its outcome sampling explores.
    baseline, rate, plus: of the methods that sample, see `MCCFR` and `VRMCCFR`.
    checkpoint: a file from which a variant of CFR goes on, if there is one, and in which it keeps
        the state of its run.
    max_histories: how many histories, or states, are written out at most.

    Raises OptionError for options that have no meaning for the method, GameError for a game that it
    is not for, and TooLargeError. Ctrl-C in a method that iterates raises `Interrupted`.
    """
    given = {"epsilon": epsilon, "baseline": baseline, "rate": rate, "plus": plus}
    settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _verify_options(method, iterations, seconds, target, checkpoint, settings)
    game = load_game(game) if isinstance(game, str) else game
    rules = game.game if isinstance(game, GameTree) else game
    if method is not None:
        verify_solvable(rules, method)
    if method == "induction" or (method is None and _suits_induction(game)):
        try:
            found = solve_by_induction(rules, max_nodes=max_histories, progress=progress)
            return StateSolution(found, max_histories)
        except HiddenStateError:
            if method is not None:
                raise
    tree = game if isinstance(game, GameTree) else unroll(game, max_histories, progress)
    if method in (None, "lp"):
        return solve_lp(tree)
    if method in VARIANTS:
        return _by_cfr(tree, method, iterations, seconds, target, checkpoint, progress)
    assert method is not None
    assert iterations is not None  # as was verified
    run = (
        VRMCCFR(tree, seed=seed, **settings)
        if method == _VECTOR
        else MCCFR(tree, method.removeprefix(_SAMPLED), seed=seed, **settings)
    )
    return _by_sampling(run, iterations, progress)


def verify_solvable(game: Game, method: str) -> None:
    """Raise GameError unless ``method`` is for games like ``game``, as far as that can be told
    before all of it is written out.
    """
    two_and_zero_sum = game.num_players == 2 and game.zero_sum
    if method == "induction" and not two_and_zero_sum:
        raise GameError(
            "backward induction is for zero-sum games of two players, which "
            f"{simultaneous_form(game)} is not; use cfr"
        )
    if method == "lp" and not two_and_zero_sum:
        raise GameError(
            "the linear program is for zero-sum games of two players, which "
            f"{as_sequential(game)} is not; use cfr"
        )


def _suits_induction(game: Game | GameTree) -> bool:
    """Whether induction is worth a try. It says itself if a player cannot know the state."""
    if isinstance(game, GameTree):
        return False
    game = simultaneous_form(game)
    return game.simultaneous and game.zero_sum and game.num_players == 2


def _verify_options(
    method: str | None,
    iterations: int | None,
    seconds: float | None,
    target: float | None,
    checkpoint: Path | str | None,
    settings: Mapping[str, Any],
) -> None:
    if method not in (None, *METHODS):
        raise OptionError(f"there is no method {method!r}; choose one of: {', '.join(METHODS)}")
    if method in (None, *EXACT):
        if any(option is not None for option in (iterations, seconds, target, checkpoint)):
            exact = (
                "methods induction and lp, which are"
                if method is None
                else f"method {method}, which is"
            )
            raise OptionError(
                f"target, iterations, seconds and checkpoint have no meaning for the {exact} "
                "exact; choose another method"
            )
    elif method not in VARIANTS:
        for name, option in (("seconds", seconds), ("target", target), ("checkpoint", checkpoint)):
            if option is not None:
                raise UnusedOptionError(name, f"the method {method}")
        if iterations is None:
            raise OptionError(f"the method {method} needs a number of iterations; give one")
    for name in settings:
        if name not in _SETTINGS.get(method or "lp", ()):
            raise UnusedOptionError(name, f"the method {method or 'lp'}")


# --- methods that iterate ---


def _by_sampling(run: SampledRun, iterations: int, progress: Progress) -> Solution:
    try:
        return run.run(iterations, progress)
    except KeyboardInterrupt:
        raise Interrupted(run.solution()) from None


def _by_cfr(
    tree: GameTree,
    method: str,
    iterations: int | None,
    seconds: float | None,
    target: float | None,
    checkpoint: Path | str | None,
    progress: Progress,
) -> Solution:
    if iterations is None and seconds is None and target is None:
        target = _TARGET * max(1.0, tree.game.max_utility)
    run = _new_or_continued(tree, method, checkpoint)
    if checkpoint is not None:
        progress = _Saving(run, Path(checkpoint), progress)
    try:
        found, interrupted = (
            run.run(iterations, seconds=seconds, target=target, progress=progress),
            False,
        )
    except KeyboardInterrupt:
        found, interrupted = run.solution(), True
    if checkpoint is not None:
        try:
            run.save(checkpoint)
        except FileError as error:
            raise UnsavedError(error, found) from error
    if interrupted:
        raise Interrupted(found)
    return found


def _new_or_continued(tree: GameTree, method: str, checkpoint: Path | str | None) -> CFR:
    exists = checkpoint is not None and Path(checkpoint).exists()
    run = CFR.load(checkpoint, tree) if checkpoint is not None and exists else CFR(tree, method)
    if run.method != method:
        raise FileError(
            f"{checkpoint} is a run of {run.method}, not of {method}; name another file"
        )
    return run


class _Saving:
    """Saves a run of CFR now and then while it goes on. Where that fails the run goes on, too: it
    is saved again in the end, which then says what is wrong.
    """

    EVERY = 30.0  # seconds

    def __init__(self, run: CFR, checkpoint: Path, progress: Progress) -> None:
        self._run, self._checkpoint, self._progress = run, checkpoint, progress
        self._saved = monotonic()

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._progress.update(report)
        if monotonic() - self._saved > self.EVERY:
            with suppress(FileError):
                self._run.save(self._checkpoint)
            self._saved = monotonic()
