"""The result of a search from the beginning of a game, for searches of all kinds."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.algorithms import (
    SEARCH,
    Algorithm,
    added_algorithms,
    algorithms,
    read_algorithm,
    search_at,
)
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.table_search import TableSearch
from hiddenhand.trees.strategy import Strategy, strategy_from_weights
from hiddenhand.user_code import place_of_class

SEARCHED: Final = 10_000
"""Iterations of a search that is named as a model of an opponent."""


@dataclass(frozen=True)
class Found:
    """What a search found.

    strategy: its strategy, in all information sets that it knows.
    iterations: number of iterations, those before a resume included.
    seconds: how long it searched.
    information_sets: number of information sets in memory, or of nodes for searches that count
        nodes.
    traversals: number of traversals of the game; None if the search does not count them.
    refused: number of playouts that began where memory ends.
    """

    strategy: Strategy
    iterations: int
    seconds: float
    information_sets: int
    traversals: int | None = None
    refused: int = 0

    @property
    def traversals_per_second(self) -> float | None:
        """None where traversals are not counted."""
        if self.traversals is None:
            return None
        return self.traversals / self.seconds if self.seconds > 0 else 0.0


def found_by(search: OnlineSearch, seconds: float) -> Found:
    """The result of ``search`` so far. ``seconds``: how long it thought, for searches that do not
    measure that themselves.
    """
    if isinstance(search, TableSearch):
        result = search.result()
        return Found(
            search.strategy(),
            result.iterations,
            result.seconds,
            result.information_sets,
            result.traversals,
            result.refused,
        )
    weights = search.weights()
    return Found(
        strategy_from_weights(search.game, weights),
        int(search.thought()["iterations"]),
        seconds,
        weights.keys.size,
    )


@lru_cache(maxsize=4)
def searched_strategy(spec: str, game: Game) -> Strategy:
    """What the search called ``spec`` finds from the beginning of a game in `SEARCHED`
    iterations.
    """
    algorithm, given = read_algorithm(spec)
    search = algorithm.load()(as_sequential(game), **algorithm.arguments(given))
    verify_searchable(algorithm, game, search)
    search.think(iterations=SEARCHED)
    return found_by(search, 0.0).strategy


def verify_searchable(algorithm: Algorithm, game: Game, search: object = None) -> None:
    """Raise OptionError if ``algorithm`` finds nothing at the beginning of ``game``, because chance
    or another player moves there first. Searches from the beginning decide for player 0.

    search: a search by the algorithm, whose ``searches_chance`` counts if it has one: that may
        depend on its parameters.
    """
    rules = as_sequential(game)
    if not getattr(search, "searches_chance", algorithm.searches_chance) and (
        History(rules).player != 0
    ):
        so = " with these parameters" if algorithm.searches_chance else ""
        raise OptionError(
            f"{algorithm.name}{so} searches only at decisions of its player, and {rules} begins "
            "with another move; use it in a match, or search with another algorithm"
        )


def keep(search: OnlineSearch, found: Found, path: Path | str) -> None:
    """Write the search to a file, from which it can be resumed or used as a strategy. If the search
    cannot be written, write its strategy.
    """
    if isinstance(search, TableSearch) and search.can_be_saved:
        search.save(path)
    else:
        found.strategy.save(path)


def resume(algorithm: Algorithm, path: Path | str, game: Game) -> OnlineSearch:
    """The search in a file that `keep` wrote, ready to continue. Raises FileError, also for a file
    of a search with parameters that ``algorithm`` never has, and OptionError for an algorithm whose
    searches cannot be written.
    """
    if not algorithm.can_be_saved:
        raise OptionError(
            f"a search by {algorithm.name} cannot be resumed, because only its strategy is kept in "
            "a file; begin a new one"
        )
    search: Any = algorithm.load().load(path, game)
    for name, value in algorithm.fixed.items():
        if search.parameters[name] != value:
            raise FileError(
                f"{path} is a search by {spec_of(search)}, and {algorithm.name} has {name}="
                f"{value}; resume it as {_entry_of(search).name}"
            )
    return search


def spec_of(search: OnlineSearch) -> str:
    """The name of the algorithm of a search that came from a file. It has those parameters that a
    search of its game would not have by default.
    """
    assert isinstance(search, TableSearch)  # no other search is kept in a file
    entry, has = _entry_of(search), search.parameters
    usual = entry.load()(search.game, **entry.arguments({})).parameters
    return entry.spec({name: value for name, value in has.items() if value != usual[name]})


def _entry_of(search: TableSearch) -> Algorithm:
    """Of the entries for the class of ``search`` that have its parameters, the one that fixes most.
    A class of the user has an entry by its place.
    """

    def fits(entry: Algorithm) -> bool:
        return entry.load() is type(search) and all(
            search.parameters[name] == value for name, value in entry.fixed.items()
        )

    fitting = [*filter(fits, algorithms(SEARCH))] or [*filter(fits, added_algorithms(SEARCH))]
    if not fitting:
        return search_at(place_of_class(type(search)))
    return max(fitting, key=lambda entry: len(entry.fixed))
