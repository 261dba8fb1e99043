"""What work costs, by which `auto` decides what fits into the time of a move.

``python -m benchmarks.costs`` measures the numbers, and says which of them to type here. Budgets in
iterations do not depend on time: there, fixed rates of exchange say how much other work an
iteration by sampling stands for, see `tree_budget` and `search.auto.backward_induction`.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class CostModel:
    """What work costs on one core of an ordinary machine.

    visit: seconds of an iteration of CFR for each history.
    iteration: seconds of an iteration of CFR besides.
    history: seconds to write a history out, where the game itself was not measured.
    tree: seconds to write a game out besides.
    samples: iterations by sampling in a second.
    numbers: numbers that iterations in vector form walk over in a second.
    plain_state: seconds to find and solve a state by backward induction if nothing is hidden,
        before anything was measured.
    joint_state: the same if choices are made at the same moment, and players have to mix.
    """

    visit: float = 2e-9
    iteration: float = 2e-6
    history: float = 2e-7
    tree: float = 5e-4
    samples: float = 1e6
    numbers: float = 6e7
    plain_state: float = 7e-7
    joint_state: float = 1e-5


COSTS: Final = CostModel()
