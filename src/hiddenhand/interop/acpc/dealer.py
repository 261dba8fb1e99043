"""A dealer: it deals the cards and keeps the pots. It sends each player the state as far as the
player may know it, and takes the action of the player that is to act.

Source: `dealer.c` of the competition's server. As there, each seat has a port of its own, and the
dealer sends every action to all players. An answer that is no action, or one that is not legal,
counts as a call. A player that is gone or too slow ends the match. Unlike that server, this one
refuses players that speak another version of the protocol.
"""

import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Final, Self

from hiddenhand import clock
from hiddenhand.errors import OptionError, ProtocolError, RefusedOptionError
from hiddenhand.games.poker.definition import GameDefinition
from hiddenhand.interop.acpc.betting import CALL, Betting
from hiddenhand.interop.acpc.cards import Cards, Deals
from hiddenhand.interop.acpc.connection import COMMENTS, VERSION, Connection, Gone
from hiddenhand.interop.acpc.states import (
    LAST_HAND,
    HandRecord,
    MatchState,
    Score,
    hand_values,
    position_of,
    seat_of,
    verify_name,
)
from hiddenhand.systems import keep_port
from hiddenhand.text import shortened

_MOST_WARNINGS: Final = 20
"""How many warnings a match has at most: some players answer wrongly all the time."""

LOOPBACK: Final = "127.0.0.1"
"""The address that only programs on the same machine can reach."""


@dataclass(frozen=True)
class Limits:
    """How many seconds a player may take, as the competition's dealer counts them by default.

    move_seconds: for one action.
    hand_seconds: for all actions of one hand.
    per_hand_seconds: for a hand on average, over the whole match.
    start_seconds: for connecting; None for as long as it takes.
    """

    move_seconds: float = 600.0
    hand_seconds: float = 600.0
    per_hand_seconds: float = 7.0
    start_seconds: float | None = None

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and not value > 0:
                raise RefusedOptionError(name, value, "give a time above 0 seconds")


@dataclass(frozen=True)
class MatchPlan:
    """What a dealer deals.

    definition: the game.
    hands: how many hands.
    seed: the seed of the cards.
    names: the names of the players, in the order of seats.
    """

    definition: GameDefinition
    hands: int
    seed: int
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= self.hands <= LAST_HAND:
            raise RefusedOptionError("hands", self.hands, f"give a number from 1 to {LAST_HAND}")
        if len(self.names) != self.definition.num_players:
            raise OptionError(
                f"{len(self.names)} names are not enough or too many; the game has "
                f"{self.definition.num_players} players"
            )
        for name in self.names:
            verify_name(name)


class Clock:
    """The time that one player may still take.

    limits: the limits of the match.
    hands: how many hands it has.
    """

    def __init__(self, limits: Limits, hands: int) -> None:
        self._limits = limits
        self._match_left = limits.per_hand_seconds * hands
        self.new_hand()

    def new_hand(self) -> None:
        """A hand begins."""
        self._hand_left = self._limits.hand_seconds

    @property
    def left(self) -> float:
        """The seconds that the next action may take."""
        return min(self._limits.move_seconds, self._hand_left, self._match_left)

    def take(self, seconds: float) -> None:
        """The player has taken ``seconds`` for an action."""
        self._hand_left -= seconds
        self._match_left -= seconds

    def exceeded(self) -> str:
        """What was too long, once `left` has passed."""
        if self.left == self._limits.move_seconds:
            return f"more than {self._limits.move_seconds:g} seconds for a move"
        if self.left == self._hand_left:
            return f"more than {self._limits.hand_seconds:g} seconds for a hand"
        return f"more than {self._limits.per_hand_seconds:g} seconds for a hand on average"


