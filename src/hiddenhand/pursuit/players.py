"""Players of pursuit with limited sight who follow a rule: `chaser` and `runner`.

Lisy (2014), Section 5.3.2, the informed simulation: pursuing units take the shortest way to where
the evader was seen last. The evader goes where the sum of its distances from the pursuing units is
largest, as far as it knows where they are.
"""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.players.player import Deciding, Probabilities
from hiddenhand.pursuit.games.layout import PURSUERS
from hiddenhand.pursuit.games.visibility import VisibilityPursuit


def verify_pursuit(game: Game, who: str) -> VisibilityPursuit:
    """The rules of ``game``. Raises PlayerError if it is not pursuit with limited sight.

    who: the name of the player, for the message.
    """
    rules = game.game if isinstance(game, TurnBased) else game
    if not isinstance(rules, VisibilityPursuit):
        raise PlayerError(
            f"{who} plays visibility_pursuit only, which {game} is not; use a search, such as "
            "ismcts"
        )
    return rules


class _Follower(Deciding):
    """A player who knows where the own units are, and where each unit of the other side was seen
    last.
    """

    NAME: ClassVar[str]
    _sign: int  # 1 to go where distances are largest, -1 where they are smallest

    @classmethod
    def verify_game(cls, game: Game) -> None:
        """Raise PlayerError for another game."""
        verify_pursuit(game, cls.NAME)

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. Raises PlayerError for another game."""
        super().start(game, seat, seed)
        self._rules = verify_pursuit(game, self.NAME)
        self._model = self._rules.information_model(seat, depth=0)
        self._node = np.zeros(self._model.node_size, np.int64)
        self._model.begin(self._node)
        others = self._rules.starts[:1] if seat == PURSUERS else self._rules.starts[1:]
        self._last = dict(enumerate(others.tolist()))  # unit of the other side -> node

    def follow(self, events: Sequence[Event]) -> None:
        """Note where units are seen."""
        base = self._rules.terrain.num_nodes + 1
        for event in events:
            placed = int(self._node[0]) == self._model.num_own
            self._model.notice(self._node, event.action, event.private, event.public)
            if event.private == 0 or (self.seat == PURSUERS and not placed):
                continue
            told = event.private - 1
            for unit in range(self._model.num_others - 1, -1, -1):
                told, digit = divmod(told, base)
                if digit > 0:
                    self._last[unit] = digit - 1

    def _own_nodes_after(self, action: int) -> list[int]:
        node = self._node.copy()
        self._model.act(node, action)
        return [int(here) for here in self._model.own_nodes(node)]

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """The best actions, all alike; all actions alike where nothing is known."""
        distance = self._rules.terrain.distance
        known = list(self._last.values())
        sums = self._sign * np.array(
            [
                sum(
                    int(distance[here, there])
                    for here in self._own_nodes_after(action)
                    for there in known
                )
                for action in legal_actions
            ]
        )
        best = sums == sums.max()
        return best / best.sum()


class ChaserPlayer(_Follower):
    """Moves each own unit on a shortest way to where the other side was seen last: the informed
    simulation of the pursuers.
    """

    NAME = "chaser"
    _sign = -1


class RunnerPlayer(_Follower):
    """Moves each own unit to the node with the largest sum of distances from the places where the
    other side was seen last: the informed simulation of the evader.
    """

    NAME = "runner"
    _sign = 1
