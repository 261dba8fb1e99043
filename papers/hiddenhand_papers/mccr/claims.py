"""What the MCCR paper says of its figures and tables, as tests on curves and tables."""

from collections.abc import Mapping
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.curves import Curves
from hiddenhand_papers.findings import Check, Curve, all_of, at_most, below, written

MCCR: Final = ("MCCR (keep)", "MCCR (reset)")
ISMCTS: Final = ("UCT", "RM")
_SLACK: Final = 3.0  # % of the largest payoff that may be lost by who is “not worse”

Cells = Mapping[tuple[str, str], Interval]
_ZERO: Final = Interval(0.0, 0.0, 0.0)


# --- Fig. 2, left ---


def weighted_converges(curves: Curves) -> Check:
    """The errors of all weighted averages fall."""
    lines = {name: curve for name, curve in curves.items() if "weighted" in name}
    return Check("weighted-converges", _all_fall(lines), _ends(lines))


def arithmetic_diverges(curves: Curves) -> Check:
    """The errors of the arithmetic averages, as printed, stop falling: they end no lower than they
    were after a tenth of the iterations, and above those of the weighted averages.
    """
    lines = {name: curve for name, curve in curves.items() if "as printed" in name}
    answers: list[bool | None] = []
    for name, curve in lines.items():
        weighted = curves[f"{name.split(':', maxsplit=1)[0]}: weighted"]
        tenth = [here for at, here in curve.points if at <= 0.11 * curve.points[-1][0]]
        answers.append(bool(tenth) and not below(curve.last, tenth[-1]))
        answers.append(below(weighted.last, curve.last))
    return Check("arithmetic-diverges", all_of(answers), _ends(lines))


def weighted_more_accurate(curves: Curves) -> Check:
    """The errors of the weighted averages end below those of the arithmetic ones."""
    pairs = [
        (curves[f"{name.split(':', maxsplit=1)[0]}: weighted"].last, curve.last)
        for name, curve in curves.items()
        if "as printed" in name
    ]
    words = "; ".join(f"{written(one)} against {written(other)}" for one, other in pairs)
    return Check("weighted-more-accurate", all_of([below(*pair) for pair in pairs]), words)


# --- Fig. 2, right ---


def all_fall_with_time(curves: Curves) -> Check:
    """More thinking makes everybody less exploitable, except the random player."""
    lines = {name: curve for name, curve in curves.items() if not name.endswith("RND")}
    return Check("all-fall-with-time", _all_fall(lines), _ends(lines))


def mccr_below_mccfr_in_dice(curves: Curves) -> Check:
    """In Liar's Dice MCCR ends below MCCFR. A variant with fewer faces says nothing of it."""
    lines = _in_game(curves, "LD(1,1,6)")
    answers = [below(lines[name].last, lines["MCCFR"].last) for name in MCCR]
    return Check("mccr-below-mccfr-ld", all_of(answers), _ends(lines))


def mccr_above_mccfr_in_goofspiel(curves: Curves) -> Check:
    """In Goofspiel MCCR ends above MCCFR."""
    lines = _in_game(curves, "IIGS")
    answers = [below(lines["MCCFR"].last, lines[name].last) for name in MCCR]
    return Check("mccr-above-mccfr-iigs", all_of(answers), _ends(lines))


def keep_below_reset_at_first(curves: Curves) -> Check:
    """With the shortest thinking, keep is below reset in all games."""
    pairs = _pairs(curves)
    answers = [below(keep.first, reset.first) for keep, reset in pairs.values()]
    words = "; ".join(
        f"{game}: keep {written(keep.first)}, reset {written(reset.first)}"
        for game, (keep, reset) in pairs.items()
    )
    return Check("keep-below-reset-at-first", all_of(answers), words)


def keep_improves_slower(curves: Curves) -> Check:
    """From the shortest to the longest thinking, keep loses a smaller share of its exploitability
    than reset does.
    """
    pairs = _pairs(curves)
    answers: list[bool | None] = []
    said = []
    for game, (keep, reset) in pairs.items():
        ours, theirs = _share(keep), _share(reset)
        answers.append(below(theirs, ours))
        said.append(f"{game}: {written(ours)} is left with keep, {written(theirs)} with reset")
    return Check("keep-improves-slower", all_of(answers), "; ".join(said))


def _share(curve: Curve) -> Interval:
    """What is left in the end of the value at the beginning."""
    return _share_of(curve.last, curve)


def _share_of(here: Interval, curve: Curve) -> Interval:
    """A value as a share of that at the beginning of the curve."""
    first = curve.first.value
    return Interval(here.value / first, here.low / first, here.high / first)


