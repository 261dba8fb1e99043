"""How well what a player does in a few information sets can be completed to a whole strategy.

In some information sets of a player the probabilities of the actions are given: these are *pieces*.
Everything else is free. The best completion is the strategy that has these pieces and loses least
to a best response; its loss is how far the pieces are from being those of an equilibrium. A piece
in a set that the player can avoid without loss costs nothing.

That is the linear program of `hiddenhand.solvers.linear_program` with more equations. In
realisation plans x a piece is linear: x(I a) = pi(a) x(before I) for each action a of the set I.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hiddenhand.errors import SolverError
from hiddenhand.games.base import verify_constant_sum
from hiddenhand.jit.arrays import Floats
from hiddenhand.solvers.highs import Matrix, above, optimum
from hiddenhand.solvers.linear_program import solved_program
from hiddenhand.solvers.lp_refinement import refined
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
        solved, self._program = solved_program(tree)
        own = self._program.own[player]
        self._column = np.zeros(tree.num_sequences, np.int64)
        self._column[own] = np.arange(own.size)
        self._linear = self._program.linear(player, self._program.worth(player))
        self.value = solved.value if player == 0 else -solved.value

    def loss(self, sets: Sequence[int], profile: Floats) -> float:
        """What the best completion of some pieces loses: the value of the game for the player minus
        what the completion earns against a best response; at least 0.

        sets: the information sets of the player in which pieces are given.
        profile: ``float64[S]``, which has the pieces.
        """
        return max(self.value - self._solved(sets, profile), 0.0)

    def _solved(self, sets: Iterable[int], profile: Floats) -> float:
        """Maximise v_0 over (x, v), with pieces."""
        pieces = self._pieces(sets, profile)
        linear = replace(
            self._linear,
            equal=above(self._linear.equal, pieces),
            given=np.concatenate([self._linear.given, np.zeros(pieces.shape[0])]),
        )
        try:
            found = optimum(linear)
        except SolverError as error:
            raise SolverError(
                f"there is no completion of pieces of {self.tree.game}: {error}"
            ) from error
        if self._program.equilibrated:
            found = refined(linear, found) or found
        worth = found.x[self._program.own[self.player].size]
        return float(worth * self._program.set_units[1 - self.player][0] * self._program.unit)

    def _pieces(self, sets: Iterable[int], profile: Floats) -> Matrix:
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
        return Matrix(
            np.array(rows, np.int64),
            np.array(columns, np.int64),
            np.array(entries),
            (row, self._linear.cost.size),
        )


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
