"""Zero-sum games of two players in which nothing is hidden: by backward induction where the states
from here on fit into the time, and as `HiddenChoice` does elsewhere.

Of several equally good moves, the search makes the one that earns most from an opponent who errs:
see `solvers.simultaneous.perfect_information`. `HiddenChoice` answers a model of the opponent.
"""

from collections.abc import Sequence
from functools import cache

from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import Event, History
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import Progress
from hiddenhand.search.auto.backward_induction import Induction
from hiddenhand.search.auto.candidates import Always, Auto
from hiddenhand.search.auto.imperfect_information import HiddenChoice
from hiddenhand.search.auto.resolving import AutoResolving
from hiddenhand.search.cost_model import COSTS
from hiddenhand.solvers.simultaneous.perfect_information import best_moves


class PlainChoice(Auto):
    """Backward induction where it fits, and ``instead`` where it does not; see `Auto`.

    instead: follows the match, and searches where states are not solved.
    memory: bytes that induction may take.
    """

    def __init__(self, instead: HiddenChoice, memory: int) -> None:
        self.instead, self._memory = instead, memory
        induction = PlainInduction(instead.resolving, memory)
        super().__init__(instead.game, [instead, induction], [induction, AsHidden(instead)])

    def branch(self, events: Sequence[Event]) -> "PlainChoice":
        return PlainChoice(self.instead.branch(events), self._memory)


class AsHidden(Always):
    """What is done where something is hidden."""

    plays: HiddenChoice

    def __init__(self, instead: HiddenChoice) -> None:
        super().__init__(instead, "")

    def why(self) -> str:
        return self.plays.choice


class PlainInduction(Induction):
    """Backward induction where nothing is hidden.

    following: follows the match.
    memory: bytes that it may take.
    """

    PACE = COSTS.plain_state
    WHAT = "nothing is hidden, and all"

    def __init__(self, following: AutoResolving, memory: int) -> None:
        self.following, self.memory = following, memory
        _load()
        super().__init__()

    @property
    def _key(self) -> int:
        return self.following.belief.information_key

    def _has_state(self) -> bool:
        """Before play, there is no state yet in which a move is due. A model of the opponent is to
        be answered.
        """
        search = self.following
        if search.model is not None or search.is_sampled or not search.plays:
            return False
        leaves = search.belief.leaves
        return leaves.size == 1 and search.game.current_player(leaves.state[0]) == search.seat

    def _solve(self, limit: int, progress: Progress) -> Floats:
        search = self.following
        return best_moves(
            search.game,
            search.belief.leaves.state[0].copy(),
            search.seat,
            max_nodes=limit,
            memory=self.memory,
            progress=progress,
        ).policy


@cache
def _load() -> None:
    """Have everything compiled, or loaded, that best moves need, once in each process."""
    game = Goofspiel(1)  # in which no player has a choice
    best_moves(game, History(game).state, 0, max_nodes=100)
