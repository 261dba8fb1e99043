"""The page and the pictures of `benchmarks.smooth_uct`: what the curves are of, and what they
show.
"""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.files import write_whole

_STEPS: Final = 8
"""Points of a curve for each factor of ten."""


@dataclass(frozen=True)
class Figure:
    """A figure of the paper.

    name: what the option calls it.
    game: its game.
    measure: what is on the vertical axis.
    methods: what is compared, by name; texts that name a search or a form of MCCFR.
    first: the first point of the curves, in episodes.
    episodes: where the curves end, in the paper.
    runs: how many runs are averaged, in the paper.
    """

    name: str
    game: str
    measure: str
    methods: dict[str, str]
    first: int
    episodes: int
    runs: int

    def points(self, episodes: int) -> list[int]:
        """The points of a curve up to ``episodes``."""
        found, step = [], 0
        while (point := round(self.first * 10 ** (step / _STEPS))) < episodes:
            found.append(point)
            step += 1
        return [*found, episodes]


FIGURES: Final = (
    Figure(
        "kuhn",
        "kuhn_poker",
        "squared_error",
        {
            "Smooth UCT": "smooth-uct(exploration=1.75,decay=0.001)",
            "UCT": "ef-uct(exploration=2.0)",
        },
        first=10,
        episodes=20_000_000,
        runs=50,
    ),
    Figure(
        "leduc",
        "leduc_poker",
        "nash_conv",
        {
            "Smooth UCT": "smooth-uct(exploration=18.0,decay=0.002)",
            "UCT": "ef-uct(exploration=20.0)",
            "alternating outcome sampling": "outcome",
            "parallel outcome sampling": "outcome-parallel",
        },
        first=1_000,
        episodes=500_000_000,
        runs=5,
    ),
)

Kept = dict[str, dict[str, Any]]
"""The runs, by game, method and seed: points in episodes, and the measure at each."""

_INTRODUCTION: Final = """# Smooth UCT in Kuhn and Leduc poker

*Written by `python -m benchmarks.smooth_uct` from benchmarks/results/smooth_uct.json; not by hand.*

This page is for readers of Heinrich and Silver (2015), "Smooth UCT search in computer poker", and
for users of `smooth-uct`. At its end you know the learning curves of Fig. 1 and Fig. 2 in this
program.

An episode is one play of the game, which for outcome sampling is one traversal. All searches
begin with empty tables. The figures are of their average strategy. `ef-uct` is the UCT of the
paper. `smooth-uct` mixes the average strategy into its selection. [Algorithms](../algorithms.md)
has all parameters. A figure behind ± is the standard error of the mean over runs with different
seeds."""
_KUHN: Final = """## Kuhn poker

The figures are the mean squared error of the average strategy, over the actions of all twelve
information sets. The error is the distance to the closest equilibrium, which has a closed form.
`hiddenhand search kuhn_poker` prints it as `squared_error`."""
_LEDUC: Final = """## Leduc poker

`nash_conv`, the sum of what best responses gain, in chips of which the ante is one. That is what
the paper calls exploitability, because in a zero-sum game the gains sum to what the best responses
earn together; `hiddenhand search leduc_poker --nash-conv` prints both. Outcome sampling explores
with epsilon = 0.5, and has no baseline."""


@dataclass(frozen=True)
class Mean:
    """The mean of the curves of a method.

    name: of the method.
    runs: how many curves there are.
    points: in episodes.
    means: of the measure at each point.
    errors: the standard error of each mean; infinite for one run.
    """

    name: str
    runs: int
    points: list[int]
    means: list[float]
    errors: list[float]

    def at(self, episodes: int) -> str:
        """The mean and its error at a point, for a table; nothing where there is no such point."""
        if episodes not in self.points:
            return ""
        place = self.points.index(episodes)
        error = f" ± {self.errors[place]:.1g}" if self.runs > 1 else ""
        return f"{self.means[place]:.2g}{error}"


def write_report(figures: Sequence[Figure], kept: Kept, page: Path) -> None:
    """The page, and a picture for each figure beside it in ``pictures``."""
    lines = [_INTRODUCTION]
    for figure, words in zip(figures, (_KUHN, _LEDUC), strict=True):
        means = [found for name in figure.methods if (found := _mean(figure, name, kept))]
        if means:
            picture = page.parent.parent / "pictures" / f"smooth-uct-{figure.name}.png"
            _draw(figure, means, picture)
            lines += ["", words, "", f"![{figure.game}](../pictures/{picture.name})", ""]
            lines += [*_table(figure, means), "", *_said(figure, means)]
    lines += ["", *_machines(kept)]
    write_whole(page, ("\n".join(lines) + "\n").encode())


def _mean(figure: Figure, name: str, kept: Kept) -> Mean | None:
    """The mean of the longest runs of a method; None where there are none."""
    prefix = f"{figure.game} {figure.methods[name]} seed "
    runs = [run for key, run in kept.items() if key.startswith(prefix)]
    if not runs:
        return None
    length = max(run["episodes"][-1] for run in runs)
    runs = [run for run in runs if run["episodes"][-1] == length]
    values = list(zip(*(run["values"] for run in runs), strict=True))
    errors = [
        statistics.stdev(some) / math.sqrt(len(some)) if len(some) > 1 else math.inf
        for some in values
    ]
    means = [statistics.fmean(some) for some in values]
    return Mean(name, len(runs), runs[0]["episodes"], means, errors)


