"""Monte Carlo CFR on a written-out game: external sampling and outcome sampling.

Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games"; Lanctot (2013), Section 4. A traversal samples part of the game and updates the
regrets R by unbiased estimates of the counterfactual regrets of CFR. Letters as in `profile`, and

i          the player whose regrets are updated
sigma      regret matching on R
q(h)       probability that a history is sampled
x [S]      sums of sigma, weighted so that their mean estimates the average strategy

External sampling ("external") follows all actions of player i and samples one of everybody else.
Outcome sampling samples a single terminal history, at i's sets by epsilon uniform plus 1 - epsilon
times sigma. "outcome" alternates: a traversal updates the regrets of one player and the averages of
the others. "outcome-parallel" explores for, and updates, all players in every traversal. These are
the two forms in Fig. 2 of Heinrich and Silver (2015), "Smooth UCT search in computer poker".

With more than two players the regrets stay unbiased, but under "external" and "outcome" the weight
of a set in the average depends on the play of third players, too: there the average is not the one
that the theory speaks of.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.draws import match_regrets, sample_exploring
from hiddenhand.compiled.kernels import inline
from hiddenhand.compiled.random import RandomState, new_state, uniform
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.parameters import verify_exploration
from hiddenhand.trees.sampled_run import SampledRun
from hiddenhand.trees.tree import GameTree, Histories

SAMPLINGS: Final = ("external", "outcome", "outcome-parallel")


class MCCFR(SampledRun):
    """A run of Monte Carlo CFR that can be continued.

    An iteration is one traversal for each player, or one traversal in all for "outcome-parallel".

    epsilon: how much outcome sampling explores, above 0 and at most 1.
    seed: of the random numbers.
    regret: ``float64[S]``, R.
    average: ``float64[S]``, x.
    """

    def __init__(
        self, tree: GameTree, sampling: str = "external", *, epsilon: float = 0.6, seed: int = 0
    ) -> None:
        if sampling not in SAMPLINGS:
            raise OptionError(
                f"there is no sampling {sampling!r}; choose one of: {', '.join(SAMPLINGS)}"
            )
        super().__init__(tree, f"mccfr {sampling}")
        self.sampling = sampling
        self.epsilon = verify_exploration(epsilon)
        arrays = tree, new_state(seed), self.regret, self.average
        self._traversals: Compiled = (
            ExternalSampling.of(*arrays)
            if sampling == "external"
            else OutcomeSampling.of(
                *arrays, alternating=sampling == "outcome", epsilon=self.epsilon
            )
        )

    @property
    def traversals(self) -> int:
        """Terminal-to-root walks made so far."""
        return self.iterations * (
            1 if self.sampling == "outcome-parallel" else self.tree.num_players
        )


# --- the traversals ---


@dataclass(frozen=True, eq=False)
class ExternalSampling(Compiled):
    """External sampling: a traversal for each player.

    The histories of a traversal are listed breadth first; values then flow back along the list.

    tree: the histories of the game.
    rng: the state of the generator.
    regret, average: ``float64[S]``, R and x, modified in place.
    visited: ``int64[H]``, the histories of this traversal, in the order of the list.
    before: ``int64[H]``, where in the list the parent of each stands.
    after: ``int64[H]``, where in the list the first child of each stands.
    value: ``float64[H]``, what each is worth to player i.
    sigma: room for the strategy in one information set.
    """

    tree: Histories
    rng: RandomState
    regret: Floats
    average: Floats
    visited: Integers
    before: Integers
    after: Integers
    value: Floats
    sigma: Floats

    @staticmethod
    def of(tree: GameTree, rng: RandomState, regret: Floats, average: Floats) -> "ExternalSampling":
        """External sampling of a game, with room for its traversals."""
        size = tree.num_histories
        return ExternalSampling(
            tree.histories,
            rng,
            regret,
            average,
            visited=np.zeros(size, np.int64),
            before=np.zeros(size, np.int64),
            after=np.zeros(size, np.int64),
            value=np.zeros(size),
            sigma=np.zeros(tree.num_children.max()),
        )

    def iterate(self) -> None:
        """A traversal for each player."""
        for i in range(self.tree.utility.shape[1]):
            self.pass_back(i, self.descend(i))

    def descend(self, i: int) -> int:
        """List the histories of a traversal, and update the averages of all but player i. Returns
        how many there are.
        """
        tree, visited, before = self.tree, self.visited, self.before
        visited[0], size, position = 0, 1, 0
        while position < size:
            h = visited[position]
            player, first, n = tree.player[h], tree.first_child[h], tree.num_children[h]
            self.after[position] = size
            self.value[position] = 0.0
            if player == TERMINAL:
                self.value[position] = tree.utility[tree.terminal_number[h], i]
            elif player == i:
                for a in range(n):
                    visited[size], before[size] = first + a, position
                    size += 1
            else:
                if player == CHANCE:
                    a = _sample_chance(self.rng, tree.probability, first, n)
                else:
                    start = tree.set_start[tree.information_set[h]]
                    match_regrets(self.regret, start, n, 0.0, self.sigma)
                    a = sample_exploring(self.rng, self.sigma, n, 0.0)
                    for b in range(n):
                        self.average[start + b] += self.sigma[b]
                visited[size], before[size] = first + a, position
                size += 1
            position += 1
        return size

    def pass_back(self, i: int, size: int) -> None:
        """Find the values of the first ``size`` histories of the list, the last first, and update
        the regrets of player i.
        """
        tree, value, sigma = self.tree, self.value, self.sigma
        for position in range(size - 1, -1, -1):
            h = self.visited[position]
            if tree.player[h] == i:
                start, n = tree.set_start[tree.information_set[h]], tree.num_children[h]
                first = self.after[position]
                match_regrets(self.regret, start, n, 0.0, sigma)
                value[position] = 0.0
                for a in range(n):
                    value[position] += sigma[a] * value[first + a]
                for a in range(n):
                    self.regret[start + a] += value[first + a] - value[position]
            if position > 0 and tree.player[self.visited[self.before[position]]] != i:
                value[self.before[position]] = value[position]


@dataclass(frozen=True, eq=False)
class OutcomeSampling(Compiled):
    """Outcome sampling: a traversal walks down one path, and back up it.

    tree: the histories of the game.
    rng: the state of the generator.
    regret, average: ``float64[S]``, R and x, modified in place.
    alternating: whether a traversal updates the regrets of one player and the averages of the
        others; else it updates all of both.
    epsilon: how much of the play is uniform where regrets are updated, in (0, 1].
    path: ``int64[L + 1]``, the d-th history on the path.
    taken: ``int64[L + 1]``, the number of the action taken there.
    q: ``float64[L + 1]``, the probability that it is sampled.
    reach: ``float64[L + 1, P + 1]``, player p's part in the probability of the history, and
        chance's part last.
    sigma: ``float64[L + 1, A]``, the strategy of who moves there.
    """

    tree: Histories
    rng: RandomState
    regret: Floats
    average: Floats
    alternating: bool
    epsilon: float
    path: Integers
    taken: Integers
    q: Floats
    reach: Floats
    sigma: Floats

    @staticmethod
    def of(
        tree: GameTree,
        rng: RandomState,
        regret: Floats,
        average: Floats,
        *,
        alternating: bool,
        epsilon: float,
    ) -> "OutcomeSampling":
        """Outcome sampling of a game, with room for a path."""
        depth = tree.level_start.size
        return OutcomeSampling(
            tree.histories,
            rng,
            regret,
            average,
            alternating,
            epsilon,
            path=np.zeros(depth, np.int64),
            taken=np.zeros(depth, np.int64),
            q=np.zeros(depth),
            reach=np.zeros((depth, tree.num_players + 1)),
            sigma=np.zeros((depth, tree.num_children.max())),
        )

    def iterate(self) -> None:
        """A traversal for each player, or one in all where they do not alternate."""
        num_players = self.tree.utility.shape[1]
        for i in range(num_players if self.alternating else 1):
            self.pass_back(i, self.descend(i))

    def descend(self, i: int) -> int:
        """Sample a path to a terminal history, and return how many moves it has."""
        tree, q, reach, sigma = self.tree, self.q, self.reach, self.sigma
        h, d = 0, 0
        q[0] = 1.0
        reach[0] = 1.0
        while tree.player[h] != TERMINAL:
            p, n, first = tree.player[h], tree.num_children[h], tree.first_child[h]
            if p == CHANCE:
                a = _sample_chance(self.rng, tree.probability, first, n)
                own = sampled = tree.probability[first + a]
            else:
                start = tree.set_start[tree.information_set[h]]
                match_regrets(self.regret, start, n, 0.0, sigma[d])
                explore = self.epsilon if p == i or not self.alternating else 0.0
                a = sample_exploring(self.rng, sigma[d], n, explore)
                own = sigma[d, a]
                sampled = explore / n + (1.0 - explore) * own
            self.path[d], self.taken[d] = h, a
            q[d + 1] = q[d] * sampled
            reach[d + 1] = reach[d]
            reach[d + 1, p] *= own  # chance is -1, the last entry
            h = first + a
            d += 1
        self.path[d] = h
        return d

    def pass_back(self, i: int, d: int) -> None:
        """Update regrets and averages along a path of ``d`` moves, the last first."""
        tree, path, taken, q, reach = self.tree, self.path, self.taken, self.q, self.reach
        z = tree.terminal_number[path[d]]
        x = 1.0  # probability of the rest of the path by sigma and chance
        for k in range(d - 1, -1, -1):
            p = tree.player[path[k]]
            if p == CHANCE:
                x *= tree.probability[tree.first_child[path[k]] + taken[k]]
                continue
            start = tree.set_start[tree.information_set[path[k]]]
            n = tree.num_children[path[k]]
            below = x
            x *= self.sigma[k, taken[k]]
            if p == i or not self.alternating:
                w = tree.utility[z, p] / q[d]
                for other in range(reach.shape[1]):
                    if other != p:
                        w *= reach[k, other]
                for a in range(n):
                    self.regret[start + a] -= w * x
                self.regret[start + taken[k]] += w * below
            if p != i or not self.alternating:
                for a in range(n):
                    self.average[start + a] += reach[k, p] * self.sigma[k, a] / q[k]


@inline
def _sample_chance(rng: RandomState, probability: Floats, first: int, n: int) -> int:
    """The number of the child of a history that chance moves to."""
    r = uniform(rng)
    for a in range(n - 1):
        r -= probability[first + a]
        if r < 0.0:
            return a
    return n - 1
