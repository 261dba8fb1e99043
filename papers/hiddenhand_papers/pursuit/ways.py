"""On which maps, and with how much thinking, the experiments of pursuit are run.

Everything is run in three ways: *short*, with few iterations and 30 moves, which is all that the
scale ``evening`` has, or with few iterations and all moves, where it takes these to see a
difference; with a second a move, on one thread; and with as many iterations as the thesis' machine
made in a second, where that is printed. For relaxed lookahead it is not, and the number of random
simulations is taken; MM searches to depth 6 there, which the thesis says is usually reached.
"""

from collections.abc import Callable, Iterator
from typing import Final

from hiddenhand_papers.play import Contestant
from hiddenhand_papers.printed import printed
from hiddenhand_papers.pursuit.chases import STARTS, ChaseReading, Players

_KINDS: Final = {
    kind: tuple(f"{first}{end}" for end in ("", "_1", "_2", "_3", "_4"))
    for kind, first in (("towns", "town465"), ("mazes", "maze50x49"))
}
"""The maps of each kind."""
MAPS: Final = tuple(name for pair in zip(*_KINDS.values(), strict=True) for name in pair)
"""All of them; the first two are run at the scale ``evening``."""
SHORT, LONG = "short", "few iterations"
SECOND, ITERATIONS = "1 s a move", "the thesis' iterations"
_QUICK: Final = (SHORT, LONG)
_FEW: Final = {"mo": 400, "istmcts": 200}  # iterations, in the quick ways
_WITHOUT_END: Final = 10**8  # iterations, where the depth is the limit
SETUP: Final = (
    "The maps are ours, five towns and five mazes; those of the thesis, one of each, are not "
    f"known. {STARTS} starts for each pair on each map, the same for all pairs; at the scale "
    "evening fewer, on the first map. Sentences are tested on differences between matches with the "
    "same start. A sentence that says “more” fails where the difference is certainly below 5 %, "
    "unless the thesis calls it slight.",
    "“Short”: 30 moves, MO with 400 iterations a move, SO with 200, MM to depth 3. “1 s a move”: "
    "on one thread. “The thesis' iterations”: MO 20,867, SO 5,000 (600 if heavy), MM to depth 6.",
)

Making = Callable[[str], tuple[Players, Players]]
"""Evaders and pursuers for a way to run: SHORT, LONG, SECOND or ITERATIONS."""


def more_starts(starts: int) -> str:
    """What a table says of its set-up that has more than `STARTS` on each map."""
    few = f"{STARTS} left sentences undecided"
    return f"This table has {starts:,} starts on each map, because {few}."


def contestant(search: str, way: str) -> Contestant:
    """A search with what it may think.

    search: a search with its parameters.
    way: SHORT, LONG, SECOND or ITERATIONS.
    """
    if way == SECOND:
        return Contestant(search, seconds=1.0)
    name, _, inside = search.partition("(")
    if name == "istminimax":
        parameters = [*filter(None, [inside.rstrip(")")]), f"deepest={3 if way in _QUICK else 6}"]
        return Contestant(f"{name}({','.join(parameters)})", _WITHOUT_END)
    if way in _QUICK:
        return Contestant(search, _FEW[name])
    return Contestant(search, _thesis_iterations(search))


def _thesis_iterations(search: str) -> int:
    table = printed("pursuit").items["speeds"].table("a second")
    assert table is not None
    heavy = "SO heavy" if "heavy" in search else "SO random"
    informed = "MO informed" if "informed" in search else "MO"
    row = informed if search.startswith("mo") else heavy
    return int(table.cells[row, "simulations"].value)


def readings(
    making: Making, also: str = "", options: str = "", quick: str = SHORT
) -> Iterator[ChaseReading]:
    """Both kinds of maps in all ways.

    making: who plays.
    also: what the names of these readings say besides the map and the way.
    options: further parameters of the game, with a comma.
    quick: the first way, SHORT or LONG.
    """
    for way in (quick, SECOND, ITERATIONS):
        moves = ",moves=30" if way == SHORT else ""
        for kind, maps in _KINDS.items():
            evaders, pursuers = making(way)
            yield ChaseReading(
                ", ".join(filter(None, (kind, way, also))),
                tuple(f"VP(map={name}{moves}{options})" for name in maps),
                evaders,
                pursuers,
                way == quick,
            )


def named(way: str, **searches: str) -> Players:
    return tuple((name, contestant(search, way)) for name, search in searches.items())
