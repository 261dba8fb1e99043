"""Minimax on information-set trees, and the model of pursuit that it searches: exact values, a slow
twin, the printed formulas, and what is refused.

`VALUES` are of a slow, obvious program that is not part of this package: sums of the sizes of PP_P
over all moves, the pursuers searching to the end of the match, means over observations all alike.
"""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from naive.pursuit import Board, relaxed_lookahead, value

from hiddenhand import make_search, solve
from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.games.information_model import NO_OBSERVATION
from hiddenhand.games.registry import load_game
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.pursuit.games.layout import EVADER, PURSUERS, TIME
from hiddenhand.pursuit.games.maps import load_map
from hiddenhand.pursuit.games.terrain import nodes_of
from hiddenhand.pursuit.search.istminimax import ISTMinimax

ROWS = {
    "block5": "...../.###./.###./.###./.....",
    "wide6x7": "......./.##.##./.##.##./......./.##.##./.......",
}
BLOCK, WIDE = "map=block5,pursuers=1,start='e1 a1'", "map=wide6x7,pursuers=1,start='g1 a1'"
VALUES = [
    (BLOCK, "paranoid", {1: 1, 2: 3, 3: 5, 4: 6, 5: 7, 6: 9, 8: 12}),
    (BLOCK, "overconfident", {1: 1, 2: "13/6", 3: "29/9", 4: "38/9", 5: "47/9", 6: "2689/432"}),
    (f"{BLOCK},stay=false", "paranoid", {1: 1, 2: 2, 3: 3, 6: 6, 8: 8}),
    (f"{BLOCK},stay=false", "overconfident", {1: 1, 2: 2, 3: 3, 6: 6}),
    (WIDE, "paranoid", {1: 1, 2: 3, 3: 6, 4: 11, 5: 17, 6: 21, 8: 39}),
    (
        WIDE,
        "overconfident",
        {1: 1, 2: "13/6", 3: "61/18", 4: "505/108", 5: "3755/648", 6: "2939/432"},
    ),
    (f"{WIDE},stay=false", "paranoid", {1: 1, 2: 2, 3: 4, 4: 7, 5: 10, 6: 13, 8: 23}),
    (
        f"{WIDE},stay=false",
        "overconfident",
        {1: 1, 2: 2, 3: "13/4", 4: "9/2", 5: "45/8", 6: "20/3", 8: "209/24"},
    ),
    (
        "map=wide6x7,pursuers=1,start='g1 c1',sight=4",
        "paranoid",
        {1: 1, 2: 3, 3: 5, 4: 6, 5: 8, 6: 10, 8: 16},
    ),
    ("map=block5,start='e1 a1 a5'", "paranoid", {1: 1, 2: 3, 3: 4, 4: 5}),
]


def searched(game: str, seat: int = PURSUERS, **parameters: Any) -> ISTMinimax:
    """A search of the whole match from its start."""
    search = ISTMinimax(load_game(f"VP({game})"), **parameters)
    search.start(seat, 0)
    search.think(iterations=10**8)
    assert search.is_exact
    return search


@pytest.mark.parametrize(("game", "opponent", "values"), VALUES, ids=range(len(VALUES)))
def test_exact_values(game: str, opponent: str, values: dict[int, Any]) -> None:
    for moves, expected in values.items():
        search = searched(f"{game},moves={moves}", opponent=opponent)
        assert -search.value * moves == pytest.approx(float(Fraction(expected)), abs=1e-9)
        assert search.thought()["depth"] == moves


def test_logarithms_keep_the_order_of_what_was_acquired() -> None:
    """At the end of the match nothing is looked ahead: the value is the logarithm of that above."""
    search = searched(f"{BLOCK},moves=4", evaluation="urla_log")
    assert search.value == pytest.approx(-np.log10(6 / 4))


@pytest.mark.parametrize("seed", range(3))
def test_random_maps_against_a_twin(seed: int) -> None:
    """Alpha-beta, plain minimax and the twin find the same, and so does the mean."""
    rng = random.Random(seed)
    rows = rng.choice(["..#/.../#..", "...../.#.#./.....", ".../.#./.../#..", "......"])
    stay, sight = rng.random() < 0.5, rng.choice([1.5, 2.0, 9.0])
    board, places = Board(rows, sight, stay), load_map(rows)
    nodes = [rng.randrange(len(places.names)) for _ in range(3)]
    start = " ".join(places.names[node] for node in nodes)
    cells = [places.cells[node] for node in nodes]
    game = f"map='{rows}',sight={sight},stay={stay},start='{start}',moves=3"
    for mean in (False, True):
        expected = value(board, tuple(cells[1:]), cells[0], 3, mean)
        for pruning in (False, True):
            opponent = "overconfident" if mean else "paranoid"
            search = searched(game, opponent=opponent, pruning=pruning)
            assert -search.value * 3 == pytest.approx(float(expected), abs=1e-9)


