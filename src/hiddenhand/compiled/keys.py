"""Keys: what a player has seen, chained into 64 bits.

A player's key starts at a constant and is folded with every event the player notices: their own
action, the private token told to them, the public token. An information set *is* such a key. The
chance that any two of n information sets share a key is about n**2 / 2**65 (3e-6 for ten million).
"""

from typing import Any

import numpy as np

from hiddenhand.compiled.kernels import inline

Key = Any  # a uint64 in compiled code, whatever integer plain Python has

_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)  # the finaliser of MurmurHash3
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
_ACTION = np.uint64(
    0x9E3779B97F4A7C15
)  # odd constants that keep action, private and public tokens apart
_PRIVATE = np.uint64(0xC2B2AE3D27D4EB4F)
_PUBLIC = np.uint64(0x165667B19E3779F9)
_FIRST = np.uint64(0xD6E8FEB86659FD93)


@inline
def mix(x: Key) -> Key:
    """A bijection of uint64 in which every input bit changes about half of the output bits."""
    x ^= x >> _SHIFT
    x *= _MIX_1
    x ^= x >> _SHIFT
    x *= _MIX_2
    x ^= x >> _SHIFT
    return x


@inline
def first_key(observer: int) -> Key:
    """The key of an observer before anything happened. Observers are the players 0, 1, ... and,
    after them, the public.
    """
    return mix(_FIRST + np.uint64(observer))


@inline
def fold(key: Key, action: int, private: int, public: int) -> Key:
    """The key after one event: own ``action`` + 1 (0: not own), ``private`` and ``public`` tokens
    (0: nothing). No event, no change.
    """
    event = (
        np.uint64(action) * _ACTION + np.uint64(private) * _PRIVATE + np.uint64(public) * _PUBLIC
    )
    return key if event == np.uint64(0) else mix(key ^ event)
