"""Fig. 4.5 of Lisy's thesis: SM-MCTS by regret matching and by Exp3, propagating samples or means,
on the games of two joint moves that are the hardest for regret matching.

The thesis does not print its games, and no hardest game here has the limits that it prints. In one
reading the games are the hardest among those with these limits.

The strategies are the empirical frequencies, exploration included. Payoffs of these games are 0 to
1 for both players in the thesis; here they are -1 to 1, which the selection rules scale to 0 to 1,
and exploitability is halved.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.evaluation.convergence import converge
from hiddenhand.evaluation.measurement import Study
from hiddenhand.games.random_game import MatrixTree
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.solvers.simultaneous.matrix_games import solve_matrix
from hiddenhand.statistics import Interval, widened
from hiddenhand.trees.unroll import unroll
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import (
    Check,
    Curve,
    Findings,
    Grid,
    Plot,
    below,
    not_above,
    point,
    written,
)
from hiddenhand_papers.thesis.budgets import item
from hiddenhand_papers.thesis.fig4_04 import EXAMPLE, empirical
from hiddenhand_papers.thesis.small_trees import (
    LEAVES,
    Method,
    all_games,
    mean_exploitability,
    nash_conv,
)
from hiddenhand_papers.units import Result, Unit

_GAMMA: Final = 0.05
_WIDER: Final = 2.0
"""How many times as large exploitability is in payoffs from -1 to 1 as in those of the thesis."""
_METHODS: Final = ("RM", "RMM")
_LINES: Final = ("RM", "RMM", "Exp3", "Exp3M")
_READINGS: Final = {
    "drm": "regret matching of each player alone, as the text says",
    "rm": "regret matching on the estimated matrix",
}
_TITLES: Final = {
    "drm": "Decoupled: the hardest game",
    "rm": "Coupled: the hardest game",
    "limits": "The hardest game with the printed limit",
}
_OTHER_GAMES: Final = "games with the printed limits, in payoffs from -1 to 1"
_STAGES: Final = ((1, 5000), (10, 800), (50, 200))
"""In each stage, how many runs of 1000 iterations each game has, and how many of the games that are
the hardest for either method go on to the next.
"""

_HARDEST: Final = 100
_CURVE: Final = 2**20
_POINTS: Final = 15


@dataclass(frozen=True)
class WorstGames(Unit):
    """The search through all games, and curves on the two hardest.

    selector: the rule of RM and RMM, "drm" or "rm".
    screening: how many runs of 1000 iterations each game has at first. The hardest for either
        method have more: see `_STAGES`.
    runs: how many the very hardest have in the end.
    curves: how many runs the curves have.

    The result has, for each method, the leaves of its hardest game, how exploitable both methods
    are there, the least exploitability that exploration allows, and the curves. And how many of the
    hardest games are hard for both methods, and in how many propagating means is clearly better.
    """

    selector: str
    screening: int
    runs: int
    curves: int

    @property
    def games(self) -> tuple[str, ...]:
        """See `Unit.games`: the rules of all such games are the same."""
        return (EXAMPLE,)

    @property
    def players(self) -> tuple[str, ...]:
        return tuple(self._search(line) for line in _LINES)

    def _search(self, line: str) -> str:
        selector = "exp3" if line.startswith("Exp3") else self.selector
        return empirical(selector, _GAMMA, means=line.endswith("M") and line != "RM")

    def run(self) -> Result:
        """Search, and look."""
        games = every = all_games()
        for stage, (runs, kept) in enumerate(((self.screening, _STAGES[0][1]), *_STAGES[1:])):
            games = games[self._hardest(games, runs, kept, stage)]
        known = self._known(games, self.runs, len(_STAGES))
        (means, means_error), (samples, error) = known["RMM"].T, known["RM"].T
        better = means + 3 * np.hypot(means_error, error) < samples
        hard = {name: set(np.argsort(found[:, 0])[-_HARDEST:]) for name, found in known.items()}
        return {
            "games": len(every),
            "compared": len(games),
            "hard_for_both": len(hard["RM"] & hard["RMM"]) / _HARDEST,
            "means_better": int(np.sum(better)),
            "worst": {
                name: self._worst(games, int(np.argmax(known[name][:, 0])), known)
                for name in _METHODS
            },
        }

    def _known(self, games: Floats, runs: int, stage: int) -> dict[str, Floats]:
        return {
            name: mean_exploitability(
                games, Method(self.selector, _GAMMA, name == "RMM"), runs, 1000, 2 * stage + number
            )
            for number, name in enumerate(_METHODS)
        }

    def _hardest(self, games: Floats, runs: int, kept: int, stage: int) -> Integers:
        """The games that are among the hardest for either method."""
        known = self._known(games, runs, stage).values()
        return np.unique(np.concatenate([np.argsort(found[:, 0])[-kept:] for found in known]))

    def _worst(self, games: Floats, place: int, known: dict[str, Floats]) -> Result:
        leaves = games[place]
        return {
            "leaves": ((leaves + 1) / 2).tolist(),
            "exploitability": {name: float(found[place, 0]) for name, found in known.items()},
            "limit": least_exploitable(leaves),
            "curves": {name: self._curve(leaves, name) for name in _LINES},
        }

    def _curve(self, leaves: Floats, name: str) -> Result:
        tree = unroll(MatrixTree(2, 2, leaves.tolist()))
        study = Study(self._search(name), tree, seeds=range(self.curves), unseen="uniform")
        found = converge(study, Budget(_CURVE), points=_POINTS)
        points = [
            [point.at, point.nash_conv.value / 2, point.nash_conv.width / 4]
            for point in found.curve
        ]
        return {"points": [[float(f"{value:.6g}") for value in point] for point in points]}


@dataclass(frozen=True)
class GamesWithLimits(WorstGames):
    """The same on the games whose limit is the printed one, in payoffs from -1 to 1: the hardest of
    them for each method.
    """

    def run(self) -> Result:
        """Search, and look."""
        every = all_games()
        limits = np.array([round(_WIDER * least_exploitable(leaves), 4) for leaves in every])
        worst = {}
        for name in _METHODS:
            games = every[limits == _printed_limit(name)]
            known = self._known(games, self.runs, 0)
            worst[name] = self._worst(games, int(np.argmax(known[name][:, 0])), known)
        return {"worst": worst}


@dataclass(frozen=True)
class SmallLimits(Unit):
    """The least exploitability that exploration allows, in all games: each value that occurs,
    rounded as in print, with the number of its games; in the thesis' payoffs, and in payoffs from
    -1 to 1.
    """

    VERSION: ClassVar[int] = 2

    @property
    def games(self) -> tuple[str, ...]:
        return (EXAMPLE,)

    def run(self) -> Result:
        """Solve all games."""
        found = [least_exploitable(leaves) for leaves in all_games()]
        counts = (Counter(round(scale * value, 4) for value in found) for scale in (1.0, _WIDER))
        limits, wider = (sorted(map(list, count.items())) for count in counts)
        return {"limits": limits, "wider": wider}


def least_exploitable(leaves: Floats) -> float:
    """How exploitable an equilibrium is if every choice is made at random with probability 0.05; in
    the thesis' payoffs, where ``leaves`` ``float64[16]`` are -1 to 1.
    """
    nodes = [solve_matrix(matrix) for matrix in leaves.reshape(4, 2, 2)]
    root = solve_matrix(np.array([node.value for node in nodes]).reshape(2, 2))
    profile = np.array([[node.rows, node.columns] for node in (root, *nodes)])
    return float(nash_conv(leaves, (1 - _GAMMA) * profile + _GAMMA / 2) / 2)


@dataclass(frozen=True)
class Worst(Experiment):
    """Fig. 4.5."""

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Experiment.units`: one unit for each reading, and the limits of all games."""
        yield SmallLimits()
        counts = scale.count(100, 1), scale.count(2000, 200), scale.count(100, 5)
        yield from (WorstGames(selector, *counts) for selector in _READINGS)
        yield GamesWithLimits("drm", *counts)

    def findings(self, results: Results) -> Findings:
        """See `Experiment.findings`: of the largest searches that there are."""
        grids: list[Grid] = []
        plots: list[Plot] = []
        checks: list[Check] = []
        notes: list[str] = []
        for one in _shown(results):
            worst, runs = one.result["worst"], one.runs
            grids.append(_limits(one.result, one.reading))
            plots += [_worst_plot(one.plot, name, worst[name], runs) for name in _METHODS]
            found = _worst_checks(one.result, runs)
            checks += [replace(check, reading=one.reading) for check in found]
            notes += [_told(worst[name], one.reading, one.among, name) for name in _METHODS]
        if limits := results.get(SmallLimits()):
            notes += [_nearest(limits, name) for name in _METHODS]
        return Findings(tuple(grids), tuple(plots), tuple(checks), tuple(notes))


