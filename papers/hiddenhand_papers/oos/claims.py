"""What the OOS paper says of its figures, as tests on curves and tables."""

from collections.abc import Mapping, Sequence
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.curves import Curves
from hiddenhand_papers.findings import Check, Curve, all_of, at_most, below, written

ISMCTS: Final = ("UCT", "RM")
_MUCH: Final = 0.1  # a curve has come near zero if it ends below this share of its beginning
_MARGINAL: Final = 0.25  # an improvement by a smaller share than this is marginal
_TIE: Final = 5.0  # percent of matches: how far from 50 a tie may be

Cells = Mapping[tuple[str, str], Interval]


def lowest(curve: Curve) -> Interval:
    """The point of the curve with the lowest value."""
    return min((interval for _, interval in curve.points), key=lambda interval: interval.value)


def at_all_points(one: Curve, other: Curve) -> bool | None:
    """Whether ``one`` is below ``other`` at all places that both have."""
    others = dict(other.points)
    return all_of([below(here, others[at]) for at, here in one.points if at in others])


def ends(curves: Curves, names: Sequence[str]) -> str:
    """The last values of some curves, in words."""
    return "; ".join(f"{name} ends at {written(curves[name].last)}" for name in names)


def falls_or_rises(curves: Curves, names: Sequence[str]) -> str:
    """The first and last values of some curves, in words."""
    return "; ".join(
        f"{name} from {written(curves[name].first)} to {written(curves[name].last)}"
        for name in names
    )


# --- Fig. 3, root ---


def oos_lowest_at_the_end(curves: Curves) -> Check:
    """OOS ends below both variants of IS-MCTS."""
    answers = [below(curves["OOS"].last, curves[name].last) for name in ISMCTS]
    return Check("oos-lowest-at-the-end", all_of(answers), ends(curves, ("OOS", *ISMCTS)))


def uct_rises_again(curves: Curves) -> Check:
    """UCT ends above its lowest point."""
    least, last = lowest(curves["UCT"]), curves["UCT"].last
    words = f"UCT: lowest {written(least)}, at the end {written(last)}"
    return Check("uct-rises-again", below(least, last), words)


def rm_does_not_rise(curves: Curves) -> Check:
    """RM does not end above its lowest point; an end below twice that point is no rise."""
    least, last = lowest(curves["RM"]), curves["RM"].last
    words = f"RM: lowest {written(least)}, at the end {written(last)}"
    holds = at_most(last, least, least.value)
    return Check("rm-does-not-rise", holds, words)


def oos_near_zero(curves: Curves) -> Check:
    """OOS ends at a small part of where it began. A short run cannot show the contrary."""
    first, last = curves["OOS"].first, curves["OOS"].last
    reached = last.high < _MUCH * first.value
    words = f"{falls_or_rises(curves, ('OOS',))}; required: below {_MUCH:.0%} of the first value"
    return Check("oos-near-zero", True if reached else None, words)


def rm_slower_at_first(curves: Curves) -> Check:
    """At the time at which UCT has lost half of its exploitability, RM is above it."""
    uct, rm = curves["UCT"], dict(curves["RM"].points)
    half = [
        (at, here, other)
        for at, here in uct.points
        if here.value <= 0.5 * uct.first.value
        and (other := next((rm[x] for x in rm if abs(x - at) < 0.01 * at), None)) is not None
    ]
    if not half:
        return Check("rm-slower-at-first", None, "UCT has not lost half of its exploitability")
    at, here, other = half[0]
    words = f"after {at:.3g} s: UCT {written(here)}, RM {written(other)}"
    return Check("rm-slower-at-first", below(here, other), words)


# --- Fig. 3, aggregated ---


def ismcts_rises(curves: Curves) -> Check:
    """Both variants of IS-MCTS end above their beginning."""
    answers = [below(curves[name].first, curves[name].last) for name in ISMCTS]
    return Check("ismcts-rises", all_of(answers), falls_or_rises(curves, ISMCTS))


def ismcts_does_not_rise(curves: Curves) -> Check:
    """Neither variant of IS-MCTS ends above its beginning, by a quarter of it at most."""
    answers = [
        at_most(curves[name].last, curves[name].first, _MARGINAL * curves[name].first.value)
        for name in ISMCTS
    ]
    return Check("ismcts-no-rise", all_of(answers), falls_or_rises(curves, ISMCTS))


def ismcts_flat_after(curves: Curves) -> Check:
    """From 0.4 s on, IS-MCTS improves by less than a quarter."""
    answers: list[bool | None] = []
    said = []
    for name in ISMCTS:
        before = dict(curves[name].points).get(0.4)
        if before is None:
            continue
        last = curves[name].last
        said.append(f"{name} {written(before)} at 0.4 s, {written(last)} at the end")
        limit = (1.0 - _MARGINAL) * before.value
        answers.append(True if last.low > limit else False if last.high < limit else None)
    return Check("ismcts-flat-after-0.4", all_of(answers), "; ".join(said))


