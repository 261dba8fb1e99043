"""Verdicts: whether what was found agrees with what was printed, by one rule for all experiments.

A cell of a table
    *differs* if our 95 % interval and the printed one do not meet.
    is *undecided* if they meet, and ours is more than `WIDEST` times as wide as the printed one.
    *agrees* otherwise.
    A printed value without an interval counts as a point. Then our interval is too wide if its half
    is more than `SHARE` of the distance between the largest and the smallest value of the table.

A sentence of the paper
    *agrees* if the check that belongs to it holds, *differs* if it fails, and is *undecided* if the
    intervals in it cannot tell or nothing tested it.

An item
    *differs* if one of its cells or sentences differs, in the first reading of the set-up. If there
    is another reading, run as fully, in which each of them agrees or is undecided, the item is
    *explained*: the run of that reading shows the cause.
    *agrees* if at least half of its cells and sentences agree and none differs.
    is *undecided* otherwise.

Cells that are really equal are told apart by chance in 1 of 180 comparisons, if both intervals are
equally wide. So an item of ten cells and more differs only if more than `BY_CHANCE` of its cells
do, rounded up, or if a sentence does.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hiddenhand.experiments.findings import Check, Findings, Grid
from hiddenhand.experiments.printed import Claim, PrintedItem, PrintedTable
from hiddenhand.statistics import Interval

AGREES: Final = "agrees"
DIFFERS: Final = "differs"
EXPLAINED: Final = "differs, explained by a run"
UNDECIDED: Final = "undecided"
NOT_RUN: Final = "not run"
VERDICTS: Final = (AGREES, EXPLAINED, DIFFERS, UNDECIDED, NOT_RUN)

WIDEST: Final = 4.0
SHARE: Final = 0.1
BY_CHANCE: Final = 0.02


@dataclass(frozen=True)
class Verdict:
    """What is to be said of an item.

    word: one of `VERDICTS`.
    reasons: why, a sentence each.
    """

    word: str
    reasons: tuple[str, ...]


def cell_verdict(ours: Interval, theirs: Interval, table: PrintedTable) -> str:
    """Whether a cell agrees, differs, or is undecided."""
    if ours.high < theirs.low or ours.low > theirs.high:
        return DIFFERS
    half, printed = ours.width / 2, theirs.width / 2
    if printed > 0:
        return UNDECIDED if half > WIDEST * printed else AGREES
    values = [interval.value for interval in table.cells.values()]
    widest = SHARE * (max(values) - min(values)) if len(values) > 1 else SHARE * abs(theirs.value)
    return UNDECIDED if not half <= widest else AGREES


def claim_verdict(claim: Claim, checks: Iterable[Check]) -> tuple[str, str]:
    """Whether a sentence agrees, differs or is undecided, and the numbers that say so."""
    tested = [check for check in checks if check.name == claim.check]
    if not tested:
        return UNDECIDED, "not tested"
    check = tested[0]
    word = UNDECIDED if check.holds is None else AGREES if check.holds else DIFFERS
    return word, check.words


@dataclass(frozen=True)
class Tally:
    """How many cells and sentences of a reading agree, differ and are undecided."""

    reading: str
    agree: int
    differ: int
    undecided: int
    sentences_differ: int

    @property
    def total(self) -> int:
        """Cells and sentences together."""
        return self.agree + self.differ + self.undecided

    @property
    def differs(self) -> bool:
        """Whether this reading differs from what was printed."""
        by_chance = math.ceil(BY_CHANCE * self.total)
        return self.sentences_differ > 0 or self.differ > (by_chance if self.total >= 10 else 0)

    def __str__(self) -> str:
        named = f"{self.reading}: " if self.reading else ""
        return f"{named}{self.agree} agree, {self.differ} differ, {self.undecided} undecided"


def tally(printed: PrintedItem, findings: Findings, reading: str) -> Tally:
    """The tally of a reading of the set-up."""
    words = [
        cell_verdict(ours, table.cells[place], table)
        for grid in findings.grids
        if grid.reading == reading and (table := printed.table(grid.name)) is not None
        for place, ours in grid.cells.items()
        if place in table.cells
    ]
    checks = [check for check in findings.checks if check.reading in ("", reading)]
    sentences = [claim_verdict(claim, checks)[0] for claim in printed.claims]
    both = words + sentences
    return Tally(
        reading,
        both.count(AGREES),
        both.count(DIFFERS),
        both.count(UNDECIDED),
        sentences.count(DIFFERS),
    )


def readings_of(findings: Findings) -> list[str]:
    """The readings of the set-up, in their order; a single empty text if there is only one."""
    shown: list[Grid | Check] = [*findings.grids, *findings.checks]
    named = [part.reading for part in shown if part.reading]
    return list(dict.fromkeys(named)) or [""]


def verdict(printed: PrintedItem | None, findings: Findings) -> Verdict:
    """What is to be said of an item."""
    if not (findings.grids or findings.plots or findings.checks):
        return Verdict(NOT_RUN, ("There are no results yet.",))
    if printed is None or not (printed.tables or printed.claims):
        return Verdict(UNDECIDED, ("Nothing printed is on file that this could be compared with.",))
    tallies = [tally(printed, findings, reading) for reading in readings_of(findings)]
    reasons = tuple(f"Cells and sentences: {found}." for found in tallies)
    first, others = tallies[0], tallies[1:]
    if first.differs:
        explains = [other for other in others if not other.differs and other.total >= first.total]
        return Verdict(EXPLAINED if explains else DIFFERS, reasons)
    enough = first.total > 0 and 2 * first.agree >= first.total
    return Verdict(AGREES if enough else UNDECIDED, reasons)
