"""What a solver found."""

import math
from dataclasses import dataclass
from typing import Any, Final

from hiddenhand import clock
from hiddenhand.compiled.arrays import Floats
from hiddenhand.frames import frame
from hiddenhand.games.base import Game
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.progress import SILENT, Progress
from hiddenhand.text import rounded
from hiddenhand.trees.profile import expected_values, nash_conv
from hiddenhand.trees.strategy import Strategy, strategy_from_profile
from hiddenhand.trees.tree import GameTree

_PROGRESS: Final = 0.9
_PATIENCE: Final = 4000  # iterations, however soon there was no progress


@dataclass(frozen=True, eq=False)
class Solution(Shown, Plotted):
    """A strategy profile and what is known of it.

    tree: the game.
    method: what found the profile.
    profile: ``float64[S]`` over the sequences of ``tree``.
    values: what each player earns on average when all play it.
    nash_conv: how far it is from an equilibrium.
    iterations: those that it took.
    seconds: the time that it took, with that of measuring nash_conv.
    convergence: pairs of an iteration and nash_conv after it, the last iteration included; nothing
        for exact methods.
    target: the nash_conv that the run should reach; None if there was no target.
    """

    tree: GameTree
    method: str
    profile: Floats
    values: tuple[float, ...]
    nash_conv: float
    iterations: int
    seconds: float
    convergence: tuple[tuple[int, float], ...] = ()
    target: float | None = None

    @property
    def fell_short(self) -> bool:
        """Whether the run ended above its target, because nash_conv fell no more."""
        return self.target is not None and self.nash_conv > self.target

    @property
    def game(self) -> Game:
        """The game."""
        return self.tree.game

    @property
    def value(self) -> float:
        """What player 0 earns on average."""
        return self.values[0]

    def strategy(self, *, progress: Progress = SILENT) -> Strategy:
        """The profile as a strategy, which can be kept in a file and played. ``progress`` receives
        reports of the work, if there is any.
        """
        return strategy_from_profile(self.tree, self.profile)

    def __repr__(self) -> str:
        return solution_in_words(self)

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` of ``convergence``: method, iteration and nash_conv."""
        return frame(
            {"method": self.method, "iteration": iteration, "nash_conv": gap}
            for iteration, gap in self.convergence
        )


def solution(
    tree: GameTree,
    method: str,
    profile: Floats,
    iterations: int,
    seconds: float,
    convergence: tuple[tuple[int, float], ...] | None = None,
) -> Solution:
    """A `Solution` whose values and nash_conv are computed from ``profile``.

    seconds: how long it took to find the profile; the time of this computation is added.
    convergence: what was seen before, None for an exact method.
    """
    began = clock.now()
    values = tuple(float(value) for value in expected_values(tree, profile))
    gap = nash_conv(tree, profile)
    seconds += clock.now() - began
    if convergence is None:
        return Solution(tree, method, profile, values, gap, iterations, seconds)
    before = tuple(look for look in convergence if look[0] < iterations)
    return Solution(
        tree, method, profile, values, gap, iterations, seconds, (*before, (iterations, gap))
    )


def solution_in_words(found: Solution) -> str:
    """A solution of any class in one line."""
    figures = f"value {rounded(found.value)}, nash_conv {rounded(found.nash_conv)}"
    return f"{type(found).__name__}({found.game} by {found.method}: {figures})"


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


def next_look(first: int, iterations: int) -> int:
    """The next iteration after ``iterations`` at which to look how far a run has come: ``first``,
    and whenever it has doubled since.

    With a ``first`` some 80 times as long as a look, all looks together take less than 2 % of a
    run.
    """
    while first <= iterations:
        first *= 2
    return first
