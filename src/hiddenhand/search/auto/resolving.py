"""Continual resolving as `auto` uses it: with all the time that it gets, and perhaps none before
play.

It differs from the algorithm of the paper in two things. First, it thinks on in a public state that
it knows. If the public sees little, a player moves more than once in one public state, and the
search also uses the time at the later moves. Second, there may be no time before play, and the
opponent may have moved already. Then the search solves the whole game at the first move, as in the
paper. But that solution says little about bad moves: an opponent who makes one enters a part of the
game that the solution never visits. So half of the time goes into the whole game, and the other
half into the game from here on, if the time is long enough for both.

With a blueprint, a public state is resolved also where none before it was: the ranges are those of
the blueprint, and what the opponent's sets are worth is what a best response earns against it.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.compiled.arrays import Keys
from hiddenhand.compiled.table import InformationSetTable
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.public_states import FIRST_HISTORY, Frontier, frontier, remember
from hiddenhand.search.resolving.adaptive import AdaptiveResolver, share_of_play
from hiddenhand.search.resolving.continual import ContinualResolving
from hiddenhand.search.resolving.exact import is_whole
from hiddenhand.search.resolving.gadgets import build_gadget
from hiddenhand.trees.blueprint import ENOUGH, SetBlueprint
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import table_of

_SELDOM: Final = 1e-6  # of all play, below which a solution of the whole game says nothing
_FOR_TWO: Final = 0.01  # seconds of a move, which two games written out and solved take at least
_LEAST: Final = 1e-4  # seconds for the second one


class AutoResolving(ContinualResolving):
    """Continual resolving for `auto`; see `ContinualResolving`.

    resolver: exact where that fits.
    blueprint: one by sets; None where there is none.
    """

    resolver: AdaptiveResolver
    blueprint: SetBlueprint | None = None

    def start(self, seat: int, seed: int) -> None:
        """See `ContinualResolving.start`."""
        # with which the present public state was entered, until it is known what that is worth
        self._unvalued: Frontier | None = None
        super().start(seat, seed)

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

    def fits(
        self, iterations: int | None, seconds: float | None, before_play: bool = False
    ) -> bool:
        """Write the present gadget game out if the budget allows it; whether it is written out."""
        began = clock.now()
        if not self.resolver.fits(iterations, seconds, before_play):
            return False
        if self.blueprint is None:
            return True
        if self._unvalued is not None and self.resolver.has_written is self.gadget:
            self._value(self._unvalued, self.blueprint)
            left = None if seconds is None else max(seconds - (clock.now() - began), _LEAST)
            if not self.resolver.fits(iterations, left, before_play):
                return False
        exact = self.resolver.exact
        if not exact.is_given:
            exact.give(self.blueprint.on(exact.write_out().tree))
        return True

    def _value(self, found: Frontier, blueprint: SetBlueprint) -> None:
        """Turn to the same gadget game with the values of the blueprint."""
        exact = self.resolver.exact
        tree = exact.write_out().tree
        played = blueprint.on(tree)
        exact.assume(np.where(np.isnan(played), uniform_profile(tree), played))
        values, gifts = exact.values(found)
        self.gadget = build_gadget(self.game, found, self.seat, values, gifts, self.floor)
        self.resolver.value(self.gadget)
        self._unvalued = None

    def sets_here(self) -> Keys:
        """The information sets of the player with which the present public state is entered."""
        keys: Keys = self._public.leaves.keys[:, self.seat]
        return keys

    def forget_root(self) -> None:
        """Before play, nothing was found: the first move may have more time for the whole game."""
        self.gadget = None

    def _arrive(self) -> None:
        super()._arrive()
        self._again = False

    def _enter(self) -> None:
        """See `ContinualResolving`. Where nothing was solved before, the blueprint stands in."""
        self._unvalued = None
        beliefs = [belief for belief in (self._public, self.belief) if belief.is_alive]
        if self.blueprint is None or self.gadget is None or self._solved or not beliefs:
            super()._enter()
            return
        self.known = self._recalled(beliefs, self.blueprint)
        found = self._frontier()
        if _is_root(found):
            super()._enter()
            return
        unknown, no_gifts = np.full(found.size, np.nan), np.zeros(found.size)
        gadget = build_gadget(self.game, found, self.seat, unknown, no_gifts, self.floor)
        self._turn_to(gadget, moves=1)
        self._unvalued = found
        self.resolvings += 1

    def _recalled(self, beliefs: Sequence[Belief], blueprint: SetBlueprint) -> InformationSetTable:
        """What is known of the strategies on the way here, with what the blueprint adds."""
        keys = [belief.trie.key[belief.trie.player >= 0] for belief in beliefs]
        found = blueprint.among(np.concatenate(keys), ENOUGH)
        return remember(beliefs, table_of(found), 0, self.known)

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
