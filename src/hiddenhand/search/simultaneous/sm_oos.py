"""Online Outcome Sampling for games with simultaneous moves.

Lisy (2014), Section 3.1.3, Fig. 3.2. An iteration makes two traversals (calls of the figure), one
for each update player i. A traversal samples one terminal history: it descends through the nodes in
memory, and adds the first one that is not in memory. There it chooses uniformly and plays on at
random. On the way back it updates the regrets of player i and the mean strategy of the opponent.

R, sigma_bar   cumulative regrets and cumulative mean strategy: two runs of a row for each player
sigma          the present strategy: regret matching on R
sigma'         the distribution that is sampled from: for player i, epsilon (gamma in the figure)
               times the uniform distribution plus 1 - epsilon times sigma; for the opponent, sigma
pi             pi_{-i}: the opponent's and chance's part in the probability of the present history
s              the probability of sampling the present history; q: of sampling the leaf
x              the probability, by sigma and chance, of the path from the present history to the
               leaf (the tail)
u              u_i of the leaf

When the match moves on, its state becomes the new root and is treated as the beginning of a game:
pi and s start from 1. So samples after a move weigh more than samples before it, and they know
more. With ``carry``, pi starts from the probability, by mean strategies and chance, of all that
happened in the match, and all samples weigh as if they came from the beginning of the game. If a
player's part of that probability becomes 0, it is set to 1.

What differs from the figure: there is no recursion, because the path is stored on the way down and
walked back up. The probability of moves of chance is a factor of x, too. That of a playout would be
a factor of x and of q, of which only the ratio matters, so it is left out of both. Moves that are
forced for both players have no node.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.infoset_table import MISSING
from hiddenhand.jit.sampling import match_regrets, sample_exploring
from hiddenhand.jit.views import view
from hiddenhand.parameters import parameter
from hiddenhand.search.selection.joint_selectors import JointRule
from hiddenhand.search.simultaneous.joint_nodes import (
    JointTraversal,
    Root,
    Trail,
    after_chance,
    after_joint,
)
from hiddenhand.search.simultaneous.simultaneous_search import SimultaneousSearch
from hiddenhand.search.table_search import LeafParameters
from hiddenhand.search.traversal import IN_TREE

_RULE = 1  # where in a row the regrets of player 0 begin


@dataclass(frozen=True)
class RegretsAndMeans(JointRule):
    """What SM-OOS keeps at a node: R and sigma_bar of player 0, then those of player 1."""

    def size(self, n_0: Any, n_1: Any) -> Any:
        return 2 * (n_0 + n_1)

    def strategy(self, player: int, n_0: Any, n_1: Any) -> Any:
        return n_0 if player == 0 else 2 * n_0 + n_1


@dataclass(frozen=True, kw_only=True)
class SMOOSParameters(LeafParameters):
    """The parameters of `SMOOS`.

    epsilon: exploration, the probability with which a sampled action is drawn uniformly at random
        instead of from the present strategy.
    carry: whether the weights of samples contain the probability of the moves since the match
        began; false treats the present state as the beginning of a game, and later samples weigh
        more.
    """

    epsilon: float = parameter(0.6, above=0, most=1)
    carry: bool = False


@Algorithm(
    name="sm-oos",
    paper="Lisý (2014), thesis, Section 3.1.3; Bošanský, Lisý, Lanctot, Čermák and Winands "
    "(2016), Algorithms for computing strategies in two-player simultaneous move games",
    summary="Online Outcome Sampling for simultaneous moves: the state of the match is the root "
    "of the tree.",
    games="zero-sum games of two players with simultaneous moves, in which nothing else is hidden",
    guarantee="from the beginning of a game, the mean strategy converges to an equilibrium",
    aliases=("smoos",),
)
class SMOOS(SimultaneousSearch):
    """SM-OOS of a two-player zero-sum game that hides nothing but what is chosen at the same
    moment.
    """

    PARAMETERS = SMOOSParameters
    ALGORITHM = "sm-oos"
    TRAVERSALS = 2

    settings: SMOOSParameters
    rule = RegretsAndMeans()

    def _move_to(self, root: Root, trail: Trail) -> None:
        if self.settings.carry:
            root.reach[:] = self._root.reach
            for step in range(int(self._root.length[0]), int(root.length[0])):
                self._carry_over(root.reach, trail, step)
        super()._move_to(root, trail)

    def _carry_over(self, reach: Floats, trail: Trail, step: int) -> None:
        """Multiply ``reach`` by the probabilities of one step of the match: those of the players'
        mean strategies, and that of chance.
        """
        reach[2] *= trail.probability[step]
        row, n_0, n_1 = (
            int(self.table.find(trail.node[step])),
            int(trail.n_0[step]),
            int(trail.n_1[step]),
        )
        for player, n, a in ((0, n_0, trail.a_0[step]), (1, n_1, trail.a_1[step])):
            if row == MISSING:
                reach[player] /= max(n, 1)
                continue
            first = self._first(row) + self.rule.strategy(player, n_0, n_1)
            mean = self._move_probabilities(self.table.values[first : first + n])[a]
            reach[player] = reach[player] * mean if mean > 0 else 1.0

    def _traversal(self) -> "JointOutcomeSampling":
        return JointOutcomeSampling(**self._in_common(), epsilon=self.settings.epsilon)


@dataclass(frozen=True)
class JointOutcomeSampling(JointTraversal):
    """The iteration of Fig. 3.2.

    epsilon: how much player i explores, above 0 and at most 1.
    """

    epsilon: float

    def iterate(self) -> None:
        """A traversal for each update player."""
        for i in range(2):
            self.traverse(i)

    def traverse(self, i: int) -> None:
        """One traversal for update player ``i``."""
        depth, q = self.descend(i)
        self.update(depth, i, self.leaves.payoff(self.game, self.path.state, i), q)

    def descend(self, i: int) -> tuple[np.uint64, float]:
        """Go through memory, add the first node that is not in it, and play out. Returns how many
        moves were made in memory, and q.

        Descent and playout are one loop: in two, each rule of the game would be compiled twice.
        """
        game, path = self.game, self.path
        node, parent, in_memory, left = self.begin(), -1, True, self.leaves.ROLLOUT
        pi, s = self.root.reach[1 - i] * self.root.reach[2], 1.0
        depth = np.uint64(0)  # an unsigned index is never taken to count from the end
        mover = game.current_player(path.state)
        while mover != TERMINAL and (in_memory or left > 0):
            if mover == CHANCE:
                a, mover = self.move_chance()
                if in_memory:
                    node, p = after_chance(node, a), path.probabilities[a]
                    path.n_0[depth], path.pi[depth] = 0, p
                    depth += np.uint64(1)
                    pi *= p
                    s *= p
                continue
            n_0, n_1 = self.count_joint(mover)
            row, a_0, a_1 = MISSING, 0, 0
            forced = in_memory and n_0 * n_1 == 1
            if in_memory and not forced:
                row, in_memory = self.find_or_enter(node, 2 * (n_0 + n_1))
                if row != MISSING and not in_memory:
                    self.table.values[row] = parent
            if row != MISSING:
                path.pi[depth], path.sampled[depth] = pi, s
                a_0, a_1, p, rho = self.choose(depth, row, i, n_0, n_1)
                depth += np.uint64(1)
                parent = row
                pi *= p
                s *= rho
            elif not forced:
                if left == 0:
                    break
                a_0, a_1 = self.choose_at_random(n_0, n_1)
                left -= 1
            if in_memory:
                node = after_joint(node, a_0, a_1)
            mover = self.move_jointly(mover, a_0, a_1)
        if in_memory:
            self.counters[IN_TREE] += 1
        return depth, s

    def choose(
        self, depth: np.uint64, row: int, i: int, n_0: int, n_1: int
    ) -> tuple[int, int, float, float]:
        """Choose a joint action at a node in memory, and write the choice into the path. Returns
        the indices of both actions, the opponent's part in their probability, and the probability
        of sampling them.
        """
        path, values = self.path, self.table.values
        explore_0, explore_1 = (self.epsilon, 0.0) if i == 0 else (0.0, self.epsilon)
        sigma_0, sigma_1 = path.sigmas(depth)
        match_regrets(values, row + _RULE, n_0, 0.0, sigma_0)
        match_regrets(values, row + _RULE + 2 * n_0, n_1, 0.0, sigma_1)
        a_0 = sample_exploring(self.rng, sigma_0, n_0, explore_0)
        a_1 = sample_exploring(self.rng, sigma_1, n_1, explore_1)
        path.row[depth], path.n_0[depth], path.n_1[depth] = row, n_0, n_1
        path.a_0[depth], path.a_1[depth] = a_0, a_1
        p_0, p_1 = sigma_0[a_0], sigma_1[a_1]
        rho_0 = explore_0 / n_0 + (1.0 - explore_0) * p_0
        rho_1 = explore_1 / n_1 + (1.0 - explore_1) * p_1
        return a_0, a_1, p_1 if i == 0 else p_0, rho_0 * rho_1

    def update(self, depth: np.uint64, i: int, u: float, q: float) -> None:
        """Walk back up: regrets of player ``i``, the mean strategy of the opponent (lines 19 to
        24).
        """
        path = self.path
        d, x = depth, 1.0
        while d > np.uint64(0):
            d -= np.uint64(1)
            n_0, n_1 = path.n_0[d], path.n_1[d]
            if n_0 == 0:  # chance
                x *= path.pi[d]
                continue
            row_0 = path.row[d] + _RULE
            row_1 = row_0 + 2 * n_0
            sigma_0, sigma_1 = path.sigmas(d)
            p_0, p_1 = sigma_0[path.a_0[d]], sigma_1[path.a_1[d]]
            w, weight = u * path.pi[d] / q, path.pi[d] / path.sampled[d]
            if i == 0:
                c = x * p_1
                x = c * p_0
                self.learn(row_0, n_0, path.a_0[d], c, x, w)
                self.add_to_mean(row_1 + n_1, n_1, sigma_1, weight)
            else:
                c = x * p_0
                x = c * p_1
                self.learn(row_1, n_1, path.a_1[d], c, x, w)
                self.add_to_mean(row_0 + n_0, n_0, sigma_0, weight)

    def learn(self, row: int, n: int, a: int, c: float, x: float, w: float) -> None:
        """Update the regrets of a player.

        row: where the regrets begin in the table.
        n: how many actions the player has.
        a: the index of the action that was taken.
        c: x after that action.
        x: x before it.
        w: the payoff times pi, divided by q.
        """
        regret = view(self.table.values, row, n)
        before = regret[a]
        for b in range(n):
            regret[b] -= x * w
        regret[a] = before + (c - x) * w

    def add_to_mean(self, row: int, n: int, sigma: Floats, weight: float) -> None:
        """Add ``weight`` times ``sigma[:n]`` to the mean strategy that begins at ``row``."""
        total = view(self.table.values, row, n)
        for b in range(n):
            total[b] += weight * sigma[b]
