"""Whether a game can be written out within a budget, and solving it for what is left.

A game that is written out is solved faster by orders of magnitude than by sampling, if there is
time for it. For a budget in seconds, `cost_model` and the clock decide what fits: what takes too
long to write out is given up. Budgets in iterations stand for iterations by sampling. For them, the
choice depends on sizes alone and can be repeated: everything is counted in visits, each of which is
one history in one iteration of CFR. Writing a history out counts as `_WRITING` visits, an iteration
by sampling as `_SAMPLING`.
"""

import contextlib
import math
from collections.abc import Callable
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Integers
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.cost_model import COSTS
from hiddenhand.solvers.cfr import CFR
from hiddenhand.trees.tree_size import estimated_histories
from hiddenhand.trees.unroll import have_memory, unroll

ANYWAY: Final = 3000
"""Histories that are written out however small the budget is."""

_WRITING: Final = 30.0  # visits that writing a history out stands for
_SAMPLING: Final = 100.0  # visits that an iteration by sampling stands for
_WORTHWHILE: Final = 10  # iterations of CFR that are made at least of what was written out
_SHARE: Final = 0.6  # of the time that may go into writing out,
_AT_MOST: Final = 0.8  # and that may, once it was begun
_SHARE_BEFORE: Final = 0.85  # the same before play: solving goes on at the first move
_AT_MOST_BEFORE: Final = 0.95
_BYTES: Final = 250  # that a history takes, with what is kept to solve the game
TELLING: Final = 20_000
"""Histories without which a pace says more about the machine's other work than about the game; so
few are never given up.
"""
QUICK: Final = 5000
"""Histories that are written out faster than guessed how many they are."""
PLAYS: Final = 500
"""Plays at random, to guess how large a game is."""
_SETTLED: Final = 2_000  # iterations of CFR after which strategies have settled, with chance
_HOPELESS: Final = 1.2  # how many times too large a guess may be
_LARGE: Final = 1e6  # histories, of which each takes half as long again, and twice as long of many
_IN_PART: Final = 0.6  # of the work on a history is done when it is met
_SORTED: Final = 1.2  # times longer that it takes with all that comes after the last history
_TRIED: Final = 100_000  # histories, to measure how fast they are written out
_LEAST: Final = 1e-3  # seconds of CFR, when writing out took all there was
_REST: Final = 10.0  # visits that it takes, for each history, to put down what CFR has found
_PATIENCE: Final = 60.0  # seconds, for the few iterations that are made in any case

Write = Callable[[int, Progress], int]
"""Writes a game out, of at most so many histories, and returns how many there are. Raises
TooLargeError.
"""


class Fitting:
    """Tries to write out one game after the other, which are alike: parts of one game, say. What
    was measured of one counts for the next.

    seed: of the random plays.
    memory: bytes that a game may take which is written out.
    pace: seconds to write a history out, until more is known.
    guess: how many histories the present game was guessed to have, 0 before it was.
    """

    def __init__(self, seed: int, memory: int, pace: float = COSTS.history) -> None:
        self._memory = memory
        self._seeds = np.random.SeedSequence(seed)
        self._pace = pace
        self.begin()

    def begin(self, guess: float = 0.0) -> None:
        """Another game is next. ``guess``: how many histories it has, where that was guessed."""
        self.guess = guess
        self._refused = 0  # as many histories were too few to write the present game out

    def attempt(
        self,
        game: Game,
        write: Write,
        iterations: int | None,
        seconds: float | None,
        states: Integers | None = None,
        before_play: bool = False,
    ) -> bool:
        """Write ``game`` out with ``write`` if that fits, at least as far as one can tell; whether
        it did.

        iterations, seconds: the budget; what ends first counts.
        states: ``int64[F, state_size]``, where what is written out begins; unless given, at the
            root.
        before_play: whether there will be more time before what is found is needed.
        """
        limit = self.limit(iterations, seconds, before_play)
        likely = limit if seconds is not None else _HOPELESS * limit  # trying takes no iterations
        if limit <= self._refused or self._is_hopeless(game, likely, states):
            return False
        began = clock.now()
        try:
            histories = write(limit, _Until(began, seconds, self.guess, before_play))
        except TooLargeError:
            self._refused = limit
            return False
        if histories >= TELLING:
            self._pace = pace_of(clock.now() - began, histories)
        return True

    def has_memory_for(self, histories: int) -> bool:
        """Whether so many histories may be written out at the same time."""
        return histories * _BYTES <= self._memory

    def limit(
        self, iterations: int | None, seconds: float | None, before_play: bool = False
    ) -> int:
        """How many histories a game may have to be written out."""
        most = [self._memory / _BYTES]
        if iterations is not None:
            most.append(iterations * _SAMPLING / (_WRITING + _WORTHWHILE))
        if seconds is not None:
            share = _SHARE_BEFORE if before_play else _SHARE
            most.append(_written_in(share * seconds - COSTS.tree, self._pace))
        return max(int(min(most)), ANYWAY)

    def _is_hopeless(self, game: Game, limit: float, states: Integers | None) -> bool:
        """Whether random plays say that a game has more histories than ``limit``."""
        if self.guess == 0.0:
            if limit <= QUICK:
                return False
            self.guess = estimated_histories(
                game, self._seeds.spawn(1)[0], PLAYS, states, decided=False
            )
        return self.guess > limit


