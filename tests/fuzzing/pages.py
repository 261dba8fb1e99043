"""Messages that no page sends, and addresses that no page asks for."""

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from fuzzing.drawing import damaged, letter
from fuzzing.trying import Parser
from hiddenhand.errors import HiddenhandError

_NO_KINDS = ("", "__init__", "leave", "do", "é")
_TEXTS = (
    *("", "person", "random", "kuhn_poker", "Kuhn(", "os:path", "../../etc/passwd", "a.py:B"),
    *("strategy(/etc/passwd)", "oos(memory=99999999999999)", "human", "x" * 3000, "\0", "\ud800"),
    *("pass", "bet", "<script>alert(1)</script>", "best_response(" * 40, "١", "kuhn_poker(1)"),
)
_NUMBERS = (0, 1, -1, 2, 7, 10**9, -(10**9), 2**63, 0.5, -0.0, 1e300, True, False, None)
_BROKEN = ("", "{", "[]", "null", "1e999", "NaN", '{"type":1}', "[" * 5000, "é", "9" * 5000)
_LIKELY = {
    "players": (["person", "random"], ["person", "person"]),
    "game": ("kuhn_poker",),
    "player": ("random",),
    "text": ("bet",),
}
_COUNTS = ("turn", "action", "ply", "seat", "slot", "number", "seconds")
_SECRETS = ("chance_seed", "root:x:")


def message(source: random.Random) -> str:
    """A message, or what somebody took for one."""
    from hiddenhand.web.messages import KINDS

    fields = sorted({name for known in KINDS.values() for name in known} | {"type", "__class__"})
    if source.random() < 0.05:
        return source.choice(_BROKEN)
    kind = source.choice([*KINDS, *_NO_KINDS])
    known = list(KINDS.get(kind, ()))
    if source.random() < 0.2:
        known = source.sample(fields, source.randrange(5))
    text = json.dumps({**{name: _field(source, name) for name in known}, "type": kind})
    return damaged(source, text) if source.random() < 0.1 else text


def _field(source: random.Random, name: str) -> Any:
    """What a field might hold, and sometimes anything else."""
    if source.random() < 0.3:
        return _value(source)
    if name in _COUNTS:
        return source.choice((0, 1, 2, 3, -6))
    return source.choice(_LIKELY.get(name, (True, None, "")))


