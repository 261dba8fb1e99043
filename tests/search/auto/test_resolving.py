"""Resolving by sampling inside `auto`, which chooses the baseline by the budget."""

import numpy as np
import pytest
from naive.small_games import small

from hiddenhand.progress import SILENT
from hiddenhand.search.auto import resolving
from hiddenhand.search.auto.resolving import AutoResolving
from hiddenhand.search.resolving.exact import ExactResolver
from hiddenhand.search.resolving.gadgets import root_gadget
from hiddenhand.search.resolving.mccr import SamplingResolver
from hiddenhand.search.resolving.trembles import TREMBLE

FEW, MANY = 0, 1


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> AutoResolving:
    """One in which nothing is written out."""
    monkeypatch.setattr(AutoResolving, "_is_written", lambda *_, **__: False)
    exact = ExactResolver(gains=True)
    made = AutoResolving(
        small("Kuhn"), exact, histories=58.0, floor=0.3, cap=100, memory=2**26, seed=3
    )
    made.begin_at_root()
    return made


def chosen(search: AutoResolving) -> int:
    assert isinstance(search.resolver, SamplingResolver)
    return search.samplers.index(search.resolver)


@pytest.mark.parametrize(("budget", "kind"), [(499, "off"), (500, "predictive")])
def test_the_budget_chooses_the_baseline(
    search: AutoResolving, monkeypatch: pytest.MonkeyPatch, budget: int, kind: str
) -> None:
    monkeypatch.setattr(resolving, "_MANY", 500)
    alone = SamplingResolver(baseline=kind, tremble=TREMBLE)
    alone.start(small("Kuhn"), 3)
    alone.begin(root_gadget(small("Kuhn"), 0), search._public.key, 0)
    for thinking in (budget, 450, 550):  # the first one chooses for all
        search.think(thinking)
        alone.think(thinking, None)
    assert alone.table.values.any()
    assert search.resolver.table.values.tolist() == alone.table.values.tolist()
    assert search.thought()["iterations"] == alone.thought()["iterations"]


def test_of_two_limits_the_first_one_counts(
    search: AutoResolving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolving, "_pace", lambda _: 1e6)
    for iterations, seconds, kind in (
        (10**6, 0.02, FEW),
        (100, 1.0, FEW),
        (30_000, 0.04, MANY),
        (None, 0.04, MANY),
    ):
        search.start(0, 3)
        search.think(iterations, seconds)
        assert chosen(search) == kind


def test_each_gadget_game_is_chosen_for_and_all_samples_are_counted(
    search: AutoResolving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolving, "_MANY", 500)
    kinds = []
    for budget in (400, 600, 100):
        search.forget_root()
        search.think(budget)
        kinds.append(chosen(search))
    assert kinds == [FEW, MANY, FEW]
    assert search.thought()["iterations"] == 1100


def test_a_branch_goes_its_own_way(search: AutoResolving) -> None:
    search.think(500, progress=SILENT)
    other, before = search.branch([]), search.resolver.table.values.copy()
    other.forget_root()
    other.think(100)
    assert np.array_equal(search.resolver.table.values, before)
    assert search.thought()["iterations"] == 500
    assert other.thought()["iterations"] == 600
