"""Lines of text through a socket, as the competition's programs send them.

What arrives is a stream of bytes: a line may come in pieces, and several lines may come at once.
Lines are written with `\\r\\n` at their ends, and read with or without the `\\r`.
"""

import socket
from collections import deque
from typing import Final, Self

from hiddenhand import clock
from hiddenhand.errors import ProtocolError

VERSION: Final = "VERSION:2.0.0"
COMMENTS: Final = ("#", ";")
"""What a line begins with that means nothing to the other end."""

_AT_ONCE: Final = 65536  # bytes that are read at a time
_LONGEST: Final = 16384  # bytes of a line; the competition's server has lines of 1,024 at the most
_PAUSE: Final = 0.05  # seconds between two attempts to connect
_UNTIL_SENT: Final = 60.0  # seconds until it is an error that the other end does not read


class Gone(ProtocolError):  # noqa: N818 - it may be the end of a match
    """The other end has closed the connection, or cannot be reached any more."""


class Connection:
    """A connection that is open; close it after use, or use it in a ``with`` statement.

    wire: the socket.
    """

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        self._wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._wire.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._begun = b""  # of a line whose end has not arrived
        self._dropping = False  # whether what arrives belongs to a line that is too long
        self._lines: deque[str] = deque()

    def read(self, seconds: float | None = None) -> str | None:
        """The next line, without its end. A line that is too long to mean anything is left out.
        Raises Gone where there will be no more.

        seconds: how long to wait for a line; None for as long as it takes. After that time the
            answer is None.
        """
        until = None if seconds is None else clock.now() + seconds
        while not self._lines:
            left = None if until is None else max(0.0, until - clock.now())
            if not self._receive(left):
                return None
        return self._lines.popleft()

    @property
    def waiting(self) -> bool:
        """Whether a line has arrived that was not read."""
        try:
            while not self._lines and self._receive(0.0):
                pass
        except Gone:  # the next `read` raises it
            pass
        return bool(self._lines)

    def send(self, line: str) -> None:
        """Send a line, and add its end. Raises Gone if the connection is gone."""
        try:
            self._wire.settimeout(clock.timeout(_UNTIL_SENT))
            self._wire.sendall(f"{line}\r\n".encode())
        except OSError as error:
            raise Gone(f"the connection is gone ({error.strerror or error})") from None

    def close(self) -> None:
        """Close the connection."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _receive(self, seconds: float | None) -> bool:
        """Wait for some bytes, and take the lines that end among them. Returns whether bytes came
        within ``seconds``.
        """
        try:
            self._wire.settimeout(None if seconds is None else clock.timeout(seconds))
            arrived = self._wire.recv(_AT_ONCE)
        except (TimeoutError, BlockingIOError):
            return False
        except OSError as error:
            raise Gone(f"the connection is gone ({error.strerror or error})") from None
        if not arrived:
            raise Gone("the connection was closed by the other end")
        *ended, self._begun = (self._begun + arrived).split(b"\n")
        for line in ended:
            if not self._dropping and len(line) <= _LONGEST:
                self._lines.append(line.removesuffix(b"\r").decode("utf-8", "replace"))
            self._dropping = False
        if len(self._begun) > _LONGEST:
            self._begun, self._dropping = b"", True
        return True


def connected(host: str, port: int, patience: float) -> Connection:
    """A connection to a dealer. Raises ProtocolError if there is none.

    host: the name or address of the dealer's machine.
    port: the dealer's port for the seat.
    patience: for how many seconds to try again while no dealer listens there.
    """
    until = clock.now() + patience
    while True:
        try:
            waiting = clock.timeout(max(patience, 1.0))
            return Connection(socket.create_connection((host, port), timeout=waiting))
        except ConnectionRefusedError as error:
            problem: OSError = error
        except (OSError, UnicodeError) as error:  # UnicodeError: of a host such as "a..b"
            raise ProtocolError(_unreachable(host, port, error)) from None
        if clock.now() >= until:
            raise ProtocolError(_unreachable(host, port, problem))
        clock.sleep(_PAUSE)


def _unreachable(host: str, port: int, error: OSError | UnicodeError) -> str:
    why = getattr(error, "strerror", None) or error
    return (
        f"no dealer answers at {host}, port {port} ({why}); give the address and one of the ports "
        "that the dealer prints"
    )
