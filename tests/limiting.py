"""Processes that run out of room, as on a full disk."""

import contextlib
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def limited(size: int) -> Iterator[None]:
    """A context in which files that this process writes may have ``size`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def run_limited(code: str, *arguments: str, size: int = 2**16) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a process whose files may have ``size`` bytes, and which gets an error for
    more, not a signal.
    """

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, preexec_fn=limit, timeout=300
    )


def type_limited(*arguments: str, size: int = 2**16) -> subprocess.CompletedProcess[str]:
    """The command line in such a process."""
    return run_limited("from hiddenhand.cli.main import main; main()", *arguments, size=size)
