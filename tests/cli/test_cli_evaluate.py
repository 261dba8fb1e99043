"""evaluate, as a user types it."""

from pathlib import Path
from typing import Any

import pytest
from typing_commands import Typed

from hiddenhand import evaluate
from hiddenhand.evaluation.evaluate import METHODS

KUHN = "naive.small_games:Written(Kuhn)"
"""Kuhn poker, which shares its compiled code with other tests."""
LEDUC = "naive.small_games:Written(Leduc)"


@pytest.mark.slow
def test_aggregate(typed: Typed) -> None:
    search = "oos(targeting=ist,delta=0.5)"
    evaluate_it = f"evaluate {KUHN} {search} --method aggregate --iterations 100 --matches"
    found = typed.json(f"{evaluate_it} 52")
    assert (found["game"], found["player"], found["method"]) == (KUHN, search, "aggregate")
    assert [point["matches"] for point in found["curve"]] == [50, 52]
    assert found["curve"][-1]["nash_conv"] == found["nash_conv"] == found["each"][0] < 1.0
    assert found["ci95"] is found["best_response_ci95"] is None
    fewer = typed.json(f"{evaluate_it} 5")
    assert typed.json(f"{evaluate_it} 5") == fewer
    assert typed.json(f"{evaluate_it} 5 --seed 1")["nash_conv"] != fewer["nash_conv"]


@pytest.mark.parametrize("game", [KUHN, "naive.small_games:Written(IIGS(2))"])
@pytest.mark.parametrize("method", METHODS)
def test_the_command_and_the_function_measure_the_same(
    typed: Typed, game: str, method: str
) -> None:
    """Where options are left out, and where all that the method has are given."""
    options: dict[str, Any] = {"iterations": 30}
    others: dict[str, Any] = options | {"unseen": "uniform", "max_histories": 5000}
    if method != "root":
        others["preplay_iterations"] = 10
    if method == "opening":
        others["places"] = 2
    if method == "aggregate":
        options["matches"], others["matches"], others["weights"] = 3, 2, "mass"
    for given in (options, others):
        words = [
            word
            for name, value in given.items()
            for word in (f"--{name.replace('_', '-')}", str(value))
        ]
        flags = [] if given is options or method in ("root", "aggregate") else ["on_the_way"]
        flags += ["every_set"] if flags and method != "stitch-infosets" else []
        evaluate_it = f"evaluate {game} OOS(delta=.5) --method {method} --seed 3 --seeds 2"
        found = typed.json(evaluate_it, *words, *(f"--{flag.replace('_', '-')}" for flag in flags))
        same = evaluate(
            game,
            "OOS(delta=.5)",
            method=method,
            seeds=(3, 4),
            **given,
            **dict.fromkeys(flags, True),
        )
        assert found["player"] == same.search
        assert found["nash_conv"] == same.nash_conv.value
        assert found["each"] == list(same.each)
        assert found["ci95"] == [same.nash_conv.low, same.nash_conv.high]
        assert found["best_response_values"] == [one.value for one in same.best_response_values]
        assert found["known_sets"] == same.known
        assert [point["nash_conv"] for point in found["curve"]] == [
            point.nash_conv.value for point in same.curve
        ]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_how_sure_it_is(typed: Typed, method: str) -> None:
    more = "--matches 5" if method == "aggregate" else ""
    found = typed.json(
        f"evaluate {KUHN} ismcts(selector=rm) --method {method} --iterations 400 --seeds 3 "
        f"--seed 7 {more}"
    )
    assert found["method"] == method
    assert found["seeds"] == [7, 8, 9]
    low, high = found["ci95"]
    assert low < found["nash_conv"] < high
    assert len(found["each"]) == 3
    values = found["best_response_values"]
    assert sum(values) == pytest.approx(found["nash_conv"])
    sums = [sum(each) for each in found["each_best_response_values"]]
    assert sums == pytest.approx(found["each"])
    for value, (low, high) in zip(values, found["best_response_ci95"], strict=True):
        assert low < value < high
    assert found["curve"][-1]["best_response_values"] == values


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("oos", "no budget"),
        ("oos --iterations 0", "--iterations 0 is not"),
        ("oos --iterations 5 --method magic", "magic"),
        ("oos --iterations 5 --matches 0", "--matches 0 is not"),
        ("oos --iterations 5 --method root --matches 5", "--matches"),
        ("oos --iterations 5 --method root --seconds 5", "give one of them"),
        ("oos --iterations 5 --on-the-way", "--on-the-way"),
        (
            "oos --iterations 5 --method root --preplay-iterations 5",
            "--preplay-iterations has no meaning for the method root",
        ),
        ("oos --iterations 5 --preplay-seconds 0", "--preplay-seconds 0 is not"),
        ("oos --iterations 5 --weights most", "--weights most is not"),
        ("pimc --iterations 5 --weights visits", "does not count its samples"),
        ("oos --iterations 5 --method root --weights mass", "--weights"),
        ("oos --iterations 5 --seeds 0", "--seeds 0"),
        ("oos --iterations 5 --seed -1", "seed -1"),
        ("oos --iterations 5 --unseen magic", "magic"),
        ("oos --iterations 5 --jobs 0", "--jobs 0 is not"),
        ("oos(delta=2) --iterations 5", "delta=2"),
        ("oos(iterations=5) --iterations 5", "leave iterations out"),
        ("random --iterations 5", "does not search"),
        ("equilibrium --iterations 5", "does not search"),
        ("magic --iterations 5", "magic"),
        ("oos --iterations 5 --max-histories 10", "more than 10"),
    ],
)
def test_bad_input(typed: Typed, options: str, says: str) -> None:
    assert says in typed.refused(f"evaluate {KUHN} {options}")


# --- search, by IS-MCTS ---


@pytest.mark.parametrize("selector", ["uct", "ruct", "exp3", "exp3p", "rm"])
def test_search_by_ismcts(typed: Typed, selector: str) -> None:
    search = f"ismcts(selector={selector})"
    found = typed.json(f"search {LEDUC} {search} --iterations 20000 --seed 1 --nash-conv")
    assert found["algorithm"] == search
    assert found["traversals"] == found["iterations"] == 20_000
    assert 0 < found["nash_conv"] < 4.7  # of uniform play it is 4.747


def test_mccfr_from_the_root_is_oos(typed: Typed) -> None:
    found = [
        typed.json(f"search {KUHN} {name} --iterations 100 --nash-conv")
        for name in ("oos", "mccfr(epsilon=0.4)")
    ]
    assert found[0]["nash_conv"] == found[1]["nash_conv"]


@pytest.mark.slow
@pytest.mark.parametrize("parameters", ["selector=uct", "selector=exp3,gamma=0.3"])
def test_ismcts_goes_on_where_it_stopped(typed: Typed, tmp_path: Path, parameters: str) -> None:
    first, second, whole = (str(tmp_path / name) for name in ("first", "second", "whole"))
    search = f"search {LEDUC} ismcts({parameters}) --seed 3 --iterations"
    typed.json(f"{search} 1000 --out", first)
    typed.json(f"search {LEDUC} ismcts --iterations 500 --resume", first, "--out", second)
    typed.json(f"{search} 1500 --out", whole)
    measured = [typed.json(f"nash-conv {LEDUC} --strategy", file) for file in (second, whole)]
    assert measured[0] == measured[1]
    said = typed.refused(f"search {LEDUC} oos --iterations 5 --resume", first)
    assert "by ismcts, not of" in said
