"""Leduc poker by hand."""

import pytest
from naive.playing import names_of, played
from naive.poker_payoff import poker_payoff

from hiddenhand.games.history import History, all_histories
from hiddenhand.games.poker.leduc import LeducPoker

GAME = LeducPoker()


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


@pytest.mark.parametrize("max_raises", [1, 2, 3])
def test_payoffs_against_the_naive_ones(max_raises: int) -> None:
    terminals = [
        history for history in all_histories(LeducPoker(max_raises)) if history.is_terminal
    ]
    assert [history.returns()[0] for history in terminals] == [
        poker_payoff(history.moves) for history in terminals
    ]
