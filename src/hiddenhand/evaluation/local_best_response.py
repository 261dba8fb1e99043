"""Local best response: a lower bound on what can be won against a player of poker.

Lisy and Bowling (2017), "Equilibrium approximation quality of current no-limit poker bots". The
responder knows the player's strategy, and so how likely each history of an information set is. At
each set it takes the action that is best if no player bets any more: it looks one step ahead.

The name of the variant here is "one reply, then calls". After the responder's action the others
move by their strategy until each of them has moved once, or the responder is to move again. From
there on all players check or call to the end. The paper lets the others only fold or call after a
bet, and only call after a call. Plays against the player estimate what the responder earns, so the
result is a lower bound with any variant.
"""

from typing import Final

import numpy as np

from hiddenhand.errors import TooLargeError
from hiddenhand.evaluation.policy_query import QueriedPolicy
from hiddenhand.evaluation.rollouts import Place, Table, mean_payoff
from hiddenhand.games.base import CHANCE, TERMINAL, verify_listed
from hiddenhand.players.player import derived_seed
from hiddenhand.players.poker import CallPlayer, verify_poker
from hiddenhand.progress import SILENT, Progress
from hiddenhand.statistics import Interval

_MOST: Final = 100_000  # histories of an information set

Belief = list[tuple[Place, float]]
"""Histories of an information set, with the part of all others in their probabilities."""


class LocalBestResponse:
    """The local best response of ``responder`` to a player in all other seats.

    queried: the player.
    seed: decides all draws of the plays.

    Raises PlayerError in games that are no poker.
    """

    def __init__(self, queried: QueriedPolicy, responder: int, seed: int = 0) -> None:
        verify_poker(queried.game, "local best response")
        verify_listed(queried.game)
        self._game = queried.game
        self._responder = responder
        self._table = Table(queried, derived_seed(seed, responder))
        self._calls = QueriedPolicy(CallPlayer.NAME, queried.game)
        self._beliefs: dict[int, Belief] = self._grouped([(self._table.root(), 1.0)])
        self._chosen: dict[int, int] = {}

    def earned(self, plays: int, progress: Progress = SILENT) -> Interval:
        """What the response earns, with its 95 % interval, from so many plays."""
        return mean_payoff(self._game, plays, self._play, progress)

    def _play(self) -> float:
        place = self._table.root()
        while (mover := int(self._game.current_player(place.state))) != TERMINAL:
            if mover == self._responder:
                action = self._choice(int(place.keys[mover]))
                self._table.move(place, mover, action)
            else:
                self._table.let_move(place, mover)
        return float(self._game.returns(place.state, self._responder))

    def _choice(self, key: int) -> int:
        """The action in the set ``key``, whose histories are known."""
        if key not in self._chosen:
            belief = self._beliefs.pop(key)
            actions = self._game.actions_of(belief[0][0].state, self._responder)
            worth = [self._worth(belief, action) for action in actions]
            self._chosen[key] = action = actions[int(np.argmax(worth))]
            after = [(self._moved(place, action), weight) for place, weight in belief]
            self._beliefs.update(self._grouped(after))
        return self._chosen[key]

    def _worth(self, belief: Belief, action: int) -> float:
        return sum(
            weight * self._value(self._moved(place, action), self._game.num_players - 1)
            for place, weight in belief
        )

    def _value(self, place: Place, replies: int) -> float:
        """What the responder earns on average from a place on, if the others make so many moves by
        their strategy, and then all check or call.
        """
        mover = int(self._game.current_player(place.state))
        if mover == TERMINAL:
            return float(self._game.returns(place.state, self._responder))
        if mover == self._responder:
            replies = 0
        calls = mover != CHANCE and replies == 0
        actions, policy = self._table.moves(place, mover, self._calls if calls else None)
        after = max(0, replies - int(mover != CHANCE))
        return sum(
            float(p) * self._value(self._moved(place, action, mover), after)
            for action, p in zip(actions, policy, strict=True)
            if p > 0.0
        )

    def _grouped(self, waiting: Belief) -> dict[int, Belief]:
        """The histories of the next sets of the responder, by the keys of the sets."""
        found: dict[int, Belief] = {}
        count = 0
        while waiting:
            place, weight = waiting.pop()
            mover = int(self._game.current_player(place.state))
            if mover == self._responder:
                found.setdefault(int(place.keys[mover]), []).append((place, weight))
                count += 1
                if count > _MOST:
                    raise TooLargeError(
                        f"local best response keeps all histories of an information set, and "
                        f"{self._game} has more than {_MOST:,}; use method ismcts"
                    )
            elif mover != TERMINAL:
                actions, policy = self._table.moves(place, mover)
                waiting += [
                    (self._moved(place, action, mover), weight * float(p))
                    for action, p in zip(actions, policy, strict=True)
                    if p > 0.0
                ]
        return found

    def _moved(self, place: Place, action: int, mover: int | None = None) -> Place:
        after = place.copy()
        self._table.move(after, self._responder if mover is None else mover, action)
        return after
