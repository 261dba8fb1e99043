"""Tasks that need a process of their own, for their peak memory or their first use of compiled
code. Each prints one JSON object.

Usage: python -m benchmarks.fresh unroll|lp|first_search|first_move|kernel_call GAME, edited_search
FOLDER, mccr_match MODE, or full_table SEARCH GAME MEGABYTES SECONDS
"""

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_SMALLER = {
    "IIGS(6)": "IIGS(3)",
    "LD(1,1,6)": "LD(1,1,2)",
    "GP(3,3,2,2)": "GP(2,2,1,1)",
}  # same rules, so the same compiled code


def peak_megabytes() -> float:
    """The most memory this process ever had. Linux counts its parent's in getrusage, so there the
    kernel is asked for the process alone.
    """
    status = Path("/proc/self/status")
    if status.exists():
        return (
            next(
                int(line.split()[1])
                for line in status.read_text().splitlines()
                if line.startswith("VmHWM:")
            )
            / 1e3
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds that ``work`` took, and what it returned."""
    began = time.perf_counter()
    answer = work()
    return time.perf_counter() - began, answer


def unroll_task(spec: str) -> dict[str, float]:
    """Write a game out and measure uniform play; compiled on a smaller one before."""
    from hiddenhand import load_game, nash_conv, unroll
    from hiddenhand.trees.profile import uniform_profile

    small = unroll(load_game(_SMALLER[spec]))
    nash_conv(small, uniform_profile(small))
    before = peak_megabytes()
    unroll_seconds, tree = timed(lambda: unroll(load_game(spec)))
    peak = peak_megabytes()
    profile = uniform_profile(tree)
    nash_conv_seconds, value = timed(lambda: nash_conv(tree, profile))
    return {
        "unroll": unroll_seconds,
        "nash_conv": nash_conv_seconds,
        "value": value,
        "before": before,
        "peak": peak,
    }


def lp_task(spec: str) -> dict[str, float]:
    """Solve a game exactly."""
    from hiddenhand import load_game, unroll
    from hiddenhand.solvers.linear_program import solve_lp

    unroll(load_game(_SMALLER[spec]))
    tree = unroll(load_game(spec))
    seconds, solution = timed(lambda: solve_lp(tree))
    return {
        "seconds": seconds,
        "value": solution.value,
        "nash_conv": solution.nash_conv,
        "peak": peak_megabytes(),
    }


def first_search_task(spec: str) -> dict[str, float]:
    """Make the first iteration of a search, with whatever compiled code there is."""
    import_seconds, hiddenhand = timed(lambda: __import__("hiddenhand"))
    game = hiddenhand.load_game(spec)
    search_seconds, _ = timed(lambda: hiddenhand.OOS(game, epsilon=0.6).run(iterations=1))
    return {"import": import_seconds, "search": search_seconds}


def first_move_task(spec: str) -> dict[str, float]:
    """Have `auto` ready for a match, with whatever compiled code there is, and let it think."""
    from hiddenhand import load_game, make_player

    def get_ready() -> None:
        player: Any = make_player(spec, "auto")
        player.start(load_game(spec), 0, 1)
        player.search.think(iterations=100)

    return {"move": timed(get_ready)[0]}


def kernel_call_task(spec: str) -> dict[str, float]:
    """Seconds that a call of a kernel takes which has nothing to do, with a whole search as its
    argument: the least of five times 2,000 calls.
    """
    from hiddenhand import OOS, load_game
    from hiddenhand.search.traversal import run

    search: Any = OOS(load_game(spec), epsilon=0.6)
    search.run(iterations=10)
    traversal, calls = search._traversal(), range(2000)

    def call() -> None:
        for _ in calls:
            run(traversal, 0)

    return {"call": min(timed(call)[0] for _ in range(5)) / len(calls)}


def edited_search_task(folder: str) -> dict[str, float]:
    """Make the first iteration of a search of README's game, which lies in ``folder`` as
    bluff.py.
    """
    sys.path.insert(0, folder)
    from hiddenhand import OOS

    game = importlib.import_module("bluff").Bluff()
    search_seconds, _ = timed(lambda: OOS(game, epsilon=0.6).run(iterations=1))
    return {"search": search_seconds}


def mccr_match_task(mode: str) -> dict[str, float]:
    """The most memory of a match of II-Goofspiel(13), played by MCCR at a second a move against
    random play.
    """
    from hiddenhand import load_game, make_player, play_match
    from hiddenhand.budget import Budget

    game = load_game("IIGS(13)")
    players = [make_player(game, f"mccr(mode={mode})"), make_player(game, "random")]
    compiled = peak_megabytes()
    play_match(game, players, seed=1, budgets=[Budget(seconds=1.0)] * 2, chance_seed=1)
    return {"before": compiled, "peak": peak_megabytes()}


def full_table_task(search_name: str, spec: str, megabytes: str, seconds: str) -> dict[str, float]:
    """Iterations/s of a search before its memory is full and after, and how many MiB it took for
    that, all tables together.
    """
    from hiddenhand import load_game, make_player
    from hiddenhand.games.turn_based import as_sequential
    from hiddenhand.players.search_player import SearchPlayer
    from hiddenhand.search.table_search import ITERATIONS, REFUSED

    game, limit = load_game(spec), int(megabytes) * 2**20
    player = make_player(game, f"{search_name}(memory={limit})")
    assert isinstance(player, SearchPlayer)
    player.start(as_sequential(game), 0, 1)
    search: Any = player.search
    counters = (
        (lambda: search.resolver.counters) if search_name == "mccr" else (lambda: search._counters)
    )
    search.think(iterations=100)
    began_with, iterations, taken = peak_megabytes(), int(counters()[ITERATIONS]), 0.0
    while counters()[REFUSED] == 0:
        taken += timed(lambda: search.think(seconds=0.25))[0]
    before = (int(counters()[ITERATIONS]) - iterations) / taken
    iterations = int(counters()[ITERATIONS])
    after = timed(lambda: search.think(seconds=float(seconds)))[0]
    most = (peak_megabytes() - began_with) * 1e3 / 1024
    table = search.resolver.table if search_name == "mccr" else search.table
    return {
        "before": before,
        "after": (int(counters()[ITERATIONS]) - iterations) / after,
        "taken": most,
        "sets": float(table.counts[0]),
    }


TASKS = {
    "full_table": full_table_task,
    "mccr_match": mccr_match_task,
    "unroll": unroll_task,
    "lp": lp_task,
    "first_search": first_search_task,
    "first_move": first_move_task,
    "kernel_call": kernel_call_task,
    "edited_search": edited_search_task,
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]](*sys.argv[2:])))
