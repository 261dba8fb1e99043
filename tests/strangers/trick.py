"""A small trick-taking game: two suits of four cards, three cards each, two cards stay out of
play."""

from dataclasses import dataclass

from hiddenhand.games import CHANCE, TERMINAL, Game

# places in the state; 0 and 1 hold the hands as masks, 2 and 3 the tricks won
DEALT, PLAYED, LEADER, LEAD, LAST_LEAD, LAST_REPLY, SEEN = 4, 5, 6, 7, 8, 9, 10
RANKS = 4


def suit_of(card):
    return card // RANKS


@dataclass(frozen=True)
class Trick(Game):
    """Player 1 leads. The other must follow suit. The higher card of the suit led wins and leads
    next."""

    hand_size: int = 3

    def __post_init__(self):
        if not 1 <= self.hand_size <= 4:
            raise ValueError("hand_size is 1 to 4")

    num_players = 2
    state_size = 11
    max_chance_outcomes = 8

    @property
    def max_actions(self):
        return self.hand_size

    @property
    def max_depth(self):
        return 4 * self.hand_size

    @property
    def max_utility(self):
        return float(self.hand_size)

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[DEALT] < 2 * self.hand_size:
            return CHANCE
        if state[PLAYED] == 2 * self.hand_size:
            return TERMINAL
        if state[LEAD] == 0:
            return state[LEADER]
        return 1 - state[LEADER]

    def legal_actions(self, state, player, actions):
        count = 0
        if state[LEAD] > 0:
            suit = suit_of(state[LEAD] - 1)
            for card in range(2 * RANKS):
                if state[player] >> card & 1 and suit_of(card) == suit:
                    actions[count] = card
                    count += 1
        if count == 0:
            for card in range(2 * RANKS):
                if state[player] >> card & 1:
                    actions[count] = card
                    count += 1
        return count

    def chance_outcomes(self, state, actions, probabilities):
        count = 0
        for card in range(2 * RANKS):
            if (state[0] | state[1]) >> card & 1 == 0:
                actions[count] = card
                count += 1
        for i in range(count):
            probabilities[i] = 1.0 / count
        return count

    def apply_action(self, state, action, observations):
        if state[DEALT] < 2 * self.hand_size:
            owner = state[DEALT] % 2
            state[owner] |= 1 << action
            state[DEALT] += 1
            observations[owner] = action + 1
            observations[2] = 20
            return
        observations[2] = action + 1  # cards are played openly
        state[PLAYED] += 1
        state[SEEN] |= 1 << action
        if state[LEAD] == 0:
            state[state[LEADER]] &= ~(1 << action)
            state[LEAD] = action + 1
            return
        follower = 1 - state[LEADER]
        state[follower] &= ~(1 << action)
        lead = state[LEAD] - 1
        state[LAST_LEAD] = state[LEAD]
        state[LAST_REPLY] = action + 1
        state[LEAD] = 0
        if suit_of(action) == suit_of(lead) and action > lead:
            state[LEADER] = follower
        state[2 + state[LEADER]] += 1

    def returns(self, state, player):
        return float(state[2 + player] - state[3 - player])

    def action_name(self, state, player, action):
        return f"{'RB'[action // RANKS]}{action % RANKS + 1}"

    def render(self, state, player):
        def names(mask):
            return " ".join(
                self.action_name(state, player, c) for c in range(2 * RANKS) if mask >> c & 1
            )

        def one(place):
            return self.action_name(state, player, state[place] - 1) if state[place] else "-"

        return (
            f"your hand: {names(state[player])}; led: {one(LEAD)}; last trick: {one(LAST_LEAD)} {one(LAST_REPLY)}; "
            f"tricks: you {state[2 + player]}, other {state[3 - player]}; played: {names(state[SEEN])}"
        )
