"""Guess the ace: Miltersen and Sørensen (2010), "Computing a quasi-perfect equilibrium of a
two-player game".
"""

from dataclasses import dataclass
from typing import Any

from hiddenhand.games.base import CHANCE, TERMINAL, Game

_CARDS = 52
_PRIZE = 1000.0


@dataclass(frozen=True)
class GuessTheAce(Game):
    """A card is drawn from a deck and shown to nobody. Player 1 quits, or offers player 2 a prize
    for a right guess whether it is the ace of spades. Player 1 should quit. So nobody ever makes
    the offer in equilibrium, and an equilibrium may answer it with a wrong guess.
    """

    num_players = 2
    max_actions = 2
    max_chance_outcomes = _CARDS
    max_depth = 3
    state_size = 4
    max_utility = _PRIZE

    def initial_state(self, state: Any) -> None:
        state[:] = 0

    def current_player(self, state: Any) -> int:
        if state[0] == 0:
            return CHANCE
        if state[0] == 1:
            return 0
        return 1 if state[0] == 2 and state[2] == 1 else TERMINAL

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def chance_outcomes(self, state: Any, actions: Any, probabilities: Any) -> int:
        for card in range(_CARDS):
            actions[card], probabilities[card] = card, 1.0 / _CARDS
        return _CARDS

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0] += 1
        state[state[0]] = action
        if state[0] == 2:
            observations[2] = 1 + action

    def returns(self, state: Any, player: int) -> float:
        right = state[0] == 3 and (state[1] == 0) == (state[3] == 0)
        paid = _PRIZE if right else 0.0
        return paid if player == 1 else -paid
