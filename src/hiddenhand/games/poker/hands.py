"""Poker hands: cards, sets of cards, and how strong a hand is.

The evaluator works on ranks as masks of 13 bits, one for each suit, as the program poker-eval of
Clifford Matthews and others does. One table of 8,192 numbers, made at its first use,
tells of every such mask how many ranks it has, which are the five highest, and whether five follow
one another. Straights and flushes are read from it; pairs, triplets and quadruplets are found by
operations on the masks of the four suits.

A card is the number ``rank * 4 + suit`` from 0 to 51: ranks 0 to 12 are 2 to ace, suits 0 to 3 are
clubs, diamonds, hearts and spades. That is how the programs of the Annual Computer Poker
Competition and of OpenSpiel count. Its name is that of its rank and that of its suit, such as Td.

A *set* of cards is an integer with bit ``16 * suit + rank`` for each card in it.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.jit.arrays import Indices
from hiddenhand.jit.bridge import Compiled
from hiddenhand.text import shortened

NUM_CARDS: Final = 52
NUM_RANKS: Final = 13
NUM_SUITS: Final = 4
RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"

HIGH_CARD, PAIR, TWO_PAIR, TRIPLET, STRAIGHT, FLUSH, FULL_HOUSE, QUADRUPLET, STRAIGHT_FLUSH = range(
    9
)
CATEGORIES: Final = (
    "high card",
    "a pair",
    "two pair",
    "three of a kind",
    "a straight",
    "a flush",
    "a full house",
    "four of a kind",
    "a straight flush",
)
"""What the categories of hands are called, from the weakest on."""

MOST_CARDS: Final = 7
"""The most cards of a hand that is evaluated; the best five of them count."""

_CATEGORY: Final = 20  # the bit of a strength at which the category begins
_ALL_RANKS: Final = 0x1FFF
_WHEEL: Final = 0b1000000001111  # ace, 2, 3, 4, 5
# what an entry of the table holds, by the bit at which it begins
_STRAIGHT: Final = 20  # 1 + the highest rank of a straight, or 0
_COUNT: Final = 24  # the number of ranks


@dataclass(frozen=True)
class HandTable(Compiled):
    """What a mask of ranks holds; see `hand_table`.

    facts: ``int32[8192]``, for each mask of ranks the five highest as digits of 4 bits, the highest
        first, missing ones 0; then 1 + the highest rank of a straight, or 0; then the number of
        ranks.
    """

    facts: Indices

    def strength(self, cards: int) -> int:
        """How strong the best five of a set of up to 7 cards are: a stronger hand has a larger
        number, and equal hands have equal ones. Hands of fewer than five cards can be compared if
        they have equally many.

        The number is the category, followed by five digits of 4 bits for the ranks that decide.
        """
        c, d = cards & _ALL_RANKS, cards >> 16 & _ALL_RANKS
        h, s = cards >> 32 & _ALL_RANKS, cards >> 48 & _ALL_RANKS
        facts = self.facts
        # at most one suit has five cards, and then there is no quadruplet and no full house
        flush = 0
        for suit in (c, d, h, s):
            if facts[suit] >> _COUNT >= 5:
                flush = suit
        if flush:
            straight = facts[flush] >> _STRAIGHT & 15
            if straight:
                return STRAIGHT_FLUSH << _CATEGORY | (straight - 1)
            return FLUSH << _CATEGORY | self.highest(flush, 5)
        ranks, repeated = c | d | h | s, (c & d) | (h & s) | ((c | d) & (h | s))
        straight = facts[ranks] >> _STRAIGHT & 15
        if repeated == 0:
            if straight:
                return STRAIGHT << _CATEGORY | (straight - 1)
            return HIGH_CARD << _CATEGORY | self.highest(ranks, 5)
        return self._with_repeated(ranks, repeated, (c & d) & (h & s), c ^ d ^ h ^ s, straight)

    def _with_repeated(self, ranks: int, repeated: int, four: int, odd: int, straight: int) -> int:
        """The strength of a hand without a flush in which ranks are repeated.

        ranks, repeated, four, odd: the ranks of which there are any cards, two or more, four, and
            one or three.
        straight: 1 + the highest rank of a straight, or 0.
        """
        if four:
            quadruplet = self.top(four)
            return QUADRUPLET << _CATEGORY | quadruplet << 4 | self.top(ranks & ~(1 << quadruplet))
        three = repeated & odd
        if three:
            triplet = self.top(three)
            pairs = repeated & ~(1 << triplet)
            if pairs:
                return FULL_HOUSE << _CATEGORY | triplet << 4 | self.top(pairs)
            if straight:
                return STRAIGHT << _CATEGORY | (straight - 1)
            others = self.highest(ranks & ~(1 << triplet), 2)
            return TRIPLET << _CATEGORY | triplet << 8 | others
        if straight:
            return STRAIGHT << _CATEGORY | (straight - 1)
        first = self.top(repeated)
        others = ranks & ~(1 << first)
        second = repeated & others
        if second:
            pair = self.top(second)
            return TWO_PAIR << _CATEGORY | first << 8 | pair << 4 | self.top(others & ~(1 << pair))
        return PAIR << _CATEGORY | first << 12 | self.highest(others, 3)

    def top(self, ranks: int) -> int:
        """The highest rank in a mask; 0 if there is none."""
        return self.facts[ranks] >> 16 & 15

    def highest(self, ranks: int, count: int) -> int:
        """The ``count`` highest ranks in a mask as digits of 4 bits; missing ones are 0."""
        return (self.facts[ranks] & 0xFFFFF) >> 4 * (5 - count)


@lru_cache(maxsize=1)
def hand_table() -> HandTable:
    """The table that evaluates hands. Making it takes some milliseconds."""
    facts = np.zeros(1 << NUM_RANKS, np.int32)
    for mask in range(facts.size):
        ranks = [rank for rank in reversed(range(NUM_RANKS)) if mask >> rank & 1]
        digits = 0
        for place in range(5):
            digits = digits << 4 | (ranks[place] if place < len(ranks) else 0)
        facts[mask] = len(ranks) << _COUNT | _straight_in(mask) << _STRAIGHT | digits
    facts.flags.writeable = False
    return HandTable(facts)


def _straight_in(ranks: int) -> int:
    """1 + the highest rank of the highest straight in a mask of ranks, or 0."""
    for low in reversed(range(NUM_RANKS - 4)):
        if ranks >> low & 0b11111 == 0b11111:
            return low + 4 + 1
    return 3 + 1 if ranks & _WHEEL == _WHEEL else 0


def bit_of(card: int) -> int:
    """The set of one card."""
    return 1 << ((card & 3) << 4 | card >> 2)


def set_of(cards: list[int] | tuple[int, ...]) -> int:
    """The set of some cards, in plain Python."""
    return sum({bit_of(int(card)) for card in cards})


def category_of(strength: int) -> int:
    """The category of a strength: `HIGH_CARD` to `STRAIGHT_FLUSH`."""
    return strength >> _CATEGORY


def card_name(card: int) -> str:
    """The name of a card, such as Td."""
    return RANKS[card // 4] + SUITS[card % 4]


def read_cards(text: str) -> list[int]:
    """The cards that ``text`` names one after the other, such as AhKd or "Ah Kd".

    Raises GameError for anything else.
    """
    letters = "".join(text.split())
    cards = []
    for place in range(0, len(letters), 2):
        rank, suit = letters[place : place + 1].upper(), letters[place + 1 : place + 2].lower()
        if not (suit and rank in RANKS and suit in SUITS):
            raise GameError(
                f"{shortened(text)} does not name cards; write a rank of {RANKS} and a suit of "
                f"{SUITS} for each, such as AhKd"
            )
        cards.append(RANKS.index(rank) * 4 + SUITS.index(suit))
    return cards
