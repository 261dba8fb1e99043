"""The sealed auction by hand. OpenSpiel's sizes are in `studies/openspiel_agreement.py`."""

import numpy as np
import pytest
from naive.playing import names_of, played

from hiddenhand import nash_conv, unroll
from hiddenhand.games.base import ALL_SEEING, CHANCE, SPECTATOR
from hiddenhand.games.first_sealed_auction import FirstSealedAuction
from hiddenhand.games.history import all_histories

GAME = FirstSealedAuction(3, 4)


def test_bids_lie_below_the_value() -> None:
    assert names_of(played(GAME, "4 2 1")) == ["0", "1", "2", "3"]
    assert names_of(played(GAME, "4 2 1 3 0")) == ["0"]


def test_a_tie_is_drawn() -> None:
    tied = played(GAME, "3 2 3 1 1 0")
    assert tied.player == CHANCE
    assert tied.chance_outcomes() == [(0, 0.5), (1, 0.5)]


def test_plays_and_uniform_payoffs_are_those_of_openspiel() -> None:
    """Of first_sealed_auction(max_value=3): 36 pairs of values and bids, and in 14 of these a tie,
    which has two ends. OpenSpiel 2.0.2 has as many ends, and the same payoffs in uniform play.
    """
    game = FirstSealedAuction(2, 3)
    ends = [history for history in all_histories(game) if history.is_terminal]
    assert len(ends) == sum(v * w for v in (1, 2, 3) for w in (1, 2, 3)) + 14
    assert max(max(end.returns()) for end in ends) == game.max_utility == 3
    assert max(len(end.moves) for end in ends) == game.max_depth


def test_the_equilibrium_for_small_values() -> None:
    """Bids of 0, 1 and 1 for the values 1, 2 and 3, see the docstring of the game."""
    tree = unroll(FirstSealedAuction(2, 3))
    bids = {1: 0, 2: 1, 3: 1}

    def profile(of: dict[int, int]) -> np.ndarray:
        found = np.ones(tree.num_sequences)
        for number in range(tree.num_sets):
            size = int(tree.set_start[number + 1] - tree.set_start[number])
            found[tree.set_start[number] : tree.set_start[number + 1]] = np.eye(size)[of[size]]
        return found

    assert nash_conv(tree, profile(bids)) == pytest.approx(0.0, abs=1e-12)
    assert nash_conv(tree, profile({1: 0, 2: 1, 3: 2})) > 0.1
    assert nash_conv(tree, profile({1: 0, 2: 0, 3: 1})) > 0.1


def test_words() -> None:
    """Nobody reads a bid of another; all learn who wins."""
    before = played(GAME, "4 2 3 2 1")
    after = before.child(0)
    told = [
        GAME.tell(before.state, 0, after.state, observer)
        for observer in (0, 2, ALL_SEEING, SPECTATOR)
    ]
    assert told == [
        "player 3 makes a bid; you win the item",
        "you bid 0; player 1 wins the item",
        "player 3 bids 0; player 1 wins the item",
        "player 3 makes a bid; player 1 wins the item",
    ]
    assert GAME.render(after.state, 1) == "your value: 2; your bid: 1\nplayer 1 wins the item"
    assert GAME.hidden(after.state, 1) == (
        "player 1 has the value 4 and bid 2, player 3 has the value 3 and bid 0"
    )
    drawn = played(GAME, "4")
    assert GAME.tell(drawn.state, 1, drawn.child(1).state, 1) == "you have the value 2"
    assert GAME.tell(drawn.state, 1, drawn.child(1).state, 0) == ""
