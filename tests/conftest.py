"""What tests of several folders share, and the order in which files are run."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_commands import Typed

GROUPS = ("search", "tests", "games", "cli", "trees", "compiled", "players", "states", "evaluation")
"""Folders of tests, the longest first where nothing is compiled; of other folders nothing takes
long.

Processes that work in parallel take whole folders, in this order. What a process compiles for one
test of a folder it need not compile again for the others, and hardly any two folders need the same.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(GROUPS)}
    items.sort(key=lambda item: place.get(group_of(item), len(GROUPS)))
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item)))


def group_of(item: pytest.Item) -> str:
    """The folder of ``tests`` that a test is in, or the name of ``tests`` itself."""
    tests = Path(__file__).parent
    inside = item.path.relative_to(tests).parts
    return inside[0] if len(inside) > 1 else tests.name


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: no use to look through it for garbage
    again and again.
    """
    gc.freeze()


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Type a command."""
    return Typed(monkeypatch, capsys)


@pytest.fixture
def own_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget afterwards the modules that a test imported from its folder, and that it did."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
