"""The pictures of the lab and of a reviewed match in docs/web.md, taken from a running server.

    python -m benchmarks.web_lab_pictures

It needs the extra ``web``, playwright and Debian's chromium.
"""

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.web_pictures import PICTURES
from benchmarks.web_server import ARGUMENTS, CHROMIUM, Server
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.hall import Hall
from hiddenhand.web.setup import PERSON, Seat, Setup
from hiddenhand.web.store import Store

SECRET = "a-seat"
PATIENCE = 300_000  # milliseconds


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        reviewed = king_that_folds(Path(folder))
        server = Server(Path(folder))
        try:
            lab(browser, server)
            review(browser, server.address + reviewed)
        finally:
            server.stop()
            browser.close()


def lab(browser: Any, server: Server) -> None:
    """Convergence on Leduc poker: CFR+, OOS and Smooth UCT."""
    page = browser.new_context(viewport={"width": 1200, "height": 760}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{server.address}/lab")
    page.get_by_label("Seconds for each").fill("10")
    page.get_by_role("button", name="Begin").click()
    page.locator(".found [role=status]", has_text="done").wait_for()
    page.screenshot(path=PICTURES / "web-lab.png", full_page=True)


def king_that_folds(folder: Path) -> str:
    """The address of a match of Leduc poker in which player 1, with a king, folds after a bet."""
    king, queen, check, bet, fold = 2, 1, 1, 2, 0
    seats = (Seat(PERSON, SECRET), Seat("equilibrium"))
    hall = Hall(Store(folder / "tables.sqlite"))
    setup, game = Setup("leduc_poker", seats, 1.0, 0, 0), loaded("leduc_poker")
    table = hall.opened(setup, game, [king, queen, check, bet, fold], is_over=True)
    hall.close()
    return f"/table/{table.place}#{SECRET}"


def review(browser: Any, address: str) -> None:
    """The review of a match."""
    page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    page.get_by_role("heading", name="Blunder: you fold").wait_for()
    page.get_by_role("heading", name="Equilibrium by hand").wait_for()
    page.screenshot(path=PICTURES / "web-review.png")


if __name__ == "__main__":
    main()
