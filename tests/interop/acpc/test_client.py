"""The client against a dealer that is played by hand, byte by byte."""

import socket
import threading
from collections.abc import Sequence
from contextlib import ExitStack

import pytest
from acpc_matches import PATIENCE, THREE, TWO, pair
from naive.watching import Logged

from hiddenhand.budget import Budget
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.interop.acpc.client import Client, Played
from hiddenhand.interop.acpc.connection import VERSION
from hiddenhand.interop.acpc.observation_tracker import load_table
from hiddenhand.interop.acpc.states import read_match_state
from hiddenhand.players.player import Decision, Player, derived_seed
from hiddenhand.players.poker import CallPlayer, RaisePlayer

END = "\r\n"


class Sitting:
    """A client that sits at a dealer played by hand.

    other: the dealer's end of the connection.
    """

    def __init__(self, player: Player, other: socket.socket, client: Client) -> None:
        self.player = player
        self.other = other
        self.played: Played | None = None
        self._heard = b""
        self._thread = threading.Thread(target=self._play, args=(client,), daemon=True)
        self._thread.start()
        assert self.hears() == VERSION

    def _play(self, client: Client) -> None:
        self.played = client.play()

    def says(self, *lines: str) -> None:
        """All lines at once."""
        self.other.sendall("".join(f"{line}{END}" for line in lines).encode())

    def hears(self) -> str:
        while not self._heard.endswith(b"\r\n"):
            self._heard += self.other.recv(1)
        line, self._heard = self._heard.decode().removesuffix(END), b""
        return line

    def hears_nothing(self) -> bool:
        self.other.settimeout(0.1)
        try:
            return not self.other.recv(1)
        except TimeoutError:
            return True
        finally:
            self.other.settimeout(PATIENCE)

    def leaves(self) -> Played:
        """The dealer closes the connection."""
        self.other.close()
        self._thread.join(PATIENCE)
        assert self.played is not None
        return self.played


@pytest.fixture
def sit():  # type: ignore[no-untyped-def]
    """Seat a player, at a game for two or for three."""
    with ExitStack() as stack:

        def seated(player: Player, game: str = TWO) -> Sitting:
            connection, other = stack.enter_context(pair())
            return Sitting(player, other, Client(connection, load_table(game), player, seed=1))

        yield seated


def test_a_hand_of_the_specification(sit) -> None:  # type: ignore[no-untyped-def]
    """Answers are the state, a colon and the action; nothing is said where others act."""
    at = sit(CallPlayer())
    for line in (
        "MATCHSTATE:0:0::TdAs|",
        "MATCHSTATE:0:0:r:TdAs| c",
        "MATCHSTATE:0:0:rc/:TdAs|/2c8c3h c",
        "MATCHSTATE:0:0:rc/c:TdAs|/2c8c3h",
        "MATCHSTATE:0:0:rc/cr:TdAs|/2c8c3h c",
        "MATCHSTATE:0:0:rc/crc/:TdAs|/2c8c3h/9c c",
        "MATCHSTATE:0:0:rc/crc/c:TdAs|/2c8c3h/9c",
        "MATCHSTATE:0:0:rc/crc/cc/:TdAs|/2c8c3h/9c/Kh c",
        "MATCHSTATE:0:0:rc/crc/cc/c:TdAs|/2c8c3h/9c/Kh",
        "MATCHSTATE:0:0:rc/crc/cc/cr:TdAs|/2c8c3h/9c/Kh c",
    ):
        state, _, answer = line.partition(" ")
        at.says(state)
        if answer:
            assert at.hears() == f"{state}:{answer}"
    at.says("MATCHSTATE:0:0:rc/crc/cc/crc:TdAs|8hTc/2c8c3h/9c/Kh")
    played = at.leaves()
    assert played == Played(values=(-50.0,), answers=6, not_understood=0)


def test_folds_and_raises_are_written(sit) -> None:  # type: ignore[no-untyped-def]
    at = sit(RaisePlayer())
    at.says("MATCHSTATE:1:0::|Qd7c")
    assert at.hears() == "MATCHSTATE:1:0::|Qd7c:r"
    at.says("MATCHSTATE:1:0:rr:|Qd7c")
    assert at.hears() == "MATCHSTATE:1:0:rr:|Qd7c:r"  # the third and last
    at.says("MATCHSTATE:1:0:rrrc/c:|Qd7c/2h8h5c")
    assert at.hears() == "MATCHSTATE:1:0:rrrc/c:|Qd7c/2h8h5c:r"
    at.says("MATCHSTATE:1:0:rrrc/crrrr:|Qd7c/2h8h5c")
    assert at.hears() == "MATCHSTATE:1:0:rrrc/crrrr:|Qd7c/2h8h5c:c"  # no raise is left


