"""Oshi-Zumo by hand, counted, and against OpenSpiel."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from hiddenhand.games.base import TERMINAL
from hiddenhand.games.history import History, all_histories
from hiddenhand.games.oshi_zumo import OshiZumo


def after(game: OshiZumo, *bids: tuple[int, int]) -> History:
    """The history after ``bids`` from the root."""
    history = History(game)
    for pair in bids:
        history = history.child(pair)
    return history


def count_by_depth(game: OshiZumo) -> list[int]:
    """Non-terminal histories by depth. Histories that lead to the same state are counted at
    once.
    """
    state = np.zeros(game.state_size, np.int64)
    game.initial_state(state)
    level, counts = Counter({tuple(state.tolist()): 1}), []
    while level:
        counts.append(level.total())
        following: Counter[tuple[int, ...]] = Counter()
        for values, times in level.items():
            before = np.array(values)
            for bids in itertools.product(game.actions_of(before, 0), game.actions_of(before, 1)):
                state = before.copy()
                game.apply_joint_action(state, np.array(bids), np.zeros(3, np.int64))
                if game.current_player(state) != TERMINAL:
                    following[tuple(state.tolist())] += times
        level = following
    return counts


def test_states_at_each_depth() -> None:
    """Lisy (2014), table of Oshi-Zumo with 10 coins: pure and mixed states together."""
    pure = [1, 98, 2012, 14767, 48538, 79926, 69938, 33538, 8351, 861]
    mixed = [0, 1, 4, 17, 8, 0, 0, 0, 0, 0]
    assert count_by_depth(OshiZumo(coins=10, size=3, min_bid=1)) == [
        p + m for p, m in zip(pure, mixed, strict=True)
    ]


@pytest.mark.parametrize(("coins", "size", "min_bid"), [(4, 1, 1), (5, 1, 2), (5, 3, 3), (2, 2, 2)])
def test_all_plays(coins: int, size: int, min_bid: int) -> None:
    """All plays, written as a recursion over what both have left."""

    def plays(mine: int, theirs: int, place: int) -> list[tuple[tuple[tuple[int, int], ...], int]]:
        if abs(place) > size or mine + theirs == 0:
            return [((), (place > 0) - (place < 0))]
        found = []
        for a in range(mine + 1):
            for b in range(theirs + 1):
                if (a >= min_bid or a == mine) and (b >= min_bid or b == theirs):
                    below = plays(mine - a, theirs - b, place + (a > b) - (a < b))
                    found += [(((a, b), *rest), payoff) for rest, payoff in below]
        return found

    game = OshiZumo(coins, size, min_bid)
    ends = {
        history.moves: history.returns() for history in all_histories(game) if history.is_terminal
    }
    assert ends == {moves: (payoff, -payoff) for moves, payoff in plays(coins, coins, 0)}
    assert max(map(len, ends)) == game.max_depth
    most = max(
        len(history.legal_actions(0)) for history in all_histories(game) if not history.is_terminal
    )
    assert most == game.max_actions


# --- the evaluation function ---


@pytest.mark.parametrize(
    ("game", "bids", "value"),
    [
        (OshiZumo(10, 3, 1), (), 0.0),
        (OshiZumo(10, 3, 1), ((2, 2),), 0.0),
        (
            OshiZumo(10, 3, 1),
            ((3, 1),),
            math.tanh((-2 + 1) / 3),
        ),  # fewer coins, a step ahead: b = 0
        (OshiZumo(10, 3, 1), ((3, 1), (2, 4)), 0.0),  # 5 coins each, in the middle
        (
            OshiZumo(10, 3, 1),
            ((2, 1), (2, 1), (1, 6)),
            math.tanh(1 / 2 + (3 + 1) / 3),
        ),  # 5 coins to 2, a step ahead
        (
            OshiZumo(10, 3, 1),
            ((1, 2), (1, 2), (6, 1)),
            math.tanh(-1 / 2 - (3 + 1) / 3),
        ),  # the same for player 1
        (
            OshiZumo(10, 3, 1),
            ((2, 1), (1, 5)),
            math.tanh(1 / 2 + 3 / 3),
        ),  # in the middle, 7 coins to 4
        (
            OshiZumo(10, 3, 2),
            ((4, 2), (2, 3)),
            math.tanh(-1 / 2 - (1 / 2) / 3),
        ),  # 4 coins to 5, counted in least bids
    ],
)
def test_evaluation_by_hand(
    game: OshiZumo, bids: tuple[tuple[int, int], ...], value: float
) -> None:
    state = after(game, *bids).state
    assert game.evaluation().evaluate(game, state, 0) == pytest.approx(value, abs=1e-15)
    assert game.evaluation().evaluate(game, state, 1) == pytest.approx(-value, abs=1e-15)
