"""Table 4.7 of Lisy's thesis: how deep the trees are that searches build from the root of the large
games with simultaneous moves.

Depth counts the moves of each player on its own, so a joint move is two. In Goofspiel nature turns
a card in each round, too, which is a third one; in another reading it does not count. In the thesis
a node is in the tree from its first visit on. Here SM-MCTS leaves a mark at a first visit, which
has a row of its own. So the marks are counted, and of OOS, which leaves none, all rows. The numbers
of iterations are the printed ones: they are our budgets.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.infoset_table import num_sets
from hiddenhand.search.making import make_search
from hiddenhand.statistics import Interval
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Findings, Grid, all_of, below
from hiddenhand_papers.measures import over_seeds
from hiddenhand_papers.thesis.budgets import SECONDS_OF_TABLE_4_7, large_speeds
from hiddenhand_papers.thesis.players import open_search
from hiddenhand_papers.units import Result, Unit, game_called


@dataclass(frozen=True)
class _Reading:
    """A way to read the table.

    name: what tells it from others.
    in_goofspiel: how many levels a joint move has in Goofspiel; elsewhere it has two.
    pairs: whether the iterations of OOS are pairs of traversals in the thesis, as they are here.
    explores: the exploration of some searches, where it is not what the text of the thesis says.
    """

    name: str
    in_goofspiel: int = 3
    pairs: bool = False
    explores: Mapping[str, float] = field(default_factory=dict)


_READINGS: Final = (
    _Reading("the moves of nature count"),
    _Reading("the moves of players count", in_goofspiel=2),
    _Reading("the moves of nature count, and iterations of OOS are pairs", pairs=True),
    _Reading(
        "the moves of nature count, and OOS and RM explore less",
        explores={"OOS": 0.4, "RM": 0.05},
    ),
)

_DOMAINS: Final = {
    "Oshi": ("oshi_zumo(coins=50,size=3,min_bid=1)", False),
    "OshiE": ("oshi_zumo(coins=50,size=3,min_bid=1)", True),
    "GS": ("goofspiel(num_cards=13,lowest_card=0)", False),
    "Rand": ("random_game(actions=5,depth=15,seed=0)", False),
    "PE": ("pursuit_evasion(rows=10,columns=10,moves=15,start_seed=0)", False),
    "Tron": ("tron(rows=13,columns=13)", False),
    "TronE": ("tron(rows=13,columns=13)", True),
}
"""The columns of the table: the game, and whether searches evaluate."""

_ROWS: Final = ("OOS", "RM", "DUCT", "EXP3")


@dataclass(frozen=True)
class TreeDepth(Unit):
    """How deep the nodes are that a search knows after thinking once from the root.

    game: the name of the game.
    search: the name of the search.
    iterations: how many iterations it makes.
    seed: its seed.

    The result has the mean depth in joint moves, and the number of nodes.
    """

    VERSION: ClassVar[int] = 2

    game: str
    search: str
    iterations: int
    seed: int

    def run(self) -> Result:
        """Search, and look at the tree."""
        search: Any = make_search(game_called(self.game), self.search)
        search.start(0, self.seed)
        search.think(iterations=self.iterations)
        depths = node_depths(search.table, only_marks=search.COUNTS_MARKS)
        return {"mean": float(depths.mean()), "nodes": int(depths.size)}


def node_depths(table: Any, *, only_marks: bool) -> Integers:
    """``int64[N]``: how many nodes lie above each node in the table of a search of games with
    simultaneous moves. A row begins with the start of the row above, or -1, and rows are added
    after those above them.

    only_marks: whether each node has a mark, a row of one number. A node that was visited again has
        a second row, which does not count.
    """
    count = num_sets(table)
    starts = table.starts[:count]
    parents = table.values[starts].astype(np.int64)
    number = np.searchsorted(starts, parents)
    depths = np.zeros(count, np.int64)
    for row in range(count):
        if parents[row] >= 0:
            depths[row] = depths[number[row]] + 1
    return depths[np.diff(table.starts[: count + 1]) == 1] if only_marks else depths


@dataclass(frozen=True)
class Depths(Experiment):
    """Table 4.7."""

    def units(self, scale: Scale) -> Iterator[Unit]:
        for seed in range(scale.seeds(20, 2)):
            cells = product(_DOMAINS, _READINGS, _ROWS)
            yield from dict.fromkeys(_unit(*cell, seed) for cell in cells)

    def findings(self, results: Results) -> Findings:
        grids: list[Grid] = []
        checks: list[Check] = []
        for reading in _READINGS:
            found = _found(reading, results)
            if not found:
                continue
            cells = {place: over_seeds(values) for place, values in found.items()}
            least = min(map(len, found.values()))
            columns = tuple(_DOMAINS)
            grids.append(Grid("depth", _ROWS, columns, cells, reading.name, "moves", least))
            if len(cells) == len(_ROWS) * len(columns):
                checks += [replace(check, reading=reading.name) for check in _checks(cells)]
        return Findings(grids=tuple(grids), checks=tuple(checks))


def _found(reading: _Reading, results: Results) -> dict[tuple[str, str], list[float]]:
    """The depths of all seeds, by row and column."""
    found: dict[tuple[str, str], list[float]] = {}
    for unit, result in results.items():
        if not isinstance(unit, TreeDepth):
            continue
        for domain, name in product(_DOMAINS, _ROWS):
            if unit == _unit(domain, reading, name, unit.seed):
                levels = reading.in_goofspiel if domain == "GS" else 2
                found.setdefault((name, domain), []).append(levels * result["mean"])
    return found


def _unit(domain: str, reading: _Reading, name: str, seed: int) -> TreeDepth:
    game, evaluates = _DOMAINS[domain]
    search = open_search(name, reading.explores.get(name), evaluation=evaluates)
    if name == "DUCT" and domain == "Rand":
        search = open_search(name, 12.0, game_scale=15.0)
    factor = 2 if reading.pairs and name == "OOS" else 1
    iterations = round(factor * SECONDS_OF_TABLE_4_7 * large_speeds(domain)[name])
    return TreeDepth(game, search, iterations, seed)


def _checks(cells: dict[tuple[str, str], Interval]) -> Iterator[Check]:
    deepest = [
        below(cells[other, domain], cells["RM", domain])
        for domain in _DOMAINS
        for other in ("OOS", "DUCT", "EXP3")
    ]
    words = f"RM is clearly deeper in {deepest.count(True)} of {len(deepest)} comparisons"
    yield Check("rm-deepest", all_of(deepest), words)
    deeper = [
        below(cells[other, domain], cells["OOS", domain])
        for domain in _DOMAINS
        for other in ("DUCT", "EXP3")
    ]
    words = f"OOS is clearly deeper than DUCT or Exp3 in {deeper.count(True)} of {len(deeper)}"
    least = len(deeper) / 3
    often = True if deeper.count(True) >= least else None
    if deeper.count(True) + deeper.count(None) < least:
        often = False
    yield Check("oos-often-deeper-than-mcts", often, words)


def _in_words(explores: Mapping[str, float]) -> str:
    return " and ".join(f"{value:g} of {name}" for name, value in explores.items())


def experiments() -> Iterator[Experiment]:
    """The experiment of this module."""
    yield Depths(
        "thesis",
        "tab4.7",
        "Depth of the trees in the root of the large games",
        (
            "Each search makes as many iterations as printed for it. An iteration of OOS here is "
            "two of the thesis, but in one reading. The random game has the seed 0, and so has the "
            "start of the pursuit.",
            "A joint move counts as two moves, and nodes that were visited once count.",
            "With the exploration of the text, the trees of OOS and RM are shallower than printed "
            "in every game, and those of DUCT and Exp3 are not. So one reading has less "
            f"exploration: {_in_words(_READINGS[-1].explores)}.",
        ),
    )
