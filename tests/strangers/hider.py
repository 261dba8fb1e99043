"""Hidden movement: a thief sneaks through seven rooms, a guard listens and looks for it."""

from dataclasses import dataclass

from hiddenhand.games import TERMINAL, Game

THIEF, GUARD, MOVES, CAUGHT, HEARD = 0, 1, 2, 3, 4  # places in the state
ROOMS = 7
# DOORS[r] is the mask of the rooms next to room r: a ring of six with room 6 in its middle
DOORS = (0b1100010, 0b0000101, 0b1001010, 0b0010100, 0b1101000, 0b0010001, 0b0010101)


@dataclass(frozen=True)
class Hider(Game):
    """The thief (player 1) hides, then both move in turn. The guard hears a thief who is next door.
    It wins by meeting it."""

    rounds: int = 4

    num_players = 2
    state_size = 5
    max_actions = 7
    max_chance_outcomes = 0
    max_utility = 1.0

    @property
    def max_depth(self):
        return 1 + 2 * self.rounds

    def initial_state(self, state):
        state[THIEF] = -1
        state[GUARD] = 6
        state[MOVES] = 0
        state[CAUGHT] = 0
        state[HEARD] = 0

    def current_player(self, state):
        if state[CAUGHT] == 1 or state[MOVES] == 1 + 2 * self.rounds:
            return TERMINAL
        if state[MOVES] == 0:
            return 0
        return 1 if state[MOVES] % 2 == 1 else 0

    def legal_actions(self, state, player, actions):
        count = 0
        for room in range(ROOMS):
            if state[MOVES] == 0:
                fine = room != state[GUARD]
            else:
                here = state[player]
                fine = room == here or DOORS[here] >> room & 1 == 1
            if fine:
                actions[count] = room
                count += 1
        return count

    def apply_action(self, state, action, observations):
        player = self.current_player(state)
        state[player] = action
        state[MOVES] += 1
        if player == 1:
            observations[2] = 1 + action  # the guard carries a lamp
        else:
            observations[2] = 20  # all notice that the thief had its turn
        if state[THIEF] == state[GUARD]:
            state[CAUGHT] = 1
            observations[2] += 40
            return
        near = DOORS[state[GUARD]] >> state[THIEF] & 1
        state[HEARD] = near
        observations[1] = 1 + near

    def returns(self, state, player):
        guard = 1.0 if state[CAUGHT] == 1 else -1.0
        return guard if player == 1 else -guard

    def action_name(self, state, player, action):
        return f"room {action}"

    def render(self, state, player):
        text = f"move {state[MOVES]}; guard in room {state[GUARD]}"
        if state[CAUGHT]:
            return text + "; the thief is caught"
        if player == 0:
            return text + (f"; you hide in room {state[THIEF]}" if state[THIEF] >= 0 else "")
        if state[MOVES] > 0:
            text += "; you hear steps next door" if state[HEARD] else "; silence"
        return text
