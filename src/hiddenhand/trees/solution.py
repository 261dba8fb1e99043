"""What a solver found."""

from dataclasses import dataclass

from hiddenhand.trees.profile import expected_values, nash_conv
from hiddenhand.trees.tree import Floats, GameTree


@dataclass(frozen=True, eq=False)
class Solution:
    """A strategy profile and what is known of it.

    profile: ``float64[S]`` over the sequences of ``tree``; values: what each player earns on average when all play it; nash_conv: how far it is from
    an equilibrium; convergence: (iteration, nash_conv) at the iterations where it was looked at.
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
    def value(self) -> float:
        """What player 0 earns on average."""
        return self.values[0]


def solution(
    tree: GameTree, method: str, profile: Floats, iterations: int, seconds: float, convergence: tuple[tuple[int, float], ...] = ()
) -> Solution:
    """A `Solution` whose values and nash_conv are computed from ``profile``."""
    values = tuple(float(value) for value in expected_values(tree, profile))
    return Solution(tree, method, profile, values, nash_conv(tree, profile), iterations, seconds, convergence)
