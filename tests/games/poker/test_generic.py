"""Generic Poker by hand."""

import pytest
from naive.playing import names_of, played
from naive.poker_payoff import poker_payoff

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import Game
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.poker.generic import GenericPoker
from hiddenhand.games.poker.leduc import LeducPoker

GP_3322 = GenericPoker(3, 3, 2, 2)
GP_4644 = GenericPoker(4, 6, 4, 4)


@pytest.mark.parametrize(
    ("game", "moves", "payoff"),
    [
        (GP_3322, "K J bet_4 fold", 1),
        (GP_3322, "K J bet_4 raise_2 call Q check check", 7),  # 1 + 4 + 2
        (
            GP_3322,
            "J K check bet_2 raise_4 raise_4 fold",
            -7,
        ),  # player 0 called 2 and added 4 to the ante
        (
            GP_3322,
            "J K bet_4 raise_4 raise_4 call J bet_8 raise_8 raise_8 call",
            37,
        ),  # the largest payoff, 1 + 3 * 4 + 3 * 8
        (GP_3322, "Q Q bet_2 call Q bet_8 call", 0),
        (GP_3322, "K Q check check J bet_4 raise_8 fold", -5),
        (
            GP_4644,
            "3 0 bet_8 raise_2 raise_6 call 1 check bet_16 call",
            33,
        ),  # 1 + 8 + 2 + 6 + 16; four ranks are named 0 .. 3
    ],
)
def test_play(game: GenericPoker, moves: str, payoff: int) -> None:
    end = played(game, moves)
    assert end.is_terminal
    assert end.returns() == (payoff, -payoff)


def test_legal_actions() -> None:
    assert names_of(played(GP_3322, "K J")) == ["check", "bet 2", "bet 4"]
    assert names_of(played(GP_3322, "K J bet_2")) == ["fold", "call", "raise 2", "raise 4"]
    assert names_of(played(GP_3322, "K J bet_2 raise_2 raise_2")) == [
        "fold",
        "call",
    ]  # at most two raises
    assert names_of(played(GP_3322, "K J check check Q")) == ["check", "bet 4", "bet 8"]


def test_chance_deals_from_what_is_left() -> None:
    assert History(GP_3322).chance_outcomes() == [(rank, 3 / 9) for rank in range(3)]
    assert played(GP_3322, "Q").chance_outcomes() == [(0, 3 / 8), (1, 2 / 8), (2, 3 / 8)]
    assert played(GP_3322, "Q Q check check").chance_outcomes() == [
        (0, 3 / 7),
        (1, 1 / 7),
        (2, 3 / 7),
    ]
    assert played(GenericPoker(3, 1, 0, 1), "Q J check check").chance_outcomes() == [(2, 1.0)]


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


def test_render_shows_the_own_card_only() -> None:
    history = played(GP_3322, "K J bet_4 raise_2 call Q bet_8")
    assert GP_3322.render(history.state, 1) == (
        "your card: J; table: Q\nput in: you 7, they 15\nmoves: they bet 4, you raise 2, they "
        "call, table card, they bet 8"
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"card_types": 1}, "card_types=1 is not allowed; give an integer from 2 to 1000"),
        ({"cards_per_type": 0}, "cards_per_type=0 is not allowed; give an integer from 1 to 1000"),
        ({"max_raises": -1}, "max_raises=-1 is not allowed; give an integer from 0 to 100"),
        ({"bet_sizes": 0}, "bet_sizes=0 is not allowed; give an integer from 1 to 100"),
        (
            {"card_types": 2, "cards_per_type": 1},
            "card_types=2 with cards_per_type=1 is not allowed; give at least 3 cards in all",
        ),
    ],
)
def test_rejects(parameters: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=f"GenericPoker: {message}"):
        GenericPoker(**parameters)
