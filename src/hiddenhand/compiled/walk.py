"""Walking a history: apply an action, and let every observer notice what they may.

``keys`` is a ``uint64[num_players + 1]`` array: a key for each player and, last, the public one. ``observations`` is the ``int64[num_players + 1]``
array that a rule writes tokens into: a private token for each player and, last, the public one; 0 is "nothing".
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import first_key, fold

Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


@inline
def begin(game: Any, state: Integers, keys: Keys) -> None:
    """Write the root of the game into ``state`` and the first keys into ``keys``."""
    game.initial_state(state)
    for observer in range(keys.size):
        keys[observer] = first_key(observer)


@inline
def advance(game: Any, state: Integers, player: int, action: int, keys: Keys, observations: Integers) -> None:
    """Let ``player`` (or chance) take ``action``: moves ``state`` on and folds what is noticed into ``keys``, both in place."""
    observations[:] = 0
    game.apply_action(state, action, observations)
    _notice(keys, player, action, observations)


@inline
def advance_jointly(game: Any, state: Integers, actions: Integers, keys: Keys, observations: Integers) -> None:
    """Let all players act at once, ``actions[player]`` each."""
    observations[:] = 0
    game.apply_joint_action(state, actions, observations)
    _notice_jointly(keys, actions, observations)


@inline
def _notice(keys: Keys, player: int, action: int, observations: Integers) -> None:
    public = keys.size - 1
    for observer in range(public):
        own = action + 1 if observer == player else 0
        keys[observer] = fold(keys[observer], own, observations[observer], observations[public])
    keys[public] = fold(keys[public], 0, 0, observations[public])


@inline
def _notice_jointly(keys: Keys, actions: Integers, observations: Integers) -> None:
    public = keys.size - 1
    for player in range(public):
        keys[player] = fold(keys[player], actions[player] + 1, observations[player], observations[public])
    keys[public] = fold(keys[public], 0, 0, observations[public])


# The same for plain Python, which runs the rules itself. Compiled once, whatever the game.


@kernel
def first_keys(keys: Keys) -> None:
    """Write the keys of all observers before anything happened."""
    for observer in range(keys.size):
        keys[observer] = first_key(observer)


@kernel
def notice(keys: Keys, player: int, action: int, observations: Integers) -> None:
    """Fold what was observed into all keys. ``player`` saw their own ``action``; chance is no observer."""
    _notice(keys, player, action, observations)


@kernel
def notice_jointly(keys: Keys, actions: Integers, observations: Integers) -> None:
    """The same for a joint action, of which each player saw their own part."""
    _notice_jointly(keys, actions, observations)
