"""The verb that measures: ``evaluate`` says how exploitable a search is when it plays online. It is part of `hiddenhand.cli`."""

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli import app
from hiddenhand.cli_common import (
    AsJson,
    GameSpec,
    MaxHistories,
    Seed,
    ends,
    load_sequential,
    print_json,
    print_table,
    show,
    tell,
    verify_writable,
    work,
    write_out,
)
from hiddenhand.cli_process import INTERRUPTED
from hiddenhand.errors import BudgetError

if TYPE_CHECKING:
    from hiddenhand.budget import Budget
    from hiddenhand.evaluation.study import Evaluation, Study
    from hiddenhand.players.statistics import Interval

_METHODS = ("root", "aggregate", "stitch-infosets", "stitch-public")


@app.command()
def evaluate(
    game: GameSpec,
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="A search, such as: oos(targeting=ist,delta=0.5), ismcts(selector=rm), mccfr, pimc.")],
    method: Annotated[str, typer.Option(help=f"One of: {', '.join(_METHODS)}.")] = "aggregate",
    iterations: Annotated[int | None, typer.Option(help="What the search may do for each move; with root, in all.")] = None,
    seconds: Annotated[float | None, typer.Option(help="How long the search may think for each move; with root, in all.")] = None,
    matches: Annotated[int | None, typer.Option(help="With aggregate, how many matches from each seat; 500 unless said.")] = None,
    preplay: Annotated[bool, typer.Option("--preplay", help="With aggregate, think before each match, too, as long as for a move.")] = False,
    seeds: Annotated[int, typer.Option(help="How many seeds to repeat it with: --seed, the next one, and so on.")] = 1,
    seed: Seed = 0,
    unseen: Annotated[str, typer.Option(help="What to play in information sets never seen: fixed (one random action each), or uniform.")] = "fixed",
    on_the_way: Annotated[bool, typer.Option("--on-the-way", help="With stitching, think at the own decisions before, too.")] = False,
    jobs: Annotated[int, typer.Option(help="How many processes share the work; -1: one for each processor.")] = 1,
    backend: Annotated[str, typer.Option(help="Who runs them, a backend of joblib: loky, multiprocessing, threading, or ray.")] = "loky",
    out: Annotated[Path | None, typer.Option(help="Keep what is finished in this SQLite file; the same command goes on where it stopped.")] = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """Say how exploitable a search is in a game small enough to be written out, as nash_conv with its 95 % interval over seeds.

    aggregate: in matches against random opponents. root: when it searches from the beginning. stitch-infosets: searched afresh at every information
    set. stitch-public: at every public state, the strategy that all seeds have together.

    Ctrl-C ends it with what is known by then: of the matches, looks or seeds that are finished.
    """
    from hiddenhand.budget import Budget
    from hiddenhand.evaluation.study import NamedSearch, Study

    if method not in _METHODS:
        raise BudgetError(f"there is no method {method!r}; choose one of: {', '.join(_METHODS)}")
    if matches is not None and method != "aggregate":
        raise BudgetError(f"--matches has no meaning for the method {method}, which plays none; leave it out")
    if preplay and method != "aggregate":
        raise BudgetError(f"--preplay has no meaning for the method {method}, which plays no matches; leave it out")
    if on_the_way and not method.startswith("stitch"):
        raise BudgetError(f"--on-the-way has no meaning for the method {method}; leave it out, or stitch")
    if seeds < 1:
        raise BudgetError(f"--seeds {seeds} is not allowed; give at least 1")
    budget = Budget(iterations, seconds)
    verify_writable(out)
    loaded = load_sequential(game)
    with work("Getting ready"):
        NamedSearch(spec)(loaded)  # says now what is wrong with it
    tree = write_out(loaded, max_histories)
    found, interrupted = None, False
    with work(f"Measuring {spec}") as progress:
        study = Study(spec, tree, seeds=range(seed, seed + seeds), unseen=unseen, jobs=jobs, backend=backend, progress=progress, file=out)
        try:
            for found in _steps(method, study, budget, matches, preplay, on_the_way):  # noqa: B007 - the last one is wanted, whichever it is
                pass
        except KeyboardInterrupt:
            interrupted = True
    if found is not None:
        _print_found(game, found, interrupted, as_json)
    if interrupted:
        tell(f"hiddenhand: interrupted{_so_far(found, seeds)}{'' if out is None else f'; the same command goes on with {out}'}")
        sys.exit(INTERRUPTED)


def _steps(method: str, study: "Study", budget: "Budget", matches: int | None, preplay: bool, on_the_way: bool) -> "Iterator[Evaluation]":
    """What is known after each step."""
    from hiddenhand.evaluation.aggregate import MATCHES, aggregate_stepwise
    from hiddenhand.evaluation.convergence import converge_stepwise
    from hiddenhand.evaluation.stitching import stitch_information_sets_stepwise, stitch_public_states_stepwise

    match method:
        case "root":
            return converge_stepwise(study, budget)
        case "aggregate":
            return aggregate_stepwise(study, budget, matches=MATCHES if matches is None else matches, preplay=preplay)
        case "stitch-infosets":
            return stitch_information_sets_stepwise(study, budget, on_the_way=on_the_way)
        case _:
            return stitch_public_states_stepwise(study, budget, on_the_way=on_the_way)


def _so_far(found: "Evaluation | None", seeds: int) -> str:
    if found is None:
        return " before there was anything to tell"
    if found.unit == "seeds":
        return f" after {len(found.seeds)} of {seeds} seeds"
    return f" after {found.curve[-1].at:g} {found.unit}, {len(found.seeds)} of {seeds} seeds"


def _print_found(game: str, found: "Evaluation", interrupted: bool, as_json: bool) -> None:
    answer: dict[str, Any] = {
        "game": game,
        "player": found.search,
        "method": found.method,
        "nash_conv": found.nash_conv.value,
        "ci95": ends(found.nash_conv),
        "iterations": found.iterations,
        "seconds": found.seconds,
        "unseen": found.unseen,
        "seeds": list(found.seeds),
        "each": list(found.each),
        "known_sets": found.known,
        "information_sets": found.information_sets,
    }
    if as_json:
        curve = [{found.unit: point.at, "nash_conv": point.nash_conv.value, "ci95": ends(point.nash_conv)} for point in found.curve]
        print_json(answer | {"interrupted": interrupted, "curve": curve})
        return
    show({name: value for name, value in answer.items() if value is not None}, as_json)
    if len(found.curve) > 1:
        print_table(
            [found.unit, "nash_conv", ""], [[f"{point.at:g}", f"{point.nash_conv.value:.4f}", _margin(point.nash_conv)] for point in found.curve]
        )


def _margin(interval: "Interval") -> str:
    return f"± {interval.width / 2:.2g}" if math.isfinite(interval.width) else ""