def _value(source: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can hold."""
    kind = source.randrange(7 if depth < 2 else 4)
    if kind < 2:
        return source.choice(_TEXTS)
    if kind < 4:
        return source.choice(_NUMBERS)
    if kind == 4:
        return [_value(source, depth + 1) for _ in range(source.randrange(4))]
    if kind == 5:
        return {letter(source): _value(source, depth + 1) for _ in range(source.randrange(3))}
    return ["person", "random"]


@contextmanager
def messages(name: str, folder: Path) -> Iterator[Parser]:
    """Desks of a server: of the first page, of a seat, and of a page that looks on. Nothing that
    they are sent holds a secret.
    """
    from hiddenhand.web.handler import Handler
    from hiddenhand.web.lobby import Lobby
    from hiddenhand.web.messages import read_message, written
    from hiddenhand.web.store import Store

    lobby, told = Lobby(Store(folder / "tables.sqlite")), list[str]()
    table = lobby.open("kuhn_poker", ["person", "random"], 1.0)
    token = table.setup.seats[0].token

    def handler(place: str | None, own: str) -> Handler:
        secrets = _SECRETS if own or place is None else (*_SECRETS, token)

        def send(frame: dict[str, Any]) -> None:
            text = json.dumps(frame) if frame["type"] == "opened" else written(frame)
            told.extend(secret for secret in secrets if secret in text)
            if "has a defect" in text:
                told.append(text)

        made = Handler(lobby, send)
        made.do({"type": "hello", "place": place, "token": own, "play": False})
        return made

    desks = [handler(None, ""), handler(table.place, token), handler(table.place, "")]

    def read(drawn: tuple[int, str]) -> None:
        desks[drawn[0]].do(read_message(drawn[1]))
        assert not told, f"a page is sent: {told[0]:.300}"

    yield Parser(name, lambda source: (source.randrange(len(desks)), message(source)), read)
    for one in desks:
        one.leave()
    lobby.close()


# --- addresses ---


class RefusedError(HiddenhandError):
    """The server refuses an address."""


_RIGHT = ("/", "/lab", "/table/{place}", "/table/x", "/static/table.js", "/static/0/table.css")
_STEPS = (
    *("..", "%2e%2e", "%2F", "%5c", "/", "//", "\\", "%00", "%ff", "%", "%zz", "?", "#", ";", "~"),
    *("static", "table", "etc/passwd", "app.py", "start.html", "socket", "a" * 3000, "%c3%a9"),
)
_METHODS = ("GET",) * 6 + ("HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "get", "X")
_HOST = "127.0.0.1:8000"
_STATUSES = (200, 307, 404, 405, 421)
_CODE = b"from collections.abc import"  # of the package's own files


def _address(source: random.Random, place: str) -> tuple[str, bytes, list[tuple[bytes, bytes]]]:
    """A method, an address as it is sent, and headers."""
    path = source.choice(_RIGHT).replace("{place}", place)
    if source.random() < 0.8:
        path = damaged(source, path, _STEPS)
    sent = (
        path.encode("utf-8", "surrogatepass")
        if source.random() < 0.3
        else path.encode("ascii", "replace")
    )
    host = _HOST if source.random() < 0.8 else damaged(source, _HOST)
    headers = [(b"host", host.encode("utf-8", "surrogatepass"))]
    for own, values in (
        (b"origin", (f"http://{_HOST}", "null", "http://evil.example")),
        (b"accept", ("text/html", "*/*", "\xff")),
        (b"accept-encoding", ("gzip", "gzip;q=0", "é")),
        (b"host", ("evil.example",)),
        (b"range", ("bytes=0-9", "bytes=-")),
        (b"cookie", ("a=b; " * 200,)),
        (b"if-none-match", ("*",)),
    ):
        if source.random() < 0.15:
            headers.append((own, source.choice(values).encode("latin-1")))
    return source.choice(_METHODS), sent, headers


@contextmanager
def addresses(name: str, folder: Path) -> Iterator[Parser]:
    """The addresses of a server. None of them leads to a file that is not for pages."""
    from hiddenhand.web.app import make_app
    from hiddenhand.web.lobby import Lobby
    from hiddenhand.web.store import Store

    lobby = Lobby(Store(folder / "tables.sqlite"))
    place = lobby.open("kuhn_poker", ["person", "random"], 1.0).place
    app = make_app(lambda: lobby, "127.0.0.1", 8000, lambda: None, lambda: lobby)
    loop = asyncio.new_event_loop()

    async def answer(method: str, sent: bytes, headers: list[tuple[bytes, bytes]]) -> None:
        raw, _, query = sent.partition(b"?")
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1"},
            **{"method": method, "path": unquote(raw.decode("ascii", "replace"))},
            **{"raw_path": raw, "query_string": query, "root_path": "", "headers": headers},
            **{"scheme": "http", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9)},
        }
        said: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(part: dict[str, Any]) -> None:
            said.append(part)

        await app(scope, receive, send)
        assert said[0]["status"] in _STATUSES, said[0]
        body = b"".join(part.get("body", b"") for part in said[1:])
        assert b"root:x:" not in body
        assert _CODE not in body
        if said[0]["status"] >= 400:
            raise RefusedError(f"the server answers {said[0]['status']}")

    yield Parser(
        name,
        lambda source: _address(source, place),
        lambda drawn: loop.run_until_complete(answer(*drawn)),
    )
    loop.close()
    lobby.close()
