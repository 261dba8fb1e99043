"""Games that hide nothing but what is chosen at the same moment: exactly from where the rest of the
game fits, by sampling before that.

From every state on, such a game is a game of its own. If it has an evaluation function that was
measured to be far-sighted, double oracle with alpha-beta looks ahead with it, and plays optimally
from where it sees the end. In other games backward induction finds optimal play where the states
are few enough for the time; elsewhere they are sampled, from the present state on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import GameError, SolverError, TooLargeError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.joint.double_oracle.search import DoubleOracle
from hiddenhand.search.joint.following import SimultaneousSearch
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.thinking import DEFAULT_MEMORY
from hiddenhand.states.induction import solve_by_induction, solve_state
from hiddenhand.trees.strategy import Weights

_STATE: Final = 20.0  # iterations by sampling that solving a state takes as long as
_SHARE: Final = 0.25  # of the time, what may go into states before it is known whether all fit,
_MOST: Final = 0.8  # and what may go into solving them then
_PACE: Final = 1e-5  # seconds to find and solve a state, before anything was measured
_LEAST: Final = 1e-4  # seconds to think, when choosing took all there was
_ANYWAY: Final = 500  # states that are solved however small the budget is
_TOO_MANY: Final = "too many states to solve in this time"


@dataclass(frozen=True)
class _Solved:
    """What backward induction plays in an information set.

    key: the key of the set.
    policy: ``float64[n]``, the probabilities of the player's actions.
    """

    key: int
    policy: Floats


class JointChoice:
    """``deepening`` where there is one; else backward induction where it fits, and ``sampling``
    where it does not; see `OnlineSearch`.

    sampling: follows the match, and searches where induction does not fit.
    name: what ``sampling`` is called.
    deepening: follows the match, too, and looks ahead, to the end where there is time for it; None
        where sampling is better. How deep it looks is a matter of time, so it is used for budgets
        in seconds only.
    hidden: makes the search that takes over where something else turns out to be hidden.
    memory: bytes that induction may take.
    choice: what was done for the present move and why, in a sentence.
    """

    def __init__(
        self,
        sampling: SimultaneousSearch,
        name: str,
        deepening: DoubleOracle | None = None,
        *,
        hidden: Callable[[], OnlineSearch],
        memory: int = DEFAULT_MEMORY,
    ) -> None:
        self.sampling = sampling
        self.deepening = deepening
        self.game = sampling.game
        self._name = name
        self._memory = memory
        self._make_instead = hidden
        _load_induction()
        self.start(0, sampling.seed)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self._seat, self._seed = seat, seed
        self._events: list[Event] = []
        self._instead: OnlineSearch | None = None
        self.sampling.start(seat, seed)
        if self.deepening is not None:
            _load(self.game)
            self.deepening.start(seat, seed)
        self._looks_ahead = False
        self._pace = _PACE
        self._solved: _Solved | None = None
        self._states = 0
        self._refused = 0  # as many states were too few, where the match stands
        self.choice = ""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`. Where something else turns out to be hidden, which few plays
        at random have met, another search follows the rest of the match.
        """
        self._events += events
        self._solved, self._refused, self._looks_ahead = None, 0, False
        if self._instead is not None:
            self._instead.notice(events, seconds, iterations)
            return
        try:
            self.sampling.notice(events, seconds, iterations)
            if self.deepening is not None:
                self.deepening.notice(events)
        except GameError as error:
            if type(error) is not GameError:  # a rule is broken
                raise
            self._instead = self._make_instead()
            self._instead.start(self._seat, self._seed)
            self._instead.notice(self._events, seconds, iterations)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. Where everything is solved there is nothing left to think
        about.
        """
        verify_budget(iterations, seconds)
        if self._instead is not None:
            self.choice = (
                "something is hidden here besides what is chosen at the same moment: "
                "information-set Monte Carlo tree search, which guarantees nothing"
            )
            self._instead.think(iterations, seconds, progress)
            return
        if self._solved is None and self.deepening is not None and seconds is not None:
            self._looks_ahead = True
            self.deepening.think(iterations, seconds, progress)
            self.choice = (
                "doab sees the end of the game from here, so what is played is optimal"
                if self.deepening.is_exact
                else f"{_TOO_MANY}: doab, from the present state"
            )
            return
        self._looks_ahead, began = False, clock.now()
        if self._solved is None and self._has_state:
            self._solve(iterations, seconds)
        if self._solved is None:
            if seconds is not None:
                seconds = max(seconds - (clock.now() - began), _LEAST)
            self.choice = f"{_TOO_MANY}: {self._name}, from the present state"
            self.sampling.think(iterations, seconds, progress)

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        if self._instead is not None:
            return self._instead.policy(num_actions)
        solved = self._solved
        if solved is not None and solved.policy.size == num_actions:
            return solved.policy.copy()
        if self._looks_ahead and self.deepening is not None:
            return self.deepening.policy(num_actions)
        return self.sampling.policy(num_actions)

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`. What is solved has weight 1 in the present information set;
        nothing else is remembered of it.
        """
        if self._instead is not None:
            return self._instead.weights()
        if self._solved is None:
            searched = self.deepening if self._looks_ahead else None
            return (searched or self.sampling).weights()
        return Weights(
            np.array([self._solved.key], np.uint64),
            np.array([0, self._solved.policy.size]),
            self._solved.policy.copy(),
        )

    def thought(self) -> Mapping[str, float]:
        """What the sampling did, and how many states were solved for the present move."""
        if self._instead is not None:
            return self._instead.thought()
        return {**self.sampling.thought(), "states": self._states if self._solved else 0}

    @property
    def _has_state(self) -> bool:
        """Whether the present state is known, and somebody moves there."""
        search = self.sampling
        return search.belief.is_alive and search.rules.current_player(search.state) not in (
            CHANCE,
            TERMINAL,
        )

    def _solve(self, iterations: int | None, seconds: float | None) -> None:
        """Solve the present state if the states below it are few enough."""
        limit = self._limit(iterations, seconds)
        if limit <= self._refused:
            return
        search, counting, began = self.sampling, _Counting(seconds), clock.now()
        try:
            _, *policies = solve_state(
                search.rules,
                search.state.copy(),
                max_nodes=limit,
                memory=self._memory,
                progress=counting,
            )
        except TooLargeError:
            self._refused = limit
            return
        except (GameError, SolverError):  # hidden after all, or spoilt by rounding
            self._refused = 2**62
            return
        self._states = counting.states
        if self._states > _ANYWAY:
            self._pace = (clock.now() - began) / self._states
        self._solved = _Solved(search.belief.information_key, policies[search.seat])
        self.choice = (
            f"all {self._states:,} states from here on were solved by backward induction, so what "
            "is played is optimal"
        )

    def _limit(self, iterations: int | None, seconds: float | None) -> int:
        """How many states may be looked at."""
        most = [float(2**31 - 1)]
        if iterations is not None:
            most.append(iterations / _STATE)
        if seconds is not None:
            most.append(_SHARE * seconds / self._pace)
        return max(int(min(most)), _ANYWAY)


@lru_cache(maxsize=64)
def _load(game: Game) -> None:
    """Have everything compiled, or loaded, that looking ahead in ``game`` needs: before the clock
    of a match starts, and once in each process.
    """
    DoubleOracle(game).think(iterations=1)


@cache
def _load_induction() -> None:
    """The same for backward induction, once in each process."""
    solve_by_induction(Goofspiel(2))


class _Counting:
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
        share = _SHARE if report.total is None else _MOST  # how many there are is known at last
        took = clock.now() - self._began
        if self._seconds is not None and took > share * self._seconds and self.states > _ANYWAY:
            raise TooLargeError(f"{self.states:,} states took too long")
