"""Figures 4.4 and 4.5 of Lisy's thesis: SM-MCTS by regret matching that propagates samples or
means, on random games, and on the games that are the hardest for it.

The strategies are the empirical frequencies, exploration included. Payoffs of these games are 0 to
1 for both players in the thesis; here they are -1 to 1, which the selection rules scale to 0 to 1,
and exploitability is halved.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import hypot
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.evaluation.convergence import converge
from hiddenhand.evaluation.study import Study
from hiddenhand.experiments.experiment import Experiment, Results, Scale
from hiddenhand.experiments.findings import Check, Curve, Findings, Grid, Plot, below, written
from hiddenhand.experiments.measures import over_seeds
from hiddenhand.experiments.thesis_sections import Composite, Found, Panel, Test
from hiddenhand.experiments.thesis_small_trees import (
    LEAVES,
    NODES,
    Method,
    all_games,
    mean_exploitability,
    nash_conv,
)
from hiddenhand.experiments.thesis_tests import all_hold, lower, under
from hiddenhand.experiments.units import Result, Unit
from hiddenhand.games.random_game import MatrixTree
from hiddenhand.states.induction import solve_by_induction
from hiddenhand.statistics import Interval
from hiddenhand.trees.unroll import unroll

_EXAMPLE: Final = "random_game(actions=2,depth=2,payoffs=leaves)"


def _search(selector: str, gamma: float, *, means: bool) -> str:
    how = "means" if means else "values"
    return f"sm-mcts(selector={selector},gamma={gamma:g},propagate={how},keep_exploration=true)"


# --- Fig. 4.4 ---


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
        return (_EXAMPLE,)

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
_QUICK_ITERATIONS: Final = 2**16
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
        runs = scale.count(100, 2)
        fewer = _ITERATIONS // _QUICK_ITERATIONS if scale.is_quick else 1
        points = _POINTS - fewer.bit_length() + 1
        for seed in range(scale.count(100, 5)):
            yield RandomTree(
                self.actions, self.depth, self.search, _ITERATIONS // fewer, points, runs, seed
            )

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`: the mean over games, of the longest runs that there are."""
        own = [
            (unit, result)
            for unit, result in results.items()
            if isinstance(unit, RandomTree)
            and (unit.actions, unit.depth, unit.search) == (self.actions, self.depth, self.search)
        ]
        longest = max(((unit.iterations, unit.runs) for unit, _ in own), default=(0, 0))
        found: dict[int, list[float]] = {}
        for unit, result in own:
            if (unit.iterations, unit.runs) == longest:
                for at, value in zip(result["iterations"], result["nash_conv"], strict=True):
                    found.setdefault(at, []).append(value)
        return [(float(at), over_seeds(values)) for at, values in sorted(found.items())]


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
                _search("drm", gamma, means=means),
            )
            for number in numbers
            for gamma in gammas
            for means in (False, True)
        )
        panels.append(Panel(name, f"Random games by {label}", lines, "iterations"))
    setup = (
        "100 games and 100 runs at the scale paper, 5 and 2 at quick, where searches are shorter, "
        "too. The thesis does not name the branching factors and depths of its picture.",
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
        partial(_gap_grows),
    )


def _gap_grows(found: Found) -> Check | None:
    """Means over samples, at the end, in the deepest games against the shallowest."""
    ratios: list[Interval] = []
    for depth in (_DEPTHS[0], _DEPTHS[-1]):
        curves = [
            found.curve("depth", _named("depth", depth, 0.1, means=means))
            for means in (True, False)
        ]
        if curves[0] is None or curves[1] is None:
            return None
        means, samples = curves[0].last, curves[1].last
        ratio = means.value / samples.value
        half = ratio * hypot(means.width / 2 / means.value, samples.width / 2 / samples.value)
        ratios.append(Interval(ratio, ratio - half, ratio + half))
    words = f"means over samples: {written(ratios[0])} at depth 2, {written(ratios[1])} at depth 4"
    return Check("gap-grows-with-depth", below(ratios[0], ratios[1]), words)


# --- Fig. 4.5 ---

