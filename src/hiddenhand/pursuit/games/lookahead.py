"""Relaxed lookahead: how many nodes remain out of sight however the seeing side moves.

Raboin, Nau, Kuter, Gupta and Svec (2010), "Strategy generation in multi-agent imperfect-information
pursuit games"; Lisy (2014), Equations 5.9 and 5.10. In the thesis' letters, with t^i for i moves in
a row, v for what is seen, S_e for where the evader may be and S_p for where pursuing unit p may be:

    RLA_P = 1 / (d + 1) sum over i = 0..d of |t^i(S_e) without v(t^i({nodes of pursuing units}))|
    RLA_e = 1 / (d + 1) sum over i = 0..d of |t^i({node of e}) without v(t^i(union of all S_p))|

Two forms are here. `Lookahead.spreading` follows the sets, as the formulas say. `by_distance` is
faster for a hidden unit whose node is known, where units may wait: a node n counts from the step in
which it can be reached to the step before it can be seen, which is

    RLA = 1 / (d + 1) sum over n of max(0, min(d + 1, steps until n is seen) - steps to n)
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bits import ones
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.views import view
from hiddenhand.pursuit.games.terrain import BITS, Terrain

Small = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Lookahead(Compiled):
    """Tables for relaxed lookahead of depth d on a terrain of N nodes and W words.

    depth: d.
    seen_after: ``int64[d + 1, N, W]``, v(t^i(n)) for each i and n.
    until_seen: ``int16[N, N]``, the least i with m in v(t^i(n)) for each n and m; d + 1 if there is
        none up to d.
    near: ``int16[N, K]``, the nodes at most d moves away from each node.
    steps: ``int16[N, K]``, how many moves away they are.
    num_near: ``int64[N]``, how many there are.
    """

    depth: int
    seen_after: Integers
    until_seen: Small
    near: Small
    steps: Small
    num_near: Integers

    def by_distance(self, hidden: int, seers: Integers, num_seers: int) -> float:
        """RLA of a unit on the node ``hidden``, seen from the first ``num_seers`` nodes of
        ``seers``. Units may wait.
        """
        total = 0
        for index in range(self.num_near[hidden]):
            node, reached = self.near[hidden, index], self.steps[hidden, index]
            until = self.depth + 1
            for seer in range(num_seers):
                until = min(until, int(self.until_seen[seers[seer], node]))
                if until <= reached:
                    break
            total += max(until - reached, 0)
        return total / (self.depth + 1)

    def spreading(
        self,
        terrain: Terrain,
        nodes: Integers,
        seers: Integers,
        num_seers: int,
        room: Integers,
    ) -> float:
        """RLA of a unit that is on one of ``nodes``, seen from the first ``num_seers`` nodes of
        ``seers``.

        nodes: a set, as ``int64[W]``.
        room: ``int64[2 W]`` to work in.
        """
        words = terrain.num_words
        here, there = view(room, 0, words), view(room, words, words)
        for word in range(words):
            here[word] = nodes[word]
        total = 0
        for step in range(self.depth + 1):
            for word in range(words):
                hidden = here[word]
                if hidden != 0:
                    for seer in range(num_seers):
                        hidden &= ~self.seen_after[step, seers[seer], word]
                    total += ones(hidden)
            if step < self.depth:
                terrain.spread(here, there)
                here, there = there, here
        return total / (self.depth + 1)


@lru_cache(maxsize=16)
def lookahead_of(terrain: Terrain, depth: int) -> Lookahead:
    """The tables for ``terrain`` and depth d, of at least 0."""
    seen_after = np.empty((depth + 1, terrain.num_nodes, terrain.num_words), np.int64)
    seen_after[0] = terrain.visible
    for step in range(1, depth + 1):
        seen_after[step] = _over_exits(terrain, seen_after[step - 1])
    until = np.full((terrain.num_nodes, terrain.num_nodes), depth + 1, np.int16)
    for step in range(depth, -1, -1):
        until[_as_truths(terrain, seen_after[step])] = step
    close = terrain.distance <= depth
    widest = int(close.sum(1).max())
    near, steps = (np.zeros((terrain.num_nodes, widest), np.int16) for _ in range(2))
    for node in range(terrain.num_nodes):
        found = np.flatnonzero(close[node])
        order = np.argsort(terrain.distance[node, found], kind="stable")
        near[node, : found.size] = found[order]
        steps[node, : found.size] = terrain.distance[node, found[order]]
    return Lookahead(depth, seen_after, until, near, steps, close.sum(1).astype(np.int64))


def _over_exits(terrain: Terrain, sets: Integers) -> Integers:
    """For each node the union of ``sets``, ``int64[N, W]``, over where one move leads."""
    union = np.zeros_like(sets)
    for number in range(1, terrain.exits.shape[1]):
        has = terrain.exits[:, 0] >= number
        union[has] |= sets[terrain.exits[has, number]]
    return union


def _as_truths(terrain: Terrain, sets: Integers) -> npt.NDArray[np.bool_]:
    """``bool[N, N]`` of ``int64[N, W]``."""
    word, place = terrain.bit // BITS, terrain.bit % BITS
    return (sets[:, word] >> place) & 1 == 1
