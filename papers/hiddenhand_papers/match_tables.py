"""Tables of matches: each player of the rows against each player of the columns.

A cell shows one of these measures:

- win rate: how many of 100 matches the row player wins, a draw being half a win
- over value: the mean payoff of the row player, less what an equilibrium pays in that seat
- percent: the mean payoff of the row player, in percent of the largest payoff
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hiddenhand.statistics import (
    Interval,
    against_value,
    bounded_interval,
    wilson_interval,
    win_points,
    win_rate,
)
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Cells, Check, Findings, Grid, checked
from hiddenhand_papers.measures import GameValue
from hiddenhand_papers.play import Contestant, Contestants, Pair, match_units, payoffs_of
from hiddenhand_papers.units import Unit, game_called

WIN_RATE: Final = "win rate"
OVER_VALUE: Final = "over value"
PERCENT: Final = "percent"
_UNITS: Final = {
    WIN_RATE: "% of matches won by the row player, who plays first; a draw is half a win",
    OVER_VALUE: "mean payoff of the row player, who plays first, less the value of the game",
    PERCENT: "mean payoff of the row player in % of the largest payoff, seats changing",
}

MatchCheck = Callable[[Cells], Check]
"""Tests a sentence on the cells of a table. The cells of a further table of the same reading, such
as ``5s``, have its name before that of the row: ``5s OOS``. A check that lacks a cell raises
KeyError, and is left out.
"""


@dataclass(frozen=True)
class MatchReading:
    """One way to read a set-up.

    name: what tells it from others, in a few words; empty if there is only one.
    game: the name of the game.
    contestants: the players, by the names that the paper's table has.
    in_evening: whether it is run at the scale ``evening``, too.
    table: the printed table that it is compared with.
    only: the cells that are played; by default all of the table.
    without_first: the players in cells in which the first of ``contestants`` does not play; by
        default the same.
    """

    name: str
    game: str
    contestants: Contestants
    in_evening: bool = True
    table: str = "main"
    only: tuple[tuple[str, str], ...] = ()
    without_first: Contestants = ()

    @property
    def by_clock(self) -> bool:
        """Whether players think for a time."""
        return any(contestant.seconds for _, contestant in self.contestants)

    def pair(self, place: tuple[str, str]) -> Pair:
        """Who plays in a cell."""
        first = self.contestants[0][0]
        usual = first in place or not self.without_first
        known = dict(self.contestants if usual else self.without_first)
        return known[place[0]], known[place[1]]


@dataclass(frozen=True)
class MatchTable(Experiment):
    """A table of matches.

    readings: the ways to read the set-up; the first decides the verdict.
    rows: the names of the rows.
    columns: the names of the columns.
    measure: what a cell shows.
    matches: how many matches a cell has in the paper.
    evening: how many it has at the scale ``evening``.
    at_once: how many matches a unit has.
    upper: whether only the cells above the diagonal are played, and players change seats.
    value_of: the game whose value cells are compared with, where ``measure`` needs one.
    checks: the sentences that are tested on each reading.
    """

    readings: tuple[MatchReading, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    measure: str
    matches: int
    evening: int
    at_once: int = 1
    upper: bool = False
    value_of: str = ""
    checks: tuple[MatchCheck, ...] = ()

    @property
    def deciding(self) -> "MatchTable":
        """See `Experiment.deciding`."""
        first = self.readings[0].name
        return replace(self, readings=tuple(one for one in self.readings if one.name == first))

    @property
    def parts(self) -> dict[str, Experiment]:
        """See `Experiment.parts`: its tables."""
        by_table: dict[str, tuple[MatchReading, ...]] = {}
        for reading in self.readings:
            by_table[reading.table] = (*by_table.get(reading.table, ()), reading)
        return {name: replace(self, readings=readings) for name, readings in by_table.items()}

    def places(self, reading: MatchReading) -> list[tuple[str, str]]:
        """The cells that are played."""
        if reading.only:
            return list(reading.only)
        order = list(dict.fromkeys([*self.rows, *self.columns]))
        return [
            (row, column)
            for row in self.rows
            for column in self.columns
            if not self.upper or order.index(row) < order.index(column)
        ]

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: reading by reading, first some matches of each cell, then
        more.
        """
        if self.value_of:
            yield GameValue(self.value_of)
        count = scale.count(self.matches, self.evening)
        for reading in self.readings:
            if reading.by_clock is scale.by_clock and (reading.in_evening or not scale.is_short):
                pairs = [reading.pair(place) for place in self.places(reading)]
                yield from match_units(
                    (reading.game,), pairs, count, self.at_once, self.matches, alternate=self.upper
                )

    def findings(self, results: Results) -> Findings:
        grids = []
        before: set[tuple[str, str, Contestant, Contestant]] = set()
        for reading in self.readings:
            grid = self._grid(reading, results)
            of = reading.table, reading.game
            pairs = {(*of, *reading.pair(place)) for place in grid.cells}
            if pairs - before:  # else it has no matches but those of earlier readings
                grids.append(grid)
            before |= {(*of, *reading.pair(place)) for place in self.places(reading)}
        return Findings(grids=tuple(grids), checks=tuple(self._checked(grids)))

    def _checked(self, grids: Sequence[Grid]) -> Iterator[Check]:
        for name in dict.fromkeys(grid.reading for grid in grids):
            cells = {
                (row if grid.name == "main" else f"{grid.name} {row}", column): interval
                for grid in grids
                if grid.reading == name
                for (row, column), interval in grid.cells.items()
            }
            yield from checked(self.checks, cells, name)

    def _grid(self, reading: MatchReading, results: Results) -> Grid:
        payoffs = payoffs_of(results, (reading.game,), alternate=self.upper)
        cells: dict[tuple[str, str], Interval] = {}
        samples: dict[tuple[str, str], Mapping[Hashable, float]] = {}
        value = results.get(GameValue(self.value_of), {}).get("value")
        for place in self.places(reading):
            found = payoffs.get(reading.pair(place), {}).get(reading.game)
            if found and (self.measure != OVER_VALUE or value is not None):
                cells[place] = self._cell(list(found.values()), reading.game, value)
                samples[place] = {key: self._shown(one, reading.game) for key, one in found.items()}
        return Grid(
            name=reading.table,
            rows=tuple(dict.fromkeys(row for row, _ in reading.only)) or self.rows,
            columns=tuple(dict.fromkeys(column for _, column in reading.only)) or self.columns,
            cells=cells,
            reading=reading.name,
            unit=_UNITS[self.measure],
            observations=min(map(len, samples.values()), default=0),
            samples=samples,
        )

    def _shown(self, payoff: float, game: str) -> float:
        """What a cell shows of a single match, up to the value of the game."""
        if self.measure == WIN_RATE:
            return 100.0 * win_points(payoff, -payoff)
        return (
            payoff if self.measure == OVER_VALUE else 100.0 * payoff / game_called(game).max_utility
        )

    def _cell(self, payoffs: Sequence[float], game: str, value: float | None) -> Interval:
        if self.measure == WIN_RATE:
            return _times(100.0, win_rate([(payoff, -payoff) for payoff in payoffs]))
        mean = payoff_interval(payoffs, game_called(game).max_utility)
        if self.measure == OVER_VALUE:
            assert value is not None  # the caller looked
            return against_value(mean, value)
        return _times(100.0 / game_called(game).max_utility, mean)


def payoff_interval(payoffs: Sequence[float], largest: float) -> Interval:
    """The mean payoff with its interval between the least and the largest: by empirical likelihood;
    but Wilson's where a match is won, drawn or lost and nothing else.

    largest: the largest payoff.
    """
    if not set(payoffs) <= {-largest, 0.0, largest}:
        return bounded_interval(payoffs, -largest, largest)
    points = sum((payoff / largest + 1.0) / 2.0 for payoff in payoffs)
    rate = wilson_interval(points, len(payoffs))
    ends = (largest * (2.0 * end - 1.0) for end in (rate.value, rate.low, rate.high))
    return Interval(*ends)


def _times(factor: float, interval: Interval) -> Interval:
    return Interval(factor * interval.value, factor * interval.low, factor * interval.high)
