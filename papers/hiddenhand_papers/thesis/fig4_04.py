"""Fig. 4.4 of Lisy's thesis: SM-MCTS by regret matching that propagates samples or means, on random
games.

The strategies are the empirical frequencies, exploration included. Payoffs of these games are 0 to
1 for both players in the thesis; here they are -1 to 1, which the selection rules scale to 0 to 1,
and exploitability is halved.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import hypot
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.evaluation.convergence import converge
from hiddenhand.evaluation.measurement import Study
from hiddenhand.games.random_game import MatrixTree
from hiddenhand.statistics import Interval
from hiddenhand.trees.unroll import unroll
from hiddenhand_papers.curves import longest_of_seeds
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Answer, below, sentence, written
from hiddenhand_papers.thesis.claims import all_hold, lower, under
from hiddenhand_papers.thesis.sections import Composite, Found, Panel, Test
from hiddenhand_papers.units import Result, Unit

EXAMPLE: Final = "random_game(actions=2,depth=2,payoffs=leaves)"


def empirical(selector: str, gamma: float, *, means: bool) -> str:
    how = "means" if means else "values"
    return f"sm-mcts(selector={selector},gamma={gamma:g},propagate={how},keep_exploration=true)"


@dataclass(frozen=True)
class RandomTree(Unit):
    """A search on one random game, looked at again and again, over some runs.

    actions: how many actions each player has.
    depth: how many joint moves are made.
    search: the name of the search.
    iterations: how many iterations it makes in all.
    points: how often it is looked at.
    runs: how many runs the means are of.
    seed: the seed of the game; runs have the seeds 0, 1, 2, ...
    """

    actions: int
    depth: int
    search: str
    iterations: int
    points: int
    runs: int
    seed: int

    @property
    def games(self) -> tuple[str, ...]:
        """See `Unit.games`: the rules of all such games are the same."""
        return (EXAMPLE,)

    def run(self) -> Result:
        """Search, and look."""
        leaves = np.random.default_rng(self.seed).uniform(-1, 1, self.actions ** (2 * self.depth))
        tree = unroll(MatrixTree(self.actions, self.depth, leaves.tolist()))
        study = Study(self.search, tree, seeds=range(self.runs), unseen="uniform")
        found = converge(study, Budget(self.iterations), points=self.points)
        return {
            "iterations": [int(point.at) for point in found.curve],
            "nash_conv": [float(f"{point.nash_conv.value / 2:.6g}") for point in found.curve],
        }


_ITERATIONS: Final = 2**20
_EVENING_ITERATIONS: Final = 2**16
_POINTS: Final = 15


@dataclass(frozen=True)
class GamesLine:
    """A line over random games.

    name: what the legend calls it.
    actions: how many actions each player has; ``depth`` is how many joint moves are made.
    search: the name of the search.
    """

    name: str
    actions: int
    depth: int
    search: str

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`: a unit for each game."""
        runs = scale.seeds(100, 2)
        fewer = _ITERATIONS // _EVENING_ITERATIONS if scale.is_short else 1
        points = _POINTS - fewer.bit_length() + 1
        for seed in range(scale.seeds(100, 5)):
            yield RandomTree(
                self.actions, self.depth, self.search, _ITERATIONS // fewer, points, runs, seed
            )

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`: the mean over games. Of each game the longest searches count, and among these
        the ones with the most runs.
        """
        line = (self.actions, self.depth, self.search)
        own = [
            (unit, result)
            for unit, result in results.items()
            if isinstance(unit, RandomTree) and (unit.actions, unit.depth, unit.search) == line
        ]
        own.sort(key=lambda found: found[0].runs, reverse=True)
        return longest_of_seeds(
            (unit.seed, result["iterations"], result["nash_conv"]) for unit, result in own
        )


_GAMMAS: Final = (0.05, 0.1, 0.2)
_BRANCHING: Final = (2, 3, 4)
_DEPTHS: Final = (2, 3, 4)


def _named(label: str, number: int, gamma: float, *, means: bool) -> str:
    return f"{'RMM' if means else 'RM'}, {label} = {number}, gamma = {gamma:g}"


def _random_trees() -> Composite:
    panels = []
    for name, label, numbers, gammas in (
        ("branching", "BF", _BRANCHING, _GAMMAS),
        ("depth", "depth", _DEPTHS, (0.1,)),
    ):
        lines = tuple(
            GamesLine(
                _named(label, number, gamma, means=means),
                number if name == "branching" else 2,
                2 if name == "branching" else number,
                empirical("drm", gamma, means=means),
            )
            for number in numbers
            for gamma in gammas
            for means in (False, True)
        )
        panels.append(Panel(name, f"Random games by {label}", lines, "iterations"))
    setup = (
        "100 games and 100 runs at the scale paper, 5 and 2 at evening, where searches are "
        "shorter, too. The thesis does not name the branching factors and depths of its picture.",
        "An interval is over games.",
    )
    return Composite(
        "thesis",
        "fig4.4",
        "Propagating samples or means on random games",
        setup,
        tuple(panels),
        tests=_random_tests(),
    )


def _random_tests() -> tuple[Test, ...]:
    pairs = [("branching", "BF", number, gamma) for number in _BRANCHING for gamma in _GAMMAS]
    pairs += [("depth", "depth", number, 0.1) for number in _DEPTHS]
    return (
        all_hold(
            "both-converge",
            [
                under("", panel, _named(label, number, gamma, means=means), 0.3)
                for panel, label, number, gamma in pairs
                for means in (False, True)
            ],
        ),
        all_hold(
            "means-slower",
            [
                lower(
                    "",
                    panel,
                    _named(label, number, gamma, means=False),
                    (_named(label, number, gamma, means=True),),
                )
                for panel, label, number, gamma in pairs
            ],
        ),
        _gap_grows("gap-grows-with-depth"),
    )


@sentence
def _gap_grows(found: Found) -> Answer:
    """Means over samples, at the end, in the deepest games against the shallowest."""
    ratios: list[Interval] = []
    for depth in (_DEPTHS[0], _DEPTHS[-1]):
        means, samples = (
            found.curve("depth", _named("depth", depth, 0.1, means=is_mean)).last
            for is_mean in (True, False)
        )
        ratio = means.value / samples.value
        half = ratio * hypot(means.width / 2 / means.value, samples.width / 2 / samples.value)
        ratios.append(Interval(ratio, ratio - half, ratio + half))
    words = f"means over samples: {written(ratios[0])} at depth 2, {written(ratios[1])} at depth 4"
    return below(ratios[0], ratios[1]), words


def experiments() -> Iterator[Experiment]:
    """The experiment of this module."""
    yield _random_trees()
