"""Figures of lines over seeds: how exploitable searches are, by how much they may think."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol

from hiddenhand.statistics import Interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Curve, Findings, Plot, checked
from hiddenhand_papers.measures import (
    AggregateRun,
    ExpectedRootRun,
    ExpectedRun,
    RootClock,
    RootRun,
    StitchRun,
    by_seed,
    half_gap,
)
from hiddenhand_papers.units import Unit

Curves = Mapping[str, Curve]
"""The lines of a figure by their names."""

CurveCheck = Callable[[Curves], Check]
"""Tests a sentence on the lines of a figure."""


class Line(Protocol):
    """A line of a figure: which units it is made of, and how its points follow from them."""

    @property
    def name(self) -> str:
        """What the legend calls it."""

    def units(self, scale: Scale) -> Iterator[Unit]:
        """Its units."""

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """Its points, as far as ``results`` go."""


Points = list[tuple[float, Interval]]
"""The points of a line."""


Run = tuple[Hashable, Sequence[float], Sequence[float]]
"""The seed of a run, its looks, and what was seen."""


def over_runs(runs: Iterable[Run]) -> Points:
    """The mean of several runs at each look that at least half as many runs have come to as to the
    first one.
    """
    found: dict[float, dict[Hashable, float]] = {}
    for seed, looks, values in runs:
        for at, value in zip(looks, values, strict=True):
            found.setdefault(at, {})[seed] = value
    most = max(map(len, found.values()), default=0)
    return [(at, by_seed(of)) for at, of in sorted(found.items()) if 2 * len(of) >= most]


def longest_of_seeds(runs: Iterable[Run]) -> Points:
    """The mean over seeds at each look, see `over_runs`. The longest run of each seed counts."""
    found: dict[Hashable, Run] = {}
    for run in runs:
        seed, looks, _ = run
        if seed not in found or looks[-1] > found[seed][1][-1]:
            found[seed] = run
    return over_runs(found.values())


def longest(runs: Iterable[tuple[Any, Run]]) -> list[Run]:
    """The longest ``runs``, of which each comes with its length."""
    known = list(runs)
    most = max((length for length, _ in known), default=None)
    return [run for length, run in known if length == most]


def in_turns(parts: Iterable[Iterable[Unit]]) -> Iterator[Unit]:
    """The first unit of each part, then the second of each, and so on."""
    return (unit for row in zip_longest(*parts) for unit in row if unit is not None)


def curves_of(lines: Iterable[Line], results: Results) -> dict[str, Curve]:
    """The lines, and those by the clock beside them, by name, as far as ``results`` go."""
    lines = list(lines)
    return {
        line.name: Curve(line.name, tuple(points))
        for line in (*lines, *clocked(lines))
        if (points := line.points(results))
    }


@dataclass(frozen=True)
class RootLine:
    """A search from the root, a point for each look, over seeds.

    name: what the legend calls it.
    game: the name of the game.
    search: the name of the search.
    per_second: how many iterations the paper's machine made in a second; the horizontal axis is in
        its seconds.
    seconds: for how long the paper searched.
    doublings: how many looks there are, each at twice the time of the one before.
    shorter: how many of the last doublings are left out at the scale ``evening``.
    seeds: how many seeds there are in the paper, or would be enough.
    evening: how many there are at the scale ``evening``.
    """

    name: str
    game: str
    search: str
    per_second: float
    seconds: float
    doublings: int
    shorter: int
    seeds: int
    evening: int
    unseen: str = "fixed"

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        left_out = self.shorter if scale.is_short else 0
        for seed in range(scale.seeds(self.seeds, self.evening)):
            yield RootRun(
                self.game,
                self.search,
                round(self.per_second * self.seconds / 2**left_out),
                self.doublings - left_out,
                seed,
                self.unseen,
            )

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line` and `longest_of_seeds`."""
        points = longest_of_seeds(
            (unit.seed, result["iterations"], result["nash_conv"])
            for unit, result in results.items()
            if isinstance(unit, RootRun)
            and (unit.game, unit.search, unit.unseen) == (self.game, self.search, self.unseen)
        )
        return [(at / self.per_second, value) for at, value in points]


