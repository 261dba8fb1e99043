"""The verb that measures: ``evaluate`` says how exploitable a search is when it plays online. It is
part of `hiddenhand.cli.main`.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
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
from hiddenhand.cli.main import app
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.errors import OptionError

if TYPE_CHECKING:
    from hiddenhand.budget import Budget
    from hiddenhand.evaluation.study import Evaluation, Point, Study
    from hiddenhand.statistics import Interval

_METHODS = ("root", "aggregate", "stitch-infosets", "stitch-public")


@app.command()
def evaluate(
    game: GameSpec,
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help=(
                "A search, such as: oos(targeting=ist,delta=0.5), ismcts(selector=rm), mccfr, pimc."
            ),
        ),
    ],
    method: Annotated[str, typer.Option(help=f"One of: {', '.join(_METHODS)}.")] = "aggregate",
    iterations: Annotated[
        int | None, typer.Option(help="What the search may do for each move; with root, in all.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="How long the search may think for each move; with root, in all."),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(help="With aggregate, how many matches from each seat; 500 unless said."),
    ] = None,
    preplay_iterations: Annotated[
        int | None,
        typer.Option(help="Think before play, too, from the root: for so many iterations."),
    ] = None,
    preplay_seconds: Annotated[
        float | None, typer.Option(help="The same in seconds. The OOS paper's program: 0.1.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="With aggregate, how much a search counts in an information set: visits, its samples there; mass, the sums it has."
            " Unless said, visits, or mass for searches that do not count samples."
        ),
    ] = None,
    seeds: Annotated[
        int, typer.Option(help="How many seeds to repeat it with: --seed, the next one, and so on.")
    ] = 1,
    seed: Seed = 0,
    unseen: Annotated[
        str,
        typer.Option(
            help=(
                "What to play in information sets never seen: fixed (one random action each), or "
                "uniform."
            )
        ),
    ] = "fixed",
    on_the_way: Annotated[
        bool,
        typer.Option(
            "--on-the-way", help="With stitching, think at the own decisions before, too."
        ),
    ] = False,
    jobs: Annotated[
        int, typer.Option(help="How many processes share the work; -1: one for each processor.")
    ] = 1,
    backend: Annotated[
        str,
        typer.Option(
            help="Who runs them, a backend of joblib: loky, multiprocessing, threading, or ray."
        ),
    ] = "loky",
    out: Annotated[
        Path | None,
        typer.Option(
            help=(
                "Keep what is finished in this SQLite file; the same command goes on where it "
                "stopped."
            )
        ),
    ] = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """Say how exploitable a search is in a game small enough to be written out, as nash_conv with
    its 95 % interval over seeds; and what a best response of each player earns.

    aggregate: in matches against random opponents. root: when it searches from the beginning.
    stitch-infosets: searched afresh at every information set. stitch-public: at every public state,
    the strategy that all seeds have together.

    Iterations are those of the search. One of oos, mccfr, mccr and smoos traverses the game twice;
    papers that give iterations per second may count traversals.

    Ctrl-C ends it with what is known by then: of the matches, looks or seeds that are finished.
    """
    from hiddenhand.budget import Budget
    from hiddenhand.evaluation.study import NamedSearch, Study

    if method not in _METHODS:
        raise OptionError(f"there is no method {method!r}; choose one of: {', '.join(_METHODS)}")
    if matches is not None and method != "aggregate":
        raise OptionError(
            f"--matches has no meaning for the method {method}, which plays none; leave it out"
        )
    if weights is not None and method != "aggregate":
        raise OptionError(
            f"--weights has no meaning for the method {method}, which adds up no searches; leave "
            "it out"
        )
    preplay = (
        None
        if preplay_iterations is None and preplay_seconds is None
        else Budget(preplay_iterations, preplay_seconds)
    )
    if preplay is not None and method == "root":
        raise OptionError(
            "pre-play has no meaning for the method root, which searches from the root anyway; "
            "leave it out"
        )
    if on_the_way and not method.startswith("stitch"):
        raise OptionError(
            f"--on-the-way has no meaning for the method {method}; leave it out, or stitch"
        )
    if seeds < 1:
        raise OptionError(f"--seeds {seeds} is not allowed; give at least 1")
    budget = Budget(iterations, seconds)
    verify_writable(out)
    loaded = load_sequential(game)
    with work("Getting ready"):
        NamedSearch(spec)(loaded)  # says now what is wrong with it
    tree = write_out(loaded, max_histories)
    found, interrupted = None, False
    with work(f"Measuring {spec}") as progress:
        study = Study(
            spec,
            tree,
            seeds=range(seed, seed + seeds),
            unseen=unseen,
            jobs=jobs,
            backend=backend,
            progress=progress,
            file=out,
        )
        try:
            for found in _steps(method, study, budget, matches, preplay, weights, on_the_way):  # noqa: B007 - the last one is wanted, whichever it is
                pass
        except KeyboardInterrupt:
            interrupted = True
    if found is not None:
        _print_found(game, found, interrupted, as_json)
    if interrupted:
        tell(
            "hiddenhand: "
            f"interrupted{_so_far(found, seeds)}{'' if out is None else f'; the same command goes on with {out}'}"
        )
        sys.exit(INTERRUPTED)


def _steps(
    method: str,
    study: "Study",
    budget: "Budget",
    matches: int | None,
    preplay: "Budget | None",
    weights: str | None,
    on_the_way: bool,
) -> "Iterator[Evaluation]":
    """What is known after each step."""
    from hiddenhand.evaluation.aggregate import MATCHES, aggregate_stepwise
    from hiddenhand.evaluation.convergence import converge_stepwise
    from hiddenhand.evaluation.stitching import (
        stitch_information_sets_stepwise,
        stitch_public_states_stepwise,
    )

    match method:
        case "root":
            return converge_stepwise(study, budget)
        case "aggregate":
            return aggregate_stepwise(
                study,
                budget,
                matches=MATCHES if matches is None else matches,
                preplay=preplay,
                weights=weights,
            )
        case "stitch-infosets":
            return stitch_information_sets_stepwise(
                study, budget, on_the_way=on_the_way, preplay=preplay
            )
        case _:
            return stitch_public_states_stepwise(
                study, budget, on_the_way=on_the_way, preplay=preplay
            )


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
        "best_response_values": [interval.value for interval in found.best_response_values],
        "best_response_ci95": _all_ends(found.best_response_values),
        "iterations": found.iterations,
        "seconds": found.seconds,
        "preplay_iterations": found.preplay_iterations,
        "preplay_seconds": found.preplay_seconds,
        "weights": found.weights,
        "unseen": found.unseen,
        "seeds": list(found.seeds),
        "each": list(found.each),
        "each_best_response_values": [list(values) for values in found.each_best_response_values],
        "known_sets": found.known,
        "information_sets": found.information_sets,
    }
    if as_json:
        curve = [
            {
                found.unit: point.at,
                "nash_conv": point.nash_conv.value,
                "ci95": ends(point.nash_conv),
                "best_response_values": [interval.value for interval in point.best_response_values],
            }
            for point in found.curve
        ]
        print_json(answer | {"interrupted": interrupted, "curve": curve})
        return
    show({name: value for name, value in answer.items() if value is not None}, as_json)
    if len(found.curve) > 1:
        players = [
            f"best response {player}" for player in range(1, 1 + len(found.best_response_values))
        ]
        print_table([found.unit, "nash_conv", "", *players], [_row(point) for point in found.curve])


def _row(point: "Point") -> list[str]:
    values = [f"{interval.value:.4f}" for interval in point.best_response_values]
    return [f"{point.at:g}", f"{point.nash_conv.value:.4f}", _margin(point.nash_conv), *values]


def _all_ends(intervals: "Sequence[Interval]") -> list[list[float]] | None:
    """The ends of all intervals, None where they are infinite."""
    found = [both for interval in intervals if (both := ends(interval)) is not None]
    return found if len(found) == len(intervals) else None


def _margin(interval: "Interval") -> str:
    return f"± {interval.width / 2:.2g}" if math.isfinite(interval.width) else ""
