"""A resolver that writes a gadget game out and solves it exactly where there is time for it, and
samples it elsewhere.

Exact resolving is better by orders of magnitude where it can be done at all, and towards the end of
a match it nearly always can. So each public state gets the resolver that fits it and the budget,
see `fitting`, and the values that it is resolved from come from whichever resolver solved the state
before.
"""

import contextlib
import copy
from collections.abc import Mapping
from functools import lru_cache
from time import perf_counter
from typing import Final, Self

import numpy as np

from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.keys import Key
from hiddenhand.compiled.table import InformationSetTable
from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief.public_states import Frontier, root_frontier
from hiddenhand.search.fitting import (
    ANYWAY,
    PACE,
    PLAYS,
    QUICK,
    TELLING,
    Account,
    Fitting,
    iterations_in,
    pace_of,
    variant_for,
)
from hiddenhand.search.resolving.continual import Resolver
from hiddenhand.search.resolving.exact import ExactResolver, is_whole
from hiddenhand.search.resolving.gadgets import Gadget, gadget_game, root_gadget
from hiddenhand.search.resolving.mccr import SamplingResolver
from hiddenhand.trees.estimate import estimated_histories
from hiddenhand.trees.unroll import unroll

_SAMPLED_EVER: Final = 1e9  # histories above which nobody has the time to resolve by sampling
_TOO_LOW: Final = 1.3  # how many times more histories a small game may have than was guessed
_MOST: Final = 0.7  # of the histories of a game that is written out
_LEAST: Final = 1e-4  # seconds to solve what was written out
_IN_PART: Final = 0.6  # of the work on a history is done when it is met
_SORTED: Final = 1.2  # times longer that it takes with all that comes after the last history
_TRIED: Final = 100_000  # histories, to measure how fast they are written out
_WHOLE, _PART = 0, 1  # what is written out: the game, or a gadget game, which takes longer


