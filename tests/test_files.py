"""Files: whole or not at all."""

import os
from pathlib import Path

import numpy as np
import pytest

from hiddenhand.errors import FileError
from hiddenhand.files import load_arrays, save_arrays, write_whole


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_written_with_its_folder(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b" / "file", b"new")
    assert contents(tmp_path / "a" / "b") == {"file": b"new"}


def test_a_file_is_replaced(tmp_path: Path) -> None:
    for content in (b"first, and longer", b"second"):
        write_whole(tmp_path / "file", content)
    assert contents(tmp_path) == {"file": b"second"}


@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()], ids=["disk full", "Ctrl-C"])
@pytest.mark.parametrize("step", ["replace", "chmod", "fdopen"])
def test_failure_leaves_the_old_file_and_no_part(step: str, failure: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    write_whole(tmp_path / "file", b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(failure)):
        write_whole(tmp_path / "file", b"new")
    assert contents(tmp_path) == {"file": b"old"}


def test_others_may_read_what_the_umask_lets_them(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "file", b"")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_arrays_come_back(tmp_path: Path) -> None:
    arrays = {"x": np.arange(6.0).reshape(2, 3), "y": np.array([2**64 - 1], np.uint64), "none": np.zeros(0, np.int8)}
    save_arrays(tmp_path / "file", "thing", {"number": 1.5, "infinite": float("inf"), "word": "ä"}, arrays)
    header, found = load_arrays(tmp_path / "file", "other", "thing")
    assert header == {"kind": "thing", "version": 1, "number": 1.5, "infinite": float("inf"), "word": "ä"}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)


def test_another_kind_is_refused(tmp_path: Path) -> None:
    save_arrays(tmp_path / "file", "thing", {}, {})
    with pytest.raises(FileError, match="file holds a thing of format 1; needed is a cfr or search of format 1"):
        load_arrays(tmp_path / "file", "cfr", "search")


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileError, match=r"cannot be written .*; give a path in a folder you may write to"):
        save_arrays(tmp_path / "file" / "below", "thing", {}, {})
