"""A tiny Mastermind race: each hides a code of two pegs in three colours and guesses the
other's."""

from dataclasses import dataclass

from hiddenhand.games import TERMINAL, Game

# places in the state: the two secrets (code + 1), guesses made, who has solved (mask), then one
# cell for each guess
SECRET, GUESSES, SOLVED, HISTORY = 0, 2, 3, 4


def answer(secret, guess, colours):
    """3 * pegs in place + pegs of a right colour elsewhere."""
    a = secret // colours
    b = secret % colours
    c = guess // colours
    d = guess % colours
    black = 0
    white = 0
    if a == c:
        black += 1
    if b == d:
        black += 1
    if black == 0:
        if a == d:
            white += 1
        if b == c:
            white += 1
    return 3 * black + white


@dataclass(frozen=True)
class Deduce(Game):
    """Both hide a code, then guess in turn and hear the pegs. Who needs fewer guesses wins; a tie
    is a draw."""

    colours: int = 3
    turns: int = 3

    num_players = 2
    max_chance_outcomes = 0
    max_utility = 1.0

    @property
    def state_size(self):
        return 4 + 2 * self.turns

    @property
    def max_actions(self):
        return self.colours * self.colours

    @property
    def max_depth(self):
        return 2 + 2 * self.turns

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[SECRET] == 0:
            return 0
        if state[SECRET + 1] == 0:
            return 1
        turn = state[GUESSES]
        if turn == 2 * self.turns or (turn % 2 == 0 and state[SOLVED] > 0):
            return TERMINAL
        return turn % 2

    def legal_actions(self, state, player, actions):
        total = self.colours * self.colours
        for code in range(total):
            actions[code] = code
        return total

    def apply_action(self, state, action, observations):
        if state[SECRET] == 0 or state[SECRET + 1] == 0:
            hider = 0 if state[SECRET] == 0 else 1
            state[SECRET + hider] = action + 1
            observations[2] = 1  # all see that a code is set
            return
        turn = state[GUESSES]
        player = turn % 2
        pegs = answer(state[SECRET + 1 - player] - 1, action, self.colours)
        token = 1 + action * 7 + pegs
        observations[2] = token  # guess and answer are open
        state[HISTORY + turn] = token
        state[GUESSES] += 1
        if pegs == 6:
            state[SOLVED] |= 1 << player

    def returns(self, state, player):
        mine = state[SOLVED] >> player & 1
        other = state[SOLVED] >> (1 - player) & 1
        return float(mine - other)

    def code_name(self, code):
        letters = "ABCDEFGHIJ"
        return letters[code // self.colours] + letters[code % self.colours]

    def action_name(self, state, player, action):
        return self.code_name(action)

    def render(self, state, player):
        mine = state[SECRET + player]
        parts = [f"your code: {self.code_name(mine - 1) if mine else '?'}"]
        parts.append(f"codes set: {int(state[SECRET] > 0) + int(state[SECRET + 1] > 0)}")
        for turn in range(state[GUESSES]):
            token = state[HISTORY + turn] - 1
            who = "you" if turn % 2 == player else "other"
            pegs = token % 7
            parts.append(
                f"{who} guessed {self.code_name(token // 7)}: {pegs // 3} black {pegs % 3} white"
            )
        return "; ".join(parts)
