"""A server of tables in a process of its own, for measurements and pictures."""

import os
import re
import subprocess
import sys
from pathlib import Path

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]


class Server:
    """``hiddenhand serve`` at a port that is free.

    folder: where it keeps its tables.
    cache: where it keeps compiled code; None for the user's folder.
    tier: the form of the kernels.
    """

    def __init__(
        self, folder: Path, *arguments: str, cache: Path | None = None, tier: str = "auto"
    ) -> None:
        command = [sys.executable, "-m", "hiddenhand", "--tier", tier, "serve", *arguments]
        command += ["--no-browser", "--port", "0", "--tables", str(folder / "tables.sqlite")]
        place = os.environ if cache is None else os.environ | {"HIDDENHAND_CACHE": str(cache)}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=place)
        assert self.process.stdout is not None
        found = re.search(r":(\d+)/", self.process.stdout.readline())
        if found is None:
            raise SystemExit("the server did not start")
        self.port = int(found[1])

    @property
    def address(self) -> str:
        """Where its first page is."""
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(10)
