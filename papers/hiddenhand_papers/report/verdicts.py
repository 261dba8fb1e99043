"""Verdicts: whether what was found agrees with what was printed, by one rule for all experiments.

A cell of a table
    *differs* if our interval and the printed one do not meet, both taken as joint intervals.
    *agrees* if our whole 95 % interval is within the margin of the table from the printed value, or
    meets the printed interval and is narrow: at most `WIDEST` times as wide as that, or its half at
    most the margin.
    is *undecided* otherwise.
    The *margin* of a table is `SHARE` of the distance between its largest and its smallest value. A
    printed value without an interval counts as a point.

A table of matches
    *agrees as a whole* if none of its cells differs, and the true figures of ours and of the paper
    are at most the margin apart: in root mean square over its cells, with 95 % confidence. That is
    a test of equivalence. It pools all cells, so it needs fewer matches than each cell alone. Its
    undecided cells then count as agreeing in the verdict on the item.
    *differs as a whole* if they are more than the margin apart, by a joint bound.

A sentence of the paper
    *agrees* if the check that belongs to it holds by 95 % intervals.
    *differs* if the check fails by joint intervals, too.
    is *undecided* otherwise, and if nothing tested it.

An item
    *differs* if one of its cells or sentences differs, or one of its tables as a whole, in the
    first reading of the set-up. If there is another reading, run as fully, that agrees, and in
    which more of them agree, the item is *explained*: the run of that reading shows the cause. It
    is run as fully if it has as many cells and sentences, and at least half as many matches or
    seeds in each table.
    *agrees* if at least half of its cells and sentences agree, by themselves or as a part of a
    table that agrees as a whole, and none differs.
    is *undecided* otherwise.

An item compares many intervals, and of many 95 % intervals some miss by chance. *Joint* intervals
are so wide that in 95 of 100 runs all intervals of an item, printed ones and ours, contain their
true figures at once, see `hiddenhand.statistics.jointly`. So of 100 items that really agree with
their paper, at most 5 are said to differ, however many cells and sentences they have, and however
these depend on each other. That holds although matches are added until an item is decided: joint
intervals allow for `LOOKS` looks, one at each size that `work` takes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hiddenhand.statistics import Interval, jointly
from hiddenhand_papers.experiment import STEPS, Experiment, Results
from hiddenhand_papers.findings import Check, Distance, Findings, Grid, apart
from hiddenhand_papers.printed import Claim, PrintedItem, PrintedTable

AGREES: Final = "agrees"
DIFFERS: Final = "differs"
EXPLAINED: Final = "differs, explained by a run"
UNDECIDED: Final = "undecided"
NOT_RUN: Final = "not run"
VERDICTS: Final = (AGREES, EXPLAINED, DIFFERS, UNDECIDED, NOT_RUN)

WIDEST: Final = 4.0
SHARE: Final = 0.1
LOOKS: Final = len(STEPS)


@dataclass(frozen=True)
class Levels:
    """What an experiment shows, by single intervals and by joint ones.

    single: with 95 % intervals, which are those that pages show.
    joint: the same with joint intervals.
    stretch: how many times as wide a printed interval is as a joint one than as a single one.
    tail: the share of runs in which a true figure may lie below a joint interval.
    """

    single: Findings
    joint: Findings
    stretch: float = 1.0
    tail: float = 0.025

    def grids(self) -> Sequence[tuple[Grid, Grid]]:
        """Each table with single intervals, and with joint ones."""
        return list(zip(self.single.grids, self.joint.grids, strict=True))

    def check(self, name: str, reading: str) -> Check | None:
        """How the sentence called ``name`` was tested in a reading. It fails only if it does so by
        joint intervals.
        """
        single = _named(self.single.checks, name, reading)
        joint = _named(self.joint.checks, name, reading)
        if single is None or joint is None or single.holds == joint.holds:
            return single
        return replace(single, holds=None) if single.holds is False else single


def levels(experiment: Experiment, results: Results) -> Levels:
    """What ``results`` show of an experiment."""
    with jointly() as counted:
        single = experiment.findings(results)
    whole = sum(bool(grid.samples) for grid in single.grids)  # tables of matches
    bounds = 2 * counted.made + whole  # of our intervals, the printed ones, and whole tables
    with jointly(max(bounds, 1) * LOOKS) as joint:
        return Levels(single, experiment.findings(results), joint.stretch, joint.tail)


@dataclass(frozen=True)
class Verdict:
    """What is to be said of an item.

    word: one of `VERDICTS`.
    reasons: why, a sentence each.
    """

    word: str
    reasons: tuple[str, ...]


def cell_verdict(
    single: Interval, joint: Interval, stretch: float, theirs: Interval, table: PrintedTable
) -> str:
    """Whether a cell agrees, differs, or is undecided."""
    reach = stretch * theirs.width / 2
    if joint.high < theirs.value - reach or joint.low > theirs.value + reach:
        return DIFFERS
    little = margin(table)
    is_near = theirs.value - little <= single.low and single.high <= theirs.value + little
    meets = single.low <= theirs.high and single.high >= theirs.low
    is_narrow = single.width / 2 <= max(WIDEST * theirs.width / 2, little)
    return AGREES if is_near or (meets and is_narrow) else UNDECIDED


def margin(table: PrintedTable) -> float:
    """How far apart two values may be that are practically the same; a share of the value where the
    table has only one.
    """
    values = [interval.value for interval in table.cells.values()]
    return SHARE * (max(values) - min(values) if len(values) > 1 else abs(values[0]))


def distance(grid: Grid, table: PrintedTable, tail: float) -> Distance | None:
    """How far a table of matches is from the printed one, see `apart`."""
    places = [place for place in grid.cells if place in table.cells]
    return apart(grid, {place: table.cells[place] for place in places}, tail)


def claim_verdict(claim: Claim, found: Levels, reading: str) -> tuple[str, str]:
    """Whether a sentence agrees, differs or is undecided, and the numbers that say so."""
    check = found.check(claim.check, reading)
    if check is None:
        return UNDECIDED, "not tested"
    word = UNDECIDED if check.holds is None else AGREES if check.holds else DIFFERS
    return word, check.words


@dataclass(frozen=True)
class Tally:
    """How many cells and sentences of a reading agree, differ and are undecided.

    pooled: how many of the undecided ones are cells of tables that agree as a whole.
    tables: how many tables differ as a whole.
    """

    reading: str
    agree: int
    differ: int
    undecided: int
    pooled: int = 0
    tables: int = 0

    @property
    def total(self) -> int:
        """Cells and sentences together."""
        return self.agree + self.differ + self.undecided

    @property
    def is_refuted(self) -> bool:
        """Whether anything differs."""
        return self.differ + self.tables > 0

    @property
    def does_agree(self) -> bool:
        """Whether nothing differs, and at least half agrees, by itself or as a part of a table."""
        return 0 < self.total <= 2 * (self.agree + self.pooled) and not self.is_refuted

    def __str__(self) -> str:
        where = f"In the reading “{self.reading}”" if self.reading else "Of its cells and sentences"
        these = "cell or sentence" if self.agree == 1 else "cells and sentences"
        what = f" {these}" if self.reading else ""
        are = "is" if self.undecided == 1 else "are"
        return (
            f"{where} {self.agree}{what} {'agrees' if self.agree == 1 else 'agree'}, "
            f"{self.differ} {'differs' if self.differ == 1 else 'differ'} and "
            f"{self.undecided} {are} undecided"
            f"{f', {self.pooled} of these in tables that agree as a whole' * bool(self.pooled)}"
            f"{self._of_tables() * bool(self.tables)}"
        )

    def _of_tables(self) -> str:
        return (
            f"; {self.tables} {'tables differ' if self.tables > 1 else 'table differs'} as a whole"
        )


def tally(printed: PrintedItem, found: Levels, reading: str) -> Tally:
    """The tally of a reading of the set-up, with the tables that are the same in all readings."""
    words, pooled, tables = list[str](), 0, 0
    for single, joint in found.grids():
        table = printed.table(single.name)
        if single.reading in ("", reading) and table is not None:
            cells = [
                cell_verdict(ours, joint.cells[place], found.stretch, table.cells[place], table)
                for place, ours in single.cells.items()
                if place in table.cells
            ]
            words += cells
            far = distance(single, table, found.tail)
            if far and far.high <= margin(table) and DIFFERS not in cells:
                pooled += cells.count(UNDECIDED)
            tables += far is not None and far.low > margin(table)
    words += [claim_verdict(claim, found, reading)[0] for claim in printed.claims]
    agree, differ, open_ = (words.count(word) for word in (AGREES, DIFFERS, UNDECIDED))
    return Tally(reading, agree, differ, open_, pooled, tables)


def distances(printed: PrintedItem, found: Levels, readings: Sequence[str]) -> Iterator[str]:
    """A sentence for each table of matches: how far it is from the printed one. Tables of other
    readings than the first have a sentence if all of their cells have matches.
    """
    for grid in sorted(found.single.grids, key=lambda grid: _place(grid, readings)):
        table = printed.table(grid.name)
        is_first = grid.reading in ("", readings[0])
        if table is None or not (is_first or grid.observations):
            continue
        if far := distance(grid, table, found.tail):
            bound = f"at most {far.high:.3g}"
            if far.low > margin(table):
                bound = f"by a joint bound at least {far.low:.3g}"
            where = "Table" if is_first else f"In the reading “{grid.reading}” table"
            yield (
                f"{where} {grid.name} is {far.value:.3g} from the printed one, {bound}; "
                f"the margin is {margin(table):.3g}."
            )


def _place(grid: Grid, readings: Sequence[str]) -> int:
    return readings.index(grid.reading) if grid.reading in readings else 0


def readings_of(findings: Findings) -> list[str]:
    """The readings of the set-up, in their order; a single empty text if there is only one."""
    shown: list[Grid | Check] = [*findings.grids, *findings.checks]
    named = [part.reading for part in shown if part.reading]
    return list(dict.fromkeys(named)) or [""]


def verdict(printed: PrintedItem | None, found: Levels) -> Verdict:
    """What is to be said of an item."""
    findings = found.single
    if not (findings.grids or findings.plots or findings.checks):
        return Verdict(NOT_RUN, ("There are no results yet.",))
    if printed is None or not (printed.tables or printed.claims):
        return Verdict(UNDECIDED, ("Nothing printed is on file that this could be compared with.",))
    tallies = [tally(printed, found, reading) for reading in readings_of(findings)]
    reasons = tuple(f"{one}." for one in tallies)
    reasons += tuple(distances(printed, found, [one.reading for one in tallies]))
    first, others = tallies[0], tallies[1:]
    if first.is_refuted:
        explains = any(
            one.does_agree
            and one.agree + one.pooled > first.agree + first.pooled
            and one.total >= first.total
            and _has_half_of_the_observations(findings.grids, one.reading, first.reading)
            for one in others
        )
        return Verdict(EXPLAINED if explains else DIFFERS, reasons)
    return Verdict(AGREES if first.does_agree else UNDECIDED, reasons)


def _has_half_of_the_observations(grids: Sequence[Grid], reading: str, first: str) -> bool:
    """Whether the tables of a reading have at least half as many matches, or seeds, in a cell as
    those of the first reading. So their intervals are at most some 1.4 times as wide.
    """
    fewest = {(grid.reading, grid.name): grid.observations for grid in grids}
    names = [name for which, name in fewest if which == first]
    return all(2 * fewest.get((reading, name), 0) >= fewest[first, name] for name in names)


def _named(checks: Sequence[Check], name: str, reading: str) -> Check | None:
    """The check called ``name`` of a reading, or of all readings."""
    return next((one for one in checks if one.name == name and one.reading in ("", reading)), None)
