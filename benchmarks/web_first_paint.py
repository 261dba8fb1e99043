"""How soon the start page shows something, and how many bytes it takes.

    python -m benchmarks.web_first_paint              # some twenty seconds; prints, keeps nothing
    python -m benchmarks.web_first_paint --visits 20

Chromium opens the start page again and again with an empty cache, and then once more with what it
has kept. The first contentful paint counts from the begin of the navigation. Bytes are those that
the server sends, compressed, with headers; pictures are apart, because they come after the text. It
needs the extra ``web``, playwright and Debian's chromium.
"""

import argparse
import statistics
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks.web_server import ARGUMENTS, CHROMIUM, Server

MOST_SECONDS: Final = 0.5
MOST_BYTES: Final = 60_000
PAINT: Final = """() => new Promise((done) => new PerformanceObserver((list) => {
  const first = list.getEntriesByName("first-contentful-paint")[0];
  if (first) done(first.startTime / 1000);
}).observe({ type: "paint", buffered: true }))"""
SENT: Final = """() => {
  const entries = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
  return entries.map((one) => [new URL(one.name).pathname, one.transferSize]);
}"""


def main() -> None:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=10, help="with an empty cache")
    asked = parser.parse_args()
    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        server = Server(Path(folder))
        try:
            _visit(browser, server)  # the server imports and draws on its first visit
            visits = [_visit(browser, server) for _ in range(asked.visits)]
        finally:
            server.stop()
            browser.close()
    _tell("empty cache", [seconds for seconds, _, _ in visits])
    _tell("kept cache", [seconds for _, seconds, _ in visits])
    sent = visits[-1][2]
    page = sum(size for path, size in sent if path != "/picture")
    print(f"page: {page:,} bytes, at most {MOST_BYTES:,}: {_met(page <= MOST_BYTES)}")
    print(f"pictures: {sum(size for path, size in sent if path == '/picture'):,} bytes")
    for path, size in sorted(sent, key=lambda one: -one[1])[:5]:
        print(f"  {size:,} {path}")


def _visit(browser: Any, server: Server) -> tuple[float, float, list[tuple[str, int]]]:
    """The seconds until the first paint with an empty cache and with what was kept, and the bytes
    of each path of the first time.
    """
    context = browser.new_context(base_url=server.address)
    page = context.new_page()
    page.goto("/", wait_until="networkidle")
    first = page.evaluate(PAINT)
    sent = [(path, size) for path, size in page.evaluate(SENT)]
    page.goto("/", wait_until="networkidle")
    again = page.evaluate(PAINT)
    context.close()
    return first, again, sent


def _tell(cache: str, seconds: list[float]) -> None:
    middle = statistics.median(seconds)
    print(
        f"first paint, {cache}: median {middle:.3f} s, {min(seconds):.3f} to {max(seconds):.3f} s "
        f"in {len(seconds)} visits, at most {MOST_SECONDS} s: {_met(middle <= MOST_SECONDS)}"
    )


def _met(is_met: bool) -> str:
    return "met" if is_met else "not met"


if __name__ == "__main__":
    main()
