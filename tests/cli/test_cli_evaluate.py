"""evaluate, as a user types it."""

from typing import Any

import pytest
from typing_commands import Typed

from hiddenhand import evaluate
from hiddenhand.evaluation.evaluate import METHODS

KUHN = "naive.small_games:Written(Kuhn)"
"""Kuhn poker, which shares its compiled code with other tests."""
LEDUC = "naive.small_games:Written(Leduc)"

KEYS = [
    "game",
    "player",
    "method",
    "nash_conv",
    "bound",
    "ci95",
    "best_response_values",
    "best_response_ci95",
    "regret_after_errors",
    "largest_regret_after_errors",
    "against_random",
    "iterations",
    "seconds",
    "preplay_iterations",
    "preplay_seconds",
    "weights",
    "unseen",
    "seeds",
    "each",
    "each_best_response_values",
    "known_sets",
    "information_sets",
    "interrupted",
    "curve",
]


@pytest.mark.slow
def test_aggregate(typed: Typed) -> None:
    search = "oos(targeting=ist,delta=0.5)"
    arguments = ("evaluate", KUHN, search, "--method", "aggregate", "--iterations", "100")
    found = typed.json(*arguments, "--matches", "52")
    assert list(found) == KEYS
    assert (found["game"], found["player"], found["method"]) == (KUHN, search, "aggregate")
    assert [point["matches"] for point in found["curve"]] == [50, 52]
    assert found["curve"][-1]["nash_conv"] == found["nash_conv"] == found["each"][0] < 1.0
    assert found["ci95"] is found["best_response_ci95"] is None
    fewer = typed.json(*arguments, "--matches", "5")
    assert typed.json(*arguments, "--matches", "5") == fewer
    assert (
        typed.json(*arguments, "--matches", "5", "--seed", "1")["nash_conv"] != fewer["nash_conv"]
    )


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
        asked_once = method in ("root", "aggregate")
        typed_on_the_way = ["--on-the-way"] if given is others and not asked_once else []
        found = typed.json(
            *("evaluate", game, "OOS(delta=.5)", "--method", method, "--seed", "3"),
            *("--seeds", "2", *words, *typed_on_the_way),
        )
        same = evaluate(
            game,
            "OOS(delta=.5)",
            method=method,
            seeds=(3, 4),
            on_the_way=bool(typed_on_the_way),
            **given,
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
    more = ["--matches", "5"] if method == "aggregate" else []
    found = typed.json(
        "evaluate",
        KUHN,
        "ismcts(selector=rm)",
        "--method",
        method,
        "--iterations",
        "400",
        "--seeds",
        "3",
        "--seed",
        "7",
        *more,
    )
    assert found["method"] == method
    assert found["seeds"] == [7, 8, 9]
    low, high = found["ci95"]
    assert low < found["nash_conv"] < high
    assert len(found["each"]) == 3
    assert sum(found["best_response_values"]) == pytest.approx(found["nash_conv"])
    assert [sum(values) for values in found["each_best_response_values"]] == pytest.approx(
        found["each"]
    )
    for value, (low, high) in zip(
        found["best_response_values"], found["best_response_ci95"], strict=True
    ):
        assert low < value < high
    assert found["curve"][-1]["best_response_values"] == found["best_response_values"]


@pytest.mark.timed
def test_people_get_tables(typed: Typed) -> None:
    status, out, _ = typed(
        "evaluate", KUHN, "mccfr", "--method", "root", "--seconds", "0.05", "--seeds", "2"
    )
    assert status == 0
    assert "nash conv" in out
    assert "best response values" in out
    assert "best response 2" in out
    assert "95 % interval" in out
    assert " to " in out


def test_unseen_sets_matter(typed: Typed) -> None:
    fixed, uniform = (
        typed.json(
            "evaluate", KUHN, "oos", "--method", "root", "--iterations", "3", "--unseen", how
        )
        for how in ("fixed", "uniform")
    )
    assert fixed["nash_conv"] != uniform["nash_conv"]


@pytest.mark.parametrize("method", ["aggregate", "stitch-infosets", "stitch-public"])
def test_pre_play_and_weights(typed: Typed, method: str) -> None:
    more = ["--matches", "5", "--weights", "mass"] if method == "aggregate" else []
    arguments = (
        "evaluate",
        KUHN,
        "oos(targeting=ist,weighting=false)",
        "--method",
        method,
        "--iterations",
        "50",
        *more,
    )
    found, plain = typed.json(*arguments, "--preplay-iterations", "400"), typed.json(*arguments)
    assert (found["preplay_iterations"], found["preplay_seconds"], plain["preplay_iterations"]) == (
        400,
        None,
        None,
    )
    assert found["weights"] == ("mass" if method == "aggregate" else None)
    assert found["nash_conv"] != plain["nash_conv"]


def test_stitching_in_every_set(typed: Typed) -> None:
    arguments = ("evaluate", KUHN, "oos(targeting=ist)", "--method", "stitch-public")
    plain, in_each = (
        typed.json(*arguments, *more, "--iterations", "50") for more in ((), ("--every-set",))
    )
    assert plain["nash_conv"] != in_each["nash_conv"]


def test_stitching_on_the_way(typed: Typed) -> None:
    arguments = (
        "evaluate",
        KUHN,
        "ismcts(selector=rm)",
        "--method",
        "stitch-infosets",
        "--iterations",
        "50",
    )
    assert (
        typed.json(*arguments)["nash_conv"] != typed.json(*arguments, "--on-the-way")["nash_conv"]
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["oos"], "no budget"),
        (["oos", "--iterations", "0"], "--iterations 0 is not"),
        (["oos", "--iterations", "5", "--method", "magic"], "magic"),
        (["oos", "--iterations", "5", "--matches", "0"], "--matches 0 is not"),
        (["oos", "--iterations", "5", "--method", "root", "--matches", "5"], "--matches"),
        (["oos", "--iterations", "5", "--method", "root", "--seconds", "5"], "give one of them"),
        (["oos", "--iterations", "5", "--on-the-way"], "--on-the-way"),
        (
            ["oos", "--iterations", "5", "--method", "root", "--preplay-iterations", "5"],
            "pre-play has no meaning",
        ),
        (["oos", "--iterations", "5", "--preplay-seconds", "0"], "--preplay-seconds 0.0 is not"),
        (["oos", "--iterations", "5", "--weights", "most"], "--weights most is not"),
        (["pimc", "--iterations", "5", "--weights", "visits"], "does not count its samples"),
        (["oos", "--iterations", "5", "--method", "root", "--weights", "mass"], "--weights"),
        (["oos", "--iterations", "5", "--seeds", "0"], "--seeds 0"),
        (["oos", "--iterations", "5", "--seed", "-1"], "seed -1"),
        (["oos", "--iterations", "5", "--unseen", "magic"], "magic"),
        (["oos", "--iterations", "5", "--jobs", "0"], "--jobs 0 is not"),
        (["oos(delta=2)", "--iterations", "5"], "delta=2"),
        (["oos(iterations=5)", "--iterations", "5"], "leave iterations out"),
        (["random", "--iterations", "5"], "does not search"),
        (["equilibrium", "--iterations", "5"], "does not search"),
        (["magic", "--iterations", "5"], "magic"),
        (["oos", "--iterations", "5", "--max-histories", "10"], "more than 10"),
    ],
)
def test_bad_input(typed: Typed, arguments: list[str], says: str) -> None:
    status, out, err = typed("evaluate", KUHN, *arguments)
    assert status == 2
    assert out == ""
    sentences = [line for line in err.splitlines() if not line.startswith("Compiling")]
    assert len(sentences) == 1
    assert sentences[0].startswith("hiddenhand: ")
    assert says in err


