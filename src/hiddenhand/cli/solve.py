"""The verb that solves: ``solve`` finds an equilibrium of a game that can be written out."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    MaxHistories,
    Params,
    load_sequential,
    print_json,
    print_table,
    print_text,
    print_wrapped,
    show,
    tell,
    then_kept,
    tier_used,
    verify_writable,
    with_params,
    work,
    write_out,
)
from hiddenhand.cli.process import INTERRUPTED
from hiddenhand.errors import Interrupted, OptionError, UnsavedError, UnusedOptionError
from hiddenhand.search.algorithms import SOLVER, read_algorithm
from hiddenhand.text import rounded

if TYPE_CHECKING:
    from hiddenhand.solvers.general_sum import GeneralSum
    from hiddenhand.solvers.simultaneous.backward_induction import Induction
    from hiddenhand.solvers.solution import Solution
    from hiddenhand.trees.tree import GameTree


def solve(
    game: GameSpec,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC",
            help="A solver with its parameters, such as 'mccfr-outcome(epsilon=0.5)'; hiddenhand "
            "algorithms lists all.",
            show_default="induction where players move at once and nothing else is hidden, lp "
            "elsewhere",
        ),
    ] = None,
    params: Params = None,
    target: Annotated[
        float | None,
        typer.Option(
            help="Stop when nash_conv is at most this (only cfr and its variants, vector-cfr and "
            "vector-mccfr).",
            show_default="without other limits 0.001, times the largest payoff if that is above 1",
        ),
    ] = None,
    iterations: Annotated[
        int | None,
        typer.Option(help="Number of iterations (only methods with cfr in their names)."),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Time limit in seconds (only cfr and its variants, vector-cfr and vector-mccfr)."
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the strategy to this file.")] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="Continue from this file if it exists, and keep the state of the run in it (only "
            "cfr and its variants, vector-cfr and vector-mccfr)."
        ),
    ] = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 20_000_000,
) -> None:
    """Find an equilibrium of a game that is small enough to write out. For two players whose
    payoffs have no constant sum, show the Nash equilibria of a small game, correlated equilibria,
    and what CFR plays, each with its gap.
    """
    if method is None and params:
        raise OptionError("--param has no meaning without --method; name a method")
    if method is not None:
        method = with_params(method, params, SOLVER)
        read_algorithm(method, SOLVER)  # says what is wrong with it before anything is loaded
    verify_writable(out, checkpoint)
    from hiddenhand.games.base import is_constant_sum
    from hiddenhand.search import solving
    from hiddenhand.solvers.simultaneous.backward_induction import StatePlay

    stopped: BaseException | None = None
    rules = load_sequential(game)
    if method is None and rules.num_players == 2 and not is_constant_sum(rules):
        for name, option in {
            "seconds": seconds,
            "target": target,
            "checkpoint": checkpoint,
        }.items():
            if option is not None:
                raise UnusedOptionError(
                    name, "a game without a constant sum", "leave it out, or name a method"
                )
        _solve_general_sum(game, write_out(rules, max_histories), iterations, out, as_json)
        return
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
        except (Interrupted, UnsavedError) as end:
            found, stopped = end.found, end
    if found.fell_short and stopped is None:
        _tell_shortfall(found, is_limited=iterations is not None or seconds is not None)
    with then_kept(out, lambda path: _keep(found, path)):
        if isinstance(found.play, StatePlay):
            _show_states(game, found.play.induction, as_json)
        else:
            _show(game, solving.method_used(method, found), found, as_json)
    if isinstance(stopped, UnsavedError):
        raise stopped
    if stopped is not None:
        sys.exit(INTERRUPTED)


def _tell_shortfall(found: "Solution", is_limited: bool) -> None:
    """Say that the target was not reached, and whether it could be. ``is_limited``: whether the run
    had a limit besides.
    """
    from hiddenhand.games.base import is_constant_sum

    so_far = f"{rounded(found.nash_conv)} after {found.iterations:,} iterations"
    target = f"and the target is {rounded(found.target or 0.0)}"
    if is_limited:
        tell(f"nash_conv is {so_far}, {target}. Give more iterations or seconds to come nearer.")
        return
    why = (
        "Errors of rounding keep it from falling further."
        if is_constant_sum(found.game)
        else "For more than two players, or payoffs without a constant sum, no method here "
        "guarantees an equilibrium."
    )
    tell(f"nash_conv no longer falls: it is {so_far}, {target}. {why}")


def _keep(found: "Solution", path: Path) -> None:
    with work("Writing out the strategy") as progress:
        found.strategy(progress=progress).save(path)


def _show(game: str, method: str, found: "Solution", as_json: bool) -> None:
    from hiddenhand.trees.kuhn_equilibria import has_known_equilibria, squared_error

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


def _show_states(game: str, found: "Induction", as_json: bool) -> None:
    """Print the result of backward induction, and how many states need mixing."""
    answer: dict[str, Any] = {
        "game": game,
        "method": "induction",
        "value": found.value,
        "nash_conv": found.nash_conv,
        "states": found.graph.num_states,
    }
    by_depth = vars(found.states_by_depth)
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


# --- games of two players without a constant sum ---

_MOST_SHOWN = 10


def _solve_general_sum(
    game: str, tree: "GameTree", iterations: int | None, out: Path | None, as_json: bool
) -> None:
    from hiddenhand.solvers.general_sum import ITERATIONS, general_sum

    with work(f"Solving {game}") as progress:
        found = general_sum(tree, ITERATIONS if iterations is None else iterations, progress)
    equilibria = () if found.equilibria is None else found.equilibria.found
    with then_kept(out if equilibria else None, lambda path: _keep(equilibria[0], path)):
        if as_json:
            print_json({"game": game, **_general_sum_as_json(found), **tier_used()})
        else:
            _show_general_sum(game, found)
    if out is not None and not equilibria:
        raise OptionError(
            "--out needs a Nash equilibrium, and the game is too large to enumerate them; leave it "
            "out, or name a method"
        )


def _known(found: "GeneralSum") -> list[tuple[str, tuple[float, ...], float]]:
    """All that was found: what it is, what each player earns, and the gap."""
    known: list[tuple[str, tuple[float, ...], float]] = []
    if found.equilibria is not None:
        known += [
            (f"Nash equilibrium {number}", one.values, one.nash_conv)
            for number, one in enumerate(found.equilibria.found, 1)
        ]
    for name, one in (("correlated", found.correlated), ("coarse correlated", found.coarse)):
        if one is not None:
            known.append((f"{name} equilibrium with the largest sum", one.values, one.gap))
    if (play := found.play) is not None:
        what = f"what CFR plays in {play.iterations:,} iterations"
        known.append((f"{what}, as a coarse correlated equilibrium", play.values, play.coarse_gap))
        known.append((f"{what}, as an EFCCE", play.values, play.extensive_gap))
    return known


def _general_sum_as_json(found: "GeneralSum") -> dict[str, Any]:
    equilibria = found.equilibria
    return {
        "found": [
            {"what": what, "values": list(values), "gap": gap}
            for what, values, gap in _known(found)
        ],
        "degenerate": None if equilibria is None else equilibria.is_degenerate,
        "left_out": list(found.left_out),
    }


def _show_general_sum(game: str, found: "GeneralSum") -> None:
    print_wrapped(
        f"{game} has no constant sum. What is known of it, and the most that a player gains by "
        "deviating:"
    )
    rows = [
        [what, *(rounded(value) for value in values), rounded(gap)]
        for what, values, gap in _known(found)
    ]
    print_table(["", "player 1", "player 2", "gain"], rows)
    if found.equilibria is not None and found.equilibria.is_degenerate:
        print_text("\nThe game is degenerate: it may have further Nash equilibria.")
    for reason in found.left_out:
        print_wrapped(f"Left out: {reason}.")
    form = next((one.form for one in (found.correlated, found.coarse) if one is not None), None)
    if found.equilibria is not None and form is not None:
        for number, mixture in enumerate(found.equilibria.mixtures[:_MOST_SHOWN], 1):
            print_text(f"\nNash equilibrium {number}:")
            for player, part in enumerate(mixture):
                for plan in sorted(part.nonzero()[0], key=lambda plan: -part[plan])[:_MOST_SHOWN]:
                    said = form.named(player, int(plan)) or "nothing to choose"
                    print_text(f"  player {player + 1}  {part[plan]:7.2%}  {said}")
    if (best := found.correlated) is not None:
        print_text("\nCorrelated equilibrium with the largest sum:")
        chances = best.probabilities
        pairs = sorted(zip(*chances.nonzero(), strict=True), key=lambda pair: -chances[pair])
        for row, column in pairs[:_MOST_SHOWN]:
            plans = f"{best.form.named(0, int(row))} | {best.form.named(1, int(column))}"
            print_text(f"  {chances[row, column]:7.2%}  {plans}")
