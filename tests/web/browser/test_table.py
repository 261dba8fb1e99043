"""The page of a table in a real browser: whole matches, two people, watching bots, the engine, a
killed server, and how it looks on screens of all sizes.
"""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browser_tables import (
    make_move,
    open_table,
    play_to_the_end,
    turn_engine_on,
    wait_for_turn,
    watched,
)
from table_server import Server

from hiddenhand.web.catalogue import offered_games

GAMES = {game["game"]: game["players"] for game in offered_games()}
WAYS = ("mouse", "keyboard", "typed")
BATTLESHIP = "battleship(rows=5,columns=5,ships=(3,2))"
TOWN = "VP(map=town465,pursuers=1,moves=6)"
SIZES = {"desktop": (1440, 900), "phone": (390, 844), "small": (320, 640)}
README = Path(__file__).parents[3] / "README.md"
OWN_ITEMS = """() => [...document.querySelectorAll("button, a.button, select, input")]
    .filter((item) => item.checkVisibility() && !item.closest("svg") && item.type !== "range")
    .map((item) => [item.outerHTML.slice(0, 90), item.getBoundingClientRect().height])
    .filter(([, height]) => height < 43.5)"""


@pytest.fixture
def page_at(browser: Any, server: Server) -> Any:
    """Opens pages of a size, light or dark."""
    contexts = []

    def make(size: str = "desktop", scheme: str = "light", **options: Any) -> Any:
        width, height = SIZES[size]
        narrow = {"is_mobile": True, "has_touch": True} if size != "desktop" else {}
        contexts.append(
            browser.new_context(
                base_url=server.address,
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                **narrow,
                **options,
            )
        )
        return watched(contexts[-1].new_page())

    yield make
    for context in contexts:
        context.close()


