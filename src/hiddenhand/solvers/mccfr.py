"""Monte Carlo CFR on a written-out game: external sampling and outcome sampling.

Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games"; Lanctot (2013), Section 4. A traversal samples part of the game and updates the
regrets R by unbiased estimates of the counterfactual regrets of CFR. Letters as in `profile`, and

i          the player whose regrets are updated
sigma      regret matching on R
q(h)       probability that a history is sampled
x [S]      sums of sigma, weighted so that their mean estimates the average strategy

External sampling ("external") follows all actions of player i and samples one of each other player.
Outcome sampling samples a single terminal history, at i's sets by epsilon uniform plus 1 - epsilon
times sigma. "outcome" alternates: a traversal updates the regrets of one player and the averages of
the others. "outcome-parallel" explores for, and updates, all players in every traversal. These are
the two forms in Fig. 2 of Heinrich and Silver (2015), "Smooth UCT search in computer poker".

A baseline b (see `baselines`) stands in for what was not sampled: Schmid et al. (2019), "Variance
reduction in Monte Carlo counterfactual regret minimization (VR-MCCFR) for extensive form games
using baselines". On the way back, a history h where action a was sampled with probability xi(a) is
worth

sum_c sigma(c) b(h, c) + sigma(a) (u(ha) - b(h, a)) / xi(a)

With more than two players the regrets stay unbiased, but under "external" and "outcome" the weight
of a set in the average depends on the play of third players, too: there the average is not the one
that the theory speaks of.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import GameError, OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline
from hiddenhand.jit.random import RandomState, new_state, uniform
from hiddenhand.jit.sampling import match_regrets, sample_exploring
from hiddenhand.parameters import verify_exploration
from hiddenhand.solvers.baselines import PREDICTIVE, NoBaseline, TreeBaseline
from hiddenhand.solvers.runs import SampledRun
from hiddenhand.trees.tree import GameTree, Histories
from hiddenhand.trees.unroll import as_tree

SAMPLINGS: Final = ("external", "outcome", "outcome-parallel")


@Algorithm(
    name="mccfr-external",
    paper="Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret "
    "minimization in extensive games",
    summary="MCCFR on a game that is written out, by external sampling: all actions of one "
    "player, one action of each other player and of chance.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"sampling": "external", "epsilon": 0.6},
)
@Algorithm(
    name="mccfr-outcome",
    paper="Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret "
    "minimization in extensive games",
    summary="MCCFR on a game that is written out, by outcome sampling: a single play, which "
    "updates the regrets of one player.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    aliases=("mccfr",),
    fixed={"sampling": "outcome"},
)
@Algorithm(
    name="mccfr-outcome-parallel",
    paper="Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret "
    "minimization in extensive games; this form: Heinrich and Silver (2015), Smooth UCT search in "
    "computer poker",
    summary="MCCFR on a game that is written out, by outcome sampling: a single play, which "
    "updates the regrets of all players.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"sampling": "outcome-parallel", "baseline": "off", "rate": 0.5},
)
class MCCFR(SampledRun):
    """A run of Monte Carlo CFR that can be continued.

    An iteration is one traversal for each player, or one traversal in all for "outcome-parallel".

    tree: a game that is written out; a game or its name is written out first.
    sampling: one of `SAMPLINGS`; "outcome-parallel" in a game of one player.
    epsilon: how much outcome sampling explores, above 0 and at most 1.
    baseline: "off", "set", "history" or "predictive"; by default what measured best, "predictive"
        in "outcome" sampling and "off" in the others.
    rate: how far a baseline moves towards each new value, above 0 and at most 1.
    seed: the seed of the random numbers.
    regret: ``float64[S]``, R.
    average: ``float64[S]``, x.
    """

    def __init__(
        self,
        tree: GameTree | Game | str,
        sampling: str = "external",
        *,
        epsilon: float = 0.6,
        baseline: str | None = None,
        rate: float = 0.5,
        seed: int = 0,
    ) -> None:
        tree = as_tree(tree)
        if sampling not in SAMPLINGS:
            raise OptionError(
                f"there is no sampling {sampling!r}; choose one of: {', '.join(SAMPLINGS)}"
            )
        if tree.num_players == 1 and sampling != "outcome-parallel":
            raise GameError(
                f"{tree.game} has one player, and mccfr-{sampling} learns the average strategy of "
                "a player while it updates another; use cfr+ or mccfr-outcome-parallel"
            )
        if baseline is None:
            baseline = "predictive" if sampling == "outcome" else "off"
        if sampling == "outcome-parallel" and baseline != "off":
            raise OptionError(
                f"baseline={baseline!r} is not allowed for outcome-parallel, whose traversals "
                "update all players at once; choose external or outcome"
            )
        known = TreeBaseline.of(tree, baseline, rate) if baseline != "off" else NoBaseline()
        super().__init__(tree, f"mccfr {sampling}")
        self.sampling = sampling
        self.epsilon = verify_exploration(epsilon)
        self.baseline = baseline
        self.rate = float(rate)
        arrays = tree, new_state(seed), self.regret, self.average, known
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
    baseline: b.
    predicted: ``float64[H]``, what each is worth to player i when the strategy is the next one, for
        a baseline that predicts.
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
    baseline: Any
    predicted: Floats
    sigma: Floats

    @staticmethod
    def of(
        tree: GameTree, rng: RandomState, regret: Floats, average: Floats, baseline: Any
    ) -> "ExternalSampling":
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
            baseline=baseline,
            predicted=np.zeros(size if baseline.kind == PREDICTIVE else 0),
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
            if self.baseline.KNOWS:
                self.correct(i, position)
            elif position > 0 and tree.player[self.visited[self.before[position]]] != i:
                value[self.before[position]] = value[position]

    def correct(self, i: int, position: int) -> None:
        """With a baseline: correct the value of a history at which one of several moves was
        sampled, and let the baseline learn from that move.

        Moves are sampled as they are played, so sigma(a) / xi(a) is 1.
        """
        tree, baseline, sigma = self.tree, self.baseline, self.sigma
        h, first = self.visited[position], self.after[position]
        player, n = tree.player[h], tree.num_children[h]
        predicts = baseline.kind == PREDICTIVE
        if player == TERMINAL:
            if predicts:
                self.predicted[position] = self.value[position]
            return
        if player >= 0:
            match_regrets(self.regret, tree.set_start[tree.information_set[h]], n, 0.0, sigma)
        if player == i:
            if predicts:
                self.predicted[position] = 0.0
                for a in range(n):
                    self.predicted[position] += sigma[a] * self.predicted[first + a]
            return
        taken = self.visited[first]
        mean = 0.0
        for c in range(tree.first_child[h], tree.first_child[h] + n):
            p = sigma[c - tree.first_child[h]] if player >= 0 else tree.probability[c]
            mean += p * baseline.of_move(i, c)
        chosen = taken - tree.first_child[h]
        p = sigma[chosen] if player >= 0 else tree.probability[taken]
        guess = baseline.of_move(i, taken)
        self.value[position] = mean + self.value[first] - guess
        if predicts:
            baseline.put(i, taken, self.predicted[first])
            self.predicted[position] = mean + p * (self.predicted[first] - guess)
        else:
            baseline.meet(i, taken, self.value[first])


@dataclass(frozen=True, eq=False)
class OutcomeSampling(Compiled):
    """Outcome sampling: a traversal walks down one path, and back up it.

    tree: the histories of the game.
    rng: the state of the generator.
    regret, average: ``float64[S]``, R and x, modified in place.
    alternating: whether a traversal updates the regrets of one player and the averages of the
        others; else it updates all of both.
    epsilon: how much of the play is uniform where regrets are updated, in (0, 1].
    baseline: b.
    path: ``int64[L + 1]``, the d-th history on the path.
    taken: ``int64[L + 1]``, the number of the action taken there.
    q: ``float64[L + 1]``, the probability that it is sampled.
    reach: ``float64[L + 1, P + 1]``, player p's part in the probability of the history, and
        chance's part last.
    sigma: ``float64[L + 1, A]``, the strategy of the player that moves there.
    """

    tree: Histories
    rng: RandomState
    regret: Floats
    average: Floats
    alternating: bool
    epsilon: float
    baseline: Any
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
        baseline: Any,
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
            baseline,
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
            d = self.descend(i)
            if self.baseline.KNOWS:
                self.pass_back_corrected(i, d)
            else:
                self.pass_back(i, d)

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

    def pass_back_corrected(self, i: int, d: int) -> None:
        """The same with a baseline, in traversals that update one player."""
        tree, path, q, reach = self.tree, self.path, self.q, self.reach
        u = predicted = tree.utility[tree.terminal_number[path[d]], i]
        for k in range(d - 1, -1, -1):
            h, taken, sigma = path[k], self.taken[k], self.sigma[k]
            p, first, n = tree.player[h], tree.first_child[h], tree.num_children[h]
            if p == CHANCE:
                for a in range(n):
                    sigma[a] = tree.probability[first + a]
            guess = self.baseline.of_move(i, first + taken)
            found = guess + (u - guess) * q[k] / q[k + 1]
            mean = sigma[taken] * (found - guess)
            for a in range(n):
                mean += sigma[a] * self.baseline.of_move(i, first + a)
            if p == i:
                w = 1.0 / q[k]
                for other in range(reach.shape[1]):
                    if other != p:
                        w *= reach[k, other]
                start = tree.set_start[tree.information_set[h]]
                for a in range(n):
                    self.regret[start + a] += w * (self.baseline.of_move(i, first + a) - mean)
                self.regret[start + taken] += w * (found - guess)
            elif p != CHANCE:
                start = tree.set_start[tree.information_set[h]]
                for a in range(n):
                    self.average[start + a] += reach[k, p] * sigma[a] / q[k]
            if self.baseline.kind == PREDICTIVE:
                predicted = self.predict(i, k, predicted)
            else:
                self.baseline.meet(i, first + taken, u)
            u = mean

    def predict(self, i: int, k: int, below: float) -> float:
        """Let b of the move at depth k be what the history behind it will be worth by the next
        strategy, which is ``below``. Returns the same of the history at depth k.
        """
        tree, sigma, h = self.tree, self.sigma[k], self.path[k]
        first, n = tree.first_child[h], tree.num_children[h]
        self.baseline.put(i, first + self.taken[k], below)
        if tree.player[h] == i:
            match_regrets(self.regret, tree.set_start[tree.information_set[h]], n, 0.0, sigma)
        total = 0.0
        for a in range(n):
            total += sigma[a] * self.baseline.of_move(i, first + a)
        return total


@inline
def _sample_chance(rng: RandomState, probability: Floats, first: int, n: int) -> int:
    """The number of the child of a history that chance moves to."""
    r = uniform(rng)
    for a in range(n - 1):
        r -= probability[first + a]
        if r < 0.0:
            return a
    return n - 1
