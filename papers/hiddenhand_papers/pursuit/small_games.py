"""Pursuit so small that it is solved exactly: what the pursuers can keep the evader to, what they
believe they can, and how exploitable the searches are that were made for pursuit.

A paranoid pursuer takes the evader for one that hides as if it knew the pursuers' moves. So the
value of the pursuers' information-set tree is never below that of the game. Searches are made
afresh in every information set; strategies put together so are measured by `nash_conv`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hiddenhand.games.registry import load_game
from hiddenhand.pursuit.games.layout import PURSUERS
from hiddenhand.pursuit.search.istminimax import ISTMinimax
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Findings, Grid
from hiddenhand_papers.measures import GameValue, StitchRun
from hiddenhand_papers.pursuit.claims import said
from hiddenhand_papers.units import Result, Unit

GAMES: Final = tuple(
    f"VP(map='{rows}',pursuers=1,{options})"
    for rows, options in (
        (".../.#./...", "sight=2,moves=2,start='c3 a1'"),
        (".../.#./...", "sight=1.5,moves=3,start='c2 a2'"),
        ("..../.##./....", "sight=2,moves=3,start='a3 d1'"),
        ("...../.#.#./.....", "sight=2,moves=3,stay=false,start='c2 a2'"),
        ("...../.#.#./.....", "sight=1,moves=3,stay=false,start='c3 c3'"),
    )
)
"""Games in which paranoid pursuers expect less than they could reach."""
_SEARCHES: Final = (
    ("MM", "istminimax", 10**6),
    ("SO", "istmcts", 1000),
    ("MO", "mo", 1000),
    ("MO, drawn moves", "mo(move=sampled)", 1000),
)
_EXACT: Final = 1e-9  # a smaller difference of values is an error of rounding
_COLUMNS: Final = ("value", "paranoid value", *(name for name, _, _ in _SEARCHES))


@dataclass(frozen=True)
class ParanoidValue(Unit):
    """What pursuers reach in the worst case at each observation, by full-depth minimax on their
    information-set tree, as the evader is paid.

    game: the name of the game.
    """

    game: str

    @property
    def players(self) -> tuple[str, ...]:
        return ("istminimax",)

    def run(self) -> Result:
        """Search to the end."""
        search = ISTMinimax(load_game(self.game))
        search.start(PURSUERS, 0)
        search.think(iterations=10**9)
        return {"value": -search.value}


@dataclass(frozen=True)
class SmallPursuit(Experiment):
    """The table of all of that."""

    def units(self, scale: Scale) -> Iterator[Unit]:
        for game in GAMES:
            yield GameValue(game)
            yield ParanoidValue(game)
            for seed in range(max(2, scale.seeds(20, 3))):
                for _, search, iterations in _SEARCHES:
                    yield StitchRun(game, search, iterations, seed)

    def findings(self, results: Results) -> Findings:
        cells: dict[tuple[str, str], Interval] = {}
        for game in GAMES:
            for name, unit in (("value", GameValue(game)), ("paranoid value", ParanoidValue(game))):
                if unit in results:
                    value = float(results[unit]["value"])
                    cells[game, name] = Interval(value, value, value)
            for name, search, _ in _SEARCHES:
                found = [
                    float(result["nash_conv"])
                    for unit, result in results.items()
                    if isinstance(unit, StitchRun) and (unit.game, unit.search) == (game, search)
                ]
                if found:
                    cells[game, name] = mean_interval(found)
        known = [game for game in GAMES if {(game, name) for name in _COLUMNS[:2]} <= set(cells)]
        if not known:
            return Findings()
        gaps = [cells[game, "paranoid value"].value - cells[game, "value"].value for game in known]
        worse, better = (sum(sign * gap > _EXACT for gap in gaps) for sign in (1, -1))
        grid = Grid(
            "main",
            GAMES,
            _COLUMNS,
            cells,
            unit="the mean size of PP in equilibrium and as paranoid pursuers see it; and "
            "nash_conv of the strategies of each search",
        )
        check = said(
            "paranoid-value-often-worse",
            not better and 2 * worse > len(gaps),
            f"worse in {worse} of {len(gaps)} games, better in {better}",
        )
        return Findings((grid,), (), (check,))


def experiments() -> Iterator[Experiment]:
    """The only one."""
    yield SmallPursuit(
        "pursuit",
        "small",
        "Values of small games, and how exploitable the searches are",
        (
            "MM searches to the end of the match, SO and MO make 1,000 iterations in each "
            "information set. 20 seeds; at the scale evening three.",
        ),
    )
