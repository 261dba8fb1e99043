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

from hiddenhand.budget import Budget
from hiddenhand.evaluation.policy_query import histories_along
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats, Keys
from hiddenhand.search.online import Branching
from hiddenhand.trees.strategy import Weights


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
        histories = histories_along(game, moves)
        # The way includes public states in which the player did not move, because in another
        # history the player may move there.
        *above, key = (history.public_key for history in histories)
        last = next((found[one] for one in reversed(above) if one in found and one != key), None)
        events = [event for history in histories if (event := history.noticed(seat))]
        place = found[key] = PublicPlace(sets, events)
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
    rows = dict[int, Floats]()
    while waiting:
        above, place = waiting.pop()
        here = above.branch(place.events)
        here.think(budget.iterations, budget.seconds)
        waiting.extend((here, below) for below in reversed(place.below))
        rows |= here.weights().among(place.sets)
    return Weights.of(rows)