def pace_of(seconds: float, histories: int) -> float:
    """Seconds for each history of a game that fits into the processor's caches, after so many
    ``histories``, at least `TELLING`, were written out, all together in ``seconds``.
    """
    return max(seconds - COSTS.tree, 1e-4) / (histories * (1.0 + histories / (histories + _LARGE)))


def measured_pace(game: Game) -> float:
    """Seconds to write a history of ``game`` out, once that is compiled: from the beginning of a
    large one; of a small one it makes no difference. The quickest of three tries counts: the first
    one loads what is compiled, and asks the system for memory that the match will use again.
    """
    have_memory()
    found = []
    for _ in range(3):
        watch = _Clock()
        with contextlib.suppress(TooLargeError):
            unroll(game, _TRIED, watch, verified=True, decided=False)
        if watch.histories >= TELLING:
            found.append(_SORTED * pace_of(watch.seconds, watch.histories))
    return min(found, default=COSTS.history)


def _written_in(seconds: float, pace: float) -> float:
    """How many histories are written out in a time: what `pace_of` says, the other way round."""
    quick = max(seconds, 0.0) / pace  # so many, if all were as quick as a few
    least = (quick - _LARGE) / 4.0
    return least + math.sqrt(least**2 + quick * _LARGE / 2.0)


def variant_for(iterations: float, has_chance: bool) -> str:
    """The variant of CFR that finds most in so many iterations, see "CFR variants" in the
    documentation: one that forgets its first iterations fast, or one that predicts. Predictions are
    worth most once the strategies have settled, which takes long where chance deals: in poker and
    Liar's Dice, and not in Goofspiel or Dark Hex.

    has_chance: whether there are moves of chance.
    """
    return "dcfr+" if has_chance and iterations < _SETTLED else "pdcfr+"


def iterations_in(seconds: float, histories: int) -> float:
    """How many iterations of CFR over ``histories`` may be made in a time, roughly."""
    return seconds / (COSTS.iteration + COSTS.visit * histories)


def iterations_for(iterations: float | None, seconds: float | None, histories: int) -> float:
    """How many iterations of CFR over ``histories`` a budget is good for, roughly.

    iterations, seconds: the budget; what ends first counts.
    """
    by_sampling = math.inf if iterations is None else iterations * _SAMPLING / histories
    return min(by_sampling, math.inf if seconds is None else iterations_in(seconds, histories))


def solve(
    run: CFR,
    iterations: int | None,
    seconds: float | None,
    began: float,
    progress: Progress = SILENT,
) -> None:
    """Continue CFR over the written-out game, for so many iterations, or for what is left of
    ``seconds`` since ``began``, by `clock.now`. It makes a few iterations even if no time is left,
    because a game that is hardly solved plays worse than nothing. It counts these iterations,
    because other programs may take the processor, and then a clock does not say how much was done.
    """
    histories = run.tree.num_histories
    if seconds is not None:
        seconds = time_left(seconds - _REST * COSTS.visit * histories, began)
    run.iterate(iterations, seconds=seconds, progress=progress)
    due = max(int(iterations_in(_LEAST, histories)), _WORTHWHILE) - run.iterations
    if iterations is None and due > 0:
        run.iterate(due, seconds=_PATIENCE)


def time_left(seconds: float, began: float) -> float:
    """How much of a time is left for CFR, by `clock.now`: at least a millisecond."""
    return max(seconds - (clock.now() - began), _LEAST)


class Account:
    """How many iterations of CFR are due for iterations by sampling: as many as take as long. What
    is left over counts the next time, so it makes no difference how a budget is cut into pieces.
    """

    def __init__(self) -> None:
        self._effort = 0.0
        self._made = 0

    def due(self, iterations: int, histories: int) -> int:
        """How many more iterations over a game of ``histories`` are due after ``iterations`` more
        by sampling. The first ones pay for writing the game out; a few are made in any case.
        """
        self._effort += iterations * _SAMPLING
        in_all = max(int((self._effort - _WRITING * histories) / histories), _WORTHWHILE)
        due, self._made = in_all - self._made, in_all
        return due


class _Until:
    """Ends the writing out of a game that takes too long.

    began: when writing began, by `clock.now`.
    seconds: how much time there is in all; None for as much as it takes.
    guess: how many histories there may be; 0 if that is unknown.
    before_play: whether there will be more time.
    """

    def __init__(
        self, began: float, seconds: float | None, guess: float, before_play: bool
    ) -> None:
        self._began = began
        self._seconds = seconds
        self._guess = guess
        self._shares = (_SHARE_BEFORE, _AT_MOST_BEFORE) if before_play else (_SHARE, _AT_MOST)

    def update(self, report: Report) -> None:
        """See `Progress`. Writing is late if all of it, at the pace so far, takes too long; if the
        number of histories is unknown, it is late after its share of the time.
        """
        if self._seconds is None or report.done < TELLING:
            return
        takes, (share, at_most) = clock.now() - self._began, self._shares
        if self._guess > 0.0:
            takes, share = takes * max(self._guess / report.done, 1.0), at_most
        if takes > share * self._seconds:
            raise TooLargeError(f"writing out {report.done:,} histories took too long")


class _Clock:
    """Notes how many histories were written out, and after how many seconds. Those that were met
    last are written in part.
    """

    histories = 0
    seconds = 0.0

    def __init__(self) -> None:
        self._began = clock.now()
        self._met = 0

    def update(self, report: Report) -> None:
        """See `Progress`."""
        met = int(report.done)
        self.histories = self._met + int(_IN_PART * (met - self._met))
        self.seconds, self._met = clock.now() - self._began, met
