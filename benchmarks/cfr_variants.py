"""The variants of CFR beside each other: nash_conv of the average strategy after so many iterations
and after so many seconds, and of continual resolving with each of them as its resolver.

``python -m benchmarks.cfr_variants`` measures, keeps results/cfr_variants.json and writes its
tables into docs/cfr-variants.md, between two markers. ``--quick`` measures a little, and keeps
nothing. ``--write`` measures nothing, and writes the kept results into the page once more.

Seconds are the process time of the iterations alone: the game is written out, and everything is
compiled, before. A run by seconds does not know its number of iterations. Rounds take turns among
the variants, so that a slow spell of the machine hits all.
"""

import argparse
import json
import math
import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.measuring import RESULTS, ROOT, surroundings
from hiddenhand import evaluate, load_game
from hiddenhand.files import write_whole
from hiddenhand.trees.cfr import CFR
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll
from hiddenhand.trees.variants import VARIANTS

KEPT: Final = RESULTS.with_name("cfr_variants.json")
PAGE: Final = ROOT / "docs" / "cfr-variants.md"
BEGIN: Final = "<!-- results: written by python -m benchmarks.cfr_variants -->"
END: Final = "<!-- end of results -->"

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
_PIECES: Final = 100
"""In how many pieces the time of a budget is spent, about."""


@dataclass(frozen=True)
class Figure:
    """What one variant reached in one game.

    kind: "iterations", "seconds", or "stitched" for continual resolving by iterations.
    budget: how many of them.
    nash_conv: of the average strategy; for each round.
    last: nash_conv of the last iterate; for each round, empty for "stitched".
    iterations: how many were made; for each round.
    """

    game: str
    variant: str
    kind: str
    budget: float
    nash_conv: list[float]
    last: list[float]
    iterations: list[int]

    @property
    def median(self) -> float:
        """Over rounds, and at least 0, which is what rounding errors hide."""
        return max(statistics.median(self.nash_conv), 0.0)


def by_iterations(spec: str, tree: GameTree) -> Iterator[Figure]:
    """Each number of iterations is a run of its own, because a schedule depends on it."""
    for budget in ITERATIONS:
        for variant in VARIANTS:
            run = CFR(tree, variant)
            gap = run.run(budget).nash_conv
            last = nash_conv(tree, run.last_profile())
            yield Figure(spec, variant, "iterations", budget, [gap], [last], [budget])


def by_seconds(spec: str, tree: GameTree, budgets: tuple[float, ...], rounds: int) -> list[Figure]:
    """One run for all budgets, looked at when each is spent."""
    figures = {
        (variant, budget): Figure(spec, variant, "seconds", budget, [], [], [])
        for budget in budgets
        for variant in VARIANTS
    }
    for _ in range(rounds):
        for variant in VARIANTS:
            run, spent = CFR(tree, variant), 0.0
            for budget in budgets:
                spent += spend(run, budget - spent)
                figure = figures[variant, budget]
                figure.nash_conv.append(nash_conv(tree, run.average_profile()))
                figure.last.append(nash_conv(tree, run.last_profile()))
                figure.iterations.append(run.iterations)
    return list(figures.values())


def spend(run: CFR, seconds: float) -> float:
    """Iterate for ``seconds`` of process time; returns how many it took."""
    spent, piece = 0.0, 1
    while spent < seconds:
        began = time.process_time()
        run._iterate(piece)
        took = time.process_time() - began
        spent += took
        longest = min(seconds / _PIECES, seconds - spent)
        piece = max(1, min(2 * piece, int(piece * longest / max(took, 1e-7))))
    return spent


def stitched(spec: str, budget: int) -> Iterator[Figure]:
    """Continual resolving with each variant as the resolver."""
    tree = unroll(load_game(spec))
    for variant in VARIANTS:
        found = evaluate(tree, f"cr(resolver={variant})", method="stitch-public", iterations=budget)
        gap = found.nash_conv.value
        yield Figure(spec, variant, "stitched", budget, [gap], [], [budget])


