"""Files: whole or not at all, and never waited for."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from limiting import run_limited

from hiddenhand.archives import load_arrays
from hiddenhand.errors import FileError, OptionError
from hiddenhand.files import alone_at, open_to_read, verify_regular, write_file, write_whole
from hiddenhand.trees.strategy_files import load_strategy


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_is_written_with_its_folder(tmp_path: Path) -> None:
    write_whole(tmp_path / "a" / "b" / "file", b"new")
    assert contents(tmp_path / "a" / "b") == {"file": b"new"}


def test_a_file_is_replaced(tmp_path: Path) -> None:
    for content in (b"first, and longer", b"second"):
        write_whole(tmp_path / "file", content)
    assert contents(tmp_path) == {"file": b"second"}


@pytest.mark.parametrize(
    "failure", [OSError("disk full"), KeyboardInterrupt()], ids=["disk full", "Ctrl-C"]
)
@pytest.mark.parametrize("step", ["replace", "chmod", "fdopen"])
def test_failure_leaves_the_old_file_and_no_part(
    step: str, failure: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise failure

    write_whole(tmp_path / "file", b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(failure)):
        write_whole(tmp_path / "file", b"new")
    assert contents(tmp_path) == {"file": b"old"}


def test_ctrl_c_when_the_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = Path.replace

    def interrupted(part: Path, target: Path) -> None:
        replace(part, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_others_may_read_what_the_umask_lets_them(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "file", b"")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


def test_a_path_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(
        FileError, match=r"cannot be written .*; give a path in a folder you may write to"
    ):
        write_file(tmp_path / "file" / "below", b"")
    with pytest.raises(FileError, match="cannot be written"):
        write_file(tmp_path, b"")
    with pytest.raises(FileError, match="cannot be written"):
        write_file("a\0b", b"")


# --- what is no regular file ---


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"content")
    reader.join(10)
    assert read == [b"content"]
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full here")
def test_a_device_is_written_to_and_stays_one() -> None:
    before = set(Path("/dev").iterdir())
    with pytest.raises(
        FileError,
        match=(
            r"/dev/full cannot be written \(No space left on device\); make room there, or give "
            r"another path"
        ),
    ):
        write_file("/dev/full", b"content")
    write_file("/dev/null", b"content")
    assert Path("/dev/full").is_char_device()
    assert Path("/dev/null").is_char_device()
    assert not [path for path in set(Path("/dev").iterdir()) - before if ".part" in path.name]


@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing"])
def test_a_link_stays_one(there: bool, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "target", tmp_path / "link"
    if there:
        target.write_bytes(b"old")
    link.symlink_to("elsewhere/target")
    write_whole(link, b"new")
    assert link.is_symlink()
    assert contents(tmp_path / "elsewhere") == {"target": b"new"}


def test_a_link_to_a_pipe_stays_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    reader = threading.Thread(target=(tmp_path / "pipe").read_bytes)
    reader.start()
    write_whole(tmp_path / "link", b"new")
    reader.join(10)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "pipe").is_fifo()


def test_links_that_go_round(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(FileError, match="cannot be written"):
        write_file(tmp_path / "one", b"")
    with pytest.raises(FileError, match="cannot be read"):
        open_to_read(tmp_path / "one")


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """At once: nobody writes into the pipe."""
    os.mkfifo(tmp_path / "pipe")
    for path, what in (
        (tmp_path / "pipe", "a pipe"),
        (tmp_path, "a folder"),
        (Path("/dev/zero"), "a device"),
    ):
        with pytest.raises(FileError, match=f"cannot be read: it is {what}; give a regular file"):
            open_to_read(path)
        with pytest.raises(FileError, match=f"cannot be used: it is {what}; give a regular file"):
            verify_regular(path)
    for missing in (tmp_path / "nothing", tmp_path / "pipe" / "below"):
        with pytest.raises(FileError, match="there is no file"):
            open_to_read(missing)
        verify_regular(missing)
    with pytest.raises(FileError, match="cannot be read"):
        open_to_read("a\0b")


@pytest.mark.parametrize("path", [None, 3, "", b"one", ["one"]])
def test_what_is_no_path_is_refused(path: Any) -> None:
    for read in (load_arrays, load_strategy):
        with pytest.raises(OptionError, match=r"^path=.* is not allowed; give the path of a file$"):
            read(path)
    with pytest.raises(OptionError, match=r"^path=.* is not allowed; give the path of a file$"):
        write_file(path, b"")


# --- no room, and what a kill leaves ---


def test_no_room_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    done = run_limited(
        f"from hiddenhand.files import write_file; write_file({str(path)!r}, bytes(2**17))"
    )
    assert (
        "file cannot be written (File too large); make room there, or give another path"
        in done.stderr
    )
    assert contents(tmp_path) == {"file": b"old"}


def killed_while_writing(path: Path) -> None:
    """Leave what a writer leaves who is killed in the middle."""
    code = f"""
