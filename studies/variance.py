"""Which sampler is nearest to an equilibrium after equal work: the exact nash_conv of samplers with
and without baselines, from the beginning of games that are written out, and of MCCR in play.

    python -m studies.variance            all games, five seeds; some twenty minutes
    python -m studies.variance --quick    three games, two seeds, a fifth of the time
    python -m studies.variance Leduc      only that game, or those games

Time is process time, without that for compiling. What was measured is kept in results/variance.json
after each run of a sampler, and is not measured again; --anew forgets it. Tables are written into
docs/results/variance.md.
"""

import argparse
import math
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import Kept, write_section
from benchmarks.measuring import surroundings

from hiddenhand import evaluate, load_game
from hiddenhand.evaluation.policy_accumulator import Gathered, Sets
from hiddenhand.jit.arrays import Floats
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.solvers.cfr import CFR
from hiddenhand.solvers.mccfr import MCCFR
from hiddenhand.solvers.vr_mccfr import VRMCCFR
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

GAMES: Final = (
    *("Kuhn", "Leduc", "LD(1,1,3)", "dark_hex(2)", "IIGS(4)", "IIGS(5)"),
    *("GP(3,3,2,2)", "LD(1,1,6)"),
)
QUICK: Final = ("Kuhn", "Leduc", "IIGS(4)")
RESOLVED: Final = ("Kuhn", "Leduc", "LD(1,1,3)", "dark_hex(2)", "IIGS(4)")
"""Games in which MCCR is measured: it thinks once in every public state."""

SECONDS: Final = (0.05, 0.2, 1.0)
ITERATIONS: Final = (1_000, 10_000, 100_000)
MOVES: Final = (1_000, 4_000)
"""Iterations of MCCR for a move."""
SEEDS: Final = 5
_STEP: Final = 0.01  # seconds of one step at most
_CLEAR: Final = 1e-12  # below that all are alike


class Run:
    """A sampler at work. ``step`` makes so many iterations at most, and returns how many it made;
    ``profile`` is what it found.
    """

    def __init__(self, step: Callable[[int], int], profile: Callable[[], Floats]) -> None:
        self.step = step
        self.profile = profile


Make = Callable[[GameTree, int], Run]


def searched(baseline: str) -> Make:
    """OOS without aiming, which is MCCFR by the rules of a game."""

    def make(tree: GameTree, seed: int) -> Run:
        sets = Sets.of(tree)
        search = OOS(tree.game, epsilon=0.6, delta=0.0, baseline=baseline, seed=seed)

        def profile() -> Floats:
            gathered = Gathered(sets)
            gathered.add(sets, search.weights())
            return gathered.profile(tree, "uniform", seed)

        return Run(search._iterate, profile)

    return make


def sampled(sampling: str, baseline: str) -> Make:
    """MCCFR on the game written out."""

    def make(tree: GameTree, seed: int) -> Run:
        run = MCCFR(tree, sampling, baseline=baseline, seed=seed)
        return Run(run._iterate, run.average_profile)

    return make


def in_vectors(baseline: str, plus: bool = True) -> Make:
    """VR-MCCFR+, or without the plus."""

    def make(tree: GameTree, seed: int) -> Run:
        run = VRMCCFR(tree, baseline, plus=plus, seed=seed)
        return Run(run._iterate, run.average_profile)

    return make


def exact(tree: GameTree, seed: int) -> Run:
    """CFR+, which samples nothing, for comparison."""
    run = CFR(tree, "cfr+")
    return Run(run._iterate, run.average_profile)


FAMILIES: Final[dict[str, dict[str, Make]]] = {
    "OOS, delta=0": {
        f"oos {kind}": searched(kind) for kind in ("off", "set", "history", "predictive")
    },
    "MCCFR, outcome": {
        f"outcome {kind}": sampled("outcome", kind)
        for kind in ("off", "set", "history", "predictive")
    },
    "MCCFR, external": {
        f"external {kind}": sampled("external", kind) for kind in ("off", "history", "predictive")
    },
    "VR-MCCFR+": {
        f"vr-mccfr+ {kind}": in_vectors(kind) for kind in ("off", "set", "history", "predictive")
    }
    | {"vr-mccfr off": in_vectors("off", plus=False)},
}
"""Samplers by family; the first of each is the plain form."""
SAMPLERS: Final = {name: make for family in FAMILIES.values() for name, make in family.items()} | {
    "cfr+": exact
}
RESOLVERS: Final = tuple(
    f"mccr(baseline={kind})" for kind in ("off", "set", "history", "predictive")
)

