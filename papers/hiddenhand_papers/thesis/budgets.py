"""How many iterations the machine of Lisy's thesis made in the printed times.

Lisy (2014), Sections 4.2 and 4.3, gives times. The text of these sections says how many iterations
each search made in a second from the root of the small games. Table 4.7 says how many it made in 5
seconds from the root of the large games with simultaneous moves. This module reads all these
numbers from the file of printed numbers.

Outcome sampling makes two *traversals* in each of our iterations, one for each player. The thesis
counts traversals: with its speeds the results of Section 4.3 come out as printed if an iteration of
ours is two of them. So its searches by OOS have half of the printed iterations here.

Where the thesis prints no speed, it says that the speed is similar to that in Goofspiel.
"""

from functools import cache
from typing import Final

from hiddenhand_papers.printed import PrintedItem, printed

SECONDS_OF_TABLE_4_7: Final = 5.0
_TRAVERSALS: Final = {"OOS": 2}  # in each of our iterations


def item(name: str) -> PrintedItem:
    """What the thesis printed of an item."""
    return printed("thesis").items[name]


@cache
def speeds(game: str) -> dict[str, float]:
    """Our iterations that make up what the thesis' machine did in a second, for each search.

    game: the name of a table of the item ``speeds``.
    """
    found = dict(_printed(game))
    if game in ("oshi-zumo10", "random4x5", "pursuit4"):
        found = _printed("goofspiel5") | found
    return {search: speed / _TRAVERSALS.get(search, 1) for search, speed in found.items()}


def _printed(game: str) -> dict[str, float]:
    table = item("speeds").table(game)
    assert table is not None, game
    return {search: interval.value for (search, _), interval in table.cells.items()}


@cache
def large_speeds(domain: str) -> dict[str, float]:
    """The same in a large game with simultaneous moves.

    domain: the name of a column of Table 4.7.
    """
    table = item("tab4.7").table("iterations")
    assert table is not None
    return {
        search: 1000 * interval.value / SECONDS_OF_TABLE_4_7 / _TRAVERSALS.get(search, 1)
        for (search, column), interval in table.cells.items()
        if column == domain
    }
