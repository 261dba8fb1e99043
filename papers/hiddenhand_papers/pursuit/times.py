"""How long depth-limited alpha-beta takes in pursuit with limited sight: Fig. 5.4 of Lisy's thesis
(2014).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.jit.arrays import Floats
from hiddenhand.players.player import derived_seed
from hiddenhand.players.registry import make_player
from hiddenhand.pursuit.games.layout import PURSUERS
from hiddenhand.pursuit.search.istminimax import ISTMinimax
from hiddenhand.statistics import Interval, wilson_interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Curve, Findings, Grid, Plot, written
from hiddenhand_papers.pursuit.chases import DEALS
from hiddenhand_papers.pursuit.claims import said
from hiddenhand_papers.pursuit.ways import MAPS
from hiddenhand_papers.units import Result, Unit, game_called

_PLAYERS: Final = ("mo", "istmcts")
_ITERATIONS: Final = 300
_DEPTH: Final = 8  # own moves
_MATCHES: Final = 10  # on each map
_EVENING_MAPS: Final = 2  # maps that the scale ``evening`` has
_LONGEST: Final = 30.0  # seconds after which a search is given up
_HUNDREDS: Final = 0.01  # the least share of 10,000 positions that the thesis may mean
_BINS: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, _LONGEST)
_EDGES: Final = (*_BINS[:-1], float("inf"))  # a search may be a little late to be given up


@dataclass(frozen=True)
class DepthTimes(Unit):
    """Seconds of processor time that alpha-beta takes at each decision of the pursuers in a match
    of SO against MO.

    game: the name of the game.
    depth: how deep is searched, in own moves.
    seed: the number of the match.
    """

    game: str
    depth: int
    seed: int

    @property
    def players(self) -> tuple[str, ...]:
        return (*_PLAYERS, "istminimax")

    @property
    def is_timed(self) -> bool:
        """See `Unit.is_timed`: the result is times."""
        return True

    def run(self) -> Result:
        """Play the match, and search at each decision."""
        game = game_called(self.game)
        players = [make_player(game, name) for name in _PLAYERS]
        for seat, player in enumerate(players):
            player.start(game, seat, derived_seed(DEALS, 1, self.seed, seat))
        search = ISTMinimax(game, depth=self.depth, deepest=self.depth)
        search.start(PURSUERS, 0)
        rng = np.random.default_rng(derived_seed(DEALS, 0, self.seed))
        history, unheard = History(game), [list[Event](), list[Event]()]
        seconds = []
        while not history.is_terminal:
            mover = history.player
            if mover == CHANCE:
                move = history.sample_chance(rng)
            else:
                events = unheard[mover]
                if mover == PURSUERS:
                    search.notice(events)
                    seconds.append(round(self._seconds(search), 4))
                legal = history.legal_actions()
                move = players[mover].act(events, legal, Budget(_ITERATIONS)).action
                unheard[mover] = []
            history = history.child(move)
            for seat in range(2):
                if event := history.noticed(seat):
                    unheard[seat].append(event)
        return {"seconds": seconds}

    def _seconds(self, search: ISTMinimax) -> float:
        began = clock.processor_seconds()
        while search.depth_reached == 0 and clock.processor_seconds() - began < _LONGEST:
            search.think(iterations=50_000)
        return clock.processor_seconds() - began


@dataclass(frozen=True)
class TimesFigure(Experiment):
    """A histogram of times for each map."""

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: first a match on each map, then more."""
        for number in range(scale.count(_MATCHES, 1)):
            for name in MAPS[: _EVENING_MAPS if scale.is_short else None]:
                yield self.unit(name, number)

    def unit(self, name: str, number: int) -> DepthTimes:
        """A match on the map called ``name``."""
        return DepthTimes(f"VP(map={name})", _DEPTH, number)

    def findings(self, results: Results) -> Findings:
        found = {name: self._seconds(name, results) for name in MAPS}
        found = {name: seconds for name, seconds in found.items() if seconds.size}
        if not found:
            return Findings()
        curves = tuple(
            Curve(name, tuple((end, _point(float(np.mean(seconds <= end)))) for end in _BINS[1:]))
            for name, seconds in found.items()
        )
        plot = Plot("", self.title, "seconds", "share of positions done", curves, log_y=False)
        checks = (check for name, seconds in found.items() for check in _checks(name, seconds))
        return Findings((_shares(found), _histogram(found)), (plot,), tuple(checks))

    def _seconds(self, name: str, results: Results) -> Floats:
        """The times of all positions on a map."""
        game = self.unit(name, 0).game
        found = [
            result["seconds"]
            for unit, result in results.items()
            if isinstance(unit, DepthTimes) and unit.game == game
        ]
        return np.concatenate([np.zeros(0), *found])


def _shares(found: Mapping[str, Floats]) -> Grid:
    cells: dict[tuple[str, str], Interval] = {}
    for name, seconds in found.items():
        for limit in (1, 10):
            cells[name, f"above {limit} s"] = _share(seconds > limit)
        cells[name, "median"] = _point(float(np.median(seconds)))
    return Grid(
        "main",
        tuple(found),
        ("above 1 s", "above 10 s", "median"),
        cells,
        unit="shares of positions, and seconds",
        observations=min(seconds.size for seconds in found.values()),
    )


def _histogram(found: Mapping[str, Floats]) -> Grid:
    columns = (*(f"up to {end:g} s" for end in _BINS[1:-1]), f"above {_BINS[-2]:g} s")
    cells = {
        (name, column): _point(float(count))
        for name, seconds in found.items()
        for column, count in zip(columns, np.histogram(seconds, _EDGES)[0], strict=True)
    }
    return Grid("histogram", tuple(found), columns, cells, unit="how many positions took so long")


def _checks(name: str, seconds: Floats) -> Iterator[Check]:
    """What the thesis says of its times, and the goal that this package has, on one map."""
    within, above = _share(seconds <= 1.0), _share(seconds > 10.0)
    for check, least in (("over-half-within-a-second", 0.5), ("goal-95-percent-in-a-second", 0.95)):
        holds = True if within.low > least else False if within.high < least else None
        yield _on(name, said(check, holds, f"share {written(within)}"))
    some = True if above.value > 0 else False if above.high < _HUNDREDS else None
    yield _on(name, said("some-above-ten-seconds", some, f"share {written(above)}"))


def _share(truths: npt.NDArray[np.bool_]) -> Interval:
    found = wilson_interval(float(truths.sum()), truths.size)
    # without the rounding error of a lower limit that is 0
    return found if truths.any() else Interval(0.0, 0.0, found.high)


def _point(value: float) -> Interval:
    return Interval(value, value, value)


def _on(name: str, check: Check) -> Check:
    """The same, of one map."""
    return Check(check.name, check.holds, check.words, name)
