"""Strategies gathered from many searches, on the information sets of a game that is written out.

`Sets` is what gathering needs to know of the tree: little enough to be sent to other processes. `Gathered` sums up what searches accumulated, set by
set; their mass is the weight of each search in the end.

Dimensions: I information sets, S sequences, as in `GameTree`; R rows of the weights of one search.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import GameError
from hiddenhand.trees.profile import normalised
from hiddenhand.trees.strategy import Strategy, Weights
from hiddenhand.trees.tree import Floats, GameTree, Ints, Keys

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sets:
    """The information sets of a game.

    keys: ``uint64[I]``, increasing; number: ``int32[I]``, the set with that key; start: ``int32[I + 1]``, the first sequence of each set;
    above: ``int32[I]``, the player's own set before, -1 if there is none.
    """

    keys: Keys
    number: Ints
    start: Ints
    above: Ints

    @classmethod
    def of(cls, tree: GameTree) -> "Sets":
        order = np.argsort(tree.set_key).astype(np.int32)
        return cls(tree.set_key[order], order, tree.set_start, tree.sequence_set[tree.set_parent])

    def find(self, keys: Keys) -> Ints:
        """``int32[R]``: the sets with ``keys``. Raises GameError for a key that is of no set."""
        place = np.minimum(np.searchsorted(self.keys, keys), max(self.keys.size - 1, 0))
        if keys.size and (not self.keys.size or np.any(self.keys[place] != keys)):
            raise GameError("a search knows information sets that the game does not have; it was made for another game")
        return self.number[place]

    def not_above(self, sets: Ints, at: int) -> Flags:
        """``bool[R]``: which of ``sets`` are the set ``at`` or below it, for its player."""
        found, up = np.zeros(sets.size, np.bool_), sets.astype(np.int32)
        while np.any(up >= 0):
            found |= up == at
            up = np.where(up >= 0, self.above[up], -1)
        return found


class Gathered:
    """Sums of strategies before they are normalised.

    values: ``float64[S]``; known: ``bool[I]``, which sets were in the memory of a search: one that is there without any weight plays uniformly.
    """

    def __init__(self, sets: Sets) -> None:
        self.values = np.zeros(int(sets.start[-1]))
        self.known = np.zeros(sets.number.size, np.bool_)

    def add(self, sets: Sets, weights: Weights, chosen: Flags, numbers: Ints) -> None:
        """Add the ``chosen`` rows of ``weights``, which are those of the sets ``numbers``. Raises GameError if they do not fit the game."""
        sizes = np.diff(weights.starts)[chosen]
        numbers = numbers[chosen]
        if np.any(sizes != sets.start[numbers + 1] - sets.start[numbers]):
            raise GameError("a search knows an information set with another number of actions than the game has there; it was made for another game")
        self.values[_ranges(sets.start[numbers], sizes)] += weights.values[_ranges(weights.starts[:-1][chosen], sizes)]
        self.known[numbers] = True

    def merge(self, other: "Gathered") -> None:
        """Add what ``other`` has."""
        self.values += other.values
        self.known |= other.known

    def profile(self, tree: GameTree, unseen: str, seed: int) -> Floats:
        """``float64[S]``: the strategy proportional to the sums. Sets that are not known play ``unseen`` by ``seed``, see `Strategy.on`."""
        nothing = Strategy(repr(tree.game), np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))
        known = np.concatenate([np.zeros(tree.num_players, np.bool_), np.repeat(self.known, np.diff(tree.set_start))])
        return np.where(known, normalised(tree, self.values), nothing.on(tree, unseen, seed))


def gathered_below(sets: Sets, weights: Weights, at: int, into: Gathered) -> None:
    """Add what ``weights`` say about the set ``at`` and all sets of the same player below it."""
    numbers = sets.find(weights.keys)
    into.add(sets, weights, sets.not_above(numbers, at), numbers)


def gathered_at(sets: Sets, weights: Weights, wanted: Iterable[int], into: Gathered) -> None:
    """Add what ``weights`` say about the sets ``wanted``."""
    numbers = sets.find(weights.keys)
    into.add(sets, weights, np.isin(numbers, list(wanted)), numbers)


def gathered_everywhere(sets: Sets, weights: Weights, into: Gathered) -> None:
    """Add all that ``weights`` say."""
    numbers = sets.find(weights.keys)
    into.add(sets, weights, np.ones(numbers.size, np.bool_), numbers)


def _ranges(starts: npt.NDArray[np.integer], sizes: Integers) -> Integers:
    """``starts[0], starts[0] + 1, ...``, ``sizes[0]`` of them, then the same for the next."""
    offsets = np.cumsum(sizes) - sizes
    return np.arange(int(sizes.sum())) + np.repeat(starts - offsets, sizes)
