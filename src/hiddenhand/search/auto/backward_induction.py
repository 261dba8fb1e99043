"""Backward induction from the present state of a match on, if that fits into the time of a move.

How many states there are shows only when all are found. So finding them is given up when they are
too many, or when it takes too long.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import GameError, SolverError, TooLargeError
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import Progress, Report
from hiddenhand.search.auto.candidates import Candidate, Left
from hiddenhand.trees.strategy import Weights

ANYWAY: Final = 500
"""States that are solved however small the budget is."""
SHARE: Final = 0.25
"""Of the time, what may go into states before it is known whether all fit."""

_STATE: Final = 20.0  # iterations by sampling that solving a state takes as long as
_MOST: Final = 0.8  # of the time, what may go into solving states when all are found


class Induction(Candidate):
    """Solves the present state. Derived classes know which one that is.

    PACE: seconds to find and solve a state, before anything was measured.
    WHAT: what comes before the number of states when it says what was done.
    states: how many states were solved for the present one; 0 where it is not solved.
    """

    PACE: ClassVar[float]
    WHAT: ClassVar[str] = "all"

    def __init__(self) -> None:
        self.plays = self
        self.start(0, 0)

    def start(self, seat: int, seed: int) -> None:
        self._pace = self.PACE
        self.notice(())

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`. Another state is the present one."""
        self.states = 0
        self._refused = 0  # as many states were too few
        self._solved: Floats | None = None

    @property
    @abstractmethod
    def _key(self) -> int:
        """The key of the present information set."""

    @abstractmethod
    def _has_state(self) -> bool:
        """Whether the present state is known, and may be solved."""

    @abstractmethod
    def _solve(self, limit: int, progress: Progress) -> Floats:
        """The policy ``float64[n]`` in the present state. Raises TooLargeError if there are more
        states than ``limit``, and GameError or SolverError if it cannot be solved in this way.
        """

    def can(self, left: Left) -> bool:
        if self._solved is None and self._has_state():
            self._attempt(left)
        return self._solved is not None

    def _attempt(self, left: Left) -> None:
        """Solve the present state if the states from here on are few enough."""
        limit = self.limit(left)
        if limit <= self._refused:
            return
        counting, began = Counting(left.seconds), clock.now()
        try:
            self._solved = self._solve(limit, counting)
            self.states = counting.states
        except TooLargeError:
            self._refused = limit
        except (GameError, SolverError):  # hidden after all, or spoilt by rounding
            self._refused = 2**62
            return
        if counting.states > ANYWAY:  # fewer say more about the machine's other work
            self._pace = (clock.now() - began) / counting.states

    def limit(self, left: Left) -> int:
        """How many states may be looked at."""
        most = [float(2**31 - 1)]
        if left.iterations is not None:
            most.append(left.iterations / _STATE)
        if left.seconds is not None:
            most.append(SHARE * left.seconds / self._pace)
        return max(int(min(most)), ANYWAY)

    def why(self) -> str:
        return (
            f"{self.WHAT} {self.states:,} states from here on were solved by backward induction, "
            "so what is played is optimal"
        )

    def policy(self, num_actions: int) -> Floats:
        assert self._solved is not None
        return self._solved.copy()

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`. The present information set has weight 1; nothing else is
        remembered.
        """
        policy = self.policy(0)
        return Weights(np.array([self._key], np.uint64), np.array([0, policy.size]), policy)

    def figures(self) -> Mapping[str, float]:
        return {"states": self.states}


class Counting:
    """Counts the states that are solved, and ends what takes too long.

    seconds: how long there is to think; None for as long as it takes.
    """

    states = 0

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._began = clock.now()

    def update(self, report: Report) -> None:
        """See `Progress`. Raises TooLargeError when it is late."""
        self.states = max(self.states, int(report.done))
        all_found = report.total is not None
        share = _MOST if all_found else SHARE
        took = clock.now() - self._began
        if self._seconds is not None and took > share * self._seconds and self.states > ANYWAY:
            raise TooLargeError(f"{self.states:,} states took too long")
