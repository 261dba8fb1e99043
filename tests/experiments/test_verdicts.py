"""Verdicts follow from numbers by the rule that `verdicts` states."""

from dataclasses import replace

import pytest

from hiddenhand.errors import FileError
from hiddenhand.experiments.findings import Check, Findings, Grid
from hiddenhand.experiments.printed import PrintedItem, printed, printed_item, read_paper
from hiddenhand.experiments.verdicts import (
    AGREES,
    DIFFERS,
    EXPLAINED,
    NOT_RUN,
    UNDECIDED,
    cell_verdict,
    verdict,
)
from hiddenhand.statistics import Interval


def around(value: float, half: float) -> Interval:
    return Interval(value, value - half, value + half)


def item(halves: str = "halves = [2.0, 2.0]", claims: str = "") -> PrintedItem:
    import tomllib

    text = f"""
        title = "A paper"
        reference = "Somebody"
        [[item]]
        name = "tab1"
        printed_as = "Table 1"
        page = "p. 1"
        caption = "What it shows"
        [[item.table]]
        name = "main"
        columns = ["A", "B"]
        [[item.table.row]]
        name = "A"
        values = [50.0, 60.0]
        {halves}
        {claims}
    """
    return read_paper("paper", tomllib.loads(text)).items["tab1"]


CLAIM = """
    [[item.claim]]
    check = "a-wins"
    page = "p. 2"
    text = "A wins."
"""


def grid(first: Interval, second: Interval, reading: str = "") -> Grid:
    cells = {("A", "A"): first, ("A", "B"): second}
    return Grid("main", ("A",), ("A", "B"), cells, reading=reading)


@pytest.mark.parametrize(
    ("ours", "word"),
    [
        (around(53.0, 1.5), AGREES),
        (around(56.0, 1.5), DIFFERS),
        (around(56.0, 9.0), UNDECIDED),  # they meet, and ours is 4.5 times as wide
        (Interval(50.0, float("-inf"), float("inf")), UNDECIDED),
    ],
)
def test_a_cell_with_a_printed_interval(ours: Interval, word: str) -> None:
    table = item().tables[0]
    assert cell_verdict(ours, table.cells["A", "A"], table) == word


@pytest.mark.parametrize(("half", "word"), [(0.9, AGREES), (1.1, UNDECIDED)])
def test_a_cell_without_one(half: float, word: str) -> None:
    """Values from 50 to 60: a tenth of the distance is 1."""
    table = item(halves="").tables[0]
    assert cell_verdict(around(50.5, half), table.cells["A", "A"], table) == word


def test_an_item_agrees_where_its_cells_do() -> None:
    findings = Findings(grids=(grid(around(50, 1), around(61, 1)),))
    assert verdict(item(), findings).word == AGREES


def test_a_sentence_that_fails_makes_it_differ() -> None:
    grids = (grid(around(50, 1), around(61, 1)),)
    for holds, word in ((True, AGREES), (False, DIFFERS), (None, AGREES)):
        findings = Findings(grids, checks=(Check("a-wins", holds, "numbers"),))
        assert verdict(item(claims=CLAIM), findings).word == word
    alone = Findings(checks=(Check("a-wins", None, "numbers"),))
    assert verdict(item(claims=CLAIM), alone).word == UNDECIDED


def test_another_reading_explains_a_difference() -> None:
    wrong, right = around(70, 1), around(50, 1)
    text, program = (
        grid(first, around(61, 1), name) for first, name in ((wrong, "text"), (right, "program"))
    )
    assert verdict(item(), Findings(grids=(text, program))).word == EXPLAINED
    assert verdict(item(), Findings(grids=(program, text))).word == AGREES
    assert verdict(item(), Findings(grids=(text,))).word == DIFFERS
    partly = replace(program, cells={("A", "A"): right})
    assert verdict(item(), Findings(grids=(text, partly))).word == DIFFERS


def test_nothing_run_and_nothing_printed() -> None:
    assert verdict(item(), Findings()).word == NOT_RUN
    assert verdict(None, Findings(grids=(grid(around(50, 1), around(61, 1)),))).word == UNDECIDED


def test_files_of_printed_numbers_can_be_read() -> None:
    """Fig. 4a of the OOS paper: the first row."""
    found = printed_item("oos/fig4a")
    assert found is not None
    table = found.tables[0]
    assert [table.cells["OOS", column].value for column in table.columns] == [49.3, 50, 50.5, 83.1]
    assert table.cells["OOS", "OOS"].high == pytest.approx(52.0)
    assert {paper: bool(printed(paper).items) for paper in ("oos", "mccr")} == {
        "oos": True,
        "mccr": True,
    }
    assert printed_item("nothing/fig1") is None
    with pytest.raises(FileError, match=r"there is no file nothing\.toml"):
        printed("nothing")


def test_an_unknown_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown entry colour"):
        read_paper("paper", {"title": "", "reference": "", "colour": "red"})
