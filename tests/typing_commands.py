"""The command line as a user types it: what was printed, and the exit status."""

import functools
import io
import json
import shlex
import sys
from typing import Any

import pytest
from typer.main import get_command

from hiddenhand.cli import main


def own_verbs() -> dict[str, Any]:
    """The verbs of the command line by name, without those of other packages."""
    known: dict[str, Any] = get_command(main.app).commands  # type: ignore[attr-defined]
    return {name: verb for name, verb in known.items() if verb.rich_help_panel != main.OF_OTHERS}


@functools.cache
def _command(app: Any, num_verbs: int) -> Any:
    return get_command(app)


def _command_of(app: Any) -> Any:
    """What typer makes of ``app`` for each command: made once for all commands of the tests, unless
    a package adds verbs.
    """
    return _command(app, len(app.registered_commands) + len(app.registered_groups))


class Typed:
    """Call it with a command, and with what is typed while it runs as ``lines``: (exit status,
    standard output, standard error). A shell would split the first argument into words; the others
    are words.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, command: str, *words: str, lines: str = "") -> tuple[int, str, str]:
        typed = ["hiddenhand", *shlex.split(command), *words]
        self._monkeypatch.setattr("typer.main.get_command", _command_of)
        self._monkeypatch.setattr(sys, "argv", typed)
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        try:
            main.main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        printed = self._capsys.readouterr()
        return status, printed.out, printed.err

    def refused(self, *command: str, lines: str = "") -> str:
        """The one sentence by which a command is refused: nothing else is printed."""
        status, out, err = self(*command, lines=lines)
        assert (status, out) == (2, ""), err
        (sentence,) = (line for line in err.splitlines() if not line.startswith("Compiling"))
        assert sentence.startswith("hiddenhand: ")
        assert len(sentence) < 700
        return sentence.removeprefix("hiddenhand: ")

    def json(self, *command: str) -> dict[str, Any]:
        """The answer with ``--json``, which must be one object on one line."""
        status, out, _ = self(*command, "--json")
        assert status == 0
        assert out.count("\n") == 1
        return json.loads(out)