@dataclass(frozen=True)
class ClockLine:
    """A search from the root, a point for each look, over seeds, by the time on this machine.

    line: the line by iterations that it stands beside.
    """

    line: RootLine

    @property
    def name(self) -> str:
        """See `Line`."""
        return f"{self.line.name}, equal wall time"

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        line = self.line
        left_out = line.shorter if scale.is_short else 0
        for seed in range(scale.seeds(line.seeds, line.evening)):
            yield RootClock(
                line.game,
                line.search,
                line.seconds / 2**left_out,
                line.doublings - left_out,
                seed,
                line.unseen,
            )

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`; the longest runs count."""
        line = self.line
        return over_runs(
            longest(
                (unit.seconds, (unit.seed, result["seconds"], result["nash_conv"]))
                for unit, result in results.items()
                if isinstance(unit, RootClock)
                and (unit.game, unit.search, unit.unseen) == (line.game, line.search, line.unseen)
            )
        )


def clocked(lines: Iterable[Line]) -> list[Line]:
    """The same lines by the clock, where they are of searches from the root."""
    return [ClockLine(line) for line in lines if isinstance(line, RootLine)]


@dataclass(frozen=True)
class AggregateLine:
    """The aggregate method, a point for each time per move, over seeds.

    name: what the legend calls it.
    game: the name of the game.
    search: the name of the search.
    per_second: how many iterations the paper's machine made in a second.
    times: the times per move, in seconds of the paper's machine.
    preplay: the time before each match.
    weights: how much a search counts in an information set.
    matches: how many matches are played from each seat; at the scale ``evening``
        ``evening_matches``.
    seeds: how many seeds there are; at the scale ``evening`` ``evening``.
    evening_times: the times that are measured at the scale ``evening``.
    one_seat: whether the line shows what a best response earns in one seat, on average over the
        seats, instead of the sum over the players.
    """

    name: str
    game: str
    search: str
    per_second: float
    times: tuple[float, ...]
    preplay: float
    weights: str
    matches: int
    evening_matches: int
    seeds: int
    evening: int
    evening_times: tuple[float, ...]
    one_seat: bool = False

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        for seed in range(scale.seeds(self.seeds, self.evening)):
            for seconds in self.evening_times if scale.is_short else self.times:
                matches = scale.few(self.evening_matches) if scale.is_short else self.matches
                yield self._unit(seconds, seed, matches)

    def _unit(self, seconds: float, seed: int, matches: int) -> AggregateRun:
        return AggregateRun(
            self.game,
            self.search,
            round(self.per_second * seconds),
            round(self.per_second * self.preplay),
            matches,
            self.weights,
            seed,
        )

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`. Where runs of several lengths are stored, the longest count."""
        found: dict[tuple[int, float], dict[Hashable, float]] = {}
        for unit, result in results.items():
            if isinstance(unit, AggregateRun):
                for seconds in self.times:
                    if unit == self._unit(seconds, unit.seed, unit.matches):
                        here = found.setdefault((unit.matches, seconds), {})
                        here[unit.seed] = result["nash_conv"] / (2 if self.one_seat else 1)
        most = max((matches for matches, _ in found), default=0)
        return [
            (seconds, by_seed(values))
            for (matches, seconds), values in sorted(found.items())
            if matches == most
        ]


@dataclass(frozen=True)
class ExpectedLine:
    """The expected strategy of all seeds, a point for each number of iterations.

    name: what the legend calls it.
    game: the name of the game.
    search: the name of the search.
    budgets: the iterations in each public state; at the scale ``evening`` ``evening_budgets``.
    preplay: the iterations at the root before that; 0 for none.
    seeds: how many seeds there are; at the scale ``evening`` ``evening``, and 0 leaves the line
        out.
    from_root: for a search that never aims: how many resolvings a decision has had on average. The
        search is then made from the root only, once for pre-play and all of them together; 0 for
        searches that are made at each public state.
    """

    name: str
    game: str
    search: str
    budgets: tuple[int, ...]
    preplay: int
    seeds: int
    evening: int
    evening_budgets: tuple[int, ...]
    from_root: int = 0

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        if scale.is_short and not self.evening:
            return
        for budget in self.evening_budgets if scale.is_short else self.budgets:
            yield self._unit(budget, max(2, scale.seeds(self.seeds, self.evening)))

    def _unit(self, budget: int, count: int) -> ExpectedRun | ExpectedRootRun:
        if self.from_root:
            iterations = self.preplay + self.from_root * budget
            return ExpectedRootRun(self.game, self.search, iterations, count)
        return ExpectedRun(self.game, self.search, budget, self.preplay, count)

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`. The paper's exploitability is half of nash_conv. Where several numbers of
        seeds are stored, the largest counts.
        """
        most: dict[int, tuple[int, Any]] = {}
        for unit, result in results.items():
            if isinstance(unit, ExpectedRun | ExpectedRootRun):
                for budget in self.budgets:
                    is_larger = unit.count > most.get(budget, (0, None))[0]
                    if is_larger and unit == self._unit(budget, unit.count):
                        most[budget] = unit.count, result
        return [(budget, half_gap(*found)) for budget, found in sorted(most.items())]


