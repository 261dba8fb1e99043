"""What resolvers by sampling share: tables that grow, a budget, and the averages of what the
opponent was paid.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.infoset_table import InformationSetTable, made_ready, num_bytes
from hiddenhand.jit.observation_keys import Key
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief.public_states import Frontier
from hiddenhand.search.resolving.continual import Resolver
from hiddenhand.search.resolving.gadget_sampling import Root, start_in
from hiddenhand.search.resolving.gadgets import Gadget
from hiddenhand.search.resolving.history_values import averages, read_values
from hiddenhand.search.traversal import iterations_made, trail_moves


class Sampler(Resolver):
    """Solves gadget games by sampling. Derived classes say what a traversal does.

    table: see `Resolver`. A row begins with r_I and s_I.
    memory: bytes that the tables may take, also while they grow.
    """

    COLUMN = 1

    memory: int
    _game: Game
    _root: Root
    _values: InformationSetTable
    _counters: Integers
    _moves: int
    _begun = False  # whether there is a gadget game
    _seconds = 0.0  # of thinking

    @property
    @abstractmethod
    def _trail(self) -> Integers:
        """The moves of the last traversal, see `traversal.Trajectory`."""

    @abstractmethod
    def _traversal(self) -> Any:
        """What `traversal.run` runs."""

    def _goes_on(self, gadget: Gadget) -> bool:
        """Whether ``gadget`` is the present one, a second time."""
        return self._begun and gadget is self._root.gadget

    def _begin_at(
        self,
        gadget: Gadget,
        public_key: int,
        moves: int,
        *,
        keeps: bool,
        focus: float,
        corrected: bool,
    ) -> None:
        """Sample ``gadget`` from now on, see `Resolver.begin` and `start_in`."""
        begins_here = moves > 0 and int(gadget.keys[0, -1]) == public_key
        self._root = start_in(gadget, begins_here, keeps, focus, corrected)
        self._moves, self._begun = moves, True

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        budget = Budget(iterations, seconds)
        self._warm_up()
        unit, total = ("iterations", iterations) if iterations is not None else ("seconds", seconds)
        began = clock.now()

        def tell(done: int) -> None:
            progress.update(
                Report(done if unit == "iterations" else clock.now() - began, total, unit)
            )

        self._spend(budget, tell)
        self._seconds += clock.now() - began

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """See `Resolver.values`. All gifts are 0, because sampling does not estimate them."""
        return averages(self.collected(entered)), np.zeros(entered.size)

    def collected(self, entered: Frontier) -> Floats:
        """``float64[F, 4]``: for each history the numerator and the denominator of the average, and
        those of the average with weights of 1. All four are 0 where nothing is known.
        """
        sums = np.zeros((entered.size, 4))
        read_values(self._values, entered.history, sums)
        return sums

    def broke_off(self) -> tuple[Key, list[int]]:
        return self._root.gadget.history[self._trail[1]], trail_moves(self._trail)

    def _warm_up(self) -> None:
        """Compile, or load, what thinking needs, before the clock starts."""
        self._iterate(0)

    def _spend(self, budget: Budget, tell: Callable[[int], None]) -> None:
        budget.spend(self._iterate, tell)

    def _iterate(self, count: int) -> int:
        self._make_room()
        return iterations_made(self._traversal(), count)

    def _make_room(self) -> None:
        """Called before a chunk of iterations: let full tables grow. A table that may not grow is
        used on without adding to it.
        """
        limit = self._room() - self._other_bytes()
        self.table = made_ready(self.table, limit - num_bytes(self._values))
        self._values = made_ready(self._values, limit - num_bytes(self.table))

    def _room(self) -> int:
        """Bytes that all tables may take together, without the copies of streams."""
        return self.memory

    def _other_bytes(self) -> int:
        """Bytes of that which are taken by other tables."""
        return 0
