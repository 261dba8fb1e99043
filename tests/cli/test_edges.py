"""The edges of the command line: its streams, its signals, its surroundings. One sentence, exit
status 2, nothing lost, no traceback.
"""

import contextlib
import ctypes
import io
import json
import os
import pickle
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import pytest
from numba.core import serialize
from signals import start
from table_pages import wait_until
from typing_commands import Typed

from hiddenhand.cli import common
from hiddenhand.cli import main as cli
from hiddenhand.cli import process as cli_process
from hiddenhand.errors import FileError, HiddenhandError, OptionError, RuleError
from hiddenhand.jit.kernels import kernel
from hiddenhand.progress import Report

COMMAND = [sys.executable, "-c", "from hiddenhand.cli.main import main; main()"]


def one_sentence(err: str) -> str:
    sentences = [line for line in err.splitlines() if not line.startswith("Compiling")]
    assert len(sentences) == 1, err
    assert sentences[0].startswith("hiddenhand: ")
    assert len(sentences[0]) < 700
    return sentences[0]


# --- streams ---

EVERY_VERB = {
    "algorithms": "algorithms",
    "cache": "cache path",
    "check": "check Kuhn --plays 1",
    "demo": "demo --seconds 0.01",
    "evaluate": "evaluate Kuhn mccfr --iterations 5 --matches 1",
    "exploit": "exploit Kuhn random --method lbr --plays 2",
    "games": "games",
    "info": "info Kuhn",
    "match": "match Kuhn random random --matches 1",
    "maps": "maps",
    "nash-conv": "nash-conv Kuhn --uniform",
    "play": "play Kuhn --against random",
    "search": "search Kuhn --iterations 5",
    "solve": "solve Kuhn",
    "soundness": "soundness Kuhn random",
    "tournament": "tournament Kuhn random equilibrium --matches 1",
}


@pytest.mark.parametrize("verb", ["games", "info", "search", "play"])
def test_no_room_for_the_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    """Lines, a table, both, and questions: no verb prints anything else."""
    monkeypatch.setattr(sys, "argv", ["hiddenhand", *EVERY_VERB[verb].split()])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit) as end:
            cli.main()
    assert end.value.code == 2
    assert (
        one_sentence(capsys.readouterr().err)
        == "hiddenhand: standard output cannot be used: No space left on device"
    )


def test_every_verb_was_tried() -> None:
    named = {
        (command.name or command.callback.__name__)
        for command in cli.app.registered_commands
        if command.callback
    }
    # which answer in a file, in a browser, for a file, and in a file
    others = {"export", "serve", "strategy", "train"}
    assert named | {"cache"} == set(EVERY_VERB) | others


EACH = """
import json
import sys
from hiddenhand.cli.main import main

for arguments in json.loads(sys.argv[1]):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as end:
        status = end.code or 0
sys.exit(status)
"""
"""Several commands in one process, which ends as the last of them does."""


