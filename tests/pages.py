"""The code blocks of a page, and how they are run: in order, in an empty folder.

- ``python`` blocks of a page share one namespace. A block that opens with ``# name.py`` is saved
  under that name before anything is run, so a page may use a file that it shows further below.
- Lines of ``console`` and ``bash`` blocks that start with ``$`` are commands and must succeed; the
  others are what they print. `hiddenhand` is run in this process, which saves each command the
  start of a new one and the compilation of what this one has. For `make` and `scripts/` it is
  enough that what they name is there.
- A block that opens with ``python needs=MODULE`` is run where that module is installed.
- Blocks in any other language, or in none, are only to be read.

The tests run pages with `run_page`. The documentation site runs this file as a program, which
writes down what each block printed: ``python tests/pages.py PAGE FOLDER RESULT``.
"""

import contextlib
import importlib.util
import io
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS = re.compile(r"needs=(\w+)")
COMMAND = re.compile(r"^\$ (.*)$", re.MULTILINE)

Type = Callable[..., tuple[int, str, str]]
"""Types a command: (exit status, standard output, standard error)."""


@dataclass(frozen=True)
class Block:
    """A code block of a page.

    language: the first word behind the opening fence.
    code: what is in the block.
    line: where the code starts in the page.
    needs: the module without which the block cannot run; empty if it runs everywhere.
    """

    language: str
    code: str
    line: int
    needs: str = ""

    @property
    def can_run(self) -> bool:
        """Whether what it needs is installed."""
        return not self.needs or importlib.util.find_spec(self.needs) is not None


def blocks_of(page: Path) -> Iterator[Block]:
    """The blocks of ``page`` that have a language, in order."""
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        needs = NEEDS.search(match[2])
        line = text.count("\n", 0, match.start(3)) + 1
        yield Block(match[1], match[3], line, needs[1] if needs else "")


def run_page(page: Path, type_command: Type) -> list[list[str]]:
    """Run the blocks of ``page`` in the present folder: what each printed, with an entry for each
    command of a block of commands, and one for a block of Python. The user's data folder is one
    inside of the present folder.
    """
    with mock.patch.dict(os.environ, HIDDENHAND_DATA=str(Path.cwd() / "user-data")):
        return _run_blocks(page, type_command)


def _run_blocks(page: Path, type_command: Type) -> list[list[str]]:
    namespace: dict[str, Any] = {"__name__": page.stem}
    printed: list[list[str]] = []
    for block in blocks_of(page):
        if block.language == "python" and (saved := re.match(r"# (\w+\.py)\n", block.code)):
            Path(saved[1]).write_text(block.code, encoding="utf-8")
    for block in blocks_of(page):
        printed.append([])
        if not block.can_run:
            continue
        if block.language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as out:
                # blank lines in front, so that a traceback names the line of the page
                exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), namespace)
            printed[-1].append(out.getvalue())
        elif block.language in ("console", "bash"):
            where = f"{page.name}, block at line {block.line}"
            for command in COMMAND.findall(block.code):
                printed[-1].append(run_command(command, where, type_command))
    return printed


def run_command(command: str, where: str, type_command: Type) -> str:
    """Run a command of a page: what it printed. Raises AssertionError if it fails."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "make":
        assert arguments[0] in make_targets(), f"{where}: no such target: {command}"
    elif program.startswith("scripts/"):
        assert os.access(ROOT / program, os.X_OK), f"{where}: no such script: {command}"
    elif command != "source .venv/bin/activate":
        assert program == "hiddenhand", (
            f"{where}: only hiddenhand, make and scripts/ are understood, not {command}"
        )
        status, out, err = type_command(*arguments)
        assert status == 0, f"{where}: {command}\n{out}{err}"
        return out
    return ""


def make_targets() -> set[str]:
    """What can be made."""
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def _type(*arguments: str) -> tuple[int, str, str]:
    """Type a command in this process."""
    from hiddenhand.cli import main

    sys.argv = ["hiddenhand", *arguments]
    sys.stdin = io.StringIO()
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        try:
            main.main()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()


def _main(page: str, folder: str, result: str) -> None:
    path, kept = Path(page).resolve(), Path(result).resolve()
    os.chdir(folder)
    sys.path.insert(0, folder)
    kept.write_text(json.dumps(run_page(path, _type)), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:])
