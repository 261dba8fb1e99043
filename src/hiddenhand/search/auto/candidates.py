"""How `auto` decides: its candidates are ways to play a move. It takes the first one that can play
the present move in the time that is left.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from hiddenhand import clock
from hiddenhand.budget import verify_budget
from hiddenhand.games.base import Game, verify_player
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.online import OnlineSearch
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Weights

_LEAST: Final = 1e-4  # seconds to think, when choosing took all there was


class Left:
    """What is left of the budget of a move, whose time has begun.

    iterations: how many there are; None for no limit.
    whole: how many seconds there were at first; None for no limit.
    """

    def __init__(self, iterations: int | None, seconds: float | None) -> None:
        self.iterations = iterations
        self.whole = seconds
        self._began = clock.now()

    @property
    def seconds(self) -> float | None:
        """How many are left, a tenth of a millisecond at least; None for no limit."""
        if self.whole is None:
            return None
        return max(self.whole - (clock.now() - self._began), _LEAST)


class Follower(Protocol):
    """Follows a match; see `OnlineSearch`."""

    def start(self, seat: int, seed: int) -> None: ...

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None: ...


class Plays(Protocol):
    """Says what to play; see `OnlineSearch`."""

    def policy(self, num_actions: int) -> Floats: ...

    def weights(self) -> Weights: ...


class Candidate(ABC):
    """A way to play a move.

    lasts: whether it also plays on when there is more time for the same move. If not, `Auto`
        chooses anew.
    plays: what plays the move, after `can` was true.
    """

    lasts = True
    plays: Plays
    _why = ""

    @abstractmethod
    def can(self, left: Left) -> bool:
        """Whether it plays the present move, given the time that is left. May use some of that."""

    def think(self, left: Left, progress: Progress) -> None:  # noqa: B027 - see `Searches`
        """Think about the present move, if there is anything to think about."""

    def why(self) -> str:
        """What is done and why, in a sentence, after `can` was true."""
        return self._why

    def is_ready(self) -> bool:
        """Whether it can play the present move without thinking about it."""
        return False

    def figures(self) -> Mapping[str, float]:
        """Its part of `Auto.thought`."""
        return {}


class Searches(Candidate):
    """A way to play a move by a search, which thinks."""

    plays: OnlineSearch

    def think(self, left: Left, progress: Progress) -> None:
        self.plays.think(left.iterations, left.seconds, progress)


class Always(Searches):
    """A search that can always play: the last of all candidates.

    plays: the search.
    why: see `Candidate`.
    """

    lasts = False

    def __init__(self, plays: OnlineSearch, why: str) -> None:
        self.plays = plays
        self._why = why

    def can(self, left: Left) -> bool:
        return True

    def is_ready(self) -> bool:
        return True

    def figures(self) -> Mapping[str, float]:
        return self.plays.thought()


class Auto:
    """Plays each move by the first of its candidates that can; see `OnlineSearch`.

    game: the game, in turns.
    followers: what follows the match, in this order; all have been started.
    candidates: the ways to play a move, from the first choice to the last. The last one can
        always play.
    """

    def __init__(
        self, game: Game, followers: Sequence[Follower], candidates: Sequence[Candidate]
    ) -> None:
        self.game = game
        self.followers = tuple(followers)
        self.candidates = tuple(candidates)
        self._chosen: Candidate | None = None

    def __repr__(self) -> str:
        return one_line(self, self.game)

    def start(self, seat: int, seed: int) -> None:
        verify_player(self.game, seat)
        for follower in self.followers:
            follower.start(seat, seed)
        self._chosen = None

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        self._chosen = None
        for follower in self.followers:
            follower.notice(events, seconds, iterations)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. Iterations are those by sampling; of other work as much is done
        as takes as long.
        """
        left = Left(*verify_budget(iterations, seconds))
        if self._chosen is None or not self._chosen.lasts:
            self._chosen = next(one for one in self.candidates if one.can(left))
        self._chosen.think(left, progress)

    @property
    def present(self) -> Candidate:
        """The candidate that plays the present move."""
        return self._chosen or next(one for one in self.candidates if one.is_ready())

    @property
    def choice(self) -> str:
        """What was done for the present move and why, in a sentence; empty before that."""
        return "" if self._chosen is None else self._chosen.why()

    def policy(self, num_actions: int) -> Floats:
        return self.present.plays.policy(num_actions)

    def weights(self) -> Weights:
        return self.present.plays.weights()

    def thought(self) -> Mapping[str, float]:
        """The figures of all candidates. "iterations" counts all iterations."""
        found = dict[str, float]()
        for candidate in self.candidates:
            figures = candidate.figures()
            iterations = found.get("iterations", 0) + figures.get("iterations", 0)
            found |= {**figures, "iterations": iterations}
        return found
