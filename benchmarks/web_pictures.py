"""The pictures of docs/web.md, taken from a running server by Chromium.

    python -m benchmarks.web_pictures

It needs the extra ``web``, playwright and Debian's chromium.
"""

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.web_server import ARGUMENTS, CHROMIUM, Server

PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def main() -> None:
    """Take all pictures."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        server = Server(Path(folder))
        try:
            start(browser, server)
            table(browser, server)
            phone(browser, server)
        finally:
            server.stop()
            browser.close()


def start(browser: Any, server: Server) -> None:
    """The start page."""
    page = browser.new_context(viewport={"width": 1200, "height": 760}).new_page()
    page.goto(server.address)
    page.locator(".game").first.wait_for()
    page.screenshot(path=PICTURES / "web-start.png")


def table(browser: Any, server: Server) -> None:
    """A hand of Leduc poker, at which a search is seen thinking."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(300_000)
    page.goto(server.address)
    page.get_by_role("button", name="Play Leduc poker").click()
    page.locator("main[data-state=mine]").wait_for()
    page.get_by_role("switch", name="Engine").click()
    page.get_by_label("Search", exact=True).select_option("oos(targeting=ist)")
    page.get_by_text("steady").or_(page.get_by_text("still moving")).first.wait_for()
    page.get_by_text("How it got there").click()
    page.wait_for_timeout(5000)
    page.screenshot(path=PICTURES / "web-table.png")


def phone(browser: Any, server: Server) -> None:
    """Phantom Tic-Tac-Toe on a telephone, dark."""
    page = browser.new_context(
        viewport={"width": 390, "height": 800},
        device_scale_factor=2,
        is_mobile=True,
        has_touch=True,
        color_scheme="dark",
    ).new_page()
    page.set_default_timeout(300_000)
    page.goto(server.address)
    page.get_by_role("button", name="Play Phantom Tic-Tac-Toe").click()
    page.locator("main[data-state=mine]").wait_for()
    page.locator("svg [data-action='4']").tap()
    page.locator("main[data-state=mine][data-turn='1']").wait_for()
    page.screenshot(path=PICTURES / "web-phone.png")


if __name__ == "__main__":
    main()
