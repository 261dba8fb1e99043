"""Plays in plain Python against the player of a `QueriedPolicy`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.evaluation.policy_query import QueriedPolicy
from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.history_step import first_keys, notice
from hiddenhand.jit.random import new_state
from hiddenhand.players.player import derived_seed
from hiddenhand.progress import Progress, Report
from hiddenhand.statistics import Interval, bounded_interval

_EVERY: Final = 1000  # plays between two reports


def mean_payoff(game: Game, plays: int, play: Callable[[], float], progress: Progress) -> Interval:
    """The mean of what so many plays pay, with its 95 % interval."""
    payoffs, largest = [], float(game.max_utility)
    for number in range(plays):
        if number % _EVERY == 0:
            progress.update(Report(number, plays, "plays"))
        payoffs.append(play())
    return bounded_interval(payoffs, -largest, largest)


@dataclass(eq=False)
class Place:
    """Where a play is.

    state: ``int64[S]``.
    keys: ``uint64[P + 1]``, the keys of all observers.
    events: for each player what they noticed.
    """

    state: Integers
    keys: Keys
    events: tuple[tuple[Event, ...], ...]

    def copy(self) -> "Place":
        """Another one, which can move on by itself."""
        return Place(self.state.copy(), self.keys.copy(), self.events)


class Table:
    """Where plays are made.

    queried: the player in all seats but those that the caller moves for.
    seed: decides all draws.
    """

    def __init__(self, queried: QueriedPolicy, seed: int) -> None:
        self._game = queried.game
        self._queried = queried
        self.random = np.random.default_rng(derived_seed(seed, 0))
        self._chance = new_state(derived_seed(seed, 1))

    def root(self) -> Place:
        """The beginning of a play."""
        game = self._game
        state, keys = np.zeros(game.state_size, np.int64), np.zeros(game.num_players + 1, np.uint64)
        game.initial_state(state)
        first_keys(keys)
        return Place(state, keys, ((),) * game.num_players)

    def move(self, place: Place, mover: int, action: int) -> None:
        """Let ``mover`` take an action."""
        observations = np.zeros(place.keys.size, np.int64)
        self._game.apply_action(place.state, action, observations)
        notice(place.keys, mover, action, observations)
        told, public = observations.tolist(), int(observations[-1])
        place.events = tuple(
            (*events, event)
            if any(event := Event(action + 1 if player == mover else 0, told[player], public))
            else events
            for player, events in enumerate(place.events)
        )

    def let_move(self, place: Place, mover: int) -> None:
        """Let chance, or the player of the table, make a move by its probabilities."""
        if mover == CHANCE and self._game.draws_chance:
            action = int(self._game.sample_chance(place.state, self._chance))
        else:
            actions, probabilities = self.moves(place, mover)
            point = self.random.random() * probabilities.sum()
            action = actions[int(np.searchsorted(np.cumsum(probabilities), point, side="right"))]
        self.move(place, mover, action)

    def moves(
        self, place: Place, mover: int, queried: QueriedPolicy | None = None
    ) -> tuple[list[int], Floats]:
        """The moves of chance, or of a player, and their probabilities.

        queried: the player; by default the player of the table.
        """
        actions = self._game.actions_of(place.state, mover)
        if mover == CHANCE:
            room = np.zeros(len(actions), np.int64), np.zeros(len(actions))
            self._game.chance_outcomes(place.state, *room)
            return actions, room[1]
        key = int(place.keys[mover])
        policy = (queried or self._queried).policy(mover, key, place.events[mover], actions)
        return actions, policy
