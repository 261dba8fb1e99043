"""Little Mia (Meyer): two dice with three faces under a cup, and claims that must go up."""

from dataclasses import dataclass

from hiddenhand.games import CHANCE, TERMINAL, Game

ROLL, CLAIM, PLAYER, PHASE, WINNER = 0, 1, 2, 3, 4  # places in the state
TO_ROLL, TO_CLAIM, TO_ANSWER, OVER = 0, 1, 2, 3  # phases
NAMES = ("", "31", "32", "11", "22", "33", "21 (Mia)")  # throws from low to high
MIA = 6
DOUBT, BELIEVE = 1, 2


@dataclass(frozen=True)
class Mia(Game):
    """Roll under a cup and claim a throw above the last claim. The other doubts, or believes and
    rolls."""

    mia_stake: float = 2.0

    num_players = 2
    state_size = 5
    max_actions = 6
    max_chance_outcomes = 6
    max_depth = 18

    @property
    def max_utility(self):
        return max(1.0, self.mia_stake)

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[PHASE] == TO_ROLL:
            return CHANCE
        if state[PHASE] == OVER:
            return TERMINAL
        return state[PLAYER]

    def legal_actions(self, state, player, actions):
        if state[PHASE] == TO_ANSWER:
            actions[0] = DOUBT
            if state[CLAIM] == MIA:  # nothing is above Mia
                return 1
            actions[1] = BELIEVE
            return 2
        count = 0
        for throw in range(state[CLAIM] + 1, MIA + 1):
            actions[count] = throw
            count += 1
        return count

    def chance_outcomes(self, state, actions, probabilities):
        for i in range(6):
            actions[i] = i + 1
            double = 2 <= i <= 4
            probabilities[i] = 1.0 / 9.0 if double else 2.0 / 9.0
        return 6

    def apply_action(self, state, action, observations):
        if state[PHASE] == TO_ROLL:
            state[ROLL] = action
            state[PHASE] = TO_CLAIM
            observations[state[PLAYER]] = action
            observations[2] = 10  # all hear the dice
        elif state[PHASE] == TO_CLAIM:
            state[CLAIM] = action
            state[PHASE] = TO_ANSWER
            state[PLAYER] = 1 - state[PLAYER]
            observations[2] = action
        elif action == BELIEVE:
            observations[2] = 20
            state[ROLL] = 0
            state[PHASE] = TO_ROLL
        else:
            observations[2] = 20 + state[ROLL]  # the cup is lifted
            state[PHASE] = OVER
            truthful = state[ROLL] >= state[CLAIM]
            state[WINNER] = 1 - state[PLAYER] if truthful else state[PLAYER]

    def returns(self, state, player):
        stake = self.mia_stake if state[CLAIM] == MIA else 1.0
        return stake if state[WINNER] == player else -stake

    def action_name(self, state, player, action):
        if player == CHANCE:
            return f"throw {NAMES[action]}"
        if state[PHASE] == TO_ANSWER:
            return "doubt" if action == DOUBT else "believe and roll"
        return f"claim {NAMES[action]}"

    def render(self, state, player):
        text = f"last claim: {NAMES[state[CLAIM]] or 'none'}"
        if state[PHASE] == TO_CLAIM and state[PLAYER] == player:
            text += f"; under your cup: {NAMES[state[ROLL]]}"
        if state[PHASE] == TO_ANSWER and state[PLAYER] != player:
            text += f"; under your cup: {NAMES[state[ROLL]]}"
        if state[PHASE] == OVER:
            text += f"; the cup shows {NAMES[state[ROLL]]}"
        return text
