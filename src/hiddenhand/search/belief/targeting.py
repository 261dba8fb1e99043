"""What samples are targeted at: the part of the game that a match has come to (Lisy, Lanctot and
Bowling 2015, Sections 3.1 and 3.2).

A target is a trie of histories, from a belief: samples stay on the trie until they pass one of its
leaves, and are free after that. Information-set targeting takes the histories that the player to
move considers possible, public-subgame targeting those that the public does. Any subset of the
terminal histories may be targeted, so a belief that is a sample will do, too. And because a whole
history is followed, not the separate actions in it, a targeted sample never misses its target.

A traversal keeps its place in the trie: a node, BELOW a leaf, where all that follows is targeted,
or OUTSIDE.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from hiddenhand.jit.arrays import Floats, Indices, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import InformationSetTable
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, uniform
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.history_trie import Trie, step_probabilities

BELOW: Final = -1
OUTSIDE: Final = -2


@dataclass(frozen=True)
class Everywhere(Compiled):
    """Nothing in particular is targeted: the search of a game from its root."""

    TARGETED: ClassVar[int] = 0

    def root(self) -> int:
        return BELOW

    def after(self, place: int, a: int) -> int:
        return place

    def factor(self, place: int, a: int, phi: Floats) -> float:
        return phi[a]

    def sample(self, place: int, phi: Floats, rng: RandomState) -> int:
        return 0  # never asked: no place is a node

    def draw(self, place: int, rng: RandomState) -> int:
        return 0  # nor this

    def probability_of(self, place: int, outcome: int) -> float:
        return 1.0

    def draw_factor(self, place: int, outcome: int) -> float:
        return 1.0


@dataclass(frozen=True)
class Target(Compiled):
    """The histories that pass a leaf of a trie.

    index: ``int64[N]``, which action of its parent leads to a node; first_child, num_children:
    ``int32[N]``, none at a leaf; probability: ``float64[N]``, of the outcome of chance that leads
    there. Where a game draws its chance (`Game.sample_chance`), index is the outcome itself.
    """

    index: Integers
    first_child: Indices
    num_children: Indices
    probability: Floats

    TARGETED: ClassVar[int] = 1

    def root(self) -> int:
        """The place of the empty history."""
        return 0 if self.num_children[0] > 0 else BELOW

    def after(self, place: int, a: int) -> int:
        """The place after action number ``a``."""
        if place < 0:
            return place
        for child in range(
            self.first_child[place], self.first_child[place] + self.num_children[place]
        ):
            if self.index[child] == a:
                return child if self.num_children[child] > 0 else BELOW
        return OUTSIDE

    def factor(self, place: int, a: int, phi: Floats) -> float:
        """The probability of action number ``a`` when ``phi`` is restricted to the target and
        renormalised; 0 if it leaves the target.
        """
        if place == BELOW:
            return phi[a]
        if place == OUTSIDE or self.after(place, a) == OUTSIDE:
            return 0.0
        kept = self._kept(place, phi)
        return phi[a] / kept if kept > 0.0 else 1.0 / self.num_children[place]

    def sample(self, place: int, phi: Floats, rng: RandomState) -> int:
        """An action number drawn from ``phi`` restricted to the target; ``place`` is a node."""
        first, count = self.first_child[place], self.num_children[place]
        kept = self._kept(place, phi)
        r = uniform(rng) * (kept if kept > 0.0 else float(count))
        chosen = self.index[first]
        for child in range(first, first + count):
            p = phi[self.index[child]] if kept > 0.0 else 1.0
            if p > 0.0:
                chosen = self.index[child]
                if r < p:
                    break
                r -= p
        return int(chosen)

    def draw(self, place: int, rng: RandomState) -> int:
        """An outcome of chance that stays in the target, in proportion to the probabilities;
        ``place`` is a node.
        """
        first, count = self.first_child[place], self.num_children[place]
        r = uniform(rng) * self._outcomes_kept(place)
        for child in range(first, first + count - 1):
            if r < self.probability[child]:
                return self.index[child]
            r -= self.probability[child]
        return self.index[first + count - 1]

    def probability_of(self, place: int, outcome: int) -> float:
        """The probability of an outcome; 1 where it is not known, outside of the target and
        below.
        """
        if place >= 0:
            for child in range(
                self.first_child[place], self.first_child[place] + self.num_children[place]
            ):
                if self.index[child] == outcome:
                    return self.probability[child]
        return 1.0

    def draw_factor(self, place: int, outcome: int) -> float:
        """The same when chance is restricted to the target; 0 if the outcome leaves it."""
        if place == BELOW:
            return 1.0
        if place == OUTSIDE or self.after(place, outcome) == OUTSIDE:
            return 0.0
        return self.probability_of(place, outcome) / self._outcomes_kept(place)

    def _outcomes_kept(self, place: int) -> float:
        total = 0.0
        for child in range(
            self.first_child[place], self.first_child[place] + self.num_children[place]
        ):
            total += self.probability[child]
        return total

    def _kept(self, place: int, phi: Floats) -> float:
        total = 0.0
        for child in range(
            self.first_child[place], self.first_child[place] + self.num_children[place]
        ):
            total += phi[self.index[child]]
        return total


def target_of(belief: Belief) -> Target:
    """The target that a belief's trie describes."""
    trie = belief.trie
    return Target(trie.index, trie.first_child, trie.num_children, trie.probability)


