"""Strategies gathered from many searches, on the information sets of a game that is written out.

`Sets` is what gathering needs to know of the tree: little enough to be sent to other processes.
`Gathered` adds up what searches accumulated, set by set. How much a search counts in a set is the
mass of what it accumulated there, or how often it was there: see `WEIGHTS`.

Dimensions: I information sets, S sequences, as in `GameTree`; R rows of the weights of one search.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.errors import GameError
from hiddenhand.jit.arrays import Flags, Floats, Indices, Keys, places_of, starts_of
from hiddenhand.trees.profile import normalised
from hiddenhand.trees.strategy import Strategy, Weights
from hiddenhand.trees.tree import GameTree

WEIGHTS: Final = ("mass", "visits")
"""By "mass" the sums themselves are added; by "visits" each search's strategy in a set counts as
often as the search sampled that set.
"""


@dataclass(frozen=True, eq=False)
class Sets:
    """The information sets of a game.

    keys: ``uint64[I]``, their keys in increasing order.
    number: ``int32[I]``, the number of the set with each of these keys.
    start: ``int32[I + 1]``, the first sequence of each set.
    above: ``int32[I]``, for each set the number of the set in which the same player moved last
        before, -1 if there is none.
    """

    keys: Keys
    number: Indices
    start: Indices
    above: Indices

    @classmethod
    def of(cls, tree: GameTree) -> "Sets":
        """The information sets of ``tree``."""
        order = np.argsort(tree.set_key).astype(np.int32)
        return cls(tree.set_key[order], order, tree.set_start, tree.sequence_set[tree.set_parent])

    def find(self, keys: Keys) -> Indices:
        """``int32[R]``: the numbers of the sets with ``keys`` ``uint64[R]``. Raises GameError for a
        key that belongs to no set.
        """
        order = np.argsort(keys)  # sorted keys are found several times faster
        place = np.empty(keys.size, np.intp)
        place[order] = np.searchsorted(self.keys, keys[order])
        place = np.minimum(place, self.keys.size - 1)
        if not np.array_equal(self.keys[place], keys):
            raise GameError(
                "a search knows information sets that the game does not have; make the search for "
                "the game that is written out"
            )
        return self.number[place]

    def find_one(self, key: int) -> int:
        """The number of the set with ``key``."""
        return int(self.find(np.array([key], np.uint64))[0])

    def from_on(self, at: int, sets: Indices) -> Flags:
        """``bool[R]``: which of ``sets`` are the set ``at``, or sets of the same player below
        it.
        """
        found, up = np.zeros(sets.size, np.bool_), sets
        while np.any(up >= 0):
            found |= up == at
            up = np.where(up >= 0, self.above[up], -1)
        return found


class Gathered:
    """The sum of what several searches accumulated, before it is normalised.

    values: ``float64[S]``, the sums.
    known: ``bool[I]``, whether each set was in the memory of some search. Such a set plays
        uniformly if all that was added there is 0.
    """

    def __init__(self, sets: Sets, *searches: Weights) -> None:
        self.values = np.zeros(int(sets.start[-1]))
        self.known = np.zeros(sets.number.size, np.bool_)
        for weights in searches:
            self.add(sets, weights)

    def add(self, sets: Sets, weights: Weights, at: int | None = None, by: str = "mass") -> None:
        """Add what a search accumulated. Raises GameError if it does not fit the game.

        sets: the information sets of the game.
        weights: what the search accumulated.
        at: the number of a set; only this set and the sets of the same player below it are added.
            None adds all sets.
        by: how much the search counts in a set, one of `WEIGHTS`; "visits" needs a search that
            counts its samples.
        """
        numbers = sets.find(weights.keys)
        chosen = np.ones(numbers.size, np.bool_) if at is None else sets.from_on(at, numbers)
        numbers, sizes = numbers[chosen], np.diff(weights.starts)[chosen]
        if np.any(sizes != sets.start[numbers + 1] - sets.start[numbers]):
            raise GameError(
                "a search knows other actions than the game has; make the search for the game "
                "that is written out"
            )
        added = weights.values[places_of(weights.starts[:-1][chosen], sizes)]
        if by == "visits":
            added = added * np.repeat(_visits_per_mass(weights)[chosen], sizes)
        self.values[places_of(sets.start[numbers], sizes)] += added
        self.known[numbers] = True

    def weights(self, sets: Sets) -> Weights:
        """The sums in the known sets, as weights of a search."""
        known = self.known[sets.number]
        numbers = sets.number[known]
        sizes = (sets.start[numbers + 1] - sets.start[numbers]).astype(np.int64)
        return Weights(
            sets.keys[known],
            starts_of(sizes),
            self.values[places_of(sets.start[numbers], sizes)],
        )

    def profile(self, tree: GameTree, unseen: str, seed: int) -> Floats:
        """``float64[S]``: the strategy in proportion to the sums. Sets that are not known play what
        ``unseen`` and ``seed`` say, see `Strategy.on`.
        """
        nothing = Strategy.uniform(tree.game)
        known = np.concatenate(
            [np.zeros(tree.num_players, np.bool_), np.repeat(self.known, np.diff(tree.set_start))]
        )
        return np.where(known, normalised(tree, self.values), nothing.on(tree, unseen, seed))


def _visits_per_mass(weights: Weights) -> Floats:
    """``float64[R]``: the visits of each set divided by its mass; 0 for sets without mass."""
    assert weights.visits is not None  # of a search that counts them
    mass = weights.mass
    return np.where(mass > 0, weights.visits / np.where(mass > 0, mass, 1.0), 0.0)
