"""A board that is drawn, and all holdings that may be held there: their buckets in each round, and
how strong they are in the end.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.games.poker.betting import ROUND
from hiddenhand.games.poker.hands import NUM_CARDS, bit_of
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, specialised_kernel
from hiddenhand.jit.random import RandomState, below

HOLDINGS: Final = 1081
"""Holdings without the five cards of a board."""
_BOARD: Final = 5
_ROUNDS: Final = 4

_bit_of = inline(bit_of)


@dataclass(frozen=True)
class Deal(Compiled):
    """Room for a board and its holdings.

    cards: ``int64[1081, 2]``, the cards of each holding.
    bucket: ``int64[4, 1081]``, the bucket of each holding in each betting round.
    strength: ``int64[1081]``, how strong a holding is, see `hands.HandTable.strength`.
    order: ``int64[1081]``, the holdings from the weakest to the strongest.
    state: room for a state of the game.
    """

    cards: Integers
    bucket: Integers
    strength: Integers
    order: Integers
    state: Integers

    @staticmethod
    def room(game: LimitHoldem) -> "Deal":
        """Room for deals of a game."""
        return Deal(
            np.zeros((HOLDINGS, 2), np.int64),
            np.zeros((_ROUNDS, HOLDINGS), np.int64),
            np.zeros(HOLDINGS, np.int64),
            np.zeros(HOLDINGS, np.int64),
            np.zeros(game.state_size, np.int64),
        )

    def draw(self, game: LimitHoldem, rng: RandomState) -> None:
        """Draw a board, and look at all holdings."""
        state, at = self.state, game.cards_at + 4
        used, board = 0, 0
        for place in range(_BOARD):
            card = below(rng, NUM_CARDS)
            while used >> card & 1:
                card = below(rng, NUM_CARDS)
            used |= 1 << card
            board |= _bit_of(card)
            state[at + place] = card
        count = 0
        for second in range(NUM_CARDS):
            for first in range(second):
                if not (used >> first & 1 or used >> second & 1):
                    self.cards[count, 0], self.cards[count, 1] = first, second
                    held = _bit_of(first) | _bit_of(second)
                    self.strength[count] = game.table.strength(held | board)
                    count += 1
        self.order[:] = np.argsort(self.strength)
        for number in range(_ROUNDS):
            state[ROUND] = number
            game.abstraction.find_board(game, state, number)
            for h in range(HOLDINGS):
                state[game.cards_at], state[game.cards_at + 1] = self.cards[h, 0], self.cards[h, 1]
                game.abstraction.find_bucket(game, state, 0)
                self.bucket[number, h] = game.abstraction.bucket_of(game, state, 0)

    def fill_folded(self, reach: Any, paid: float, values: Any) -> None:
        """What each holding earns where one player has folded.

        reach: ``float64[1081]``, how much the opponent comes there with each holding.
        paid: what it is paid against any holding without its cards.
        values: ``float64[1081]``, room for the result.
        """
        total, by_card = 0.0, np.zeros(NUM_CARDS)
        for h in range(HOLDINGS):
            total += reach[h]
            by_card[self.cards[h, 0]] += reach[h]
            by_card[self.cards[h, 1]] += reach[h]
        for h in range(HOLDINGS):
            with_mine = by_card[self.cards[h, 0]] + by_card[self.cards[h, 1]] - reach[h]
            values[h] = paid * (total - with_mine)

    def fill_shown(self, reach: Any, stake: float, values: Any) -> None:
        """What each holding earns in a showdown; arguments as in `fill_folded`.

        The holdings are passed from the weakest to the strongest, and back: what was passed before
        is weaker, or stronger.
        """
        for direction in (1, -1):
            passed, by_card = 0.0, np.zeros(NUM_CARDS)
            first = 0
            while first < HOLDINGS:
                last = first
                strength = self._strength_at(first, direction)
                while last < HOLDINGS and self._strength_at(last, direction) == strength:
                    h = self._holding_at(last, direction)
                    mine = by_card[self.cards[h, 0]] + by_card[self.cards[h, 1]]
                    if direction == 1:
                        values[h] = stake * (passed - mine)
                    else:
                        values[h] -= stake * (passed - mine)
                    last += 1
                for place in range(first, last):
                    h = self._holding_at(place, direction)
                    passed += reach[h]
                    by_card[self.cards[h, 0]] += reach[h]
                    by_card[self.cards[h, 1]] += reach[h]
                first = last

    def _holding_at(self, place: int, direction: int) -> int:
        return self.order[place if direction == 1 else HOLDINGS - 1 - place]

    def _strength_at(self, place: int, direction: int) -> int:
        return self.strength[self._holding_at(place, direction)]


@specialised_kernel
def draw_deal(game: LimitHoldem, deal: Deal, rng: RandomState) -> None:
    """`Deal.draw`, as a kernel."""
    deal.draw(game, rng)
