"""MCCFR in vector form: one public action of the opponent is sampled, and all hands play.

Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games", by external sampling; Burch, Lanctot, Szafron and Gibson (2012), "Efficient Monte
Carlo counterfactual regret minimization in games with many player actions", and Johanson, Bard,
Lanctot, Gibson and Bowling (2012), "Efficient Nash equilibrium approximation through Monte Carlo
counterfactual regret minimization", on sampling what is public while all hands play. Regret that
falls below 0 is forgotten, and iteration t weighs t, as in CFR+ (Tammelin 2014).

An iteration follows all own actions, and of the opponent's public actions one. So it takes about
the square root of the time of an iteration of CFR, and a run comes sooner to a fair strategy in
games that are large even in vector form. Later CFR is nearer to an equilibrium.
"""

from dataclasses import replace
from typing import ClassVar

from hiddenhand.ranges.measuring import Walks
from hiddenhand.ranges.public_game import VectorForm
from hiddenhand.ranges.vector_cfr import VectorCFR
from hiddenhand.ranges.walking import Step


class VectorMCCFR(VectorCFR):
    """A run of MCCFR in vector form, for zero-sum games of two players whose moves are public.

    seed: of the random numbers, a whole number of at least 0.
    bits: of each number that is kept, 32 or 64; unless given, 64 where the game is not large.
    """

    NAME: ClassVar[str] = "vector-mccfr"

    def __init__(self, form: VectorForm, *, seed: int = 0, bits: int | None = None) -> None:
        super().__init__(form, variant="cfr+", bits=bits)
        self.walks = Walks(form, seed=seed)

    def _step(self, player: int) -> Step:
        return replace(super()._step(player), samples=True)
