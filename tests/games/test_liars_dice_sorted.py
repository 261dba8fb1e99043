"""Liar's Dice with sorted dice, by hand and beside Liar's Dice."""

import itertools

import pytest
from naive.playing import played

from hiddenhand import unroll
from hiddenhand.errors import ParameterError
from hiddenhand.games.liars_dice import LiarsDice
from hiddenhand.games.liars_dice_sorted import SortedLiarsDice
from hiddenhand.solvers.linear_program import solve_lp

GAME = SortedLiarsDice(2, 2, 5)


def test_dice_are_seen_in_order_once_all_are_rolled() -> None:
    assert played(GAME, "4").observations == (0, 0, 1)
    assert played(GAME, "4 2").observations == (2 + 1 + 5 * 3, 0, 1)
    assert played(GAME, "4 2 5").observations == (0, 0, 1)
    assert played(GAME, "4 2 5 1").observations == (0, 2 + 0 + 5 * 4, 1)
    one, other = played(GAME, "4 2 5 1"), played(GAME, "2 4 1 5")
    assert one.state.tolist() == other.state.tolist()
    assert one.information_key == other.information_key
    assert "your dice: 2 4" in GAME.render(one.state, 0)
    assert "not rolled" in GAME.render(played(GAME, "4").state, 0)


def test_players_read_their_dice_once_all_are_rolled() -> None:
    places = [played(GAME, moves) for moves in ("", "4", "4 2", "4 2 5", "4 2 5 1")]
    told = [
        [GAME.tell(before.state, after.moves[-1], after.state, player) for player in (0, 1)]
        for before, after in itertools.pairwise(places)
    ]
    assert told == [["", ""], ["you roll 2 4", ""], ["", ""], ["", "you roll 1 5"]]


def test_the_value_is_that_of_the_dice_told_apart() -> None:
    apart, in_order = unroll(LiarsDice(2, 1, 2)), unroll(SortedLiarsDice(2, 1, 2))
    assert solve_lp(in_order).value == pytest.approx(solve_lp(apart).value, abs=1e-9)
    # of the 4 ways in which two dice of two faces fall, 3 are left; player 2 has one die
    after_bids = 2**6  # the sets of bids made so far
    assert apart.num_sets == (4 + 2) * after_bids // 2
    assert in_order.num_sets == (3 + 2) * after_bids // 2


def test_too_many_dice_are_refused() -> None:
    with pytest.raises(ParameterError, match="faces=100 is not allowed with 7 dice"):
        SortedLiarsDice(1, 7, 100)
