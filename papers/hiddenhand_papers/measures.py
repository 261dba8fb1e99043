"""Units of measurement: how exploitable a search is, by the methods of `hiddenhand.evaluation`."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.evaluation.aggregate import aggregate
from hiddenhand.evaluation.convergence import converge
from hiddenhand.evaluation.measurement import Evaluation, MakeSearch, NamedSearch, Study
from hiddenhand.evaluation.per_state_search import stitch_information_sets, stitch_public_states
from hiddenhand.evaluation.policy_accumulator import Gathered, Sets
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.statistics import Interval, jackknife_interval, mean_interval, widened
from hiddenhand.trees.profile import nash_conv, normalised, realisation_plan
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll
from hiddenhand_papers.findings import Sampled
from hiddenhand_papers.units import Result, Unit, game_called


@lru_cache(maxsize=2)
def tree_of(game: str) -> GameTree:
    """The game with this name, written out."""
    return unroll(game_called(game))


@dataclass(frozen=True)
class RootRun(Unit):
    """A search from the root, looked at again and again, each time after twice as many iterations.

    game: the name of the game.
    search: the name of the search.
    iterations: how many iterations it makes in all.
    points: how often it is looked at, the last time at the end.
    seed: its seed.
    unseen: what is played in information sets that it does not know, see `Study`.

    The result has the iterations of each look, and what `exploited` says then.
    """

    game: str
    search: str
    iterations: int
    points: int
    seed: int
    unseen: str = "fixed"

    def run(self) -> Result:
        """Search, and look."""
        study = Study(self.search, tree_of(self.game), seeds=(self.seed,), unseen=self.unseen)
        return _curve(converge(study, Budget(self.iterations), points=self.points))


@dataclass(frozen=True)
class RootClock(Unit):
    """The same with a budget in seconds of this machine.

    game: the name of the game.
    search: the name of the search.
    seconds: how long it thinks in all.
    points: how often it is looked at, the last time at the end, each time after twice as long.
    seed: its seed.
    unseen: see `RootRun`.
    """

    game: str
    search: str
    seconds: float
    points: int
    seed: int
    unseen: str = "fixed"

    @property
    def by_clock(self) -> bool:
        return True

    def run(self) -> Result:
        """Search, and look."""
        study = Study(self.search, tree_of(self.game), seeds=(self.seed,), unseen=self.unseen)
        found = converge(study, Budget(None, self.seconds), points=self.points)
        values = [float(f"{point.nash_conv.value:.6g}") for point in found.curve]
        return {"seconds": [float(point.at) for point in found.curve], "nash_conv": values}


@dataclass(frozen=True)
class AggregateRun(Unit):
    """The aggregate method, see `hiddenhand.evaluation.aggregate`.

    game: the name of the game.
    search: the name of the search.
    iterations: how many iterations it makes at each move.
    preplay: how many before each match; 0 for none.
    matches: how many matches it plays from each seat.
    weights: how much a search counts in an information set, "visits" or "mass".
    seed: its seed.

    The result has the last point only.
    """

    game: str
    search: str
    iterations: int
    preplay: int
    matches: int
    weights: str
    seed: int

    @property
    def made_by(self) -> MakeSearch:
        """What makes the search."""
        return NamedSearch(self.search)

    def run(self) -> Result:
        """Play, and measure."""
        study = Study(self.made_by, tree_of(self.game), seeds=(self.seed,))
        found = aggregate(
            study,
            Budget(self.iterations),
            matches=self.matches,
            every=self.matches,
            preplay=Budget(self.preplay) if self.preplay else None,
            weights=self.weights,
        )
        return _last(found)


@dataclass(frozen=True)
class StitchRun(Unit):
    """A search made afresh at every information set, see `hiddenhand.evaluation.per_state_search`.

    game: the name of the game.
    search: the name of the search.
    iterations: how many iterations it makes in each information set.
    seed: its seed.
    preplay: how many it makes at the root before that; 0 for none.
    """

    game: str
    search: str
    iterations: int
    seed: int
    preplay: int = 0

    def run(self) -> Result:
        """Search everywhere, and measure."""
        study = Study(self.search, tree_of(self.game), seeds=(self.seed,))
        before = Budget(self.preplay) if self.preplay else None
        return _last(stitch_information_sets(study, Budget(self.iterations), preplay=before))


@dataclass(frozen=True)
class ExpectedRun(Unit):
    """The strategy that some seeds have together when each public state is searched once for each
    seed, see `hiddenhand.evaluation.per_state_search`.

    game: the name of the game.
    search: the name of the search.
    iterations: how many iterations it makes in each public state.
    preplay: how many it makes at the root before that; 0 for none.
    count: how many seeds there are, from 0.
    on_the_way: whether it also searches at the player's earlier decisions.

    The result has the ends of the jackknife interval of `nash_conv`.
    """

    game: str
    search: str
    iterations: int
    preplay: int
    count: int
    on_the_way: bool = True

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(range(self.count))

    def run(self) -> Result:
        """Search everywhere, and measure."""
        study = Study(self.search, tree_of(self.game), seeds=self.seeds, unseen="uniform")
        found = stitch_public_states(
            study,
            Budget(self.iterations),
            preplay=Budget(self.preplay) if self.preplay else None,
            on_the_way=self.on_the_way,
        )
        interval = found.nash_conv
        ends = [interval.low, interval.high] if self.count > 1 else None
        return _last(found) | {"ends": ends}


@dataclass(frozen=True)
class ExpectedRootRun(Unit):
    """The strategy that some seeds of a search from the root have together.

    game: the name of the game.
    search: the name of the search.
    iterations: how many iterations it makes.
    count: how many seeds there are, from 0.

    The result is that of `ExpectedRun`.
    """

    game: str
    search: str
    iterations: int
    count: int

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(range(self.count))

    def run(self) -> Result:
        """Search with each seed, and measure."""
        tree = tree_of(self.game)
        sets, make = Sets.of(tree), NamedSearch(self.search)
        plans = []
        for seed in self.seeds:
            search, gathered = make(tree.game), Gathered(sets)
            search.start(0, seed)
            search.think(self.iterations)
            gathered.add(sets, search.weights())
            plans.append(realisation_plan(tree, gathered.profile(tree, "uniform", seed)))
        total = np.sum(plans, axis=0)
        gap = nash_conv(tree, normalised(tree, total))
        without = [nash_conv(tree, normalised(tree, total - plan)) for plan in plans]
        interval = jackknife_interval(gap, without)
        return {"nash_conv": gap, "ends": [interval.low, interval.high]}


@dataclass(frozen=True)
class GameValue(Unit):
    """What the first player of a game is paid in equilibrium, by a linear program.

    game: the name of the game.
    """

    game: str

    def run(self) -> Result:
        """Solve the game."""
        return {"value": float(solve_lp(tree_of(self.game)).value)}


def over_seeds(values: Sequence[float]) -> Interval:
    """The mean over seeds of a figure that is never negative, such as nash_conv or a size."""
    return mean_interval([float(value) for value in values], low=min(0.0, *values))


def by_seed(values: Mapping[Hashable, float]) -> Sampled:
    """The mean over seeds, as in `over_seeds`, with the value of each seed."""
    mean = over_seeds(list(values.values()))
    return Sampled(mean.value, mean.low, mean.high, values)


def half_gap(count: int, result: Result) -> Interval:
    """Half of the nash_conv of an `ExpectedRun` or `ExpectedRootRun` of ``count`` seeds."""
    low, high = result["ends"]
    both = widened(Interval(result["nash_conv"], low, high), count)
    return Interval(both.value / 2, max(0.0, both.low / 2), both.high / 2)


def _last(found: Evaluation) -> Result:
    return {
        "nash_conv": found.nash_conv.value,
        "best_responses": [interval.value for interval in found.best_response_values],
        "known": found.known,
    }


def _curve(found: Evaluation) -> dict[str, Any]:
    return {
        "iterations": [int(point.at) for point in found.curve],
        "nash_conv": [float(f"{point.nash_conv.value:.6g}") for point in found.curve],
        "best_responses": [
            [float(f"{interval.value:.6g}") for interval in point.best_response_values]
            for point in found.curve
        ],
    }