def against(game: str, bot: str = "random") -> list[str]:
    return ["person", *[bot] * (GAMES.get(game, 2) - 1)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("game", [*GAMES, TOWN])
def test_a_whole_match(page: Any, game: str, way: str) -> None:
    open_table(page, game, against(game))
    play_to_the_end(page, way)
    page.locator(".after").wait_for()
    assert page.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", ["leduc_poker", "liars_dice", "limit_holdem", BATTLESHIP, TOWN])
def test_every_size(page_at: Callable[..., Any], game: str, size: str, scheme: str) -> None:
    """A match fits the width of each screen from its first move to its end, and the row of moves
    keeps its place.
    """
    page = page_at(size, scheme)
    open_table(page, game, against(game))
    turn = wait_for_turn(page)
    line, tops = page.locator(".moves-line"), set()
    for move in range(3):
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
        if turn == "over":
            break
        if size == "desktop":
            tops.add(round(line.bounding_box()["y"]))
        if move < 2:
            make_move(page, "mouse")
            turn = wait_for_turn(page, turn)
    assert len(tops) <= 1
    if turn != "over":
        assert page.evaluate(OWN_ITEMS) == []
    assert page.errors == []


@pytest.mark.parametrize("size", ["phone", "small"])
def test_the_row_sticks_to_the_bottom_of_a_phone(page_at: Callable[..., Any], size: str) -> None:
    page = page_at(size)
    open_table(page, "leduc_poker", against("leduc_poker", "equilibrium"))
    wait_for_turn(page)
    for _ in range(2):
        box = page.locator(".moves-line .move").first.bounding_box()
        assert box["height"] >= 48
        assert box["y"] + box["height"] <= SIZES[size][1]
        page.set_viewport_size({"width": SIZES[size][0], "height": 420})  # less than the board
        page.wait_for_timeout(100)
        assert page.locator(".moves-line .move").first.bounding_box()["y"] < 420
        page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
    page.locator(".moves-line .move").first.tap()
    wait_for_turn(page, "0")
    assert page.errors == []


@pytest.mark.parametrize("game", ["leduc_poker", "limit_holdem", BATTLESHIP, "phantom_ttt"])
def test_the_engine_fits_the_window(page_at: Callable[..., Any], game: str) -> None:
    """At 1440x900 the switch, the moves and what they may hold lie above the lower edge."""
    page = page_at()
    bots = {"leduc_poker": "equilibrium", "limit_holdem": "call"}  # which never ends it by a fold
    open_table(page, game, against(game, bots.get(game, "random")))
    turn = wait_for_turn(page)
    if game == BATTLESHIP:  # past the ships, which hide nothing yet
        for _ in range(3):
            make_move(page, "mouse")
            turn = wait_for_turn(page, turn)
    turn_engine_on(page)
    page.locator(".how > summary").wait_for()
    page.wait_for_timeout(1500)
    lower = page.locator(".how > summary").bounding_box()
    assert lower["y"] <= 900
    assert page.evaluate("document.documentElement.scrollHeight") <= 900
    assert page.errors == []


def test_the_engine(page: Any) -> None:
    open_table(page, "kuhn_poker", against("kuhn_poker"))
    wait_for_turn(page)
    turn_engine_on(page)
    assert page.locator(".engine .trust").first.inner_text() == "exact equilibrium"
    assert page.locator(".engine-table tbody tr").first.inner_text().split()[0] == "check"
    page.get_by_label("Search", exact=True).select_option("ismcts")
    page.get_by_role("columnheader", name="Visits").wait_for()
    page.get_by_text("steady").or_(page.get_by_text("still moving")).first.wait_for()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("columnheader", name="Diff.").wait_for()
    page.get_by_text("How it got there").click()
    page.get_by_role("button", name="nash_conv").click()
    page.locator(".plot .line").first.wait_for()
    page.get_by_text("iterations").first.wait_for()
    page.locator(".plot").hover()
    page.locator(".read").get_by_text(" s: ").wait_for()
    page.locator(".as-table > summary").click()
    page.locator(".as-table tbody tr").first.wait_for()
    page.get_by_role("button", name="Stop comparing").click()
    page.get_by_label("Search", exact=True).select_option("equilibrium")
    page.get_by_text("Explore from here").click()
    page.locator(".tree summary").first.click()
    page.locator(".twigs").first.wait_for(state="attached")
    page.get_by_label("Search", exact=True).select_option("custom")
    page.get_by_role("combobox", name="Search: Search, with its parameters").fill("nobody")
    page.keyboard.press("Enter")
    page.locator(".engine .note").get_by_text("there is no player").wait_for()
    page.get_by_role("switch", name="Engine").click()
    page.get_by_text("Turn the engine on").wait_for()
    assert page.errors == []


def test_the_engine_stays_on_from_turn_to_turn(page: Any) -> None:
    open_table(page, "phantom_ttt", against("phantom_ttt"))
    turn = wait_for_turn(page)
    turn_engine_on(page)
    make_move(page, "mouse")
    wait_for_turn(page, turn)
    page.locator(".engine-table tbody tr").first.wait_for()
    page.reload()
    wait_for_turn(page)
    page.locator(".engine-table tbody tr").first.wait_for()
    assert page.errors == []


def test_a_second_key_is_no_second_move(page: Any) -> None:
    open_table(page, "kuhn_poker", against("kuhn_poker"))
    wait_for_turn(page)
    for _ in range(3):
        page.keyboard.press("1")
    page.wait_for_function("() => document.querySelector('main').dataset.state !== 'waiting'")
    assert page.locator(".notice.refused").count() == 0
    assert page.errors == []


def test_a_move_that_cannot_be_read(page: Any) -> None:
    open_table(page, "phantom_ttt", against("phantom_ttt"))
    wait_for_turn(page)
    page.get_by_role("button", name="All moves").click()
    page.get_by_label("Type a move").fill("z9")
    page.keyboard.press("Enter")
    page.locator(".notice.refused").get_by_text("is not a legal action").wait_for()
    page.locator("main[data-state=mine]").wait_for()  # it is still one's turn
    page.locator(".notice.refused").get_by_role("button", name="Close").click()
    assert page.locator(".notice.refused").count() == 0
    make_move(page, "mouse")
    wait_for_turn(page, "0")
    assert page.errors == []


def test_the_last_move_is_marked(page: Any) -> None:
    open_table(page, "phantom_ttt", against("phantom_ttt"))
    wait_for_turn(page)
    assert page.locator(".last-move rect").count() == 0
    page.locator("svg [data-action='4']").click()
    wait_for_turn(page, "0")
    assert page.locator(".last-move rect").count() == 1


def test_two_people_and_a_watcher(page_at: Callable[..., Any]) -> None:
    first, second, watcher = page_at(), page_at("phone"), page_at()
    open_table(first, "leduc_poker", ["person", "person"])
    wait_for_turn(first)
    link = first.locator(".waiting").get_by_label("Link for player 2").input_value()
    first.get_by_role("button", name="Invite").click()
    dialog = first.get_by_role("dialog")
    assert dialog.get_by_label("Player 2").input_value() == link
    watching = dialog.get_by_label("Spectator link").input_value()
    first.keyboard.press("Escape")
    second.goto(link)
    watcher.goto(watching)
    watcher.get_by_text("You are watching").wait_for()
    second.get_by_text("Waiting for the others").wait_for()
    first.locator(".waiting").wait_for(state="hidden")
    first.get_by_text("1 watching").wait_for()
    second.get_by_role("switch", name="Engine").click()
    first.get_by_text("Player 2 has turned an engine on.").wait_for()
    assert watcher.get_by_role("switch", name="Engine").count() == 0
    second.get_by_role("switch", name="Engine").click()
    first.get_by_role("button", name="bet").click()
    wait_for_turn(second)
    second.get_by_role("button", name="fold").click()
    for page, said in ((first, "You won 1"), (second, "You lost 1")):
        page.get_by_text(said).first.wait_for()
    watcher.locator("main[data-state=over]").wait_for()
    first.get_by_role("button", name="Rematch").click()
    first.get_by_text("Waiting for the others").wait_for()  # seats are changed
    watcher.get_by_role("button", name="Watch the next match").wait_for()
    second.get_by_role("button", name="Join the rematch").click()
    following = first.url.partition("#")[0]
    second.wait_for_url(f"{following}*")
    wait_for_turn(second)
    plates = second.locator(".people").inner_text().split()
    assert plates == ["You", "0", "–", "Player", "2", "1"]
    first.context.close()
    second.get_by_text("Player 2 is away").wait_for()
    assert second.errors == watcher.errors == []


def test_the_link_is_copied_without_a_clipboard(page: Any) -> None:
    """Pages of other machines, without encryption, have no clipboard."""
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    open_table(page, "kuhn_poker", ["person", "person"])
    page.locator(".waiting").get_by_role("button", name="Copy").click()
    said = page.locator(".waiting button")
    page.wait_for_function("() => document.querySelector('.waiting button').textContent !== 'Copy'")
    assert said.inner_text() in ("Copied", "Press Ctrl+C to copy")
    assert page.errors == []


def test_watching_bots(page: Any) -> None:
    open_table(page, "phantom_ttt", ["oos", "oos"], seconds=0.3)
    page.get_by_role("heading", name="What they may hold").wait_for()
    page.get_by_text("thinks (oos)").wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Continue").wait_for()
    before = page.locator(".log li").count()
    page.get_by_role("button", name="Next move").click()
    page.wait_for_function(
        "(before) => document.querySelectorAll('.log li').length > before", arg=before
    )
    turn_engine_on(page)
    page.get_by_text("is to move.").first.wait_for()
    page.get_by_label("Speed").select_option("0")
    page.get_by_role("button", name="Continue").click()
    page.locator("main[data-state=over]").wait_for()
    assert page.errors == []


def test_a_bot_that_fails_has_a_cure(page: Any) -> None:
    open_table(page, "phantom_ttt", ["person", "cr"])
    turn = wait_for_turn(page)
    make_move(page, "mouse")
    page.locator("main[data-state=failed]").wait_for()
    assert "too large" in page.locator(".more").inner_text()
    before = page.url
    page.get_by_role("button", name="Let auto play instead").click()
    page.wait_for_url(lambda url: url != before)
    page.locator(".people").get_by_text("Strong bot").wait_for()
    wait_for_turn(page)
    assert turn == "0"
    assert page.errors == []


def test_the_example_of_the_readme(browser: Any, tmp_path: Path) -> None:
    """README's own game, played to its end while the engine thinks."""
    source = next(
        block.split("```")[0]
        for block in README.read_text().split("```python\n")
        if "(Game)" in block
    )
    file = tmp_path / "own_game.py"
    file.write_text(source)
    name = source.split("(Game)")[0].split()[-1]
    server = Server(tmp_path, f"{file}:{name}")
    page = watched(browser.new_context(base_url=server.address).new_page())
    open_table(page, f"{file}:{name}", ["person", "random"])
    wait_for_turn(page)
    turn_engine_on(page)
    play_to_the_end(page, "mouse")
    assert page.errors == []
    page.context.close()
    server.stop()


def test_the_steps_of_two_units_are_clicked_one_after_the_other(page: Any) -> None:
    open_table(page, "pursuit_evasion", ["random", "person"])
    wait_for_turn(page)
    page.get_by_role("button", name="unit 1: left").click()
    first = page.get_by_role("button", name="unit 1: up")
    first.click()  # takes the place of the other step
    assert first.get_attribute("aria-pressed") == "true"
    assert page.locator("svg [aria-pressed='true']").count() == 1
    page.get_by_role("button", name="unit 2: left").press("Enter")
    page.get_by_text("you move up,left").first.wait_for()
    assert page.errors == []


def test_reload_in_the_middle(page: Any) -> None:
    open_table(page, "phantom_ttt", against("phantom_ttt"))
    wait_for_turn(page)
    page.locator("svg [data-action='4']").click()
    turn = wait_for_turn(page, "0")
    before = page.locator(".log").inner_text()
    page.reload()
    assert wait_for_turn(page) == turn
    assert page.locator(".log").inner_text() == before


def test_take_back(page: Any) -> None:
    open_table(page, "phantom_ttt", against("phantom_ttt"))
    wait_for_turn(page)
    page.locator("svg [data-action='4']").click()
    wait_for_turn(page, "0")
    page.get_by_role("button", name="Take back").click()
    wait_for_turn(page, "1")
    assert page.locator(".log li").count() == 0


def test_a_server_that_is_killed(browser: Any, tmp_path: Path) -> None:
    server = Server(tmp_path)
    page = browser.new_context(base_url=server.address).new_page()
    open_table(page, "leduc_poker", against("leduc_poker"))
    wait_for_turn(page)
    page.get_by_role("button", name="bet").click()
    turn = wait_for_turn(page, "0")
    before = page.locator(".log").inner_text()
    server.kill()
    page.get_by_text("Trying again").locator("visible=true").first.wait_for()
    server.start()
    if turn != "over":
        page.locator("main[data-state=mine]").wait_for()
        assert page.locator(".log").inner_text() == before
        play_to_the_end(page, "mouse")
    page.locator("main[data-state=over]").wait_for()
    page.context.close()
    server.stop()


@pytest.mark.parametrize("size", ["desktop", "small"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page_at: Callable[..., Any], axe: str, scheme: str, size: str) -> None:
    page = page_at(size, scheme, reduced_motion="reduce")

    def violations() -> list[str]:
        page.evaluate(axe)  # not as an element: the page allows no scripts from elsewhere
        found = page.evaluate("async () => (await axe.run()).violations")
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]

    for game in ("leduc_poker", "phantom_ttt", BATTLESHIP):
        open_table(page, game, against(game))
        wait_for_turn(page)
        assert violations() == []
        page.get_by_role("switch", name="Engine").click()
        page.locator(".engine-table tbody tr").first.wait_for()
        page.get_by_role("button", name="Compare").click()
        page.get_by_text("How it got there").click()
        page.get_by_role("columnheader", name="Diff.").wait_for()
        page.get_by_role("button", name="More", exact=True).click()
        assert violations() == []
        page.keyboard.press("Escape")
        page.evaluate("localStorage.clear()")
    open_table(page, "leduc_poker", ["person", "person"])
    page.locator(".waiting input").wait_for()
    assert violations() == []
    open_table(page, "leduc_poker", ["random", "random"])
    page.get_by_role("button", name="Pause").click()
    assert violations() == []


TARGETS = """() => [...document.querySelectorAll("svg.scene [data-action]")].map((item) => {
    const { x, y, width, height } = item.getBoundingClientRect();
    return [Number(item.dataset.action), x + width / 2, y + height / 2, width, height];
})"""
"""Returns the action, the middle, the width and the height of each item that can be chosen."""


@pytest.mark.parametrize(("game", "before", "count"), [("liars_dice", 0, 12), (BATTLESHIP, 2, 25)])
def test_bids_and_squares_are_wide_enough_for_a_finger(
    page_at: Any, game: str, before: int, count: int
) -> None:
    """Once both ships are placed, all squares of the other can be shot at."""
    page = page_at("phone")
    open_table(page, game, ["person", "random"])
    turn = wait_for_turn(page)
    for _ in range(before):
        make_move(page, "mouse")
        turn = wait_for_turn(page, turn)
    places = page.evaluate(TARGETS)
    assert len(places) == count
    assert all(min(width, height) >= 44 for _, _, _, width, height in places)


def test_a_finger_may_tap_beside_a_small_place(page_at: Any) -> None:
    """A mouse has to come nearer. Of several places the nearest is meant. The places of the town
    are discs of one size.
    """
    page = page_at("phone", reduced_motion="reduce")
    sent: list[str] = []

    def note(text: str) -> None:
        sent.append(text)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    game = TOWN.replace("moves=6", "moves=6,start='n195 n191'")
    open_table(page, game, ["person", "random"])
    turn = wait_for_turn(page)
    meant = []
    for _ in range(2):
        places = page.evaluate(TARGETS)
        assert all(max(width, height) < 12 for *_, width, height in places)
        action, x, y = beside(places, page.locator("svg.scene").bounding_box(), 21.0)
        right, down = beyond(places, x, y)
        page.mouse.move(x, y)  # too far for a mouse
        assert page.locator(".meant").count() == 0
        page.mouse.click(x, y)
        page.mouse.move(x - 12 * right, y - 12 * down)
        assert page.locator(".meant").get_attribute("data-action") == str(action)
        page.touchscreen.tap(x + 12 * right, y + 12 * down)  # too far for a finger
        page.touchscreen.tap(x, y)
        meant.append(action)
        turn = wait_for_turn(page, turn)
    frames = [json.loads(text) for text in sent]
    assert [frame["action"] for frame in frames if frame["type"] == "act"] == meant
    assert page.errors == []


def test_a_finger_may_tap_on_a_cell_beside_a_small_one(page_at: Any) -> None:
    """The cells of Tron are small on a telephone, and lie between cells that cannot be chosen."""
    page = page_at("phone", reduced_motion="reduce")
    sent: list[str] = []

    def note(text: str) -> None:
        sent.append(text)

    page.on("websocket", lambda socket: socket.on("framesent", note))
    open_table(page, "tron", ["person", "random"])
    turn = wait_for_turn(page)
    places = page.evaluate(TARGETS)
    assert all(max(width, height) < 30 for *_, width, height in places)
    action, x, y = beside(places, page.locator("svg.scene").bounding_box(), 18.0)
    page.touchscreen.tap(x, y)
    wait_for_turn(page, turn)
    frames = [json.loads(text) for text in sent]
    assert [frame["action"] for frame in frames if frame["type"] == "act"] == [action]


def beside(places: Any, picture: Any, far: float) -> tuple[int, float, float]:
    """A place and a point in the picture, so far from its middle, to which it is clearly the
    nearest one.
    """
    for action, x, y, *_ in places:
        for right, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            at = (x + far * right, y + far * down)
            others = [math.dist(at, other[1:3]) for other in places if other[0] != action]
            inside = (
                picture["x"] + 40 < at[0] < picture["x"] + picture["width"] - 40
                and picture["y"] + 40 < at[1] < picture["y"] + picture["height"] - 80
            )
            if inside and min(others) > far + 1:
                return action, *at
    raise AssertionError("no place has room beside it")


def beyond(places: Any, x: float, y: float) -> tuple[float, float]:
    """The direction from the nearest place to a point."""
    _, left, top, *_ = min(places, key=lambda place: math.dist((x, y), place[1:3]))
    return (x - left) / math.dist((x, y), (left, top)), (y - top) / math.dist((x, y), (left, top))
