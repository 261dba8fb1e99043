"""Our speed and memory beside OpenSpiel's and a hand-written C program's, measured in one run, in
turns.

Usage: python -m benchmarks.peers [--quick] [--json] [--only GROUP], in the root of the repository.
A table is printed, and a full run is kept in benchmarks/results/peers.json. It needs the optional
extra `peers` (OpenSpiel) and a C compiler. LiteEFG is measured where it is installed, see
`benchmarks.liteefg_peer`.
"""

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import c_program, limits, liteefg_peer, online, resolving, self_play, simultaneous
from benchmarks.kept import ROOT
from benchmarks.measuring import (
    Measurement,
    Target,
    in_fresh_process,
    interleaved,
    keep,
    rate_for,
    surroundings,
    wall_seconds,
)
from benchmarks.report import table_of
from hiddenhand import CFR, OOS, load_game, unroll
from hiddenhand.jit.tier_choice import using_tier

OUTCOME_SAMPLING = (
    ("Leduc poker", "leduc_poker", "leduc_poker", "OpenSpiel tells suits apart"),
    ("Liar's Dice(1,1,6)", "LD(1,1,6)", "liars_dice", ""),
    (
        "II-Goofspiel(6)",
        "IIGS(6)",
        "turn_based_simultaneous_game(game=goofspiel(num_cards=6,imp_info=True,points_order=ascending))",
        "OpenSpiel plays the last card itself: 10 moves a traversal, here 12",
    ),
    ("Phantom Tic-Tac-Toe", "phantom_ttt", "phantom_ttt", ""),
)


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    rounds: int = 7
    seconds: float = 1.0
    iterations: int = 1_000_000
    slow: bool = True  # OpenSpiel's nash_conv on Goofspiel(6), some 25 s

    @property
    def fewer(self) -> int:
        """Rounds of what takes a process of its own."""
        return min(self.rounds, 5)


QUICK = Effort(rounds=2, seconds=0.3, iterations=200_000, slow=False)


def outcome_sampling(effort: Effort) -> Iterator[Measurement]:
    """Traversals from the root, both from scratch, for the same time."""
    import pyspiel

    for name, spec, their_spec, note in OUTCOME_SAMPLING:
        game, their_game = load_game(spec), pyspiel.load_game(their_spec)

        def ours(seed: int, game: Any = game) -> float:
            return (
                OOS(game, epsilon=0.6, seed=seed).run(seconds=effort.seconds).traversals_per_second
            )

        def theirs(seed: int, game: Any = their_game) -> float:
            solver = pyspiel.OutcomeSamplingMCCFRSolver(game, epsilon=0.6, seed=seed)
            return 2 * rate_for(effort.seconds, solver.run_iteration)  # a traversal for each player

        mine, others = interleaved(effort.rounds, ours, theirs)
        yield Measurement(
            "outcome sampling",
            name,
            "traversals/s",
            mine,
            others,
            "OpenSpiel",
            Target("ratio", 10),
            note,
        )


def c_limit(effort: Effort) -> Iterator[Measurement]:
    """The same search by a program written for this game alone; first that it is the same
    search.
    """
    game = load_game("IIGS(6)")
    OOS(game, epsilon=0.6).run(iterations=1)  # compile
    with tempfile.TemporaryDirectory() as folder:
        verify_same_search(Path(folder))
        program = c_program.compiled(Path(folder))

        def ours(seed: int) -> float:
            result = OOS(game, epsilon=0.6, seed=seed).run(iterations=effort.iterations)
            return result.iterations / result.seconds

        def theirs(seed: int) -> float:
            return c_program.run(program, effort.iterations, 6, 1, seed).iterations_per_second

        mine, others = interleaved(
            2 * effort.rounds + 1, ours, theirs
        )  # near its target, so more of them
        note = f"both from scratch, {effort.iterations:,} iterations"
        yield Measurement(
            "limit",
            "OOS on II-Goofspiel(6)",
            "iterations/s",
            mine,
            others,
            "C program",
            Target("ratio", 0.85),
            note,
        )


def verify_same_search(folder: Path, iterations: int = 20_000) -> None:
    """Raise AssertionError unless the C program, from our seed, ends with our numbers, to the last
    bit.
    """
    program, dump = c_program.compiled(folder, c_program.EXACT), folder / "rows"
    for spec, num_cards, lowest_card in (
        ("IIGS(6)", 6, 1),
        ("goofspiel(num_cards=5,imp_info=True,points_order=ascending,lowest_card=0)", 5, 0),
    ):
        search = OOS(load_game(spec), epsilon=0.6, seed=1)
        ours = search.run(iterations=iterations)
        theirs = c_program.run(program, iterations, num_cards, lowest_card, 1, dump)
        if (ours.information_sets, ours.in_tree, ours.playouts, ours.moves) != (
            theirs.information_sets,
            theirs.in_tree,
            theirs.playouts,
            theirs.moves,
        ):
            raise AssertionError(f"the C program does other work on {spec}: {theirs}, here {ours}")
        rows, table = c_program.rows(dump), search.table
        for row in range(ours.information_sets):
            mine = table.values[table.starts[row] : table.starts[row + 1]]
            if not np.array_equal(mine, rows[int(table.keys[row])]):
                raise AssertionError(
                    f"the C program ends with other numbers on {spec}: "
                    f"{rows[int(table.keys[row])]}, here {mine}"
                )


