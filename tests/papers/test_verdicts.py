"""Verdicts follow from numbers by the rule that `verdicts` states."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from hiddenhand.errors import FileError
from hiddenhand.statistics import Interval, jointly, mean_interval, widened, wilson_interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Findings, Grid
from hiddenhand_papers.printed import PrintedItem, printed, printed_item, read_paper
from hiddenhand_papers.report.verdicts import (
    AGREES,
    DIFFERS,
    EXPLAINED,
    NOT_RUN,
    UNDECIDED,
    Levels,
    cell_verdict,
    levels,
    verdict,
)
from hiddenhand_papers.units import Unit


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


def sure(findings: Findings) -> Levels:
    """As if there were so many observations that joint intervals are as narrow as single ones."""
    return Levels(findings, findings)


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
    assert cell_verdict(ours, ours, 1.0, table.cells["A", "A"], table) == word


def test_a_cell_differs_by_joint_intervals_only() -> None:
    """The printed value is 50 +- 2."""
    table = item().tables[0]
    theirs = table.cells["A", "A"]
    ours = around(56.0, 1.5)
    assert cell_verdict(ours, around(56.0, 3.0), 1.4, theirs, table) == DIFFERS
    assert cell_verdict(ours, around(56.0, 3.0), 1.6, theirs, table) == UNDECIDED
    assert cell_verdict(ours, around(56.0, 4.1), 1.0, theirs, table) == UNDECIDED


@pytest.mark.parametrize(("half", "word"), [(0.9, AGREES), (1.1, UNDECIDED)])
def test_a_cell_without_one(half: float, word: str) -> None:
    """Values from 50 to 60: a tenth of the distance is 1."""
    table = item(halves="").tables[0]
    ours = around(50.5, half)
    assert cell_verdict(ours, ours, 1.0, table.cells["A", "A"], table) == word


def test_an_item_agrees_where_its_cells_do() -> None:
    findings = Findings(grids=(grid(around(50, 1), around(61, 1)),))
    assert verdict(item(), sure(findings)).word == AGREES


def test_a_sentence_that_fails_makes_it_differ() -> None:
    grids = (grid(around(50, 1), around(61, 1)),)
    for holds, word in ((True, AGREES), (False, DIFFERS), (None, AGREES)):
        findings = Findings(grids, checks=(Check("a-wins", holds, "numbers"),))
        assert verdict(item(claims=CLAIM), sure(findings)).word == word
    alone = Findings(checks=(Check("a-wins", None, "numbers"),))
    assert verdict(item(claims=CLAIM), sure(alone)).word == UNDECIDED


def test_another_reading_explains_a_difference() -> None:
    wrong, right = around(70, 1), around(50, 1)
    text, program = (
        grid(first, around(61, 1), name) for first, name in ((wrong, "text"), (right, "program"))
    )
    assert verdict(item(), sure(Findings(grids=(text, program)))).word == EXPLAINED
    assert verdict(item(), sure(Findings(grids=(program, text)))).word == AGREES
    assert verdict(item(), sure(Findings(grids=(text,)))).word == DIFFERS
    partly = replace(program, cells={("A", "A"): right})
    assert verdict(item(), sure(Findings(grids=(text, partly)))).word == DIFFERS


def test_nothing_run_and_nothing_printed() -> None:
    assert verdict(item(), sure(Findings())).word == NOT_RUN
    assert (
        verdict(None, sure(Findings(grids=(grid(around(50, 1), around(61, 1)),)))).word == UNDECIDED
    )


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
    with pytest.raises(FileError, match=r"there is no file nothing/printed\.toml"):
        printed("nothing")


def test_an_unknown_entry_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown entry colour"):
        read_paper("paper", {"title": "", "reference": "", "colour": "red"})


@dataclass(frozen=True)
class Coins(Experiment):
    """Means of pairs of 0.9 and 1.1, and a sentence about the first of them."""

    count: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        return iter(())

    def findings(self, results: Results) -> Findings:
        cells = {("A", f"{number}"): mean_interval([0.9, 1.1] * 5) for number in range(self.count)}
        first = cells["A", "0"]
        grids = (Grid("main", ("A",), ("0",), cells),)
        return Findings(grids, checks=(Check("a-wins", not first.low > 0.9, "numbers"),))


@pytest.mark.parametrize(("count", "holds"), [(1, False), (200, None)])
def test_the_more_intervals_an_item_has_the_wider_joint_ones_are(
    count: int, holds: bool | None
) -> None:
    found = levels(Coins("paper", "tab1", "Coins", (), count), {})
    single, joint = found.grids()[0]
    ratio = joint.cells["A", "0"].width / single.cells["A", "0"].width
    # Student's t with 9 degrees of freedom, beyond 0.025 of it: 2.262; 0.0125: 2.685;
    # 0.0000625: 6.4019
    assert ratio == pytest.approx({1: 2.685, 200: 6.4019}[count] / 2.262, rel=1e-3)
    check = found.check("a-wins", "")
    assert check is not None
    assert check.holds is holds


def test_joint_intervals_by_hand() -> None:
    """Two matches won of two: a player with the rate p does so with p * p, which is 0.0125 at the
    lower end, half of 0.05 / 2.
    """
    with jointly(2) as joint:
        won, lost = wilson_interval(2, 2), wilson_interval(0, 2)
        alone = widened(around(5.0, 1.0), 1)
    assert won.low == pytest.approx(0.0125**0.5)
    assert (won.high, lost.low) == (1.0, 0.0)
    assert lost.high == pytest.approx(1.0 - won.low)
    assert alone == Interval(5.0, float("-inf"), float("inf"))
    assert joint.made == 3
    assert joint.stretch == pytest.approx(2.2414 / 1.96, rel=1e-4)  # normal quantiles of a table
    assert widened(around(5.0, 1.0), 7) == around(5.0, 1.0)  # outside of the block
