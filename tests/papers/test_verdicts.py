"""Verdicts follow from numbers by the rule that `verdicts` states."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest

from hiddenhand.errors import FileError
from hiddenhand.jit.arrays import Floats
from hiddenhand.statistics import Interval, jointly, mean_interval, widened, wilson_interval
from hiddenhand_papers.catalogue import catalogue
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import (
    Check,
    Curve,
    Findings,
    Grid,
    Sampled,
    all_below,
    apart,
    at_most,
    below,
    excess,
    lowest,
    point,
    scaled,
)
from hiddenhand_papers.printed import PrintedItem, printed, printed_item, read_paper
from hiddenhand_papers.report.as_json import json_of
from hiddenhand_papers.report.pages import Shown
from hiddenhand_papers.report.verdicts import (
    AGREES,
    DIFFERS,
    EXPLAINED,
    NOT_RUN,
    UNDECIDED,
    Levels,
    Tally,
    cell_verdict,
    levels,
    verdict,
)
from hiddenhand_papers.smooth.experiments import _uct_diverges
from hiddenhand_papers.thesis.claims import rises_at_first
from hiddenhand_papers.thesis.sections import Found
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


def test_a_cell_agrees_that_is_surely_within_the_margin() -> None:
    """Of 1, even where it misses the printed 50; unless the difference is sure."""
    table = item(halves="").tables[0]
    theirs = table.cells["A", "A"]
    for value, word in ((50.5, AGREES), (50.7, UNDECIDED)):
        ours = around(value, 0.4)
        assert cell_verdict(ours, around(value, 0.8), 1.0, theirs, table) == word
    assert cell_verdict(around(50.5, 0.4), around(50.5, 0.4), 1.0, theirs, table) == DIFFERS


def test_an_item_agrees_where_its_cells_do() -> None:
    findings = Findings(grids=(grid(around(50, 1), around(61, 1)),))
    assert verdict(item(), sure(findings)).word == AGREES


def played(true: Floats, matches: int, luck: float, seed: int) -> Grid:
    """A table of matches whose cells have the same luck in the same match."""
    random = np.random.default_rng(seed)
    shared = random.normal(0.0, luck, (matches, 1))
    seen = true + shared + random.normal(0.0, 20.0, (matches, true.size))
    places = [("A", f"{number}") for number in range(true.size)]
    cells = dict(zip(places, map(mean_interval, seen.T.tolist()), strict=True))
    samples = dict(
        zip(places, (dict(enumerate(column)) for column in seen.T.tolist()), strict=True)
    )
    return Grid("main", ("A",), tuple(column for _, column in places), cells, samples=samples)


@pytest.mark.parametrize("luck", [0.0, 10.0])
def test_a_table_agrees_as_a_whole_where_it_is_near_and_not_where_it_is_far(luck: float) -> None:
    """Whatever the luck that all cells share: the true distance from 0 is 8 or nothing."""
    far = np.array([8.0, -8.0] * 12)
    others = {("A", f"{number}"): around(0.0, 1.0) for number in range(24)}
    bounds = [
        [
            distance.high
            for seed in range(100)
            if (distance := apart(played(true, 30, luck, seed), others))
        ]
        for true in (far, 0.0 * far)
    ]
    assert sum(bound < 8.0 for bound in bounds[0]) <= 9
    assert sum(bound < 8.0 for bound in bounds[1]) >= 90
    assert apart(played(far, 4, luck, 0), others) is None  # too few matches


@pytest.mark.parametrize("luck", [0.0, 10.0])
def test_a_table_is_surely_no_nearer_than_its_lower_bound(luck: float) -> None:
    """The bound holds in all but ``tail`` of the runs, and is of use: it is not far below."""
    others = {("A", f"{number}"): around(0.0, 1.0) for number in range(24)}
    for true in (0.0, 8.0, 30.0):
        cells = np.array([true, -true] * 12)
        bounds = [
            found.low
            for seed in range(200)
            if (found := apart(played(cells, 30, luck, seed), others, 0.05))
        ]
        assert len(bounds) == 200
        assert sum(bound > true for bound in bounds) <= 18  # of 10 expected at most
    assert sum(bound > 20.0 for bound in bounds) >= 190


def test_a_table_differs_as_a_whole_where_no_cell_does_alone() -> None:
    """All of 40 cells are 8 from the printed ones, and the margin is 4."""
    rows, columns = [f"{row}" for row in range(5)], [f"{column}" for column in range(8)]
    places = [(row, column) for row in rows for column in columns]
    theirs = {place: point(40.0 * number / 39) for number, place in enumerate(places)}
    table = replace(item().tables[0], cells=theirs)
    paper = replace(item(), tables=(table,))

    def found(off: float, reading: str) -> Grid:
        true = np.array([one.value + off for one in theirs.values()])
        made = played(true, 60, 0.0, 3)
        named = dict(zip(made.cells, places, strict=True))
        wide = {named[place]: around(one.value, 25.0) for place, one in made.cells.items()}
        samples = {named[place]: one for place, one in made.samples.items()}
        return Grid("main", tuple(rows), tuple(columns), wide, reading, samples=samples)

    far, near = found(8.0, "as in the text"), found(0.0, "as in the program")
    alone = verdict(paper, sure(Findings(grids=(far,))))
    assert alone.word == DIFFERS
    assert alone.reasons[0].endswith("40 are undecided; 1 table differs as a whole.")
    assert "by a joint bound at least" in alone.reasons[1]
    both = verdict(paper, sure(Findings(grids=(far, near))))
    assert (both.word, both.reasons[2:]) == (EXPLAINED, alone.reasons[1:])
    whole = verdict(paper, sure(Findings(grids=(far, replace(near, observations=60)))))
    assert whole.reasons[:3] == both.reasons
    assert whole.reasons[3].startswith("In the reading “as in the program” table main is ")
    assert verdict(paper, replace(sure(Findings(grids=(far,))), tail=1e-30)).word == UNDECIDED


def test_the_undecided_cells_of_a_table_that_agrees_as_a_whole_count() -> None:
    """Cells of 50 and 60 in a table from 0 to 100, each far too wide alone."""
    wide = {place: around(value, 12.0) for place, value in (("A", 50.0), ("B", 60.0))}
    cells = {("A", name): interval for name, interval in wide.items()}
    samples = {
        place: {number: one.value + 19.0 * (-1) ** number for number in range(64)}
        for place, one in cells.items()
    }
    found = Grid("main", ("A",), ("A", "B"), cells, samples=samples)
    paper = item()
    table = replace(
        paper.tables[0],
        cells={**paper.tables[0].cells, ("B", "A"): point(0.0), ("B", "B"): point(100.0)},
    )
    paper = replace(paper, tables=(table,))
    for moved, word in ((0.0, AGREES), (9.0, UNDECIDED)):
        apart_by = {place: around(one.value + moved, 12.0) for place, one in cells.items()}
        given = verdict(paper, sure(Findings(grids=(replace(found, cells=apart_by),))))
        assert given.word == word
    assert "2 are undecided" in given.reasons[0]
    assert given.reasons[1].startswith("Table main is 8.")


def seeds(*values: float) -> Sampled:
    mean = mean_interval(values)
    return Sampled(mean.value, mean.low, mean.high, dict(enumerate(values)))


def test_values_of_equal_seeds_are_compared_by_their_differences() -> None:
    """Differences of 0.1, 0.2, 0.3 and 0.2: 0.2 +- 0.13 by Student's t. The means overlap."""
    one, other = seeds(1.0, 2.0, 3.0, 4.0), seeds(1.1, 2.2, 3.3, 4.2)
    more = excess(one, other)
    assert more is not None
    assert (more.value, more.width / 2) == (pytest.approx(0.2), pytest.approx(0.1299, abs=1e-4))
    assert one.high > other.low
    assert (below(one, other), below(other, one)) == (True, False)
    assert (at_most(other, one, 0.4), at_most(other, one, 0.3)) == (False, False)
    assert (at_most(one, other, 0.0), at_most(one, seeds(0.9, 2.1, 2.9, 4.1), 0.2)) == (True, True)
    assert below(scaled(1.1, one), other) is None
    plain = Interval(other.value, other.low, other.high)
    assert below(one, plain) is None  # without seeds they meet
    assert excess(one, seeds(1.1, 2.2)) is None  # too few
    curve = Curve("line", ((1.0, one), (2.0, other)))
    assert excess(lowest(curve), other) is None  # it was chosen for being low


