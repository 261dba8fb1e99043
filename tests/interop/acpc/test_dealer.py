"""The dealer: matches with our clients over real sockets, and players who are slow or gone."""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from acpc_matches import NAMES, PATIENCE, THREE, TWO, Match
from naive.watching import Logged

from hiddenhand.errors import OptionError, ProtocolError
from hiddenhand.games.history import Event
from hiddenhand.games.poker.definition import load_definition
from hiddenhand.interop.acpc.betting import read_betting
from hiddenhand.interop.acpc.cards import Cards, Deals, written_cards
from hiddenhand.interop.acpc.connection import VERSION, Connection, connected
from hiddenhand.interop.acpc.dealer import LOOPBACK, Clock, Dealer, Limits, MatchPlan, visible
from hiddenhand.interop.acpc.logs import by_seat
from hiddenhand.interop.acpc.observation_tracker import load_table
from hiddenhand.interop.acpc.states import HandRecord, MatchState, position_of
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.poker import CallPlayer, RaisePlayer
from hiddenhand.players.registry import make_player

# what the competition's own `game.c` says of these matches, built and run with these seeds: players
# who call and who raise, in the order of seats
CALLERS_AND_RAISERS = [
    (
        TWO,
        12345,
        (CallPlayer, RaisePlayer),
        [
            "STATE:0:rc/crc/crc/crc:ThAc|JhQc/Qh2h5s/Ah/2d:70|-70:ann|bob",
            "STATE:1:crc/rc/rc/rc:5sJs|4d8h/6dJcTc/4h/2s:70|-70:bob|ann",
            "STATE:2:rc/crc/crc/crc:Ts8c|3sJh/4sTd2s/7h/5h:70|-70:ann|bob",
            "STATE:3:crc/rc/rc/rc:Ks5d|QsAs/9c6h8d/Kh/4d:70|-70:bob|ann",
        ],
        "SCORE:0|0:ann|bob",
    ),
    (
        THREE,
        4294967295,
        (CallPlayer, RaisePlayer, CallPlayer),
        [
            "STATE:0:ccrcc/crcc/crcc/crcc:Jh7d|2hQc|QhQs/Js2sKh/Td/7h:140|-70|-70:ann|bob|cid",
            "STATE:1:crcc/rcc/rcc/rcc:8dTh|Qd2d|2h5h/AsQc4d/Jd/9d:-70|140|-70:bob|cid|ann",
            "STATE:2:rcc/ccrcc/ccrcc/ccrcc:Jd5s|7h8s|AdKs/Qh2c3h/9c/8c:-70|140|-70:cid|ann|bob",
            "STATE:3:ccrcc/crcc/crcc/crcc:3c4h|9sKh|AdTh/AcQh6d/Js/2s:-70|-70|140:ann|bob|cid",
        ],
        "SCORE:140|-280|140:ann|bob|cid",
    ),
]


@pytest.mark.parametrize(("game", "seed", "kinds", "hands", "score"), CALLERS_AND_RAISERS)
def test_matches_that_the_competition_deals_alike(  # type: ignore[no-untyped-def]
    game: str, seed: int, kinds, hands: list[str], score: str
) -> None:
    match = Match(game, len(hands), seed, [kind() for kind in kinds])
    assert [record.text for record in match.records] == hands
    assert match.score.text == score


@pytest.mark.parametrize("game", [TWO, THREE])
def test_everybody_sees_the_same_match(game: str) -> None:
    """What all seats won sums up to nothing, and over the hands to the score. Each player hears
    what the whole hand, which the dealer knows, gives to hear.
    """
    players = [Logged(RandomPlayer()) for _ in range(load_definition(game).num_players)]
    match = Match(game, 12, 3, players)
    assert match.warnings == []
    won = [by_seat(record.values, record.hand) for record in match.records]
    assert all(math.isclose(sum(values), 0, abs_tol=1e-9) for values in won)
    for seat, player in enumerate(players):
        played = match.played[seat]
        assert played is not None
        assert (played.broken_off, played.not_understood) == ("", 0)
        assert played.values == tuple(values[seat] for values in won)
        assert match.score.values[seat] == sum(played.values)
        assert player.ended == heard_in_the_end(match, seat, match.records[-1])