def test_pruning_saves_leaves_and_changes_nothing() -> None:
    found = [searched(f"{WIDE},moves=5", pruning=pruning) for pruning in (False, True)]
    assert found[0].value == found[1].value
    assert found[1].thought()["iterations"] < found[0].thought()["iterations"] / 20


@pytest.mark.parametrize("objective", ["mean_size", "num_seen", "end_size"])
@pytest.mark.parametrize("seat", [EVADER, PURSUERS])
def test_what_is_searched_once_changes_nothing(seat: int, objective: str) -> None:
    """Of depth-limited searches at several times of a match, against plain minimax, to the bit."""
    game = f"map=wide6x7,sight=3,apart=5,moves=5,objective={objective}"
    for evaluation, moves in (("urla", 2), ("urla_log", 2), ("rla", 2), ("none", 1), ("urla", 4)):
        found = []
        for pruning in (False, True):
            search = ISTMinimax(
                load_game(f"VP({game})"), evaluation=evaluation, pruning=pruning, deepest=3
            )
            events = followed_events(search.game, seat, moves)
            search.start(seat, 0)
            search.notice(events)
            search.think(iterations=10**7)
            found.append(search)
        assert found[0].value == found[1].value
        assert found[0].depth_reached == found[1].depth_reached > 0


def followed_events(game: Any, player: int, moves: int) -> list[Event]:
    """What ``player`` notices in a random match before the decision after ``moves`` moves."""
    rng, history, events = np.random.default_rng(7), History(game), list[Event]()
    while not (history.player == player and history.state[TIME] == moves):
        chance = history.player == CHANCE
        move = history.sample_chance(rng) if chance else rng.choice(history.legal_actions())
        history = history.child(int(move))
        events += [event] if (event := history.noticed(player)) else []
    return events


def test_own_units_that_change_places_are_no_other_node() -> None:
    game = load_game("VP(map='.../.#./...',pursuers=3,moves=9,start='c3 a1 a1 c1')")
    model, keys = game.information_model(PURSUERS, depth=2), []
    for own in ((0, 0, 2), (0, 2, 0), (2, 0, 0), (0, 2, 2), (0, 0, 3)):
        node = np.zeros(model.node_size, np.int64)
        model.begin(node)
        model.own_nodes(node)[:] = own
        keys.append(int(model.identity(node)))
    assert keys[0] == keys[1] == keys[2]
    assert len(set(keys)) == 3
    model.find(node, 0, 1)
    assert int(model.identity(node)) not in keys


@pytest.mark.parametrize("start", ["c3 a1", "a2 b1"])
def test_the_exact_value_never_exceeds_the_paranoid_one(start: str) -> None:
    """A paranoid pursuer takes the evader for one that hides as if it knew the pursuer's moves."""
    game = f"map='..#/.../#..',pursuers=1,moves=2,sight=1.5,start='{start}'"
    tree = TreeGame.from_game(as_sequential(load_game(f"VP({game})")))
    exact = solve(tree, "lp").values[EVADER]
    assert 1.0 <= exact <= -searched(game).value + 1e-9


# --- relaxed lookahead ---


@pytest.mark.parametrize("stay", ["true", "false"])
@pytest.mark.parametrize(("evader", "expected"), [("d1", 1.0), ("c1", 0.0)])
def test_lookahead_by_hand(evader: str, expected: float, stay: str) -> None:
    """Nine nodes in a row, sight 2, d = 2, a pursuer on the first: the evader on node 3 stays out
    of sight on one node in each step, on node 2 on none.
    """
    game = load_game(f"VP(map='.........',sight=2,pursuers=1,start='{evader} a1',stay={stay})")
    model = game.information_model(PURSUERS, depth=2)
    node = np.zeros(model.node_size, np.int64)
    model.begin(node)
    assert model.lookahead(node) == -expected


def followed(game: Any, player: int, seed: int, moves: int) -> tuple[Any, Any, History]:
    """A model that has followed a random match, the node it has come to, and the match."""
    game, rng = as_sequential(game), np.random.default_rng(seed)
    model = game.game.information_model(player, depth=4, threshold=6)
    node = np.zeros(model.node_size, np.int64)
    model.begin(node)
    history = History(game)
    while not (history.player == EVADER and len(history.moves) >= 2 * moves):
        chance = history.player == -1
        move = history.sample_chance(rng) if chance else rng.choice(history.legal_actions())
        history = history.child(int(move))
        if event := history.noticed(player):
            model.notice(node, *event)
    return model, node, history