def test_a_look_that_was_picked_is_compared_without_its_seeds() -> None:
    """No line of the null rises; by the differences of equal seeds, one in twelve would."""
    one, other = seeds(1.0, 2.0, 3.0, 4.0), seeds(1.1, 2.2, 3.3, 4.2)
    curve = Curve("UCT", ((1.0, one), (2.0, other)))
    assert below(one, other)
    assert _uct_diverges({"UCT": curve}).holds is None
    found = Found({"": {"UCT": curve}}, {}, {})
    assert rises_at_first("", "", "UCT", until=2.0)(found).holds is None


def test_pairs_decide_together_what_none_decides_alone() -> None:
    wide = [(around(1.0 + 0.1 * number, 5.0), around(3.0, 5.0)) for number in range(4)]
    assert all_below([[pair] for pair in wide]) is True
    assert all_below([[pair[::-1]] for pair in wide]) is False
    assert all_below([[pair] for pair in wide[:2]]) is None
    assert all_below([[wide[0]], [wide[1][::-1]], [wide[2]], [wide[3][::-1]]]) is None
    sure_not = (around(3.0, 0.1), around(1.0, 0.1))
    assert all_below([*([pair] for pair in wide), [sure_not]]) is False


def test_pairs_decide_together_over_the_seeds_that_all_of_them_have() -> None:
    """Differences of 3, 0 and 0.3 at one setting, and of 0.1, 2.2 and 2.1 at another: on average
    1.55, 1.1 and 1.2, which is 1.28 +- 0.59 by Student's t, while each setting alone is uncertain.
    """
    pairs = [
        (seeds(1.0, 2.0, 3.0), seeds(4.0, 2.0, 3.3)),
        (seeds(5.0, 6.0, 7.0), seeds(5.1, 8.2, 9.1)),
    ]
    assert [below(low, high) for low, high in pairs] == [None, None]
    assert all_below([pairs]) is all_below([[pair] for pair in pairs]) is True
    assert all_below([[pair[::-1]] for pair in pairs]) is False
    assert all_below([[(low, high)] for low, high in (pairs[0], pairs[1][::-1])]) is None
    other = seeds(5.0, 6.0), seeds(5.1, 8.2)  # with two seeds in common nothing is decided
    assert all_below([[pairs[0]], [other]]) is None


