"""Games that draw their chance instead of listing its outcomes, or as well."""

from dataclasses import dataclass

import numpy as np

from hiddenhand.games import CHANCE, TERMINAL, Game, below
from hiddenhand.games.poker.kuhn import KuhnPoker

_FIRST_CARD = 0  # where the state of Kuhn poker holds player 0's card: rank + 1
# what the state of FiveCards holds; entries are 0 before their move
_FIRST_HAND = 0  # the hands, each as a mask of cards: that of player 0, then that of player 1
_BET = 2  # the move of player 0, + 1
_ANSWER = 3  # the move of player 1, + 1


@dataclass(frozen=True)
class DrawnKuhn(KuhnPoker):
    """Kuhn poker that draws its chance. Both forms share their compiled code.

    listed: whether it also lists the outcomes, or only draws them.
    """

    listed: bool = True

    @property
    def max_chance_outcomes(self):
        return self.num_cards if self.listed else 0

    def chance_outcomes(self, state, actions, probabilities):
        count = 0
        if self.listed:
            for rank in range(self.num_cards):
                if state[_FIRST_CARD] != rank + 1:
                    actions[count] = rank
                    count += 1
            probabilities[:count] = 1.0 / count
        return count

    def sample_chance(self, state, rng):
        if state[_FIRST_CARD] == 0:
            return below(rng, self.num_cards)
        rank = below(rng, self.num_cards - 1)
        return rank + 1 if rank + 1 >= state[_FIRST_CARD] else rank


UNLISTED_KUHN = DrawnKuhn(listed=False)


@dataclass(frozen=True)
class LoadedKuhn(DrawnKuhn):
    """A broken one: it draws the lowest card too often."""

    def sample_chance(self, state, rng):
        if state[_FIRST_CARD] == 0:
            return max(below(rng, self.num_cards + 1) - 1, 0)
        return 0 if state[_FIRST_CARD] != 1 else 1


@dataclass(frozen=True)
class FiveCards(Game):
    """Each of two players is dealt five of 52 cards at once, 2,598,960 outcomes; player 0 bets or
    passes, player 1 calls or folds. The higher sum of ranks wins.

    Outcomes of chance: a mask of five cards.
    Observations: the own mask + 1; public 1 for a hand dealt, 2 + action for a move.
    """

    state_size, max_actions, max_depth, max_utility = 4, 2, 4, 2.0

    def initial_state(self, state):
        state[:] = 0

    def current_player(self, state):
        turn = np.count_nonzero(state)
        if turn < 2:
            return CHANCE
        if turn == 2:
            return 0
        return 1 if turn == 3 and state[_BET] == 2 else TERMINAL

    def legal_actions(self, state, player, actions):
        actions[0], actions[1] = 0, 1
        return 2

    def sample_chance(self, state, rng):
        hand, taken, count = 0, state[_FIRST_HAND], 0
        while count < 5:
            card = 1 << below(rng, 52)
            if not (hand | taken) & card:
                hand |= card
                count += 1
        return hand

    def apply_action(self, state, action, observations):
        turn = np.count_nonzero(state)
        state[turn] = action if turn < 2 else action + 1
        if turn < 2:
            observations[turn] = action + 1
            observations[2] = 1
        else:
            observations[2] = 2 + action

    def sum_of_ranks(self, hand):
        total = 0
        for card in range(52):
            if hand >> card & 1:
                total += card // 4
        return total

    def returns(self, state, player):
        if state[_ANSWER] == 1:
            return 1.0 if player == 0 else -1.0
        stake = 2.0 if state[_BET] == 2 else 1.0
        return stake * np.sign(
            self.sum_of_ranks(state[player]) - self.sum_of_ranks(state[1 - player])
        )

    def render(self, state, player):
        return f"your hand: {int(state[player]):013x}; moves: {state[_BET]} {state[_ANSWER]}"
