"""A player that searches: an online search receives the player's events, and the player draws its
moves from the policy of the search.

A budget in seconds is for the whole move. So the time that it takes to follow the events is
subtracted from the time to think. If a move took too long, the player subtracts the excess from the
moves after it: a move may be late by milliseconds, but a match as a whole is not. Following the
events takes only a part of the time; where there is little time, fewer histories are followed.
Compiling and loading is done before a match starts: see `warm_up`.

Where only one move is legal, it is made at once, and the search receives the events at the next
decision. A budget in iterations is used up there, too, so that the result depends on no clock.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.validation.conformance import verify_hash
from hiddenhand.jit.tiers import Calls, calls
from hiddenhand.players.player import Deciding, Probabilities, derived_seed
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.online import InfosetRoot, OnlineSearch, StartsFrom

_LEAST: Final = 1e-3  # seconds to think, when following the events took all there was
_MOST_OWED: Final = 0.5  # what part of a move's time an earlier delay may take
_TO_FOLLOW: Final = 0.4  # what part of a move's time the search may take to follow the events

MakeSearch = Callable[[Game], OnlineSearch]


class SearchPlayer(Deciding):
    """Plays by the policy of a search.

    make_search: makes the search for a game.
    budget: this player's own budget for each move, whatever the match allows; None for the budget
        of the match.

    Its ``progress`` receives reports of how far the search is, at each move.
    """

    progress: Progress = SILENT

    def __init__(self, make_search: MakeSearch, budget: Budget | None = None) -> None:
        self._make_search = self._for_match = make_search
        self._budget = budget

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._make_search})"

    def with_one_search(self) -> "SearchPlayer":
        """A player who plays the same, and makes the search for a game only once, which saves time
        where many matches are short.
        """
        player = SearchPlayer(self._make_search, self._budget)
        player._for_match = lru_cache(maxsize=1)(self._make_search)
        return player

    def verify_plays(self, game: Game) -> None:
        """Raise the error of a search that cannot play ``game``. Compiles nothing."""
        self._make_search(game)

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. Compiles what the search needs. Raises what `verify_hash` raises."""
        super().start(game, seat, seed)
        verify_hash(game)
        warm_up(self._make_search, game, seat)
        self.search = self._for_match(game)
        self.search.start(seat, self.search_seed(seed))
        self._forget()

    def start_from(self, root: InfosetRoot, seed: int) -> None:
        """Begin in ``root``, as in a match with ``seed``, to say the policy there. The search must
        be a `StartsFrom`, and the player have started a match before.
        """
        cast(StartsFrom, self.search).start_from(root, self.search_seed(seed))
        self._forget()

    def _forget(self) -> None:
        self._calls = Calls(0, 0)
        self._late = 0.0  # seconds
        self._unheard: list[Event] | None = None
        self._asked: float | None = None  # when a move was asked for, by `clock.now`
        self._had_choice = True

    @staticmethod
    def search_seed(seed: int) -> int:
        """The seed of the search in a match that the player begins with ``seed``."""
        return derived_seed(seed, 1)

    def allowed(self, budget: Budget | None) -> Budget:
        """The budget of a move in a match that allows ``budget``. Raises OptionError if neither the
        player nor the match has one.
        """
        allowed = self._budget or budget
        if allowed is None:
            raise OptionError(
                "a player who searches needs a budget for each move; give a number of iterations "
                "or of seconds, such as --seconds 0.1 in the terminal"
            )
        return allowed

    def prepare(self, budget: Budget) -> None:
        """Search from the root."""
        self.search.think(budget.iterations, budget.seconds, self.progress)

    def follow(self, events: Sequence[Event]) -> None:
        """Keep the events for the search until it is known how much time it has. The clock runs."""
        self._asked = clock.now()
        self._unheard = [*(self._unheard or ()), *events]

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """Let the search take note of the events and think, then return its policy. Raises
        OptionError if neither the player nor the match has a budget.
        """
        began, self._asked = self._asked or clock.now(), None
        budget = self.allowed(budget)
        self._had_choice = len(legal_actions) > 1 or budget.seconds is None
        if not self._had_choice:
            return np.ones(1)
        before = calls()
        self._notice(budget)
        if budget.seconds is None:
            self.search.think(budget.iterations, None, self.progress)
        else:
            self._think_in_time(budget.iterations, budget.seconds, began)
        self._calls = calls() - before
        return self.search.policy(len(legal_actions))

    def thought(self) -> Mapping[str, float]:
        """The figures of the search, and the share of the calls of kernels for the last move that
        ran in their specialised form: see `hiddenhand.jit.tiers`.
        """
        thought = dict(self.search.thought())
        if made := sum(self._calls):
            thought["specialised"] = self._calls.specialised / made
        return thought

    def choice(self) -> str:
        """The choice, with its reason, of a search that chooses among other searches."""
        if not self._had_choice:
            return "only one move is legal"
        return str(getattr(self.search, "choice", ""))

    def _notice(self, budget: Budget) -> None:
        if self._unheard is not None:  # else this is a second look at the same information set
            seconds = None if budget.seconds is None else _TO_FOLLOW * budget.seconds
            self.search.notice(self._unheard, seconds, budget.iterations)
            self._unheard = None

    def _think_in_time(self, iterations: int | None, seconds: float, began: float) -> None:
        owed = min(self._late, _MOST_OWED * seconds)
        left = max(seconds - (clock.now() - began) - owed, _LEAST)
        self.search.think(iterations, left, self.progress)
        self._late = max(0.0, self._late + clock.now() - began - seconds)


@lru_cache(maxsize=256)
def warm_up(make_search: MakeSearch, game: Game, seat: int) -> None:
    """Compile everything that a search needs in a match, once in each process: a search made for
    this purpose plays the start of a match.
    """
    search, random = make_search(game), np.random.default_rng(0)
    search.start(seat, 0)
    search.think(iterations=1)
    history, unheard, own_moves = History(game), list[Event](), 0
    while not history.is_terminal and own_moves < 2:
        if history.player == seat:
            own_moves += 1
            search.notice(unheard, iterations=1)
            search.think(iterations=1)
            search.policy(len(history.legal_actions()))
            unheard = []
        history = history.child(
            history.sample_chance(random)
            if history.player == CHANCE
            else int(random.choice(history.legal_actions()))
        )
        if event := history.noticed(seat):
            unheard.append(event)
