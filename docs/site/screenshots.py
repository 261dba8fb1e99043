"""The pictures of the table in the browser, for the documentation and the README.

    python -m docs.site.screenshots [NAME ...]

starts a server, visits its pages with Chromium, and writes ``docs/pictures/web-NAME.png``: all of
them by default. It needs the extra ``web``, playwright, Debian's chromium, and Pillow, which makes
the files small.
"""

import io
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.web_server import ARGUMENTS, CHROMIUM, Server
from docs.site.links import ROOT

from hiddenhand.web.catalogue import loaded
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.setup import PERSON, Seat, Setup
from hiddenhand.web.store import Store

PICTURES: Final = ROOT / "docs" / "pictures"
PATIENCE: Final = 300_000  # milliseconds: searches may have to be compiled
FREQUENT: Final = 150
"""The most frequent colours of a picture, which are kept as they are."""
SELDOM: Final = 100
"""The colours for all others."""
FRAME: Final = 5_500  # milliseconds until the film of the start page shows a belief
_BEGIN_FILM: Final = "() => { const film = document.querySelector('.film img'); film.src += '?'; }"
THINKING: Final = 6_000  # milliseconds that an engine thinks before the picture
TOKEN: Final = "a-seat"


@dataclass(frozen=True)
class Match:
    """A match that a picture shows. moves: those made so far, with those of chance."""

    game: str
    bot: str
    moves: tuple[int, ...]
    is_over: bool = False


LEDUC: Final = Match("leduc_poker", "equilibrium", (2, 1, 1, 2, 1, 0))
"""King against queen: check, bet, call; then a jack on the table."""
FOLDED: Final = Match("leduc_poker", "equilibrium", (2, 1, 1, 2, 0), is_over=True)
"""A king that folds after a bet."""
BLIND: Final = Match("phantom_ttt", "auto", (4, 6, 0, 8, 8))
"""Phantom Tic-Tac-Toe: the crosses on b2 and a1 have just tried c3 in vain."""
RAISED: Final = Match("limit_holdem", "auto", (45, 50, 20, 34, 2))
"""Hold'em: against K♦ A♥ the other has raised before the flop."""
MATCHES: Final = {"leduc": LEDUC, "folded": FOLDED, "blind": BLIND, "raised": RAISED}


class Visit:
    """A visit to the server.

    browser: Chromium.
    address: the server's.
    tables: the address of the table of each match, by the names of `MATCHES`.
    """

    def __init__(self, browser: Any, address: str, tables: dict[str, str]) -> None:
        self._browser, self._address, self._tables = browser, address, tables

    def page(self, path: str, width: int = 1280, height: int = 860, **options: Any) -> Any:
        """A new page of this size, at an address of the server or at the table of a match."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, reduced_motion="no-preference", **options
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(self._address + self._tables.get(path, path))
        return page


def start(visit: Visit) -> Any:
    """The start page, in the middle of its film."""
    return _started(visit.page("/"))


def start_phone(visit: Visit) -> Any:
    """The games on a telephone, dark."""
    page = _started(visit.page("/", 390, 800, **_PHONE))
    page.get_by_role("heading", name="Games", exact=True).scroll_into_view_if_needed()
    page.evaluate("window.scrollTo(0, document.querySelector('.shelf').offsetTop - 12)")
    page.wait_for_timeout(500)
    return page


def setup(visit: Visit) -> Any:
    """The set-up of a table, with the parameters of a search."""
    page = _started(visit.page("/", 1280, 900))
    page.get_by_role("button", name="Set up Leduc poker").click()
    seat = page.get_by_role("dialog").get_by_role("group", name="Seat 2", exact=True)
    seat.get_by_role("radio", name="Custom").check()
    page.wait_for_function("() => document.querySelectorAll('dialog select option').length > 5")
    seat.get_by_label("Search in seat 2").select_option("oos")
    seat.locator("summary").click()
    page.wait_for_timeout(300)
    return page


def table(visit: Visit) -> Any:
    """Leduc poker, with the engine on."""
    page = visit.page("leduc", 1280, 860)
    _think(page, "oos(targeting=ist)")
    page.get_by_text("How it got there").click()
    page.wait_for_timeout(500)
    return page


def belief(visit: Visit) -> Any:
    """Phantom Tic-Tac-Toe, with the belief of the engine on the board."""
    page = visit.page("blind", 1280, 860)
    _think(page, "oos(targeting=ist)")
    return page


def pairs(visit: Visit) -> Any:
    """Hold'em, with the grid of the hands that the other may hold."""
    page = visit.page("raised", 1280, 800)
    _think(page, "oos(targeting=ist)")
    return page


