"""Games of any number of players and any payoffs: the whole game is written out and solved where it
fits, and searched by tree search where it does not.

CFR on the whole game finds, with two players whose payoffs sum to zero, an equilibrium. With more
players, or payoffs of any sum, its average is a coarse correlated equilibrium: no player would have
earned more by one fixed strategy against the play of the others. It is no guarantee against other
strategies, but plays best in practice. In information sets to which players come only by errors,
CFR learns nothing. They are learned again, where that costs nothing (see `solvers.repair`).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import Progress
from hiddenhand.search.auto.candidates import Always, Auto, Candidate, Left
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.tree_budget import Account, Fitting, measured_pace, solve, time_left
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.repair import REPAIRED, REPAIRING, load_repair, repaired
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.unroll import unroll

_VARIANT: Final = "dcfr+"  # of CFR


def whole_choice(searching: ISMCTS, *, is_listed: bool, doubt: str) -> Auto:
    """CFR on the whole game where it fits, tree search elsewhere.

    searching: the tree search, which follows the match.
    is_listed: whether the game can be written out at all.
    doubt: why a blueprint is not used, in a clause; empty where there is none.
    """
    why = "too large to be written out in this time" if is_listed else "not to be written out"
    what = f"{why}: information-set Monte Carlo tree search, which guarantees nothing{doubt}"
    last = Always(searching, what)
    if not is_listed:
        return Auto(searching.game, [searching], [last])
    whole = WholeGame(searching)
    return Auto(searching.game, [searching, whole], [whole, last])


class WholeGame(Candidate):
    """CFR on the whole game, once that is written out.

    following: follows the match.
    """

    lasts = False

    def __init__(self, following: ISMCTS) -> None:
        self.plays = self
        self.following = following
        self.game: Game = following.game
        self.start(0, following.seed)

    def start(self, seat: int, seed: int) -> None:
        self._fitting = Fitting(seed, self.following.memory, _load(self.game))
        self._account = Account()
        self._run: CFR | None = None
        self._profile: Floats | None = None
        self._is_played = False  # whether the match has come to a move

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        self._is_played = True

    def can(self, left: Left) -> bool:
        if self._run is None:
            self._fitting.attempt(
                self.game,
                self._write,
                left.iterations,
                left.seconds,
                before_play=not self._is_played,
            )
        return self._run is not None

    def think(self, left: Left, progress: Progress) -> None:
        """As many iterations of CFR are made as take as long as the budget by sampling."""
        run, began = self._run, clock.now()
        assert run is not None
        histories, iterations, seconds = run.tree.num_histories, left.iterations, left.seconds
        if iterations is not None:
            iterations = self._account.due(iterations, histories)
        if iterations != 0:
            solving = None if seconds is None else (1.0 - REPAIRING) * seconds
            solve(run, iterations, solving, began, progress)
            rest = None if seconds is None else time_left(seconds, began)
            self._profile = repaired(run, min(int(REPAIRING * run.iterations) + 1, REPAIRED), rest)
        self._why = (
            f"the whole game of {histories:,} histories was written out, and is solved by "
            f"{_VARIANT}; for more than two players, or payoffs that do not sum to zero, that "
            "guarantees a coarse correlated equilibrium and no more"
        )

    def is_ready(self) -> bool:
        return self._run is not None

    def policy(self, num_actions: int) -> Floats:
        assert self._run is not None
        if num_actions == 1:  # a set after which nobody has a choice may not be written out
            return np.ones(1)
        if self._profile is None:
            return mean_or_uniform(np.zeros(num_actions))
        tree = self._run.tree
        number = tree.find_set(self.following.belief.information_key)
        return self._profile[tree.set_start[number] : tree.set_start[number + 1]].copy()

    def weights(self) -> Weights:
        assert self._run is not None
        tree = self._run.tree
        starts = tree.set_start.astype(np.int64) - tree.num_players
        found = self._run.average if self._profile is None else self._profile
        return Weights(tree.set_key, starts, found[tree.num_players :].copy())

    def figures(self) -> Mapping[str, float]:
        run = self._run
        made, histories = (0, 0) if run is None else (run.iterations, run.tree.num_histories)
        return {"iterations": made, "CFR iterations": made, "histories": histories}

    def _write(self, most: int, progress: Progress) -> int:
        tree = unroll(self.game, most, progress, verified=True, decided=False)
        self._run = CFR(tree, _VARIANT)
        return tree.num_histories


@lru_cache(maxsize=64)
def _load(game: Game) -> float:
    """Have everything compiled, or loaded, that solving ``game`` needs: before the clock of a match
    starts, and once in each process. Returns the pace at which it is written out.
    """
    run = CFR(unroll(KuhnPoker()), _VARIANT)
    run.run(1)
    load_repair(run)
    return measured_pace(game)
