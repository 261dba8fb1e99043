"""A game that breaks a law in one rarely reached state: what a few random plays do not find, and a
search does.
"""

from dataclasses import dataclass

from hiddenhand.games import CHANCE, TERMINAL, Game

FAULTS = (
    "none",
    "too many actions",
    "no action",
    "too deep",
    "writes beyond the state",
    "writes beyond the actions",
    "tells a player too many",
    "player 7",
    "negative probability",
    "NaN probability",
    "NaN payoff",
    "payoff beyond max_utility",
)


# what the state holds
_MOVES = 0  # how many moves were made
_NOUGHTS = 1  # how many of them were 0; at most 9
_NOTHING = 2  # always 0


@dataclass(frozen=True)
class RarelyBroken(Game):
    """Players take turns to choose 0 or 1, ten times in all; after nine noughts chance throws a
    coin. Player 0 wins if noughts are more. After nine noughts it breaks a law: ``fault`` says
    which, by its number in `FAULTS`.
    """

    fault: int = 0

    state_size, max_actions, max_chance_outcomes, max_depth, max_utility = 3, 2, 2, 11, 1.0

    def initial_state(self, state):
        state[:] = 0

    def broken(self, state, fault):
        return state[_NOUGHTS] == 9 and self.fault == fault

    def current_player(self, state):
        if state[_NOUGHTS] == 9 and state[_MOVES] == 9:
            return 7 if self.fault == 7 else CHANCE
        if state[_MOVES] >= 11 and not self.broken(state, 3):
            return TERMINAL
        return state[_MOVES] % 2

    def legal_actions(self, state, player, actions):
        actions[0], actions[1] = 0, 1
        if state[_NOUGHTS] == 9 and state[_MOVES] > 9:
            if self.fault == 5:
                actions[3000] = 2
            return 3 if self.fault == 1 else 0 if self.fault == 2 else 2
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0] = probabilities[1] = 0.5
        if self.fault == 8:
            probabilities[0], probabilities[1] = -0.5, 1.5
        if self.fault == 9:
            probabilities[1] = 0.0 / (state[_NOTHING] + 0.0)
        return 2

    def apply_action(self, state, action, observations):
        chance = state[_NOUGHTS] == 9 and state[_MOVES] == 9
        state[_MOVES] += 1
        if chance:
            if self.fault == 4:
                state[5_000_000] = 1
            if self.fault == 6:
                observations[300_000] = 1
        else:
            state[_NOUGHTS] += 1 - action
            if state[_NOUGHTS] == 10:
                state[_NOUGHTS] = 9
        observations[2] = 1 + action

    def returns(self, state, player):
        if self.broken(state, 10):
            return 0.0 / (state[_NOTHING] + 0.0)
        if self.broken(state, 11):
            return 3.0 if player == 0 else -3.0
        value = 1.0 if state[_NOUGHTS] > 5 else -1.0
        return value if player == 0 else -value

    def render(self, state, player):
        return f"{state[_MOVES]} moves, {state[_NOUGHTS]} noughts"
