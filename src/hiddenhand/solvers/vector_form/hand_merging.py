"""Hands that are alike, merged.

In Liar's Dice a player who rolled 1 and 2 may do what a player does who rolled 2 and 1. Two hands
of a player are *alike* in a situation under three conditions: they have the same actions, get the
same payoffs against each hand of the other player, and lead to hands that are alike. So hands are
compared from the last situations to the first ones. Alike hands that come from one hand are then
played as one, whose payments are those of all of them together.

Dimensions: H hands of a player, C classes of alike hands.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Flags, Floats, Indices
from hiddenhand.solvers.vector_form.situations import Edge, Situation, in_order

_DIGITS: Final = 12  # to which payments agree, relative to the largest one

Classes = tuple[Indices, Indices]
"""For each player ``int32[H]``, the class of each hand."""


@dataclass(frozen=True, eq=False)
class MergedEdge:
    """An `Edge` between classes.

    before: the situation before it.
    edge: the same for hands.
    child: the number of the merged situation that follows; -1 where the game ends.
    parent: for each player ``int32[C]``, from which class each class in the child comes.
    paid: ``float64[C, C]``, what player 0 is paid where the game ends, summed over the hands of two
        classes; None where it ends for no hands.
    """

    before: Situation
    edge: Edge
    child: int
    parent: Classes
    paid: Floats | None


@dataclass(frozen=True, eq=False)
class Merged:
    """A `Situation` in which some hands are played as one.

    situation: the same for hands.
    classes: to which class each hand belongs.
    num_classes: of each player.
    legal: ``bool[A, C]``, which actions the mover has; empty at a move of chance.
    edges: what may follow.
    """

    situation: Situation
    classes: Classes
    num_classes: tuple[int, int]
    legal: Flags
    edges: list[MergedEdge]


def merge(situations: list[Situation], *, merges: bool = True) -> list[Merged]:
    """The situations with alike hands merged; each comes before those that follow.

    merges: whether hands are merged at all.
    """
    alike = _alike(situations) if merges else _all_different(situations)
    numbers: dict[tuple[int, bytes, bytes], int] = {}
    waiting: list[tuple[int, Classes]] = []

    def numbered(number: int, classes: Classes) -> int:
        identity = (number, classes[0].tobytes(), classes[1].tobytes())
        if identity not in numbers:
            numbers[identity] = len(waiting)
            waiting.append((number, classes))
        return numbers[identity]

    one_hand = np.zeros(1, np.int32)
    numbered(0, (one_hand, one_hand))
    merged: list[Merged] = []
    for number, classes in waiting:  # grows while it is walked
        situation = situations[number]
        edges = []
        for edge in situation.edges:
            child, parent = -1, (one_hand[:0], one_hand[:0])
            if edge.child >= 0:
                within, parent = _classes_after(edge, classes, alike[edge.child])
                child = numbered(edge.child, within)
            edges.append(MergedEdge(situation, edge, child, parent, _paid(edge, classes)))
        merged.append(_merged(situation, classes, edges))
    return in_order(merged)


def _all_different(situations: list[Situation]) -> list[Classes]:
    """Each hand in a class of its own."""
    hands = (one.num_hands for one in situations)
    return [(np.arange(m, dtype=np.int32), np.arange(n, dtype=np.int32)) for m, n in hands]


def _alike(situations: list[Situation]) -> list[Classes]:
    """Which hands are alike in each situation."""
    found: list[Classes] = [(np.zeros(0, np.int32),) * 2] * len(situations)
    for number in range(len(situations) - 1, -1, -1):
        situation = situations[number]
        paid = [_matrix(edge, situation.num_hands) for edge in situation.edges]
        first, second = (_alike_for(situation, paid, found, player) for player in range(2))
        found[number] = first, second
    return found


def _alike_for(
    situation: Situation, paid: list[Floats | None], found: list[Classes], player: int
) -> Indices:
    """``int32[H]``: the classes of the hands of a player. ``found``: those in later situations."""
    hands = situation.num_hands[player]
    if hands == 1:
        return np.zeros(1, np.int32)
    marks: list[Any] = [np.zeros((hands, 1))]  # alike where nothing tells them apart
    if situation.mover == player:
        marks.append(situation.legal.T.astype(np.float64))
    for edge, matrix in zip(situation.edges, paid, strict=True):
        if matrix is not None:
            rounded = np.round(matrix / np.abs(matrix).max(), _DIGITS)
            marks.append(rounded if player == 0 else rounded.T)
        if edge.child >= 0:
            marks.append(_later(edge.parent_hand[player], found[edge.child][player], hands))
    _, classes = np.unique(np.concatenate(marks, axis=1), axis=0, return_inverse=True)
    return classes.ravel().astype(np.int32)


def _later(parent: Indices, classes: Indices, hands: int) -> Floats:
    """For each hand a row that says to which classes it leads."""
    most = int(np.bincount(parent, minlength=hands).max())
    rows = np.full((hands, most), -1.0)
    order = np.lexsort((classes, parent))
    place = np.arange(order.size) - np.searchsorted(parent[order], parent[order])
    rows[parent[order], place] = classes[order]
    return rows


def _classes_after(edge: Edge, classes: Classes, alike: Classes) -> tuple[Classes, Classes]:
    """The classes after a move, of hands that are alike and come from one class; and from which
    class each of them comes.
    """
    within, parents = [], []
    for player in range(2):
        before = classes[player][edge.parent_hand[player]]
        kinds, number = np.unique(
            np.stack([before, alike[player]], axis=1), axis=0, return_inverse=True
        )
        within.append(number.ravel().astype(np.int32))
        parents.append(kinds[:, 0].astype(np.int32))
    return (within[0], within[1]), (parents[0], parents[1])


def _matrix(edge: Edge, hands: tuple[int, int]) -> Floats | None:
    """``float64[H, H]``: what player 0 is paid for each pair of hands; None where all of it is
    0.
    """
    if not edge.paid.any():
        return None
    matrix = np.zeros(hands)
    matrix[edge.ended[:, 0], edge.ended[:, 1]] = edge.paid
    return matrix


def _paid(edge: Edge, classes: Classes) -> Floats | None:
    if not edge.paid.any():
        return None
    sizes = int(classes[0].max()) + 1, int(classes[1].max()) + 1
    place = classes[0][edge.ended[:, 0]].astype(np.int64) * sizes[1] + classes[1][edge.ended[:, 1]]
    summed = np.bincount(place, edge.paid, sizes[0] * sizes[1])
    return np.asarray(summed, np.float64).reshape(sizes)


def _merged(situation: Situation, classes: Classes, edges: list[MergedEdge]) -> Merged:
    sizes = int(classes[0].max()) + 1, int(classes[1].max()) + 1
    legal = situation.legal
    if situation.mover >= 0:
        _, example = np.unique(classes[situation.mover], return_index=True)
        legal = legal[:, example]
    return Merged(situation, classes, sizes, legal, edges)