def cfr_plus(effort: Effort) -> Iterator[Measurement]:
    """CFR+ on the same tree, and on our own Leduc, which merges suits."""
    import pyspiel

    from benchmarks.openspiel_tree import check_leduc, tree_of

    check_leduc()
    game = pyspiel.load_game("leduc_poker")
    tree, own = unroll(tree_of(game)), unroll(load_game("leduc_poker"))

    def rate(tree: Any) -> float:
        run = CFR(tree, "cfr+")
        run.run(10)
        return 2000 / run.run(2000).seconds

    def theirs(_: int) -> float:
        return rate_for(effort.seconds, pyspiel.CFRPlusSolver(game).evaluate_and_update_policy)

    mine, others = interleaved(effort.rounds, lambda _: rate(tree), theirs)
    note = "9,457 nodes, 936 information sets"
    yield Measurement(
        "CFR+",
        "OpenSpiel's Leduc",
        "iterations/s",
        mine,
        others,
        "OpenSpiel",
        Target("least", 5000),
        note,
    )
    note = f"{own.num_histories:,} nodes, {own.num_sets} information sets"
    yield Measurement(
        "CFR+",
        "our Leduc",
        "iterations/s",
        [rate(own) for _ in range(effort.rounds)],
        target=Target("least", 5000),
        note=note,
    )


def exact(effort: Effort) -> Iterator[Measurement]:
    """Writing out II-Goofspiel(6), and nash_conv of uniform play on it."""
    answers = [in_fresh_process("unroll", "IIGS(6)") for _ in range(effort.fewer)]

    def taken(what: str) -> list[float]:
        return [answer[what] for answer in answers]

    yield Measurement(
        "exact", "unroll II-Goofspiel(6)", "s", taken("unroll"), note="compiled before"
    )
    yield Measurement(
        "exact",
        "unroll II-Goofspiel(6), peak memory",
        "MB",
        taken("peak"),
        note=f"{taken('before')[0]:.0f} MB of it before",
    )
    others = [their_nash_conv()] if effort.slow else []
    seconds = taken("nash_conv")
    yield Measurement(
        "exact",
        "nash_conv on II-Goofspiel(6)",
        "s",
        [statistics.median(seconds)] if others else seconds,
        others,
        "OpenSpiel" if others else "",
        note="median of ours; OpenSpiel once, on a tree without last cards"
        if others
        else "compiled before",
    )


def their_nash_conv() -> float:
    """Seconds of OpenSpiel's nash_conv of uniform play on II-Goofspiel(6)."""
    import pyspiel

    game = pyspiel.load_game(OUTCOME_SAMPLING[2][2])
    began = time.perf_counter()
    pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game))
    return time.perf_counter() - began


def linear_programs(effort: Effort) -> Iterator[Measurement]:
    """Exact equilibria."""
    for name, spec in (
        ("Liar's Dice(1,1,6)", "LD(1,1,6)"),
        ("Generic Poker(3,3,2,2)", "GP(3,3,2,2)"),
    ):
        answers = [in_fresh_process("lp", spec) for _ in range(1 if effort.rounds < 5 else 3)]
        note = f"value {answers[0]['value']:.9f}"
        yield Measurement(
            "linear program", name, "s", [answer["seconds"] for answer in answers], note=note
        )
        yield Measurement(
            "linear program", f"{name}, peak memory", "MB", [answer["peak"] for answer in answers]
        )


