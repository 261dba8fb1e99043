"""The game of the README in the browser: what a newcomer sees who has just written it."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from table_server import Server

README = Path(__file__).parents[3] / "README.md"


def test_the_game_of_the_readme(browser: Any, tmp_path: Path, watch: Callable[[Any], Any]) -> None:
    block = re.search(r"```python\n(# bluff\.py.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert block
    file = tmp_path / "bluff.py"
    file.write_text(block[1], encoding="utf-8")
    server = Server(tmp_path, f"{file}:Bluff", "--against", "random")
    page = watch(browser.new_context(base_url=server.address).new_page())
    page.goto("/")
    card = page.locator(".game").first
    card.get_by_role("heading", name="Bluff").wait_for()
    assert "player 1 passes or bets" in card.inner_text()
    page.wait_for_function("() => document.querySelector('.game img').naturalWidth > 0")
    page.get_by_role("button", name="Play Bluff").click()
    page.wait_for_url("**/table/*")
    page.get_by_role("button", name="bet", exact=False).first.wait_for()
    words = page.locator("main").inner_text()
    assert re.search(r"chance: card [1-5]", words)
    assert "Nothing yet" not in words
    assert page.locator("svg.scene .card").count() == 2
    assert page.locator("svg.scene .card .face").count() == 1  # the own one
    page.get_by_role("button", name="Rules").click()
    assert "player 2 folds or calls" in page.get_by_role("dialog").inner_text()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="pass", exact=False).first.click()
    page.get_by_text("The end.").wait_for()
    assert page.errors == []
    page.context.close()
    server.stop()
