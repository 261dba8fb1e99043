"""Convergence at the root: search a game from its beginning, and measure how exploitable the
strategy in memory is after more and more iterations or seconds.

Lisy, Lanctot and Bowling (2015), Section 4.4.1. Information sets that are not in memory play a
fixed action, drawn once at random, or uniformly.
"""

from collections.abc import Iterator, Sequence

from hiddenhand.budget import Budget
from hiddenhand.errors import Interrupted, OptionError
from hiddenhand.evaluation.measurement import (
    Evaluation,
    MakeSearch,
    Measures,
    Study,
    evaluation,
    mean_point,
    measures,
    whole,
)
from hiddenhand.evaluation.policy_accumulator import Gathered, Sets
from hiddenhand.evaluation.tracing import trace
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
    unit, looks = _looks(budget, points)
    calls = {f"seed {seed}, {len(looks)} looks": (unit, looks, seed) for seed in study.seeds}
    parts, sets = study.share("root", budget, _search, calls), Sets.of(study.tree)
    rows, known = list[list[Measures]](), list[int]()
    for seed in study.seeds:
        interrupted: Interrupted | None = None
        try:
            part = next(parts)
        except Interrupted as error:
            if rows:
                raise
            part, interrupted = error.found, error
        found = [Gathered(sets, weights) for weights in part]
        rows.append([measures(study.tree, study.profile(one, seed)) for one in found])
        known.append(int(found[-1].known.sum()))
        curve = [
            mean_point(study.tree, at, column)
            for at, column in zip(looks, zip(*rows, strict=True), strict=False)
        ]
        yield evaluation(study, "root", budget, unit, curve, [row[-1] for row in rows], known)
        if interrupted is not None:
            raise interrupted


converge = whole(converge_stepwise)
"""`converge_stepwise` to its end: the last result."""


def _looks(budget: Budget, points: int) -> tuple[str, Sequence[float]]:
    """Whether convergence is over "iterations" or over "seconds", and how far the search has come
    at each look, in increasing order.
    """
    if budget.iterations is not None and budget.seconds is not None:
        raise OptionError("convergence is over iterations or over seconds; give one of them")
    if budget.iterations is not None:
        counts = {budget.iterations // 2**point for point in range(points)}
        return "iterations", sorted(counts - {0})
    assert budget.seconds is not None  # a budget has one of them
    return "seconds", [budget.seconds / 2**point for point in reversed(range(points))]


def _search(
    make: MakeSearch, game: Game, unit: str, looks: Sequence[float], seed: int
) -> list[Weights]:
    """What is in memory at each of ``looks``."""
    search = make(game)
    search.start(0, seed)
    counted = [int(look) for look in looks] if unit == "iterations" else None
    timed = looks if counted is None else None
    found: list[Weights] = []
    try:
        for point in trace(search.think, search.weights, iterations=counted, seconds=timed):
            found.append(point.value)
    except KeyboardInterrupt:
        if found:
            raise Interrupted(found) from None
        raise
    return found
