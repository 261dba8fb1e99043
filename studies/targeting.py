"""What OOS should aim at: how exploitable it is in small games, by what it targets and how often.

Usage: python -m studies.targeting [--report], in the root of the repository.

Each public state is searched with as many iterations, so other work on the machine makes no
difference. What is measured is kept in studies/results/targeting.json as soon as it is known,
and the same command goes on where it stopped. ``--report`` only writes docs/results/targeting.md.
"""

import argparse
import sys
from functools import cache
from itertools import product
from statistics import geometric_mean
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, heading, row

from hiddenhand import evaluate, load_game, unroll
from hiddenhand.files import write_whole

KEPT: Final = Kept.of(__file__)
GAMES: Final = ("Kuhn", "leduc_poker", "LD(1,1,3)", "IIGS(4)", "IIGS(5)", "GP(3,3,2,2)")
SEARCHES: Final = (
    "oos(delta=0)",
    "oos(targeting=pst,delta=0.2)",
    "oos(targeting=pst,delta=0.5)",
    "oos(targeting=pst,delta=0.9)",
    "oos(targeting=ist,delta=0.5)",
    "oos(targeting=ist,delta=0.9)",
)
ITERATIONS: Final = (1_000, 10_000, 100_000)
SEEDS: Final = 2
_COST: Final = 3e8  # iterations of one cell, above which it is left out

_INTRODUCTION: Final = f"""# What to aim at

*Written by `python -m studies.targeting` from studies/results/targeting.json; not by hand.*

This page is for users who set the targets of OOS. At its end you know which target and which
delta are best for your game.

The figures are nash_conv of the average strategy of OOS over {SEEDS} seeds. OOS runs with the
given iterations in every public state. If it aims at information sets, it runs in each of these.
delta is the share of iterations that aim at the present public state (`pst`) or information set
(`ist`). With delta 0, no sample aims. The best of a row is in bold. Means are geometric, over the
games with a figure in every column.

`oos-aimed` and `auto` use these results. In games of up to 100,000 histories they seldom aim, and
at the public state. In larger games, where few samples come back to a set, they aim half of the
time at the information set: see [Which search?](../which-search.md)."""


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--report", action="store_true", help="only write the page")
    arguments = parser.parse_args()
    kept = KEPT.read()
    for iterations, game, search in product(ITERATIONS, GAMES, SEARCHES):
        key = f"{game} {search} {iterations}"
        if key in kept or arguments.report or iterations * SEEDS * _tree(game).num_sets > _COST:
            continue
        found = evaluate(
            _tree(game),
            search,
            method="stitch-public",
            iterations=iterations,
            every_set="ist" in search,
            seeds=range(SEEDS),
        )
        kept[key] = found.nash_conv.value
        print(f"{key}: {kept[key]:.4g}", flush=True)
        KEPT.write(kept)
    write_whole(ROOT / "docs" / "results" / "targeting.md", _page(kept).encode())


@cache
def _tree(game: str) -> Any:
    return unroll(load_game(game))


def _page(kept: dict[str, float]) -> str:
    """docs/results/targeting.md."""
    lines = [_INTRODUCTION]
    short = [search.removeprefix("oos(").removesuffix(")") for search in SEARCHES]
    for iterations in ITERATIONS:
        if not any(key.endswith(f" {iterations}") for key in kept):
            continue
        lines += ["", f"## {iterations:,} iterations", ""]
        lines += heading(["game", "histories", *(f"`{name}`" for name in short)])
        for game in GAMES:
            values = [kept.get(f"{game} {search} {iterations}") for search in SEARCHES]
            known = [value for value in values if value is not None]
            if known:
                cells = [_cell(value, min(known)) for value in values]
                lines.append(row([game, f"{_tree(game).num_histories:,}", *cells]))
        lines += _mean_row(kept, iterations)
    return "\n".join(lines) + "\n"


def _mean_row(kept: dict[str, float], iterations: int) -> list[str]:
    """The last row of a table: geometric means, if a game has a figure in every column."""
    rows = [[kept.get(f"{game} {search} {iterations}") for search in SEARCHES] for game in GAMES]
    whole = [[value for value in row if value is not None] for row in rows if None not in row]
    means = [geometric_mean(column) for column in zip(*whole, strict=True)]
    if not means:
        return []
    return [row(["geometric mean", "", *(_cell(mean, min(means)) for mean in means)])]


def _cell(value: float | None, best: float) -> str:
    if value is None:
        return ""
    return f"**{value:.3g}**" if value == best else f"{value:.3g}"


if __name__ == "__main__":
    sys.exit(main())
