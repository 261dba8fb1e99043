"""Tables of matches of pursuit with limited sight: evaders in the rows, pursuers in the columns.

Lisy (2014), Section 5.5.2, compares players by three measures (see `VisibilityPursuit`), over
starts that are the same for all pairs. Here, as in its Fig. 5.5, "num_seen" is negative, so that
of each measure evaders want much and pursuers little. A player's *nemesis* is the opponent against
which it comes off worst.

Sentences about that are tested in `claims`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from statistics import fmean
from typing import Final

from hiddenhand.matches.match import play_match
from hiddenhand.players.player import Player, derived_seed
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Curve, Findings, Grid, Picture, Plot
from hiddenhand_papers.play import Contestant
from hiddenhand_papers.printed import printed_item
from hiddenhand_papers.pursuit.nemeses import drawn, marks_of
from hiddenhand_papers.units import Result, Unit, game_called

DEALS: Final = 2014
"""The seed of chance: the k-th matches of all pairs on a map have the same start."""
STARTS: Final = 100
"""How many matches a pair has on each map at the scale ``paper``, if nothing else is said."""
MEASURES: Final = ("mean_size", "num_seen", "end_size")
Players = tuple[tuple[str, Contestant], ...]
Place = tuple[str, str]
"""The names of an evader and of pursuers."""
Start = tuple[str, int]
"""Where a match starts: the name of the game, and so the map, and the number of the match."""
Sample = Mapping[Start, float]
"""By the start of a match, what was found in it."""


@dataclass(frozen=True)
class Chases(Unit):
    """Some matches of pursuit with limited sight.

    game: the name of the game.
    evader: who plays the evader.
    pursuers: who plays the pursuers.
    start: the number of the first match.
    count: how many matches there are.

    The result has each measure of each match; in other games what the first player is paid, in the
    place of the mean size; and for both players together the iterations and the
    seconds of all moves.
    """

    game: str
    evader: Contestant
    pursuers: Contestant
    start: int
    count: int

    @property
    def players(self) -> tuple[str, ...]:
        return self.evader.player, self.pursuers.player

    @property
    def seeds(self) -> tuple[int, ...]:
        """The numbers of the matches, which all seeds are derived from."""
        return tuple(range(self.start, self.start + self.count))

    def run(self) -> Result:
        """Play the matches."""
        found: dict[str, list[float]] = {name: [] for name in MEASURES}
        iterations, seconds = [0.0, 0.0], [0.0, 0.0]
        for number in self.seeds:
            record = play_match(
                game_called(self.game),
                [_seated(self.game, 0, self.evader), _seated(self.game, 1, self.pursuers)],
                derived_seed(DEALS, 1, number),
                [self.evader.budget, self.pursuers.budget],
                chance_seed=derived_seed(DEALS, 0, number),
            )
            for name, value in (record.measures or {"mean_size": record.returns[0]}).items():
                found[name].append(-value if name == "num_seen" else value)
            for seat in range(2):
                iterations[seat] += record.thought(seat).get("iterations", 0.0)
                seconds[seat] += sum(record.seconds[seat])
        rounded = [round(value, 3) for value in seconds]
        found = {name: values for name, values in found.items() if values}
        return {"measures": found, "iterations": iterations, "seconds": rounded}


@lru_cache(maxsize=16)
def _seated(game: str, seat: int, contestant: Contestant) -> Player:
    """A player, whose search is made once for all matches of this process: making a search tries
    the rules of its game, and that takes longer than a short match.
    """
    player = contestant.seated(game)
    return player.with_one_search() if isinstance(player, SearchPlayer) else player


@dataclass(frozen=True)
class Chased:
    """What was found in one reading.

    values: by measure, evader and pursuers, what was found in each match.
    work: by evader and pursuers, for each seat, the iterations and the seconds of all matches.
    """

    values: Mapping[tuple[str, str, str], Sample]
    work: Mapping[Place, tuple[list[float], list[float]]]

    def cell(self, measure: str, place: Place) -> Interval:
        """The mean over all matches. Raises KeyError where there are none."""
        return mean_interval(list(self.values[(measure, *place)].values()))

    def nemesis_of_evader(self, measure: str, evader: str) -> str:
        """The pursuers against whom an evader comes off worst."""
        met = [place for place in self.values if place[:2] == (measure, evader)]
        means = self.shared_means(met)
        return min(met, key=lambda place: means[place])[2]

    def nemesis_of_pursuers(self, measure: str, pursuers: str) -> str:
        """The evader against whom pursuers come off worst."""
        met = [place for place in self.values if (place[0], place[2]) == (measure, pursuers)]
        means = self.shared_means(met)
        return max(met, key=lambda place: means[place])[1]

    def shared_means(self, places: Sequence[tuple[str, str, str]]) -> dict[tuple[str, ...], float]:
        """The mean of each of ``places`` over the matches that all of them have; over all matches
        where they share none. Raises KeyError where nothing was found.
        """
        if not places:
            raise KeyError("no matches")
        samples = [self.values[place] for place in places]
        shared = set(samples[0]).intersection(*samples)
        return {
            place: fmean(value for start, value in sample.items() if start in shared or not shared)
            for place, sample in zip(places, samples, strict=True)
        }

    def table(self, measure: str) -> dict[Place, float]:
        """What each evader reaches against all pursuers, over the matches that all pairs have."""
        places = [place for place in self.values if place[0] == measure]
        means = self.shared_means(places)
        return {(place[1], place[2]): means[place] for place in places}

    def speed(self, place: Place, seat: int) -> float:
        """Iterations a second of the player in a seat."""
        iterations, seconds = self.work[place][seat]
        return iterations / max(seconds, 1e-9)


ChaseTest = Callable[[Chased], Check]
"""Tests a sentence on what was found; raises KeyError or ValueError where something is missing."""


@dataclass(frozen=True)
class ChaseReading:
    """One way to read a set-up, on maps of one kind. Matches on all of them count alike.

    name: the kind of maps and what else tells the reading from others.
    games: the names of the games, one for each map.
    evaders: the players of the rows, by name.
    pursuers: the players of the columns, by name.
    in_evening: whether it is run at the scale ``evening``, too, on the first map.
    """

    name: str
    games: tuple[str, ...]
    evaders: Players
    pursuers: Players
    in_evening: bool = False


@dataclass(frozen=True)
class ChaseTable(Experiment):
    """A table of matches for each reading.

    readings: the ways to read the set-up; the first decides the verdict.
    evening: how many matches a cell has at the scale ``evening``.
    starts: how many it has on each map at the scale ``paper``.
    measures: the measures that are shown.
    tests: the sentences that are tested on each reading.
    axis: what the names of the players of one side are numbers of, for a picture; else empty.
    along: whether these are the evaders.
    speeds: whether the iterations a second are shown, of the side ``along`` says.
    nemeses: whether cells against a nemesis stand out, see `nemeses`.
    """

    readings: tuple[ChaseReading, ...]
    evening: int = 12
    starts: int = STARTS
    measures: tuple[str, ...] = ("mean_size",)
    tests: tuple[ChaseTest, ...] = ()
    axis: str = ""
    along: bool = False
    speeds: bool = False
    nemeses: bool = False

    @property
    def deciding(self) -> "ChaseTable":
        """See `Experiment.deciding`."""
        return replace(self, readings=self.readings[:1])

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: first a match of each cell on each map, then more."""
        for number in range(scale.count(self.starts, self.evening)):
            for reading in self.readings:
                first = int(reading.in_evening)
                for game in reading.games[: first if scale.is_short else None]:
                    for (_, evader), (_, pursuers) in product(reading.evaders, reading.pursuers):
                        yield Chases(game, evader, pursuers, number, 1)

    def findings(self, results: Results) -> Findings:
        grids, plots, checks = list[Grid](), list[Plot](), list[Check]()
        pictures = list[Picture]()
        for reading in self.readings:
            chased = _chased(reading, results)
            if _have_all_played(reading, chased):
                tables = [self._grid(reading, chased, measure) for measure in self.measures]
                grids += tables
                if self.nemeses:
                    title = f"{self.title}, {reading.name}"
                    pictures.append(Picture(_as_name(reading.name), title, drawn(title, tables)))
                if self.speeds:
                    grids.append(self._speeds(reading, chased))
                if self.axis:
                    plots.append(self._plot(reading, chased))
                for test in self.tests:
                    try:
                        found = test(chased)
                    except (KeyError, ValueError):  # something is missing
                        continue
                    checks.append(Check(found.name, found.holds, found.words, reading.name))
        notes = tuple(self._printed()) if grids else ()
        return Findings(tuple(grids), tuple(plots), tuple(checks), notes, tuple(pictures))

    def _grid(self, reading: ChaseReading, chased: Chased, measure: str) -> Grid:
        cells = {
            place[1:]: chased.cell(measure, place[1:])
            for place in chased.values
            if place[0] == measure
        }
        return Grid(
            name=measure,
            rows=tuple(name for name, _ in reading.evaders),
            columns=tuple(name for name, _ in reading.pursuers),
            cells=cells,
            reading=reading.name,
            unit=f"{measure}; evaders in rows want much, pursuers in columns little",
            observations=min(len(values) for values in chased.values.values()),
            marks=marks_of(chased.table(measure)) if self.nemeses else {},
        )

    def _printed(self) -> Iterator[str]:
        """What the thesis printed, in a sentence for each table."""
        item = printed_item(self.name)
        for table in item.tables if item else ():
            numbers = ", ".join(f"{row} {cell.value:g}" for (row, _), cell in table.cells.items())
            yield f"The thesis prints of a map that it does not name, {table.name}: {numbers}."

    def _speeds(self, reading: ChaseReading, chased: Chased) -> Grid:
        cells = {}
        for place in chased.work:
            speed = chased.speed(place, 0 if self.along else 1)
            cells[place] = Interval(speed, speed, speed)
        return Grid(
            "speed",
            tuple(name for name, _ in reading.evaders),
            tuple(name for name, _ in reading.pursuers),
            cells,
            reading.name,
            f"iterations a second of the {'evader' if self.along else 'pursuers'}, in wall time, "
            "on the machine below",
        )

    def _plot(self, reading: ChaseReading, chased: Chased) -> Plot:
        curves = []
        for other in reading.pursuers if self.along else reading.evaders:
            points = []
            for name, _ in reading.evaders if self.along else reading.pursuers:
                place = (name, other[0]) if self.along else (other[0], name)
                if (self.measures[0], *place) in chased.values:
                    points.append((float(name), chased.cell(self.measures[0], place)))
            curves.append(Curve(f"against {other[0]}", tuple(points)))
        return Plot(
            _as_name(reading.name),
            f"{self.title}, {reading.name}",
            self.axis,
            self.measures[0],
            tuple(curve for curve in curves if curve.points),
            log_x=False,
            log_y=False,
        )


