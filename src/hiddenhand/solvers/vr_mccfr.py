"""VR-MCCFR+ on a written-out game: one path of public states is sampled, all hands play along it,
and baselines stand in for what was not sampled.

Schmid, Burch, Lanctot, Moravcik, Kadlec and Bowling (2019), "Variance reduction in Monte Carlo
counterfactual regret minimization (VR-MCCFR) for extensive form games using baselines"; Davis,
Schmid and Bowling (2020), "Low-variance and zero-variance baselines for extensive-form games". A
traversal for player i walks down the tree of public states, and from each moves on to one of those
that follow, all with the same probability. In each public state on the path S_0, S_1, ... it
updates every information set of player i, by estimates that use every history. Letters as in
`profile`, and

i         the player whose regrets are updated
sigma     the strategy: regret matching on R
pi_i(h)   player i's part in the probability of history h; pi_{-i}(h) that of all others and chance
xi        the probability of the step from S_k to S_{k+1}: 1 / the number of public states that
          follow upon S_k
q(S_k)    the probability of sampling S_k: the product of xi along the path
b(h, a)   the baseline: what player i is believed to be paid after action (or outcome) a at h
u(h)      estimate of what player i is paid on average from h on; the payoff where h is terminal

u(h, a) = b(h, a) + (u(ha) - b(h, a)) / xi   if ha is in S_{k+1}                       Eq. 9
          b(h, a)                            if ha is in a public state that was not sampled
          u(ha)                              if ha is in S_k, as the public noticed nothing
u(h)    = sum_a sigma(h, a) u(h, a)                                                    Eq. 10
v(I, a) = sum_{h in I} pi_{-i}(h) / q(S_k) u(h, a)                                     Eq. 11
R(I, a) = max(R(I, a) + v(I, a) - sum_b sigma(I, b) v(I, b), 0)                        CFR+
x(I, a) = x(I, a) + t pi_i(I) sigma(I, a) / q(S_k)                                     CFR+

These are unbiased for any b, and exact where b(h, a) is what a at h is worth. `baselines` has the
kinds of b. Here each learns from all histories of the public states on the path: "set" moves
towards the mean of u(ha) over the histories that player i cannot tell from h, weighted by
pi_{-i}(ha), and "predictive" leaves no variance, because the strategy changes nowhere but on the
path.

Which actions there are may differ from one information set to another in a public state, and moves
may be hidden from the public: what is sampled are public states, and not actions. Where the public
sees nothing at all, an iteration is one of CFR+.

What differs. In the implementation of Schmid et al. a baseline in vector form is counterfactual,
divided by the opponent's whole range; here, as in their text, it is an average payoff.
"""

from dataclasses import dataclass

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.games.base import TERMINAL
from hiddenhand.jit.arrays import Floats, Indices, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.random import RandomState, below, new_state
from hiddenhand.solvers.baselines import LEARNED, PREDICTIVE, TreeBaseline
from hiddenhand.solvers.runs import SampledRun
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.public_tree import PublicTree
from hiddenhand.trees.tree import GameTree, Histories


@Algorithm(
    name="vr-mccfr+",
    paper="Schmid, Burch, Lanctot, Moravčík, Kadlec and Bowling (2019), Variance reduction in "
    "Monte Carlo counterfactual regret minimization (VR-MCCFR) for extensive form games using "
    "baselines; baseline=predictive: Davis, Schmid and Bowling (2020), Low-variance and "
    "zero-variance baselines for extensive-form games",
    summary="CFR+ on a game that is written out, by sampling a path of public states: all hands "
    "play along it, and baselines stand in for what was not sampled.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
)
class VRMCCFR(SampledRun):
    """A run of VR-MCCFR+ that can be continued. An iteration is a traversal for each player.

    baseline: "set" as in the paper of VR-MCCFR+, "history", "predictive" or "off".
    rate: how far "set" and "history" move towards each new value, above 0 and at most 1.
    plus: whether regrets below 0 are forgotten and later iterations weigh more, as in CFR+.
    seed: the seed of the random numbers.
    regret: ``float64[S]``, R.
    average: ``float64[S]``, x.
    strategy: ``float64[S]``, sigma of the next iteration.
    """

    def __init__(
        self,
        tree: GameTree,
        baseline: str = "set",
        *,
        rate: float = 0.5,
        plus: bool = True,
        seed: int = 0,
    ) -> None:
        known = TreeBaseline.of(tree, baseline, rate)
        super().__init__(tree, "vr-mccfr+" if plus else "vr-mccfr")
        self.baseline = baseline
        self.rate = float(rate)
        self.plus = plus
        self.strategy = uniform_profile(tree)
        self.public = PublicTree.of(tree)
        self._traversals = PublicSampling.of(
            tree,
            self.public,
            new_state(seed),
            (self.regret, self.average, self.strategy),
            baseline=known,
            plus=plus,
        )


