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

import time
from typing import Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats, Indices, Players
from hiddenhand.compiled.draws import match_regrets, sample_exploring
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.random import RandomState, new_state, uniform
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.trees.profile import nash_conv, normalised
from hiddenhand.trees.solution import Solution, next_look, solution
from hiddenhand.trees.tree import GameTree

# the iteration, in a small game, at which to look first; a look takes as long as 300 iterations
# there
_FIRST_LOOK: Final = 25_000
SAMPLINGS: Final = ("external", "outcome", "outcome-parallel")


class MCCFR:
    """A run of Monte Carlo CFR that can be continued.

    epsilon: how much outcome sampling explores, above 0 and at most 1. seed: of the random numbers.
    regret, average: ``float64[S]``. An iteration is one traversal for each player, or one traversal
    in all for "outcome-parallel".
    """

    def __init__(
        self, tree: GameTree, sampling: str = "external", *, epsilon: float = 0.6, seed: int = 0
    ) -> None:
        if sampling not in SAMPLINGS:
            raise OptionError(
                f"there is no sampling {sampling!r}; choose one of: {', '.join(SAMPLINGS)}"
            )
        if not 0 < epsilon <= 1:
            raise OptionError(
                f"epsilon={epsilon} is not allowed; exploration lies above 0 and is at most 1"
            )
        self.tree = tree
        self.sampling = sampling
        self.epsilon = float(epsilon)
        self.iterations = 0
        self.seconds = 0.0
        self.regret = np.zeros(tree.num_sequences)
        self.average = np.zeros(tree.num_sequences)
        self._rng = new_state(seed)

    @property
    def traversals(self) -> int:
        """Terminal-to-root walks made so far."""
        return self.iterations * (
            1 if self.sampling == "outcome-parallel" else self.tree.num_players
        )

    def run(self, iterations: int, progress: Progress = SILENT) -> Solution:
        """Make ``iterations`` more. Equal seeds give equal results, however the run is cut into
        pieces.

        nash_conv is looked at whenever the number of iterations has doubled.
        """
        convergence: list[tuple[int, float]] = []

        def next_stop() -> int:
            return next_look(_FIRST_LOOK + 2 * self.tree.num_histories, self.iterations)

        stop = next_stop()

        def work(count: int) -> int:
            return self._iterate(min(count, stop - self.iterations))

        def look(done: int) -> None:
            nonlocal stop
            if self.iterations == stop:
                convergence.append((self.iterations, nash_conv(self.tree, self.average_profile())))
                stop = next_stop()
            progress.update(Report(done, iterations))

        Budget(iterations).spend(work, look)
        return solution(
            self.tree,
            f"mccfr {self.sampling}",
            self.average_profile(),
            self.iterations,
            self.seconds,
            tuple(convergence),
        )

    def average_profile(self) -> Floats:
        """The average strategy as a profile ``float64[S]``."""
        return normalised(self.tree, self.average)

    def _iterate(self, count: int) -> int:
        tree = self.tree
        began = time.perf_counter()
        shape = (
            tree.player,
            tree.first_child,
            tree.num_children,
            tree.probability,
            tree.information_set,
            tree.set_start,
        )
        payoffs = (tree.terminal_number, tree.utility)
        if self.sampling == "external":
            _external(*shape, *payoffs, count, self._rng, self.regret, self.average)
        else:
            alternating = self.sampling == "outcome"
            _outcome(
                *shape,
                *payoffs,
                tree.level_start.size,
                alternating,
                self.epsilon,
                count,
                self._rng,
                self.regret,
                self.average,
            )
        self.iterations += count
        self.seconds += time.perf_counter() - began
        return count