import os, pathlib, signal
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from hiddenhand.files import write_whole
write_whole(pathlib.Path({str(path)!r}), b"half")
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL


def parts(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


def test_the_next_writer_removes_what_a_kill_left(tmp_path: Path) -> None:
    """After a minute, and of this file only; not what is like it."""
    killed_while_writing(tmp_path / "file")
    killed_while_writing(tmp_path / "other")
    (tmp_path / "file.20240101.part").write_bytes(b"a user's")
    write_whole(tmp_path / "file", b"new")
    assert len(parts(tmp_path)) == 3
    for path in parts(tmp_path):
        os.utime(path, (time.time() - 100, time.time() - 100))
    write_whole(tmp_path / "file", b"new")
    assert sorted(path.name[:6] for path in parts(tmp_path)) == ["file.2", "other."]


def test_the_part_of_a_writer_who_lives_stays(tmp_path: Path) -> None:
    """However slow it is: the lock says so."""
    code = f"""
import os, pathlib, time
from hiddenhand import files
fdopen = os.fdopen

class Slow:
    def __init__(self, file): self.file = file
    def __enter__(self): return self
    def __exit__(self, *error): self.file.close()
    def fileno(self): return self.file.fileno()
    def write(self, content):
        print("writing", flush=True)
        input()
        self.file.write(content)

os.fdopen = lambda *arguments: Slow(fdopen(*arguments))
files.write_whole(pathlib.Path({str(tmp_path / "file")!r}), b"slow")
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as slow:
        assert slow.stdout is not None
        assert slow.stdout.readline() == "writing\n"
        (part,) = parts(tmp_path)
        os.utime(part, (time.time() - 10_000, time.time() - 10_000))
        write_whole(tmp_path / "file", b"quick")
        assert parts(tmp_path) == [part]
        slow.communicate("\n", timeout=30)
    assert contents(tmp_path) == {"file": b"slow"}


@pytest.mark.slow
def test_one_process_at_a_time(tmp_path: Path) -> None:
    lock = tmp_path / "folder" / "lock"
    code = f"""
import pathlib
from hiddenhand.files import alone_at
with alone_at(pathlib.Path({str(lock)!r})):
    print("alone", flush=True)
    input()
print("done", flush=True)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "alone\n"
        told = list[str]()

        def wait() -> None:
            with alone_at(lock):
                told.append("alone")

        waiting = threading.Thread(target=wait)
        waiting.start()
        waiting.join(0.5)
        assert not told
        other.communicate("\n", timeout=30)
        waiting.join(30)
    assert told == ["alone"]
    assert not lock.exists()


def test_a_lock_that_was_left_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    with alone_at(tmp_path / "lock"):
        assert (tmp_path / "lock").exists()
    assert contents(tmp_path) == {}


def test_a_lock_in_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(FileError, match="cannot be written"),
        alone_at(tmp_path / "file" / "lock"),
    ):
        pass