def _have_all_played(reading: ChaseReading, chased: Chased) -> bool:
    """Whether each evader and all pursuers of a reading were in a match. Readings share players, so
    that matches of some are there when another reading was run.
    """
    evaders, pursuing = zip(*chased.work, strict=True) if chased.work else ((), ())
    return {name for name, _ in reading.evaders} <= set(evaders) and {
        name for name, _ in reading.pursuers
    } <= set(pursuing)


def _as_name(text: str) -> str:
    """A text as part of the name of a file."""
    return "".join(letter if letter.isalnum() else "-" for letter in text)


def _chased(reading: ChaseReading, results: Results) -> Chased:
    values: dict[tuple[str, str, str], dict[Start, float]] = {}
    work: dict[Place, tuple[list[float], list[float]]] = {}
    evaders = {contestant: name for name, contestant in reading.evaders}
    pursuers = {contestant: name for name, contestant in reading.pursuers}
    for unit, result in results.items():
        if not isinstance(unit, Chases) or unit.game not in reading.games:
            continue
        if unit.evader in evaders and unit.pursuers in pursuers:
            place = evaders[unit.evader], pursuers[unit.pursuers]
            for measure, found in result["measures"].items():
                sample = values.setdefault((measure, *place), {})
                starts = ((unit.game, number) for number in unit.seeds)
                sample.update(zip(starts, found, strict=True))
            for seat, done in enumerate(work.setdefault(place, ([0.0, 0.0], [0.0, 0.0]))):
                done[0] += result["iterations"][seat]
                done[1] += result["seconds"][seat]
    return Chased(values, work)
