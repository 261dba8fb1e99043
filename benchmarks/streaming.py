"""How long the walk takes that measures a strategy of full Phantom Tic-Tac-Toe.

Usage: python -m benchmarks.streaming [--iterations N] [--threads T] [--keep FOLDER] [--page], in
the root of the repository, on a machine that does nothing else.

First OOS searches from the root, for so many iterations; its table is kept in the folder, and is
not made again. Then the strategy is measured as `hiddenhand nash-conv` does it, for both seats. The
figures are kept in benchmarks/results/streaming.json, one row for each number of iterations and
threads, and the table in docs/proof.md is written from them; ``--page`` only writes the table.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

from benchmarks.kept import Kept, write_section
from benchmarks.measuring import surroundings
from hiddenhand import Strategy, load_game, load_strategy
from hiddenhand.evaluation.nash_conv import measured, sequential
from hiddenhand.evaluation.policy_table import new_policy_table
from hiddenhand.evaluation.streaming_best_response import Task, Walker
from hiddenhand.search.sampling.oos import OOS

KEPT: Final = Kept.of(__file__)
GAME: Final = "phantom_ttt"
ITERATIONS: Final = 150_000_000
"""So many lead to a table of about two million information sets."""


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path(gettempdir()) / "streaming")
    parser.add_argument("--page", action="store_true", help="only write the page")
    asked = parser.parse_args()
    if not asked.page:
        strategy = trained(asked.iterations, asked.keep)
        compiled(strategy)
        found = figures(strategy, asked.threads)
        key = f"{asked.iterations} iterations, {asked.threads} threads"
        KEPT.add(key, found)
    if kept := KEPT.read():
        write_section("docs/proof.md", "speed", page(kept))


def trained(iterations: int, folder: Path) -> Strategy:
    """What OOS finds from the root, with the parameters of docs/results/exploitability.md."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{iterations}.strategy"
    if not file.exists():
        search = OOS(load_game(GAME), epsilon=0.6, gamma=0.01, seed=1)
        search.run(iterations=iterations)
        search.strategy().save(file)
    return load_strategy(file)


def compiled(strategy: Strategy) -> None:
    """Have the walk compiled, or loaded, before the clock starts."""
    walker = Walker(Task(sequential(GAME), new_policy_table(strategy), 0, drops=True, merges=False))
    walker.begin()
    walker.go(1)


def figures(strategy: Strategy, threads: int) -> dict[str, Any]:
    """How long the measurement takes, by the clock and in processor time."""
    began, used = time.perf_counter(), time.process_time()
    found = measured(GAME, strategy, method="stream", threads=threads)
    wall, processor = time.perf_counter() - began, time.process_time() - used
    return {
        "sets": strategy.num_sets,
        "threads": threads,
        "wall_seconds": wall,
        "processor_seconds": processor,
        "histories": found.histories,
        "histories_a_second_and_thread": found.histories / processor,
        "nash_conv": found.nash_conv,
        "machine": surroundings(),
    }


def page(kept: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The table of the page."""
    yield (
        "| sets in the table | nash_conv | threads | wall time | histories | histories a second "
        "and thread | machine |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for row in kept.values():
        machine = row["machine"]
        yield (
            f"| {row['sets']:,} | {row['nash_conv']:.5f} | {row['threads']} | "
            f"{row['wall_seconds'] / 60:.1f} minutes | {row['histories'] / 1e9:.2f} billion | "
            f"{row['histories_a_second_and_thread'] / 1e6:.1f} million | "
            f"{machine['processor']}, {machine['date'][:10]}, commit {machine['commit'][:12]} |"
        )


if __name__ == "__main__":
    main()
