"""Evaluation functions of games: their laws, and what is compiled of them."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hiddenhand.games.history import all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.jit.kernels import kernel

GAMES = """goofspiel(3)
goofspiel(3,points_order=random)
goofspiel(3,points_order=random,returns_type=point_difference,lowest_card=0)
goofspiel(3,returns_type=point_difference)
OZ(5,1,2)
PE(3,3,2)
random_game(2,4,1)
random_game(2,4,1,sign=true)
tron(3,3)""".splitlines()


@kernel
def evaluate_all(
    evaluation: Any, game: Any, states: npt.NDArray[np.int64], values: npt.NDArray[np.float64]
) -> None:
    """Write the values of ``states`` [N, S] for both players into ``values`` [N, 2]."""
    for number in range(states.shape[0]):
        for player in range(2):
            values[number, player] = evaluation.evaluate(game, states[number], player)


@pytest.mark.slow
@pytest.mark.parametrize("text", GAMES)
def test_values_are_bounded_opposed_and_the_same_compiled(text: str) -> None:
    game = load_game(text)
    evaluation = game.evaluation()
    states = np.array([history.state for history in all_histories(game)])
    values = np.zeros((len(states), 2))
    evaluate_all(evaluation, game, states, values)
    plain = [[evaluation.evaluate(game, state, player) for player in range(2)] for state in states]
    assert values.tolist() == plain
    assert (values[:, 0] == -values[:, 1]).all()
    assert (np.abs(values) <= game.max_utility).all()
    assert len(set(values[:, 0].tolist())) > 3
