"""Regret after errors: against all pure continuations tried one by one, and known strategies."""

import numpy as np
import pytest
from naive.errors import regret_by_histories
from naive.small_trees import THREE, tree_of
from studies.errors import random_tree

from hiddenhand.errors import OptionError
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.arrays import Floats
from hiddenhand.trees.after_errors import RARE, regret_after_errors
from hiddenhand.trees.kuhn_equilibria import equilibrium
from hiddenhand.trees.profile import normalised, reach_probabilities, uniform_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

IN_PLAIN_SIGHT = "in plain sight"


def at_random(tree: GameTree, seed: int) -> Floats:
    """A profile that leaves some moves out."""
    rng = np.random.default_rng(seed)
    weights = rng.random(tree.num_sequences) * (rng.random(tree.num_sequences) < 0.6)
    return normalised(tree, weights)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["Kuhn", THREE, "IIGS(2)", IN_PLAIN_SIGHT])
def test_agrees_with_its_slow_twin(name: str, seed: int) -> None:
    tree = unroll(random_tree(1, 4, 0.3, 2)) if name == IN_PLAIN_SIGHT else tree_of(name)
    profile = at_random(tree, seed)
    found = regret_after_errors(tree, profile)
    slow = [regret_by_histories(tree, profile, i, RARE) for i in range(tree.num_sets)]
    np.testing.assert_allclose(found.in_set, slow, rtol=0, atol=1e-9)
    assert found.largest == found.in_set[found.at] == found.in_set.max()


def test_sets_count_as_often_as_matches_with_errors_come_to_them() -> None:
    tree = tree_of("Kuhn")
    profile = at_random(tree, 5)
    for error in (0.05, 0.5, 1.0):
        found = regret_after_errors(tree, profile, error)
        erring = (1 - error) * profile + error * uniform_profile(tree)
        reach = reach_probabilities(tree, erring).prod(axis=1)
        weights = [reach[tree.information_set == i].sum() for i in range(tree.num_sets)]
        assert found.mean == pytest.approx(found.in_set @ weights / sum(weights))


@pytest.mark.parametrize("alpha", [0.2, 1 / 3])
def test_equilibria_of_kuhn_poker_regret_nothing(alpha: float) -> None:
    tree = tree_of("Kuhn")
    assert regret_after_errors(tree, equilibrium(tree, alpha)).largest < 1e-5


def test_an_equilibrium_of_kuhn_poker_regrets_what_it_does_after_a_bet_that_it_never_makes() -> (
    None
):
    """With alpha = 0 player 0 never bets first. If they do by error, their card is a jack as likely
    as a king, and player 1 with a queen, who calls one time in three, loses 2/3 on average. A call
    loses nothing.
    """
    tree = tree_of("Kuhn")
    found = regret_after_errors(tree, equilibrium(tree, 0.0))
    assert found.largest == pytest.approx(2 / 3, abs=1e-5)
    assert "Q" in tree.describe(found.at).information


def test_after_so_many_errors_that_no_number_is_small_enough() -> None:
    """Player 1 may go on 60 times and never does; then player 0 would move."""
    last = 120
    ends = np.arange(last + 3) % 2 == 1
    ends[last + 1 :] = True
    player = np.where(ends, -4, 1)
    player[last] = 0
    numbers = np.where(ends, -1, np.arange(last + 3) // 2)
    tree = unroll(
        TreeGame(
            player=player,
            first_child=np.where(ends, 0, np.arange(last + 3) + 1),
            num_children=np.where(ends, 0, 2),
            probability=np.ones(last + 3),
            information_set=numbers,
            utilities=np.outer(np.arange(last + 3), [1.0, -1.0]),
        )
    )
    always_ends = normalised(tree, np.where(tree.sequence_action == 0, 1.0, 0.0))
    found = regret_after_errors(tree, always_ends)
    assert np.isfinite(found.in_set).all()
    assert found.in_set[-1] == 0.0


@pytest.mark.parametrize("error", [0.0, -0.1, 1.5, float("nan")])
def test_no_probability(error: float) -> None:
    tree = tree_of("Kuhn")
    with pytest.raises(OptionError, match="above 0, at most 1"):
        regret_after_errors(tree, uniform_profile(tree), error)


def test_no_profile() -> None:
    tree = tree_of("Kuhn")
    with pytest.raises(OptionError, match="profile of shape"):
        regret_after_errors(tree, np.ones(3))