@dataclass(frozen=True)
class _Shown:
    """What a reading shows.

    reading: what it is called.
    plot: the beginning of the names of its pictures.
    result: what was found.
    runs: how many runs its curves have.
    among: among which games its hardest ones are, in words.
    """

    reading: str
    plot: str
    result: Result
    runs: int
    among: str


def _shown(results: Results) -> Iterator[_Shown]:
    """The readings that were run, by the largest searches that there are."""
    for selector, reading in _READINGS.items():
        if (unit := _largest(WorstGames, selector, results)) is None:
            continue
        result = results[unit]
        yield _Shown(reading, selector, result, unit.curves, f"{result['games']:,} games")
        if others := _largest(GamesWithLimits, selector, results):
            result = result | _in_wider_payoffs(results[others])
            yield _Shown(_OTHER_GAMES, "limits", result, others.curves, "these games")


def _largest(kind: type[WorstGames], selector: str, results: Results) -> WorstGames | None:
    """The largest search of a kind that there is; None if there is none."""
    known = [
        unit
        for unit in results
        if isinstance(unit, WorstGames) and type(unit) is kind and unit.selector == selector
    ]
    return max(known, key=lambda unit: (unit.screening, unit.runs, unit.curves), default=None)


def _in_wider_payoffs(result: Result) -> Result:
    """What was found on games, with exploitability in payoffs from -1 to 1."""

    def curve(known: Result) -> Result:
        points = [[at, _WIDER * value, _WIDER * half] for at, value, half in known["points"]]
        return {"points": points}

    return {
        "worst": {
            name: {
                "leaves": worst["leaves"],
                "exploitability": {
                    method: _WIDER * value for method, value in worst["exploitability"].items()
                },
                "limit": _WIDER * worst["limit"],
                "curves": {line: curve(known) for line, known in worst["curves"].items()},
            }
            for name, worst in result["worst"].items()
        }
    }


