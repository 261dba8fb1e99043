"""Convergence at the root: search a game from its beginning, and measure how exploitable the
strategy in memory is after more and more iterations or seconds.

Lisy, Lanctot and Bowling (2015), Section 4.4.1. Information sets that are not in memory play a
fixed action, drawn once at random, or uniformly.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from hiddenhand.budget import Budget
from hiddenhand.errors import Interrupted, OptionError
from hiddenhand.evaluation.gathering import Gathered, Sets
from hiddenhand.evaluation.study import (
    Evaluation,
    MakeSearch,
    Measures,
    Part,
    Study,
    evaluation,
    mean_point,
    measures,
    whole,
)
from hiddenhand.games.base import Game
from hiddenhand.trees.strategy import Weights


def converge_stepwise(study: Study, budget: Budget, *, points: int = 10) -> Iterator[Evaluation]:
    """Search from the root, and measure the strategy several times on the way. A result follows
    after each seed. If the first seed is interrupted, the last result has the measurements that
    were made by then. Raises OptionError.

    study: the search, the game and the seeds.
    budget: how long the search thinks in all, in iterations or in seconds.
    points: how often the strategy is measured, each time after twice as much thinking as before.
    """
    if points < 1:
        raise OptionError(f"points={points} is not allowed; give at least 1")
    looks, steps, unit = _looks(budget, points)
    parts = study.share(
        "root",
        budget,
        _search,
        {f"seed {seed}, {len(looks)} looks": (steps, seed) for seed in study.seeds},
    )
    rows: list[list[Measures]] = []
    known: list[int] = []
    for seed in study.seeds:
        try:
            part = next(parts)
        except Interrupted as interrupted:
            if not rows:
                row, count = _looked(study, interrupted.found, seed)
                yield _evaluation(study, budget, unit, looks, [row], [count])
            raise
        row, count = _looked(study, part, seed)
        rows.append(row)
        known.append(count)
        yield _evaluation(study, budget, unit, looks, rows, known)


converge = whole(converge_stepwise)
"""`converge_stepwise` to its end: the last result."""


def _evaluation(
    study: Study,
    budget: Budget,
    unit: str,
    looks: Sequence[float],
    rows: Sequence[Sequence[Measures]],
    known: Sequence[int],
) -> Evaluation:
    """The record of the seeds so far.

    looks: how far the search had come at each look.
    rows: for each seed, how exploitable it was at each look, or at the first few looks.
    known: for each seed, how many information sets were in memory at the end.
    """
    curve = [
        mean_point(study.tree, at, column)
        for at, column in zip(looks, zip(*rows, strict=True), strict=False)
    ]
    return evaluation(study, "root", budget, unit, curve, [row[-1] for row in rows], known)


def _looked(study: Study, part: Part, seed: int) -> tuple[list[Measures], int]:
    """How exploitable the strategy is at each look, and how many sets were known in the end."""
    sets, row = Sets.of(study.tree), list[Measures]()
    for weights in part:
        gathered = Gathered(sets)
        gathered.add(sets, weights)
        row.append(measures(study.tree, study.profile(gathered, seed)))
    return row, int(gathered.known.sum())


def _looks(budget: Budget, points: int) -> tuple[list[float], list[Budget], str]:
    """How far the search has come at each look, in increasing order; how long it thinks before each
    look; and whether that is in "iterations" or in "seconds".
    """
    if budget.iterations is not None and budget.seconds is not None:
        raise OptionError("convergence is over iterations or over seconds; give one of them")
    if budget.iterations is not None:
        counts = sorted({budget.iterations // 2**point for point in range(points)} - {0})
        return (
            list(counts),
            [Budget(now - before) for before, now in pairwise((0, *counts))],
            "iterations",
        )
    assert budget.seconds is not None  # a budget has one of them
    times = [budget.seconds / 2**point for point in reversed(range(points))]
    return (
        times,
        [Budget(seconds=now - before) for before, now in pairwise((0.0, *times))],
        "seconds",
    )


def _search(make: MakeSearch, game: Game, steps: Sequence[Budget], seed: int) -> list[Weights]:
    """What is in memory after each of ``steps``, each of which says how long the search thinks."""
    search = make(game)
    search.start(0, seed)
    found: list[Weights] = []
    for step in steps:
        try:
            search.think(step.iterations, step.seconds)
        except KeyboardInterrupt:
            if found:
                raise Interrupted(found) from None
            raise
        found.append(search.weights())
    return found
