"""Where memory ends: what the tree searches do at a leaf of the part of a game that they remember.

`PlayOn` plays on to the end, uniformly at random, which is what the papers' pseudocode says. `Ask` stops there and asks an evaluation function (Lisy
2014, Sections 4.2.4 and 4.2.7). A search is compiled with one or the other, so the first costs nothing for the second being there.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from hiddenhand.compiled.bridge import Compiled
from hiddenhand.games.base import TERMINAL, Game, State


@dataclass(frozen=True)
class PlayOn(Compiled):
    """Go on to the end of the game."""

    STOPS: ClassVar[int] = 0

    def payoff(self, game: Any, state: State, player: int) -> float:
        """What ``player`` is paid in ``state``, which is terminal."""
        return game.returns(state, player)


@dataclass(frozen=True)
class Ask(Compiled):
    """Stop, and ask ``evaluation``, an `Evaluation` of the game."""

    evaluation: Any

    STOPS: ClassVar[int] = 1

    def payoff(self, game: Any, state: State, player: int) -> float:
        """What ``player`` is paid in ``state`` if it is terminal, else the estimate."""
        if game.current_player(state) == TERMINAL:
            return game.returns(state, player)
        return self.evaluation.evaluate(game, state, player)


Frontier = PlayOn | Ask


def frontier_of(game: Game, evaluation: bool) -> Frontier:
    """What a search of ``game`` does where its memory ends. Raises GameError if it shall evaluate and the game does not say how."""
    return Ask(game.evaluation()) if evaluation else PlayOn()
