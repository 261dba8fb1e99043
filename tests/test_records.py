"""SQLite files that keep answers: damage, no room, other versions, and what is no file."""

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from limiting import type_limited
from typing_commands import Typed

from hiddenhand import records
from hiddenhand.errors import FileError, HiddenhandError
from hiddenhand.evaluation.part_records import PartRecords as Parts
from hiddenhand.matches.match_records import MatchRecords as Matches
from hiddenhand.matches.match_records import Played
from hiddenhand.records import Answers, Table
from hiddenhand.trees.strategy import Weights

TABLE = Table(
    "row",
    {"number": "INTEGER", "word": "TEXT", "content": "BLOB"},
    ("number",),
    0x12345678,
    "a test",
)
QUESTION = {"game": "chess", "seconds": 1.5, "players": ["a", "b"]}


def opened(file: Path | None, **changed: object) -> Answers:
    return Answers(file, QUESTION | changed, TABLE)


def test_rows_come_back(tmp_path: Path) -> None:
    for file in (tmp_path / "file", None):
        kept = opened(file)
        for number in (2, 1):
            kept.add(number, "wörd", b"\x00\xff")
        kept.add(1, "another", b"")  # the first stays
        assert kept.known() == [(1,), (2,)]
        assert kept.rows() == [(number, "wörd", b"\x00\xff") for number in (1, 2)]
        assert kept.row(2) == (2, "wörd", b"\x00\xff")
        kept.close()
    again = opened(tmp_path / "file")
    assert len(again.rows()) == 2
    again.close()