@pytest.mark.parametrize("stay", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_model_follows_a_match_and_looks_ahead(seed: int, stay: bool) -> None:
    """For both players: sets against the twin's, RLA against the printed formulas."""
    game = load_game(f"VP(map=wide6x7,sight=3,apart=5,stay={str(stay).lower()},moves=30)")
    board, cells = Board(ROWS["wide6x7"], 3.0, stay), game.places.cells
    for player in (EVADER, PURSUERS):
        model, node, history = followed(game, player, seed, 9)
        assert model.knows(node)
        sets = [
            frozenset(cells[n] for n in nodes_of(game.terrain, model.set_of(node, unit)))
            for unit in range(model.num_others)
        ]
        state = history.state
        own = frozenset(cells[n] for n in state[6:8]) if player else frozenset([cells[state[5]]])
        if player == PURSUERS:
            words = state[game.possible :][: game.terrain.num_words]
            assert sets == [frozenset(cells[n] for n in nodes_of(game.terrain, words))]
        everything = frozenset().union(*sets)
        expected = relaxed_lookahead(board, own, everything, 4, of_evader=player == EVADER)
        sign = 1 if player == EVADER else -1
        assert model.lookahead(node.copy()) == pytest.approx(sign * float(expected))


def test_both_forms_of_lookahead_agree() -> None:
    game = load_game("VP(map=wide6x7,sight=3,pursuers=2,apart=5)")
    tables = game.information_model(PURSUERS, depth=5).tables
    terrain = game.terrain
    room, nodes = np.zeros(2 * terrain.num_words, np.int64), np.zeros(terrain.num_words, np.int64)
    rng = np.random.default_rng(2)
    for hidden, *seers in rng.integers(0, 30, (40, 3)):
        terrain.only(hidden, nodes)
        array = np.array(seers)
        spread = tables.spreading(terrain, nodes, array, 2, room)
        assert tables.by_distance(hidden, array, 2) == spread


# --- observations ---


@pytest.mark.parametrize("player", [EVADER, PURSUERS])
@pytest.mark.parametrize("sees", ["sight", "all"])
def test_observations_are_all_there_are(player: int, sees: str) -> None:
    """Each can be made, none is there twice, and of each unit "hidden" is one exactly where a place
    is out of sight. Random ones are among them.
    """
    game = load_game(f"VP(map=wide6x7,sight=3,apart=5,moves=40,evader_sees={sees})")
    rng = np.array([1, 2, 3, 4], np.uint64)
    for seed in range(3):
        model, node, _ = followed(game, player, seed, 6)
        actions = np.zeros(model.max_actions, np.int64)
        assert model.legal_actions(node, actions) > 0
        model.act(node, int(actions[seed % 2]))
        found, last = [], NO_OBSERVATION
        while (last := model.next_observation(node, last)) != NO_OBSERVATION:
            found.append(last)
        assert len(set(found)) == len(found) > 0
        assert [model.may_observe(node, code) for code in found] == [True] * len(found)
        expected = 1
        for unit in range(model.num_others):
            nodes = nodes_of(game.terrain, model.set_of(node, unit))
            in_sight = set(nodes_of(game.terrain, node[model.in_sight :][: game.terrain.num_words]))
            if not 0 < node[model.sizes + unit] <= model.threshold:
                continue
            seen = nodes if model.sees_all else [n for n in nodes if n in in_sight]
            expected *= len(seen) + int(len(seen) < len(nodes))
        assert len(found) == expected
        for heavy in (False, True):
            assert model.draw_observation(node, rng, heavy) in found


# --- other games, and refusals ---


def test_any_game_is_searched_by_its_histories() -> None:
    """In matching pennies whoever is paranoid loses, and whoever is overconfident draws. In Kuhn
    poker a paranoid player who holds the king bets nothing away.
    """
    pennies = TreeGame.from_game(load_game("matrix_game([[1,-1],[-1,1]])"))
    values = []
    for opponent in ("paranoid", "overconfident"):
        search = ISTMinimax(pennies, opponent=opponent)
        search.think(iterations=100)
        values.append(search.value)
    assert values == [-1.0, 0.0]


def test_many_units_are_said_to_make_it_weak() -> None:
    search: Any = make_search("VP(map=block5,pursuers=6,apart=1,moves=2)", "istminimax")
    assert search.choice == ""  # it steers the evader
    search.start(PURSUERS, 0)
    assert (
        "steers 6 units by 729 joint actions; searches like this one become weak" in search.choice
    )
