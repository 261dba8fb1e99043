"""`solve`, whichever way a game is given and a method named."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive.small_trees import DILEMMA, THREE, Watching, tree_of

from hiddenhand import load_game, nash_conv, solve, unroll
from hiddenhand.errors import (
    FileError,
    GameError,
    Interrupted,
    OptionError,
    TooLargeError,
    UnsavedError,
    UnusedOptionError,
)
from hiddenhand.progress import Report
from hiddenhand.search import solving
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.solvers.partial_policy_bound import least_best_responses
from hiddenhand.solvers.refined_lp import solve_refined_lp
from hiddenhand.solvers.restricted_nash_response import trade_offs
from hiddenhand.solvers.simultaneous.backward_induction import StatePlay
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.tree import GameTree


def test_a_game_its_name_and_its_tree_are_alike() -> None:
    """The value of Kuhn poker is -1/18: Kuhn (1950)."""
    tree = unroll(load_game("Kuhn"))
    found = [solve(game) for game in ("Kuhn", load_game("Kuhn"), tree)]
    for solution in found:
        assert solution.method == "lp"
        assert solution.value == pytest.approx(-1 / 18)
        assert solution.profile.tobytes() == found[0].profile.tobytes()
    assert found[2].tree is tree
    assert solve(tree, "cfr+", target=0.01).nash_conv <= 0.01


def test_induction_is_chosen_where_it_can_be() -> None:
    """Goofspiel with four cards is symmetric, so its value is 0; its solution is a `Solution` all
    the same.
    """
    found = solve("goofspiel(num_cards=4)")
    assert isinstance(found.play, StatePlay)
    assert found.method == "induction"
    assert found.values == (0.0, 0.0)
    assert "Goofspiel" in repr(found)
    assert "tree" not in vars(found.play)  # nothing was written out
    assert nash_conv(found.tree, found.profile) == pytest.approx(0.0, abs=1e-9)
    assert found.strategy() == solve("goofspiel(num_cards=4)", "induction").strategy()
    assert solve("IIGS(3)").method == "lp"  # bids are hidden there
    with pytest.raises(TooLargeError):
        _ = solve("goofspiel(num_cards=4)", max_histories=600).tree


@pytest.mark.parametrize(
    ("method", "options", "says"),
    [
        ("magic", {}, "there is no method 'magic'"),
        ("oos", {}, "there is no method 'oos'"),
        ("", {}, "'' is not the name of a method; write it like cfr"),
        (3, {}, "3 is not the name of a method; write it like cfr"),
        ("mccfr-outcome(epsilom=0.5)", {"iterations": 5}, "did you mean epsilon?"),
        ("cfr(seed=1)", {}, "cfr has no parameter 'seed'; its parameters are: none"),
        ("cfr", {"seed": 1}, "seed has no meaning for the method cfr; leave it out"),
        (None, {"seed": 1}, "seed has no meaning for the methods induction and lp"),
        ("mccfr-external", {"iterations": 5, "epsilon": 0.5}, "epsilon has no meaning for the"),
        ("mccfr-outcome(seed=1)", {"iterations": 5, "seed": 1}, "'seed' is given twice"),
        ("mccfr-outcome", {"iterations": 5, "seed": "1"}, "seed='1' is not allowed; give a whole"),
        ("cfr", {"iterations": 2.5}, "iterations=2.5 is not allowed; give a whole number"),
        ("cfr", {"target": "0.1"}, "target='0.1' is not allowed; give a nash_conv above 0"),
        ("cfr", {"max_histories": "9"}, "max_histories='9' is not allowed; give a whole number"),
        (
            None,
            {"iterations": 5},
            "^iterations has .* methods induction and lp, which are exact; l",
        ),
        ("lp", {"target": 0.1}, "^target has no meaning for the method lp, which is exact; leave"),
        ("cfr", {"epsilon": 0.5}, "epsilon has no meaning for the method cfr; leave it out"),
        ("mccfr-external", {"target": 0.1, "iterations": 5}, "target has no meaning"),
        ("mccfr-external", {}, "needs a number of iterations"),
        ("mccfr-outcome", {"iterations": 5, "epsilon": 2.0}, "epsilon=2.0"),
        ("cfr", {"target": -1.0}, "target=-1"),
    ],
)
def test_options_that_have_no_meaning(method: str, options: dict[str, float], says: str) -> None:
    with pytest.raises(OptionError, match=says) as refused:
        solve("Kuhn", method, **options)
    again = pickle.loads(pickle.dumps(refused.value))
    assert (type(again), str(again)) == (type(refused.value), str(refused.value))
    if isinstance(refused.value, UnusedOptionError):
        assert again.option == refused.value.option


@pytest.mark.parametrize("wrong", [None, 3, CFR, ["Kuhn"]], ids=str)
def test_what_is_no_game(wrong: Any) -> None:
    with pytest.raises(GameError, match="is not a game; give a game or its name, such as kuhn"):
        solve(wrong)


@pytest.mark.parametrize("text", ["CFR+", "cfr +", "Cfr_+"])
def test_methods_are_spelt_as_one_likes(text: str) -> None:
    found, same = (solve("Kuhn", method, iterations=10) for method in (text, "cfr+"))
    assert found.method == "cfr+"
    assert found.profile.tobytes() == same.profile.tobytes()


def test_parameters_in_the_name_and_by_name_mean_the_same() -> None:
    found = [
        solve("Kuhn", method, iterations=200, **given)
        for method, given in (
            ("mccfr-outcome(epsilon=0.5,seed=1)", {}),
            ("MCCFR_outcome(seed=1)", {"epsilon": 0.5}),
            ("mccfr-outcome", {"epsilon": np.float32(0.5), "seed": np.int64(1)}),
        )
    ]
    assert len({solution.profile.tobytes() for solution in found}) == 1


def test_what_induction_found_is_a_record_like_others() -> None:
    """A copy has all fields, and nothing is written out for it."""
    found = solve("goofspiel(num_cards=3)")
    timeless = replace(found, seconds=0.0)
    assert (timeless.seconds, timeless.values) == (0.0, found.values)
    assert timeless.play is found.play
    assert "tree" not in vars(timeless.play)
    assert pickle.loads(pickle.dumps(found)).profile.tobytes() == found.profile.tobytes()


ONLY_FOR_TWO: dict[str, Callable[[GameTree], object]] = {
    "backward induction": lambda tree: solve(tree.game, "induction"),
    "the linear program": solve_lp,
    "linear program": solve_refined_lp,
    "a restricted Nash response": lambda tree: trade_offs(tree, uniform_profile(tree)),
    "a bound": lambda tree: least_best_responses(
        tree, uniform_profile(tree), np.zeros(tree.num_sets, np.bool_)
    ),
}


@pytest.mark.parametrize("game", [THREE, DILEMMA])
@pytest.mark.parametrize("what", ONLY_FOR_TWO)
def test_games_that_a_method_is_not_for(what: str, game: str) -> None:
    with pytest.raises(GameError, match=f"{what}.* is for zero-sum games of two players, which"):
        ONLY_FOR_TWO[what](tree_of(game))


class Interrupting(Watching):
    """Presses Ctrl-C at the third report of iterations."""

    def __init__(self) -> None:
        super().__init__(interrupt_at=3)

    def update(self, report: Report) -> None:
        if report.unit == "iterations":
            super().update(report)


@pytest.mark.parametrize("method", ["cfr+", "mccfr-external"])
def test_an_interrupted_method_tells_what_it_has(method: str) -> None:
    with pytest.raises(Interrupted) as interrupted:
        solve("Leduc", method, iterations=10**9, progress=Interrupting())
    found = interrupted.value.found
    assert 0 < found.iterations < 10**9
    assert found.nash_conv >= 0


def test_a_checkpoint_is_gone_on_from(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    solve("Kuhn", "cfr+", iterations=50, checkpoint=file)
    pieces = solve("Kuhn", "cfr+", iterations=70, checkpoint=str(file))
    whole = solve("Kuhn", "cfr+", iterations=120)
    assert pieces.iterations == 120
    assert np.array_equal(pieces.profile, whole.profile)
    with pytest.raises(FileError, match=r"is a run of cfr\+, not of cfr"):
        solve("Kuhn", "cfr", iterations=1, checkpoint=file)


def test_what_is_no_path_and_no_progress_is_said() -> None:
    with pytest.raises(OptionError, match="checkpoint=5 is not allowed; give the path of a file"):
        solve("Kuhn", "cfr+", iterations=1, checkpoint=5)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="progress=5 is not allowed; give an object with a meth"):
        solve("Kuhn", "cfr+", iterations=1, progress=5)  # type: ignore[arg-type]


def test_an_interrupted_method_keeps_its_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    with pytest.raises(Interrupted) as interrupted:
        solve("Leduc", "cfr+", iterations=10**9, checkpoint=file, progress=Interrupting())
    more = solve("Leduc", "cfr+", iterations=1, checkpoint=file)
    assert more.iterations == interrupted.value.found.iterations + 1


def test_a_checkpoint_that_cannot_be_written_does_not_take_the_solution_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not now and then, which is passed over in silence, and not in the end, which is said."""

    def full(run: CFR, path: object) -> None:
        raise FileError(f"{path} cannot be written")

    monkeypatch.setattr(solving._Saving, "EVERY", 0.0)
    monkeypatch.setattr(CFR, "save", full)
    with pytest.raises(UnsavedError, match="file cannot be written") as unsaved:
        solve("Kuhn", "cfr+", iterations=50, checkpoint=tmp_path / "file")
    assert unsaved.value.found.iterations == 50
    assert unsaved.value.found.profile.tobytes() == (
        solve("Kuhn", "cfr+", iterations=50).profile.tobytes()
    )
