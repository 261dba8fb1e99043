"""How long depth-limited alpha-beta takes in pursuit with limited sight: Fig. 5.4 of Lisy's thesis
(2014).
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.experiments.chases import DEALS, said
from hiddenhand.experiments.experiment import Experiment, Results, Scale
from hiddenhand.experiments.findings import Check, Curve, Findings, Grid, Plot, written
from hiddenhand.experiments.pursuit_ways import MAPS
from hiddenhand.experiments.units import Result, Unit, game_called
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.games.pursuit.layout import PURSUERS
from hiddenhand.players.player import derived_seed
from hiddenhand.players.specs import make_player
from hiddenhand.search.pursuit.istminimax import ISTMinimax
from hiddenhand.statistics import Interval, wilson_interval

_PLAYERS: Final = ("mo", "istmcts")
_ITERATIONS: Final = 300
_DEPTH: Final = 8  # own moves
_MATCHES: Final = 10  # on each map
_QUICK_MAPS: Final = 2  # maps that the scale ``quick`` has
_LONGEST: Final = 30.0  # seconds after which a search is given up
_HUNDREDS: Final = 0.01  # the least share of 10,000 positions that the thesis may mean
_BINS: Final = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, _LONGEST)


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
        """See `Unit.players`."""
        return (*_PLAYERS, "istminimax")

    def run(self) -> Result:
        """Play the match, and search at each decision."""
        game = game_called(self.game)
        players = [make_player(name, game) for name in _PLAYERS]
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
        began = time.process_time()
        while search.depth_reached == 0 and time.process_time() - began < _LONGEST:
            search.think(iterations=50_000)
        return time.process_time() - began


@dataclass(frozen=True)
class TimesFigure(Experiment):
    """A histogram of times for each map."""

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: first a match on each map, then more."""
        for number in range(scale.count(_MATCHES, 1)):
            for name in MAPS[: _QUICK_MAPS if scale.is_quick else None]:
                yield self.unit(name, number)

    def unit(self, name: str, number: int) -> DepthTimes:
        """A match on the map called ``name``."""
        return DepthTimes(f"VP(map={name})", _DEPTH, number)

    def findings(self, results: Results) -> Findings:
        """See `Experiment.findings`."""
        curves, checks = list[Curve](), list[Check]()
        cells: dict[tuple[str, str], Interval] = {}
        sizes = []
        for name in MAPS:
            game = self.unit(name, 0).game
            found = [
                result["seconds"]
                for unit, result in results.items()
                if isinstance(unit, DepthTimes) and unit.game == game
            ]
            if not found:
                continue
            seconds = np.concatenate(found)
            sizes.append(seconds.size)
            shares = [float(np.mean(seconds <= end)) for end in _BINS[1:]]
            curves.append(
                Curve(
                    name, tuple((end, _point(y)) for end, y in zip(_BINS[1:], shares, strict=True))
                )
            )
            within = wilson_interval(float((seconds <= 1.0).sum()), seconds.size)
            above = wilson_interval(float((seconds > 10.0).sum()), seconds.size)
            cells[name, "within 1 s"], cells[name, "above 10 s"] = within, above
            cells[name, "median"] = _point(float(np.median(seconds)))
            holds = True if within.low > 0.5 else False if within.high < 0.5 else None
            checks.append(
                _on(name, said("over-half-within-a-second", holds, f"share {written(within)}"))
            )
            some = True if above.value > 0 else False if above.high < _HUNDREDS else None
            checks.append(
                _on(name, said("some-above-ten-seconds", some, f"share {written(above)}"))
            )
        if not curves:
            return Findings()
        columns = ("within 1 s", "above 10 s", "median")
        rows = tuple(curve.name for curve in curves)
        grid = Grid(
            "main", rows, columns, cells, "", "shares of positions, and seconds", min(sizes)
        )
        plot = Plot(
            "", self.title, "seconds", "share of positions done", tuple(curves), log_y=False
        )
        return Findings((grid,), (plot,), tuple(checks))


def _point(value: float) -> Interval:
    return Interval(value, value, value)


def _on(name: str, check: Check) -> Check:
    """The same, of one map."""
    return Check(check.name, check.holds, check.words, name)
