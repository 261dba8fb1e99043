"""Keys: what a player has noticed, as 64 bits.

The key of a player starts at a constant. It is folded with every event that the player notices: the
player's own action, the private token told to the player, and the public token. In compiled code an
information set *is* such a key. The probability that any two of n information sets share a key is
about n**2 / 2**65, which is 3e-6 for ten million sets.
"""

from typing import Any

import numpy as np

from hiddenhand.jit.kernels import inline

Key = Any  # a uint64 in compiled code, whatever integer plain Python has

_MIX_1 = np.uint64(0xFF51AFD7ED558CCD)  # the finaliser of MurmurHash3
_MIX_2 = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
# odd constants that keep actions, private tokens and public tokens apart
_ACTION = np.uint64(0x9E3779B97F4A7C15)
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
    """The key after one event. It stays the same if nothing was noticed.

    key: the key before the event.
    action: 1 + the player's own action, 0 if the player did not move.
    private: the token told to the player alone, 0 for nothing.
    public: the token told to all, 0 for nothing.
    """
    event = (
        np.uint64(action) * _ACTION + np.uint64(private) * _PRIVATE + np.uint64(public) * _PUBLIC
    )
    return key if event == np.uint64(0) else mix(key ^ event)
