"""The folder of compiled code: where it is, whom it trusts, and what clearing it deletes."""

import os
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from hiddenhand.errors import FileError
from hiddenhand.jit import cache as module
from hiddenhand.jit.cache import cache_folder, cache_root, clear_cache, read_code, write_code
from hiddenhand.jit.kernels import kernel, when_compiling

compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled"
)
posix = pytest.mark.skipif(os.name != "posix", reason="there are no owners and modes")
NAME = "kernel-0123456789abcdef.code"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled code, of which nothing was said yet."""
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path / "cache"))
    module._say.cache_clear()
    return tmp_path / "cache"


def fresh() -> Any:
    """A kernel that nothing in this process knows to be compiled."""

    @kernel
    def double(x):
        return x + x

    return double


def compiled_by(function: Any, *arguments: Any) -> int:
    names: list[str] = []
    with when_compiling(names.append):
        function(*arguments)
    return len(names)


# --- where it is ---


def test_the_folder_that_was_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path / "chosen"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    assert cache_root() == tmp_path / "chosen"


@pytest.mark.parametrize("unset", [None, ""])
def test_the_user_cache_folder(
    unset: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An empty variable counts as none, as in the XDG base directory specification."""
    for name in ("HIDDENHAND_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
        if unset is not None:
            monkeypatch.setenv(name, unset)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache" / "hiddenhand"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "xdg" / "hiddenhand"


def test_who_has_no_home_keeps_code_among_temporary_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("HIDDENHAND_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert cache_root() == tmp_path / f"hiddenhand-{module._user()}"
    write_code(NAME, b"code")
    assert read_code(NAME) == b"code"


@compiled_only
def test_a_folder_that_cannot_be_written_costs_time_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("a file, where a folder would have to be")
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path / "file" / "cache"))
    assert fresh()(3) == 6
    assert compiled_by(fresh(), 3) == 1


# --- whom it trusts ---


@posix
def test_files_and_folders_are_for_the_user_alone(cache: Path) -> None:
    before = os.umask(0)
    try:
        write_code(NAME, b"code")
    finally:
        os.umask(before)
    paths = [cache, cache_folder(), cache_folder() / NAME]
    assert [path.stat().st_mode & 0o777 for path in paths] == [0o700, 0o700, 0o600]


@posix
@pytest.mark.parametrize("which", ["root", "folder", "file"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_what_others_may_write_is_not_used(which: str, mode: int, cache: Path) -> None:
    write_code(NAME, b"code")
    path = {"root": cache, "folder": cache_folder(), "file": cache_folder() / NAME}[which]
    private = path.stat().st_mode
    path.chmod(private | mode)
    folder = path if path.is_dir() else path.parent
    with pytest.warns(
        RuntimeWarning,
        match=(
            rf"^{re.escape(str(folder))} is writable by other users.*; run: chmod -R go-w "
            rf"{folder}$"
        ),
    ):
        assert read_code(NAME) is None
    with warnings.catch_warnings():  # said once, however many files there are
        warnings.simplefilter("error")
        assert read_code(NAME) is None
        if which == "file":
            other = path.with_name("other-0123456789abcdef.code")
            other.write_bytes(path.read_bytes())
            other.chmod(private | mode)
            assert read_code(other.name) is None
    path.chmod(private)
    assert read_code(NAME) == b"code"


@posix
@pytest.mark.parametrize("which", ["root", "folder", "file"])
def test_what_belongs_to_others_is_not_used(
    which: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_code(NAME, b"code")
    path = {"root": cache, "folder": cache_folder(), "file": cache_folder() / NAME}[which]
    own = path.stat().st_uid
    if own == 0:
        os.chown(path, 12345, -1)
    else:  # only root can give files away; so that all of them are somebody else's
        monkeypatch.setattr(module, "_user", lambda: own + 1)
    with pytest.warns(
        RuntimeWarning,
        match="belongs to another user.*; set HIDDENHAND_CACHE to a folder of your own$",
    ):
        assert read_code(NAME) is None


@posix
def test_nothing_is_written_where_others_may_write(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="is writable by other users"):
        write_code(NAME, b"code")
    assert list(cache.rglob("*.code")) == []


@posix
def test_links_count_for_what_they_lead_to(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    cache.symlink_to(tmp_path / "elsewhere")
    write_code(NAME, b"code")
    assert read_code(NAME) == b"code"
    (tmp_path / "elsewhere").chmod(0o777)
    with pytest.warns(RuntimeWarning, match="is writable by other users"):
        assert read_code(NAME) is None


def test_a_file_under_another_name_is_not_used(cache: Path) -> None:
    """Machine code of another kernel, or of other rules."""
    other = "kernel-fedcba9876543210.code"
    write_code(NAME, b"code")
    (cache_folder() / NAME).rename(cache_folder() / other)
    assert read_code(other) is None


@posix
@compiled_only
def test_kernels_run_without_a_cache_that_is_not_to_be_trusted(cache: Path) -> None:
    fresh()(2)
    assert compiled_by(fresh(), 2) == 0
    cache.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="is writable by other users"):
        assert compiled_by(fresh(), 2) == 1


# --- clearing ---


@compiled_only
def test_clearing_deletes_all_versions(cache: Path) -> None:
    fresh()(2)
    old = cache / "0123456789abcdef"
    old.mkdir()
    (old / NAME).write_bytes(module._HEADER + b"12345")
    (old / f"{NAME}.x.part").write_bytes(module._HEADER[:3])  # a process was killed as it wrote
    (old / f"{NAME}.y.part").touch()
    size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    assert clear_cache() == size
    assert list(cache.iterdir()) == []
    assert compiled_by(fresh(), 2) == 1


def test_clearing_leaves_files_of_others_alone(cache: Path, tmp_path: Path) -> None:
    foreign = [
        cache / "notes.txt",
        cache / "project" / "my.code-workspace",
        cache / "project" / "empty.code",
        cache / "project" / "download.code.part",
        cache / "folder" / "deeper" / "model.code",
        cache / "0123456789abcdef" / "foreign-0123456789abcdef.code",
    ]
    for path in foreign:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine" if path.name != "empty.code" else "")
    (cache / "empty").mkdir()
    (tmp_path / "target").write_bytes(module._HEADER)
    link = cache / "project" / "link.code"
    link.symlink_to(tmp_path / "target")
    ours = cache / "0123456789abcdef" / NAME
    ours.write_bytes(module._HEADER)
    assert clear_cache() == len(module._HEADER)
    assert all(path.exists() for path in [*foreign, cache / "empty", link, tmp_path / "target"])
    assert not ours.exists()


def test_what_cannot_be_deleted_is_said(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_code(NAME, b"code")
    write_code("other-0123456789abcdef.code", b"code")

    def read_only(path: Path, missing_ok: bool = False) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "unlink", read_only)
    with pytest.raises(
        FileError,
        match=(
            r"\.code and 1 more cannot be deleted \(Read-only file system\); make .* writable, "
            r"or set"
        ),
    ):
        clear_cache()
