"""How long a person waits at a table, from a click until it is their turn again.

    python -m benchmarks.web_clicks              # some two minutes; prints medians, keeps nothing
    python -m benchmarks.web_clicks --matches 2

Chromium plays matches against bots that answer at once, with the engine off, and with the engine
on: then a search thinks about each position while the page waits for the click. The page itself
measures, from the click to the next turn or the end of the match. It needs the extra ``web``,
playwright and Debian's chromium.
"""

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.web_server import ARGUMENTS, CHROMIUM, Server

GAMES = ("leduc_poker", "liars_dice", "phantom_ttt", "limit_holdem", "IIGS(6)")
SEARCH = "oos(targeting=ist)"
THINKING = 600  # milliseconds before each click, in which the search begins to think
OPEN = """(game) => new Promise((done) => {
  const socket = new WebSocket(`ws://${location.host}/socket`);
  socket.onopen = () => {
    socket.send(JSON.stringify({ type: "hello" }));
    const players = ["person", "random"];
    socket.send(JSON.stringify({ type: "open", game, players, seconds: 0.05 }));
  };
  socket.onmessage = (event) => {
    const frame = JSON.parse(event.data);
    if (frame.type === "opened") done(`/table/${frame.place}#${frame.token}`);
  };
})"""
CLICK = """() => new Promise((done) => {
  const main = document.querySelector("main");
  const { turn } = main.dataset;
  const place = [...document.querySelectorAll("svg.scene [data-action], .moves-line .move")].pop();
  const began = performance.now();
  const observer = new MutationObserver(() => {
    const { state, turn: now } = main.dataset;
    if (state !== "over" && !(state === "mine" && now !== turn)) return;
    observer.disconnect();
    done(performance.now() - began);
  });
  observer.observe(main, { attributes: true });
  place.dispatchEvent(new MouseEvent("click", { bubbles: true }));
})"""


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=5, help="of each game, off and on")
    asked = parser.parse_args()
    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        server = Server(Path(folder))
        try:
            for is_on in (False, True):
                told = "on " if is_on else "off"
                found = _waits(browser, server, asked.matches, is_on)
                print(f"engine {told}: {_said(found)}")
        finally:
            server.stop()
            browser.close()


def _waits(browser: Any, server: Server, matches: int, is_on: bool) -> list[float]:
    """The milliseconds of each click."""
    context = browser.new_context(base_url=server.address)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto("/")
    state = "on" if is_on else "off"
    page.evaluate(
        f"localStorage.setItem('engine', '{state}'); localStorage.setItem('engine 0', '{SEARCH}')"
    )
    found: list[float] = []
    for game in GAMES:
        for number in range(matches + 1):
            waits = _match(page, game, is_on)
            found += waits if number else []  # the first match compiles
    context.close()
    return found


def _match(page: Any, game: str, is_on: bool) -> list[float]:
    page.goto("/")
    page.goto(page.evaluate(OPEN, game))
    main, waits = page.locator("main"), list[float]()
    page.locator("main[data-state=mine], main[data-state=over]").wait_for()
    while main.get_attribute("data-state") != "over":
        if is_on:
            page.locator(".engine-table tbody tr").first.wait_for()
        page.wait_for_timeout(THINKING)
        waits.append(page.evaluate(CLICK))
    return waits


def _said(milliseconds: list[float]) -> str:
    late = statistics.quantiles(milliseconds, n=20)[-1]
    return (
        f"{len(milliseconds)} clicks, median {statistics.median(milliseconds):.0f} ms, "
        f"95 % within {late:.0f} ms"
    )


if __name__ == "__main__":
    main()
