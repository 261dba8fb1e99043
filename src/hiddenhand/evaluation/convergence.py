"""Convergence at the root: search a game from its beginning, and see how exploitable the strategy in memory is after more and more of it.

Lisy, Lanctot and Bowling (2015), Section 4.4.1. Information sets that are not in memory play a fixed action, drawn once at random, or uniformly.
"""

from collections.abc import Sequence

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
    looks, unit = _looks(budget, points)
    parts = study.share(_search, [(unit, looks, seed) for seed in study.seeds], "seeds")
    sets, rows, known = Sets.of(study.tree), [], []
    for seed in study.seeds:
        row = []
        for weights in parts[seed]:
            gathered = Gathered(sets)
            gathered.add(sets, weights)
            row.append(nash_conv(study.tree, study.profile(gathered, seed)))
        rows.append(row)
        known.append(int(gathered.known.sum()))
    curve = [Point(at, mean_interval(column)) for at, column in zip(looks, zip(*rows, strict=True), strict=True)]
    return evaluation(study, "root", budget, unit, curve, [row[-1] for row in rows], known)


def _looks(budget: Budget, points: int) -> tuple[list[float], str]:
    """When to look, in increasing order, and what that counts."""
    if budget.iterations is not None and budget.seconds is not None:
        raise BudgetError("convergence is over iterations or over seconds; give one of them")
    if budget.iterations is not None:
        return sorted({budget.iterations // 2**point for point in range(points)} - {0}), "iterations"
    assert budget.seconds is not None  # a budget has one of them
    return [budget.seconds / 2**point for point in reversed(range(points))], "seconds"


def _search(make: MakeSearch, game: Game, unit: str, looks: Sequence[float], seed: int) -> tuple[int, list[Weights]]:
    """What is in memory at each look."""
    search = make(game)
    search.start(0, seed)
    found: list[Weights] = []
    for before, now in zip((0, *looks), looks, strict=False):
        search.think(**{unit: now - before})
        found.append(search.weights())
    return seed, found
