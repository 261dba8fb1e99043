"""Budgets, against a clock that only work moves on."""

from collections.abc import Callable
from itertools import count

import numpy as np
import pytest

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError


class Worker:
    """Work whose iterations take ``cost(number of the iteration)`` seconds on a clock of its
    own.
    """

    def __init__(self, cost: Callable[[int], float], at_most: int = 2**62) -> None:
        self.cost = cost
        self.at_most = at_most
        self.now = 0.0
        self.done = 0
        self.chunks: list[int] = []

    def work(self, count: int) -> int:
        assert count >= 1
        made = min(count, self.at_most)
        self.chunks.append(made)
        for _ in range(made):
            self.now += self.cost(self.done)
            self.done += 1
        return made


@pytest.fixture
def hired(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Worker]:
    """A worker whose clock is the only one."""

    def hire(*arguments: object) -> Worker:
        worker = Worker(*arguments)
        monkeypatch.setattr(clock, "now", lambda: worker.now)
        return worker

    return hire


@pytest.mark.parametrize("cost", [0.0, 1e-9, 1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("iterations", [1, 15, 16, 17, 1000, 12345])
def test_iterations_are_met_exactly(
    iterations: int, cost: float, hired: Callable[..., Worker]
) -> None:
    worker = hired(lambda _: cost)
    assert Budget(iterations).spend(worker.work) == worker.done == iterations


def test_work_is_done_once_however_late_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other programs may take the processor before it begins."""
    readings = count()
    monkeypatch.setattr(clock, "now", lambda: float(next(readings)))
    worker = Worker(lambda _: 0.0)
    assert Budget(seconds=0.5).spend(worker.work) == worker.done >= 1
    assert len(worker.chunks) == 1


def test_work_may_make_less_than_asked_for(hired: Callable[..., Worker]) -> None:
    worker = hired(lambda _: 1e-6, 7)
    assert Budget(1000).spend(worker.work) == worker.done == 1000
    assert max(worker.chunks) == 7


@pytest.mark.parametrize("cost", [1e-6, 1e-5, 1e-4])
@pytest.mark.parametrize("seconds", [0.05, 1, 2.5])
def test_seconds_are_met(seconds: float, cost: float, hired: Callable[..., Worker]) -> None:
    worker = hired(lambda _: cost)
    Budget(seconds=seconds).spend(worker.work)
    assert seconds <= worker.now < seconds + 0.005


def test_seconds_are_met_by_work_that_slows_down(hired: Callable[..., Worker]) -> None:
    worker = hired(lambda number: 1e-6 * (1 + number / 1000))
    Budget(seconds=1.0).spend(worker.work)
    assert 1.0 <= worker.now < 1.03


def test_of_both_limits_the_first_ends_the_work(hired: Callable[..., Worker]) -> None:
    worker = hired(lambda _: 1e-5)
    assert Budget(100, seconds=1.0).spend(worker.work) == 100
    worker = hired(lambda _: 1e-5)
    Budget(10**9, seconds=1.0).spend(worker.work)
    assert 1.0 <= worker.now < 1.005


def test_chunks_are_short_enough_to_interrupt(hired: Callable[..., Worker]) -> None:
    worker = hired(lambda _: 1e-5)
    Budget(100_000).spend(worker.work)
    assert max(worker.chunks) * 1e-5 < 0.03
    assert len(worker.chunks) < 100


def test_more_of_the_same_work_begins_with_a_longer_chunk(hired: Callable[..., Worker]) -> None:
    worker = hired(lambda _: 1e-5)
    first = Budget(1000)
    first.spend(worker.work)
    chunks, worker.chunks = worker.chunks, []
    assert Budget(1000).after(first).spend(worker.work) == 1000
    assert len(worker.chunks) < len(chunks) / 2
    assert max(worker.chunks) * 1e-5 < 0.03


def test_budgets_of_seconds_begin_with_one_iteration(hired: Callable[..., Worker]) -> None:
    """Who knows how long it takes."""
    worker = hired(lambda _: 1e-5)
    first = Budget(100_000)
    first.spend(worker.work)
    worker.chunks, began = [], worker.now
    Budget(seconds=0.001).after(first).spend(worker.work)
    assert worker.chunks[0] == 1
    assert worker.now - began < 0.0015


def test_after_each_chunk_the_sum_is_told(hired: Callable[..., Worker]) -> None:
    worker = hired(lambda _: 1e-5)
    told: list[int] = []
    Budget(10_000).spend(worker.work, told.append)
    assert len(told) == len(worker.chunks)
    assert told == [sum(worker.chunks[: n + 1]) for n in range(len(told))]


def test_stop_iteration_ends_the_work(hired: Callable[..., Worker]) -> None:
    def stop(done: int) -> None:
        if done >= 100:
            raise StopIteration

    worker = hired(lambda _: 1e-6)
    assert Budget(10**9).spend(worker.work, stop) == worker.done
    assert 100 <= worker.done < 300


def test_other_exceptions_come_through(hired: Callable[..., Worker]) -> None:
    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Budget(10**9).spend(hired(lambda _: 1e-6).work, interrupt)


def test_some_budget_is_needed() -> None:
    with pytest.raises(
        OptionError, match="no budget was given; give a number of iterations or of seconds"
    ):
        Budget()


def test_numbers_of_numpy_are_numbers() -> None:
    budget = Budget(np.int64(5), np.float32(0.5))
    assert (budget.iterations, budget.seconds) == (5, 0.5)
    assert (type(budget.iterations), type(budget.seconds)) == (int, float)


@pytest.mark.parametrize("iterations", [0, -1, 1.0, True, "10"])
def test_iterations_that_make_no_sense(iterations: int) -> None:
    with pytest.raises(
        OptionError,
        match=f"iterations={iterations!r} is not allowed; give a whole number of at least 1",
    ):
        Budget(iterations)


@pytest.mark.parametrize("seconds", [0, -1.5, float("inf"), float("nan"), "10"])
def test_seconds_that_make_no_sense(seconds: float) -> None:
    with pytest.raises(
        OptionError, match=f"seconds={seconds!r} is not allowed; give a number above 0"
    ):
        Budget(seconds=seconds)
