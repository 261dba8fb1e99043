"""What a search believes and plans, drawn on the board in a real browser."""

from collections.abc import Iterator
from typing import Any

import pytest
from browser_tables import open_list, open_table, wait_for_turn

BELIEF, PLAN = "svg.scene > .overlay.ghosts", "svg.scene > .overlay.plan"


def think(page: Any, search: str = "oos(targeting=ist)") -> None:
    """Let the engine think for three seconds about the position."""
    engine = page.locator(".engine")
    if engine.get_by_role("switch").get_attribute("aria-checked") == "false":
        engine.get_by_role("switch").click()
    engine.get_by_label("Time", exact=True).select_option("3")
    engine.get_by_label("Search", exact=True).select_option(search)
    page.locator(".engine[data-state=done]").wait_for()


def at_a_move(page: Any, game: str, players: list[str], moves: int = 0) -> None:
    """Open a table, and make some moves; again from the beginning if the match is over by then."""
    for _ in range(20):
        open_table(page, game, players)
        turn = wait_for_turn(page)
        for _ in range(moves):
            if turn != "over":
                open_list(page)
                page.locator(".move").last.click()
                turn = wait_for_turn(page, turn)
        if turn != "over":
            return
    raise AssertionError("all matches were over early")


GAMES = [
    ("leduc_poker", ["person", "random"], 0, ".hand .card", 3),
    ("LD(1,1,6)", ["person", "random"], 0, ".hand .die", 6),
    ("phantom_ttt", ["person", "random"], 1, ".heat", 7),
    ("battleship(rows=4,columns=4,ships=(3,2))", ["person", "random"], 2, ".outline", 5),
    (
        "VP(map=block5,pursuers=1,moves=6,start='a1 e5')",
        ["person", "random"],
        1,
        ".circle.theirs",
        1,
    ),
    ("coordination_game", ["random", "person"], 0, ".circle.ring", 2),
]


@pytest.mark.parametrize(("game", "players", "moves", "drawn", "least"), GAMES)
def test_a_belief_on_the_board(
    page: Any, game: str, players: list[str], moves: int, drawn: str, least: int
) -> None:
    at_a_move(page, game, players, moves)
    assert page.locator(BELIEF).count() == 0
    think(page)
    page.keyboard.press("b")
    page.locator(BELIEF).wait_for()
    assert page.locator(f"{BELIEF} {drawn}").count() >= least
    assert page.get_by_role("button", name="Belief").get_attribute("aria-pressed") == "true"
    caption = page.locator(".overlay-caption").first
    caption.get_by_text("possibilit").wait_for()
    if ".ring" not in drawn:  # the nodes of a tree have no names
        caption.get_by_text("As a table").click()
        caption.locator("tbody tr").nth(least - 1).wait_for()
    own = page.locator("svg.scene > g:not(.overlay)").count()
    page.keyboard.press("p")
    page.locator(PLAN).or_(page.locator(".planned").first).first.wait_for()
    assert page.locator(BELIEF).count() == 0
    assert page.locator("svg.scene > g:not(.overlay)").count() == own  # nothing is taken away
    page.keyboard.press("p")
    assert page.locator(".overlay").count() == 0
    assert page.locator(".planned").count() == 0
    assert page.errors == []


def test_the_plan_on_the_board_and_on_buttons(page: Any) -> None:
    at_a_move(page, "phantom_ttt", ["person", "random"])
    page.get_by_role("button", name="Plan").click()
    page.get_by_text("Let the engine think: then the board shows what it would play").wait_for()
    think(page)
    assert page.locator(f"{PLAN} .tint").count() == 9
    open_list(page)
    shares = page.locator(".planned .plan-share").all_inner_texts()
    assert len(shares) == 9
    assert sum(float(share.rstrip("%")) for share in shares) == pytest.approx(100, abs=5)
    page.locator("svg [data-action='4']").click()  # what is drawn on top takes no clicks
    wait_for_turn(page, "0")
    assert page.locator(PLAN).count() == 0  # of the move before
    assert page.errors == []


def test_words_that_have_no_place_on_the_board(page: Any) -> None:
    at_a_move(page, "biased_rps", ["random", "person"])
    think(page)
    page.keyboard.press("b")
    page.locator(".overlay-words").wait_for()
    words = page.locator(".overlay-words li").all_inner_texts()
    assert [text.split("\n")[0] for text in words] == [
        "chosen: paper",
        "chosen: rock",
        "chosen: scissors",
    ]
    assert page.errors == []


def test_a_grid_of_hands(page: Any) -> None:
    at_a_move(page, "limit_holdem", ["random", "person"])
    think(page)
    grid = page.locator(".range-grid")
    assert grid.locator("td").count() == 169
    page.keyboard.press("b")
    assert page.locator(f"{BELIEF} rect.range").count() == 169
    grid.locator("td").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".range-said").inner_text().startswith("AKs: ")
    page.get_by_role("button", name="Combos").click()
    pairs = grid.locator(".combos i").count()
    assert pairs == 50 * 49 // 2
    assert page.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_beliefs_and_plans(
    browser: Any, server: Any, axe: str, scheme: str
) -> None:
    context = browser.new_context(
        base_url=server.address, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()

    def violations() -> Iterator[str]:
        page.evaluate(axe)
        for one in page.evaluate("async () => (await axe.run()).violations"):
            yield f"{one['id']}: {one['nodes'][0]['html'][:200]}"

    for game, moves in (("phantom_ttt", 1), ("limit_holdem", 1), ("biased_rps", 0)):
        at_a_move(page, game, ["random", "person"], moves)
        think(page)
        for key in "bp":
            page.keyboard.press(key)
            assert list(violations()) == []
        for name in ("Combos", "Hands"):
            if page.get_by_role("button", name=name).count():
                page.get_by_role("button", name=name).click()
                assert list(violations()) == []
    context.close()
