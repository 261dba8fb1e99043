"""A small game with everything that games with simultaneous moves can have."""

from dataclasses import dataclass

from hiddenhand.games.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    EvaluationFunction,
    Game,
    Integers,
    Probabilities,
    State,
)

# what the state holds
_NEXT = 0  # what comes next in the round
_ROUND = 1  # how many rounds are over
_SCORE = 2  # the score of player 0
_DIE = 3  # the face of the die, from 0
# what can come next
_ROLL, _CHOOSE, _ANSWER, _NOTHING = 0, 1, 2, 3


@dataclass(frozen=True)
class Duel(Game):
    """Each round a die with three faces is rolled for all to see; then player 0 chooses one of
    three actions and player 1 one of two, at once. After action 0 player 1 answers alone; after
    action 2 both choose once more at the same time, but have one action each. The score of player 0
    is paid.
    """

    rounds: int = 2

    simultaneous = True
    state_size, max_actions, max_chance_outcomes = 4, 3, 3

    @property
    def max_depth(self) -> int:
        return 3 * self.rounds

    @property
    def max_utility(self) -> float:
        return 4.0 * self.rounds

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[_ROUND] == self.rounds:
            return TERMINAL
        following = state[_NEXT]
        return CHANCE if following == _ROLL else 1 if following == _ANSWER else SIMULTANEOUS

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        n = 1 if state[_NEXT] == _NOTHING else 3 if player == 0 else 2
        for action in range(n):
            actions[action] = action
        return n

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        for face in range(3):
            actions[face] = face
        probabilities[0], probabilities[1], probabilities[2] = 0.5, 0.3, 0.2
        return 3

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        observations[2] = 1 + action
        if state[_NEXT] == _ROLL:
            state[_DIE] = action
            state[_NEXT] = _CHOOSE
        else:
            state[_SCORE] += 1 - 2 * action if state[_DIE] == 1 else action
            state[_NEXT] = _ROLL
            state[_ROUND] += 1

    def apply_joint_action(self, state: State, actions: Integers, observations: Integers) -> None:
        observations[2] = 10 + 2 * actions[0] + actions[1]
        if state[_NEXT] == _CHOOSE:
            state[_SCORE] += (
                3 * state[_DIE] + 5 * actions[0] + 8 * actions[1] + 2 * actions[0] * actions[1]
            ) % 5 - 2
            state[_NEXT] = _ANSWER if actions[0] == 0 else _NOTHING if actions[0] == 2 else _ROLL
            state[_ROUND] += 1 if actions[0] == 1 else 0
        else:
            state[_SCORE] -= 1
            state[_NEXT] = _ROLL
            state[_ROUND] += 1

    def returns(self, state: State, player: int) -> float:
        return float(state[_SCORE] if player == 0 else -state[_SCORE])

    def evaluation(self) -> EvaluationFunction:
        return ScoreSoFar()

    def render(self, state: State, player: int) -> str:
        return (
            f"round {state[_ROUND]}, next {state[_NEXT]}, score {state[_SCORE]}, die {state[_DIE]}"
        )


@dataclass(frozen=True)
class ScoreSoFar(EvaluationFunction):
    """The score so far, as if it did not change any more."""

    def evaluate(self, game: Duel, state: State, player: int) -> float:
        return float(state[_SCORE] if player == 0 else -state[_SCORE])
