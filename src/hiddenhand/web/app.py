"""The server as an ASGI application, which maps addresses to answers.

/               the start page
/table/PLACE    a table; browsers do not send the token of a seat, which stands behind #
/lab            convergence of searches, and tournaments
/static/NAME    scripts, styles and pictures, all from this package
/socket         the WebSocket of a page
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from hiddenhand.web.guarding import Guard
from hiddenhand.web.session import Rate, Session

_TYPES: Final = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".html": "text/html; charset=utf-8",
}
_PAGES: Final = 500  # connections at once
_NEW_PAGES: Final = (50.0, 200.0)  # connections a second, and at once


def make_app(hall: Callable[[], Any], host: str, port: int, close: Callable[[], None]) -> Guard:
    """The server as an ASGI application.

    hall: returns the tables; waits until the games are loaded.
    host, port: where the server listens.
    close: the function to call when the server ends.
    """
    sockets = _Sockets(hall)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        close()

    routes = [
        Route("/", _page("start.html")),
        Route("/table/{place}", _page("table.html")),
        Route("/lab", _page("lab.html")),
        Route("/static/{name}", _static),
        WebSocketRoute("/socket", sockets.serve),
    ]
    return Guard(Starlette(routes=routes, lifespan=lifespan), host, port)


class _Sockets:
    """The connections of all pages."""

    def __init__(self, hall: Callable[[], Any]) -> None:
        self._hall = hall
        self._count = 0
        self._rate = Rate(*_NEW_PAGES)

    async def serve(self, socket: WebSocket) -> None:
        """Serve a page until it disconnects."""
        if self._count >= _PAGES or not self._rate.allows():
            await socket.close(1013, "too many pages; try again in a while")
            return
        self._count += 1
        try:
            await Session(socket, self._hall).run()
        finally:
            self._count -= 1


def _page(name: str) -> Callable[[Request], Any]:
    """A handler that answers with a page, and puts a new nonce on its scripts and styles."""

    async def answer(request: Request) -> Response:
        html = _read(name).decode().replace("{{nonce}}", request.state.nonce)
        return Response(html, media_type="text/html")

    return answer


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    suffix = f".{name.rpartition('.')[2]}"
    known = {entry.name for entry in files("hiddenhand.web").joinpath("static").iterdir()}
    if name not in known or suffix not in _TYPES or suffix == ".html":
        return PlainTextResponse("this server has no such file\n", 404)
    return Response(_read(name), headers={"content-type": _TYPES[suffix]})


def _read(name: str) -> bytes:
    return files("hiddenhand.web").joinpath("static", name).read_bytes()
