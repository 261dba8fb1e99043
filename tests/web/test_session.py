"""A page that reads too little of what it is sent."""

import asyncio
import json
import math
import socket
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the table in the browser needs hiddenhand[web]")

from hiddenhand.web.serving import open_port
from hiddenhand.web.session import Session

MEGABYTE = {"type": "film", "text": "x" * 2**20}


class Deaf:
    """A connection whose page reads so many frames, and no more."""

    def __init__(self, reads: int, says: list[str]) -> None:
        self.reads, self.says = reads, says
        self.sent: list[str] = []

    async def accept(self) -> None:
        pass

    async def receive(self) -> dict[str, Any]:
        if not self.says:
            await asyncio.Event().wait()
        return {"type": "websocket.receive", "text": self.says.pop(0)}

    async def send_text(self, text: str) -> None:
        if len(self.sent) == self.reads:
            await asyncio.Event().wait()
        self.sent.append(text)


class LeftDesk:
    """A handler that answers each message with some frames."""

    def __init__(self, session: Session, frames: int) -> None:
        self.session, self.frames = session, frames
        self.has_left = False

    def do(self, message: dict[str, Any]) -> None:
        for _ in range(self.frames):
            self.session.send(MEGABYTE)

    def leave(self) -> None:
        self.has_left = True


async def served(page: Deaf, frames: int) -> tuple[Session, LeftDesk, "asyncio.Task[None]"]:
    session = Session(page, lambda: None)  # type: ignore[arg-type]
    session._handler = handler = LeftDesk(session, frames)
    return session, handler, asyncio.create_task(session.run())


def test_a_page_that_never_reads_is_left() -> None:
    async def run() -> None:
        page = Deaf(reads=0, says=['{"type":"film","seat":0}'] * 5)
        session, handler, task = await served(page, 2)
        await task  # else the test would wait for ever
        assert handler.has_left
        assert page.sent == []
        assert session._waiting < 2**21
        session.send(MEGABYTE)  # of a table that does not know yet
        await asyncio.sleep(0)
        assert session._waiting < 2**21

    asyncio.run(run())


def test_a_page_that_reads_gets_all() -> None:
    async def run() -> None:
        page = Deaf(reads=20, says=['{"type":"film","seat":0}'] * 20)
        session, handler, task = await served(page, 1)
        while len(page.sent) < 20:
            await asyncio.sleep(0)
        assert not task.done()
        session.send({"type": "film", "text": "x" * 2**23})  # alone, a frame may be of any length
        while session._waiting == 0:
            await asyncio.sleep(0)
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert handler.has_left

    asyncio.run(run())


def test_a_frame_that_json_refuses_does_not_end_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def run() -> list[dict[str, Any]]:
        page = Deaf(reads=20, says=[])
        session, _, task = await served(page, 0)
        session.send({"type": "thought", "ev": [1.0, math.nan]})
        session.send({"type": "thought", "ev": [math.inf]})  # the page is told once
        session.send({"type": "bot", "policy": {1, 2}})
        session.send({"type": "thought", "ev": [0.5]})
        while len(page.sent) < 3:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert session._waiting == 0
        return [json.loads(text) for text in page.sent]

    thought, bot, last = asyncio.run(run())
    assert (thought["type"], bot["type"]) == ("refused", "refused")
    assert "'thought'" in thought["why"]
    assert "'bot'" in bot["why"]
    assert last == {"type": "thought", "ev": [0.5]}
    assert [record.name for record in caplog.records] == ["hiddenhand.web"] * 2


def test_answers_wait_for_nothing() -> None:
    """With Nagle's algorithm, the second part of an answer waits until the first has arrived."""

    async def sends_at_once() -> int:
        found = list[int]()

        def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            wire = writer.get_extra_info("socket")
            found.append(wire.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with open_port("127.0.0.1", 0) as opened:
            async with await asyncio.start_server(accepted, sock=opened):
                reader, writer = await asyncio.open_connection(*opened.getsockname())
                await reader.read()  # until the other side closes
                writer.close()
        return found[0]

    assert asyncio.run(sends_at_once()) != 0


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux has this option")
def test_connections_that_read_nothing_end_after_a_minute() -> None:
    with open_port("127.0.0.1", 0) as opened:
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 60_000
        with socket.create_connection(opened.getsockname()):
            accepted, _ = opened.accept()
            with accepted:
                found = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
                assert found == 60_000
