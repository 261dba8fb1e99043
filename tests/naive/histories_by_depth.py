"""Histories of a game with simultaneous moves and without chance, counted by depth: a walk through
every single one of them.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.jit.kernels import kernel

Integers = npt.NDArray[np.int64]


def count_by_depth(game: Game) -> list[int]:
    """How many non-terminal histories there are after 0, 1, 2, ... moves, up to the last depth that
    has any.
    """
    depths = game.max_depth + 1
    counts = np.zeros(depths, np.int64)
    _walk(
        game,
        np.zeros((depths, game.state_size), np.int64),
        np.zeros((depths, 2, game.max_actions), np.int64),
        counts,
    )
    return [int(count) for count in np.trim_zeros(counts)]


@kernel
def _walk(game: Any, states: Integers, legal: Integers, counts: Integers) -> None:
    """Depth first, the histories at hand on a stack. states: ``int64[D, state_size]``, legal:
    ``int64[D, 2, A]``, room. Adds to ``counts``.
    """
    sizes, tried = np.zeros((len(counts), 2), np.int64), np.zeros(len(counts), np.int64)
    joint, observations = np.zeros(2, np.int64), np.zeros(3, np.int64)
    depth = 0
    game.initial_state(states[0])
    arrived = True
    while depth >= 0:
        if arrived:
            if game.current_player(states[depth]) == TERMINAL:
                depth, arrived = depth - 1, False
                continue
            counts[depth] += 1
            tried[depth] = 0
            for player in range(2):
                sizes[depth, player] = game.legal_actions(
                    states[depth], player, legal[depth, player]
                )
        if tried[depth] == sizes[depth, 0] * sizes[depth, 1]:
            depth, arrived = depth - 1, False
            continue
        joint[0] = legal[depth, 0, tried[depth] // sizes[depth, 1]]
        joint[1] = legal[depth, 1, tried[depth] % sizes[depth, 1]]
        tried[depth] += 1
        states[depth + 1] = states[depth]
        game.apply_joint_action(states[depth + 1], joint, observations)
        depth, arrived = depth + 1, True
