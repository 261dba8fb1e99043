"""The pace of a match between bots, which people set who watch it: paused, step by step, or with
some time between two moves.
"""

from threading import Condition
from typing import Final

from hiddenhand import clock
from hiddenhand.web.match import Gate
from hiddenhand.web.views import Plain

_BETWEEN_LOOKS: Final = 0.05  # seconds: how late a waiting match can be to stop


class Pace:
    """How fast a match goes on.

    seconds: the time between two moves.
    """

    def __init__(self, seconds: float) -> None:
        self._changed = Condition()
        self._seconds = seconds
        self._is_paused = False
        self._steps = 0

    def frame(self) -> Plain:
        """The pace, for a page."""
        return {"type": "pace", "paused": self._is_paused, "seconds": self._seconds}

    def set(self, seconds: float, is_paused: bool, is_step: bool) -> None:
        """Set the pace.

        seconds: the time between two moves.
        is_paused: whether the match waits.
        is_step: whether it makes one move and then waits.
        """
        with self._changed:
            self._seconds, self._is_paused = seconds, is_paused or is_step
            self._steps = self._steps + 1 if is_step else 0
            self._changed.notify_all()

    def wait(self, gate: Gate) -> None:
        """Wait after a move until the next one is due. Raises Stopped if the match must end."""
        began = clock.now()
        while True:
            gate.pass_through()
            with self._changed:
                if self._steps > 0:
                    self._steps -= 1
                    return
                left = began + self._seconds - clock.now()
                if not self._is_paused and left <= 0.0:
                    return
                shortly = _BETWEEN_LOOKS if self._is_paused else min(left, _BETWEEN_LOOKS)
                self._changed.wait(clock.timeout(shortly))
