"""The variants of CFR beside each other: nash_conv of the average strategy after so many iterations
and after so many seconds, and of continual resolving with each of them as its resolver.

``python -m studies.cfr_variants`` measures what results/cfr_variants.json does not hold yet,
keeps it there, and writes its tables into docs/results/cfr-variants.md, between two markers. It may
be interrupted and goes on where it stopped; delete the file to begin anew. ``--only`` measures the
figures of which a pattern finds a part, such as "seconds Kuhn" or "stitched .* dcfr": several of
these may run at once. ``--quick`` measures a little, and keeps nothing.

Seconds are the process time of the iterations alone: the game is written out, and everything is
compiled, before. A run by seconds does not know its number of iterations. Rounds take turns among
the variants, so that a slow spell of the machine hits all.
"""

import argparse
import math
import re
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, Final

from benchmarks.kept import Kept, heading, row, write_section
from benchmarks.measuring import surroundings

from hiddenhand import evaluate, load_game
from hiddenhand.evaluation.tracing import trace
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.cfr_variants import VARIANTS
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll
from studies.process_time import by_process_time, now

KEPT: Final = Kept.of(__file__)

GAMES: Final = (
    *("Kuhn", "Leduc", "LD(1,1,3)", "LD(1,1,6)", "GP(3,3,2,2)", "IIGS(4)", "IIGS(5)"),
    *("coordination_game", "battleship(2,2,[2],3)", "dark_hex(2)"),
)
RESOLVED: Final = ("Leduc", "LD(1,1,3)", "GP(3,3,2,2)", "IIGS(4)")
ITERATIONS: Final = (100, 1000)
SECONDS: Final = (0.02, 0.1, 0.2, 1.0)
ROUNDS: Final = 3
FLOOR: Final = 1e-9
"""What a smaller nash_conv counts as in geometric means, so that no game that some variant solves
to the last bit decides alone.
"""


@dataclass(frozen=True)
class Figure:
    """What one variant reached in one game.

    kind: "iterations", "seconds", or "stitched" for continual resolving by iterations.
    budget: how many of them.
    nash_conv: of the average strategy; for each round.
    last: nash_conv of the last iterate; for each round, empty for "stitched".
    iterations: how many were made; for each round.
    commit: what was measured.
    """

    game: str
    variant: str
    kind: str
    budget: float
    nash_conv: list[float]
    last: list[float]
    iterations: list[int]
    commit: str = ""

    @property
    def name(self) -> str:
        """What is measured, which `--only` is compared with."""
        return f"{self.kind} {self.game} {self.budget:g} {self.variant}"

    @property
    def median(self) -> float:
        """Over rounds, and at least 0, which is what rounding errors hide."""
        return max(statistics.median(self.nash_conv), 0.0)


def planned(quick: bool) -> Iterator[Figure]:
    """All figures, yet to be measured; those of a game and a kind next to each other."""
    for game in GAMES[:2] if quick else GAMES:
        for kind, budgets in (("iterations", ITERATIONS), ("seconds", SECONDS)):
            for budget in budgets[:2] if quick else budgets:
                for variant in VARIANTS:
                    yield Figure(game, variant, kind, budget, [], [], [])
    for game in RESOLVED[1:2] if quick else RESOLVED:
        for budget in ITERATIONS[:1] if quick else ITERATIONS:
            for variant in VARIANTS:
                yield Figure(game, variant, "stitched", budget, [], [], [])


def measure(figures: list[Figure], rounds: int) -> Iterator[Figure]:
    """Fill in figures of one game and kind."""
    tree = unroll(load_game(figures[0].game))
    if figures[0].kind == "seconds":
        by_seconds(tree, figures, rounds)
        yield from figures
        return
    for figure in figures:
        if figure.kind == "iterations":
            by_iterations(tree, figure)
        else:
            stitched(tree, figure)
        yield figure


def by_iterations(tree: GameTree, figure: Figure) -> None:
    """A run of its own for each number of iterations, because a schedule depends on it."""
    run = CFR(tree, figure.variant)
    figure.nash_conv.append(run.run(int(figure.budget)).nash_conv)
    figure.last.append(nash_conv(tree, run.last_profile()))
    figure.iterations.append(run.iterations)


def by_seconds(tree: GameTree, figures: list[Figure], rounds: int) -> None:
    """One run of a variant for all budgets, looked at when each is spent."""
    CFR(tree).run(2)  # compiles what iterates
    for _ in range(rounds):
        for variant in VARIANTS:
            mine = [figure for figure in figures if figure.variant == variant]
            budgets = [figure.budget for figure in mine]
            run = CFR(tree, variant)
            advance, measure = by_process_time(run.iterate), partial(looked_at, tree, run)
            points = trace(advance, measure, seconds=budgets, now=now)
            for figure, point in zip(mine, points, strict=True):
                gap, last, iterations = point.value
                figure.nash_conv.append(gap)
                figure.last.append(last)
                figure.iterations.append(iterations)


def looked_at(tree: GameTree, run: CFR) -> tuple[float, float, int]:
    """nash_conv of the average strategy and of the last one, and the number of iterations."""
    average, last = run.average_profile(), run.last_profile()
    return nash_conv(tree, average), nash_conv(tree, last), run.iterations


