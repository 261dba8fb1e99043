"""Dark Hex on a board of two rows and three columns: you do not see the other's stones."""

from dataclasses import dataclass

from hiddenhand.games import TERMINAL, Game

# places in the state: for each player its stones (mask) and what it knows of the other's stones
# (mask)
STONES, KNOWN, TURN, WINNER, TRIES = 0, 2, 4, 5, 6
ROWS, COLUMNS = 2, 3
CELLS = ROWS * COLUMNS


def neighbours(mask):
    """The cells of a mask and all cells next to them on the Hex board."""
    grown = mask
    for cell in range(CELLS):
        if mask >> cell & 1:
            row = cell // COLUMNS
            column = cell % COLUMNS
            for other in range(CELLS):
                dr = other // COLUMNS - row
                dc = other % COLUMNS - column
                if abs(dr + dc) <= 1 and abs(dr) <= 1 and abs(dc) <= 1:
                    grown |= 1 << other
    return grown


def connected(stones, start, goal):
    reached = stones & start
    while True:
        more = neighbours(reached) & stones
        if more == reached:
            break
        reached = more
    return reached & goal != 0


@dataclass(frozen=True)
class Blind(Game):
    """Player 1 joins left and right, player 2 top and bottom. A taken cell is refused, and you try
    another."""

    num_players = 2
    state_size = 7
    max_actions = 6
    max_chance_outcomes = 0
    max_depth = 12
    max_utility = 1.0

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        return TERMINAL if state[WINNER] > 0 else state[TURN]

    def legal_actions(self, state, player, actions):
        count = 0
        for cell in range(CELLS):
            if (state[STONES + player] | state[KNOWN + player]) >> cell & 1 == 0:
                actions[count] = cell
                count += 1
        return count

    def apply_action(self, state, action, observations):
        player = state[TURN]
        if state[STONES + 1 - player] >> action & 1:
            state[KNOWN + player] |= 1 << action
            state[TRIES] += 1
            observations[player] = 1
            observations[2] = 1  # all hear that a try was refused
            return
        state[STONES + player] |= 1 << action
        state[TRIES] += 1
        state[TURN] = 1 - player
        observations[player] = 2
        observations[2] = 2  # all hear that a stone was set
        if player == 0:
            won = connected(state[STONES], 0b001001, 0b100100)
        else:
            won = connected(state[STONES + 1], 0b000111, 0b111000)
        if won:
            state[WINNER] = 1 + player
            observations[2] = 3

    def returns(self, state, player):
        return 1.0 if state[WINNER] == 1 + player else -1.0

    def action_name(self, state, player, action):
        return f"{'ab'[action // COLUMNS]}{action % COLUMNS + 1}"

    def render(self, state, player):
        rows = []
        for row in range(ROWS):
            line = " " * row
            for column in range(COLUMNS):
                cell = row * COLUMNS + column
                if state[STONES + player] >> cell & 1:
                    line += "o "
                elif state[KNOWN + player] >> cell & 1:
                    line += "x "
                else:
                    line += ". "
            rows.append(line)
        text = "\n".join(rows) + f"\ntries so far: {state[TRIES]}"
        if state[WINNER]:
            text += "\nyou won" if state[WINNER] == 1 + player else "\nthe other won"
        return text
