"""The verb ``nash-conv``: measures how much best responses gain against a strategy."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    MaxHistories,
    Seed,
    Unseen,
    load_sequential,
    show,
    tell,
    verify_unseen,
    verify_writable,
    work,
)
from hiddenhand.errors import OptionError, UnsavedError

if TYPE_CHECKING:
    from hiddenhand.evaluation.nash_conv import Measured, Plan

_LONG = 5.0  # seconds; a measurement that may take longer is announced

Threads = Annotated[
    int, typer.Option(help="With vector and stream, number of threads that walk through the game.")
]
CheckpointFile = Annotated[
    Path | None,
    typer.Option(
        help="With stream, keep finished work in this file. The same command then continues where "
        "it stopped.",
        show_default="FILE.nash-conv beside the strategy's file, removed at the end",
    ),
]


def nash_conv(
    game: GameSpec,
    uniform: Annotated[
        bool, typer.Option("--uniform", help="Measure the uniform strategy.")
    ] = False,
    strategy: Annotated[
        Path | None,
        typer.Option(help="Measure the strategy in this file, which solve, search or train wrote."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            help="tree: write the game out; vector: walk through the public histories, for all "
            "hands at once, in games whose moves are public; stream: walk through all histories, "
            "in games of any size; auto: the first of these that is possible."
        ),
    ] = "auto",
    threads: Threads = 1,
    checkpoint: CheckpointFile = None,
    unseen: Unseen = "uniform",
    seed: Seed = 0,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """Measure how much best responses gain against a strategy, summed over the players: 0 in an
    equilibrium. The result is exact in games of any size.
    """
    from hiddenhand.evaluation.nash_conv import Options, finished_before, measured, planned
    from hiddenhand.trees.strategy_files import load_strategy

    if method in ("tree", "vector") and checkpoint is not None:
        raise OptionError("--checkpoint is for the method stream; leave it out")
    if uniform == (strategy is not None):
        raise OptionError("give either --uniform or --strategy FILE")
    verify_unseen(unseen)
    loaded = None if strategy is None else load_strategy(strategy)
    played = load_sequential(game)
    if loaded is not None:
        loaded.verify(played, strategy)
    kept = checkpoint or beside(strategy)
    options: dict[str, Any] = {
        "method": method,
        "unseen": unseen,
        "seed": seed,
        "threads": threads,
        "checkpoint": kept,
        "replaces": checkpoint is None,
        "max_histories": max_histories,
    }
    Options(**options).verify()
    verify_writable(checkpoint)
    with work("Measuring the strategy") as progress:
        announce(plan := planned(played, Options(**options)))
        if plan.method == "stream" and (
            parts := finished_before(played, loaded, Options(**options))
        ):
            tell(f"Continuing after {parts:,} parts that an earlier run finished, from {kept}.")
        unsaved: UnsavedError | None = None
        try:
            found = measured(played, loaded, **options, progress=progress)
        except UnsavedError as error:
            found, unsaved = error.found, error
    if checkpoint is None and kept is not None and found.method == "stream":
        kept.unlink(missing_ok=True)
    show({"game": game, **told(found)}, as_json)
    if unsaved is not None and checkpoint is not None:
        raise unsaved


def beside(strategy: Path | None) -> Path | None:
    """Return the file of finished work, beside the file of a strategy. None if that folder cannot
    be written to.
    """
    if strategy is None or not os.access(strategy.absolute().parent, os.W_OK):
        return None
    return strategy.with_name(f"{strategy.name}.nash-conv")


def announce(plan: "Plan") -> None:
    """Print the plan of a measurement that takes long."""
    if plan.seconds > _LONG:
        tell(str(plan))


def told(found: "Measured") -> dict[str, Any]:
    """Return the figures of a measurement that are printed."""
    answer: dict[str, Any] = {
        "nash_conv": found.nash_conv,
        "best_response_values": list(found.best_response_values),
        "expected_values": list(found.expected_values),
        "method": found.method,
    }
    if found.after_errors is not None:
        answer["regret_after_errors"] = found.after_errors.mean
        answer["largest_regret_after_errors"] = found.after_errors.largest
    if found.method == "vector":
        answer["seconds"] = found.seconds
    if found.method == "stream":
        answer |= {
            "histories": found.histories,
            "seconds": found.seconds,
            "sets": [one.met for one in found.sets],
            "unknown_sets": [one.unknown for one in found.sets],
            "unknown_off_path": [one.off_path for one in found.sets],
        }
    return answer
