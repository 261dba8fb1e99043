"""Where an iteration of a search is, and how it got there: arrays that are made once and written
into by kernels.

Searches that remember more along a path derive from `Path`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers, Keys
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import inline
from hiddenhand.games.base import Game
from hiddenhand.games.guards import BrokenRule


@dataclass(frozen=True)
class Path(Compiled):
    """The present history, and those before it that are in memory.

    trail: ``int64[2 + D]``, how many moves the iteration has made, which history it started from,
    and the moves. state: ``int64[state_size]``; keys, observations: one for each player and the
    public; actions, probabilities: room for rules to write into. Over depths d: row: ``int64[D]``,
    the set's row in the table; player, num_actions, chosen (its index); sigma: ``float64[D, A]``,
    the distribution that the action was chosen from, or is believed to be (dimension A: actions; of
    a move of chance one probability, that of the outcome).
    """

    trail: Integers
    state: Integers
    keys: Keys
    observations: Integers
    actions: Integers
    probabilities: Floats
    row: Integers
    player: Integers
    num_actions: Integers
    chosen: Integers
    sigma: Floats


@inline
def begin_trail(trail: Integers, start: int = 0) -> None:
    """An iteration begins in history number ``start`` of those it may begin in."""
    trail[0] = 0
    trail[1] = start


@inline
def note_move(game: Any, trail: Integers, action: int) -> None:
    """Write a move down before it is made, so that it can be told where a rule of a guarded game
    broke a law.

    Raises BrokenRule where the game should have ended.
    """
    if game.guarded:
        count = trail[0]
        if count + 2 == trail.size:
            raise BrokenRule("the game goes on after max_depth moves")
        trail[2 + count] = action
        trail[0] = count + 1


def trail_moves(trail: Integers) -> list[int]:
    """The moves that were written down last."""
    return [int(move) for move in trail[2 : 2 + trail[0]]]


def path_arrays(game: Game, *, width: int = 0) -> dict[str, Any]:
    """The arrays of a `Path` for ``game``, by name; one more depth than a history has moves.

    width: for how many probabilities sigma has room, if that is more than the most actions.
    """
    observers, depth = game.num_players + 1, game.max_depth + 1
    room = max(game.max_actions, game.max_chance_outcomes, 1)
    return {
        "trail": np.zeros(2 + game.max_depth, np.int64),
        "state": np.zeros(game.state_size, np.int64),
        "keys": np.zeros(observers, np.uint64),
        "observations": np.zeros(observers, np.int64),
        "actions": np.zeros(room, np.int64),
        "probabilities": np.zeros(room),
        **{name: np.zeros(depth, np.int64) for name in ("row", "player", "num_actions", "chosen")},
        "sigma": np.ones((depth, max(game.max_actions, width, 1))),
    }