@dataclass(frozen=True, eq=False)
class PublicSampling(Compiled):
    """The traversals.

    tree: the histories of the game.
    public: its public states.
    rng: the state of the generator.
    done: ``int64[1]``, the iterations made so far.
    regret, average, strategy: ``float64[S]``, R, x and sigma, modified in place.
    baseline: b.
    plus: whether updates are those of CFR+, else those of CFR.
    sequence: ``int32[H]``, the sequence that the last move before each history ended, -1 if a
        player made no such move.
    example: ``int32[I]``, a history of each information set.
    own, others: ``float64[H]``, pi_i and pi_{-i} of the histories on the path.
    worth: ``float64[H]``, u of the histories on the path.
    value: ``float64[S]``, the sum of pi_{-i} u; 0 between.
    path: ``int32[L]``, the public states on the path.
    """

    tree: Histories
    public: PublicTree
    rng: RandomState
    done: Integers
    regret: Floats
    average: Floats
    strategy: Floats
    baseline: TreeBaseline
    plus: bool
    sequence: Indices
    example: Indices
    own: Floats
    others: Floats
    worth: Floats
    value: Floats
    path: Indices

    @staticmethod
    def of(
        tree: GameTree,
        public: PublicTree,
        rng: RandomState,
        learned: tuple[Floats, Floats, Floats],
        *,
        baseline: TreeBaseline,
        plus: bool,
    ) -> "PublicSampling":
        """Traversals of a game that modify what was ``learned``: R, x and sigma."""
        size = tree.num_histories
        example = np.zeros(tree.num_sets, np.int32)
        deciding = np.flatnonzero(tree.information_set >= 0)
        example[tree.information_set[deciding]] = deciding
        moved = 1 + np.flatnonzero(tree.player[tree.parent[1:]] >= 0)
        before = tree.parent[moved]
        sequence = np.full(size, -1, np.int32)
        sequence[moved] = (
            tree.set_start[tree.information_set[before]] + moved - tree.first_child[before]
        )
        return PublicSampling(
            tree.histories,
            public,
            rng,
            np.zeros(1, np.int64),
            *learned,
            baseline,
            plus,
            sequence,
            example,
            own=np.ones(size),
            others=np.ones(size),
            worth=np.zeros(size),
            value=np.zeros(tree.num_sequences),
            path=np.zeros(tree.level_start.size, np.int32),
        )

    def iterate(self) -> None:
        """A traversal for each player."""
        self.done[0] += 1
        for i in range(self.tree.utility.shape[1]):
            self.pass_back(i, *self.descend(i))

    def descend(self, i: int) -> tuple[int, float]:
        """Sample a path of public states. Returns the number of the last one, and its q."""
        public = self.public
        state, d, q = 0, 0, 1.0
        while True:
            self.path[d] = state
            self.enter(i, state)
            first = public.first_child[state]
            n = public.first_child[state + 1] - first
            if n == 0:
                return d, q
            state = public.child[first + (below(self.rng, n) if n > 1 else 0)]
            q /= n
            d += 1

    def enter(self, i: int, state: int) -> None:
        """Find pi_i and pi_{-i} of all histories of a public state."""
        tree, public, own, others = self.tree, self.public, self.own, self.others
        for m in range(public.first_member[state], public.first_member[state + 1]):
            h = public.member[m]
            if h == 0:
                continue
            before, p = tree.parent[h], self.probability_of(h)
            if tree.player[before] == i:
                own[h], others[h] = own[before] * p, others[before]
            else:
                own[h], others[h] = own[before], others[before] * p

    def probability_of(self, h: int) -> float:
        """The probability of the move that leads to history h."""
        s = self.sequence[h]
        return self.strategy[s] if s >= 0 else self.tree.probability[h]

    def pass_back(self, i: int, d: int, q: float) -> None:
        """Update regrets, averages and baselines along a path of public states that ends at depth
        ``d`` with q, the last first.
        """
        public = self.public
        after, xi = -1, 1.0
        while d >= 0:
            state = self.path[d]
            self.estimate(i, state, after, xi)
            if after >= 0:
                self.remember(i, after)
            for k in range(public.first_set[state], public.first_set[state + 1]):
                self.update(i, public.information_set[k], q)
            d -= 1
            if d >= 0:
                before = self.path[d]
                n = public.first_child[before + 1] - public.first_child[before]
                after, xi = state, 1.0 / n
                q *= n

    def estimate(self, i: int, state: int, after: int, xi: float) -> None:
        """Find u of all histories of a public state, and what that adds to v of player i, if the
        public state ``after`` follows upon it, which has probability ``xi``.
        """
        tree, public, worth = self.tree, self.public, self.worth
        for m in range(public.first_member[state + 1] - 1, public.first_member[state] - 1, -1):
            h = public.member[m]
            player = tree.player[h]
            if player == TERMINAL:
                worth[h] = tree.utility[tree.terminal_number[h], i]
                continue
            total = 0.0
            for c in range(tree.first_child[h], tree.first_child[h] + tree.num_children[h]):
                entered = public.state[c]
                if entered == state:
                    u = worth[c]
                else:
                    u = self.baseline.of_move(i, c)
                    if entered == after:
                        u += (worth[c] - u) / xi
                total += self.probability_of(c) * u
                if player == i:
                    self.value[self.sequence[c]] += self.others[h] * u
            worth[h] = total

    def update(self, i: int, number: int, q: float) -> None:
        """Update R, x and sigma in an information set, if it is player i's."""
        tree, strategy, value, regret = self.tree, self.strategy, self.value, self.regret
        h = self.example[number]
        if tree.player[h] != i:
            return
        start, end = tree.set_start[number], tree.set_start[number + 1]
        mean = 0.0
        for s in range(start, end):
            mean += strategy[s] * value[s]
        weight = self.own[h] / q * (float(self.done[0]) if self.plus else 1.0)
        total = 0.0
        for s in range(start, end):
            self.average[s] += weight * strategy[s]
            regret[s] += (value[s] - mean) / q
            if self.plus:
                regret[s] = max(regret[s], 0.0)
            value[s] = 0.0
            strategy[s] = max(regret[s], 0.0)
            total += strategy[s]
        for s in range(start, end):
            strategy[s] = strategy[s] / total if total > 0.0 else 1.0 / (end - start)

    def remember(self, i: int, state: int) -> None:
        """Change b of the moves into a public state, once u before these moves is known: u is
        unbiased only if all of it is made of the same b.
        """
        if self.baseline.kind == LEARNED:
            self.learn(i, state)
        elif self.baseline.kind == PREDICTIVE:
            self.predict(state)

    def learn(self, i: int, state: int) -> None:
        """Move b of the moves into a public state towards u."""
        public, baseline = self.public, self.baseline
        by_history = baseline.place.shape[0] == 1
        first, end = public.first_member[state], public.first_member[state + 1]
        for m in range(first, end):
            h = public.member[m]
            if public.state[self.tree.parent[h]] != state:  # the others stay within the state
                baseline.note(i, h, self.worth[h], 1.0 if by_history else self.others[h])
        for m in range(first, end):
            baseline.learn(i, public.member[m])

    def predict(self, state: int) -> None:
        """Write b of the moves into a public state, as the strategy is now."""
        tree, public, value = self.tree, self.public, self.baseline.value
        for m in range(public.first_member[state + 1] - 1, public.first_member[state] - 1, -1):
            h = public.member[m]
            for row in range(value.shape[0]):
                if tree.player[h] == TERMINAL:
                    value[row, h] = tree.utility[tree.terminal_number[h], row]
                    continue
                total = 0.0
                for c in range(tree.first_child[h], tree.first_child[h] + tree.num_children[h]):
                    total += self.probability_of(c) * value[row, c]
                value[row, h] = total
