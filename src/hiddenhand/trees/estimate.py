"""How large a game is, guessed from random plays, before anybody tries to write it out.

Knuth (1975), "Estimating the efficiency of backtrack programs". Along a random play, the product of
the numbers of moves up to a depth is an unbiased estimate of how many histories there are at that
depth. One play is mostly too low, and now and then much too high; hundreds of plays take less than
a millisecond.
"""

import numpy as np

from hiddenhand.compiled.arrays import Integers
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.random import RandomState, below, new_state
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.checking.kernel_errors import explaining


def estimated_histories(game: Game, random: np.random.SeedSequence | int, plays: int) -> float:
    """The mean of ``plays`` estimates of the number of histories of ``game``, whose moves are made
    in turns and whose chance is listed. Raises what a broken rule of the game raises.

    random: the seed of the plays.
    """
    trail = np.zeros(game.max_depth + 2, np.int64)

    def way() -> list[int]:
        return trail[1 : 1 + trail[0]].tolist()

    with explaining(game, way):
        return float(_sum_along_plays(game, plays, trail, new_state(random))) / plays


@kernel
def _sum_along_plays(game: Game, plays: int, trail: Integers, rng: RandomState) -> float:
    """The sum of the estimates of all plays. ``trail`` holds how many moves the present play has
    made, and the moves.
    """
    room = max(game.max_actions, game.max_chance_outcomes, 1)
    actions, probabilities = np.zeros(room, np.int64), np.zeros(room)
    state = np.zeros(game.state_size, np.int64)
    keys = np.zeros(game.num_players + 1, np.uint64)
    observations = np.zeros(game.num_players + 1, np.int64)
    total = 0.0
    for _ in range(plays):
        begin(game, state, keys)
        trail[0] = 0
        width = 1.0
        total += 1.0
        player = game.current_player(state)
        while player != TERMINAL:
            if player == CHANCE:
                n = game.chance_outcomes(state, actions, probabilities)
            else:
                n = game.legal_actions(state, player, actions)
            width *= n
            total += width
            action = actions[below(rng, n)]
            trail[0] += 1
            trail[trail[0]] = action
            advance(game, state, player, action, keys, observations)
            player = game.current_player(state)
    return total
