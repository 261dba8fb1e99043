"""The lab in a real browser."""

from typing import Any

import pytest


def open_lab(page: Any) -> None:
    page.goto("/lab")
    page.get_by_role("heading", name="New experiment").wait_for()


def test_convergence_is_drawn_and_found_again(page: Any) -> None:
    open_lab(page)
    page.get_by_label("Game", exact=True).fill("kuhn_poker")
    page.get_by_label("Seconds for each").fill("0.4")
    page.get_by_label("Player 3", exact=True).fill("pimc")
    page.get_by_role("button", name="Begin").click()
    page.locator(".found [role=status]", has_text="done").wait_for()
    cells = page.locator("table.figures tbody tr").nth(0).locator("td").all_inner_texts()
    assert float(cells[0]) < 1e-3  # nash_conv of cfr+
    page.get_by_text("As a table").click()
    rows = page.locator(".chart tbody tr")
    rows.first.wait_for()
    numbers = [rows.nth(place).inner_text().split("\t") for place in range(rows.count())]
    assert {name for name, _, _ in numbers} >= {"cfr+", "oos"}
    assert numbers[[name for name, _, _ in numbers].index("oos") - 1][2] == cells[0]
    assert page.locator(".chart path.c0").count() == 1
    page.reload()
    page.locator("table.figures tbody tr").nth(1).wait_for()
    assert page.locator("table.figures tbody tr").nth(0).locator("td").all_inner_texts() == cells
    assert page.errors == []


def test_a_tournament_fills_its_table_and_can_be_stopped(page: Any) -> None:
    open_lab(page)
    page.get_by_label("Tournament").check()
    page.get_by_label("Game", exact=True).fill("kuhn_poker")
    page.get_by_label("Player 2", exact=True).fill("call")
    page.get_by_role("button", name="Remove player 3").click()
    page.get_by_label("Matches in each seat").fill("1000")
    page.get_by_role("button", name="Begin").click()
    page.locator("table.figures td", has_text="±").first.wait_for()
    page.get_by_role("button", name="Stop").click()
    page.locator(".found [role=status]", has_text="it was stopped").wait_for()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_text("Begin an experiment").wait_for()
    assert page.errors == []


def test_what_the_lab_refuses_is_said(page: Any) -> None:
    open_lab(page)
    page.get_by_label("Game", exact=True).fill("no_such_game")
    page.get_by_role("button", name="Begin").click()
    page.get_by_text("there is no game").wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_of_the_lab_keeps_people_out(
    browser: Any, server: Any, axe: str, theme: str
) -> None:
    context = browser.new_context(
        base_url=server.address,
        bypass_csp=True,
        color_scheme=theme,
        viewport={"width": 360, "height": 740},
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    open_lab(page)
    page.get_by_label("Game", exact=True).fill("kuhn_poker")
    page.get_by_label("Seconds for each").fill("0.2")
    page.get_by_role("button", name="Begin").click()
    page.locator(".found [role=status]", has_text="done").wait_for()
    page.evaluate(axe)
    found = page.evaluate("axe.run()")
    assert [violation["id"] for violation in found["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()
