"""The probability of one move on the way to a node of a trie, with a look-up of its own."""

import numpy as np

from hiddenhand.games.base import CHANCE
from hiddenhand.search.belief.history_trie import Trie
from hiddenhand.trees.strategy import Weights


def step_probability(trie: Trie, weights: Weights, node: int) -> float:
    """By chance, or by the mean strategy in ``weights``; uniform where nothing is known."""
    before = trie.parent[node]
    if trie.player[before] == CHANCE:
        return float(trie.probability[node])
    uniform = 1.0 / int(trie.num_actions[before])
    known = np.flatnonzero(weights.keys == trie.key[before])
    if not known.size:
        return uniform
    own = weights.values[weights.starts[known[0]] : weights.starts[known[0] + 1]].tolist()
    total = 0.0
    for weight in own:
        total += weight
    return own[trie.index[node]] / total if total > 0 else uniform
