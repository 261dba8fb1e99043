"""What a search found that thought from the beginning of a game, whatever kind of search it is."""

from dataclasses import dataclass
from pathlib import Path

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.search.algorithms import Algorithm
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.thinking import TableSearch
from hiddenhand.trees.strategy import Strategy, strategy_from_weights


@dataclass(frozen=True)
class Found:
    """What a search found.

    strategy: what it would play, in all information sets that it knows.
    iterations: how many it made, also before it was resumed.
    seconds: how long it searched.
    information_sets: how many it knows, or how many nodes where it knows those.
    traversals: of the game; None where the search does not count them.
    refused: how many playouts began where memory ends.
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
    """What ``search`` knows by now. ``seconds``: how long it thought, for searches that do not
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


def verify_found(found: Found, algorithm: Algorithm, game: Game) -> None:
    """Raise OptionError if nothing was found because there was nothing to search."""
    if found.information_sets == 0:
        raise OptionError(
            f"{algorithm.name} searches only where its player is to decide, and {game} does not "
            "begin there; use it in a match, or search with another algorithm"
        )


def keep(search: OnlineSearch, found: Found, path: Path | str) -> None:
    """Write the search to a file, to be resumed or used as a strategy; of a search that cannot be
    written, its strategy.
    """
    if isinstance(search, TableSearch):
        search.save(path)
    else:
        found.strategy.save(path)


def resume(algorithm: Algorithm, path: Path | str, game: Game) -> OnlineSearch:
    """The search in a file that `keep` wrote, to be gone on with. Raises FileError, and OptionError
    for an algorithm whose searches cannot be written.
    """
    if not algorithm.can_be_saved:
        raise OptionError(
            f"a search by {algorithm.name} cannot be resumed, because only its strategy is kept in "
            "a file; begin a new one"
        )
    return algorithm.load().load(path, game)
