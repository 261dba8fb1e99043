"""Push your luck: one card face down, more cards face up, do not go over the limit."""

from dataclasses import dataclass

from hiddenhand.games import CHANCE, TERMINAL, Game

# places in the state; for each of two players: the hidden card, the mask of open cards, whether it
# has stopped
HIDDEN, OPEN, STOPPED = 0, 2, 4
DEALT, TURN, DRAWING, BUST = 6, 7, 8, 9
STOP, DRAW = 1, 2


def total(mask, cards):
    points = 0
    for card in range(1, cards + 1):
        if mask >> card & 1:
            points += card
    return points


@dataclass(frozen=True)
class Push(Game):
    """Each holds a hidden card and draws open cards in turn until it stops. Over the limit loses at
    once, else more wins."""

    cards: int = 6
    limit: int = 9

    num_players = 2
    state_size = 10
    max_actions = 2
    max_utility = 2.0

    @property
    def max_chance_outcomes(self):
        return self.cards

    @property
    def max_depth(self):
        return 2 * self.cards + 2

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        if state[DEALT] < 2 or state[DRAWING] == 1:
            return CHANCE
        if state[BUST] > 0 or (state[STOPPED] == 1 and state[STOPPED + 1] == 1):
            return TERMINAL
        return state[TURN]

    def used(self, state):
        return state[OPEN] | state[OPEN + 1] | 1 << state[HIDDEN] | 1 << state[HIDDEN + 1]

    def score(self, state, player):
        return state[HIDDEN + player] + total(state[OPEN + player], self.cards)

    def legal_actions(self, state, player, actions):
        actions[0] = STOP
        # no card is left on the pile when all are dealt; both players can count that
        count = 2
        for card in range(1, self.cards + 1):
            if (state[OPEN] | state[OPEN + 1]) >> card & 1:
                count += 1
        if count >= self.cards:
            return 1
        actions[1] = DRAW
        return 2

    def chance_outcomes(self, state, actions, probabilities):
        used = self.used(state)
        count = 0
        for card in range(1, self.cards + 1):
            if used >> card & 1 == 0:
                actions[count] = card
                count += 1
        for i in range(count):
            probabilities[i] = 1.0 / count
        return count

    def next_turn(self, state):
        if state[STOPPED + 1 - state[TURN]] == 0:
            state[TURN] = 1 - state[TURN]

    def apply_action(self, state, action, observations):
        if state[DEALT] < 2:
            observations[state[DEALT]] = action
            observations[2] = 1
            state[HIDDEN + state[DEALT]] = action
            state[DEALT] += 1
        elif state[DRAWING] == 1:
            player = state[TURN]
            state[OPEN + player] |= 1 << action
            state[DRAWING] = 0
            observations[2] = 10 + action
            if self.score(state, player) > self.limit:
                state[BUST] = 1 + player
                observations[2] = 100 + action  # it must show its hidden card
            else:
                self.next_turn(state)
        elif action == DRAW:
            state[DRAWING] = 1
            observations[2] = 3
        else:
            state[STOPPED + state[TURN]] = 1
            observations[2] = 2
            self.next_turn(state)

    def returns(self, state, player):
        if state[BUST] > 0:
            return -1.0 if state[BUST] == 1 + player else 1.0
        mine = self.score(state, player)
        other = self.score(state, 1 - player)
        if mine == other:
            return 0.0
        stake = 2.0 if max(mine, other) == self.limit else 1.0  # just the limit wins double
        return stake if mine > other else -stake

    def action_name(self, state, player, action):
        if player == CHANCE:
            return f"card {action}"
        return "stop" if action == STOP else "draw"

    def render(self, state, player):
        def shown(who):
            cards = [str(c) for c in range(1, self.cards + 1) if state[OPEN + who] >> c & 1]
            return (" ".join(cards) or "none") + (" (stopped)" if state[STOPPED + who] else "")

        text = (
            f"your hidden card: {state[HIDDEN + player] or '-'}; your open cards: {shown(player)}"
        )
        text += f"; other's open cards: {shown(1 - player)}"
        if state[BUST]:
            text += "; you are over" if state[BUST] == 1 + player else "; the other is over"
        return text