def test_a_sentence_that_fails_makes_it_differ() -> None:
    grids = (grid(around(50, 1), around(61, 1)),)
    for holds, word in ((True, AGREES), (False, DIFFERS), (None, AGREES)):
        findings = Findings(grids, checks=(Check("a-wins", holds, "numbers"),))
        assert verdict(item(claims=CLAIM), sure(findings)).word == word
    alone = Findings(checks=(Check("a-wins", None, "numbers"),))
    assert verdict(item(claims=CLAIM), sure(alone)).word == UNDECIDED


def test_json_judges_sentences_as_pages_do() -> None:
    failed, unsure = (
        Findings(checks=(Check("a-wins", holds, "numbers"),)) for holds in (False, None)
    )
    shown = Shown(catalogue()["oos/values"], Levels(failed, unsure), (), 0)
    assert [sentence["holds"] for sentence in json_of(shown)["sentences"]] == [None]


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


def test_a_reading_with_fewer_matches_explains_nothing() -> None:
    text, program = (
        grid(around(first, 1), around(61, 1), name)
        for first, name in ((70, "text"), (50, "program"))
    )
    samples = {place: dict.fromkeys(range(64), 50.0) for place in text.cells}
    text = replace(text, observations=64, samples=samples)
    for matches, word in ((32, EXPLAINED), (31, DIFFERS)):
        other = replace(program, observations=matches, samples=samples)
        assert verdict(item(), sure(Findings(grids=(text, other)))).word == word


@pytest.mark.parametrize(
    ("halves", "word"), [((1, 1), EXPLAINED), ((40, 1), DIFFERS), ((40, 40), DIFFERS)]
)
def test_a_reading_explains_if_more_of_it_agrees(halves: tuple[float, float], word: str) -> None:
    """Wide intervals meet the printed numbers wherever they are, and then nothing differs."""
    text = grid(around(70, 1), around(61, 1), "text")
    program = grid(around(50, halves[0]), around(61, halves[1]), "program")
    assert verdict(item(), sure(Findings(grids=(text, program)))).word == word


def test_a_table_without_a_reading_belongs_to_all() -> None:
    common, named = grid(around(70, 1), around(61, 1)), grid(around(50, 1), around(61, 1), "text")
    given = verdict(item(), sure(Findings(grids=(common, named))))
    assert given.word == DIFFERS
    assert "3 cells and sentences agree, 1 differs" in given.reasons[0]
    assert "“text” 1 cell or sentence agrees, 0 differ and 2 are" in str(Tally("text", 1, 0, 2))


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
        return Findings(grids, checks=(Check("a-wins", not first.low > 0.85, "numbers"),))


@pytest.mark.parametrize(("count", "holds"), [(1, False), (200, None)])
def test_the_more_intervals_an_item_has_the_wider_joint_ones_are(
    count: int, holds: bool | None
) -> None:
    found = levels(Coins("paper", "tab1", "Coins", (), count), {})
    single, joint = found.grids()[0]
    ratio = joint.cells["A", "0"].width / single.cells["A", "0"].width
    # Student's t with 9 degrees of freedom, beyond 0.025 of it: 2.262; 0.025 / 14: 3.909;
    # 0.025 / 2800: 8.217. There are 2 or 400 intervals, which are looked at seven times.
    assert ratio == pytest.approx({1: 3.9088, 200: 8.2173}[count] / 2.262, rel=1e-3)
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
