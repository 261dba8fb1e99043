"""Games that hide nothing but what is chosen at the same moment: exactly from where the rest of the
game fits, by sampling before that.

From every state on, such a game is a game of its own. If it has an evaluation function that was
measured to be far-sighted, double oracle with alpha-beta looks ahead with it, and plays optimally
from where it sees the end. In other games backward induction finds optimal play where the states
are few enough for the time. Elsewhere a blueprint is played where it knows enough; else the states
are sampled, from the present one on.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Final

from hiddenhand.errors import GameError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import Progress
from hiddenhand.search.auto.backward_induction import Induction
from hiddenhand.search.auto.blueprint_lookup import Recalled
from hiddenhand.search.auto.candidates import Always, Auto, Left, Searches
from hiddenhand.search.cost_model import COSTS
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.simultaneous.double_oracle.search import DoubleOracle
from hiddenhand.search.simultaneous.simultaneous_search import SimultaneousSearch
from hiddenhand.solvers.simultaneous.backward_induction import solve_by_induction, solve_state
from hiddenhand.trees.blueprint import SetBlueprint

_TOO_MANY: Final = "too many states to solve in this time"
_HIDDEN: Final = (
    "something is hidden here besides what is chosen at the same moment: information-set Monte "
    "Carlo tree search, which guarantees nothing"
)


class JointChoice(Auto):
    """``deepening`` where there is one; else backward induction where it fits, and ``sampling``
    where it does not; see `Auto`.

    sampling: follows the match, and searches where induction does not fit.
    name: what ``sampling`` is called.
    deepening: follows the match, too, and looks ahead, to the end where there is time for it; None
        where sampling is better.
    hidden: makes the search that takes over where something else turns out to be hidden.
    blueprint: one by sets; None where there is none.
    doubt: why a blueprint is not used, in a clause; empty where there is none, or it is used.
    memory: bytes that induction may take.
    """

    def __init__(
        self,
        sampling: SimultaneousSearch,
        name: str,
        deepening: DoubleOracle | None,
        *,
        hidden: Callable[[], OnlineSearch],
        blueprint: SetBlueprint | None,
        doubt: str,
        memory: int,
    ) -> None:
        game = sampling.game
        self._make_instead = hidden
        self._seat, self._seed = 0, sampling.seed
        self._events: list[Event] = []
        induction = JointInduction(sampling, memory)
        known = [] if blueprint is None else [Recalled(game, blueprint, sampling, lasts=False)]
        looking = [] if deepening is None else [LookAhead(deepening)]
        last = Always(sampling, f"{_TOO_MANY}: {name}, from the present state{doubt}")
        super().__init__(
            game,
            [sampling, *known, *(look.plays for look in looking), induction],
            [*looking, induction, *known, last],
        )
        self._parts = self.followers, self.candidates

    def start(self, seat: int, seed: int) -> None:
        self._seat, self._seed, self._events = seat, seed, []
        self.followers, self.candidates = self._parts
        super().start(seat, seed)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`. Where something else turns out to be hidden, which few plays
        at random have met, another search follows the rest of the match.
        """
        self._events += events
        try:
            super().notice(events, seconds, iterations)
        except GameError as error:
            if type(error) is not GameError:  # a rule is broken
                raise
            instead = self._make_instead()
            instead.start(self._seat, self._seed)
            instead.notice(self._events, seconds, iterations)
            self.followers, self.candidates = (instead,), (Always(instead, _HIDDEN),)


class LookAhead(Searches):
    """Looks ahead with an evaluation function. How deep it looks is a matter of time, so it plays
    for budgets in seconds only.
    """

    plays: DoubleOracle
    lasts = False

    def __init__(self, deepening: DoubleOracle) -> None:
        self.plays = deepening
        _load(deepening.game)

    def can(self, left: Left) -> bool:
        return left.seconds is not None

    def why(self) -> str:
        if self.plays.is_exact:
            return "doab sees the end of the game from here, so what is played is optimal"
        return f"{_TOO_MANY}: doab, from the present state"


class JointInduction(Induction):
    """Backward induction where only what is chosen at the same moment is hidden.

    following: follows the match.
    memory: bytes that it may take.
    """

    PACE = COSTS.joint_state

    def __init__(self, following: SimultaneousSearch, memory: int) -> None:
        self.following, self.memory = following, memory
        _load_induction()
        super().__init__()

    @property
    def _key(self) -> int:
        return self.following.belief.information_key

    def _has_state(self) -> bool:
        """Whether it is a decision of a player."""
        search = self.following
        nobody = (CHANCE, TERMINAL)
        return search.belief.is_alive and search.rules.current_player(search.state) not in nobody

    def _solve(self, limit: int, progress: Progress) -> Floats:
        search = self.following
        state = search.state.copy()
        _, *policies = solve_state(
            search.rules, state, max_nodes=limit, memory=self.memory, progress=progress
        )
        return policies[search.seat]


# --- what is compiled, or loaded, before the clock of a match starts, once in each process ---


@lru_cache(maxsize=64)
def _load(game: Game) -> None:
    """Load all that looking ahead in ``game`` needs."""
    DoubleOracle(game).think(iterations=1)


@cache
def _load_induction() -> None:
    """Load all that backward induction needs."""
    solve_by_induction(Goofspiel(2))
