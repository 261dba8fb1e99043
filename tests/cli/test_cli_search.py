"""search and algorithms, as a user types them: every search, named in either way."""

import json
from pathlib import Path
from typing import Any

import pytest
from typing_commands import Typed

from hiddenhand import make_search, solve
from hiddenhand.progress import SILENT, Report
from hiddenhand.search.algorithms import SEARCH, SOLVER, Algorithm, algorithms, find, names
from hiddenhand.search.from_root import resume

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
    arguments = ("--iterations", "60", "--nash-conv", "--out", file)
    found = typed.json("search", game, algorithm.name, *arguments)
    assert found["algorithm"] == algorithm.name
    assert found["iterations"] > 0
    assert found["iterations"] <= 60 or algorithm.name == "auto"  # more of CFR, as fast
    assert found["information_sets"] > 0
    assert (found["traversals"] is not None) == algorithm.can_be_saved
    assert sum(found["root_strategy"][0]["probabilities"].values()) == pytest.approx(1.0)
    measured = typed.json("nash-conv", game, "--strategy", file)
    assert measured["nash_conv"] == pytest.approx(found["nash_conv"])
    status, out, _ = typed("search", game, algorithm.name, "--iterations", "60")
    assert status == 0
    assert "Player 1 to move:" in out


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("oos(epsilon=0.4)", ["--algorithm", "oos", "--epsilon", "0.4"]),
        ("oos(epsilon=0.4)", ["--algorithm", "oos(epsilon=0.4)"]),
        ("oos(epsilon=0.4,gamma=0.05)", ["OOS(gamma=.05)", "--epsilon", ".4"]),
        ("oos", []),
        ("oos(weighting=false,delta=1)", ["--no-weighting", "--delta", "1"]),
        ("ismcts(selector=rm,cap=100)", ["ismcts", "--selector", "rm", "--cap", "100"]),
        ("oos(memory=1048576)", ["--memory", "1"]),
        ("mccr(floor=none)", ["mccr", "--floor", "none"]),
    ],
)
def test_a_text_and_options_mean_the_same(typed: Typed, spec: str, options: list[str]) -> None:
    arguments = ("--iterations", "200", "--seed", "3", "--nash-conv")
    by_text = typed.json("search", KUHN, spec, *arguments)
    by_options = typed.json("search", KUHN, *options, *arguments)
    assert without_times(by_text) == without_times(by_options)


def test_a_search_that_is_resumed_is_called_what_it_is(typed: Typed, tmp_path: Path) -> None:
    file = str(tmp_path / "file")
    typed.json("search", KUHN, "mccfr(epsilon=0.5)", "--iterations", "20", "--out", file)
    found = typed.json("search", KUHN, "oos", "--iterations", "20", "--resume", file)
    assert (found["algorithm"], found["iterations"]) == ("mccfr(epsilon=0.5)", 40)
    typed.json("search", KUHN, "oos", "--iterations", "20", "--out", file)
    status, out, err = typed("search", KUHN, "mccfr", "--iterations", "20", "--resume", file)
    assert (status, out) == (2, "")
    assert "is a search by oos, and mccfr has delta=0.0; resume it as oos" in err


