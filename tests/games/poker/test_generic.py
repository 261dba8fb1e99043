"""Generic Poker by hand."""

import pytest
from naive.poker_payoff import poker_payoff

from hiddenhand.games.base import Game
from hiddenhand.games.history import all_histories
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.games.poker.leduc import LeducPoker

GP_3322 = GenericPoker(3, 3, 2, 2)
GP_4644 = GenericPoker(4, 6, 4, 4)


@pytest.mark.parametrize(
    ("game", "largest"),
    [(GP_3322, 37), (GP_4644, 121), (GenericPoker(3, 2, 1, 1), 13)],  # 1 + 2B(1+R) + 4B(1+R)
)
def test_largest_payoff(game: GenericPoker, largest: int) -> None:
    assert game.max_utility == largest


@pytest.mark.parametrize(
    "game",
    [
        GenericPoker(3, 2, 1, 1),
        GenericPoker(2, 2, 1, 2),
        GenericPoker(3, 1, 0, 3),
        GenericPoker(2, 2, 3, 1),
    ],
    ids=str,
)
def test_payoffs_against_the_naive_ones(game: GenericPoker) -> None:
    histories = list(all_histories(game))
    terminals = [history for history in histories if history.is_terminal]
    assert [history.returns()[0] for history in terminals] == [
        poker_payoff(history.moves) for history in terminals
    ]
    assert max(abs(history.returns()[0]) for history in terminals) <= game.max_utility
    assert max(len(history.moves) for history in histories) == game.max_depth


def test_leduc_is_a_generic_poker() -> None:
    def told(game: Game) -> list[tuple[object, ...]]:
        return [
            (history.moves, history.observations, history.key(0), history.key(1))
            for history in all_histories(game)
        ]

    assert told(GenericPoker(3, 2, 1, 1)) == told(LeducPoker())
