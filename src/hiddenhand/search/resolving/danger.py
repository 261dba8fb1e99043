"""Which of two strategies is safer in a gadget game: what was found there, or that of a blueprint.

The gadget keeps a solution safe, if it is solved. After a few iterations it is not, and a blueprint
that was trained for long may be better. Both are answered by a best response, exactly.
"""

from typing import Final

import numpy as np

from hiddenhand.compiled.arrays import Floats

_UNSAFE: Final = 30.0  # how many times worse it is to lose safety than to let the opponent earn


def danger(earned: Floats, gate: Floats | None) -> float:
    """How dangerous a strategy is: what the opponent earns, and, which counts for far more, how
    much of that is above t(I), which the opponent must not earn.

    earned: ``float64[G]``, what a best response to the strategy earns with each of the opponent's
        sets, times how much attention the set gets.
    gate: ``float64[G]``, t(I) times the same; None where the opponent has no such choice.
    """
    above = 0.0 if gate is None else float(np.maximum(earned - gate, 0.0).sum())
    return float(earned.sum()) + _UNSAFE * above
