"""The information sets of one player, one after the other, with the histories of each.

A `Walker` finds the sets and their histories, where the others may play anything. It does not say
which events lead from a set to the next one. `InfosetEnumeration` finds these events, if it must,
in plain Python, which takes far longer than the walk: it continues histories of the set until it
has met each of the next sets once.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.evaluation.policy_table import new_policy_table
from hiddenhand.evaluation.streaming_best_response import DONE, Part, Task, Walker
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.history import Event
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Integers, Keys
from hiddenhand.jit.history_step import first_keys, notice
from hiddenhand.jit.kernels import kernel
from hiddenhand.search.online import InfosetRoot
from hiddenhand.trees.strategy import Strategy

_ALL: Final = 2.0  # a share of probability that no group exceeds: all groups are handed over


@dataclass(frozen=True, eq=False)
class InformationSet:
    """An information set of one player.

    key: its key.
    legal_actions: the legal actions of the player.
    events: what the player noticed on the way; empty from an enumeration without events.
    part: its histories, weighted by what chance does and uniform play of the others; None if they
        are not known. Histories with equal states and keys stay apart.
    """

    key: int
    legal_actions: list[int]
    events: tuple[Event, ...]
    part: Part | None = None

    @property
    def mass(self) -> float:
        """The sum of the weights of the histories."""
        return 0.0 if self.part is None else float(self.part.weights.sum())

    def root(self, seat: int, most: int, seed: int) -> InfosetRoot:
        """The set as one from which a search of ``seat`` begins. Of more than ``most`` histories it
        has a sample, which ``seed`` decides.
        """
        assert self.part is not None
        weights = self.part.weights
        states = self.part.states.reshape(weights.size, -1)
        known = self.part.keys.reshape(weights.size, -1)
        keys = np.zeros((weights.size, known.shape[1] + 1), np.uint64)
        keys[:, :-1] = known
        root = InfosetRoot(seat, self.key, len(self.legal_actions), states, keys, weights)
        return root.sampled(most, seed)


class InfosetEnumeration:
    """The information sets of ``seat``, one step after the other.

    game: the game, with moves in turns.
    with_events: whether to find the events that lead to each set.
    """

    def __init__(self, game: Game, seat: int, with_events: bool = True) -> None:
        self._game = game
        self._seat = seat
        self._with_events = with_events
        nothing = new_policy_table(Strategy.uniform(game))
        task = Task(game, nothing, seat, drops=False, merges=False)
        self._walker = Walker(task, _ALL)
        self._actions = np.zeros(game.max_actions, np.int64)

    def first(self) -> list[InformationSet]:
        """The first sets."""
        self._walker.begin()
        state = np.zeros(self._game.state_size, np.int64)
        keys = np.zeros(self._game.num_players + 1, np.uint64)
        self._game.initial_state(state)
        first_keys(keys)
        return [one for _, one in self._handed([(state, keys, ())], ())]

    def after(self, here: InformationSet) -> list[tuple[int, InformationSet]]:
        """The next sets, each with the number of the action in ``here`` that leads to it."""
        assert here.part is not None
        self._walker.begin_at(here.part)
        keys = np.zeros(self._game.num_players + 1, np.uint64)
        keys[self._seat] = np.uint64(here.key)
        begun = (
            self._moved(state, keys, (), self._seat, action)
            for state in here.part.states.reshape(-1, self._game.state_size)
            for action in here.legal_actions
        )
        return self._handed(begun, here.events)

    def _handed(
        self, begun: "Iterable[_Way]", before: tuple[Event, ...]
    ) -> list[tuple[int, InformationSet]]:
        """All that the walker hands over. ``begun`` are histories that lead there."""
        found = list[tuple[int, Part]]()
        while self._walker.go() != DONE:
            found.append((self._walker.action, self._walker.handed_over()))
        if not self._with_events:
            return [(action, self._set(part, ())) for action, part in found]
        events = self._events_to({int(part.keys[self._seat]) for _, part in found}, begun)
        return [
            (action, self._set(part, (*before, *events[int(part.keys[self._seat])])))
            for action, part in found
        ]

    def _set(self, part: Part, events: tuple[Event, ...]) -> InformationSet:
        state, game = part.states[: self._game.state_size], self._game
        with explaining(game):
            count = legal_actions(game, state, self._seat, self._actions)
        key = int(part.keys[self._seat])
        return InformationSet(key, self._actions[:count].tolist(), events, part)

    def _events_to(self, wanted: set[int], begun: "Iterable[_Way]") -> dict[int, tuple[Event, ...]]:
        """Events that lead to each of the sets ``wanted``."""
        found: dict[int, tuple[Event, ...]] = {}
        seen: set[tuple[bytes, int]] = set()
        for way in begun:
            stack = [way]
            while stack and len(found) < len(wanted):
                state, keys, events = stack.pop()
                key, mover = int(keys[self._seat]), int(self._game.current_player(state))
                if mover == self._seat:
                    found.setdefault(key, events)
                elif mover != TERMINAL and (state.tobytes(), key) not in seen:
                    seen.add((state.tobytes(), key))
                    stack += [
                        self._moved(state, keys, events, mover, action)
                        for action in self._game.actions_of(state, mover)
                    ]
            if len(found) == len(wanted):
                break
        return found

    def _moved(
        self, state: Integers, keys: Keys, events: tuple[Event, ...], mover: int, action: int
    ) -> "_Way":
        """Where a move leads."""
        state, keys = state.copy(), keys.copy()
        observations = np.zeros(keys.size, np.int64)
        self._game.apply_action(state, action, observations)
        notice(keys, mover, action, observations)
        own = action + 1 if mover == self._seat and mover != CHANCE else 0
        event = Event(own, int(observations[self._seat]), int(observations[-1]))
        return state, keys, (*events, event) if any(event) else events


@kernel
def legal_actions(game: Game, state: Integers, player: int, actions: Integers) -> int:
    """`Game.legal_actions`, compiled: there are millions of sets."""
    return game.legal_actions(state, player, actions)


_Way = tuple[Integers, Keys, tuple[Event, ...]]
"""A state, keys, of which only the player's counts, and what the player noticed."""
