"""What a solver found."""

from dataclasses import dataclass
from typing import Any

from hiddenhand.compiled.arrays import Floats
from hiddenhand.frames import frame
from hiddenhand.games.base import Game
from hiddenhand.progress import SILENT, Progress
from hiddenhand.text import rounded
from hiddenhand.trees.profile import expected_values, nash_conv
from hiddenhand.trees.strategy import Strategy, strategy_from_profile
from hiddenhand.trees.tree import GameTree


@dataclass(frozen=True, eq=False)
class Solution:
    """A strategy profile and what is known of it.

    tree: the game.
    method: what found the profile.
    profile: ``float64[S]`` over the sequences of ``tree``.
    values: what each player earns on average when all play it.
    nash_conv: how far it is from an equilibrium.
    iterations: those that it took.
    seconds: the time that it took.
    convergence: pairs of an iteration and nash_conv after it, the last iteration included; nothing
        for exact methods.
    """

    tree: GameTree
    method: str
    profile: Floats
    values: tuple[float, ...]
    nash_conv: float
    iterations: int
    seconds: float
    convergence: tuple[tuple[int, float], ...] = ()

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
    """A `Solution` whose values and nash_conv are computed from ``profile``. ``convergence``: what
    was seen before, None for an exact method.
    """
    values = tuple(float(value) for value in expected_values(tree, profile))
    gap = nash_conv(tree, profile)
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


def next_look(first: int, iterations: int) -> int:
    """The next iteration after ``iterations`` at which to look how far a run has come: ``first``,
    and whenever it has doubled since.

    With a ``first`` some 80 times as long as a look, all looks together take less than 2 % of a
    run.
    """
    while first <= iterations:
        first *= 2
    return first
