"""Snapshots of long searches: what is written when, and that a run that was killed goes on to the
same bits.
"""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clocks import StillClock, installed
from naive.small_games import small
from typing_commands import Typed

from hiddenhand import make_search
from hiddenhand.archives import load_arrays
from hiddenhand.errors import FileError, OptionError
from hiddenhand.search import snapshots
from hiddenhand.search.algorithms import SEARCH, find
from hiddenhand.search.root_search import Found, resume
from hiddenhand.search.snapshots import Curve, LongRun, Plan, curve_of, numbered
from hiddenhand.search.table_search import TableSearch

_MAIN = "from hiddenhand.cli.main import main; main()"
SPECS = ("oos", "smooth-uct", "smooth-uct(streams=2)")


class Killed(BaseException):
    """Stands for the end of the process."""


def fresh(spec: str) -> Any:
    return make_search(small("Kuhn"), spec, 7)


def taken_up(spec: str, file: Path) -> Any:
    """The search in a file, or a fresh one if nothing was written yet."""
    algorithm = find(spec.partition("(")[0], SEARCH)
    assert algorithm is not None
    return resume(algorithm, file, small("Kuhn")) if file.exists() else fresh(spec)


def measure(found: Found) -> dict[str, float]:
    return {"known": float(found.strategy.num_sets)}


def bits(file: Path) -> list[Any]:
    """What a file holds of a search, without times."""
    header, arrays = load_arrays(file, TableSearch.ANY_FILE)
    kept = {name: value for name, value in header.items() if name not in ("seconds", "sha256")}
    return [kept, *(arrays[name].tolist() for name in sorted(arrays))]


def curve(out: Path) -> list[dict[str, Any]]:
    """The lines of the curve, without times."""
    lines = [json.loads(line) for line in curve_of(out).read_text().splitlines()]
    return [{name: value for name, value in line.items() if name != "seconds"} for line in lines]


# --- when ---


def test_each_snapshot_comes_after_twice_as_long_as_the_one_before() -> None:
    assert Plan(iterations=1000, snapshots=4).stops == [125, 250, 500, 1000]
    assert Plan(iterations=1000, snapshots=3, begun=50).stops == [300, 550, 1050]
    assert Plan(seconds=8, snapshots=3, begun_seconds=1.0).stops == [3.0, 5.0, 9.0]
    assert Plan(iterations=3, snapshots=10).stops == [1, 2, 3]
    assert Plan(iterations=100).stops == [100]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "no budget was given"),
        ({"iterations": 1, "seconds": 1.0}, "give one of them"),
        ({"iterations": 10, "snapshots": 0}, "snapshots=0 is not allowed; give a whole number"),
        ({"iterations": 10, "snapshots": 61}, "snapshots=61 is not allowed; .* from 1 to 60"),
        ({"iterations": 10, "every": 0.0}, "every=0.0 is not allowed; give seconds above 0"),
    ],
)
def test_plans_that_cannot_be(given: dict[str, Any], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        Plan(**given)


def test_what_a_run_writes(tmp_path: Path) -> None:
    out = tmp_path / "lhe.search"
    LongRun(fresh("oos"), out, Plan(iterations=400, snapshots=3), measure).run()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *(f"lhe.00{number}.search" for number in (1, 2, 3)),
        "lhe.curve.jsonl",
        "lhe.search",
    ]
    lines = curve(out)
    assert [line["iterations"] for line in lines] == [0, 100, 200, 400]
    assert [line["file"] for line in lines] == [None, *(numbered(out, n).name for n in (1, 2, 3))]
    assert [line["known"] for line in lines] == [line["information_sets"] for line in lines]
    assert lines[0]["known"] == 0
    assert bits(out) == bits(numbered(out, 3))
    for number in (1, 2):
        search = fresh("oos")
        search.think(iterations=100 * number)
        search.save(tmp_path / "alone")
        assert bits(numbered(out, number)) == bits(tmp_path / "alone")


def test_seconds_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "search"
    search = fresh("oos")
    installed(monkeypatch, StillClock(tick=5e-3))
    run = LongRun(search, str(out), Plan(seconds=0.3, snapshots=2, every=0.2))
    run.run()
    assert run.is_over
    assert 0.29 < search.result().seconds < 0.35
    lines = Curve.read(curve_of(out)).lines
    assert len(lines) > 1
    assert Curve.read(str(curve_of(out))).lines == lines
    assert abs(lines[-1]["seconds"] - search.result().seconds) < 1e-9
    assert bits(out) == bits(numbered(out, len(lines) - 1))


# --- kills ---


