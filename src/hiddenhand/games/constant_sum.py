"""Constant-sum games as zero-sum games.

The payoffs of two players sum to the same number at every end of some games: to the number of
tricks, say. Such a game is a zero-sum game but for a shift of the payoffs, and a shift changes no
player's best choice. Algorithms for zero-sum games work on the shifted game. What a player earns is
reported in the payoffs of the game itself.
"""

from dataclasses import dataclass
from typing import Any

from hiddenhand.games.base import EvaluationFunction, Game, State, verify_constant_sum
from hiddenhand.games.registry import game_of
from hiddenhand.games.rule_digests import remembers_all
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.games.wrapped import Wrapped, WrappedEvaluation
from hiddenhand.jit.methods import beside_rules


@dataclass(frozen=True, repr=False)
class Shifted(Wrapped):
    """A constant-sum game of two players in which each player is paid half of the sum less. So the
    payoffs sum to 0, exactly also where those of the game are rounded.

    half: half of the sum of the payoffs.
    """

    around_any = True

    half: float = 0.0

    def __repr__(self) -> str:
        return repr(self.game)

    @property
    def described(self) -> Game:
        """The game by whose rules files know this one."""
        game: Game = self.game
        return game

    @property
    def zero_sum(self) -> bool:
        return True

    @property
    def payoff_sum(self) -> float | None:
        """See `Game.payoff_sum`."""
        return 0.0

    @property
    def remembers_all(self) -> bool:
        """See `hiddenhand.games.rule_digests.remembers_all`."""
        return remembers_all(self.game)

    @property
    def max_utility(self) -> float:
        return self.game.max_utility + abs(self.half)

    def returns(self, state: State, player: int) -> float:
        paid = self.game.returns(self.inner_state(state), 0) - self.half
        return paid if player == 0 else -paid

    @beside_rules
    def evaluation(self) -> EvaluationFunction:
        """The evaluation function of the game, whose numbers are shifted as well."""
        return ShiftedEvaluation(self.game.evaluation())


@dataclass(frozen=True)
class ShiftedEvaluation(WrappedEvaluation):
    """The evaluation function of the inner game of `Shifted`."""

    around_any = True

    def evaluate(self, game: Any, state: State, player: int) -> float:
        return self.evaluation.evaluate(game.game, game.inner_state(state), player) - game.half


def zero_sum_form(game: Game | str) -> Game:
    """The game with moves in turns, shifted if it is a constant-sum game of two players whose
    payoffs do not sum to 0; any other game as it is.
    """
    game = as_sequential(game)
    inner = game.game if isinstance(game, TurnBased) else game
    total = inner.payoff_sum
    if inner.num_players != 2 or total is None or inner.zero_sum:
        return game
    shifted = Shifted(inner, total / 2.0)
    return TurnBased(shifted) if isinstance(game, TurnBased) else shifted


def as_zero_sum(game: Game | str, what: str, instead: str) -> Game:
    """`zero_sum_form` of a game. Raises GameError unless it is a constant-sum game of two players.

    what: the algorithm that is for such games only.
    instead: what is for other games, too.
    """
    verify_constant_sum(game_of(game), what, instead)
    return zero_sum_form(game)
