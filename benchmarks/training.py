"""How fast blueprints are trained and opened:

    python -m benchmarks.training [--seconds 5] [--rounds 5] [--sets 10000000]

The first table compares training by samples with the plain search, which keeps no blueprint, and
two threads with one, in iterations a second. Tables grow fast at first, so a run thinks twice for
the given time, and the second time counts. Figures are medians over rounds, in which the two take
turns. After the table, a blueprint of many sets is made at random. Two processes open it and look
sets up. Printed are the time to open it, the time of a look, and how much of the file each process
has in memory of its own, and in memory that both share.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.kept import heading, row
from benchmarks.measuring import interleaved
from hiddenhand import load_game, make_search
from hiddenhand.search.sampling.external_sampling import ExternalMCCFR
from hiddenhand.search.training import EXTERNAL, SAMPLED, Trained, train
from hiddenhand.trees.blueprint import About, SetBlueprint, write_set_blueprint
from hiddenhand.trees.strategy import Weights

GAMES: Final = ("phantom_ttt", "IIGS(8)", "dark_hex(size=3,abrupt=True)")
ACTIONS: Final = 4
LOOKS: Final = 10_000
COLUMNS: Final = (
    *("game", "algorithm", "plain sampler", "training", "ratio", "training on two threads"),
    "ratio",
)


def plain(name: str, algorithm: str, seconds: float) -> float:
    """Iterations a second of the search that training uses, from the beginning of the game."""
    game = load_game(name)
    is_external = algorithm == EXTERNAL
    search = ExternalMCCFR(game) if is_external else make_search(game, "mccfr(epsilon=0.6)")
    search.start(0, 0)
    search.think(seconds=seconds)
    before = search.thought()["iterations"]
    search.think(seconds=seconds)
    return (search.thought()["iterations"] - before) / seconds


def training(name: str, algorithm: str, seconds: float, threads: int) -> float:
    """Iterations a second of training, all that it keeps included."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "blueprint"

        def trained() -> Trained:
            return train(
                load_game(name), file, seconds=seconds, algorithm=algorithm, threads=threads
            )

        first, second = trained(), trained()
        return (second.iterations - first.iterations) / (second.seconds - first.seconds)


def speeds(name: str, algorithm: str, seconds: float, rounds: int) -> list[str]:
    """The row of a game and an algorithm."""
    for threads in (1, 2):  # compiled before the clock runs
        training(name, algorithm, 0.1, threads)
    plain(name, algorithm, 0.1)

    def on(threads: int) -> Callable[[int], float]:
        return lambda _: training(name, algorithm, seconds, threads)

    cells = [f"`{name}`", f"`{algorithm}`"]
    before, one = interleaved(rounds, lambda _: plain(name, algorithm, seconds), on(1))
    ratio = statistics.median(b / a for a, b in zip(before, one, strict=True))
    cells += [f"{statistics.median(before):,.0f}/s", f"{statistics.median(one):,.0f}/s"]
    cells.append(f"{ratio:.2f}")
    one, two = interleaved(rounds, on(1), on(2))
    ratio = statistics.median(b / a for a, b in zip(one, two, strict=True))
    return [*cells, f"{statistics.median(two):,.0f}/s", f"{ratio:.2f}"]


def write_large(path: Path, sets: int) -> int:
    """Write a blueprint of sets at random. Returns how many bytes it has."""
    random = np.random.default_rng(0)
    keys = np.unique(random.integers(0, 2**64, sets, np.uint64))
    starts = np.arange(0, ACTIONS * keys.size + 1, ACTIONS, dtype=np.int64)
    values = random.random(ACTIONS * keys.size)
    visits = random.integers(1, 10_000, keys.size).astype(np.float64)
    about = About.of(load_game("phantom_ttt"), "random", 1, 1.0)
    write_set_blueprint(path, about, Weights(keys, starts, values, visits))
    return path.stat().st_size


def look(path: str) -> None:
    """Open a blueprint, look it up in places all over it, and print what that took. It ends when
    its input ends, so that two processes have it open at the same time.
    """
    game = load_game("phantom_ttt")
    about = SetBlueprint.load(path, game)
    del about
    began = time.perf_counter()
    known = SetBlueprint.load(path, game)
    opened = time.perf_counter() - began
    keys = np.asarray(known.file.arrays["keys"])
    asked = np.random.default_rng(1).choice(keys, LOOKS)
    known.among(keys)  # all of it is checked and read
    began = time.perf_counter()
    for key in asked[:LOOKS]:
        known.at(int(key))
    looked = (time.perf_counter() - began) / LOOKS
    print(json.dumps({"opened": opened, "look": looked}), flush=True)
    sys.stdin.readline()
    print(json.dumps(mapped_memory(path)), flush=True)
    sys.stdin.read()  # until the other process has looked, too


def mapped_memory(path: str) -> dict[str, int]:
    """The bytes of a mapped file that are in the memory of this process: of its own, and shared
    with others.
    """
    found, inside = {"own": 0, "shared": 0}, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, _, rest = line.partition(":")
        if "-" in name.split()[0]:
            inside = line.endswith(path)
        elif inside and name.startswith("Private_"):
            found["own"] += 1024 * int(rest.split()[0])
        elif inside and name.startswith("Shared_"):
            found["shared"] += 1024 * int(rest.split()[0])
    return found


def in_two_processes(path: Path) -> list[dict[str, Any]]:
    """What two processes say that have a blueprint open at the same time."""
    command = [sys.executable, "-m", "benchmarks.training", "--look", str(path)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    told = [json.loads(process.stdout.readline()) for process in processes if process.stdout]
    for found, process in zip(told, processes, strict=True):
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout is not None
        found |= json.loads(process.stdout.readline())
    for process in processes:
        process.communicate()
    return told


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sets", type=int, default=10_000_000)
    parser.add_argument("--look", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.look:
        look(asked.look)
        return
    print("\n".join(heading(COLUMNS)))
    for name in GAMES:
        for algorithm in SAMPLED:
            print(row(speeds(name, algorithm, asked.seconds, asked.rounds)), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large"
        size = write_large(path, asked.sets)
        print(f"\n{asked.sets:,} sets: {size:,} bytes, {size / ACTIONS / asked.sets:.2f} an action")
        for found in in_two_processes(path):
            print(
                f"opened in {1000 * found['opened']:.1f} ms, a look {1e6 * found['look']:.0f} us; "
                f"{found['own']:,} bytes of its own, {found['shared']:,} shared"
            )


if __name__ == "__main__":
    main()
