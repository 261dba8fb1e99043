"""The figures of a search, which must add up."""

from dataclasses import dataclass

from hiddenhand.games.base import Game
from hiddenhand.notebooks import Shown
from hiddenhand.text import rounded


@dataclass(frozen=True)
class SearchResult(Shown):
    """The figures of a search so far. Searches of simultaneous moves count nodes where others count
    information sets. Raises AssertionError if the counters do not add up.

    game: the game, with moves in turns.
    algorithm: the name of the search.
    iterations: number of iterations.
    traversals: how often the game was traversed, once or several times in an iteration.
    in_tree: how many traversals reached the end of the game within memory; where each player has a
        tree, how many such pairs of a traversal and a player there were.
    playouts: how many traversals left memory before the end of the game; where each player has a
        tree, how often a player left it.
    added: how many playouts added an information set to memory.
    refused: how many playouts would have added an information set, for which there was no memory.
    moves: how many moves all traversals made.
    information_sets: how many information sets are in memory.
    bytes: how much memory the table takes.
    seconds: how long the search took.
    dropped: how many nodes were forgotten because the match moved on.
    shared: how many playouts of streams (see `streams`) added an information set that another
        stream added at the same time, or for which there was no room when streams were merged.
    trees: in how many trees a traversal is at the same time.
    """

    game: Game
    algorithm: str
    iterations: int
    traversals: int
    in_tree: int
    playouts: int
    added: int
    refused: int
    moves: int
    information_sets: int
    bytes: int
    seconds: float
    dropped: int = 0
    shared: int = 0
    trees: int = 1

    def __post_init__(self) -> None:
        kept = self.information_sets + self.dropped
        if (
            self.trees * self.traversals != self.in_tree + self.playouts
            or self.playouts != self.added + self.refused + self.shared
            or self.added != kept
        ):
            raise AssertionError(f"the counters do not add up: {self}")

    def __repr__(self) -> str:
        return (
            f"SearchResult({self.algorithm} in {self.game}: {self.iterations:,} iterations, "
            f"{self.information_sets:,} information sets, {rounded(self.seconds)} s)"
        )

    @property
    def traversals_per_second(self) -> float:
        return self.traversals / self.seconds if self.seconds > 0 else 0.0
