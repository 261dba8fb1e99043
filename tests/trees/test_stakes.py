"""What is at stake, against recursions over histories."""

import numpy as np
import pytest
from naive.behaviour import random_profile
from naive.scaled_games import badly_scaled, drawn_matrix

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.trees.linear_program import solve_lp
from hiddenhand.trees.profile import nash_conv, uniform_profile
from hiddenhand.trees.stakes import stakes_of, worst_regret
from hiddenhand.trees.unroll import unroll


def stake(history: History) -> float:
    if history.is_terminal:
        return max(map(abs, history.returns()))
    if history.player == CHANCE:
        return sum(p * stake(history.child(action)) for action, p in history.chance_outcomes())
    return max(stake(history.child(action)) for action in history.legal_actions())


@pytest.mark.parametrize("name", ["Kuhn", "coordination_game", "LD(1,1,2)"])
def test_stakes_are_those_of_a_recursion(name: str) -> None:
    tree = unroll(load_game(name))
    found = stakes_of(tree)
    assert found.game == pytest.approx(stake(tree.history(0)))
    sets = np.zeros(tree.num_sets)
    for number in range(tree.num_histories):
        if tree.player[number] >= 0:
            chance, at = 1.0, number
            while at:
                if tree.player[tree.parent[at]] == CHANCE:
                    chance *= tree.probability[at]
                at = tree.parent[at]
            sets[tree.information_set[number]] += chance * stake(tree.history(number))
    assert found.sets == pytest.approx(sets)


def test_a_rare_large_payoff_is_a_small_stake() -> None:
    """By hand: a payoff of at most 9 * 2^30 with probability 2^-30 / (1 + 2^-30), and one of at
    most 9 otherwise.
    """
    (parts,) = badly_scaled("rare", 1)
    tree = unroll(drawn_matrix(parts))
    largest = [np.abs(matrix).max() * chance for chance, matrix in parts]
    assert stakes_of(tree).game == pytest.approx(sum(largest))
    assert np.abs(tree.utility).max() > 1e8 * stakes_of(tree).game


@pytest.mark.parametrize("name", ["Kuhn", "LD(1,1,2)"])
def test_no_regret_is_left_in_equilibrium(name: str) -> None:
    tree = unroll(load_game(name))
    stakes = stakes_of(tree)
    assert worst_regret(tree, stakes, solve_lp(tree).profile) < 1e-12
    for profile in (uniform_profile(tree), random_profile(tree, 3)):
        worst = worst_regret(tree, stakes, profile)
        assert worst > 0.01
        assert worst >= nash_conv(tree, profile) / 2 / stakes.game / tree.num_sets


def test_regret_counts_in_units_of_its_own_set() -> None:
    """By hand: [[1, -1], [-1, 1]] with payoffs of 2^-30 in one of two parts. If player 0 always
    plays the first row there, player 1 gains all that is at stake at its set.
    """
    small = 2.0**-30
    pennies = [[1.0, -1.0], [-1.0, 1.0]]
    tiny = [[small * payoff for payoff in row] for row in pennies]
    tree = unroll(drawn_matrix([(0.5, pennies), (0.5, tiny)]))
    profile = uniform_profile(tree)
    assert worst_regret(tree, stakes_of(tree), profile) == 0.0
    number = int(tree.information_set[2])  # of player 0 in the second part
    profile[tree.set_start[number] :][:2] = [1.0, 0.0]
    assert nash_conv(tree, profile) == pytest.approx(small / 2)
    assert worst_regret(tree, stakes_of(tree), profile) == pytest.approx(0.5)
