"""The soak finds nothing in some seconds, and would find what it looks for."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("websockets", reason="the soak serves tables, which need hiddenhand[web]")
if not sys.platform.startswith("linux"):
    pytest.skip("the soak reads /proc", allow_module_level=True)

from soaking import crowd, soak, watching
from soaking.bench import Step
from soaking.soak import Soak, Watch
from soaking.tables import House, Visitor
from soaking.watching import BreachError, Held


@pytest.mark.thorough  # it takes a minute, and half of one for the crowd
def test_a_short_soak() -> None:
    short = soak.quick_soak(seed=1, say=lambda line: None)
    short.run(minutes=math.inf, rounds=1)
    short.close()
    assert short.breaches == []
    assert short.counts["steps"] == len(soak.QUICK)
    assert short.counts["frames"] > 0


@pytest.mark.thorough
def test_a_small_crowd() -> None:
    few = crowd.Crowd(seed=1, size=0.05, say=lambda line: None)
    few.run(seconds=12.0)
    assert few.breaches == []
    for what in ("frames", "messages of 10 MB", "noise", "pages that come and go"):
        assert few.counts[what] > 0, few.counts
    assert "memory of the server" in few.summary()[1]


def breaches(step: Step) -> list[str]:
    """What a soak of one step finds."""
    found = Soak(seed=5, steps={"bad": step}, say=lambda line: None)
    found.run(minutes=math.inf, rounds=1)
    found.close()
    return found.breaches


def test_a_step_that_fails() -> None:
    (found,) = breaches(lambda bench, chooser: str(1 / 0))
    assert found == "bad: ZeroDivisionError: division by zero; again: --seed 5 --step 0"


def test_a_file_that_is_left() -> None:
    def leave(bench: soak.Bench, chooser: object) -> str:
        (Path(bench.environment["TMPDIR"]) / "left").touch()
        return ""

    (found,) = breaches(leave)
    assert "files are left in tmp: ['left']" in found


def test_a_process_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PATIENCE", 0.1)
    left = []

    def leave(bench: soak.Bench, chooser: object) -> str:
        left.append(subprocess.Popen(["sleep", "1000"], env=bench.environment))
        return ""

    (found,) = breaches(leave)
    assert "sleep 1000" in found
    left[0].wait()  # the soak has ended it


def test_a_secret_that_is_told(tmp_path: Path) -> None:
    """The same knowledge must come as the same bytes: here a view has more of the same deal."""
    house = House(tmp_path, {})

    def seen(*views: str) -> Visitor:
        page = Visitor(house, None)
        page._table, page._views = {"game": "kuhn_poker", "you": 0}, list(views)
        return page

    seen("start", "card", "theirs", "mine", "passed").compare([0, 1, 0, 0])
    assert house.compared == 0
    with pytest.raises(BreachError, match="kuhn_poker tells a secret: theirs is not theirs: K"):
        seen("start", "card", "theirs: K", "mine", "passed").compare([0, 2, 0, 0])
    seen("start", "other card", "theirs: K").compare([1, 2, 0, 0])  # not all of it was seen
    assert house.compared == 3


def test_memory_that_grows() -> None:
    watch = Watch("the server")
    for memory in (100.0, 200.0):  # loading
        watch.add(0, Held(memory, 10, 3))
    watch.add(1, Held(250.0, 12, 4))
    with pytest.raises(BreachError, match="the server holds 253 MiB, 12 files, 4 threads"):
        watch.add(2, Held(253.0, 12, 4))
    with pytest.raises(BreachError, match="at most 252 MiB, 26 files, 19 threads are right"):
        watch.add(2, Held(250.0, 27, 4))


def test_the_exit_status(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(soak, "QUICK", ("play",))
    monkeypatch.setitem(soak.STEPS, "play", lambda bench, chooser: "")
    assert soak.main(["--quick", "--rounds", "1"]) == 0
    assert "breaches: 0" in capsys.readouterr().out
    monkeypatch.setitem(soak.STEPS, "play", lambda bench, chooser: str(1 / 0))
    assert soak.main(["--quick", "--rounds", "1", "--seed", "3"]) == 1
    assert "again: --seed 3 --step 0" in capsys.readouterr().out
