"""Learning at a table that stays open: trains the blueprint of its game in spare processor time,
and reports the time of training to pages.

It trains one game at a time: that of the table that a page opened last.
"""

from collections.abc import Callable
from dataclasses import replace
from threading import Event, RLock, Thread
from typing import Final

from hiddenhand import clock
from hiddenhand.search.background_training import QuietTraining
from hiddenhand.web.catalogue import loaded, trained
from hiddenhand.web.setup import Setup
from hiddenhand.web.views import Plain

_TOLD: Final = 10.0  # seconds between two reports of the time of training
_AUTO: Final = "auto"


class Learning:
    """Trains one game after the other.

    tell: the function that gets the name of a game and a frame for the pages at its tables; called
        in another thread.
    """

    def __init__(self, tell: Callable[[str, Plain], None]) -> None:
        self._tell = tell
        self._lock = RLock()
        self._training: QuietTraining | None = None
        self._is_closed = Event()
        Thread(target=self._watch, daemon=True).start()

    def turn_to(self, game: str) -> None:
        """Train a game from now on."""
        with self._lock:
            before = self._training
            if self._is_closed.is_set() or (before is not None and before.game == game):
                return
            self._training = QuietTraining(game)
        if before is not None:
            Thread(target=before.close).start()

    def frame(self, game: str) -> Plain:
        """The frame for the tables of a game, with the time of its training so far."""
        found, training = trained(loaded(game)), self._training
        alive = training.is_alive if training is not None and training.game == game else None
        time = found["time"] if found else ""
        return {"type": "learned", "time": time, "goes_on": alive is True, "ended": alive is False}

    def close(self) -> None:
        """End the training; its blueprint stays."""
        self._is_closed.set()
        with self._lock:
            if self._training is not None:
                self._training.close()

    def _watch(self) -> None:
        told: Plain = {}
        while not self._is_closed.wait(clock.timeout(_TOLD)):
            training = self._training
            if training is None:
                continue
            frame = self.frame(training.game)
            if frame != told:
                self._tell(training.game, frame)
            told = frame


def as_learned(setup: Setup) -> Setup:
    """A setup in which `auto` uses the blueprint of the game, if there is one."""
    found = trained(loaded(setup.game))
    if found is None:
        return setup
    seats = tuple(
        replace(seat, player=found["bot"]) if seat.player == _AUTO else seat for seat in setup.seats
    )
    return replace(setup, seats=seats)
