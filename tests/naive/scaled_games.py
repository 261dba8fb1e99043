"""Games whose payoffs and probabilities differ by many powers of two, and their exact values."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from naive.exact_play import matrix_value

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.trees.tree import GameTree

Part = tuple[float, Sequence[Sequence[float]]]
"""The probability of a matrix game, and its payoffs."""


def drawn_matrix(parts: Sequence[Part]) -> TreeGame:
    """Chance draws one of some matrix games, which both players see. Player 0 chooses a row, and
    player 1 a column, without knowledge of the row.
    """
    mover, first, sets, paid, chance = [CHANCE], [1], [-1], [0.0], [1.0]

    def add(who: int, its_set: int = -1, payoff: float = 0.0, probability: float = 1.0) -> int:
        mover.append(who)
        first.append(0)
        sets.append(its_set)
        paid.append(payoff)
        chance.append(probability)
        return len(mover) - 1

    begins = [add(0, 2 * k, probability=chance_of) for k, (chance_of, _) in enumerate(parts)]
    rows = []
    for k, (_, matrix) in enumerate(parts):
        first[begins[k]] = len(mover)
        rows += [(add(1, 2 * k + 1), row) for row in matrix]
    for node, row in rows:
        first[node] = len(mover)
        for payoff in row:
            add(TERMINAL, payoff=payoff)
    children = [len(parts)] + [0] * (len(mover) - 1)
    for begin, (_, matrix) in zip(begins, parts, strict=True):
        children[begin] = len(matrix)
    for node, row in rows:
        children[node] = len(row)
    return TreeGame(
        player=np.array(mover),
        first_child=np.array(first),
        num_children=np.array(children),
        probability=np.array(chance),
        information_set=np.array(sets),
        utilities=np.array([paid, [-payoff for payoff in paid]]).T,
    )


def exact_value(parts: Sequence[Part]) -> Fraction:
    """The value of `drawn_matrix`, in fractions."""
    return sum(
        (Fraction(chance) * matrix_value(fractions(matrix)) for chance, matrix in parts),
        Fraction(0),
    )


def fractions(matrix: Sequence[Sequence[float]]) -> list[list[Fraction]]:
    return [[Fraction(payoff) for payoff in row] for row in matrix]


def loss_in(tree: GameTree, profile: np.ndarray, part: int, matrix: Sequence) -> Fraction:
    """How much both players together lose in one of the drawn matrix games, in fractions."""
    rows, columns = (
        [Fraction(p) for p in profile[tree.set_start[at] : tree.set_start[at + 1]].tolist()]
        for at in (_set_of(tree, 0, part), _set_of(tree, 1, part))
    )
    exact = fractions(matrix)
    best_row = max(sum(p * q for p, q in zip(row, columns, strict=True)) for row in exact)
    best_column = min(
        sum(p * q for p, q in zip(column, rows, strict=True)) for column in zip(*exact, strict=True)
    )
    return best_row - best_column


def _set_of(tree: GameTree, player: int, part: int) -> int:
    """The number of a player's information set in the part of that number."""
    for history in range(tree.num_histories):
        if tree.player[history] == player and tree.path(history)[0] == part:
            return int(tree.information_set[history])
    raise AssertionError


def badly_scaled(kind: str, count: int) -> Iterator[list[Part]]:
    """Games of three actions for each player, with integers from -9 to 9 in units of their own.

    kind: "balanced" has probabilities that make up for the sizes of payoffs, from 1e-9 to 1e9;
        "even" has equal probabilities of such sizes; "rare" has payoffs of 1e9 with a probability
        of 1e-9, beside payoffs of 1; "mixed" has payoffs of all these sizes in one matrix.
    """
    random = np.random.default_rng(7)
    for _ in range(count):
        sizes = {
            "balanced": np.array([2.0**-30, 1.0, 2.0**15, 2.0**30]),
            "even": np.array([2.0**-30, 1.0, 2.0**30]),
            "rare": np.array([1.0, 2.0**30]),
            "mixed": np.ones(1),
        }[kind]
        chances = np.full(sizes.size, 1.0 / sizes.size) if kind == "even" else 1.0 / sizes
        chances = chances / chances.sum()
        parts = []
        for chance, size in zip(chances.tolist(), sizes, strict=True):
            matrix = size * random.integers(-9, 10, (3, 3)).astype(float)
            if kind == "mixed":
                matrix *= 2.0 ** random.integers(-30, 31, (3, 3))
            parts.append((chance, matrix.tolist()))
        yield parts
