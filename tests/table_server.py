"""A server of tables in a process of its own, for tests."""

import re
import signal
import subprocess
import sys
from pathlib import Path


class Server:
    """``hiddenhand serve`` in a process of its own, which can be killed and started again."""

    def __init__(self, folder: Path, *arguments: str, port: int = 0) -> None:
        self._folder, self._arguments, self.port = folder, arguments, port
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "hiddenhand", "serve", *self._arguments, "--no-browser"]
        command += ["--port", str(self.port), "--tables", str(self._folder / "tables.sqlite")]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
        assert found, said
        self.port = int(found[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        self.process.send_signal(number)
        self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
