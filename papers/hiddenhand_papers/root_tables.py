"""Tables of whole games: their values, and how exploitable searches from the root are."""

from collections.abc import Iterator
from dataclasses import dataclass

from hiddenhand.statistics import Interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Findings, Grid, all_of, not_above, written
from hiddenhand_papers.measures import GameValue, RootRun, over_seeds
from hiddenhand_papers.printed import printed_item
from hiddenhand_papers.units import Unit


@dataclass(frozen=True)
class ValueTable(Experiment):
    """A table of what the first player is paid in equilibrium.

    games: the names of the games.
    """

    games: tuple[str, ...]

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`; all scales are alike."""
        yield from (GameValue(game) for game in self.games)

    def findings(self, results: Results) -> Findings:
        cells = {
            (game, "value"): Interval(value, value, value)
            for game in self.games
            if (value := results.get(GameValue(game), {}).get("value")) is not None
        }
        if not cells:
            return Findings()
        # a linear program is exact to nine digits, and so is what is printed
        near = {
            place: Interval(ours.value, ours.value - 1e-9, ours.value + 1e-9)
            for place, ours in cells.items()
        }
        unit = "payoff of the first player"
        return Findings(grids=(Grid("main", self.games, ("value",), near, unit=unit),))


@dataclass(frozen=True)
class RootTable(Experiment):
    """A table with one column, of how exploitable searches from the root are.

    column: the name of the column.
    runs: for each row its name, the game, the search and the iterations.
    seeds: how many seeds there are; at the scale ``evening`` ``evening``.
    """

    column: str
    runs: tuple[tuple[str, str, str, int], ...]
    seeds: int
    evening: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        for seed in range(scale.seeds(self.seeds, self.evening)):
            for _, game, search, iterations in self.runs:
                yield RootRun(game, search, iterations, 1, seed, "uniform")

    def findings(self, results: Results) -> Findings:
        cells: dict[tuple[str, str], Interval] = {}
        counts = []
        for name, game, search, iterations in self.runs:
            values = [
                result["nash_conv"][-1]
                for unit, result in results.items()
                if isinstance(unit, RootRun)
                and (unit.game, unit.search, unit.iterations) == (game, search, iterations)
            ]
            if values:
                cells[name, self.column] = over_seeds(values)
                counts.append(len(values))
        if not cells:
            return Findings()
        rows = tuple(name for name, *_ in self.runs)
        grid = Grid(
            "main",
            rows,
            (self.column,),
            cells,
            unit="exploitability, sum over both players",
            observations=min(counts),
        )
        return Findings(grids=(grid,), checks=tuple(self._checks(grid)))

    def _checks(self, grid: Grid) -> Iterator[Check]:
        """Whether ours are not above the printed values."""
        item = printed_item(self.name)
        table = item.table("main") if item else None
        if table is None:
            return
        pairs = [(ours, table.cells[at]) for at, ours in grid.cells.items() if at in table.cells]
        words = "; ".join(f"{written(ours)} against {theirs.value:g}" for ours, theirs in pairs)
        yield Check("not-above-the-program", all_of([not_above(*pair) for pair in pairs]), words)
