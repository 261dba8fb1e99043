"""Shares the processors among searches: as many think at once as there are processors, and the
others wait in line.

Without a line, fifty searches at fifty tables would run at once. Each would get a fiftieth of the
machine, and the thread that answers pages would wait for all of them. A search that has thought for
a while goes to the end of the line if others wait.
"""

from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import Final

from hiddenhand import clock
from hiddenhand.processors import num_processors

_SLICE: Final = 0.1  # seconds of a turn while others wait
_BETWEEN_LOOKS: Final = 0.05  # seconds: the most until a waiting search notices a stop


class Line:
    """The line of the searches that want to think.

    count: the number of searches that may think at once.
    """

    def __init__(self, count: int) -> None:
        self._changed = Condition()
        self._free = count
        self._waiting: deque[Turn] = deque()

    @property
    def is_empty(self) -> bool:
        """Whether no search waits."""
        return not self._waiting

    def enter(self, turn: "Turn", look: Callable[[], object]) -> None:
        """Wait for a turn, and call ``look`` meanwhile. It may raise, and must not wait."""
        with self._changed:
            self._waiting.append(turn)
            try:
                while not (self._free > 0 and self._waiting[0] is turn):
                    self._changed.wait(clock.timeout(_BETWEEN_LOOKS))
                    look()
                self._free -= 1
            finally:
                self._waiting.remove(turn)
                self._changed.notify_all()

    def leave(self) -> None:
        """Give a turn back."""
        with self._changed:
            self._free += 1
            self._changed.notify_all()


PROCESSORS: Final = Line(num_processors())
"""The line for the processors of this machine."""


class Turn:
    """The turn of one search.

    look: the function to call while waiting. It must not wait. If it raises, there is no turn.
    line: the line in which to wait.
    """

    def __init__(self, look: Callable[[], object], line: Line = PROCESSORS) -> None:
        self._look, self._line = look, line
        self._since: float | None = None

    def take(self) -> None:
        """Wait until this search may think."""
        if self._since is None:
            self._line.enter(self, self._look)
            self._since = clock.now()

    def give(self) -> None:
        """Stop thinking for now."""
        if self._since is not None:
            self._since = None
            self._line.leave()

    def share(self) -> None:
        """Let other searches think if they wait, and this one has thought for a while."""
        if self._since is not None and clock.now() - self._since > _SLICE:
            if self._line.is_empty:
                self._since = clock.now()
            else:
                self.give()
                self.take()
