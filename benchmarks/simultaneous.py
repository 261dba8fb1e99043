"""Searches of simultaneous moves: iterations/s on Goofspiel(5), beside what the thesis says of its
machine and beside the same search in turns.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.measuring import Measurement, Target, interleaved
from hiddenhand import ISMCTS, OOS, SMMCTS, SMOOS, load_game
from hiddenhand.search.table_search import TableSearch

GAME: Final = "goofspiel(num_cards=5,lowest_card=0)"
MADE: Final = {"rm": 260_000, "oos": 200_000, "duct": 190_000, "exp3": 54_000}
"""Iterations/s of the thesis (Lisy 2014, Section 4.2.3); an iteration of OOS is one traversal
there.
"""

_CHUNK: Final = 100_000


def measure(rounds: int, seconds: float) -> Iterator[Measurement]:
    """All figures of this file."""
    for name, rule, in_turns in (
        ("rm", "rm", "rm"),
        ("duct", "duct", "ruct"),
        ("exp3", "exp3", "exp3"),
    ):
        yield from beside(
            name,
            lambda seed, rule=rule: SMMCTS(load_game(GAME), rule, seed=seed),
            lambda seed, rule=in_turns: in_turn(rule, seed),
            rounds,
            seconds,
        )
    yield from beside(
        "oos",
        lambda seed: SMOOS(load_game(GAME), seed=seed),
        lambda seed: OOS(load_game(GAME), epsilon=0.6, seed=seed),
        rounds,
        seconds,
    )


def in_turn(rule: str, seed: int) -> TableSearch:
    """IS-MCTS, for which moves are made in turns."""
    return ISMCTS(load_game(GAME), rule, seed=seed)


def beside(
    name: str,
    ours: Callable[[int], TableSearch],
    in_turns: Callable[[int], TableSearch],
    rounds: int,
    seconds: float,
) -> Iterator[Measurement]:
    """Traversals/s of a search, with a target of ten times the thesis; and the ratio to the search
    in turns.
    """
    mine, others = interleaved(
        rounds, lambda seed: rate(ours(seed), seconds), lambda seed: rate(in_turns(seed), seconds)
    )
    note = f"{sum(mine) / len(mine) / MADE[name]:.1f} times the thesis' {MADE[name]:,} a second"
    what = f"SM-{'OOS' if name == 'oos' else 'MCTS with ' + name} on Goofspiel(5)"
    yield Measurement(
        "simultaneous",
        what,
        "traversals/s",
        mine,
        target=Target("least", 10 * MADE[name]),
        note=note,
    )
    yield Measurement(
        "simultaneous", f"{what}, beside turns", "traversals/s", mine, others, "ours in turns"
    )


def rate(search: TableSearch, seconds: float) -> float:
    """Traversals/s once the tree is there, as in a run of many seconds."""
    search.run(iterations=_CHUNK)
    before, began = search.result().traversals, time.perf_counter()
    search.run(seconds=seconds)
    return (search.result().traversals - before) / (time.perf_counter() - began)
