"""Walks over the whole public tree, on several threads where it is large; and what strategies earn,
exactly.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.random import RandomState
from hiddenhand.solvers.vector_form.public_game import VectorForm
from hiddenhand.solvers.vector_form.public_tree_walk import (
    BEST,
    DOWN,
    MEAN,
    UP,
    Parts,
    Room,
    Step,
    walk,
)
from hiddenhand.trees.profile import gap

_PART: Final = 200_000  # numbers of both players in a part of the tree, at most

Ranges = tuple[Floats, Floats]
"""For each player ``float64[H]``: how much each hand plays to get somewhere."""
Numbers = npt.NDArray[Any]
"""``float32`` or ``float64`` numbers, those that are kept of one player."""


class Walks:
    """Makes walks over the public tree of a game.

    form: the game.
    threads: how many threads walk at most; the bits of what is found do not depend on it. Walks
        that sample are made by one.
    seed: the seed of the random numbers of walks that sample.
    """

    def __init__(self, form: VectorForm, threads: int = 1, seed: int = 0) -> None:
        self.form = form
        self.threads = threads
        self._parts = Parts.of(form, _PART)
        self._no_parts = Parts.of(form, sum(form.sizes))
        self._rooms = [Room.of(form, seed) for _ in range(threads)]

    @property
    def rng(self) -> RandomState:
        """The state of the random numbers of walks that sample."""
        return self._rooms[0].rng

    def walk(
        self, step: Step, own: tuple[Numbers, Numbers, Numbers], theirs: tuple[Numbers, Numbers]
    ) -> Floats:
        """Make a walk from where the form begins. Returns v there.

        own: weights, last regrets and x of player i, see `public_tree_walk`.
        theirs: weights and last regrets of player j.
        """
        arrays = (*own, *theirs)
        begin = self.form.root, (0, 0), self._reach(step.player)
        if step.samples or not self._parts.situation.size:
            return self._walked(0, step, self._no_parts, arrays, begin)
        self._walked(0, replace(step, stage=DOWN), self._parts, arrays, begin)
        self._walk_parts(step, arrays)
        return self._walked(0, replace(step, stage=UP), self._parts, arrays, begin)

    def later(
        self, step: Step, situation: int, base: Sequence[int], ranges: Ranges, average: Numbers
    ) -> Floats:
        """v at a later public history, by a walk that changes nothing.

        situation: of the public history.
        base: where begins what is kept of each player there.
        ranges: how much each hand of both players plays to get there.
        average: what player j plays, proportionally.
        """
        none = np.zeros(0, average.dtype)
        i, j = step.player, 1 - step.player
        reach = self._joined(ranges[i], ranges[j])
        begin = situation, (base[0], base[1]), reach
        return self._walked(0, step, self._no_parts, (none, none, none, average, none), begin)

    def earned(self, kind: int, player: int, average: Sequence[Numbers]) -> float:
        """What a player earns against the other's average strategy: with `MEAN` by their own, with
        `BEST` by a best response.
        """
        none = np.zeros(0, average[0].dtype)
        found = self.walk(
            Step(kind, player), (average[player], none, none), (average[1 - player], none)
        )
        return float(found[0])

    def values(self, average: Sequence[Numbers]) -> Floats:
        """``float64[2]``: what each player earns when both play average strategies."""
        value = self.earned(MEAN, 0, average)
        return np.array([value, 0.0 - value])

    def best_response_values(self, average: Sequence[Numbers]) -> Floats:
        """``float64[2]``: what each player's best response earns."""
        return np.array([self.earned(BEST, player, average) for player in range(2)])

    def nash_conv(self, average: Sequence[Numbers]) -> float:
        """The sum over players of what a best response gains over playing average strategies."""
        return gap(self.best_response_values(average), np.zeros(2))  # values sum to 0

    def _walk_parts(self, step: Step, arrays: Any) -> None:
        parts = self._parts

        def work(thread: int) -> None:
            for part in range(thread, parts.situation.size, self.threads):
                begin = parts.situation[part], parts.base[part], parts.reach[part]
                parts.value[part] = self._walked(thread, step, self._no_parts, arrays, begin)

        if self.threads == 1:
            work(0)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, range(self.threads)))

    def _walked(
        self, thread: int, step: Step, parts: Parts, arrays: Any, begin: tuple[Any, Any, Any]
    ) -> Floats:
        """Walk over the tree down to ``parts``. Returns v where the walk begins.

        begin: the situation, the base and y there.
        """
        room = self._rooms[thread]
        room.situation[0], room.base[0], room.reach[0] = begin
        walk(self.form.arrays, step, room, parts, *arrays)
        return room.value[0]

    def _reach(self, player: int) -> Floats:
        """``float64[2, H]``: y of a player and of the other one where the form begins."""
        if self.form.ranges is None:
            return np.ones((2, self.form.most_hands))
        return self._joined(self.form.ranges[player], self.form.ranges[1 - player])

    def _joined(self, first: Floats, second: Floats) -> Floats:
        reach = np.zeros((2, self.form.most_hands))
        reach[0, : first.size], reach[1, : second.size] = first, second
        return reach
