"""What every online search has in common: it follows a match from one player's seat, thinks, and
says what it would do.

A search is told what its player is told: the rules, the seat, the events that the player noticed.
It never sees a state of the match.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from hiddenhand.compiled.arrays import Floats
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress
from hiddenhand.trees.strategy import Weights


class OnlineSearch(Protocol):
    """A search that can be used in a match. What it has learnt is kept from move to move, and
    forgotten when a match starts.
    """

    game: Game
    """The game, with moves in turns."""

    def start(self, seat: int, seed: int) -> None:
        """A match begins, in which the search decides for player ``seat``."""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """What the player noticed since the last call, own actions included. After it the player is
        to move, or the match is over.

        ``seconds``: what it may take, roughly, where the search can help it; otherwise it takes as
        long as it takes, and results can be repeated. ``iterations``: how many are to follow; no
        more histories are kept than they can look at, see `Belief.notice`.
        """

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search on from the present information set; before the first `notice`, from the root."""

    def policy(self, num_actions: int) -> Floats:
        """The probabilities with which to play the ``num_actions`` legal actions of the present
        information set: what a match samples from.
        """

    def weights(self) -> Weights:
        """What was accumulated for each information set in memory, not normalised: visits, or sums
        of strategies.
        """

    def thought(self) -> Mapping[str, float]:
        """What it took: iterations in all, information sets in memory, size of the belief, and so
        on, by name.
        """


def mean_or_uniform(sums: Floats) -> Floats:
    """``sums`` of a strategy over all iterations, or visits, as probabilities; all alike if nothing
    was summed up.

    sums: ``float64[n]``, for the n actions of an information set.
    """
    total = sums.sum()
    return sums / total if total > 0 else np.full(sums.size, 1.0 / sums.size)
