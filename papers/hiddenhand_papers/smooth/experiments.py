"""The learning curves of the Smooth UCT paper: Heinrich and Silver (2015), "Smooth UCT search in
computer poker", Fig. 1 and 2. Its Hold'em is in `holdem`.

Outcome sampling is as it was in 2015, without a baseline. A traversal is an episode; where the
players alternate, an iteration has two of them, and an odd one is made up for later.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from hiddenhand.evaluation.tracing import Advance, trace
from hiddenhand.search.making import make_search
from hiddenhand.search.table_search import TableSearch
from hiddenhand.solvers.mccfr import MCCFR
from hiddenhand.statistics import Interval
from hiddenhand.trees.kuhn_equilibria import squared_error
from hiddenhand.trees.profile import nash_conv
from hiddenhand_papers.curves import CurveCheck, Curves, line_figure, longest_of_seeds
from hiddenhand_papers.experiment import Experiment, Results, Scale
from hiddenhand_papers.findings import Check, Curve, all_of, below, lowest, written
from hiddenhand_papers.measures import tree_of
from hiddenhand_papers.smooth import holdem
from hiddenhand_papers.units import Result, Unit

_STEPS: Final = 8
"""Points of a curve for each factor of ten."""
_EPSILON: Final = 0.5
"""How much outcome sampling explores: the best that the paper found."""
_MEASURES: Final = {"squared_error": squared_error, "nash_conv": nash_conv}


@dataclass(frozen=True)
class LearningRun(Unit):
    """A long run of self-play, looked at eight times in each factor of ten.

    game: the name of the game.
    search: the name of a search; or "outcome" or "outcome-parallel", for outcome sampling.
    measure: "squared_error" to the closest equilibrium of Kuhn poker, or "nash_conv".
    first: the episodes before the first look.
    episodes: those before the last look.
    seed: the seed.
    """

    game: str
    search: str
    measure: str
    first: int
    episodes: int
    seed: int

    @property
    def players(self) -> tuple[str, ...]:
        """See `Unit.players`; outcome sampling on a tree is no player."""
        return () if self.search.startswith("outcome") else (self.search,)

    @property
    def looks(self) -> list[int]:
        """After how many episodes the strategy is looked at."""
        found, step = [], 0
        while (look := round(self.first * 10 ** (step / _STEPS))) < self.episodes:
            found.append(look)
            step += 1
        return [*found, self.episodes]

    def run(self) -> Result:
        """Play, and look."""
        advance, profile = self._searching() if self.players else self._sampling()
        measure = partial(_MEASURES[self.measure], tree_of(self.game))
        points = trace(advance, lambda: measure(profile()), iterations=self.looks)
        return {"values": [float(f"{point.value:.6g}") for point in points]}

    def _searching(self) -> tuple[Advance, Callable[[], Any]]:
        tree = tree_of(self.game)
        search = make_search(tree.game, self.search, self.seed)
        assert isinstance(search, TableSearch)
        return search.think, lambda: search.strategy().on(tree)

    def _sampling(self) -> tuple[Advance, Callable[[], Any]]:
        tree = tree_of(self.game)
        run = MCCFR(tree, self.search, epsilon=_EPSILON, baseline="off", seed=self.seed)
        each = 1 if self.search == "outcome-parallel" else tree.num_players
        wanted = 0

        def advance(*, iterations: int | None = None, **_: object) -> None:
            """Play episodes, of which one iteration makes ``each``."""
            nonlocal wanted
            assert iterations is not None  # the stops are numbers of episodes
            wanted += iterations
            if wanted // each > run.iterations:
                run.iterate(wanted // each - run.iterations)

        return advance, run.average_profile


@dataclass(frozen=True)
class LearningLine:
    """A learning curve, over runs.

    name: what the legend calls it.
    kind: a run of the paper's length, with seed 0.
    runs: how many runs the paper had; at the scale ``evening`` ``evening``, of ``short`` episodes.
    """

    name: str
    kind: LearningRun
    runs: int
    evening: int
    short: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        kind = self.kind
        for seed in range(scale.seeds(self.runs, self.evening)):
            episodes = self.short if scale.is_short else kind.episodes
            yield self._unit(episodes, seed)

    def _unit(self, episodes: int, seed: int) -> LearningRun:
        kind = self.kind
        return LearningRun(kind.game, kind.search, kind.measure, kind.first, episodes, seed)

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line` and `longest_of_seeds`."""
        return longest_of_seeds(
            (unit.seed, unit.looks, result["values"])
            for unit, result in results.items()
            if isinstance(unit, LearningRun) and unit == self._unit(unit.episodes, unit.seed)
        )


