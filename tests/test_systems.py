"""Other operating systems, as far as this one can stand in: what they lack is taken away."""

import errno
import fcntl
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hiddenhand import locks, mapped, systems, workers
from hiddenhand.errors import FileError
from hiddenhand.files import alone_at, write_whole
from hiddenhand.jit import background
from hiddenhand.jit.compile_lock import Turns
from hiddenhand.processors import num_processors
from hiddenhand.web.store import Store
from hiddenhand.workers import in_parallel

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="imitates Windows on POSIX")

BARE = """
import os, signal, socket, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in {modules!r}:
            raise ImportError(name)

for name in {modules!r}:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Missing())
for module, names in ((os, {of_os!r}), (signal, {of_signal!r}), (socket, ["TCP_USER_TIMEOUT"])):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)

from hiddenhand.cli.main import main
sys.argv = ["hiddenhand", "match", "kuhn_poker", "auto", "random", "--matches", "1"]
sys.argv += ["--iterations", "20", "--json"]
try:
    main()
finally:
    assert not set({modules!r}) & set(sys.modules)
"""
MODULES = ("fcntl", "resource", "pwd", "grp", "termios")
OF_OS = ["fork", "forkpty", "register_at_fork", "posix_fallocate", "sysconf", "geteuid", "getuid"]
OF_OS += ["sched_getaffinity", "sched_setaffinity", "nice", "killpg", "setsid"]
OF_OS += ["O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK"]
OF_SIGNAL = ["pthread_sigmask", "setitimer", "SIGHUP", "SIGALRM", "SIGKILL"]


@pytest.mark.slow
def test_a_match_needs_nothing_that_only_posix_has() -> None:
    program = BARE.format(modules=MODULES, of_os=OF_OS, of_signal=OF_SIGNAL)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"matches": 1' in done.stdout


