"""What is compiled ahead is there for every game."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typing_commands import Typed

from hiddenhand.cli import compiling_ahead
from hiddenhand.jit.tier_choice import using_tier

FILLING = """
from hiddenhand.cli import compiling_ahead
compiling_ahead._calls = lambda: iter([("check", "", "kuhn_poker")])
print(compiling_ahead.compile_ahead(jobs=1))
"""
CHECKING = """
from hiddenhand import check, load_game
from hiddenhand.jit.kernels import when_compiling
names = []
with when_compiling(names.append):
    check(load_game("liars_dice(1,1,2)"), plays=1, max_histories=0)
print(names)
"""


@pytest.mark.slow
def test_nothing_is_compiled_later_but_rules(tmp_path: Path) -> None:
    environment = os.environ | {"HIDDENHAND_CACHE": str(tmp_path), "HIDDENHAND_TIER": "generic"}

    def printed(program: str) -> str:
        return subprocess.run(
            [sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, check=True
        ).stdout.decode()

    assert printed(FILLING) == "1\n"
    assert printed(CHECKING) == "['write_rules']\n"


def test_the_command_line(monkeypatch: pytest.MonkeyPatch, typed: Typed) -> None:
    monkeypatch.setattr(compiling_ahead, "_calls", lambda: iter([("check", "", "kuhn_poker")]))
    assert typed.json("cache", "fill", "--jobs", "1") == {"pieces": 1}


def test_every_search_and_solver_is_among_them() -> None:
    calls = list(compiling_ahead._calls())
    assert ("match", "auto", "kuhn_poker") in calls
    assert ("solve", "lp", "kuhn_poker") in calls
    assert len(set(calls)) == len(calls)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """Processes that were begun beside this one; they do nothing."""
    begun: list[Any] = []
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path))
    monkeypatch.setattr(compiling_ahead, "_BEGUN", begun)
    monkeypatch.setattr(compiling_ahead, "_BESIDE", "import time; time.sleep(60)  # {}")
    monkeypatch.setattr(compiling_ahead, "num_processors", lambda: 2)
    return begun


def test_it_is_done_beside_the_first_command_and_ends_with_it(waiting: list[Any]) -> None:
    with using_tier("auto"):
        compiling_ahead.compile_beside()
        compiling_ahead.compile_beside()
    (process,) = waiting
    assert process.poll() is None
    compiling_ahead._end()
    assert process.poll() is not None


def test_it_is_not_done_in_vain(waiting: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("generic", "specialised"):
        with using_tier(name):
            compiling_ahead.compile_beside()
    with using_tier("auto"):
        monkeypatch.setattr(compiling_ahead, "_calls", lambda: iter(()))
        compiling_ahead.compile_for_parent(os.getppid())  # now all is there
        compiling_ahead.compile_beside()
    assert waiting == []


def test_it_ends_when_nobody_is_left_to_wait_for_it(
    waiting: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiling_ahead, "_compile", lambda *call: pytest.fail("it goes on"))
    compiling_ahead.compile_for_parent(0)


def test_other_numbers_of_jobs(typed: Typed) -> None:
    status, _, error = typed("cache", "fill", "--jobs", "0")
    assert status == 2
    assert "jobs" in error
