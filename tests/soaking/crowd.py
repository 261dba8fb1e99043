"""A crowd at a server of tables: people who play and look on, pages that never read what they
are sent, pages that come and go, and messages that are too large. What counts is that the server
answers the others all the time, that its memory stays, and that no match is lost.
"""

import asyncio
import os
import random
import shutil
import signal
import socket
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import websockets

from hiddenhand.jit.cache import cache_root
from soaking.bench import demand, environment
from soaking.tables import Frame, House, _verify_record, opened
from soaking.watching import BreachError, held

_PLAYERS, _LOOKERS, _BOT_TABLES, _DEAF = 60, 2, 10, 20
"""Tables at which a person plays, the pages that look on at each, tables of bots, and pages that
never read.
"""
_PAUSE = 3.0  # seconds at most before a move, and between two questions of a page that never reads
_STORM = 60  # pages that come and go at once
_LARGE = 10 * 2**20  # characters of a message that is too large
_GROWTH = 1.15, 40.0
"""How much more memory than after a quarter of the time is right: a factor, and MiB besides."""
_CLOSED = (websockets.ConnectionClosed, websockets.InvalidHandshake, OSError, TimeoutError)


class Crowd:
    """A crowd for some time.

    seed: what is drawn from.
    size: how large it is, as a part of 200 connections.
    say: takes each line.
    """

    def __init__(self, seed: int, size: float = 1.0, say: Callable[[str], object] = print) -> None:
        self._seed, self._size, self._say = seed, size, say
        self._folder = Path(tempfile.mkdtemp(prefix="hiddenhand-crowd-"))
        (self._folder / "tmp").mkdir()
        own = environment(self._folder, self._folder.name, cache_root())
        self.house = House(self._folder / "house", own)
        self.counts: Counter[str] = Counter()
        self.breaches: list[str] = []
        self._latencies: list[float] = []
        self._memory: list[float] = []
        self._seats: dict[str, tuple[Frame, list[str]]] = {}
        self._connected = self._most = 0

    def run(self, seconds: float) -> None:
        """Let them come, and see afterwards what is left, also after a kill."""
        self.house.open()
        try:
            asyncio.run(self._run(seconds))
            self.house.end(signal.SIGKILL)
            self.house.open()
            asyncio.run(self._verify_kept())
            self.house.close()
        except BreachError as breach:
            self.breaches.append(str(breach))
        self.house.kill()
        shutil.rmtree(self._folder)

    def summary(self) -> list[str]:
        """What was done, in lines."""
        done = ", ".join(f"{count:,} {what}" for what, count in sorted(self.counts.items()))
        lines = [f"at most {self._most} connections at once; {done}"]
        if self._memory:
            begin, later = self._memory[0], self._memory[len(self._memory) // 4]
            lines.append(
                f"memory of the server: {begin:.0f} MiB at the beginning, {later:.0f} after a "
                f"quarter, {self._memory[-1]:.0f} at the end, peak {max(self._memory):.0f}"
            )
        if len(self._latencies) > 1:
            parts = statistics.quantiles(self._latencies, n=100)
            lines.append(
                f"from a click to its view: median {1000 * parts[49]:.0f} ms, 95 % within "
                f"{1000 * parts[94]:.0f} ms, 99 % within {1000 * parts[98]:.0f} ms, all within "
                f"{1000 * max(self._latencies):.0f} ms"
            )
        return [*lines, f"breaches: {len(self.breaches)}", *self.breaches]

    # --- the crowd ---

    async def _run(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        count = _scaled(_PLAYERS, self._size)
        chooser = random.Random(self._seed)
        tasks = [self._again_and_again(self._plays, chooser, until) for _ in range(count)]
        bots = _scaled(_BOT_TABLES, self._size)
        tasks += [self._again_and_again(self._watches_bots, chooser, until) for _ in range(bots)]
        deaf = _scaled(_DEAF, self._size)
        tasks += [self._again_and_again(self._is_deaf, chooser, until) for _ in range(deaf)]
        for kind in (self._storms, self._sends_too_much):
            tasks.append(self._again_and_again(kind, chooser, until))
        await asyncio.gather(self._census(until), *tasks)

    async def _again_and_again(
        self,
        what: Callable[[random.Random, float], Awaitable[None]],
        of: random.Random,
        until: float,
    ) -> None:
        """Do something until the time is over. A server that refuses a page is asked again."""
        chooser = random.Random(of.random())
        await asyncio.sleep(5.0 * chooser.random() * min(1.0, self._size))
        while time.monotonic() < until:
            try:
                await what(chooser, until)
            except _CLOSED:
                self.counts["refused or closed"] += 1
                await asyncio.sleep(1.0 + chooser.random())
            except BreachError as breach:
                self.breaches.append(str(breach))
                return

    async def _census(self, until: float) -> None:
        """Note once a second what the server holds. Growth counts from the first click on that was
        answered: until then the server loads what it needs, for as long as the machine takes.
        """
        began = 0
        while time.monotonic() < until:
            now = held(self.house.process_id)
            began = began if self._latencies else len(self._memory)
            self._memory.append(now.memory)
            if len(self._memory) % 30 == 1:
                clicks = f"{len(self._latencies):,} clicks"
                self._say(
                    f"{len(self._memory):5} s, {self._connected} connections, {clicks}: {now}"
                )
            await asyncio.sleep(1.0)
        factor, more = _GROWTH
        since = self._memory[began:]
        allowed = factor * since[len(since) // 4] + more
        if self._memory[-1] > allowed:
            grown = f"{self._memory[-1]:.0f} MiB, of which at most {allowed:.0f} are right"
            self.breaches.append(f"the memory of the server grows to {grown}")

    # --- what its people do ---

    async def _plays(self, chooser: random.Random, until: float) -> None:
        """A match against a bot, while others look on."""
        game = chooser.choice(("kuhn_poker", "leduc_poker", "LD(1,1,3)"))
        way = await opened(self.house, game, chooser.choice(("random", "random", "oos")))
        looking = [
            asyncio.create_task(self._looks_on({**way, "token": ""})) for _ in range(_LOOKERS)
        ]
        try:
            async with self._page(way) as page:
                view = await page.turn()
                while not view["over"] and time.monotonic() < until:
                    await asyncio.sleep(_PAUSE * chooser.random())
                    clicked, turn = time.monotonic(), view["turn"]
                    await page.act(view, chooser)
                    while not view["over"] and view["turn"] <= turn:
                        view = await page.wait("view")
                    self._latencies.append(time.monotonic() - clicked)
                    self._seats[way["place"]] = way, list(view["log"]) if not view["over"] else []
                    while not (view.get("mine") or view.get("over")):
                        view = await page.turn()
                if view["over"]:
                    await _verify_record(page, game, view)
                    self.counts["matches"] += 1
                    del self._seats[way["place"]]
                self.counts["frames"] += page.count
        finally:
            for task in looking:
                task.cancel()

    async def _looks_on(self, way: Frame) -> None:
        with suppress(*_CLOSED):
            async with self._page(way) as page:
                while not (await page.wait("view")).get("over"):
                    pass
                self.counts["frames"] += page.count

    async def _watches_bots(self, chooser: random.Random, until: float) -> None:
        """A table of bots that somebody sees all of."""
        async with self._page() as page:
            await page.wait("lobby")
            await page.say(type="open", game="leduc_poker", players=["oos", "random"], seconds=0.05)
            way = await page.wait("opened")
        async with self._page(way) as page:
            while not (await page.wait("view")).get("over"):
                pass
            self.counts["frames"] += page.count
            self.counts["matches of bots"] += 1
        await asyncio.sleep(chooser.random())

    async def _is_deaf(self, chooser: random.Random, until: float) -> None:
        """A page that asks and asks, and reads nothing. At last the server leaves it."""
        way = await opened(self.house, "IIGS(8)", "random")  # its film has 110 KB
        async with self._page(way) as page:
            await page.finish(chooser)
            self.counts["frames"] += page.count
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        narrow.connect(("127.0.0.1", self.house.port))
        async with self._page(way, max_queue=1, sock=narrow, ping_interval=None) as page:
            self.counts["pages that never read"] += 1
            for _ in range(100):
                try:
                    await asyncio.wait_for(page.say(type="film", seat=-6), 30.0)
                except websockets.ConnectionClosed:
                    self.counts["pages left that never read"] += 1
                    return
                self.counts["films that nobody reads"] += 1
                await asyncio.sleep(_PAUSE)
                if time.monotonic() > until:
                    break
            page.abort()

    async def _storms(self, chooser: random.Random, until: float) -> None:
        """Many pages come at once and go at once, some in the middle of a word."""
        await asyncio.sleep(10.0 * self._size * chooser.random())

        async def comes() -> None:
            with suppress(*_CLOSED):
                async with self._page() as page:
                    self.counts["pages that come and go"] += 1
                    if chooser.random() < 0.5:
                        page.abort()
                    else:
                        await page.wait("lobby")

        await asyncio.gather(*(comes() for _ in range(_scaled(_STORM, self._size))))

    async def _sends_too_much(self, chooser: random.Random, until: float) -> None:
        """A message of 10 MB, and bytes that are none of the protocol."""
        with suppress(*_CLOSED):
            async with self._page() as page:
                self.counts["messages of 10 MB"] += 1
                await page.say(type="type", turn=0, text="x" * _LARGE)
                while True:
                    await page.hear()
        reader, writer = await asyncio.open_connection("127.0.0.1", self.house.port)
        self.counts["noise"] += 1
        writer.write(os.urandom(5000))
        with suppress(*_CLOSED):
            await asyncio.wait_for(reader.read(), 5.0)
        writer.close()
        await asyncio.sleep(5.0 * self._size)

    # --- afterwards ---

    async def _verify_kept(self) -> None:
        """Matches that were not over are there, with all that was shown of them."""
        for way, log in list(self._seats.values())[:50]:
            async with self._page(way) as page:
                view = await page.turn()
                demand(view["log"][: len(log)] == log, f"{log} was lost: {view['log']}")
                self.counts["matches kept over a kill"] += 1

    def _page(self, way: Frame | None = None, **more: Any) -> Any:
        return _Counted(self, self.house.page(way, **more))


class _Counted:
    """A page that is counted while it is open."""

    def __init__(self, crowd: Crowd, page: Any) -> None:
        self._crowd, self._page = crowd, page

    async def __aenter__(self) -> Any:
        page = await self._page.__aenter__()
        self._crowd._connected += 1
        self._crowd._most = max(self._crowd._most, self._crowd._connected)
        return page

    async def __aexit__(self, *error: Any) -> Any:
        self._crowd._connected -= 1
        return await self._page.__aexit__(*error)


def _scaled(count: int, size: float) -> int:
    return max(1, round(count * size))


def main(seed: int, minutes: float, say: Callable[[str], object]) -> int:
    """Run a crowd, say what it did, and return the exit status."""
    crowd = Crowd(seed, say=say)
    crowd.run(60.0 * minutes)
    for line in crowd.summary():
        say(line)
    return int(bool(crowd.breaches))
