"""search and algorithms, as a user types them: every search, named in either way."""

import json
from pathlib import Path
from typing import Any

import pytest
from typing_commands import Typed

from hiddenhand import make_search
from hiddenhand import solve as solved
from hiddenhand.cli import snapshots
from hiddenhand.progress import SILENT, Report
from hiddenhand.search.algorithms import SEARCH, SOLVER, Algorithm, algorithms, find, names
from hiddenhand.search.root_search import resume
from hiddenhand.trees.strategy_files import load_strategy

ROOT = Path(__file__).parent.parent.parent
OPEN_GAME = "goofspiel(num_cards=3)"
KUHN = "naive.small_games:Written(Kuhn)"
"""Kuhn poker, which shares its compiled code with other tests."""
SEARCHES = algorithms(SEARCH)


def game_for(algorithm: Algorithm) -> str:
    if "simultaneous moves" in algorithm.games:
        return OPEN_GAME
    if algorithm.games == "visibility_pursuit":
        return "VP(map=block5,pursuers=1,moves=2,start='a1 a3')"
    return KUHN if algorithm.searches_chance else "naive.small_games:Written(IIGS(3))"


def without_times(found: dict[str, object]) -> dict[str, object]:
    return found | {"seconds": 0, "traversals_per_second": 0}


@pytest.mark.parametrize("algorithm", SEARCHES, ids=lambda algorithm: algorithm.name)
def test_every_search_can_be_used(typed: Typed, algorithm: Algorithm, tmp_path: Path) -> None:
    """What is kept is a strategy, and `nash-conv` reads it."""
    file, game = str(tmp_path / "file"), game_for(algorithm)
    search = ("search", game, algorithm.name, "--iterations", "60", "--nash-conv", "--out", file)
    found = typed.json(*search)
    assert found["algorithm"] == algorithm.name
    assert found["iterations"] > 0
    assert found["iterations"] <= 60 or algorithm.name == "auto"  # more of CFR, as fast
    assert found["information_sets"] > 0
    assert (found["traversals"] is not None) == algorithm.can_be_saved
    assert sum(found["root_strategy"][0]["probabilities"].values()) == pytest.approx(1.0)
    measured = typed.json("nash-conv", game, "--strategy", file)
    assert measured["nash_conv"] == pytest.approx(found["nash_conv"])


@pytest.mark.parametrize(
    ("spec", "typed_so"),
    [
        ("oos(epsilon=0.4)", "oos -p epsilon=0.4"),
        ("oos(epsilon=0.4,gamma=0.05)", "OOS(gamma=.05) --param epsilon=.4"),
        ("oos", ""),
        ("oos(weighting=false,delta=1)", "oos -p weighting=false -p delta=1"),
        ("oos(weighting=false,delta=1)", "oos -p weighting=false,delta=1"),
        ("ismcts(selector=rm,cap=100)", "ismcts -p selector=rm -p cap=100"),
        ("oos(memory=1048576)", "oos --memory 1"),
        ("mccr(floor=none)", "mccr -p floor=none"),
    ],
)
def test_parameters_in_parentheses_and_as_options(typed: Typed, spec: str, typed_so: str) -> None:
    often = "--iterations 200 --seed 3 --nash-conv"
    by_text = typed.json(f"search {KUHN} {spec} {often}")
    by_options = typed.json(f"search {KUHN} {typed_so} {often}")
    assert without_times(by_text) == without_times(by_options)


def test_a_search_with_trees_of_edges(typed: Typed, tmp_path: Path) -> None:
    """It has a strategy where it searched from, which is kept, because the search cannot be."""
    file, game = str(tmp_path / "file"), "naive.small_games:Written(IIGS(3))"
    typed.json(f"search {game} ismcts(observer=single) --iterations 60 --out", file)
    assert load_strategy(file).num_sets == 1
    said = typed.refused(f"search {KUHN} ismcts(observer=single) --iterations 60")
    assert "ismcts with these parameters searches only at decisions of its player" in said


def test_a_search_that_is_resumed_is_called_what_it_is(typed: Typed, tmp_path: Path) -> None:
    file = str(tmp_path / "file")
    typed.json(f"search {KUHN} mccfr(epsilon=0.5) --iterations 20 --out", file)
    found = typed.json(f"search {KUHN} oos --iterations 20 --resume", file)
    assert (found["algorithm"], found["iterations"]) == ("mccfr(epsilon=0.5)", 40)
    typed.json(f"search {KUHN} oos --iterations 20 --out", file)
    said = typed.refused(f"search {KUHN} mccfr --iterations 20 --resume", file)
    assert "is a search by oos, and mccfr has delta=0.0; resume it as oos" in said


# --- algorithms ---


