"""One page: a WebSocket from its first message to its end.

The first message says hello: to the start page, or to a table, with the token of a seat. The
session answers the messages of its page one by one in another thread, so the server always has time
for the other pages.
"""

import asyncio
from collections.abc import Callable
from logging import getLogger
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from hiddenhand import clock
from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.web.messages import Message, Plain, read_message, written

_MESSAGES_A_SECOND: Final = 20.0
_BURST: Final = 60.0
_REFUSALS: Final = 100  # messages too many or not valid, until the session ends
_WAITING: Final = 2**21  # characters of frames that may wait for a page, besides one frame
_POLICY: Final = 1008  # a code of the WebSocket protocol
_CLOSED: Final = (WebSocketDisconnect, RuntimeError)
"""What Starlette raises if a page has closed."""


class Rate:
    """A limit on how often something may happen.

    often: the number of times a second, in the long run.
    burst: the number of times at once.
    """

    def __init__(self, often: float, burst: float) -> None:
        self._often, self._burst = often, burst
        self._left, self._last = burst, clock.now()

    def allows(self) -> bool:
        """Whether it may happen now; if so, it is counted."""
        now = clock.now()
        self._left = min(self._burst, self._left + self._often * (now - self._last))
        self._last = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Session:
    """A page.

    socket: its connection.
    lobby: returns the tables once the games are loaded; waits until then.
    """

    def __init__(self, socket: WebSocket, lobby: Callable[[], Any]) -> None:
        self._socket, self._find_lobby = socket, lobby
        self._loop = asyncio.get_running_loop()
        self._frames: asyncio.Queue[str] = asyncio.Queue()
        self._waiting = 0
        self._is_slow = asyncio.Event()
        self._rate = Rate(_MESSAGES_A_SECOND, _BURST)
        self._refusals = 0
        self._unwritten: set[str] = set()
        self._handler: Any = None
        self._answer: asyncio.Future[None] | None = None

    def send(self, frame: Plain) -> None:
        """Send a frame to the page; may be called from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, frame)

    async def run(self) -> None:
        """Serve the page until it disconnects, or reads too little of what it is sent. A page that
        reads nothing cannot even be sent that its connection closes.
        """
        await self._socket.accept()
        sender = asyncio.create_task(self._send_frames())
        receiver = asyncio.create_task(self._receive())
        slow = asyncio.create_task(self._is_slow.wait())
        try:
            await asyncio.wait((sender, receiver, slow), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await asyncio.shield(asyncio.ensure_future(self._end(sender, receiver, slow)))

    async def _end(self, *tasks: asyncio.Task[Any]) -> None:
        """End the work for a page that has closed, or is too slow."""
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._answer is not None:
            await asyncio.wait([self._answer])
        if self._handler is not None:
            await asyncio.to_thread(self._handler.leave)
        for task in tasks:
            error = None if task.cancelled() else task.exception()
            if error is not None and not isinstance(error, _CLOSED):
                raise error

    async def _receive(self) -> None:
        while self._refusals < _REFUSALS:
            received = await self._socket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            try:
                if not self._rate.allows():
                    raise OptionError("too many messages; wait a second")
                message = read_message("" if text is None else text)
            except HiddenhandError as error:
                self._refusals += 1
                self.send({"type": "refused", "why": str(error)})
                continue
            self._answer = asyncio.ensure_future(asyncio.to_thread(self._do, message))
            await asyncio.shield(self._answer)  # a thread cannot be cancelled
        await self._socket.close(_POLICY)

    def _do(self, message: Message) -> None:
        """Answer a message, in a thread where that may take a while."""
        try:
            if self._handler is None:
                self.send({"type": "loading"})
                lobby = self._find_lobby()
                from hiddenhand.web.handler import Handler  # late: else two threads load the games

                self._handler = Handler(lobby, self.send)
            self._handler.do(message)
        except HiddenhandError as error:
            self.send(self._refusal(error, message))
        except Exception:
            getLogger("hiddenhand.web").exception("a message failed because of a defect")
            why = "the program has a defect; see the log of the server"
            self.send({"type": "refused", "why": why, "to": message["type"]})

    def _refusal(self, error: HiddenhandError, message: Message) -> Plain:
        """The frame that tells the page why a message was refused."""
        from hiddenhand.web.refusals import SetupError, with_short_lists

        refused = {"type": "refused", "why": with_short_lists(str(error)), "to": message["type"]}
        return refused | ({"field": error.field} if isinstance(error, SetupError) else {})

    def _put(self, frame: Plain) -> None:
        if self._is_slow.is_set():
            return
        text = self._written(frame)
        if text is None:
            return
        if self._waiting and self._waiting + len(text) > _WAITING:
            self._is_slow.set()
            return
        self._waiting += len(text)
        self._frames.put_nowait(text)

    def _written(self, frame: Plain) -> str | None:
        """A frame as text. If JSON cannot hold it, for example a payoff that is not finite, the
        first frame of its kind becomes a sentence for the page. Later ones are None.
        """
        try:
            return written(frame)
        except (TypeError, ValueError):
            kind = frame["type"]
            if kind in self._unwritten:
                return None
            self._unwritten.add(kind)
            getLogger("hiddenhand.web").exception(
                "a frame %r was left out because of a defect", kind
            )
            why = f"the server left out a message of the kind {kind!r}, which is not valid JSON"
            return written({"type": "refused", "why": f"{why}; see the log of the server"})

    async def _send_frames(self) -> None:
        while True:
            text = await self._frames.get()
            await self._socket.send_text(text)
            self._waiting -= len(text)
