"""Games whose moves are public, and whose hands decide what may be done: for tests of the vector
form.
"""

from dataclasses import dataclass

from hiddenhand.games.base import CHANCE, TERMINAL, Game

PLAYER, PLAYED, DRAWN, CARDS, TABLE = 0, 1, 2, 3, 7


@dataclass(frozen=True)
class Duel(Game):
    """Each player is dealt two of five cards, 0 to 4, one after the other; plays one of them
    openly, draws a card that only the player sees and may keep it or not; then the higher of the
    last cards wins what lies on the table. With a 0 played, the game ends at once.

    Which cards can be played depends on the hand, and what is drawn is hidden.
    """

    state_size, max_actions, max_depth, max_utility = 12, 2, 12, 20.0
    max_chance_outcomes = 5

    def initial_state(self, state):
        state[:] = 0
        state[PLAYER] = CHANCE

    def current_player(self, state):
        return state[PLAYER]

    def legal_actions(self, state, player, actions):
        if state[PLAYED] < 2:  # the two cards, the lower one first
            first, second = state[CARDS + 2 * player] - 1, state[CARDS + 2 * player + 1] - 1
            actions[0], actions[1] = min(first, second), max(first, second)
            return 2
        actions[0], actions[1] = 5, 6  # keep what was drawn, or not
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        count = 0
        for card in range(5):
            held = False
            for place in range(CARDS, CARDS + 4):
                held = held or state[place] == card + 1
            for place in range(TABLE, TABLE + 4):
                held = held or state[place] == card + 1
            if not held:
                actions[count] = card
                count += 1
        for n in range(count):
            probabilities[n] = 1.0 / count
        return count

    def apply_action(self, state, action, observations):
        if state[PLAYER] == CHANCE:
            if state[DRAWN] < 4:
                state[CARDS + state[DRAWN]] = action + 1
                observations[state[DRAWN] // 2] = 1 + action
                observations[2] = 1
                state[DRAWN] += 1
                if state[DRAWN] == 4:
                    state[PLAYER] = 0
            else:
                state[TABLE + 2] = action + 1  # the card that player 0 draws
                observations[0] = 1 + action
                observations[2] = 2
                state[PLAYER] = 0
            return
        player = state[PLAYER]
        observations[2] = 10 + action
        if state[PLAYED] < 2:
            state[TABLE + player] = action + 1
            for place in range(CARDS + 2 * player, CARDS + 2 * player + 2):
                if state[place] == action + 1:
                    state[place] = 0
            state[PLAYED] += 1
            state[PLAYER] = 1 if player == 0 else CHANCE
            if action == 0:
                state[PLAYER] = TERMINAL
        else:
            if action == 5:
                for place in range(CARDS, CARDS + 2):
                    state[place] = 0
                state[CARDS] = state[TABLE + 2]
            state[PLAYER] = TERMINAL

    def returns(self, state, player):
        stake = 1.0 + state[TABLE] + 2.0 * state[TABLE + 1]
        mine = max(state[CARDS], state[CARDS + 1])
        theirs = max(state[CARDS + 2], state[CARDS + 3])
        won = stake if mine > theirs else -stake if mine < theirs else 0.0
        return won if player == 0 else -won


@dataclass(frozen=True)
class Whispers(Game):
    """A coin is shown to player 0 only; player 0 names a side, which only some players hear."""

    whispered: bool = False

    state_size, max_actions, max_depth, max_utility = 3, 2, 3, 1.0
    max_chance_outcomes = 2

    def initial_state(self, state):
        state[:] = 0
        state[0] = CHANCE

    def current_player(self, state):
        return state[0]

    def legal_actions(self, state, player, actions):
        actions[0], actions[1] = 0, 1
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0] = probabilities[1] = 0.5
        return 2

    def apply_action(self, state, action, observations):
        if state[0] == CHANCE:
            state[1] = action
            observations[0] = 1 + action
            state[0] = 1 if self.whispered and action == 1 else 0
        elif state[0] == 0:
            observations[2] = 1 + action
            state[0] = 1
        else:
            state[2] = action
            state[0] = TERMINAL

    def returns(self, state, player):
        won = 1.0 if state[1] == state[2] else -1.0
        return won if player == 1 else -won