def oos_below_ismcts(curves: Curves) -> Check:
    """OOS is below both variants of IS-MCTS at all times."""
    answers = [at_all_points(curves["OOS"], curves[name]) for name in ISMCTS]
    return Check("oos-below-ismcts", all_of(answers), falls_or_rises(curves, ("OOS", *ISMCTS)))


def ismcts_below_oos(curves: Curves) -> Check:
    """Both variants of IS-MCTS are below OOS at all times."""
    answers = [at_all_points(curves[name], curves["OOS"]) for name in ISMCTS]
    return Check("ismcts-below-oos", all_of(answers), falls_or_rises(curves, ("OOS", *ISMCTS)))


def oos_falls(curves: Curves) -> Check:
    """OOS ends below its beginning."""
    oos = curves["OOS"]
    return Check("oos-falls", below(oos.last, oos.first), falls_or_rises(curves, ("OOS",)))


# --- Fig. 3, parameters ---


def longer_is_better(curves: Curves) -> Check:
    """All lines end below their beginning, except those that are aimed in full."""
    names = [name for name in curves if not name.startswith("δ = 1,")]
    return _all_fall(curves, names)


def longer_is_always_better(curves: Curves) -> Check:
    """All lines end below their beginning."""
    return _all_fall(curves, list(curves))


def _all_fall(curves: Curves, names: Sequence[str]) -> Check:
    answers = [below(curves[name].last, curves[name].first) for name in names]
    words = (
        f"{answers.count(True)} of {len(names)} lines fall, {answers.count(False)} rise, and of "
        f"{answers.count(None)} the intervals cannot tell"
    )
    return Check("longer-is-better", all_of(answers), words)


def full_targeting_does_not_converge(curves: Curves) -> Check:
    """The line that is aimed in full ends above the one that is aimed by half."""
    half, full = curves["δ = 0.5, ε = 0.4"], curves["δ = 1, ε = 0.4"]
    words = f"δ = 1 ends at {written(full.last)}, δ = 0.5 at {written(half.last)}"
    return Check("full-targeting-does-not-converge", below(half.last, full.last), words)


def full_targeting_best_when_short(curves: Curves) -> Check:
    """At the shortest time the line that is aimed in full is the lowest of its exploration."""
    full = curves["δ = 1, ε = 0.4"].first
    others = {
        name: curve.first
        for name, curve in curves.items()
        if name.endswith("ε = 0.4") and not name.startswith("δ = 1,")
    }
    words = "; ".join(
        f"{name}: {written(here)}" for name, here in {"δ = 1, ε = 0.4": full, **others}.items()
    )
    answers = [below(full, other) for other in others.values()]
    return Check("full-targeting-best-when-short", all_of(answers), words)


def weaker_as_good_when_long(curves: Curves) -> Check:
    """At the longest time, δ = 0.5 is not above δ = 0.9 and δ = 1, by a quarter at most."""
    return _weaker(curves, "weaker-as-good-when-long")


def weaker_better_when_long(curves: Curves) -> Check:
    """The same, as the paper says it of targeting public states."""
    return _weaker(curves, "weaker-better-when-long")


def _weaker(curves: Curves, name: str) -> Check:
    weak = curves["δ = 0.5, ε = 0.4"].last
    strong = {at: curves[f"δ = {at}, ε = 0.4"].last for at in ("0.9", "1")}
    answers = [at_most(weak, other, _MARGINAL * other.value) for other in strong.values()]
    said = "; ".join(f"δ = {at}: {written(other)}" for at, other in strong.items())
    return Check(name, all_of(answers), f"δ = 0.5: {written(weak)}; {said}")


# --- Fig. 4 ---


def ismcts_favours_first(cells: Cells, reading: str) -> Check:
    """Between searches by IS-MCTS, the first player wins more than half."""
    places = [(row, column) for row in ISMCTS for column in ISMCTS]
    half = Interval(50.0, 50.0, 50.0)
    answers = [below(half, cells[place]) for place in places if place in cells]
    return Check("ismcts-favours-first", all_of(answers), _cells(cells, places), reading)


def oos_halves_both_seats(cells: Cells, reading: str) -> Check:
    """OOS wins about half of the matches against UCT from both seats."""
    places = [("OOS", "UCT"), ("UCT", "OOS")]
    answers = [_is_half(cells[place]) for place in places if place in cells]
    return Check("oos-halves-both-seats", all_of(answers), _cells(cells, places), reading)


