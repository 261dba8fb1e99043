"""The experiments of Chapter 5 of Lisy's thesis (2014), on maps of our own.

The maps of the thesis are pictures that cannot be read, so nothing here is compared number by
number. What the text prints stands beside ours; what the text says is tested on each map.
"""

from collections.abc import Iterator
from math import atanh, sqrt, tanh
from typing import Final

import numpy as np

from hiddenhand.statistics import Interval, widened
from hiddenhand_papers.experiment import Experiment
from hiddenhand_papers.findings import Check, all_of
from hiddenhand_papers.pursuit import settings, small_games
from hiddenhand_papers.pursuit.chases import MEASURES, Chased, ChaseTable, Players
from hiddenhand_papers.pursuit.claims import cell, evader, ordered, pursuers, said
from hiddenhand_papers.pursuit.times import TimesFigure
from hiddenhand_papers.pursuit.ways import SETUP, Making, named, readings

_CLOSELY: Final = 0.5  # a correlation of measures that counts as close
_READINGS: Final = (
    # what is said of it, how MM evaluates, and further parameters of the game
    ("", "", ""),
    ("units may not wait", "", ",stay=false"),
    ("MM by URLA with a logarithm", "(evaluation=urla_log)", ""),
    ("MM by RLA", "(evaluation=rla)", ""),
)


def experiments() -> Iterator[Experiment]:
    """All of them, in the order of the chapter."""
    yield _times()
    yield _nemeses()
    yield from settings.experiments()
    yield from small_games.experiments()


def _times() -> Experiment:
    return TimesFigure(
        "pursuit",
        "fig5.4",
        "Times of alpha-beta of depth 8",
        (
            "At each decision of the pursuers in matches of SO against MO, of 300 iterations each, "
            "the search begins anew at depth 8. Processor time. 10 matches of 100 moves on each "
            "map; at the scale evening one match on each of two maps.",
        ),
    )


def _nemeses() -> Experiment:
    orders = tuple(
        ordered(
            f"evaders-mo-mm-so-{measure.replace('_', '-')}",
            (evader("SO", measure), evader("MM", measure)),
            (evader("MM", measure), evader("MO", measure)),
            nothing=0.0,
        )
        for measure in MEASURES
    )
    return ChaseTable(
        "pursuit",
        "fig5.5",
        "MM, SO and MO against each other",
        (
            *SETUP,
            "MM evaluates by URLA, with the mean size of PP for what was acquired; SO by RLA. The "
            "thesis leaves open how MM evaluates, and says of waiting both that units may and that "
            "they may not. So there are readings in which MM takes the logarithm of what was "
            "acquired, in which it evaluates by RLA, and in which units may not wait.",
            "An evader against its nemesis is bold, pursuers against theirs are underlined, and "
            "the best of each are grey.",
        ),
        tuple(
            reading
            for also, evaluation, options in _READINGS
            for reading in readings(_of_minimax(evaluation), also, options)
        ),
        evening=24,
        measures=MEASURES,
        nemeses=True,
        tests=(
            *orders,
            ordered(
                "pursuers-mo-worst",
                (pursuers("MM"), pursuers("MO")),
                (pursuers("SO"), pursuers("MO")),
            ),
            ordered("pursuers-so-best", (pursuers("SO"), pursuers("MM")), nothing=0.0),
            _nemeses_are_so,
            _measures_are_correlated,
        ),
    )


def _of_minimax(evaluation: str) -> Making:
    """MM, SO and MO against each other.

    evaluation: what stands in parentheses after the name of MM.
    """

    def making(way: str) -> tuple[Players, Players]:
        players = named(way, MM=f"istminimax{evaluation}", SO="istmcts", MO="mo")
        return players, players

    return making


def _nemeses_are_so(chased: Chased) -> Check:
    """Whether SO is the worst opponent of the evaders MM and MO, and MO that of the pursuers MO."""
    pairs = [
        *((cell(name, "SO"), cell(name, other)) for name in ("MM", "MO") for other in ("MM", "MO")),
        *((cell(other, "MO"), cell("MO", "MO")) for other in ("MM", "SO")),
    ]
    nemeses = [
        *(
            f"of the evader {name} it is {chased.nemesis_of_evader('mean_size', name)}"
            for name in ("MM", "MO")
        ),
        f"of the pursuers MO it is {chased.nemesis_of_pursuers('mean_size', 'MO')}",
    ]
    holds = ordered("nemeses", *pairs, nothing=0.0)(chased).holds
    return said("nemeses", holds, "; ".join(nemeses))


def _measures_are_correlated(chased: Chased) -> Check:
    """Pearson's r between each two measures over all matches, with Fisher's interval; closely means
    above a half.
    """
    places = [place[1:] for place in chased.values if place[0] == MEASURES[0]]
    columns = [
        np.concatenate([list(chased.values[(measure, *place)].values()) for place in places])
        for measure in MEASURES
    ]
    answers: list[bool | None] = []
    words = []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        if columns[one].size < 5 or not (columns[one].std() and columns[other].std()):
            raise ValueError("too few matches")
        r = float(np.corrcoef(columns[one], columns[other])[0, 1])
        half = 1.96 / sqrt(columns[one].size - 3)
        middle = atanh(min(max(r, -0.999999), 0.999999))
        wide = widened(Interval(middle, middle - half, middle + half), columns[one].size)
        low, high = tanh(wide.low), tanh(wide.high)
        answers.append(True if low > _CLOSELY else False if high < _CLOSELY else None)
        words.append(f"{MEASURES[one]} and {MEASURES[other]} {r:.2f} ({low:.2f} to {high:.2f})")
    return said("measures-correlated", all_of(answers), "; ".join(words))
