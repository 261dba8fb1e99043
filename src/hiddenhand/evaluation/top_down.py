"""Resolving every public state of a game, each from the solution of the one before: this shows what
a search that resolves plays, wherever a match goes.

Sustr, Kovarik and Lisy (2019), Section 5.2. A search that can `branch` is followed down the public
tree. In a match it would search from the root before play, and then in each public state in which
it has to move. Here it searches in all of these public states. What was found in one of them is
what all public states below it are resolved from. So each seed gives one strategy for the whole
game, by which every match with this seed would be played.
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
    """A search that can be split into several, which share what they know up to some point."""

    def branch(self, events: Sequence[Event]) -> Self:
        """A search that knows what this one knows, in another match, in which the player has
        noticed ``events`` since the match began.
        """


@dataclass
class PublicPlace:
    """A public state in which a player moves.

    sets: the keys of those of the player's information sets there whose strategy is wanted.
    events: what the player noticed on one way there.
    below: the places that come next after this one.
    """

    sets: Keys
    events: list[Event]
    below: list["PublicPlace"] = field(default_factory=list)


def public_tree(
    game: Game, seat: int, ways: Sequence[tuple[Sequence[int], Keys]]
) -> list[PublicPlace]:
    """The public states in which ``seat`` moves, as a forest. Returns its roots.

    game: the game, with moves in turns.
    seat: the player.
    ways: for each of these public states the moves to a history in it, and the keys of the
        player's information sets there.
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


def with_choices(forest: Sequence[PublicPlace]) -> list[PublicPlace]:
    """A forest without the places that have no wanted set, there or below: the thinking of a search
    there makes no difference.
    """
    kept = list[PublicPlace]()
    for place in forest:
        below = with_choices(place.below)
        if place.sets.size or below:
            kept.append(PublicPlace(place.sets, place.events, below))
    return kept


def _followed(game: Game, seat: int, moves: Sequence[int]) -> tuple[int, list[int], list[Event]]:
    """The public key after ``moves``, the public keys on the way there, and what the player
    noticed. The way includes public states in which the player did not move, because in another
    history the player may move there.
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

    search: the search, at the root.
    budget: how long it thinks in each place.
    preplay: how long it thinks at the root first.
    forest: the roots of the forest of places.
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
