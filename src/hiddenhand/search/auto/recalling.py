"""A blueprint by sets, with a search for what it does not know.

What training came to often enough is played as it says, at once. Everywhere else there is a search,
which is told where the match is when it is first needed.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.keys import first_key, fold
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.blueprint import SetBlueprint
from hiddenhand.trees.strategy import Weights

ENOUGH: Final = 100.0
"""Visits of a set in training, with which the blueprint is believed."""


class RecallingChoice:
    """The blueprint where it knows enough, and ``instead`` elsewhere; see `OnlineSearch`.

    instead: searches where the blueprint knows too little.
    blueprint: of the same game.
    """

    def __init__(self, instead: OnlineSearch, blueprint: SetBlueprint) -> None:
        self.game = instead.game
        self.instead = instead
        self.blueprint = blueprint
        self.start(0, 0)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self.instead.start(seat, seed)
        self._key = np.uint64(_first(seat))
        self._untold: list[Event] | None = None  # what the search was not told yet
        self._plays = False  # whether the match has come to a move
        self._visits = 0.0
        self._known: Floats | None = None

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`."""
        self._plays = True
        self._untold = [*(self._untold or ()), *events]
        for event in events:
            self._key = np.uint64(_folded(self._key, *event))
        found = self.blueprint.at(int(self._key))
        self._known, self._visits = (None, 0.0) if found is None else found

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. What the blueprint knows need not be thought about."""
        verify_budget(iterations, seconds)
        if not self._plays:
            self.instead.think(iterations, seconds, progress)
        elif not self._is_known:
            self._tell(seconds, iterations)
            self.instead.think(iterations, seconds, progress)

    @property
    def choice(self) -> str:
        """What was done for the present move and why, in a sentence."""
        if self._is_known:
            return f"the blueprint says what to play: training came here {self._visits:,.0f} times"
        return str(getattr(self.instead, "choice", ""))

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        if self._is_known and self._known is not None and self._known.size == num_actions:
            return self._known.copy()
        self._tell(None, None)
        return self.instead.policy(num_actions)

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`. Of the blueprint only the present set is told."""
        if not self._is_known or self._known is None:
            return self.instead.weights()
        starts = np.array([0, self._known.size])
        return Weights(np.array([self._key], np.uint64), starts, self._known.copy())

    def thought(self) -> Mapping[str, float]:
        """What ``instead`` did, and how often training came to the present set."""
        return {**self.instead.thought(), "visits": self._visits}

    @property
    def _is_known(self) -> bool:
        return self._known is not None and self._visits >= ENOUGH

    def _tell(self, seconds: float | None, iterations: int | None) -> None:
        """Tell the search where the match is, unless it knows."""
        if self._untold is not None:
            self.instead.notice(self._untold, seconds, iterations)
            self._untold = None


@kernel
def _first(seat: int) -> np.uint64:
    """The key of a player before anything happened."""
    return first_key(seat)


@kernel
def _folded(key: np.uint64, action: int, private: int, public: int) -> np.uint64:
    """The key after an event."""
    return fold(key, action, private, public)
