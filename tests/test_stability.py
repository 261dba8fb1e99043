"""Files that released versions wrote are read: see `kept_files`. Newer ones are refused in a
sentence, and older ones become what the present version reads.
"""

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kept_files import EVENTS

from hiddenhand import (
    CFR,
    OOS,
    evaluate,
    load_game,
    load_strategy,
    nash_conv,
    play_tournament,
    train,
    unroll,
)
from hiddenhand.archives import Array, Content, Kind, load_arrays, save_arrays
from hiddenhand.errors import FileError
from hiddenhand.mapped import Mapped, write_mapped
from hiddenhand.matches.stored_matches import kept_matches
from hiddenhand.records import Answers, Table
from hiddenhand.search.resolving.vector_cr import VectorCR
from hiddenhand.search.snapshots import Curve
from hiddenhand.web.recorded_matches import StoredMatches
from hiddenhand.web.store import Store

VERSIONS = sorted((Path(__file__).parent / "kept_files").iterdir())


@pytest.fixture(params=VERSIONS, ids=lambda folder: folder.name)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the files of a version, because some are opened to be written."""
    return Path(shutil.copytree(request.param, tmp_path / "kept"))


# --- what released versions wrote ---

same_python = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11),
    reason="files know rules by a digest of the Python that wrote them, which was 3.11",
)


@same_python
def test_strategies_and_searches_are_read(kept: Path) -> None:
    kuhn = load_game("kuhn_poker")
    assert nash_conv(kuhn, load_strategy(kept / "strategy")) < 1e-9
    search = OOS.load(kept / "search", kuhn)
    assert search.result().iterations == 2000
    whole = OOS(kuhn, seed=1)
    whole.run(iterations=2000)
    for one in (search, whole):  # also its random numbers go on
        one.run(iterations=100)
    assert nash_conv(kuhn, search) == nash_conv(kuhn, whole)


@same_python
def test_runs_and_blueprints_go_on(kept: Path) -> None:
    kuhn = load_game("kuhn_poker")
    tree = unroll(kuhn)
    run = CFR.load(kept / "cfr", tree)
    whole = CFR(tree, "cfr+")
    whole.run(iterations=100)
    assert run.iterations == 100
    assert np.array_equal(run.regret, whole.regret)
    assert VectorCR(kuhn, blueprint=str(kept / "blueprint")).blueprint is not None
    assert train(kuhn, kept / "blueprint", iterations=1).began_at == 200


@same_python
def test_records_are_read(kept: Path) -> None:
    matches = kept_matches(kept / "matches", "kuhn_poker")
    assert len(matches.played) == 12
    assert all(
        history.returns() == match.payoffs
        for match, history in zip(matches.played, matches.histories(), strict=True)
    )
    names = ["random", "equilibrium"]
    again = play_tournament("kuhn_poker", names, 3, deals=1, file=kept / "matches")
    assert sum(len(pairing.played) for pairing in again.table) == 12
    asked: dict[str, Any] = {"iterations": 20, "matches": 5, "seeds": [1]}
    read = evaluate("kuhn_poker", "oos", **asked, file=kept / "evaluation")
    assert read.nash_conv == evaluate("kuhn_poker", "oos", **asked).nash_conv


def test_tables_and_curves_are_read(kept: Path) -> None:
    store = Store(kept / "tables")
    assert store.tables() == {"place": list(EVENTS)}
    store.close()
    _, moves = StoredMatches(kept / "record.json").match(0)
    assert moves == (1, 2, 0, 1, 0)
    curve = Curve.read(kept / "search.curve.jsonl")
    assert [line["nash_conv"] for line in curve.lines] == [0.01, 0.005]


# --- archives ---

OLDEST = Kind("thing", arrays={"x": Array(np.float64, ("I",))})


def doubled(content: Content) -> Content:
    """Format 2 counts in halves."""
    header, arrays = content
    return header, arrays | {"x": 2 * arrays["x"]}


def renamed(content: Content) -> Content:
    """Format 3 calls x y."""
    header, arrays = content
    return header, {"y": arrays["x"]}


MIDDLE = Kind("thing", arrays=OLDEST.arrays, format=2, upgrades={1: doubled})
NEWEST = Kind(
    "thing",
    arrays={"y": Array(np.float64, ("I",))},
    format=3,
    upgrades={1: doubled, 2: renamed},
)


def test_older_archives_become_the_present_format(tmp_path: Path) -> None:
    for kind, name, value in ((OLDEST, "x", 2.5), (MIDDLE, "x", 5.0), (NEWEST, "y", 5.0)):
        save_arrays(tmp_path / "file", kind, {"word": "a"}, {name: np.array([value])})
        header, arrays = load_arrays(tmp_path / "file", NEWEST.with_more())
        assert arrays["y"].tolist() == [5.0]
        assert header["word"] == "a"
    only_last = Kind("thing", arrays=NEWEST.arrays, format=3, upgrades={2: renamed})
    save_arrays(tmp_path / "file", OLDEST, {}, {"x": np.zeros(1)})
    with pytest.raises(FileError, match="file holds a thing of format 1, which is no longer read"):
        load_arrays(tmp_path / "file", only_last)


def test_newer_archives_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_arrays(tmp_path / "file", NEWEST, {}, {"y": np.zeros(1)})
    with pytest.raises(
        FileError,
        match="file, a thing, has format 3, and this version of Hiddenhand reads formats up to 2; "
        "install a newer version",
    ):
        load_arrays(tmp_path / "file", MIDDLE)
    monkeypatch.setattr("hiddenhand.archives._VERSION", 3)
    save_arrays(tmp_path / "file", OLDEST, {}, {"x": np.zeros(1)})
    monkeypatch.undo()
    with pytest.raises(FileError, match=r"file has format 3, and this version .* up to 2; install"):
        load_arrays(tmp_path / "file", OLDEST)


# --- records ---

FIRST = Table("row", {"number": "INTEGER", "word": "TEXT"}, ("number",), 7, "a test")
SECOND = Table(
    "row",
    {"number": "INTEGER", "word": "TEXT", "length": "INTEGER"},
    ("number",),
    7,
    "a test",
    version=2,
    older=FIRST,
    upgrade=lambda question, row: (*row, len(row[1]) + question["more"]),
)
THIRD = Table(
    "line",
    {"word": "TEXT", "length": "INTEGER"},
    ("word",),
    7,
    "a test",
    version=3,
    older=SECOND,
    upgrade=lambda question, row: row[1:],
)


def test_older_records_become_the_present_version(tmp_path: Path) -> None:
    for table, row in ((FIRST, (1, "word")), (SECOND, (1, "word", 14)), (THIRD, ("word", 14))):
        file = tmp_path / table.name / str(table.version)
        file.parent.mkdir(exist_ok=True)
        answers = Answers(file, {"more": 10}, table)
        answers.add(*row)
        answers.close()
        for _ in range(2):  # the file stays upgraded
            answers = Answers(file, {"more": 10}, THIRD)
            assert answers.rows() == [("word", 14)]
            answers.close()
        answers = Answers(file, {"more": 10}, THIRD)
        answers.add("more", 1)
        assert answers.known() == [("more",), ("word",)]
        answers.close()


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    answers = Answers(tmp_path / "file", {"more": 10}, FIRST)
    answers.add(1, "word")
    answers.close()
    with closing(sqlite3.connect(tmp_path / "file")) as rows:
        rows.execute("UPDATE row SET word = 'other'")
        rows.commit()
    with pytest.raises(FileError, match="the checksum of a row is wrong"):
        Answers(tmp_path / "file", {"more": 10}, THIRD)
    with closing(sqlite3.connect(tmp_path / "file")) as rows:
        assert rows.execute("SELECT word FROM row").fetchall() == [("other",)]
        rows.execute("UPDATE row SET word = 'word'")
        rows.commit()
    answers = Answers(tmp_path / "file", {"more": 10}, FIRST)
    assert answers.rows() == [(1, "word")]
    answers.close()
    without = Table("row", dict(SECOND.columns), ("number",), 7, "a test", version=2)
    with pytest.raises(FileError, match="was not written by a test of this version"):
        Answers(tmp_path / "file", {"more": 10}, without)


def test_newer_records_are_refused(tmp_path: Path) -> None:
    Answers(tmp_path / "file", {"more": 10}, THIRD).close()
    with pytest.raises(FileError, match=r"file has format 3, and this version .* up to 2; install"):
        Answers(tmp_path / "file", {"more": 10}, SECOND)
    with closing(sqlite3.connect(tmp_path / "file")) as rows:
        rows.execute("PRAGMA user_version = 3")
    with pytest.raises(FileError, match=r"file has format 3, and this version .* up to 2; install"):
        Answers(tmp_path / "file", {"more": 10}, FIRST)


# --- other files ---


def test_newer_arrays_in_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, arrays = tmp_path / "file", {"x": np.arange(3)}
    write_mapped(file, "thing", {}, arrays, form=2)
    assert Mapped.load(file, "a test", newest=2).format == 2
    with pytest.raises(
        FileError, match=r"file, of the kind thing, has format 2, .* up to 1; install"
    ):
        Mapped.load(file, "a test")
    write_mapped(file, "thing", {}, arrays)
    assert Mapped.load(file, "a test").format == 1
    content = file.read_bytes()
    file.write_bytes(content.replace(b"hiddenhand arrays 1\n", b"hiddenhand arrays 2\n", 1))
    with pytest.raises(FileError, match=r"file has format 2, and this version .* up to 1; install"):
        Mapped.load(file, "a test")
    file.write_bytes(content.replace(b"hiddenhand arrays 1\n", b"hiddenhand arrays 0\n", 1))
    with pytest.raises(FileError, match="file is of another version; make it anew with a test"):
        Mapped.load(file, "a test")


def test_newer_curves_and_records_are_refused(kept: Path) -> None:
    for name in ("search.curve.jsonl", "record.json"):
        lines = [json.loads(line) for line in (kept / name).read_text().splitlines()]
        (kept / name).write_text("".join(json.dumps(line | {"format": 2}) + "\n" for line in lines))
    for read in (Curve.read, StoredMatches):
        name = "search.curve.jsonl" if read == Curve.read else "record.json"
        with pytest.raises(FileError, match=f"{name} has format 2, and this .* up to 1; install"):
            read(kept / name)
    (kept / "record.json").write_text('["no", "record"]')
    with pytest.raises(FileError, match="is no record of a match"):
        StoredMatches(kept / "record.json")
    (kept / "search.curve.jsonl").write_text('["no", "curve"]\n')
    with pytest.raises(FileError, match="is not the curve of a search"):
        Curve.read(kept / "search.curve.jsonl")
