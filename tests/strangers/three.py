"""Indian poker for three: you see the cards of the others, but not your own."""

from dataclasses import dataclass

from hiddenhand.games import CHANCE, TERMINAL, Game

# places in the state; 0 to 2: the cards on the foreheads
DEALT, TURN, BETTOR, CALLED, FOLDED, ACTED = 3, 4, 5, 6, 7, 8
PASS, BET = 1, 2  # after a bet: fold, call


@dataclass(frozen=True)
class Three(Game):
    """Each holds a card to its forehead. In turn pass or bet one; after a bet the others fold or
    call. High card wins."""

    cards: int = 5

    num_players = 3
    state_size = 9
    max_actions = 2
    max_depth = 8
    max_utility = 4.0

    @property
    def max_chance_outcomes(self):
        return self.cards

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[DEALT] < 3:
            return CHANCE
        if state[BETTOR] == 0 and state[ACTED] == 3:
            return TERMINAL
        if state[BETTOR] > 0 and state[ACTED] == 2:
            return TERMINAL
        return state[TURN]

    def legal_actions(self, state, player, actions):
        actions[0] = PASS
        actions[1] = BET
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        count = 0
        for card in range(1, self.cards + 1):
            if card != state[0] and card != state[1]:
                actions[count] = card
                count += 1
        for i in range(count):
            probabilities[i] = 1.0 / count
        return count

    def apply_action(self, state, action, observations):
        if state[DEALT] < 3:
            for player in range(3):
                if player != state[DEALT]:
                    observations[player] = action  # all but the owner see the card
            observations[3] = 3
            state[state[DEALT]] = action
            state[DEALT] += 1
            return
        player = state[TURN]
        observations[3] = action
        state[TURN] = (player + 1) % 3
        state[ACTED] += 1
        if state[BETTOR] == 0:
            if action == BET:
                state[BETTOR] = 1 + player
                state[ACTED] = 0
        elif action == BET:
            state[CALLED] |= 1 << player
        else:
            state[FOLDED] |= 1 << player

    def paid(self, state, player):
        if state[BETTOR] == 1 + player or state[CALLED] >> player & 1 == 1:
            return 2.0
        return 1.0

    def returns(self, state, player):
        winner = -1
        pot = 0.0
        for i in range(3):
            pot += self.paid(state, i)
            if state[FOLDED] >> i & 1 == 0 and (winner < 0 or state[i] > state[winner]):
                winner = i
        if winner == player:
            return pot - self.paid(state, player)
        return -self.paid(state, player)

    def action_name(self, state, player, action):
        if player == CHANCE:
            return f"card {action}"
        if state[BETTOR] > 0:
            return "fold" if action == PASS else "call"
        return "pass" if action == PASS else "bet"

    def render(self, state, player):
        parts = []
        for i in range(3):
            card = "?" if i == player or not state[i] else str(state[i])
            word = ""
            if state[BETTOR] == 1 + i:
                word = " bet"
            elif state[CALLED] >> i & 1:
                word = " called"
            elif state[FOLDED] >> i & 1:
                word = " folded"
            parts.append(f"{'you' if i == player else f'player {i + 1}'}: {card}{word}")
        return "; ".join(parts) + f"; to move: player {state[TURN] + 1}"
