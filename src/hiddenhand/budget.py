"""Budgets: how long a search or solver may run, in iterations or in seconds.

A kernel works in chunks. Between chunks, `Budget` reads the clock, tables grow, progress is
reported, and Ctrl-C takes effect. The size of chunks adapts to the speed so far, so that a chunk is
short and a budget in seconds is met within milliseconds.
"""

import math
from collections.abc import Callable
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.errors import OptionError, RefusedOptionError
from hiddenhand.parameters import plain_number, whole_number

_CHUNK_SECONDS: Final = 0.02


def verify_budget(
    iterations: "int | Budget | None", seconds: float | None, kind: str = ""
) -> tuple[int | None, float | None]:
    """Return iterations and seconds as plain numbers of Python. Raises OptionError if neither is
    given, or if one is not positive.

    iterations: a number of iterations, or a budget, which stands for both numbers.
    kind: the prefix of the arguments' names in messages, such as "preplay_".
    """
    if isinstance(iterations, Budget):
        if seconds is not None:
            raise OptionError(f"a budget and {kind}seconds were given; give one of the two")
        return iterations.iterations, iterations.seconds
    seconds = plain_number(seconds)
    if iterations is None and seconds is None:
        raise OptionError("no budget was given; give a number of iterations or of seconds")
    if iterations is not None:
        iterations = whole_number(f"{kind}iterations", iterations)
    if seconds is not None and not (isinstance(seconds, (int, float)) and 0 < seconds < math.inf):
        raise RefusedOptionError(f"{kind}seconds", seconds, "give a number above 0")
    return iterations, seconds


class Budget:
    """How long to run, in iterations or seconds. All functions that take ``iterations`` and
    ``seconds`` also take a budget in place of ``iterations``. Raises OptionError if neither is
    given, or if one is not positive.

    iterations, seconds: with both, the first one to end counts.
    """

    def __init__(
        self, iterations: "int | Budget | None" = None, seconds: float | None = None
    ) -> None:
        self.iterations, self.seconds = verify_budget(iterations, seconds)
        self.chunk = 1
        """The number of iterations of the next chunk, if nothing else ends it."""

    def __repr__(self) -> str:
        given = {"iterations": self.iterations, "seconds": self.seconds}
        inside = ", ".join(f"{name}={value}" for name, value in given.items() if value is not None)
        return f"Budget({inside})"

    def after(self, other: "Budget") -> Self:
        """Return this budget, to spend on more of the work that ``other`` was spent on. In a
        budget without seconds, the first chunk has half the size of the other budget's next chunk,
        so that short budgets take fewer chunks.
        """
        if self.seconds is None:
            self.chunk = max(other.chunk // 2, 1)
        return self

    def spend(
        self, work: Callable[[int], int], after_chunk: Callable[[int], None] = lambda done: None
    ) -> int:
        """Call ``work(n)`` until the budget is spent. ``work(n)`` makes up to n iterations and
        returns their number. Returns the sum of these numbers.

        ``after_chunk`` is called with the sum so far. Raising StopIteration in it ends the work
        early. However short the time is, ``work`` is called once.
        """
        began = clock.now()
        done = 0
        while True:
            at_most = math.inf if self.iterations is None else self.iterations - done
            started = clock.now()
            made = work(int(min(self.chunk, at_most)))
            took = max(clock.now() - started, 1e-7)
            done += made
            self.chunk = self._next_chunk(self.chunk, made / took, began)
            try:
                after_chunk(done)
            except StopIteration:
                return done
            if self._is_spent(done, began):
                return done

    def _is_spent(self, done: int, began: float) -> bool:
        if self.iterations is not None and done >= self.iterations:
            return True
        return self.seconds is not None and clock.now() - began >= self.seconds

    def _next_chunk(self, chunk: int, rate: float, began: float) -> int:
        seconds = _CHUNK_SECONDS
        if self.seconds is not None:
            seconds = min(seconds, self.seconds - (clock.now() - began))
        # At most twice the last chunk: the first ones may be faster than what follows.
        return max(1, min(2 * chunk, int(rate * seconds)))
