"""The information-set tree of any game, found by making all moves: slow, and for small games.

A decision node is the list of all histories in an information set of the player. An observation
node is the list of all histories after an action in them; the others and chance then move in all
possible ways, until the player is to move again or the game is over, and what the player noticed
meanwhile is the observation. See `InformationModel`, whose methods this class has. It runs as plain
Python only, so that no game needs to be compiled in another form.
"""

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from hiddenhand.errors import GameError, TooLargeError
from hiddenhand.games.base import CHANCE, Game, verify_listed
from hiddenhand.games.history import Event, History
from hiddenhand.games.information_model import NO_OBSERVATION
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.random import RandomState, below

MAX_HISTORIES: Final = 100_000
"""Histories that are kept at a time."""
# what a node holds: which set it is, how deep it lies, and whether it is an observation node
_NUMBER, _STEPS, _ACTED = 0, 1, 2
_NOTHING: Final = -1  # the number of no set


class EnumeratedModel:
    """See the module.

    game: the game, with moves in turns.
    player: whose tree it is.
    paranoid: whether a set of histories is worth what its worst history is worth, instead of the
        mean.

    Raises GameError if the game cannot list its chance moves, and, as it is used, TooLargeError
    when there are more than `MAX_HISTORIES`.
    """

    node_size = 3

    def __init__(self, game: Game, player: int, paranoid: bool) -> None:
        verify_listed(game)
        self.game = game
        self.player = player
        self.paranoid = paranoid
        self.max_actions = game.max_actions
        self.max_steps = game.max_depth
        self._evaluation = _evaluation_of(game)
        self._histories: list[History] = []  # that give what was noticed in the match so far

    # --- following a match ---

    def begin(self, node: Integers) -> None:
        """See `InformationModel`."""
        self._histories = [History(self.game)]
        self._forget(node)

    def notice(self, node: Integers, action: int, private: int, public: int) -> None:
        """See `InformationModel`."""
        event = Event(action, private, public)
        found = []
        for history in self._unnoticed(self._histories):
            for after in self._children(history):
                if after.noticed(self.player) == event:
                    found.append(after)
            self._verify_size(len(found))
        self._histories = found
        self._forget(node)

    def _forget(self, node: Integers) -> None:
        """The match has gone on: forget the tree below the node before."""
        here = [h for h in self._unnoticed(self._histories) if h.player == self.player]
        self._sets: list[list[History]] = [here]
        self._after: dict[tuple[int, int], int] = {}  # set and action -> observation node
        self._seen: list[list[int]] = []  # observation node -> set for each observation
        self._kept = len(here)
        node[_NUMBER] = 0 if here else _NOTHING
        node[_STEPS] = node[_ACTED] = 0

    def _unnoticed(self, histories: list[History]) -> Iterator[History]:
        """``histories``, and all that follow on them without the player noticing."""
        waiting = list(histories)
        while waiting:
            history = waiting.pop()
            yield history
            if history.player != self.player and not history.is_terminal:
                waiting += [
                    after for after in self._children(history) if after.noticed(self.player) is None
                ]

    def _children(self, history: History) -> list[History]:
        if history.is_terminal:
            return []
        if history.player == CHANCE:
            return [history.child(outcome) for outcome, _ in history.chance_outcomes()]
        return [history.child(move) for move in history.legal_moves()]

    def knows(self, node: Integers) -> bool:
        """See `InformationModel`."""
        return bool(node[_NUMBER] != _NOTHING)

    # --- the tree ---

    def root(self, node: Integers) -> None:
        """See `InformationModel`."""
        node[_STEPS] = 0

    def is_over(self, node: Integers) -> bool:
        """See `InformationModel`."""
        return self._sets[node[_NUMBER]][0].is_terminal

    def legal_actions(self, node: Integers, actions: Integers) -> int:
        """See `InformationModel`."""
        legal = self._sets[node[_NUMBER]][0].legal_actions()
        actions[: len(legal)] = legal
        return len(legal)

    def act(self, node: Integers, action: int) -> None:
        """See `InformationModel`."""
        edge = int(node[_NUMBER]), int(action)
        if edge not in self._after:
            self._after[edge] = len(self._seen)
            acted = [history.child(edge[1]) for history in self._sets[edge[0]]]
            self._seen.append(self._observed(acted))
        node[_NUMBER], node[_ACTED] = self._after[edge], 1

    def _observed(self, acted: list[History]) -> list[int]:
        """The sets that the player can come to next, in the order in which they are found."""
        groups: dict[tuple[int, bool], list[History]] = {}
        waiting = acted[::-1]
        while waiting:
            history = waiting.pop()
            if history.is_terminal or history.player == self.player:
                group = history.key(self.player), history.is_terminal
                groups.setdefault(group, []).append(history)
                self._kept += 1
            else:
                waiting += self._children(history)[::-1]
            self._verify_size(self._kept + len(waiting))
        first = len(self._sets)
        self._sets += groups.values()
        return list(range(first, len(self._sets)))

    def _verify_size(self, count: int) -> None:
        if count > MAX_HISTORIES:
            raise TooLargeError(
                f"the information-set tree of {self.game} has more than {MAX_HISTORIES:,} "
                "histories where it is searched, and the game has no model of it; use ismcts"
            )

    def next_observation(self, node: Integers, last: int) -> int:
        """See `InformationModel`."""
        number = last + 1
        return number if number < len(self._seen[node[_NUMBER]]) else NO_OBSERVATION

    def may_observe(self, node: Integers, observation: int) -> bool:
        """See `InformationModel`."""
        return 0 <= observation < len(self._seen[node[_NUMBER]])

    def observe(self, node: Integers, observation: int) -> None:
        """See `InformationModel`."""
        node[_NUMBER], node[_ACTED] = self._seen[node[_NUMBER]][observation], 0
        node[_STEPS] += 1

    def acquired(self, node: Integers) -> float:
        """What the player is paid where the game is over; else what its evaluation function says,
        or 0.
        """
        number = int(node[_NUMBER])
        sets = self._seen[number] if node[_ACTED] else [number]
        worth = [self._worth(history) for which in sets for history in self._sets[which]]
        return float(min(worth) if self.paranoid else np.mean(worth))

    def _worth(self, history: History) -> float:
        if history.is_terminal:
            return history.returns()[self.player]
        if self._evaluation is None:
            return 0.0
        return float(self._evaluation.evaluate(self.game, history.state, self.player))

    def identity(self, node: Integers) -> int:
        """See `InformationModel`. Each set of histories is reached in one way only."""
        return 0

    def at_best(self, node: Integers, moves: int) -> float:
        """See `InformationModel`."""
        return math.inf

    # --- simulations ---

    def draw_action(self, node: Integers, rng: RandomState, heavy: bool) -> int:
        """See `InformationModel`."""
        legal = self._sets[node[_NUMBER]][0].legal_actions()
        return legal[below(rng, len(legal))]

    def draw_observation(self, node: Integers, rng: RandomState, heavy: bool) -> int:
        """See `InformationModel`."""
        return below(rng, len(self._seen[node[_NUMBER]]))

    simulated = acquired


def _evaluation_of(game: Game) -> Any:
    try:
        return game.evaluation()
    except GameError:
        return None
