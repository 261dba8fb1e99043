"""A bot that answers at once, in the form of a search, so that a page can show both alike."""

from typing import Any, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.games.history import History
from hiddenhand.players.fixed_policies import EquilibriumPlayer, StrategyPlayer
from hiddenhand.players.player import Deciding
from hiddenhand.trees.strategy import Weights

_MISTAKE: Final = 1e-3  # how often the others err, so that each position has a belief


class Answered:
    """A bot that answers once.

    player: the bot, which has followed the match.
    history: the position, at which the bot is to move.
    """

    def __init__(self, player: Deciding, history: History) -> None:
        self.player, self._history = player, history
        self.game = history.game
        self.is_exact = isinstance(player, EquilibriumPlayer)

    @property
    def knows_strategy(self) -> bool:
        """Whether the bot has a strategy for all positions, from which a belief follows."""
        return isinstance(self.player, StrategyPlayer)

    def policy(self, num_actions: int) -> Any:
        """The bot's probabilities."""
        return self.player.policy(self._history.legal_actions(), Budget(iterations=1))

    def policy_at(self, key: int) -> list[float] | None:
        """The probabilities in the information set with ``key``; None where it is not known."""
        if not isinstance(self.player, StrategyPlayer):
            return None
        policy = self.player.strategy.at(key)
        return None if policy is None else [float(p) for p in policy]

    def weights(self) -> Weights:
        """The strategy of a bot that has one, in which players sometimes err."""
        assert isinstance(self.player, StrategyPlayer)
        strategy = self.player.strategy
        sizes = np.diff(strategy.starts)
        uniform = np.repeat(1.0 / sizes, sizes)
        erring = (1 - _MISTAKE) * strategy.probabilities + _MISTAKE * uniform
        return Weights(strategy.keys, strategy.starts, erring)

    def thought(self) -> dict[str, float]:
        """The figures of the bot."""
        return dict(self.player.thought())
