"""Games that hide nothing but what is chosen at the same moment: exactly from where the rest of the
game fits, by sampling before that.

From every state on, such a game is a game of its own. If it has an evaluation function that was
measured to be far-sighted, double oracle with alpha-beta looks ahead with it, and plays optimally
from where it sees the end. In other games backward induction finds optimal play where the states
are few enough for the time. Elsewhere a blueprint is played where it knows enough; else the states
are sampled, from the present one on.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from hiddenhand import clock
from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.auto.by_states import ByStates, Solved
from hiddenhand.search.auto.recalling import Recalled
from hiddenhand.search.joint.double_oracle.search import DoubleOracle
from hiddenhand.search.joint.following import SimultaneousSearch
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.thinking import DEFAULT_MEMORY
from hiddenhand.states.induction import solve_state
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Weights

_PACE: Final = 1e-5  # seconds to solve a state: players may have to mix in many
_SHARE: Final = 0.25  # of the time, what may go into states before it is known whether all fit
_LEAST: Final = 1e-4  # seconds to think, when choosing took all there was
_TOO_MANY: Final = "too many states to solve in this time"


class JointChoice:
    """``deepening`` where there is one; else backward induction where it fits, and ``sampling``
    where it does not; see `OnlineSearch`.

    sampling: follows the match, and searches where induction does not fit.
    name: what ``sampling`` is called.
    deepening: follows the match, too, and looks ahead, to the end where there is time for it; None
        where sampling is better. How deep it looks is a matter of time, so it is used for budgets
        in seconds only.
    hidden: makes the search that takes over where something else turns out to be hidden.
    recalled: knows a blueprint; None where there is none.
    doubt: why a blueprint is not used, in a clause; empty where there is none, or it is used.
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
        recalled: Recalled | None = None,
        doubt: str = "",
        memory: int = DEFAULT_MEMORY,
    ) -> None:
        self.sampling = sampling
        self.deepening = deepening
        self.game = sampling.game
        self._name = name
        self._memory = memory
        self._make_instead = hidden
        self._recalled = recalled
        self._doubt = doubt
        self._by_states = ByStates(pace=_PACE, share=_SHARE)
        self.start(0, sampling.seed)

    def __repr__(self) -> str:
        return one_line(self, self.game)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self._seat, self._seed = seat, seed
        self._events: list[Event] = []
        self._instead: OnlineSearch | None = None
        self.sampling.start(seat, seed)
        if self.deepening is not None:
            _load(self.game)
            self.deepening.start(seat, seed)
        if self._recalled is not None:
            self._recalled.start(seat, seed)
        self._looks_ahead = self._recalls = False
        self._by_states.start()
        self._solved: Solved | None = None
        self.choice = ""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`. Where something else turns out to be hidden, which few plays
        at random have met, another search follows the rest of the match.
        """
        self._events += events
        self._solved, self._looks_ahead, self._recalls = None, False, False
        self._by_states.move_on()
        if self._instead is not None:
            self._instead.notice(events, seconds, iterations)
            return
        try:
            self.sampling.notice(events, seconds, iterations)
            if self._recalled is not None:
                self._recalled.notice(events, self.sampling.belief)
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
        iterations, seconds = verify_budget(iterations, seconds)
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
        if self._solved is None and self._recalled is not None and self._recalled.is_believed:
            self._recalls, self.choice = True, self._recalled.choice
            return
        if self._solved is None:
            if seconds is not None:
                seconds = max(seconds - (clock.now() - began), _LEAST)
            self.choice = f"{_TOO_MANY}: {self._name}, from the present state{self._doubt}"
            self.sampling.think(iterations, seconds, progress)

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        if self._instead is not None:
            return self._instead.policy(num_actions)
        solved = self._solved
        if solved is not None and solved.policy.size == num_actions:
            return solved.policy.copy()
        if self._recalls and self._recalled is not None:
            return self._recalled.policy(num_actions)
        if self._looks_ahead and self.deepening is not None:
            return self.deepening.policy(num_actions)
        return self.sampling.policy(num_actions)

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`. What is solved has weight 1 in the present information set;
        nothing else is remembered of it.
        """
        if self._instead is not None:
            return self._instead.weights()
        if self._recalls and self._recalled is not None:
            return self._recalled.weights()
        if self._solved is None:
            searched = self.deepening if self._looks_ahead else None
            return (searched or self.sampling).weights()
        return self._solved.weights()

    def thought(self) -> Mapping[str, float]:
        """What the sampling did, and how many states were solved for the present move."""
        if self._instead is not None:
            return self._instead.thought()
        visits = self._recalled.visits if self._recalled else 0
        return {**self.sampling.thought(), "states": self._by_states.states, "visits": visits}

    @property
    def _has_state(self) -> bool:
        """Whether the present state is known, and is a decision of a player."""
        search = self.sampling
        return search.belief.is_alive and search.rules.current_player(search.state) not in (
            CHANCE,
            TERMINAL,
        )

    def _solve(self, iterations: int | None, seconds: float | None) -> None:
        """Solve the present state if the states below it are few enough."""
        search = self.sampling

        def solve(limit: int, progress: Progress) -> list[Floats]:
            state = search.state.copy()
            _, *policies = solve_state(
                search.rules, state, max_nodes=limit, memory=self._memory, progress=progress
            )
            return policies

        found = self._by_states.attempt(solve, iterations, seconds)
        if found is None:
            return
        self._solved = Solved(search.belief.information_key, found[search.seat])
        self.choice = (
            f"all {self._by_states.states:,} states from here on were solved by backward "
            "induction, so what is played is optimal"
        )


@lru_cache(maxsize=64)
def _load(game: Game) -> None:
    """Have everything compiled, or loaded, that looking ahead in ``game`` needs: before the clock
    of a match starts, and once in each process.
    """
    DoubleOracle(game).think(iterations=1)
