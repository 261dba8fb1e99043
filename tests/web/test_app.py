"""The server as pages see it: addresses, headers, who is let in, and a match over a WebSocket."""

import json
import re
import socket
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from table_pages import store_in
from typing_commands import Typed

pytest.importorskip("starlette", reason="the table in the browser needs hiddenhand[web]")
pytest.importorskip("httpx", reason="the test client of starlette needs httpx")


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # httpx does what is needed here, and httpx2 is not everywhere
    from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from hiddenhand.errors import FileError, OptionError
from hiddenhand.web import app, assets
from hiddenhand.web.app import make_app
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.origin_guard import Guard, is_loopback
from hiddenhand.web.serving import LoadingLobby, open_port
from hiddenhand.web.session import Rate
from hiddenhand.web.store import Store

BASE = "http://127.0.0.1:8000"
ORIGIN = {"origin": BASE}
SOCKET = "ws://127.0.0.1:8000/socket"


@pytest.fixture
def lobby(tmp_path: Path) -> Iterator[Lobby]:
    lobby = Lobby(store_in(tmp_path))
    yield lobby
    lobby.close()


@pytest.fixture
def client(lobby: Lobby) -> TestClient:
    return TestClient(make_app(lambda: lobby, "127.0.0.1", 8000, lambda: None), BASE)


def answers(page: Any, kind: str) -> dict[str, Any]:
    """The next frame of a kind."""
    while (frame := json.loads(page.receive_text()))["type"] != kind:
        pass
    return frame


def test_pages_and_their_headers(client: TestClient) -> None:
    answer = client.get("/")
    nonce = re.findall(r"script-src 'nonce-(\S+)'", answer.headers["content-security-policy"])[0]
    assert answer.text.count(f'nonce="{nonce}"') == answer.text.count("nonce=") >= 3
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert nonce not in client.get("/table/x").text  # each answer has its own


def test_nothing_comes_from_elsewhere(client: TestClient) -> None:
    for entry in files("hiddenhand.web").joinpath("static").iterdir():
        text = entry.read_text()
        outside = re.findall(r"https?://(?!www\.w3\.org/2000/svg)[^\s\"'`$]+", text)
        assert outside == [], entry.name
        if not entry.name.endswith(".html"):
            assert client.get(f"/static/{entry.name}").status_code == 200


@pytest.mark.parametrize("path", ["/static/..%2fapp.py", "/static/start.html", "/static/x.js"])
def test_other_files_are_not_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404
    assert client.get(path.replace("/static", f"/static/{assets.digest()}")).status_code == 404


class TestTransport:
    """What travels: compressed, and kept by browsers where it never changes."""

    def test_scripts_and_styles_are_kept_for_good(self, client: TestClient) -> None:
        html = client.get("/").text
        addresses = re.findall(r'(?:src|href)="(/static/[^"]+)"', html)
        assert len(addresses) >= 3
        for address in addresses:
            assert address.startswith(f"/static/{assets.digest()}/")
            answer = client.get(address)
            assert answer.headers["cache-control"] == assets.FOR_GOOD
            assert answer.headers["x-content-type-options"] == "nosniff"

    @pytest.mark.parametrize("address", ["/", "/lab", "/table/x", "/static/dom.js", "/nothing"])
    def test_everything_else_is_not_kept(self, client: TestClient, address: str) -> None:
        assert client.get(address).headers["cache-control"] == "no-store"

    def test_an_old_digest_is_served_but_not_kept(self, client: TestClient) -> None:
        """A page of an earlier version may still ask for it."""
        answer = client.get("/static/0123456789abcdef/dom.js")
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-store"

    def test_scripts_find_each_other_under_the_digest(self) -> None:
        """All imports are relative, and no script names an address of a file."""
        for entry in files("hiddenhand.web").joinpath("static").iterdir():
            if entry.name.endswith(".js"):
                text = entry.read_text()
                assert "/static/" not in text, entry.name
                for imported in re.findall(r"from \"([^\"]+)\"", text):
                    assert assets.read(imported.removeprefix("./")), (entry.name, imported)

    @pytest.mark.parametrize("page", ["start", "table", "lab", "missing"])
    def test_a_page_preloads_all_its_scripts(self, page: str) -> None:
        """So a browser does not find them one after the other."""
        needed, waiting = set[str](), [f"{page}.js"]
        while waiting:
            text = (assets.read(waiting.pop()) or b"").decode()
            new = {name.removeprefix("./") for name in re.findall(r'from "([^"]+)"', text)} - needed
            needed |= new
            waiting += new
        html = assets.page(f"{page}.html", "nonce")
        preloaded = re.findall(r'modulepreload" href="/static/\w+/([\w.]+)"', html)
        assert sorted(preloaded) == sorted(needed)

    def test_answers_are_compressed(self, client: TestClient) -> None:
        packed = client.get("/static/scene.js", headers={"accept-encoding": "gzip"})
        plain = client.get("/static/scene.js", headers={"accept-encoding": "identity"})
        assert packed.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert packed.content == plain.content
        sizes = [int(answer.headers["content-length"]) for answer in (packed, plain)]
        assert sizes[0] < 0.5 * sizes[1]


