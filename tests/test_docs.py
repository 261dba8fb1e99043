"""Every code block that a user reads is run, page by page: see `pages`. That the program which was
installed does the same as the commands that are run in this process is seen once.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from clocks import RATES, running_at
from pages import ROOT, blocks_of, run_page
from typing_commands import Typed

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own_modules: None, typed: Typed
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with running_at(RATES["slow machine"]):  # thinking times are over soon
        run_page(page, typed)


INSTALLED = Path(sys.executable).parent / "hiddenhand"


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(
            [str(INSTALLED)],
            marks=pytest.mark.skipif(
                not INSTALLED.exists(), reason="the package is on the path, and not installed"
            ),
        ),
        [sys.executable, "-m", "hiddenhand"],
    ],
    ids=["hiddenhand", "python -m hiddenhand"],
)
def test_the_program_that_was_installed_does_the_same(program: list[str], typed: Typed) -> None:
    done = subprocess.run([*program, "games"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == typed("games")


def test_pages_have_code() -> None:
    """The pattern finds blocks at all, and pages do not lose theirs unnoticed."""
    languages = {block.language for page in PAGES for block in blocks_of(page)}
    assert {"python", "console"} <= languages


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_the_files_are_there_that_a_page_for_developers_names(page: str) -> None:
    """Also after modules got other names. In a table of searches paths begin in ``search``."""
    named = set(re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)\b", (ROOT / page).read_text()))
    package = ROOT / "src" / "hiddenhand"
    folders = (ROOT, package, package / "search")
    assert len(named) > 5
    assert [name for name in named if not any((folder / name).exists() for folder in folders)] == []
