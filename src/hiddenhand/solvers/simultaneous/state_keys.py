"""Keys of states and of histories. Two states that differ only in what no longer matters have the
same key.
"""

import numpy as np

from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.jit.arrays import Integers, Keys
from hiddenhand.jit.kernels import inline
from hiddenhand.jit.observation_keys import Key, mix
from hiddenhand.jit.views import copy_into

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
    """A hash of what still matters of a state or, where the game ends, of what is paid.

    state: ``int64[state_size]``. Unless ``by_history``, all that no longer matters is cleared here.
    bare: ``int64[state_size]``, room for a state.
    by_history: whether nodes are histories, so that the state stays as it is.
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
    """The key of a node at which the game goes on.

    key: the key of its state.
    noticed: ``uint64[3]``, the keys of what both players and the public noticed.
    by_history: whether these belong to the key of the node.
    """
    if not by_history:
        return key
    return mix(key ^ mix(noticed[0] ^ mix(noticed[1] ^ mix(noticed[2]))))
