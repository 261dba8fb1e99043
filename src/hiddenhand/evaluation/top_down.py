"""Resolving every public state of a game, each from the solution of the one before: what a search
that resolves plays, wherever it gets to.

Sustr, Kovarik and Lisy (2019), Section 5.2. A search that can `branch` is followed down the public
tree. In a match it would search from the root before play and then in each public state in which it
has to move; here it does so in all of them, and what was found in a public state is what all those
below it are resolved from. So with a seed there is one strategy for the whole game, the one that
every match with this seed is played by.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self, runtime_checkable

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats, Keys
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event, History
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.strategy import Weights


@runtime_checkable
class Branching(OnlineSearch, Protocol):
    """A search of which there can be several that share what they know up to some point."""

    def branch(self, events: Sequence[Event]) -> Self:
        """The same search in a match in which its player has noticed ``events`` since it began."""


@dataclass
class PublicPlace:
    """A public state in which a player moves.

    sets: the keys of the player's information sets there.
    events: what the player noticed on one way there.
    below: the places that come next after this one.
    """

    sets: Keys
    events: list[Event]
    below: list["PublicPlace"] = field(default_factory=list)


def public_tree(
    game: Game, seat: int, ways: Sequence[tuple[Sequence[int], Keys]]
) -> list[PublicPlace]:
    """The public states in which ``seat`` moves, as a forest.

    ways: for each of them the moves to a history in it, and the keys of the sets there.
    """
    found: dict[int, PublicPlace] = {}
    first: list[PublicPlace] = []
    for moves, sets in sorted(ways, key=lambda way: len(way[0])):
        key, above, events = _followed(game, seat, moves)
        place = found[key] = PublicPlace(sets, events)
        last = next(
            (found[before] for before in reversed(above) if before in found and before != key), None
        )
        (first if last is None else last.below).append(place)
    return first


def _followed(game: Game, seat: int, moves: Sequence[int]) -> tuple[int, list[int], list[Event]]:
    """The public key after ``moves``, those on the way, and what the player noticed.

    On the way counts also where the player did not move, if the public state is one in which they
    may have to.
    """
    history, above, events = History(game), list[int](), list[Event]()
    for move in moves:
        above.append(history.public_key)
        history = history.child(move)
        if event := history.noticed(seat):
            events.append(event)
    return history.public_key, above, events


def search_everywhere(
    search: Branching, budget: Budget, preplay: Budget, forest: Sequence[PublicPlace]
) -> Weights:
    """What a search finds in the information sets of all places. Sets that it does not know are
    missing.

    search: at the root.
    budget: what it may think in each place.
    preplay: what it may think at the root first.
    forest: the places.
    """
    search.think(preplay.iterations, preplay.seconds)
    waiting = [(search, place) for place in reversed(forest)]
    keys, rows = list[Keys](), list[Floats]()
    while waiting:
        above, place = waiting.pop()
        here = above.branch(place.events)
        here.think(budget.iterations, budget.seconds)
        waiting.extend((here, below) for below in reversed(place.below))
        weights = here.weights()
        known = np.flatnonzero(np.isin(weights.keys, place.sets))
        keys.append(weights.keys[known])
        rows.extend(weights.values[weights.starts[row] : weights.starts[row + 1]] for row in known)
    starts = np.cumsum([0, *(row.size for row in rows)])
    return Weights(
        np.concatenate([np.zeros(0, np.uint64), *keys]),
        starts,
        np.concatenate([np.zeros(0), *rows]),
    )
