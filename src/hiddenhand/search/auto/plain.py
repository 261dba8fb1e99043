"""Zero-sum games of two players in which nothing is hidden: by backward induction where the states
from here on fit into the time, and as `HiddenChoice` does elsewhere.

Of several equally good moves, the search makes the one that earns most from an opponent who errs:
see `states.plain_sight`. `HiddenChoice` answers a model of the opponent.
"""

import copy
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.games.base import State
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import Event, History
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.auto.by_states import ByStates, Solved
from hiddenhand.search.auto.hidden import HiddenChoice
from hiddenhand.search.thinking import DEFAULT_MEMORY
from hiddenhand.states.plain_sight import BestMoves, best_moves
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Weights

_PACE: Final = 7e-7  # seconds to solve a state in which no player has to mix
_SHARE: Final = 0.25  # of the time, what may go into states before it is known whether all fit
_LEAST: Final = 1e-4  # seconds to think, when trying to solve the state took all there was


class PlainChoice:
    """Backward induction where it fits, and ``instead`` where it does not; see `OnlineSearch`.

    instead: follows the match, and searches where states are not solved.
    memory: bytes that induction may take.
    """

    def __init__(self, instead: HiddenChoice, *, memory: int = DEFAULT_MEMORY) -> None:
        self.game = instead.game
        self.instead = instead
        self._memory = memory
        self._by_states = ByStates(pace=_PACE, share=_SHARE)
        _load()
        self._move_on(None)

    def __repr__(self) -> str:
        return one_line(self, self.game)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self.instead.start(seat, seed)
        self._by_states.start()
        self._move_on(None)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`."""
        self.instead.notice(events, seconds, iterations)
        self._move_on(self._known_state())

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. Where the state is solved there is nothing left to think about.
        Before play, there is no state yet in which a move is due.
        """
        iterations, seconds = verify_budget(iterations, seconds)
        began = clock.now()
        if self._solved is None and self._state is not None:
            self._solve(self._state, iterations, seconds)
        if self._solved is None:
            if seconds is not None:
                seconds = max(seconds - (clock.now() - began), _LEAST)
            self.instead.think(iterations, seconds, progress)

    @property
    def choice(self) -> str:
        """What was done for the present move and why, in a sentence."""
        if self._solved is None:
            return self.instead.choice
        return (
            f"nothing is hidden, and all {self._by_states.states:,} states from here on were "
            "solved by backward induction, so what is played is optimal"
        )

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        if self._solved is not None and self._solved.policy.size == num_actions:
            return self._solved.policy.copy()
        return self.instead.policy(num_actions)

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`."""
        return self.instead.weights() if self._solved is None else self._solved.weights()

    def thought(self) -> Mapping[str, float]:
        """What ``instead`` did, and how many states were solved for the present move."""
        return {**self.instead.thought(), "states": self._by_states.states}

    def branch(self, events: Sequence[Event]) -> Self:
        """See `ContinualResolving.branch`."""
        other = copy.copy(self)
        other.instead = self.instead.branch(events)
        other._by_states = ByStates(pace=_PACE, share=_SHARE)
        other._move_on(other._known_state())
        return other

    def _move_on(self, state: State | None) -> None:
        """The match stands in another ``state``."""
        self._state = state
        self._solved: Solved | None = None
        self._by_states.move_on()

    def _known_state(self) -> State | None:
        """The present state, if it may be solved: it is known, and no model is to be answered."""
        resolving = self.instead.resolving
        if resolving.model is not None or resolving.is_sampled:
            return None
        leaves = resolving.belief.leaves
        return leaves.state[0].copy() if leaves.size == 1 else None

    def _solve(self, state: State, iterations: int | None, seconds: float | None) -> None:
        """Solve the present state if the states from here on are few enough."""
        resolving = self.instead.resolving
        if self.game.current_player(state) != resolving.seat:
            return

        def solve(limit: int, progress: Progress) -> BestMoves:
            return best_moves(
                self.game,
                state,
                resolving.seat,
                max_nodes=limit,
                memory=self._memory,
                progress=progress,
            )

        found = self._by_states.attempt(solve, iterations, seconds)
        if found is not None:
            self._solved = Solved(resolving.belief.information_key, found.policy)


@cache
def _load() -> None:
    """Have everything compiled, or loaded, that best moves need, once in each process."""
    game = Goofspiel(1)  # in which no player has a choice
    best_moves(game, History(game).state, 0, max_nodes=100)