class AdaptiveResolver(Resolver):
    """Exact in each public state whose gadget game fits the budget, by sampling elsewhere.

    exact: solves what can be written out, by the variant of CFR that suits the time.
    sampling: solves all else.
    histories: how many the whole game has, roughly.
    """

    _gadget: Gadget

    def __init__(self, exact: ExactResolver, sampling: SamplingResolver, histories: float) -> None:
        self.exact = exact
        self.sampling = sampling
        self.histories = histories

    @property
    def present(self) -> ExactResolver | SamplingResolver:
        """The resolver of the present gadget game."""
        return self.exact if self.exact.is_written_out else self.sampling

    @property
    def COLUMN(self) -> int:  # type: ignore[override]  # noqa: N802 - as in `Resolver`
        """See `Resolver`."""
        return self.present.COLUMN

    @property
    def table(self) -> InformationSetTable:  # type: ignore[override]
        """See `Resolver`."""
        return self.present.table

    def start(self, game: Game, seed: int) -> None:
        """See `Resolver.start`."""
        self._game = game
        is_sampled = _TOO_LOW * self.histories > ANYWAY and self.histories <= _SAMPLED_EVER
        paces = _load(game, self.exact.kind, self.sampling.baseline_kind if is_sampled else None)
        self._fittings = [Fitting(seed, self.sampling.memory, pace) for pace in paces]
        self._account = Account()
        self.exact.start(game, seed)
        self.sampling.start(game, seed)

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """See `Resolver.begin`. Where most of what was written out is still to come, that run goes
        on: to begin anew would take more time than a somewhat smaller game saves.
        """
        if self.exact.is_written_out and self._is_most_of_it(gadget):
            self.exact.begin(self._gadget, public_key, moves)
            return
        self._gadget = gadget
        self._fitting = self._fittings[_WHOLE if is_whole(gadget) else _PART]
        self._fitting.begin(self.histories if is_whole(gadget) else 0.0)
        self._account = Account()
        self.exact.begin(gadget, public_key, moves)
        self.sampling.begin(gadget, public_key, moves)

    def fits(self, iterations: int | None, seconds: float | None) -> bool:
        """Write the present gadget game out if the budget allows it; whether it is written out."""
        if self.exact.is_written_out:
            return True
        return self._fitting.attempt(
            self._game, self._write, iterations, seconds, self._gadget.state
        )

    def think(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        """See `Resolver.think`. ``iterations`` are those by sampling: of CFR as many are made as
        take as long.
        """
        began = perf_counter()
        if self.fits(iterations, seconds) and iterations is not None:
            iterations = self._account.due(iterations, self.exact.num_histories)
        if seconds is not None:
            seconds = max(seconds - (perf_counter() - began), _LEAST)
        if iterations == 0:
            return
        if self.present is self.exact:
            self.exact.solve_by(self._variant_for(iterations, seconds))
        self.present.think(iterations, seconds, progress)

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """See `Resolver.values`."""
        return self.present.values(entered)

    def thought(self) -> Mapping[str, float]:
        """Iterations by sampling and of CFR, in all; histories in the present gadget game, if it is
        written out.
        """
        exact = self.exact.thought()
        return {
            "iterations": self.sampling.thought()["iterations"],
            "CFR iterations": exact["iterations"],
            "histories": exact["histories"],
        }

    def broke_off(self) -> tuple[Key, list[int]]:
        """See `Resolver.broke_off`."""
        return self.present.broke_off()

    def fork(self) -> Self:
        """See `Resolver.fork`."""
        other = copy.copy(self)
        other.exact, other.sampling = self.exact.fork(), self.sampling.fork()
        other._fittings, other._fitting, other._account = copy.deepcopy(
            (self._fittings, self._fitting, self._account)
        )
        return other

    def _is_most_of_it(self, gadget: Gadget) -> bool:
        """Whether a gadget game is most of the one that is written out."""
        if is_whole(self._gadget) and nobody_has_moved(gadget):
            return True
        written = self.exact.num_histories
        return (
            written > QUICK
            and estimated_histories(self._game, 0, PLAYS, gadget.state) > _MOST * written
        )

    def _variant_for(self, iterations: float | None, seconds: float | None) -> str:
        if iterations is None:
            assert seconds is not None
            iterations = iterations_in(seconds, self.exact.num_histories)
        return variant_for(iterations, has_chance=self._game.max_chance_outcomes > 1)

    def _write(self, most: int, progress: Progress) -> int:
        self.exact.write_out(most, progress)
        return self.exact.num_histories


def nobody_has_moved(gadget: Gadget) -> bool:
    """Whether only chance has moved before a gadget game, so that it is what remains of the whole
    game, however chance has moved.
    """
    ours, theirs, chance = gadget.reach.T
    return bool(
        np.all(ours == 1.0) and np.all(theirs == theirs[0]) and np.isclose(chance.sum(), 1.0)
    )


@lru_cache(maxsize=64)
def _load(game: Game, kind: str, baseline: str | None) -> tuple[float, float]:
    """Have everything compiled, or loaded, that resolving of ``game`` needs: before the clock of a
    match starts, and once in each process. Returns the paces at which the whole game and a part of
    it are written out.

    kind: of the gadget.
    baseline: of resolving by sampling; None if nothing is resolved by sampling.
    """
    if baseline is not None:
        sampling = SamplingResolver(baseline=baseline)
        sampling.start(game, 0)
        sampling.begin(root_gadget(game, 0), 0, 0)
        sampling.think(1, None)
    estimated_histories(game, 0, plays=1)
    for small in (game, KuhnPoker()):  # the second one where the first one is not small
        resolver = ExactResolver(gadget=kind)
        resolver.start(small, 0)
        resolver.begin(root_gadget(small, 0), 0, 0)
        try:
            resolver.write_out(ANYWAY)
        except TooLargeError:
            continue
        resolver.think(1, None, SILENT)
        resolver.values(root_frontier(small))
        break
    return _measured_pace(game), _measured_pace(gadget_game(game, root_gadget(game, 0), kind))


def _measured_pace(game: Game) -> float:
    """Seconds to write a history of ``game`` out, once that is compiled: from the beginning of a
    large one; of a small one it makes no difference. The quickest of three tries counts: the first
    one loads what is compiled, and asks the system for memory that the match will use again.
    """
    found = []
    for _ in range(3):
        clock = _Clock()
        with contextlib.suppress(TooLargeError):
            unroll(game, _TRIED, clock, verified=True)
        if clock.histories >= TELLING:
            found.append(_SORTED * pace_of(clock.seconds, clock.histories))
    return min(found, default=PACE)


class _Clock:
    """Notes how many histories were written out, and after how many seconds. Those that were met
    last are written in part.
    """

    histories = 0
    seconds = 0.0

    def __init__(self) -> None:
        self._began = perf_counter()
        self._met = 0

    def update(self, report: Report) -> None:
        """See `Progress`."""
        met = int(report.done)
        self.histories = self._met + int(_IN_PART * (met - self._met))
        self.seconds, self._met = perf_counter() - self._began, met
