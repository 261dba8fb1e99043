"""Resolving by sampling, with a baseline where there are enough samples to learn one from.

A baseline makes samples vary less, but a sample takes twice the time, and the first ones learn from
noise. So in large games few samples find more without it, and many find more with it: see "How
samples are made to vary less" in the documentation. Each public state gets what suits the budget of
the first thinking there.
"""

import copy
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.keys import Key
from hiddenhand.compiled.table import InformationSetTable
from hiddenhand.games.base import Game
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.public_states import Frontier
from hiddenhand.search.resolving.continual import Resolver
from hiddenhand.search.resolving.gadgets import Gadget, root_gadget
from hiddenhand.search.resolving.mccr import SamplingResolver
from hiddenhand.search.resolving.trembles import TREMBLE
from hiddenhand.search.streams import UNDIVIDED, Division
from hiddenhand.search.thinking import DEFAULT_MEMORY

_KINDS: Final = ("off", "predictive")  # of baselines: for few samples, and for many
_MANY: Final = 30_000  # samples of a thinking
_TRIED: Final = 2_000  # samples, to see how fast they are


class BaselineBySamples(Resolver):
    """Outcome sampling in gadget games; `SamplingResolver` for other parameters.

    memory: bytes that its tables may take.
    division: how it is divided among streams.
    """

    COLUMN = SamplingResolver.COLUMN

    def __init__(self, memory: int = DEFAULT_MEMORY, division: Division = UNDIVIDED) -> None:
        self.memory = memory
        self._each = tuple(
            SamplingResolver(baseline=kind, tremble=TREMBLE, memory=memory, division=division)
            for kind in _KINDS
        )
        self._present = self._each[0]
        self._gadget: Gadget | None = None

    @property
    def present(self) -> SamplingResolver:
        """What samples in the present gadget game."""
        return self._present

    @property
    def table(self) -> InformationSetTable:  # type: ignore[override]
        """See `Resolver`."""
        return self._present.table

    def start(self, game: Game, seed: int) -> None:
        """See `Resolver.start`."""
        self._game, self._gadget = game, None
        self._is_chosen = False
        for each in self._each:
            each.start(game, seed)

    def load(self) -> None:
        """Have everything compiled, or loaded: before the clock of a match starts."""
        _pace(self._game)

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """See `Resolver.begin`."""
        self._is_chosen = self._is_chosen and gadget is self._gadget
        self._gadget = gadget
        for each in self._each:
            each.begin(gadget, public_key, moves)

    def think(
        self, iterations: int | None, seconds: float | None, progress: Progress = SILENT
    ) -> None:
        """See `Resolver.think`."""
        if not self._is_chosen:
            self._present = self._each[self._samples(iterations, seconds) >= _MANY]
            self._is_chosen = True
        self._present.think(iterations, seconds, progress)

    def _samples(self, iterations: int | None, seconds: float | None) -> float:
        """How many a budget is good for, roughly."""
        in_time = math.inf if seconds is None else seconds * _pace(self._game)
        return in_time if iterations is None else min(iterations, in_time)

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """See `Resolver.values`."""
        return self._present.values(entered)

    def thought(self) -> Mapping[str, float]:
        """See `SamplingResolver.thought`; iterations are all samples, with and without."""
        iterations = sum(each.thought()["iterations"] for each in self._each)
        return {**self._present.thought(), "iterations": iterations}

    def broke_off(self) -> tuple[Key, list[int]]:
        """See `Resolver.broke_off`."""
        return self._present.broke_off()

    def fork(self) -> Self:
        """See `Resolver.fork`."""
        other = copy.copy(self)
        other._each = tuple(each.fork() for each in self._each)
        other._present = other._each[self._each.index(self._present)]
        return other


@lru_cache(maxsize=64)
def _pace(game: Game) -> float:
    """Samples a second from the beginning of a game, without a baseline. Once in each process."""
    for kind in reversed(_KINDS):
        sampling = SamplingResolver(baseline=kind)
        sampling.start(game, 0)
        sampling.begin(root_gadget(game, 0), 0, 0)
        sampling.think(1, None)
    began = clock.now()
    sampling.think(_TRIED, None)
    return _TRIED / (clock.now() - began)