_GAMMA: Final = 0.05
_METHODS: Final = {
    "RM": Method("drm", _GAMMA, means=False),
    "RMM": Method("drm", _GAMMA, means=True),
}
_LINES: Final = {
    "RM": ("drm", False),
    "RMM": ("drm", True),
    "Exp3": ("exp3", False),
    "Exp3M": ("exp3", True),
}
_KEPT: Final = 300
_CURVE: Final = 2**20


@dataclass(frozen=True)
class WorstGames(Unit):
    """The search through all games, and curves on the two hardest.

    screening: how many runs of 1000 iterations each game has at first.
    runs: how many the hardest of these have then.
    curves: how many runs the curves have.

    The result has, for each method, the leaves of its hardest game, how exploitable both methods
    are there, the least exploitability that exploration allows, and the curves. And how many of the
    hardest games are hard for both methods, and in how many propagating means is clearly better.
    """

    screening: int
    runs: int
    curves: int

    @property
    def games(self) -> tuple[str, ...]:
        """See `Unit.games`: the rules of all such games are the same."""
        return (_EXAMPLE,)

    @property
    def players(self) -> tuple[str, ...]:
        """See `Unit.players`."""
        return tuple(_search(name, _GAMMA, means=means) for name, means in _LINES.values())

    def run(self) -> Result:
        """Search, and look."""
        games = all_games()
        screened = {
            name: mean_exploitability(games, method, self.screening, 1000, seed)
            for seed, (name, method) in enumerate(_METHODS.items())
        }
        hard = {
            name: set(np.argsort(values)[-_KEPT:].tolist()) for name, values in screened.items()
        }
        both = sorted(hard["RM"] | hard["RMM"])
        known = {
            name: mean_exploitability(games[both], method, self.runs, 1000, 10 + seed)
            for seed, (name, method) in enumerate(_METHODS.items())
        }
        spread = 1.0 / np.sqrt(
            self.runs
        )  # an upper bound of the error of a mean of values in 0 .. 2
        return {
            "games": len(games),
            "hard_for_both": len(hard["RM"] & hard["RMM"]) / _KEPT,
            "means_better": int(np.sum(known["RMM"] + 2 * spread < known["RM"])),
            "means_lower": float(np.mean(known["RMM"] < known["RM"])),
            "worst": {
                name: self._worst(games[both], int(np.argmax(known[name])), known)
                for name in _METHODS
            },
        }

    def _worst(self, games: Floats, place: int, known: dict[str, Floats]) -> Result:
        leaves = games[place]
        return {
            "leaves": ((leaves + 1) / 2).tolist(),
            "exploitability": {name: float(values[place]) for name, values in known.items()},
            "limit": least_exploitable(leaves),
            "curves": {name: self._curve(leaves, name) for name in _LINES},
        }

    def _curve(self, leaves: Floats, name: str) -> Result:
        selector, means = _LINES[name]
        search = _search(selector, _GAMMA, means=means)
        tree = unroll(MatrixTree(2, 2, leaves.tolist()))
        study = Study(search, tree, seeds=range(self.curves), unseen="uniform")
        found = converge(study, Budget(_CURVE), points=_POINTS)
        points = [
            [point.at, point.nash_conv.value / 2, point.nash_conv.width / 4]
            for point in found.curve
        ]
        return {"points": [[float(f"{value:.6g}") for value in point] for point in points]}


def least_exploitable(leaves: Floats) -> float:
    """How exploitable an equilibrium is if every choice is made at random with probability 0.05; in
    the thesis' payoffs, where ``leaves`` ``float64[16]`` are -1 to 1.
    """
    found = solve_by_induction(MatrixTree(2, 2, leaves.tolist()))
    graph, profile = found.graph, np.full((NODES, 2, 2), 0.5)
    nodes = [0, *(int(cell) for cell in graph.cell[graph.first_cell[0] : graph.first_cell[1]])]
    for place, node in enumerate(nodes):
        start = graph.first_action[node]
        if graph.first_action[node + 1] - start == 2 * 2:
            profile[place] = found.profile[start : start + 4].reshape(2, 2)
    return float(nash_conv(leaves, (1 - _GAMMA) * profile + _GAMMA / 2) / 2)


