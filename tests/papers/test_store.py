"""Results of experiments in files: nothing lost, nothing twice, and what is stale is seen."""

import gzip
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hiddenhand.errors import FileError, OptionError
from hiddenhand_papers.store import Row, Store, read_csv, write_rows

ROWS = [
    Row("Unit(seed=1)", "aa", {"payoffs": [1.0, -0.5]}, {"seconds": 0.1, "commit": ""}),
    Row("Unit(seed=0)", "aa", {"payoffs": []}, {"seconds": 2.0, "commit": "abc"}),
]


def test_rows_come_back(tmp_path: Path) -> None:
    with Store(tmp_path / "store.sqlite") as store:
        for row in ROWS:
            store.add(row)
    with Store(tmp_path / "store.sqlite") as store:
        assert sorted(store.rows(), key=lambda row: row.unit) == ROWS[::-1]
        assert store.keys() == {row.key for row in ROWS}


def test_a_row_stays_as_it_was() -> None:
    with Store(None) as store:
        store.add(ROWS[0])
        store.add(Row(ROWS[0].unit, ROWS[0].digest, {"payoffs": [7.0]}, {}))
        assert store.rows() == [ROWS[0]]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_exported_rows_come_back(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"results{ending}"
    long = Row("Unit(seed=2)", "aa", {"payoffs": [0.5] * 30_000}, {})  # 150,000 letters
    rows = [long, *ROWS]
    write_rows(path, rows)
    assert read_csv(path) == rows[::-1]
    first = path.read_bytes()
    write_rows(path, rows[::-1])
    assert path.read_bytes() == first
    with Store(path) as store:
        assert store.keys() == {row.key for row in rows}


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FileError, match="was not written by hiddenhand experiment export"):
        read_csv(tmp_path / "other.csv")
    (tmp_path / "other.csv").write_bytes(b"unit,digest,result,made\nx\ry,d,{},{}\n")
    broken = gzip.compress(b"unit,digest,result,made\n")[:15] + b"not compressed"
    (tmp_path / "other.csv.gz").write_bytes(broken)
    for name in ("other.csv", "other.csv.gz"):
        with pytest.raises(FileError, match="was not written by hiddenhand experiment export"):
            read_csv(tmp_path / name)
    (tmp_path / "broken.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(FileError, match="cannot be read"):
        read_csv(tmp_path / "broken.csv.gz")
    with pytest.raises(OptionError, match=r"end it in \.csv, \.csv\.gz or \.parquet"):
        write_rows(tmp_path / "results.txt", ROWS)


def test_parquet_or_one_clear_sentence(tmp_path: Path) -> None:
    path = tmp_path / "results.parquet"
    try:
        import pyarrow.parquet
    except ImportError:
        with pytest.raises(OptionError, match="Parquet needs pyarrow"):
            write_rows(path, ROWS)
        return
    write_rows(path, ROWS)
    table = pyarrow.parquet.read_table(path).to_pydict()
    assert [json.loads(result) for result in table["result"]] == [row.result for row in ROWS[::-1]]


OTHER_RUN = """
    import sys
    from hiddenhand_papers.store import Row, Store

    store = Store(sys.argv[1])
    row = Row("Unit(seed=1)", "aa", {}, {})
    print(store.claim(row.key), flush=True)
    if sys.stdin.readline() == "finish\\n":
        store.add(row)
        store.release(row.key)
        print("finished", flush=True)
        sys.stdin.readline()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
@pytest.mark.parametrize("finishes", [False, True], ids=["is killed", "finishes"])
def test_a_claimed_unit_is_left_to_the_other_run(tmp_path: Path, finishes: bool) -> None:
    path = tmp_path / "store.sqlite"
    with (
        Store(path) as store,
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(OTHER_RUN), str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as other,
    ):
        assert other.stdin is not None
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        key = Row("Unit(seed=1)", "aa", {}, {}).key
        assert not store.claim(key)
        assert store.claim(Row("Unit(seed=2)", "aa", {}, {}).key)
        if finishes:
            other.stdin.write("finish\n")
            other.stdin.flush()
            assert other.stdout.readline() == "finished\n"
        other.kill()
        other.wait()
        assert store.claim(key) is not finishes  # what is finished is not done again
