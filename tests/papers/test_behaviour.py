"""Digests of what players and rules do: equal after a refactoring, and different after a change."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import hiddenhand
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand_papers import behaviour
from hiddenhand_papers.behaviour import (
    behaviour_of,
    player_behaviour,
    rules_behaviour,
    rules_behaviour_of,
)
from hiddenhand_papers.catalogue import catalogue
from hiddenhand_papers.experiment import EVENING
from hiddenhand_papers.store import read_csv
from hiddenhand_papers.units import player_digest

SPEC = "ef-uct(exploration=2.0)"
DATA = Path(__file__).parents[2] / "docs/papers/data"


def test_players_who_decide_otherwise_have_other_digests() -> None:
    specs = (SPEC, "ef-uct(exploration=3.0)", "ismcts(selector=rm)", "oos(epsilon=0.6)", "random")
    assert len({player_behaviour(spec) for spec in specs}) == len(specs)
    assert player_behaviour(SPEC) == player_behaviour(SPEC)


def test_a_budget_is_no_part_of_a_digest() -> None:
    assert player_digest("ismcts(selector=rm,iterations=9)") == player_digest("ismcts(selector=rm)")


def digest_by(package: Path) -> str:
    """The digest of `SPEC` by the sources in a folder, in a process of its own."""
    program = f"from hiddenhand_papers import behaviour as b; print(b.behaviour_of({SPEC!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_a_renaming_keeps_results_and_a_change_does_not(tmp_path: Path) -> None:
    """A search whose internals have other names does the same."""
    copy = tmp_path / "hiddenhand"
    shutil.copytree(
        Path(hiddenhand.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    module = copy / "search/sampling/smooth_uct.py"
    before = module.read_text()
    renamed = re.sub(r"\bin_tree\b", "is_inside", before)
    renamed = re.sub(r"\b(descend|update)\(", r"\1_an_episode(", renamed)
    renamed = renamed.replace("rule.update_an_episode(", "rule.update(")
    assert renamed != before
    module.write_text(renamed)
    assert digest_by(tmp_path) == player_behaviour(SPEC)
    changed = before.replace("path.in_tree[player] = 1", "path.in_tree[player] = 0")
    assert changed != before
    module.write_text(changed)
    assert digest_by(tmp_path) != player_behaviour(SPEC)


def test_a_player_is_watched_once_while_sources_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = list[str]()

    def watch(spec: str) -> str:
        watched.append(spec)
        return f"{len(watched)} of {spec}"

    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path))
    monkeypatch.setattr(behaviour, "player_behaviour", watch)
    find = behaviour_of.__wrapped__
    assert [find("a"), find("b"), find("a")] == ["1 of a", "2 of b", "1 of a"]
    (file,) = (tmp_path / "behaviours").iterdir()
    file.write_text("cut off")
    assert find("a") == "3 of a"
    monkeypatch.setattr(behaviour, "_sources", lambda: "edited")
    assert find("a") == "4 of a"
    assert watched == ["a", "b", "a", "a"]


@dataclass(frozen=True)
class Renamed(KuhnPoker):
    """The same rules in other words."""

    def returns(self, state, player):
        payoff = super().returns(state, player)
        return float(payoff)


@dataclass(frozen=True)
class Generous(KuhnPoker):
    """Other payoffs."""

    def returns(self, state, player):
        return 2.0 * super().returns(state, player)


def test_rules_are_known_by_what_they_do() -> None:
    kuhn = rules_behaviour(KuhnPoker())
    assert rules_behaviour(Renamed()) == kuhn
    assert rules_behaviour(Generous()) != kuhn
    assert rules_behaviour(KuhnPoker(4)) != kuhn
    assert rules_behaviour_of("Kuhn") == kuhn


@pytest.mark.slow
def test_stored_results_are_those_of_now() -> None:
    """Of some experiments whose players share their compiled code with other tests."""
    stored = {row.unit: row for path in DATA.glob("*.csv.gz") for row in read_csv(path)}
    seen = 0
    for name in ("oos/values", "smooth/fig1"):
        for unit in catalogue()[name].units(EVENING):
            seen += 1
            assert stored[unit.text].digest == unit.digest, unit
    assert seen > 5