class TestNothingHere:
    """Addresses that lead nowhere."""

    @pytest.mark.parametrize("path", ["/nothing", "/table/", "/table/a/b", "/static/x.js"])
    def test_people_get_a_page_and_a_way_back(self, client: TestClient, path: str) -> None:
        answer = client.get(path, headers={"accept": "text/html,*/*"})
        assert answer.status_code == 404
        assert answer.text.count("<h1>") == 1
        assert 'href="/"' in answer.text
        assert "{{" not in answer.text
        assert "script-src 'nonce-" in answer.headers["content-security-policy"]

    def test_programs_get_json(self, client: TestClient) -> None:
        answer = client.get("/nothing", headers={"accept": "application/json"})
        assert (answer.status_code, answer.json()) == (404, {"error": app.NO_PAGE})

    def test_a_table_that_does_not_exist(self, lobby: Lobby) -> None:
        client = TestClient(
            make_app(lambda: lobby, "127.0.0.1", 8000, lambda: None, lambda: lobby), BASE
        )
        place = lobby.open("kuhn_poker", ["person", "random"], 1.0).place
        assert client.get(f"/table/{place}").status_code == 200
        answer = client.get("/table/wrong", headers={"accept": "text/html"})
        assert answer.status_code == 404
        assert app.NO_TABLE in answer.text
        assert "wrong" not in answer.text

    def test_tables_are_not_refused_while_games_are_loaded(self, client: TestClient) -> None:
        """Nothing is known of tables yet, and the page waits."""
        assert client.get("/table/wrong").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8000"},
        {"host": "127.0.0.1:9000"},
        {"host": "127.0.0.1"},
        {"host": "192.168.0.1:8000"},
        {"origin": "http://evil.example"},
        {"origin": "http://localhost:8000"},
        {"origin": "null"},
    ],
)
def test_strangers_are_refused(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get("/", headers=headers).status_code == 421
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(SOCKET, headers=ORIGIN | headers),
    ):
        pass


def test_a_connection_says_where_it_comes_from(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(SOCKET):
        pass


def test_numbers_are_names_where_others_are_let_in() -> None:
    guard = Guard(None, "0.0.0.0", 80)  # type: ignore[arg-type]
    assert guard._is_own("192.168.0.7")
    assert guard._is_own("[fe80::1]:80")
    assert not guard._is_own("evil.example:80")
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "0.0.0.0", "elsewhere")] == [
        *(True, True, False, False)
    ]


