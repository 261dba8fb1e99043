"""A map as compiled code knows it: neighbours, sight and distances, and sets of nodes as words of
bits.

A set of nodes S is a row of W words, of `BITS` bits each. The bits are laid out so that t(S), all
nodes that can be reached from S in one move, takes a few operations for each word. The nodes of a
grid's row stand side by side, and every row of cells begins a new word: left and right are shifts
by one bit, up and down are shifts by ``stride`` words. The nodes of a graph stand side by side
along its streets, each street with a gap behind it; what else is joined is a list of links.

The letters are those of Lisy's thesis (2014), Section 5.2: t(S) and v(S) are what can be reached in
one move, and be seen, from the nodes of S.
"""

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones
from hiddenhand.jit.bridge import Compiled
from hiddenhand.pursuit.games.maps import load_map
from hiddenhand.pursuit.games.places import Places

BITS: Final = 62
"""Bits of a word that are used: a word shifted by one bit is still a positive integer."""
_ALL: Final = (1 << BITS) - 1
_LAST: Final = BITS - 1

Distances = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Terrain(Compiled):
    """A map with the way units move and see on it. N nodes, W words, at most X exits of a node.

    contents: a digest of all that is below, by which terrains are compared.
    exits: ``int64[N, 1 + X]``, how many moves lead out of each node, then where to; a unit that may
        wait has its own node as the last of them.
    bit: ``int64[N]``, the place of each node in sets: word times `BITS` plus bit.
    node_at: ``int64[W * BITS]``, the node at each place; -1 where there is none.
    free: ``int64[W]``, the set of all nodes.
    visible: ``int64[N, W]``, v(n) for each node n.
    links: ``int64[L, 4]``, joined nodes that do not lie as the grid's or along a street: word and
        mask of the one, word and mask of the other.
    distance: ``int16[N, N]``, the least number of moves from node to node.
    eccentricity: ``int64[N]``, the distance to the node that is farthest away.
    stride: how many words lie between a cell and the one below it; 0 for a graph.
    keep: -1, all bits, if a unit may wait, else 0.
    """

    contents: str
    exits: Integers = field(repr=False, compare=False)
    bit: Integers = field(repr=False, compare=False)
    node_at: Integers = field(repr=False, compare=False)
    free: Integers = field(repr=False, compare=False)
    visible: Integers = field(repr=False, compare=False)
    links: Integers = field(repr=False, compare=False)
    distance: Distances = field(repr=False, compare=False)
    eccentricity: Integers = field(repr=False, compare=False)
    stride: int = field(repr=False, compare=False)
    keep: int = field(repr=False, compare=False)

    @property
    def num_nodes(self) -> int:
        """N."""
        return self.bit.size

    @property
    def num_words(self) -> int:
        """W."""
        return self.free.size

    @property
    def widest(self) -> int:
        """X."""
        return self.exits.shape[1] - 1

    def list_actions(self, state: Integers, first: int, units: int, actions: Integers) -> int:
        """Write the joint actions of some units in increasing order into ``actions``, and return
        how many there are. An action has a digit to the base X for each unit: the number of an
        exit of its node.

        state: holds the nodes of the units.
        first: the index of the first one.
        units: how many there are.
        """
        actions[0] = 0
        count = 1
        for unit in range(units):
            exits = self.exits[state[first + unit], 0]
            # what there is so far gets another digit; from the end, so that nothing is lost
            for index in range(count * exits - 1, -1, -1):
                actions[index] = actions[index // exits] * self.widest + index % exits
            count *= exits
        return count

    def move(self, state: Integers, first: int, units: int, action: int) -> None:
        """Move the units by a joint action; the arguments are those of `list_actions`."""
        for index in range(first + units - 1, first - 1, -1):
            state[index] = self.exits[state[index], 1 + action % self.widest]
            action //= self.widest

    def spread(self, nodes: Integers, into: Integers) -> None:
        """``into`` = t(nodes), all nodes that one move leads to. The two must not overlap.

        Words before the first and after the last node of the set are skipped.
        """
        words = self.free.size
        low, high = 0, words
        while low < words and nodes[low] == 0:
            into[low] = 0
            low += 1
        while high > low and nodes[high - 1] == 0:
            high -= 1
            into[high] = 0
        margin = max(self.stride, 1)
        low, high = max(low - margin, 0), min(high + margin, words)
        for word in range(low, high):
            here = nodes[word]
            found = (here & self.keep) | (here << 1) | (here >> 1)
            if word > 0:
                found |= nodes[word - 1] >> _LAST
            if word + 1 < words:
                found |= (nodes[word + 1] & 1) << _LAST
            if self.stride > 0:
                if word >= self.stride:
                    found |= nodes[word - self.stride]
                if word + self.stride < words:
                    found |= nodes[word + self.stride]
            into[word] = found & self.free[word]
        for link in range(self.links.shape[0]):
            if nodes[self.links[link, 0]] & self.links[link, 1] != 0:
                into[self.links[link, 2]] |= self.links[link, 3]

    def size(self, nodes: Integers) -> int:
        """How many nodes a set has."""
        total = 0
        for word in range(self.free.size):
            total += ones(nodes[word])
        return total

    def has(self, nodes: Integers, node: int) -> bool:
        """Whether ``node`` belongs to a set."""
        place = self.bit[node]
        return (nodes[place // BITS] >> (place % BITS)) & 1 == 1

    def only(self, node: int, nodes: Integers) -> None:
        """Make ``nodes`` the set of a single node."""
        for word in range(self.free.size):
            nodes[word] = 0
        place = self.bit[node]
        nodes[place // BITS] = 1 << (place % BITS)

    def single(self, nodes: Integers) -> int:
        """The node of a set that has only one; else -1."""
        found = -1
        for word in range(self.free.size):
            mask = nodes[word]
            if mask != 0:
                if found >= 0 or mask & (mask - 1) != 0:
                    return -1
                found = word * BITS + ones(mask - 1)
        return self.node_at[found] if found >= 0 else -1

    def sees(self, one: int, other: int) -> bool:
        """Whether units on two nodes see each other."""
        place = self.bit[other]
        return (self.visible[one, place // BITS] >> (place % BITS)) & 1 == 1


@lru_cache(maxsize=32)
def terrain_of(text: str, sight: float, stay: bool) -> Terrain:
    """The terrain of the map that ``text`` names: see `maps.load_map`. Raises MapError.

    sight: how far a unit sees, in the unit of the map.
    stay: whether a unit may wait.
    """
    places = load_map(text)
    stay = stay or len(places.names) == 1  # where else should a unit go?
    bit, num_words, stride = _layout(places)
    sees = places.sees(sight)
    exits = _exits(places, stay)
    distance = _distances(places)
    arrays = {
        "exits": exits,
        "bit": bit,
        "node_at": _inverse(bit, num_words),
        "free": as_words(np.ones((1, bit.size), np.bool_), bit, num_words)[0],
        "visible": as_words(sees, bit, num_words),
        "links": _other_links(places, bit, stride),
        "distance": distance,
        "eccentricity": distance.max(1).astype(np.int64),
    }
    digest = hashlib.sha256(repr((stride, stay, places.names)).encode())
    for array in arrays.values():
        digest.update(np.ascontiguousarray(array).tobytes())
        array.setflags(write=False)
    return Terrain(
        contents=digest.hexdigest()[:16], stride=stride, keep=-1 if stay else 0, **arrays
    )


def as_words(sets: npt.NDArray[np.bool_], bit: Integers, num_words: int) -> Integers:
    """Sets of nodes, ``bool[M, N]``, as ``int64[M, W]``."""
    words = np.zeros((len(sets), num_words), np.int64)
    for node, place in enumerate(bit.tolist()):
        words[:, place // BITS] |= sets[:, node].astype(np.int64) << (place % BITS)
    return words


def nodes_of(terrain: Terrain, nodes: Integers) -> list[int]:
    """The nodes of a set, in increasing order. In plain Python, for people and tests."""
    found = []
    for word, mask in enumerate(nodes.tolist()):
        while mask:
            found.append(int(terrain.node_at[word * BITS + (mask & -mask).bit_length() - 1]))
            mask &= mask - 1
    return sorted(found)


def _layout(places: Places) -> tuple[Integers, int, int]:
    """The place of each node in sets, the number of words, and the stride."""
    if places.walls is None:
        bit, end = _along_streets(places)
        return bit, end // BITS + 1, 0
    rows, columns = places.walls.shape
    stride = columns // BITS + 1  # so that a bit is free behind the last column
    column, row = places.points.T
    return row * stride * BITS + column, rows * stride, stride


def _along_streets(places: Places) -> tuple[Integers, int]:
    """The nodes of a graph, one chain of neighbours after the other, with a gap between chains.
    Chains begin where streets end or meet.
    """
    bit = np.full(len(places.names), -1, np.int64)
    place = 0
    starts = sorted(range(bit.size), key=lambda node: (len(places.beside[node]) == 2, node))
    for start in starts:
        node = start if bit[start] < 0 else -1
        while node >= 0:
            bit[node] = place
            place += 1
            onward = [other for other in places.beside[node] if bit[other] < 0]
            node = min(onward, key=lambda other: len(places.beside[other]), default=-1)
            if node < 0:
                place += 1
    return bit, place


def _inverse(bit: Integers, num_words: int) -> Integers:
    node_at = np.full(num_words * BITS, -1, np.int64)
    node_at[bit] = np.arange(bit.size)
    return node_at


def _other_links(places: Places, bit: Integers, stride: int) -> Integers:
    """The links that are no shift, in both directions."""
    found = []
    for one, other in places.links:
        first, second = int(bit[one]), int(bit[other])
        if stride == 0 and abs(first - second) != 1:
            ends = [(place // BITS, 1 << (place % BITS)) for place in (first, second)]
            found += [(*ends[0], *ends[1]), (*ends[1], *ends[0])]
    return np.array(found, np.int64).reshape(-1, 4)


def _exits(places: Places, stay: bool) -> Integers:
    most = max(map(len, places.beside)) + int(stay)
    exits = np.zeros((len(places.names), 1 + most), np.int64)
    for node, others in enumerate(places.beside):
        ways = [*others, node] if stay else list(others)
        exits[node, : 1 + len(ways)] = [len(ways), *ways]
    return exits


def _distances(places: Places) -> Distances:
    from scipy.sparse.csgraph import shortest_path

    return shortest_path(places.joined(), directed=False, unweighted=True).astype(np.int16)
