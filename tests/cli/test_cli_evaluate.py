"""evaluate, as a user types it."""

from typing import Any

import pytest
from covering import covering
from typing_commands import Typed

from hiddenhand import evaluate
from hiddenhand.evaluation.evaluate import METHODS

KUHN = "naive.small_games:Written(Kuhn)"
"""Kuhn poker, which shares its compiled code with other tests."""


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


@covering(
    "method, game", [*METHODS], [KUHN, "naive.small_games:Written(IIGS(2))"], together=1, times=1
)
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
