"""Learning curves of Smooth UCT in Kuhn and Leduc poker: Fig. 1 and Fig. 2 of Heinrich and Silver
(2015), "Smooth UCT search in computer poker".

Usage: python -m benchmarks.smooth_uct [--figure kuhn|leduc] [--episodes N] [--runs R] [--report],
in the root of the repository.

Without options it makes the runs of the paper: in Kuhn poker 50 of 20 million episodes, in Leduc
poker 5 of 500 million. What a run finds follows from its seed, so other work on the machine makes
no difference. Each run is kept in benchmarks/results/smooth_uct.json as soon as it is over, and the
same command goes on where it stopped. ``--report`` only writes docs/results/smooth-uct.md and its
pictures.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks.measuring import ROOT, surroundings
from benchmarks.smooth_uct_report import FIGURES, Figure, Kept, write_report
from hiddenhand import MCCFR, load_game, make_search, nash_conv, unroll
from hiddenhand.files import write_whole
from hiddenhand.search.thinking import TableSearch
from hiddenhand.trees.kuhn import squared_error

KEPT: Final = Path(__file__).parent / "results" / "smooth_uct.json"
_EPSILON: Final = 0.5
"""How much outcome sampling explores: the best that the paper found."""


def main() -> None:
    """Make the runs that are missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--figure", choices=[figure.name for figure in FIGURES])
    parser.add_argument("--episodes", type=int, help="make shorter runs than the paper")
    parser.add_argument("--runs", type=int, help="make fewer runs than the paper")
    parser.add_argument("--report", action="store_true", help="only write the page")
    asked = parser.parse_args()
    kept: Kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    if not asked.report:
        for figure in FIGURES:
            if asked.figure in (None, figure.name):
                make_runs(figure, asked.episodes, asked.runs, kept)
    write_report(FIGURES, kept, ROOT / "docs" / "results" / "smooth-uct.md")


def make_runs(figure: Figure, episodes: int | None, runs: int | None, kept: Kept) -> None:
    """The runs of a figure that are not kept yet, seed by seed, so that the curves of all methods
    have about as many runs whenever it is interrupted.
    """
    around = surroundings()
    length = episodes or figure.episodes
    for seed in range(runs or figure.runs):
        for method in figure.methods.values():
            key = f"{figure.game} {method} seed {seed}"
            if key in kept and kept[key]["episodes"][-1] >= length:
                continue
            began = time.process_time()
            points = figure.points(length)
            values = list(curve(figure, method, points, seed))
            kept[key] = {
                "episodes": points,
                "values": [float(f"{value:.6g}") for value in values],
                "processor_seconds": round(time.process_time() - began, 1),
                "processor": around["processor"],
                "commit": around["commit"],
            }
            print(f"{key}: {values[-1]:.4g} in {kept[key]['processor_seconds']} s", flush=True)
            write_whole(KEPT, written(kept).encode())


def written(kept: Kept) -> str:
    """All runs as JSON, a line for each."""
    lines = [f"{json.dumps(key)}: {json.dumps(run)}" for key, run in kept.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def curve(figure: Figure, method: str, points: Sequence[int], seed: int) -> Iterator[float]:
    """The measure after so many episodes of a run."""
    tree = _tree(figure.game)
    measure = {"squared_error": squared_error, "nash_conv": nash_conv}[figure.measure]
    train, profile = _search(method, tree, seed) if "(" in method else _mccfr(method, tree, seed)
    done = 0
    for point in points:
        train(point - done)
        done = point
        yield measure(tree, profile())


def _search(method: str, tree: Any, seed: int) -> tuple[Callable[[int], None], Callable[[], Any]]:
    search = make_search(tree.game, method, seed)
    assert isinstance(search, TableSearch)

    def train(episodes: int) -> None:
        search.think(iterations=episodes)

    return train, lambda: search.strategy().on(tree)


def _mccfr(method: str, tree: Any, seed: int) -> tuple[Callable[[int], None], Callable[[], Any]]:
    """Outcome sampling as it was in 2015, without a baseline. A traversal is an episode; where the
    players alternate, an iteration has two of them, and an odd one is made up for later.
    """
    run = MCCFR(tree, method, epsilon=_EPSILON, baseline="off", seed=seed)
    each = 1 if method == "outcome-parallel" else tree.num_players
    wanted = 0

    def train(episodes: int) -> None:
        nonlocal wanted
        wanted += episodes
        if wanted // each > run.iterations:
            run.run(wanted // each - run.iterations)

    return train, run.average_profile


@cache
def _tree(game: str) -> Any:
    return unroll(load_game(game))


if __name__ == "__main__":
    sys.exit(main())
