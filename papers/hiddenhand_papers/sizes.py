"""Tables of how large games are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.statistics import Interval
from hiddenhand.trees.tree_size import estimated_histories
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Findings, Grid, written
from hiddenhand_papers.measures import over_seeds, tree_of
from hiddenhand_papers.units import Result, Unit, game_called

_COLUMNS: Final = ("histories", "terminal", "sets 1", "sets 2", "public states")
_PLAYS: Final = 200_000


@dataclass(frozen=True)
class CountedSize(Unit):
    """How many histories, information sets and public states a game has, counted.

    game: the name of the game.
    """

    game: str

    def run(self) -> Result:
        """Write the game out, and count."""
        tree = tree_of(self.game)
        deciding = (tree.player != CHANCE) & (tree.player != TERMINAL)
        return {
            "histories": int(tree.num_histories),
            "terminal": int(np.count_nonzero(tree.player == TERMINAL)),
            "sets 1": int(tree.sets_of(0).size),
            "sets 2": int(tree.sets_of(1).size),
            "public states": int(np.unique(tree.keys[deciding, -1]).size),
        }


@dataclass(frozen=True)
class EstimatedSize(Unit):
    """How many histories a game has, estimated by random plays, see `estimated_histories`.

    game: the name of the game.
    plays: how many plays the estimate is made of.
    seed: their seed.
    """

    game: str
    plays: int
    seed: int

    def run(self) -> Result:
        """Play at random."""
        return {"histories": estimated_histories(game_called(self.game), self.seed, self.plays)}


@dataclass(frozen=True)
class SizeTable(Experiment):
    """A table of sizes.

    counted: the games that are counted, by their names in the paper.
    estimated: the games that are too large for that.
    seeds: how many estimates there are of each; at the scale ``evening`` ``evening``.
    """

    counted: tuple[tuple[str, str], ...]
    estimated: tuple[tuple[str, str], ...]
    seeds: int
    evening: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        yield from (CountedSize(game) for _, game in self.counted)
        for seed in range(scale.seeds(self.seeds, self.evening)):
            yield from (EstimatedSize(game, _PLAYS, seed) for _, game in self.estimated)

    def findings(self, results: Results) -> Findings:
        cells: dict[tuple[str, str], Interval] = {}
        for name, game in self.counted:
            for column, value in results.get(CountedSize(game), {}).items():
                cells[name, column] = Interval(value, value, value)
        for name, game in self.estimated:
            values = [
                result["histories"]
                for unit, result in results.items()
                if isinstance(unit, EstimatedSize) and unit.game == game
            ]
            if values:
                cells[name, "histories"] = over_seeds(values)
        rows = tuple(name for name, _ in (*self.counted, *self.estimated))
        grid = Grid("main", rows, _COLUMNS, cells, unit="how many there are")
        return Findings(grids=(grid,), checks=tuple(self._checks(cells))) if cells else Findings()

    def _checks(self, cells: dict[tuple[str, str], Interval]) -> Iterator[Check]:
        """The large games are ten thousand to 10^15 times as large as the small ones."""
        ratios = {}
        for name, _ in self.estimated:
            small = [
                other for other, _ in self.counted if other.split("-")[0] == name.split("-")[0]
            ]
            if small and {(name, "histories"), (small[0], "histories")} <= set(cells):
                count = cells[small[0], "histories"].value
                large = cells[name, "histories"]
                ratios[name] = Interval(large.value / count, large.low / count, large.high / count)
        if ratios:
            holds = all(1e3 <= ratio.value <= 1e16 for ratio in ratios.values())
            words = "; ".join(f"{name}: {written(ratio)} times" for name, ratio in ratios.items())
            yield Check("large-10000-to-1e15-times", holds, words)
