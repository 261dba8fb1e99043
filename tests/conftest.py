"""What tests of several folders share, and the order in which files are run."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typing_commands import Typed

LONGEST = (
    "test_cli_search.py",
    "test_cli_evaluate.py",
    "test_cli.py",
    "test_auto.py",
    "test_algorithms.py",
    "test_docs.py",
    "test_sm_mcts.py",
    "test_cli_play.py",
    "test_aggregate.py",
    "test_match.py",
    "test_rule_errors.py",
    "test_induction.py",
    "test_corners.py",
    "test_mccr.py",
    "test_double_oracle.py",
    "test_cfr.py",
    "test_smooth_holdem.py",
    "test_external.py",
    "test_continual.py",
    "test_drawn_chance.py",
    "test_film.py",
    "test_vector_sampling.py",
    "test_belief.py",
    "test_tournament.py",
    "test_streams.py",
    "test_check.py",
    "test_exploit.py",
    "test_targeting.py",
    "test_long_runs.py",
    "test_players.py",
    "test_istmcts.py",
    "test_stitching.py",
    "test_tree.py",
    "test_thin_beliefs.py",
    "test_observers.py",
    "test_oos.py",
    "test_public_states.py",
    "test_redetermining.py",
    "test_bridge.py",
    "test_smooth_uct.py",
)
"""Files that take longest when nothing is compiled, the longest first.

Processes that work in parallel take whole files, in this order. So none waits for another at the
end, and kernels that a file compiles for itself alone are compiled by one process only.
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {name: number for number, name in enumerate(LONGEST)}
    lines = (Path(__file__).parent / "thorough.txt").read_text().splitlines()
    thorough = tuple(line for line in lines if not line.startswith("#"))
    items.sort(key=lambda item: place.get(item.path.name, len(LONGEST)))
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(thorough):
            item.add_marker(pytest.mark.thorough)


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
