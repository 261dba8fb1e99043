"""Runs of solvers that iterate: how long they continue, when they measure nash_conv, and how they
are kept in files.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand import clock
from hiddenhand.archives import Kind, count, defect, duration, load_arrays, save_arrays, text
from hiddenhand.budget import Budget, verify_budget
from hiddenhand.errors import FileError, OptionError, RefusedOptionError
from hiddenhand.games.base import Game
from hiddenhand.games.rule_digests import rules_of, verify_same_rules
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.dispatching import Stopwatch
from hiddenhand.jit.kernels import kernel
from hiddenhand.parameters import plain_number, whole_number
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.solvers.cfr_variants import Variant
from hiddenhand.solvers.solution import Convergence, Solution, solution
from hiddenhand.trees.profile import nash_conv, normalised
from hiddenhand.trees.tree import GameTree

HEADER: Final = {"game": text, "rules": text, "iterations": count, "seconds": duration}
"""What the header of every checkpoint has."""
_WITHOUT_END: Final = 2**62  # iterations
_PROGRESS: Final = 0.9
_PATIENCE: Final = 4000  # iterations, however soon there was no progress
_SAMPLES: Final = 25_000
"""The iteration after which sampling measures nash_conv first in a small game, where that takes as
long as 300 iterations.
"""


class Iterating(ABC):
    """Work on a game that is done in iterations, and can be continued.

    game: the game.
    iterations: the number of iterations made so far.
    seconds: the time that they took, without what was compiled on the way.
    variant: the variant of CFR that iterates; None for other methods.
    """

    variant: Variant | None = None

    def __init__(self, game: Game) -> None:
        self.game = game
        self.iterations = 0
        self.seconds = 0.0

    def iterate(
        self,
        iterations: int | Budget | None = None,
        *,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Make ``iterations`` more, or as many as ``seconds`` allow. Nothing is measured, while
        nash_conv takes as long as some five iterations of CFR.
        """
        budget = Budget(iterations, seconds)
        self._fix_horizon(budget)
        budget.spend(self._iterate, lambda done: progress.update(Report(done, budget.iterations)))

    def _iterate(self, times: int) -> int:
        watch = Stopwatch()
        try:
            self._advance(times)
        finally:  # also where Ctrl-C ends it
            self.seconds += watch.seconds
        return times

    @abstractmethod
    def _advance(self, times: int) -> None:
        """Make ``times`` iterations, and count them, also if Ctrl-C came meanwhile."""

    def _fix_horizon(self, budget: Budget) -> None:
        """Before the first iteration of a schedule that knows no horizon, make it known."""
        variant, horizon = self.variant, budget.iterations
        if variant is None or horizon is None or budget.seconds is not None or self.iterations:
            return
        if variant.has_schedule and not variant.horizon:
            self.variant = replace(variant, horizon=horizon)


class Checkpointed(Iterating):
    """Iterations whose state can be kept in a file."""

    @abstractmethod
    def _kind(self) -> Kind:
        """The kind of its files."""

    @abstractmethod
    def _arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """What the iterations modify in place, by the names in the file."""

    @property
    def state_bytes(self) -> int:
        """How many bytes the state takes."""
        return sum(array.nbytes for array in self._arrays().values())

    def save(self, path: Path | str) -> None:
        """Write a checkpoint. Where Ctrl-C has ended an iteration half-way, the checkpoint is as
        good, but not the one that whole iterations lead to.
        """
        header: dict[str, object] = {"game": repr(self.game), "rules": rules_of(self.game)}
        if self.variant is not None:
            header["variant"] = asdict(self.variant)
        header |= {"iterations": self.iterations, "seconds": self.seconds}
        save_arrays(path, self._kind(), header, self._arrays())

    def _restored(self, path: Path | str) -> Self:
        """The same in the state of a checkpoint. Raises FileError if it is not one."""
        kind = self._kind()
        header, arrays = load_arrays(path, kind)
        self._take_header(path, header)
        for name, held in self._arrays().items():
            array = arrays.pop(name)  # is freed before the next one is copied
            if array.shape != held.shape:
                raise defect(path, kind.name, name)
            held[:] = array
        return self

    def _take_header(self, path: Path | str, header: Mapping[str, Any]) -> None:
        """Take over what the header of a checkpoint says. Raises FileError."""
        if header["game"] != repr(self.game):
            raise FileError(
                f"{path} is a checkpoint of {header['game']}, not of {self.game}; give one made on "
                "the same game"
            )
        verify_same_rules(self.game, path, header["rules"])
        self.iterations, self.seconds = header["iterations"], header["seconds"]


