"""Canonical boards: boards that differ only in the names of suits count as one board.

Two boards are alike if a permutation of the suits turns one into the other. So 22,100 flops make
1,755 kinds, 270,725 boards of four cards make 16,432, and 2,598,960 of five make 134,459. One board
stands for each kind, the *canonical* board, whose masks of ranks decrease from suit to suit.

Canonical boards of zero to five cards are numbered from 0 on, those of fewer cards first. A table
gives, for a board's number and one more card, the next number and the permutation that makes the
new board canonical. Two cards in a player's hand are a board of two cards, too: those are the 169
classes of holdings.

A permutation of the suits is a number of four digits of 2 bits: digit s says what suit s becomes.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.jit.arrays import Indices, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel

MOST_BOARD: Final = 5
SAME_SUITS: Final = 0b11100100
"""The permutation that leaves all suits as they are."""

NUM_BOARDS: Final = (1, 13, 169, 1755, 16432, 134459)
"""How many canonical boards of zero to five cards there are."""
FIRST_BOARD: Final = (0, 1, 14, 183, 1938, 18370, 152829)
"""The number of the first board of zero to five cards, and how many boards there are in all."""

_RANKS: Final = 13
_ALL_RANKS: Final = (1 << _RANKS) - 1
_SUIT_BITS: Final = 8  # of an entry of `following`, below the number of the board


@dataclass(frozen=True)
class Boards(Compiled):
    """All canonical boards.

    following: ``int32[18370, 52]``, for each board of up to four cards and each card that is dealt
        next, as it is called on that board: the number of the next board, times 256, and the
        permutation of the suits that comes with it; -1 for a card that is on the board.
    cards: ``int64[152829]``, the cards of each board, a mask with bit ``card``.
    """

    following: Indices
    cards: Integers

    def next_board(self, board: int, suits: int, card: int) -> int:
        """The board after one more card, as an entry of `following` whose permutation tells what
        suits are called from now on.

        suits: what suits are called on ``board``.
        card: the card as it was dealt.
        """
        found = int(self.following[board, renamed(card, suits)])
        return found >> _SUIT_BITS << _SUIT_BITS | after(suits, found & 0xFF)

    def pair_class(self, first: int, second: int) -> int:
        """Which of the 169 classes two cards in a hand belong to."""
        found = self.next_board(0, SAME_SUITS, first)
        found = self.next_board(board_of(found), suits_of(found), second)
        return board_of(found) - FIRST_BOARD[2]


def board_of(entry: int) -> int:
    """The number of the board in an entry of `Boards.following`."""
    return entry >> _SUIT_BITS


def suits_of(entry: int) -> int:
    """The permutation of the suits in an entry of `Boards.following`."""
    return entry & 0xFF


def renamed(card: int, suits: int) -> int:
    """What a card is called when suits are permuted."""
    return card & ~3 | suits >> 2 * (card & 3) & 3


def after(first: int, second: int) -> int:
    """The permutation that makes ``first`` and then ``second``."""
    both = 0
    for suit in range(4):
        both |= (second >> 2 * (first >> 2 * suit & 3) & 3) << 2 * suit
    return both


def all_boards() -> Boards:
    """All canonical boards, found by dealing card after card. It takes less than a second."""
    following = np.full((FIRST_BOARD[MOST_BOARD], 52), -1, np.int32)
    masks = [np.zeros(1, np.int64)]
    for size in range(MOST_BOARD):
        first, last = FIRST_BOARD[size], FIRST_BOARD[size + 1]
        found = np.full((last - first, 52), -1, np.int64)
        suits = np.zeros(found.shape, np.int64)
        _deal_all(masks[-1], found, suits)
        known = np.unique(found[found >= 0])
        assert known.size == NUM_BOARDS[size + 1]
        entries = (FIRST_BOARD[size + 1] + np.searchsorted(known, found)) << _SUIT_BITS | suits
        following[first:last] = np.where(found >= 0, entries, -1)
        masks.append(known)
    cards = np.zeros(FIRST_BOARD[-1], np.int64)
    _write_cards(np.concatenate(masks), cards)
    return Boards(following, cards)


def num_alike(boards: Boards) -> Integers:
    """``int64[152829]``: how many boards each canonical board stands for."""
    alike = np.zeros(FIRST_BOARD[-1], np.int64)
    alike[0] = 1
    for size in range(MOST_BOARD):
        first, last = FIRST_BOARD[size], FIRST_BOARD[size + 1]
        entries = boards.following[first:last]
        times = np.where(entries >= 0, alike[first:last, None], 0)
        # each board is dealt in as many ways as there are cards in it that may come last
        ways = np.bincount(entries[entries >= 0] >> _SUIT_BITS, weights=times[entries >= 0])
        alike[last : FIRST_BOARD[size + 2]] = ways[last:].astype(np.int64) // (size + 1)
    return alike


# --- kernels; a board is here its masks of ranks, 13 bits for each suit, the largest first ---


@inline
def _canonical(c: int, d: int, h: int, s: int) -> tuple[int, int]:
    """The canonical board of four masks of ranks, and the permutation that leads to it."""
    # the larger of two comes first; of equal masks, that of the lower suit
    c, d, h, s = c << 2 | 3, d << 2 | 2, h << 2 | 1, s << 2
    c, d = max(c, d), min(c, d)
    h, s = max(h, s), min(h, s)
    c, h = max(c, h), min(c, h)
    d, s = max(d, s), min(d, s)
    d, h = max(d, h), min(d, h)
    masks = ((c >> 2) << 39) | ((d >> 2) << 26) | ((h >> 2) << 13) | (s >> 2)
    suits = 1 << 2 * (3 - (d & 3)) | 2 << 2 * (3 - (h & 3)) | 3 << 2 * (3 - (s & 3))
    return masks, suits


@kernel
def _deal_all(masks: Integers, found: Integers, suits: Integers) -> None:
    """Write the canonical board after each card dealt to each board, and the permutations."""
    for board in range(masks.size):
        c, d = masks[board] >> 39, masks[board] >> 26 & _ALL_RANKS
        h, s = masks[board] >> 13 & _ALL_RANKS, masks[board] & _ALL_RANKS
        for rank in range(_RANKS):
            bit = 1 << rank
            if not c & bit:
                found[board, 4 * rank], suits[board, 4 * rank] = _canonical(c | bit, d, h, s)
            if not d & bit:
                found[board, 4 * rank + 1], suits[board, 4 * rank + 1] = _canonical(
                    c, d | bit, h, s
                )
            if not h & bit:
                found[board, 4 * rank + 2], suits[board, 4 * rank + 2] = _canonical(
                    c, d, h | bit, s
                )
            if not s & bit:
                found[board, 4 * rank + 3], suits[board, 4 * rank + 3] = _canonical(
                    c, d, h, s | bit
                )


@kernel
def _write_cards(masks: Integers, cards: Integers) -> None:
    """Write the cards of boards as masks with bit ``card``."""
    for board in range(masks.size):
        for suit in range(4):
            ranks = masks[board] >> 13 * (3 - suit) & _ALL_RANKS
            for rank in range(_RANKS):
                if ranks >> rank & 1:
                    cards[board] |= 1 << (4 * rank + suit)
