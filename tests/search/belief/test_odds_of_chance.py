"""Searches that start from histories draw them by the odds of chance."""

from collections.abc import Callable

import numpy as np
import pytest
from naive.noticing import events_of

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.pimc import PIMC


def loaded_coin() -> TreeGame:
    """A coin falls unseen, on one side in 9 of 10 cases, and player 0 guesses. A right guess of
    that side earns 1, one of the other side 1.5, and a wrong one costs 1. So the likely side is
    worth 0.8 and the other one -0.75; if both were as likely, 0 and 0.25.
    """
    paid = np.array([0.0, 0.0, 0.0, 1.0, -1.0, -1.0, 1.5])
    return TreeGame(
        player=np.array([CHANCE, 0, 0, *np.full(4, TERMINAL)]),
        first_child=np.array([1, 3, 5, 0, 0, 0, 0]),
        num_children=np.array([2, 2, 2, 0, 0, 0, 0]),
        probability=np.array([1.0, 0.9, 0.1, 1.0, 1.0, 1.0, 1.0]),
        information_set=np.array([-1, 0, 0, -1, -1, -1, -1]),
        utilities=np.stack([paid, -paid], axis=1),
    )


@pytest.mark.parametrize(
    ("search", "answer"),
    [
        (lambda game: PIMC(game, simulations=20), [1, 0]),
        (lambda game: ISMCTS(game, belief="chance"), [1, 0]),
        (lambda game: ISMCTS(game, belief="modelled"), [1, 0]),
        (ISMCTS, [0, 1]),  # as its authors draw them: all alike
    ],
)
def test_the_likely_side_of_a_loaded_coin_is_guessed(
    search: Callable[[TreeGame], PIMC | ISMCTS], answer: list[int]
) -> None:
    game = loaded_coin()
    guessing = search(game)
    guessing.notice(events_of(History(game).child(0), 0))
    guessing.think(iterations=2000)
    assert list(guessing.policy(2).round()) == answer
