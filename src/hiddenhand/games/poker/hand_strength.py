"""Expected hand strength squared, E[HS^2], of every holding on every board, exactly.

Zinkevich, Johanson, Bowling and Piccione (2007), "Regret minimization in games with incomplete
information". On a board of five cards the hand strength HS of two cards is the share of the other
990 holdings that they beat, ties counted half. E[HS^2] on an earlier board is the mean of HS^2 over
all boards of five cards that it can become.

Everything is a whole number here, so nothing is rounded. On five cards it is k = 2 wins + ties, so
that HS = k / 1980. On n < 5 cards it is S, the sum of k^2 over the boards of five cards, of which
there are C(50 - n, 5 - n).

Boards that are alike count once (see `boards`): 134,459 of five cards, with 1,081 holdings each.
`rank_rivers` ranks all holdings of a board at once: it sorts them by strength, and counts them from
the weakest on. Then it takes back the wrong part of the count: two holdings cannot share a card.
Sums go upwards: S on n cards is the sum of S over the n + 1 cards that they can become,
divided by 5 - n, because each board of five cards is met that often.

Holdings of a board are numbered: the cards that are not on it are counted from the lowest, and the
holding of cards i < j among these is number j (j - 1) / 2 + i.
"""

from dataclasses import dataclass
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.games.poker.boards import (
    FIRST_BOARD,
    MOST_BOARD,
    Boards,
    board_of,
    renamed,
    suits_of,
)
from hiddenhand.games.poker.hands import HandTable
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline, kernel

MOST_RIVER: Final = 2 * comb(45, 2)
"""k of a holding that beats all others."""
HOLDINGS: Final = tuple(comb(52 - size, 2) for size in range(MOST_BOARD + 1))
"""How many holdings there are on boards of zero to five cards."""
MOST_SUM: Final = tuple(
    comb(50 - size, MOST_BOARD - size) * MOST_RIVER**2 for size in range(MOST_BOARD + 1)
)
"""S of a holding that always beats all others, on boards of zero to five cards."""

# for kernels, which call no plain functions
_renamed = inline(renamed)
_board_of, _suits_of = inline(board_of), inline(suits_of)

_HOLDINGS_ON_RIVER: Final = 1081
_DIGIT: Final = 12  # bits by which strengths are sorted at a time


@dataclass(frozen=True)
class StrengthTables(Compiled):
    """E[HS^2] of all holdings on all boards of 0, 3, 4 and 5 cards.

    boards: the boards.
    preflop: ``int64[1, 1326]``, S of each holding.
    flop: ``uint32[1755, 1176]``, S on each board of three cards.
    turn: ``uint32[16432, 1128]``, S on each board of four cards.
    river: ``uint16[134459, 1081]``, k on each board of five cards.
    contents: a digest of the arrays; empty if there is none.
    folder: the folder of the tables on disk, from which other processes map them, too; empty if
        they are in memory only.
    """

    boards: Boards
    preflop: Integers
    flop: npt.NDArray[np.uint32]
    turn: npt.NDArray[np.uint32]
    river: npt.NDArray[np.uint16]
    contents: str = ""
    folder: str = ""

    def expected(self, board: int, suits: int, first: int, second: int) -> float:
        """E[HS^2] of two cards, from 0 to 1.

        board: the number of the board, of 0, 3, 4 or 5 cards.
        suits: what suits are called on it.
        first, second: the cards as they were dealt.
        """
        held = holding(self.boards.cards[board], renamed(first, suits), renamed(second, suits))
        return self._sum(board, held) / _most(board)

    def cell(self, board: int, held: int, cells: int) -> int:
        """The cell of a holding when E[HS^2] from 0 to 1 is divided into ``cells`` of equal width.

        board: the number of the board, of 0, 3, 4 or 5 cards.
        held: the number of the holding, see `holding`.
        cells: at least 1, and such that S times it is below 2**53 for all S: no more than 1,000
            before the flop, and 1,000,000 later.
        """
        # the quotient of such whole numbers is never rounded up to a whole number
        return min(int(self._sum(board, held) * cells / _most(board)), cells - 1)

    def _sum(self, board: int, held: int) -> float:
        """S; of a board of five cards k^2."""
        if board >= FIRST_BOARD[5]:
            k = float(self.river[board - FIRST_BOARD[5], held])
            return k * k
        if board >= FIRST_BOARD[4]:
            return float(self.turn[board - FIRST_BOARD[4], held])
        if board >= FIRST_BOARD[3]:
            return float(self.flop[board - FIRST_BOARD[3], held])
        return float(self.preflop[0, held])


def _most(board: int) -> float:
    """S of a holding that always beats all others, on a board of 0, 3, 4 or 5 cards."""
    if board >= FIRST_BOARD[5]:
        return float(MOST_SUM[5])
    if board >= FIRST_BOARD[4]:
        return float(MOST_SUM[4])
    return float(MOST_SUM[3] if board >= FIRST_BOARD[3] else MOST_SUM[0])


def holding(board: int, first: int, second: int) -> int:
    """The number of a holding.

    board: the cards on the board, a mask with bit ``card``.
    first, second: the two cards as they are called on the board.
    """
    low, high = min(first, second), max(first, second)
    i = low - ones(board & ((1 << low) - 1))
    j = high - ones(board & ((1 << high) - 1))
    return j * (j - 1) // 2 + i


