"""The review of a match in a real browser."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from table_pages import setup_of
from table_server import Server

from hiddenhand.games.history import History
from hiddenhand.matches.tournament import Question, Tournament
from hiddenhand.web.catalogue import loaded
from hiddenhand.web.lobby import Lobby
from hiddenhand.web.store import Store

KING_FOLDS = ("leduc_poker", (2, 1, 1, 2, 0))  # K to player 1, Q to player 2; check, bet, fold
TRIED_IN_VAIN = ("phantom_ttt", (0, 4, 4, 8, 2, 1, 6))
CALLED_A_LIAR = ("liars_dice(1,1,3)", (0, 1, 2, 5, 6))
SIZES = [(1440, 900), (390, 844), (320, 640)]


class Finished:
    """A server with matches that are over. A person sat in the first seat."""

    def __init__(self, folder: Path) -> None:
        lobby = Lobby(Store(folder / "tables.sqlite"))
        self.places = {
            game: lobby.opened(
                setup_of(game, ["person", "random"]), loaded(game), moves, True
            ).place
            for game, moves in (KING_FOLDS, TRIED_IN_VAIN, CALLED_A_LIAR)
        }
        game, moves = TRIED_IN_VAIN
        setup = setup_of(game, ["person", "random"])
        self.unjudged = lobby.opened(setup, loaded(game), moves, True).place
        fresh = setup_of("leduc_poker", ["person", "call"])
        self.fresh = lobby.opened(fresh, loaded("leduc_poker")).place
        lobby.close()
        self.server = Server(folder)

    def open(self, page: Any, game: str, query: str = "", token: str = "#token0") -> None:
        page.goto(f"{self.server.address}/table/{self.places[game]}{query}{token}")
        page.locator(".after .headline").wait_for()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finished]:
    for game, moves in (KING_FOLDS, TRIED_IN_VAIN, CALLED_A_LIAR):
        history = History(loaded(game))
        for move in moves:
            history = history.child(move)
        assert history.is_terminal
    made = Finished(tmp_path_factory.mktemp("finished"))
    yield made
    made.server.stop()


def judged(page: Any) -> None:
    """Wait until the review is done."""
    page.locator(".strip polyline").wait_for(state="attached")
    page.locator(".after .work").wait_for(state="hidden")


def cells(page: Any) -> Sequence[Sequence[str]]:
    """The table of moves: names, percentages and payoffs."""
    rows = page.locator(".moves-table tbody tr")
    return [re.split(r"[\t\n]+", rows.nth(row).inner_text().strip()) for row in range(rows.count())]


def watched(page: Any) -> Any:
    """Keep the errors of the scripts of a page."""
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))
    return page


def test_a_match_of_leduc_poker_is_reviewed_when_it_ends(page: Any, finished: Finished) -> None:
    page.goto(f"{finished.server.address}/table/{finished.fresh}#token0")
    for turn in range(2):  # this bot never raises
        page.locator(f"main[data-turn='{turn}']").wait_for()
        page.keyboard.press("2")  # bet
    judged(page)
    headline = page.locator(".after .headline").inner_text()
    said = r"You (won|lost) \d+ chips?\. Your play cost (nothing|[\d.]+).*, the cards gave .+\."
    assert re.fullmatch(said, headline) or headline.startswith("You drew.")
    parts = page.locator(".after .result p").nth(1).inner_text().replace("−", "-")
    numbers = [float(one) for one in re.findall(r"[+-]?\d+(?:\.\d+)?", parts)]
    assert numbers[0] == pytest.approx(sum(numbers[1:]), abs=0.03)  # each is rounded
    page.get_by_role("heading", name="Equilibrium by hand").wait_for()
    assert page.errors == []


def test_a_king_that_folds(page: Any, finished: Finished) -> None:
    """The numbers are those of tests/web/test_review.py."""
    finished.open(page, KING_FOLDS[0])
    judged(page)
    page.get_by_role("heading", name="Blunder: you fold").wait_for()  # the costliest move
    said = "You lost 1 chip. Your play cost 2.28, the cards gave +1.36."
    assert page.locator(".after .headline").inner_text() == said
    moves = cells(page)
    assert [row[0] for row in moves] == ["fold played", "call", "raise"]
    assert moves[0] == ["fold played", "0%", "−1.00"]
    assert moves[1][-1] == moves[2][-1] == "+1.28"
    page.get_by_text("Fold gives away 2.28 chips.").wait_for()
    page.get_by_text("they hold Q").wait_for()
    row = page.locator(".hands tbody tr", has_text="K").locator("td.own")
    assert row.count() == 2
    slider = page.get_by_role("slider", name="Position in the match")
    assert slider.get_attribute("aria-valuenow") == "4"
    assert slider.get_attribute("aria-valuetext") == "Move 4 of 5. Blunder: player 1 folds."
    assert page.locator(".strip rect.loss").count() == 1
    assert page.errors == []


def test_the_slider_by_keys_and_clicks(page: Any, finished: Finished) -> None:
    finished.open(page, KING_FOLDS[0])
    judged(page)
    page.keyboard.press("Home")
    page.get_by_text("Move 0 of 5. Chance moves.").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.get_by_text("Move 2 of 5. You are to move.").wait_for()
    page.get_by_role("heading", name="Best move: you").or_(
        page.get_by_role("heading", name="In the mix: you")
    ).wait_for()
    strip = page.locator(".strip")
    width = strip.bounding_box()["width"]
    strip.click(position={"x": 20 + (width - 40) * 3 / 5, "y": 50})
    page.get_by_text("Move 3 of 5. Player 2 is to move.").wait_for()
    page.get_by_role("button", name="To the end").click()
    page.get_by_text("The end.").wait_for()
    page.get_by_role("button", name="Blunder").click()  # in the list of decisions
    page.get_by_text("Move 4 of 5").wait_for()
    page.get_by_role("button", name="To the beginning").click()
    page.get_by_role("button", name="Play the match").click()
    page.get_by_text("The end.").wait_for()
    page.get_by_role("button", name="Play the match").wait_for()
    assert page.errors == []


def test_what_was_known_and_what_was_true(page: Any, finished: Finished) -> None:
    finished.open(page, KING_FOLDS[0], "?ply=4&seat=0")
    judged(page)
    page.get_by_text("Move 4 of 5").wait_for()
    knew = page.get_by_role("button", name="What you knew")
    true = page.get_by_role("button", name="What was true")
    assert knew.get_attribute("aria-pressed") == "true"
    queens = page.locator(".replay svg .print", has_text="Q")
    assert queens.count() == 0
    true.click()
    queens.first.wait_for()
    assert true.get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Player 2", exact=True).click()
    page.get_by_text("Player 2 won 1 chip. Their play cost nothing").wait_for()
    page.get_by_role("button", name="What player 2 knew").click()
    page.locator(".replay svg .print", has_text="K").first.wait_for(state="detached")
    assert page.errors == []


def test_try_again_from_here(page: Any, finished: Finished) -> None:
    finished.open(page, KING_FOLDS[0])
    page.get_by_role("heading", name="Blunder: you fold").wait_for()
    before = page.url
    page.get_by_role("button", name="Try again from here").click()
    page.wait_for_url(lambda url: url != before)
    page.get_by_text("Your move").wait_for()
    assert page.locator(".log li").all_inner_texts() == [
        "you are dealt K",
        "you check",
        "player 2 bets",
    ]
    names = page.locator(".buttons button").all_inner_texts()
    assert [name.split("\n")[-1].lstrip("123") for name in names] == ["fold", "call", "raise"]
    page.get_by_role("button", name="fold").click()
    page.get_by_text("You lost 1 chip. Your play cost 2.28").wait_for()
    assert page.errors == []


def test_a_bot_is_asked(page: Any, finished: Finished) -> None:
    finished.open(page, KING_FOLDS[0])
    judged(page)
    page.get_by_role("heading", name="Blunder: you fold").wait_for()
    page.get_by_text("Ask a bot").click()
    page.locator(".ask").get_by_label("Bot").fill("human")
    page.get_by_role("button", name="Ask it").click()
    page.locator(".ask .warm").wait_for()  # human plays at a terminal
    page.locator(".ask").get_by_label("Bot").fill("random")
    page.get_by_role("button", name="Ask it").click()
    page.get_by_text("Its play here gives away 0.76 chips on average; over the match").wait_for()
    assert [row[-2] for row in cells(page)] == ["33%"] * 3
    assert page.errors == []


def test_a_game_that_is_not_solved_is_judged_by_a_search(page: Any, finished: Finished) -> None:
    finished.open(page, TRIED_IN_VAIN[0])
    page.get_by_text("A search judges decision").wait_for()
    judged(page)
    page.get_by_text("as a search estimates").or_(
        page.get_by_text("that a search can tell")
    ).wait_for()
    page.keyboard.press("Home")
    page.locator(".decision h3").get_by_text("a1").wait_for()
    moves = cells(page)
    assert len(moves) == 9
    assert any("±" in row[-1] for row in moves)
    assert page.locator(".replay svg .moved").count() == 1
    assert page.locator(".replay svg .reviewed .tint").count() == 9
    assert page.locator(".replay svg [role=button]").count() == 0
    assert page.errors == []


def test_the_work_of_a_search_can_be_stopped(page: Any, finished: Finished) -> None:
    page.goto(f"{finished.server.address}/table/{finished.unjudged}#token0")
    page.locator(".after .work").get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped after").wait_for()
    page.get_by_role("button", name="Judge the match again").click()
    page.get_by_text("A search judges decision").wait_for()
    judged(page)
    assert page.errors == []


def test_what_is_saved_and_shared(page: Any, finished: Finished) -> None:
    finished.open(page, KING_FOLDS[0])
    judged(page)
    page.get_by_text("Save and share").click()
    for name, holds in (
        ("Record", '"leduc_poker"'),
        ("Film", "you are dealt"),
        ("Hand history", "Seat 1: person"),
        ("Hand history, anonymised", "Seat 1: Player 1"),
    ):
        with page.expect_download() as saved:
            page.get_by_role("button", name=name, exact=True).click()
        assert holds in Path(saved.value.path()).read_text()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    page.get_by_text("Link copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith("?ply=4&seat=0")
    assert "token" not in copied
    page.goto(copied)
    page.get_by_text("Move 4 of 5").wait_for()
    page.get_by_role("button", name="What player 1 knew").wait_for()  # the reader has no seat
    assert page.errors == []


def test_matches_of_a_file_one_after_the_other(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "matches.sqlite"
    question = Question("kuhn_poker", ("random", "call"), None, None, None, 1, 2)
    with Tournament(question, file) as tournament:
        tournament.run([((0, 1),)], 3)
    server = Server(tmp_path, "--replay", str(file))
    page = watched(browser.new_context(base_url=server.address).new_page())
    page.goto("/")
    page.get_by_role("button", name="Open match 1").click()
    page.get_by_text("Match 1 of 3").wait_for()
    assert page.get_by_role("button", name="Previous match").is_disabled()
    for number in (2, 3):
        page.get_by_role("button", name="Next match").click()
        page.get_by_text(f"Match {number} of 3").wait_for()
    assert page.get_by_role("button", name="Next match").is_disabled()
    judged(page)
    page.reload()
    page.get_by_text("Match 3 of 3").wait_for()
    assert page.errors == []
    page.context.close()
    server.stop()


def test_a_spectator_sees_the_review_too(page: Any, finished: Finished) -> None:
    finished.open(page, CALLED_A_LIAR[0], token="")
    judged(page)
    page.get_by_role("button", name="Player 1", exact=True).wait_for()
    assert page.get_by_role("button", name="What was true").get_attribute("aria-pressed") == "true"
    assert "Player 1" in page.locator(".after .headline").inner_text()
    page.get_by_role("heading", name="Equilibrium by hand").wait_for()
    assert page.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("game", [KING_FOLDS[0], TRIED_IN_VAIN[0], CALLED_A_LIAR[0]])
def test_nothing_of_a_review_keeps_people_out(
    browser: Any, finished: Finished, axe: str, game: str, scheme: str
) -> None:
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    page = watched(context.new_page())
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        finished.open(page, game, "?ply=2&seat=0")
        judged(page)
        page.locator(".moves-table").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.get_by_text("Save and share").click()
        page.get_by_text("Ask a bot").click()
        page.evaluate(axe)
        found = page.evaluate("async () => (await axe.run()).violations")
        assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.errors == []
    context.close()


def test_a_record_holds_what_a_replay_needs(page: Any, finished: Finished) -> None:
    finished.open(page, CALLED_A_LIAR[0])
    page.get_by_text("Save and share").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Record", exact=True).click()
    assert saved.value.suggested_filename == "liars_dice_1_1_3_.json"
    assert json.loads(Path(saved.value.path()).read_text())["moves"] == list(CALLED_A_LIAR[1])
