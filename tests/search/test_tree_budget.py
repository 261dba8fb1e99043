"""Solving what was written out: by a clock that cannot be trusted, and by numbers of iterations."""

import time
from collections.abc import Iterator

import pytest
from naive.resolving import tree_of

from hiddenhand import clock
from hiddenhand.search.tree_budget import solve
from hiddenhand.solvers.cfr import CFR
from hiddenhand.trees.profile import nash_conv


@pytest.fixture
def jump(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another program takes the processor for an hour as soon as CFR has begun."""
    calls = 0

    def now() -> float:
        nonlocal calls
        calls += 1
        return time.perf_counter() + 3600.0 * (calls > 3)  # `solve` begins at the third reading

    monkeypatch.setattr(clock, "now", now)
    yield
    assert calls > 1


@pytest.mark.parametrize("variant", ["dcfr+", "hs_dcfr"])
def test_a_few_iterations_are_made_whatever_the_clock_says(jump: None, variant: str) -> None:
    run = CFR(tree_of("Leduc"), variant)
    solve(run, None, 0.02, clock.now())
    assert 10 <= run.iterations <= 200
    assert nash_conv(run.tree, run.average_profile()) < 0.3  # 4.7 of uniform play
    assert not run.variant.horizon  # nobody has said how many iterations there will be
    before = run.iterations
    solve(run, None, 1e-9, clock.now())
    assert run.iterations > before  # by the time alone


def test_what_is_asked_for_in_iterations_is_made() -> None:
    run = CFR(tree_of("Kuhn"), "dcfr+")
    solve(run, 3, None, 0.0)
    assert run.iterations == 3
