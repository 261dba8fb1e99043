"""The pages in a real browser: whole matches, two people, a killed server, a phone."""

from pathlib import Path
from typing import Any

import pytest
from table_server import Server

from hiddenhand.search.algorithms import SEARCH, find
from hiddenhand.web.catalogue import offered_games

GAMES = [game["game"] for game in offered_games()]
WAYS = ("mouse", "keyboard", "typed")
MOST_MOVES = 120


def open_table(page: Any, game: str, players: list[str], seconds: str = "0.05") -> None:
    """Open a table as a person does: choose the game, the seats, the time."""
    page.goto("/")
    page.get_by_label("Another game, or other parameters").fill(game)
    page.get_by_role("button", name="Choose seats").click()
    dialog = page.get_by_role("dialog")
    for number, player in enumerate(players, 1):
        seat = dialog.get_by_role("group", name=f"Seat {number}", exact=True)
        who = {"me": "You", "friend": "Friend"}.get(player, "Bot")
        seat.get_by_role("radio", name=who).check()
        if who == "Bot":
            spec = timed(player, seconds)
            seat.get_by_role("radio", name="Custom").check()
            seat.get_by_label("By name").fill(spec)
    dialog.get_by_role("button", name="Open the table").click()
    if "friend" in players:
        dialog.get_by_role("link", name="Go to the table").click()
    page.wait_for_url("**/table/*")


def timed(bot: str, seconds: str) -> str:
    """A bot with a time for each move, if it searches."""
    name, _, inside = bot.partition("(")
    if find(name, SEARCH) is None:
        return bot
    return f"{name}({inside.rstrip(')')}{',' if inside else ''}seconds={seconds})"


def wait_for_move_or_end(page: Any, turn: str) -> str:
    """Until it is one's turn, and not the one before, or the match is over."""
    page.wait_for_function(
        """(before) => {
            const said = document.querySelector(".what")?.textContent ?? "";
            if (said === "The match is over") return true;
            return said === "Your move" && document.querySelector("main").dataset.turn !== before
              && document.querySelectorAll(".buttons button").length > 0;
        }""",
        arg=turn,
    )
    over = page.locator(".what").inner_text() == "The match is over"
    return "over" if over else page.locator("main").get_attribute("data-turn")


def make_move(page: Any, way: str) -> None:
    """One of the moves that are shown: by a click on the picture where that can be, else on a
    button; by a number key or the keyboard's way to a button; or typed.
    """
    buttons = page.locator(".buttons button")
    if way == "mouse":
        items = page.locator("svg [data-action]")
        if items.count():
            items.last.click(force=True)
        else:
            buttons.last.click()
    elif way == "keyboard":
        if page.locator(".buttons kbd").count():
            page.keyboard.press(str(buttons.count()))
        else:
            buttons.first.focus()
            page.keyboard.press("Enter")
    else:
        words = buttons.first.evaluate(
            "(button) => [...button.childNodes].filter((n) => n.nodeType === 3)[0].textContent"
        )
        page.get_by_label("Type a move").fill(words)
        page.keyboard.press("Enter")


def play_to_the_end(page: Any, way: str) -> None:
    turn = wait_for_move_or_end(page, "none")
    for _ in range(MOST_MOVES):
        if turn == "over":
            return
        make_move(page, way)
        turn = wait_for_move_or_end(page, turn)
    raise AssertionError(f"the match was not over after {MOST_MOVES} moves")


