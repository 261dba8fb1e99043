"""Walking a history: apply an action, and let every observer notice what they may.

``keys`` is a ``uint64[num_players + 1]`` array: a key for each player and, last, the public one.
``observations`` is the ``int64[num_players + 1]`` array that a rule writes tokens into: a private
token for each player and, last, the public one; 0 is "nothing".
"""

from typing import Any

from hiddenhand.compiled.arrays import Integers, Keys
from hiddenhand.compiled.draws import sample
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import first_key, fold


@inline
def begin(game: Any, state: Integers, keys: Keys) -> None:
    """Write the root of the game into ``state`` and the first keys into ``keys``."""
    game.initial_state(state)
    for observer in range(game.num_players + 1):
        keys[observer] = first_key(observer)


@inline
def draw_outcome(
    game: Any, state: Integers, actions: Integers, probabilities: Any, rng: Any
) -> tuple[int, int, float]:
    """Let chance choose: the outcome, its number among all outcomes, and its probability.

    A game that draws its chance lists no outcomes. There the outcome is its own number, and 1
    stands for the probability, which nobody knows.
    """
    if game.draws_chance:
        outcome = game.sample_chance(state, rng)
        return outcome, outcome, 1.0
    n = game.chance_outcomes(state, actions, probabilities)
    a = sample(rng, probabilities, n)
    return actions[a], a, probabilities[a]


@inline
def advance(
    game: Any, state: Integers, player: int, action: int, keys: Keys, observations: Integers
) -> None:
    """Let ``player`` (or chance) take ``action``: moves ``state`` on and folds what is noticed into
    ``keys``, both in place.
    """
    _clear(observations, game.num_players)
    game.apply_action(state, action, observations)
    _notice(keys, game.num_players, player, action, observations)


@inline
def advance_within(
    game: Any, state: Integers, player: int, action: int, keys: Keys, observations: Integers
) -> None:
    """`advance`, for the rules of a game that keeps another inside: they run within `advance`, and
    compiled code must not call itself.
    """
    _clear(observations, game.num_players)
    game.apply_action(state, action, observations)
    _notice(keys, game.num_players, player, action, observations)


@inline
def advance_jointly(
    game: Any, state: Integers, actions: Integers, keys: Keys, observations: Integers
) -> None:
    """Let all players act at once, ``actions[player]`` each."""
    _clear(observations, game.num_players)
    game.apply_joint_action(state, actions, observations)
    _notice_jointly(keys, game.num_players, actions, observations)


# Below, the number of players is an argument because most games know it when they are compiled:
# their loops over players are unrolled.


@inline
def _clear(observations: Integers, num_players: int) -> None:
    for observer in range(num_players + 1):
        observations[observer] = 0


@inline
def _notice(keys: Keys, num_players: int, player: int, action: int, observations: Integers) -> None:
    public = observations[num_players]
    for observer in range(num_players):
        own = action + 1 if observer == player else 0
        keys[observer] = fold(keys[observer], own, observations[observer], public)
    keys[num_players] = fold(keys[num_players], 0, 0, public)


@inline
def _notice_jointly(
    keys: Keys, num_players: int, actions: Integers, observations: Integers
) -> None:
    public = observations[num_players]
    for player in range(num_players):
        keys[player] = fold(keys[player], actions[player] + 1, observations[player], public)
    keys[num_players] = fold(keys[num_players], 0, 0, public)


# The same as kernels, for callers in plain Python.


@kernel
def write_root(game: Any, state: Integers, keys: Keys) -> None:
    """`begin`, compiled for each game."""
    begin(game, state, keys)


# Below, plain Python runs the rules itself, and what is compiled serves all games.


@kernel
def first_keys(keys: Keys) -> None:
    """Write the keys of all observers before anything happened."""
    for observer in range(keys.size):
        keys[observer] = first_key(observer)


@kernel
def notice(keys: Keys, player: int, action: int, observations: Integers) -> None:
    """Fold what was observed into all keys. ``player`` saw their own ``action``; chance is no
    observer.
    """
    _notice(keys, keys.size - 1, player, action, observations)


@kernel
def notice_jointly(keys: Keys, actions: Integers, observations: Integers) -> None:
    """The same for a joint action, of which each player saw their own part."""
    _notice_jointly(keys, keys.size - 1, actions, observations)
