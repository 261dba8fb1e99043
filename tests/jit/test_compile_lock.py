"""Turns: who may compile a kernel while others wait for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hiddenhand.jit import compile_lock
from hiddenhand.jit.cache import clear_cache, turn_file
from hiddenhand.jit.compile_lock import Turns
from hiddenhand.jit.kernels import kernel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such locks")
NAME = "kernel-0123456789abcdef.code"
HOLDER = """
import sys
from pathlib import Path
from hiddenhand.jit.compile_lock import Turns

turns = Turns()
with turns.ended():
    turns.take(Path(sys.argv[1]))
    print("taken", flush=True)
    input()
"""

FORKING = """
import os
import sys
from pathlib import Path
from hiddenhand.jit.compile_lock import Turns

turns = Turns()
with turns.ended():
    turns.take(Path(sys.argv[1]))
    if os.fork() == 0:
        print("taken", flush=True)
        sys.stdin.read()
    else:
        os.wait()
"""


@pytest.fixture
def turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a turn in an empty cache."""
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path / "cache"))
    path = turn_file(NAME)
    assert path is not None
    return path


def holder(path: Path, program: str = HOLDER) -> subprocess.Popen[str]:
    """A process that holds a turn until it gets a line, or is killed."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=pipe, stdout=pipe, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def is_taken(path: Path) -> bool:
    """Whether a turn can be had now, as another kernel of this process would see it."""
    mine = Turns()
    with mine.ended():
        mine.take(path)
        return not mine._held


def test_a_turn_leaves_nothing_behind(turn: Path) -> None:
    mine = Turns()
    with mine.ended():
        mine.take(turn)
        assert turn.exists()
    assert list(turn.parent.iterdir()) == []


def test_turns_end_when_compiling_fails(turn: Path) -> None:
    @kernel
    def impossible(x):
        return x.no_such_thing

    with pytest.raises(Exception, match="no_such_thing"):
        impossible(1)
    assert list(turn.parent.iterdir()) == []


def test_who_cannot_wait_longer_goes_without(turn: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_lock, "_LONGEST", 0.05)
    process = holder(turn)
    assert is_taken(turn)
    process.communicate("go\n", timeout=60)
    assert not is_taken(turn)


def test_the_turn_of_a_process_that_is_killed_is_free(turn: Path) -> None:
    process = holder(turn)
    process.kill()
    process.communicate(timeout=60)
    assert turn.exists()
    assert not is_taken(turn)
    assert not turn.exists()


def test_a_process_that_was_forked_does_not_keep_the_turn(
    turn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It lives on when its parent, who took the turn, is killed."""
    monkeypatch.setattr(compile_lock, "_LONGEST", 0.05)
    process = holder(turn, FORKING)
    assert is_taken(turn)
    process.kill()
    process.wait(timeout=60)
    assert not is_taken(turn)
    process.communicate("", timeout=60)  # the forked process reads on until now


def test_a_process_that_was_forked_leaves_the_turn_to_its_parent(
    turn: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the forked process comes to the end of the block, the turn goes on."""
    monkeypatch.setattr(compile_lock, "_LONGEST", 0.05)
    mine = Turns()
    with mine.ended():
        mine.take(turn)
        child = os.fork()
        if child == 0:
            compile_lock._free(*mine._held.pop())
            os._exit(0)
        os.waitpid(child, 0)
        assert turn.exists()
        assert is_taken(turn)
    assert not turn.exists()


def test_clearing_the_cache_deletes_what_a_killed_process_left(turn: Path) -> None:
    turn.touch()
    clear_cache()
    assert not turn.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_where_nothing_can_be_written_there_are_no_turns(turn: Path) -> None:
    turn.parent.chmod(0o500)
    mine = Turns()
    mine.take(turn)
    assert not mine._held


def test_where_there_is_no_folder_there_are_no_turns(turn: Path) -> None:
    mine = Turns()
    mine.take(turn / "below" / "nothing")
    assert not mine._held
