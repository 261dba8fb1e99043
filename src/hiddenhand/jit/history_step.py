"""Walking a history: apply an action, and let every observer notice what they may.

These arguments mean the same in all functions, P being the number of players:

state          ``int64[state_size]``, the state, modified in place
keys           ``uint64[P + 1]``, the key of each player and, last, the public key, modified in
               place
observations   ``int64[P + 1]``, room for a rule to write tokens into: a private token for each
               player and, last, the public token; 0 means that nothing is noticed
actions        ``int64[A]``, room for a rule to write outcomes of chance into
probabilities  ``float64[A]``, room for their probabilities
"""

from typing import Any

from hiddenhand.jit.arrays import Integers, Keys
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import first_key, fold
from hiddenhand.jit.sampling import sample


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

    A game that draws its chance itself lists no outcomes. There the number of an outcome is the
    outcome itself, and 1 is returned in place of its probability, which is not known.
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
    """Let ``player``, or chance, take ``action``, and fold what is noticed into ``keys``."""
    _clear(observations, game.num_players)
    game.apply_action(state, action, observations)
    _notice(keys, game.num_players, player, action, observations)


@inline
def advance_jointly(
    game: Any, state: Integers, actions: Integers, keys: Keys, observations: Integers
) -> None:
    """Let all players act at once, and fold what is noticed into ``keys``.

    actions: ``int64[P]``, the action of each player.
    """
    _clear(observations, game.num_players)
    game.apply_joint_action(state, actions, observations)
    _notice_jointly(keys, game.num_players, actions, observations)


# Below, the number of players is an argument. Most games know it as a constant when they are
# compiled, so that loops over the players are unrolled.


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


# Below are kernels that do the same, for callers in plain Python.


@kernel
def write_root(game: Any, state: Integers, keys: Keys) -> None:
    """`begin`, compiled for each game."""
    begin(game, state, keys)


# Below are kernels that fold keys only. Their callers run the rules as plain Python, so one
# compilation serves all games.


@kernel
def first_keys(keys: Keys) -> None:
    """Write the keys of all observers before anything happened."""
    for observer in range(keys.size):
        keys[observer] = first_key(observer)


@kernel
def notice(keys: Keys, player: int, action: int, observations: Integers) -> None:
    """Fold ``observations`` into all keys. ``player`` also notices their own ``action``; if
    ``player`` is chance, no player notices it.
    """
    _notice(keys, keys.size - 1, player, action, observations)


@kernel
def notice_jointly(keys: Keys, actions: Integers, observations: Integers) -> None:
    """Fold ``observations`` into all keys after a joint action.

    actions: ``int64[P]``, the action of each player, who notices only their own.
    """
    _notice_jointly(keys, keys.size - 1, actions, observations)
