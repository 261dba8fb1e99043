"""The tables of Section 4.1.1 of Lisy's thesis: how many states of a game need mixing, by depth.

Backward induction solves a matrix game at every history. A state is pure if its matrix has a saddle
point. The thesis counts more states as mixed: it took them from the solutions of linear programs,
which may mix where there is a saddle point, too. So its counts of mixed states are at least ours,
and both agree in how many states there are.

The random game of the thesis is one of many. Here 20 are drawn, and an interval says where the
count of one more would lie.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hiddenhand.experiments.experiment import Experiment, Results, Scale
from hiddenhand.experiments.findings import Check, Findings, Grid
from hiddenhand.experiments.thesis_budgets import item
from hiddenhand.experiments.units import Result, Unit
from hiddenhand.games.registry import load_game
from hiddenhand.states.induction import solve_by_induction
from hiddenhand.statistics import Interval, mean_interval

_ROWS: Final = ("Pure", "Mixed", "Mixed/All")


@dataclass(frozen=True)
class MixedStates(Unit):
    """How many histories of each depth have a pure or a mixed state.

    game: the name of the game.
    """

    game: str

    def run(self) -> Result:
        """Solve all states."""
        found = solve_by_induction(load_game(self.game)).states_by_depth
        return {"pure": found.pure, "mixed": found.mixed}


@dataclass(frozen=True)
class Mixing(Experiment):
    """A table of Section 4.1.1.

    games: the names of the games; of several, a cell shows where the next one would lie.
    readings: the games by the names of readings, where there are several.
    """

    games: tuple[str, ...]
    readings: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: the same at every scale."""
        return iter([MixedStates(game) for _, games in self._readings for game in games])

    @property
    def _readings(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return self.readings or (("", self.games),)

    def findings(self, results: Results) -> Findings:
        """See `Experiment.findings`."""
        found = [self._reading(name, games, results) for name, games in self._readings]
        return Findings(
            grids=tuple(grid for one in found for grid in one.grids),
            checks=tuple(check for one in found for check in one.checks),
            notes=tuple(note for one in found for note in one.notes),
        )

    def _reading(self, name: str, games: tuple[str, ...], results: Results) -> Findings:
        known = [found for game in games if (found := results.get(MixedStates(game)))]
        if len(known) < len(games):
            return Findings()
        depths = range(len(known[0]["pure"]))
        cells: dict[tuple[str, str], Interval] = {}
        for depth in depths:
            pure = [float(found["pure"][depth]) for found in known]
            mixed = [float(found["mixed"][depth]) for found in known]
            share = [two / (one + two) for one, two in zip(pure, mixed, strict=True)]
            for row, values in zip(_ROWS, (pure, mixed, share), strict=True):
                cells[row, str(depth)] = _as_printed(self.item, row, str(depth), next_one(values))
        columns = tuple(map(str, depths))
        grid = Grid("main", _ROWS, columns, cells, name, "states", len(known))
        claimed = {claim.check for claim in item(self.item).claims}
        checks = tuple(
            replace(check, reading=name) for check in self._checks(cells) if check.name in claimed
        )
        return Findings(grids=(grid,), checks=checks, notes=self._notes(name, cells))

    def _checks(self, cells: dict[tuple[str, str], Interval]) -> Iterator[Check]:
        shares = [cells["Mixed/All", str(d)].value for d in range(len(cells) // len(_ROWS))]
        mixed = [cells["Mixed", str(d)].value for d in range(len(shares))]
        told = ", ".join(f"{share:.2g}" for share in shares)
        half = len(shares) // 2
        yield Check("mixing-shrinks-with-depth", shares == sorted(shares, reverse=True), told)
        yield Check("no-mixing-in-the-last-round", shares[-1] == 0, told)
        yield Check("little-mixing", max(shares) < 0.05, f"the largest share is {max(shares):.2g}")
        yield Check("mixing-early-only", sum(mixed[half:]) == 0, told)
        yield Check("no-mixing-at-first", shares[:2] == [0, 0], told)
        yield Check("mixing-in-most-states", min(shares) > 0.5, told)
        yield Check("no-mixing-at-the-end", sum(mixed[-3:]) == 0, told)

    def _notes(self, name: str, cells: dict[tuple[str, str], Interval]) -> tuple[str, ...]:
        table = item(self.item).table("main")
        assert table is not None
        columns = [column for column in table.columns if ("Mixed", column) in cells]
        printed = [table.cells["Mixed", column].value for column in columns]
        ours = [cells["Mixed", column].value for column in columns]
        totals = [
            (
                cells["Pure", column].value + cells["Mixed", column].value,
                table.cells["Pure", column].value + table.cells["Mixed", column].value,
            )
            for column in columns
        ]
        equal = sum(math.isclose(one, other) for one, other in totals)
        begin = f"{name}: pure" if name else "Pure"
        fewer = sum(one <= other for one, other in zip(ours, printed, strict=True))
        return (
            f"{begin} and mixed states together are as many as printed at {equal} of "
            f"{len(columns)} depths; our mixed states are at most the printed ones at "
            f"{fewer} of them.",
        )


def next_one(values: Sequence[float]) -> Interval:
    """Where the next of some drawn values lies in 95 of 100 cases; a single value is exact."""
    if len(values) == 1:
        return Interval(values[0], values[0], values[0])
    mean = mean_interval(values)
    half = mean.width / 2 * math.sqrt(len(values) + 1)
    return Interval(mean.value, mean.value - half, mean.value + half)


def _as_printed(name: str, row: str, column: str, ours: Interval) -> Interval:
    """A share with the interval that the thesis' rounding leaves open."""
    table = item(name).table("main")
    assert table is not None
    if row != "Mixed/All" or (row, column) not in table.cells or ours.width > 0:
        return ours
    digits = len(f"{table.cells[row, column].value:.10f}".rstrip("0").partition(".")[2])
    half = 0.5001 * 10.0 ** -max(digits, 2)
    return Interval(ours.value, ours.value - half, ours.value + half)


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    exact = "Every state is solved exactly; no search is run, and all scales are the same."
    pursuit = (
        "The thesis does not name the starting positions. The evader starts in one corner, and the "
        "pursuers in the opposite one: then there are as many states as printed."
    )
    goofspiel = "Point cards come from the highest to the lowest."
    random = "20 games are drawn; intervals say where the count of one more lies."
    for name, title, games, also in (
        ("goofspiel", "Goofspiel(5)", ("goofspiel(num_cards=5,lowest_card=0)",), goofspiel),
        ("oshi-zumo", "Oshi-Zumo(10,3,1)", ("oshi_zumo(coins=10,size=3,min_bid=1)",), ""),
        ("pursuit", "pursuit-evasion on 4 x 4 squares", (_PURSUIT,), pursuit),
        ("random", "random games with 4 actions and depth 5", _RANDOM, random),
        ("tron", "Tron on 5 x 6 squares", ("tron(rows=5,columns=6)",), ""),
    ):
        setup = (exact, also) if also else (exact,)
        title = f"States that need mixing in {title}"
        readings = _CARDS if name == "goofspiel" else ()
        yield Mixing("thesis", f"sec4.1.1-{name}", title, setup, games, readings)


_CARDS: Final = (
    ("cards 0 to 4, as the text says", ("goofspiel(num_cards=5,lowest_card=0)",)),
    ("cards 1 to 5", ("goofspiel(num_cards=5,lowest_card=1)",)),
)
_PURSUIT: Final = "pursuit_evasion(rows=4,columns=4,moves=5)"
_RANDOM: Final = tuple(f"random_game(actions=4,depth=5,seed={seed})" for seed in range(20))
