"""The way from the start page to a table, in a real browser."""

from typing import Any


def test_a_first_hand_in_two_clicks(page: Any) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play Kuhn poker").click()
    page.locator("main[data-state=mine]").wait_for()
    page.get_by_role("button", name="Rules").click()
    assert "ante" in page.get_by_role("dialog").inner_text()
    assert page.errors == []
