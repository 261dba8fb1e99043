"""MCCFR in vector form: one public action of the opponent is sampled, and all hands play.

Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games", by external sampling; Johanson, Bard, Lanctot, Gibson and Bowling (2012),
"Efficient Nash equilibrium approximation through Monte Carlo counterfactual regret minimization",
who sample public moves of chance while all hands play. Here public actions of the opponent are
sampled, too. Regret that falls below 0 is forgotten, and iteration t weighs t, as in CFR+ (Tammelin
2014).

An iteration follows all own actions, and one of the opponent's public actions. So it takes a small
part of the time of an iteration of CFR. In games that are large even in vector form, a run comes
sooner to a fair strategy. Later, CFR is nearer to an equilibrium.
"""

from dataclasses import replace
from typing import ClassVar

from hiddenhand.algorithm import Algorithm
from hiddenhand.solvers.vector_form.profile import Walks
from hiddenhand.solvers.vector_form.public_game import VectorForm
from hiddenhand.solvers.vector_form.public_tree_walk import Step
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR


@Algorithm(
    name="vector-mccfr",
    paper="Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret "
    "minimization in extensive games; all hands at once: Johanson, Bard, Lanctot, Gibson and "
    "Bowling (2012), Efficient Nash equilibrium approximation through Monte Carlo counterfactual "
    "regret minimization",
    summary="MCCFR for all hands at once, on the tree of what is public: one public action of the "
    "opponent is sampled.",
    games="zero-sum games of two players in which all moves are public and only hands are hidden, "
    "also where vector-cfr takes too long",
    guarantee="the average strategy converges to an equilibrium",
)
class VectorMCCFR(VectorCFR):
    """A run of MCCFR in vector form, for zero-sum games of two players whose moves are public.

    seed: the seed of the random numbers, a whole number of at least 0.
    bits: the size of each number in memory, 32 or 64; by default 32 in a large game, else 64.
    """

    NAME: ClassVar[str] = "vector-mccfr"

    def __init__(self, form: VectorForm, *, seed: int = 0, bits: int | None = None) -> None:
        super().__init__(form, variant="cfr+", bits=bits)
        self.walks = Walks(form, seed=seed)

    def _step(self, player: int) -> Step:
        return replace(super()._step(player), samples=True)