def test_a_search_of_the_user_is_resumed_too(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("from hiddenhand import OOS\n\nclass Own(OOS): pass\n")
    spec, out = f"{tmp_path}/own.py:Own", str(tmp_path / "kept")
    typed.json("search Kuhn", spec, "--iterations", "20", "--out", out, "--snapshots", "2")
    found = typed.json("search Kuhn", spec, "--iterations", "10", "--resume", out)
    assert (found["algorithm"], found["iterations"]) == (spec, 30)


def test_a_parameter_without_a_default(typed: Typed, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from hiddenhand import OOS\n\n"
        "class Deep(OOS):\n"
        "    def __init__(self, game, depth: int, seed=0, mark=len, **more):\n"
        "        super().__init__(game, seed=seed)\n"
    )
    spec = f"{tmp_path}/own.py:Deep"
    listed = typed.json("algorithms", spec)["parameters"]
    assert [one["name"] for one in listed] == ["depth", "mark"]
    assert "default" not in listed[0]
    assert listed[1]["default"] == "<built-in function len>"
    for verb in ("search Kuhn", "match Kuhn random --matches 1", "evaluate Kuhn", "exploit Kuhn"):
        said = typed.refused(verb, spec, "--iterations", "2")
        assert f"{spec} needs the parameter depth, a whole number; write it like" in said
    assert typed.json("search Kuhn", f"{spec}(depth=3)", "--iterations", "2")["iterations"] == 2


def test_algorithms_are_listed(typed: Typed) -> None:
    listed = typed.json("algorithms")["algorithms"]
    assert [entry["name"] for entry in listed] == list(names())
    assert {entry["kind"] for entry in listed} == {SEARCH, SOLVER}
    for entry in listed:
        assert entry["paper"]
        assert entry["games"]
        assert entry["guarantee"]
    status, out, _ = typed("algorithms")
    assert status == 0
    assert all(f"\n{name}" in f"\n{out}" for name in names())
    assert max(map(len, out.splitlines())) <= 80
    assert "`" not in typed("algorithms mmd")[1]  # without the marks of docstrings


# --- solve ---


@pytest.mark.timed
def test_a_variant_of_cfr_may_be_given_seconds(typed: Typed) -> None:
    assert typed.json("solve Kuhn --method cfr+ --seconds 0.1")["iterations"] > 0


def test_mccfr_solves(typed: Typed) -> None:
    solve = "solve Kuhn --iterations 2000 --method"
    found = typed.json(f"{solve} mccfr-outcome(epsilon=0.5,seed=1)")
    assert found["method"] == "mccfr-outcome(epsilon=0.5,seed=1)"
    assert found["iterations"] == 2000
    assert 0 < found["nash_conv"] < 0.5
    for other in ("MCCFR_outcome(seed=1,epsilon=.5)", "mccfr-outcome -p seed=1 -p epsilon=.5"):
        assert {**typed.json(f"{solve} {other}"), "seconds": 0} == {**found, "seconds": 0}
    same = solved("Kuhn", "mccfr-outcome", iterations=2000, seed=1, epsilon=0.5)
    assert (same.value, same.nash_conv) == (found["value"], found["nash_conv"])
    assert typed.json(f"{solve} mccfr-outcome")["nash_conv"] != found["nash_conv"]


# --- several processes, and snapshots ---


@pytest.mark.slow
def test_processes_find_what_as_many_streams_find(typed: Typed) -> None:
    search = "search Leduc oos --iterations 500 --nash-conv"
    spread = typed.json(f"{search} --jobs 2")
    assert without_times(spread) == without_times(typed.json(f"{search} -p streams=2"))


def test_snapshots_are_written_while_searching(typed: Typed, tmp_path: Path) -> None:
    file = tmp_path / "search"
    search = f"search {KUHN} oos -p streams=2 --iterations 2000 --every 0.000001 --out"
    typed.json(search, str(file))
    curve = (tmp_path / "search.curve.jsonl").read_text()
    lines = [json.loads(line) for line in curve.splitlines()]
    written = [line["iterations"] for line in lines]
    assert len(written) > 2
    assert written == sorted(written)
    assert written[-1] == 2000
    assert all((tmp_path / line["file"]).exists() for line in lines[1:])
    found = typed.json(f"search {KUHN} oos --iterations 10 --resume", str(file))
    assert found["iterations"] == 2010


def test_with_processes_the_search_is_written_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "_EVERY", 0.0)
    search: Any = make_search(KUHN, "oos", 1)
    assert snapshots.saving(search, tmp_path / "search", False)(SILENT) is SILENT
    saves = snapshots.saving(search, tmp_path / "search", True)(SILENT)
    search.think(iterations=1)
    saves.update(Report(1))
    assert resume(find("oos"), tmp_path / "search", search.game).result().iterations == 1


def test_kuhn_poker_has_a_squared_error(typed: Typed) -> None:
    """Also without --nash-conv; other games have none."""
    found = typed.json("search Kuhn oos --iterations 20000")
    assert 0 < found["squared_error"] < 0.01
    assert found["nash_conv"] is None
    assert typed.json("solve Kuhn")["squared_error"] < 1e-12
    assert "squared_error" not in typed.json("solve coordination_game")
