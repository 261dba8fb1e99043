"""Opens the port, and runs the server until Ctrl-C.

The server opens the port before it imports anything heavy. It loads the games and their rules in a
thread, and pages wait for them.
"""

import errno
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from hiddenhand import clock
from hiddenhand.errors import OptionError
from hiddenhand.systems import keep_port

if TYPE_CHECKING:
    from hiddenhand.web.lobby import Lobby

_BACKLOG: Final = 512
_UNREAD: Final = 60_000  # milliseconds after which a connection ends whose page reads nothing
_PATIENCE: Final = 600.0  # seconds that a page waits for the games to be loaded


class LoadingLobby:
    """Loads the tables in a thread.

    make: makes the tables.
    failed: the error that `make` raised; None if it has raised none so far.
    """

    def __init__(self, make: Callable[[], "Lobby"]) -> None:
        self._make = make
        self.failed: Exception | None = None
        self._is_made = Event()
        self._lobby: Lobby | None = None

    def start(self, failing: Callable[[], None] = lambda: None) -> None:
        """Begin to load them. If that fails, the other thread calls ``failing``."""
        Thread(target=self._load, args=(failing,), daemon=True).start()

    def get(self) -> "Lobby":
        """The tables, as soon as they are loaded. Raises the error of `make`, or OptionError."""
        self._is_made.wait(clock.timeout(_PATIENCE))
        if self._lobby is None:
            raise self.failed or OptionError(
                "the server is still loading the games; try again soon"
            )
        return self._lobby

    def now(self) -> "Lobby | None":
        """The tables; None while they are being loaded."""
        return self._lobby

    def close(self) -> None:
        """End all matches."""
        if self._lobby is not None:
            self._lobby.close()

    def _load(self, failing: Callable[[], None]) -> None:
        try:
            self._lobby = self._make()
        except Exception as error:  # a defect, too, ends the server
            self.failed = error
            failing()
        finally:
            self._is_made.set()


def open_port(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises OptionError if it cannot.

    port: the number of the port; 0 for any free one.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (OSError, UnicodeError) as error:  # UnicodeError: of a host such as "a..b"
        raise OptionError(
            f"host={host!r} is not allowed ({getattr(error, 'strerror', None) or error}); give an "
            "address of this machine, such as 127.0.0.1"
        ) from None
    # asyncio switches Nagle's algorithm off only for sockets whose protocol is TCP, not 0
    opened = socket.socket(family, kind, protocol)
    keep_port(opened)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # on Linux; connections get it from this socket
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNREAD)
    try:
        opened.bind(address)
        opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        if error.errno == errno.EADDRINUSE:
            raise OptionError(
                f"port {port} is in use by another program; give another with --port, or --port 0 "
                "for any free one"
            ) from None
        raise OptionError(
            f"port {port} of {host} cannot be opened ({error.strerror}); give others with --host "
            "and --port"
        ) from None
    return opened


def serve(opened: socket.socket, host: str, lobby: LoadingLobby, ready: Callable[[], None]) -> None:
    """Answer until Ctrl-C. Raises the error that stopped the loading of the tables.

    opened: what `open_port` returned.
    host: the address at which it listens, as the user gave it.
    lobby: the tables.
    ready: the function to call when the server accepts the first page.
    """
    import uvicorn

    from hiddenhand.web.app import make_app
    from hiddenhand.web.messages import LARGEST

    app = make_app(lobby.get, host, opened.getsockname()[1], lobby.close, lobby.now)
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level="error",
        proxy_headers=False,
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=4 * LARGEST,
        ws_per_message_deflate=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
        lifespan="on",
    )
    handlers: dict[int, Any] = {
        number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)
    }

    class Server(uvicorn.Server):
        """A server that ends in order also after a second Ctrl-C: that takes a second at most."""

        def handle_exit(self, sig: int, frame: Any) -> None:
            if callable(deliver := handlers.get(sig)):
                with suppress(KeyboardInterrupt):  # uvicorn sends the signal again at its end
                    deliver(sig, frame)
            if not self.should_exit:
                super().handle_exit(sig, frame)

    server = Server(config)

    def end() -> None:
        server.should_exit = True

    lobby.start(end)
    ready()
    server.run(sockets=[opened])
    if lobby.failed is not None:
        raise lobby.failed


def make_hall(
    tables: Path | None,
    allowed_games: tuple[str, ...],
    allowed_players: tuple[str, ...],
    offer: tuple[str, str],
    replay: Path | None,
    learn: bool,
) -> "Lobby":
    """Load the games, and the tables of ``tables``. The other arguments are those of `Lobby`."""
    from hiddenhand.web.catalogue import Allowed, loaded, offered_games, preload
    from hiddenhand.web.lab import Lab, lab_file
    from hiddenhand.web.lobby import Lobby
    from hiddenhand.web.store import Store

    preload()
    for game in allowed_games:
        loaded(game)  # raises now if the game is wrong
    if not offer[0]:
        offered_games()  # else the first page opens a table, and needs no list
    allowed = Allowed(allowed_games, allowed_players)
    lobby = Lobby(Store(tables), allowed, offer, replay, learn=learn)
    lobby.lab = Lab(Store(lab_file(tables)), allowed)
    return lobby