class Dealer:
    """A dealer that listens; close it after use, or use it in a ``with`` statement. Raises
    OptionError for a port that is in use or not allowed.

    plan: what is dealt.
    limits: the time that players may take.
    host: the address where the dealer listens; by default only programs on this machine can
        connect.
    ports: the port of each seat, 0 for any free port; by default any free ports.
    warn: called with a sentence about a wrong answer of a player, for the first such answers.
    """

    def __init__(
        self,
        plan: MatchPlan,
        limits: Limits | None = None,
        host: str = LOOPBACK,
        ports: Sequence[int] = (),
        warn: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        self.plan = plan
        self._limits = limits or Limits()
        self._warn = warn
        self._warnings = 0
        self._deals = Deals(plan.definition, plan.seed)
        self._players = plan.definition.num_players
        self._clocks = [Clock(self._limits, plan.hands) for _ in range(self._players)]
        self._open = ExitStack()
        ports = tuple(ports) or (0,) * self._players
        if len(ports) != self._players:
            raise OptionError(
                f"{len(ports)} ports are not enough or too many; the game has {self._players} "
                "players, with a port each"
            )
        with ExitStack() as opened:
            self._listening = [opened.enter_context(_listening(host, port)) for port in ports]
            self._open = opened.pop_all()
        self._connections: list[Connection] = []

    @property
    def ports(self) -> tuple[int, ...]:
        """The port of each seat."""
        return tuple(wire.getsockname()[1] for wire in self._listening)

    def close(self) -> None:
        """Close all connections."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def play(self, keep: Callable[[HandRecord], object] = lambda record: None) -> Score:
        """Wait for the players, play all hands, and return what each seat won. Raises
        ProtocolError, and ends the match, when a player is gone or has taken too long.

        keep: called with each hand when it is over, before the players learn how it ended.
        """
        self._connections = self._connected()
        totals = [0.0] * self._players
        for hand in range(self.plan.hands):
            record = self._play_hand(hand, keep)
            for position, value in enumerate(record.values):
                totals[seat_of(position, hand, self._players)] += value
        return Score(tuple(totals), self.plan.names)

    # --- the beginning ---

    def _connected(self) -> list[Connection]:
        """The connections of all seats, each with a player who speaks this protocol."""
        until = (
            None if self._limits.start_seconds is None else clock.now() + self._limits.start_seconds
        )
        connections = []
        for seat, listening in enumerate(self._listening):
            left = _left(until)
            listening.settimeout(None if left is None else clock.timeout(left))
            try:
                wire, _ = listening.accept()
            except (TimeoutError, BlockingIOError):
                raise ProtocolError(self._missing(seat)) from None
            connections.append(Connection(wire))
            self._open.enter_context(connections[-1])
        for seat, connection in enumerate(connections):
            line = self._greeting(seat, connection, until)
            if line != VERSION and not line.startswith("VERSION:2.0."):
                raise ProtocolError(
                    f"{self._who(seat)} said {shortened(line)}; {VERSION} is spoken here"
                )
        return connections

    def _greeting(self, seat: int, connection: Connection, until: float | None) -> str:
        """The first line of a player that is no comment."""
        while True:
            try:
                line = connection.read(_left(until))
            except Gone as gone:
                raise ProtocolError(f"{self._who(seat)} is gone: {gone}") from None
            if line is None:
                raise ProtocolError(self._missing(seat))
            if line and not line.startswith(COMMENTS):
                return line

    def _missing(self, seat: int) -> str:
        return f"{self._who(seat)} did not come within {self._limits.start_seconds:g} seconds"

    # --- a hand ---

    def _play_hand(self, hand: int, keep: Callable[[HandRecord], object]) -> HandRecord:
        for allowed in self._clocks:
            allowed.new_hand()
        cards, betting = self._deals.next(), Betting.begun(self.plan.definition)
        while not betting.is_over:
            states = self._states(hand, betting, cards)
            self._tell(states)
            betting = betting.after(self._action(states[betting.actor]))
        shown = Cards(cards.holes, cards.board[: betting.num_board_cards])
        seats = [seat_of(position, hand, self._players) for position in range(self._players)]
        record = HandRecord(
            hand=hand,
            betting=betting,
            cards=shown,
            values=hand_values(betting, shown),
            names=tuple(self.plan.names[seat] for seat in seats),
        )
        keep(record)
        self._tell(self._states(hand, betting, cards))
        return record

    def _states(self, hand: int, betting: Betting, cards: Cards) -> list[MatchState]:
        """What each position may know."""
        return [
            MatchState(position, hand, betting, visible(cards, betting, position))
            for position in range(self._players)
        ]

    def _tell(self, states: list[MatchState]) -> None:
        """Send each player their state, in the order of seats."""
        for seat in range(self._players):
            state = states[position_of(seat, states[0].hand, self._players)]
            try:
                self._connections[seat].send(state.text)
            except Gone as gone:
                raise ProtocolError(f"{self._who(seat)} is gone: {gone}") from None

    def _action(self, state: MatchState) -> str:
        """What the player who is to act in ``state`` answers."""
        seat, allowed = state.seat, self._clocks[state.seat]
        began = clock.now()
        while True:
            try:
                line = self._connections[seat].read(allowed.left - (clock.now() - began))
            except Gone as gone:
                raise ProtocolError(f"{self._who(seat)} is gone: {gone}") from None
            if line is None or clock.now() - began > allowed.left:
                raise ProtocolError(f"{self._who(seat)} took {allowed.exceeded()}")
            if not line or line.startswith(COMMENTS):
                continue
            answered, _, action = line.rpartition(":")
            if answered == state.text:
                allowed.take(clock.now() - began)
                return self._legal(state, action)
            self._complain(f"{self._who(seat)} said {shortened(line)}, which answers nothing")

    def _legal(self, state: MatchState, action: str) -> str:
        """The action that an answer means: a call, where it means none that is legal."""
        if action[:1] and action[:1] in state.betting.legal():
            return action[:1]
        self._complain(
            f"{self._who(state.seat)} answered {shortened(action)} in hand {state.hand}, which is "
            "not legal there and counts as a call"
        )
        return CALL

    def _complain(self, sentence: str) -> None:
        self._warnings += 1
        if self._warnings <= _MOST_WARNINGS:
            self._warn(sentence)

    def _who(self, seat: int) -> str:
        return f"seat {seat + 1} ({self.plan.names[seat]})"


def visible(cards: Cards, betting: Betting, position: int) -> Cards:
    """What a position may know: its own cards, the board of the rounds that have begun, and after a
    showdown the cards of all who have not folded.
    """
    shown = {position, *(betting.left if betting.is_showdown else ())}
    return Cards(
        tuple(hole if p in shown else () for p, hole in enumerate(cards.holes)),
        cards.board[: betting.num_board_cards],
    )


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    try:
        family, kind, protocol, _, address = _resolved(host, port)
        wire = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:  # UnicodeError: of a host such as "a..b"
        raise OptionError(
            f"--host {host} cannot be used ({getattr(error, 'strerror', None) or error}); give an "
            "address of this machine, such as 127.0.0.1"
        ) from None
    try:
        keep_port(wire)
        wire.bind(address)
        wire.listen(1)
    except (OSError, OverflowError) as error:
        wire.close()
        raise OptionError(
            f"port {port} of {host} is not available "
            f"({getattr(error, 'strerror', None) or error}); give another, or 0 for any free port"
        ) from None
    return wire


def _resolved(host: str, port: int) -> Any:
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]


def _left(until: float | None) -> float | None:
    return None if until is None else max(0.001, until - clock.now())
