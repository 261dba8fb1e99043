"""The words of Kuhn poker before its moves were called check, fold and call.

Digests of its rules count these functions still, see `reworded`. So files that were made before are
read as ever. Nothing calls them.
"""

from typing import Any

from hiddenhand.games.base import CHANCE, State

_CARDS = 0
_MOVES = 2
_HISTORY = 3


class KuhnPoker:
    """Of the game for two players."""

    def action_name(self: Any, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return self._card_name(action)
        return "bet" if action == self.BET else "pass"

    def render(self: Any, state: State, player: int) -> str:
        card = int(state[_CARDS + player])
        moves = [
            self.action_name(state, 0, int(move))
            for move in state[_HISTORY : _HISTORY + state[_MOVES]]
        ]
        return (
            f"your card: {self._card_name(card - 1) if card else 'not dealt'}; moves: "
            f"{' '.join(moves) or 'none'}"
        )


class GeneralKuhnPoker:
    """Of the game for any number of players."""

    def action_name(self: Any, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return self._card_name(action)
        return "bet" if action == self.BET else "pass"

    def render(self: Any, state: State, player: int) -> str:
        from hiddenhand.games.drawing.words import does

        card = int(state[player])
        first = self.players + 1
        moves = [
            does(turn % self.players, player, self.action_name(state, 0, int(move)))
            for turn, move in enumerate(state[first : first + state[self.players]])
        ]
        return (
            f"your card: {self._card_name(card - 1) if card else 'not dealt'}; moves: "
            f"{', '.join(moves) or 'none'}"
        )