def phone(visit: Visit) -> Any:
    """The same on a telephone, dark."""
    page = visit.page("blind", 390, 800, **_PHONE)
    _think(page, "oos(targeting=ist)")
    page.evaluate("window.scrollTo(0, 0)")
    page.wait_for_timeout(300)
    return page


def review(visit: Visit) -> Any:
    """The review of a match."""
    page = visit.page("folded", 1200, 900)
    page.get_by_role("heading", name="Blunder: you fold").wait_for()
    page.get_by_role("heading", name="Equilibrium by hand").wait_for()
    page.wait_for_timeout(500)
    return page


def lab(visit: Visit) -> Any:
    """Convergence on Leduc poker: CFR+, OOS and Smooth UCT."""
    page = visit.page("/lab", 1200, 760)
    page.get_by_label("Seconds for each").fill("10")
    page.get_by_role("button", name="Begin").click()
    page.locator(".found [role=status]", has_text="done").wait_for()
    return page


SCREENS: Final[dict[str, Callable[[Visit], Any]]] = {
    "start": start,
    "start-phone": start_phone,
    "setup": setup,
    "table": table,
    "belief": belief,
    "pairs": pairs,
    "phone": phone,
    "review": review,
    "lab": lab,
}
"""What makes each page ready for its picture."""
_WHOLE: Final = ("lab",)  # pictures of whole pages, also of what lies below the window
_PHONE: Final[dict[str, Any]] = {
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
    "color_scheme": "dark",
}


def main(*names: str) -> None:
    """Write the pictures with these names, or all."""
    from playwright.sync_api import sync_playwright

    if unknown := set(names) - set(SCREENS):
        raise SystemExit(
            f"there is no picture {unknown.pop()!r}; choose from: {', '.join(SCREENS)}"
        )
    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        tables = _tables(Path(folder))
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        server = Server(Path(folder))
        try:
            visit = Visit(browser, server.address, tables)
            for name in names or SCREENS:
                page = SCREENS[name](visit)
                shot = page.screenshot(full_page=name in _WHOLE)
                (PICTURES / f"web-{name}.png").write_bytes(_small(shot))
                page.context.close()
        finally:
            server.stop()
            browser.close()


def _tables(folder: Path) -> dict[str, str]:
    """Open the tables of `MATCHES` in the file of a server that does not run yet. Returns the
    address of each.
    """
    lobby = Lobby(Store(folder / "tables.sqlite"))
    addresses = {}
    for name, match in MATCHES.items():
        seats = (Seat(PERSON, TOKEN), Seat(match.bot))
        made = Setup(match.game, seats, 1.0, 0, 0)
        opened = lobby.opened(made, loaded(match.game), match.moves, is_over=match.is_over)
        addresses[name] = f"/table/{opened.place}#{TOKEN}"
    lobby.close()
    return addresses


def _started(page: Any) -> Any:
    """The start page, once its film shows a belief."""
    page.locator(".game").first.wait_for()
    page.wait_for_function("() => [...document.images].slice(0, 6).every((img) => img.complete)")
    page.evaluate(_BEGIN_FILM)
    page.wait_for_timeout(FRAME)
    return page


def _think(page: Any, engine: str) -> None:
    """Let an engine think for a while, and show its belief on the board."""
    page.locator("main[data-state=mine]").wait_for()
    page.get_by_role("switch", name="Engine").click()
    page.get_by_label("Search", exact=True).select_option(engine)
    page.get_by_text(re.compile("^(steady|still moving|too few)")).first.wait_for()
    page.get_by_role("button", name="Belief").click()
    page.wait_for_timeout(THINKING)


def _small(png: bytes) -> bytes:
    """The picture with few colours: the most frequent ones as they are, so that flat areas stay
    flat, and some for all others.
    """
    from PIL import Image

    kept = io.BytesIO()
    with Image.open(io.BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    counted = sorted(picture.getcolors(picture.width * picture.height), reverse=True)
    colours = [colour for _, colour in counted]
    palette = [part for colour in colours[:FREQUENT] for part in colour]
    if seldom := colours[FREQUENT:]:
        strip = Image.new("RGB", (len(seldom), 1))
        strip.putdata(seldom)
        spread = strip.quantize(SELDOM, Image.Quantize.MAXCOVERAGE)
        palette += spread.getpalette()[: 3 * SELDOM]
    holder = Image.new("P", (1, 1))
    holder.putpalette(palette)
    few = picture.quantize(palette=holder, dither=Image.Dither.NONE)
    few.save(kept, "PNG", optimize=True)
    return kept.getvalue()


if __name__ == "__main__":
    main(*sys.argv[1:])
