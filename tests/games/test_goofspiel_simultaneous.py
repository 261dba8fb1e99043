"""Goofspiel as a game of simultaneous moves: the order of the point cards, states without a past,
and the evaluation function.
"""

import itertools
import math
from typing import Any

import numpy as np
import pytest

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, State
from hiddenhand.games.goofspiel import Goofspiel
from hiddenhand.games.history import History, all_histories

RANDOM = Goofspiel(3, points_order="random")


def after(game: Goofspiel, *moves: int | tuple[int, int]) -> History:
    """The history after ``moves`` from the root."""
    history = History(game)
    for move in moves:
        history = history.child(move)
    return history


# --- the order of the point cards ---


def test_nature_reveals_a_card_each_round() -> None:
    history = History(RANDOM)
    assert history.player == CHANCE
    assert history.chance_outcomes() == [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]
    history = history.child(1)
    assert history.player == SIMULTANEOUS
    assert history.observations == (0, 0, 2)
    history = history.child((2, 0))
    assert history.player == CHANCE
    assert history.chance_outcomes() == [(0, 1 / 2), (2, 1 / 2)]
    last = history.child(2).child((0, 2))
    assert last.chance_outcomes() == [(0, 1.0)]
    assert last.child(0).child((1, 1)).player == TERMINAL


@pytest.mark.parametrize("imp_info", [False, True])
@pytest.mark.parametrize("lowest", [0, 1])
def test_all_plays_of_the_random_order(imp_info: bool, lowest: int) -> None:
    """Point cards and bids are three orders of the cards, in all combinations; who wins is counted
    here once more.
    """
    game = Goofspiel(
        3, imp_info, points_order="random", returns_type="point_difference", lowest_card=lowest
    )
    ends = [history for history in all_histories(game) if history.is_terminal]
    orders = list(itertools.permutations(range(3)))
    expected = {}
    for points, first, second in itertools.product(orders, repeat=3):
        difference = sum(
            (p + lowest) * ((a > b) - (a < b))
            for p, a, b in zip(points, first, second, strict=True)
        )
        expected[
            tuple(itertools.chain(*zip(points, zip(first, second, strict=True), strict=True)))
        ] = (difference, -difference)
    assert {end.moves: end.returns() for end in ends} == expected
    assert all(len(end.moves) == game.max_depth for end in ends)


def test_states_at_each_depth() -> None:
    """Lisy (2014), table of Goofspiel with 5 cards: pure and mixed states together."""
    game = Goofspiel(5, points_order="ascending")
    level, counts = [History(game)], []
    for _ in range(4):
        counts.append(len(level))
        level = [history.child(move) for history in level for move in history.legal_moves()]
    assert [*counts, len(level)] == [1, 17 + 8, 334 + 66, 3354 + 246, 14400]


# --- states without a past ---


def future(game: Goofspiel, state: State) -> object:
    """Everything that can come of a state: the evaluation, then the payoffs, or what follows each
    move.
    """
    player = game.current_player(state)
    value = game.evaluation().evaluate(game, state, 0)
    if player == TERMINAL:
        return value, game.returns(state, 0), game.returns(state, 1)
    if player == CHANCE:
        moves: list[Any] = game.actions_of(state, CHANCE)
    else:
        moves = list(itertools.product(game.actions_of(state, 0), game.actions_of(state, 1)))
    following = {}
    for move in moves:
        copy, seen = state.copy(), np.zeros(3, np.int64)
        if player == CHANCE:
            game.apply_action(copy, move, seen)
        else:
            game.apply_joint_action(copy, np.array(move), seen)
        following[move] = (tuple(seen), future(game, copy))
    return value, following


@pytest.mark.parametrize("order", ["ascending", "random"])
@pytest.mark.parametrize("returns_type", ["win_loss", "point_difference"])
def test_what_is_forgotten_does_not_matter(order: str, returns_type: str) -> None:
    game = Goofspiel(3, points_order=order, returns_type=returns_type)
    futures: dict[tuple[int, ...], object] = {}
    histories = 0
    for history in all_histories(game):
        histories += 1
        state = history.state.copy()
        game.forget_past(state)
        whole = future(game, history.state)
        assert future(game, state) == whole
        assert futures.setdefault(tuple(state.tolist()), whole) == whole
    assert len(futures) < 0.7 * histories


# --- the evaluation function ---


@pytest.mark.parametrize(
    ("moves", "value"),
    [
        ((), 0.0),
        (((4, 4),), 0.0),  # a tie: nobody has a point
        # 1 to 0 points after 1 of 5 rounds; hands of 10 and 14; 14 points to come
        (((4, 0),), math.tanh(1 / 1 * 1 / 5 - 4 / 24 * 14 / 15)),
        # 1 to 2 points after 2 rounds; hands of 6 and 9; 12 to come
        (((4, 0), (3, 4)), math.tanh(-1 / 3 * 2 / 5 - 3 / 15 * 12 / 15)),
        # 0 to 3 points after 3 rounds, the third being a tie; hands of 9 and 3; 9 to come
        (((0, 3), (1, 4), (2, 2)), math.tanh(-3 / 3 * 3 / 5 + 6 / 12 * 9 / 15)),
        # 0 to 6 points after 4 rounds and 5 to come: lost
        (((0, 1), (1, 2), (2, 3), (4, 4)), -1.0),
        (((0, 1), (1, 2), (2, 3), (4, 4), (3, 0)), -1.0),
        (((1, 0), (2, 1), (3, 2), (4, 3)), 1.0),
    ],
)
def test_evaluation_by_hand(moves: tuple[tuple[int, int], ...], value: float) -> None:
    game = Goofspiel(5, points_order="ascending")
    state = after(game, *moves).state
    assert game.evaluation().evaluate(game, state, 0) == pytest.approx(value, abs=1e-15)
    assert game.evaluation().evaluate(game, state, 1) == pytest.approx(-value, abs=1e-15)


def test_evaluation_counts_what_is_on_top_in_random_order() -> None:
    """1 to 0 points after 1 of 3 rounds, hands of 3 and 5, 5 to come, before and after one of them
    is revealed.
    """
    expected = math.tanh(1 / 3 - 2 / 8 * 5 / 6)
    history = after(RANDOM, 0, (2, 0))
    for later in (history, history.child(1), history.child(2)):
        assert RANDOM.evaluation().evaluate(RANDOM, later.state, 0) == pytest.approx(
            expected, abs=1e-15
        )


def test_evaluation_of_the_difference_of_points() -> None:
    game = Goofspiel(5, points_order="ascending", returns_type="point_difference")
    state = after(game, (4, 0), (3, 4)).state  # 1 to 2 points, hands of 6 and 9, 12 to come
    assert game.evaluation().evaluate(game, state, 0) == pytest.approx(-1 - 12 * 3 / 15)
    assert game.evaluation().evaluate(game, state, 1) == pytest.approx(1 + 12 * 3 / 15)