# --- kernels; rows are boards of one size, and the first row is board number ``first`` ---


@kernel
def rank_rivers(
    table: HandTable, cards: Integers, start: int, stop: int, river: npt.NDArray[np.uint16]
) -> None:
    """Write k of all holdings on boards of five cards, for rows ``start`` to ``stop`` of ``river``.

    cards: ``int64[134459]``, the cards of these boards.
    """
    left, bits = np.zeros(47, np.int64), np.zeros(47, np.int64)
    low, high = np.zeros(_HOLDINGS_ON_RIVER, np.int64), np.zeros(_HOLDINGS_ON_RIVER, np.int64)
    strength = np.zeros(_HOLDINGS_ON_RIVER, np.int64)
    order, room = np.zeros(_HOLDINGS_ON_RIVER, np.int64), np.zeros(_HOLDINGS_ON_RIVER, np.int64)
    counts = np.zeros(1 << _DIGIT, np.int64)
    below, among = np.zeros(47, np.int64), np.zeros(47, np.int64)
    for row in range(start, stop):
        board, count = 0, 0
        for card in range(52):
            bit = 1 << ((card & 3) << 4 | card >> 2)
            if cards[row] >> card & 1:
                board |= bit
            else:
                left[count], bits[count] = card, bit
                count += 1
        held = 0
        for j in range(47):
            for i in range(j):
                low[held], high[held] = i, j
                strength[held] = table.strength(board | bits[i] | bits[j])
                held += 1
        for held in range(_HOLDINGS_ON_RIVER):
            room[held] = held
        _sort_digit(strength, 0, room, order, counts)
        _sort_digit(strength, _DIGIT, order, room, counts)
        _count_wins(strength, room, low, high, below, among, river[row])


@kernel
def _sort_digit(
    strength: Integers, shift: int, order: Integers, sorted_order: Integers, counts: Integers
) -> None:
    """Sort holdings by twelve bits of their strengths; equal ones keep their order."""
    mask = counts.size - 1
    for digit in range(counts.size):
        counts[digit] = 0
    for held in range(order.size):
        counts[strength[held] >> shift & mask] += 1
    total = 0
    for digit in range(counts.size):
        total, counts[digit] = total + counts[digit], total
    for place in range(order.size):
        held = order[place]
        digit = strength[held] >> shift & mask
        sorted_order[counts[digit]] = held
        counts[digit] += 1


@kernel
def _count_wins(
    strength: Integers,
    order: Integers,
    low: Integers,
    high: Integers,
    below: Integers,
    among: Integers,
    k: npt.NDArray[np.uint16],
) -> None:
    """Write 2 wins + ties of all holdings.

    order: the holdings from the weakest on.
    low, high: the two cards of each holding, by their places among the cards left.
    below, among: room for how many weaker, and how many equal holdings have each card.
    """
    for card in range(below.size):
        below[card] = among[card] = 0
    start = 0
    while start < order.size:
        end = start
        while end < order.size and strength[order[end]] == strength[order[start]]:
            among[low[order[end]]] += 1
            among[high[order[end]]] += 1
            end += 1
        for place in range(start, end):
            held = order[place]
            i, j = low[held], high[held]
            wins = start - below[i] - below[j]
            ties = end - start - among[i] - among[j] + 1  # the holding itself has both cards
            k[held] = 2 * wins + ties
        for place in range(start, end):
            i, j = low[order[place]], high[order[place]]
            below[i] += 1
            below[j] += 1
            among[i] = among[j] = 0
        start = end


@kernel
def add_up(
    boards: Boards, first: int, longer: Any, squared: bool, start: int, stop: int, sums: Any
) -> None:
    """Write S of all holdings, for rows ``start`` to ``stop`` of ``sums``.

    first: the number of the board in the first row of ``sums``.
    longer: the same numbers for boards with one card more.
    squared: whether ``longer`` holds k, whose squares are added.
    """
    place = np.zeros(52, np.int64)
    totals = np.zeros(sums.shape[1], np.int64)
    size = ones(boards.cards[first])
    after = first
    while ones(boards.cards[after]) == size:  # the boards with one card more follow
        after += 1
    for row in range(start, stop):
        here = boards.cards[first + row]
        for held in range(totals.size):
            totals[held] = 0
        for card in range(52):
            if here >> card & 1:
                continue
            entry = boards.following[first + row, card]
            board, suits = _board_of(entry), _suits_of(entry)
            there = boards.cards[board]
            for other in range(52):
                called = _renamed(other, suits)
                place[other] = called - ones(there & ((1 << called) - 1))
            _add_row(here, card, place, longer[board - after], squared, totals)
        for held in range(totals.size):
            sums[row, held] = totals[held] // (5 - size)


@kernel
def _add_row(
    here: int, card: int, place: Integers, longer: Any, squared: bool, totals: Integers
) -> None:
    """Add the numbers of one longer board to those of a board to which ``card`` is dealt.

    place: the place of each card among those that are left on the longer board.
    """
    high = -1
    held = 0
    for second in range(52):
        if here >> second & 1:
            continue
        high += 1
        if second == card:
            held += high
            continue
        j = place[second]
        for first in range(second):
            if here >> first & 1:
                continue
            if first != card:
                i = place[first]
                value = np.int64(
                    longer[j * (j - 1) // 2 + i] if i < j else longer[i * (i - 1) // 2 + j]
                )
                totals[held] += value * value if squared else value
            held += 1
