"""The verbs about the folder of compiled code: ``cache path``, ``cache fill``, ``cache clear``."""

from typing import Annotated

import typer

from hiddenhand.cli.common import AsJson, print_json, print_text
from hiddenhand.cli.progress import live_progress

cache_app = typer.Typer(
    name="cache", help="Show, fill or clear the folder of compiled code.", no_args_is_help=True
)


@cache_app.command("path")
def cache_path(as_json: AsJson = False) -> None:
    """Print the folder of compiled code."""
    from hiddenhand.jit.cache import cache_folder

    if as_json:
        print_json({"path": str(cache_folder())})
    else:
        print_text(str(cache_folder()))


@cache_app.command("fill")
def cache_fill(
    jobs: Annotated[
        int, typer.Option(help="Number of processes that compile; -1: one for each processor.")
    ] = -1,
    as_json: AsJson = False,
) -> None:
    """Compile those parts of all searches and solvers, with their usual parameters, that serve
    every game.

    Do this once after an installation or a new version. Later commands need not compile these
    parts.
    """
    from hiddenhand.cli.compiling_ahead import compile_ahead

    with live_progress("Compiling") as progress:
        done = compile_ahead(jobs, progress)
    if as_json:
        print_json({"pieces": done})
    else:
        print_text(
            "All searches and solvers, with their usual parameters, are compiled for every game."
        )


@cache_app.command("clear")
def cache_clear(as_json: AsJson = False) -> None:
    """Delete all compiled code. Later commands compile it again when they need it."""
    from hiddenhand.jit.cache import clear_cache

    freed = clear_cache()
    if as_json:
        print_json({"freed_bytes": freed})
    else:
        print_text(f"{freed / 2**20:.1f} MiB freed")