def shell(line: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which hh is the command line, and each is EACH."""
    program = (
        "hh() "
        f"{{ {sys.executable} -c 'from hiddenhand.cli.main import main; main()' \"$@\"; }}\n"
        f"each() {{ {sys.executable} -c '{EACH}' \"$@\"; }}\n{line}"
    )
    return subprocess.run(
        ["bash", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | surroundings,
        check=False,
    )


@pytest.mark.slow
def test_no_room_leaves_nothing_for_the_end_of_the_process() -> None:
    """Python writes what it still has when it ends, and says at length that it could not."""
    done = shell("hh games > /dev/full")
    assert done.returncode == 2
    assert (
        one_sentence(done.stderr)
        == "hiddenhand: standard output cannot be used: No space left on device"
    )


@pytest.mark.slow
def test_closed_streams() -> None:
    done = shell("hh games >&-")
    assert done.returncode == 2
    assert "standard output is closed" in one_sentence(done.stderr)
    done = shell("hh play Kuhn --against random <&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert "You left." in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "surroundings",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
)
def test_letters_that_the_terminal_lacks(tmp_path: Path, surroundings: dict[str, str]) -> None:
    (tmp_path / "own.py").write_text(
        "from dataclasses import dataclass\nfrom hiddenhand.games.poker.kuhn import KuhnPoker\n"
        "@dataclass(frozen=True)\nclass Own(KuhnPoker):\n"
        "    def action_name(self, state, player, action):\n        return "
        "super().action_name(state, player, action) + ' ♠[/b]'\n",
        encoding="utf-8",
    )
    commands = [
        ["tournament", "Kuhn", "random", "random()", "--matches", "2"],
        ["play", f"{tmp_path}/own.py:Own", "--against", "random"],
    ]
    done = shell(f"printf 'hint\\nquit\\n' | each '{json.dumps(commands)}'", **surroundings)
    assert "Error" not in done.stderr
    assert "bet ?[/b]" in done.stdout
    assert "##" in done.stdout
    assert "+-" in done.stdout


# --- surroundings ---


@pytest.mark.slow
@pytest.mark.skipif(
    sys.version_info[:3] == (3, 13, 0),
    reason="Python 3.13.0 imports neither socket nor NumPy in a folder that is gone",
)
def test_without_a_home_or_a_folder(tmp_path: Path) -> None:
    commands = [["info", "Kuhn"], ["check", "no_such_module:Game"]]
    done = shell(
        f"unset HOME; mkdir {tmp_path}/gone; cd {tmp_path}/gone; rmdir {tmp_path}/gone; "
        f"each '{json.dumps(commands)}'"
    )
    assert "information sets" in done.stdout
    assert done.returncode == 2
    assert "no_such_module" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_kernels_are_compiled_in_a_folder_that_was_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @kernel
    def doubled(number: int) -> int:
        return 2 * number

    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert doubled(2) == 4
    with pytest.raises(FileNotFoundError):
        Path.cwd()


def test_a_cache_that_keeps_nothing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @kernel
    def tripled(number: int) -> int:
        return 3 * number

    (tmp_path / "file").touch()
    monkeypatch.setenv("HIDDENHAND_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr("hiddenhand.cli.compiling_ahead.compile_beside", lambda: None)
    with common.work("Working"):
        assert tripled(2) == 6
    told = f"Compiling, each time anew: {tmp_path / 'file'} cannot be written or trusted.\n"
    assert told in capsys.readouterr().err


def test_a_user_whom_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    from hiddenhand.jit.cache import cache_root
    from hiddenhand.web.store import default_file

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("HIDDENHAND_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    assert cache_root().name == f"hiddenhand-{os.getuid()}"
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    with pytest.raises(FileError, match="no home folder to keep tables in; give a file with"):
        default_file()


def test_too_much(typed: Typed) -> None:
    nested = f"{'best_response(' * 1000}random{')' * 1000}"
    said = typed.refused(f"match Kuhn {nested} random --matches 1")
    assert "inside of 50 others" in said
    assert "there is no game" in typed.refused(f"info {'x' * 12_000}")


def test_memory_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    def greedy() -> None:
        raise MemoryError

    assert cli_process.run(greedy) == 2
    assert "not enough memory" in one_sentence(capsys.readouterr().err)


def test_json_has_no_nan() -> None:
    from hiddenhand.cli.common import print_json

    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"value": float("nan")})


def test_messages_are_short() -> None:
    assert len(str(OptionError("x" * 12_000))) <= 600
    assert str(OptionError("one\ntwo")) == r"one\ntwo"
    assert str(RuleError("one\ntwo")) == "one\ntwo"
    assert len(str(RuleError("x" * 12_000 + "\ntwo"))) == 604


# --- signals ---


def has_first_matches(file: Path) -> bool:
    """Only matches before which all have been played count."""
    with contextlib.closing(sqlite3.connect(file)) as rows:
        try:
            return bool(
                rows.execute("SELECT count(*) FROM match WHERE number < 5").fetchone()[0] == 5
            )
        except sqlite3.OperationalError:  # there is none yet
            return False


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_keeps_what_was_done(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, status: int
) -> None:
    class Ending:
        """Ends this process after 20 matches."""

        def update(self, report: Report) -> None:
            if report.done == 20:
                os.kill(os.getpid(), number)

    monkeypatch.setattr(common, "live_progress", lambda title: contextlib.nullcontext(Ending()))
    file = tmp_path / "file"
    before = signal.signal(number, signal.SIG_DFL)
    try:
        ended, out, err = typed(
            "match Kuhn random random --matches 1000000 --json --out", str(file)
        )
    finally:
        signal.signal(number, before)
    assert (ended, err) == (status, "")
    assert 0 < json.loads(out)["matches"] <= 20
    assert has_first_matches(file)


@pytest.mark.slow
def test_workers_and_a_signal(typed: Typed, tmp_path: Path) -> None:
    """SIGTERM, sent to all processes at once, as a service manager does. What a terminal sends is
    tried in `evaluation/test_methods.py`.
    """
    typed.json("match Kuhn random random --matches 1")
    file = tmp_path / "file"
    words = shlex.split("match Kuhn random random --matches 1000000 --jobs 2 --json --out")
    with start([*COMMAND, *words, file], start_new_session=True) as process:
        deadline = time.monotonic() + 60
        while not has_first_matches(file) and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGTERM)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 143
    assert "Traceback" not in err
    assert json.loads(out)["matches"] > 0


ENDLESS = """
import sys
import numpy as np
from hiddenhand.cli import process
from hiddenhand.jit.kernels import kernel

@kernel
def endless(numbers):
    last = numbers.size - 1
    numbers[last] = 1  # it runs
    at = 0
    while numbers[at] == 0:
        at = (at + 1) % last

endless(np.ones(3, np.int64))  # compiled
shared = np.memmap(sys.argv[1], np.int64, "w+", shape=3)
sys.exit(process.run(lambda: endless(np.asarray(shared))))
"""
"""Machine code that never returns, and says in a file that it runs."""


@pytest.mark.slow
def test_a_second_ctrl_c_ends_the_server_in_order(tmp_path: Path) -> None:
    for needed in ("starlette", "uvicorn", "websockets"):
        pytest.importorskip(needed)
    command = [sys.executable, "-m", "hiddenhand", "serve", "--no-browser", "--port", "0"]
    with start([*command, "--tables", tmp_path / "tables.sqlite"]) as process:
        assert process.stdout is not None
        assert "http://" in process.stdout.readline()
        for _ in range(2):
            process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said


@pytest.mark.slow
def test_a_second_ctrl_c_ends_machine_code_that_never_returns(tmp_path: Path) -> None:
    shared = tmp_path / "shared"

    def is_running() -> bool:
        return shared.exists() and any(shared.read_bytes())

    with start([sys.executable, "-c", ENDLESS, shared]) as process:
        wait_until(is_running)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        hint = process.stderr.readline()
        assert process.poll() is None  # the first one waits for it to return
        process.send_signal(signal.SIGINT)
        _, end = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "waiting for compiled code to return; Ctrl-C again" in hint
    assert "ended at once" in end
    assert end.count("\n") == 1


@pytest.mark.slow
def test_a_second_ctrl_c_waits_for_what_returns(capsys: pytest.CaptureFixture[str]) -> None:
    """Two in quick succession, which some programs send for one keystroke, are one."""

    def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(10)
        except KeyboardInterrupt:
            time.sleep(
                0.6
            )  # the thread that listens must not think that the first is still waiting
            sys.exit(cli_process.INTERRUPTED)

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for _ in range(2):
            assert cli_process.run(work) == 130
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.set_wakeup_fd(-1) == -1
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == ""


def test_an_interrupted_exec_does_not_change_the_exit_status(tmp_path: Path) -> None:
    """Python ends a program by SIGINT if Ctrl-C ever left an exec in it, as in namedtuple."""
    (tmp_path / "program.py").write_text(
        "import sys\n"
        "from hiddenhand.cli.process import run\n"
        "sys.exit(run(lambda: exec('raise KeyboardInterrupt')))\n"
    )
    command = [sys.executable, "-m", "program"]
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ended = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, check=False)
    assert ended.returncode == cli_process.INTERRUPTED


@pytest.mark.slow
@pytest.mark.parametrize("late", [0.0, 0.5])
@pytest.mark.parametrize("goes_on", [False, True])
def test_a_signal_that_is_lost_in_c_comes_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, goes_on: bool, late: float
) -> None:
    """As while Numba compiles: what it interrupts then fails, or goes on as if nothing had been.

    late: seconds by which the thread that listens reads later than it could, on a machine that is
        full. It then reads of both signals at once, when both have been delivered.
    """
    at_once = select.select

    def slowly(*arguments: Any) -> Any:
        found = at_once(*arguments)
        time.sleep(late)
        return found

    monkeypatch.setattr(select, "select", slowly)

    def callback() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)

    ended = list[str]()

    def work() -> None:
        ctypes.CFUNCTYPE(None)(callback)()
        if goes_on:
            time.sleep(30)
            ended.append("slept to the end")
        raise HiddenhandError("what was interrupted is said to be wrong")

    assert cli_process.run(work) == 143
    assert ended == []
    assert capsys.readouterr().err == ""


class Interrupts:
    """Is interrupted while it is unpickled."""

    made: ClassVar[list["Interrupts"]] = []

    def __setstate__(self, state: object) -> None:
        self.made.append(self)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        self.is_whole = True


def test_what_compiled_code_calls_is_not_interrupted(capsys: pytest.CaptureFixture[str]) -> None:
    """It would return a result with an exception set, which is a SystemError."""
    interrupts = Interrupts()
    interrupts.is_whole = False
    pickled = pickle.dumps(interrupts)
    Interrupts.made.clear()

    def work() -> None:
        serialize._numba_unpickle(id(pickled), pickled, b"")
        time.sleep(30)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert cli_process.run(work) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert [made.is_whole for made in Interrupts.made] == [True]
    assert capsys.readouterr().err == ""


def test_an_ignored_signal_stays_ignored() -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert cli_process.run(lambda: os.kill(os.getpid(), signal.SIGINT)) == 0
    finally:
        signal.signal(signal.SIGINT, before)


# --- games of users, in every verb and every process ---

RULES = "from dataclasses import dataclass\nfrom hiddenhand.games.poker.kuhn import KuhnPoker\n"
OWN = "@dataclass(frozen=True)\nclass Own(KuhnPoker):\n    pass\n"


@pytest.mark.slow
def test_games_of_users_travel_to_workers(tmp_path: Path) -> None:
    (tmp_path / "beside").mkdir()
    (tmp_path / "in_the_folder.py").write_text(RULES + OWN)
    (tmp_path / "beside" / "own.py").write_text(RULES + "import helper\n" + OWN)
    (tmp_path / "beside" / "helper.py").write_text("")
    program = (
        "from hiddenhand import load_game; from hiddenhand.workers import in_parallel\n"
        "games = [load_game(name) for name in ('in_the_folder:Own', "
        "'beside/own.py:Own(num_cards=4)')]\n"
        "if __name__ == '__main__': print(sorted(in_parallel(repr, [(game,) for game in games], "
        "2, 'loky')))\n"
    )
    (tmp_path / "program.py").write_text(program)
    done = shell(f"cd {tmp_path} && {sys.executable} program.py")
    assert done.stderr == ""
    assert done.stdout == "['Own(num_cards=3)', 'Own(num_cards=4)']\n"


def test_a_signal_that_was_lost_in_other_code_ends_what_that_raises_instead() -> None:
    """Numba may raise anything after a signal came while it called Python from C."""
    script = (
        "import os, signal, sys, time\n"
        "from hiddenhand.cli.process import run\n"
        "class Loses:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(0.01)\n"
        "def command():\n"
        "    loses = Loses()\n"
        "    del loses\n"
        "    raise RuntimeError('no compiled object yet')\n"
        "sys.exit(run(command))\n"
    )
    done = start([sys.executable, "-c", script])
    err = done.communicate(timeout=60)[1]
    assert done.returncode == 130
    assert "Traceback" not in err
