"""Whatever line there is: states, hands, scores, game definitions and logs are read, or refused in
a sentence. Never anything else. What is read is written again as it was.

``scripts/fuzz`` tries more cases, and others each time.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hiddenhand.errors import HiddenhandError
from hiddenhand.games.poker.definition import (
    THREE_PLAYERS,
    TWO_PLAYERS,
    parse_definition,
)
from hiddenhand.interop.acpc.following import load_table
from hiddenhand.interop.acpc.logs import parse_log
from hiddenhand.interop.acpc.states import read_hand_record, read_match_state, read_score

CASES = int(os.environ.get("HIDDENHAND_FUZZ_CASES", "300"))
TABLES = {players: load_table(f"limit_holdem(players={players})") for players in (2, 3)}
STATES = [
    "MATCHSTATE:0:0::TdAs|",
    "MATCHSTATE:0:0:rrc/rc/crc/crc:TdAs|8hTc/2c8c3h/9c/Kh",
    "MATCHSTATE:1:1:rrc/rc/rf:|Qd7c/2h8h5c/Th",
    "MATCHSTATE:2:55:rcc/rfc/rc/r:||AsTs/4cJh8h/Kd/8c",
    "MATCHSTATE:0:90:crfc/rc/rc/rc:Ad6h||Td2h/TsKd7h/Kh/6d",
]
HANDS = [
    "STATE:0:crrrc/rrc/rf:3s5d|Td2s/4d5c4s/Kd:60|-60:p1|p2",
    "STATE:1:rc/crrrrc/rrc/rc:7d5s|Kh9c/As3hTs/Jh/Js:-120|120:p2|p1",
    "STATE:8:frc/cc/rc/rrc:6hKc|6cAd|6d2c/QdTd9h/7h/Jc:80|-80|0:p3|p1|p2",
]
SCORES = ["SCORE:50.5|-50.5:p1|p2", "SCORE:105|375|-480:p1|p2|p3"]
COMMENTS = ["# name/game/hands/seed a holdem.limit.3p.game 10 0", "#", "", "\r", "; x"]
PIECES = [
    *":|/cfr #;\r\n\0é\ud800=.-",
    *("Td", "As", "2c", "//", "||", "::", "STATE", "MATCH", "-1", "0", "1e9", "nan", "inf"),
    *("9" * 30, "c" * 70, "END GAMEDEF", "limit", "nolimit", "stack = 5 5", "numPlayers", "255"),
]
TRIED: Counter[tuple[str, str]] = Counter()


@pytest.fixture(scope="module", autouse=True)
def counted() -> Iterator[None]:
    """What was tried is printed in the end."""
    yield
    for what in sorted({what for what, _ in TRIED}):
        read, refused = TRIED[what, "read"], TRIED[what, "refused"]
        print(f"\n{what}: {read + refused:,} cases, of which {read:,} were read", end="")


def some(share: float) -> Callable[..., object]:
    """Settings for a part of all cases: the same ones each time, unless more were asked for."""
    return settings(
        max_examples=max(1, round(share * CASES)),
        derandomize="HIDDENHAND_FUZZ_CASES" not in os.environ,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


@st.composite
def damaged(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text with up to four pieces of it replaced."""
    text = draw(texts)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2, 4]))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(len(text), start + 3)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.characters(), st.just("")))
        text = text[:start] + piece + text[stop:]
    return text


def lines(right: list[str]) -> st.SearchStrategy[str]:
    """Lines that are right, nearly right, and wrong."""
    return damaged(st.one_of(*[st.sampled_from(right)] * 4, st.text(max_size=40)))


def tried(what: str, line: str, read: Callable[[str], object]) -> object:
    """What ``read`` returns; None where it refuses the line, in a short sentence."""
    try:
        found = read(line)
    except HiddenhandError as error:
        TRIED[what, "refused"] += 1
        message = str(error)
        assert message.strip()
        assert "\n" not in message
        assert len(message) <= 600
        return None
    TRIED[what, "read"] += 1
    return found


@some(0.4)
@given(st.integers(2, 3), lines(STATES))
def test_states(players: int, line: str) -> None:
    """A state that is read can be followed by our rules, whose actions are the legal ones."""
    table = TABLES[players]
    state = tried("states", line, lambda text: read_match_state(table.definition, text))
    if state is not None:
        assert state.text == line
        history, _ = table.walk(state)
        assert history.is_terminal == state.betting.is_over
        if not history.is_terminal:
            assert "".join(map(table.written, history.legal_actions())) == state.betting.legal()


@some(0.2)
@given(st.integers(2, 3), lines(HANDS))
def test_hands(players: int, line: str) -> None:
    table = TABLES[players]
    record = tried("hands", line, lambda text: read_hand_record(table.definition, text))
    if record is not None:
        again = read_hand_record(table.definition, record.text)  # a value may have had zeros
        assert again == record


@some(0.1)
@given(st.integers(2, 3), lines(SCORES))
def test_scores(players: int, line: str) -> None:
    score = tried("scores", line, lambda text: read_score(players, text))
    if score is not None:
        assert read_score(players, score.text) == score


@some(0.2)
@given(damaged(st.sampled_from([TWO_PLAYERS, THREE_PLAYERS])))
def test_definitions(text: str) -> None:
    definition = tried("definitions", text, parse_definition)
    if definition is not None:
        assert parse_definition(definition.text) == definition


@some(0.1)
@given(
    damaged(
        st.lists(st.sampled_from([*HANDS, *HANDS, *SCORES, *COMMENTS]), max_size=6).map(
            lambda drawn: "".join(f"{line}\n" for line in drawn)
        )
    )
)
def test_logs(text: str) -> None:
    log = tried("logs", text, parse_log)
    if log is not None:
        assert len(log.totals) == log.definition.num_players