def test_flags_and_old_spellings(typed: Typed) -> None:
    for name in ("sm-mcts", "smmcts", "SM_MCTS"):
        options = ("--evaluation", "--selector", "duct", "--tie-tolerance", "0.1")
        status, _, err = typed("search", OPEN_GAME, name, *options, "--iterations", "10")
        assert (status, "Traceback" in err) == (0, False), err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ["Kuhn", "oos", "--algorithm", "mccr"],
            "named twice, as 'oos' and with --algorithm 'mccr'; name it once",
        ),
        (["Kuhn", ""], "'' is not the name of an algorithm; write it like oos"),
        (["Kuhn", "--algorithm", ""], "'' is not the name of an algorithm; write it like oos"),
        (["Kuhn", "", "--algorithm", "oos"], "named twice, as '' and"),
        (["Kuhn", "foo"], "there is no algorithm 'foo'; choose one of: auto, oos"),
        (["Kuhn", "--epsilon", "nan"], "--epsilon nan is not allowed; give a finite number"),
        (["Kuhn", "--delta", "-inf"], "--delta -inf is not allowed; give a finite number"),
        (["Kuhn", "oos(delta=inf)"], "delta='inf' is not allowed; give a finite number"),
        (["Kuhn", "oos(foo=1)"], "oos has no parameter 'foo'; its parameters are: epsilon"),
        (["IIGS(3)", "doab"], "hides more than what is chosen at the same moment"),
        (["Kuhn", "doab"], "hides more than what is chosen at the same moment"),
        (["Kuhn", "magic"], "there is no algorithm 'magic'"),
        (["Kuhn", "lp"], "there is no algorithm 'lp'"),
        (["Kuhn", "oos(epsilon=0.4)", "--epsilon", "0.5"], "'epsilon' is given twice"),
        (["Kuhn", "oos(delt=0.4)"], "did you mean delta?"),
        (["Kuhn", "--epsilon", "much"], "oos: epsilon='much' is not allowed; give a number"),
        (["Kuhn", "--epsilon", "1,delta=1"], "--epsilon: '1,delta=1' is not a value"),
        (["Kuhn", "cr", "--memory", "5"], "--memory has no meaning for the algorithm cr"),
        (["Kuhn", "oos", "--keep-exploration"], "--keep-exploration has no meaning for the"),
        (["Kuhn", "mccr", "--resume", "file"], "a search by mccr cannot be resumed"),
        (["Kuhn", "--epsilon", "0.5", "--resume", "file"], "--epsilon cannot be changed"),
        (["Kuhn", "oos(epsilon=0.5)", "--resume", "file"], "epsilon cannot be changed"),
        (["Kuhn", "pimc"], "pimc searches only at decisions of its player"),
        (["Kuhn", "sm-oos"], "has no simultaneous moves"),
    ],
)
def test_bad_input(typed: Typed, arguments: list[str], says: str) -> None:
    status, out, err = typed("search", *arguments, "--iterations", "5")
    assert (status, out) == (2, "")
    (sentence,) = err.splitlines()  # so nothing was compiled before it was refused
    assert says in sentence


def test_help_tells_the_parameters_of_all_searches(typed: Typed) -> None:
    status, out, _ = typed("search", "--help")
    assert status == 0
    for algorithm in SEARCHES:
        for parameter in algorithm.parameters:
            option = f"--{parameter.name.replace('_', '-')}"
            assert option[:12] in out  # long ones are cut in a narrow terminal


# --- algorithms ---


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


def test_one_algorithm_is_described(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    found = typed.json("algorithms", "oos")
    epsilon = next(entry for entry in found["parameters"] if entry["name"] == "epsilon")
    assert (epsilon["type"], epsilon["default"]) == ("a number", 0.4)
    assert "exploration" in epsilon["description"]
    status, out, _ = typed("algorithms", "SMOOS")
    assert status == 0
    assert out.startswith("sm-oos: ")
    assert "From: " in out
    assert "carry" in out
    monkeypatch.setenv("COLUMNS", "80")
    lines = typed("algorithms", "oos")[1].splitlines()
    assert max(map(len, lines)) <= 80
    assert "  epsilon=0.4   a number" in lines
    meaning = lines[lines.index("  epsilon=0.4   a number") + 1]
    assert meaning.startswith("      exploration, the probability with which")
    assert max(map(len, typed("algorithms")[1].splitlines())) <= 80
    status, out, err = typed("algorithms", "magick")
    assert (status, out) == (2, "")
    assert "there is no algorithm 'magick'; " in err


@pytest.mark.parametrize("other", ["--json", "oos"])
def test_the_page_is_of_all_algorithms_and_not_json(typed: Typed, other: str) -> None:
    status, out, err = typed("algorithms", "--markdown", other)
    assert (status, out) == (2, "")
    assert f"so {other} has no meaning beside it; leave one of the two out" in err


def test_the_page_of_the_documentation_is_up_to_date(typed: Typed) -> None:
    """``hiddenhand algorithms --markdown > docs/algorithms.md`` writes it."""
    assert typed("algorithms", "--markdown")[1] == (ROOT / "docs" / "algorithms.md").read_text()


# --- solve ---


@pytest.mark.timed
def test_a_variant_of_cfr_may_be_given_seconds(typed: Typed) -> None:
    found = typed.json("solve", "Kuhn", "--method", "cfr+", "--seconds", "0.1")
    assert found["iterations"] > 0


def test_mccfr_solves(typed: Typed) -> None:
    arguments = ("solve", "Kuhn", "--iterations", "2000", "--method")
    found = typed.json(*arguments, "mccfr-outcome(epsilon=0.5,seed=1)")
    assert found["method"] == "mccfr-outcome(epsilon=0.5,seed=1)"
    assert found["iterations"] == 2000
    assert 0 < found["nash_conv"] < 0.5
    other = typed.json(*arguments, "MCCFR_outcome(seed=1,epsilon=.5)")
    assert {**other, "seconds": 0} == {**found, "seconds": 0}
    same = solve("Kuhn", "mccfr-outcome", iterations=2000, seed=1, epsilon=0.5)
    assert (same.value, same.nash_conv) == (found["value"], found["nash_conv"])
    assert typed.json(*arguments, "mccfr-outcome")["nash_conv"] != found["nash_conv"]


@pytest.mark.parametrize("game", ["Kuhn", OPEN_GAME])
@pytest.mark.parametrize("method", [None, "CFR+"])
def test_the_command_and_the_function_find_the_same(
    typed: Typed, game: str, method: str | None
) -> None:
    options = [] if method is None else ["--method", method, "--iterations", "50"]
    found = typed.json("solve", game, *options)
    same = solve(game, method, iterations=None if method is None else 50)
    assert (found["value"], found["nash_conv"]) == (same.value, same.nash_conv)
    assert found["method"] == same.method


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mccfr-external", "--target", "0.1"], "--target has no meaning for the method mccfr"),
        (["mccfr-external", "--checkpoint", "file"], "--checkpoint has no meaning"),
        (["mccfr-external"], "needs a number of iterations"),
        (["mccfr-external(epsilon=0.5)"], "mccfr-external has no parameter 'epsilon'"),
        (["cfr+(alpha=1)"], "has no parameter 'alpha'; its parameters are: none"),
        (["lp", "--iterations", "5"], "--iterations has no meaning for the method lp, which is"),
        (["induction", "--checkpoint", "file"], "--checkpoint has no meaning for the method ind"),
        ([""], "'' is not the name of a method; write it like cfr+"),
        (["oos"], "there is no method 'oos'; choose one of: induction, lp, cfr"),
    ],
)
def test_solving_refuses(typed: Typed, arguments: list[str], says: str) -> None:
    status, out, err = typed("solve", "Kuhn", "--method", *arguments)
    assert (status, out) == (2, "")
    assert says in err


