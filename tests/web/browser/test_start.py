"""The start page, the set-up of a table, and addresses that lead nowhere."""

from typing import Any


def test_an_address_that_leads_nowhere(page: Any) -> None:
    for address in ("/nothing", "/table/", "/table/wrong"):
        page.goto(address)
        page.get_by_role("heading", name="There is nothing here").wait_for()
        page.get_by_role("link", name="All games", exact=True).click()
        page.wait_for_url("**/")
    assert [said for said in page.errors if "404" not in said] == []
