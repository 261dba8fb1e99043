"""Searches that start from histories draw them by the odds of chance."""

from collections.abc import Callable

import numpy as np
import pytest
from naive.noticing import events_of

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.history import History
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.search.belief.belief import Belief, kept_in
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.pimc import PIMC


def loaded_coin() -> TreeGame:
    """A coin falls unseen, on one side in 9 of 10 cases, and player 0 guesses. A right guess of
    that side earns 1, one of the other side 1.5, and a wrong one costs 1. So the likely side is
    worth 0.8 and the other one -0.75; if both were as likely, 0 and 0.25.
    """
    paid = np.array([0.0, 0.0, 0.0, 1.0, -1.0, -1.0, 1.5])
    return TreeGame(
        player=np.array([CHANCE, 0, 0, *np.full(4, TERMINAL)]),
        first_child=np.array([1, 3, 5, 0, 0, 0, 0]),
        num_children=np.array([2, 2, 2, 0, 0, 0, 0]),
        probability=np.array([1.0, 0.9, 0.1, 1.0, 1.0, 1.0, 1.0]),
        information_set=np.array([-1, 0, 0, -1, -1, -1, -1]),
        utilities=np.stack([paid, -paid], axis=1),
    )


@pytest.mark.parametrize(
    ("search", "answer"),
    [
        (lambda game: PIMC(game, simulations=20), [1, 0]),
        (lambda game: ISMCTS(game, belief="chance"), [1, 0]),
        (lambda game: ISMCTS(game, belief="modelled"), [1, 0]),
        (ISMCTS, [0, 1]),  # as its authors draw them: all alike
    ],
)
def test_the_likely_side_of_a_loaded_coin_is_guessed(
    search: Callable[[TreeGame], PIMC | ISMCTS], answer: list[int]
) -> None:
    game = loaded_coin()
    guessing = search(game)
    guessing.notice(events_of(History(game).child(0), 0))
    guessing.think(iterations=2000)
    assert list(guessing.policy(2).round()) == answer


COINS = 8


def loaded_coins() -> TreeGame:
    """Coins fall unseen, one after the other, each on the likely side in 4 of 5 cases. Then player
    0 has two actions, which earn nothing.
    """
    size = 2 ** (COINS + 2) - 1
    node = np.arange(size)
    level = np.floor(np.log2(node + 1)).astype(int)
    children = np.where(level <= COINS, 2, 0)
    return TreeGame(
        player=np.where(level < COINS, CHANCE, np.where(level == COINS, 0, TERMINAL)),
        first_child=np.where(children > 0, 2 * node + 1, 0),
        num_children=children,
        probability=np.where((level == 0) | (level > COINS), 1.0, np.where(node % 2, 0.8, 0.2)),
        information_set=np.where(level == COINS, 0, -1),
        utilities=np.zeros((size, 2)),
    )


@pytest.mark.slow
def test_a_capped_belief_is_an_unbiased_sample_of_the_likely() -> None:
    """Of 256 histories 32 are kept. Those with 7 or 8 coins on the likely side are 9, and half of
    the probability.
    """
    game = loaded_coins()
    here = History(game)
    while here.player == CHANCE:
        here = here.child(here.legal_moves()[0])
    count, likely, share = [], [], []
    for seed in range(200):
        belief = Belief(game, 0, cap=32, seed=np.random.SeedSequence(seed))
        belief.notice(events_of(here, 0))
        coins = np.array([moves.count(0) for moves in map(belief.moves_to, range(32))])
        count.append(belief.leaves.weight.sum())
        likely.append(belief.leaves.weight[coins >= 7].sum())
        share.append(belief.by_chance()[coins >= 7].sum())
    exact = 0.8**8 + 8 * 0.2 * 0.8**7
    for found, true in ((count, 256.0), (likely, 9.0), (share, exact)):
        error = np.std(found, ddof=1) / np.sqrt(len(found))
        assert abs(np.mean(found) - true) < 4 * error + 1e-9
    assert np.std(share) < 0.12  # 0.3 where all histories are as likely to be kept


def test_particles_are_kept_by_their_shares_but_never_twice() -> None:
    chances = kept_in(np.array([0.6, 0.3, 0.05, 0.05]), 2)
    assert chances == pytest.approx([1.0, 0.75, 0.125, 0.125])
