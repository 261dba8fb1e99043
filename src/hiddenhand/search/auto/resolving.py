"""Continual resolving as `auto` uses it: with all the time that it gets, and perhaps none before
play.

In two things it differs from the algorithm of the paper. In a public state that is known, it thinks
on: where the public is told little, a player moves more than once in the same public state, and
time at the later moves is not to be lost. And where there was no time before play, and the opponent
has moved already, the whole game is solved at the first move, as in the paper. But what is found
there says little about moves that nobody should make: an opponent who makes one comes to a part of
the game that the solution never visits. Then half of the time goes into the whole game, and the
other half into what comes from here on, if the time is long enough for both.
"""

from typing import Final

from hiddenhand import clock
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.public_states import FIRST_HISTORY, Frontier, frontier, remember
from hiddenhand.search.resolving.adaptive import AdaptiveResolver, share_of_play
from hiddenhand.search.resolving.continual import ContinualResolving
from hiddenhand.search.resolving.exact import is_whole

_SELDOM: Final = 1e-6  # of all play, below which a solution of the whole game says nothing
_FOR_TWO: Final = 0.01  # seconds of a move, which two games written out and solved take at least
_LEAST: Final = 1e-4  # seconds for the second one


class AutoResolving(ContinualResolving):
    """Continual resolving for `auto`; see `ContinualResolving`.

    resolver: exact where that fits.
    """

    resolver: AdaptiveResolver

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `ContinualResolving.think`."""
        if (seconds is None or seconds >= _FOR_TWO) and self._solves_from_root():
            began = clock.now()
            half = None if iterations is None else (iterations + 1) // 2
            super().think(half, None if seconds is None else seconds / 2, progress)
            if self.resolver.present is self.resolver.exact and self._is_seldom_here():
                self._enter()
            if half is not None and iterations is not None:
                iterations -= half
                if iterations == 0:
                    return
            if seconds is not None:
                seconds = max(seconds - (clock.now() - began), _LEAST)
        super().think(iterations, seconds, progress)

    def forget_root(self) -> None:
        """Before play, nothing was found: the first move may have more time for the whole game."""
        self.gadget = None

    def _arrive(self) -> None:
        super()._arrive()
        self._again = False

    def _solves_from_root(self) -> bool:
        """Whether the present gadget is the whole game, of which nothing is known, and the opponent
        has moved already.
        """
        if self.gadget is None or self._solved or not is_whole(self.gadget):
            return False
        if self._state is None or _is_root(found := self._frontier()):
            return False
        return bool((found.reach[:, 1 - self.seat] < 1.0).any())

    def _is_seldom_here(self) -> bool:
        """Whether play by what was found in the whole game hardly ever comes here."""
        beliefs = [belief for belief in (self._public, self.belief) if belief.is_alive]
        self.known = remember(beliefs, self.resolver.table, self.resolver.COLUMN, self.known)
        found = self._frontier()
        reach = found.reach.copy()
        reach[:, -1] *= found.weight
        return found.size > 0 and share_of_play(reach) < _SELDOM

    def _frontier(self) -> Frontier:
        return frontier(self.belief, self._public, self.known, 0)


def _is_root(found: Frontier) -> bool:
    """Whether it is that of the whole game, or of nothing."""
    return found.size == 0 or (found.size == 1 and bool(found.history[0] == FIRST_HISTORY))
