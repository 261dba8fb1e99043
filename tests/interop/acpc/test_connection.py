"""Lines through a socket: in pieces, several at once, too long, and none any more."""

import socket
import time

import pytest
from acpc_matches import pair

from hiddenhand import clock
from hiddenhand.errors import ProtocolError
from hiddenhand.interop.acpc.connection import Gone, connected


def test_lines_in_pieces_and_several_at_once() -> None:
    with pair() as (connection, other):
        for piece in (b"MATCH", b"STATE:1\r", b"\nMATCHSTATE:2\nMATCHSTATE:3\r\nMATCH"):
            other.sendall(piece)
        assert [connection.read(5) for _ in range(3)] == [
            "MATCHSTATE:1",
            "MATCHSTATE:2",
            "MATCHSTATE:3",
        ]
        assert not connection.waiting
        assert connection.read(0.01) is None
        other.sendall(b"STATE:4\r\n")
        assert connection.read(5) == "MATCHSTATE:4"


def test_bytes_that_are_no_text() -> None:
    with pair() as (connection, other):
        other.sendall(b"\xff\xfe\x00\r\n\r\nc\r\n")
        assert connection.read(5) == "\ufffd\ufffd\0"
        assert connection.waiting
        assert [connection.read(5), connection.read(5)] == ["", "c"]


def test_a_line_too_long_to_mean_anything_is_left_out() -> None:
    with pair() as (connection, other):
        for _ in range(5):
            other.sendall(b"x" * 50_000)
        other.sendall(b"\nshort\n" + b"y" * 20_000 + b"\nlast\n")
        assert [connection.read(5), connection.read(5)] == ["short", "last"]


def test_lines_that_came_before_the_end_are_read() -> None:
    with pair() as (connection, other):
        other.sendall(b"one\r\ntwo\r\nnever ended")
        other.close()
        assert [connection.read(5), connection.read(5)] == ["one", "two"]
        assert not connection.waiting
        for _ in range(2):
            with pytest.raises(Gone, match="closed by the other end"):
                connection.read(5)


def test_sending_to_nobody() -> None:
    with pair() as (connection, other):
        other.close()

        def send_until_it_fails() -> None:  # the first lines may still leave
            for _ in range(100):
                connection.send("MATCHSTATE:0")
                time.sleep(0.01)

        with pytest.raises(Gone, match="the connection is gone"):
            send_until_it_fails()


@pytest.mark.timed
def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    began = clock.now()
    with pytest.raises(ProtocolError, match=f"no dealer answers at 127.0.0.1, port {port}"):
        connected("127.0.0.1", port, 0.1)
    assert clock.now() - began >= 0.1


def test_no_such_host() -> None:
    with pytest.raises(ProtocolError, match=r"no dealer answers at no\.such\.host\.invalid"):
        connected("no.such.host.invalid", 1, 0.0)
