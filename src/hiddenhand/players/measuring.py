"""What a game measures of finished matches besides payoffs: see `Game.measures`."""

import math
from collections.abc import Sequence

import numpy as np

from hiddenhand.games.base import Game, State
from hiddenhand.players.match_records import Played
from hiddenhand.statistics import Interval, mean_interval


def final_state(game: Game, moves: Sequence[int]) -> State:
    """The state of ``game``, whose moves are made in turns, after ``moves``, chance's included."""
    state = np.zeros(game.state_size, np.int64)
    observations = np.zeros(game.num_players + 1, np.int64)
    game.initial_state(state)
    for move in moves:
        observations[:] = 0
        game.apply_action(state, move, observations)
    return state


def mean_measures(game: Game, played: Sequence[Played]) -> dict[str, Interval]:
    """The mean of each measure over finished matches, by name, with its interval; empty for a game
    that measures nothing. Measures are numbers and sizes, so that the interval of one that is never
    negative ends at 0.

    game: the game, with moves in turns.
    played: the matches, at least one.
    """
    found = [game.measures(final_state(game, played[0].history))]
    if not found[0]:
        return {}
    found += [game.measures(final_state(game, match.history)) for match in played[1:]]
    columns = {name: [measures[name] for measures in found] for name in found[0]}
    return {
        name: mean_interval(values, low=0.0 if min(values) >= 0.0 else -math.inf)
        for name, values in columns.items()
    }
