"""What every game has, and what algorithms ask of a game."""

from dataclasses import dataclass

import pytest
from naive.small_games import ThreeHands

from hiddenhand.errors import GameError
from hiddenhand.games.base import Game, is_constant_sum, verify_constant_sum
from hiddenhand.games.matrix_game import MatrixGame, biased_rps
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.turn_based import TurnBased

DILEMMA = MatrixGame([[3, 0], [5, 1]], [[3, 5], [0, 1]])


@pytest.mark.parametrize("game", [KuhnPoker(), biased_rps(), TurnBased(biased_rps())], ids=str)
def test_zero_sum_games_of_two_players_are_accepted(game: Game) -> None:
    assert is_constant_sum(game)
    verify_constant_sum(game, "this search", "that one")


@pytest.mark.parametrize("game", [ThreeHands(), DILEMMA, TurnBased(DILEMMA)], ids=str)
def test_other_games_are_refused_with_what_to_use_instead(game: Game) -> None:
    assert not is_constant_sum(game)
    with pytest.raises(GameError) as refused:
        verify_constant_sum(game, "this search", "that one")
    assert str(refused.value) == (
        "this search is for zero-sum games of two players, which "
        f"{game.game if isinstance(game, TurnBased) else game} is not; use that one"
    )


def test_a_zero_sum_game_of_three_players_is_refused() -> None:
    @dataclass(frozen=True)
    class Fair(ThreeHands):
        zero_sum = True

    assert not is_constant_sum(Fair())


@pytest.mark.parametrize("name", ["hidden", "picture", "evaluation", "tell", "render", "guards"])
def test_a_field_with_the_name_of_a_method_is_told(name: str) -> None:
    """It would take the method's place, and fail far from its cause."""
    with pytest.raises(GameError, match=f"Own has a field '{name}', but {name} is a part of every"):
        exec(f"class Own(Game):\n    {name}: int = 3", {"Game": Game})


@pytest.mark.parametrize("name", ["num_players", "state_size", "max_utility", "cards"])
def test_sizes_may_be_fields(name: str) -> None:
    exec(f"class Own(Game):\n    {name}: 'Unknown' = 3", {"Game": Game})