# --- search, by IS-MCTS ---


@pytest.mark.parametrize("selector", ["uct", "ruct", "exp3", "exp3p", "rm"])
def test_search_by_ismcts(typed: Typed, selector: str) -> None:
    found = typed.json(
        "search",
        LEDUC,
        "--algorithm",
        "ismcts",
        "--selector",
        selector,
        "--iterations",
        "20000",
        "--seed",
        "1",
        "--nash-conv",
    )
    assert list(found) == list(typed.json("search", LEDUC, "--iterations", "10"))
    assert found["algorithm"] == f"ismcts(selector={selector})"
    assert found["traversals"] == found["iterations"] == 20_000
    assert 0 < found["nash_conv"] < 4.7  # of uniform play it is 4.747


def test_mccfr_from_the_root_is_oos(typed: Typed) -> None:
    found = [
        typed.json("search", KUHN, "--algorithm", name, "--iterations", "100", "--nash-conv")
        for name in ("oos", "mccfr(epsilon=0.4)")
    ]
    assert found[0]["nash_conv"] == found[1]["nash_conv"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [["--selector", "uct"], ["--selector", "exp3", "--gamma", "0.3"]]
)
def test_ismcts_goes_on_where_it_stopped(typed: Typed, tmp_path, options: list[str]) -> None:  # type: ignore[no-untyped-def]
    first, second, whole = (str(tmp_path / name) for name in ("first", "second", "whole"))
    typed.json(
        "search",
        LEDUC,
        "--algorithm",
        "ismcts",
        "--iterations",
        "1000",
        "--seed",
        "3",
        "--out",
        first,
        *options,
    )
    typed.json(
        "search",
        LEDUC,
        "--algorithm",
        "ismcts",
        "--iterations",
        "500",
        "--resume",
        first,
        "--out",
        second,
    )
    typed.json(
        "search",
        LEDUC,
        "--algorithm",
        "ismcts",
        "--iterations",
        "1500",
        "--seed",
        "3",
        "--out",
        whole,
        *options,
    )
    assert typed.json("nash-conv", LEDUC, "--strategy", second) == typed.json(
        "nash-conv", LEDUC, "--strategy", whole
    )
    status, _, err = typed(
        "search", LEDUC, "--algorithm", "oos", "--iterations", "5", "--resume", first
    )
    assert status == 2
    assert "by ismcts, not of" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--algorithm", "ismcts", "--epsilon", "0.5"], "--epsilon"),
        (["--algorithm", "ismcts", "--selector", "magic"], "magic"),
        (["--algorithm", "ismcts", "--gamma", "0.5"], "gamma=0.5"),
        (["--selector", "uct"], "--selector"),
        (["--algorithm", "ismcts", "--memory", "0"], "--memory 0 is not allowed"),
    ],
)
def test_options_of_the_other_algorithm(typed: Typed, arguments: list[str], says: str) -> None:
    status, out, err = typed("search", "Kuhn", "--iterations", "5", *arguments)
    assert (status, out) == (2, "")
    assert says in err
