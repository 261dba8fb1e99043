"""The verb that measures: ``evaluate`` says how exploitable a search is when it plays online."""

import math
import sys
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    Backend,
    GameSpec,
    Jobs,
    Kept,
    MaxHistories,
    Seed,
    Seeds,
    ends,
    print_json,
    print_table,
    seeds_from,
    show,
    tell,
    verify_writable,
    work,
)
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.evaluation.evaluate import METHODS
from hiddenhand.evaluation.evaluate import evaluate as measure

if TYPE_CHECKING:
    from hiddenhand.evaluation.measurement import Evaluation, Point
    from hiddenhand.statistics import Interval


def evaluate(
    game: GameSpec,
    spec: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="A search, such as oos(targeting=ist,delta=0.5); hiddenhand algorithms lists all.",
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help="Where to look at the search. "
            + "; ".join(f"{name}: {where}" for name, where in METHODS.items())
            + "."
        ),
    ] = "aggregate",
    iterations: Annotated[
        int | None, typer.Option(help="Search iterations for each move; with root, in all.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Search time for each move in seconds; with root, in all."),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(help="With aggregate, number of matches from each seat.", show_default="500"),
    ] = None,
    preplay_iterations: Annotated[
        int | None,
        typer.Option(help="Search iterations at the root, before play.", show_default="none"),
    ] = None,
    preplay_seconds: Annotated[
        float | None,
        typer.Option(
            help="Search time at the root in seconds, before play. The OOS paper's program takes "
            "0.1.",
            show_default="none",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            help="With aggregate, weight of a search in an information set: visits (its samples "
            "there) or mass (its sums there).",
            show_default="visits, or mass for searches that do not count samples",
        ),
    ] = None,
    seeds: Seeds = 1,
    seed: Seed = 0,
    unseen: Annotated[
        str,
        typer.Option(
            help=(
                "Strategy in information sets that the search never saw: fixed (one random action "
                "in each), or uniform."
            )
        ),
    ] = "fixed",
    on_the_way: Annotated[
        bool,
        typer.Option(
            "--on-the-way",
            help="With stitching and opening, search at the player's earlier decisions, too.",
        ),
    ] = False,
    every_set: Annotated[
        bool,
        typer.Option(
            "--every-set",
            help="With stitch-public and opening, search at each information set, not at each "
            "public state: for a search that aims at one information set.",
        ),
    ] = False,
    places: Annotated[
        int | None,
        typer.Option(help="With opening, number of public states to search at.", show_default="32"),
    ] = None,
    jobs: Jobs = 1,
    backend: Backend = "loky",
    out: Kept = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """Measure how exploitable a search is in a game that is small enough to write out: nash_conv
    with its 95 % interval over seeds, and what a best response of each player earns.

    Iterations are those of the search. One iteration of oos, mccfr, mccr and sm-oos traverses the
    game twice; papers that give iterations per second may count traversals.

    Ctrl-C ends the measurement. The result then covers the matches, searches or seeds that are
    finished.
    """
    repeated = seeds_from(seed, seeds)
    verify_writable(out)
    known: deque[Evaluation] = deque(maxlen=1)
    interrupted = False
    with work(f"Measuring {spec}") as progress:
        try:
            measure(
                game,
                spec,
                method=method,
                iterations=iterations,
                seconds=seconds,
                matches=matches,
                preplay_iterations=preplay_iterations,
                preplay_seconds=preplay_seconds,
                weights=weights,
                seeds=repeated,
                unseen=unseen,
                on_the_way=on_the_way,
                every_set=every_set,
                places=places,
                jobs=jobs,
                backend=backend,
                file=out,
                max_histories=max_histories,
                progress=progress,
                on_step=known.append,
            )
        except KeyboardInterrupt:
            interrupted = True
    found = known[0] if known else None
    if found is not None:
        _print_found(game, found, interrupted, as_json)
    if interrupted:
        tell(
            "hiddenhand: "
            f"interrupted{_so_far(found, seeds)}"
            f"{'' if out is None else f'; the same command continues with {out}'}"
        )
        sys.exit(INTERRUPTED)


def _so_far(found: "Evaluation | None", seeds: int) -> str:
    if found is None:
        return " before there was any result"
    if found.unit == "seeds":
        return f" after {len(found.seeds)} of {seeds} seeds"
    return f" after {found.curve[-1].at:g} {found.unit}, {len(found.seeds)} of {seeds} seeds"


def _print_found(game: str, found: "Evaluation", interrupted: bool, as_json: bool) -> None:
    answer: dict[str, Any] = {
        "game": game,
        "player": found.search,
        "method": found.method,
        "nash_conv": found.nash_conv.value,
        "bound": "at least" if found.method == "opening" else None,
        "ci95": ends(found.nash_conv),
        "best_response_values": [interval.value for interval in found.best_response_values],
        "best_response_ci95": _all_ends(found.best_response_values),
        **_after_errors(found),
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
        print_table(
            [found.unit, "nash_conv", "95 % interval", *players],
            [_row(point) for point in found.curve],
        )


def _after_errors(found: "Evaluation") -> dict[str, Any]:
    """Return how well the strategy does where others err; empty if the strategy is not known."""
    if found.regret_after_errors is None or found.against_random is None:
        return {}
    mean, largest = found.regret_after_errors
    return {
        "regret_after_errors": mean,
        "largest_regret_after_errors": largest,
        "against_random": list(found.against_random),
    }


def _row(point: "Point") -> list[str]:
    values = [f"{interval.value:.4f}" for interval in point.best_response_values]
    gap = point.nash_conv
    between = f"{gap.low:.4f} to {gap.high:.4f}" if math.isfinite(gap.width) else ""
    return [f"{point.at:g}", f"{gap.value:.4f}", between, *values]


def _all_ends(intervals: "Sequence[Interval]") -> list[list[float]] | None:
    """Return the ends of all intervals; None if one of them is infinite."""
    found = [both for interval in intervals if (both := ends(interval)) is not None]
    return found if len(found) == len(intervals) else None
