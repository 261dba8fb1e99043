"""The start page, the set-up of a table, and addresses that lead nowhere."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from table_server import Server

WIDTH = "document.documentElement.scrollWidth"
SIZES = [(1440, 900), (390, 844), (320, 640)]


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=SIZES, ids=lambda size: str(size[0]))
def sized(
    request: pytest.FixtureRequest,
    browser: Any,
    server: Server,
    scheme: str,
    watch: Callable[[Any], Any],
) -> Iterator[Any]:
    """A page of this size and scheme, which stands still."""
    width, height = request.param
    context = browser.new_context(
        base_url=server.address,
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    yield watch(context.new_page())
    context.close()


def violations(page: Any, axe: str) -> list[str]:
    page.evaluate(axe)  # not as an element: the page allows no scripts from elsewhere
    found = page.evaluate("async () => (await axe.run()).violations")
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def open_start(page: Any) -> None:
    page.goto("/")
    page.locator(".game").first.wait_for()


def names(page: Any) -> list[str]:
    """The games that are shown."""
    return [name for name in page.locator(".game h3").all_inner_texts() if name]


def seat_of(page: Any, number: int) -> Any:
    return page.get_by_role("dialog").get_by_role("group", name=f"Seat {number}", exact=True)


def wait_for_bots(page: Any) -> None:
    page.wait_for_function("() => document.querySelectorAll('dialog select option').length > 5")


def test_no_barriers_and_no_scrolling_sideways(sized: Any, axe: str) -> None:
    """At each size, in light and dark: the page, the set-up with all its parts, and its errors."""
    page = sized
    open_start(page)
    page.locator(".folded summary").click()
    page.evaluate("for (const img of document.images) img.loading = 'eager'")
    page.wait_for_function("() => [...document.images].every((img) => img.complete)")
    width = page.viewport_size["width"]
    assert page.evaluate(WIDTH) == width
    assert violations(page, axe) == []
    page.get_by_role("button", name="Set up Goofspiel", exact=True).click()
    seat_of(page, 2).get_by_role("radio", name="Custom").check()
    wait_for_bots(page)
    seat_of(page, 2).get_by_label("Search in seat 2").select_option("oos")
    seat_of(page, 2).locator("summary").click()
    page.get_by_text("Parameters of the game").click()
    page.get_by_label("num cards").fill("0")
    page.get_by_label("num cards").press("Tab")
    page.get_by_text("num_cards=0 is not allowed").wait_for()
    assert page.evaluate(WIDTH) == width
    assert violations(page, axe) == []
    assert page.errors == []


def test_filters_and_search(page: Any) -> None:
    open_start(page)
    shown = names(page)
    assert shown[:2] == ["Leduc poker", "Phantom Tic-Tac-Toe"]
    assert "Random game" not in shown  # folded
    page.get_by_role("button", name="Dice", exact=True).click()
    assert names(page) == ["Liar's Dice", "Sorted Liar's Dice"]
    page.get_by_role("button", name="Research", exact=True).click()
    assert "Random game" in names(page)
    assert "Leduc poker" not in names(page)
    page.get_by_role("button", name="All", exact=True).click()
    page.get_by_label("Search games").fill("POKER")
    assert names(page) == ["Leduc poker", "Kuhn poker", "Generic poker"]
    page.get_by_label("Search games").fill("chess")
    page.get_by_text("No game fits “chess”.").wait_for()
    page.get_by_label("Search games").fill("")
    assert names(page) == shown
    page.get_by_text("Games for research").click()
    page.get_by_role("button", name="Play Random game").wait_for()
    assert page.errors == []


def test_a_card_is_a_button(page: Any) -> None:
    open_start(page)
    kuhn = page.locator(".game").nth(4)
    kuhn.scroll_into_view_if_needed()
    card = kuhn.bounding_box()
    page.mouse.click(card["x"] + card["width"] / 2, card["y"] + 40)  # in its picture
    page.wait_for_url("**/table/*")
    assert page.errors == []


def test_watching_two_bots(page: Any) -> None:
    open_start(page)
    page.get_by_role("button", name="Watch two bots").click()
    page.wait_for_url("**/table/*")
    assert "#" not in page.url
    assert page.errors == []


def test_tables_of_this_browser(page: Any) -> None:
    open_start(page)
    assert page.locator(".chip").count() == 0
    page.get_by_role("button", name="Play Kuhn poker").click()
    page.wait_for_url("**/table/*")
    address = page.url
    page.get_by_text("Your move").first.wait_for()
    open_start(page)
    chip = page.locator(".chip")
    chip.get_by_text("your move").wait_for()
    assert chip.count() == 1
    chip.get_by_role("link").click()
    page.wait_for_url("**/table/*")
    assert page.url == address
    page.go_back()
    chip.first.wait_for()
    page.get_by_role("button", name="Take Kuhn poker from the list").click()
    assert chip.count() == 0
    open_start(page)
    page.locator(".game").first.wait_for()
    assert chip.count() == 0
    assert page.errors == []


class TestSetUp:
    def test_strengths(self, page: Any) -> None:
        """A perfect bot only where the game is small."""
        open_start(page)
        for game, is_small in (("Kuhn poker", True), ("Phantom Tic-Tac-Toe", False)):
            page.get_by_role("button", name=f"Set up {game}", exact=True).click()
            seat_of(page, 2).get_by_role("radio", name="Custom").check()
            wait_for_bots(page)
            assert seat_of(page, 2).get_by_role("radio", name="Perfect").is_visible() == is_small
            options = seat_of(page, 2).get_by_label("Search in seat 2").locator("option")
            assert "sm-mcts" not in options.all_inner_texts()
            page.get_by_role("button", name="Close").click()
        assert page.errors == []

    def test_an_error_stays_at_its_seat_until_it_is_mended(self, page: Any) -> None:
        open_start(page)
        page.get_by_role("button", name="Set up Kuhn poker", exact=True).click()
        seat_of(page, 2).get_by_role("radio", name="Custom").check()
        seat_of(page, 2).get_by_label("By name").fill("sm-mcts")
        page.get_by_role("button", name="Open the table").click()
        wait_for_bots(page)  # which may come later than the error, and does not take it away
        error = seat_of(page, 2).locator(".wrong").last
        page.get_by_text("Kuhn poker has no simultaneous moves").wait_for()
        assert "search it with oos or ismcts" in error.inner_text()
        assert page.locator("body > .notices .refused").count() == 0
        seat_of(page, 2).get_by_label("By name").fill("oos(targeting=ist,seconds=0.05)")
        assert error.text_content() == ""
        page.get_by_role("button", name="Open the table").click()
        page.wait_for_url("**/table/*")
        assert page.errors == []

    def test_parameters_of_the_game(self, page: Any) -> None:
        open_start(page)
        page.get_by_role("button", name="Set up Kuhn poker", exact=True).click()
        page.get_by_text("Parameters of the game").click()
        cards = page.get_by_label("num cards")
        cards.fill("1")
        cards.press("Tab")
        page.locator(".parameter").get_by_text("give an integer from 2 to 1000").wait_for()
        assert cards.get_attribute("aria-invalid") == "true"
        cards.fill("4")
        cards.press("Tab")
        page.locator(".parameter input[aria-invalid=false]").first.wait_for()
        page.get_by_label("players", exact=True).fill("3")
        page.get_by_label("players", exact=True).press("Tab")
        seat_of(page, 3).get_by_role("radio", name="Random").check()
        seat_of(page, 2).get_by_role("radio", name="Random").check()
        page.get_by_role("button", name="Open the table").click()
        page.wait_for_url("**/table/*")
        page.get_by_text("Your move").first.wait_for()
        page.goto("/")
        page.locator(".chip").get_by_text("Kuhn poker").wait_for()
        assert page.errors == []

    def test_parameters_of_a_bot(self, page: Any) -> None:
        open_start(page)
        page.get_by_role("button", name="Set up Kuhn poker", exact=True).click()
        seat_of(page, 2).get_by_role("radio", name="Custom").check()
        wait_for_bots(page)
        seat_of(page, 2).get_by_label("Search in seat 2").select_option("oos")
        seat_of(page, 2).locator("summary").click()
        seat_of(page, 2).get_by_label("targeting").fill("ist")
        seat_of(page, 2).get_by_label("seconds").fill("0.05")
        seat_of(page, 2).get_by_label("seconds").press("Tab")
        spec = seat_of(page, 2).get_by_label("By name").input_value()
        assert spec == "oos(targeting=ist,seconds=0.05)"
        assert page.errors == []

    def test_there_is_only_one_you(self, page: Any) -> None:
        open_start(page)
        page.get_by_role("button", name="Set up Kuhn poker", exact=True).click()
        seat_of(page, 2).get_by_role("radio", name="You").check()
        assert seat_of(page, 1).get_by_role("radio", name="Bot").is_checked()
        seat_of(page, 2).get_by_role("radio", name="Bot").check()
        page.get_by_text("Only bots play").wait_for()

    def test_an_unknown_game(self, page: Any) -> None:
        open_start(page)
        field = page.get_by_label("Another game, or other parameters")
        field.fill("leduck_poker")
        page.get_by_role("button", name="Choose seats").click()
        page.get_by_text("did you mean leduc_poker?").wait_for()
        assert field.get_attribute("aria-invalid") == "true"
        field.fill("dark_hex(size=2)")
        page.get_by_role("button", name="Choose seats").click()
        page.get_by_role("dialog").get_by_text("A table of Dark Hex").wait_for()
        assert page.errors == []


@pytest.mark.parametrize("has_clipboard", [True, False])
def test_the_link_of_a_friend(
    browser: Any, server: Server, watch: Callable[[Any], Any], axe: str, has_clipboard: bool
) -> None:
    """A page that came over plain http from another machine has no clipboard."""
    context = browser.new_context(base_url=server.address)
    if has_clipboard:
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.address)
    else:
        context.add_init_script(
            "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
            "document.execCommand = () => false;"
        )
    page = watch(context.new_page())
    open_start(page)
    page.get_by_role("button", name="Set up Kuhn poker", exact=True).click()
    seat_of(page, 2).get_by_role("radio", name="Friend").check()
    page.get_by_role("button", name="Open the table").click()
    link = page.get_by_label("Player 2")
    address = link.input_value()
    page.get_by_text("Waiting for your friend").wait_for()
    assert violations(page, axe) == []
    page.get_by_role("button", name="Copy").click()
    if has_clipboard:
        page.get_by_text("Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == address
    else:
        page.get_by_text("The link is selected").wait_for()
        assert page.evaluate("getSelection().toString()") == address
    friend = browser.new_context(base_url=server.address).new_page()
    friend.goto(address)
    page.get_by_text("Your friend is here.").wait_for()
    friend.goto("/")  # who can come back to the seat, too
    friend.locator(".chip").get_by_text("against a friend").wait_for()
    page.get_by_role("link", name="Go to the table").click()
    page.wait_for_url("**/table/*")
    page.get_by_text("Your move").first.wait_for()
    assert page.errors == []
    friend.context.close()
    context.close()


def test_how_much_is_sent(browser: Any, server: Server) -> None:
    """The first screen of a browser that was never here stays below 60 KB, and shows at once."""
    context = browser.new_context(base_url=server.address, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    open_start(page)
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate(
        "['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))"
        ".map((entry) => [entry.name, entry.transferSize])"
    )
    assert len(sizes) > 20
    assert sum(size for _, size in sizes) < 60_000, sizes
    page.reload()
    page.locator(".game").first.wait_for()
    again = page.evaluate(
        "performance.getEntriesByType('resource')"
        ".filter((entry) => entry.name.includes('/static/')).map((entry) => entry.transferSize)"
    )
    assert again
    assert max(again) == 0  # scripts and styles were kept
    context.close()


def test_an_address_that_leads_nowhere(page: Any, axe: str) -> None:
    for address in ("/nothing", "/table/", "/table/wrong"):
        page.goto(address)
        page.get_by_role("heading", name="There is nothing here").wait_for()
        page.locator("#theme").wait_for()
        assert violations(page, axe) == []
        page.get_by_role("link", name="All games", exact=True).click()
        page.wait_for_url(re.compile(r"/$"))
    assert [said for said in page.errors if "404" not in said] == []
