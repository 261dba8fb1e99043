"""Calls in parallel: who hears the signals that end a process."""

import subprocess
import sys

import pytest

MASKS = """
import signal, threading
from pathlib import Path
from hiddenhand.workers import in_parallel

results = in_parallel(pow, [(2, n) for n in range(4)], 2, "loky")
first = next(results)
threads = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
for thread in threads:
    lines = Path(f"/proc/self/task/{thread.native_id}/status").read_text().splitlines()
    blocked = int(next(line for line in lines if line.startswith("SigBlk")).split()[1], 16)
    for number in (signal.SIGINT, signal.SIGTERM):
        assert blocked >> (number - 1) & 1, number
assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
print(len(threads), sum(results) + first)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_threads_that_end_workers_hear_no_signals() -> None:
    """Otherwise a second Ctrl-C would reach the program that loky calls to end its workers, and
    they would go on.
    """
    done = subprocess.run(
        [sys.executable, "-c", MASKS], capture_output=True, text=True, check=False, timeout=120
    )
    threads, total = map(int, done.stdout.split())
    assert threads >= 1
    assert total == 1 + 2 + 4 + 8
    assert not done.stderr


PRINTING = """
from hiddenhand.workers import in_parallel

list(in_parallel(print, [("first\\n",), ("second\\n",)], 2, "loky"))
"""


@pytest.mark.slow
def test_what_a_worker_prints_is_no_answer() -> None:
    """In a process of its own: workers of earlier tests would print where these printed. Each word
    ends with its line, because ``print`` writes its own end apart, perhaps after the other word.
    """
    done = subprocess.run(
        [sys.executable, "-c", PRINTING], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == ""
    assert sorted(done.stderr.split()) == ["first", "second"]


IN_A_HURRY = """
import multiprocessing, os
from hiddenhand.workers import in_parallel

multiprocessing.set_start_method({!r})
results = in_parallel(pow, [(2, n) for n in range(400)], 2, {!r})
print(next(results), flush=True)
os._exit(3)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="has no such processes")
@pytest.mark.parametrize(
    ("method", "backend"),
    [("fork", "loky"), ("fork", "multiprocessing"), ("forkserver", "multiprocessing")],
)
def test_nothing_is_said_of_what_an_end_in_a_hurry_leaves(method: str, backend: str) -> None:
    """As after a second Ctrl-C. Python 3.14 starts a fork server by default."""
    done = subprocess.run(  # waits until all processes have closed their standard error
        [sys.executable, "-c", IN_A_HURRY.format(method, backend)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "1\n", "")
