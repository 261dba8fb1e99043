"""IS-MCTS with merged beliefs: the belief against all histories, the corridor of the thesis, units
that are left out, the same in plain Python, playouts, and what is refused.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import Event, History
from hiddenhand.games.registry import load_game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.infoset_table import MISSING
from hiddenhand.pursuit.games.layout import EVADER, NODES, PURSUERS, TIME
from hiddenhand.pursuit.games.visibility import VisibilityPursuit
from hiddenhand.pursuit.search.merged_belief import States, at_most
from hiddenhand.pursuit.search.mo import MO

WIDE = "VP(map=wide6x7,sight=3,apart=5,moves=14)"


def decisions(
    search: MO, seed: int, text: str = WIDE
) -> Iterator[tuple[VisibilityPursuit, History]]:
    """Where the search decides in a match whose moves are drawn: it has noticed what there was."""
    game, rng = as_sequential(load_game(text)), np.random.default_rng(seed)
    history, events = History(game), list[Event]()
    while not history.is_terminal:
        if history.player == search.seat:
            search.notice(events)
            events = []
            yield game.game, history  # type: ignore[attr-defined]
        chance = history.player == CHANCE
        move = history.sample_chance(rng) if chance else rng.choice(history.legal_actions())
        history = history.child(int(move))
        if event := history.noticed(search.seat):
            events.append(event)


def started(seat: int, text: str = WIDE, **parameters: Any) -> MO:
    search = MO(load_game(text), **parameters)
    search.start(seat, 3)
    return search


# --- beliefs ---


def summed(search: MO, here: History, table: Any) -> dict[tuple[int, ...], float]:
    """How likely the nodes of all units are in the information set of ``here``, when the opponent
    plays by the visits in ``table``: all histories from the root, each with its probability.
    """
    seat, game = search.seat, here.game
    found: dict[tuple[int, ...], float] = defaultdict(float)
    waiting = [(History(game), 1.0)]
    while waiting:
        history, p = waiting.pop()
        if len(history.moves) == len(here.moves):
            if history.key(seat) == here.key(seat):
                nodes = history.state[NODES : game.game.where]  # type: ignore[attr-defined]
                found[tuple(nodes.tolist())] += p
            continue
        legal, q = history.legal_actions(), np.ones(0)
        key = game.information(history.state, history.player, 0)
        row = table.find(np.uint64(key))
        if history.player != seat and row != MISSING:
            q = table.values[row : row + len(legal)]
        shares = q / q.sum() if q.sum() else np.full(len(legal), 1 / len(legal))
        waiting += [
            (history.child(move), p * (1.0 if history.player == seat else float(share)))
            for move, share in zip(legal, shares, strict=True)
        ]
    total = sum(found.values())
    return {nodes: p / total for nodes, p in found.items()}


@pytest.mark.parametrize("seat", [EVADER, PURSUERS])
def test_merged_beliefs_are_those_of_all_histories_while_frequencies_are_frozen(seat: int) -> None:
    text = "VP(map='.../.#./...',sight=1.5,pursuers=1,moves=4,start='c3 b1',recall=last_seen)"
    search = started(seat, text, depth=3)
    search.think(iterations=400)
    table, compared = search.table, 0
    for _, history in decisions(search, 5, text):
        expected = summed(search, history, table)
        states = search.belief.states
        nodes = map(tuple, states.state[:, NODES : search.belief.game.where].tolist())
        found = dict(zip(nodes, states.probability.tolist(), strict=True))
        assert found.keys() == expected.keys()
        assert list(found.values()) == pytest.approx([expected[nodes] for nodes in found])
        compared += len(set(expected.values())) > 1
    assert compared >= 1


def test_the_pursuer_is_rather_behind_the_corner() -> None:
    """Page 46 of the thesis: an evader with a pursuer three steps behind turns a corner. After two
    more steps the pursuer may be as near as it can be, or have turned back.
    """
    rows = "/".join(["." * 11, *["#" * 10 + "."] * 5])
    text = f"VP(map='{rows}',pursuers=1,moves=30,start='j1 g1')"
    game, near = as_sequential(load_game(text)), {}
    for belief in ("modelled", "uniform"):
        search, history = started(EVADER, text, belief=belief, depth=12), History(game)
        for own in ("right", "down", "down"):
            search.think(iterations=2000)
            for name in (own, "right"):
                action = game.parse_action(history.state, history.player, name)
                history = history.child(action)
                search.notice([event] if (event := history.noticed(EVADER)) else [])
        heat = dict(zip(search._rules.places.names, search.heat(0).tolist(), strict=True))
        assert {name for name, p in heat.items() if p > 0} == {"f1", "g1", "h1", "i1", "j1"}
        near[belief] = heat["i1"] + heat["j1"]
    assert near["uniform"] == pytest.approx(2 / 5)
    assert near["modelled"] > 0.5


@pytest.mark.parametrize("seat", [EVADER, PURSUERS])
def test_beliefs_hold_the_truth(seat: int) -> None:
    """While no frequency is known, the belief reaches all that is possible: the pursuers' is PP,
    and the evader's has each unit that is followed where it is.
    """
    search, followed = started(seat, cap=10**6), set()
    for seed in range(6 if seat == EVADER else 2):
        search.start(seat, seed)
        for game, history in decisions(search, seed):
            units = search.belief.units
            followed.add(units)
            assert search.heat(0).sum() == pytest.approx(float(0 in units))
            if seat == PURSUERS:
                assert ((search.heat(0) > 0) == search.possible(0)).all()
                continue
            for unit in units:
                assert search.heat(unit)[history.state[NODES + 1 + unit]] > 0
            state = search.belief.states.state
            inner = search.belief.game
            assert state.shape[0] == 0 or (state[:, TIME] == history.state[TIME]).all()
            for unit in range(len(units)):
                seen = history.state[game.where + 1 + units[unit]]
                assert (state[:, inner.where + 1 + unit] == seen).all()
        assert search.belief.recoveries == 0
    assert followed == ({(0,)} if seat == PURSUERS else {(0,), (1,), (0, 1)})


def test_units_are_left_out_and_found_again() -> None:
    """With ``ignore`` 1 a hidden unit is left out at once; and where nobody is followed, the evader
    goes where relaxed lookahead is largest.
    """
    search, alone = started(EVADER, ignore=1), 0
    for _, history in decisions(search, 2):
        in_sight = {unit for unit in range(2) if search.possible(unit).sum() == 1}
        assert set(search.belief.units) == in_sight
        search.think(iterations=20)
        policy = search.policy(len(history.legal_actions()))
        assert policy.max() == 1.0
        alone += not in_sight
        assert (search.belief.states.size == 0) == (not in_sight)
    assert alone > 0


def test_a_belief_begins_anew_when_nothing_explains_what_was_noticed() -> None:
    search, died = started(EVADER, cap=1), 0
    for seed in range(8):
        search.start(EVADER, seed)
        for _ in decisions(search, seed):
            assert search.belief.states.size <= 1
            for unit in search.belief.units:
                assert (search.possible(unit) >= (search.heat(unit) > 0)).all()
        died += search.belief.recoveries
    assert died > 0


def test_a_sample_keeps_what_is_likely() -> None:
    states = States(np.arange(40).reshape(20, 2), np.array([0.5, *[0.5 / 19] * 19]))
    sample = at_most(states, 10, np.random.default_rng(0))
    assert sample.state[0].tolist() == [0, 1]
    assert sample.probability[0] == pytest.approx(0.5)
    assert sample.probability.sum() == pytest.approx(1.0)
    assert sample.size <= 6
    assert at_most(states, 20, np.random.default_rng(0)) is states


# --- iterations ---


@pytest.mark.parametrize("playout", ["no_return", "uniform", "informed"])
def test_compiled_code_and_plain_python_agree(playout: str) -> None:
    found = []
    for plain in (False, True):
        search = started(EVADER, playout=playout, depth=6)
        for _ in zip(range(3), decisions(search, 1), strict=False):
            if plain:
                walk = search.walk()
                for _ in range(25):
                    walk.iterate()
            else:
                search.think(iterations=25)
        found.append((search.table, search._counters[1:], search._rng))
    (one, counted, rng), (other, counted_plainly, rng_plainly) = found
    assert one.values.tobytes() == other.values.tobytes()
    assert one.keys.tobytes() == other.keys.tobytes()
    assert counted.tobytes() == counted_plainly.tobytes()
    assert rng.tobytes() == rng_plainly.tobytes()


@pytest.mark.parametrize("playout", ["no_return", "uniform", "informed"])
def test_playouts(playout: str) -> None:
    """Of a unit that came from the west: not back, anywhere; or, informed, to the nearest exit."""
    text = "VP(map='.....',moves=9,start='e1 c1 c1',stay=false)"
    walk = started(PURSUERS, text, playout=playout, informed=1.0).walk()
    walk.game.initial_state(walk.path.state)
    walk.path.state[walk.game.where] = 4
    drawn = []
    for _ in range(40):
        walk.path.state[NODES : NODES + 3] = 3, 2, 2
        walk.path.before[:] = 4, 1, 3
        walk._draw_moves(EVADER, playout == "informed")
        walk._draw_moves(PURSUERS, playout == "informed")
        drawn.append(walk.path.state[NODES : NODES + 3].tolist())
        assert walk.path.before.tolist() == [3, 2, 2]
    expected = {
        "no_return": [{2}, {3}, {1}],
        "uniform": [{2, 4}, {1, 3}, {1, 3}],
        "informed": [{4}, {3}, {3}],
    }
    assert [set(nodes) for nodes in zip(*drawn, strict=True)] == expected[playout]


def test_repetitions_prefer_what_is_likely() -> None:
    """A start is used for 1 + K p iterations."""
    counts = {}
    for repetitions in (0, 100):
        search = started(PURSUERS, repetitions=repetitions)
        walk = search.walk()
        states = States(np.zeros((2, walk.game.state_size), np.int64), np.array([0.9, 0.1]))
        walk = type(walk)(**{**vars(walk), "starts": states, "repetitions": repetitions})
        counts[repetitions] = sum(int(walk._next_start() == 0) for _ in range(2000)) / 2000
    assert counts[0] == pytest.approx(0.5, abs=0.1)
    assert counts[100] == pytest.approx(91 / 102, abs=0.1)


def test_moves_are_the_most_visited_or_drawn() -> None:
    for move in ("most_visited", "sampled"):
        search = started(PURSUERS, move=move)
        for _, history in decisions(search, 1):
            search.think(iterations=200)
            policy = search.policy(len(history.legal_actions()))
            break
        assert (policy.max() == 1.0) == (move == "most_visited")
        assert policy.sum() == pytest.approx(1.0)
