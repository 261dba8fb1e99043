"""What all methods have in common: searches whose strategies are known, equal seeds, and what a
measurement tells that Ctrl-C ends, and how it goes on.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from naive.pretending import Pretending, babbling, saying
from naive.resolving import tree_of
from signals import start
from typing_commands import Typed

from hiddenhand.budget import Budget
from hiddenhand.errors import FileError, OptionError
from hiddenhand.evaluation.aggregate import aggregate, aggregate_stepwise
from hiddenhand.evaluation.convergence import converge, converge_stepwise
from hiddenhand.evaluation.measurement import Evaluation, Study
from hiddenhand.evaluation.per_state_search import (
    stitch_information_sets,
    stitch_information_sets_stepwise,
    stitch_opening,
    stitch_opening_stepwise,
    stitch_public_states,
    stitch_public_states_stepwise,
)
from hiddenhand.progress import Progress, Report
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.trees.profile import best_response_values, nash_conv, uniform_profile
from hiddenhand.trees.tree import GameTree

Stepwise = Callable[..., Iterator[Evaluation]]
METHODS = {
    "aggregate": (aggregate, aggregate_stepwise),
    "root": (converge, converge_stepwise),
    "stitch-infosets": (stitch_information_sets, stitch_information_sets_stepwise),
    "stitch-public": (stitch_public_states, stitch_public_states_stepwise),
    "opening": (stitch_opening, stitch_opening_stepwise),
}
BUDGET = Budget(60)
OPTIONS = {
    "aggregate": {"matches": 12, "every": 5},
    "root": {"points": 3},
    "stitch-infosets": {},
    "stitch-public": {},
    "opening": {"places": 3},
}


@cache
def tree(spec: str = "IIGS(3)") -> GameTree:
    return tree_of(spec)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "own_set"),
    [
        ("aggregate", False),
        ("root", False),
        *((method, own) for method in list(METHODS)[2:] for own in (True, False)),
    ],
)
@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(3)", "coordination_game", "LD(1,1,2)"])
def test_searches_that_know_an_equilibrium_or_play_uniformly(
    spec: str, method: str, own_set: bool
) -> None:
    """Random moves of opponents lead everywhere from the first decisions on, and an opening of so
    many places is the whole game, up to the precision of its bound.
    """
    of = tree(spec)
    options = {"aggregate": {"matches": 100}, "opening": {"places": 1000}}.get(method, {})
    for profile in (solve_lp(of).profile, uniform_profile(of)):
        study = Study(lambda game, said=profile: saying(of, said, own_set), of, seeds=(3, 4))
        found = METHODS[method][0](study, Budget(1), **options)
        values = pytest.approx(
            best_response_values(of, profile), abs=1e-4 if method == "opening" else 1e-9
        )
        assert [interval.value for interval in found.best_response_values] == values
        assert found.each_best_response_values == (values, values)
        assert found.nash_conv.low <= found.nash_conv.value <= found.nash_conv.high
        assert sum(found.each) / 2 == pytest.approx(found.nash_conv.value)
        assert found.nash_conv.value == pytest.approx(nash_conv(of, profile), abs=1e-4)
        assert found.information_sets == of.num_sets
        assert method == "opening" or found.known == of.num_sets


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_equal_seeds_give_equal_results_however_many_processes_work(method: str) -> None:
    whole, options = METHODS[method][0], OPTIONS[method]
    named = Study("oos(targeting=ist,delta=0.5)", tree(), seeds=(0, 1))
    alone = whole(named, BUDGET, **options)
    assert whole(named, BUDGET, **options) == alone
    assert whole(replace(named, jobs=2), BUDGET, **options) == alone
    assert alone.each[0] != alone.each[1]
    told = alone.method, alone.search, alone.iterations, alone.seconds
    assert told == (method, named.search, BUDGET.iterations, None)


class Interrupting:
    """Lets ``parts`` parts of a measurement finish; then somebody types Ctrl-C."""

    def __init__(self, parts: int) -> None:
        self.parts = parts

    def update(self, report: Report) -> None:
        self.parts -= 1
        if self.parts == 0:
            raise KeyboardInterrupt


class Counting:
    """Counts the parts that were made, not taken from a file."""

    made = 0

    def update(self, report: Report) -> None:
        self.made += 1


def steps_before(stepwise: Stepwise, study: Study, **options: int) -> list[Evaluation]:
    """What was told before Ctrl-C."""
    told: list[Evaluation] = []
    with pytest.raises(KeyboardInterrupt):
        told.extend(stepwise(study, BUDGET, **options))  # what came before an exception stays
    return told


def study(tmp_path: Path, progress: Progress, seeds: int = 2) -> Study:
    return Study(
        "oos(targeting=ist,delta=0.5)",
        tree(),
        seeds=range(seeds),
        file=tmp_path / "file",
        progress=progress,
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", list(METHODS))
def test_an_interrupted_measurement_goes_on_where_it_stopped(method: str, tmp_path: Path) -> None:
    """And ends as if nothing had happened. Nothing that was finished is done again, or told
    wrongly.
    """
    whole, stepwise = METHODS[method]
    wanted = whole(
        replace(study(tmp_path, counting := Counting(), 3), file=None), BUDGET, **OPTIONS[method]
    )
    told = steps_before(
        stepwise, study(tmp_path, Interrupting(counting.made - 1), 3), **OPTIONS[method]
    )
    assert told
    for found in told:
        assert found.seeds == wanted.seeds[: len(found.seeds)]
        if method == "aggregate":
            assert found.curve[:-1] == wanted.curve[: len(found.curve) - 1]
        else:
            assert found.each == wanted.each[: len(found.each)]
    assert whole(study(tmp_path, rest := Counting(), 3), BUDGET, **OPTIONS[method]) == wanted
    assert rest.made == 1
    assert whole(study(tmp_path, none := Counting(), 3), BUDGET, **OPTIONS[method]) == wanted
    assert none.made == 0


def test_an_interrupted_search_from_the_root_tells_its_last_look() -> None:
    game_tree, thoughts = tree(), []

    class Interrupted(Pretending):
        def think(self, *budget: object, **more: object) -> None:  # type: ignore[override]
            thoughts.append(1)
            if len(thoughts) == 3:
                raise KeyboardInterrupt

    def make(game: object) -> Pretending:
        return Interrupted(game_tree, saying(game_tree, uniform_profile(game_tree))._weights_at)

    (found,) = steps_before(converge_stepwise, Study(make, game_tree, seeds=(0, 1)), points=4)
    assert found.seeds == (0,)
    assert [point.at for point in found.curve] == [7, 15]
    thoughts.extend([1] * 10)
    assert found.each == converge(Study(make, game_tree), BUDGET, points=4).each


@pytest.mark.slow
def test_more_may_be_asked_for_later(tmp_path: Path) -> None:
    fewer = study(tmp_path, Counting(), seeds=1)
    aggregate(fewer, BUDGET, matches=10)
    more = replace(fewer, seeds=(0, 1), progress=(counting := Counting()), unseen="uniform")
    assert aggregate(more, BUDGET, matches=20) == aggregate(
        replace(more, file=None, progress=Counting()), BUDGET, matches=20
    )
    assert (
        counting.made == 8 - 2
    )  # two seeds, two seats, twice ten matches; one seed had played the first ten of them


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"search": "oos(targeting=ist,delta=0.6)"}, "about search"),
        ({"tree": "Kuhn"}, "about game"),
        ({"budget": Budget(61)}, "about iterations"),
        ({"budget": Budget(60, 1.0)}, "about seconds"),
    ],
)
def test_a_file_answers_one_question(tmp_path: Path, changed: dict[str, object], says: str) -> None:
    asked = study(tmp_path, Counting())
    aggregate(asked, BUDGET, matches=1)
    changed = {name: tree(value) if name == "tree" else value for name, value in changed.items()}
    budget = changed.pop("budget", BUDGET)
    with pytest.raises(FileError, match=says):
        aggregate(replace(asked, **changed), budget, matches=1)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="about method"):
        converge(asked, BUDGET)


def test_only_a_search_with_a_name_can_be_kept(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="without a name"):
        Study(lambda game: babbling(tree()), tree(), file=tmp_path / "file")


# --- as a user types it ---


def parts_in(file: Path) -> set[str]:
    """The names of the parts that have been written."""
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as rows:
            return {name for (name,) in rows.execute("SELECT name FROM part")}
    except sqlite3.OperationalError:  # not yet there
        return set()


def wait_for(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until a condition is met, at most for two minutes and while a process runs."""
    deadline = time.monotonic() + 120
    while not true() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


