"""Strategies gathered from many searches, on the information sets of a game that is written out.

`Sets` is what gathering needs to know of the tree: little enough to be sent to other processes.
`Gathered` adds up what searches accumulated, set by set. How much a search counts in a set is the
mass of what it accumulated there, or how often it was there: see `WEIGHTS`.

Dimensions: I information sets, S sequences, as in `GameTree`; R rows of the weights of one search.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Flags, Floats, Indices, Integers, Keys
from hiddenhand.errors import GameError
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

    keys: ``uint64[I]``, increasing.
    number: ``int32[I]``, the set with each key.
    start: ``int32[I + 1]``, the first sequence of each set.
    above: ``int32[I]``, the set of the same player before each set, -1 if there is none.
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
        """``int32[R]``: the sets with ``keys``. Raises GameError for the key of no set."""
        place = np.minimum(np.searchsorted(self.keys, keys), self.keys.size - 1)
        if not np.array_equal(self.keys[place], keys):
            raise GameError(
                "a search knows information sets that the game does not have; make the search for "
                "the game that is written out"
            )
        return self.number[place]

    def find_one(self, key: int) -> int:
        """The set with ``key``."""
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
    """Strategies before they are normalised.

    values: ``float64[S]``, the sums.
    known: ``bool[I]``, which sets were in the memory of a search. Such a set plays uniformly if
        nothing was added there.
    """

    def __init__(self, sets: Sets) -> None:
        self.values = np.zeros(int(sets.start[-1]))
        self.known = np.zeros(sets.number.size, np.bool_)

    def add(self, sets: Sets, weights: Weights, at: int | None = None, by: str = "mass") -> None:
        """Add what ``weights`` say: everything, or about the set ``at`` and those below it. Raises
        GameError if they do not fit the game.

        by: one of `WEIGHTS`; "visits" needs a search that counts them.
        """
        numbers = sets.find(weights.keys)
        chosen = np.ones(numbers.size, np.bool_) if at is None else sets.from_on(at, numbers)
        numbers, sizes = numbers[chosen], np.diff(weights.starts)[chosen]
        if np.any(sizes != sets.start[numbers + 1] - sets.start[numbers]):
            raise GameError(
                "a search knows other actions than the game has; make the search for the game "
                "that is written out"
            )
        added = weights.values[_ranges(weights.starts[:-1][chosen], sizes)]
        if by == "visits":
            added = added * np.repeat(_visits_per_mass(weights)[chosen], sizes)
        self.values[_ranges(sets.start[numbers], sizes)] += added
        self.known[numbers] = True

    def weights(self, sets: Sets) -> Weights:
        """What was added, about the known sets."""
        known = self.known[sets.number]
        numbers = sets.number[known]
        sizes = (sets.start[numbers + 1] - sets.start[numbers]).astype(np.int64)
        return Weights(
            sets.keys[known],
            np.concatenate([[0], np.cumsum(sizes)]),
            self.values[_ranges(sets.start[numbers], sizes)],
        )

    def profile(self, tree: GameTree, unseen: str, seed: int) -> Floats:
        """``float64[S]``: the strategy in proportion to the sums. Sets that are not known play
        ``unseen`` by ``seed``, see `Strategy.on`.
        """
        nothing = Strategy(
            repr(tree.game), np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0)
        )
        known = np.concatenate(
            [np.zeros(tree.num_players, np.bool_), np.repeat(self.known, np.diff(tree.set_start))]
        )
        return np.where(known, normalised(tree, self.values), nothing.on(tree, unseen, seed))


def _visits_per_mass(weights: Weights) -> Floats:
    """``float64[R]``, 0 for sets without mass."""
    assert weights.visits is not None  # of a search that counts them
    mass = weights.mass
    return np.where(mass > 0, weights.visits / np.where(mass > 0, mass, 1.0), 0.0)


def _ranges(starts: npt.NDArray[np.integer], sizes: Integers) -> Integers:
    """``starts[0], starts[0] + 1, ...``, ``sizes[0]`` of them, then the same for the next."""
    offsets = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - offsets, sizes)
