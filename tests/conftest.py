"""What tests of several folders share, and the order in which files are run."""

import gc
import os
import random
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from clocks import RATES, running_at
from typing_commands import Typed

from hiddenhand.jit.history_step import first_keys
from hiddenhand.jit.tiers import calls

DURATIONS = Path(__file__).parent / "durations.txt"
"""How many seconds each file took with nothing compiled, in the run that wrote it down last.

Processes that work in parallel take whole files, the longest first. So none waits for another at
the end, and kernels that a file compiles for itself alone are compiled by one process only. A file
that is not listed takes less than `LEAST` seconds. `scripts/check --record` writes the list anew.
"""
LEAST = 1.0


SLOWEST = 5
"""How many files are listed at the end, those that took longest."""

ORDERS = ("longest", "reversed", "shuffled")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--order",
        choices=ORDERS,
        default="longest",
        help="order of the files: those that take longest first, the reverse of that, or shuffled",
    )
    parser.addoption("--record", action="store_true", help=f"write {DURATIONS.name} anew")


os.environ.setdefault("HIDDENHAND_TIER", "generic")
"""Kernels for all games, so that few are compiled; `tests/jit/test_tiers.py` compares both."""


def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed of the order once for all processes."""
    if config.getoption("order") == "shuffled" and not hasattr(config, "workerinput"):
        os.environ.setdefault("HIDDENHAND_ORDER_SEED", str(random.SystemRandom().randrange(10**6)))


def pytest_report_header() -> str | None:
    seed = os.environ.get("HIDDENHAND_ORDER_SEED")
    return None if seed is None else f"seed of the order of files: HIDDENHAND_ORDER_SEED={seed}"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that is marked ``timed`` with each of `RATES`."""
    if metafunc.definition.get_closest_marker("timed"):
        metafunc.fixturenames.insert(0, "clock_rate")
        metafunc.parametrize("clock_rate", RATES.values(), ids=RATES, indirect=True)


@pytest.fixture
def clock_rate(request: pytest.FixtureRequest) -> Iterator[float]:
    """The rate of the clock in a test that is marked ``timed``."""
    with running_at(request.param):
        yield request.param


class Backwards(pytest.Dir):
    """A folder whose files are collected from the last to the first."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        yield from reversed(list(super().collect()))


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> Backwards | None:
    """Let every second process begin at the other end. Each file that pytest prepares takes its
    time, and what one process has prepared, the next one reads from disk.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    odd = int(worker.removeprefix("gw")) % 2
    return Backwards.from_parent(parent, path=path) if odd else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    lines = (Path(__file__).parent / "thorough.txt").read_text().splitlines()
    thorough = tuple(line for line in lines if not line.startswith("#"))
    place = places(items, config.getoption("order"))
    items.sort(key=lambda item: place[item.path])
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(thorough):
            item.add_marker(pytest.mark.thorough)


def places(items: list[pytest.Item], order: str) -> dict[Path, int]:
    """The place of each file in an order of `ORDERS`."""
    paths = sorted({item.path for item in items})
    if order == "shuffled":
        random.Random(os.environ["HIDDENHAND_ORDER_SEED"]).shuffle(paths)
    else:
        took = durations()
        paths.sort(key=lambda path: -took.get(path, 0.0))
    if order == "reversed":
        paths.reverse()
    return {path: place for place, path in enumerate(paths)}


def durations() -> dict[Path, float]:
    """The seconds of each file that is listed in `DURATIONS`."""
    lines = (line.split() for line in DURATIONS.read_text().splitlines())
    return {DURATIONS.parent / name: float(seconds) for seconds, name in lines}


def record(seconds: Counter[str]) -> None:
    """Write `DURATIONS`. Files that took no time in this run keep what they had."""
    root = DURATIONS.parent.parent
    old = {str(path.relative_to(root)): took for path, took in durations().items()}
    found = Counter({**old, **seconds})
    DURATIONS.write_text(
        "".join(
            f"{took:.1f} {name.removeprefix('tests/')}\n"
            for name, took in found.most_common()
            if took >= LEAST and (root / name).exists()
        )
    )


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """List the files that took longest, and for each failure a command that repeats it."""
    seconds: Counter[str] = Counter()
    failed = dict[str, None]()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
                if report.failed:
                    failed[report.nodeid] = None
    if config.getoption("record"):
        record(seconds)
    if len(seconds) > 1:
        terminalreporter.section("slowest files")
        for name, total in seconds.most_common(SLOWEST):
            terminalreporter.line(f"{total:6.1f} s  {name}")
    if failed:
        terminalreporter.section("to repeat what failed")
        for name in failed:
            terminalreporter.line(f".venv/bin/pytest {shlex.quote(name)}")


def pytest_collection_finish() -> None:
    """What was imported and collected stays until the end: no use to look through it for garbage
    again and again.

    Raises UsageError if a file has called kernels of games, or walked along a history: each process
    imports all files. The first `History` compiles or loads `first_keys`.
    """
    if any(calls()) or first_keys.signatures:
        raise pytest.UsageError(
            "a test file calls kernels of games, or writes a game out, while it is imported; do "
            "that in its tests or in a cached function"
        )
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
