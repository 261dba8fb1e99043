"""Bounds from an opening: compared with games in which chance makes the moves of the opening, and
with strategies that go on from it in many ways.
"""

import numpy as np
import pytest
from naive.resolving import tree_of

from hiddenhand.games.base import CHANCE
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.arrays import Flags, Floats
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.solvers.partial_policy_bound import least_best_responses, opening_of
from hiddenhand.trees.profile import best_response_values, normalised
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

SMALL = ["Kuhn", "LD(1,1,2)", "IIGS(3)"]


def some_profile(tree: GameTree, seed: int) -> Floats:
    return normalised(tree, np.random.default_rng(seed).exponential(size=tree.num_sequences))


def some_opening(tree: GameTree, seed: int) -> Flags:
    """The first set of each player, and some of the others."""
    known = np.random.default_rng(seed).random(tree.num_sets) < 0.7
    known[[tree.sets_of(player)[0] for player in range(2)]] = True
    return opening_of(tree, known)


def with_chance(tree: GameTree, profile: Floats, player: int, opening: Flags) -> TreeGame:
    """``player``'s moves in the sets ``opening`` made by chance, who tells the player which."""
    game = tree.game
    assert isinstance(game, TreeGame)
    who, sets = game.player.copy(), game.information_set.copy()
    probability, private = game.probability.copy(), game.private_token.copy()
    for node in np.flatnonzero(tree.player == player):
        number = tree.information_set[node]
        if not opening[number]:
            continue
        who[node], sets[node] = CHANCE, -1
        for move in range(game.num_children[node]):
            child = game.first_child[node] + move
            probability[child] = profile[tree.set_start[number] + move]
            private[child, player] = 1000 + 100 * private[child, player] + move
    assert not np.array_equal(who, game.player)
    return TreeGame(
        who,
        game.first_child,
        game.num_children,
        probability,
        sets,
        game.utilities,
        private,
        game.public_token,
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("spec", SMALL)
def test_the_bound_is_the_value_of_the_game_in_which_chance_makes_those_moves(
    spec: str, seed: int
) -> None:
    tree = tree_of(spec)
    profile, opening = some_profile(tree, seed), some_opening(tree, seed)
    least = least_best_responses(tree, profile, opening)
    for player in range(2):
        value = solve_lp(unroll(with_chance(tree, profile, player, opening))).value
        to_the_other = -value if player == 0 else value
        assert least[1 - player] == pytest.approx(to_the_other, abs=1e-3)
        assert least[1 - player] <= to_the_other + 1e-9


@pytest.mark.parametrize("spec", SMALL)
def test_no_strategy_with_that_opening_is_less_exploitable(spec: str) -> None:
    tree = tree_of(spec)
    profile, opening = some_profile(tree, 5), some_opening(tree, 5)
    least = least_best_responses(tree, profile, opening)
    fixed = np.concatenate([[True, True], np.repeat(opening, np.diff(tree.set_start))])
    equilibrium = solve_lp(tree).profile
    for other in (equilibrium, *(some_profile(tree, seed) for seed in range(20))):
        played = np.where(fixed, profile, other)
        assert np.all(least <= best_response_values(tree, played) + 1e-9)


def test_an_opening_has_no_gaps() -> None:
    tree = tree_of("IIGS(3)")
    before = tree.sequence_set[tree.set_parent]
    known = np.ones(tree.num_sets, np.bool_)
    first = int(np.flatnonzero(before < 0)[0])
    known[first] = False
    opening = opening_of(tree, known)
    below = before == first
    assert below.any()
    assert not opening[below].any()
    assert opening[before < 0].sum() == (before < 0).sum() - 1
    assert known.sum() == tree.num_sets - 1  # what was given is left alone
