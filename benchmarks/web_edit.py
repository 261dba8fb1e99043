"""How soon it is a person's move in the browser after an edit of a game, for `first_use`.

It needs the extra ``web``, playwright and Debian's chromium.
"""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.web_server import ARGUMENTS, CHROMIUM, Server

_PLAY: Final = "button.play"  # of the first game on the start page


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser. Raises ImportError without playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def of_a_new_server(browser: Any, game: str, cache: Path, tier: str) -> float:
    """The seconds from the start of a server to the first move of a person in ``game``."""
    with tempfile.TemporaryDirectory() as folder, _page(browser) as page:
        began = time.perf_counter()
        server = Server(Path(folder), game, cache=cache, tier=tier)
        try:
            _first_move(page, server)
            return time.perf_counter() - began
        finally:
            server.stop()


class RunningServer:
    """A server that runs while its game is edited, and a page of it."""

    def __init__(self, page: Any, server: Server) -> None:
        self._page, self._server = page, server
        _first_move(page, server)

    def show_games(self) -> None:
        """Go to the start page."""
        self._page.goto(self._server.address)
        self._page.locator(_PLAY).first.wait_for()

    def new_table(self) -> float:
        """The seconds from a click on the game to a person's move there."""
        began = time.perf_counter()
        self._page.locator(_PLAY).first.click()
        _wait_for_move(self._page)
        return time.perf_counter() - began


@contextlib.contextmanager
def running_server(browser: Any, game: str, cache: Path, tier: str) -> Iterator[RunningServer]:
    """A server with ``game``, in which a first move was made."""
    with tempfile.TemporaryDirectory() as folder, _page(browser) as page:
        server = Server(Path(folder), game, cache=cache, tier=tier)
        try:
            yield RunningServer(page, server)
        finally:
            server.stop()


@contextlib.contextmanager
def _page(browser: Any) -> Iterator[Any]:
    """A page with an empty cache."""
    context = browser.new_context()
    try:
        yield context.new_page()
    finally:
        context.close()


def _first_move(page: Any, server: Server) -> None:
    page.goto(f"{server.address}/#play")
    _wait_for_move(page)


def _wait_for_move(page: Any) -> None:
    page.wait_for_url("**/table/**")
    page.get_by_text("Your move").first.wait_for(timeout=60_000)
