"""The verbs ``acpc connect``, ``acpc deal`` and ``acpc log``, as they are typed."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from acpc_matches import PATIENCE, THREE, TWO
from typing_commands import Typed

from hiddenhand.errors import ProtocolError
from hiddenhand.games.poker.definition import TWO_PLAYERS
from hiddenhand.interop.acpc.client import Client, Played
from hiddenhand.interop.acpc.connection import connected
from hiddenhand.interop.acpc.dealer import LOOPBACK, Dealer, Limits, MatchPlan
from hiddenhand.interop.acpc.observation_tracker import load_table
from hiddenhand.players.poker import CallPlayer


def free_ports(count: int) -> list[str]:
    sockets = [socket.create_server((LOOPBACK, 0)) for _ in range(count)]
    ports = [str(wire.getsockname()[1]) for wire in sockets]
    for wire in sockets:
        wire.close()
    return ports


@contextmanager
def callers(game: str, ports: list[str]) -> Iterator[list[Played]]:
    """Players who call, at these ports. The list has what each has seen, afterwards."""
    table, seen = load_table(game), list[Played]()

    def sit(port: str) -> None:
        with connected(LOOPBACK, int(port), PATIENCE) as connection:
            seen.append(Client(connection, table, CallPlayer()).play())

    threads = [threading.Thread(target=sit, args=(port,), daemon=True) for port in ports]
    for thread in threads:
        thread.start()
    yield seen
    for thread in threads:
        thread.join(PATIENCE)


@contextmanager
def dealing(hands: int) -> Iterator[tuple[Dealer, str]]:
    """A dealer for two at work, with a caller in the second seat, and the port of the first."""
    plan = MatchPlan(load_table(TWO).definition, hands, 3, ("ann", "bob"))
    limits = Limits(PATIENCE, PATIENCE, PATIENCE, PATIENCE)
    with Dealer(plan, limits) as dealer:
        first, second = map(str, dealer.ports)

        def deal() -> None:
            with dealer, suppress(ProtocolError):  # of a player who leaves
                dealer.play()

        thread = threading.Thread(target=deal, daemon=True)
        thread.start()
        with callers(TWO, [second]):
            yield dealer, first
            thread.join(PATIENCE)


def test_deal_and_log(typed: Typed, tmp_path: Path) -> None:
    """Three callers: the ports come first and the score last, and the log says the same."""
    ports = free_ports(3)
    log = tmp_path / "match.log"
    with callers(THREE, ports) as seen:
        status, out, err = typed(
            *("acpc", "deal", "--game", THREE, "--hands", "4", "--seed", "9", "--log", str(log)),
            *("--names", "ann, bob,cid", *(word for port in ports for word in ("--port", port))),
        )
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == " ".join(ports)
    assert lines[-1].startswith("SCORE:")
    assert lines[-1].endswith(":ann|bob|cid")
    assert lines[-1] == log.read_text().splitlines()[-1]
    assert [len(played.values) for played in seen] == [4, 4, 4]
    answer = typed.json("acpc", "log", str(log))
    assert answer["whole"] == [True]
    assert (answer["deals"], answer["duplicate"]) == (4, False)
    chips = [player["chips"] for player in answer["players"]]
    assert sorted(chips) == sorted(sum(played.values) for played in seen)
    assert [player["mbb_per_hand"] for player in answer["players"]] == [25 * won for won in chips]
    status, out, _ = typed("acpc", "log", str(log), "--replay", "2")
    assert (status, out.splitlines()[0]) == (0, "hand 2")
    assert "    cid checks" in out
    assert typed("acpc", "log", str(log), "--replay", "all")[1].count("hand ") == 4
    status, out, _ = typed("acpc", "log", str(log), str(log))
    assert out.startswith("4 hands")  # the same match, not a duplicate one


def test_a_match_without_blinds_has_a_score(typed: Typed, tmp_path: Path) -> None:
    """Results are in big blinds, of which there are none."""
    ports, game, log = free_ports(2), tmp_path / "none.game", tmp_path / "match.log"
    game.write_text(TWO_PLAYERS.replace("blind = 10 5", "blind = 0 0"))
    with callers(str(game), ports):
        status, out, err = typed(
            *("acpc", "deal", "--game", str(game), "--hands", "1", "--log", str(log)),
            *(word for port in ports for word in ("--port", port)),
        )
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == "SCORE:0|0:player1|player2"
    said = typed.refused("acpc", "log", str(log), "--game", str(game))
    assert said.endswith("describe its hands with --replay all")


def test_a_player_who_is_gone_ends_the_match(typed: Typed, tmp_path: Path) -> None:
    first, second = free_ports(2)
    log = tmp_path / "match.log"

    def leave() -> None:
        connected(LOOPBACK, int(second), PATIENCE).close()

    thread = threading.Thread(target=leave, daemon=True)
    thread.start()
    with callers(TWO, [first]):
        status, out, err = typed(
            "acpc", "deal", "--port", first, "--port", second, "--log", str(log)
        )
    thread.join(PATIENCE)
    assert (status, out) == (1, f"{first} {second}\n")
    assert "seat 2 (player2) is gone" in err
    assert "broken off after 0 hands" in err


def test_connect(typed: Typed) -> None:
    """Seat 1 raises whenever it may, and is called."""
    with dealing(hands=3) as (_, port):
        status, out, _ = typed(
            *("acpc", "connect", LOOPBACK, port, "--player", "raise", "--hands", "3", "--json")
        )
    answer = json.loads(out)
    assert status == 0
    assert (answer["hands"], answer["broken_off"], answer["lines_not_understood"]) == (3, None, 0)
    assert answer["mbb_per_hand"] == pytest.approx(100 * answer["chips"] / 3)
    assert answer["standard_error"] >= 0


def test_connect_to_a_dealer_who_dies(typed: Typed) -> None:
    def deal_and_die() -> None:
        wire, _ = listening.accept()
        with wire:
            wire.recv(100)
            wire.sendall(b"MATCHSTATE:1:0::|Qd7c\r\n")
            wire.recv(100)

    with socket.create_server((LOOPBACK, 0)) as listening:
        thread = threading.Thread(target=deal_and_die, daemon=True)
        thread.start()
        port = str(listening.getsockname()[1])
        status, out, err = typed("acpc", "connect", LOOPBACK, port, "--player", "call")
        thread.join(PATIENCE)
    assert (status, out) == (1, "call: 0 hands, +0 chips\n")
    assert "the match was broken off in hand 0: the connection was closed" in err


def test_a_person_sits_at_a_dealer(typed: Typed) -> None:
    """The person sees pictures, what happened meanwhile, and how hands end."""
    with dealing(hands=2) as (_, port):
        status, out, err = typed(
            *("acpc", "connect", LOOPBACK, port, "--player", "human"),
            lines="check\n" * 4 + "fold\n",
        )
    assert (status, err) == (0, "")
    assert "your cards: 4c Ks; board: none" in out
    assert "2h is dealt to the table\n" in out  # a card of the flop
    assert "Hand 0 is over. The cards were 4cKs|" in out
    assert "; you lost 5.\n" in out  # the blind that was folded
    assert out.splitlines()[-2].startswith("human: 2 hands, ")


def test_a_match_in_two_logs_counts_once(typed: Typed, tmp_path: Path) -> None:
    line = "STATE:{}:rf:3s5d|Td2s:{}:{}\n"
    text = "".join(line.format(hand, "-10|10", ("a|b", "b|a")[hand % 2]) for hand in range(12))
    for name in ("one.log", "copy.log"):
        (tmp_path / name).write_text(text)
    files = [f"{tmp_path}/one.log", f"{tmp_path}/copy.log"]
    status, out, err = typed("acpc", "log", *files)
    assert status == 0
    assert f"Note: {files[1]} has a match of 12 hands that {files[0]} has; it counts once." in err
    assert out == typed("acpc", "log", files[0])[1]