def seats_of(game: str) -> list[str]:
    players = next(entry["players"] for entry in offered_games() if entry["game"] == game)
    return ["me", *["random"] * (players - 1)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match(page: Any, game: str, way: str) -> None:
    open_table(page, game, seats_of(game))
    play_to_the_end(page, way)
    assert page.locator(".result").is_visible()
    page.locator(".after .headline").wait_for()
    assert page.errors == []


def test_a_first_hand_in_two_clicks(page: Any) -> None:
    page.goto("/")
    page.get_by_role("button", name="Play Kuhn poker").click()
    page.get_by_text("Your move").wait_for()
    page.get_by_role("button", name="Rules").click()
    assert "ante" in page.get_by_role("dialog").inner_text()
    assert page.errors == []


def test_two_people(browser: Any, server: Any) -> None:
    first = browser.new_context(base_url=server.address).new_page()
    second = browser.new_context(base_url=server.address).new_page()
    watcher = browser.new_context(base_url=server.address).new_page()
    open_table(first, "leduc_poker", ["me", "friend"])
    first.get_by_text("Your move").wait_for()
    first.get_by_role("button", name="Invite").click()
    link = first.get_by_role("dialog").get_by_label("Player 2").input_value()
    watching = first.get_by_role("dialog").get_by_label("Spectator link").input_value()
    first.keyboard.press("Escape")
    second.goto(link)
    watcher.goto(watching)
    watcher.get_by_text("You are watching").wait_for()
    second.get_by_text("Waiting for the others").wait_for()
    first.get_by_role("button", name="bet").click()
    second.get_by_text("Your move").wait_for()
    second.get_by_role("button", name="fold").click()
    for page, said in ((first, "You won 1"), (second, "You lost 1")):
        page.get_by_text(said).wait_for()
    watcher.locator(".after .headline").wait_for()
    first.get_by_role("button", name="Rematch").click()
    first.get_by_text("Waiting for the others").wait_for()  # seats are changed
    second.get_by_role("button", name="Rematch").click()
    second.get_by_text("Your move").wait_for()
    for page in (first, second, watcher):
        page.context.close()


def test_the_steps_of_two_units_are_clicked_one_after_the_other(page: Any) -> None:
    open_table(page, "pursuit_evasion", ["random", "me"])
    wait_for_move_or_end(page, "none")
    page.get_by_role("button", name="unit 1: left").click()
    first = page.get_by_role("button", name="unit 1: up")
    first.click()  # takes the place of the other step
    assert first.get_attribute("aria-pressed") == "true"
    assert page.locator("svg [aria-pressed='true']").count() == 1
    page.get_by_role("button", name="unit 2: left").press("Enter")
    page.get_by_text("you move up,left").wait_for()
    assert page.errors == []


def test_reload_in_the_middle(page: Any) -> None:
    open_table(page, "phantom_ttt", ["me", "random"])
    page.get_by_text("Your move").wait_for()
    page.locator("svg [data-action='4']").click()
    turn = wait_for_move_or_end(page, "0")
    before = page.locator(".log").inner_text()
    page.reload()
    assert wait_for_move_or_end(page, "none") == turn
    assert page.locator(".log").inner_text() == before


def test_take_back(page: Any) -> None:
    open_table(page, "phantom_ttt", ["me", "random"])
    page.get_by_text("Your move").wait_for()
    page.locator("svg [data-action='4']").click()
    wait_for_move_or_end(page, "0")
    page.get_by_role("button", name="Take back").click()
    wait_for_move_or_end(page, "1")
    assert page.locator(".log li").count() == 0


def test_a_server_that_is_killed(browser: Any, tmp_path: Path) -> None:
    server = Server(tmp_path)
    page = browser.new_context(base_url=server.address).new_page()
    open_table(page, "leduc_poker", ["me", "random"])
    page.get_by_text("Your move").wait_for()
    page.get_by_role("button", name="bet").click()
    turn = wait_for_move_or_end(page, "0")
    before = page.locator(".log").inner_text()
    server.kill()
    page.get_by_text("Trying again").filter(visible=True).first.wait_for()
    server.start()
    if turn != "over":
        page.wait_for_function("() => document.querySelector('.what').textContent === 'Your move'")
        assert page.locator(".log").inner_text() == before
        play_to_the_end(page, "mouse")
    page.locator(".after .headline").wait_for()
    page.context.close()
    server.stop()


def test_see_it_think(page: Any) -> None:
    open_table(page, "kuhn_poker", ["me", "random"])
    page.get_by_text("Your move").wait_for()
    page.get_by_role("button", name="Compare with a second search").click()
    page.get_by_label("Distance from equilibrium").first.check()
    for slot in (0, 1):
        thinker = page.locator(".thinker").nth(slot)
        thinker.get_by_label("Seconds").fill("1")
        thinker.get_by_role("button", name="Think").click()
        thinker.get_by_role("button", name="Think").wait_for()
    for slot in (0, 1):
        thinker = page.locator(".thinker").nth(slot)
        thinker.get_by_role("heading", name="What it would play").wait_for()
        assert thinker.locator(".bars").first.locator("tbody tr").count() == 2
    page.get_by_role("heading", name="What they may hold").first.wait_for()
    page.get_by_role("heading", name="nash_conv: 0 is an equilibrium").wait_for()
    page.get_by_text("As a table").first.click()
    below = page.locator(".thinker").first
    below.get_by_text("Explore from here").click()
    below.locator(".tree summary").first.click()
    below.locator(".twigs .twigs").first.wait_for(state="attached")
    below.get_by_text("player 2").wait_for()
    assert page.errors == []


def test_phone(browser: Any, server: Any) -> None:
    context = browser.new_context(
        base_url=server.address,
        viewport={"width": 360, "height": 740},
        device_scale_factor=2,
        is_mobile=True,
        has_touch=True,
    )
    page = context.new_page()
    page.goto("/")
    page.locator(".game").first.wait_for()
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) == 360
    open_table(page, "IIGS(4)", ["me", "random"])
    page.get_by_text("Your move").wait_for()
    assert page.evaluate(width) == 360
    page.locator("svg [data-action]").first.tap()
    wait_for_move_or_end(page, "0")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, server: Any, axe: str, scheme: str) -> None:
    context = browser.new_context(
        base_url=server.address, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()

    def violations() -> list[str]:
        page.evaluate(axe)  # not as an element: the page allows no scripts from elsewhere
        found = page.evaluate("async () => (await axe.run()).violations")
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]

    page.goto("/")
    page.locator(".game").first.wait_for()
    assert violations() == []
    page.get_by_role("button", name="Set up Leduc poker").click()
    assert violations() == []
    for game in ("leduc_poker", "phantom_ttt"):
        open_table(page, game, ["me", "random"])
        page.get_by_text("Your move").wait_for()
        page.get_by_role("button", name="Think", exact=True).click()
        page.get_by_role("button", name="Think", exact=True).wait_for()
        assert violations() == []
        play_to_the_end(page, "mouse")
        page.locator(".after .headline").wait_for()
        assert violations() == []
    context.close()
