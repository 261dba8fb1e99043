"""How nash_conv falls with the iterations of each algorithm that goes on from the beginning of a
game: the figures on the algorithms' pages of the documentation site.

Usage: python -m studies.convergence [ALGORITHM ...], in the root of the repository.

Searches are measured by `evaluate` with the method "root", with `SEEDS` and 95 % intervals over
them; solvers by the convergence that `solve` tells, those that draw random numbers with each of
`SEEDS`. Games are Leduc poker, and for algorithms of simultaneous moves Goofspiel with four cards.
What was found is kept beside what stands already; with names only these are measured anew.
"""

import sys
from typing import Any, Final

from benchmarks.kept import Kept
from benchmarks.measuring import surroundings

from hiddenhand import evaluate, load_game, solve, unroll
from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.search.algorithms import SEARCH, SOLVER, algorithms
from hiddenhand.search.making import why_not
from hiddenhand.statistics import mean_interval
from hiddenhand.trees.tree import GameTree

KEPT: Final = Kept.of(__file__)
GAMES: Final = ("leduc_poker", "goofspiel(num_cards=4)")
"""An algorithm is measured in the first of these that it is for."""
SEEDS: Final = tuple(range(10))
NOT_WHOLE: Final = ("doab",)
"""Searches that keep a strategy for the decision that they were asked for, and for no other."""
SEARCHED: Final = 2**17
"""Iterations of a search, or of a solver that draws random numbers."""
SOLVED: Final = 2**10
"""Iterations of a solver that draws none."""

Row = list[float]
"""Iterations, the mean nash_conv, and the ends of its interval."""


def measured(algorithm: Algorithm) -> dict[str, Any] | None:
    """The convergence of an algorithm; None if it has none to tell."""
    if algorithm.name in NOT_WHOLE:
        return None
    name = next((game for game in GAMES if why_not(algorithm, load_game(game)) is None), None)
    if name is None:
        return None
    tree = unroll(load_game(name))
    rows = searched(algorithm, tree) if algorithm.kind == SEARCH else solved(algorithm, tree)
    return {"game": name, "seeds": list(SEEDS), "points": rows} if rows else None


def searched(algorithm: Algorithm, tree: GameTree) -> list[Row]:
    """The points of a search; none for one that has no strategy of its own from the root on."""
    try:
        found = evaluate(tree, algorithm.name, method="root", iterations=SEARCHED, seeds=SEEDS)
    except OptionError as error:
        print(f"{algorithm.name}: {error}")
        return []
    return [[p.at, p.nash_conv.value, p.nash_conv.low, p.nash_conv.high] for p in found.curve]


def solved(algorithm: Algorithm, tree: GameTree) -> list[Row]:
    """The points of a solver; none for an exact one."""
    draws = any(parameter.name == "seed" for parameter in algorithm.parameters)
    specs = [f"{algorithm.name}(seed={seed})" for seed in SEEDS] if draws else [algorithm.name]
    try:
        curves = [
            solve(tree, spec, iterations=SEARCHED if draws else SOLVED).convergence
            for spec in specs
        ]
    except OptionError as error:
        print(f"{algorithm.name}: {error}")
        return []
    rows = []
    for looks in zip(*curves, strict=True):
        mean = mean_interval([gap for _, gap in looks])
        ends = (mean.low, mean.high) if draws else (mean.value, mean.value)
        rows.append([float(looks[0][0]), mean.value, *ends])
    return rows


def main() -> None:
    """Measure, print, keep."""
    kept = KEPT.read()
    wanted = sys.argv[1:]
    for algorithm in (*algorithms(SEARCH), *algorithms(SOLVER)):
        if wanted and algorithm.name not in wanted:
            continue
        found = measured(algorithm)
        if found is None:
            kept.pop(algorithm.name, None)
            continue
        kept[algorithm.name] = found | {"at": surroundings()}
        print(algorithm.name, found["points"][-1], flush=True)
        KEPT.write(kept)


if __name__ == "__main__":
    main()
