"""Refuses requests that do not come from a page of this server, before other code reads them.

A site on the internet can make the browser of a visitor send requests to 127.0.0.1. It can even
make its own name point there (DNS rebinding). So a request must name this server as its host. If it
comes from a page, that must be a page of this server. No site can rebind an address in numbers, so
a server that other machines reach accepts any such address as its host.
"""

import ipaddress
import socket
from collections.abc import Awaitable, Callable
from secrets import token_urlsafe
from typing import Any, Final

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_HEADERS: Final = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens at ``host``."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Refuses requests from elsewhere. With every answer it sends headers that keep pages from
    loading anything from another server, and browsers from keeping the answer. An answer that has
    one of these headers keeps its own.

    app: answers all other requests.
    host: the address at which the server listens.
    port: the port at which it listens.
    """

    def __init__(self, app: App, host: str, port: int) -> None:
        self._app, self._port = app, port
        self._others = not is_loopback(host)
        self._names = {*_LOOPBACK, host.casefold()}
        if self._others:
            self._names.add(socket.gethostname().casefold())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or open a connection, unless it is refused."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
        ]
        refusal = self._refusal(scope["type"], headers)
        if refusal is not None:
            await _refuse(scope, send, refusal)
            return
        nonce = token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce

        async def send_guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {**_HEADERS, "content-security-policy": self._policy(nonce, headers)}
                said = message.get("headers", [])
                given = {name.decode("latin-1").casefold() for name, _ in said}
                message["headers"] = [
                    *said,
                    *((k.encode(), v.encode()) for k, v in own.items() if k not in given),
                ]
            await send(message)

        await self._app(scope, receive, send_guarded)

    def _refusal(self, kind: str, headers: list[tuple[str, str]]) -> str | None:
        """The reason to refuse a request; None to accept it."""
        hosts = [value for name, value in headers if name == "host"]
        origins = [value for name, value in headers if name == "origin"]
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return "this server has another name; use the address that it printed"
        if len(origins) > 1 or (origins and origins[0] != f"http://{hosts[0]}"):
            return "this request comes from a page of another server; open a page of this one"
        if kind == "websocket" and not origins:
            return "a connection must name its page in an Origin header; open a page of this server"
        return None

    def _is_own(self, host: str) -> bool:
        """Whether a ``Host`` header names this server."""
        name, _, port = host.casefold().rpartition(":")
        if not name or "]" in port:  # no port: the standard one
            name, port = host.casefold(), "80"
        if port != str(self._port):
            return False
        return name in self._names or (self._others and _is_number(name))

    def _policy(self, nonce: str, headers: list[tuple[str, str]]) -> str:
        host = next(value for name, value in headers if name == "host")
        return (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; "
            "img-src 'self' blob:; "  # a script draws an SVG on a canvas as the image of a blob
            f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )


def _is_number(name: str) -> bool:
    """Whether a host is a numeric address."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


async def _refuse(scope: Scope, send: Send, why: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": why})
        return
    headers = {"content-type": "text/plain; charset=utf-8", **_HEADERS}
    written = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": 421, "headers": written})
    await send({"type": "http.response.body", "body": f"{why}\n".encode()})
