"""Tiny battleship: each hides a boat of two cells on a sea of two by three, then they shoot in
turn."""

from dataclasses import dataclass

from hiddenhand.games import TERMINAL, Game

# places in the state, for each player: its boat and the shots it has fired, both masks of cells
BOAT, SHOTS, TURN = 0, 2, 4
ROWS, COLUMNS = 2, 3
CELLS = ROWS * COLUMNS
ACROSS = ROWS * (COLUMNS - 1)  # number of places for a boat that lies across
PLACES = ACROSS + COLUMNS * (ROWS - 1)


def boat_mask(place):
    if place < ACROSS:
        row = place // (COLUMNS - 1)
        column = place % (COLUMNS - 1)
        return 3 << (row * COLUMNS + column)
    cell = place - ACROSS
    return 1 << cell | 1 << (cell + COLUMNS)


@dataclass(frozen=True)
class Place(Game):
    """Both place a boat in secret. Then they shoot in turn and hear hit or miss. Who first sinks
    the boat wins."""

    num_players = 2
    state_size = 5
    max_actions = 7
    max_chance_outcomes = 0
    max_depth = 14
    max_utility = 1.0

    def initial_state(self, state):
        state[:] = 0

    def sunk(self, state, shooter):
        return state[BOAT + 1 - shooter] & ~state[SHOTS + shooter] == 0

    def current_player(self, state):
        if state[BOAT] == 0:
            return 0
        if state[BOAT + 1] == 0:
            return 1
        if self.sunk(state, 0) or self.sunk(state, 1):
            return TERMINAL
        return state[TURN]

    def legal_actions(self, state, player, actions):
        if state[BOAT + player] == 0:
            for place in range(PLACES):
                actions[place] = place
            return PLACES
        count = 0
        for cell in range(CELLS):
            if state[SHOTS + player] >> cell & 1 == 0:
                actions[count] = cell
                count += 1
        return count

    def apply_action(self, state, action, observations):
        if state[BOAT + 1] == 0:
            player = 0 if state[BOAT] == 0 else 1
            state[BOAT + player] = boat_mask(action)
            observations[2] = 1  # all see that a boat is placed
            return
        shooter = state[TURN]
        state[SHOTS + shooter] |= 1 << action
        hit = state[BOAT + 1 - shooter] >> action & 1
        observations[2] = 2 + 2 * action + hit
        state[TURN] = 1 - shooter

    def returns(self, state, player):
        return 1.0 if self.sunk(state, player) else -1.0

    def action_name(self, state, player, action):
        if state[BOAT + player] == 0:
            cells = [c for c in range(CELLS) if boat_mask(action) >> c & 1]
            return "boat on " + " and ".join(self.cell_name(c) for c in cells)
        return f"shoot {self.cell_name(action)}"

    def cell_name(self, cell):
        return f"{'ab'[cell // COLUMNS]}{cell % COLUMNS + 1}"

    def render(self, state, player):
        lines = []
        for row in range(ROWS):
            own = ""
            sea = ""
            for column in range(COLUMNS):
                cell = row * COLUMNS + column
                shot_at = state[SHOTS + 1 - player] >> cell & 1
                boat = state[BOAT + player] >> cell & 1
                own += ("#" if boat else "*") if shot_at else ("B" if boat else ".")
                fired = state[SHOTS + player] >> cell & 1
                target = state[BOAT + 1 - player] >> cell & 1
                sea += ("#" if target else "*") if fired else "."
            lines.append(f"yours {own}   theirs {sea}")
        set_ = int(state[BOAT] > 0) + int(state[BOAT + 1] > 0)
        return "\n".join(lines) + f"\nboats placed: {set_}"
