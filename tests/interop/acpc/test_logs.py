"""Match logs: written, read, summed up and told in words."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from acpc_matches import THREE, TWO, Match

from hiddenhand.errors import FileError, ProtocolError
from hiddenhand.games.poker.definition import load_definition
from hiddenhand.interop.acpc.dealer import Limits
from hiddenhand.interop.acpc.logs import (
    LogWriter,
    MatchLog,
    in_words,
    parse_log,
    read_logs,
    told_before,
)
from hiddenhand.interop.acpc.results import is_duplicate, results
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.poker import CallPlayer, RaisePlayer

# as the competition's dealer logged them, quoted in the specs of the Ruby package acpc_poker_types
TWO_PLAYERS = """\
# name/game/hands/seed 2p.limit.h1000.r0 holdem.limit.2p.reverse_blinds.game 1000 0
#--t_response 10000
STATE:0:crrrc/rrc/rf:3s5d|Td2s/4d5c4s/Kd:60|-60:p1|p2
STATE:1:rc/crrrrc/rrc/rc:7d5s|Kh9c/As3hTs/Jh/Js:-120|120:p2|p1
STATE:2:cc/cc/rc/rc:Kh6h|As2h/Qd2c2d/7d/3d:-50|50:p1|p2
STATE:3:cc/rrrc/rc/rc:8c7d|QcKc/Ac6hTd/9h/3d:80|-80:p2|p1
SCORE:50|-50:p1|p2
"""
THREE_PLAYERS = """\
STATE:6:rrcrcc/rrrcc/ccrrcrcrcc/crrrrfc:QhQd|3cQc|2cTh/Jc8hTs/9c/3s:95|95|-190:p1|p2|p3
STATE:7:crrcrcc/crrfrc/cc/rrc:Qd2s|KdTs|6dQh/6h6sTc/3h/Jd:-40|-110|150:p2|p3|p1
STATE:8:frc/cc/rc/rrc:6hKc|6cAd|6d2c/QdTd9h/7h/Jc:80|-80|0:p3|p1|p2
SCORE:105|375|-550:p1|p2|p3
"""


def test_a_log_of_the_competition() -> None:
    """By hand: p1 won 60 + 120 - 50 - 80."""
    log = parse_log(TWO_PLAYERS)
    assert log.definition == load_definition(TWO)
    assert (log.names, log.totals) == (("p1", "p2"), (50.0, -50.0))
    assert log.is_whole
    won, lost = results([log]).players
    assert (won.name, won.hands, won.chips, lost.chips) == ("p1", 4, 50.0, -50.0)
    assert won.mbb_per_hand.value == 1000 * 50 / 10 / 4
    deviations = [60 - 12.5, 120 - 12.5, -50 - 12.5, -80 - 12.5]
    variance = sum(deviation**2 for deviation in deviations) / 3
    assert won.standard_error == pytest.approx(100 * math.sqrt(variance / 4))
    assert won.mbb_per_hand.low == pytest.approx(1250 - 3.182446 * won.standard_error)


def test_a_part_of_a_log() -> None:
    """It need not begin with the first hand, nor tell its game; its score is of other hands."""
    log = parse_log(THREE_PLAYERS)
    assert log.definition == load_definition(THREE)
    assert log.totals == (95 + 150 - 80, 95 - 40 + 0, -190 - 110 + 80)
    assert not log.is_whole


def written(path: Path, match: Match, game: str) -> Path:
    with LogWriter(path, match.plan, game, Limits()) as log:
        for record in match.records:
            log.add(record)
        log.add(match.score)
    return path


def read_log(path: Path) -> MatchLog:
    (log,) = read_logs(path)
    return log


@pytest.mark.parametrize("game", [TWO, THREE])
def test_a_log_is_read_back(game: str, tmp_path: Path) -> None:
    match = Match(game, 8, 2, [RandomPlayer() for _ in range(3 if game == THREE else 2)])
    path = written(tmp_path / "a match.log", match, game)
    log = read_log(path)
    assert log == MatchLog(
        match.table.definition, match.plan.names, tuple(match.records), match.score
    )
    assert log.is_whole
    assert log.totals == match.score.values
    header = path.read_text().splitlines()[0]
    assert header == f"# name/game/hands/seed a_match {game} 8 2"


def test_a_log_that_is_still_written(tmp_path: Path) -> None:
    """Each hand is in the file at once; a line without its end does not count."""
    match = Match(TWO, 3, 2, [CallPlayer(), RaisePlayer()])
    path = tmp_path / "match.log"
    with LogWriter(path, match.plan, TWO, Limits()) as log:
        with pytest.raises(FileError, match="no hand in it"):
            read_log(path)
        for number, record in enumerate(match.records, 1):
            log.add(record)
            assert len(read_log(path).hands) == number
    path.write_text(path.read_text() + "STATE:3:f:3s5d|Td")
    assert len(read_log(path).hands) == 3
    assert not read_log(path).is_whole
    with pytest.raises(FileError, match="cannot be written"):
        LogWriter(tmp_path / "no folder" / "x", match.plan, TWO, Limits())


def test_duplicate_matches() -> None:
    """The same cards for a caller and a raiser in both orders of the seats: luck is equal, and
    neither ever folds, so both end with nothing, and there is no error. The same hands taken one by
    one are far from sure.
    """
    one = as_log(Match(TWO, 6, 4, [CallPlayer(), RaisePlayer()]))
    other = as_log(Match(TWO, 6, 4, [RaisePlayer(), CallPlayer()]), ("bob", "ann"))
    assert is_duplicate([one, other])
    both = results([one, other])
    assert (both.duplicate, both.deals) == (True, 6)
    for player in both.players:
        assert player.hands == 12
        assert player.mbb_per_hand.value == pytest.approx(0)
        assert player.standard_error == pytest.approx(0)
    assert results([one]).players[0].standard_error > 0
    others = as_log(Match(TWO, 6, 5, [RaisePlayer(), CallPlayer()]), ("bob", "ann"))
    assert not is_duplicate([one, others])
    assert results([one, others]).deals == 12


def as_log(match: Match, names: tuple[str, ...] = ("ann", "bob")) -> MatchLog:
    """The log of a match in which the players have these names."""
    called = dict(zip(match.plan.names, names, strict=True))
    lines = [
        replace(record, names=tuple(called[name] for name in record.names)).text
        for record in match.records
    ]
    return parse_log("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no hand in it"),
        ("SCORE:1|-1:a|b\n", "no hand in it"),
        ("hello\n", "line 1: 'hello' is no hand"),
        (TWO_PLAYERS.replace("60|-60", "61|-61"), "line 3: the values are 61|-61; by the rules"),
        (TWO_PLAYERS.replace(":p2|p1", ":p2|p3", 1), "line 4: the players are"),
        (TWO_PLAYERS.replace("SCORE:50|-50:p1|p2", "SCORE:50|-50:p1|p3"), "the score is of"),
        ("STATE:0:f:3s|4s|5s|6s:1|0|0|-1:a|b|c|d\n", "no game of 4 players is built in"),
    ],
)
def test_texts_that_are_no_logs(text: str, said: str) -> None:
    with pytest.raises(ProtocolError, match=said):
        parse_log(text)


def test_logs_that_have_no_result_together() -> None:
    two, three = parse_log(TWO_PLAYERS), parse_log(THREE_PLAYERS)
    with pytest.raises(FileError, match="of different games"):
        results([two, three])
    with pytest.raises(FileError, match="of different players"):
        results([two, parse_log(TWO_PLAYERS.replace("p1", "p3"))])


def test_a_hand_in_words() -> None:
    """Hand 0 of the log above, by hand."""
    assert in_words(parse_log(TWO_PLAYERS).hands[0]) == (
        "hand 0\n"
        "  position 0: p1 has 3s5d, blind 10\n"
        "  position 1: p2 has Td2s, blind 5\n"
        "  preflop, 15 in the pot\n"
        "    p2 calls 5\n"
        "    p1 raises to 20\n"
        "    p2 raises to 30\n"
        "    p1 raises to 40\n"
        "    p2 calls 10\n"
        "  flop 4d5c4s, 80 in the pot\n"
        "    p1 bets to 50\n"
        "    p2 raises to 60\n"
        "    p1 calls 10\n"
        "  turn 4d5c4sKd, 120 in the pot\n"
        "    p1 bets to 80\n"
        "    p2 folds\n"
        "  p1 wins 60\n"
        "  p2 loses 60"
    )
    folded = parse_log(THREE_PLAYERS).hands[2]
    assert in_words(folded).endswith("  p3 wins 80\n  p1 loses 80\n  p2 wins and loses nothing")


SWAPPED = TWO_PLAYERS.replace("p1", "px").replace("p2", "p1").replace("px", "p2")
"""The same cards and play, with the players in each other's seats."""


