"""Tree search on information-set trees: what it converges to, the same in plain Python, each
simulation, the limit of the tree, and what is refused.
"""

from typing import Any

import numpy as np
import pytest
from naive.pursuit import Board, action_values

from hiddenhand import make_search
from hiddenhand.errors import GameError
from hiddenhand.games.history import Event, History
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.pursuit.games.layout import EVADER, PURSUERS
from hiddenhand.pursuit.games.terrain import nodes_of
from hiddenhand.pursuit.search.istmcts import ISTMCTS, ITERATIONS, SIZE, VISITS

BLOCK = "...../.###./.###./.###./....."
SIMULATIONS = ("random", "heavy", "none", "rla", "urla", "urla_log", "region")


def after(game: str, seat: int, moves: int) -> tuple[Any, list[Event]]:
    """A game, and what ``seat`` noticed in a random match until it is to move."""
    sequential, rng = as_sequential(load_game(f"VP({game})")), np.random.default_rng(1)
    history, events = History(sequential), list[Event]()
    while not (history.player == seat and len(history.moves) >= moves):
        chance = history.player == -1
        move = history.sample_chance(rng) if chance else rng.choice(history.legal_actions())
        history = history.child(int(move))
        if event := history.noticed(seat):
            events.append(event)
    return sequential, events


def searching(
    game: str = "map=wide6x7,sight=3,apart=5,moves=20", seat: int = PURSUERS, **parameters: Any
) -> ISTMCTS:
    """A search after some moves of a random match."""
    sequential, events = after(game, seat, 9)
    search = ISTMCTS(sequential, **parameters)
    search.start(seat, 3)
    search.notice(events)
    return search


@pytest.mark.parametrize("simulation", ["none", "random"])
@pytest.mark.parametrize("start", ["e1 a1", "c1 a2"])
def test_long_runs_choose_a_best_move(start: str, simulation: str) -> None:
    """Of full-depth paranoid search, by the slow twin. Logarithms keep the order of values."""
    game = load_game(f"VP(map=block5,pursuers=1,start='{start}',moves=3)")
    search = ISTMCTS(game, simulation=simulation, exploration=0.5)
    search.start(PURSUERS, 1)
    search.think(iterations=20_000)
    chosen = int(np.argmax(search.policy(search._num_legal)))
    cells = game.places.cells
    evader, pursuer = (cells[node] for node in game.starts)
    values = action_values(Board(BLOCK), (pursuer,), evader, 3)
    there = cells[game.terrain.exits[game.starts[1], 1 + chosen]]
    assert values[(there,)] == min(values.values()) < max(values.values())


@pytest.mark.parametrize("seat", [EVADER, PURSUERS])
@pytest.mark.parametrize("opponent", ["paranoid", "overconfident"])
def test_compiled_code_and_plain_python_agree(opponent: str, seat: int) -> None:
    """Bit for bit, in every simulation."""
    for simulation in SIMULATIONS:
        compiled = searching(seat=seat, simulation=simulation, opponent=opponent, length=8)
        compiled.think(iterations=25)
        plain = searching(seat=seat, simulation=simulation, opponent=opponent, length=8)
        assert plain._search.run(25) == 25
        for name in ("links", "totals", "counters", "rng"):
            one, other = getattr(compiled._search, name), getattr(plain._search, name)
            assert one.tobytes() == other.tobytes(), (simulation, name)


def test_each_iteration_adds_a_node_until_the_tree_is_full() -> None:
    for opponent in ("paranoid", "overconfident"):
        search = searching(nodes=1000, opponent=opponent)
        search.think(iterations=700)
        assert search._search.counters[SIZE] == 701
        search.think(iterations=6000)
        assert search._search.counters[SIZE] == 1000
        assert search._search.counters[ITERATIONS] == search._search.links[0, VISITS] == 6700
        assert search._root_visits().sum() == 6700


def test_values_are_of_the_scale_that_is_said() -> None:
    """Of a set with one place, hidden for 20 moves in a row: log10 of a mean size is 0 or more; on
    a scale of logarithms relaxed lookahead is log10(1 + x).
    """
    plain, scaled = searching(), searching(logarithm=True)
    for search in (plain, scaled):
        search.think(iterations=30)
    values, logs = plain.root_values(), scaled.root_values()
    assert (values <= 0).all()
    assert (logs >= -np.log10(1 + 30)).all()
    assert values.min() < logs.min() < 0
    random = searching(simulation="random")
    random.think(iterations=300)
    assert (random.root_values() <= 0).all()
    assert (random.root_values() > -np.log10(30)).all()


def test_what_a_search_believes() -> None:
    """Of the pursuers it is PP_P of the match; of the evader, a unit that was never seen is left
    out.
    """
    sequential, events = after("map=wide6x7,sight=3,apart=5,moves=20", PURSUERS, 9)
    history, rng = History(sequential), np.random.default_rng(1)
    while not (history.player == PURSUERS and len(history.moves) >= 9):
        chance = history.player == -1
        move = history.sample_chance(rng) if chance else rng.choice(history.legal_actions())
        history = history.child(int(move))
    game = sequential.game
    for name in ("istmcts", "istminimax"):
        search: Any = make_search(sequential, name)
        search.start(PURSUERS, 0)
        search.notice(events)
        words = history.state[game.possible :][: game.terrain.num_words]
        assert np.flatnonzero(search.possible(0)).tolist() == nodes_of(game.terrain, words)
        assert search.heat(0).sum() == pytest.approx(1.0)
        search.start(EVADER, 0)
        assert not search.possible(1).any()
        assert not search.heat(1).any()
    with pytest.raises(GameError, match="has no model that says where units may be"):
        make_search("Kuhn", "istmcts").possible(0)  # type: ignore[attr-defined]


def test_simulations_end_where_length_says() -> None:
    """Longer simulations see more moves in which the evader is lost."""
    lengths = {}
    for length in (1, 12):
        search = searching(simulation="random", length=length)
        search.think(iterations=2000)
        lengths[length] = search.root_values().mean()
    assert lengths[12] < lengths[1]


@pytest.mark.parametrize("spec", ["istmcts(simulation=none)", "istmcts(simulation='none')"])
def test_none_is_no_simulation(spec: str) -> None:
    """In a name the word none, without quotes, is None."""
    same = ISTMCTS(load_game("Kuhn"), simulation="none", seed=1)
    for search in (found := make_search("Kuhn", spec, seed=1), same):
        search.start(0, 1)
        search.think(iterations=50)
    assert found._simulation != ISTMCTS(load_game("Kuhn"))._simulation  # type: ignore[attr-defined]
    assert found.policy(2).tolist() == same.policy(2).tolist()


def test_only_pursuers_have_heavy_simulations() -> None:
    found = {}
    for seat in (EVADER, PURSUERS):
        for simulation in ("heavy", "random"):
            search = searching(seat=seat, simulation=simulation)
            search.think(iterations=50)
            found[seat, simulation] = search._search.totals.tobytes()
    assert found[EVADER, "heavy"] == found[EVADER, "random"]
    assert found[PURSUERS, "heavy"] != found[PURSUERS, "random"]
