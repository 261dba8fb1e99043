"""Liar's Dice by hand."""

import pytest
from naive.liars_dice_payoff import liars_dice_payoff
from naive.playing import names_of, played

from hiddenhand.errors import ParameterError
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.liars_dice import LiarsDice

LD_116 = LiarsDice(1, 1, 6)


@pytest.mark.parametrize(
    ("game", "moves", "payoff"),
    [
        (LD_116, "3 5 1-3 liar", 1),  # one 3 is there
        (LD_116, "3 5 1-4 liar", -1),  # no 4 and no star
        (LD_116, "3 6 1-4 liar", 1),  # the star counts as a 4
        (LD_116, "3 6 2-3 liar", 1),
        (LD_116, "3 5 2-6 liar", -1),
        (LD_116, "6 3 1-6 2-6 liar", 1),  # stars bid: only one of two
        (LD_116, "3 6 1-3 2-3 liar", -1),  # player 1's bid holds
        (LD_116, "3 4 1-6 liar", -1),  # a bid on stars counts stars only
        (LiarsDice(2, 1, 3), "1 2 1 2-1 liar", 1),
        (LiarsDice(2, 1, 3), "1 3 3 3-1 liar", 1),
        (LiarsDice(2, 1, 3), "1 3 2 2-1 3-1 liar", 1),  # two only: player 1 bid too high
    ],
)
def test_play(game: LiarsDice, moves: str, payoff: int) -> None:
    end = played(game, moves)
    assert end.is_terminal
    assert end.returns() == (payoff, -payoff)


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


def test_render_shows_the_own_dice_only() -> None:
    history = played(LiarsDice(2, 1, 4), "3 1 2 1-3 2-1")
    assert (
        history.game.render(history.state, 0)
        == "your dice: 3 1; theirs: 1; 4 is the star\nbids: you 1-3, they 2-1"
    )
    assert (
        history.game.render(history.state, 1)
        == "your dice: 2; theirs: 2; 4 is the star\nbids: they 1-3, you 2-1"
    )
    assert (
        LD_116.render(History(LD_116).state, 1)
        == "your dice: not rolled; theirs: 1; 6 is the star\nbids: none"
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dice1": 0}, "dice1=0 is not allowed; give an integer from 1 to 100"),
        ({"dice2": 101}, "dice2=101 is not allowed; give an integer from 1 to 100"),
        ({"faces": 1}, "faces=1 is not allowed; give an integer from 2 to 100"),
    ],
)
def test_rejects(parameters: dict[str, int], message: str) -> None:
    with pytest.raises(ParameterError, match=f"LiarsDice: {message}"):
        LiarsDice(**parameters)
