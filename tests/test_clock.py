"""The clock, and how tests make it run faster or slower."""

import os
import subprocess
import sys
import time

import pytest
from clocks import RATES, StillClock, installed, running_at

from hiddenhand import clock
from hiddenhand.errors import OptionError


def test_seconds_are_longer_on_a_fast_machine_and_shorter_on_a_slow_one() -> None:
    for rate in RATES.values():
        with running_at(rate):
            began, real = clock.now(), time.perf_counter()
            clock.sleep(rate * 0.01)
            passed, really = clock.now() - began, time.perf_counter() - real
            assert passed >= rate * 0.01
            assert really >= 0.01
            assert clock.timeout(1.0) == 1.0 / rate
    assert clock.rate == 1.0


def test_processes_that_are_started_have_the_same_clock() -> None:
    program = "from hiddenhand import clock; print(clock.rate)"
    with running_at(20.0):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.strip() == b"20.0"
    assert clock.VARIABLE not in os.environ


def test_a_clock_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    still = installed(monkeypatch, StillClock())
    began = clock.now()
    clock.sleep(3.0)
    assert clock.now() - began == still.time == 3.0
    ticking = installed(monkeypatch, StillClock(tick=0.5))
    assert [clock.now(), clock.now()] == [0.5, 1.0]
    assert ticking.time == 1.0


@pytest.mark.parametrize("text", ["fast", "0", "-1", "nan", "inf"])
def test_rates_that_make_no_sense(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clock.VARIABLE, text)
    with pytest.raises(OptionError, match="is not allowed; give a number above 0"):
        clock._chosen_rate()


@pytest.mark.timed
def test_a_test_that_is_marked_runs_at_each_rate(clock_rate: float) -> None:
    assert clock_rate == clock.rate