@dataclass(frozen=True)
class Worst(Experiment):
    """Fig. 4.5."""

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: one unit."""
        yield self._unit(scale)

    def _unit(self, scale: Scale) -> WorstGames:
        return WorstGames(scale.count(100, 1), scale.count(1000, 50), scale.count(100, 3))

    def findings(self, results: Results) -> Findings:
        """See `Experiment.findings`: of the largest search that there is."""
        known = {
            unit.screening: found for unit, found in results.items() if isinstance(unit, WorstGames)
        }
        if not known:
            return Findings()
        result = known[max(known)]
        worst = result["worst"]
        plots = tuple(_worst_plot(name, worst[name]) for name in _METHODS)
        cells = {(f"WC {name}", "limit"): _exactly(worst[name]["limit"]) for name in _METHODS}
        grid = Grid(
            "limits", tuple(row for row, _ in cells), ("limit",), cells, unit="exploitability"
        )
        notes = tuple(
            f"The hardest of {result['games']:,} games for {name} has the payoffs "
            f"{_as_text(worst[name]['leaves'])} (row by row of the root, then of each node); after "
            f"1000 iterations RM is {worst[name]['exploitability']['RM']:.3f} and RMM "
            f"{worst[name]['exploitability']['RMM']:.3f} exploitable there."
            for name in _METHODS
        )
        return Findings((grid,), plots, tuple(_worst_checks(result)), notes)


def _worst_plot(name: str, worst: Result) -> Plot:
    curves = tuple(Curve(line, _line(worst, line)) for line in _LINES)
    return Plot(
        name.lower(),
        f"On the hardest game for {name}",
        "iterations",
        "exploitability, the sum of both players'",
        curves,
    )


def _line(worst: Result, line: str) -> tuple[tuple[float, Interval], ...]:
    points = worst["curves"][line]["points"]
    return tuple((at, Interval(value, value - half, value + half)) for at, value, half in points)


def _worst_checks(result: Result) -> Iterator[Check]:
    worst = result["worst"]["RM"]
    ends = {line: _line(worst, line)[-1][1] for line in _LINES}
    limit = worst["limit"]
    words = f"RM ends at {written(ends['RM'])}; the limit is {limit:.4f}"
    yield Check("drm-reaches-limit", ends["RM"].low <= 1.1 * limit, words)
    words = f"Exp3 ends at {written(ends['Exp3'])}; the limit is {limit:.4f}"
    yield Check("exp3-not-there-yet", ends["Exp3"].low > 1.1 * limit, words)
    share = result["hard_for_both"]
    yield Check(
        "hard-for-one-hard-for-other",
        share > 0.5,
        f"{share:.0%} of the {_KEPT} hardest games for one are among those for the other",
    )
    yield Check(
        "means-never-better",
        result["means_better"] == 0,
        f"means are clearly better in {result['means_better']} of the hardest games",
    )
    slower = [
        below(_line(worst, one)[place][1], _line(worst, other)[place][1])
        for one, other in (("RM", "RMM"), ("Exp3", "Exp3M"))
        for place in range(_POINTS // 2, _POINTS - 3)
    ]
    holds = False if False in slower else True if True in slower else None
    yield Check(
        "means-a-little-slower",
        holds,
        f"means are clearly higher at {slower.count(True)} of {len(slower)} looks, and clearly "
        f"lower at {slower.count(False)}",
    )


def _exactly(value: float) -> Interval:
    return Interval(round(value, 4), round(value, 4), round(value, 4))


def _as_text(leaves: list[float]) -> str:
    assert len(leaves) == LEAVES
    return " ".join(f"{leaf:g}" for leaf in leaves)


def experiments() -> Iterator[Experiment]:
    """The experiments of this module."""
    yield _random_trees()
    yield Worst(
        "thesis",
        "fig4.5",
        "The hardest small games for regret matching",
        (
            "All games of depth 2 with 2 actions and payoffs 0, 0.5 and 1, each once however its "
            "actions are ordered. At first each game has 100 runs of 1000 iterations at the scale "
            "paper, and 1 at quick; the 300 hardest for either method have 1000 and 50 runs then.",
            "The limit is the exploitability of an equilibrium with uniform play of probability "
            "0.05.",
        ),
    )
