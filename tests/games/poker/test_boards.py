"""Boards up to the names of suits: how many there are, and that suits do not matter."""

import itertools
import random
from collections.abc import Sequence

import pytest

from hiddenhand.games.poker.boards import (
    FIRST_BOARD,
    NUM_BOARDS,
    SAME_SUITS,
    Boards,
    after,
    all_boards,
    board_of,
    num_alike,
    renamed,
    suits_of,
)


@pytest.fixture(scope="module")
def boards() -> Boards:
    return all_boards()


def dealt(boards: Boards, cards: Sequence[int]) -> tuple[int, int]:
    """The number of a board, and what suits are called on it."""
    board, suits = 0, SAME_SUITS
    for card in cards:
        entry = boards.next_board(board, suits, card)
        board, suits = board_of(entry), suits_of(entry)
    return board, suits


def test_canonical_boards_stand_for_all_boards(boards: Boards) -> None:
    # 1,755 flops, 16,432 and 134,459 later boards are known numbers
    assert NUM_BOARDS == (1, 13, 169, 1755, 16432, 134459)
    alike = num_alike(boards)
    sums = [int(alike[first:last].sum()) for first, last in itertools.pairwise(FIRST_BOARD)]
    assert sums == [1, 52, 1326, 22100, 270725, 2598960]  # 52 choose n


def test_neither_order_nor_suits_matter(boards: Boards) -> None:
    chooser = random.Random(1)
    for _ in range(50):
        cards = chooser.sample(range(52), 5)
        board, suits = dealt(boards, cards)
        assert boards.cards[board] == sum(1 << renamed(card, suits) for card in cards)
        named = chooser.sample(range(4), 4)
        others = [card & ~3 | named[card & 3] for card in chooser.sample(cards, 5)]
        assert dealt(boards, others)[0] == board


def test_permutations_follow_each_other() -> None:
    swap, turn = 0b11100001, 0b00111001  # suits 0 and 1; each to the next
    assert [renamed(card, swap) for card in (0, 1, 2, 3)] == [1, 0, 2, 3]
    assert [renamed(card, turn) for card in (0, 1, 2, 3)] == [1, 2, 3, 0]
    for card in range(52):
        assert renamed(renamed(card, swap), turn) == renamed(card, after(swap, turn))


def test_two_cards_are_of_169_classes(boards: Boards) -> None:
    classes = {pair: boards.pair_class(*pair) for pair in itertools.permutations(range(52), 2)}
    assert sorted(set(classes.values())) == list(range(169))
    for (first, second), number in classes.items():
        alike = (first >> 2, second >> 2, first & 3 == second & 3)
        same = [pair for pair in ((0, 5), (4, 1)) if classes[pair] == number]
        assert bool(same) == (sorted(alike[:2]) == [0, 1] and not alike[2])
