"""How much faster a search is on several cores, and what it loses by that.

    python -m benchmarks.threads                 # both, some twenty minutes
    python -m benchmarks.threads --part speed
    python -m benchmarks.threads --part loss
    python -m benchmarks.threads --quick         # a tenth of the iterations; nothing is kept

The figures are kept in results/threads.json, and written into docs/parallel.md, between two
markers. What one part has found stays when the other is measured again.

**Speed**: iterations a second of one stream, and of as many streams as threads, in turns. Two
ratios are told. That of the wall clock is the one that counts, and needs a machine with nothing
else to do. That of processor time compares what one stream takes with what the first stream and the
merges take; it says roughly what a machine with free cores would give, whatever else runs. A third
ratio is the ceiling of the machine: searches of one stream that have nothing to do with each other,
as many at a time as threads, by the clock.

**Loss**: nash_conv after equal numbers of iterations with 1, 2 and 4 streams, for several seeds.
Streams hear of each other only now and then, so an iteration of many streams might teach less. The
loss should be smaller than what seeds differ by.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from benchmarks.kept import Kept, write_section
from benchmarks.measuring import surroundings
from hiddenhand import load_game, make_search
from hiddenhand.search.parallel import streams
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.unroll import unroll

SPEED: Final = (
    ("mccfr", "leduc_poker", 4_000_000),
    ("mccfr", "LD(1,1,6)", 4_000_000),
    ("mccfr", "IIGS(6)", 2_000_000),
    ("mccfr", "LD(2,2,6)", 1_000_000),
    ("oos", "phantom_ttt", 1_000_000),
    ("ismcts", "leduc_poker", 4_000_000),
    ("ismcts", "LD(1,1,6)", 4_000_000),
    ("ismcts", "IIGS(6)", 2_000_000),
    ("ismcts(selector=rm)", "LD(2,2,6)", 1_000_000),
    ("mccr", "leduc_poker", 2_000_000),
    ("mccr", "LD(1,1,6)", 2_000_000),
    ("mccr", "IIGS(6)", 1_000_000),
    ("smmcts", "goofspiel(6)", 2_000_000),
    ("smmcts(selector=duct)", "goofspiel(13)", 500_000),
    ("sm-oos", "goofspiel(6)", 2_000_000),
)
"""Searches and games, with the iterations that take about a second."""
LOSS: Final = (
    ("mccfr", "leduc_poker", (10_000, 100_000, 1_000_000, 10_000_000)),
    ("mccfr", "LD(1,1,6)", (10_000, 100_000, 1_000_000, 10_000_000)),
    ("mccfr", "IIGS(6)", (10_000, 100_000, 1_000_000)),
    ("mccfr(baseline=history)", "leduc_poker", (100_000,)),
    ("ismcts", "leduc_poker", (100_000,)),
    ("ismcts(selector=rm)", "leduc_poker", (100_000,)),
    ("sm-oos", "goofspiel(4)", (30_000,)),
    ("sm-mcts", "goofspiel(4)", (300_000,)),
    ("sm-mcts(selector=duct)", "goofspiel(4)", (30_000,)),
)
STREAMS: Final = (1, 2, 4)
SEEDS: Final = 5

KEPT: Final = Kept.of(__file__)


@dataclass(frozen=True)
class Thinking:
    """How a search thinks while the clock runs. Numbers of iterations are in parts of those in
    `SPEED`.

    each: iterations of each thinking.
    times: how many there are, as in a match with as many moves.
    before: iterations that were made before.
    """

    each: float
    times: int = 1
    before: float = 0.0

    def iterations(self, most: int) -> int:
        """All that the clock is for."""
        return self.times * int(most * self.each)

    def prepare(self, search: Any, most: int) -> None:
        """What comes before: also what is compiled, or loaded."""
        search.think(iterations=max(2, int(most * self.before)))

    def think(self, search: Any, most: int) -> None:
        """What the clock is for."""
        for _ in range(self.times):
            search.think(iterations=int(most * self.each))

    def said(self, most: int) -> str:
        """In words."""
        times = f"{self.times} times " if self.times > 1 else ""
        before = f", after {most * self.before:,.0f}" if self.before else ""
        return f"{times}{most * self.each:,.0f}{before}"


THINKINGS: Final = (Thinking(0.1), Thinking(1.0), Thinking(10.0), Thinking(0.1, 10, before=1.0))
QUICK: Final = (Thinking(0.1),)


@dataclass(frozen=True)
class Rates:
    """Iterations a second, an entry for each round: by the clock, and by processor time of the
    thread that began the search and of the one that merges.
    """

    wall: list[float]
    processor: list[float]


def rates(
    spec: str, game: str, thinking: Thinking, most: int, rounds: int, threads: int
) -> tuple[Rates, Rates]:
    """Those of one stream, and of ``threads`` streams."""
    found, iterations = (Rates([], []), Rates([], [])), thinking.iterations(most)
    for seed in range(rounds):
        for count, kept in ((1, found[0]), (threads, found[1])):
            search: Any = make_search(game, spec, seed, threads=count)
            thinking.prepare(search, most)
            with merges_timed() as merges:
                wall, processor = time.perf_counter(), time.thread_time()
                thinking.think(search, most)
                kept.wall.append(iterations / (time.perf_counter() - wall))
                kept.processor.append(iterations / (time.thread_time() - processor + sum(merges)))
    return found


@contextmanager
def merges_timed() -> Iterator[list[float]]:
    """A context that notes the processor time of each merge, by the thread that makes it."""
    merges: list[float] = []
    uninterrupted = streams._uninterrupted

    def timed(work: Callable[[], None]) -> None:
        def merge() -> None:
            began = time.thread_time()
            work()
            merges.append(time.thread_time() - began)

        uninterrupted(merge)

    streams._uninterrupted = timed
    try:
        yield merges
    finally:
        streams._uninterrupted = uninterrupted


def apart(spec: str, game: str, thinking: Thinking, most: int, threads: int, seed: int) -> float:
    """Iterations a second of ``threads`` searches together, each with a part of the iterations."""
    searches: list[Any] = [make_search(game, spec, seed + i) for i in range(threads)]
    for search in searches:
        thinking.prepare(search, most // threads)
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        list(pool.map(lambda search: thinking.think(search, most // threads), searches))
        return thinking.iterations(most) / (time.perf_counter() - began)


def measure_speed(rounds: int, threads: int, thinkings: Sequence[Thinking]) -> list[dict[str, Any]]:
    """A row for each search and game, and for each of ``thinkings``."""
    rows = []
    for (spec, game, most), thinking in product(SPEED, thinkings):
        one, many = rates(spec, game, thinking, most, rounds, threads)
        alone = [apart(spec, game, thinking, most, threads, seed) for seed in range(rounds)]
        row = {
            "search": spec,
            "game": game,
            "iterations": thinking.said(most),
            "one stream": statistics.median(one.wall),
            f"{threads} threads": statistics.median(many.wall),
            "ratio": _ratio(one.wall, many.wall),
            "ratio of processor time": _ratio(one.processor, many.processor),
            "ceiling": _ratio(one.wall, alone),
        }
        rows.append(row)
        print(_line(row), flush=True)
    return rows


def _ratio(one: list[float], many: list[float]) -> float:
    """The median over the rounds."""
    return statistics.median(b / a for a, b in zip(one, many, strict=True))


def measure_loss(seeds: int) -> list[dict[str, Any]]:
    """A row for each search, game, number of iterations and number of streams."""
    rows = []
    for spec, name, stops in LOSS:
        tree = unroll(load_game(name))
        for count in STREAMS:
            found: dict[int, list[float]] = {stop: [] for stop in stops}
            for seed in range(seeds):
                for stop in stops:
                    search: Any = make_search(name, spec, seed, streams=count)
                    search.think(iterations=stop)
                    found[stop].append(float(nash_conv(tree, search.strategy().on(tree))))
            for stop, values in found.items():
                row = {
                    "search": spec,
                    "game": name,
                    "iterations": stop,
                    "streams": count,
                    "nash_conv": statistics.mean(values),
                    "deviation": statistics.stdev(values),
                }
                rows.append(row)
                print(_line(row), flush=True)
    return rows


def _line(row: dict[str, Any]) -> str:
    return "  ".join(
        f"{name} {value:,.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in row.items()
    )


# --- what is kept, and the page ---


def speed_table(rows: list[dict[str, Any]], threads: int) -> list[str]:
    """A line for each search and game: ratios to one stream."""
    lines = [
        f"| search | game | iterations | iterations/s, one stream | {threads} threads "
        "| by processor time | ceiling |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        ratios = (row["ratio"], row["ratio of processor time"], row["ceiling"])
        lines.append(
            f"| `{row['search']}` | `{row['game']}` | {row['iterations']} "
            f"| {row['one stream']:,.0f} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |"
        )
    return lines


def loss_table(rows: list[dict[str, Any]]) -> list[str]:
    """A line for each search, game and number of iterations, a column for each W."""
    found: dict[tuple[str, str, int], dict[int, str]] = {}
    for row in rows:
        cell = f"{row['nash_conv']:.3f} ± {row['deviation']:.3f}"
        name = row["search"], row["game"], row["iterations"]
        found.setdefault(name, {})[row["streams"]] = cell
    lines = [
        "| search | game | iterations | " + " | ".join(f"W = {count}" for count in STREAMS) + " |",
        "| --- " * (3 + len(STREAMS)) + "|",
    ]
    for (search, game, iterations), cells in found.items():
        line = " | ".join(cells[count] for count in STREAMS)
        lines.append(f"| `{search}` | `{game}` | {iterations:,} | {line} |")
    return lines


def write_page(kept: dict[str, Any]) -> None:
    """Put the tables into the page."""
    for part in ("speed", "loss"):
        if part in kept:
            found = kept[part]
            rows = found["rows"]
            table = speed_table(rows, found["threads"]) if part == "speed" else loss_table(rows)
            at = found["surroundings"]
            measured = f"Measured {at['date'][:10]} at commit {at['commit'][:12]}."
            write_section("docs/parallel.md", part, [*table, "", measured])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("speed", "loss", "both"), default="both")
    parser.add_argument("--rounds", type=int, default=3, help="of each measurement of speed")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of each measurement of loss")
    parser.add_argument("--quick", action="store_true", help="a tenth of the iterations for speed")
    parser.add_argument("--report", action="store_true", help="measure nothing, write the page")
    given = parser.parse_args()
    kept = KEPT.read()
    if given.part != "loss" and not given.report:
        thinkings = QUICK if given.quick else THINKINGS
        rows = measure_speed(given.rounds, given.threads, thinkings)
        kept["speed"] = {
            "surroundings": surroundings(),
            "threads": given.threads,
            "rounds": given.rounds,
            "rows": rows,
        }
    if given.part != "speed" and not given.report:
        rows = measure_loss(given.seeds)
        kept["loss"] = {"surroundings": surroundings(), "seeds": given.seeds, "rows": rows}
    if not given.quick:
        KEPT.write(kept)
        write_page(kept)


if __name__ == "__main__":
    main()
