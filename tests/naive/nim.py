"""A game in plain sight, by rules: one heap of which each player in turn takes one to three."""

from dataclasses import dataclass
from typing import Any

from hiddenhand.games import TERMINAL, Game


@dataclass(frozen=True)
class Nim(Game):
    """Whoever takes the last one wins. All are told how many are taken."""

    heap: int = 10
    is_told: bool = True

    state_size, max_actions, max_utility, max_chance_outcomes = 2, 3, 1.0, 0
    max_depth = property(lambda self: self.heap)

    def initial_state(self, state: Any) -> None:
        state[0], state[1] = self.heap, 0

    def current_player(self, state: Any) -> int:
        return TERMINAL if state[0] == 0 else state[1]

    def legal_actions(self, state: Any, player: int, actions: Any) -> int:
        count = min(3, state[0])
        for taken in range(count):
            actions[taken] = taken
        return count

    def apply_action(self, state: Any, action: int, observations: Any) -> None:
        state[0] -= action + 1
        state[1] = 1 - state[1]
        if self.is_told:
            observations[2] = action + 1
        else:
            observations[state[1]] = action + 1

    def returns(self, state: Any, player: int) -> float:
        return -1.0 if state[1] == player else 1.0

    def render(self, state: Any, player: int) -> str:
        return f"{state[0]} left"
