"""What the OOS paper says of its figures, as tests on curves and tables. Functions are kinds of
sentences, see `sentence`.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.curves import Curves
from hiddenhand_papers.findings import (
    Answer,
    Cells,
    Curve,
    Place,
    all_below,
    all_of,
    at_most,
    below,
    courses,
    each_cell,
    each_line,
    falls,
    lowest,
    point,
    rises,
    scaled,
    sentence,
    told,
    written,
)

ISMCTS: Final = ("UCT", "RM")
_MUCH: Final = 0.1  # a curve has come near zero if it ends below this share of its beginning
_MARGINAL: Final = 0.25  # an improvement by a smaller share than this is marginal
_TIE: Final = 5.0  # percent of matches: how far from 50 a tie may be


# --- Fig. 3, root ---


@sentence
def _ends_lowest(curves: Curves, name: str, others: Sequence[str]) -> Answer:
    """A line ends below all others."""
    words = "; ".join(f"{one} ends at {written(curves[one].last)}" for one in (name, *others))
    return all_of([below(curves[name].last, curves[one].last) for one in others]), words


@sentence
def _rises_again(curves: Curves, name: str, *, holds: bool = True) -> Answer:
    """Whether a line ends above its lowest point; an end below twice that point is no rise."""
    least, last = lowest(curves[name]), curves[name].last
    words = f"{name}: lowest {written(least)}, at the end {written(last)}"
    return below(least, last) if holds else at_most(last, least, least.value), words


@sentence
def _near_zero(curves: Curves, name: str) -> Answer:
    """A line ends at a small part of where it began. A short run cannot show the contrary."""
    reached = curves[name].last.high < _MUCH * curves[name].first.value
    words = f"{courses({name: curves[name]})}; required: below {_MUCH:.0%} of the first value"
    return True if reached else None, words


@sentence
def _slower_at_first(curves: Curves, slow: str, fast: str) -> Answer:
    """At the time at which ``fast`` has lost half of its exploitability, ``slow`` is above it."""
    others = dict(curves[slow].points)
    for at, here in curves[fast].points:
        other = next((others[x] for x in others if abs(x - at) < 0.01 * at), None)
        if here.value <= 0.5 * curves[fast].first.value and other is not None:
            words = f"after {at:.3g} s: {fast} {written(here)}, {slow} {written(other)}"
            return below(here, other), words
    return None, f"{fast} has not lost half of its exploitability"


AT_THE_ROOT: Final = (
    _ends_lowest("oos-lowest-at-the-end", "OOS", ISMCTS),
    _rises_again("uct-rises-again", "UCT"),
    _rises_again("rm-does-not-rise", "RM", holds=False),
    _near_zero("oos-near-zero", "OOS"),
    _slower_at_first("rm-slower-at-first", "RM", "UCT"),
)


# --- Fig. 3, aggregated ---


def _hardly_rises(curve: Curve) -> bool | None:
    return at_most(curve.last, curve.first, _MARGINAL * curve.first.value)


@sentence
def _flat_after(curves: Curves, names: Sequence[str], seconds: float) -> Answer:
    """From some time on, the lines fall by less than a quarter."""
    answers, said = [], []
    for name in names:
        before, last = dict(curves[name].points).get(seconds), curves[name].last
        if before is not None:
            said.append(f"{name} {written(before)} at {seconds:g} s, {written(last)} at the end")
            answers.append(below(point((1.0 - _MARGINAL) * before.value), last))
    return all_of(answers), "; ".join(said)


@sentence
def _always_below(curves: Curves, pairs: Sequence[tuple[str, str]]) -> Answer:
    """The first of each pair is below the second at all times that both have."""
    by_time: dict[float, list[tuple[Interval, Interval]]] = {}
    for low, high in pairs:
        others = dict(curves[high].points)
        for at, here in curves[low].points:
            if at in others:
                by_time.setdefault(at, []).append((here, others[at]))
    answer = all_below(list(by_time.values()))
    return answer, courses({name: curves[name] for name in ("OOS", *ISMCTS)})


_OOS_FALLS: Final = each_line("oos-falls", ("OOS",), falls)
AGGREGATED: Final = {
    "b": (
        each_line("ismcts-rises", ISMCTS, rises),
        _always_below("oos-below-ismcts", [("OOS", name) for name in ISMCTS]),
    ),
    "e": (
        each_line("ismcts-no-rise", ISMCTS, _hardly_rises),
        _flat_after("ismcts-flat-after-0.4", ISMCTS, 0.4),
        _OOS_FALLS,
    ),
    "i": (_always_below("ismcts-below-oos", [(name, "OOS") for name in ISMCTS]), _OOS_FALLS),
}
"""By the letter of the figure."""


# --- Fig. 3, parameters ---

_FULL: Final = "δ = 1, ε = 0.4"
_HALF: Final = "δ = 0.5, ε = 0.4"


@sentence
def _longer_is_better(curves: Curves, but: str | None = None) -> Answer:
    """All lines end below their beginning, except those whose name begins with ``but``."""
    lines = [curves[name] for name in curves if but is None or not name.startswith(but)]
    answers = [falls(line) for line in lines]
    change = fmean(line.last.value - line.first.value for line in lines)
    words = (
        f"{answers.count(True)} of {len(lines)} lines fall, {answers.count(False)} rise, and of "
        f"{answers.count(None)} the intervals cannot tell; on average they change by {change:.3g}"
    )
    return all_below([[(line.last, line.first)] for line in lines]), words


def _ends(curves: Curves, names: Sequence[str]) -> tuple[float, dict[str, Interval]]:
    """The last time that lines have in common, and their values then. KeyError if they have no time
    in common but the shortest.
    """
    lines = {name: dict(curves[name].points) for name in names}
    shortest = min(min(line) for line in lines.values())
    shared = set.intersection(*(set(line) for line in lines.values())) - {shortest}
    if not shared:
        raise KeyError("no time in common but the shortest")
    at = max(shared)
    return at, {name: line[at] for name, line in lines.items()}


@sentence
def _full_targeting_does_not_converge(curves: Curves) -> Answer:
    """The line that is aimed in full ends above the one that is aimed by half."""
    at, ends = _ends(curves, (_HALF, _FULL))
    half, full = ends[_HALF], ends[_FULL]
    return below(half, full), f"at {at:.3g} s δ = 1 is {written(full)}, δ = 0.5 {written(half)}"


@sentence
def _full_targeting_best_when_short(curves: Curves) -> Answer:
    """At the shortest time the line that is aimed in full is the lowest of its exploration."""
    groups, means = [], dict[str, list[float]]()
    for epsilon in dict.fromkeys(name.partition(", ")[2] for name in curves):
        first = {name: curve.first for name, curve in curves.items() if name.endswith(epsilon)}
        for name, here in first.items():
            means.setdefault(name.partition(", ")[0], []).append(here.value)
        full = first.pop(f"δ = 1, {epsilon}")
        groups.append([(full, other) for other in first.values()])
    return all_below(groups), _on_average(means)


def _on_average(values: Mapping[str, Sequence[float]]) -> str:
    return "on average " + "; ".join(f"{name}: {fmean(of):.3g}" for name, of in values.items())


@sentence
def _weaker_when_long(curves: Curves) -> Answer:
    """At the longest time that all lines have, δ = 0.5 is not above δ = 0.9 and δ = 1, by a quarter
    at most.
    """
    groups, means = [], dict[str, list[float]]()
    at, ends = _ends(curves, [name for name in curves if not name.startswith("δ = 0.1,")])
    for epsilon in dict.fromkeys(name.partition(", ")[2] for name in ends):
        here = {delta: ends[f"δ = {delta}, {epsilon}"] for delta in ("0.5", "0.9", "1")}
        for delta, end in here.items():
            means.setdefault(f"δ = {delta}", []).append(end.value)
        half = here.pop("0.5")
        groups.append([(half, scaled(1.0 + _MARGINAL, end)) for end in here.values()])
    return all_below(groups), f"at {at:.3g} s {_on_average(means)}"


_LONGER: Final = _longer_is_better("longer-is-better")
_BEST: Final = _full_targeting_best_when_short("full-targeting-best-when-short")
_AS_GOOD: Final = _weaker_when_long("weaker-as-good-when-long")
_BETTER: Final = _weaker_when_long("weaker-better-when-long")
PARAMETERS: Final = {
    "c": (_LONGER, _BEST, _AS_GOOD),
    "f": (
        _longer_is_better("longer-is-better", but="δ = 1,"),
        _full_targeting_does_not_converge("full-targeting-does-not-converge"),
    ),
    "g": (_LONGER, _BETTER),
    "j": (_LONGER, _BEST, _AS_GOOD),
    "k": (_LONGER, _BEST, _BETTER),
}
"""By the letter of the figure."""


# --- Fig. 4 ---


@sentence
def _wins_from_a_seat(cells: Cells, others: Sequence[str], places: Sequence[Place]) -> Answer:
    """OOS wins against each of the ``others`` from at least one seat.

    places: the cells that the words name.
    """
    answers = []
    for other in others:
        lost = [_lost(cells, place) for place in _seats(other) if place in cells]
        answers.append(True if False in lost else None if None in lost or not lost else False)
    return all_of(answers), told(cells, places)


@sentence
def _better_with_more_time(cells: Cells) -> Answer:
    """With 5 s a move OOS does better against UCT than with less."""
    less, more = cells["OOS", "UCT"], cells["5s OOS", "UCT"]
    return below(less, more), f"OOS–UCT {written(less)}, with 5 s {written(more)}"


def _seats(*others: str) -> list[Place]:
    """The cells of OOS in the first seat against ``others``, and those of the second seat."""
    return [*(("OOS", other) for other in others), *((other, "OOS") for other in others)]


def _lost(cells: Cells, place: Place) -> bool | None:
    """Whether OOS loses in a cell, from the first or from the second seat. If both players are
    equally good, a cell shows 50 for win rates, else 0.
    """
    is_rate = all(0.0 <= interval.value <= 100.0 for interval in cells.values())
    wins = is_rate and cells.get(("OOS", "RND"), point(0.0)).value > 50
    pair = cells[place], point(50.0 if wins else 0.0)
    return below(*pair[::-1]) if place[1] == "OOS" else below(*pair)


def _above_half(cells: Cells, place: Place) -> bool | None:
    return below(point(50.0), cells[place])


def _half(cells: Cells, place: Place) -> bool | None:
    cell = cells[place]
    if cell.low > 50.0 + _TIE or cell.high < 50.0 - _TIE:
        return False
    return True if cell.low <= 50.0 <= cell.high and cell.width <= 2 * _TIE else None


def _zero(cells: Cells, place: Place) -> bool | None:
    return cells[place].low <= 0.0 <= cells[place].high


_FIRST_SEAT: Final = [("OOS", name) for name in ISMCTS]
_SECOND_SEAT: Final = [(name, "OOS") for name in ISMCTS]
_BOTH: Final = [*_SECOND_SEAT, *_FIRST_SEAT]
_LOSES: Final = (
    each_cell("oos-loses-both", _BOTH, _lost),
    _better_with_more_time("oos-better-5s"),
)
MATCHES: Final = {
    "a": (
        each_cell("ismcts-favours-first", list(product(ISMCTS, ISMCTS)), _above_half),
        each_cell("oos-halves-both-seats", _seats("UCT"), _half),
    ),
    "b": (_wins_from_a_seat("oos-beats-both-from-one-seat", ISMCTS, _BOTH),),
    "c": _LOSES,
    "d": _LOSES,
    "e": (
        _wins_from_a_seat("oos-beats-uct", ("UCT",), _seats("UCT")),
        each_cell("oos-ties-rm", _seats("RM"), _half),
        each_cell(
            "oos-loses-1s", [(f"1s {row}", column) for row, column in _seats(*ISMCTS)], _lost
        ),
    ),
    "f": (
        each_cell("oos-loses-first-seat", _FIRST_SEAT, _lost),
        each_cell("oos-ties-from-second", _SECOND_SEAT, _zero),
    ),
}
"""By the letter of the figure."""
