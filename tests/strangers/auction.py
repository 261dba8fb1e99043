"""Two sealed-bid auctions with private values and one purse."""

from dataclasses import dataclass

from hiddenhand.games import CHANCE, SIMULTANEOUS, TERMINAL, Game

# places in the state; for each of two players: the value now, the coins left, the score (twice),
# the last bid
VALUE, COINS, SCORE, LAST = 0, 2, 4, 6
DEALT, ROUND = 8, 9


@dataclass(frozen=True)
class Auction(Game):
    """Each round both get a private value and bid in secret. The higher bid wins the item and pays;
    a tie splits it."""

    rounds: int = 2
    values: int = 4
    purse: int = 4

    num_players = 2
    state_size = 10
    simultaneous = True
    zero_sum = False

    @property
    def max_actions(self):
        return self.purse + 1

    @property
    def max_chance_outcomes(self):
        return self.values

    @property
    def max_depth(self):
        return 3 * self.rounds

    @property
    def max_utility(self):
        return float(self.rounds * max(self.values, self.purse))

    def initial_state(self, state):
        state[:] = 0
        state[COINS] = self.purse
        state[COINS + 1] = self.purse

    def current_player(self, state):
        if state[ROUND] == self.rounds:
            return TERMINAL
        if state[DEALT] < 2:
            return CHANCE
        return SIMULTANEOUS

    def legal_actions(self, state, player, actions):
        for bid in range(state[COINS + player] + 1):
            actions[bid] = bid
        return state[COINS + player] + 1

    def chance_outcomes(self, state, actions, probabilities):
        for i in range(self.values):
            actions[i] = i + 1
            probabilities[i] = 1.0 / self.values
        return self.values

    def apply_action(self, state, action, observations):
        player = state[DEALT]
        state[VALUE + player] = action
        state[DEALT] += 1
        observations[player] = action
        observations[2] = 1

    def apply_joint_action(self, state, actions, observations):
        # both bids are opened
        observations[2] = 1 + actions[0] * (self.purse + 1) + actions[1]
        for player in range(2):
            mine = actions[player]
            other = actions[1 - player]
            state[LAST + player] = mine + 1
            if mine > other:
                state[SCORE + player] += 2 * (state[VALUE + player] - mine)
                state[COINS + player] -= mine
            elif mine == other:
                state[SCORE + player] += state[VALUE + player] - mine
        state[VALUE] = 0
        state[VALUE + 1] = 0
        state[DEALT] = 0
        state[ROUND] += 1

    def returns(self, state, player):
        return state[SCORE + player] / 2.0

    def action_name(self, state, player, action):
        if player == CHANCE:
            return f"value {action}"
        return f"bid {action}"

    def render(self, state, player):
        other = 1 - player
        text = f"round {min(state[ROUND] + 1, self.rounds)} of {self.rounds}; your value: {state[VALUE + player] or '-'}"
        text += f"; coins: you {state[COINS + player]}, other {state[COINS + other]}"
        text += f"; your score: {state[SCORE + player] / 2}"
        if state[LAST]:
            text += f"; last bids: you {state[LAST + player] - 1}, other {state[LAST + other] - 1}"
        return text
