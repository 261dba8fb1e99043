"""Tricks by hand, and against hands that are sets."""

from collections import Counter
from math import comb

import pytest
from naive.playing import names_of, played
from naive.tricks import deals, endings

from hiddenhand.games.history import History, all_histories
from hiddenhand.games.tricks import Tricks

SMALL = [
    Tricks(2, 3, 2, 2),
    Tricks(2, 3, 2, 2, trumps=True),
    Tricks(2, 2, 3, 1),
    Tricks(3, 2, 3, 2, True),
    Tricks(1, 4, 4, 1),
]


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_all_plays_end_as_with_sets(game: Tricks) -> None:
    cards = [(suit, rank) for suit in range(game.suits) for rank in range(game.ranks)]
    dealt = list(deals(cards, game.players, game.hand))
    slow = Counter(end for hands in dealt for end in endings(hands, 0, game.trumps))
    ends = [history for history in all_histories(game) if history.is_terminal]
    assert Counter(end.returns() for end in ends) == {
        tuple(map(float, taken)): count for taken, count in slow.items()
    }
    assert {len(end.moves) for end in ends} == {game.max_depth}


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_all_deals_are_equally_likely_and_dealt_in_one_way(game: Tricks) -> None:
    reached = [(History(game), 1.0)]
    for _ in range(game.num_dealt):
        assert (
            max(len(history.chance_outcomes()) for history, _ in reached)
            <= game.max_chance_outcomes
        )
        reached = [
            (history.child(card), reach * p)
            for history, reach in reached
            for card, p in history.chance_outcomes()
        ]
    number = 1
    for player in range(game.players):
        number *= comb(game.num_cards - player * game.hand, game.hand)
    assert len(reached) == number
    assert [reach for _, reach in reached] == pytest.approx([1 / number] * number)
    assert len({tuple(history.state) for history, _ in reached}) == number


def test_suits_are_followed_and_the_highest_of_the_suit_takes_the_trick() -> None:
    dealt = played(Tricks(2, 3, 2, 2), "a1 a2 a3 b3")
    led = dealt.child(1)  # a2
    assert names_of(led) == ["a3"]
    beaten = led.child(2)
    assert beaten.player == 1
    end = beaten.child(5).child(0)  # b3 takes: a1 is not of the suit
    assert end.returns() == (0, 2)
    assert end.is_terminal


def test_who_cannot_follow_plays_anything_and_only_trumps_then_win() -> None:
    dealt = "b1 b2 a1 a2"
    plain, trumped = (
        played(Tricks(2, 3, 2, 2), dealt),
        played(Tricks(2, 3, 2, 2, trumps=True), dealt),
    )
    assert names_of(plain.child(3)) == ["a1", "a2"]
    assert plain.child(3).child(0).player == 0
    assert trumped.child(3).child(0).player == 1


def test_what_is_paid() -> None:
    moves = "b1 b2 a1 a2 a3 b3 b1 a1 b3 a3 b2 a2"  # player 1 cannot follow; player 2 takes both
    assert played(Tricks(2, 3, 3, 2), moves).returns() == (0, 0, 2)
    assert played(Tricks(2, 3, 3, 2, margin=True), moves).returns() == (-2, -2, 4)
    assert not Tricks().zero_sum
    assert Tricks(margin=True).zero_sum
    assert Tricks(2, 3, 3, 2, margin=True).max_utility == 4


def test_a_deal_is_public_and_its_cards_are_private() -> None:
    game = Tricks(2, 3, 2, 2)
    first, other = History(game).child(0), History(game).child(3)
    assert (first.observations, other.observations) == ((1, 0, 1), (4, 0, 1))
    assert first.key(1) == other.key(1)
    assert played(game, "a1 b1 a2 a3 b1").observations == (0, 0, 5)
