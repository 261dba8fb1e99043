"""A player that continues thinking while it is the others' turn.

Where the rules of a match allow it, the time that opponents use is not lost: a search that has just
chosen a move continues from the same information set, so that it knows more of what may come next.
It thinks in a thread of its own, in short pieces, and stops as soon as the player receives the next
events. What it finds then depends on how long the others took, so such matches cannot be repeated.
"""

from collections.abc import Callable, Sequence
from threading import Event as Flag
from threading import Thread
from typing import Final

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.players.player import Decision
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import Progress, Report

Think = Callable[[int | None, float | None, Progress], None]

_PIECE: Final = 0.05  # seconds: how late it can be to stop, at worst


class PonderingPlayer(SearchPlayer):
    """A `SearchPlayer` that also thinks while others are to move."""

    _pondering: "_Pondering | None" = None

    def start(self, game: Game, seat: int, seed: int) -> None:
        self.rest()
        super().start(game, seat, seed)

    def follow(self, events: Sequence[Event]) -> None:
        """See `SearchPlayer.follow`. To stop takes a part of the move's time."""
        asked = clock.now()
        self.rest()
        super().follow(events)
        self._asked = asked

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        """See `Player.act`. Afterwards it goes on thinking."""
        decision = super().act(events, legal_actions, budget)
        self._pondering = _Pondering(self.search.think)
        return decision

    def end(self, events: Sequence[Event], payoff: float) -> None:
        self.rest()
        super().end(events, payoff)

    def rest(self) -> None:
        """Stop thinking until the next move. Raises what that thinking has raised."""
        pondering, self._pondering = self._pondering, None
        if pondering is not None:
            pondering.stop()


class _Pondering:
    """Thinking in a thread until it is stopped. The instance is also the progress of the search: at
    a report after `stop` it ends the thinking.
    """

    def __init__(self, think: Think) -> None:
        self._think = think
        self._stopped = Flag()
        self._failed: BaseException | None = None
        self._thread = Thread(target=self._go_on, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Wait until it has ended, and raise what it raised."""
        self._stopped.set()
        self._thread.join()
        if self._failed is not None:
            raise self._failed

    def update(self, report: Report) -> None:
        """See `Progress`."""
        if self._stopped.is_set():
            raise StopIteration

    def _go_on(self) -> None:
        try:
            while not self._stopped.is_set():
                self._think(None, _PIECE, self)
                # Where all is known, thinking takes no time at all.
                self._stopped.wait(clock.timeout(1e-3))
        except BaseException as error:
            self._failed = error
