"""Games of any number of players and any payoffs: the whole game is written out and solved where it
fits, and searched by tree search where it does not.

CFR on the whole game finds, with two players whose payoffs sum to zero, an equilibrium. With more
players, or payoffs of any sum, its average is a coarse correlated equilibrium: no player would have
earned more by one fixed strategy against the play of the others. It is no guarantee against other
strategies, but plays best in practice.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.fitting import PACE, Account, Fitting, measured_pace, solve
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.text import one_line
from hiddenhand.trees.cfr import CFR
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.unroll import unroll

_LEAST: Final = 1e-4  # seconds to think, when trying to write the game out took all there was


class WholeChoice:
    """CFR on the whole game where it fits, ``fallback`` elsewhere; see `OnlineSearch`.

    fallback: tree search; follows the match, and searches where the game is not written out.
    is_listed: whether the game can be written out at all.
    variant: the variant of CFR.
    doubt: why a blueprint is not used, in a clause; empty where there is none.
    choice: what was done for the present move and why, in a sentence.
    """

    def __init__(self, fallback: ISMCTS, *, is_listed: bool, variant: str, doubt: str = "") -> None:
        self.fallback = fallback
        self.game: Game = fallback.game
        self.is_listed = is_listed
        self.variant = variant
        self.doubt = doubt
        self.start(0, fallback.seed)

    def __repr__(self) -> str:
        return one_line(self, self.game)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self.fallback.start(seat, seed)
        pace = _load(self.game) if self.is_listed else PACE
        self._fitting = Fitting(seed, self.fallback.memory, pace)
        self._account = Account()
        self._run: CFR | None = None
        self._plays = False  # whether the match has come to a move
        self.choice = ""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`."""
        self._plays = True
        self.fallback.notice(events, seconds, iterations)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. Iterations are those of the tree search; of CFR as many are
        made as take as long.
        """
        iterations, seconds = verify_budget(iterations, seconds)
        began = clock.now()
        if self._run is None and self.is_listed:
            self._fitting.attempt(
                self.game, self._write, iterations, seconds, before_play=not self._plays
            )
        if self._run is None:
            if seconds is not None:
                seconds = max(seconds - (clock.now() - began), _LEAST)
            why = (
                "too large to be written out in this time"
                if self.is_listed
                else "not to be written out"
            )
            self.choice = (
                f"{why}: information-set Monte Carlo tree search, which guarantees nothing"
                f"{self.doubt}"
            )
            self.fallback.think(iterations, seconds, progress)
            return
        histories = self._run.tree.num_histories
        if iterations is not None:
            iterations = self._account.due(iterations, histories)
        if iterations != 0:
            solve(self._run, iterations, seconds, began, progress)
        self.choice = (
            f"the whole game of {histories:,} histories was written out, and is solved by "
            f"{self.variant}; for more than two players, or payoffs that do not sum to zero, that "
            "guarantees a coarse correlated equilibrium and no more"
        )

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        if self._run is None:
            return self.fallback.policy(num_actions)
        if num_actions == 1:  # a set after which nobody has a choice may not be written out
            return np.ones(1)
        tree, average = self._run.tree, self._run.average
        number = tree.find_set(self.fallback.belief.information_key)
        return mean_or_uniform(average[tree.set_start[number] : tree.set_start[number + 1]])

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`."""
        if self._run is None:
            return self.fallback.weights()
        tree = self._run.tree
        starts = tree.set_start.astype(np.int64) - tree.num_players
        return Weights(tree.set_key, starts, self._run.average[tree.num_players :].copy())

    def thought(self) -> Mapping[str, float]:
        """Figures of the tree search, and the number of histories that are written out.
        "iterations" counts all iterations; those of CFR are also listed alone.
        """
        run, searched = self._run, self.fallback.thought()
        made = run.iterations if run is not None else 0
        return {
            **searched,
            "iterations": searched["iterations"] + made,
            "CFR iterations": made,
            "histories": run.tree.num_histories if run is not None else 0,
        }

    def _write(self, most: int, progress: Progress) -> int:
        self._run = CFR(
            unroll(self.game, most, progress, verified=True, decided=False), self.variant
        )
        return self._run.tree.num_histories


@lru_cache(maxsize=64)
def _load(game: Game) -> float:
    """Have everything compiled, or loaded, that solving ``game`` needs: before the clock of a match
    starts, and once in each process. Returns the pace at which it is written out.
    """
    CFR(unroll(KuhnPoker()), "dcfr+").run(1)
    return measured_pace(game)
