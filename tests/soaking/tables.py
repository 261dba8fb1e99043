"""Steps at the table in the browser: people play, look on, disappear and come again; servers are
killed, or have no room to write.
"""

import asyncio
import json
import random
import re
import resource
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import websockets
from signals import start

from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.matches.narration import is_noticed
from hiddenhand.web.views import PUBLIC
from soaking.bench import HIDDENHAND, Bench, demand
from soaking.watching import PATIENCE, BreachError, held

_BOTS = ("random", "oos", "ismcts", "random")
_SECONDS = 0.02  # a move of a bot
Frame = dict[str, Any]


class House:
    """A server of tables.

    folder: where it keeps them.
    environment: that of its process.
    """

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self._process: subprocess.Popen[str] | None = None
        self.port = 0
        self.views: dict[tuple[object, ...], str] = {}
        self.compared = 0

    @property
    def process_id(self) -> int:
        """The number of its process; 0 if it has none."""
        return 0 if self._process is None else self._process.pid

    @property
    def tables(self) -> Path:
        """The file of its tables."""
        return self._folder / "tables.sqlite"

    def open(self) -> None:
        """Start it, if it does not run."""
        if self._process is not None:
            return
        self._folder.mkdir(exist_ok=True)
        words = ("serve", "--no-browser", "--port", self.port, "--tables", self.tables)
        with (self._folder / "log").open("a") as log:
            self._process = start(
                [*HIDDENHAND, *words], env=self._environment, stderr=log, start_new_session=True
            )
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
        demand(found is not None, f"the server did not start: {said}{self.log()}")
        assert found is not None
        self.port = int(found[1])

    def end(self, number: signal.Signals) -> None:
        """End it by a signal."""
        if self._process is None:
            return
        demand(self._process.poll() is None, f"the server has ended by itself: {self.log()}")
        self._process.send_signal(number)
        try:
            self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
            raise BreachError(f"the server goes on after {number.name}") from None
        status, self._process = self._process.returncode, None
        right = {0, -number, 128 + number}
        demand(status in right, f"after {number.name}, the server ended with {status}")

    def kill(self) -> None:
        """End it if it still runs."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def close(self) -> None:
        """End it in order, and see what it has said."""
        self.end(signal.SIGTERM)
        demand(not self.log(), f"the log of the server says: {self.log()}")

    def log(self) -> str:
        """The end of what it said on standard error."""
        log = self._folder / "log"
        return log.read_text()[-2000:] if log.exists() else ""

    @asynccontextmanager
    async def page(self, way: Frame | None = None, **more: Any) -> AsyncIterator["Visitor"]:
        """A page: the first one, or the one of a table with the token of a seat.

        more: options of the connection.
        """
        address = f"http://127.0.0.1:{self.port}"
        async with websockets.connect(
            f"ws://127.0.0.1:{self.port}/socket",
            origin=address,  # type: ignore[arg-type]
            max_size=None,
            **more,
        ) as socket:
            page = Visitor(self, socket)
            place = {} if way is None else {"place": way["place"], "token": way["token"]}
            await page.say(type="hello", **place)
            yield page

    def __str__(self) -> str:
        return str(held(self.process_id)) if self.process_id else "not open"


class Visitor:
    """A page at a server.

    house: the server.
    socket: the connection.
    """

    def __init__(self, house: House, socket: Any) -> None:
        self._house, self._socket = house, socket
        self._table: Frame = {}
        self._views: list[str] = []
        self.count = 0

    def abort(self) -> None:
        """Disappear without a word."""
        self._socket.transport.abort()

    async def say(self, **message: Any) -> None:
        """Send a message."""
        await self._socket.send(json.dumps(message))

    async def hear(self) -> Frame:
        """The next frame. Raises BreachError if there is none, or if it tells of a defect."""
        try:
            text = await asyncio.wait_for(self._socket.recv(), PATIENCE)
        except TimeoutError:
            raise BreachError("the server sends nothing any more") from None
        self.count += 1
        frame: Frame = json.loads(text)
        demand("defect" not in frame.get("why", ""), f"the server says: {frame.get('why')}")
        if frame["type"] == "table":
            self._table = frame
        if frame["type"] == "view" and not frame["over"] and text not in self._views[-1:]:
            self._views.append(text)
        return frame

    def compare(self, moves: Sequence[int]) -> None:
        """Compare the views of a match that is over with those of other matches: where a seat
        knows the same, they are equal to the last byte. If the page has not seen all of the match,
        none are compared.
        """
        seat, game = self._table["you"], self._table["game"]
        known = list(_known(game, PUBLIC if seat is None else seat, moves))
        if len(known) != len(self._views):
            return
        for knowledge, text in zip(known, self._views, strict=True):
            key = (game, seat, *knowledge)
            self._house.compared += key in self._house.views
            kept = self._house.views.setdefault(key, text)
            demand(kept == text, f"a view of {game} tells a secret: {kept} is not {text}")

    async def wait(self, *kinds: str) -> Frame:
        """The next frame of one of these kinds. Raises BreachError if the server refuses."""
        while (frame := await self.hear())["type"] not in kinds:
            demand(frame["type"] != "refused", f"the server refuses: {frame.get('why')}")
        return frame

    async def turn(self) -> Frame:
        """The next view in which this page is to move, or the last one."""
        while True:
            view = await self.wait("view", "status")
            demand(view.get("state") != "failed", f"the match failed: {view.get('why')}")
            if view.get("mine") or view.get("over"):
                return view

    async def act(self, view: Frame, chooser: random.Random) -> None:
        """Make any move."""
        action = chooser.choice(view["actions"])["action"]
        await self.say(type="act", turn=view["turn"], action=action)

    async def finish(self, chooser: random.Random, most: int = 10**6) -> Frame:
        """Play on to the end, or for so many moves. Returns the last view."""
        view = await self.turn()
        while not view["over"] and most > 0:
            await self.act(view, chooser)
            most -= 1
            turn = view["turn"]
            while not view["over"] and view["turn"] <= turn:
                view = await self.turn()
        return view


def _known(game: str, onlooker: int, moves: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """What an onlooker knows at each view of a match: a key, and whether it is to move."""
    history = History(as_sequential(load_game(game)))
    yield history.public_key if onlooker == PUBLIC else history.key(onlooker), False
    for move in moves:
        history = history.child(move)
        key = history.public_key if onlooker == PUBLIC else history.key(onlooker)
        if is_noticed(history, onlooker) and not history.is_terminal:
            yield key, False
        if history.player == onlooker:
            yield key, True


# --- the server that lives long ---


def visit(bench: Bench, chooser: random.Random) -> str:
    """Some tables at once: people play, look on, reload their pages, and leave."""
    bench.house.open()
    choosers = [random.Random(chooser.random()) for _ in range(chooser.randint(2, 4))]
    games = [chooser.choice(bench.games) for _ in choosers]
    pairs = zip(games, choosers, strict=True)
    before = bench.house.compared
    frames = _run(_all(*(_table(bench.house, game, own) for game, own in pairs)))
    bench.counts["tables"] += len(games)
    bench.counts["frames"] += sum(frames)
    bench.counts["views compared"] += bench.house.compared - before
    return f"{' '.join(games)}: {sum(frames):,} frames"


async def _all(*work: Awaitable[int]) -> list[int]:
    return list(await asyncio.gather(*work))


async def _table(house: House, game: str, chooser: random.Random) -> int:
    """A match at a new table; returns how many frames its pages got."""
    way = await opened(house, game, chooser.choice(_BOTS))
    looking = asyncio.create_task(_look_on(house, {**way, "token": ""}))
    count = 0
    try:
        while True:
            async with house.page(way) as page:
                may_leave = chooser.random() < 0.5
                view = await page.finish(chooser, chooser.randrange(3) if may_leave else 10**6)
                if view["over"]:
                    await _verify_record(page, game, view)
            count += page.count
            if view["over"]:
                return count + await asyncio.wait_for(looking, PATIENCE)
            if chooser.random() < 0.1:
                return count  # the match goes to sleep for good
    finally:
        looking.cancel()


async def opened(house: House, game: str, *others: str) -> Frame:
    """The way to a new table."""
    async with house.page() as page:
        await page.wait("lobby")
        players = ["person", *others]
        await page.say(type="open", game=game, players=players, seconds=_SECONDS)
        return await page.wait("opened")


async def _look_on(house: House, way: Frame) -> int:
    """Look on to the end; returns how many frames came."""
    async with house.page(way) as page:
        while not (await page.wait("view")).get("over"):
            pass
        await page.say(type="record")
        page.compare((await page.wait("record"))["record"]["moves"])
        return page.count


async def _verify_record(page: Visitor, game: str, view: Frame) -> None:
    """The record has a match by the rules, with the payoffs that were shown. The views tell no
    secret.
    """
    await page.say(type="record")
    record = (await page.wait("record"))["record"]
    page.compare(record["moves"])
    history = History(as_sequential(load_game(game)))
    for move in record["moves"]:
        history = history.child(move)
    demand(history.is_terminal, f"the record of {game} has no end: {record}")
    demand(list(history.returns()) == view["returns"] == record["returns"], f"payoffs: {record}")
    demand(len(record["moves"]) == view["plies"], f"plies: {record}")


# --- servers that live short ---


def killed(bench: Bench, chooser: random.Random) -> str:
    """A match that was shown before its server was killed goes on from there."""
    game = chooser.choice(bench.games)
    house = House(bench.folder, bench.environment)
    house.open()
    way = _run(opened(house, game, "random"))
    log: list[str] = []
    for _ in range(chooser.randint(1, 3)):
        log = _run(_part(house, way, chooser, log))
        number = chooser.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
        house.end(number)
        bench.counts[f"ended by {number.name}"] += 1
        house.open()
        bench.counts["resumed"] += 1
    view = _run(_to_the_end(house, way, game, chooser))
    demand(view["log"][: len(log)] == log or not log, f"{log} was lost: {view['log']}")
    house.close()
    return f"{game}, {view['plies']} moves"


async def _part(house: House, way: Frame, chooser: random.Random, log: list[str]) -> list[str]:
    """Make a move, and return the log that was seen. What was seen before must be in it."""
    async with house.page(way) as page:
        view = await page.turn()
        demand(view["over"] or view["log"][: len(log)] == log, f"{log} was lost: {view['log']}")
        if not view["over"]:
            await page.act(view, chooser)
            if chooser.random() < 0.5:  # else the server is killed while it answers
                view = await page.turn()
        return [] if view["over"] else list(view["log"])


async def _to_the_end(house: House, way: Frame, game: str, chooser: random.Random) -> Frame:
    async with house.page(way) as page:
        view = await page.finish(chooser)
        await _verify_record(page, game, view)
        return view


def full_disk(bench: Bench, chooser: random.Random) -> str:
    """On a full disk the server says what is wrong, lives on, and continues when there is room."""
    game = chooser.choice(bench.games)
    house = House(bench.folder, bench.environment)
    house.open()
    way = _run(opened(house, game, "random"))
    before = _run(_part(house, way, chooser, []))
    _limit(house, 1)
    refusal = _run(_blocked(house, way, chooser))
    demand("cannot be written" in refusal, f"on a full disk the server says: {refusal}")
    _limit(house, resource.RLIM_INFINITY)
    _run(_part(house, way, chooser, before))
    _run(_to_the_end(house, way, game, chooser))
    house.close()
    return f"{game}: {refusal}"


def _limit(house: House, size: int) -> None:
    """Let no file of a server grow beyond so many bytes."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.prlimit(house.process_id, resource.RLIMIT_FSIZE, (size, hard))


