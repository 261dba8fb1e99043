"""Winnings in thousandths of a big blind for each hand, against a computation by hand."""

import math

import pytest
from typing_commands import Typed

from hiddenhand.matches.match_records import Played
from hiddenhand.matches.tournament import Pairing, winnings


def pairing(first: str, second: str, *payoffs: float, numbers: tuple[int, ...]) -> Pairing:
    played = [
        Played((0, 1), number, (), (payoff, -payoff), (1, 1), (0.0, 0.0), ({}, {}))
        for number, payoff in zip(numbers, payoffs, strict=True)
    ]
    return Pairing((first, second), tuple(played))


def test_each_match_is_an_observation() -> None:
    one = pairing("a", "b", 10.0, -20.0, 40.0, numbers=(0, 1, 2))
    found = winnings([one], big_blind=10)
    assert found.mbb_per_hand == pytest.approx((1000 - 2000 + 4000) / 3)
    # deviations from 1000 are 0, -3000 and 3000
    assert found.standard_error == pytest.approx(math.sqrt(18e6 / 2 / 3))
    assert found.deals == 3


def test_the_same_cards_in_both_seats_are_one_observation() -> None:
    first = pairing("a", "b", 100.0, -60.0, 7.0, numbers=(0, 1, 2))
    second = pairing("b", "a", 98.0, -64.0, numbers=(0, 1))  # the second was interrupted
    found = winnings([first, second], big_blind=10)
    # a wins 100 and loses 98 with the first deal; loses 60 and wins 64 with the second
    assert found.mbb_per_hand == pytest.approx((100 + 200) / 2)
    assert found.standard_error == pytest.approx(50)
    assert found.deals == 2


def test_of_one_deal_nobody_knows_the_error() -> None:
    assert winnings([pairing("a", "b", 5.0, numbers=(0,))], 10).standard_error == math.inf


def test_matches_of_poker_say_it(typed: Typed) -> None:
    words = ("match", "limit_holdem", "random", "random", "--matches", "3", "--deals", "7")
    answer = typed.json(*words, "--duplicate")
    assert answer["mbb_per_hand"] == pytest.approx(100 * sum(answer["mean"]) / 2)
    assert answer["standard_error"] > 0
    assert typed.json(*words[:5], "1")["standard_error"] is None
    status, out, _ = typed(*words)
    assert status == 0
    assert "mbb a hand, standard error" in out
    assert "mbb_per_hand" not in typed.json("match", "kuhn_poker", *words[2:])
