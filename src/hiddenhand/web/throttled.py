"""A value that takes long to compute, and is shown while a search thinks."""

from collections.abc import Callable
from typing import Any, Final

from hiddenhand import clock

_BETWEEN_LOOKS: Final = 5.0  # the pause after a computation, in times of its own duration


class Throttled:
    """A value that takes long to compute. It is computed anew so seldom that this takes only a
    small part of the time.

    find: computes the value.
    """

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find
        self._found: Any = None
        self._next = 0.0

    def value(self, now: bool = False) -> Any:
        """The last value; with ``now``, a new one."""
        began = clock.now()
        if now or began >= self._next:
            self._found = self._find()
            took = clock.now() - began
            self._next = clock.now() + _BETWEEN_LOOKS * took
        return self._found
