"""The lab in a real browser."""

import csv
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

COLOURS = """async (data) => {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const pencil = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pencil.drawImage(image, 0, 0);
  const { data: pixels } = pencil.getImageData(0, 0, image.width, image.height);
  const counts = {};
  for (let at = 0; at < pixels.length; at += 4) {
    const colour = `rgb(${pixels[at]}, ${pixels[at + 1]}, ${pixels[at + 2]})`;
    counts[colour] = (counts[colour] ?? 0) + 1;
  }
  return [image.width, image.height, counts];
}"""
"""Returns the width and the height of a PNG file, and how many pixels have each colour."""


def open_lab(page: Any) -> None:
    page.goto("/lab")
    page.get_by_role("heading", name="New experiment").wait_for()


def begin(page: Any, players: Sequence[str] = ("cfr+", "cfr"), game: str = "kuhn_poker") -> None:
    """Begin an experiment of convergence, and wait until it is done."""
    page.get_by_label("Game", exact=True).fill(game)
    page.get_by_label("Seconds for each").fill("0.3")
    while page.locator(".player").count() > len(players):
        page.get_by_role("button", name="Remove player").last.click()
    while page.locator(".player").count() < len(players):
        page.get_by_role("button", name="Add", exact=True).click()
    for number, player in enumerate(players, 1):
        page.get_by_label(f"Player {number}", exact=True).fill(player)
    before = page.url
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url(lambda url: url != before)
    page.locator(".found:not([aria-busy]) [role=status]", has_text="done").wait_for()


def test_convergence_is_drawn_and_found_again(page: Any) -> None:
    open_lab(page)
    begin(page, ("cfr+", "oos", "pimc"))
    cells = page.locator("table.figures tbody tr").nth(0).locator("td").all_inner_texts()
    assert float(cells[0]) < 1e-3  # nash_conv of cfr+
    page.get_by_text("As a table").click()
    rows = page.locator(".chart .rows tbody tr")
    rows.first.wait_for()
    numbers = [rows.nth(place).inner_text().split("\t") for place in range(rows.count())]
    assert {name for name, *_ in numbers} >= {"cfr+", "oos"}
    assert numbers[[name for name, *_ in numbers].index("oos") - 1][3] == cells[0]
    assert page.locator(".plotted .plot path.c0").count() == 1
    page.reload()
    page.locator("table.figures tbody tr").nth(1).wait_for()
    assert page.locator("table.figures tbody tr").nth(0).locator("td").all_inner_texts() == cells
    assert page.errors == []