@pytest.mark.parametrize("header", [True, False])
def test_logs_one_after_the_other(header: bool, tmp_path: Path) -> None:
    """The second match has other values in its first hand, so that it is another match."""
    texts = [TWO_PLAYERS, SWAPPED]
    if not header:
        texts = [
            "".join(line for line in text.splitlines(True) if line[0] != "#") for text in texts
        ]
    path = tmp_path / "both.log"
    path.write_text("".join(texts))
    first, second = read_logs(path)
    assert first == parse_log(TWO_PLAYERS)
    assert second == parse_log(SWAPPED)
    assert first.is_whole
    assert second.is_whole
    assert told_before([first, second]) == [None, None]


def test_a_match_that_was_told_before(tmp_path: Path) -> None:
    path = tmp_path / "twice.log"
    path.write_text(TWO_PLAYERS + TWO_PLAYERS)
    logs = [*read_logs(path), parse_log(SWAPPED), parse_log(THREE_PLAYERS), parse_log(SWAPPED)]
    assert told_before(logs) == [None, 0, None, None, 2]


def test_a_first_part_of_a_match_is_the_same_match() -> None:
    """From ten hands on: few hands of a small game may be equal by chance."""
    log = parse_log(TWO_PLAYERS)
    hands = tuple(replace(log.hands[0], hand=number) for number in range(12))
    long = MatchLog(log.definition, log.names, hands, None)
    for part, earlier in ((10, 0), (9, None)):
        assert told_before([long, replace(long, hands=hands[:part])]) == [None, earlier]
