"""The verb ``serve``: serves tables in the browser."""

import os
import sys
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import Annotated, Final

import typer

from hiddenhand.cli.common import print_text, tell
from hiddenhand.errors import FileError, OptionError
from hiddenhand.players.registry import EXAMPLES, parse_spec

_NEEDED: Final = ("starlette", "uvicorn", "websockets")


def serve(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]",
            help="A game to play at once, also one of your own, such as my_game.py:MyGame.",
            show_default="the first page lists the games",
        ),
    ] = "",
    against: Annotated[
        str, typer.Option(metavar="SPEC", help=f"Player of the other seats of GAME: {EXAMPLES}.")
    ] = "auto",
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen at. With any address but 127.0.0.1, other people can open "
            "tables on this machine."
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen at; 0: any free port.")] = 8000,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the first page in your browser.")
    ] = True,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Show the matches in this file, which match --out, tournament --out or the table "
            "wrote.",
        ),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the tables in this SQLite file, from which the next server opens them "
            "again.",
            show_default="a file in ~/.local/state/hiddenhand",
        ),
    ] = None,
    learn: Annotated[
        bool,
        typer.Option(
            "--learn",
            help="Train auto in the game of the table that was viewed last, while the machine has "
            "nothing else to do; see hiddenhand train.",
        ),
    ] = False,
) -> None:
    """Play in the browser, against bots and people, and watch searches think. Ctrl-C ends the
    server; open matches continue when you start it again.
    """
    _verify_installed()
    parse_spec(against)
    if not 0 <= port <= 65535:
        raise OptionError(f"--port {port} is not allowed; give a number from 0 to 65535")
    if replay is not None and not replay.is_file():
        raise FileError(f"{replay} is not a file; give one that hiddenhand match --out wrote")
    from hiddenhand.web.origin_guard import is_loopback
    from hiddenhand.web.serving import LoadingLobby, make_hall, open_port
    from hiddenhand.web.serving import serve as run
    from hiddenhand.web.store import default_file

    file = default_file() if tables is None else tables
    opened = open_port(host, port)
    address = _address(host, opened.getsockname()[1], bool(game))
    lobby = LoadingLobby(
        lambda: make_hall(
            file,
            (game,) if game else (),
            (against,) if game else (),
            (game, against) if game else ("", ""),
            replay,
            learn,
        )
    )
    if not is_loopback(host):
        tell(
            f"All machines that can reach {host} can open tables here and let bots think on this "
            "machine. The connection is not encrypted."
        )

    def ready() -> None:
        print_text(f"The table is at {address}\nCtrl-C ends the server.")
        if browser:
            opening = Timer(0.0, _open_browser, (address,))
            opening.daemon = True
            opening.start()

    with opened:
        run(opened, host, lobby, ready)


def _verify_installed() -> None:
    if not all(find_spec(name) for name in _NEEDED):
        raise OptionError(
            "the table in the browser needs starlette, uvicorn and websockets; install "
            "hiddenhand[web]"
        )


def _address(host: str, port: int, at_once: bool) -> str:
    """Return the address of the first page. With ``at_once`` it opens the table of the command
    line.
    """
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/{'#play' if at_once else ''}"


def _open_browser(address: str) -> None:
    """Open a page in the browser if there is a screen."""
    screens = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if screens or not sys.platform.startswith("linux"):
        webbrowser.open(address)
