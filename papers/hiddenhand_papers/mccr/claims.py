"""What the MCCR paper says of its figures and tables, as tests on curves and tables. Functions are
kinds of sentences, see `sentence`.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.curves import Curves
from hiddenhand_papers.findings import (
    Answer,
    Cells,
    Check,
    Curve,
    Place,
    all_of,
    at_most,
    below,
    courses,
    each_cell,
    each_line,
    falls,
    point,
    scaled,
    sentence,
    written,
)

MCCR: Final = ("MCCR (keep)", "MCCR (reset)")
ISMCTS: Final = ("UCT", "RM")
_SLACK: Final = 3.0  # % of the largest payoff that may be lost by who is “not worse”


# --- Fig. 2, left ---


@sentence
def _arithmetic_diverges(curves: Curves) -> Answer:
    """The errors of the arithmetic averages, as printed, stop falling: they end no lower than they
    were after a tenth of the iterations, and above those of the weighted averages.
    """
    lines = {name: curve for name, curve in curves.items() if "as printed" in name}
    answers: list[bool | None] = []
    for name, curve in lines.items():
        tenth = [here for at, here in curve.points if at <= 0.11 * curve.points[-1][0]]
        answers.append(bool(tenth) and not below(curve.last, tenth[-1]))
        answers.append(below(_weighted(curves, name).last, curve.last))
    return all_of(answers), courses(lines)


@sentence
def _weighted_more_accurate(curves: Curves) -> Answer:
    """The errors of the weighted averages end below those of the arithmetic ones."""
    printed = [name for name in curves if "as printed" in name]
    pairs = [(_weighted(curves, name).last, curves[name].last) for name in printed]
    words = "; ".join(f"{written(one)} against {written(other)}" for one, other in pairs)
    return all_of([below(*pair) for pair in pairs]), words


def _weighted(curves: Curves, name: str) -> Curve:
    """The weighted average in the same game."""
    return curves[f"{name.split(':', maxsplit=1)[0]}: weighted"]


AVERAGES: Final = (
    each_line("weighted-converges", lambda name: "weighted" in name, falls),
    _arithmetic_diverges("arithmetic-diverges"),
    _weighted_more_accurate("weighted-more-accurate"),
)


# --- Fig. 2, right ---


@sentence
def _end_below(curves: Curves, game: str, lows: Sequence[str], highs: Sequence[str]) -> Answer:
    """In the largest variant of a game that was measured, some lines end below others. Panels are
    in the order of their sizes.
    """
    panels = [name.split(" ")[0] for name in curves if name.startswith(game)]
    if not panels:
        raise KeyError(game)
    before = f"{panels[-1]} "
    lines = {
        name.removeprefix(before): curve
        for name, curve in curves.items()
        if name.startswith(before)
    }
    answers = [below(lines[low].last, lines[high].last) for low, high in product(lows, highs)]
    return all_of(answers), courses(lines)


@sentence
def _keep_below_reset_at_first(curves: Curves) -> Answer:
    """With the shortest thinking, keep is below reset in all games."""
    pairs = _pairs(curves)
    words = "; ".join(
        f"{game}: keep {written(keep.first)}, reset {written(reset.first)}"
        for game, (keep, reset) in pairs.items()
    )
    return all_of([below(keep.first, reset.first) for keep, reset in pairs.values()]), words


@sentence
def _keep_improves_slower(curves: Curves) -> Answer:
    """From the shortest to the longest thinking, keep loses a smaller share of its exploitability
    than reset does.
    """
    answers, said = [], []
    for game, (keep, reset) in _pairs(curves).items():
        ours, theirs = _share(keep.last, keep), _share(reset.last, reset)
        answers.append(below(theirs, ours))
        said.append(f"{game}: {written(ours)} is left with keep, {written(theirs)} with reset")
    return all_of(answers), "; ".join(said)


def _share(here: Interval, curve: Curve) -> Interval:
    """A value as a share of that at the beginning of the curve."""
    return scaled(1.0 / curve.first.value, here)


def _pairs(curves: Curves) -> dict[str, tuple[Curve, Curve]]:
    """By game, the lines of keep and of reset."""
    games = [name.removesuffix(f" {MCCR[0]}") for name in curves if name.endswith(MCCR[0])]
    return {
        game: (curves[f"{game} {MCCR[0]}"], curves[f"{game} {MCCR[1]}"])
        for game in games
        if f"{game} {MCCR[1]}" in curves
    }


EXPLOITABILITY: Final = (
    each_line("all-fall-with-time", lambda name: not name.endswith("RND"), falls),
    # a variant of Liar's Dice with fewer faces says nothing of it
    _end_below("mccr-below-mccfr-ld", "LD(1,1,6)", MCCR, ("MCCFR",)),
    _end_below("mccr-above-mccfr-iigs", "IIGS", ("MCCFR",), MCCR),
    _keep_below_reset_at_first("keep-below-reset-at-first"),
    _keep_improves_slower("keep-improves-slower"),
)


# --- Fig. 3 ---


@sentence
def _small_settle_early(curves: Curves) -> Answer:
    """In Liar's Dice and poker, at the last look but one, a smaller share of the change of values
    is left than of the exploitability.
    """
    answers, said = [], []
    for game in ("LD(1,1,6)", "GP(3,3,2,2)"):
        change, gap = curves[f"{game} values"], curves[f"{game} exploitability"]
        at = change.points[-1][0]
        left, still = _share(change.last, change), _share(dict(gap.points)[at], gap)
        answers.append(below(left, still))
        said.append(
            f"{game}, after {at:,.0f} iterations: {written(left)} of the change is left, "
            f"{written(still)} of the exploitability"
        )
    return all_of(answers), "; ".join(said)


VALUES: Final = (
    _small_settle_early("small-settle-early"),
    each_line(
        "large-still-change",
        lambda name: name.startswith("IIGS") and name.endswith("values"),
        falls,
    ),
)


# --- Table 1 ---


def _won(cells: Cells, place: Place) -> bool | None:
    return below(point(0.0), cells[place])


def _lost(cells: Cells, place: Place) -> bool | None:
    return below(cells[place], point(0.0))


def _hardly_lost(cells: Cells, place: Place) -> bool | None:
    return at_most(point(0.0), cells[place], _SLACK)


def _both(
    check: str, others: Sequence[str], holds: Callable[[Cells, Place], bool | None]
) -> Callable[[Cells], Check]:
    """Something holds of both variants of MCCR against others."""
    return each_cell(check, list(product(MCCR, others)), holds)


BEAT_RANDOM: Final = _both("mccr-beats-random", ("RND",), _won)
NOT_BELOW_MCCFR: Final = _both("mccr-not-below-mccfr", ("MCCFR",), _hardly_lost)
ABOVE_PST: Final = _both("mccr-above-oos-pst", ("OOS-PST",), _won)
ABOVE_IST: Final = _both("mccr-above-oos-ist", ("OOS-IST",), _won)
BELOW_ISMCTS: Final = _both("mccr-below-ismcts", ISMCTS, _lost)
NOT_BELOW_ISMCTS: Final = _both("mccr-not-below-ismcts", ISMCTS, _hardly_lost)