def _printed_limit(name: str) -> float:
    """The printed limit of the hardest game for a method."""
    table = item("fig4.5").table("limits")
    assert table is not None
    return float(table.cells[f"WC {name}", "limit"].value)


def _nearest(limits: Result, name: str) -> str:
    """Which limit of any game is the nearest to the printed one, in both units of payoffs."""
    printed = _printed_limit(name)
    (limit, count), (other, games) = (
        min(limits[unit], key=lambda pair: abs(pair[0] - printed)) for unit in ("limits", "wider")
    )
    return (
        "Which limit is printed depends on the game that was found, which by the thesis' own words "
        f"need not be the hardest one. The limit nearest to the {printed:.4f} of WC {name} is that "
        f"of {count:,} games: {limit:.4f}. In payoffs from -1 to 1 it is that of {games:,} games: "
        f"{other:.4f}."
    )


def _limits(result: Result, reading: str) -> Grid:
    cells = {(f"WC {name}", "limit"): _exactly(result["worst"][name]["limit"]) for name in _METHODS}
    rows = tuple(row for row, _ in cells)
    return Grid("limits", rows, ("limit",), cells, reading, "exploitability")


def _told(worst: Result, reading: str, among: str, name: str) -> str:
    found = worst["exploitability"]
    return (
        f"{reading[0].upper()}{reading[1:]}: the hardest of {among} for {name} has the payoffs "
        f"{_as_text(worst['leaves'])} (row by row of the root, then of each node); after 1000 "
        f"iterations RM is {found['RM']:.3f} and RMM {found['RMM']:.3f} exploitable there."
    )


def _worst_plot(selector: str, name: str, worst: Result, runs: int) -> Plot:
    curves = tuple(Curve(line, _line(worst, line, runs)) for line in _LINES)
    title = f"{_TITLES[selector]} for {name}"
    y = "exploitability, the sum of both players'"
    return Plot(f"{selector}-{name.lower()}", title, "iterations", y, curves)


def _line(worst: Result, line: str, runs: int) -> tuple[tuple[float, Interval], ...]:
    points = worst["curves"][line]["points"]
    return tuple(
        (at, widened(Interval(value, value - half, value + half), runs))
        for at, value, half in points
    )


def _worst_checks(result: Result, runs: int) -> Iterator[Check]:
    worst = result["worst"]["RM"]
    lines = {line: _line(worst, line, runs) for line in _LINES}
    ends = {name: line[-1][1] for name, line in lines.items()}
    limit = worst["limit"]
    bound = point(1.1 * limit)
    words = f"RM ends at {written(ends['RM'])}; the limit is {limit:.4f}"
    yield Check("drm-reaches-limit", not_above(ends["RM"], bound), words)
    words = f"Exp3 ends at {written(ends['Exp3'])}; the limit is {limit:.4f}"
    yield Check("exp3-not-there-yet", below(bound, ends["Exp3"]), words)
    share = result["hard_for_both"]
    yield Check(
        "hard-for-one-hard-for-other",
        share > 0.5,
        f"{share:.0%} of the {_HARDEST} hardest games for one are among those for the other",
    )
    yield Check(
        "means-never-better",
        result["means_better"] == 0,
        f"means are clearly better in {result['means_better']} of the {result['compared']} games",
    )
    slower = [
        below(lines[one][place][1], lines[other][place][1])
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
    """The experiment of this module."""
    yield Worst(
        "thesis",
        "fig4.5",
        "The hardest small games for regret matching",
        (
            "All games of depth 2 with 2 actions and payoffs 0, 0.5 and 1, each once however its "
            "actions are ordered. At first each game has 100 runs of 1000 iterations at the scale "
            "paper, and 1 at evening; the hardest have more, in stages, up to 2000 and 200.",
            "The limit is the exploitability of an equilibrium with uniform play of probability "
            "0.05.",
            "The reading of games with the printed limits takes only games that have them. So its "
            "limits agree by choice, and only its sentences are a test.",
        ),
    )