async def _blocked(house: House, way: Frame, chooser: random.Random) -> str:
    """What the server says when it cannot write: about a new table, or about the next move."""
    async with house.page() as page:
        await page.wait("lobby")
        await page.say(type="open", game="kuhn_poker", players=["person", "random"], seconds=1.0)
        refused = await page.hear()
        while refused["type"] != "refused":
            demand(refused["type"] != "opened", "a table opened though nothing could be written")
            refused = await page.hear()
    async with house.page(way) as page:
        while True:
            frame = await page.hear()
            if frame["type"] == "status" and frame["state"] == "failed":
                return str(frame["why"])
            if frame["type"] == "view" and frame["over"]:
                return str(refused["why"])
            if frame["type"] == "view" and frame["mine"]:
                await page.act(frame, chooser)


def no_place(bench: Bench, chooser: random.Random) -> str:
    """A server that cannot keep its tables says so, and how to help it; so does a second one."""
    house = House(bench.folder, bench.environment)
    house.open()
    nowhere = {"HOME": "/proc/nowhere", "XDG_STATE_HOME": ""}
    serve = ("serve", "--no-browser", "--port", 0)
    said = [
        bench.refusal(*serve, **nowhere),
        bench.refusal(*serve, "--tables", house.tables),
        bench.refusal("serve", "--no-browser", "--port", house.port),
    ]
    for text, cure in zip(said, ("--tables", "in use by another server", "--port 0"), strict=True):
        demand(cure in text, f"a server that cannot start says: {text}")
    _run(opened(house, "kuhn_poker", "random"))  # the first one still answers
    house.close()
    return said[0]


def _run(work: Any) -> Any:
    return asyncio.run(work)