def oos_beats_both_from_one_seat(cells: Cells, reading: str) -> Check:
    """Against each variant of IS-MCTS, OOS wins more than half from at least one seat."""
    answers = [_wins_from_a_seat(cells, name) for name in ISMCTS]
    return Check("oos-beats-both-from-one-seat", all_of(answers), _against(cells), reading)


def oos_loses_both(cells: Cells, reading: str) -> Check:
    """Against both variants of IS-MCTS, OOS loses from both seats."""
    middle = _middle(cells)
    answers = [below(cells["OOS", name], middle) for name in ISMCTS if ("OOS", name) in cells]
    answers += [below(middle, cells[name, "OOS"]) for name in ISMCTS if (name, "OOS") in cells]
    return Check("oos-loses-both", all_of(answers), _against(cells), reading)


def oos_beats_uct(cells: Cells, reading: str) -> Check:
    """OOS wins more than half against UCT from at least one seat."""
    places = [("OOS", "UCT"), ("UCT", "OOS")]
    words = _cells(cells, places)
    return Check("oos-beats-uct", _wins_from_a_seat(cells, "UCT"), words, reading)


def oos_ties_rm(cells: Cells, reading: str) -> Check:
    """OOS wins about half against RM from both seats."""
    places = [("OOS", "RM"), ("RM", "OOS")]
    answers = [_is_half(cells[place]) for place in places if place in cells]
    return Check("oos-ties-rm", all_of(answers), _cells(cells, places), reading)


def oos_ties_from_second(cells: Cells, reading: str) -> Check:
    """Both variants of IS-MCTS, in the first seat, win nothing from OOS beyond the game's value."""
    places = [(name, "OOS") for name in ISMCTS]
    answers: list[bool | None] = [
        cells[place].low <= 0.0 <= cells[place].high for place in places if place in cells
    ]
    return Check("oos-ties-from-second", all_of(answers), _cells(cells, places), reading)


def oos_loses_first_seat(cells: Cells, reading: str) -> Check:
    """From the first seat OOS loses to both variants of IS-MCTS."""
    places = [("OOS", name) for name in ISMCTS]
    answers = [below(cells[place], _middle(cells)) for place in places]
    return Check("oos-loses-first-seat", all_of(answers), _cells(cells, places), reading)


def oos_better_with_more_time(cells: Cells, reading: str) -> Check:
    """With 5 s a move OOS does better against UCT than with less."""
    less, more = cells["OOS", "UCT"], cells["5s OOS", "UCT"]
    words = f"OOS–UCT {written(less)}, with 5 s {written(more)}"
    return Check("oos-better-5s", below(less, more), words, reading)


def oos_loses_with_less_time(cells: Cells, reading: str) -> Check:
    """With 1 s a move OOS loses to both variants of IS-MCTS from both seats."""
    middle = _middle(cells)
    answers = [below(cells["1s OOS", name], middle) for name in ISMCTS]
    answers += [below(middle, cells[f"1s {name}", "OOS"]) for name in ISMCTS]
    places = [("1s OOS", name) for name in ISMCTS] + [(f"1s {name}", "OOS") for name in ISMCTS]
    return Check("oos-loses-1s", all_of(answers), _cells(cells, places), reading)


def _wins_from_a_seat(cells: Cells, other: str) -> bool | None:
    middle = _middle(cells)
    seats = []
    if ("OOS", other) in cells:
        seats.append(below(middle, cells["OOS", other]))
    if (other, "OOS") in cells:
        seats.append(below(cells[other, "OOS"], middle))
    return True if True in seats else None if None in seats or not seats else False


def _middle(cells: Cells) -> Interval:
    """What a cell shows if both are equally good: 50 for win rates, else 0."""
    is_rate = all(0.0 <= interval.value <= 100.0 for interval in cells.values())
    value = 50.0 if is_rate and cells.get(("OOS", "RND"), Interval(0, 0, 0)).value > 50 else 0.0
    return Interval(value, value, value)


def _is_half(interval: Interval) -> bool | None:
    if interval.low > 50.0 + _TIE or interval.high < 50.0 - _TIE:
        return False
    return True if interval.low <= 50.0 <= interval.high and interval.width <= 2 * _TIE else None


def _against(cells: Cells) -> str:
    places = [(row, "OOS") for row in ISMCTS] + [("OOS", column) for column in ISMCTS]
    return _cells(cells, places)


def _cells(cells: Cells, places: Sequence[tuple[str, str]]) -> str:
    return "; ".join(
        f"{row}–{column} {written(cells[row, column])}"
        for row, column in places
        if (row, column) in cells
    )