def heard_in_the_end(match: Match, seat: int, record: HandRecord) -> tuple[list[Event], float]:
    """What a player must hear when a hand is over, if all cards are known."""
    position = position_of(seat, record.hand, len(match.plan.names))
    state = MatchState(position, record.hand, record.betting, record.cards)
    history, events = match.table.walk(state)
    own = [number for number, event in enumerate(events) if event.action]
    return events[own[-1] if own else 0 :], history.returns()[position]


@pytest.mark.slow
def test_a_search_sits_at_a_dealer() -> None:
    """It follows both hands, one in each position, and its belief is of histories that fit."""
    table = load_table(TWO)
    search = Logged(make_player(table.game, "ismcts"))
    match = Match(TWO, 2, 5, [search, CallPlayer()])
    played = match.played[0]
    assert played is not None
    assert len(played.values) == 2
    assert len(search.decisions) == played.answers > 2
    assert all(decision.thought["belief"] > 0 for decision in search.decisions)


def test_duplicate_matches_have_the_same_cards() -> None:
    """Equal seeds deal equal cards to the positions, whoever sits there and whatever they do."""
    one = Match(TWO, 6, 11, [RaisePlayer(), RandomPlayer()])
    other = Match(TWO, 6, 11, [CallPlayer(), RaisePlayer()])
    deals = Deals(one.plan.definition, 11)
    for first, second in zip(one.records, other.records, strict=True):
        dealt = deals.next()
        assert first.cards.holes == second.cards.holes == dealt.holes
        assert first.cards.board == dealt.board[: len(first.cards.board)]


# --- players who are slow, gone or wrong ---


class Table:
    """A dealer of two hands at work, and two seats that are played by hand.

    seats: the connections of the seats.
    """

    def __init__(self, dealer: Dealer, seats: list[Connection]) -> None:
        self.seats = seats
        self._dealer = dealer
        self._ended: list[BaseException | None] = []
        self.records: list[HandRecord] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._dealer.play(self.records.append)
            self._ended.append(None)
        except ProtocolError as error:
            self._ended.append(error)

    def end(self) -> str:
        """What ended the match; nothing for one that was played."""
        self._thread.join(PATIENCE)
        return "" if self._ended[0] is None else str(self._ended[0])


@contextmanager
def two_seats(
    limits: Limits | None = None, warn: Callable[[str], object] = lambda sentence: None
) -> Iterator[Table]:
    plan = MatchPlan(load_definition(TWO), 2, 1, NAMES[:2])
    limits = limits or Limits(PATIENCE, PATIENCE, PATIENCE, PATIENCE)
    with (
        Dealer(plan, limits, warn=warn) as dealer,
        connected(LOOPBACK, dealer.ports[0], 5) as first,
        connected(LOOPBACK, dealer.ports[1], 5) as second,
    ):
        yield Table(dealer, [first, second])


def greeted(table: Table) -> str:
    """The state in which the second seat, the button of the first hand, is to act."""
    for seat in table.seats:
        seat.send(VERSION)
    state = table.seats[1].read(5)
    assert state is not None
    assert state.startswith("MATCHSTATE:1:0::|")
    return state


def test_answers_that_are_none() -> None:
    """Comments, states of other hands and lines that mean nothing are passed over; an action that
    is not legal is a call, and so is one that does not exist.
    """
    warnings: list[str] = []
    with two_seats(warn=warnings.append) as table:
        state = greeted(table)
        for line in ("# thinking", "; hm", "", "MATCHSTATE:1:9::|2c2d:f", "what?"):
            table.seats[1].send(line)
        table.seats[1].send(f"{state}:x")
        assert table.seats[0].read(5) == state_for(0, "")
        assert table.seats[0].read(5) == state_for(0, "c")
        table.seats[0].send(f"{state_for(0, 'c')}:f")  # there is nothing to fold to
        assert table.seats[0].read(5) == state_for(0, "cc/")
    assert len(warnings) == 4
    assert "answers nothing" in warnings[0]
    assert all("counts as a call" in warning for warning in warnings[2:])


