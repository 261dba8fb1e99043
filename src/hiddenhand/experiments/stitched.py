"""Tables of searches that are made afresh at every information set."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hiddenhand.experiments.experiment import Experiment, Results, Scale
from hiddenhand.experiments.findings import Check, Findings, Grid, all_of, below, written
from hiddenhand.experiments.measures import GameValue, StitchRun, over_seeds
from hiddenhand.experiments.units import Unit
from hiddenhand.statistics import Interval

_COLUMNS: Final = ("ε1", "ε2", "εσ")
_SHORT: Final = 0.005
"""The share of the times that the scale quick has."""


@dataclass(frozen=True)
class StitchTable(Experiment):
    """A table of how exploitable searches are, a row for each search and time.

    game: the name of the game.
    searches: for each search its name in the paper, its name here, and how many iterations the
        paper's machine made in a second.
    times: the seconds for each information set.
    seeds: how many seeds there are; at the scale ``quick`` ``quick``.
    """

    game: str
    searches: tuple[tuple[str, str, float], ...]
    times: tuple[float, ...]
    seeds: int
    quick: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`."""
        yield GameValue(self.game)
        share = _SHORT if scale.is_quick else 1.0
        for seed in range(scale.count(self.seeds, self.quick)):
            for seconds in self.times:
                for _, search, speed in self.searches:
                    yield StitchRun(self.game, search, round(speed * seconds * share), seed)

    def findings(self, results: Results) -> Findings:
        """See `Experiment.findings`."""
        value = results.get(GameValue(self.game), {}).get("value")
        if value is None:
            return Findings()
        named = {1.0: "as in the draft", _SHORT: "a two-hundredth of the time"}
        grids = [
            grid
            for share, name in named.items()
            if (grid := self._grid(results, value, share, name)).cells
        ]
        checks = [check for grid in grids for check in self._checks(grid)]
        return Findings(grids=tuple(grids), checks=tuple(checks))

    def _grid(self, results: Results, value: float, share: float, name: str) -> Grid:
        cells: dict[tuple[str, str], Interval] = {}
        counts = []
        rows = [
            (f"{called}, {seconds:g} s", search, round(speed * seconds * share))
            for seconds in self.times
            for called, search, speed in self.searches
        ]
        for row, search, iterations in rows:
            found = [
                result["best_responses"]
                for unit, result in results.items()
                if isinstance(unit, StitchRun)
                and (unit.search, unit.iterations) == (search, iterations)
            ]
            if found:
                # the best response in seat 2 is what the strategy of seat 1 loses, and vice versa
                first = [responses[1] + value for responses in found]
                second = [responses[0] - value for responses in found]
                both = [a + b for a, b in zip(first, second, strict=True)]
                for column, values in zip(_COLUMNS, (first, second, both), strict=True):
                    cells[row, column] = over_seeds(values)
                counts.append(len(found))
        return Grid(
            name="main",
            rows=tuple(row for row, _, _ in rows),
            columns=_COLUMNS,
            cells=cells,
            reading=name,
            unit="exploitability",
            observations=min(counts, default=0),
        )

    def _checks(self, grid: Grid) -> Iterator[Check]:
        """What the draft's numbers say."""
        sums = {row: grid.cells.get((row, "εσ")) for row in grid.rows}
        names = [name for name, _, _ in self.searches]
        first, last = self.times[0], self.times[-1]
        longer = [(sums[f"{name}, {last:g} s"], sums[f"{name}, {first:g} s"]) for name in names]
        ours = [
            (sums[f"{name}, {last:g} s"], sums[f"{names[0]}, {last:g} s"]) for name in names[1:]
        ]
        for name, pairs in (("longer-is-better", longer), ("oos-below-ismcts", ours)):
            known = [(one, other) for one, other in pairs if one and other]
            words = "; ".join(f"{written(one)} against {written(other)}" for one, other in known)
            yield Check(name, all_of([below(*pair) for pair in known]), words, grid.reading)
