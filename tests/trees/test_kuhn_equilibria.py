"""The equilibria of Kuhn poker in closed form, and the distance from the closest of them."""

import numpy as np
import pytest
from naive.small_trees import tree_of

from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.trees.kuhn_equilibria import equilibrium, has_known_equilibria, squared_error
from hiddenhand.trees.profile import expected_values, nash_conv, uniform_profile


@pytest.mark.parametrize("alpha", [0.0, 0.1, 1 / 3])
def test_the_family_consists_of_equilibria(alpha: float) -> None:
    tree = tree_of("Kuhn")
    profile = equilibrium(tree, alpha)
    assert nash_conv(tree, profile) == pytest.approx(0.0, abs=1e-12)
    assert expected_values(tree, profile)[0] == pytest.approx(-1 / 18)  # Kuhn (1950)
    assert squared_error(tree, profile) == pytest.approx(0.0, abs=1e-24)


def test_the_error_is_that_of_the_closest() -> None:
    """As close as the closest of many; by hand for uniform play."""
    tree = tree_of("Kuhn")
    random = np.random.default_rng(1)
    family = [equilibrium(tree, alpha) for alpha in np.linspace(0.0, 1 / 3, 501)]
    for _ in range(5):
        profile = uniform_profile(tree)
        bets = random.random(12)
        profile[3::2], profile[2::2] = bets, 1 - bets
        every = [np.mean((profile - member)[2:] ** 2) for member in family]
        assert squared_error(tree, profile) == pytest.approx(min(every), rel=1e-3)
        assert squared_error(tree, profile) <= min(every)
    # alpha = (1/2 + 1/6 + 3/2) / 11 = 13/66; J 1/2, Q 1/2, K 1/2 first, then the other nine sets
    alpha = 13 / 66
    own = (0.5 - alpha) ** 2 + 0.25 + (0.5 - 3 * alpha) ** 2 + 0.5 + (1 / 6 - alpha) ** 2
    others = 2 * (1 / 6) ** 2 + 4 * 0.25
    assert squared_error(tree, uniform_profile(tree)) == pytest.approx((own + others) / 12)


def test_of_other_decks_the_equilibria_are_not_known() -> None:
    assert has_known_equilibria(KuhnPoker())
    assert not has_known_equilibria(KuhnPoker(4))
