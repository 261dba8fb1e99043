"""Convergence at the root: search a game from its beginning, and see how exploitable the strategy in memory is after more and more of it.

Lisy, Lanctot and Bowling (2015), Section 4.4.1. Information sets that are not in memory play a fixed action, drawn once at random, or uniformly.
"""

from collections.abc import Sequence
from itertools import pairwise

from hiddenhand.budget import Budget
from hiddenhand.errors import BudgetError
from hiddenhand.evaluation.gathering import Gathered, Sets
from hiddenhand.evaluation.study import Evaluation, MakeSearch, Point, Study, evaluation
from hiddenhand.games.base import Game
from hiddenhand.players.statistics import mean_interval
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.strategy import Weights


def converge(study: Study, budget: Budget, *, points: int = 10) -> Evaluation:
    """Search from the root for ``budget``, and look ``points`` times on the way, each time after twice as much as before. Raises BudgetError."""
    if points < 1:
        raise BudgetError(f"points={points} is not allowed; give at least 1")
    looks, steps, unit = _looks(budget, points)
    parts = study.share(_search, [(steps, seed) for seed in study.seeds], "seeds")
    sets, rows, known = Sets.of(study.tree), [], []
    for seed, found in zip(study.seeds, parts, strict=True):
        row = []
        for weights in found:
            gathered = Gathered(sets)
            gathered.add(sets, weights)
            row.append(nash_conv(study.tree, study.profile(gathered, seed)))
        rows.append(row)
        known.append(int(gathered.known.sum()))
    curve = [Point(at, mean_interval(column)) for at, column in zip(looks, zip(*rows, strict=True), strict=True)]
    return evaluation(study, "root", budget, unit, curve, [row[-1] for row in rows], known)


def _looks(budget: Budget, points: int) -> tuple[list[float], list[Budget], str]:
    """When to look, in increasing order; what to think before each look; and what that counts."""
    if budget.iterations is not None and budget.seconds is not None:
        raise BudgetError("convergence is over iterations or over seconds; give one of them")
    if budget.iterations is not None:
        counts = sorted({budget.iterations // 2**point for point in range(points)} - {0})
        return list(counts), [Budget(now - before) for before, now in pairwise((0, *counts))], "iterations"
    assert budget.seconds is not None  # a budget has one of them
    times = [budget.seconds / 2**point for point in reversed(range(points))]
    return times, [Budget(seconds=now - before) for before, now in pairwise((0.0, *times))], "seconds"


def _search(make: MakeSearch, game: Game, steps: Sequence[Budget], seed: int) -> list[Weights]:
    """What is in memory after each step."""
    search = make(game)
    search.start(0, seed)
    found: list[Weights] = []
    for step in steps:
        search.think(step.iterations, step.seconds)
        found.append(search.weights())
    return found