def _pairs(curves: Curves) -> dict[str, tuple[Curve, Curve]]:
    """By game, the lines of keep and of reset."""
    games = [name.removesuffix(f" {MCCR[0]}") for name in curves if name.endswith(MCCR[0])]
    return {
        game: (curves[f"{game} {MCCR[0]}"], curves[f"{game} {MCCR[1]}"])
        for game in games
        if f"{game} {MCCR[1]}" in curves
    }


def _in_game(curves: Curves, game: str) -> dict[str, Curve]:
    """The lines of the largest variant of a game that was measured, by their names. Panels are in
    the order of their sizes.
    """
    panels = [name.split(" ")[0] for name in curves if name.startswith(game)]
    if not panels:
        raise KeyError(game)
    before = f"{panels[-1]} "
    return {
        name.removeprefix(before): curve
        for name, curve in curves.items()
        if name.startswith(before)
    }


# --- Fig. 3 ---


def small_settle_early(curves: Curves) -> Check:
    """In Liar's Dice and poker, at the last look but one, a smaller share of the change of values
    is left than of the exploitability.
    """
    answers, said = [], []
    for game in ("LD(1,1,6)", "GP(3,3,2,2)"):
        change, gap = curves[f"{game} values"], curves[f"{game} exploitability"]
        at = change.points[-1][0]
        left, still = _share_of(change.last, change), _share_of(dict(gap.points)[at], gap)
        answers.append(below(left, still))
        said.append(
            f"{game}, after {at:,.0f} iterations: {written(left)} of the change is left, "
            f"{written(still)} of the exploitability"
        )
    return Check("small-settle-early", all_of(answers), "; ".join(said))


def large_still_change(curves: Curves) -> Check:
    """In Goofspiel the values change less and less."""
    lines = {
        name: curve
        for name, curve in curves.items()
        if name.startswith("IIGS") and name.endswith("values")
    }
    return Check("large-still-change", _all_fall(lines), _ends(lines))


# --- Table 1 ---


def mccr_beats_random(cells: Cells, reading: str) -> Check:
    """Both variants win against the random player."""
    places = [(name, "RND") for name in MCCR]
    answers = [below(_ZERO, cells[place]) for place in places]
    return Check("mccr-beats-random", all_of(answers), _cells(cells, places), reading)


def mccr_not_below_mccfr(cells: Cells, reading: str) -> Check:
    """Both variants are at least as good as MCCFR, or nearly."""
    places = [(name, "MCCFR") for name in MCCR]
    answers = [at_most(_ZERO, cells[place], _SLACK) for place in places]
    return Check("mccr-not-below-mccfr", all_of(answers), _cells(cells, places), reading)


def mccr_above_oos_pst(cells: Cells, reading: str) -> Check:
    """Both variants win against OOS with PST."""
    return _wins(cells, reading, "mccr-above-oos-pst", "OOS-PST")


def mccr_above_oos_ist(cells: Cells, reading: str) -> Check:
    """Both variants win against OOS with IST."""
    return _wins(cells, reading, "mccr-above-oos-ist", "OOS-IST")


def mccr_below_ismcts(cells: Cells, reading: str) -> Check:
    """Both variants lose against both variants of IS-MCTS."""
    places = [(name, other) for name in MCCR for other in ISMCTS]
    answers = [below(cells[place], _ZERO) for place in places]
    return Check("mccr-below-ismcts", all_of(answers), _cells(cells, places), reading)


def mccr_not_below_ismcts(cells: Cells, reading: str) -> Check:
    """Neither variant loses against a variant of IS-MCTS, or hardly."""
    places = [(name, other) for name in MCCR for other in ISMCTS]
    answers = [at_most(_ZERO, cells[place], _SLACK) for place in places]
    return Check("mccr-not-below-ismcts", all_of(answers), _cells(cells, places), reading)


def _wins(cells: Cells, reading: str, name: str, other: str) -> Check:
    places = [(row, other) for row in MCCR]
    answers = [below(_ZERO, cells[place]) for place in places]
    return Check(name, all_of(answers), _cells(cells, places), reading)


# --- words ---


def _all_fall(lines: Mapping[str, Curve]) -> bool | None:
    return all_of([below(curve.last, curve.first) for curve in lines.values()])


def _ends(lines: Mapping[str, Curve]) -> str:
    return "; ".join(
        f"{name} from {written(curve.first)} to {written(curve.last)}"
        for name, curve in lines.items()
    )


def _cells(cells: Cells, places: list[tuple[str, str]]) -> str:
    return "; ".join(f"{row}–{column} {written(cells[row, column])}" for row, column in places)
