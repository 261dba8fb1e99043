"""Games with simultaneous moves for tests: all kinds of moves in one, and rules that solvers must
refuse.
"""

from dataclasses import dataclass

from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    Integers,
    Probabilities,
    State,
)

# what the state of VariedMoves holds
_ROUND = 0  # how many rounds are over
_HASH = 1  # the number that is carried along
_LAST = 0  # the state of Circling: 0 or 1, or 2 at the end


@dataclass(frozen=True)
class VariedMoves(Game):
    """In each round chance, one player or both choose one of two or three things, as a number
    carried along decides; it decides the payoff, too.

    Many histories lead to one state. Unless ``told``, nobody is told what chance did.
    """

    rounds: int = 5
    seed: int = 1
    told: bool = True

    simultaneous = True
    state_size, max_actions, max_chance_outcomes, max_utility = 2, 3, 2, 3.0

    @property
    def max_depth(self) -> int:
        return self.rounds

    def initial_state(self, state: State) -> None:
        state[_ROUND] = 0
        state[_HASH] = self.seed

    def current_player(self, state: State) -> int:
        if state[_ROUND] == self.rounds:
            return TERMINAL
        kind = state[_HASH] // 7 % 5
        return SIMULTANEOUS if state[_ROUND] == 0 or kind > 2 else CHANCE if kind == 2 else kind

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        count = 2 + (state[_HASH] + player) % 2
        for action in range(count):
            actions[action] = action
        return count

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        actions[0], actions[1] = 0, 1
        probabilities[0], probabilities[1] = 0.25, 0.75
        return 2

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if self.told or self.current_player(state) != CHANCE:
            observations[2] = 1 + action
        self._move(state, action)

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        observations[2] = 1 + 3 * actions[0] + actions[1]
        self._move(state, 3 * actions[0] + actions[1])

    def returns(self, state: State, player: int) -> float:
        payoff = float(state[_HASH] // 3 % 7 - 3)
        return payoff if player == 0 else -payoff

    def render(self, state: State, player: int) -> str:
        return f"round {state[_ROUND]}, {state[_HASH]}"

    def _move(self, state: State, move: int) -> None:
        state[_ROUND] += 1
        state[_HASH] = (state[_HASH] * 31 + (move + 1) * 17 + state[_ROUND]) % 211


@dataclass(frozen=True)
class Circling(Game):
    """Both choose one of two things until they choose differently, which may never happen. The
    state does not tell how far the game has come.
    """

    simultaneous = True
    state_size, max_actions, max_depth, max_utility = 1, 2, 10, 1.0

    def initial_state(self, state: State) -> None:
        state[_LAST] = 0

    def current_player(self, state: State) -> int:
        return TERMINAL if state[_LAST] == 2 else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0], actions[1] = 0, 1
        return 2

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        state[_LAST] = 1 - state[_LAST] if actions[0] == actions[1] else 2
        observations[2] = 1 + 2 * actions[0] + actions[1]

    def returns(self, state: State, player: int) -> float:
        return 1.0 - 2.0 * player

    def render(self, state: State, player: int) -> str:
        return str(state[_LAST])
