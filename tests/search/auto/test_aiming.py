"""What Online Outcome Sampling aims at where that is left to the size of the game."""

from pathlib import Path

import numpy as np
import pytest
from naive.resolving import tree_of

from hiddenhand import load_game
from hiddenhand.budget import Budget
from hiddenhand.errors import GameError
from hiddenhand.evaluation.measurement import Study
from hiddenhand.evaluation.per_state_search import stitch_public_states
from hiddenhand.search.auto.aiming import AimedOOS
from hiddenhand.search.sampling.oos import OOS


@pytest.mark.parametrize(
    ("name", "targeting", "delta"),
    [
        ("Kuhn", "pst", 0.2),
        ("IIGS(4)", "pst", 0.2),
        ("phantom_ttt", "ist", 0.5),
        ("LD(2,2,6)", "ist", 0.5),
    ],
)
def test_the_size_of_the_game_decides(name: str, targeting: str, delta: float) -> None:
    search = AimedOOS(load_game(name))
    given = search.settings
    assert (given.targeting, given.delta, given.epsilon) == (targeting, delta, 0.4)


def test_it_finds_what_oos_finds_with_these_parameters() -> None:
    game = tree_of("Kuhn").game
    found = AimedOOS(game, seed=3)
    same = OOS(game, targeting="pst", delta=0.2, epsilon=0.4, seed=3)
    for search in (found, same):
        search.run(500)
    assert np.array_equal(found.weights().values, same.weights().values)


def test_in_a_small_game_it_plays_better_than_the_aim_of_the_paper() -> None:
    tree, budget = tree_of("leduc_poker"), Budget(1000)
    aimed, published = (
        stitch_public_states(Study(search, tree, seeds=range(3)), budget).each
        for search in ("oos-aimed", "oos")
    )
    assert max(aimed) < min(published)


def test_a_search_of_a_file_goes_on(tmp_path: Path) -> None:
    game, file = tree_of("Kuhn").game, tmp_path / "file"
    search = AimedOOS(game, epsilon=0.3, seed=2)
    search.run(300)
    search.save(file)
    again = AimedOOS.load(file, game)
    assert (again.settings.epsilon, again.settings.delta) == (0.3, 0.2)
    for one in (search, again):
        one.run(300)
    assert np.array_equal(search.weights().values, again.weights().values)


def test_it_is_for_two_players_whose_payoffs_sum_to_zero() -> None:
    with pytest.raises(GameError, match="OOS is for zero-sum games of two players"):
        AimedOOS(tree_of("naive.small_games:ThreeHands").game)
