"""Backward induction from the present state of a match on, if that fits into the time of a move.

How many states there are shows only when all are found. So finding them is given up when they are
too many, or when it takes too long.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

import numpy as np

from hiddenhand import clock
from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import GameError, SolverError, TooLargeError
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.progress import Progress, Report
from hiddenhand.states.induction import solve_by_induction
from hiddenhand.trees.strategy import Weights

ANYWAY: Final = 500
"""States that are solved however small the budget is."""

_STATE: Final = 20.0  # iterations by sampling that solving a state takes as long as
_MOST: Final = 0.8  # of the time, what may go into solving states when all are found

T = TypeVar("T")


@dataclass(frozen=True)
class Solved:
    """What backward induction plays in an information set.

    key: the key of the set.
    policy: ``float64[n]``, the probabilities of the player's actions.
    """

    key: int
    policy: Floats

    def weights(self) -> Weights:
        """The same with weight 1; nothing else is remembered. See `OnlineSearch.weights`."""
        starts = np.array([0, self.policy.size])
        return Weights(np.array([self.key], np.uint64), starts, self.policy.copy())


class ByStates:
    """Tries to solve the present state, and then the next ones of the match.

    pace: seconds to find and solve a state, before anything was measured.
    share: the part of a move's time that may go into states before it is known whether all fit.
    states: how many states were solved for the present one; 0 where it is not solved.
    """

    def __init__(self, *, pace: float, share: float) -> None:
        self.pace = pace
        self.share = share
        _load()
        self.start()

    def start(self) -> None:
        """Another match begins."""
        self._pace = self.pace
        self.move_on()

    def move_on(self) -> None:
        """Turn to another state."""
        self.states = 0
        self._refused = 0  # as many states were too few

    def attempt(
        self, solve: Callable[[int, Progress], T], iterations: int | None, seconds: float | None
    ) -> T | None:
        """What ``solve`` finds in the present state, if that fits; else None.

        solve: gets the number of states that it may look at, and the receiver of progress; raises
            TooLargeError if there are more, and GameError or SolverError if the state cannot be
            solved in this way.
        """
        limit = self._limit(iterations, seconds)
        if limit <= self._refused:
            return None
        counting, began = Counting(seconds, self.share), clock.now()
        try:
            found = solve(limit, counting)
        except TooLargeError:
            self._measure(counting.states, clock.now() - began)
            self._refused = limit
            return None
        except (GameError, SolverError):  # hidden after all, or spoilt by rounding
            self._refused = 2**62
            return None
        self.states = counting.states
        self._measure(self.states, clock.now() - began)
        return found

    def _measure(self, states: int, took: float) -> None:
        if states > ANYWAY:  # fewer say more about the machine's other work
            self._pace = took / states

    def _limit(self, iterations: int | None, seconds: float | None) -> int:
        """How many states may be looked at."""
        most = [float(2**31 - 1)]
        if iterations is not None:
            most.append(iterations / _STATE)
        if seconds is not None:
            most.append(self.share * seconds / self._pace)
        return max(int(min(most)), ANYWAY)


class Counting:
    """Counts the states that are solved, and ends what takes too long.

    seconds: how long there is to think; None for as long as it takes.
    share: the part of it that may go into states before it is known how many there are.
    """

    states = 0

    def __init__(self, seconds: float | None, share: float) -> None:
        self._seconds = seconds
        self._share = share
        self._began = clock.now()

    def update(self, report: Report) -> None:
        """See `Progress`. Raises TooLargeError when it is late."""
        self.states = max(self.states, int(report.done))
        all_found = report.total is not None
        share = _MOST if all_found else self._share
        took = clock.now() - self._began
        if self._seconds is not None and took > share * self._seconds and self.states > ANYWAY:
            raise TooLargeError(f"{self.states:,} states took too long")


@cache
def _load() -> None:
    """Have everything compiled, or loaded, that backward induction needs, once in each process."""
    solve_by_induction(Goofspiel(2))
