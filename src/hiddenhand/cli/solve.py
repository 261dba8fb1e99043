"""The verb that solves: ``solve`` finds an equilibrium of a game that can be written out."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    MaxHistories,
    load_sequential,
    print_json,
    print_table,
    print_text,
    show,
    tell,
    then_kept,
    tier_used,
    verify_writable,
    work,
)
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.search.algorithms import SOLVER, names, read_algorithm
from hiddenhand.text import rounded

if TYPE_CHECKING:
    from hiddenhand.search.solving import StateSolution
    from hiddenhand.trees.solution import Solution


def solve(
    game: GameSpec,
    method: Annotated[
        str | None,
        typer.Option(
            help=f"One of: {', '.join(names(SOLVER))}; or one with parameters, such as "
            "mccfr-outcome(epsilon=0.5,seed=1). By default, induction where players move at once "
            "and nothing else is hidden, and lp elsewhere. hiddenhand algorithms describes them."
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            help="Stop when nash_conv is at most this (only vector-cfr, cfr and its variants)."
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(help="Number of iterations (only methods with cfr in their names)."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="Time limit in seconds (only vector-cfr, cfr and its variants)."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the strategy to this file.")] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Continue from this file if it exists, and keep the state of the run in it (only "
            "vector-cfr, cfr and its variants)."
        ),
    ] = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """Find an equilibrium of a game that is small enough to write out."""
    if method is not None:
        read_algorithm(method, SOLVER)  # says what is wrong with it before anything is loaded
    verify_writable(out, checkpoint)
    from hiddenhand.search import solving

    stopped: BaseException | None = None
    rules = load_sequential(game)
    with work(f"Solving {game}") as progress:
        try:
            found = solving.solve(
                rules,
                method,
                iterations=iterations,
                seconds=seconds,
                target=target,
                checkpoint=checkpoint,
                max_histories=max_histories,
                progress=progress,
            )
        except (solving.Interrupted, solving.UnsavedError) as end:
            found, stopped = end.found, end
    if found.fell_short and stopped is None:
        _tell_shortfall(found)
    with then_kept(out, lambda path: _keep(found, path)):
        if isinstance(found, solving.StateSolution):
            _show_states(game, found, as_json)
        else:
            _show(game, solving.method_used(method, found), found, as_json)
    if isinstance(stopped, solving.UnsavedError):
        raise stopped
    if stopped is not None:
        sys.exit(INTERRUPTED)


def _tell_shortfall(found: "Solution") -> None:
    """Say that the target was not reached, and whether it could be."""
    from hiddenhand.games.base import is_constant_sum

    why = (
        "Errors of rounding keep it from falling further."
        if is_constant_sum(found.game)
        else "For more than two players, or payoffs without a constant sum, no method here "
        "guarantees an equilibrium."
    )
    tell(
        f"nash_conv no longer falls: it is {rounded(found.nash_conv)} after {found.iterations:,} "
        f"iterations, and the target is {rounded(found.target or 0.0)}. {why}"
    )


def _keep(found: "Solution", path: Path) -> None:
    with work("Writing out the strategy") as progress:
        found.strategy(progress=progress).save(path)


def _show(game: str, method: str, found: "Solution", as_json: bool) -> None:
    from hiddenhand.trees.kuhn import has_known_equilibria, squared_error

    answer = {
        "game": game,
        "method": method,
        "value": found.value,
        "nash_conv": found.nash_conv,
        "iterations": found.iterations,
        "seconds": found.seconds,
    }
    if has_known_equilibria(found.game):
        answer["squared_error"] = squared_error(found.tree, found.profile)
    show(answer | (tier_used() if as_json else {}), as_json)


def _show_states(game: str, found: "StateSolution", as_json: bool) -> None:
    """Print the result of backward induction, and how many states need mixing."""
    answer: dict[str, Any] = {
        "game": game,
        "method": found.method,
        "value": found.value,
        "nash_conv": found.nash_conv,
        "states": found.induction.graph.num_states,
    }
    by_depth = vars(found.induction.states_by_depth)
    if as_json:
        more = {"states_by_depth": by_depth, "iterations": None, "seconds": found.seconds}
        print_json(answer | more | tier_used())
        return
    show(answer | {"seconds": found.seconds}, as_json=False)
    rows = [
        [depth, f"{pure:,}", f"{mixed:,}", f"{mixed / (pure + mixed):.2g}"]
        for depth, (pure, mixed) in enumerate(zip(*by_depth.values(), strict=True))
    ]
    print_text("\nHistories by the number of moves made, and in how many of them players must mix:")
    print_table(["depth", "pure", "mixed", "mixed/all"], rows)
