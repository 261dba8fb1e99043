"""Tables of how exploitable searches are whose seeds play together: rows of games, columns of
searches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Findings, Grid, all_of, written
from hiddenhand_papers.measures import ExpectedRun, half_gap
from hiddenhand_papers.units import Unit

_MUCH: Final = 1.5  # a ratio of exploitabilities that counts as an influence


@dataclass(frozen=True)
class ExpectedTable(Experiment):
    """A table of exploitabilities, each half of nash_conv.

    games: the names of the games.
    searches: the searches by the names of the columns.
    iterations: how many iterations a search makes in each public state.
    preplay: how many it makes at the root before.
    seeds: how many seeds there are; at the scale ``evening`` ``evening``.
    """

    games: tuple[str, ...]
    searches: tuple[tuple[str, str], ...]
    iterations: int
    preplay: int
    seeds: int
    evening: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        count = max(2, scale.seeds(self.seeds, self.evening))
        for game in self.games:
            for _, search in self.searches:
                yield ExpectedRun(game, search, self.iterations, self.preplay, count)

    def findings(self, results: Results) -> Findings:
        """See `Experiment.findings`. Where several numbers of seeds are stored, the largest
        counts.
        """
        cells: dict[tuple[str, str], Interval] = {}
        counts: dict[tuple[str, str], int] = {}
        columns = {search: name for name, search in self.searches}
        for unit, result in results.items():
            if isinstance(unit, ExpectedRun):
                place = unit.game, columns[unit.search]
                if unit.count > counts.get(place, 0):
                    counts[place] = unit.count
                    cells[place] = half_gap(unit.count, result)
        if not cells:
            return Findings()
        names = tuple(name for name, _ in self.searches)
        grid = Grid(
            "main",
            self.games,
            names,
            cells,
            unit="exploitability (half of nash_conv)",
            observations=min(counts.values()),
        )
        return Findings(grids=(grid,), checks=(self._check(grid),))

    def _check(self, grid: Grid) -> Check:
        answers: list[bool | None] = []
        said = []
        for game in self.games:
            row = [grid.cells[game, name] for name in grid.columns if (game, name) in grid.cells]
            if len(row) < len(grid.columns):
                answers.append(None)
                continue
            least = min(row, key=lambda interval: interval.value)
            most = max(row, key=lambda interval: interval.value)
            meet = most.low <= least.high
            answers.append(meet or most.value < _MUCH * least.value)
            said.append(f"{game}: from {written(least)} to {written(most)}")
        return Check("no-influence-of-epsilon", all_of(answers), "; ".join(said))
