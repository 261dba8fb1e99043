"""What is at stake in a game and at each of its information sets, and errors in units of it.

A small probability may lead to a large payoff. So the largest payoff of a game says little about
what play can win or lose there, and even less about a part of the game with small payoffs. The
*stake* of a history is the largest mean of |payoff| after it, where each move is the one for which
that mean is largest. The stake of an information set is the sum over its histories of their stakes,
weighted by the probability of chance's moves before them.
"""

from dataclasses import dataclass

import numpy as np

from hiddenhand.games.base import CHANCE
from hiddenhand.jit.arrays import Floats
from hiddenhand.trees.profile import best_sequence_values, counterfactual_values, realisation_plan
from hiddenhand.trees.tree import GameTree


@dataclass(frozen=True)
class Stakes:
    """What is at stake in a game.

    game: the stake of the beginning, in payoffs.
    sets: ``float64[I]``, the stake of each information set.
    """

    game: float
    sets: Floats


def stakes_of(tree: GameTree) -> Stakes:
    """The stakes of ``tree``."""
    stake = _stakes_of_histories(tree)
    chance = np.where(tree.player[tree.parent] == CHANCE, tree.probability, 1.0)
    chance[0] = 1.0
    for begin, end in _levels(tree)[1:]:
        chance[begin:end] *= chance[tree.parent[begin:end]]
    deciding = tree.information_set >= 0
    sets = np.bincount(tree.information_set[deciding], (chance * stake)[deciding], tree.num_sets)
    return Stakes(float(stake[0]), sets.astype(np.float64))


def worst_regret(tree: GameTree, stakes: Stakes, profile: Floats) -> float:
    """The largest part of what is at stake at an information set that its player could gain there
    against ``profile`` ``float64[S]``. Each set counts by the probability with which the player's
    own actions lead there. At least 0, and 0 exactly in a Nash equilibrium.
    """
    plan, worst = realisation_plan(tree, profile), 0.0
    starts = tree.set_start[:-1]
    for player in range(tree.num_players):
        sets = tree.sets_of(player)
        if not sets.size:
            continue
        best = best_sequence_values(tree, plan, player)[tree.num_players :]
        mean = (counterfactual_values(tree, profile, player) * profile)[tree.num_players :]
        at = starts - tree.num_players
        gain = np.maximum.reduceat(best, at)[sets] - np.add.reduceat(mean, at)[sets]
        at_stake = stakes.sets[sets]
        parts = plan[tree.set_parent[sets]] * gain / np.where(at_stake > 0.0, at_stake, np.inf)
        worst = max(worst, float(parts.max()))
    return worst


def _stakes_of_histories(tree: GameTree) -> Floats:
    """``float64[H]``, from the last level of histories to the first."""
    stake = np.zeros(tree.num_histories)
    stake[tree.terminal] = np.abs(tree.utility).max(axis=1)
    levels = _levels(tree)
    for (begin, end), (below, last) in zip(levels[-2::-1], levels[:0:-1], strict=True):
        inner = begin + np.flatnonzero(tree.num_children[begin:end])
        if not inner.size:
            continue
        at, children = tree.first_child[inner] - below, stake[below:last]
        stake[inner] = np.where(
            tree.player[inner] == CHANCE,
            np.add.reduceat(children * tree.probability[below:last], at),
            np.maximum.reduceat(children, at),
        )
    return stake


def _levels(tree: GameTree) -> list[tuple[int, int]]:
    """The first history of each level, and the end of the level."""
    return list(zip(tree.level_start[:-1].tolist(), tree.level_start[1:].tolist(), strict=True))