@kernel
def _external(
    player: Players,
    first_child: Indices,
    num_children: Indices,
    probability: Floats,
    information_set: Indices,
    set_start: Indices,
    terminal_number: Indices,
    utility: Floats,
    count: int,
    rng: RandomState,
    regret: Floats,
    average: Floats,
) -> None:
    """The histories of one traversal are listed breadth first; values then flow back along the
    list.
    """
    most = num_children.max()
    visited = np.zeros(player.size, np.int64)  # the histories of this traversal
    before = np.zeros(player.size, np.int64)  # where in the list each one's parent stands
    after = np.zeros(player.size, np.int64)  # where in the list the first child stands
    value = np.zeros(player.size)
    sigma = np.zeros(most)
    for _ in range(count):
        for i in range(utility.shape[1]):
            visited[0], size, position = 0, 1, 0
            while position < size:
                h = visited[position]
                after[position] = size
                value[position] = 0.0
                if player[h] == TERMINAL:
                    value[position] = utility[terminal_number[h], i]
                elif player[h] == i:
                    for a in range(num_children[h]):
                        visited[size], before[size] = first_child[h] + a, position
                        size += 1
                else:
                    if player[h] == CHANCE:
                        a = _sample_chance(rng, probability, first_child[h], num_children[h])
                    else:
                        start, n = set_start[information_set[h]], num_children[h]
                        match_regrets(regret, start, n, 0.0, sigma)
                        a = sample_exploring(rng, sigma, n, 0.0)
                        for b in range(n):
                            average[start + b] += sigma[b]
                    visited[size], before[size] = first_child[h] + a, position
                    size += 1
                position += 1
            for position in range(size - 1, -1, -1):
                h = visited[position]
                if player[h] == i:
                    start, n, first = (
                        set_start[information_set[h]],
                        num_children[h],
                        after[position],
                    )
                    match_regrets(regret, start, n, 0.0, sigma)
                    value[position] = 0.0
                    for a in range(n):
                        value[position] += sigma[a] * value[first + a]
                    for a in range(n):
                        regret[start + a] += value[first + a] - value[position]
                if position > 0 and player[visited[before[position]]] != i:
                    value[before[position]] = value[position]


@kernel
def _outcome(
    player: Players,
    first_child: Indices,
    num_children: Indices,
    probability: Floats,
    information_set: Indices,
    set_start: Indices,
    terminal_number: Indices,
    utility: Floats,
    depth: int,
    alternating: bool,
    epsilon: float,
    count: int,
    rng: RandomState,
    regret: Floats,
    average: Floats,
) -> None:
    """Walk down one path, then back up it. ``reach[d, p]`` is player p's part (last: chance's) in
    the probability of the d-th history on the path.
    """
    num_players = utility.shape[1]
    path = np.zeros(depth, np.int64)
    taken = np.zeros(depth, np.int64)
    q = np.zeros(depth)
    reach = np.zeros((depth, num_players + 1))
    sigma = np.zeros((depth, num_children.max()))
    for _ in range(count):
        for i in range(num_players if alternating else 1):
            h, d = 0, 0
            q[0] = 1.0
            reach[0] = 1.0
            while player[h] != TERMINAL:
                p, n = player[h], num_children[h]
                if p == CHANCE:
                    a = _sample_chance(rng, probability, first_child[h], n)
                    own = sampled = probability[first_child[h] + a]
                else:
                    match_regrets(regret, set_start[information_set[h]], n, 0.0, sigma[d])
                    explore = epsilon if p == i or not alternating else 0.0
                    a = sample_exploring(rng, sigma[d], n, explore)
                    own = sigma[d, a]
                    sampled = explore / n + (1.0 - explore) * own
                path[d], taken[d] = h, a
                q[d + 1] = q[d] * sampled
                reach[d + 1] = reach[d]
                reach[d + 1, p] *= own  # chance is -1, the last entry
                h = first_child[h] + a
                d += 1
            z = terminal_number[h]
            x = 1.0  # probability of the rest of the path by sigma and chance
            for k in range(d - 1, -1, -1):
                p = player[path[k]]
                if p == CHANCE:
                    x *= probability[first_child[path[k]] + taken[k]]
                    continue
                start, n = set_start[information_set[path[k]]], num_children[path[k]]
                below = x
                x *= sigma[k, taken[k]]
                if p == i or not alternating:
                    w = utility[z, p] / q[d]
                    for other in range(num_players + 1):
                        if other != p:
                            w *= reach[k, other]
                    for a in range(n):
                        regret[start + a] -= w * x
                    regret[start + taken[k]] += w * below
                if p != i or not alternating:
                    for a in range(n):
                        average[start + a] += reach[k, p] * sigma[k, a] / q[k]


@kernel
def _sample_chance(rng: RandomState, probability: Floats, first: int, n: int) -> int:
    r = uniform(rng)
    for a in range(n - 1):
        r -= probability[first + a]
        if r < 0.0:
            return a
    return n - 1
