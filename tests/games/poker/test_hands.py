"""Poker hands: every boundary between categories, the known counts, and another program."""

import itertools
import random

import numpy as np
import pytest

from hiddenhand.errors import GameError
from hiddenhand.games.poker.hands import (
    CATEGORIES,
    HandTable,
    bit_of,
    card_name,
    category_of,
    hand_table,
    read_cards,
    set_of,
)
from hiddenhand.jit.arrays import Flags, Integers
from hiddenhand.jit.kernels import kernel

TABLE = hand_table()

# the weakest and the strongest hand of each category, from the weakest category on
BOUNDARIES = (
    ("7c5d4h3s2c", "AcKdQhJs9c"),
    ("2c2d5h4s3c", "AcAdKhQsJc"),
    ("3c3d2h2s4c", "AcAdKhKsQc"),
    ("2c2d2h4s3c", "AcAdAhKsQc"),
    ("Ac2d3h4s5c", "AcKdQhJsTc"),
    ("7c5c4c3c2c", "AdKdQdJd9d"),
    ("2c2d2h3s3c", "AcAdAhKsKc"),
    ("2c2d2h2s3c", "AcAdAhAsKc"),
    ("Ah2h3h4h5h", "AsKsQsJsTs"),
)

# Weisstein, "Poker", MathWorld: the hands of each category among the 2,598,960 of five cards
HANDS = (1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40)
# and how many of them are told apart, 7,462 in all
CLASSES = (1277, 2860, 858, 858, 10, 1277, 156, 156, 10)


def strength(text: str) -> int:
    return TABLE.strength(set_of(read_cards(text)))


def test_categories_in_order_and_their_boundaries() -> None:
    hands = [hand for pair in BOUNDARIES for hand in pair]
    strengths = [strength(hand) for hand in hands]
    assert strengths == sorted(set(strengths))
    assert [category_of(found) for found in strengths] == sorted(2 * list(range(len(CATEGORIES))))


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("AcKdQhJs9c7d2h", "2c2d5h4s3c8d9h"),
        ("2c2d3h3s4c4dKh", "3c3d4h4sAc7d8h"),
        ("2c2d2h3s3c3dAh", "2c2d3h3s3cKdKh"),  # of two triplets one is a pair
        ("9c9d9h9sKc2d3h", "9c9d9h9sAc2d3h"),
        ("Ac2d3h4s5c9dKh", "2c3d4h5s6c9dKh"),  # the wheel is the lowest straight
        ("5c6d7h8s9cKdAh", "5c6d7h8s9cTdAh"),
        ("Ac2c3c4cTc9dKh", "Ac2c3c5cTc9dKh"),
        ("Ah2h3h4h5hAcAd", "2h3h4h5h6hAcAd"),
        ("2c3c4c5c7cAdAh", "2c3c4c5c8cAdAh"),
    ],
)
def test_the_best_five_of_seven_count(weaker: str, stronger: str) -> None:
    assert strength(weaker) < strength(stronger)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AcKdQhJs9c7d2h", "AdKhQsJc9d6c3s"),  # the sixth and seventh card do not count
        ("TcJdQhKsAc2d3h", "TdJhQsKcAd4c4s"),
        ("AcAdAhAsKc2d2h", "AcAdAhAsKdQcQs"),
        ("AcAdKhKsQc2d3h", "AcAdKhKsQcQd3h"),  # the third pair is a kicker at best
        ("2c2d3h3sAcKdKh", "2c2h3d3sAdKcKs"),
    ],
)
def test_what_does_not_count_makes_no_difference(one: str, other: str) -> None:
    assert strength(one) == strength(other)


def test_seven_cards_are_as_strong_as_their_best_five() -> None:
    chooser = random.Random(1)
    for _ in range(30):
        cards = chooser.sample(range(52), 7)
        fives = itertools.combinations(cards, 5)
        assert TABLE.strength(set_of(cards)) == max(TABLE.strength(set_of(five)) for five in fives)


@kernel
def count_hands(table: HandTable, hands: Integers, seen: Flags) -> None:
    """Evaluate all hands of five cards."""
    for a in range(52):
        for b in range(a):
            two = 1 << ((a & 3) << 4 | a >> 2) | 1 << ((b & 3) << 4 | b >> 2)
            for c in range(b):
                three = two | 1 << ((c & 3) << 4 | c >> 2)
                for d in range(c):
                    four = three | 1 << ((d & 3) << 4 | d >> 2)
                    for e in range(d):
                        found = table.strength(four | 1 << ((e & 3) << 4 | e >> 2))
                        hands[found >> 20] += 1
                        seen[found] = True


def test_all_hands_of_five_cards() -> None:
    hands, seen = np.zeros(len(HANDS), np.int64), np.zeros(len(HANDS) << 20, np.bool_)
    count_hands(TABLE, hands, seen)
    assert tuple(hands) == HANDS
    assert tuple(seen.reshape(len(HANDS), -1).sum(axis=1)) == CLASSES
    assert sum(CLASSES) == 7462


def test_phevaluator_agrees() -> None:
    phevaluator = pytest.importorskip("phevaluator")
    chooser = random.Random(2)
    hands = [chooser.sample(range(52), count) for count in (5, 6, 7) for _ in range(2000)]
    theirs = [phevaluator.evaluate_cards(*map(card_name, hand)) for hand in hands]
    ours = [TABLE.strength(set_of(hand)) for hand in hands]
    # their numbers fall with strength; equal hands have equal numbers in both programs
    order = dict(sorted(zip(theirs, ours, strict=True)))
    assert all(order[rank] == found for rank, found in zip(theirs, ours, strict=True))
    assert list(order.values()) == sorted(set(ours), reverse=True)


def test_cards_and_their_names() -> None:
    assert read_cards("2c Td  AS") == [0, 33, 51]
    assert [card_name(card) for card in (0, 33, 51)] == ["2c", "Td", "As"]
    assert set_of([0, 51]) == bit_of(0) | bit_of(51) == 1 | 1 << 60


@pytest.mark.parametrize("text", ["1c", "Ax", "A", "AhK"])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(GameError, match="does not name cards"):
        read_cards(text)
