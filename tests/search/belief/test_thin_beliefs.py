"""Beliefs that the cap leaves little or nothing of: found again by depth-first search, counted, and
never the end of a match.
"""

import itertools

import numpy as np
import pytest

from hiddenhand import make_player, play_match
from hiddenhand.budget import Budget
from hiddenhand.errors import GameError
from hiddenhand.games.history import Event, History
from hiddenhand.games.phantom_ttt import PhantomTicTacToe
from hiddenhand.games.tricks import Tricks
from hiddenhand.search.belief.belief import Belief

GAME = Tricks(3, 5, 3, 5)
"""Player 2 is dealt last: of 756,756 deals to the others, 252 leave what they hold."""


def played_on(game: Tricks, seed: int, length: int) -> tuple[History, list[Event]]:
    """A random history of some length in which player 2 moves next, and what player 2 noticed."""
    rng, history, events = np.random.default_rng(seed), History(game), list[Event]()
    while len(history.moves) < length or history.player != 2:
        history = history.child(
            history.sample_chance(rng)
            if history.player == -1
            else int(rng.choice(history.legal_actions()))
        )
        if event := history.noticed(2):
            events.append(event)
    return history, events


def consistent_deals(history: History) -> set[tuple[tuple[int, ...], ...]]:
    """The hands of players 0 and 1 that could have been, by trying all."""
    dealt, plays = history.moves[:15], history.moves[15:]
    others, found = sorted(set(range(15)) - set(dealt[10:])), set()
    for hand in itertools.combinations(others, 5):
        rest = tuple(card for card in others if card not in hand)
        tried = History(history.game)
        try:
            for move in (*hand, *rest, *dealt[10:], *plays):
                tried = tried.child(move)
        except GameError:
            continue
        found.add((hand, rest))
    return found


@pytest.mark.parametrize(("seed", "length"), [(1, 16), (2, 18), (3, 22), (4, 26)])
def test_a_thin_sample_becomes_whole(seed: int, length: int) -> None:
    history, events = played_on(GAME, seed, length)
    belief = Belief(GAME, 2, cap=20_000, seed=seed)
    belief.notice(events)
    deals = [
        (tuple(moves[:5]), tuple(moves[5:10]))
        for moves in (belief.moves_to(leaf) for leaf in range(belief.leaves.size))
    ]
    assert set(deals) == consistent_deals(history)
    assert len(deals) == len(set(deals))
    assert not belief.is_sample
    assert np.array_equal(belief.leaves.weight, np.ones(len(deals)))
    assert np.all(belief.leaves.keys[:, 2] == np.uint64(history.key(2)))


def test_a_belief_that_dies_is_found_again_in_part() -> None:
    """A cap of 20 histories does not survive a hand; all of them are too many to be kept."""
    history, events = played_on(GAME, 5, 15)
    belief = Belief(GAME, 2, cap=20, seed=5)
    belief.notice(events)
    assert belief.recoveries == 1
    assert 0 < belief.leaves.size <= 20
    assert belief.is_sample
    assert np.all(belief.leaves.keys[:, 2] == np.uint64(history.key(2)))
    assert belief.trie.size > belief.leaves.size  # with all that leads there


@pytest.mark.parametrize("spec", ["ismcts(selector=uct,cap=5)", "pimc(cap=5)"])
def test_no_match_ends_for_want_of_a_belief(spec: str) -> None:
    for seed in range(3):
        players = [make_player(GAME, spec) for _ in range(3)]
        record = play_match(GAME, players, seed, [Budget(iterations=100)] * 3, chance_seed=seed)
        assert sum(record.returns) == 5
        for decision in itertools.chain(*record.decisions):
            assert sum(decision.policy) == pytest.approx(1)
            if decision.thought["belief"] == 0:
                assert decision.thought["recoveries"] > 0
                assert len(set(decision.policy)) == 1


def test_a_belief_is_no_larger_than_the_search_that_follows() -> None:
    game = PhantomTicTacToe()
    history, rng, events = History(game), np.random.default_rng(1), list[Event]()
    while len(history.moves) < 7 or history.player != 1:
        history = history.child(int(rng.choice(history.legal_actions())))
        if event := history.noticed(1):
            events.append(event)
    sizes = {}
    for iterations in (None, 1, 120, 100_000):
        belief = Belief(game, 1, seed=1)
        belief.notice(events, iterations=iterations)
        sizes[iterations] = belief.leaves.size, belief.is_sample
    assert sizes[None] == sizes[100_000]
    assert not sizes[None][1]
    assert sizes[1] == (1000, True)
    assert sizes[120] == (1200, True)
