"""Plays at a table in a real browser, as a person does."""

from typing import Any

MOST_MOVES = 120
OPEN = """
([game, players, seconds]) => new Promise((done) => {
  const socket = new WebSocket(`ws://${location.host}/socket`);
  socket.onopen = () => {
    socket.send(JSON.stringify({ type: "hello" }));
    socket.send(JSON.stringify({ type: "open", game, players, seconds }));
  };
  socket.onmessage = (event) => {
    const frame = JSON.parse(event.data);
    if (frame.type === "refused") done(frame.why);
    if (frame.type === "opened") done(`/table/${frame.place}#${frame.token}`);
  };
})
"""


def open_table(page: Any, game: str, players: list[str], seconds: float = 0.05) -> None:
    """Open a table, without the start page. players: "person", or the name of a bot."""
    page.goto("/")
    address = page.evaluate(OPEN, [game, players, seconds])
    assert address.startswith("/table/"), address  # else it says why not
    page.goto(address)


def wait_for_turn(page: Any, before: str = "none") -> str:
    """Wait until it is one's turn, and not the turn ``before``, or the match is over. Returns the
    number of the turn, or "over".
    """
    page.wait_for_function(
        """(before) => {
            const { state, turn } = document.querySelector("main").dataset;
            return state === "over" || (state === "mine" && turn !== before);
        }""",
        arg=before,
    )
    main = page.locator("main")
    over = main.get_attribute("data-state") == "over"
    return "over" if over else str(main.get_attribute("data-turn"))


def open_list(page: Any) -> None:
    """Open the list of all moves below the row."""
    opener = page.locator(".moves-line > button").first
    if opener.get_attribute("aria-expanded") == "false":
        opener.evaluate("(button) => button.click()")  # on a narrow page it may be hidden


def make_move(page: Any, way: str) -> None:
    """Make one of the moves that are shown.

    way: "mouse", a click on the board where that can be, else on a button; "keyboard", a number
        key or Enter on a place of the board or a button; "typed".
    """
    places, buttons = page.locator("svg.scene [data-action]"), page.locator(".moves-line .move")
    if way == "typed":
        open_list(page)
        name = page.locator(".move").first.evaluate("(button) => button.lastChild.textContent")
        page.get_by_label("Type a move").fill(name)
        page.keyboard.press("Enter")
    elif way == "mouse" and places.count():
        places.last.click(force=True)
    elif way == "keyboard" and places.count():
        places.first.focus()
        page.keyboard.press("Enter")
    elif way == "keyboard" and buttons.count() and page.locator(".moves-line kbd").count():
        page.keyboard.press(page.locator(".moves-line kbd").last.inner_text())
    elif buttons.count():
        buttons.last.click()
    else:
        open_list(page)
        page.locator(".list .move").last.click()


def play_to_the_end(page: Any, way: str) -> None:
    """Play until the match is over."""
    turn = wait_for_turn(page)
    for _ in range(MOST_MOVES):
        if turn == "over":
            return
        make_move(page, way)
        turn = wait_for_turn(page, turn)
    raise AssertionError(f"the match was not over after {MOST_MOVES} moves")


def turn_engine_on(page: Any) -> None:
    """Turn the engine on, and wait for its first report."""
    page.get_by_role("switch", name="Engine").click()
    page.locator(".engine-table tbody tr").first.wait_for()


def watched(page: Any) -> Any:
    """The page, which keeps the errors of its scripts in ``errors``."""
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))
    return page
