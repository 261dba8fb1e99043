"""The reduced normal form of a small game of two players: all pure plans, and what they pay.

A *plan* of a player names an action at each information set that the plan itself does not rule out
(Kuhn 1953; von Stengel 1996). Sets that the plan's own earlier actions never reach do not count, so
plans that differ only there are one.
"""

from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from hiddenhand.errors import TooLargeError
from hiddenhand.jit.arrays import Floats
from hiddenhand.trees.tree import GameTree

MOST_PLANS: Final = 1000
"""The most plans of a player that are written out."""


@dataclass(frozen=True, eq=False)
class NormalForm:
    """All plans of both players of a game.

    tree: the game.
    plans: for each player ``float64[N_p, S]``, 1 for each sequence that a plan plays, also for the
        empty one, and 0 elsewhere.
    payoffs: ``float64[2, N_0, N_1]``, what each player earns on average for each pair of plans.
    """

    tree: GameTree
    plans: tuple[Floats, Floats]
    payoffs: Floats

    @property
    def units(self) -> Floats:
        """``float64[2]``: the largest payoff of each player, without its sign; 1 if all are 0."""
        largest = np.abs(self.payoffs).max(axis=(1, 2))
        return np.where(largest > 0.0, largest, 1.0)

    def named(self, player: int, plan: int) -> str:
        """A plan in words: the action at each set that it may reach."""
        tree, said = self.tree, []
        for number in np.flatnonzero(tree.set_player == player):
            start, end = tree.set_start[number], tree.set_start[number + 1]
            chosen = np.flatnonzero(self.plans[player][plan, start:end])
            if chosen.size:
                said.append(tree.describe(int(number)).actions[int(chosen[0])])
        return ", ".join(said)


def count_plans(tree: GameTree, player: int) -> int:
    """How many plans a player has."""
    return _count(tree, sets_after(tree, player), player)


def normal_form(tree: GameTree, most: int = MOST_PLANS) -> NormalForm:
    """The reduced normal form of a game of two players. Raises TooLargeError if a player has more
    than ``most`` plans.
    """
    for player in range(2):
        if (number := count_plans(tree, player)) > most:
            raise TooLargeError(
                f"player {player + 1} of {tree.game} has {number:,} pure plans, and at most "
                f"{most:,} are written out"
            )
    plans = tuple(np.array(_plans(tree, sets_after(tree, player), player)) for player in range(2))
    payoffs = np.empty((2, len(plans[0]), len(plans[1])))
    first, second = (plans[p][:, tree.terminal_sequence[:, p]] for p in range(2))
    for player in range(2):
        weight = tree.terminal_chance * tree.utility[:, player]
        payoffs[player] = (first * weight) @ second.T
    return NormalForm(tree, (plans[0], plans[1]), payoffs)


def sets_after(tree: GameTree, player: int) -> dict[int, list[int]]:
    """The information sets of a player that follow each sequence directly."""
    after: dict[int, list[int]] = {}
    for number in tree.sets_of(player).tolist():
        after.setdefault(int(tree.set_parent[number]), []).append(number)
    return after


def _count(tree: GameTree, after: dict[int, list[int]], sequence: int) -> int:
    """How many ways there are to play on after a sequence."""
    total = 1
    for number in after.get(sequence, []):
        total *= sum(_count(tree, after, action) for action in actions_of(tree, number))
    return total


def _plans(tree: GameTree, after: dict[int, list[int]], sequence: int) -> list[Floats]:
    """The same ways, each as ``float64[S]``: 1 for each sequence that is played."""
    own = np.zeros(tree.num_sequences)
    own[sequence] = 1.0
    choices = [
        [plan for action in actions_of(tree, number) for plan in _plans(tree, after, action)]
        for number in after.get(sequence, [])
    ]
    return [own + sum(combination, np.zeros(own.size)) for combination in product(*choices)]


def actions_of(tree: GameTree, number: int) -> range:
    """The sequences that end in an information set."""
    return range(int(tree.set_start[number]), int(tree.set_start[number + 1]))
