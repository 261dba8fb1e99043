"""Pursuit with limited sight: possible positions against all histories, measures by hand, starts,
tokens, information sets, and what is said about wrong parameters.
"""

import itertools
from collections import defaultdict

import numpy as np
import pytest
from naive.pursuit import Board

from hiddenhand.games.base import CHANCE
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.registry import load_game
from hiddenhand.games.rule_digests import remembers_all
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.pursuit.games.layout import EVADER, NODES, PURSUERS, SEEN, SIZE, SUM
from hiddenhand.pursuit.games.terrain import nodes_of
from hiddenhand.pursuit.games.visibility import VisibilityPursuit

SPLIT = "..#/.../#.."


def played(game: VisibilityPursuit, *moves: tuple[str, str]) -> History:
    """The history after moves given by name, from named starts."""
    history = History(game)
    for names in moves:
        actions = [game.parse_action(history.state, p, name) for p, name in enumerate(names)]
        history = history.child(tuple(actions))
    return history


def possible(game: VisibilityPursuit, history: History) -> set[int]:
    """PP_P."""
    words = history.state[game.possible :][: game.terrain.num_words]
    nodes = set(nodes_of(game.terrain, words))
    assert len(nodes) == history.state[SIZE]
    return nodes


# --- possible positions ---


def grouped(game: VisibilityPursuit) -> dict[tuple[int, int], list[History]]:
    """All histories in which the units are placed, by how long they are and what the pursuers
    noticed.
    """
    found = defaultdict(list)
    for history in all_histories(game):
        if history.player != CHANCE:
            found[len(history.moves), history.key(PURSUERS)].append(history)
    return found


@pytest.mark.parametrize(
    ("start", "sight", "stay"),
    [("c3 a1", 1.5, False), ("c3 a1", 9, True), ("a1 a1", 9, False), ("a1 a1", 1.5, True)],
)
def test_possible_positions_are_those_of_all_histories(
    start: str, sight: float, stay: bool
) -> None:
    """Where both players know the starts."""
    game = VisibilityPursuit(SPLIT, 1, 2 + (not stay), sight, stay=stay, start=start)
    for alike in grouped(game).values():
        nodes = {int(history.state[NODES]) for history in alike}
        for history in alike:
            assert possible(game, history) == nodes
            assert history.state[SEEN] == alike[0].state[SEEN]


@pytest.mark.parametrize("text", ["wide6x7", "block5"])
def test_possible_positions_against_sets(text: str) -> None:
    """Long plays against the slow twin, with two units."""
    rows = {
        "wide6x7": "......./.##.##./.##.##./......./.##.##./.......",
        "block5": "...../.###./.###./.###./.....",
    }[text]
    game = VisibilityPursuit(text, 2, 30, 3.0, apart=4)
    board, cells = Board(rows, 3.0), game.places.cells
    rng = np.random.default_rng(1)
    history = History(game)
    while history.player == CHANCE:
        history = history.child(history.sample_chance(rng))
    s, total, seen = frozenset([cells[history.state[NODES]]]), 0, 1
    while not history.is_terminal:
        history = history.child(tuple(int(rng.choice(history.legal_actions(p))) for p in range(2)))
        evader, *units = (cells[node] for node in history.state[NODES : NODES + 3])
        in_sight = board.v(frozenset(units))
        s = frozenset([evader]) if evader in in_sight else board.t(s) - in_sight
        assert {cells[node] for node in possible(game, history)} == s
        total += len(s)
        seen += evader in in_sight
    assert game.measures(history.state) == {
        "mean_size": total / 30,
        "num_seen": seen,
        "end_size": len(s),
    }
    assert history.returns() == (total / 30, -total / 30)


# --- by hand ---


def test_measures_by_hand() -> None:
    """On a ring of 16 cells: the evader goes round the corner, then on, and is seen again."""
    moves = [("down", "stay"), ("down", "right"), ("up", "right"), ("up", "right")]
    sizes = [1, 2, 3, 1]
    # after move 1: e1, e2 are possible, e1 is in sight; after 2: e1 ... e3 less e1; after 3: e2,
    # e3, e4 (c1 sees all of row 1); after 4 the evader is on e1, in sight
    for objective, payoff in (("mean_size", sum(sizes) / 4), ("num_seen", -2.0), ("end_size", 1.0)):
        game = VisibilityPursuit("block5", 1, 4, objective=objective, start="e1 a1")
        history = played(game, *moves)
        assert history.returns() == (payoff, -payoff)
        assert history.is_terminal
        assert game.measures(history.state) == {
            "mean_size": 7 / 4,
            "num_seen": 2.0,
            "end_size": 1.0,
        }
    assert history.state[SUM] == 7


