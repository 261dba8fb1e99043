"""Resolving by sampling that chooses its baseline."""

import numpy as np
import pytest
from naive.small_games import small

from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.table import num_sets
from hiddenhand.search.resolving import sampled
from hiddenhand.search.resolving.continual import Resolver
from hiddenhand.search.resolving.gadgets import root_gadget
from hiddenhand.search.resolving.mccr import SamplingResolver
from hiddenhand.search.resolving.sampled import BaselineBySamples
from hiddenhand.search.resolving.trembles import TREMBLE

GAME = small("kuhn_poker")


def begun(resolver: Resolver) -> Resolver:
    resolver.start(GAME, 3)
    resolver.begin(root_gadget(GAME, 0), 0, 0)
    return resolver


def found(resolver: Resolver) -> Floats:
    rows = num_sets(resolver.table)
    assert rows > 0
    return np.asarray(resolver.table.values)


@pytest.mark.parametrize(("budget", "kind"), [(400, "off"), (600, "predictive")])
def test_the_budget_chooses_the_baseline(
    monkeypatch: pytest.MonkeyPatch, budget: int, kind: str
) -> None:
    monkeypatch.setattr(sampled, "_MANY", 500)
    chosen, alone = (
        begun(BaselineBySamples()),
        begun(SamplingResolver(baseline=kind, tremble=TREMBLE)),
    )
    for thinking in (budget, 450, 550):  # the first one chooses for all
        for resolver in (chosen, alone):
            resolver.think(thinking, None, sampled.SILENT)
    assert found(chosen).tolist() == found(alone).tolist()
    assert chosen.thought() | {"seconds": 0} == alone.thought() | {"seconds": 0}


def test_of_two_limits_the_first_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampled, "_pace", lambda _: 1e6)
    for iterations, seconds, kind in (
        (10**6, 0.02, "off"),
        (100, 1.0, "off"),
        (30_000, 0.04, "predictive"),
        (None, 0.04, "predictive"),
    ):
        resolver = BaselineBySamples()
        begun(resolver).think(iterations, seconds, sampled.SILENT)
        assert resolver.present.baseline_kind == kind


def test_each_gadget_game_is_chosen_for_and_all_samples_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sampled, "_MANY", 500)
    resolver, kinds = BaselineBySamples(), []
    resolver.start(GAME, 0)
    for budget in (400, 600, 100):
        resolver.begin(root_gadget(GAME, 0), 0, 0)
        resolver.think(budget, None)
        kinds.append(resolver.present.baseline_kind)
    assert kinds == ["off", "predictive", "off"]
    assert resolver.thought()["iterations"] == 1100


def test_a_fork_goes_its_own_way() -> None:
    resolver = BaselineBySamples()
    begun(resolver).think(500, None, sampled.SILENT)
    other, before = resolver.fork(), found(resolver).tolist()
    other.begin(root_gadget(GAME, 1), 0, 0)
    other.think(100, None)
    assert found(resolver).tolist() == before
    assert resolver.thought()["iterations"] == 500
    assert other.thought()["iterations"] == 600
