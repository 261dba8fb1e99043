"""Where memory ends: what the tree searches do at a leaf of the part of a game that they remember.

`PlayOn` plays on to the end, uniformly at random, as in the pseudocode of the papers. `Ask` stops
there and asks an evaluation function (Lisy 2014, Sections 4.2.4 and 4.2.7). `AskAfterMove` makes
one more random joint move before it asks. A search is compiled with one of the three, and does not
become slower because there are others.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from hiddenhand.games.base import TERMINAL, Game, State
from hiddenhand.jit.bridge import Compiled


@dataclass(frozen=True)
class PlayOn(Compiled):
    """Go on to the end of the game."""

    STOPS: ClassVar[int] = 0
    ROLLOUT: ClassVar[int] = 2**40
    """How many moves of players are made at random beyond the part in memory, at most."""

    def payoff(self, game: Any, state: State, player: int) -> float:
        """What ``player`` is paid in ``state``, which is terminal."""
        return game.returns(state, player)


@dataclass(frozen=True)
class Ask(Compiled):
    """Stop, and ask an evaluation function.

    evaluation: the `EvaluationFunction` of the game.
    """

    evaluation: Any

    STOPS: ClassVar[int] = 1
    ROLLOUT: ClassVar[int] = 0

    def payoff(self, game: Any, state: State, player: int) -> float:
        """What ``player`` is paid in ``state`` if it is terminal, else the estimate."""
        if game.current_player(state) == TERMINAL:
            return game.returns(state, player)
        return self.evaluation.evaluate(game, state, player)


@dataclass(frozen=True)
class AskAfterMove(Ask):
    """Make one random joint move, then stop and ask. For searches of simultaneous moves."""

    ROLLOUT: ClassVar[int] = 1


Leaves = PlayOn | Ask


def leaves_of(game: Game, evaluation: bool, *, after_move: bool = False) -> Leaves:
    """What a search of ``game`` does where its memory ends. Raises GameError if it shall evaluate
    and the game does not say how.

    after_move: whether the evaluation function gives the value of the state one joint move later.
    """
    if not evaluation:
        return PlayOn()
    return AskAfterMove(game.evaluation()) if after_move else Ask(game.evaluation())