@pytest.fixture(params=["windows", "nothing"])
def other_locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The locks of Windows, imitated by those of POSIX, and a system without locks."""

    def locking(file: int, mode: int, size: int) -> None:
        assert (mode, size) == (2, 1)
        assert os.lseek(file, 0, os.SEEK_CUR) > 2**30  # not on what others read or write
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PermissionError from None

    has_locks = request.param == "windows"
    monkeypatch.setattr(locks, "_FCNTL", None)
    monkeypatch.setattr(
        locks, "_MSVCRT", SimpleNamespace(locking=locking, LK_NBLCK=2) if has_locks else None
    )
    monkeypatch.setattr(locks, "EXIST", has_locks)
    monkeypatch.setattr(systems, "WINDOWS", True)
    kind: str = request.param
    return kind


def test_one_of_two_has_a_lock(other_locks: str, tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT) for _ in range(2))
    os.write(first, b"12345")
    if other_locks == "nothing":
        with pytest.raises(OSError, match="no locks"):
            locks.takes_lock(first)
    else:
        assert locks.takes_lock(first)
        assert not locks.takes_lock(second)
    os.write(first, b"67")  # where it was
    os.close(first)
    if other_locks == "windows":
        assert locks.takes_lock(second)
    locks.delete_and_close(tmp_path / "file", second)
    assert list(tmp_path.iterdir()) == []


def test_work_that_is_done_alone(other_locks: str, tmp_path: Path) -> None:
    with alone_at(tmp_path / "lock"):
        assert (tmp_path / "lock").exists() == (other_locks == "windows")
    turns = Turns()
    with turns.ended():
        turns.take(tmp_path / "turn")
        assert (tmp_path / "turn").exists() == (other_locks == "windows")
    assert list(tmp_path.iterdir()) == []


def test_a_part_that_was_left_is_removed_if_it_is_known_to_be_left(
    other_locks: str, tmp_path: Path
) -> None:
    left = tmp_path / "file.abcdefgh.hiddenhand.part"
    left.touch()
    os.utime(left, (0, 0))
    write_whole(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"
    assert left.exists() == (other_locks == "nothing")


def test_two_servers_with_one_file(other_locks: str, tmp_path: Path) -> None:
    """Where there are locks, the second is refused."""
    first = Store(tmp_path / "tables.sqlite")
    if other_locks == "windows":
        with pytest.raises(FileError, match="in use by another server"):
            Store(tmp_path / "tables.sqlite")
    else:
        Store(tmp_path / "tables.sqlite").close()
    first.close()


def test_a_folder_without_locks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Some folders of other machines have none: no process waits, and none is refused."""

    def refuse(file: int, mode: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(locks, "_FCNTL", SimpleNamespace(flock=refuse, LOCK_EX=2, LOCK_NB=4))
    with alone_at(tmp_path / "lock"), alone_at(tmp_path / "lock"):
        assert (tmp_path / "lock").exists()
    first = Store(tmp_path / "tables.sqlite")
    Store(tmp_path / "tables.sqlite").close()
    first.close()


@pytest.mark.parametrize("leads", [True, False])
def test_only_the_leader_of_a_session_lowers_the_priority_of_the_session(
    leads: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    session, given = tmp_path / "session", list[int]()
    session.write_text("0")
    monkeypatch.setattr(systems, "_OWN_SESSION", session)
    monkeypatch.setattr(os, "getsid", lambda process: os.getpid() if leads else -1)
    monkeypatch.setattr(os, "nice", given.append)
    systems.lower_priority()
    assert given == [19]
    assert session.read_text() == ("19" if leads else "0")
    monkeypatch.setattr(systems, "_OWN_SESSION", tmp_path / "missing" / "session")
    systems.lower_priority()  # as on systems without such a file


def test_a_file_that_windows_reads_can_be_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, values = tmp_path / "arrays", np.arange(5000, dtype=np.float64)
    mapped.write_mapped(file, "kind", {}, {"one": values[:3], "two": values})
    monkeypatch.setattr(mapped, "WINDOWS", True)
    read = mapped.Mapped.load(file, "test")
    for name, array in read.arrays.items():
        assert not isinstance(array, np.memmap)
        assert not array.flags.writeable
        read.verify(name, 0, array.size)
    np.testing.assert_array_equal(read.arrays["two"], values)
    np.testing.assert_array_equal(read.arrays["one"], values[:3])


class FakeProcesses:
    """What Windows says of one process, which ends when it is told to."""

    def __init__(self, number: int) -> None:
        self.number, self.has_ended = number, False

    def OpenProcess(self, rights: int, inherit: bool, number: int) -> str:  # noqa: N802
        assert (rights, inherit) == (0x100000, False)
        if number != self.number:
            raise OSError(87, "The parameter is incorrect")
        return "handle"

    def WaitForSingleObject(self, handle: str, milliseconds: int) -> int:  # noqa: N802
        assert (handle, milliseconds) == ("handle", 0)
        return 0 if self.has_ended else 258


def test_the_end_of_a_parent_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    processes, ended = FakeProcesses(17), threading.Event()
    monkeypatch.setattr(systems, "WINDOWS", True)
    monkeypatch.setattr(systems, "_WINAPI", processes)
    monkeypatch.setattr(systems, "_LOOK", 0.01)
    systems.when_parent_ends(17, ended.set)
    assert systems.Parent(17).lives
    assert not systems.Parent(18).lives
    assert not ended.wait(0.05)
    processes.has_ended = True
    assert ended.wait(10)


def test_a_process_interrupts_itself_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """There ``os.kill`` would end it. A job in the background of a shell ignores the signal."""
    monkeypatch.setattr(systems, "WINDOWS", True)
    monkeypatch.delattr(os, "kill")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            systems.interrupt_this_process()
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_child_that_windows_cannot_interrupt_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []

    def refuse(number: int) -> None:
        said.append(number)
        raise OSError(6, "The handle is invalid")

    child: Any = SimpleNamespace(send_signal=refuse, kill=lambda: said.append("ended"))
    monkeypatch.setattr(systems, "WINDOWS", True)
    monkeypatch.setattr(signal, "CTRL_BREAK_EVENT", 1, raising=False)
    systems.interrupt_child(child)
    assert said == [1, "ended"]


def test_calls_in_parallel_without_masks_of_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only this package goes without: loky found out when it was imported that there are some."""
    names = {name: value for name, value in vars(signal).items() if name != "pthread_sigmask"}
    monkeypatch.setattr(workers, "signal", SimpleNamespace(**names))
    assert sorted(in_parallel(pow, [(2, 3), (2, 4)], 2, "loky")) == [8, 16]


def test_a_port_is_not_shared_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[Any] = []
    opened: Any = SimpleNamespace(setsockopt=lambda *said_now: said.append(said_now))
    monkeypatch.setattr(systems, "WINDOWS", True)
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    systems.keep_port(opened)
    assert said == [(socket.SOL_SOCKET, -5, 1)]


def test_processors_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert num_processors() == 1


@pytest.mark.parametrize("missing", ["fork", "linux", "/proc"])
def test_kernels_compile_in_a_thread_where_nothing_can_be_forked(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "keeps_code", lambda: True)
    if missing == "fork":
        monkeypatch.delattr(os, "fork")
    elif missing == "linux":
        monkeypatch.setattr(sys, "platform", "darwin")
    else:
        monkeypatch.setattr(background, "Path", lambda _: Path("/nowhere/at/all"))
    assert not background.may_fork()
