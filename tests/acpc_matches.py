"""Matches over real sockets, between our dealer and our client, all in this process."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hiddenhand.budget import Budget
from hiddenhand.interop.acpc.client import Client, Played
from hiddenhand.interop.acpc.connection import Connection, connected
from hiddenhand.interop.acpc.dealer import LOOPBACK, Dealer, Limits, MatchPlan
from hiddenhand.interop.acpc.observation_tracker import load_table
from hiddenhand.interop.acpc.states import HandRecord, Score
from hiddenhand.players.player import Player

TWO = "holdem.limit.2p.reverse_blinds"
THREE = "holdem.limit.3p"
NAMES = ("ann", "bob", "cid")
PATIENCE = 20.0
"""Seconds after which something hangs."""


class Match:
    """A match that was played.

    score: what the dealer says.
    records: the hands, as the dealer has them.
    played: what the client in each seat has seen.
    warnings: what the dealer warned of.
    """

    def __init__(self, game: str, hands: int, seed: int, players: Sequence[Player]) -> None:
        self.table = load_table(game)
        self.plan = MatchPlan(self.table.definition, hands, seed, NAMES[: len(players)])
        self.records: list[HandRecord] = []
        self.warnings: list[str] = []
        self.played: list[Played | None] = [None] * len(players)
        self._players = players
        limits = Limits(PATIENCE, PATIENCE, PATIENCE, PATIENCE)
        with Dealer(self.plan, limits, warn=self.warnings.append) as dealer:
            threads = [
                threading.Thread(target=self._sit, args=(seat, port), daemon=True)
                for seat, port in enumerate(dealer.ports)
            ]
            for thread in threads:
                thread.start()
            self.score: Score = dealer.play(self.records.append)
        for thread in threads:
            thread.join(PATIENCE)

    def _sit(self, seat: int, port: int) -> None:
        with connected(LOOPBACK, port, PATIENCE) as connection:
            client = Client(
                connection, self.table, self._players[seat], seat, Budget(iterations=10)
            )
            self.played[seat] = client.play()


@contextmanager
def pair() -> Iterator[tuple[Connection, socket.socket]]:
    """A connection, and the socket at its other end."""
    with socket.create_server((LOOPBACK, 0)) as listening:
        other = socket.create_connection(listening.getsockname())
        wire, _ = listening.accept()
    other.settimeout(PATIENCE)
    with Connection(wire) as connection, other:
        yield connection, other
