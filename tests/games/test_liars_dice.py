"""Liar's Dice by hand."""

import pytest
from naive.liars_dice_payoff import liars_dice_payoff
from naive.playing import names_of, played

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.liars_dice import LiarsDice

LD_116 = LiarsDice(1, 1, 6)


def test_legal_actions() -> None:
    first = [f"{quantity}-{face}" for quantity in (1, 2) for face in range(1, 7)]
    assert names_of(played(LD_116, "1 1")) == first  # nobody to call a liar yet
    assert names_of(played(LD_116, "1 1 1-1")) == [*first[1:], "liar"]
    assert names_of(played(LD_116, "1 1 2-5")) == ["2-6", "liar"]
    assert names_of(played(LD_116, "1 1 2-6")) == ["liar"]  # after the top bid nothing else is left


def test_dice_are_rolled_one_at_a_time() -> None:
    game = LiarsDice(2, 1, 3)
    history = History(game)
    for seen_by in (0, 0, 1):  # player 0's first
        assert history.player == CHANCE
        assert history.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]
        history = history.child(2)
        assert history.observations == ((4, 0, 1) if seen_by == 0 else (0, 4, 1))
    assert history.player == 0


def test_bids_and_calls_are_public() -> None:
    assert played(LD_116, "1 1 1-2").observations == (0, 0, 3)
    assert played(LD_116, "1 1 1-2 liar").observations == (0, 0, 14)
    assert [played(LD_116, moves).player for moves in ("1 1", "1 1 1-2", "1 1 1-2 1-3")] == [
        0,
        1,
        0,
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [LiarsDice(1, 1, 3), LiarsDice(1, 2, 2), LiarsDice(2, 1, 3), LiarsDice(1, 1, 5)],
    ids=str,
)
def test_payoffs_against_the_naive_ones(game: LiarsDice) -> None:
    longest = 0
    for history in all_histories(game):
        longest = max(longest, len(history.moves))
        if history.is_terminal:
            assert history.returns()[0] == liars_dice_payoff(
                history.moves, game.num_dice, game.faces
            ), history
    assert longest == game.max_depth


def test_many_bids() -> None:
    """More than 62 bids do not fit into one entry of the state."""
    game = LiarsDice(20, 1, 6)
    history = played(game, " ".join(["1"] * 21) + " 1-1 10-3 11-3 21-6 liar")
    assert history.returns() == (1.0, -1.0)  # player 1 bid 21 stars
    assert game.render(history.state, 0).endswith(
        "bids: you 1-1, they 10-3, you 11-3, they 21-6, you liar"
    )
