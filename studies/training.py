"""Which training comes nearer to an equilibrium in equal time: outcome or external sampling.

    python -m studies.training [--hours H] [--write]

Both train a blueprint by sets, on one thread, until they have taken some seconds of the processor.
Then nash_conv of their mean strategies is measured exactly. Compiling is not counted.

Rows are kept in studies/results/training.json; those that are there are not measured again.
``--write`` puts the table into docs/large-games.md.
"""

import argparse
import time
from functools import partial
from typing import Final

from benchmarks.kept import Kept, heading, write_section
from benchmarks.measuring import measured_rows

from hiddenhand import load_game
from hiddenhand.evaluation.nash_conv import nash_conv
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.sampling.external_sampling import ExternalMCCFR
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.table_search import TableSearch
from studies.process_time import by_process_time

GAMES: Final = (
    # game, seconds of the processor, seeds
    ("leduc_poker", 10.0, 3),
    ("LD(1,1,6)", 10.0, 3),
    ("GP(3,3,2,2)", 10.0, 3),
    ("IIGS(5)", 10.0, 3),
    ("IIGS(6)", 10.0, 3),
    ("phantom_ttt_abrupt", 25.0, 1),
)
ALGORITHMS: Final = ("mccfr", "external")
KEPT: Final = Kept.of(__file__)
HEADING: Final = (
    "Exact nash_conv after equal times of one processor, by algorithm: the mean over the seeds, "
    "and in parentheses the number of iterations:"
)
COLUMNS: Final = ("game", "processor", "seeds", *(f"`{name}`" for name in ALGORITHMS))


def search_of(name: str, algorithm: str, seed: int) -> TableSearch:
    """A search that trains."""
    game = as_sequential(load_game(name))
    if algorithm == "external":
        return ExternalMCCFR(game, seed=seed)
    return OOS(game, delta=0.0, targeting="ist", epsilon=0.6, seed=seed)


def measured(algorithm: str, name: str, seconds: float, seeds: int) -> str:
    """The cell of an algorithm and a game."""
    gaps, iterations = [], 0
    for seed in range(seeds):
        search = search_of(name, algorithm, seed)
        search.start(0, seed)
        search.think(1)  # which compiles
        by_process_time(search.think)(seconds=seconds)
        gaps.append(nash_conv(search.game, search.strategy()))
        iterations = search.result().iterations
    return f"{sum(gaps) / len(gaps):.4f} ({iterations:,})"


def cells(name: str, seconds: float, seeds: int) -> list[str]:
    """The row of a game."""
    gaps = [measured(algorithm, name, seconds, seeds) for algorithm in ALGORITHMS]
    return [f"`{name}`", f"{seconds:g} s", f"{seeds}", *gaps]


def main() -> None:
    """Print a table, a row for each game."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--hours", type=float, default=1e9)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    cases = ((case[0], partial(cells, *case)) for case in GAMES)
    rows = measured_rows(KEPT, cases, time.monotonic() + 3600.0 * asked.hours)
    lines = [HEADING, "", *heading(COLUMNS), *rows]
    if asked.write:
        write_section("docs/large-games.md", "training", lines)


if __name__ == "__main__":
    main()
