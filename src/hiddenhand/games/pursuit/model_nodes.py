"""What a node of the information-set trees of `VisibilityPursuit` holds, and where.

A node holds where the own units are and, for each unit u of the other side, the set S_u of nodes
where it may be. `information_model` works with nodes.

N nodes of the map.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Integers
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.keys import Key, fold
from hiddenhand.compiled.views import view
from hiddenhand.games.information_model import InformationModel
from hiddenhand.games.pursuit.layout import EVADER, PURSUERS
from hiddenhand.games.pursuit.lookahead import Lookahead
from hiddenhand.games.pursuit.terrain import Terrain, nodes_of

PLACED: Final = 0
"""The index at which a node tells how many own units have a place."""
TIME: Final = 1
"""How many moves were made in the match."""
STEPS: Final = 2
"""How many moves were made since the root of the search."""
TOTAL: Final = 3
"""The sizes of all S_u after each of these moves, added up."""
SEEN: Final = 4
"""How often a unit of the other side was seen."""
OWN: Final = 5
"""The nodes of the own units. Behind them lie, at indices that properties name, the sizes of all
S_u, 0 for a unit that is left out; all S_u as words of bits; v(own units); and room for two sets.
"""
MEAN_SIZE, NUM_SEEN = 0, 1  # objectives

_SUMMED: Final = np.uint64(8)  # bits that are left out, so that sums of some keys do not overflow


@kernel
def _folded(key: Key, first: int, second: int, third: int) -> Key:
    """A key of all that ``key`` stands for, and three more numbers of at least 0."""
    return fold(key, first + 1, second, third)


@dataclass(frozen=True)
class PursuitNodes(InformationModel):
    """The nodes of one player's tree.

    terrain: the map.
    tables: the tables for relaxed lookahead.
    player: whose tree it is, EVADER or PURSUERS.
    num_own: how many units the player has.
    num_others: how many units the other player has.
    moves: how many moves a match has.
    threshold: the size above which a set of a pursuing unit is frozen.
    sees_all: whether this player sees all units of the other side at all times.
    measure: the number of the game's objective.
    starts: ``int64[1 + pursuers]``, the nodes where units start, the evader's first; empty if they
        are drawn.
    seers: ``int64[N]``, room for a list of nodes.
    """

    terrain: Terrain
    tables: Lookahead
    player: int
    num_own: int
    num_others: int
    moves: int
    threshold: int
    sees_all: bool
    measure: int
    starts: Integers = field(repr=False)
    seers: Integers = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "seers", np.zeros(self.terrain.num_nodes, np.int64))

    # --- sizes, and where a node holds what ---

    @property
    def sizes(self) -> int:
        """The index at which a node tells the sizes of all S_u."""
        return OWN + self.num_own

    @property
    def sets(self) -> int:
        """The index at which all S_u begin."""
        return OWN + self.num_own + self.num_others

    @property
    def in_sight(self) -> int:
        """The index at which v(own units) begins."""
        return self.sets + self.num_others * self.terrain.num_words

    @property
    def node_size(self) -> int:
        return self.in_sight + 3 * self.terrain.num_words

    @property
    def max_actions(self) -> int:
        return self.terrain.widest**self.num_own

    @property
    def max_steps(self) -> int:
        return self.moves

    @property
    def has_rules_of_thumb(self) -> bool:
        return self.player == PURSUERS

    def set_of(self, node: Integers, unit: int) -> Integers:
        """S_u of unit number ``unit`` of the other side; not a copy."""
        words = self.terrain.num_words
        return view(node, self.sets + unit * words, words)

    def own_nodes(self, node: Integers) -> Integers:
        """The nodes of the own units; not a copy."""
        return view(node, OWN, self.num_own)

    def places_of(self, node: Integers, unit: int) -> Any:
        """``bool[N]``: S_u of unit number ``unit`` of the other side, in plain Python."""
        found = np.zeros(self.terrain.num_nodes, np.bool_)
        found[nodes_of(self.terrain, self.set_of(node, unit))] = True
        return found

    def time(self, node: Integers) -> int:
        """How many moves were made in the match, in plain Python."""
        return int(node[TIME])

    def is_placed(self, node: Integers) -> bool:
        """Whether the player knows all own starts, and for the pursuers that of the evader."""
        known = self.player == EVADER or node[self.sizes] > 0
        return bool(known and node[PLACED] == self.num_own)

    def identity(self, node: Integers) -> Key:
        """See `InformationModel`. Own units that change places make no other node. How often a unit
        was seen matters only with the objective "num_seen".
        """
        key = _folded(np.uint64(0), node[TIME], node[STEPS], node[TOTAL])
        if self.measure == NUM_SEEN:
            key = _folded(np.uint64(key), node[SEEN], 0, 0)
        units: Any = 0
        for unit in range(self.num_own):
            units += np.int64(np.uint64(_folded(np.uint64(0), node[OWN + unit], 0, 0)) >> _SUMMED)
        key = _folded(np.uint64(key), units, 0, 0)
        for unit in range(self.num_others):
            key = _folded(np.uint64(key), node[self.sizes + unit], 0, 0)
        for index in range(self.sets, self.in_sight):
            if node[index] != 0:
                key = _folded(np.uint64(key), node[index], index, 0)
        return key
