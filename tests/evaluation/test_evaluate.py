"""`evaluate` in Python: what the command does, by the same names."""

from typing import Any

import pytest
from naive.resolving import tree_of

from hiddenhand import Evaluation, evaluate, make_search
from hiddenhand.errors import OptionError, PlayerError, UnusedOptionError
from hiddenhand.evaluation.evaluate import METHODS

KUHN = "naive.small_games:Written(Kuhn)"
"""Kuhn poker, which shares its compiled code with other tests."""


@pytest.mark.parametrize("method", METHODS)
def test_every_method(method: str) -> None:
    matches = 5 if method == "aggregate" else None
    steps: list[Evaluation] = []
    found = evaluate(
        KUHN,
        "oos",
        method=method,
        iterations=50,
        matches=matches,
        seeds=range(2),
        on_step=steps.append,
    )
    assert found.method == method
    assert found.seeds == (0, 1)
    assert found.nash_conv.value >= 0
    assert steps[-1] is found
    assert evaluate(
        tree_of("Kuhn"), "oos", method=method, iterations=50, matches=matches, seeds=range(2)
    ).each == (found.each)


def test_a_search_may_be_made_by_whoever_measures() -> None:
    def make(game: object) -> object:
        return make_search(game, "oos", epsilon=0.4)  # type: ignore[arg-type]

    found = evaluate(KUHN, make, method="root", iterations=100)
    assert found.each == evaluate(KUHN, "oos", method="root", iterations=100).each


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"method": "magic"}, "there is no method 'magic'; choose one of: root, aggregate"),
        ({"method": "root", "matches": 5}, "matches .* method root; .*choose one of: aggregate"),
        ({"method": "root", "weights": "mass"}, "weights has no meaning for the method root"),
        ({"method": "root", "preplay_iterations": 5}, "preplay_iterations has no meaning for the"),
        ({"method": "root", "preplay_seconds": 5.0}, "preplay_seconds has no meaning for the"),
        ({"on_the_way": True}, "on_the_way has no meaning for the method aggregate; leave it out,"),
        ({"every_set": True}, "every_set has no meaning for the method aggregate; leave it out,"),
        ({"places": 4}, "places has no meaning for the method aggregate; leave it out,"),
        ({"method": "opening", "places": 0}, "places=0 is not allowed; give a whole number"),
        ({"preplay_iterations": 0}, "preplay_iterations=0 is not allowed"),
        ({"preplay_seconds": -1.0}, "preplay_seconds=-1.0 is not allowed"),
        ({"seeds": ()}, "give at least one"),
        ({"seeds": 3}, r"seeds=3 is not allowed; give a sequence of seeds, such as range\(3\)"),
        ({"seeds": "12"}, "seeds='12' is not allowed; give a sequence of seeds"),
        ({"seeds": [1.5]}, "seed 1.5 is not allowed"),
        ({"matches": "5"}, "matches='5' is not allowed; give a whole number of at least 1"),
        ({"file": 5}, "file=5 is not allowed; give the path of a file"),
        ({"progress": 5}, "progress=5 is not allowed; give an object with a method update"),
        ({"max_histories": 1.5}, "max_histories=1.5 is not allowed; give a whole number"),
    ],
)
def test_options_that_have_no_meaning(options: dict[str, object], says: str) -> None:
    with pytest.raises(OptionError, match=says) as refused:
        evaluate(KUHN, "oos", iterations=5, **options)
    assert isinstance(refused.value, UnusedOptionError) == ("has no meaning" in str(refused.value))


@pytest.mark.parametrize("tree", [False, True])
def test_what_makes_no_search_is_refused(tree: bool) -> None:
    game: Any = tree_of("Kuhn") if tree else KUHN
    made = make_search(KUHN, "oos")
    for wrong in (made, None, 3, lambda game: 3):
        with pytest.raises(OptionError, match=r"^search=.*; give the name of a search, such as"):
            evaluate(game, wrong, iterations=5)
    with pytest.raises(OptionError, match="pimc searches only at decisions of its player"):
        evaluate(game, "pimc", method="root", iterations=5)


def test_what_does_not_search_is_refused_before_anything_is_written_out() -> None:
    with pytest.raises(PlayerError, match="does not search"):
        evaluate("phantom_ttt", "random", iterations=5)
