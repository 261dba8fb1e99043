"""A player's information set in Hold'em with buckets, from what that player noticed.

A player who plays a strategy knows their own cards, the board and the moves, and never the state of
the game. The rules say who moves and which betting round it is. So the follower runs them on a
state in which the others hold cards that mean nothing. It reads from that state only what the
player knows.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, State
from hiddenhand.games.history import Event
from hiddenhand.games.poker.betting import PLAYER, ROUND
from hiddenhand.games.poker.hands import NUM_CARDS
from hiddenhand.jit.kernels import specialised_kernel

_UNKNOWN = 0  # a card that stands for those of others; no rule compares them before a showdown


class HoldemFollower:
    """Follows a game of Hold'em as one player sees it.

    game: the `LimitHoldem`, with buckets.
    player: the player.
    """

    def __init__(self, game: Any, player: int) -> None:
        self._game = game
        self._rules = _unabstracted(game)
        self._player = player
        self._state = np.zeros(game.state_size, np.int64)
        self._noticed = np.zeros(game.num_players + 1, np.int64)
        self._rules.initial_state(self._state)

    def follow(self, events: Sequence[Event]) -> None:
        """Move on by the events that the player noticed."""
        for event in events:
            self._rules.apply_action(self._state, self._meant(event), self._noticed)

    def _meant(self, event: Event) -> int:
        """The card or the action behind an event."""
        if self._state[PLAYER] != CHANCE:
            return (event.public - self._rules.MOVE_TOKEN) % (
                self._rules.MOVE_TOKEN + self._rules.max_actions
            )
        if event.private:
            return event.private - 1
        card = event.public - 2
        return card if 0 <= card < NUM_CARDS else _UNKNOWN

    def key(self) -> int:
        """The key of the information set of the player, who is to move."""
        return int(_key(self._game, self._state, self._player))


@lru_cache(maxsize=16)
def _unabstracted(game: Any) -> Any:
    """The same game without buckets: one object for all hands of a match."""
    return game.unabstracted


@specialised_kernel
def _key(game: Any, state: State, player: int) -> int:
    """The player's key. What it is made from is written into ``state``."""
    for number in range(state[ROUND] + 1):
        game.abstraction.find_board(game, state, number)
    game.abstraction.find_bucket(game, state, player)
    return game.information(state, player, 0)