def weighting_factor(
    own: Belief, targeted: Belief, delta: float, table: InformationSetTable, column: int
) -> float:
    """w_T: the probability of reaching the present information set with the present targeting over
    that without, under the mean strategies.

    ``own`` is the belief of the player to move, ``targeted`` the one whose trie is the target (the
    same, or the public's). Eq. 3 of the paper is printed upside down. 1 where the mean strategies
    never come here, so that nothing can be said.
    """
    u, b = np.ones(own.trie.size), np.ones(own.trie.size)
    step = step_probabilities(own.trie, table, column)
    targeted_step = step if targeted is own else step_probabilities(targeted.trie, table, column)
    _likelihoods(own.trie, step, targeted.trie, targeted_step, u, b)
    leaves = own.leaves
    # the own histories in memory are all of the target if they are the target, and else a sample
    counted = 1.0 if targeted is own else leaves.weight
    without = float(u[leaves.node] @ leaves.weight)
    within = float((b[leaves.node] * counted).sum())
    factor = (1.0 - delta) + delta * within / without if without > 0 else 1.0
    return factor if 0.0 < factor < np.inf else 1.0


@kernel
def _likelihoods(
    own: Trie, step: Floats, targeted: Trie, targeted_step: Floats, u: Floats, b: Floats
) -> None:
    """Write for each node of ``own`` the probability of its history by mean strategies and chance,
    and the same for targeted samples.

    step, targeted_step: ``float64[N]``, the probability of the last move to each node of the two
    tries.
    """
    kept = np.zeros(targeted.parent.size)
    for node in range(1, targeted.parent.size):
        kept[targeted.parent[node]] += targeted_step[node]
    place = np.zeros(own.parent.size, np.int64)
    place[0] = 0 if targeted.num_children[0] > 0 else BELOW
    for node in range(1, own.parent.size):
        before, p = own.parent[node], step[node]
        u[node] = u[before] * p
        at = place[before]
        place[node] = at
        if at >= 0:
            place[node] = OUTSIDE
            for child in range(
                targeted.first_child[at], targeted.first_child[at] + targeted.num_children[at]
            ):
                if targeted.index[child] == own.index[node]:
                    place[node] = child if targeted.num_children[child] > 0 else BELOW
            p = p / kept[at] if kept[at] > 0.0 else 1.0 / targeted.num_children[at]
        b[node] = b[before] * p if place[node] != OUTSIDE else 0.0
