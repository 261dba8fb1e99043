"""What backward induction says of a profile, and what is regretted after errors, history by
history.
"""

import numpy as np
from studies.errors import by_backward_induction

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.jit.arrays import Floats
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.tree import GameTree


def wrong_sets(tree: GameTree, profile: Floats) -> list[int]:
    """The information sets of a game in plain sight in which a wrong move is played with more than
    one thousandth.
    """
    worth, wrong = by_backward_induction(tree), []
    for h in np.flatnonzero(tree.information_set >= 0):
        number = int(tree.information_set[h])
        children = slice(tree.first_child[h], tree.first_child[h] + tree.num_children[h])
        played = profile[tree.set_start[number] : tree.set_start[number + 1]]
        if played[np.abs(worth[children] - worth[h]) > 1e-6].sum() > 1e-3:
            wrong.append(number)
    return wrong


def regret_by_histories(tree: GameTree, profile: Floats, number: int, rare: float) -> float:
    """What is regretted in one information set, by trying all pure continuations of the player:
    the others err with probability ``rare`` before the set, and play by the profile after it.
    """
    player = int(tree.set_player[number])
    erring = (1.0 - rare) * profile + rare * uniform_profile(tree)

    def reach(h: int) -> float:
        product = 1.0
        while h > 0:
            before = int(tree.parent[h])
            if tree.player[before] == CHANCE:
                product *= tree.probability[h]
            elif tree.player[before] != player:
                product *= erring[_sequence_to(tree, h)]
            h = before
        return product

    inside = [int(h) for h in np.flatnonzero(tree.information_set == number)]
    weights = np.array([reach(h) for h in inside])
    weights /= weights.sum()

    def earned(h: int, choices: dict[int, int] | None) -> float:
        if tree.player[h] == TERMINAL:
            return float(tree.utility[tree.terminal_number[h], player])
        children = range(tree.first_child[h], tree.first_child[h] + tree.num_children[h])
        if tree.player[h] == player and choices is not None:
            return earned(children[choices[int(tree.information_set[h])]], choices)
        shares = [
            tree.probability[c] if tree.player[h] == CHANCE else profile[_sequence_to(tree, c)]
            for c in children
        ]
        return sum(s * earned(c, choices) for s, c in zip(shares, children, strict=True))

    below = sorted({n for h in inside for n in _sets_below(tree, h, player)})
    sizes = [int(tree.set_start[n + 1] - tree.set_start[n]) for n in below]
    best = max(
        weights @ [earned(h, dict(zip(below, choice, strict=True))) for h in inside]
        for choice in np.ndindex(*sizes)
    )
    return float(best - weights @ [earned(h, None) for h in inside])


def _sequence_to(tree: GameTree, h: int) -> int:
    before = int(tree.parent[h])
    return int(tree.set_start[tree.information_set[before]] + h - tree.first_child[before])


def _sets_below(tree: GameTree, h: int, player: int) -> set[int]:
    found = {int(tree.information_set[h])} if tree.player[h] == player else set()
    for child in range(tree.first_child[h], tree.first_child[h] + tree.num_children[h]):
        found |= _sets_below(tree, child, player)
    return found
