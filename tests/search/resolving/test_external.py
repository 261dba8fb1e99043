"""Continual resolving by external sampling: against its slow twin, against exact values, against
itself, and in matches.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from covering import covering
from naive.gadget_sampling import Exactness, assert_alike, gadget_at, starts_of
from naive.resolving import NaiveExternal, frontier_of, public_states, tree_of, upper_frontier
from naive.small_games import Forgetful
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import TERMINAL, State
from hiddenhand.games.registry import load_game
from hiddenhand.jit.infoset_table import num_sets
from hiddenhand.search.resolving.external import (
    MOST_MOVES,
    MOVES_AN_ITERATION,
    ExternalMCCR,
    ExternalResolver,
)
from hiddenhand.search.resolving.gadgets import Gadget, root_gadget
from hiddenhand.search.traversal import ADDED, ITERATIONS, MOVES, REFUSED
from hiddenhand.trees.tree import GameTree


def resolver_at(
    tree: GameTree, gadget: Gadget, moves: int, seed: int = 1, tremble: float = 0.0
) -> ExternalResolver:
    """One that has turned to ``gadget``."""
    resolver = ExternalResolver(tremble=tremble)
    resolver.start(tree.game, seed)
    resolver.begin(gadget, int(gadget.keys[0, -1]), moves)
    return resolver


# --- what it computes ---


@covering(
    "spec, seat, at_root, tremble",
    [("Kuhn", 0), ("Kuhn", 1), ("hidden turns", 0), ("hidden turns", 1), ("Leduc", 1)],
    [True, False],
    [0.0, 0.7],
)
def test_agrees_with_its_slow_twin(spec: str, seat: int, at_root: bool, tremble: float) -> None:
    tree = tree_of(spec)
    gadget = root_gadget(tree.game, seat) if at_root else gadget_at(tree, seat)
    moves = 0 if at_root else 1
    resolver = resolver_at(tree, gadget, moves, tremble=tremble)
    twin = NaiveExternal(
        starts_of(tree, gadget),
        seat,
        epsilon=0.0,
        focus=0.5,
        corrected=True,
        moves=moves,
        here=not at_root,
        keeps=False,
        arithmetic=True,
        rng=Xoshiro(resolver._rng.tolist()),
        tremble=tremble,
    )
    resolver.think(300, None)
    for _ in range(300):
        twin.iterate()
    assert resolver._rng.tolist() == twin.rng.state
    assert resolver._counters[MOVES] == twin.moves_made
    assert_alike(resolver, twin)


@pytest.mark.parametrize(
    ("spec", "seat", "at_root"),
    [("Kuhn", 0, False), ("Kuhn", 1, False), ("Kuhn", 1, True), ("hidden turns", 1, False)],
)
def test_what_is_added_is_right_on_average(spec: str, seat: int, at_root: bool) -> None:
    """Sampled regrets, at the gadget too, mean strategies and values, with half of the samples from
    the own set.
    """
    tree = tree_of(spec)
    gadget = root_gadget(tree.game, seat) if at_root else gadget_at(tree, seat)
    exact = Exactness(tree, gadget, resolver_at(tree, gadget, 0 if at_root else 1))
    assert (exact.resolver._root.focus > 0) == (not at_root)
    for i in range(2):
        off = exact.deviations(i, 200_000)
        assert off.size >= 20
        assert off.max() < 5


# --- the search as a whole ---


def test_counters_add_up() -> None:
    tree = tree_of("Leduc")
    for gadget, moves in ((root_gadget(tree.game, 0), 0), (gadget_at(tree, 0), 1)):
        resolver = resolver_at(tree, gadget, moves)
        resolver.think(5000, None)
        counters = resolver._counters
        assert counters[ITERATIONS] == 5000 == resolver.thought()["iterations"]
        assert counters[ADDED] == num_sets(resolver.table)
        assert counters[REFUSED] == 0
        assert 0 <= counters[MOVES] - 5000 * MOVES_AN_ITERATION < 1000


def test_all_that_may_come_next_has_a_value() -> None:
    tree = tree_of("Leduc")
    search = ExternalMCCR(tree.game)
    search.start(1, 1)
    search.think(iterations=5000)
    states = public_states(tree)
    first = next(key for key, nodes in states.items() if any(tree.player[h] == 1 for h in nodes))
    nodes = upper_frontier(tree, states[first])
    found, _ = search.resolver.values(frontier_of(tree, nodes, np.ones((tree.num_histories, 3))))
    assert not np.isnan(found).any()


# --- limits ---


@dataclass(frozen=True)
class Over(Forgetful):
    """A game that ends at once."""

    def current_player(self, state: State) -> int:
        return TERMINAL


def test_a_game_that_ends_at_once_is_searched() -> None:
    search = ExternalMCCR(Over())
    search.think(iterations=3)
    assert search.thought()["iterations"] == 3


def test_traversals_of_a_large_game_come_to_an_end() -> None:
    """II-Goofspiel with 13 cards, where following all actions would never end. First actions are
    drawn in sets for which there is no room yet, later after so many moves.
    """
    search = ExternalMCCR(load_game("IIGS(13)"), seed=1)
    for iterations in (1, 50_000, 50_000):
        search.think(iterations=iterations)
        counters = search.resolver._counters  # type: ignore[attr-defined]
        assert counters[MOVES] < MOVES_AN_ITERATION * counters[ITERATIONS] + 3 * MOST_MOVES
    assert counters[REFUSED] > 0
    assert counters[ADDED] == num_sets(search.resolver.table)
