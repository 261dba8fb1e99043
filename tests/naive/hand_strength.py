"""Hand strength by going through everything."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

from hiddenhand.games.poker.hands import hand_table, set_of


def hand_strength(held: Sequence[int], board: Sequence[int]) -> Fraction:
    """The share of other holdings that ``held`` beats on a board of five cards; ties count half."""
    evaluate = hand_table().strength
    table = set_of(tuple(board))
    own = evaluate(table | set_of(tuple(held)))
    left = [card for card in range(52) if card not in {*held, *board}]
    points = 0
    for other in itertools.combinations(left, 2):
        theirs = evaluate(table | set_of(other))
        points += 2 * int(own > theirs) + int(own == theirs)
    return Fraction(points, 2 * 990)


def expected_squared(held: Sequence[int], board: Sequence[int]) -> Fraction:
    """E[HS^2] on a board of four or five cards."""
    if len(board) == 5:
        return hand_strength(held, board) ** 2
    rivers = [card for card in range(52) if card not in {*held, *board}]
    return sum((hand_strength(held, [*board, river]) ** 2 for river in rivers), Fraction(0)) / len(
        rivers
    )