def test_a_match_over_a_socket(client: TestClient) -> None:
    with client.websocket_connect(SOCKET, headers=ORIGIN) as page:
        page.send_text('{"type":"hello"}')
        lobby = answers(page, "lobby")
        assert {"leduc_poker", "kuhn_poker"} <= {game["game"] for game in lobby["games"]}
        page.send_text(
            json.dumps(
                {
                    "type": "open",
                    "game": "kuhn_poker",
                    "players": ["person", "random"],
                    "seconds": 1,
                }
            )
        )
        way = answers(page, "opened")
    hello = {"type": "hello", "place": way["place"], "token": way["token"]}
    with client.websocket_connect(SOCKET, headers=ORIGIN) as page:
        page.send_text(json.dumps(hello))
        table = answers(page, "table")
        assert table["you"] == 0
        assert "ante" in table["rules"]
        while not (shown := answers(page, "view"))["mine"]:
            pass
    with client.websocket_connect(SOCKET, headers=ORIGIN) as page:  # reloaded
        page.send_text(json.dumps(hello))
        while not (again := answers(page, "view"))["mine"]:
            pass
        assert again == shown
        page.send_text('{"type":"think","slot":1,"player":"random","seconds":1}')
        thought = answers(page, "thought")
        while thought["state"] != "done":
            thought = answers(page, "thought")
        assert thought["policy"] == [0.5, 0.5]
        page.send_text('{"type":"act","turn":0,"action":1}')
        while not (over := answers(page, "view"))["over"]:
            pass
        page.send_text('{"type":"look","ply":2,"seat":-6}')
        position = answers(page, "position")
        assert position["mover"] == 0
        assert len(position["log"]) == 2
        page.send_text('{"type":"record"}')
        record = answers(page, "record")["record"]
        assert len(record["moves"]) == over["plies"]
        page.send_text('{"type":"film","seat":0}')
        assert answers(page, "film")["text"].count('class="frame"') == 1 + len(record["moves"])
        page.send_text('{"type":"again"}')
        assert answers(page, "opened")["token"]


def test_a_spectator_is_told_no_secret(client: TestClient, lobby: Lobby) -> None:
    table = lobby.open("kuhn_poker", ["person", "random"], 1.0)
    with client.websocket_connect(SOCKET, headers=ORIGIN) as page:
        page.send_text(json.dumps({"type": "hello", "place": table.place, "token": "guess"}))
        assert "opens no seat" in answers(page, "refused")["why"]
        assert answers(page, "table")["sees"] == "public"
        for asked in (
            '{"type":"act","turn":0,"action":1}',
            '{"type":"look","ply":0,"seat":0}',
            '{"type":"record"}',
            '{"type":"think","slot":0,"player":"random","seconds":1}',
            '{"type":"think","slot":0,"player":"random","seconds":1,"ply":2}',
        ):
            page.send_text(asked)
            while (frame := json.loads(page.receive_text()))["type"] != "refused":
                assert frame["type"] in ("status", "view", "presence")


def test_who_says_nonsense_is_sent_away(client: TestClient) -> None:
    with client.websocket_connect(SOCKET, headers=ORIGIN) as page:
        for _ in range(150):
            page.send_text("nonsense")
        with pytest.raises(WebSocketDisconnect):
            answers(page, "nothing that is ever sent")


def test_a_limit_on_how_often() -> None:
    rate = Rate(often=1000.0, burst=3.0)
    assert [rate.allows() for _ in range(4)][:3] == [True] * 3
    slow = Rate(often=1e-9, burst=2.0)
    assert [slow.allows() for _ in range(4)] == [True, True, False, False]


class TestStarting:
    """What may be wrong before the server runs."""

    def test_a_port_in_use(self) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            with pytest.raises(OptionError, match=f"port {port} is in use by another program"):
                open_port("127.0.0.1", port)

    def test_no_such_host(self) -> None:
        for host in ("no such host", "a..b"):
            with pytest.raises(OptionError, match="give an address of this machine"):
                open_port(host, 8000)

    def test_a_file_in_use(self, tmp_path: Path) -> None:
        store = store_in(tmp_path)
        with pytest.raises(FileError, match="in use by another server"):
            store_in(tmp_path)
        store.close()
        store_in(tmp_path).close()

    def test_a_file_that_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("words")
        with pytest.raises(FileError):
            Store(tmp_path / "file" / "tables.sqlite")

    @pytest.mark.parametrize("error", [OptionError("no"), ZeroDivisionError("no")])
    def test_games_that_cannot_be_loaded(self, error: Exception) -> None:
        def fails() -> Any:
            raise error

        ended = []
        lobby = LoadingLobby(fails)
        lobby.start(lambda: ended.append(True))
        with pytest.raises(type(error), match="no"):
            lobby.get()
        assert ended == [True]

    def test_without_the_extra(self, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("hiddenhand.cli.serve.find_spec", lambda name: None)
        status, _, err = typed("serve")
        assert status == 2
        assert "install hiddenhand[web]" in err
