"""Kuhn poker. Source: Kuhn (1950), "A simplified two-person poker"."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hiddenhand.games.about import CARDS, About, KnownValue
from hiddenhand.games.base import CHANCE, TERMINAL, Game, Probabilities, State, verify_range
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.methods import PropertyBesideRules, beside_rules

# what the state holds, by the index where it begins
_CARDS = 0  # a card for each player: rank + 1, or 0 before the deal
_MOVES = 2  # how many moves the players made
_HISTORY = 3  # the moves, in order; at most three


@About(
    "Kuhn poker",
    "Three cards, one bet: the smallest poker that needs bluffs.",
    (CARDS,),
    place=50,
    minutes=1,
    exact=True,
    against="equilibrium",
    small=("kuhn_poker", "kuhn_poker(players=3)"),
    known=(KnownValue("kuhn_poker", "-1/18", "Kuhn (1950)"),),
    card=(4, 1.0, 0.36),
)
@dataclass(frozen=True)
class KuhnPoker(Game):
    """Both players ante 1 and get one of ``num_cards`` different cards. One bet of 1 is allowed;
    the higher card wins the pot.

    Player 0 checks or bets. After a bet the other player folds or calls. After a check player 1 may
    check (showdown) or bet, and after that bet player 0 folds or calls. The value for player 0 with
    three cards is -1/18.

    Actions: 0 check or fold, 1 bet or call. Chance: the rank 0 .. num_cards - 1 of the card dealt,
    to player 0 first.
    Observations: private 1 + rank of the own card; public 1 for a card dealt, 2 + action for a
    move.

    num_cards: how many cards there are, 2 to 1000, all of different rank.

    By its name the game also takes ``players``, 2 to 10, such as kuhn_poker(players=3): see
    `GeneralKuhnPoker`.
    """

    num_cards: int = 3

    PASS: ClassVar[int] = 0
    BET: ClassVar[int] = 1

    state_size, max_actions, max_depth, max_utility = 6, 2, 5, 2.0

    def __post_init__(self) -> None:
        verify_range(self, "num_cards", 2, 1000)

    @property
    def max_chance_outcomes(self) -> int:
        return self.num_cards

    def initial_state(self, state: State) -> None:
        state[:] = 0

    def current_player(self, state: State) -> int:
        if state[_CARDS + 1] == 0:
            return CHANCE
        moves = state[_MOVES]
        if moves == 3 or (
            moves == 2 and not (state[_HISTORY] == self.PASS and state[_HISTORY + 1] == self.BET)
        ):
            return TERMINAL
        return int(moves % 2)

    def legal_actions(self, state: State, player: int, actions: Integers) -> int:
        actions[0] = self.PASS
        actions[1] = self.BET
        return 2

    def chance_outcomes(self, state: State, actions: Integers, probabilities: Probabilities) -> int:
        count = 0
        for rank in range(self.num_cards):
            if state[_CARDS] != rank + 1:
                actions[count] = rank
                count += 1
        for index in range(count):
            probabilities[index] = 1.0 / count
        return count

    def apply_action(self, state: State, action: int, observations: Integers) -> None:
        if state[_CARDS + 1] == 0:
            player = 0 if state[_CARDS] == 0 else 1
            state[_CARDS + player] = action + 1
            observations[player] = action + 1
            observations[2] = 1
        else:
            state[_HISTORY + state[_MOVES]] = action
            state[_MOVES] += 1
            observations[2] = 2 + action

    def returns(self, state: State, player: int) -> float:
        moves = state[_MOVES]
        last = state[_HISTORY + moves - 1]
        before = state[_HISTORY + moves - 2]
        if before == self.BET and last == self.PASS:  # folded
            winner, stake = (moves - 2) % 2, 1.0
        else:
            winner = 0 if state[_CARDS] > state[_CARDS + 1] else 1
            stake = 2.0 if last == self.BET else 1.0
        return stake if winner == player else -stake

    # --- for people ---

    _presentation = "hiddenhand.games.poker.drawing:KUHN"
    payoff_unit = "chips"

    @PropertyBesideRules
    def rules_text(self) -> str:
        ranks = "jack, queen and king" if self.num_cards == 3 else f"0 to {self.num_cards - 1}"
        return (
            f"The pack has {self.num_cards} cards: {ranks}. Each player puts an ante of 1 chip "
            "into the pot and is dealt one card, which only this player sees.\n\n"
            "Player 1 moves first, and checks or bets 1 chip. After a bet, the other player either "
            "calls it with 1 chip, or folds. After a check, player 2 may bet too, and player 1 "
            "then calls or folds in the same way.\n\n"
            "A player who folds loses the pot, and no card is shown. Otherwise both players show "
            "their cards, and the higher card wins the pot. You win or lose what the other player "
            "or you put in: 1 chip without a call, and 2 chips after one."
        )

    @beside_rules
    def num_distinct_actions(self) -> int:
        return self.max_actions

    @beside_rules
    def action_name(self, state: State, player: int, action: int) -> str:
        if player == CHANCE:
            return self._card_name(action)
        return move_name(action, state[_HISTORY : _HISTORY + state[_MOVES]])

    @beside_rules
    def render(self, state: State, player: int) -> str:
        card = int(state[_CARDS + player])
        made = state[_HISTORY : _HISTORY + state[_MOVES]]
        moves = [move_name(move, made[:number]) for number, move in enumerate(made)]
        return (
            f"your card: {self._card_name(card - 1) if card else 'not dealt'}; moves: "
            f"{' '.join(moves) or 'none'}"
        )

    def _card_name(self, rank: int) -> str:
        return "JQK"[rank] if self.num_cards == 3 else str(rank)


def move_name(move: int, earlier: Integers) -> str:
    """What players call a move: after a bet, a pass is a fold, and a bet is a call.

    earlier: the moves before it.
    """
    facing = bool(np.any(earlier == KuhnPoker.BET))
    return (("check", "bet"), ("fold", "call"))[facing][int(move)]