def state_for(position: int, betting: str) -> str:
    """A state of the first hand, which `two_seats` deals, as text."""
    definition = load_definition(TWO)
    dealt, told = Deals(definition, 1).next(), read_betting(definition, betting)
    return MatchState(position, 0, told, visible(dealt, told, position)).text


def test_cards_are_shown_after_a_showdown_only() -> None:
    assert state_for(0, "f").count("|") == 1
    holes = Deals(load_definition(TWO), 1).next().holes
    one, other = map(written_cards, holes)
    assert state_for(0, "f") == f"MATCHSTATE:0:0:f:{one}|"
    assert state_for(1, "f") == f"MATCHSTATE:1:0:f:|{other}"
    assert state_for(1, "cc/cc/cc/cc").startswith(f"MATCHSTATE:1:0:cc/cc/cc/cc:{one}|{other}/")
    assert state_for(1, "cc/cc/cc/rf").startswith(f"MATCHSTATE:1:0:cc/cc/cc/rf:|{other}/")
    assert Cards(holes).known == holes[0] + holes[1]


def test_a_player_who_is_gone_ends_the_match() -> None:
    with two_seats() as table:
        greeted(table)
        table.seats[1].close()
        assert "seat 2 (bob) is gone" in table.end()


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(0.05, 9, 9, 9), "seat 2 (bob) took more than 0.05 seconds for a move"),
        (Limits(9, 0.05, 9, 9), "seat 2 (bob) took more than 0.05 seconds for a hand"),
        (Limits(9, 9, 0.02, 9), "took more than 0.02 seconds for a hand on average"),
    ],
)
@pytest.mark.timed
def test_a_player_who_is_slow_ends_the_match(limits: Limits, said: str) -> None:
    with two_seats(limits) as table:
        greeted(table)
        assert said in table.end()


def test_time_is_counted_over_a_hand_and_a_match() -> None:
    """Moves that are each fast enough are too slow together."""
    clock = Clock(Limits(move_seconds=5, hand_seconds=8, per_hand_seconds=7), hands=2)
    clock.take(4)
    assert (clock.left, clock.exceeded()) == (4, "more than 8 seconds for a hand")
    clock.new_hand()
    assert (clock.left, clock.exceeded()) == (5, "more than 5 seconds for a move")
    clock.take(3)
    clock.new_hand()
    clock.take(3)
    assert (clock.left, clock.exceeded()) == (4, "more than 7 seconds for a hand on average")


@pytest.mark.timed
def test_players_who_do_not_come_or_speak_otherwise() -> None:
    with two_seats(Limits(9, 9, 9, 0.2)) as table:
        table.seats[0].send(VERSION)
        assert "seat 2 (bob) did not come within 0.2 seconds" in table.end()
    with two_seats() as table:
        table.seats[0].send("VERSION:3.0.0")
        table.seats[1].send(VERSION)
        assert "VERSION:2.0.0 is spoken here" in table.end()
    with two_seats() as table:
        table.seats[0].close()
        assert "seat 1 (ann) is gone" in table.end()


def test_what_cannot_be_dealt() -> None:
    definition = load_definition(TWO)
    for hands, names, said in ((0, NAMES[:2], "hands=0 is not allowed"), (1, NAMES, "3 names")):
        with pytest.raises(OptionError, match=said):
            MatchPlan(definition, hands, 0, names)
    with pytest.raises(ProtocolError, match="cannot be the name"):
        MatchPlan(definition, 1, 0, ("a|b", "c"))
    with pytest.raises(OptionError, match="move_seconds=0 is not allowed"):
        Limits(move_seconds=0)
    plan = MatchPlan(definition, 1, 0, NAMES[:2])
    with pytest.raises(OptionError, match="1 ports are not enough"):
        Dealer(plan, ports=(0,))
    with Dealer(plan) as first, pytest.raises(OptionError, match="is not available"):
        Dealer(plan, ports=first.ports)
    with pytest.raises(OptionError, match=r"no\.such\.host\.invalid cannot be used"):
        Dealer(plan, host="no.such.host.invalid")


def test_only_this_machine_can_come_unless_told() -> None:
    with Dealer(MatchPlan(load_definition(TWO), 1, 0, NAMES[:2])) as dealer:
        assert {wire.getsockname()[0] for wire in dealer._listening} == {"127.0.0.1"}