# --- several processes, and snapshots ---


@pytest.mark.slow
def test_processes_find_what_as_many_streams_find(typed: Typed) -> None:
    arguments = ("search", "Leduc", "oos", "--iterations", "500", "--nash-conv")
    spread = typed.json(*arguments, "--backend", "loky", "--workers", "2")
    assert without_times(spread) == without_times(typed.json(*arguments, "--streams", "2"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--workers", "2"], "--workers 2 has no meaning without --backend"),
        (["--backend", "magic"], "there is no backend 'magic'; choose one of: loky, ray, dask"),
        (["--backend", "loky", "--workers", "0"], "is not allowed; give a whole number"),
    ],
)
def test_what_makes_no_sense_with_processes_is_refused(
    typed: Typed, options: list[str], says: str
) -> None:
    status, _, err = typed("search", "Kuhn", "--iterations", "10", *options)
    assert status == 2
    assert says in err


def test_snapshots_are_written_while_searching(typed: Typed, tmp_path: Path) -> None:
    file = tmp_path / "search"
    typed.json(
        *("search", KUHN, "oos", "--streams", "2", "--iterations", "2000", "--out", str(file)),
        *("--every", "0.000001"),
    )
    curve = (tmp_path / "search.curve.jsonl").read_text()
    lines = [json.loads(line) for line in curve.splitlines()]
    written = [line["iterations"] for line in lines]
    assert len(written) > 2
    assert written == sorted(written)
    assert written[-1] == 2000
    assert all((tmp_path / line["file"]).exists() for line in lines[1:])
    found = typed.json("search", KUHN, "oos", "--resume", str(file), "--iterations", "10")
    assert found["iterations"] == 2010


def test_with_processes_the_search_is_written_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hiddenhand.cli import snapshots

    monkeypatch.setattr(snapshots, "_EVERY", 0.0)
    search: Any = make_search(KUHN, "oos", 1)
    assert snapshots.saving(search, tmp_path / "search", None)(SILENT) is SILENT
    saves = snapshots.saving(search, tmp_path / "search", "loky")(SILENT)
    search.think(iterations=1)
    saves.update(Report(1))
    assert resume(find("oos"), tmp_path / "search", search.game).result().iterations == 1


def test_kuhn_poker_has_a_squared_error(typed: Typed) -> None:
    """Also without --nash-conv; other games have none."""
    found = typed.json("search", "Kuhn", "oos", "--iterations", "20000")
    assert 0 < found["squared_error"] < 0.01
    assert found["nash_conv"] is None
    assert typed.json("solve", "Kuhn")["squared_error"] < 1e-12
    assert "squared_error" not in typed.json("solve", "coordination_game")
    measured = typed.json("search", "Kuhn", "oos", "--iterations", "20000", "--nash-conv")
    assert measured["best_response_sum"] == pytest.approx(measured["nash_conv"])
    assert measured["squared_error"] == found["squared_error"]