def stitched(tree: GameTree, figure: Figure) -> None:
    """Continual resolving in every public state, with the variant as the resolver."""
    search, budget = f"cr(resolver={figure.variant})", int(figure.budget)
    found = evaluate(tree, search, method="stitch-public", iterations=budget)
    figure.nash_conv.append(found.nash_conv.value)
    figure.iterations.append(budget)


# --- tables ---


def tables(figures: list[Figure]) -> Iterator[str]:
    """All tables, as lines of Markdown."""
    for kind, title in (
        ("iterations", "After {:,g} iterations"),
        ("seconds", "After {:g} s"),
        ("stitched", "Continual resolving, {:,g} iterations in each public state"),
    ):
        for budget in dict.fromkeys(f.budget for f in figures if f.kind == kind):
            yield f"### {title.format(budget)}"
            yield ""
            yield from table([f for f in figures if (f.kind, f.budget) == (kind, budget)])
            yield ""
    yield "### Continual resolving, geometric mean of all of its games and budgets"
    yield ""
    yield from heading(["", *VARIANTS])
    yield row(["geometric mean", *emphasised(means([f for f in figures if f.kind == "stitched"]))])
    yield ""
    yield "### The last iterate of the predictive variants, after 1,000 iterations"
    yield ""
    predictive = [name for name, variant in VARIANTS.items() if variant.prediction > 0]
    yield from heading(["game", *predictive])
    found = {(f.game, f.variant): f.last for f in figures if f.budget == ITERATIONS[-1] and f.last}
    for game in dict.fromkeys(game for game, _ in found):
        cells = [found.get((game, name)) for name in predictive]
        yield row([game, *("-" if c is None else short(max(c[0], 0.0)) for c in cells)])


def table(figures: list[Figure]) -> Iterator[str]:
    """Games by variants; the least of each game in bold."""
    yield from heading(["game", *VARIANTS])
    for (game, _), cells in by_row(figures).items():
        yield row([game, *emphasised([cells.get(name) for name in VARIANTS])])
    yield row(["geometric mean", *emphasised(means(figures))])


def by_row(figures: list[Figure]) -> dict[tuple[str, float], dict[str, float]]:
    """By game and budget, what each variant reached there."""
    rows: dict[tuple[str, float], dict[str, float]] = {}
    for figure in figures:
        rows.setdefault((figure.game, figure.budget), {})[figure.variant] = figure.median
    return rows


def means(figures: list[Figure]) -> list[float | None]:
    """For each variant, the geometric mean over the rows in which no variant is missing."""
    whole = [cells for cells in by_row(figures).values() if len(cells) == len(VARIANTS)]
    return [
        geometric_mean([cells[name] for cells in whole]) if whole else None for name in VARIANTS
    ]


def geometric_mean(values: list[float]) -> float:
    """With `FLOOR` in place of what is smaller."""
    return math.exp(statistics.fmean(math.log(max(value, FLOOR)) for value in values))


def emphasised(values: list[float | None]) -> list[str]:
    """The numbers as text, the least in bold, and with it what is as small up to `FLOOR`. A dash
    stands for what was not measured.
    """
    least = max(min((value for value in values if value is not None), default=0.0), FLOOR)
    return [
        "-" if value is None else f"**{short(value)}**" if value <= least else short(value)
        for value in values
    ]


def short(value: float) -> str:
    """Two significant digits; 0 for what is below rounding errors."""
    return "0" if value < 1e-15 else f"{value:.1e}" if value < 1e-3 else f"{value:.2g}"


def write(results: dict[str, Any]) -> None:
    """Put kept results into the page."""
    figures = sorted((Figure(**record) for record in results["figures"]), key=place)
    commits = ", ".join(dict.fromkeys(figure.commit for figure in figures))
    lines = [
        f"Measured from {results['date']} on, at commit {commits}, on {results['cores']} cores of",
        f"{results['processor']}, {results['system']}, Python {results['python']}, numba "
        f"{results['packages']['numba']}.",
        "",
        *tables(figures),
    ]
    write_section("docs/results/cfr-variants.md", "results", lines)


def place(figure: Figure) -> tuple[int, float, int]:
    """Where a figure stands among all."""
    games = GAMES if figure.kind != "stitched" else RESOLVED
    return games.index(figure.game), figure.budget, list(VARIANTS).index(figure.variant)


def main() -> None:
    """Measure what is missing, and write what is kept."""
    parser = argparse.ArgumentParser(description="nash_conv of the variants of CFR")
    parser.add_argument("--quick", action="store_true", help="measure a little, keep nothing")
    parser.add_argument("--only", default="", help="a pattern, such as 'stitched .* dcfr'")
    options = parser.parse_args()
    around = surroundings()
    changed = " with uncommitted changes" if around["uncommitted changes"] else ""
    commit = f"{around['commit'][:12]}{changed}"
    known = (
        {Figure(**record).name for record in KEPT.read().get("figures", [])}
        if not options.quick
        else set()
    )
    todo = [
        replace(figure, commit=commit)
        for figure in planned(options.quick)
        if figure.name not in known and re.search(options.only, figure.name)
    ]
    for _, group in groupby(todo, key=lambda figure: (figure.game, figure.kind)):
        for figure in measure(list(group), 1 if options.quick else ROUNDS):
            print(f"{figure.name:60} {short(figure.median)}", flush=True)
            if not options.quick:
                with KEPT.changing() as results:
                    if not results:
                        results |= {**around, "figures": []}
                    results["figures"].append(asdict(figure))
    if not options.quick:
        write(KEPT.read())


if __name__ == "__main__":
    main()
