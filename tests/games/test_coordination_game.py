"""The coordination game, against what the OOS paper says about it in Section 2.2."""

import pytest

from hiddenhand.games.coordination_game import CoordinationGame
from hiddenhand.games.history import History

GAME = CoordinationGame()


def payoff(game: CoordinationGame, chance: int, first: int, second: int) -> float:
    """What player 0 gets; ``second`` does not matter if chance chose left."""
    history = History(game).child(chance).child(first)
    return (history if history.is_terminal else history.child(second)).returns()[0]


def expected(game: CoordinationGame, first: int, second: int) -> float:
    return sum(0.5 * payoff(game, chance, first, second) for chance in (0, 1))


@pytest.mark.parametrize(("left", "value", "second_left"), [(1.0, 1.0, 1 / 3), (2.0, 1.25, 1 / 6)])
def test_equilibrium(left: float, value: float, second_left: float) -> None:
    """Player 1's mixture makes both of player 0's actions worth the value; (1/2, 1/2) of player 0
    makes both of player 1's.
    """
    game = CoordinationGame(left)
    for first in (0, 1):
        assert second_left * expected(game, first, 0) + (1 - second_left) * expected(
            game, first, 1
        ) == pytest.approx(value)
    for second in (0, 1):
        assert 0.5 * expected(game, 0, second) + 0.5 * expected(game, 1, second) == pytest.approx(
            value
        )


def test_uniform_play_of_player_1_tempts_player_0() -> None:
    # "leading to expected utility 0.5 * 1 + 0.5 * 1.5 = 1.25, instead of 0.5 * 0 + 0.5 * 1.5 =
    # 0.75"
    assert [
        0.5 * expected(GAME, first, 0) + 0.5 * expected(GAME, first, 1) for first in (0, 1)
    ] == [1.25, 0.75]