@dataclass(frozen=True)
class StitchLine:
    """A search made afresh at every information set, a point for each number of iterations, over
    seeds.

    name: what the legend calls it.
    game: the name of the game.
    search: the name of the search.
    budgets: the iterations in each information set.
    preplay: the iterations at the root before that; 0 for none.
    seeds: how many seeds there are; at the scale ``evening`` ``evening``.
    """

    name: str
    game: str
    search: str
    budgets: tuple[int, ...]
    preplay: int
    seeds: int
    evening: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        for seed in range(scale.seeds(self.seeds, self.evening)):
            for budget in self.budgets:
                yield StitchRun(self.game, self.search, budget, seed, self.preplay)

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`."""
        found: dict[float, dict[Hashable, float]] = {}
        for unit, result in results.items():
            if isinstance(unit, StitchRun) and (unit.game, unit.search) == (self.game, self.search):
                found.setdefault(unit.iterations, {})[unit.seed] = result["nash_conv"]
        return [(budget, by_seed(values)) for budget, values in sorted(found.items())]


@dataclass(frozen=True)
class Panel:
    """One of several pictures of a figure.

    name: what tells it from the others, such as the name of its game.
    lines: its lines.
    """

    name: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class PanelFigure(Experiment):
    """A figure of several pictures. To its checks, a line is known as the name of its panel and its
    own name, with a blank between them.

    panels: the pictures.
    x: what is on the horizontal axis.
    y: what is on the vertical axis.
    checks: the sentences that are tested on the lines of all panels. A check that lacks a line
        raises KeyError, and is left out.
    log_y: whether the vertical axis is logarithmic.
    """

    panels: tuple[Panel, ...]
    x: str
    y: str
    checks: tuple[CurveCheck, ...] = ()
    log_y: bool = True

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: the units of all lines, seed by seed."""
        lines = [line for panel in self.panels for line in panel.lines]
        yield from in_turns(
            line.units(scale) for line in (clocked(lines) if scale.by_clock else lines)
        )

    def findings(self, results: Results) -> Findings:
        plots, by_name = [], dict[str, Curve]()
        for panel in self.panels:
            if curves := curves_of(panel.lines, results):
                short = "".join(letter for letter in panel.name.casefold() if letter.isalnum())
                title = f"{self.title}, {panel.name}" if panel.name else self.title
                plots.append(
                    Plot(short, title, self.x, self.y, tuple(curves.values()), log_y=self.log_y)
                )
                before = f"{panel.name} " if panel.name else ""
                by_name |= {f"{before}{name}": curve for name, curve in curves.items()}
        return Findings(plots=tuple(plots), checks=tuple(checked(self.checks, by_name)))


def line_figure(*, lines: tuple[Line, ...], **fields: Any) -> PanelFigure:
    """A figure with a single picture, of ``lines``; the other arguments are those of `PanelFigure`
    without its panels.
    """
    return PanelFigure(panels=(Panel("", lines),), **fields)
