"""The verb ``strategy``: shows a strategy in words, as a table and as a picture."""

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
    verify_writable,
    write_out,
)
from hiddenhand.errors import OptionError, UnusedOptionError

if TYPE_CHECKING:
    from hiddenhand.trees.policy_report import Behaviour, SetBehaviour, StrategyTable
    from hiddenhand.trees.strategy import Strategy


def strategy(
    game: GameSpec,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="File of the strategy, which solve or search wrote."),
    ],
    where: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Show only information sets whose descriptions have all of these words, such as "
            "'K bet'.",
        ),
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            metavar="MOVES",
            help="Show only the decision after these moves, in games of any size. Moves are "
            "actions or their names, with commas between them, and include those of chance.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write the table to FILE.csv or FILE.parquet (needs pandas)."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Draw the strategy into FILE.png, FILE.svg or FILE.pdf (needs matplotlib)."
        ),
    ] = None,
    as_json: AsJson = False,
    max_histories: MaxHistories = 1_000_000,
) -> None:
    """Show what a strategy plays in each information set, how often a match reaches it, and how
    much more a player would earn by always taking an action there.
    """
    from hiddenhand.dataframes import save_table, verify_table
    from hiddenhand.plots.figures import verify_picture
    from hiddenhand.trees.strategy_files import load_strategy

    if after is not None:
        for name, given in (("where", where), ("out", out)):
            if given is not None:
                raise UnusedOptionError(name, "--after, which names one decision")
    if out is not None:
        verify_table(out)
    if picture is not None:
        verify_picture(picture)
    verify_writable(out, picture)
    loaded, played = load_strategy(file), load_sequential(game)
    loaded.verify(played, file)
    if after is not None:
        one = _after(loaded, after, played)
        _draw([one], picture)
        print_json({"game": game, **vars(one)}) if as_json else print_text(str(one))
        return
    table = loaded.table(write_out(played, max_histories))
    if not table:
        raise OptionError(f"in {game} no player decides, so a strategy of it has nothing to show")
    found = table if where is None else table.find(where)
    if not found:
        raise OptionError(
            f"no information set has all the words of {where!r:.80} in its description; give other "
            f"words, such as those of this one: {' '.join(table[0].information.split()):.200}"
        )
    if out is not None:
        save_table(found.to_frame(), out)
    _draw(found, picture)
    if as_json:
        print_json({"game": game, "information_sets": [_plain(entry) for entry in found]})
    else:
        _show(found)


def _after(loaded: "Strategy", moves: str, game: Any) -> "Behaviour":
    from hiddenhand.trees.policy_report import history_after

    history = history_after(game, [move.strip() for move in moves.split(",") if move.strip()])
    if history.player < 0:
        raise OptionError(f"no player decides after {moves!r:.80}; add the moves that follow")
    return loaded.behaviour(history)


def _draw(behaviours: "list[Behaviour] | StrategyTable", picture: Path | None) -> None:
    if picture is not None:
        from hiddenhand.plots.bars import MOST_SETS, draw_strategy

        if len(behaviours) > MOST_SETS:
            raise OptionError(
                f"--picture shows at most {MOST_SETS} information sets, not {len(behaviours)}; "
                "select some with --where"
            )
        draw_strategy(behaviours, picture)


def _plain(entry: "SetBehaviour") -> dict[str, Any]:
    return vars(entry) | {"events": list(entry.events)}


def _show(found: "StrategyTable") -> None:
    for entry in found:
        seen = "\n  ".join(entry.information.splitlines())
        unknown = "" if entry.known else ", which the strategy does not know"
        print_text(f"Player {entry.player + 1} sees{unknown}:\n  {seen}")
        print_text(f"  reached in {entry.reach:.2%} of matches")
        regrets = entry.regrets or {}
        rows = [
            [f"  {name}", f"{p:7.2%}", "█" * round(30 * p), _signed(regrets.get(name))]
            for name, p in entry.probabilities.items()
        ]
        print_table(["", "", "", ""], rows)


def _signed(regret: float | None) -> str:
    return "" if regret is None else f"{round(regret, 6) + 0.0:+.6g}"
