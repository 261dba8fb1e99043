"""Trembles: the other player, who acts by regret matching in a traversal for an update player, acts
uniformly at random now and then.

Without trembles, as in the paper, nothing is learned in sets that the opponent never goes to, and
play is arbitrary there once an opponent errs. In iteration t the other player acts at random with
probability e = tremble / sqrt(t), at most a half. So e falls as the noise of samples does, and what
is found in the end is an equilibrium of the game without trembles.
"""

import math
from typing import Final

from hiddenhand.errors import OptionError
from hiddenhand.jit.inlining import inline

TREMBLE: Final = 1.0
"""A tremble that is large enough to learn by, and costs less than the noise of samples."""
_MOST: Final = 0.5


def verify_tremble(tremble: float) -> float:
    """``tremble`` as a number. Raises OptionError unless it is finite and at least 0."""
    if not 0 <= tremble < math.inf:
        raise OptionError(f"tremble={tremble} is not allowed; give a number of at least 0")
    return float(tremble)


@inline
def error_of(tremble: float, before: int) -> float:
    """e after so many iterations."""
    return min(tremble / math.sqrt(before + 1.0), _MOST)
