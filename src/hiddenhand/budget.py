"""Budgets: how long a search or solver may go on, in iterations or in seconds.

Work is done in chunks by a kernel. Between chunks the clock is looked at, tables grow, progress is
told, and Ctrl-C takes effect. Chunks adapt to the speed seen so far: short enough for that, and for
a budget in seconds to be met within milliseconds.
"""

import math
from collections.abc import Callable
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.errors import OptionError
from hiddenhand.parameters import plain_number, whole_number

_CHUNK_SECONDS: Final = 0.02


def verify_budget(
    iterations: "int | Budget | None", seconds: float | None, kind: str = ""
) -> tuple[int | None, float | None]:
    """Both as plain numbers of Python. Raises OptionError unless one is given, and what is given is
    positive.

    iterations: a number of iterations, or a budget, which stands for both numbers.
    kind: what the names of the numbers begin with where they were given, such as "preplay_".
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
        raise OptionError(f"{kind}seconds={seconds!r} is not allowed; give a number above 0")
    return iterations, seconds


class Budget:
    """How long to go on. Raises OptionError where neither is given, or one is not positive.
    Wherever ``iterations`` and ``seconds`` are taken, a budget is taken in place of ``iterations``.

    iterations, seconds: with both, whichever ends first.
    """

    def __init__(
        self, iterations: "int | Budget | None" = None, seconds: float | None = None
    ) -> None:
        self.iterations, self.seconds = verify_budget(iterations, seconds)
        self.chunk = 1
        """How many iterations the next chunk has, if nothing else ends it."""

    def __repr__(self) -> str:
        given = {"iterations": self.iterations, "seconds": self.seconds}
        inside = ", ".join(f"{name}={value}" for name, value in given.items() if value is not None)
        return f"Budget({inside})"

    def after(self, other: "Budget") -> Self:
        """This budget for more of the work that another was spent on. Its first chunk is as long as
        was right there, if the clock does not matter: short budgets take fewer chunks.
        """
        if self.seconds is None:
            self.chunk = max(other.chunk // 2, 1)
        return self

    def spend(
        self, work: Callable[[int], int], after_chunk: Callable[[int], None] = lambda done: None
    ) -> int:
        """Call ``work(n)``, which makes up to n iterations and returns how many it made, until the
        budget is spent; returns their sum.

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
