"""Items of Lisy's thesis that consist of several pictures and tables of matches.

The thesis shows searches from the root, or in matches by the aggregate method, in one or two
pictures, and below them tables of matches with several times per move. A `Composite` is an
experiment of such *panels* and *sections*, with the sentences that are tested on them.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import fmean
from typing import Final

from hiddenhand.statistics import Interval, against_value, mean_interval, win_points, win_rate
from hiddenhand_papers.curves import Line, clocked, curves_of, in_turns
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Curve, Findings, Grid, Plot, checked, lowest
from hiddenhand_papers.match_tables import payoff_interval
from hiddenhand_papers.measures import GameValue
from hiddenhand_papers.play import Contestant, by_the_clock, match_units, payoffs_of
from hiddenhand_papers.units import Unit, game_called

WIN_RATE: Final = "% of matches won by the row player, who sits first; a draw is half a win"
OVER_VALUE: Final = "mean payoff of the row player, who sits first, less the value of the game"


@dataclass(frozen=True)
class Panel:
    """A picture of an item.

    name: the end of the name of its file; empty for the only picture.
    title: what stands above it.
    lines: its lines.
    x: what is on the horizontal axis.
    log_y: whether the vertical axis is logarithmic.
    log_x: whether the horizontal axis is logarithmic.
    """

    name: str
    title: str
    lines: tuple[Line, ...]
    x: str = "seconds of the thesis' machine"
    log_y: bool = True
    log_x: bool = True


@dataclass(frozen=True)
class Section:
    """A table of matches of an item.

    name: the name of the printed table.
    games: the names of the games, or of starting positions; matches are shared out among them.
    rows: who sits in the first seat, by the names of the rows.
    columns: who sits in the second seat, by the names of the columns.
    reading: how the set-up was read, where it can be read in more than one way.
    matches: how many matches a cell has in the thesis; at the scale ``evening`` ``evening``.
    in_evening: whether the section is run at the scale ``evening``.
    at_once: how many matches a unit has.
    value_of: the game whose value is taken from payoffs; empty for win rates.
    drawn: whether the games were drawn at random, and those of the thesis were others.
    seconds: the printed time for each move; 0.0 where there is no reading by the clock.
    """

    name: str
    games: tuple[str, ...]
    rows: tuple[tuple[str, Contestant], ...]
    columns: tuple[tuple[str, Contestant], ...]
    matches: int
    evening: int
    reading: str = ""
    in_evening: bool = True
    at_once: int = 1
    value_of: str = ""
    drawn: bool = False
    seconds: float = 0.0

    @property
    def by_clock(self) -> "Section":
        """The same with equal wall time."""
        also = f"{self.reading}, " if self.reading else ""
        return replace(
            self,
            rows=by_the_clock(self.rows, self.seconds),
            columns=by_the_clock(self.columns, self.seconds),
            reading=f"{also}equal wall time",
        )

    def units(self, scale: Scale) -> Iterator[Unit]:
        """Some matches of each cell, then more."""
        if scale.is_short and not self.in_evening:
            return
        if self.value_of:
            yield GameValue(self.value_of)
        count = scale.count(self.matches, self.evening)
        pairs = self.pairs.values()
        yield from match_units(self.games, pairs, count, self.at_once, self.matches)

    @property
    def pairs(self) -> dict[tuple[str, str], tuple[Contestant, Contestant]]:
        """Who sits in the first and in the second seat, by row and column."""
        return {
            (row, column): (first, second)
            for row, first in self.rows
            for column, second in self.columns
        }

    def grid(self, results: Results) -> Grid:
        """The table as far as ``results`` go."""
        payoffs = self.payoffs(results)
        value = self._value(results)
        cells = {
            place: self.interval([list(of_game.values()) for of_game in found.values()], value)
            for place, found in payoffs.items()
            if found and value is not None
        }
        return Grid(
            name=self.name,
            rows=tuple(dict.fromkeys(row for row, _ in self.pairs)),
            columns=tuple(dict.fromkeys(column for _, column in self.pairs)),
            cells=cells,
            reading=self.reading,
            unit=OVER_VALUE if self.value_of else WIN_RATE,
            observations=min((sum(map(len, one.values())) for one in payoffs.values()), default=0),
            samples={place: self._samples(payoffs[place]) for place in cells},
        )

    def _samples(self, payoffs: Mapping[str, Mapping[int, float]]) -> dict[Hashable, float]:
        """What a cell shows of single matches, up to the value of the game; of single games, if
        these were drawn.
        """
        found = {
            (game, number): payoff if self.value_of else 100.0 * win_points(payoff, -payoff)
            for game, by_number in payoffs.items()
            for number, payoff in by_number.items()
        }
        if not self.drawn:
            return dict[Hashable, float](found)
        by_game: dict[str, list[float]] = {}
        for (game, _), value in found.items():
            by_game.setdefault(game, []).append(value)
        return {game: fmean(values) for game, values in by_game.items()}

    def payoffs(self, results: Results) -> dict[tuple[str, str], Mapping[str, Mapping[int, float]]]:
        """What the row players were paid in the matches of each cell, by game and number."""
        found = payoffs_of(results, self.games, alternate=False)
        return {place: found.get(pair, {}) for place, pair in self.pairs.items()}

    def pool(
        self, results: Results, rows: Sequence[str], columns: Sequence[str], *, flip: bool = False
    ) -> Interval | None:
        """All matches of several cells together, or None if one of the cells is empty.

        flip: whether the result of the players in the columns is wanted.
        """
        found, value = self.payoffs(results), self._value(results)
        cells = [found.get((row, column), {}) for row in rows for column in columns]
        if value is None or not all(cells):
            return None
        sign = -1.0 if flip else 1.0
        by_game: dict[str, list[float]] = {}
        for cell in cells:
            for game, payoffs in cell.items():
                by_game.setdefault(game, []).extend(sign * one for one in payoffs.values())
        return self.interval(list(by_game.values()), sign * value)

    def interval(self, payoffs: Sequence[Sequence[float]], value: float) -> Interval:
        """What a cell shows of the payoffs in each game, ``value`` being that of the game for the
        same seat. If games were drawn, the interval is that of a mean over games, unless that over
        matches is wider.
        """
        together = [payoff for of_game in payoffs for payoff in of_game]
        if self.value_of:
            largest = game_called(self.games[0]).max_utility
            return against_value(payoff_interval(together, largest), value)
        rate = win_rate([(payoff, -payoff) for payoff in together])
        low, high = rate.low, rate.high
        if self.drawn:
            means = [
                sum(win_points(one, -one) for one in of_game) / len(of_game) for of_game in payoffs
            ]
            drawn = mean_interval(means)
            low, high = min(low, drawn.low), max(high, drawn.high)
        return Interval(100.0 * rate.value, 100.0 * max(low, 0.0), 100.0 * min(high, 1.0))

    @property
    def level(self) -> float:
        """What a cell shows if both players are equally strong in a balanced game."""
        return 0.0 if self.value_of else 50.0

    def _value(self, results: Results) -> float | None:
        if not self.value_of:
            return 0.0
        found = results.get(GameValue(self.value_of))
        return None if found is None else float(found["value"])


Curves = Mapping[str, Mapping[str, Curve]]
"""By the name of the panel and of the line."""


@dataclass(frozen=True)
class Found:
    """What is known of a composite.

    curves: its lines.
    sections: its tables of one reading, by name.
    results: the results of its units.
    """

    curves: Curves
    sections: Mapping[str, Section]
    results: Results

    def pool(
        self, section: str, rows: Sequence[str], columns: Sequence[str], *, flip: bool = False
    ) -> Interval:
        """See `Section.pool`. Raises KeyError where matches are missing."""
        pooled = self.sections[section].pool(self.results, rows, columns, flip=flip)
        if pooled is None:
            raise KeyError(section)
        return pooled

    def cells(self, section: str, rows: Sequence[str], columns: Sequence[str]) -> list[Interval]:
        """The cells of a table one by one. Raises KeyError where matches are missing."""
        return [self.pool(section, [row], [column]) for row, column in product(rows, columns)]

    def curve(self, panel: str, line: str) -> Curve:
        """A line. Raises KeyError if it has no points yet."""
        return self.curves[panel][line]


Test = Callable[[Found], Check]
"""Tests a sentence; raises KeyError if what it is about was not run."""


@dataclass(frozen=True)
class Composite(Experiment):
    """A figure or table of several panels and sections.

    panels: its pictures.
    sections: its tables of matches.
    points: its tables of single values of lines.
    tests: the sentences that are tested.
    y: what is on the vertical axis of its pictures.
    """

    panels: tuple[Panel, ...] = ()
    sections: tuple[Section, ...] = ()
    points: tuple["Points", ...] = ()
    tests: tuple[Test, ...] = ()
    y: str = "exploitability, the sum of both players'"

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: a unit of each part in turn."""
        lines = [line for panel in self.panels for line in panel.lines]
        sections: tuple[Section, ...] = self.sections
        if scale.by_clock:
            lines = clocked(lines)
            sections = self._by_clock
        waiting = [line.units(scale) for line in lines]
        yield from in_turns([*waiting, *(section.units(scale) for section in sections)])

    @property
    def deciding(self) -> "Composite":
        """See `Experiment.deciding`."""
        named = [section.reading for section in self.sections if section.reading]
        shown = ("", *named[:1])
        return replace(self, sections=tuple(one for one in self.sections if one.reading in shown))

    @property
    def parts(self) -> dict[str, Experiment]:
        """See `Experiment.parts`: its panels and its sections."""
        by_name: dict[str, tuple[Section, ...]] = {}
        for section in self.sections:
            by_name[section.name] = (*by_name.get(section.name, ()), section)
        panels: dict[str, Experiment] = {
            f"panel {panel.name}": replace(self, panels=(panel,), sections=())
            for panel in self.panels
        }
        return panels | {
            name: replace(self, panels=(), sections=sections) for name, sections in by_name.items()
        }

    @property
    def _by_clock(self) -> tuple[Section, ...]:
        return tuple(section.by_clock for section in self.sections if section.seconds)

    def findings(self, results: Results) -> Findings:
        curves = {panel.name: curves_of(panel.lines, results) for panel in self.panels}
        plots = [
            Plot(
                panel.name,
                panel.title,
                panel.x,
                self.y,
                tuple(of.values()),
                panel.log_x,
                panel.log_y,
            )
            for panel in self.panels
            if (of := curves[panel.name])
        ]
        timed = self._by_clock if any(unit.by_clock for unit in results) else ()
        grids = [section.grid(results) for section in (*self.sections, *timed)]
        grids += [table.grid(curves) for table in self.points]
        return Findings(
            grids=tuple(grid for grid in grids if grid.cells),
            plots=tuple(plots),
            checks=tuple(self._checks(curves, results)),
        )

    def _checks(self, curves: Curves, results: Results) -> Iterator[Check]:
        named = dict.fromkeys(section.reading for section in self.sections if section.reading)
        for reading in named or [""]:
            sections = {one.name: one for one in self.sections if one.reading in ("", reading)}
            yield from checked(self.tests, Found(curves, sections, results), reading)


