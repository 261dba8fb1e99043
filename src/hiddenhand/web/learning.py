"""Learning at a table that is left open: the blueprint of its game is trained in the time that
nothing else needs, and pages are told how long it was trained.

One game at a time is trained: that of the table that was looked at last.
"""

from collections.abc import Callable
from dataclasses import replace
from threading import Event, RLock, Thread
from typing import Final

from hiddenhand import clock
from hiddenhand.players.quiet_training import QuietTraining
from hiddenhand.web.catalogue import loaded, trained
from hiddenhand.web.setup import Setup
from hiddenhand.web.views import Plain

_TOLD: Final = 10.0  # seconds between two looks at how long a game was trained
_AUTO: Final = "auto"


class Learning:
    """Trains one game after the other.

    tell: called in another thread with the name of a game and a frame for the pages at its tables.
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
        """What pages at the tables of a game are told: how long it was trained."""
        found, training = trained(loaded(game)), self._training
        learns = training is not None and training.game == game and training.is_alive
        return {"type": "learned", "time": found["time"] if found else "", "goes_on": learns}

    def close(self) -> None:
        """End the training; what it has found is kept."""
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
    """A setup in which `auto` plays on from the blueprint of the game, if there is one."""
    found = trained(loaded(setup.game))
    if found is None:
        return setup
    seats = tuple(
        replace(seat, player=found["bot"]) if seat.player == _AUTO else seat for seat in setup.seats
    )
    return replace(setup, seats=seats)
