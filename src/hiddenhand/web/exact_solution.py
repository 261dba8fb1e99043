"""Small games with an equilibrium: what each move is worth against it, the belief at each decision,
and what the equilibrium does with every other hand.

The payoff of a move is the expected payoff after it, where the player continues as well as
possible. The others play the equilibrium that the linear program finds. The *loss* of a move is the
payoff of the best move less that of the move.

The equilibrium of the others may never lead to a set. There this module assumes that they erred:
once in a thousand times they choose any move. So a set that only errors lead to has losses too, and
so has the *regret* of a bot there, which is the expected loss of its policy.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game, is_constant_sum
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.solvers.refined_lp import solve_refined_lp
from hiddenhand.trees.profile import (
    best_response,
    counterfactual_values,
    expected_values,
    reach_of_others,
    reach_probabilities,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree
from hiddenhand.web.analysis import written_out

_MISTAKE: Final = 1e-3
_LEAST_REACH: Final = 1e-9
_LEAST_LOSS: Final = 1e-6  # smaller losses come from rounding


@dataclass(frozen=True)
class Exact:
    """What an equilibrium says of a decision.

    policy: ``float64[n]``, the probability of each move.
    payoffs: ``float64[n]``, the expected payoff of each move.
    """

    policy: Floats
    payoffs: Floats

    @property
    def lost(self) -> Floats:
        """``float64[n]``: the loss of each move."""
        lost = self.payoffs.max() - self.payoffs
        return np.where(lost > _LEAST_LOSS, lost, 0.0)


class Solved:
    """A small game with an equilibrium, and the value of each move against it.

    tree: the game, written out.
    profile: ``float64[S]``, the equilibrium.
    values: ``float64[2]``, the value of the game for each player.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree, self.profile = tree, solve_refined_lp(tree).profile
        self.values = expected_values(tree, self.profile)
        mistaken = (1 - _MISTAKE) * self.profile + _MISTAKE * uniform_profile(tree)
        self._exact, self._mistaken = _Worth(tree, self.profile), _Worth(tree, mistaken)

    def node_after(self, moves: Sequence[int]) -> int:
        """The number of the history with these moves."""
        tree, node = self.tree, 0
        for move in moves:
            first, count = int(tree.first_child[node]), int(tree.num_children[node])
            children = tree.action[first : first + count]
            node = first + int(np.flatnonzero(children == move)[0])
        return node

    def set_after(self, moves: Sequence[int]) -> int:
        """The number of the information set after these moves, at which a player must decide."""
        return int(self.tree.information_set[self.node_after(moves)])

    def judged(self, moves: Sequence[int]) -> Exact:
        """What the equilibrium says of the decision after these moves."""
        number = self.set_after(moves)
        return Exact(self.policy(number), self._worth_at(number).payoffs(number))

    def policy(self, number: int) -> Floats:
        """``float64[n]``: the probabilities of the equilibrium in an information set."""
        return self.profile[self.tree.set_start[number] : self.tree.set_start[number + 1]]

    def belief(self, number: int) -> tuple[Integers, Floats]:
        """The histories of an information set, and the probability of each of them."""
        members = np.flatnonzero(self.tree.information_set == number)
        weights = self._worth_at(number).likelihood(members)
        return members, weights / weights.sum()

    def _worth_at(self, number: int) -> "_Worth":
        return self._exact if self._exact.reach[number] > _LEAST_REACH else self._mistaken


class _Worth:
    """The value of each move when the others play a profile, and its player continues as well as
    possible.

    worth: ``float64[S]``, the expected payoff of each sequence for its player, times the reach of
        its information set.
    reach: ``float64[I]``, the probability of each set if its player tries to reach it: that of the
        moves of the others and of chance.
    """

    def __init__(self, tree: GameTree, profile: Floats) -> None:
        self._tree = tree
        self.worth = np.zeros(tree.num_sequences)
        self.reach = reach_of_others(tree, profile)
        self._parts = reach_probabilities(tree, profile)
        for player in range(2):
            response = best_response(tree, profile, player).profile
            # the values of the other player's sequences are 0, so the sum keeps both
            self.worth += counterfactual_values(tree, response, player)

    def payoffs(self, number: int) -> Floats:
        """``float64[n]``: the expected payoff of each action in an information set."""
        starts = self._tree.set_start
        return self.worth[starts[number] : starts[number + 1]] / self.reach[number]

    def likelihood(self, members: Integers) -> Floats:
        """``float64[M]``: the part of chance and the others in the probability of histories in
        which one player must decide.
        """
        parts = self._parts[members].copy()
        parts[np.arange(members.size), self._tree.player[members]] = 1.0
        return np.asarray(parts.prod(axis=1))


_SOLVING: Final = Lock()


def can_be_solved(game: Game) -> bool:
    """Whether `solved` takes ``game``: a small zero-sum game of two players."""
    return is_constant_sum(game) and written_out(game) is not None


def solved(game: Game) -> Solved:
    """A small zero-sum game of two players, solved once. Raises OptionError for other games."""
    with _SOLVING:
        return _solved(game)


@lru_cache(maxsize=4)
def _solved(game: Game) -> Solved:
    if not is_constant_sum(game):
        raise OptionError(
            "only zero-sum games of two players can be solved here; ask a bot instead"
        )
    tree = written_out(game)
    if tree is None:
        raise OptionError("this game is too large to solve exactly here; ask a bot instead")
    return Solved(tree)
