"""Lines of the protocol: the examples of its specification, and lines that are none."""

import pytest

from hiddenhand.errors import ProtocolError
from hiddenhand.games.poker.definition import load_definition, parse_definition
from hiddenhand.interop.acpc.betting import NOBODY, Betting, read_betting
from hiddenhand.interop.acpc.states import (
    position_of,
    read_hand_record,
    read_match_state,
    read_score,
    seat_of,
    written_values,
)

TWO = load_definition("holdem.limit.2p.reverse_blinds")
THREE = load_definition("holdem.limit.3p")

# the competition's protocol specification, version 2.0.0, October 2010: what the server sends, and
# whether the client answers
TWO_PLAYERS = """\
MATCHSTATE:0:0::TdAs|
MATCHSTATE:0:0:r:TdAs| r
MATCHSTATE:0:0:rr:TdAs|
MATCHSTATE:0:0:rrc/:TdAs|/2c8c3h r
MATCHSTATE:0:0:rrc/r:TdAs|/2c8c3h
MATCHSTATE:0:0:rrc/rc/:TdAs|/2c8c3h/9c c
MATCHSTATE:0:0:rrc/rc/c:TdAs|/2c8c3h/9c
MATCHSTATE:0:0:rrc/rc/cr:TdAs|/2c8c3h/9c c
MATCHSTATE:0:0:rrc/rc/crc/:TdAs|/2c8c3h/9c/Kh c
MATCHSTATE:0:0:rrc/rc/crc/c:TdAs|/2c8c3h/9c/Kh
MATCHSTATE:0:0:rrc/rc/crc/cr:TdAs|/2c8c3h/9c/Kh c
MATCHSTATE:0:0:rrc/rc/crc/crc:TdAs|8hTc/2c8c3h/9c/Kh
MATCHSTATE:1:1::|Qd7c r
MATCHSTATE:1:1:r:|Qd7c
MATCHSTATE:1:1:rr:|Qd7c c
MATCHSTATE:1:1:rrc/:|Qd7c/2h8h5c
MATCHSTATE:1:1:rrc/r:|Qd7c/2h8h5c c
MATCHSTATE:1:1:rrc/rc/:|Qd7c/2h8h5c/Th
MATCHSTATE:1:1:rrc/rc/r:|Qd7c/2h8h5c/Th f
MATCHSTATE:1:1:rrc/rc/rf:|Qd7c/2h8h5c/Th
""".splitlines()
THREE_PLAYERS = """\
MATCHSTATE:2:55::||AsTs r
MATCHSTATE:2:55:r:||AsTs
MATCHSTATE:2:55:rc:||AsTs
MATCHSTATE:2:55:rcc/:||AsTs/4cJh8h
MATCHSTATE:2:55:rcc/r:||AsTs/4cJh8h
MATCHSTATE:2:55:rcc/rf:||AsTs/4cJh8h c
MATCHSTATE:2:55:rcc/rfc/:||AsTs/4cJh8h/Kd
MATCHSTATE:2:55:rcc/rfc/r:||AsTs/4cJh8h/Kd c
MATCHSTATE:2:55:rcc/rfc/rc/r:||AsTs/4cJh8h/Kd/8c f
MATCHSTATE:2:55:rcc/rfc/rc/rf:||AsTs/4cJh8h/Kd/8c
MATCHSTATE:0:90:c:Ad6h|| r
MATCHSTATE:0:90:crf:Ad6h||
MATCHSTATE:0:90:crfc/rc/rc/rc:Ad6h||Td2h/TsKd7h/Kh/6d
""".splitlines()
EXAMPLES = [
    *((TWO, *line.partition(" ")[::2]) for line in TWO_PLAYERS),
    *((THREE, *line.partition(" ")[::2]) for line in THREE_PLAYERS),
]

# hands as the competition's dealer logged them, quoted in the specs of the Ruby package
# acpc_poker_types: a fold, folds of one of three, a split pot, raises up to the limit
LOGGED = [
    (TWO, "STATE:0:crrrc/rrc/rf:3s5d|Td2s/4d5c4s/Kd:60|-60:p1|p2"),
    (TWO, "STATE:3:cc/rrrc/rc/rc:8c7d|QcKc/Ac6hTd/9h/3d:80|-80:p2|p1"),
    (TWO, "STATE:4:rf:6s9d|4dQd:-10|10:p1|p2"),
    (THREE, "STATE:2:fcc/crc/crrc/rrc:Jh9d|8hAh|As6c/3dKc3c/2d/Kh:-100|100|0:p3|p1|p2"),
    (
        THREE,
        "STATE:6:rrcrcc/rrrcc/ccrrcrcrcc/crrrrfc:QhQd|3cQc|2cTh/Jc8hTs/9c/3s:95|95|-190:p1|p2|p3",
    ),
]


def test_states_of_the_specification() -> None:
    for definition, line, answer in EXAMPLES:
        state = read_match_state(definition, line)
        assert state.text == line
        assert state.is_ours == bool(answer)
        assert not answer or answer in state.betting.legal(), line


def test_hands_of_logs() -> None:
    for definition, line in LOGGED:
        record = read_hand_record(definition, line)
        assert record.text == line
        assert record.betting.is_over, line


