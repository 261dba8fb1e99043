"""How quickly the table in the browser answers when many sit at it.

    python -m benchmarks.web             # some two minutes; keeps results/web.json
    python -m benchmarks.web --tables 10 --seconds 10

One server, 50 tables of Leduc poker, at each a page and a bot that thinks for 0.1 seconds a move.
Each page plays as soon as it is its turn, so that about all bots want to think all the time. What
counts is the time from a click to the frame that shows the own move. Pages are a program on the
same machine, which takes its part of the processor.

Before that a first hand is played, by somebody who loses no time: from the start of the server to
the end of a match of the first game on the start page. It is measured with an empty cache of
compiled code, and again with what is then in the cache.
"""

import argparse
import asyncio
import json
import os
import platform
import statistics
import tempfile
import textwrap
import time
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.kept import Kept, write_section
from benchmarks.web_server import Server

KEPT = Kept.of(__file__)
GAME, BOT = "leduc_poker", "oos(targeting=ist)"
THINKING = 0.1  # seconds a move
PATIENCE = 30.0  # seconds without a frame, after which something is wrong


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        first_hands = [_first_hand(Path(folder), cache) for _ in range(2)]
        began = time.perf_counter()
        server = Server(Path(folder))
        try:
            first_page = _first_page(server, began)
            found = asyncio.run(_load(server, asked.tables, asked.seconds))
        finally:
            server.stop()
    found = {
        "first_page_seconds": first_page,
        "first_hand_seconds_empty_cache": first_hands[0],
        "first_hand_seconds": first_hands[1],
        **found,
        "machine": _machine(),
    }
    print(json.dumps(found, indent=1))
    KEPT.write(found)
    write_section("docs/web.md", "measured", [told(found)])


def told(found: dict[str, Any]) -> str:
    """The measurement in words, for the page."""
    return textwrap.fill(
        f"`python -m benchmarks.web` plays at {found['tables']} tables of {found['game']} at once "
        f"against `{found['bot']}` with {found['thinking_seconds']:g} s a move, on "
        f"{found['machine']['processors']} processors. In {found['seconds']:g} s there were "
        f"{found['clicks']:,} clicks. Half of them were answered within "
        f"{1000 * found['latency_median']:.0f} ms, 95 % within "
        f"{1000 * found['latency_95']:.0f} ms, and all within "
        f"{1000 * found['latency_max']:.0f} ms. The server held "
        f"{found['memory_after_mib']:.0f} MiB. Its first page was there "
        f"{found['first_page_seconds']:.1f} s after it was started. A first hand, by a player who "
        f"loses no time, was over after {found['first_hand_seconds']:.1f} s; with an empty cache "
        f"of compiled code, after {found['first_hand_seconds_empty_cache']:.1f} s. The load of the "
        f"machine was {found['load_of_the_machine']:.1f} meanwhile, other programs included; the "
        f"server took {found['server_processor_seconds']:.0f} s of processor time.",
        118,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _first_page(server: Server, began: float) -> float:
    """Seconds from the start of the process until its first page is there."""
    with urllib.request.urlopen(server.address) as answer:
        answer.read()
    return time.perf_counter() - began


def _first_hand(folder: Path, cache: Path) -> float:
    """Seconds from the start of the process to the end of a first match."""
    began = time.perf_counter()
    server = Server(folder, cache=cache)
    try:
        asyncio.run(_newcomer(server))
        return time.perf_counter() - began
    finally:
        server.stop()


async def _newcomer(server: Server) -> None:
    """Play the first game of the start page once."""
    async with _connected(server) as page:
        await _say(page, type="hello")
        game = (await _answer(page, "lobby"))["games"][0]
        others = [game["against"]] * (game["players"] - 1)
        await _say(page, type="open", game=game["game"], players=["person", *others], seconds=1.0)
        way = await _answer(page, "opened")
    if await _match(server, way, time.perf_counter() + 600.0, []) is None:
        raise SystemExit("the first match did not come to its end")


async def _answer(page: Any, kind: str) -> dict[str, Any]:
    """The next frame of a kind."""
    while (frame := json.loads(await page.recv()))["type"] != kind:
        if frame["type"] == "refused":
            raise SystemExit(frame["why"])
    return dict(frame)


async def _load(server: Server, tables: int, seconds: float) -> dict[str, Any]:
    """Play at many tables at once."""
    before = _memory(server)
    await _play(server, time.perf_counter() + 1.0)  # compiles, or loads, what the bot needs
    until = time.perf_counter() + seconds
    played = await asyncio.gather(*(_play(server, until) for _ in range(tables)))
    clicks = sorted(latency for latencies, _ in played for latency in latencies)
    percentiles = statistics.quantiles(clicks, n=100)
    return {
        "tables": tables,
        "seconds": seconds,
        "thinking_seconds": THINKING,
        "game": GAME,
        "bot": BOT,
        "clicks": len(clicks),
        "matches": sum(matches for _, matches in played),
        "latency_median": percentiles[49],
        "latency_95": percentiles[94],
        "latency_99": percentiles[98],
        "latency_max": clicks[-1],
        "memory_before_mib": before,
        "memory_after_mib": _memory(server),
        "server_processor_seconds": _processor_seconds(server),
        "load_of_the_machine": os.getloadavg()[0],
    }


async def _play(server: Server, until: float) -> tuple[list[float], int]:
    """Match after match until it is time; returns the latency of each click, and the matches."""
    way: dict[str, Any] | None = await _opened(server)
    latencies: list[float] = []
    matches = 0
    while way is not None:
        way = await _match(server, way, until, latencies)
        matches += way is not None
    return latencies, matches


async def _match(
    server: Server, way: dict[str, Any], until: float, latencies: list[float]
) -> dict[str, Any] | None:
    """One match; returns the way to the next one, or None if it is time to end."""
    async with _connected(server) as page:
        await _say(page, type="hello", place=way["place"], token=way["token"])
        clicked = None
        while time.perf_counter() < until:
            frame = json.loads(await asyncio.wait_for(page.recv(), PATIENCE))
            if frame["type"] == "opened":
                return dict(frame)
            if frame["type"] == "refused" or frame.get("state") == "failed":
                raise SystemExit(frame["why"])
            if frame["type"] != "view":
                continue
            if clicked is not None and frame["turn"] > clicked[0]:
                latencies.append(time.perf_counter() - clicked[1])
                clicked = None
            if frame["over"]:
                await _say(page, type="again")
            elif frame["mine"] and clicked is None:
                clicked = frame["turn"], time.perf_counter()
                action = frame["actions"][-1]["action"]
                await _say(page, type="act", turn=frame["turn"], action=action)
    return None


async def _opened(server: Server) -> dict[str, Any]:
    """The way to a new table."""
    async with _connected(server) as page:
        await _say(page, type="hello")
        await _say(page, type="open", game=GAME, players=["person", BOT], seconds=THINKING)
        return await _answer(page, "opened")


def _connected(server: Server) -> Any:
    import websockets

    address = f"ws://127.0.0.1:{server.port}/socket"
    return websockets.connect(address, origin=server.address, max_size=None)  # type: ignore[arg-type]


async def _say(page: Any, **message: Any) -> None:
    await page.send(json.dumps(message))


def _memory(server: Server) -> float:
    """MiB of memory that the server holds."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def _processor_seconds(server: Server) -> float:
    """Processor time that the server took so far: on a busy machine, less than it wanted."""
    words = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def _machine() -> dict[str, Any]:
    return {"processors": os.cpu_count(), "python": platform.python_version()}


if __name__ == "__main__":
    main()