def test_a_file_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite keeps a file that is called :memory: in memory."""
    monkeypatch.chdir(tmp_path)
    opened(Path(":memory:")).close()
    assert [path.name for path in tmp_path.iterdir()] == [":memory:"]


def test_what_was_drawn_stays(tmp_path: Path) -> None:
    for drawn in (5, 6):
        kept = Answers(tmp_path / "file", QUESTION, TABLE, {"drawn": drawn})
        assert kept.question == QUESTION | {"drawn": 5}
        kept.close()


def test_a_changed_part_has_its_own_complaint(tmp_path: Path) -> None:
    opened(tmp_path / "file").close()
    with pytest.raises(
        FileError,
        match=(
            'is about players \\["a", "b"\\], not \\["a"\\]; ask the same question, or give a '
            "new file"
        ),
    ):
        opened(tmp_path / "file", players=("a",))
    complaints = {"game": lambda file, kept: FileError(f"{Path(file).name} was {kept}")}
    with pytest.raises(FileError, match=r"^file was chess$"):
        Answers(tmp_path / "file", QUESTION | {"game": "go"}, TABLE, complaints=complaints)


def test_an_older_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_FORMAT", 1)
    opened(tmp_path / "file").close()
    monkeypatch.undo()
    with pytest.raises(
        FileError, match="file was not written by a test of this version; give a new file"
    ):
        opened(tmp_path / "file")


# --- damage ---


def changed(file: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as rows:
        rows.execute(statement)
        rows.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE row SET word = 'b' WHERE number = 1",
        "UPDATE row SET number = 7 WHERE number = 1",
        "UPDATE row SET content = x'00' WHERE number = 1",
        "UPDATE row SET content = 'text' WHERE number = 1",
        "UPDATE row SET word = 5 WHERE number = 1",
        "UPDATE row SET seal = 'x' WHERE number = 1",
    ],
)
def test_a_changed_row_is_noticed(statement: str, tmp_path: Path) -> None:
    kept = opened(tmp_path / "file")
    kept.add(1, "a", b"\x01")
    kept.close()
    changed(tmp_path / "file", statement)
    again = opened(tmp_path / "file")
    with pytest.raises(
        FileError, match="is damaged: the checksum of a row is wrong; give a new file"
    ):
        again.rows()
    again.close()


def test_a_changed_question_is_noticed(tmp_path: Path) -> None:
    """Also in what is not asked for."""
    Answers(tmp_path / "file", QUESTION, TABLE, {"drawn": 5}).close()
    changed(tmp_path / "file", "UPDATE question SET value = '7' WHERE name = 'drawn'")
    with pytest.raises(FileError, match="is damaged: the checksum of its question is wrong"):
        opened(tmp_path / "file")


def matches_in(file: Path) -> object:
    store = Matches(file, QUESTION, {"deals": "1f"})
    try:
        return store.question, {(match.number, match.seats[0]): match for match in store.played()}
    finally:
        store.close()


def write_matches(file: Path) -> None:
    store = Matches(file, QUESTION, {"deals": "1f"})
    for number in range(12):
        for first in range(2):
            history = tuple(range(number))
            store.add(
                Played(
                    (first, 1 - first),
                    number,
                    history,
                    (1.5, -1.5),
                    (2, 1),
                    (0.25 * number, 0.5),
                    ({"iterations": 30.0}, {}),
                )
            )
    store.close()


def parts_in(file: Path) -> object:
    store = Parts(file, QUESTION)
    try:
        found = {
            name: store.part(name)
            for name in store.names() & {f"part {number}" for number in range(8)}
        }
        return {
            name: [
                [array.tolist() for array in vars(weights).values() if array is not None]
                for weights in part
            ]
            for name, part in found.items()
        }
    finally:
        store.close()


def write_parts(file: Path) -> None:
    store = Parts(file, QUESTION)
    for number in range(8):
        keys = np.arange(1, 4, dtype=np.uint64) * np.uint64(2**60 + number)
        weights = Weights(keys, np.array([0, 2, 4, 7]), np.arange(7) * 0.5)
        store.add(f"part {number}", [weights, weights])
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "read"),
    [(write_matches, matches_in), (write_parts, parts_in)],
    ids=["matches", "parts"],
)
def test_flipped_bits(
    write: Callable[[Path], None], read: Callable[[Path], dict[str, object]], tmp_path: Path
) -> None:
    """In 200 places: a FileError, or no row that is not as it was written. Rows may be missing:
    they are made again.
    """
    write(tmp_path / "whole")
    whole, content = read(tmp_path / "whole"), (tmp_path / "whole").read_bytes()
    random, refused = np.random.default_rng(2), 0
    for number, place in enumerate(random.integers(len(content), size=200).tolist()):
        file, other = tmp_path / f"{number}", bytearray(content)
        other[place] ^= 1 << int(random.integers(8))
        file.write_bytes(bytes(other))
        try:
            found = read(file)
        except FileError:
            refused += 1
            continue
        if isinstance(found, tuple):
            assert found[0] == whole[0], place  # type: ignore[index]
            assert found[1].items() <= whole[1].items(), place  # type: ignore[index]
        else:
            assert found.items() <= whole.items(), place
    assert refused > 20


@pytest.mark.parametrize(
    "row",
    [
        (0, 0, 1, "[0]", "[1.0]", "[1, 1]", "[0.0, 0.0]", "[{}, {}]"),
        (0, 0, 1, "5", "[1.0, 1.0]", "[1, 1]", "[0.0, 0.0]", "[{}, {}]"),
        (0, 0, 1, "[0]", "[1.0, 1.0]", "[1, 1]", "[0.0, 0.0]", "[[], 1]"),
        (0, 0, 1, "[0]", "[1.0, 1.0", "[1, 1]", "[0.0, 0.0]", "[{}, {}]"),
        (0, 0, 1, '["a"]', "[1.0, 1.0]", "[1, 1]", "[0.0, 0.0]", "[{}, {}]"),
        (0, 0, 1, "[1e999]", "[1.0, 1.0]", "[1, 1]", "[0.0, 0.0]", "[{}, {}]"),
        (0, 0, 1, "[0]", f"[1{'0' * 400}, 1]", "[1, 1]", "[0.0, 0.0]", "[{}, {}]"),
        (0, 0, 1, "[" * 20_000, "[1.0, 1.0]", "[1, 1]", "[0.0, 0.0]", "[{}, {}]"),
    ],
)
def test_matches_made_on_purpose(row: tuple[object, ...], tmp_path: Path) -> None:
    """With a right checksum."""
    store = Matches(tmp_path / "file", QUESTION)
    store._answers.add(*row)
    with pytest.raises(FileError, match="is damaged"):
        store.played()
    store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE question SET name = NULL WHERE name = 'seconds'",
        "UPDATE question SET value = x'00' WHERE name = 'seconds'",
        "UPDATE question SET name = CAST(x'ff' AS TEXT) WHERE name = 'seconds'",
    ],
)
def test_a_question_that_is_no_text(statement: str, tmp_path: Path) -> None:
    opened(tmp_path / "file").close()
    with contextlib.closing(sqlite3.connect(tmp_path / "file")) as rows, rows:
        rows.execute(statement)
    with pytest.raises(FileError, match=r"is damaged|cannot be used"):
        opened(tmp_path / "file")


def test_a_question_made_on_purpose(tmp_path: Path) -> None:
    """With a right checksum, but no JSON."""
    opened(tmp_path / "file").close()
    with contextlib.closing(sqlite3.connect(tmp_path / "file")) as rows, rows:
        rows.execute("UPDATE question SET value = '[' WHERE name = 'game'")
        kept = dict(rows.execute("SELECT name, value FROM question WHERE name <> 'seal'"))
        seal = records._seal(sorted(kept.items()))
        rows.execute("UPDATE question SET value = ? WHERE name = 'seal'", (seal,))
    with pytest.raises(FileError, match="is damaged; give a new file"):
        opened(tmp_path / "file")


def test_parts_made_on_purpose(tmp_path: Path) -> None:
    """With right checksums: a strategy that begins beyond its numbers."""
    store = Parts(tmp_path / "file", QUESTION)
    wild = Weights(np.zeros(1, np.uint64), np.array([0, 10_000_000]), np.zeros(3))
    with pytest.raises(FileError, match="no part has such"):
        store.add("wild", [wild])
    for name, content in (("noise", b"noise"), ("text", "text")):
        store._answers.add(name, content)
        with pytest.raises(FileError, match="is damaged"):
            store.part(name)
    store.close()


# --- errors of SQLite, at any moment ---


class Failing:
    """A connection that cannot do what is asked of it."""

    def execute(self, *_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    def close(self) -> None:
        raise sqlite3.OperationalError("disk I/O error")


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (
            lambda kept: kept.add(1, "a", b""),
            r"file cannot be written \(database or disk is full\); its rows are safe",
        ),
        (lambda kept: kept.rows(), r"file cannot be read \(database or disk is full\)"),
        (lambda kept: kept.known(), r"file cannot be read"),
        (lambda kept: kept.close(), r"file cannot be closed \(disk I/O error\)"),
    ],
    ids=["add", "rows", "known", "close"],
)
def test_what_sqlite_raises_is_said(
    ask: Callable[[Answers], object], says: str, tmp_path: Path
) -> None:
    kept = opened(tmp_path / "file")
    rows, kept._rows = kept._rows, Failing()  # type: ignore[assignment]
    with pytest.raises(HiddenhandError, match=says):
        ask(kept)
    rows.close()


def test_no_room_for_a_new_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(Answers, "_create", fail)
    with pytest.raises(FileError, match=r"is full\); make room there, or give another path$"):
        opened(tmp_path / "file")


@pytest.mark.slow
def test_no_room_loses_nothing_that_was_written(typed: Typed, tmp_path: Path) -> None:
    file = tmp_path / "file"
    arguments = (
        "match",
        "Kuhn",
        "random",
        "random",
        "--deals",
        "1",
        "--out",
        str(file),
        "--json",
        "--matches",
    )
    done = type_limited(*arguments, "100000", size=2**18)
    assert (done.returncode, done.stdout) == (2, "")
    sentences = [line for line in done.stderr.splitlines() if not line.startswith("Compiling")]
    assert len(sentences) == 1, done.stderr
    assert sentences[0].startswith(f"hiddenhand: {file} cannot be written (")
    with contextlib.closing(sqlite3.connect(file)) as rows:
        (kept,) = rows.execute("SELECT count(*) FROM match").fetchone()
    assert kept > 10
    status, out, _ = typed(*arguments, str(kept + 5))
    assert status == 0
    assert f'"matches": {kept + 5}' in out


def test_what_is_no_regular_file_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path / "pipe", "a pipe"),
        (tmp_path, "a folder"),
        (Path("/dev/null"), "a device"),
    ):
        with pytest.raises(
            FileError,
            match=f"cannot be used: it is {what}; give a regular file, or a new path",
        ):
            opened(path)
    assert (tmp_path / "pipe").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
