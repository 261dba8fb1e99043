"""What Online Outcome Sampling aims at, and which moves it leaves out, where that is left to the
size of the game.
"""

import numpy as np
import pytest
from naive.resolving import tree_of

from hiddenhand import load_game
from hiddenhand.search.auto.targeting import AimedOOS
from hiddenhand.search.sampling.oos import OOS


@pytest.mark.parametrize(
    ("name", "targeting", "delta", "threshold"),
    [
        ("Kuhn", "pst", 0.2, 0.0),
        ("IIGS(4)", "pst", 0.2, 0.0),
        ("phantom_ttt", "ist", 0.5, 0.2),
        ("LD(2,2,6)", "ist", 0.5, 0.2),
    ],
)
def test_the_size_of_the_game_decides(
    name: str, targeting: str, delta: float, threshold: float
) -> None:
    search = AimedOOS(load_game(name))
    given = search.settings
    assert (given.targeting, given.delta, given.epsilon) == (targeting, delta, 0.4)
    assert given.threshold == search.threshold == threshold


def test_it_finds_what_oos_finds_with_these_parameters() -> None:
    game = tree_of("Kuhn").game
    found = AimedOOS(game, seed=3)
    same = OOS(game, targeting="pst", delta=0.2, epsilon=0.4, seed=3)
    for search in (found, same):
        search.run(500)
    assert np.array_equal(found.weights().values, same.weights().values)
