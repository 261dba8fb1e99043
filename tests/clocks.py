"""Clocks for tests, in place of the machine's, so that no outcome depends on its speed."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hiddenhand import clock

RATES = {"": 1.0, "slow machine": 20.0, "fast machine": 1 / 20}
"""Rates of the clock in a test that is marked ``timed``, by what the machine looks like then."""


class StillClock:
    """A clock that stands still. Only `sleep` and `pass_time` move it.

    tick: how many seconds pass at each reading. Work takes no time on such a clock, so a search
        doubles its chunk of iterations at each reading: a budget may have some 40 ticks.
    """

    def __init__(self, tick: float = 0.0) -> None:
        self.time = 0.0
        self.tick = tick

    def now(self) -> float:
        self.time += self.tick
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


def installed(monkeypatch: pytest.MonkeyPatch, replacement: StillClock) -> StillClock:
    """Let the package read ``replacement``."""
    monkeypatch.setattr(clock, "now", replacement.now)
    monkeypatch.setattr(clock, "sleep", replacement.sleep)
    return replacement


@contextmanager
def running_at(rate: float) -> Iterator[None]:
    """A block in which the clock runs at ``rate``, also in processes that are started there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "rate", rate)
        patch.setenv(clock.VARIABLE, repr(rate))
        yield