@pytest.mark.parametrize("spec", SPECS)
def test_killed_between_any_two_writes_a_run_goes_on_to_the_same_bits(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(iterations=600, snapshots=3)
    whole = tmp_path / "whole" / "search.file"
    LongRun(fresh(spec), whole, plan, measure).run()
    writes = 0

    def write(path: Path, content: bytes) -> None:
        nonlocal writes
        if writes == 0:
            raise Killed
        writes -= 1
        kept(path, content)

    kept = snapshots.write_file
    monkeypatch.setattr(snapshots, "write_file", write)
    for after in range(7):  # the first line, and for each snapshot the search and a line
        out = tmp_path / str(after) / "search.file"
        writes = after
        with pytest.raises(Killed):
            LongRun(fresh(spec), out, plan, measure).run()
        writes = 100
        found = Curve.read(curve_of(out)).plan
        LongRun(taken_up(spec, out), out, found or plan, measure).run()
        assert bits(out) == bits(whole)
        assert curve(out) == curve(whole)
        for number in (1, 2, 3):
            assert bits(numbered(out, number)) == bits(numbered(whole, number))


def test_a_real_kill_costs_what_came_after_the_last_snapshot(tmp_path: Path, typed: Typed) -> None:
    """The command, killed by the operating system, and resumed without another word."""
    command = (
        *("search", "Kuhn", "mccfr", "--seed", "3", "--nash-conv"),
        *("--iterations", "1500000", "--snapshots", "12", "--out"),
    )
    whole, out = str(tmp_path / "whole"), tmp_path / "killed"
    expected = typed.json(*command, whole)
    process = subprocess.Popen(
        [sys.executable, "-c", _MAIN, *command, str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + 60
        while not curve_of(out).exists() or len(curve(out)) < 4:
            assert time.monotonic() < until
            assert process.poll() is None
            time.sleep(0.005)
    finally:
        process.kill()
        assert process.wait() == -signal.SIGKILL
    before = curve(out)
    found = typed.json("search", "Kuhn", "mccfr", "--resume", str(out))
    for name in ("iterations", "nash_conv", "squared_error"):
        assert found[name] == expected[name]
    assert bits(out) == bits(Path(whole))
    assert [strip(line) for line in curve(out)] == [strip(line) for line in curve(Path(whole))]
    assert curve(out)[: len(before)] == before
    status, _, err = typed("search", "Kuhn", "mccfr", "--resume", str(out))
    assert status == 2
    assert "has done what was planned; give a number of iterations or of seconds" in err


def strip(line: dict[str, Any]) -> dict[str, Any]:
    """A line without the name of the file."""
    return {name: value for name, value in line.items() if name != "file"}


# --- going on ---


def test_more_can_be_planned_later(tmp_path: Path) -> None:
    out = tmp_path / "search"
    LongRun(fresh("oos"), out, Plan(iterations=100, snapshots=2), measure).run()
    later = Plan(iterations=400, snapshots=2, begun=100)
    LongRun(taken_up("oos", out), out, later, measure).run()
    lines = curve(out)
    assert [line["iterations"] for line in lines] == [0, 50, 100, 300, 500]
    assert [line["snapshot"] for line in lines] == [None, 1, 2, 3, 4]
    assert Curve.read(curve_of(out)).plan == later


def test_a_search_that_was_stopped_elsewhere_gets_a_line_of_its_own(tmp_path: Path) -> None:
    """After Ctrl-C the file holds more than the last snapshot."""
    out = tmp_path / "search"
    search = fresh("oos")
    run = LongRun(search, out, Plan(iterations=100, snapshots=2), measure)
    run.run()
    search.think(iterations=7)
    search.save(out)
    plan = replace(run.plan, iterations=200)
    LongRun(taken_up("oos", out), out, plan, measure).run()
    lines = curve(out)
    assert [line["iterations"] for line in lines] == [0, 50, 100, 107, 200]
    assert [line["snapshot"] for line in lines] == [None, 1, 2, None, 3]


def test_the_curve_of_another_search_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "search"
    LongRun(fresh("oos"), out, Plan(iterations=10)).run()
    other = make_search(small("Kuhn"), "oos", 8)
    other.think(iterations=10)
    with pytest.raises(OptionError, match=r"is the curve of oos on .* with seed 7; give another"):
        LongRun(other, out, Plan(iterations=10, begun=10))


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "{",
        "[]\n",
        "3\n",
        '{"iterations": 0}\n',
        '{"iterations": 0, "plan": {}}\n',
        "\x00\n",
    ],
)
def test_what_is_no_curve_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "search.curve.jsonl").write_text(content)
    with pytest.raises(FileError, match=r"is not the curve of a search; move it away, or give"):
        Curve.read(tmp_path / "search.curve.jsonl")


def test_any_line_of_a_curve_may_be_wrong(tmp_path: Path) -> None:
    """Whatever stands in the place of a value: a sentence, or a plan."""
    out = tmp_path / "search"
    LongRun(fresh("oos"), out, Plan(iterations=10)).run()
    line = Curve.read(curve_of(out)).lines[-1]
    for name in line["plan"]:
        for wrong in (-1, "x", [], {}, True, 1e400, 2**70):
            curve_of(out).write_text(json.dumps(line | {"plan": line["plan"] | {name: wrong}}))
            try:
                plan = Curve.read(curve_of(out)).plan
            except FileError:
                continue
            assert isinstance(plan, Plan)
            assert np.isfinite(plan.stops[-1])
