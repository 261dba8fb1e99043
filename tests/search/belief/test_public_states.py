"""Public states, by enumeration: what Sustr, Kovarik and Lisy (2019), Sections 3.1 and 3.2, ask of
them, and the frontiers that a match finds.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from naive.behaviour import random_profile
from naive.noticing import events_of
from naive.resolving import (
    SMALL_GAMES,
    frontier_of,
    history_at,
    prefixes,
    public_states,
    tree_of,
    upper_frontier,
)

from hiddenhand.games.base import Game
from hiddenhand.games.history import History
from hiddenhand.games.registry import load_game
from hiddenhand.jit.infoset_table import new_table, num_sets
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.history_trie import Leaves
from hiddenhand.search.belief.public_states import Frontier, frontier, remember
from hiddenhand.search.resolving.exact import _table_of
from hiddenhand.trees.profile import reach_probabilities
from hiddenhand.trees.tree import GameTree


def beliefs_at(
    game: Game, history: History, cap: int = 10**6, seed: int = 0
) -> tuple[Belief, Belief]:
    """What the player to move, and what all know there."""
    own, public = (
        Belief(game, history.player, cap=cap, seed=seed),
        Belief(game, game.num_players, cap=cap, seed=seed),
    )
    events = events_of(history, history.player)
    own.notice(events)
    public.notice(events)
    return own, public


def decisions(tree: GameTree, count: int, seed: int) -> Iterator[int]:
    """Some histories at which a player moves, no two in one information set."""
    _, first = np.unique(tree.information_set, return_index=True)
    nodes = [int(h) for h in first if tree.player[h] >= 0]
    yield from sorted(
        np.random.default_rng(seed).choice(nodes, min(count, len(nodes)), replace=False).tolist()
    )


def in_order(found: Frontier) -> list[int]:
    """The rows of a frontier by the number of the history."""
    return np.argsort(found.state[:, 0]).tolist()


# --- frontiers ---


@pytest.mark.parametrize("spec", SMALL_GAMES)
def test_the_frontier_of_a_match(spec: str) -> None:
    """Wherever somebody moves: exactly the upper frontier of the public state, with everybody's
    reach, and the own set in focus.
    """
    tree = tree_of(spec)
    profile = random_profile(tree, 1)
    table, reach, states = (
        _table_of(tree, profile, 0),
        reach_probabilities(tree, profile),
        public_states(tree),
    )
    for h in decisions(tree, 30, seed=1):
        own, public = beliefs_at(tree.game, history_at(tree, h))
        found = frontier(own, public, table, 0)
        expected = upper_frontier(tree, states[int(tree.keys[h, -1])])
        rows = in_order(found)
        assert found.state[rows, 0].tolist() == expected
        entry = next(g for g in (h, *prefixes(tree, h)) if g in expected)
        by_hand = frontier_of(tree, expected, reach, focus=int(tree.keys[entry, tree.player[h]]))
        np.testing.assert_allclose(found.reach[rows], by_hand.reach, rtol=1e-12)
        assert found.keys[rows].tolist() == by_hand.keys.tolist()
        assert found.history[rows].tolist() == by_hand.history.tolist()
        assert found.focus[rows].tolist() == by_hand.focus.tolist()
        assert found.weight.tolist() == [1.0] * found.size


# --- what is known about a match ---


def test_what_a_match_passed_is_remembered_as_it_was_first_found() -> None:
    tree = tree_of("Leduc")
    first, second = random_profile(tree, 2), random_profile(tree, 3)
    for h in decisions(tree, 10, seed=4):
        beliefs = beliefs_at(tree.game, history_at(tree, h))
        known = remember(beliefs, _table_of(tree, first, 0), 0, new_table(per_action=1))
        known = remember(beliefs, _table_of(tree, second, 0), 0, known)
        passed = {
            int(tree.information_set[g])
            for own in beliefs
            for leaf in own.leaves.state[:, 0]
            for g in prefixes(tree, int(leaf))
        }
        assert num_sets(known) == len(passed - {-1})
        found = frontier(*beliefs, known, 0)
        np.testing.assert_allclose(
            found.reach, reach_probabilities(tree, first)[found.state[:, 0]], rtol=1e-12
        )


# --- too many histories ---


@pytest.mark.slow
def test_a_sampled_frontier_has_the_own_set_and_stands_for_all() -> None:
    """IIGS(4) after two draws: the player's own set is whole where its belief is, and on average
    the weights count all histories of the others.
    """
    tree = tree_of("IIGS(4)")
    states = public_states(tree)
    h = max(
        (h for h in range(tree.num_histories) if tree.player[h] == 0),
        key=lambda h: len(states[int(tree.keys[h, -1])]),
    )
    whole = upper_frontier(tree, states[int(tree.keys[h, -1])])
    in_set = [g for g in whole if tree.keys[g, 0] == tree.keys[h, 0]]
    counted = []
    for seed in range(100):
        own, public = beliefs_at(tree.game, history_at(tree, h), cap=len(whole) // 2, seed=seed)
        assert public.is_sample
        assert not own.is_sample
        found = frontier(own, public, new_table(per_action=1), 0)
        assert set(found.state[:, 0].tolist()) <= set(whole)
        assert len(set(found.state[:, 0].tolist())) == found.size
        assert sorted(found.state[found.focus, 0].tolist()) == in_set
        counted.append(found.weight.sum())
    assert abs(np.mean(counted) - len(whole)) < 5 * np.std(counted) / 100**0.5


def test_a_frontier_without_an_own_belief() -> None:
    """If the sample of the own histories has died, the public one still says what there is."""
    tree = tree_of("IIGS(4)")
    h = next(
        h for h in range(tree.num_histories) if tree.player[h] == 0 and tree.level_start[4] <= h
    )
    own, public = beliefs_at(tree.game, history_at(tree, h))
    expected = frontier(own, public, new_table(per_action=1), 0)
    own._kept, public.is_sample = (
        (Leaves(*(array[:0] for array in vars(own.leaves).values())), own.trie),
        True,
    )
    found = frontier(own, public, new_table(per_action=1), 0)
    assert sorted(found.state[:, 0].tolist()) == sorted(expected.state[:, 0].tolist())


# --- phantom games: by belief only, the game is too large to be written out ---


def test_the_frontiers_of_phantom_tic_tac_toe() -> None:
    """With the first moves forced: the marks placed are public, so a frontier is all ways to place
    so many, failed attempts included.
    """
    game = load_game("phantom_ttt(forced_wins=True,forced_center=True)")
    waiting, counted = [History(game)], list[int]()
    for _ in range(3):
        waiting = [entered for history in waiting for entered in placed(history)]
        counted.append(len(waiting))
        for history, entry in (
            (waiting[0], waiting[0]),
            (waiting[-1], waiting[-1]),
            *((after, waiting[0]) for after in failed(waiting[0])),
        ):
            own, public = beliefs_at(game, history)
            found = frontier(own, public, new_table(per_action=1), 0)
            assert found.size == len(waiting)
            assert sorted(row.tolist() for row in found.state) == sorted(
                entered.state.tolist() for entered in waiting
            )
            assert len(set(found.history.tolist())) == found.size
            assert found.focus.sum() == sum(
                entered.key(history.player) == entry.key(history.player) for entered in waiting
            )
            assert set(found.keys[found.focus, history.player].tolist()) == {
                entry.key(history.player)
            }
    # the centre; it fails and one of 8 others succeeds; any of 8, of which one fails and has one of
    # 7 after it
    assert counted == [1, 8, 8 * (7 + 7)]


def placed(history: History) -> Iterator[History]:
    """All ways to place one more mark."""
    for move in history.legal_actions():
        after = history.child(move)
        if after.public_key != history.public_key:
            yield after
        else:
            yield from placed(after)


def failed(history: History) -> list[History]:
    """Failed attempts there: more moves in the same public state."""
    return [
        after
        for after in (history.child(move) for move in history.legal_actions())
        if after.public_key == history.public_key
    ]
