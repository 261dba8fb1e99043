"""Finished matches from files, to be looked at."""

import json
from pathlib import Path

import pytest
from table_pages import store_in

from hiddenhand.errors import FileError
from hiddenhand.matches.match_records import MatchRecords, Played
from hiddenhand.matches.tournament import Question, Tournament
from hiddenhand.web.lobby import Lobby, record_of
from hiddenhand.web.recorded_matches import StoredMatches


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """What ``hiddenhand match leduc_poker random call --matches 3 --out FILE`` writes."""
    file = tmp_path / "matches.sqlite"
    question = Question("leduc_poker", ("random", "call"), None, None, None, 1, 2)
    with Tournament(question, file) as tournament:
        tournament.run([((0, 1),)], 3)
    return file


def test_matches_of_the_command_line(file: Path, tmp_path: Path) -> None:
    lobby = Lobby(store_in(tmp_path), replay=file)
    told = lobby.described()["stored"]
    assert [match["number"] for match in told] == [0, 1, 2]
    assert told[0]["players"] == ["random", "call"]
    table = lobby.open_stored(1)
    assert table.is_over
    assert list(table.history().returns()) == told[1]["returns"]

    record = tmp_path / "record.json"
    record.write_text(json.dumps(record_of(table)))
    again = StoredMatches(record)
    assert again.match(0)[1] == tuple(table.moves)
    with pytest.raises(FileError, match="has 1 matches, and no number 1"):
        again.match(1)
    lobby.close()


@pytest.mark.parametrize("moves", [[], [0, 0], [0, 1, 99], [0, 1, 1, 1, 2, 1, 1, 1]])
def test_a_record_that_breaks_the_rules(tmp_path: Path, moves: list[int]) -> None:
    file = tmp_path / "record.json"
    players = ["random", "random"]
    kept = {"game": "kuhn_poker", "players": players, "moves": moves, "returns": [1, -1]}
    file.write_text(json.dumps(kept))
    with pytest.raises(FileError, match="breaks the rules"):
        StoredMatches(file).match(0)
    file.write_text(json.dumps(kept | {"moves": [0, 1, 1, 1], "players": ["random"]}))
    with pytest.raises(FileError, match="kuhn_poker is for 2 players, and the record names 1"):
        StoredMatches(file).match(0)


_RECORD = '{"game": "kuhn_poker", "players": [], "moves": [%s], "returns": [%s]}'


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{}", b"[1]", b"\xff", b"SQLite format 3\0 and no more", b"[" * 100_000),
        *((_RECORD % ("1e999", "")).encode(), (_RECORD % ("", "1" * 400)).encode()),
        *((_RECORD % ("", "NaN")).encode(), (_RECORD % ("", "1e999")).encode()),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(FileError):
        StoredMatches(file)


@pytest.mark.parametrize("players", ["random", 5, ["random"], {}])
def test_matches_of_players_that_are_none(tmp_path: Path, players: object) -> None:
    """Made on purpose, with right checksums."""
    kept = MatchRecords(tmp_path / "file", {"game": "kuhn_poker", "players": players})
    kept.add(Played((0, 9), 0, (0, 1, 1, 1), (1.0, -1.0), (1, 1), (0.0, 0.0), ({}, {})))
    kept.close()
    with pytest.raises(FileError, match="is no file of matches"):
        StoredMatches(tmp_path / "file")