FIRST_PARTS = {f"seed 0, seat {seat}, matches 0 to 9, by visits" for seat in range(2)}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_tells_what_is_known_and_the_same_command_goes_on(
    typed: Typed, tmp_path: Path, jobs: str
) -> None:
    arguments = ("evaluate", "Kuhn", "mccfr", "--iterations", "20", "--out", str(tmp_path / "file"))
    command = [
        sys.executable,
        "-c",
        "from hiddenhand.cli.main import main; main()",
        *arguments,
        "--matches",
        "20000",
        "--jobs",
        jobs,
        "--json",
    ]
    with start(command, start_new_session=True) as process:
        # A part that is written when both seats' first parts are known is written after the first
        # result was told.
        wait_for(lambda: parts_in(tmp_path / "file") >= FIRST_PARTS, process)
        at_first = len(parts_in(tmp_path / "file"))
        wait_for(lambda: len(parts_in(tmp_path / "file")) > at_first, process)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: workers get it, too
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted after" in err.splitlines()[-1], err
    found = json.loads(out)
    assert found["interrupted"] is True
    matches = found["curve"][-1]["matches"]
    assert 10 <= matches < 20000
    again = typed.json(*arguments, "--matches", str(matches))
    assert (again["interrupted"], again["nash_conv"]) == (False, found["nash_conv"])
