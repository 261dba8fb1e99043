"""The scoreboard: a line and a tile for each item, from stored results alone."""

from dataclasses import replace
from pathlib import Path

import pytest
from typing_commands import Typed

from hiddenhand.errors import FileError
from hiddenhand_papers.catalogue import catalogue, chosen
from hiddenhand_papers.experiment import EVENING, Scale
from hiddenhand_papers.report.drawing import draw_comparison
from hiddenhand_papers.report.pages import COLOURS, compared_cells, write_page
from hiddenhand_papers.report.scoreboard import (
    BEGIN,
    END,
    PICTURE,
    Score,
    counted,
    draw_scores,
    reason,
    scores,
    write_scoreboard,
)
from hiddenhand_papers.report.shown import shown
from hiddenhand_papers.report.verdicts import AGREES, DIFFERS, NOT_RUN, UNDECIDED, readings_of
from hiddenhand_papers.store import Row, Store
from hiddenhand_papers.work import guesses

PAGE = Path(__file__).parents[2] / "docs/papers/README.md"
SCORE = Score(
    name="test/tab1",
    printed_as="Table 1",
    verdict=UNDECIDED,
    agree=1,
    differ=0,
    undecided=3,
    pooled=0,
    units=5,
    matches=50,
    hours=0.5,
    missing=2.0,
    step="0.125",
    missing_in_all=70.0,
)


def test_what_is_stored_and_missing_is_counted() -> None:
    experiment = catalogue()["oos/fig4b"]
    units = list(dict.fromkeys(experiment.deciding.units(EVENING)))
    with Store(None) as store:
        (nothing,) = scores([experiment], EVENING, store)
        for unit in units[:2]:
            made = {"processor_seconds": 36.0}
            payoffs = [1.0 - 2.0 * (number % 2) for number in unit.seeds]
            store.add(Row(unit.text, unit.digest, {"payoffs": payoffs}, made))
        (score,) = scores([experiment], EVENING, store)
        guess = guesses(store.rows())
    assert (nothing.verdict, nothing.units, nothing.hours) == (NOT_RUN, 0, 0.0)
    assert (score.name, score.paper, score.item) == ("oos/fig4b", "oos", "fig4b")
    matches = sum(len(unit.seeds) for unit in units[:2])
    assert (score.units, score.matches, score.printed_as) == (2, matches, "Fig. 4b")
    assert score.hours == pytest.approx(0.02)
    assert score.verdict == UNDECIDED
    assert score.missing == pytest.approx(sum(map(guess, units[2:])) / 3600.0)
    assert score.missing == pytest.approx((len(units) - 2) * 0.01, rel=0.1)
    assert (score.step, nothing.step) == ("evening", "evening")
    assert score.missing_in_all == pytest.approx(score.missing)  # of this scale there is one step


def test_reasons() -> None:
    assert reason(SCORE) == (
        "3 of 4 cells and sentences are undecided; the next step, to the scale 0.125, takes 2.0 "
        "hours, all steps together 70.0 hours"
    )
    assert reason(replace(SCORE, step="")).endswith(
        "all matches and seeds of the experiment are stored"
    )
    assert reason(replace(SCORE, verdict=AGREES)) == ""
    assert reason(replace(SCORE, verdict=NOT_RUN, missing=0.5)) == (
        "no results yet; the scale 0.125 takes 30 minutes"
    )
    assert "nothing printed" in reason(replace(SCORE, agree=0, undecided=0))
    assert counted([SCORE, replace(SCORE, verdict=DIFFERS), SCORE]) == (
        "Items: 3. Verdicts: differs: 1; undecided: 2."
    )


