"""Matches are read from their file without the question that they answer, and go to other files."""

from pathlib import Path

import pytest
from typing_commands import Typed

from hiddenhand import play_tournament
from hiddenhand.errors import FileError
from hiddenhand.interop.phh import read_hands
from hiddenhand.matches.stored_matches import kept_matches


@pytest.fixture(scope="module")
def holdem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a tournament of limit Hold'em."""
    file = tmp_path_factory.mktemp("kept") / "matches.db"
    play_tournament("limit_holdem", ["call", "raise"], 2, deals=1, file=file)
    return file


def test_matches_are_read_as_they_were_played(holdem: Path) -> None:
    record = play_tournament("limit_holdem", ["call", "raise"], 2, deals=1, file=holdem)
    kept = kept_matches(holdem, "limit_holdem")
    assert kept.players == ("call", "raise")
    own = {(match.seats, match.number): match for pair in record.table for match in pair.played}
    assert {(match.seats, match.number): match for match in kept.played} == own
    assert len(kept.played) == 8
    for match, history in zip(kept.played, kept.histories(), strict=True):
        assert history.is_terminal
        assert history.returns() == match.payoffs
    assert repr(kept) == "KeptMatches(LimitHoldem(players=2, definition=None, buckets=None, " \
        "preflop='classes'), 8 matches)"  # fmt: skip


def test_other_files_are_refused(holdem: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"not of KuhnPoker.*name that game"):
        kept_matches(holdem, "kuhn_poker")
    with pytest.raises(FileError, match=r"none\.db does not exist"):
        kept_matches(tmp_path / "none.db", "kuhn_poker")
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "text.db").write_text("words")
    with pytest.raises(FileError, match="cannot be used"):
        kept_matches(tmp_path / "text.db", "kuhn_poker")


def test_matches_are_exported_as_hands(holdem: Path, tmp_path: Path, typed: Typed) -> None:
    out = tmp_path / "hands.phhs"
    status, told, err = typed("export", "limit_holdem", str(out), "--matches", str(holdem))
    assert (status, err) == (0, "")
    assert told == f"{out} holds limit_holdem, 8 hands.\n"
    kept, hands = kept_matches(holdem, "limit_holdem"), read_hands(out)
    assert [hand.history.moves for hand in hands] == [match.history for match in kept.played]
    assert [hand.players for hand in hands] == [kept.seated(match) for match in kept.played]


def test_what_cannot_be_exported_is_refused(holdem: Path, tmp_path: Path, typed: Typed) -> None:
    where = ["--matches", str(holdem)]
    for arguments, problem in (
        (["limit_holdem", str(tmp_path / "a.efg"), *where], "ends in .phh or .phhs or .csv"),
        (["kuhn_poker", str(tmp_path / "a.phhs")], "ends in .efg or .nfg or .game"),
        (["kuhn_poker", str(tmp_path / "a.phhs"), *where], "not of KuhnPoker"),
        (["kuhn_poker", str(tmp_path / "a.csv"), "--curve", str(tmp_path / "c")], "does not exist"),
        (["kuhn_poker", str(tmp_path / "a.csv"), "--curve", "c", *where], "--matches"),
    ):
        status, out, err = typed("export", *arguments)
        assert (status, out) == (2, "")
        assert problem in err
    assert not list(tmp_path.iterdir())


def test_games_are_exported_for_liteefg(tmp_path: Path, typed: Typed) -> None:
    out = tmp_path / "kuhn.game"
    assert typed("export", "kuhn_poker", str(out), "--json")[0] == 0
    assert "node /C:J/C:Q player 1 actions check bet" in out.read_text()


def test_rows_are_exported_as_tables(holdem: Path, tmp_path: Path, typed: Typed) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    curve = tmp_path / "oos.curve.jsonl"
    line = (
        '{"game": "KuhnPoker(num_cards=3)", "algorithm": "oos", "seed": 1, "snapshot": null,'
        ' "file": null, "iterations": %d, "seconds": 0.5, "information_sets": 3,'
        ' "plan": {"iterations": 9, "seconds": null, "snapshots": null, "every": null, "begun": 0,'
        ' "begun_seconds": 0.0, "nash_conv": true, "unseen": "fixed"}, "nash_conv": 0.5}\n'
    )
    curve.write_text(line % 1 + line % 2)
    for form, read in (
        ("csv", pandas.read_csv),
        ("parquet", pandas.read_parquet),
        ("arrow", pandas.read_feather),
    ):
        out = tmp_path / f"rows.{form}"
        assert typed("export", "limit_holdem", str(out), "--matches", str(holdem))[0] == 0
        table = read(out)
        assert len(table) == 16
        assert table["payoff"].sum() == 0
        assert typed("export", "kuhn_poker", str(out), "--curve", str(curve))[0] == 0
        assert read(out)["iterations"].tolist() == [1, 2]
        status, _, err = typed("export", "limit_holdem", str(out), "--curve", str(curve))
        assert status == 2
        assert "is of a search of KuhnPoker(num_cards=3), not of limit_holdem" in err
