"""The tables of Section 4.1.1 of Lisy's thesis: how many states of a game need mixing, by depth.

Backward induction solves a matrix game at every history. A state is pure if its matrix has a saddle
point. The thesis counts more states as mixed: it took them from the solutions of linear programs,
which may mix where there is a saddle point, too. So another reading says how many states would be
mixed if a program mixed wherever some optimal strategy does. Both agree with the thesis in how many
states there are.

The random game of the thesis is one of many. Here 20 are drawn, and an interval says where the
count of one more would lie.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np
from scipy.optimize import linprog

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.registry import load_game
from hiddenhand.jit.arrays import Floats
from hiddenhand.solvers.simultaneous.backward_induction import (
    Induction,
    count_by_depth,
    solve_by_induction,
)
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Cells, Check, Findings, Grid
from hiddenhand_papers.thesis.budgets import item
from hiddenhand_papers.units import Result, Unit

_ROWS: Final = ("Pure", "Mixed", "Mixed/All")
_TOLERANCE: Final = 1e-9
_CLEARLY: Final = 1e-6


@dataclass(frozen=True)
class MixedStates(Unit):
    """How many histories of each depth have a pure or a mixed state.

    game: the name of the game.
    may: whether it is also counted in how many some optimal strategy mixes.
    """

    game: str
    may: bool

    def run(self) -> Result:
        """Solve all states."""
        game = load_game(self.game)
        found = solve_by_induction(game)
        counted = found.states_by_depth
        result: Result = {"pure": counted.pure, "mixed": counted.mixed}
        if self.may:
            mixing = np.array([may_mix(found, node) for node in range(found.graph.num_nodes)])
            result["may_mix"] = count_by_depth(found.graph, mixing, game.max_depth).mixed
        return result


def may_mix(found: Induction, node: int) -> bool:
    """Whether some optimal strategy in the matrix game of a node mixes; False without a choice."""
    graph = found.graph
    rows, columns = int(graph.rows[node]), int(graph.columns[node])
    if graph.mover[node] in (TERMINAL, CHANCE) or rows * columns <= 1:
        return False
    if found.mixed[node]:
        return True
    first = graph.first_cell[node]
    values = np.round(found.values[graph.cell[first : first + rows * columns]], 9)
    return _saddle_may_mix(rows, tuple(values.tolist()))


@cache
def _saddle_may_mix(rows: int, payoffs: tuple[float, ...]) -> bool:
    """The same for a matrix with a saddle point, row by row. Many states have the same one."""
    matrix = np.array(payoffs).reshape(rows, -1)
    value = float(matrix.min(axis=1).max())
    return _may_mix_rows(matrix, value) or _may_mix_rows(-matrix.T, -value)


def _may_mix_rows(matrix: Floats, value: float) -> bool:
    """Whether the row player has an optimal strategy that mixes: there are two optimal rows, or the
    one optimal row can be left a little.
    """
    optimal = np.flatnonzero(matrix.min(axis=1) >= value - _TOLERANCE)
    if len(optimal) != 1:
        return True
    tight = matrix[optimal[0]] <= value + _TOLERANCE
    as_good = np.delete(matrix, optimal[0], axis=0)[:, tight] >= value - _TOLERANCE
    if as_good.all(axis=1).any():
        return True  # to another row, which does as well where the optimal one has nothing to spare
    if not as_good.any(axis=0).all():
        return False  # in some column no other row does
    kept = np.zeros(len(matrix))
    kept[optimal[0]] = 1.0
    least = linprog(
        kept,
        A_ub=-matrix.T,
        b_ub=np.full(matrix.shape[1], _TOLERANCE - value),
        A_eq=np.ones((1, len(matrix))),
        b_eq=[1.0],
        method="highs",
    )
    return bool(least.fun < 1 - _CLEARLY)


@dataclass(frozen=True)
class Reading:
    """A way to read a table.

    name: what tells it from others; empty if there is only one.
    games: the names of the games; of several, a cell shows where the next one would lie.
    may: whether states count as mixed, or not, in which mixing is one of several optimal ways.
    """

    name: str
    games: tuple[str, ...]
    may: bool = False

    def unit(self, game: str) -> MixedStates:
        """What counts the states of a game."""
        return MixedStates(game, self.may)

    def cells(self, item: str, results: Results) -> dict[tuple[str, str], Interval]:
        """The table, or nothing if a result is missing."""
        known = [found for game in self.games if (found := results.get(self.unit(game)))]
        if len(known) < len(self.games):
            return {}
        cells: dict[tuple[str, str], Interval] = {}
        for depth, column in enumerate(map(str, range(len(known[0]["pure"])))):
            pure = [float(found["pure"][depth]) for found in known]
            mixed = [float(found["mixed"][depth]) for found in known]
            total = [one + two for one, two in zip(pure, mixed, strict=True)]
            most = mixed
            if self.may:
                most = [float((found["may_mix"] + [0] * (depth + 1))[depth]) for found in known]
            least = [of - one for one, of in zip(most, total, strict=True)]
            cells["Mixed", column] = between(next_one(mixed), next_one(most))
            cells["Pure", column] = between(next_one(least), next_one(pure))
            low, high = (
                next_one([one / of for one, of in zip(counts, total, strict=True)])
                for counts in (mixed, most)
            )
            share = between(low, high)
            cells["Mixed/All", column] = _as_printed(item, column, share)
        return cells


@dataclass(frozen=True)
class Mixing(Experiment):
    """A table of Section 4.1.1.

    readings: the ways to read it.
    """

    readings: tuple[Reading, ...]

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: the same at every scale."""
        return iter([reading.unit(game) for reading in self.readings for game in reading.games])

    def findings(self, results: Results) -> Findings:
        grids: list[Grid] = []
        checks: list[Check] = []
        notes: list[str] = []
        claimed = {claim.check for claim in item(self.item).claims}
        for reading in self.readings:
            if cells := reading.cells(self.item, results):
                columns = tuple(dict.fromkeys(column for _, column in cells))
                count = len(reading.games)
                grids.append(Grid("main", _ROWS, columns, cells, reading.name, "states", count))
                checks += [
                    replace(check, reading=reading.name)
                    for check in _checks(cells)
                    if check.name in claimed
                ]
                notes += [] if reading.may else self._notes(reading.name, cells)
        return Findings(tuple(grids), (), tuple(checks), tuple(notes))

    def _notes(self, name: str, cells: Cells) -> list[str]:
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
        return [
            f"{begin} and mixed states together are as many as printed at {equal} of "
            f"{len(columns)} depths; our mixed states are at most the printed ones at "
            f"{fewer} of them."
        ]


