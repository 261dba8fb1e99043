"""How large a game is, guessed from a few random plays, before anybody tries to write it out.

Knuth (1975), "Estimating the efficiency of backtrack programs". Along a random play, the product of
the numbers of moves up to a depth is an unbiased estimate of how many histories there are at that
depth. It is mostly too low, and now and then much too high.
"""

import numpy as np

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History


def estimated_histories(game: Game, random: np.random.Generator, plays: int) -> float:
    """The mean of ``plays`` estimates of the number of histories of ``game``, whose moves are made
    in turns and whose chance is listed.
    """
    return sum(_along_a_play(game, random) for _ in range(plays)) / plays


def _along_a_play(game: Game, random: np.random.Generator) -> float:
    history, width, total = History(game), 1.0, 1.0
    while not history.is_terminal:
        if history.player == CHANCE:
            moves = [outcome for outcome, _ in history.chance_outcomes()]
        else:
            moves = history.legal_actions()
        width *= len(moves)
        total += width
        history = history.child(int(random.choice(moves)))
    return total
