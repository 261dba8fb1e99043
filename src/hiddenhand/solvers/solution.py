"""What a solver found."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hiddenhand import clock
from hiddenhand.dataframes import frame
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Floats
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.progress import SILENT, Progress
from hiddenhand.text import rounded
from hiddenhand.trees.profile import expected_values, nash_conv
from hiddenhand.trees.strategy import Strategy, strategy_from_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import DEFAULT_LIMIT, unroll

Convergence = tuple[tuple[int, float], ...]
"""Pairs of an iteration and nash_conv after it."""


class Play(ABC):
    """What is played by a solution, in the form in which it was found.

    game: the game.
    max_histories: how many histories are written out at most.
    """

    game: Game
    max_histories: int = DEFAULT_LIMIT

    @abstractmethod
    def strategy(self, progress: Progress = SILENT) -> Strategy:
        """See `Solution.strategy`."""

    @cached_property
    def tree(self) -> GameTree:
        """The game written out. Raises TooLargeError."""
        return unroll(self.game, self.max_histories)

    @cached_property
    def profile(self) -> Floats:
        """``float64[S]`` over the sequences of ``tree``."""
        return self.strategy().on(self.tree)


class TreePlay(Play):
    """A profile ``float64[S]`` of a tree."""

    def __init__(self, tree: GameTree, profile: Floats) -> None:
        self.game = tree.game
        self.tree = tree
        self.profile = profile

    def strategy(self, progress: Progress = SILENT) -> Strategy:
        return strategy_from_profile(self.tree, self.profile)


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Shown, Plotted):
    """A strategy profile and what is known of it.

    play: what is played, as it was found.
    method: what found the profile.
    values: what each player earns on average when all play it.
    nash_conv: how far it is from an equilibrium.
    iterations: those that it took.
    seconds: the time that it took, with that of measuring nash_conv.
    convergence: pairs of an iteration and nash_conv after it, the last iteration included; nothing
        for exact methods.
    target: the nash_conv that the run should reach; None if there was no target.
    tree: the game, which some methods write out only when it is first asked for. For many games
        that takes longer than solving them. Raises TooLargeError.
    profile: ``float64[S]`` over the sequences of ``tree``.
    """

    play: Play
    method: str
    values: tuple[float, ...]
    nash_conv: float
    iterations: int
    seconds: float
    convergence: Convergence = ()
    target: float | None = None

    @property
    def tree(self) -> GameTree:
        """The game written out."""
        return self.play.tree

    @property
    def profile(self) -> Floats:
        """``float64[S]`` over the sequences of ``tree``."""
        return self.play.profile

    @property
    def fell_short(self) -> bool:
        """Whether the run ended above its target: at a limit, or because nash_conv fell no more."""
        return self.target is not None and self.nash_conv > self.target

    @property
    def game(self) -> Game:
        """The game."""
        return self.play.game

    @property
    def value(self) -> float:
        """What player 0 earns on average."""
        return self.values[0]

    def strategy(self, *, progress: Progress = SILENT) -> Strategy:
        """The profile as a strategy, which can be kept in a file and played. ``progress`` receives
        reports of the work, if there is any.
        """
        return self.play.strategy(progress)

    def __repr__(self) -> str:
        figures = f"value {rounded(self.value)}, nash_conv {rounded(self.nash_conv)}"
        return f"Solution({self.game} by {self.method}: {figures})"

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
    convergence: Convergence | None = None,
) -> Solution:
    """A `Solution` whose values and nash_conv are computed from ``profile``.

    seconds: how long it took to find the profile; the time of this computation is added.
    convergence: what was seen before, None for an exact method.
    """
    began = clock.now()
    values = tuple(float(value) for value in expected_values(tree, profile))
    gap = nash_conv(tree, profile)
    seconds += clock.now() - began
    seen = () if convergence is None else with_last(convergence, iterations, gap)
    return Solution(TreePlay(tree, profile), method, values, gap, iterations, seconds, seen)


def with_last(convergence: Convergence, iterations: int, gap: float) -> Convergence:
    """``convergence`` with the last iteration and nash_conv after it, once."""
    return (*(look for look in convergence if look[0] < iterations), (iterations, gap))
