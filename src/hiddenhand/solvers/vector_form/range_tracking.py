"""Following a match on the public tree: which public history it has come to, which hand a player
holds there, and how likely each hand plays to get there.

A player's events tell which edges the match took: an edge has a public token, and a private token
for each hand. What a player notices nothing of is no event.
"""

import copy
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np

from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import first_key, fold
from hiddenhand.solvers.vector_form.hand_merging import MergedEdge
from hiddenhand.solvers.vector_form.public_game import VectorForm

Policy = Callable[[int, tuple[int, int]], Floats]
"""What is played at a situation, with these bases: ``float64[A, C]``, for each action and class."""


class Follower:
    """Where a match is, as one player knows.

    form: the game.
    seat: the player.
    situation: of the public history.
    base: where begins what is kept of each player there, in the whole game.
    hand: the player's hand, before hands are merged.
    ranges: for each player ``float64[C]``, how likely each class plays to get here.
    keys: ``uint64[H]``, the keys of the player's hands.
    is_lost: whether the events fit no public history, or several.
    """

    def __init__(self, form: VectorForm, seat: int) -> None:
        self.form = form
        self.seat = seat
        self.situation = 0
        self.base = (0, 0)
        self.hand = 0
        self.ranges: tuple[Floats, Floats] = (np.ones(1), np.ones(1))
        self.keys: Keys = np.array([first_key(seat)], np.uint64)
        self.is_lost = False
        self._unread: list[Event] = []
        self._path: list[MergedEdge] = []

    @property
    def is_to_move(self) -> bool:
        """Whether the player is to move, and it is known where."""
        mover = self.form.merged[self.situation].situation.mover
        return not self.is_lost and not self._unread and mover == self.seat

    @property
    def moves(self) -> int:
        """How many moves the players have made."""
        return sum(edge.before.mover >= 0 for edge in self._path)

    @property
    def played_as(self) -> int:
        """The class of the player's hand."""
        return int(self.form.merged[self.situation].classes[self.seat][self.hand])

    def follow(self, events: Sequence[Event], policy: Policy) -> None:
        """Move on. ``policy``: what players play on the way."""
        self._unread += events
        while self._unread and not self.is_lost:
            found = [
                (edge, number, hand)
                for number, edge in enumerate(self.form.merged[self.situation].edges)
                for hand in self._hands_after(edge, self._unread)
            ]
            if len(found) != 1:
                self.is_lost = bool(found) or not self._is_on_the_way()
                return
            self._take(*found[0], policy)

    def in_another_match(self, events: Sequence[Event], policy: Policy) -> Self:
        """The same in a match of which the public has noticed all that it has noticed in this one,
        and then more; ``events``: all that the player noticed in that match.
        """
        other = copy.copy(self)
        other.hand, other._unread, other._path = 0, list(events), list(self._path)
        for edge in self._path:
            hands = other._hands_after(edge, other._unread)
            if len(hands) != 1:
                other.is_lost = True
                return other
            other.hand = hands[0]
            del other._unread[: len(_noticed(edge, self.seat, hands[0], self._own(edge)))]
        other.follow((), policy)
        return other

    def _hands_after(self, edge: MergedEdge, events: Sequence[Event]) -> list[int]:
        """The player's hands after an edge that explain the first events."""
        if edge.child < 0:
            return []
        after = np.flatnonzero(edge.edge.parent_hand[self.seat] == self.hand)
        found = []
        for hand in map(int, after):
            told = _noticed(edge, self.seat, hand, self._own(edge))
            if told and list(events[: len(told)]) == told:
                found.append(hand)
        return found

    def _is_on_the_way(self) -> bool:
        """Whether the unread events are the first ones of a move of chance that is not over."""
        return any(
            _noticed(edge, self.seat, int(hand), 0)[: len(self._unread)] == self._unread
            for edge in self.form.merged[self.situation].edges
            if edge.before.mover < 0 and edge.child >= 0
            for hand in np.flatnonzero(edge.edge.parent_hand[self.seat] == self.hand)
        )

    def _own(self, edge: MergedEdge) -> int:
        """1 + the player's own action on an edge, 0 if the player does not move."""
        before = edge.before
        if before.mover != self.seat:
            return 0
        return before.actions[edge.edge.action] + 1

    def _take(self, edge: MergedEdge, number: int, hand: int, policy: Policy) -> None:
        """Go along an edge."""
        arrays, mover = self.form.arrays, edge.before.mover
        ranges = list(self.ranges)
        if mover >= 0:
            ranges[mover] = ranges[mover] * policy(self.situation, self.base)[edge.edge.action]
        first, second = (ranges[player][edge.parent[player]] for player in range(2))
        self.ranges = first, second
        told, own = edge.edge.told[self.seat], self._own(edge)
        keys = self.keys[edge.edge.parent_hand[self.seat]]
        for step, token in enumerate(edge.edge.tokens):
            _fold(keys, own if step == 0 else 0, told[step], token)
        self.keys = keys
        place = int(arrays.first_edge[self.situation]) + number
        self.base = (
            self.base[0] + int(arrays.base[place, 0]),
            self.base[1] + int(arrays.base[place, 1]),
        )
        del self._unread[: len(_noticed(edge, self.seat, hand, own))]
        self.situation, self.hand = edge.child, hand
        self._path.append(edge)


def _noticed(edge: MergedEdge, seat: int, hand: int, own: int) -> list[Event]:
    """What a player notices on an edge, with a hand after it. ``own``: 1 + the own action."""
    told = edge.edge.told[seat][:, hand]
    steps = [
        Event(own if step == 0 else 0, int(told[step]), token)
        for step, token in enumerate(edge.edge.tokens)
    ]
    return [event for event in steps if event != Event(0, 0, 0)]


@kernel
def _fold(keys: Keys, action: int, private: Integers, public: int) -> None:
    """Fold an event into the keys of all hands. ``private``: ``int64[H]``, the private token of
    each.
    """
    for hand in range(keys.size):
        keys[hand] = fold(keys[hand], action, private[hand], public)
