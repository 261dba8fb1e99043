"""Duplicate matches of fixed strategies in Limit Hold'em, in compiled code: a million deals take
seconds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, table_from_arrays
from hiddenhand.jit.kernels import kernel_apart
from hiddenhand.jit.random import RandomState, below, new_state, next_uint64, uniform
from hiddenhand.trees.strategy import Strategy

CALL, RAISE, RANDOM = -1, -2, -3
"""Players without a strategy: one that always calls, one that always raises, one at random."""

_BIG_BLIND: Final = 10
_MIX: Final = (
    0x9E3779B97F4A7C15  # keys of the k-th strategy are exclusively or-ed with k times this
)
_MASK: Final = 2**64 - 1


@dataclass(frozen=True)
class Result:
    """What a player wins in duplicate matches.

    mbb: the mean, in thousandths of a big blind for each hand.
    error: its standard error; a deal with all orders of the seats is one observation.
    """

    mbb: float
    error: float


def duel(
    game: LimitHoldem, strategies: Sequence[Strategy], seats: Integers, deals: int, seed: int
) -> list[Result]:
    """What each strategy wins on average over its seats, in ``deals`` deals. Each is played once
    for each order of the seats, with the same cards.

    strategies: who plays, by number.
    seats: ``int64[orders, P]``, the number of who sits in each seat, or `CALL`, `RAISE`, `RANDOM`.
    """
    won = np.zeros((deals, len(strategies)))
    mixes = np.array([number * _MIX & _MASK for number in range(len(strategies))], np.uint64)
    _play(
        game,
        _together(strategies),
        seats,
        mixes,
        new_state(seed),
        new_state(seed + 1),
        np.zeros(game.state_size, np.int64),
        np.zeros(game.num_players + 1, np.int64),
        np.zeros(game.max_actions, np.int64),
        won,
    )
    times = [int((seats == number).sum()) for number in range(len(strategies))]
    columns = 1000.0 / _BIG_BLIND * won / np.array(times)
    return [
        Result(float(column.mean()), float(column.std(ddof=1) / math.sqrt(deals)))
        for column in columns.T
    ]


def _together(strategies: Sequence[Strategy]) -> InformationSetTable:
    """All strategies in one table."""
    keys = [one.keys ^ np.uint64(number * _MIX & _MASK) for number, one in enumerate(strategies)]
    ends = np.cumsum([0, *(one.probabilities.size for one in strategies)])
    starts = [one.starts[:-1] + end for one, end in zip(strategies, ends[:-1], strict=True)]
    return table_from_arrays(
        {
            "keys": np.concatenate(keys),
            "starts": np.concatenate([*starts, ends[-1:]]),
            "values": np.concatenate([one.probabilities for one in strategies]),
            "layout": np.array([1, 0]),
        }
    )


@kernel_apart
def _play(
    game: Any,
    table: InformationSetTable,
    seats: Integers,
    mixes: Keys,
    rng: RandomState,
    own: RandomState,
    state: Integers,
    noticed: Integers,
    actions: Integers,
    won: Floats,
) -> None:
    """Play each deal once for each row of ``seats``, and add payoffs to the columns of ``won``.

    rng: deals begin with numbers of it. own: of the players.
    """
    first, deal = np.zeros(4, np.uint64), np.zeros(4, np.uint64)
    for number in range(won.shape[0]):
        for place in range(4):
            first[place] = next_uint64(rng)
        for order in range(seats.shape[0]):
            for place in range(4):
                deal[place] = first[place]
            game.initial_state(state)
            player = game.current_player(state)
            while player != TERMINAL:
                if player == CHANCE:
                    action = game.sample_chance(state, deal)
                else:
                    who, n = seats[order, player], game.legal_actions(state, player, actions)
                    row = MISSING
                    if who >= 0:
                        key = np.uint64(game.information(state, player, np.uint64(0)))
                        row = table.find(key ^ mixes[who])
                    if who == CALL:
                        action = 1
                    elif who == RAISE:
                        action = actions[n - 1]
                    elif row == MISSING:
                        action = actions[below(own, n)]
                    else:
                        r, a = uniform(own), 0
                        while a < n - 1 and r >= table.values[row + a]:
                            r -= table.values[row + a]
                            a += 1
                        action = actions[a]
                game.apply_action(state, action, noticed)
                player = game.current_player(state)
            for player in range(seats.shape[1]):
                if seats[order, player] >= 0:
                    won[number, seats[order, player]] += game.returns(state, player)
