"""Pursuit and evasion by hand, against rules written a second time, and counted against the
thesis.
"""

import itertools
import random

import pytest
from naive.histories_by_depth import count_by_depth

from hiddenhand.games.history import History
from hiddenhand.pursuit.games.pursuit_evasion import PursuitEvasion

# Lisy (2014), Section 4.1.1, the table for 4 x 4 and depth 5: states with pure and with mixed
# strategies, added
TABLE = [1, 12, 324, 8664, 248712]
SIDES = [
    PursuitEvasion(),
    PursuitEvasion(2, 2, 3),
    PursuitEvasion(2, 5, 6, evader="c1", pursuers="a1 a1"),
    PursuitEvasion(26, 3, 5),
    PursuitEvasion(10, 10, 15, start_seed=1),
]


def played(game: PursuitEvasion, *moves: tuple[str, str]) -> History:
    """The history after moves given by name."""
    history = History(game)
    for names in moves:
        history = history.child(
            tuple(
                game.parse_action(history.state, player, name) for player, name in enumerate(names)
            )
        )
    return history


# --- the rules a second time ---

STEPS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
Spot = tuple[int, int]
Spots = tuple[Spot, Spot, Spot]  # the evader's and the units'


def ways(game: PursuitEvasion, spot: Spot) -> dict[str, Spot]:
    """The directions that stay on the board, and where they lead."""
    reached = {name: (spot[0] + step[0], spot[1] + step[1]) for name, step in STEPS.items()}
    return {
        name: (row, column)
        for name, (row, column) in reached.items()
        if row in range(game.rows) and column in range(game.columns)
    }


def is_caught(before: Spots, after: Spots) -> bool:
    evader, *units = zip(before, after, strict=True)
    return any(unit[1] == evader[1] or unit == evader[::-1] for unit in units)


def spots(game: PursuitEvasion, history: History) -> Spots:
    """The cells of the evader and the units, read off the picture."""
    found: dict[str, Spot] = {}
    for row, line in enumerate(game.render(history.state, 0).splitlines()[1 : 1 + game.rows]):
        for column, mark in enumerate(line.split()[1:]):
            found |= dict.fromkeys({"=": "12"}.get(mark, mark), (row, column))
    return found["e"], found["1"], found["2"]


@pytest.mark.parametrize("game", SIDES, ids=str)
def test_random_plays_follow_the_rules(game: PursuitEvasion) -> None:
    rng = random.Random(0)
    endings = set()
    for _ in range(100):
        history = History(game)
        while True:
            before = spots(game, history)
            evader, first, second = (ways(game, spot) for spot in before)
            names = [
                [
                    game.action_name(history.state, player, action)
                    for action in history.legal_actions(player)
                ]
                for player in range(2)
            ]
            assert names == [
                list(evader),
                [",".join(pair) for pair in itertools.product(first, second)],
            ]
            move = rng.choice(history.legal_moves())
            assert isinstance(move, tuple)
            chosen = [
                game.action_name(history.state, player, action)
                for player, action in enumerate(move)
            ]
            history = history.child(move)
            one, two = chosen[1].split(",")
            after = (evader[chosen[0]], first[one], second[two])
            caught = is_caught(before, after)
            assert history.is_terminal == (caught or len(history.moves) == game.moves), history
            if history.is_terminal:
                break
            assert spots(game, history) == after
        assert history.returns() == ((-1, 1) if caught else (1, -1)), history
        endings.add(caught)
    assert endings == {False, True} or min(game.rows, game.columns) > 2


# --- the thesis' table ---


@pytest.mark.slow
def test_counts_of_the_thesis() -> None:
    assert count_by_depth(PursuitEvasion(4, 4, 5)) == TABLE
    assert count_by_depth(PursuitEvasion(4, 4, 5, evader="d1", pursuers="a4 b4")) == TABLE


# --- by hand ---


def test_evaluation_by_hand() -> None:
    game = PursuitEvasion(4, 4, 5)
    estimate = game.evaluation().evaluate
    start = played(game).state  # a1 against d3 and d4: 5 and 6 moves away
    assert estimate(game, start, 0) == pytest.approx(2 * 5.06 / 8.08 - 1)
    assert estimate(game, start, 1) == -estimate(game, start, 0)
    near = played(game, ("right", "left,up"), ("right", "up,up")).state  # c1 against c2 and d2
    assert estimate(game, near, 0) == pytest.approx(2 * 1.02 / 8.08 - 1)
    other = PursuitEvasion(2, 7, evader="g2", pursuers="a1 g1")
    assert estimate(other, History(other).state, 0) == pytest.approx(2 * 1.07 / 9.09 - 1)


# --- starts ---


def test_drawn_starts_are_near_and_differ() -> None:
    starts = []
    for seed in range(200):
        game = PursuitEvasion(10, 10, 5, start_seed=seed)
        evader, *units = start = spots(game, History(game))
        assert all(1 <= abs(unit[0] - evader[0]) + abs(unit[1] - evader[1]) <= 7 for unit in units)
        starts.append(start)
    assert len(set(starts)) > 190
    assert PursuitEvasion(10, 10, 5, start_seed=7).starts.tolist() == [
        row * 10 + column for row, column in starts[7]
    ]
