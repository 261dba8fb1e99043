"""The pictures of the lab and of a reviewed match in docs/web.md, taken from a running server.

    python -m benchmarks.web_lab_pictures

It needs the extra ``web``, playwright and Debian's chromium.
"""

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.web_pictures import PICTURES
from benchmarks.web_server import ARGUMENTS, CHROMIUM, Server

PATIENCE = 300_000  # milliseconds


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        server = Server(Path(folder))
        try:
            lab(browser, server)
            review(browser, server)
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


def review(browser: Any, server: Server) -> None:
    """A match of Leduc poker between two bots, and what their moves lost: the first match in which
    something was lost.
    """
    page = browser.new_context(viewport={"width": 1200, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE)
    lost = 0
    while not lost:
        page.goto(server.address)
        page.get_by_role("button", name="Set up Leduc poker").click()
        dialog = page.get_by_role("dialog")
        for seat, bot in ((1, "raise"), (2, "call")):
            dialog.get_by_label(f"Seat {seat}", exact=True).select_option("bot")
            dialog.get_by_label(f"Bot in seat {seat}").fill(bot)
        dialog.get_by_role("button", name="Open the table").click()
        page.get_by_role("button", name="Solve the game").click()
        page.get_by_text("Player 1 lost").wait_for()
        lost = page.locator(".review td.lost").count()
    page.get_by_role("button", name="Ask it").click()
    page.locator(".review thead th", has_text="oos").wait_for()
    page.locator(".review .pulse").wait_for(state="detached")
    page.locator(".review").screenshot(path=PICTURES / "web-review.png")


if __name__ == "__main__":
    main()