@dataclass(frozen=True)
class Readings(Experiment):
    """An experiment whose set-up can be read in more than one way.

    readings: what each reading is called, and the experiment in it. The first one decides.
    """

    readings: tuple[tuple[str, Experiment], ...] = ()

    @property
    def deciding(self) -> "Readings":
        """See `Experiment.deciding`."""
        return replace(self, readings=self.readings[:1])

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: a unit of each reading in turn."""
        yield from dict.fromkeys(in_turns(one.units(scale) for _, one in self.readings))

    def findings(self, results: Results) -> Findings:
        shown = [(reading, one.findings(results)) for reading, one in self.readings]
        return Findings(
            grids=tuple(replace(grid, reading=name) for name, one in shown for grid in one.grids),
            plots=tuple(
                replace(plot, name=f"{plot.name}{number or ''}", title=name[0].upper() + name[1:])
                for number, (name, one) in enumerate(shown)
                for plot in one.plots
            ),
            checks=tuple(
                replace(check, reading=name) for name, one in shown for check in one.checks
            ),
            notes=tuple(note for _, one in shown for note in one.notes),
        )


@dataclass(frozen=True)
class Points:
    """A table of single values of lines that the text of the thesis gives.

    name: the name of the printed table.
    column: its column with the values.
    cells: for the name of each row, the panel, the line, and the time, at which it is looked up;
        None for the lowest point of the line.
    """

    name: str
    column: str
    cells: tuple[tuple[str, str, str, float | None], ...]

    def grid(self, curves: Curves) -> Grid:
        """The table as far as the lines go."""
        found = {}
        for row, panel, line, at in self.cells:
            curve = curves.get(panel, {}).get(line)
            value = None if curve is None else lowest(curve) if at is None else near(curve, at)
            if value is not None:
                found[row, self.column] = value
        rows = tuple(row for row, *_ in self.cells)
        return Grid(self.name, rows, (self.column,), found, unit="exploitability")


def near(curve: Curve, at: float) -> Interval | None:
    """The value of a line at the look that is nearest to the time ``at``, at most a fifth away."""
    time, value = min(curve.points, key=lambda point: abs(point[0] - at))
    return value if abs(time - at) <= 0.2 * at else None