def test_scores_of_logs() -> None:
    line = "SCORE:19835|621.5|-20456.5:p1|p2|p3"
    score = read_score(3, line)
    assert (score.values, score.names) == ((19835, 621.5, -20456.5), ("p1", "p2", "p3"))
    assert score.text == line


def test_values_are_written_as_the_dealer_writes_them() -> None:
    assert written_values((0.0, -50.0, 1200.0, 0.5, -10 / 3)) == "0|-50|1200|0.5|-3.333333"


@pytest.mark.parametrize("players", [2, 3])
def test_seats_rotate(players: int) -> None:
    """Seat 0 is position 0 in hand 0, and each hand the positions move on by one seat."""
    assert [seat_of(0, hand, players) for hand in range(4)] == [0, 1, 2 % players, 3 % players]
    for seat in range(players):
        for hand in range(5):
            assert seat_of(position_of(seat, hand, players), hand, players) == seat


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "is no state of a match"),
        ("MATCHSTATE", "is no state of a match"),
        ("STATE:0:cc/:TdAs|/2c8c3h", "is no state of a match"),
        ("MATCHSTATE:2:0::TdAs|", "is not a position"),
        ("MATCHSTATE:x:0::TdAs|", "is not a position"),
        ("MATCHSTATE:0:-1::TdAs|", "is not the number of a hand"),
        ("MATCHSTATE:0:4294967296::TdAs|", "is not the number of a hand"),
        ("MATCHSTATE:0:0:x:TdAs|", "is not a legal action"),
        ("MATCHSTATE:0:0:cf:TdAs|", "is not a legal action"),
        ("MATCHSTATE:0:0:rrrr:TdAs|", "is not a legal action"),
        ("MATCHSTATE:0:0:fc:TdAs|", "the hand is over"),
        ("MATCHSTATE:0:0:cr250:TdAs|", "as in no-limit games"),
        ("MATCHSTATE:0:0:cc:TdAs|", "has its rounds elsewhere"),
        ("MATCHSTATE:0:0:c/c/:TdAs|/2c8c3h", "has its rounds elsewhere"),
        ("MATCHSTATE:0:0:cc/:TdAs|", "are not those of 2 players in round 2"),
        ("MATCHSTATE:0:0::TdAs|/2c8c3h", "are not those of 2 players in round 1"),
        ("MATCHSTATE:0:0::TdAs", "are not those of 2 players"),
        ("MATCHSTATE:0:0::Td|", "are not those of 2 players"),
        ("MATCHSTATE:0:0::TdAx|", "are no cards"),
        ("MATCHSTATE:0:0::TdTd|", "is there twice"),
        ("MATCHSTATE:0:0::|TdAs", "does not tell the player's own cards"),
        ("MATCHSTATE:0:0:" + "c" * 5000 + ":TdAs|", "5000 characters"),
    ],
)
def test_lines_that_are_no_states(line: str, said: str) -> None:
    with pytest.raises(ProtocolError, match=said):
        read_match_state(TWO, line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("STATE:0:cc/:3s5d|Td2s/4d5c4s:0|0:a|b", "is not over"),
        ("STATE:0:f:3s5d|:5|-5:a|b", "does not tell the cards"),
        ("STATE:0:f:3s5d|Td2s:5:a|b", "are not the values and names"),
        ("STATE:0:f:3s5d|Td2s:nan|-5:a|b", "are not the values and names"),
        ("STATE:0:f:3s5d|Td2s:5|-5:a", "are not the values and names"),
        ("STATE:0:f:3s5d|Td2s:5|-5:a|", "cannot be the name"),
        ("STATE:0:f:3s5d|Td2s:5|-5", "is no hand"),
    ],
)
def test_lines_that_are_no_hands(line: str, said: str) -> None:
    with pytest.raises(ProtocolError, match=said):
        read_hand_record(TWO, line)


def test_a_smaller_deck_has_the_highest_cards() -> None:
    leduc = parse_definition(
        "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = 2\nblind = 1 1\nraiseSize = 2 4\n"
        "maxRaises = 2 2\nnumSuits = 2\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0 1\n"
        "END GAMEDEF\n"
    )
    assert read_match_state(leduc, "MATCHSTATE:0:0:cc/:Qh|/Qs").text.endswith("Qh|/Qs")
    with pytest.raises(ProtocolError, match="not in the game's deck"):
        read_match_state(leduc, "MATCHSTATE:0:0:cc/:Qh|/Jd")


def test_who_acts_and_what_is_in_the_pot() -> None:
    """Three players, by hand: the button raises, the small blind folds, the big blind calls."""
    betting = Betting.begun(THREE)
    seen = []
    for action in "rfcrc":
        seen.append((betting.actor, betting.legal(), betting.spent))
        betting = betting.after(action)
    assert seen == [
        (2, "fcr", (5, 10, 0)),
        (0, "fcr", (5, 10, 20)),
        (1, "fcr", (5, 10, 20)),
        (1, "cr", (5, 20, 20)),
        (2, "fcr", (5, 30, 20)),
    ]
    assert (betting.text, betting.round, betting.actor) == ("rfc/rc/", 2, 1)
    assert read_betting(THREE, "rff").actor == NOBODY
