"""The information-set trees of `VisibilityPursuit`, for both players.

Lisy (2014), Section 5.3.1. A node holds where the own units are, and for each unit u of the other
side the set S_u of nodes where it may be. It does not hold how the player came there.

- An action moves all own units; then each S_u becomes t(S_u).
- Of each unit u of the other side, the player either notices one of the nodes of S_u that are in
  sight, which becomes all of S_u; or that it is hidden, and S_u loses the nodes in sight.
- What was acquired is the mean, over the moves since the root of the search, of the sizes of all
  S_u: the thesis' u_P and u_e (Equations 5.12 and 5.13, without the logarithm). The pursuers want
  it small, the evader large. In matches with another objective, the end of a match is worth what
  that objective says.

The evader leaves out pursuing units that it never saw. A set of more than ``threshold`` nodes of a
pursuing unit is *frozen*: it no longer grows, and gives no observations; the lookahead still counts
it.
"""

import math
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from hiddenhand.games.information_model import HIDDEN, NO_OBSERVATION, InformationModel
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import Key, fold
from hiddenhand.jit.random import below
from hiddenhand.jit.views import view
from hiddenhand.pursuit.games.layout import EVADER, PURSUERS
from hiddenhand.pursuit.games.lookahead import Lookahead
from hiddenhand.pursuit.games.terrain import BITS, Terrain, nodes_of

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
class PursuitModel(InformationModel):
    """The information-set tree of one player of `VisibilityPursuit`; see the module.

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

    # --- following a match ---

    def begin(self, node: Integers) -> None:
        node[:] = 0
        if self.starts.size > 0:
            own, others = self.starts[1:], self.starts[:1]
            if self.player == EVADER:
                own, others = others, own
            node[OWN : OWN + self.num_own] = own
            node[PLACED] = self.num_own
            for unit in range(self.num_others):
                self.find(node, unit, int(others[unit]))

    def notice(self, node: Integers, action: int, private: int, public: int) -> None:
        if action > 0:
            self.act(node, action - 1)
        if private == 0:
            return
        told, base = private - 1, self.terrain.num_nodes + 1
        if node[PLACED] < self.num_own:
            if self.player == EVADER:
                own, told = divmod(told, base**self.num_others)
                node[OWN] = own - 1
            else:
                node[OWN + node[PLACED]] = told
            node[PLACED] += 1
            if self.player == PURSUERS:
                return
            for unit in range(self.num_others):
                digit = told // base ** (self.num_others - 1 - unit) % base
                if digit > 0:
                    self.find(node, unit, digit - 1)
        elif node[self.sizes] == 0 and self.player == PURSUERS:
            self.find(node, 0, told - 1)
        else:
            self.observe(node, told)

    def knows(self, node: Integers) -> bool:
        return self.is_placed(node) and self.time(node) < self.moves

    # --- the tree ---

    def root(self, node: Integers) -> None:
        node[STEPS] = 0
        node[TOTAL] = 0
        node[SEEN] = 0

    def is_over(self, node: Integers) -> bool:
        return node[TIME] >= self.moves

    def legal_actions(self, node: Integers, actions: Integers) -> int:
        return self.terrain.list_actions(node, OWN, self.num_own, actions)

    def act(self, node: Integers, action: int) -> None:
        words = self.terrain.num_words
        self.terrain.move(node, OWN, self.num_own, action)
        for word in range(words):
            seen = 0
            for unit in range(self.num_own):
                seen |= self.terrain.visible[node[OWN + unit], word]
            node[self.in_sight + word] = seen
        room = view(node, self.in_sight + words, words)
        for unit in range(self.num_others):
            if self._is_followed(node, unit):
                nodes = self.set_of(node, unit)
                self.terrain.spread(nodes, room)
                for word in range(words):
                    nodes[word] = room[word]

    def _is_followed(self, node: Integers, unit: int) -> bool:
        """Whether S_u of ``unit`` is neither left out nor frozen."""
        return 0 < node[self.sizes + unit] <= self.threshold

    def next_observation(self, node: Integers, last: int) -> int:
        """Observations count from the nodes in sight to "hidden", the last unit's first; the digits
        are 1 + the node of a unit in sight, or 0.
        """
        base, weight = self.terrain.num_nodes + 1, 1
        found = 0
        going_on = last == NO_OBSERVATION
        for unit in range(self.num_others - 1, -1, -1):
            digit = HIDDEN
            if last == NO_OBSERVATION:
                digit = self._first_digit(node, unit)
            else:
                digit = last % base
                last //= base
                if not going_on:
                    digit = self._next_digit(node, unit, digit)
                    going_on = digit >= 0
                    if not going_on:
                        digit = self._first_digit(node, unit)
            found += weight * digit
            weight *= base
        return found if going_on else NO_OBSERVATION

    def _first_digit(self, node: Integers, unit: int) -> int:
        return max(self._seen_after(node, unit, -1), HIDDEN)

    def _next_digit(self, node: Integers, unit: int, digit: int) -> int:
        """The digit after ``digit``; -1 if that is the last one."""
        if digit == HIDDEN:
            return -1
        seen = self._seen_after(node, unit, self.terrain.bit[digit - 1])
        if seen > 0:
            return seen
        return HIDDEN if self._may_hide(node, unit) else -1

    def _seen_after(self, node: Integers, unit: int, place: int) -> int:
        """1 + the node in sight, of S_u, that lies next behind a place of the set; -1 if there is
        none.
        """
        if not self._is_followed(node, unit):
            return -1
        nodes = self.set_of(node, unit)
        word = (place + 1) // BITS
        skipped = (1 << ((place + 1) % BITS)) - 1
        while word < self.terrain.num_words:
            seen = nodes[word] & ~skipped
            if not self.sees_all:
                seen &= node[self.in_sight + word]
            if seen != 0:
                lowest = ones((seen & -seen) - 1)
                return 1 + self.terrain.node_at[word * BITS + lowest]
            skipped = 0
            word += 1
        return -1

    def _may_hide(self, node: Integers, unit: int) -> bool:
        """Whether ``unit`` can stay out of sight."""
        if not self._is_followed(node, unit):
            return True
        if self.sees_all:
            return False
        nodes = self.set_of(node, unit)
        for word in range(self.terrain.num_words):
            if nodes[word] & ~node[self.in_sight + word] != 0:
                return True
        return False

    def may_observe(self, node: Integers, observation: int) -> bool:
        base = self.terrain.num_nodes + 1
        for unit in range(self.num_others - 1, -1, -1):
            digit = observation % base
            observation //= base
            if digit == HIDDEN:
                possible = self._may_hide(node, unit)
            else:
                place = self.terrain.bit[digit - 1]
                possible = self._seen_after(node, unit, place - 1) == digit
            if not possible:
                return False
        return True

    def observe(self, node: Integers, observation: int) -> None:
        base = self.terrain.num_nodes + 1
        any_seen = False
        for unit in range(self.num_others - 1, -1, -1):
            digit = observation % base
            observation //= base
            if digit > 0:
                any_seen = True
                self.find(node, unit, digit - 1)
            elif self._is_followed(node, unit):
                self._miss(node, unit)
            node[TOTAL] += node[self.sizes + unit]
        node[SEEN] += int(any_seen)
        node[STEPS] += 1
        node[TIME] += 1

    def find(self, node: Integers, unit: int, there: int) -> None:
        """S_u becomes the node ``there``."""
        self.terrain.only(there, self.set_of(node, unit))
        node[self.sizes + unit] = 1

    def _miss(self, node: Integers, unit: int) -> None:
        """S_u loses the nodes in sight."""
        nodes = self.set_of(node, unit)
        size = 0
        for word in range(self.terrain.num_words):
            hidden = nodes[word] & ~node[self.in_sight + word]
            nodes[word] = hidden
            size += ones(hidden)
        node[self.sizes + unit] = size

    # --- simulations ---

    def draw_action(self, node: Integers, rng: Any, heavy: bool) -> int:
        """All own units move at random. With ``heavy``, a pursuing unit that can make sure to see
        the evader after its next move, because the evader's node is known, does so (Fig. 5.1).
        """
        exits, widest = self.terrain.exits, self.terrain.widest
        evader = -1
        if heavy and self.player == PURSUERS and node[self.sizes] == 1:
            evader = self.terrain.single(self.set_of(node, 0))
        action = 0
        for unit in range(self.num_own):
            here = node[OWN + unit]
            count, chosen = 0, 0
            if evader >= 0:
                # Of several candidates each is drawn alike: the k-th replaces the one before with
                # probability 1 / k.
                for number in range(exits[here, 0]):
                    if self._sees_all_exits(exits[here, 1 + number], evader):
                        count += 1
                        if below(rng, count) == 0:
                            chosen = number
            if count == 0:
                chosen = below(rng, exits[here, 0])
            action = action * widest + chosen
        return action

    def _sees_all_exits(self, here: int, there: int) -> bool:
        """Whether all nodes that a unit can move to from ``there`` are in sight from ``here``."""
        for number in range(self.terrain.exits[there, 0]):
            if not self.terrain.sees(here, self.terrain.exits[there, 1 + number]):
                return False
        return True

    def draw_observation(self, node: Integers, rng: Any, heavy: bool) -> int:
        """Each unit of the other side is seen or hidden, at even odds where it can be either; where
        it is seen is drawn. With ``heavy`` it hides where it can.
        """
        base = self.terrain.num_nodes + 1
        observation = 0
        for unit in range(self.num_others):
            observation *= base
            if self._is_followed(node, unit):
                observation += self._drawn_digit(node, unit, rng, heavy)
        return observation

    def _drawn_digit(self, node: Integers, unit: int, rng: Any, heavy: bool) -> int:
        nodes = self.set_of(node, unit)
        seen = hidden = 0
        for word in range(self.terrain.num_words):
            mask = nodes[word]
            if mask != 0:
                in_sight = mask if self.sees_all else mask & node[self.in_sight + word]
                seen += ones(in_sight)
                hidden += ones(mask ^ in_sight)
        if seen == 0 or (hidden > 0 and (heavy or below(rng, 2) == 0)):
            return HIDDEN
        number = below(rng, seen)
        word = 0
        while True:
            mask = nodes[word]
            if not self.sees_all:
                mask &= node[self.in_sight + word]
            count = ones(mask)
            if number < count:
                break
            number -= count
            word += 1
        for _ in range(number):
            mask &= mask - 1
        return 1 + self.terrain.node_at[word * BITS + ones((mask & -mask) - 1)]

    # --- values ---

    def _signed(self, value: float) -> float:
        return value if self.player == EVADER else -value

    def acquired(self, node: Integers) -> float:
        steps = max(node[STEPS], 1)
        if self.measure == MEAN_SIZE or node[TIME] < self.moves:
            return self._signed(node[TOTAL] / steps)
        if self.measure == NUM_SEEN:
            return self._signed(-float(node[SEEN]))
        return self.extent(node)

    def at_best(self, node: Integers, moves: int) -> float:
        """See `InformationModel`. Pursuers cannot do better than to see the evader in each move.
        The bound is infinity for the evader, and where a match ends by another objective.
        """
        if self.player == EVADER or (
            self.measure != MEAN_SIZE and node[TIME] + moves >= self.moves
        ):
            return math.inf
        return -(node[TOTAL] + moves) / max(node[STEPS] + moves, 1)

    def simulated(self, node: Integers) -> float:
        steps = max(node[STEPS], 1)
        return self._signed(math.log10(max(node[TOTAL] / steps, 1.0)))

    def extent(self, node: Integers) -> float:
        total = 0
        for unit in range(self.num_others):
            total += self.terrain.size(self.set_of(node, unit))
        return self._signed(float(total))

    def lookahead(self, node: Integers) -> float:
        """RLA of the player."""
        words = self.terrain.num_words
        room = view(node, self.in_sight + words, 2 * words)
        waits = self.terrain.keep != 0
        if self.player == PURSUERS:
            for unit in range(self.num_own):
                self.seers[unit] = node[OWN + unit]
            seers = self.num_own
            nodes = self.set_of(node, 0)
            hidden = self.terrain.single(nodes) if waits else -1
        else:
            hidden = node[OWN]
            seers = self._list_others(node)
            nodes = view(node, self.in_sight, words)
            if not waits:
                self.terrain.only(hidden, nodes)
                hidden = -1
        if hidden >= 0:
            return self._signed(self.tables.by_distance(hidden, self.seers, seers))
        return self._signed(self.tables.spreading(self.terrain, nodes, self.seers, seers, room))

    def _list_others(self, node: Integers) -> int:
        """Write the nodes of all S_u into ``seers``; how many there are."""
        count = 0
        for word in range(self.terrain.num_words):
            mask = 0
            for unit in range(self.num_others):
                mask |= self.set_of(node, unit)[word]
            while mask != 0:
                place = word * BITS + ones((mask & -mask) - 1)
                self.seers[count] = self.terrain.node_at[place]
                count += 1
                mask &= mask - 1
        return count
