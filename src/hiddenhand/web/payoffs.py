"""The expected payoff of each move of a small game, if all players follow a strategy from there on.

The strategy of the others may never lead to a position. There the payoffs assume that the others
erred: once in a thousand times they choose any move. `review` assumes the same.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from hiddenhand.games.history import History
from hiddenhand.jit.arrays import Floats
from hiddenhand.trees.profile import counterfactual_values, reach_of_others, uniform_profile
from hiddenhand.trees.tree import GameTree

_MISTAKE: Final = 1e-3
_LEAST_REACH: Final = 1e-9


def node_after(tree: GameTree, moves: Sequence[object]) -> int:
    """The number of the history with these moves."""
    node = 0
    for move in moves:
        first, count = int(tree.first_child[node]), int(tree.num_children[node])
        node = first + int(np.flatnonzero(tree.action[first : first + count] == move)[0])
    return node


def payoffs_of(tree: GameTree, profile: Floats, history: History) -> list[float]:
    """The expected payoff of each legal action of the player to move at the end of ``history``.

    tree: the game, written out.
    profile: ``float64[S]``, the strategy of all players.
    """
    number = int(tree.information_set[node_after(tree, history.moves)])
    places = slice(int(tree.set_start[number]), int(tree.set_start[number + 1]))
    reach = reach_of_others(tree, profile)[number]
    if reach < _LEAST_REACH:
        profile = (1 - _MISTAKE) * profile + _MISTAKE * uniform_profile(tree)
        reach = reach_of_others(tree, profile)[number]
    worth = counterfactual_values(tree, profile, history.player)[places]
    return [float(value) for value in worth / reach]
