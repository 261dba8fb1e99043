"""Every code block that a user reads is run, in order, page by page, in an empty folder.

- ``python`` blocks of a page share one namespace. A block that opens with ``# name.py`` is also
  saved under that name.
- Lines of ``console`` and ``bash`` blocks that start with ``$`` are commands and must succeed; the
  others are what they print. `hiddenhand` is run in this process, which saves each command the
  start of a new one and the compilation of what this one has; that the program which was installed
  does the same is seen once. For `make` and `scripts/` it is enough that what they name is there.
- Blocks in any other language, or in none, are only to be read.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typing_commands import Typed

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int  # where the code starts in the page


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text()
    for match in BLOCK.finditer(text):
        yield Block(match[1], match[2], text.count("\n", 0, match.start(2)) + 1)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_modules: None, typed: Typed
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    namespace: dict[str, Any] = {"__name__": page.stem}
    for block in blocks_of(page):
        if block.language == "python":
            if saved := re.match(r"# (\w+\.py)\n", block.code):
                Path(saved[1]).write_text(block.code)
            # blank lines in front, so that a traceback names the line of the page
            exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), namespace)
        elif block.language in ("console", "bash"):
            for command in re.findall(r"^\$ (.*)$", block.code, re.MULTILINE):
                run_command(command, f"{page.name}, block at line {block.line}", typed)


def run_command(command: str, where: str, typed: Typed) -> None:
    program, *arguments = shlex.split(command, comments=True)
    if program == "make":
        assert arguments[0] in make_targets(), f"{where}: no such target: {command}"
    elif program.startswith("scripts/"):
        assert os.access(ROOT / program, os.X_OK), f"{where}: no such script: {command}"
    elif command != "source .venv/bin/activate":
        assert program == "hiddenhand", (
            f"{where}: only hiddenhand, make and scripts/ are understood, not {command}"
        )
        status, out, err = typed(*arguments)
        assert status == 0, f"{where}: {command}\n{out}{err}"


@pytest.mark.parametrize(
    "program",
    [[str(Path(sys.executable).parent / "hiddenhand")], [sys.executable, "-m", "hiddenhand"]],
    ids=["hiddenhand", "python -m hiddenhand"],
)
def test_the_program_that_was_installed_does_the_same(program: list[str], typed: Typed) -> None:
    done = subprocess.run([*program, "games"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == typed("games")


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_pages_have_code() -> None:
    """The pattern finds blocks at all, and pages do not lose theirs unnoticed."""
    languages = {block.language for page in PAGES for block in blocks_of(page)}
    assert {"python", "console"} <= languages
