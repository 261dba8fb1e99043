"""Matrix games, and Biased Rock Paper Scissors."""

import numpy as np
import pytest

from hiddenhand.games.history import History
from hiddenhand.games.matrix_game import MatrixGame, biased_rps

PRISONERS = MatrixGame(
    [[3, 0], [5, 1]],
    [[3, 5], [0, 1]],
    row_names="stay silent, betray",
    column_names=["stay silent", "betray"],
)


def test_biased_rps_pays_by_the_table() -> None:
    # rows R, P, S against R, P, S: R 0 -1 b; P 1 0 -1; S -1 1 0
    game = biased_rps(10)
    table = [
        [History(game).child((row, column)).returns() for column in range(3)] for row in range(3)
    ]
    assert table == [
        [(0, 0), (-1, 1), (10, -10)],
        [(1, -1), (0, 0), (-1, 1)],
        [(-1, 1), (1, -1), (0, 0)],
    ]
    assert game.zero_sum
    assert game.max_utility == 10


@pytest.mark.parametrize("bonus", [1.0, 2.0, 10.0, 100.0])
def test_biased_rps_equilibrium(bonus: float) -> None:
    """Solved by hand: the mixtures that make all of the other's actions worth the same. For b = 10
    the value is 1/4.
    """
    payoffs = biased_rps(bonus).payoffs
    value = (bonus - 1) / (3 * (bonus + 2))
    row = np.array([1 / 3 - value, 1 / 3 + value, 1 / 3])
    column = 1 / (bonus + 2) + np.array([value, 2 * value, 0])
    assert row.sum() == pytest.approx(1)
    assert column.sum() == pytest.approx(1)
    assert row @ payoffs == pytest.approx([value] * 3)
    assert payoffs @ column == pytest.approx([value] * 3)
    if bonus == 10.0:
        assert value == 0.25


def test_general_sum() -> None:
    assert not PRISONERS.zero_sum
    assert PRISONERS.max_utility == 5
    assert History(PRISONERS).child((0, 1)).returns() == (0, 5)
    assert MatrixGame([[1, 2]], [[-1, -2]]).zero_sum
    assert MatrixGame([[-7.0, 2.0]]).max_utility == 7


def test_compared_by_contents() -> None:
    assert biased_rps(2) == biased_rps(2.0) != biased_rps(3)
    assert hash(biased_rps(2)) == hash(biased_rps(2.0))
    assert MatrixGame([[1, 2]]) == MatrixGame([[1, 2]], [[-1, -2]])
    assert MatrixGame([[1, 2]]) != MatrixGame([[1], [2]])
    assert (
        repr(MatrixGame([[1, 2]], row_names="only"))
        == "MatrixGame(payoffs=[[1.0, 2.0]], row_names='only')"
    )


def test_keeps_its_own_payoffs() -> None:
    given = np.ones((2, 2))
    game = MatrixGame(given)
    given[0, 0] = 5
    assert game.payoffs[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        game.utilities[0, 0, 0] = 5