def test_tokens() -> None:
    game = VisibilityPursuit("block5", 1, 4, start="e1 a1")
    number = game.places.number
    hidden = played(game, ("down", "stay"))
    assert hidden.observations == (1, 1, 1)
    seen = played(game, ("left", "right"))
    assert seen.observations == (1 + 1 + number["b1"], 2 + number["d1"], 1)
    knowing = VisibilityPursuit("block5", 1, 4, start="e1 a1", evader_sees="all")
    assert played(knowing, ("down", "stay")).observations == (1 + 1 + number["a1"], 1, 1)
    two = VisibilityPursuit("block5", 2, 4, start="e1 a1 a5")
    assert played(two, ("stay", "stay,stay")).observations[0] == 1 + 17 * (1 + number["a1"])


# --- starts ---


def test_starts() -> None:
    """Every start that chance can draw, against the words of page 105."""
    game = VisibilityPursuit("wide6x7", 2, 1, 3.0, apart=8)
    distance, terrain = game.terrain.distance, game.terrain
    root, drawn = History(game), set()
    for first, p in root.chance_outcomes():
        after = root.child(first)
        seconds = after.chance_outcomes()
        assert [second for second, _ in seconds] == [
            node for node in range(30) if distance[first, node] >= 8
        ]
        drawn.add((first, round(1 / p)))
        for second, _ in seconds[:2]:
            away = np.minimum(distance[first], distance[second]).astype(int)
            visible = [n for n in range(30) if terrain.sees(first, n) or terrain.sees(second, n)]
            farthest = max(away[n] for n in visible)
            evaders = [n for n, _ in after.child(second).chance_outcomes()]
            assert evaders == [n for n in visible if away[n] == farthest]
    assert {first for first, _ in drawn} == {n for n in range(30) if distance[n].max() >= 8}
    assert len({count for _, count in drawn}) == 1


# --- information sets ---


@pytest.mark.parametrize(("recall", "all_remembered"), [("perfect", True), ("last_seen", False)])
def test_in_turns_players_remember_what_they_do_in_the_game(
    recall: str, all_remembered: bool
) -> None:
    game = TurnBased(VisibilityPursuit(SPLIT, 1, 3, 1.5, recall=recall, start="c3 a1"))
    assert remembers_all(game) == all_remembered


def test_last_seen_keeps_what_page_101_lists() -> None:
    """Two sets are one exactly if the time, the own nodes, and where and when each unit of the
    other side was seen last are the same.
    """
    game = VisibilityPursuit(SPLIT, 1, 3, 1.5, recall="last_seen", start="c3 a1")
    kept: dict[tuple[object, ...], int] = {}
    for history in all_histories(game):
        if history.is_terminal:
            continue
        state, units = history.state, (range(1), range(1, 2))
        for player in (EVADER, PURSUERS):
            key = int(game.information(state, player, np.uint64(0)))
            own = [int(state[NODES + unit]) for unit in units[player]]
            others = [
                (int(state[game.where + unit]), int(state[game.when + unit]))
                for unit in units[1 - player]
            ]
            filed = (player, len(history.moves), *own, *others)
            assert kept.setdefault(filed, key) == key
    assert len(set(kept.values())) == len(kept)


VARIANTS = [
    ",".join(words)
    for words in itertools.product(
        ("stay=true", "stay=false"),
        ("recall=perfect", "recall=last_seen"),
        ("objective=mean_size", "objective=num_seen", "objective=end_size"),
        ("evader_sees=sight", "evader_sees=all"),
    )
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_keep_the_laws_in_plain_python(variant: str) -> None:
    """`tests/games/validation/test_check.py` compares compiled code."""
    verify_rules(load_game(f"VP(map=wide6x7,pursuers=2,moves=4,apart=5,{variant})"), plays=1)


def test_all_maps_and_variants_share_compiled_code() -> None:
    from numba import typeof

    texts = [f"VP(map=block5,pursuers=1,moves=4,{variant})" for variant in VARIANTS]
    texts += ["VP(map=town465_2)", "VP(map=maze50x49,sight=3)", "VP(map=block5,start='e1 a1 a2')"]
    assert len({typeof(load_game(text)) for text in texts}) == 1