def test_states_that_are_stale(sit) -> None:  # type: ignore[no-untyped-def]
    """What was answered, what came before it and what belongs to an earlier hand is no question.
    The number of a hand need not be larger than the last.
    """
    at = sit(CallPlayer())
    at.says("MATCHSTATE:1:7::|Qd7c")
    assert at.hears() == "MATCHSTATE:1:7::|Qd7c:c"
    at.says("MATCHSTATE:1:7::|Qd7c", "MATCHSTATE:1:7::|Qd7c")
    assert at.hears_nothing()
    at.says("MATCHSTATE:1:7:cr:|Qd7c")
    assert at.hears() == "MATCHSTATE:1:7:cr:|Qd7c:c"
    at.says("MATCHSTATE:1:7::|Qd7c", "MATCHSTATE:1:7:crr:|Qd7d")  # the second with other cards
    at.says("MATCHSTATE:1:7:rrr:|Qd7c")  # after other actions
    assert at.hears_nothing()
    at.says("MATCHSTATE:0:2:c:TdAs|")
    assert at.hears() == "MATCHSTATE:0:2:c:TdAs|:c"
    at.says("MATCHSTATE:1:7:crc/cr:|Qd7c/2h8h5c")
    assert at.hears_nothing()


def test_comments_and_lines_that_mean_nothing(sit) -> None:  # type: ignore[no-untyped-def]
    at = sit(CallPlayer())
    at.says("#comment", ";gui", "", "GAMEOVER", "MATCHSTATE:9:9::|", "MATCHSTATE:1:0::|Qd7c", "# x")
    assert at.hears() == "MATCHSTATE:1:0::|Qd7c:c"
    at.other.sendall(b"\xff\xfe\r\n")
    at.says("MATCHSTATE:1:0:cr:|Qd7c")
    assert at.hears() == "MATCHSTATE:1:0:cr:|Qd7c:c"
    assert at.leaves().not_understood == 3


class Stubborn:
    """Answers what is not legal."""

    def __init__(self, action: int) -> None:
        self._action = action

    def start(self, game: Game, seat: int, seed: int) -> None: ...
    def prepare(self, budget: Budget) -> None: ...
    def end(self, events: Sequence[Event], payoff: float) -> None: ...

    def act(
        self, events: Sequence[Event], legal_actions: Sequence[int], budget: Budget | None
    ) -> Decision:
        return Decision(self._action, ())


@pytest.mark.parametrize("action", [LimitHoldem.FOLD, -1, 7])
def test_an_illegal_action_is_never_sent(sit, action: int) -> None:  # type: ignore[no-untyped-def]
    """The competition's dealer would make a call of it, and count it."""
    at = sit(Stubborn(action))
    at.says("MATCHSTATE:0:0:c:TdAs|")  # nothing to fold to
    assert at.hears() == "MATCHSTATE:0:0:c:TdAs|:c"


def test_the_dealer_dies(sit) -> None:  # type: ignore[no-untyped-def]
    at = sit(CallPlayer())
    at.says("MATCHSTATE:1:3::|Qd7c")
    at.hears()
    played = at.leaves()
    assert played.values == ()
    assert "broken off in hand 3" in played.broken_off
    assert "dealt no hand" in sit(CallPlayer()).leaves().broken_off
    at = sit(CallPlayer())
    at.says("MATCHSTATE:1:0:f:|Qd7c")
    assert at.leaves() == Played(values=(-5.0,), answers=0, not_understood=0)


def test_each_hand_is_a_match_of_its_own(sit) -> None:  # type: ignore[no-untyped-def]
    """The player is started in each hand anew, in the position of that hand, is told each event
    once, and in the end how it ended.
    """
    player = Logged(CallPlayer())
    at = sit(player, THREE)
    at.says("MATCHSTATE:2:55::||AsTs")
    assert at.hears() == "MATCHSTATE:2:55::||AsTs:c"
    assert (player.seat, player.seed) == (2, derived_seed(1, 55))
    at.says("MATCHSTATE:2:55:rcc/cc:||AsTs/4cJh8h")  # the dealer has made a raise of our call
    assert at.hears() == "MATCHSTATE:2:55:rcc/cc:||AsTs/4cJh8h:c"
    told = player.heard[-1]
    at.says("MATCHSTATE:2:55:rcc/cccr/:||AsTs/4cJh8h/2d")  # which is no state at all
    at.says("MATCHSTATE:2:55:rcc/ccc/rff:||AsTs/4cJh8h/2d", "MATCHSTATE:1:56:r:|2c2d|")
    assert at.hears_nothing()
    table = load_table(THREE)
    last = "MATCHSTATE:2:55:rcc/ccc/rff:||AsTs/4cJh8h/2d"
    history, events = table.walk(read_match_state(table.definition, last))
    assert player.ended == (events[len(told) :], -20.0)
    assert history.returns()[2] == -20.0
    played = at.leaves()
    assert played.values == (-20.0,)
    assert played.not_understood == 1
    assert (player.seat, player.seed) == (1, derived_seed(1, 56))
