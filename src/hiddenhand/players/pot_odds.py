"""A player of limit poker who goes by the strength of the hand and the odds of the pot.

Source: the formula-based betting strategies in Billings, Davidson, Schaeffer and Szafron (2002),
"The challenge of poker", Section 5, much simplified. There as here a hand is worth what it wins
against hands dealt at random. A call is right if that is at least its price as a share of the pot.
Their program learns from the bets of others what they may hold. Here a bet says one thing: a player
that bets or raises holds one of the best three quarters of the hands that it would have held
otherwise. So a bet of another player turns the strength s of a hand into 1 - (1 - s) / (3/4).

- Bet or raise with no less than a fair share of the pot, 1 / n against n - 1 others.
- Call if the strength is at least the price of the call, divided by the pot with the call in it.
- Else check, or fold to a bet.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.errors import PlayerError
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event, History
from hiddenhand.games.poker.betting import FOLDED, ROUND, STAKE
from hiddenhand.games.poker.hands import HandTable, bit_of, set_of
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.games.poker.limit_poker import CHIPS
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.random import RandomState, below, new_state
from hiddenhand.players.player import Deciding, Probabilities, derived_seed

SAMPLES: Final = 300
"""Deals from which the strength of a hand is estimated."""
AFTER_A_BET: Final = 0.75
"""The share of hands that a player may still hold after its bet."""


def verify_holdem(game: Game) -> LimitHoldem:
    """``game``, with nothing forgotten of the cards. Raises PlayerError if it is no hold'em."""
    if not isinstance(game, LimitHoldem):
        raise PlayerError(
            f"pot_odds is for limit_holdem, with the cards and hands of poker, and {game} is "
            "another game; use call, raise or random"
        )
    return replace(game, buckets=None)


class PotOddsPlayer(Deciding):
    """Plays by hand strength and pot odds."""

    NAME = "pot_odds"

    @classmethod
    def verify_game(cls, game: Game) -> None:
        """Raise PlayerError in games other than limit hold'em."""
        verify_holdem(as_sequential(game))

    def start(self, game: Game, seat: int, seed: int) -> None:
        """See `Player.start`. Raises PlayerError in games other than limit hold'em."""
        super().start(game, seat, seed)
        self._rules = verify_holdem(game)
        self._history = History(self._rules)
        self._known: list[int] = []  # the own cards, then the board
        self._bets = 0  # bets and raises of others in this round
        self._rng = new_state(derived_seed(seed, 1))
        self._strength = 0.0

    def follow(self, events: Sequence[Event]) -> None:
        """Follow the hand. An arbitrary card stands in for each hidden one: this player looks at
        nothing that depends on it.
        """
        for event in events:
            mover = self._history.player
            if mover != CHANCE:
                token = event.public - self._rules.MOVE_TOKEN
                move = event.action - 1 if event.action else token
                self._bets += int(mover != self.seat and move == self._rules.RAISE)
            elif event.private or event.public > 1:
                move = event.private - 1 if event.private else event.public - 2
                self._known.append(move)
            else:
                move = 0
            before = self._history.state[ROUND]
            self._history = self._history.child(move)
            if self._history.state[ROUND] != before:
                self._bets = 0

    def policy(self, legal_actions: Sequence[int], budget: Budget | None) -> Probabilities:
        """All on one action."""
        rules, state = self._rules, self._history.state
        others = rules.players - 1 - ones(int(state[FOLDED]))
        self._strength = self._win_share(others)
        strength = after_bets(self._strength, self._bets)
        price = int(state[STAKE] - state[CHIPS + self.seat])
        pot = rules.chips_in_pot(state)
        if rules.RAISE in legal_actions and strength >= 1.0 / (1 + others):
            action = rules.RAISE
        elif price == 0 or strength >= price / (pot + price):
            action = rules.CALL
        else:
            action = rules.FOLD
        return np.array([float(legal == action) for legal in legal_actions])

    def thought(self) -> dict[str, float]:
        """The strength of the hand: the share of the pot that it wins against random hands."""
        return {"hand_strength": self._strength}

    def _win_share(self, others: int) -> float:
        rules = self._rules
        held = rules.hole_cards
        left = rules.most_dealt - rules.players * held - (len(self._known) - held)
        unknown = [
            bit_of(card)
            for card in range(rules.deck.bit_length())
            if rules.deck >> card & 1 and card not in self._known
        ]
        return win_share(
            rules.table,
            set_of(self._known[:held]),
            set_of(self._known[held:]),
            np.array(unknown, np.int64),
            others,
            held,
            left,
            SAMPLES,
            self._rng,
        )


def after_bets(strength: float, bets: int) -> float:
    """What is left of the strength of a hand, from 0 to 1, when others have bet or raised ``bets``
    times in this round.
    """
    return max(0.0, 1.0 - (1.0 - strength) / AFTER_A_BET**bets)


@kernel
def win_share(
    table: HandTable,
    own: int,
    board: int,
    unknown: Integers,
    others: int,
    held: int,
    left: int,
    samples: int,
    rng: RandomState,
) -> float:
    """The share of the pot that a hand wins on average, if no player folds: its mean over random
    deals of all cards that are not known.

    table: what hands are evaluated with.
    own: the player's cards, a set.
    board: the cards on the board, a set.
    unknown: ``int64[cards]``, the sets of one card each that may be dealt. Reordered in place.
    others: how many others there are.
    held: how many cards each of them holds.
    left: how many cards are still to be dealt to the board.
    samples: how many deals.
    rng: the generator's state, which is moved on.
    """
    won = 0.0
    for _ in range(samples):
        dealt, final = 0, board
        for _ in range(left):
            final |= _dealt(unknown, dealt, rng)
            dealt += 1
        strength, sharing = table.strength(own | final), 1
        for _ in range(others):
            hand = final
            for _ in range(held):
                hand |= _dealt(unknown, dealt, rng)
                dealt += 1
            theirs = table.strength(hand)
            if theirs > strength:
                sharing = 0
                break
            if theirs == strength:
                sharing += 1
        if sharing > 0:
            won += 1.0 / sharing
    return won / samples


@inline
def _dealt(unknown: Integers, dealt: int, rng: RandomState) -> int:
    """The next card of a shuffled deck of which ``dealt`` cards are dealt."""
    at = dealt + below(rng, unknown.size - dealt)
    card = unknown[at]
    unknown[at] = unknown[dealt]
    unknown[dealt] = card
    return card
