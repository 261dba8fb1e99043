"""Leduc poker by hand."""

import pytest
from naive.playing import names_of, played
from naive.poker_payoff import poker_payoff

from hiddenhand.errors import GameError, ParameterError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.poker.leduc import LeducPoker

GAME = LeducPoker()


@pytest.mark.parametrize(
    ("moves", "payoff"),
    [
        ("J Q check check K check check", -1),  # the ante; the queen is higher
        ("J Q check check J check check", 1),  # a pair wins
        ("Q K check bet call Q bet raise fold", -7),  # 1 + 2 + 4 put in, then folded
        ("K J bet raise raise", None),  # no third raise
        ("K J bet raise call Q bet raise call", 13),  # 1 + 2 * 2 + 2 * 4
        ("Q Q bet call K bet call", 0),  # equal ranks split
        ("J K bet fold", 1),
        ("J K check bet fold", -1),
        ("K J check bet raise fold", 3),  # player 1 folds their bet of 2 and the ante
    ],
)
def test_play(moves: str, payoff: int | None) -> None:
    if payoff is None:
        with pytest.raises(
            GameError, match="'raise' is not a legal action here; choose one of: fold, call"
        ):
            played(GAME, moves)
        return
    end = played(GAME, moves)
    assert end.is_terminal
    assert end.returns() == (payoff, -payoff)


def test_legal_actions() -> None:
    assert names_of(played(GAME, "J Q")) == ["check", "bet"]
    assert names_of(played(GAME, "J Q check")) == ["check", "bet"]
    assert names_of(played(GAME, "J Q bet")) == ["fold", "call", "raise"]
    assert names_of(played(GAME, "J Q bet raise")) == ["fold", "call"]
    assert played(GAME, "J Q bet").legal_actions() == [
        LeducPoker.FOLD,
        LeducPoker.CALL,
        LeducPoker.BET,
    ]


def test_chance_deals_from_what_is_left() -> None:
    assert History(GAME).chance_outcomes() == [(0, 2 / 6), (1, 2 / 6), (2, 2 / 6)]
    assert played(GAME, "J").chance_outcomes() == [(0, 1 / 5), (1, 2 / 5), (2, 2 / 5)]
    assert played(GAME, "J J check check").chance_outcomes() == [(1, 2 / 4), (2, 2 / 4)]
    assert played(GAME, "J Q check bet call").chance_outcomes() == [
        (0, 1 / 4),
        (1, 1 / 4),
        (2, 2 / 4),
    ]


def test_who_moves() -> None:
    assert History(GAME).player == CHANCE
    assert [
        played(GAME, moves).player
        for moves in ("J Q", "J Q check", "J Q check bet", "J Q check bet call")
    ] == [0, 1, 0, CHANCE]
    assert played(GAME, "J Q check bet call K").player == 0  # player 0 opens both rounds


def test_sizes() -> None:
    histories = list(all_histories(GAME))
    assert (
        max(
            abs(value)
            for history in histories
            if history.is_terminal
            for value in history.returns()
        )
        == GAME.max_utility
        == 13
    )
    assert max(len(history.moves) for history in histories) == GAME.max_depth == 11


@pytest.mark.parametrize("max_raises", [1, 2, 3])
def test_payoffs_against_the_naive_ones(max_raises: int) -> None:
    terminals = [
        history for history in all_histories(LeducPoker(max_raises)) if history.is_terminal
    ]
    assert [history.returns()[0] for history in terminals] == [
        poker_payoff(history.moves) for history in terminals
    ]


def test_render_shows_the_own_card_only() -> None:
    history = played(GAME, "J Q check bet call K bet")
    assert GAME.render(history.state, 0) == (
        "your card: J; table: K\nput in: you 7, they 3\nmoves: you check, they bet, you call, "
        "table card, you bet"
    )
    assert GAME.render(history.state, 1) == (
        "your card: Q; table: K\nput in: you 3, they 7\nmoves: they check, you bet, they call, "
        "table card, they bet"
    )
    assert (
        GAME.render(History(GAME).state, 0)
        == "your card: not dealt; table: not dealt\nput in: you 1, they 1\nmoves: none"
    )


@pytest.mark.parametrize("max_raises", [0, 101, 1.5, True])
def test_rejects(max_raises: object) -> None:
    with pytest.raises(
        ParameterError,
        match=f"LeducPoker: max_raises={max_raises!r} is not allowed; give an integer from 1 to "
        "100",
    ):
        LeducPoker(max_raises)  # type: ignore[arg-type]
