"""Processes that tests send signals to."""

import signal
import subprocess
from collections.abc import Sequence
from typing import Any


def start(command: Sequence[object], **options: Any) -> subprocess.Popen[str]:
    """Start ``command`` with its output in pipes, and with the default answer to signals.

    Children inherit what is ignored: where the tests run in the background (``nohup make test &``),
    Ctrl-C would not reach them.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        [str(word) for word in command],
        preexec_fn=_open_to_signals,  # noqa: PLW1509 - no threads yet
        **pipes | options,
    )


def _open_to_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