Cell = dict[str, float]
"""nash_conv by what was done until then, such as "0.2 s" or "1000 iterations"."""
Cells = dict[str, dict[str, dict[str, Cell]]]
"""By game, sampler and seed."""


class Results(Kept):
    """What was measured so far."""

    def add_cell(self, game: str, sampler: str, seed: int, cell: Cell) -> None:
        """Write one more."""
        with self.changing() as results:
            results |= surroundings()
            cells: Cells = results.setdefault("cells", {})
            cells.setdefault(game, {}).setdefault(sampler, {})[str(seed)] = cell

    def has(self, game: str, sampler: str, seed: int, marks: Iterable[str]) -> bool:
        """Whether it was measured at all those marks."""
        cells = self.read().get("cells", {})
        return set(marks) <= cells.get(game, {}).get(sampler, {}).get(str(seed), {}).keys()


def followed(run: Run, tree: GameTree, seconds: tuple[float, ...]) -> Cell:
    """nash_conv at all marks of time, and of iterations that are made within the longest time."""
    found: Cell = {}
    times, counts = list(seconds), list(ITERATIONS)
    spent, made, rate = 0.0, 0, 100.0
    while times:
        n = max(1, int(rate * min(_STEP, times[0] - spent)))
        if counts:
            n = min(n, counts[0] - made)
        began = time.process_time()
        done = run.step(n)
        took = time.process_time() - began
        spent, made, rate = spent + took, made + done, min(done / max(took, 1e-6), 4 * rate)
        if counts and made >= counts[0]:
            found[f"{counts.pop(0)} iterations"] = nash_conv(tree, run.profile())
        if spent >= times[0]:
            found[f"{times.pop(0)} s"] = nash_conv(tree, run.profile())
    return found | {"made": made}


def measure(
    results: Results, games: tuple[str, ...], seeds: int, seconds: tuple[float, ...]
) -> None:
    """Measure what is missing. Samplers take turns, so that a slow spell hits all."""
    marks = [f"{at} s" for at in seconds]
    played = [f"{count} iterations" for count in MOVES]
    for seed in range(seeds):
        for game in games:
            tree = unroll(load_game(game))
            for name, make in SAMPLERS.items():
                if results.has(game, name, seed, marks):
                    continue
                make(tree, seed).step(1)  # compiles
                results.add_cell(game, name, seed, followed(make(tree, seed), tree, seconds))
            for spec in RESOLVERS if game in RESOLVED else ():
                if not results.has(game, spec, seed, played):
                    evaluate(tree, spec, method="stitch-public", iterations=1)  # compiles
                    results.add_cell(game, spec, seed, resolved(tree, spec, seed))
            print(f"{game}, seed {seed}: done", flush=True)


def resolved(tree: GameTree, spec: str, seed: int) -> Cell:
    """nash_conv of MCCR as it plays in every public state, and the process time that it took."""
    found: Cell = {}
    for count in MOVES:
        began = time.process_time()
        play = evaluate(tree, spec, method="stitch-public", iterations=count, seeds=(seed,))
        found[f"{count} iterations"] = play.each[0]
        found[f"process seconds of {count} iterations"] = time.process_time() - began
    return found


# --- tables ---


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def geometric(values: list[float]) -> float:
    return math.exp(mean([math.log(max(value, _CLEAR)) for value in values]))


def averages(cells: Cells, game: str, mark: str) -> dict[str, float]:
    """nash_conv at a mark, of each sampler: on average over the seeds that got there."""
    found = {}
    for name, by_seed in cells.get(game, {}).items():
        if values := [cell[mark] for cell in by_seed.values() if mark in cell]:
            found[name] = mean(values)
    return found


