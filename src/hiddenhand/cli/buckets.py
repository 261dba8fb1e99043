"""The verbs about the buckets of Hold'em: ``buckets build``, ``buckets path``, ``buckets show``."""

from typing import Annotated

import typer

from hiddenhand.cli.common import AsJson, print_json, print_text
from hiddenhand.cli.progress import live_progress

buckets_app = typer.Typer(
    name="buckets",
    help="Build or look up the tables behind the buckets of Limit Hold'em.",
    no_args_is_help=True,
)


@buckets_app.command("build")
def buckets_build(as_json: AsJson = False) -> None:
    """Compute the strength of all holdings on all boards, which games with buckets need once. This
    takes a minute and 380 MB of disk. After an interruption, run the command again to continue.
    """
    from hiddenhand.games.poker.strength_files import build_tables, data_folder

    with live_progress("buckets") as progress:
        build_tables(progress=progress)
    size = sum(path.stat().st_size for path in data_folder().glob("*.npy"))
    if as_json:
        print_json({"path": str(data_folder()), "bytes": size})
    else:
        print_text(f"{data_folder()}: {size / 2**20:.1f} MiB")


@buckets_app.command("path")
def buckets_path(as_json: AsJson = False) -> None:
    """Print the folder of the tables: $HIDDENHAND_DATA, or by default the user's data folder."""
    from hiddenhand.games.poker.strength_files import data_folder

    if as_json:
        print_json({"path": str(data_folder())})
    else:
        print_text(str(data_folder()))


@buckets_app.command("show")
def buckets_show(
    cards: Annotated[str, typer.Argument(help="Two cards, such as AhKd.", show_default=False)],
    board: Annotated[
        str, typer.Argument(metavar="[BOARD]", help="Board of three, four or five cards.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Print the strength of two cards: the expected square of the share of other holdings that they
    beat on a whole board.
    """
    from hiddenhand.games.poker.strength_files import expected_strength

    strength = expected_strength(cards, board)
    if as_json:
        print_json({"cards": cards, "board": board, "expected_strength_squared": strength})
    else:
        print_text(f"E[HS^2] {strength:.10f}")