def memory(effort: Effort) -> Iterator[Measurement]:
    """Bytes of a search for each information set, beyond 16 for each action, at many sizes: the
    worst is right after the table grew.
    """
    for name, spec in (
        ("II-Goofspiel(6)", "IIGS(6)"),
        ("Liar's Dice(1,1,6)", "LD(1,1,6)"),
        ("Phantom Tic-Tac-Toe", "phantom_ttt"),
    ):
        search = OOS(load_game(spec), epsilon=0.6, seed=1)
        worst, sets, last, result = 0.0, 0, 0.0, search.run(iterations=500)
        while result.iterations < effort.iterations:
            result = search.run(iterations=50 + result.iterations // 50)
            last = (result.bytes - 8 * int(search.table.counts[1])) / result.information_sets
            if result.information_sets >= 1000 and last > worst:
                worst, sets = last, result.information_sets
        note = f"at {sets:,} information sets; {last:.0f} at {result.information_sets:,}"
        yield Measurement(
            "memory", name, "bytes/set", [worst], target=Target("most", 150), note=note
        )


def first_use(effort: Effort) -> Iterator[Measurement]:
    """What a user waits for before anything happens, in both tiers as users have them."""
    with using_tier("auto"):
        yield from _first_use(effort)


def _first_use(effort: Effort) -> Iterator[Measurement]:
    compiling, loading, moving, calling = [], [], [], []
    for _ in range(effort.fewer):
        with tempfile.TemporaryDirectory() as folder:
            compiling.append(
                in_fresh_process("first_search", "IIGS(6)", cache=Path(folder))["search"]
            )
            loading.append(
                in_fresh_process("first_search", "IIGS(6)", cache=Path(folder))["search"]
            )
        with tempfile.TemporaryDirectory() as folder:
            moving.append(in_fresh_process("first_move", "leduc_poker", cache=Path(folder))["move"])
            call = in_fresh_process("kernel_call", "leduc_poker", cache=Path(folder))["call"]
            calling.append(1e6 * call)
    edited = [_edited_search() for _ in range(effort.fewer)]
    yield Measurement(
        "first use",
        "first search after an edit of README's game",
        "s",
        edited,
        target=Target("most", 4),
    )
    yield Measurement(
        "first use", "first search, nothing compiled", "s", compiling, target=Target("most", 10)
    )
    yield Measurement(
        "first use", "first search, from the cache", "s", loading, target=Target("most", 1)
    )
    yield Measurement("first use", "first move of auto on Leduc, nothing compiled", "s", moving)
    yield Measurement("first use", "a call of a kernel that does nothing", "us", calling)
    for name, limit, command in (
        (
            "hiddenhand --help",
            0.3,
            (sys.executable, "-c", "from hiddenhand.cli.main import main; main()", "--help"),
        ),
        ("import hiddenhand", None, (sys.executable, "-c", "import hiddenhand")),
        ("python itself", None, (sys.executable, "-c", "pass")),
    ):
        seconds = [wall_seconds(*command) for _ in range(effort.rounds)]
        yield Measurement(
            "first use", name, "s", seconds, target=None if limit is None else Target("most", limit)
        )


def _edited_search() -> float:
    """Seconds of the first search of README's game after a rule was edited; what is no rule is
    compiled already.
    """
    text = re.search(
        r"^```python\n(# bluff\.py\n.*?)^```",
        (ROOT / "README.md").read_text(),
        re.MULTILINE | re.DOTALL,
    )
    assert text is not None, "README.md has no bluff.py"
    with tempfile.TemporaryDirectory() as folder:
        for rules in (text[1], text[1].replace("if turn == 2:", "if 2 == turn:")):
            Path(folder, "bluff.py").write_text(rules)
            seconds = in_fresh_process("edited_search", folder, cache=Path(folder))["search"]
    return seconds


GROUPS: dict[str, Callable[[Effort], Iterator[Measurement]]] = {
    "outcome-sampling": outcome_sampling,
    "limit": c_limit,
    "cfr-plus": cfr_plus,
    "liteefg": lambda effort: liteefg_peer.measure(effort.rounds, effort.seconds),
    "exact": exact,
    "linear-programs": linear_programs,
    "memory": memory,
    "first-use": first_use,
    "online": lambda effort: online.measure(effort.rounds, effort.seconds),
    "budgets": lambda effort: online.budgets(effort.rounds),
    "simultaneous": lambda effort: simultaneous.measure(effort.rounds, effort.seconds),
    "self-play": lambda effort: self_play.measure(effort.rounds, effort.seconds),
    "resolving": lambda effort: resolving.measure(effort.rounds),
    "limits": lambda effort: limits.measure(effort.fewer, effort.seconds),
}


def missing() -> str | None:
    """One sentence about what is not installed, or None."""
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        return "OpenSpiel is not installed; run: pip install 'hiddenhand[peers]'"
    return None if c_program.compiler() else "No C compiler was found; install gcc, or set CC."


def main() -> int:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description="Measure our speed and memory beside those of peers.",
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer and shorter rounds; the figures are not kept"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the measurements as JSON instead of a table"
    )
    parser.add_argument(
        "--only", choices=GROUPS, help="measure one group; the figures are not kept"
    )
    options = parser.parse_args()
    if sentence := missing():
        print(sentence, file=sys.stderr)
        return 1
    effort, around = QUICK if options.quick else Effort(), surroundings()
    measured: list[Measurement] = []
    for name in [options.only] if options.only else GROUPS:
        print(f"measuring {name} ...", file=sys.stderr)
        measured += GROUPS[name](effort)
    if not options.quick and not options.only:
        keep(measured, around)
    if options.json:
        print(
            json.dumps(
                around | {"measurements": [measurement.record() for measurement in measured]},
                indent=1,
            )
        )
    else:
        from rich.console import Console

        Console(width=max(Console().width, 160)).print(table_of(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
