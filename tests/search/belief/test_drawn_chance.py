"""Games that draw their chance (`Game.sample_chance`) are searched as those that list it; what
needs a list says so.
"""

from functools import cache

import numpy as np
import pytest
from naive.drawn_games import UNLISTED_KUHN, DrawnKuhn, FiveCards
from naive.noticing import noticed

from hiddenhand import CR, ISMCTS, MCCR, OOS, PIMC, make_player, nash_conv, play_match, unroll
from hiddenhand.budget import Budget
from hiddenhand.errors import GameError
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.first_decision import root_strategy
from hiddenhand.trees.tree import GameTree


@cache
def kuhn_tree() -> GameTree:
    """Kuhn poker written out; information sets of all three forms have the same keys."""
    return unroll(KuhnPoker())


def test_a_list_that_is_not_needed_makes_no_difference() -> None:
    strategies = []
    for game in (DrawnKuhn(), UNLISTED_KUHN):
        search = OOS(game, seed=4)
        search.run(iterations=2000)
        strategies.append(search.strategy().on(kuhn_tree()))
    assert np.array_equal(*strategies)


@pytest.mark.parametrize("targeting", ["ist", "pst"])
def test_targeted_samples_weigh_as_they_should(targeting: str) -> None:
    """In the middle of a match half of all samples are aimed; the strategy of the whole game still
    comes out right.
    """
    gaps = []
    for seed in range(3):
        search = OOS(DrawnKuhn(), targeting=targeting, delta=0.5, seed=seed)
        search.start(1, seed)
        search.notice(noticed(DrawnKuhn(), 1, (0, 1, 1)))
        assert search.thought()["target"] > 0
        search.think(iterations=200_000)
        gaps.append(nash_conv(kuhn_tree(), search.strategy().on(kuhn_tree())))
    assert max(gaps) < 0.06


def test_a_belief_looks_through_the_list_where_there_is_one() -> None:
    beliefs = [Belief(game, 1) for game in (KuhnPoker(), DrawnKuhn())]
    for belief in beliefs:
        belief.notice(noticed(belief.game, 1, (0, 1, 1)))
    listed, drawn = beliefs
    assert not drawn.is_drawn
    assert np.array_equal(listed.leaves.keys, drawn.leaves.keys)
    assert np.array_equal(listed.trie.probability, drawn.trie.probability)
    dealt = drawn.trie.probability < 1  # nodes that a deal leads to
    assert drawn.trie.index[dealt].tolist() == [
        0,
        2,
        1,
        1,
    ]  # the cards themselves: J and K to player 0, Q to player 1
    assert listed.trie.index[dealt].tolist() == [
        0,
        2,
        0,
        1,
    ]  # the second deal has two outcomes left to count


def test_a_belief_without_a_list_draws_and_weighs_by_probability() -> None:
    game = UNLISTED_KUHN
    belief = Belief(game, 1, seed=3)
    belief.notice(noticed(game, 1, (0, 1, 1)))
    assert belief.is_drawn
    assert belief.is_sample
    states, where = np.unique(belief.leaves.state, axis=0, return_inverse=True)
    assert states[:, 0].tolist() == [1, 3]  # what the opponent may hold
    mass = np.bincount(where.ravel(), belief.leaves.weight)
    assert np.allclose(mass, 1 / 6, rtol=0.05)


def test_what_needs_a_list_refuses_a_game_without_one() -> None:
    for needs in (unroll, CR, lambda game: MCCR(game, values="exact")):
        with pytest.raises(GameError, match="does not list the outcomes"):
            needs(UNLISTED_KUHN)


def test_exact_resolving_of_a_game_that_also_draws_is_as_of_one_that_does_not() -> None:
    """Values are handed down by names of histories, in which outcomes are called what beliefs call
    them.
    """
    policies = []
    for game in (KuhnPoker(), DrawnKuhn()):
        search = CR(game)
        search.start(1, 0)
        search.think(iterations=200)
        search.notice(noticed(game, 1, (0, 1, 1)))
        search.think(iterations=200)
        assert search.gadget is not None
        policies.append((search.policy(2), search.gadget.payoff))
    assert np.array_equal(policies[0][0], policies[1][0])
    assert np.array_equal(policies[0][1], policies[1][1])


def test_matches_and_reports_need_no_list() -> None:
    game = UNLISTED_KUHN
    players = [make_player(game, name) for name in ("mccr", "ismcts(belief=modelled)")]
    record = play_match(game, players, seed=5, budgets=[Budget(iterations=300)] * 2)
    assert sum(record.returns) == 0
    assert all(
        sum(decision.policy) == pytest.approx(1)
        for decisions in record.decisions
        for decision in decisions
    )
    assert root_strategy(game, OOS(game).strategy())


def test_a_deal_of_millions_of_outcomes_is_drawn() -> None:
    game = FiveCards()
    search = ISMCTS(game, seed=1)
    assert search.run(iterations=20_000).information_sets > 10_000
    assert search._path.sigma.size < 100
    pimc = PIMC(game)
    pimc.start(0, 1)
    pimc.notice(noticed(game, 0, (0b11111, 0b1111100000)))  # no draw is likely to be this hand
    pimc.think(iterations=10)
    assert pimc.policy(2).tolist() == [0.5, 0.5]
    assert pimc.thought()["recoveries"] == 1
