"""Continual resolving by external sampling: all actions of one player, one move of everybody else.
See `external_sampling`.

It needs no exploration and no baseline. Of a whole game it finds a better strategy in the same time
than the outcome sampling of `mccr` does; of the small games of a match it does so in some games.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.infoset_table import new_table, num_sets
from hiddenhand.jit.random import RandomState, new_state
from hiddenhand.parameters import Configured
from hiddenhand.search.resolving.continual import ContinualResolving, ResolvingParameters
from hiddenhand.search.resolving.external_sampling import ROWS, ExternalSampling, frames_of
from hiddenhand.search.resolving.gadgets import Gadget
from hiddenhand.search.resolving.history_values import new_values
from hiddenhand.search.resolving.sampler import Sampler
from hiddenhand.search.resolving.trembles import TREMBLE, verify_tremble
from hiddenhand.search.table_search import DEFAULT_MEMORY, verify_memory
from hiddenhand.search.traversal import ITERATIONS, NUM_COUNTERS

_FOCUS: Final = 0.5
"""The share of traversals that begin in the resolver's own information set: they improve the very
move that is due.
"""


@dataclass(frozen=True, kw_only=True)
class ExternalMCCRParameters(ResolvingParameters):
    """The parameters of `ExternalMCCR`.

    tremble: in iteration t, the player who is not updated acts uniformly at random with probability
        tremble / sqrt(t), at most 1/2, so that the search also learns positions that a good
        opponent avoids.
    memory: bytes that the tables may take, also while they grow.
    """

    tremble: float = TREMBLE
    memory: int = DEFAULT_MEMORY


@Algorithm(
    name="mccr-external",
    paper="Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games; its sampling: Lanctot, Waugh, Zinkevich and "
    "Bowling (2009), Monte Carlo sampling for regret minimization in extensive games",
    summary="Monte Carlo Continual Resolving whose small games are solved by external sampling: "
    "all actions of one player, one action of the other player and of chance.",
    games="zero-sum games of two players",
    guarantee="the exploitability of what is played in a match falls as iterations grow",
    needs_public=True,
)
class ExternalMCCR(ContinualResolving, Configured):
    """Continual resolving by external sampling for a two-player zero-sum game; simultaneous moves
    are made in turns.

    Equal seeds and equal numbers of iterations give equal results. An iteration is as many
    traversals as make 16 moves, as two plays of a small game do; a traversal that makes more
    counts for the iterations that follow.
    """

    PARAMETERS = ExternalMCCRParameters

    settings: ExternalMCCRParameters

    def _set_up(self, game: Game | str) -> None:
        given = self.settings
        resolver = ExternalResolver(given.memory, given.tremble)
        super().__init__(game, resolver, floor=given.floor, cap=given.cap, seed=given.seed)


class ExternalResolver(Sampler):
    """External sampling in gadget games, each from scratch.

    memory, tremble: see `ExternalMCCRParameters`.
    """

    _rng: RandomState

    def __init__(self, memory: int = DEFAULT_MEMORY, tremble: float = TREMBLE) -> None:
        self.memory = verify_memory(memory)
        self.tremble = verify_tremble(tremble)

    def start(self, game: Game, seed: int) -> None:
        self._game = game
        self._seed = seed
        self._frames = frames_of(game)
        self._iterations = 0  # in gadget games before the present one
        self._begun = False
        self._empty(0)

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        if self._goes_on(gadget):
            # with a copy of what was found before play, which forks share
            self._rng, self._counters, self.table = copy.deepcopy(
                (self._rng, self._counters, self.table)
            )
            self._values = new_values(rows=ROWS)
        else:
            self._iterations += int(self._counters[ITERATIONS])
            self._empty(public_key)
        self._begin_at(gadget, public_key, moves, keeps=False, focus=_FOCUS, corrected=True)

    def thought(self) -> Mapping[str, float]:
        """Figures by name: the iterations in all, and of how many histories that may come next
        something is known.
        """
        return {
            "iterations": self._iterations + int(self._counters[ITERATIONS]),
            "values": num_sets(self._values),
        }

    @property
    def _trail(self) -> Integers:
        return self._frames.trail

    def _empty(self, public_key: int) -> None:
        """Nothing is known of the present gadget game, that of a public state. Its random numbers
        are its own, so that the result there does not depend on earlier searches.
        """
        self._rng = new_state(np.random.SeedSequence((self._seed, public_key)))
        self._counters = np.zeros(NUM_COUNTERS, np.int64)
        self.table = new_table(per_action=2, rows=ROWS, row_actions=self._game.max_actions)
        self._values = new_values(rows=ROWS)

    def _traversal(self) -> ExternalSampling:
        return ExternalSampling(
            game=self._game,
            table=self.table,
            values=self._values,
            frames=self._frames,
            root=self._root,
            moves=self._moves,
            tremble=self.tremble,
            rng=self._rng,
            counters=self._counters,
        )
