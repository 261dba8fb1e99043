"""How sentences about matches of pursuit are tested: see `chases`, whose results they are about.

How well a match can go depends much on where it starts. So all comparisons are of differences
between matches that have the same start.
"""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from hiddenhand.statistics import Interval, mean_interval
from hiddenhand_papers.findings import Check, all_of, below, written
from hiddenhand_papers.pursuit.chases import Chased, ChaseTest, Sample

_FEWEST: Final = 5  # matches that differences are taken of
_LITTLE: Final = 0.2  # a share of a value that counts as little
_NOTHING: Final = 0.05  # a share of a value that counts as no difference
_ZERO: Final = Interval(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Difference:
    """Two samples, compared over matches that have the same start.

    low: the mean of the first sample.
    high: the mean of the second sample.
    more: by how much the second is above the first.
    """

    low: float
    high: float
    more: Interval


def difference(one: Sample, other: Sample) -> Difference:
    """Compare two samples. Raises ValueError where they share too few matches."""
    both = [number for number in one if number in other]
    if len(both) < _FEWEST:
        raise ValueError("too few matches have the same start")
    return Difference(
        fmean(one[number] for number in both),
        fmean(other[number] for number in both),
        mean_interval([other[number] - one[number] for number in both]),
    )


Side = Callable[[Chased], tuple[Sample, str]]
"""Values of matches, and what they are of."""


def evader(name: str, measure: str = "mean_size") -> Side:
    """An evader against its nemesis."""

    def values(chased: Chased) -> tuple[Sample, str]:
        nemesis = chased.nemesis_of_evader(measure, name)
        return chased.values[measure, name, nemesis], f"evader {name} (nemesis {nemesis})"

    return values


def pursuers(name: str, measure: str = "mean_size") -> Side:
    """Pursuers against their nemesis."""

    def values(chased: Chased) -> tuple[Sample, str]:
        nemesis = chased.nemesis_of_pursuers(measure, name)
        return chased.values[measure, nemesis, name], f"pursuers {name} (nemesis {nemesis})"

    return values


def cell(evading: str, pursuing: str, measure: str = "mean_size") -> Side:
    """One pair."""

    def values(chased: Chased) -> tuple[Sample, str]:
        return chased.values[measure, evading, pursuing], f"{evading} against {pursuing}"

    return values


def gain(high: Side, low: Side) -> Side:
    """By how much one value is above another."""

    def values(chased: Chased) -> tuple[Sample, str]:
        (one, what), (other, _) = high(chased), low(chased)
        gains = {number: one[number] - other[number] for number in one if number in other}
        return gains, f"gain of {what}"

    return values


def ordered(check: str, *pairs: tuple[Side, Side], nothing: float = _NOTHING) -> ChaseTest:
    """The sentence ``check`` says that the first of each pair is below the second. It fails if the
    second is certainly above the first by less than the share ``nothing`` of it.
    """

    def test(chased: Chased) -> Check:
        answers: list[bool | None] = []
        words = []
        for low, high in pairs:
            (one, what), (other, than) = low(chased), high(chased)
            found = difference(one, other)
            is_below = below(_ZERO, found.more)
            is_nothing = found.more.high < nothing * abs(found.low)
            answers.append(is_below or (False if is_nothing else None))
            words.append(_compared(what, than, found))
        return said(check, all_of(answers), "; ".join(words))

    return test


def alike(check: str, *pairs: tuple[Side, Side], share: float = _LITTLE) -> ChaseTest:
    """The sentence ``check`` says that the two of each pair differ by less than a ``share`` of the
    first.
    """

    def test(chased: Chased) -> Check:
        words, answers = [], list[bool | None]()
        for first, second in pairs:
            (one, what), (other, than) = first(chased), second(chased)
            found = difference(one, other)
            little, more = share * abs(found.low), found.more
            is_apart = more.low > little or more.high < -little
            is_near = -little < more.low and more.high < little
            answers.append(True if is_near else False if is_apart else None)
            words.append(_compared(what, than, found))
        return said(check, all_of(answers), "; ".join(words))

    return test


def _compared(what: str, than: str, found: Difference) -> str:
    return f"{what} {found.low:.3g}, {than} {found.high:.3g}, which is {written(found.more)} more"


def said(check: str, holds: bool | None, words: str) -> Check:
    """A check whose words begin with what it found."""
    begin = {True: "holds", False: "does not hold", None: "undecided"}[holds]
    return Check(check, holds, f"{begin}: {words}")