def _table(figure: Figure, means: list[Mean]) -> Iterator[str]:
    """The means at each factor of ten, and at the end."""
    every = sorted({point for mean in means for point in mean.points})
    last = every[-1]
    shown = [point for point in every if math.log10(point).is_integer() or point == last]
    yield "| episodes | " + " | ".join(mean.name for mean in means) + " |"
    yield "| --- " * (len(means) + 1) + "|"
    for point in shown:
        yield f"| {point:,} | " + " | ".join(mean.at(point) for mean in means) + " |"
    yield ""
    for mean in means:
        yield (
            f"- {mean.name}: `{figure.methods[mean.name]}`, {mean.runs} runs of "
            f"{mean.points[-1]:,} episodes."
        )


def _said(figure: Figure, means: list[Mean]) -> Iterator[str]:
    """What the curves show, in sentences."""
    smooth, uct, *others = means if len(means) > 1 else (means[0], means[0])
    if uct is not smooth:
        least = min(range(len(uct.points)), key=lambda place: uct.means[place])
        yield (
            f"Smooth UCT ends at {smooth.means[-1]:.2g}. UCT is at its best after "
            f"{uct.points[least]:,} episodes, at {uct.means[least]:.2g}, and ends at "
            f"{uct.means[-1]:.2g}."
        )
        yield _overtaking(smooth, uct, _PAPER[figure.name]["Smooth UCT"])
    for other in others:
        yield _overtaking(other, smooth, _PAPER[figure.name][other.name])
    if others:
        here = " and ".join(
            f"{_between(smooth, episodes):.2g} after {episodes // 1_000_000} million episodes"
            for episodes in _CROSSINGS
        )
        yield (
            f"Smooth UCT is here at {here}: as far as in the paper, where outcome sampling "
            "overtakes it. So the difference is in outcome sampling, which gets there sooner here. "
            "Two variants of outcome sampling, each with 64 million episodes, do not explain it. "
            "It is a little slower if all players explore. With optimistic averaging, nash_conv "
            "does not keep falling."
        )


_PAPER: Final = {
    "kuhn": {"Smooth UCT": "after 600 episodes"},
    "leduc": {
        "Smooth UCT": "not said",
        "alternating outcome sampling": "after about 85 million episodes, at 0.036",
        "parallel outcome sampling": "after about 170 million episodes, at 0.028",
    },
}
"""When a method overtakes for good, in the paper: Smooth UCT overtakes UCT, and outcome sampling
Smooth UCT.
"""

_CROSSINGS: Final = (85_000_000, 170_000_000)
"""After how many episodes outcome sampling overtakes Smooth UCT in the paper."""


def _between(mean: Mean, episodes: int) -> float:
    """The mean after so many episodes, on a straight line between points in logarithms."""
    known = [
        [math.log(value) for value in values]
        for values in (mean.points, [max(value, 1e-300) for value in mean.means])
    ]
    return math.exp(float(np.interp(math.log(episodes), *known)))


def _overtaking(one: Mean, other: Mean, published: str) -> str:
    """From which point on the mean of ``one`` is below that of ``other``."""
    common = [point for point in one.points if point in other.points]
    pairs = [
        (point, one.means[one.points.index(point)], other.means[other.points.index(point)])
        for point in common
    ]
    behind = [place for place, (_, mine, theirs) in enumerate(pairs) if mine >= theirs]
    first = behind[-1] + 1 if behind else 0
    if first == len(pairs):
        return f"{_capital(one.name)} does not overtake {other.name} (in the paper: {published})."
    point, mine, _ = pairs[first]
    return (
        f"{_capital(one.name)} is below {other.name} from {point:,} episodes on, at {mine:.2g} "
        f"(in the paper: {published})."
    )


def _capital(name: str) -> str:
    return name[0].upper() + name[1:]


def _machines(kept: Kept) -> Iterator[str]:
    processors = sorted({run["processor"] for run in kept.values()})
    commits = sorted({run["commit"][:12] for run in kept.values()})
    hours = sum(run["processor_seconds"] for run in kept.values()) / 3600
    yield (
        f"All {len(kept)} runs took {hours:.2g} hours of one core of {', '.join(processors)}, at "
        f"commits {', '.join(commits)}."
    )


def _draw(figure: Figure, means: list[Mean], path: Path) -> None:
    """The measure against episodes, a line for each method, with two standard errors around it."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    drawn, axis = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for mean in means:
        (line,) = axis.plot(mean.points, mean.means, label=mean.name, linewidth=1.5)
        if mean.runs > 1:
            spread = list(zip(mean.means, mean.errors, strict=True))
            low = [max(value - 2 * error, value / 10) for value, error in spread]
            high = [value + 2 * error for value, error in spread]
            axis.fill_between(mean.points, low, high, color=line.get_color(), alpha=0.2)
    axis.set(xscale="log", yscale="log", xlabel="episodes")
    axis.set_ylabel(figure.measure.replace("_", " "))
    axis.set_title(figure.game)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    path.parent.mkdir(exist_ok=True)
    drawn.savefig(path, dpi=110)
    plt.close(drawn)
