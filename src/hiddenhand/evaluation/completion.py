"""How well what a player does in a few information sets can be completed to a whole strategy.

In some information sets of a player the probabilities of the actions are given: these are *pieces*.
Everything else is free. The best completion is the strategy that has these pieces and loses least
to a best response; its loss is how far the pieces are from being those of an equilibrium. A piece
in a set that the player can avoid without loss costs nothing.

That is the linear program of `hiddenhand.trees.linear_program` with more equations. In realisation
plans x a piece is linear: x(I a) = pi(a) x(before I) for each action a of the set I.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy  # which loads its parts when they are first used

from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import SolverError
from hiddenhand.games.base import verify_constant_sum
from hiddenhand.trees.linear_program import plan_constraints
from hiddenhand.trees.tree import GameTree


class Completion:
    """Best completions of the pieces of one player.

    tree: a zero-sum game of two players, written out.
    player: whose pieces are given.

    Raises GameError for another game.
    """

    def __init__(self, tree: GameTree, player: int) -> None:
        verify_constant_sum(tree.game, "a best completion", "nash_conv")
        self.tree = tree
        self.player = player
        self._unit = float(np.abs(tree.utility).max()) or 1.0
        own, other = (np.flatnonzero(tree.sequence_player == p) for p in (player, 1 - player))
        self._column = np.zeros(tree.num_sequences, np.int64)
        for sequences in (own, other):
            self._column[sequences] = np.arange(sequences.size)
        self._payoff = scipy.sparse.coo_array(
            (
                tree.terminal_chance * tree.utility[:, player] / self._unit,
                (
                    self._column[tree.terminal_sequence[:, player]],
                    self._column[tree.terminal_sequence[:, 1 - player]],
                ),
            ),
            shape=(own.size, other.size),
        ).tocsc()
        self._plans = plan_constraints(tree, player, self._column)
        self._responses = plan_constraints(tree, 1 - player, self._column)
        self.value = self._solved([], np.zeros(tree.num_sequences))

    def loss(self, sets: Sequence[int], profile: Floats) -> float:
        """What the best completion of some pieces loses: the value of the game for the player minus
        what the completion earns against a best response; at least 0.

        sets: the information sets of the player in which pieces are given.
        profile: ``float64[S]``, which has the pieces.
        """
        return max(self.value - self._solved(sets, profile), 0.0)

    def _solved(self, sets: Iterable[int], profile: Floats) -> float:
        """Maximise v_0 over (x, v), with pieces."""
        num_x, num_v = self._plans.shape[1], self._responses.shape[0]
        pieces = self._pieces(sets, profile)
        right = np.zeros(self._plans.shape[0] + pieces.shape[0])
        right[0] = 1.0
        cost: Floats = np.zeros(num_x + num_v)
        cost[num_x] = -1.0
        equations = scipy.sparse.vstack([self._plans, pieces])
        answer: Any = scipy.optimize.linprog(
            cost,
            A_ub=scipy.sparse.hstack([-self._payoff.T, self._responses.T]).tocsc(),
            b_ub=np.zeros(self._responses.shape[1]),
            A_eq=scipy.sparse.hstack(
                [equations, scipy.sparse.csc_array((equations.shape[0], num_v))]
            ).tocsc(),
            b_eq=right,
            bounds=[(0, None)] * num_x + [(None, None)] * num_v,
            method="highs",
        )
        if answer.status != 0:
            raise SolverError(
                f"HiGHS found no completion of pieces of {self.tree.game}: {answer.message}"
            )
        return -float(answer.fun) * self._unit

    def _pieces(self, sets: Iterable[int], profile: Floats) -> "scipy.sparse.csc_array":
        """A row for each action of each of ``sets`` but its most likely one: x(I a) - pi(a)
        x(before I). The most likely one has what is left, by the equations of the plan: a row more
        would contradict them by rounding.
        """
        tree, rows, columns, entries = self.tree, list[int](), list[int](), list[float]()
        row = 0
        for number in sets:
            before = int(self._column[tree.set_parent[number]])
            first, end = int(tree.set_start[number]), int(tree.set_start[number + 1])
            likeliest = first + int(np.argmax(profile[first:end]))
            for sequence in range(first, end):
                if sequence == likeliest:
                    continue
                rows += [row, row]
                columns += [int(self._column[sequence]), before]
                entries += [1.0, -float(profile[sequence])]
                row += 1
        return scipy.sparse.coo_array(
            (entries, (rows, columns)), shape=(row, self._plans.shape[1])
        ).tocsc()


def own_sets_on_the_way(tree: GameTree, number: int) -> list[int]:
    """The information sets in which a player moves on the way to one of them, that one included,
    the first one first.
    """
    way = [number]
    while (above := int(tree.sequence_set[tree.set_parent[way[-1]]])) >= 0:
        way.append(above)
    return way[::-1]


def last_sets(tree: GameTree, player: int) -> list[int]:
    """The information sets of ``player`` after which the player never moves again."""
    above = {int(tree.sequence_set[tree.set_parent[number]]) for number in tree.sets_of(player)}
    return [int(number) for number in tree.sets_of(player) if int(number) not in above]