def _checks(cells: Cells) -> Iterator[Check]:
    """What may be said of a table; where an interval leaves it open, what can be true is true."""
    count = len(cells) // len(_ROWS)
    share = [cells["Mixed/All", str(depth)] for depth in range(count)]
    mixed = [cells["Mixed", str(depth)] for depth in range(count)]
    told = ", ".join(
        f"{one.value:.2g}" if one.width < 0.01 else f"{one.low:.2g} to {one.high:.2g}"
        for one in share
    )
    highest, falls = 1.0, True
    for one in share:
        highest = min(highest, one.high)
        falls = falls and highest >= one.low
    least = [one.low <= 0 for one in mixed]
    yield Check("mixing-shrinks-with-depth", falls, told)
    yield Check("no-mixing-in-the-last-round", least[-1], told)
    yield Check("little-mixing", all(one.low < 0.05 for one in share), told)
    yield Check("mixing-early-only", all(least[count // 2 :]), told)
    yield Check("no-mixing-at-first", all(least[:2]), told)
    yield Check("mixing-in-most-states", all(one.value > 0.5 for one in share), told)
    yield Check("no-mixing-at-the-end", all(least[-3:]), told)


def between(low: Interval, high: Interval) -> Interval:
    """Anything from ``low`` to ``high``, with their intervals."""
    return Interval((low.value + high.value) / 2, low.low, high.high)


def next_one(values: Sequence[float]) -> Interval:
    """Where the next of some drawn values lies in 95 of 100 cases; a single value is exact."""
    if len(values) == 1:
        return Interval(values[0], values[0], values[0])
    mean = mean_interval(values)
    half = mean.width / 2 * math.sqrt(len(values) + 1)
    return Interval(mean.value, mean.value - half, mean.value + half)


def _as_printed(name: str, column: str, share: Interval) -> Interval:
    """A share with the interval that the thesis' rounding leaves open."""
    table = item(name).table("main")
    assert table is not None
    printed = table.cells.get(("Mixed/All", column))
    if printed is None:
        return share
    digits = len(f"{printed.value:.10f}".rstrip("0").partition(".")[2])
    half = 0.5001 * 10.0 ** -max(digits, 2)
    return Interval(share.value, share.low - half, share.high + half)


_GOOFSPIEL: Final = "goofspiel(num_cards=5,lowest_card={})"
_OSHI_ZUMO: Final = "oshi_zumo(coins=10,size=3,min_bid=1)"
_PURSUIT: Final = "pursuit_evasion(rows=4,columns=4,moves=5)"
_TRON: Final = "tron(rows=5,columns=6)"
_RANDOM: Final = tuple(f"random_game(actions=4,depth=5,seed={seed})" for seed in range(20))
_SOLVED: Final = 10  # of these, because of their many linear programs
_NO_SADDLE: Final = "states without a saddle point"
_OPTIMAL: Final = "from no saddle point to some optimal strategy that mixes"


def _both(game: str) -> tuple[Reading, ...]:
    return Reading(_NO_SADDLE, (game,)), Reading(_OPTIMAL, (game,), may=True)


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    exact = "Every state is solved exactly; no search is run, and all scales are the same."
    optimal = (
        "A state with a saddle point may have optimal strategies that mix, too, and a linear "
        "program may find one of these. The last reading counts such states as pure or as mixed."
    )
    pursuit = (
        "The thesis does not name the starting positions. The evader starts in one corner, and the "
        "pursuers in the opposite one: then there are as many states as printed."
    )
    goofspiel = "Point cards come from the highest to the lowest."
    random = (
        "20 games are drawn, and ten for the last reading; intervals say where the count of one "
        "more lies."
    )
    cards = (
        Reading("cards 0 to 4, as the text says", (_GOOFSPIEL.format(0),)),
        Reading("cards 1 to 5", (_GOOFSPIEL.format(1),)),
        Reading(f"cards 1 to 5, {_OPTIMAL}", (_GOOFSPIEL.format(1),), may=True),
    )
    drawn = (
        Reading(_NO_SADDLE, _RANDOM),
        Reading(_OPTIMAL, _RANDOM[:_SOLVED], may=True),
    )
    for name, title, readings, also in (
        ("goofspiel", "Goofspiel(5)", cards, (goofspiel, optimal)),
        ("oshi-zumo", "Oshi-Zumo(10,3,1)", _both(_OSHI_ZUMO), (optimal,)),
        ("pursuit", "pursuit-evasion on 4 x 4 squares", _both(_PURSUIT), (pursuit, optimal)),
        ("random", "random games", drawn, (random, optimal)),
        ("tron", "Tron on 5 x 6 squares", _both(_TRON), (optimal,)),
    ):
        yield Mixing(
            "thesis",
            f"sec4.1.1-{name}",
            f"States that need mixing in {title}",
            (exact, *also),
            readings,
        )
