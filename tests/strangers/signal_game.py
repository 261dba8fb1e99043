"""Bargaining: two hats and two books to share, and each knows only how much it likes them
itself."""

from dataclasses import dataclass

from hiddenhand.games import CHANCE, TERMINAL, Game

# places in the state; 0 and 1: the types of the players (1 to 3)
OFFER, OFFERS, TURN, DONE, DEALT = 2, 3, 4, 5, 6
ITEMS = 2  # of each kind
ACCEPT, REFUSE = 20, 21


def hat_value(kind):
    """Hats are worth 1, 2 or 3; books are worth 4 less that."""
    return kind


@dataclass(frozen=True)
class Bargain(Game):
    """Players offer in turn how many hats and books they want. The other accepts or makes an offer
    of its own."""

    offers: int = 3
    discount: float = 0.9

    def __post_init__(self):
        if not 0 < self.discount <= 1:
            raise ValueError("discount is above 0 and at most 1")

    num_players = 2
    state_size = 7
    max_actions = 10
    max_chance_outcomes = 3
    max_utility = 8.0
    zero_sum = False

    @property
    def max_depth(self):
        return 3 + self.offers

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[DEALT] < 2:
            return CHANCE
        if state[DONE] > 0:
            return TERMINAL
        return state[TURN]

    def legal_actions(self, state, player, actions):
        count = 0
        if state[OFFERS] < self.offers:
            for offer in range((ITEMS + 1) * (ITEMS + 1)):
                actions[count] = offer
                count += 1
        if state[OFFERS] > 0:
            actions[count] = ACCEPT
            count += 1
        if state[OFFERS] == self.offers:
            actions[count] = REFUSE
            count += 1
        return count

    def chance_outcomes(self, state, actions, probabilities):
        for i in range(3):
            actions[i] = i + 1
            probabilities[i] = 0.5 if i == 1 else 0.25
        return 3

    def apply_action(self, state, action, observations):
        if state[DEALT] < 2:
            observations[state[DEALT]] = action
            observations[2] = 30
            state[state[DEALT]] = action
            state[DEALT] += 1
            return
        observations[2] = action + 1
        if action == ACCEPT:
            state[DONE] = 1
        elif action == REFUSE:
            state[DONE] = 2
        else:
            state[OFFER] = action + 1
            state[OFFERS] += 1
            state[TURN] = 1 - state[TURN]

    def returns(self, state, player):
        if state[DONE] == 2:
            return 0.0
        offer = state[OFFER] - 1
        hats = offer // (ITEMS + 1)
        books = offer % (ITEMS + 1)
        if player == state[TURN]:  # who accepts gets the rest
            hats = ITEMS - hats
            books = ITEMS - books
        value = hat_value(state[player])
        return (hats * value + books * (4 - value)) * self.discount ** (state[OFFERS] - 1)

    def action_name(self, state, player, action):
        if player == CHANCE:
            return f"hats worth {action}, books {4 - action}"
        if action == ACCEPT:
            return "accept"
        if action == REFUSE:
            return "walk away"
        return f"I want {action // (ITEMS + 1)} hats and {action % (ITEMS + 1)} books"

    def render(self, state, player):
        value = state[player]
        text = f"a hat is worth {value} to you, a book {4 - value}" if value else "no values yet"
        if state[OFFER]:
            offer = state[OFFER] - 1
            who = "the other" if state[TURN] == player else "you"
            text += f"; offer {state[OFFERS]} of {self.offers}: {who} would take "
            text += f"{offer // (ITEMS + 1)} hats and {offer % (ITEMS + 1)} books"
        if state[DONE]:
            text += "; accepted" if state[DONE] == 1 else "; no deal"
        return text
