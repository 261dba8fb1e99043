"""The verbs about games: ``games`` lists them, ``info`` counts the histories of one, and ``check``
tests whether one keeps the laws.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hiddenhand.cli.common import (
    AsJson,
    GameSpec,
    MaxHistories,
    Seed,
    for_people,
    load_sequential,
    print_json,
    print_table,
    print_text,
    print_wrapped,
    readable,
    tell,
    tell_notes,
    work,
    write_out,
)
from hiddenhand.cli.verb import as_typed
from hiddenhand.errors import ConformanceError, OptionError, RuleError, TooLargeError

if TYPE_CHECKING:
    from hiddenhand.games.validation.conformance import CheckReport

_COUNTS = (
    "decision_histories",
    "chance_histories",
    "terminal_histories",
    "information_sets",
    "sequences",
    "public_states",
)


def games(as_json: AsJson = False) -> None:
    """List the games, with their parameters and short names."""
    from hiddenhand.games.registry import describe_games

    described = describe_games(tell)
    if as_json:
        print_json({"games": [vars(entry) for entry in described]})
        return
    for entry in described:
        short = f"   also {', '.join(entry.short_forms)}" if entry.short_forms else ""
        print_wrapped(f"{entry.name}({', '.join(entry.parameters)}){short}", hanging=" " * 8)
        print_wrapped(for_people(entry.summary), "    ")
        if entry.package:
            print_text(f"    From the package {entry.package}.")


def info(game: GameSpec, as_json: AsJson = False, max_histories: MaxHistories = 5_000_000) -> None:
    """Count a game's histories, information sets, sequences and public states; tell its rules."""
    from hiddenhand.players.human import in_lines, rules

    loaded = load_sequential(game)
    sizes: dict[str, Any] = {
        "game": game,
        "players": loaded.num_players,
        "max_actions": loaded.max_actions,
        "max_depth": loaded.max_depth,
    }
    counts: dict[str, Any] = dict.fromkeys(_COUNTS)
    too_large = ""
    try:
        counts = vars(write_out(loaded, max_histories).counts())
    except TooLargeError as error:
        too_large = as_typed(error)
    found = sizes | counts | {"max_utility": float(loaded.max_utility)}
    told = {"payoff_unit": loaded.payoff_unit, "rules": rules(loaded)}
    if as_json:
        print_json(found | told)
        return
    rows = [
        [name.replace("_", " "), readable(value)]
        for name, value in found.items()
        if value is not None
    ]
    print_table(["of", "there are"], rows)
    if too_large:
        print_wrapped(f"Not counted: {too_large}.")
    print_text(f"\n{in_lines(told['rules'])}\n\nPayoffs are counted in {told['payoff_unit']}.")


def check(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODULE:CLASS]",
            help="Your game, as MODULE:CLASS or FILE.py:CLASS, or the name of a built-in game.",
        ),
    ] = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="MODULE:CLASS",
            help="Check a search of yours in place of a game, as MODULE:CLASS or FILE.py:CLASS, "
            "or one by its name.",
        ),
    ] = None,
    as_json: AsJson = False,
    seed: Seed = 0,
    plays: Annotated[
        int | None,
        typer.Option(
            help="Number of random plays to check.",
            show_default="200, or fewer if plays are long",
        ),
    ] = None,
    lint: Annotated[
        bool,
        typer.Option(
            "--lint", help="Also warn of rules that keep the laws but are often mistakes."
        ),
    ] = False,
) -> None:
    """Check that a game keeps the laws that searches rely on, or that a search keeps its promises.
    If not, report where it breaks them; the exit status is then 2. With --json, the answer then has
    the law, the rule, the file, the line, the history and the cure.
    """
    if (game is None) == (algorithm is None):
        raise OptionError("name either a game, or a search with --algorithm")
    if algorithm is not None:
        _check_search(algorithm, as_json)
        return
    assert game is not None  # see above
    from hiddenhand.games.registry import load_game
    from hiddenhand.games.validation.conformance import check as check_game

    loaded = load_game(game)
    tell_notes(loaded)
    try:
        with work("Checking"):
            report = check_game(loaded, seed=seed, plays=plays, lint=lint)
    except (ConformanceError, RuleError) as error:
        if as_json:
            found = {"game": game, "passed": False, "message": str(error)}
            print_json(found | vars(error.fault))
        raise
    if as_json:
        found = {name: value for name, value in vars(report).items() if name != "game"}
        print_json({"game": game, "passed": True, **found})
    else:
        _print_report(report, lint)


def _check_search(spec: str, as_json: bool) -> None:
    from hiddenhand.search.contract import check_search

    with work("Checking") as progress:
        report = check_search(spec, progress=progress)
    if as_json:
        promises = [vars(promise) for promise in report.promises]
        print_json(vars(report) | {"promises": promises, "passed": report.is_kept})
    else:
        print_text(f"{report.search} was tried in {', '.join(report.games)}.")
        for refusal in report.refused:
            print_text(f"  It refuses {refusal}")
        for promise in report.promises:
            print_text(f"  {'BROKEN' if promise.broken else 'kept'}: {promise.what}")
            for said in (promise.broken, promise.note):
                if said:
                    print_text(f"    {said}")
    if not report.is_kept:
        broken = sum(bool(promise.broken) for promise in report.promises)
        raise ConformanceError(
            f"{report.search} breaks {broken} of {len(report.promises)} promises"
        )


def _print_report(report: "CheckReport", lint: bool) -> None:
    how = (
        f"all {report.histories:,} histories and {report.plays:,} random plays"
        if report.enumerated
        else f"{report.plays:,} random plays"
    )
    print_wrapped(f"{report.game} keeps the laws. Looked at: {how}.")
    for law in (*report.laws, *(f"not looked at: {law}" for law in report.skipped)):
        print_wrapped(law, "  ", "  ")
    if report.parameters:
        print_wrapped(f"Looked at for a moment: {', '.join(report.parameters)}.")
    for advice in report.advice:
        print_wrapped(f"For people: {advice}.")
    if lint:
        print_text("Worth a look:" if report.warnings else "No warnings.")
    for warning in report.warnings:
        print_wrapped(warning, "  ", "  ")
