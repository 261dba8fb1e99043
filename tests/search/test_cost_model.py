"""What fits into a time: each number of the cost model has a border, and decides on both sides."""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest
from benchmarks import costs as benchmark
from clocks import StillClock, installed

from hiddenhand.search import cost_model, tree_budget
from hiddenhand.search.auto import imperfect_information, perfect_information, simultaneous
from hiddenhand.search.auto.candidates import Left
from hiddenhand.search.cost_model import COSTS, CostModel
from hiddenhand.search.tree_budget import ANYWAY, Fitting, iterations_in, variant_for

MANY = 10**6


def settles(seconds: float, histories: int) -> bool:
    """Whether so many iterations of CFR fit that another variant is better."""
    return variant_for(iterations_in(seconds, histories), has_chance=True) == "pdcfr+"


def is_written(seconds: float, histories: int) -> bool:
    fits = Fitting(seed=0, memory=2**40, pace=tree_budget.COSTS.history)
    return fits.limit(None, seconds) > histories


def is_sampled(seconds: float) -> bool:
    search = SimpleNamespace(is_sampled=False, handed_down=True, samplers=[1], histories=3e6)
    return imperfect_information.Sampled(search, None).can(Left(None, seconds))  # type: ignore[arg-type]


def is_solved_for_all_hands(seconds: float) -> bool:
    search: Any = SimpleNamespace(
        is_to_move=True, has_resolved=False, is_whole=True, blueprint=None, numbers=MANY
    )
    return imperfect_information.VectorForm(search).can(Left(None, seconds))


def is_induced(kind: Any, pace: str) -> Callable[[float], bool]:
    def decide(seconds: float) -> bool:
        made = kind.__new__(kind)
        made._pace = getattr(cost_model.COSTS, pace)
        return made.limit(Left(None, seconds)) > MANY

    return decide


BORDERS: dict[str, tuple[Callable[[float], bool], float]] = {
    "visit": (lambda seconds: settles(seconds, MANY), 2000 * (2e-6 + 2e-9 * MANY)),
    "iteration": (lambda seconds: settles(seconds, 0), 2000 * 2e-6),
    "history": (lambda seconds: is_written(seconds, MANY), (5e-4 + 1.5 * MANY * 2e-7) / 0.6),
    "tree": (lambda seconds: is_written(seconds, ANYWAY), (5e-4 + 1.003 * ANYWAY * 2e-7) / 0.6),
    "samples": (is_sampled, 3e6 / 150 / 1e6),
    "numbers": (is_solved_for_all_hands, 20 * MANY / 6e7),
    "plain_state": (
        is_induced(perfect_information.PlainInduction, "plain_state"),
        MANY * 7e-7 / 0.25,
    ),
    "joint_state": (is_induced(simultaneous.JointInduction, "joint_state"), MANY * 1e-5 / 0.25),
}
"""By number: what it decides, and from how many seconds on, by hand."""


@pytest.fixture
def dearer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Makes the work that a number is about ten times as dear."""

    def change(name: str) -> None:
        rate = 0.1 if name in ("samples", "numbers") else 10.0
        model = replace(COSTS, **{name: rate * getattr(COSTS, name)})
        for module in (cost_model, tree_budget, imperfect_information):
            monkeypatch.setattr(module, "COSTS", model)

    installed(monkeypatch, StillClock())
    return change


@pytest.mark.parametrize("name", [field.name for field in fields(CostModel)])
def test_each_number_decides_on_both_sides_of_its_border(
    name: str, dearer: Callable[[str], None]
) -> None:
    decide, border = BORDERS[name]
    assert not decide(0.99 * border)
    assert decide(1.01 * border)
    dearer(name)
    assert not decide(1.01 * border)


def test_the_benchmark_measures_all_of_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {field.name: getattr(COSTS, field.name) for field in fields(CostModel)}
    monkeypatch.setattr(benchmark, "measured", lambda: found | {"visit": 5e-9})
    benchmark.main()
    told = capsys.readouterr().out
    assert told.count("type in") == 1
    assert "visit: float = 5e-09" in told
    assert all(name in told for name in found)


def test_two_measurements_make_a_line() -> None:
    assert benchmark.line((10, 110), (1.2, 3.2)) == pytest.approx((0.02, 1.0))
