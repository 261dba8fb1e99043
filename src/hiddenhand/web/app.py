"""The server as an ASGI application, which maps addresses to answers.

/               the start page
/table/PLACE    a table; browsers do not send the token of a seat, which stands behind #
/lab            convergence of searches, and tournaments
/picture        a picture of the game that the query names, see `pictures`
/static/DIGEST/NAME     scripts, styles and pictures, all from this package; see `assets`
/socket         the WebSocket of a page

For any other address, browsers get a page with a way back, and programs a JSON object.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from hiddenhand.errors import HiddenhandError
from hiddenhand.web import assets
from hiddenhand.web.origin_guard import Guard
from hiddenhand.web.session import Rate, Session

_LEAST_PACKED: Final = 500
"""Bytes of an answer from which on it is worth to compress it."""
_FOR_A_WHILE: Final = "private, max-age=600"
_OF_PICTURES: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
NO_PAGE: Final = "This address leads nowhere. The link may be cut off or mistyped."
"""The sentence for an address that does not exist."""
NO_TABLE: Final = (
    "This server has no such table. The link may be cut off, or belong to another server."
)
"""The sentence for a table that does not exist."""
_PAGES: Final = 500  # connections at once
_NEW_PAGES: Final = (50.0, 200.0)  # connections a second, and at once


def make_app(
    lobby: Callable[[], Any],
    host: str,
    port: int,
    close: Callable[[], None],
    hall_now: Callable[[], Any] = lambda: None,
) -> Guard:
    """The server as an ASGI application.

    lobby: returns the tables; waits until the games are loaded.
    host, port: where the server listens.
    close: the function to call when the server ends.
    hall_now: returns the tables, or None while the games are being loaded.
    """
    sockets = _Sockets(lobby)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        close()

    async def table(request: Request) -> Response:
        loaded = hall_now()
        if loaded is not None and not loaded.has(request.path_params["place"]):
            raise HTTPException(404, NO_TABLE)
        return _page(request, "table.html")

    def picture(request: Request) -> Response:
        from hiddenhand.web.pictures import picture_of  # loads the games

        try:
            text = picture_of(request.query_params.get("game", ""), lobby().allowed)
        except HiddenhandError as error:
            raise HTTPException(404, str(error)) from error
        headers = {"cache-control": _FOR_A_WHILE, "content-security-policy": _OF_PICTURES}
        return Response(text, media_type="image/svg+xml", headers=headers)

    routes = [
        Route("/", _showing("start.html")),
        Route("/table/{place}", table),
        Route("/picture", picture),
        Route("/lab", _showing("lab.html")),
        Route("/static/{name}", _static),
        Route("/static/{digest}/{name}", _static),
        WebSocketRoute("/socket", sockets.serve),
    ]
    starlette = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(GZipMiddleware, minimum_size=_LEAST_PACKED)],
        exception_handlers={HTTPException: _refused},
    )
    return Guard(starlette, host, port)


class _Sockets:
    """The connections of all pages."""

    def __init__(self, lobby: Callable[[], Any]) -> None:
        self._lobby = lobby
        self._count = 0
        self._rate = Rate(*_NEW_PAGES)

    async def serve(self, socket: WebSocket) -> None:
        """Serve a page until it disconnects."""
        if self._count >= _PAGES or not self._rate.allows():
            await socket.close(1013, "too many pages; try again in a while")
            return
        self._count += 1
        try:
            await Session(socket, self._lobby).run()
        finally:
            self._count -= 1


def _showing(name: str) -> Callable[[Request], Any]:
    """A handler that answers with a page."""

    async def answer(request: Request) -> Response:
        return _page(request, name)

    return answer


def _page(request: Request, name: str, status: int = 200, **words: str) -> Response:
    """A page, with a new nonce on its scripts and styles."""
    html = assets.page(name, request.state.nonce, **words)
    return Response(html, status, media_type="text/html")


async def _static(request: Request) -> Response:
    """A script, a style or a picture. Only the address with the present digest may be kept."""
    name = request.path_params["name"]
    found = assets.read(name)
    if found is None:
        raise HTTPException(404, "This server has no such file.")
    is_present = request.path_params.get("digest") == assets.digest()
    kept = assets.FOR_GOOD if is_present else assets.NEVER
    return Response(found, headers={"content-type": assets.media_type(name), "cache-control": kept})


async def _refused(request: Request, error: Exception) -> Response:
    """Say what is wrong with an address: to people on a page, to programs as JSON."""
    assert isinstance(error, HTTPException)
    said = error.detail if error.status_code != 404 or error.detail != "Not Found" else NO_PAGE
    if "text/html" in request.headers.get("accept", ""):
        return _page(request, "missing.html", error.status_code, why=said)
    return JSONResponse({"error": said}, error.status_code)