def test_it_is_written_into_its_place(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    found = [SCORE, replace(SCORE, name="test/sec4.1-goofspiel", verdict=AGREES)]
    assert write_scoreboard(found, tmp_path, Scale(0.5)) == [page, tmp_path / PICTURE]
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n")
    assert text.endswith(f"{END}\nafter\n")
    assert "old" not in text
    assert "| [test/tab1](test.md#testtab1) | Table 1 | undecided | 1 | 0 | 3 | 0 | 50 |" in text
    assert "| 2.0 to 0.125 |" in text
    write_scoreboard(found, tmp_path, Scale(0.5))
    assert page.read_text() == text
    picture = (tmp_path / PICTURE).read_text()
    assert picture.count("tab1") == 1
    assert draw_scores(found).decode() == picture
    page.write_text("no place")
    with pytest.raises(FileError, match="has no place for the scoreboard"):
        write_scoreboard(found, tmp_path, Scale(0.5))


def test_a_table_is_compared_in_a_picture(tmp_path: Path) -> None:
    """With every unit of a table stored."""
    experiment = catalogue()["oos/fig4b"]
    with Store(None) as store:
        for unit in experiment.units(EVENING):
            payoffs = [1.0, -1.0] * len(unit.seeds)
            result = {"payoffs": payoffs[: len(unit.seeds)]}
            store.add(Row(unit.text, unit.digest, result, {"when": "2026-11-26"}))
        (one,) = shown([experiment], EVENING, store)
    grid, joint = one.found.grids()[0]
    cells = compared_cells(one, grid, joint)
    assert 3 <= len(cells) <= len(grid.cells)
    assert compared_cells(one, replace(grid, cells={}), joint) == []
    picture = draw_comparison(cells, COLOURS)
    assert b"printed" in picture
    assert draw_comparison(cells, COLOURS) == picture
    files = write_page("oos", [one], tmp_path, "the command")
    assert tmp_path / "pictures/oos-fig4b--table1.svg" in files
    assert "![Printed and ours](pictures/oos-fig4b--table1.svg)" in files[0].read_text()


def test_a_table_that_readings_share_is_shown_once(tmp_path: Path) -> None:
    """Each reading has its own sentences. The last one is not run at the scale ``evening``, but has
    the tables with an evaluation of the first one.
    """
    experiment = catalogue()["thesis/tab4.2"]
    with Store(None) as store:
        for unit in experiment.units(EVENING):
            result = {"payoffs": [1.0] * len(unit.seeds)}
            store.add(Row(unit.text, unit.digest, result, {"when": "2026-11-26"}))
        (one,) = shown([experiment], EVENING, store)
    first, alike, mixing = readings_of(one.findings)
    assert (first, mixing) == ("DUCT makes the most visited move", "DUCT draws its moves by visits")
    duels = one.found.check("duct-best-with-evaluation", mixing)
    assert duels is not None
    assert duels.words == one.found.check("duct-best-with-evaluation", first).words
    assert one.found.check("rm-strongest-1s", first) is not None
    assert one.found.check("rm-strongest-1s", mixing) is None
    text = write_page("thesis", [one], tmp_path, "the command")[0].read_text()
    assert text.count("\nTable 5s (") == text.count("\nTable eval-5s (") == 3
    assert f"Table eval-5s ({mixing}): that of the reading “{first}”." in text
    assert f"Table 1s ({alike}): that of the reading “{first}”." in text
    assert len({*tmp_path.glob("pictures/*")}) == text.count("![Printed and ours]")


def test_the_command_line(typed: Typed, tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store.sqlite")]
    with Store(tmp_path / "store.sqlite") as kept:
        for unit in catalogue()["oos/values"].units(EVENING):
            kept.add(Row(unit.text, unit.digest, {"value": 0.5}, {"seconds": 1.0}))
    status, out, _ = typed("experiment", "report", "oos/values", "--summary", *store)
    assert status == 0
    assert out.splitlines()[-1] == "Items: 1. Verdicts: differs: 1."
    long = "pursuit/fig5.6-pursuers-c"
    both = typed("experiment", "report", "oos/values", long, "--summary", *store)[1]
    assert f"{long}: no results yet; the scale " in " ".join(both.split())
    assert "oos/values: " not in both  # a decided item needs no reason
    (item,) = typed.json("experiment", "report", "oos/values", "--summary", *store)["items"]
    assert (item["name"], item["verdict"], item["reason"]) == ("oos/values", "differs", "")


def test_the_page_has_a_line_for_each_item() -> None:
    board = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    named = [line[3:].partition("]")[0] for line in board.splitlines() if line.startswith("| [")]
    assert named == [experiment.name for experiment in chosen([])]
    assert (PAGE.parent / PICTURE).exists()