def test_experiments_are_overlaid_read_and_saved(page: Any) -> None:
    open_lab(page)
    begin(page, ("cfr",))
    begin(page, ("cfr+", "lcfr"))
    legend = page.locator(".chart > .legend li")
    assert legend.all_inner_texts() == ["cfr+", "lcfr"]
    page.get_by_role("checkbox", name="Show kuhn_poker: cfr in the same chart", exact=True).check()
    legend.nth(2).wait_for()
    assert legend.all_inner_texts() == ["cfr+", "lcfr", "cfr"]
    assert page.locator("table.figures tbody tr").count() == 3

    plot = page.locator(".plotted .plot")
    box = plot.bounding_box()
    plot.hover(position={"x": box["width"] * 0.8, "y": 100})
    reading = page.locator(".reading")
    reading.wait_for()
    read = reading.locator("li").all_inner_texts()
    assert [line.split(": ")[0] for line in read] == ["cfr+", "lcfr", "cfr"]
    assert all(float(line.split(": ")[1]) >= 0 for line in read)
    assert page.locator(".pointed circle").count() == 3
    assert "seconds" in reading.inner_text()

    way = page.locator(".plotted .plot path.c0").get_attribute("d")
    page.get_by_role("button", name="Log", exact=True).click()
    stretched = page.locator(".plotted .plot path.c0").get_attribute("d")
    assert stretched != way
    page.get_by_role("button", name="Iterations", exact=True).click()
    assert page.locator(".plotted .plot path.c0").get_attribute("d") != stretched
    plot.hover(position={"x": box["width"] * 0.9, "y": 100})
    page.locator(".reading", has_text="iterations").wait_for()
    page.reload()
    page.get_by_role("button", name="Log", exact=True).wait_for()
    pressed = page.locator(".chart [aria-pressed=true]").all_inner_texts()
    assert pressed == ["Iterations", "Log"]

    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    with Path(saved.value.path()).open() as file:
        rows = list(csv.DictReader(file))
    assert {row["search"] for row in rows} == {"cfr+", "lcfr"}
    assert {row["game"] for row in rows} == {"kuhn_poker"}
    assert all(float(row["nash_conv"]) >= 0 and int(row["iterations"]) > 0 for row in rows)
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    drawn = ElementTree.parse(saved.value.path()).getroot()
    texts = {element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {"cfr+", "lcfr"} <= texts
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert saved.value.suggested_filename == "convergence.png"
    picture = Path(saved.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, colours = page.evaluate(COLOURS, b64encode(picture).decode())
    assert (width, height) == (2 * float(drawn.get("width")), 2 * float(drawn.get("height")))
    curves = page.locator(".plotted .plot path[class^=c]")
    strokes = curves.evaluate_all("(all) => all.map((one) => getComputedStyle(one).stroke)")
    assert len(strokes) == 2
    assert all(colours[stroke] > 100 for stroke in strokes)
    assert page.errors == []


def test_a_tournament_fills_its_table_and_can_be_stopped(page: Any) -> None:
    open_lab(page)
    page.get_by_label("Tournament").check()
    page.get_by_label("Game", exact=True).fill("kuhn_poker")
    page.get_by_label("Player 2", exact=True).fill("call")
    page.get_by_role("button", name="Remove player 3").click()
    page.get_by_label("Matches in each order of seats").fill("1000")
    page.get_by_role("button", name="Begin").click()
    page.locator("table.figures td.heat .range").first.wait_for()
    page.get_by_text("Payoffs are in chips").wait_for()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator(".found [role=status]", has_text="it was stopped").wait_for()
    heat = page.locator("td.heat")
    assert heat.count() == 2
    words = heat.first.inner_text()
    decided = page.get_by_text("All pairs are decided.").count()
    assert decided or "not decided" in words
    assert decided or page.get_by_text("is not decided: the mean is between").count() == 1
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    with Path(saved.value.path()).open() as file:
        rows = list(csv.DictReader(file))
    assert {(row["bot"], row["against"]) for row in rows} == {
        ("random", "call"),
        ("call", "random"),
    }
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_text("Begin an experiment").wait_for()
    assert page.errors == []


def test_what_the_lab_refuses_is_said_beside_the_field(page: Any) -> None:
    open_lab(page)
    game = page.get_by_label("Game", exact=True)
    for name, said in (
        ("no_such_game", "There is no game"),
        ("limit_holdem", "too large to measure"),
    ):
        game.fill(name)
        page.get_by_role("button", name="Begin").click()
        page.locator(".field .wrong", has_text=said).wait_for()
        assert game.get_attribute("aria-invalid") == "true"
    game.fill("kuhn_poker")
    page.get_by_label("Player 1", exact=True).fill("nobody")
    page.get_by_role("button", name="Begin").click()
    page.locator(".wrong", has_text="There is no").wait_for()
    assert game.get_attribute("aria-invalid") is None
    assert page.locator(".runs li").count() == page.locator(".runs button").count()
    assert page.errors == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_of_the_lab_keeps_people_out(
    browser: Any, server: Any, axe: str, theme: str
) -> None:
    context = browser.new_context(
        base_url=server.address, color_scheme=theme, viewport={"width": 390, "height": 844}
    )
    page = context.new_page()

    def verify() -> None:
        for width, height in ((1440, 900), (390, 844), (320, 640)):
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(axe)
            found = page.evaluate("async () => (await axe.run()).violations")
            assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
            assert page.evaluate("document.documentElement.scrollWidth") == width

    open_lab(page)
    verify()
    begin(page)
    results, form = (page.locator(name).bounding_box() for name in (".found", ".lab form"))
    assert results["y"] < form["y"]  # on a telephone
    verify()
    page.get_by_label("Game", exact=True).fill("no_such_game")
    page.get_by_role("button", name="Begin").click()
    page.locator(".field .wrong", has_text="There is no game").wait_for()
    page.get_by_label("Tournament").check()
    page.get_by_label("Game", exact=True).fill("kuhn_poker(players=3)")
    for number, player in ((2, "call"), (3, "raise")):
        page.get_by_label(f"Player {number}", exact=True).fill(player)
    page.get_by_label("Matches in each order of seats").fill("1000")
    page.get_by_role("button", name="Begin").click()
    page.locator(".found .pulse", has_text="running").wait_for()
    verify()  # also while the words beat
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator("table.ranking tbody tr").nth(2).wait_for()
    verify()
    caption = page.get_by_text("How far the row’s bot is ahead")
    assert caption.evaluate("(said) => said.scrollWidth <= said.clientWidth")
    context.close()
