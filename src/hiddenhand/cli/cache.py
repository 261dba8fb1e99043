"""The verbs about the folder of compiled code: ``cache path`` and ``cache clear``."""

import typer

from hiddenhand.cli.common import AsJson, print_json, print_text

cache_app = typer.Typer(help="The folder of compiled code.", no_args_is_help=True)


@cache_app.command("path")
def cache_path(as_json: AsJson = False) -> None:
    """Where compiled code is kept."""
    from hiddenhand.compiled.cache import cache_folder

    if as_json:
        print_json({"path": str(cache_folder())})
    else:
        print_text(str(cache_folder()))


@cache_app.command("clear")
def cache_clear(as_json: AsJson = False) -> None:
    """Delete all compiled code. It is compiled again when needed."""
    from hiddenhand.compiled.cache import clear_cache

    freed = clear_cache()
    if as_json:
        print_json({"freed_bytes": freed})
    else:
        print_text(f"{freed / 2**20:.1f} MiB freed")
