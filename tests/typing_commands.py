"""The command line as a user types it: what was printed, and the exit status."""

import io
import json
import sys
from typing import Any

import pytest

from hiddenhand.cli import main


class Typed:
    """Call it with the words of a command, and with what is typed while it runs as ``lines``: (exit
    status, standard output, standard error).
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str, lines: str = "") -> tuple[int, str, str]:
        self._monkeypatch.setattr(sys, "argv", ["hiddenhand", *arguments])
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        try:
            main.main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        printed = self._capsys.readouterr()
        return status, printed.out, printed.err

    def json(self, *arguments: str) -> dict[str, Any]:
        """The answer with ``--json``, which must be one object on one line."""
        status, out, _ = self(*arguments, "--json")
        assert status == 0
        assert out.count("\n") == 1
        return json.loads(out)
