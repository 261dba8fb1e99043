"""Games in plain sight at random, what backward induction says of them, and what is regretted after
errors, computed history by history.
"""

from collections.abc import Callable

import numpy as np

from hiddenhand.compiled.arrays import Floats
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.tree import GameTree


def random_tree(seed: int, depth: int, chance: float = 0.0, most: int = 3) -> TreeGame:
    """A game in plain sight: each decision is an information set of its own. Players alternate.

    depth: how many moves a play has at most; a tenth of the plays that could go on end earlier.
    chance: the probability with which chance moves in place of a player.
    most: the largest number of moves at a node.
    """
    rng = np.random.default_rng((seed, depth))
    player, first, number, sets, payoffs = [], [], [], [], []
    moves_before, probability = [0], [1.0]
    for node, moves in enumerate(moves_before):  # grows while it is walked
        first.append(len(moves_before))
        payoffs.append(rng.integers(-10, 11) / 10)
        if moves == depth or (node > 0 and rng.random() < 0.1):
            player.append(TERMINAL)
            number.append(0)
            sets.append(-1)
            continue
        by_chance = rng.random() < chance
        player.append(CHANCE if by_chance else moves % 2)
        number.append(int(rng.integers(2, most + 1)))
        sets.append(-1 if by_chance else node)
        moves_before += [moves + 1] * number[-1]
        probability += list(rng.dirichlet(np.ones(number[-1])))
    order = {number: n for n, number in enumerate(sorted(set(sets) - {-1}))}
    return TreeGame(
        np.array(player),
        np.where(np.array(number) > 0, first, 0),
        np.array(number),
        np.array(probability),
        np.array([order.get(one, -1) for one in sets]),
        np.outer(payoffs, [1.0, -1.0]),
    )


def by_backward_induction(tree: GameTree) -> Floats:
    """``float64[H]``: what each history of a game in plain sight is worth to player 0."""
    worth = np.zeros(tree.num_histories)
    worth[tree.terminal] = tree.utility[:, 0]
    for h in range(tree.num_histories - 1, -1, -1):
        children = slice(tree.first_child[h], tree.first_child[h] + tree.num_children[h])
        if tree.player[h] == CHANCE:
            worth[h] = worth[children] @ tree.probability[children]
        elif tree.player[h] >= 0:
            best: Callable[[Floats], float] = (np.max, np.min)[tree.player[h]]
            worth[h] = best(worth[children])
    return worth


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
