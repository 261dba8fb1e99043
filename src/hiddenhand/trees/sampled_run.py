"""What all runs of sampled CFR on a written-out game share: they run for a budget of iterations or
seconds, measure nash_conv now and then, and return a solution.
"""

from typing import Any, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.kernels import kernel
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.trees.profile import nash_conv, normalised
from hiddenhand.trees.solution import Solution, next_look, solution
from hiddenhand.trees.tree import GameTree

_FIRST_LOOK: Final = 25_000
"""The iteration after which nash_conv is computed first in a small game, where that takes as long
as 300 iterations.
"""


class SampledRun:
    """A run of sampled CFR that can be continued. Those that derive from it set `_traversals`, an
    instance with a compiled method ``iterate``.

    method: what the solution calls the method.
    iterations: those made so far.
    seconds: the time that they took.
    regret: ``float64[S]``, the cumulative regrets.
    average: ``float64[S]``, the average strategy, not yet normalised.
    """

    _traversals: Any

    def __init__(self, tree: GameTree, method: str) -> None:
        self.tree = tree
        self.method = method
        self.iterations = 0
        self.seconds = 0.0
        self._measured = 0.0  # seconds in which nash_conv was computed
        self.regret = np.zeros(tree.num_sequences)
        self.average = np.zeros(tree.num_sequences)

    def __repr__(self) -> str:
        made = f"{self.iterations:,} iterations"
        return f"{type(self).__name__}({self.tree.game}, {self.method}, {made})"

    def run(
        self,
        iterations: int | None = None,
        progress: Progress = SILENT,
        *,
        seconds: float | None = None,
    ) -> Solution:
        """Make ``iterations`` more, or go on for ``seconds``. Equal seeds and iterations give equal
        results, however the run is cut into pieces.

        nash_conv is computed whenever the number of iterations has doubled.
        """
        convergence: list[tuple[int, float]] = []

        def next_stop() -> int:
            return next_look(_FIRST_LOOK + 2 * self.tree.num_histories, self.iterations)

        stop = next_stop()

        def work(count: int) -> int:
            return self._iterate(min(count, stop - self.iterations))

        def look(done: int) -> None:
            nonlocal stop
            if self.iterations == stop:
                began = clock.now()
                convergence.append((self.iterations, nash_conv(self.tree, self.average_profile())))
                self._measured += clock.now() - began
                stop = next_stop()
            progress.update(Report(done, iterations))

        Budget(iterations, seconds).spend(work, look)
        return self.solution(tuple(convergence))

    def solution(self, convergence: tuple[tuple[int, float], ...] = ()) -> Solution:
        """What was found so far."""
        return solution(
            self.tree,
            self.method,
            self.average_profile(),
            self.iterations,
            self.seconds + self._measured,
            convergence,
        )

    def average_profile(self) -> Floats:
        """The average strategy as a profile ``float64[S]``."""
        return normalised(self.tree, self.average)

    def _iterate(self, count: int) -> int:
        began = clock.now()
        _run(self._traversals, count)
        self.iterations += count
        self.seconds += clock.now() - began
        return count


@kernel
def _run(sampling: Any, count: int) -> None:
    """Make ``count`` iterations."""
    for _ in range(count):
        sampling.iterate()
