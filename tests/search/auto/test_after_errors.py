"""What `auto` and `equilibrium` do against an opponent who errs: no move is wrong in games in plain
sight, by backward induction.
"""

import numpy as np
import pytest
from naive.errors import by_backward_induction, random_tree

from hiddenhand.budget import Budget
from hiddenhand.players.match import play_match
from hiddenhand.players.simple import RandomPlayer
from hiddenhand.players.specs import make_player
from hiddenhand.trees.unroll import unroll


def wrong_moves(spec: str, seed: int, depth: int, chance: float) -> tuple[int, int]:
    """How many of a player's moves are wrong, in a match from each seat against random play, and
    how many there are.
    """
    game = random_tree(seed, depth, chance)
    tree = unroll(game)
    worth, wrong, made = by_backward_induction(tree), 0, 0
    for seat in range(2):
        players = [RandomPlayer(), RandomPlayer()]
        players[seat] = make_player(spec, game)
        here = 0
        for move in play_match(game, players, seed, [Budget(iterations=200)] * 2).moves:
            there = tree.first_child[here] + move
            if tree.player[here] == seat:
                wrong += abs(worth[there] - worth[here]) > 1e-9
                made += 1
            here = there
    return wrong, made


@pytest.mark.parametrize("chance", [0.0, 0.3])
@pytest.mark.parametrize("spec", ["auto", "equilibrium"])
def test_no_move_is_wrong(spec: str, chance: float) -> None:
    counts = [wrong_moves(spec, seed, 4, chance) for seed in range(25)]
    wrong, made = np.sum(counts, axis=0)
    assert made > 50
    assert wrong == 0
