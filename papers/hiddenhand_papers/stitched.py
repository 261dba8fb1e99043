"""Tables of searches that are made afresh at every information set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hiddenhand.statistics import Interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Findings, Grid, all_of, below, written
from hiddenhand_papers.measures import GameValue, StitchRun, over_seeds
from hiddenhand_papers.units import Unit

_COLUMNS: Final = ("first", "second", "sum")
_SHORT: Final = 0.001
"""The share of the times that the scale evening has."""


@dataclass(frozen=True)
class StitchTable(Experiment):
    """A table of how exploitable searches are, a row for each search and time.

    game: the name of the game.
    searches: for each search its name in the paper, its name here, and how many iterations the
        paper's machine made in a second.
    times: the seconds for each information set, increasing; at the scale ``quick`` only the last.
    seeds: how many seeds there are; at the scale ``evening`` ``evening``.
    """

    game: str
    searches: tuple[tuple[str, str, float], ...]
    times: tuple[float, ...]
    seeds: int
    evening: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        yield GameValue(self.game)
        share, times = 1.0, self.times
        if scale.is_short:
            share, times = _SHORT, times[-scale.few(len(times)) :]
        for seed in range(scale.seeds(self.seeds, self.evening)):
            for seconds in times:
                for _, search, speed in self.searches:
                    yield StitchRun(self.game, search, round(speed * seconds * share), seed)

    def findings(self, results: Results) -> Findings:
        """See `Experiment.findings`: a table for each time."""
        value = results.get(GameValue(self.game), {}).get("value")
        if value is None:
            return Findings()
        named = {1.0: "as in the draft", _SHORT: "a thousandth of the time"}
        grids, checks = [], []
        for share, name in named.items():
            found = [self._grid(results, value, seconds, share, name) for seconds in self.times]
            if any(grid.cells for grid in found):
                grids += found
                checks += list(self._checks(found, name))
        return Findings(grids=tuple(grids), checks=tuple(checks))

    def _grid(
        self, results: Results, value: float, seconds: float, share: float, name: str
    ) -> Grid:
        cells: dict[tuple[str, str], Interval] = {}
        counts = []
        for row, search, speed in self.searches:
            iterations = round(speed * seconds * share)
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
            name=f"{seconds:g}s",
            rows=tuple(row for row, _, _ in self.searches),
            columns=_COLUMNS,
            cells=cells,
            reading=name,
            unit="exploitability of the first player, of the second, and their sum",
            observations=min(counts, default=0),
        )

    def _checks(self, grids: Sequence[Grid], reading: str) -> Iterator[Check]:
        """What the draft's numbers say. The first search is IS-MCTS, the last OOS with PST."""
        names = [name for name, _, _ in self.searches]
        sums = [{name: grid.cells.get((name, "sum")) for name in names} for grid in grids]
        longer = [(sums[-1][name], sums[0][name]) for name in names[1:]]
        ours = [(column[name], column[names[0]]) for column in sums for name in names[1:]]
        order = [(column[less], column[more]) for column in sums for more, less in pairwise(names)]
        for check, pairs in (
            ("longer-is-better", longer),
            ("oos-below-ismcts", ours),
            ("order-at-both-times", order),
        ):
            known = [(one, other) for one, other in pairs if one and other]
            words = "; ".join(f"{written(one)} against {written(other)}" for one, other in known)
            holds = all_of([below(*pair) for pair in known]) if len(known) == len(pairs) else None
            yield Check(check, holds, words, reading)
