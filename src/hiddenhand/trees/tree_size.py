"""How large a game is, guessed from random plays, before the program tries to write it out.

Knuth (1975), "Estimating the efficiency of backtrack programs". Along a random play, the product of
the numbers of moves up to a depth is an unbiased estimate of how many histories there are at that
depth. One play is mostly too low, and now and then much too high; hundreds of plays take less than
a millisecond.
"""

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.history_step import advance
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, below, new_state
from hiddenhand.jit.views import copy_row


def estimated_histories(
    game: Game,
    random: np.random.SeedSequence | int,
    plays: int,
    states: Integers | None = None,
    *,
    decided: bool = True,
) -> float:
    """The mean of ``plays`` estimates of the number of histories of ``game``, whose chance is
    listed; moves at the same time are made in turns. Raises what a broken rule of the game raises.

    random: the seed of the plays.
    states: ``int64[F, state_size]``, of histories, to guess how many histories go on from any of
        them; each play begins in one of them. The root by default.
    decided: whether moves count after which there is no choice up to the end; see `unroll`.
    """
    game = as_sequential(game)
    if states is None:
        states = np.zeros((1, game.state_size), np.int64)
        game.initial_state(states[0])
    room = max(game.max_actions, game.max_chance_outcomes, 1)
    with explaining(game):
        found = _sum_along_plays(
            game,
            plays,
            decided,
            states,
            np.zeros(game.state_size, np.int64),
            np.zeros(game.num_players + 1, np.uint64),
            np.zeros(game.num_players + 1, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room),
            new_state(random),
        )
    return len(states) * float(found) / plays


@kernel
def _sum_along_plays(
    game: Game,
    plays: int,
    decided: bool,
    states: Integers,
    state: Integers,
    keys: Keys,
    observations: Integers,
    actions: Integers,
    probabilities: Floats,
    rng: RandomState,
) -> float:
    """The sum of the estimates of all plays. For the arrays after ``states`` see
    `jit.history_step`. A play of a broken game may continue beyond its greatest depth, and ends
    there: a search of such a game says what is wrong with it.
    """
    total = 0.0
    for _ in range(plays):
        copy_row(states, below(rng, states.shape[0]), state)
        width, forced = 1.0, 0  # the last moves so far, in which no player had a choice
        total += 1.0
        for moves in range(game.max_depth + 1):
            player = game.current_player(state)
            if player == TERMINAL:
                if not decided:
                    total -= forced * width
                break
            if moves == game.max_depth:
                break
            if player == CHANCE:
                n = game.chance_outcomes(state, actions, probabilities)
            else:
                n = game.legal_actions(state, player, actions)
            forced = forced + 1 if player >= 0 and n == 1 else 0
            width *= n
            total += width
            advance(game, state, player, actions[below(rng, n)], keys, observations)
    return total
