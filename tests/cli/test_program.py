"""The command as a process: what it leaves behind, and how it ends."""

import subprocess
import sys
from pathlib import Path

import pytest

Ended = subprocess.CompletedProcess[str]

_PROGRAM = """
import atexit, sys, threading, time
from hiddenhand.cli import program
{before}
atexit.register(lambda: print("first to be registered", file=sys.stderr))
sys.argv = ["hiddenhand", {arguments}]
try:
    program.start()
finally:
    {after}
"""


def ended(arguments: str, before: str = "", after: str = "pass") -> Ended:
    text = _PROGRAM.format(arguments=arguments, before=before, after=after)
    command = [sys.executable, "-c", text]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("arguments", "status"), [("'games'", 0), ("'no_such_verb'", 2)])
def test_the_exit_status_and_all_output_arrive(arguments: str, status: int) -> None:
    found = ended(arguments)
    assert found.returncode == status
    shown = found.stdout if status == 0 else found.stderr
    assert ("kuhn_poker" if status == 0 else "no_such_verb") in shown


@pytest.mark.slow
def test_threads_and_exit_functions_end_first() -> None:
    after = "threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\n"
    after += "    atexit.register(lambda: print('exit function'))"
    found = ended("'games'", after=after)
    assert found.returncode == 0
    assert found.stdout.splitlines()[-2:] == ["thread", "exit function"]


def test_an_error_of_the_program_itself_ends_as_usual() -> None:
    found = ended("'games'", "import hiddenhand.cli.main as m; m.main = lambda: 1 / 0")
    assert found.returncode == 1
    assert "ZeroDivisionError" in found.stderr
    assert "first to be registered" in found.stderr


def test_ctrl_c_before_the_command_begins_prints_nothing() -> None:
    interrupting = """
class Interrupting:
    def find_spec(self, *names):
        raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupting())
"""
    found = ended("'games'", interrupting)
    assert found.returncode == 130
    assert (found.stdout, found.stderr) == ("", "")


@pytest.mark.slow
def test_a_profiler_sees_all_of_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cProfile", "-o", str(tmp_path / "profile")]
    subprocess.run([*command, "-m", "hiddenhand", "games"], capture_output=True, check=True)
    assert (tmp_path / "profile").stat().st_size > 0


def test_output_that_cannot_be_written_is_an_error() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("there is no /dev/full")
    with full.open("w") as nowhere:
        command = [sys.executable, "-m", "hiddenhand", "games"]
        found = subprocess.run(command, stdout=nowhere, stderr=subprocess.PIPE, check=False)
    assert found.returncode == 2
