"""The finest public states that the information sets of a written-out game allow.

A *public state* is a set of histories that have equally many moves, and that are not common
knowledge apart. If an information set of a player has a history after each of two histories, the
player cannot tell the two apart: with perfect recall, the player would still know the difference in
that set. So two histories are in one public state if one information set has histories after both,
or if a chain of such pairs joins them. This is the finest public partition that the information
sets allow.
"""

import numpy as np

from hiddenhand.compiled.arrays import Integers
from hiddenhand.games.tree_checks import TreeArrays


def public_tokens(tree: TreeArrays, parents: list[int]) -> Integers:
    """``int64[H]``: a token for each node that tells its public state, 0 at the root and where the
    game ends. All are 0 in a game in which an information set has nodes after different numbers of
    moves: with a token at each move, the player would know the number of moves.

    parents: of each node, -1 of the root.
    """
    nodes = tree.player.size
    tokens = np.zeros(nodes, np.int64)
    moves = np.zeros(nodes, np.int64)
    for node in range(1, nodes):
        moves[node] = moves[parents[node]] + 1
    first_of: dict[int, int] = {}
    for node in np.flatnonzero(tree.information_set >= 0).tolist():
        first = first_of.setdefault(int(tree.information_set[node]), node)
        if moves[first] != moves[node]:
            return tokens
    joined = list(range(nodes))  # a forest: the root of a node's tree names its public state
    for node in np.flatnonzero(tree.information_set >= 0).tolist():
        _join(joined, node, first_of[int(tree.information_set[node])])
    for count in range(int(moves.max()), 0, -1):  # so that all below a node is joined before
        parent_of: dict[int, int] = {}  # of each public state, the parent of its first node
        for node in np.flatnonzero(moves == count).tolist():
            _join(joined, parents[node], parent_of.setdefault(_find(joined, node), parents[node]))
    for node in range(1, nodes):
        if tree.num_children[node]:
            tokens[node] = 1 + _find(joined, node)
    return tokens


def _find(joined: list[int], node: int) -> int:
    while joined[node] != node:
        joined[node] = joined[joined[node]]  # halves the path for later calls
        node = joined[node]
    return node


def _join(joined: list[int], one: int, other: int) -> None:
    one, other = _find(joined, one), _find(joined, other)
    joined[max(one, other)] = min(one, other)