def experiments() -> Iterator[Experiment]:
    """All experiments of the paper."""
    yield _figure(
        "fig1",
        "Learning curves in Kuhn poker",
        "kuhn_poker",
        "squared_error",
        {
            "Smooth UCT": "smooth-uct(exploration=1.75,decay=0.001)",
            "UCT": "ef-uct(exploration=2.0)",
        },
        (10, 20_000_000, 100_000),
        (50, 5),
        "mean squared error to the closest equilibrium",
        (_smooth_converges, _uct_diverges, _smooth_better_after_600),
    )
    yield _figure(
        "fig2",
        "Learning curves in Leduc poker",
        "leduc_poker",
        "nash_conv",
        {
            "Smooth UCT": "smooth-uct(exploration=18.0,decay=0.002)",
            "UCT": "ef-uct(exploration=20.0)",
            "alternating outcome sampling": "outcome",
            "parallel outcome sampling": "outcome-parallel",
        },
        (1_000, 500_000_000, 1_000_000),
        (5, 2),
        "exploitability, sum over both players",
        (_uct_methods_faster_at_first, _uct_diverges, _smooth_keeps_falling, _os_overtakes_late),
    )
    yield from holdem.experiments()


def _figure(
    item: str,
    title: str,
    game: str,
    measure: str,
    methods: dict[str, str],
    lengths: tuple[int, int, int],
    runs: tuple[int, int],
    y: str,
    checks: tuple[CurveCheck, ...],
) -> Experiment:
    """lengths: the first look, the episodes of the paper, and those at the scale evening. runs: of
    the paper, and at the scale evening.
    """
    first, episodes, short = lengths
    return line_figure(
        paper="smooth",
        item=item,
        title=title,
        setup=(
            f"{runs[0]} runs of {episodes:,} episodes; evening: {runs[1]} of {short:,}.",
            "Searches: " + "; ".join(f"{name}: {search}" for name, search in methods.items()) + ".",
        ),
        lines=tuple(
            LearningLine(name, LearningRun(game, search, measure, first, episodes, 0), *runs, short)
            for name, search in methods.items()
        ),
        x="episodes",
        y=y,
        checks=checks,
    )


# --- what the paper says ---


def _smooth_converges(curves: Curves) -> Check:
    """Smooth UCT ends below a hundredth of where it began. A short run cannot show the contrary."""
    curve = curves["Smooth UCT"]
    reached = curve.last.high < 0.01 * curve.first.value
    words = f"from {written(curve.first)} to {written(curve.last)}"
    return Check("smooth-converges", True if reached else None, words)


def _uct_diverges(curves: Curves) -> Check:
    """UCT ends above its lowest point."""
    curve = curves["UCT"]
    least = lowest(curve)
    words = f"UCT: lowest {written(least)}, at the end {written(curve.last)}"
    return Check("uct-diverges", below(least, curve.last), words)


def _smooth_better_after_600(curves: Curves) -> Check:
    """From 600 episodes on Smooth UCT is below UCT at every look."""
    uct = dict(curves["UCT"].points)
    later = [(at, here) for at, here in curves["Smooth UCT"].points if at > 600 and at in uct]
    answers = [below(here, uct[at]) for at, here in later]
    first = next((at for (at, _), holds in zip(later, answers, strict=True) if holds), None)
    words = f"clearly below at {answers.count(True)} of {len(answers)} looks, above at "
    words += f"{answers.count(False)}; first at {first:,} episodes" if first else "none"
    return Check("smooth-better-after-600", all_of(answers), words)


def _at(curve: Curve, episodes: float) -> Interval:
    """The value at the first look from ``episodes`` on."""
    return next(here for at, here in curve.points if at >= episodes)


def _uct_methods_faster_at_first(curves: Curves) -> Check:
    """After 10,000 episodes both kinds of UCT are below both kinds of outcome sampling."""
    fast = [_at(curves[name], 10_000) for name in ("Smooth UCT", "UCT")]
    slow = [_at(curve, 10_000) for name, curve in curves.items() if "sampling" in name]
    words = f"after 10,000 episodes {'; '.join(map(written, fast))} against "
    words += "; ".join(map(written, slow))
    answers = [below(one, other) for one in fast for other in slow]
    return Check("uct-methods-faster-at-first", all_of(answers), words)


def _smooth_keeps_falling(curves: Curves) -> Check:
    """Smooth UCT ends below its value after a tenth of the episodes."""
    curve = curves["Smooth UCT"]
    before = _at(curve, 0.1 * curve.points[-1][0])
    words = f"after a tenth {written(before)}, at the end {written(curve.last)}"
    return Check("smooth-keeps-falling", below(curve.last, before), words)


def _os_overtakes_late(curves: Curves) -> Check:
    """Outcome sampling ends below Smooth UCT, and was above after a hundredth of the episodes."""
    smooth = curves["Smooth UCT"]
    early, end = 0.01 * smooth.points[-1][0], smooth.last
    answers, said = [], []
    for name, curve in curves.items():
        if "sampling" in name:
            answers += [below(_at(smooth, early), _at(curve, early)), below(curve.last, end)]
            said.append(f"{name} {written(_at(curve, early))}, then {written(curve.last)}")
    words = f"Smooth UCT {written(_at(smooth, early))}, then {written(end)}; {'; '.join(said)}"
    return Check("os-overtakes-late", all_of(answers), words)
