"""Keys of states and of histories: two that matter alike have one key."""

import numpy as np

from hiddenhand.compiled.arrays import Integers, Keys
from hiddenhand.compiled.kernels import inline
from hiddenhand.compiled.keys import Key, mix
from hiddenhand.compiled.views import copy_into
from hiddenhand.games.base import TERMINAL, Game

_STATE = np.uint64(0x8F14E45FCEEA167A)  # where the hashes of states and of payments begin
_ENDS = np.uint64(0x45C48CCE2E2D7FBD)


@inline
def state_hash(state: Integers) -> Key:
    """A hash of all numbers in ``state``."""
    key = _STATE
    for place in range(state.size):
        key = mix(key ^ np.uint64(state[place]))
    return key


@inline
def state_key(game: Game, state: Integers, bare: Integers, by_history: bool) -> Key:
    """A hash of what matters of the state; where the game ends, of what is paid. Unless
    ``by_history``, ``state`` forgets all else. ``bare`` is room for a state.
    """
    if game.current_player(state) == TERMINAL:
        paid = game.returns(state, 0) + 0.0  # no negative zero
        return mix(_ENDS ^ mix(np.float64(paid).view(np.uint64)))
    copy_into(bare, state)
    game.forget_past(bare)
    if not by_history:
        copy_into(state, bare)
    return state_hash(bare)


@inline
def node_key(key: Key, noticed: Keys, by_history: bool) -> Key:
    """What a node that is no end is found by: the ``key`` of its state, and by history also what
    everybody noticed.
    """
    if not by_history:
        return key
    return mix(key ^ mix(noticed[0] ^ mix(noticed[1] ^ mix(noticed[2]))))
