"""What continual resolving by sampling does whatever it samples: outcomes, from scratch or with
what was kept, or all actions of one player.
"""

from typing import Any

import numpy as np
import pytest
from naive.noticing import events_of
from naive.resolving import history_at, public_states, tree_of
from naive.tables import rows

from hiddenhand.budget import Budget
from hiddenhand.matches.match import play_match
from hiddenhand.players.fixed_policies import RandomPlayer
from hiddenhand.players.registry import make_player
from hiddenhand.search.making import make_search
from hiddenhand.search.resolving.continual import ContinualResolving

SPECS = ("mccr(mode=reset)", "mccr(mode=keep)", "mccr-external")


def search_of(spec: str, game: Any, seed: int = 0) -> Any:
    search = make_search(game, spec, seed=seed)
    assert isinstance(search, ContinualResolving)
    return search


@pytest.mark.parametrize("spec", SPECS)
def test_at_the_root_a_match_goes_on_with_what_was_found_before_play(spec: str) -> None:
    """The first mover of Goofspiel; and whoever goes on with it leaves it to others as it was."""
    tree = tree_of("IIGS(4)")
    whole, search = (search_of(spec, tree.game) for _ in range(2))
    for each in (whole, search):
        each.start(0, 1)
    whole.think(iterations=3000)
    search.think(iterations=2000)
    before = rows(search.resolver.table)
    branches = [search.branch([]) for _ in range(2)]
    search.notice([])
    assert rows(search.resolver.table) == before
    for each in (*branches, search):
        each.think(iterations=1000)
        assert rows(each.resolver.table) == rows(whole.resolver.table)


@pytest.mark.parametrize("spec", ["mccr(mode=reset)", "mccr-external"])
def test_what_is_found_depends_on_the_public_state_and_not_on_who_asked_before(spec: str) -> None:
    tree = tree_of("Leduc")
    states = [states[0] for states in public_states(tree).values() if tree.player[states[0]] == 0]
    found = list[Any]()
    for order in (states[1:4], states[3:0:-1]):
        search = search_of(spec, tree.game, seed=1)
        search.start(0, 1)
        search.think(iterations=500)
        tables = {}
        for node in order:
            branch = search.branch(events_of(history_at(tree, node), 0))
            branch.think(iterations=500)
            tables[node] = rows(branch.resolver.table)
        found.append(tables)
    assert found[0] == found[1]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", ["IIGS(5)", "hidden turns"])
def test_whole_matches(name: str, spec: str) -> None:
    game = tree_of(name).game
    for seat in range(2):
        players: list[Any] = [RandomPlayer(), RandomPlayer()]
        players[seat] = make_player(game, spec)
        budgets = [Budget(200), Budget(200)]
        record = play_match(game, players, seat, budgets, preplay=Budget(200), chance_seed=seat)
        thought = record.thought(seat)
        assert thought["recoveries"] == 0
        assert thought["gadget"] > 1
        assert thought["resolvings"] == len(
            {decision.thought["resolvings"] for decision in record.decisions[seat]} - {0}
        )


def test_capped_frontiers() -> None:
    """II-GS(4) with room for 8 histories, where frontiers have 12 to 42 at last."""
    game = tree_of("IIGS(4)").game
    for seed in range(4):
        players = [make_player(game, "mccr(cap=8,mode=keep)"), RandomPlayer()]
        budgets = [Budget(100), None]
        record = play_match(game, players, seed, budgets, preplay=Budget(100), chance_seed=seed)
        assert record.thought(0)["sampled"] > 0
        assert max(decision.thought["gadget"] for decision in record.decisions[0]) <= 12
        assert np.allclose([sum(decision.policy) for decision in record.decisions[0]], 1.0)
