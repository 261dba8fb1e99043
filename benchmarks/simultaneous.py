"""Searches of simultaneous moves: iterations/s on Goofspiel(5) and Oshi-Zumo(50,3,1), which has 51
actions at the root. Both beside what the thesis says of its machine; Goofspiel also beside the same
search in turns.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final

from benchmarks.measuring import Measurement, Target, interleaved
from hiddenhand import ISMCTS, OOS, SMMCTS, SMOOS, load_game
from hiddenhand.search.table_search import TableSearch

GAME: Final = "goofspiel(num_cards=5,lowest_card=0)"
MADE: Final = {"rm": 260_000, "duct": 190_000, "exp3": 54_000, "oos": 200_000}
"""Iterations/s of the thesis (Lisy 2014, Section 4.2.3); an iteration of OOS is one traversal
there.
"""
WIDE: Final = "oshi_zumo(50,3,1)"
MADE_WIDE: Final = {"rm": 37_200, "duct": 26_800, "exp3": 2_800, "oos": 37_400}
"""The same in this game, in the first 5 seconds from the root (Table 4.7)."""

_IN_TURNS: Final = {"rm": "rm", "duct": "ruct", "exp3": "exp3"}
_CHUNK: Final = 100_000


def measure(rounds: int, seconds: float) -> Iterator[Measurement]:
    """All figures of this file."""
    for name, made in MADE.items():
        yield from beside(
            name,
            made,
            lambda seed, name=name: at_once(GAME, name, seed),
            lambda seed, name=name: in_turn(name, seed),
            rounds,
            seconds,
        )
    for name, made in MADE_WIDE.items():
        from_root(at_once(WIDE, name, rounds), made)  # compiles
        rates = [from_root(at_once(WIDE, name, seed), 5 * made) for seed in range(rounds)]
        yield rated(name, "Oshi-Zumo(50,3,1)", made, rates)


def at_once(game: str, name: str, seed: int) -> TableSearch:
    """The search called ``name`` in `MADE`."""
    if name == "oos":
        return SMOOS(load_game(game), seed=seed)
    return SMMCTS(load_game(game), name, seed=seed)


def in_turn(name: str, seed: int) -> TableSearch:
    """The same search, for which moves are made in turns."""
    if name == "oos":
        return OOS(load_game(GAME), epsilon=0.6, seed=seed)
    return ISMCTS(load_game(GAME), _IN_TURNS[name], seed=seed)


def beside(
    name: str,
    made: int,
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
    yield rated(name, "Goofspiel(5)", made, mine)
    yield Measurement(
        "simultaneous",
        f"{_called(name, 'Goofspiel(5)')}, beside turns",
        "traversals/s",
        mine,
        others,
        "ours in turns",
    )


def rated(name: str, game: str, made: int, rates: list[float]) -> Measurement:
    """Traversals/s, with a target of ten times the ``made`` of the thesis."""
    times = sum(rates) / len(rates) / made
    return Measurement(
        "simultaneous",
        _called(name, game),
        "traversals/s",
        rates,
        target=Target("least", 10 * made),
        note=f"{times:.1f} times the thesis' {made:,} a second",
    )


def _called(name: str, game: str) -> str:
    return f"SM-{'OOS' if name == 'oos' else 'MCTS with ' + name} on {game}"


def rate(search: TableSearch, seconds: float) -> float:
    """Traversals/s once the tree is there, as in a run of many seconds."""
    search.run(iterations=_CHUNK)
    before, began = search.result().traversals, time.perf_counter()
    search.run(seconds=seconds)
    return (search.result().traversals - before) / (time.perf_counter() - began)


def from_root(search: TableSearch, traversals: int) -> float:
    """Traversals/s from the first one on, while the tree and its memory grow."""
    began = time.perf_counter()
    search.run(iterations=traversals if isinstance(search, SMMCTS) else traversals // 2)
    return search.result().traversals / (time.perf_counter() - began)
