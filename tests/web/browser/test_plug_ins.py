"""A package as docs/plug-ins.md describes it, installed: its game, its search and its player appear
by their names at the command line, in a match, and in the browser.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_tables import open_table, play_to_the_end
from table_server import Server

DOCS = Path(__file__).parents[3] / "docs"
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "my-package"
version = "1.0"
"""


def blocks(page: str, kind: str) -> list[str]:
    """The blocks of code of a page of the documentation."""
    return re.findall(rf"```{kind}[^\n]*\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages into which pip installed the one of the pages."""
    project, folder = (tmp_path_factory.mktemp(name) for name in ("project", "packages"))
    entries = blocks("plug-ins.md", "toml")[0].partition('[project.entry-points."hiddenhand.verbs')
    (project / "pyproject.toml").write_text(PROJECT + entries[0])
    package = project / "my_package"
    package.mkdir()
    (package / "__init__.py").touch()
    search, player = blocks("plug-ins.md", "python")
    game = blocks("write-a-game-in-one-page.md", "python")[0].replace("HighCard", "Bluff")
    for name, text in {"bluff": game, "sampler": search, "first": player}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(folder), str(project)], check=True)
    return folder


def test_a_package_with_a_game_a_search_and_a_player(
    installed: Path,
    browser: Any,
    tmp_path: Path,
    watch: Callable[[Any], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    places = [str(installed), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(places))

    def told(*words: str) -> str:
        command = [sys.executable, "-m", "hiddenhand", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    for verb, name in (("games", "bluff"), ("algorithms", "sampler")):
        assert re.search(
            rf"^{name}.*\n(    .*\n)+    From the package my-package\.", told(verb), re.M
        )
    match = told("match", "bluff", "sampler", "first", "--matches", "2", "--iterations", "20")
    assert "bluff: sampler against first, 2 matches" in match

    server = Server(tmp_path)
    page = watch(browser.new_context(base_url=server.address).new_page())
    page.goto("/")
    assert "bluff" in page.locator(".game").filter(has_text="from my-package").inner_text()
    page.get_by_role("button", name="Set up bluff", exact=True).click()
    seat = page.get_by_role("dialog").get_by_role("group", name="Seat 2", exact=True)
    seat.get_by_role("radio", name="Custom").check()
    for bot in ("sampler", "first"):
        seat.locator("option", has_text=bot).filter(has_text="my-package").wait_for(
            state="attached"
        )
    seat.get_by_label("Search in seat 2").select_option("sampler")
    page.get_by_role("button", name="Open the table").click()
    page.wait_for_url("**/table/*")
    play_to_the_end(page, "mouse")
    open_table(page, "bluff", ["person", "first"])
    play_to_the_end(page, "mouse")
    assert page.locator("main").get_attribute("data-state") == "over"
    assert page.errors == []
    page.context.close()
    server.stop()