class SolverRun(Iterating):
    """A run of a solver that converges, which measures nash_conv now and then.

    method: what the solution calls the method.
    """

    method: str

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._measured = 0.0  # seconds in which nash_conv was computed

    def __repr__(self) -> str:
        made = f"{self.iterations:,} iterations"
        return f"{type(self).__name__}({self.game}, {self.method}, {made})"

    @abstractmethod
    def nash_conv(self) -> float:
        """nash_conv of the average strategy, exactly."""

    @abstractmethod
    def solution(self, convergence: Convergence = ()) -> Solution:
        """What was found so far. ``convergence``: what was measured on the way."""

    @abstractmethod
    def _first_look(self) -> int:
        """The iteration after which nash_conv is measured first: some 80 times as many as a
        measurement takes as long as. Then all of them together take less than 2 % of a run, because
        from one to the next the number of iterations doubles.
        """

    def _next_check(self, check_every: int | None) -> int:
        """The next iteration after which a run with a target measures nash_conv."""
        every = check_every or 100
        return self.iterations - self.iterations % every + every

    def run(
        self,
        iterations: int | Budget | None = None,
        *,
        seconds: float | None = None,
        target: float | None = None,
        check_every: int | None = None,
        progress: Progress = SILENT,
    ) -> Solution:
        """Make ``iterations`` more (or spend a budget), or stop after ``seconds``, or once
        nash_conv of the average strategy is at most ``target``. One of the three must be given.
        A run with a target alone also ends where nash_conv falls no more, see `Stall`.

        nash_conv is computed every ``check_every`` iterations where there is a target [default: 100
        on a tree, and a tenth of all made in vector form], and elsewhere whenever the number of
        iterations has doubled. A run that is interrupted (Ctrl-C) keeps what it has done.

        A variant with a schedule whose horizon is not known takes ``iterations`` of the first run
        as its horizon, provided that nothing else may end the run. The horizon stays the same when
        the run is continued or saved; `solvers.cfr_variants` says what happens beyond it, and
        without one.
        """
        if isinstance(iterations, Budget):
            iterations, seconds = verify_budget(iterations, seconds)
        _verify_limits(iterations, seconds, target, check_every)
        endless = iterations is None and seconds is None
        budget = Budget(_WITHOUT_END if endless else iterations, seconds)
        if target is None:
            self._fix_horizon(budget)
        stall = Stall() if endless else None
        convergence: list[tuple[int, float]] = []

        def next_stop() -> int:
            if target is not None:
                return self._next_check(check_every)
            look = self._first_look()
            while look <= self.iterations:
                look *= 2
            return look

        stop = next_stop()

        def work(count: int) -> int:
            return self._iterate(min(count, stop - self.iterations))

        def look(done: int) -> None:
            nonlocal stop
            if self.iterations < stop:
                progress.update(Report(done, iterations))
                return
            stop = next_stop()
            began = clock.now()
            gap = self.nash_conv()
            self._measured += clock.now() - began
            convergence.append((self.iterations, gap))
            progress.update(Report(done, iterations, figures={"nash_conv": gap}))
            if target is not None and gap <= target:
                raise StopIteration
            if stall is not None and stall.at(self.iterations, gap):
                raise StopIteration

        budget.spend(work, look)
        return replace(self.solution(tuple(convergence)), target=target)


def _verify_limits(
    iterations: int | None, seconds: float | None, target: float | None, check_every: int | None
) -> None:
    if iterations is None and seconds is None and target is None:
        raise OptionError(
            "give a number of iterations or of seconds, a target for nash_conv, or several of them"
        )
    if target is not None and not (isinstance(plain_number(target), (int, float)) and target > 0):
        raise RefusedOptionError("target", target, "give a nash_conv above 0")
    if check_every is not None:
        whole_number("check_every", check_every)


class Stall:
    """Notices that nash_conv falls no more: it lost less than a tenth while the number of
    iterations grew to four times as many.
    """

    def __init__(self) -> None:
        self._best, self._iterations = math.inf, 0

    def at(self, iterations: int, gap: float) -> bool:
        """Whether there was no progress for so long. ``gap``: nash_conv after ``iterations``."""
        if gap < _PROGRESS * self._best:
            self._best, self._iterations = gap, iterations
        return iterations >= max(_PATIENCE, 4 * self._iterations)


class TreeRun(SolverRun):
    """A run on a written-out game.

    tree: the game.
    regret: ``float64[S]``, the cumulative regrets.
    average: ``float64[S]``, the average strategy, not yet normalised.
    """

    def __init__(self, tree: GameTree, method: str) -> None:
        super().__init__(tree.game)
        self.tree = tree
        self.method = method
        self.regret = np.zeros(tree.num_sequences)
        self.average = np.zeros(tree.num_sequences)

    def average_profile(self) -> Floats:
        """The average strategy as a profile ``float64[S]``: what converges."""
        return normalised(self.tree, self.average)

    def nash_conv(self) -> float:
        return nash_conv(self.tree, self.average_profile())

    def solution(self, convergence: Convergence = ()) -> Solution:
        seconds = self.seconds + self._measured
        profile = self.average_profile()
        return solution(self.tree, self.method, profile, self.iterations, seconds, convergence)


class SampledRun(TreeRun):
    """A run of sampled CFR. Equal seeds and iterations give equal results, however the run is cut
    into pieces. Those that derive from it set `_traversals`, an instance with a compiled method
    ``iterate``.
    """

    _traversals: Any

    def _first_look(self) -> int:
        return _SAMPLES + 2 * self.tree.num_histories

    def _advance(self, times: int) -> None:
        made = np.zeros(1, np.int64)
        try:
            _run(self._traversals, times, made)
        finally:
            self.iterations += int(made[0])


@kernel
def _run(sampling: Any, times: int, made: Integers) -> None:
    """Make ``times`` iterations; ``made`` ``int64[1]`` counts them."""
    for _ in range(times):
        sampling.iterate()
        made[0] += 1