def seeds_at(cells: Cells, mark: str) -> str:
    """How many seeds the averages at a mark are over: the fewest and the most."""
    counts = {
        sum(mark in cell for cell in by_seed.values())
        for by_name in cells.values()
        for by_seed in by_name.values()
    } - {0}
    return " to ".join(str(count) for count in sorted({min(counts), max(counts)})) if counts else ""


def table(cells: Cells, names: list[str], mark: str) -> Iterator[str]:
    """A row for each sampler, a column for each game, and last how many times smaller nash_conv is
    than that of the plain form, in the geometric mean over the games where both are known.
    """
    games = [game for game in GAMES if any(name in averages(cells, game, mark) for name in names)]
    if not games:
        return
    columns = {game: averages(cells, game, mark) for game in games}
    yield "| " + " | ".join(["", *games, "better than plain by"]) + " |"
    yield "|" + " --- |" * (len(games) + 2)
    for name in names:
        row = [f"{columns[game][name]:.3g}" if name in columns[game] else "" for game in games]
        yield f"| {name} | " + " | ".join(row) + f" | {gain(columns, name)} |"


def gain(columns: dict[str, dict[str, float]], name: str) -> str:
    plain = next((next(iter(family)) for family in PLAIN if name in family), None)
    if plain is None or plain == name:
        return ""
    ratios = [
        column[plain] / max(column[name], _CLEAR)
        for column in columns.values()
        if plain in column and name in column
    ]
    return f"{geometric(ratios):.2f}" if ratios else ""


PLAIN: Final[list[dict[str, Any]]] = [*FAMILIES.values(), dict.fromkeys(RESOLVERS)]


def best(cells: Cells, mark: str, left_out: tuple[str, ...] = ()) -> Iterator[str]:
    """The sampler with the lowest nash_conv in each game."""
    for game in GAMES:
        found = averages(cells, game, mark)
        known = {name: found[name] for name in SAMPLERS if name in found and name not in left_out}
        if known:
            name = min(known, key=known.__getitem__)
            yield f"| {game} | {mark} | {name} | {known[name]:.3g} |"


def page(content: dict[str, Any]) -> Iterator[str]:
    """The tables of the page."""
    cells: Cells = content["cells"]
    yield f"Measured until {content['date']} at commit {content['commit'][:12]}, on"
    yield f"{content['cores']} cores of {content['processor']}."
    for mark in (*(f"{at} s" for at in SECONDS), *(f"{count} iterations" for count in ITERATIONS)):
        title = f"### From the beginning of the game, after {mark}"
        yield from ("", title, "", f"Seeds: {seeds_at(cells, mark)}.", "")
        yield from table(cells, list(SAMPLERS), mark)
    for count in MOVES:
        yield from ("", f"### MCCR in every public state, after {count} iterations a move", "")
        yield from table(cells, list(RESOLVERS), f"{count} iterations")
        yield from ("", f"Its process time, in seconds, for {count} iterations a move:", "")
        yield from table(cells, list(RESOLVERS), f"process seconds of {count} iterations")
    yield from (
        "",
        "### The best sampler in each game",
        "",
        "| game | after | sampler | nash_conv |",
    )
    yield "| --- | --- | --- | --- |"
    for at in SECONDS:
        yield from best(cells, f"{at} s", left_out=("cfr+",))


def main() -> None:
    """Measure what was asked for, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("games", nargs="*", help=f"of: {', '.join(GAMES)}")
    parser.add_argument("--quick", action="store_true", help="few games, seeds and seconds")
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--seconds", type=float, default=SECONDS[-1], help="the longest time")
    given = parser.parse_args()
    seconds = tuple(at for at in SECONDS if at <= given.seconds)
    if given.quick:
        with tempfile.TemporaryDirectory() as folder:
            quick = Results(Path(folder) / "quick.json")
            measure(quick, tuple(given.games) or QUICK, 2, SECONDS[:2])
            print("\n".join(page(quick.read())))
        return
    kept = Results.of(__file__)
    if given.anew:
        kept.forget()
    measure(kept, tuple(given.games) or GAMES, given.seeds, seconds)
    write_section("docs/results/variance.md", "results", page(kept.read()))


if __name__ == "__main__":
    main()
