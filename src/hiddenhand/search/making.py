"""Searches by name: `make_search` makes one for a game, and `MakeSearch` makes equal ones in every
process.

Nothing heavy is imported before a search is made.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hiddenhand.errors import HiddenhandError, OptionError
from hiddenhand.parameters import plain_number
from hiddenhand.search.algorithms import SEARCH, Algorithm, find, read_algorithm
from hiddenhand.text import Unreadable, shortened, split, written_call

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.search.online import OnlineSearch


def verify_order(game: object, spec: object, what: str) -> None:
    """Raise OptionError where a game is given in place of a name, as if the name came first.

    what: what is named, such as "an algorithm".
    """
    from hiddenhand.games.base import Game

    if isinstance(spec, Game):
        raise OptionError(
            f"{shortened(spec)} is a game, not the name of {what}; give the game first, then the "
            "name"
        )


@dataclass(frozen=True)
class MakeSearch:
    """Makes the search called ``name`` for a game. Equal ones make equal searches, in every
    process.
    """

    name: str
    arguments: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return written_call(self.name, self.arguments)

    def __call__(self, game: "Game") -> "OnlineSearch":
        entry = _named(self.name)
        entry.verify_public(game)
        return entry.load()(game, **_with_model(dict(self.arguments), game))


def make_search(game: "Game | str", spec: str, seed: int = 0, **parameters: Any) -> "OnlineSearch":
    """The search that ``spec`` names, such as ``oos(targeting=ist,delta=0.5)``, for a game or its
    name. Parameters may be given by name as well: ``make_search("Kuhn", "oos", epsilon=0.4)``.

    Raises OptionError, and what the search's constructor raises.
    """
    from hiddenhand.games.registry import game_of

    verify_order(game, spec, "an algorithm")
    algorithm, given = read_algorithm(spec)
    arguments = algorithm.arguments(algorithm.given_once(given, parameters))
    played = game_of(game)
    algorithm.verify_public(played)
    return algorithm.load()(played, seed=plain_number(seed), **_with_model(arguments, played))


def _with_model(arguments: dict[str, Any], game: "Game") -> dict[str, Any]:
    """The arguments of a search, with the strategy that another search finds where that one is
    named as the model of the opponent.
    """
    opponent = arguments.get("opponent")
    if not isinstance(opponent, str) or Path(opponent).is_file():
        return arguments
    try:
        name, _ = split(opponent)
    except Unreadable:
        return arguments  # the search says what is wrong
    if find(name, SEARCH) is None:
        return arguments
    from hiddenhand.search.root_search import searched_strategy

    return arguments | {"opponent": searched_strategy(opponent, game)}


def _named(name: str) -> Algorithm:
    entry = find(name)
    assert entry is not None  # names of `MakeSearch` come from the registry
    return entry


def why_not(algorithm: Algorithm, game: "Game") -> str | None:
    """Why an algorithm cannot be used for a game, in a sentence; None if it can.

    This makes a search, so the answer is what its constructor raises. It does not foresee later
    errors, such as too many histories.
    """
    try:
        algorithm.verify_public(game)
        if algorithm.kind == SEARCH:
            algorithm.load()(game, **algorithm.arguments({}))
        else:
            from hiddenhand.search.solving import verify_solvable

            verify_solvable(game, algorithm.name)
    except HiddenhandError as reason:
        return str(reason)
    return None