def measure(quick: bool) -> Iterator[Figure]:
    """All figures."""
    games, budgets, rounds = (GAMES[:2], SECONDS[:2], 1) if quick else (GAMES, SECONDS, ROUNDS)
    CFR(unroll(load_game("Kuhn"))).run(2)  # compiles what iterates
    for spec in games:
        tree = unroll(load_game(spec))
        yield from by_iterations(spec, tree)
        yield from by_seconds(spec, tree, budgets, rounds)
    for spec in RESOLVED[1:2] if quick else RESOLVED:
        for budget in ITERATIONS[:1] if quick else ITERATIONS:
            yield from stitched(spec, budget)


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
    yield from row("", VARIANTS)
    yield "|" + " --- |" * (len(VARIANTS) + 1)
    yield from row("geometric mean", emphasised(resolver_means(figures)))
    yield ""
    yield "### The last iterate of the predictive variants, after 1,000 iterations"
    yield ""
    predictive = [name for name, variant in VARIANTS.items() if variant.predictive]
    yield from row("game", predictive)
    yield "|" + " --- |" * (len(predictive) + 1)
    found = {(f.game, f.variant): f.last for f in figures if f.budget == ITERATIONS[-1] and f.last}
    for game in dict.fromkeys(game for game, _ in found):
        yield from row(game, [short(max(found[game, name][0], 0.0)) for name in predictive])


def table(figures: list[Figure]) -> Iterator[str]:
    """Games by variants; the least of each game in bold, and geometric means."""
    yield from row("game", VARIANTS)
    yield "|" + " --- |" * (len(VARIANTS) + 1)
    cells = {(f.game, f.variant): f.median for f in figures}
    games = list(dict.fromkeys(f.game for f in figures))
    for game in games:
        yield from row(game, emphasised([cells[game, name] for name in VARIANTS]))
    means = [geometric_mean([cells[game, name] for game in games]) for name in VARIANTS]
    yield from row("geometric mean", emphasised(means))


def resolver_means(figures: list[Figure]) -> list[float]:
    """For each variant, over all figures of continual resolving."""
    return [
        geometric_mean([f.median for f in figures if (f.kind, f.variant) == ("stitched", name)])
        for name in VARIANTS
    ]


def geometric_mean(values: list[float]) -> float:
    """With `FLOOR` in place of what is smaller."""
    return math.exp(statistics.fmean(math.log(max(value, FLOOR)) for value in values))


def row(first: str, cells: Iterable[str]) -> Iterator[str]:
    """A row of a table."""
    yield "| " + " | ".join([first, *cells]) + " |"


def emphasised(values: list[float]) -> list[str]:
    """The numbers as text, the least in bold, and with it what is as small up to `FLOOR`."""
    least = max(min(values), FLOOR)
    return [f"**{short(value)}**" if value <= least else short(value) for value in values]


def short(value: float) -> str:
    """Two significant digits; 0 for what is below rounding errors."""
    return "0" if value < 1e-15 else f"{value:.1e}" if value < 1e-3 else f"{value:.2g}"


def write(results: dict[str, Any]) -> None:
    """Put kept results into the page."""
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    changed = " with uncommitted changes" if results["uncommitted changes"] else ""
    lines = [
        f"Measured {results['date']} at commit {results['commit'][:12]}{changed}, on "
        f"{results['cores']} cores",
        f"of {results['processor']}, {results['system']}, Python {results['python']}, numba "
        f"{results['packages']['numba']}.",
        "",
        *tables([Figure(**record) for record in results["figures"]]),
    ]
    PAGE.write_text(before + "\n".join([BEGIN, "", *lines, "", END]) + after)


def main() -> None:
    """Measure, or write what was kept."""
    parser = argparse.ArgumentParser(description="nash_conv of the variants of CFR")
    parser.add_argument("--quick", action="store_true", help="measure a little, keep nothing")
    parser.add_argument("--write", action="store_true", help="only write the kept results again")
    options = parser.parse_args()
    if not options.write:
        around, figures = surroundings(), []
        for figure in measure(options.quick):
            figures.append(figure)
            what = f"{figure.game} {figure.kind} {figure.budget:g} {figure.variant}"
            print(f"{what:60} {short(figure.median)}", flush=True)
        if options.quick:
            return
        content = around | {"figures": [asdict(figure) for figure in figures]}
        write_whole(KEPT, (json.dumps(content, indent=1) + "\n").encode())
    write(json.loads(KEPT.read_text()))


if __name__ == "__main__":
    main()
