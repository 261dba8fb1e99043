"""Small games by name and their trees, each written out once for all tests."""

from functools import cache
from typing import Final

from naive.resolving import hidden_turns
from naive.small_games import ThreeHands, untied

from hiddenhand.games.base import Game
from hiddenhand.games.matrix_game import MatrixGame
from hiddenhand.games.registry import load_game
from hiddenhand.progress import Report
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

DILEMMA: Final = "prisoner's dilemma"
THREE: Final = "three players"
_UNTIED: Final = ", untied"
_OTHERS: Final = {
    "hidden turns": hidden_turns,
    THREE: ThreeHands,
    DILEMMA: lambda: MatrixGame([[3, 0], [5, 1]], [[3, 5], [0, 1]]),
}


@cache
def game_of(name: str | Game) -> Game:
    """A game that `load_game` knows, or one of those above; "NAME, untied" is the game without ties
    between actions. A game stands for itself.
    """
    if isinstance(name, Game):
        return name
    if name.endswith(_UNTIED):
        return untied(game_of(name.removesuffix(_UNTIED)))
    return _OTHERS[name]() if name in _OTHERS else load_game(name)


@cache
def tree_of(name: str | Game) -> GameTree:
    """The tree of `game_of`."""
    return unroll(game_of(name))


class Watching:
    """Keeps all reports, and raises KeyboardInterrupt at one of them."""

    def __init__(self, interrupt_at: int = -1) -> None:
        self.reports: list[Report] = []
        self.interrupt_at = interrupt_at

    def update(self, report: Report) -> None:
        self.reports.append(report)
        if len(self.reports) == self.interrupt_at:
            raise KeyboardInterrupt
