"""Online Outcome Sampling for games with simultaneous moves.

Lisy (2014), Section 3.1.3, Fig. 3.2. An iteration makes two traversals (calls of the figure), one
for each update player i. A traversal samples one terminal history: it descends through the nodes in
memory, adds the first one that is not, chooses there uniformly and plays on at random, and updates
regrets of player i and the mean strategy of the opponent on the way back.

R, sigma_bar   cumulative regrets and cumulative mean strategy of each player: two runs of a row for
               either of them
sigma          the present strategy: regret matching on R
sigma'         what is sampled from: for player i epsilon uniform (gamma in the figure) plus 1 -
               epsilon times sigma
pi             pi_{-i}: the opponent's and chance's part in the probability of the present history
s              the probability of sampling the present history; q: of sampling the leaf
x              the probability, by sigma and chance, of the path from the present history to the
               leaf (the tail)
u              u_i of the leaf

When the match moves on, its state becomes the new root and counts as if it were the beginning: pi
and s start from 1. So later samples weigh more than earlier ones, and they know more. With
``carry``, pi starts from the probability by mean strategies and chance of all that happened in the
match, and samples weigh as from the beginning. Where that is 0 for a player, it starts from 1.

What differs from the figure: no recursion (a path is stored on the way down and walked back up).
Chance belongs to x, too. The probability of a playout would be a factor of x and of q, and only
their ratio matters: it is left out of both. Moves that are forced for both players have no node.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.draws import match_regrets, sample_exploring
from hiddenhand.compiled.kernels import inline, kernel_apart
from hiddenhand.compiled.random import RandomState
from hiddenhand.compiled.table import MISSING, InformationSetTable
from hiddenhand.compiled.views import view
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.search.joint.following import (
    JointPath,
    Root,
    SimultaneousSearch,
    Trail,
    after_chance,
    after_joint,
    begin_at,
    count_joint,
    move_chance,
    move_jointly,
    play_on,
)
from hiddenhand.search.rules.joint_selectors import JointRule
from hiddenhand.search.thinking import (
    ADDED,
    DEFAULT_MEMORY,
    IN_TREE,
    ITERATIONS,
    MOVES,
    PLAYOUTS,
    REFUSED,
)

_RULE = 1  # where in a row the regrets of player 0 begin


@dataclass(frozen=True)
class RegretsAndMeans(JointRule):
    """Row: R and sigma_bar of player 0, then of player 1."""

    def size(self, n_0: Any, n_1: Any) -> Any:
        return 2 * (n_0 + n_1)

    def strategy(self, player: int, n_0: Any, n_1: Any) -> Any:
        return n_0 if player == 0 else 2 * n_0 + n_1


class SMOOS(SimultaneousSearch):
    """SM-OOS of a two-player zero-sum game that hides nothing but what is chosen at the same
    moment.

    epsilon: exploration, above 0 and at most 1. carry: whether probabilities from the beginning of
    the match are kept, see above. evaluation: the game's evaluation function instead of playouts.
    memory: bytes that its table may take, also while it grows. Equal seeds and iterations give
    equal results to the last bit.
    """

    ALGORITHM = "sm-oos"
    TRAVERSALS = 2

    def __init__(
        self,
        game: Game,
        *,
        epsilon: float = 0.6,
        carry: bool = False,
        evaluation: bool = False,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
    ) -> None:
        if not 0 < epsilon <= 1:
            raise OptionError(
                f"epsilon={epsilon} is not allowed; exploration must be above 0 and at most 1"
            )
        self.epsilon = float(epsilon)
        self.carry = carry
        super().__init__(game, RegretsAndMeans(), evaluation=evaluation, memory=memory, seed=seed)

    def _move_to(self, root: Root, trail: Trail) -> None:
        if self.carry:
            root.reach[:] = self._root.reach
            for step in range(int(self._root.length[0]), int(root.length[0])):
                self._carry_over(root.reach, trail, step)
        super()._move_to(root, trail)

    def _carry_over(self, reach: Floats, trail: Trail, step: int) -> None:
        """Multiply ``reach`` by what the mean strategies and chance say to one step of the
        match.
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

    def _parameters(self) -> dict[str, Any]:
        return {
            name: getattr(self, name)
            for name in ("epsilon", "carry", "evaluation", "memory", "seed")
        }

    def _iterate(self, count: int) -> int:
        before = int(self._counters[ITERATIONS])
        self._make_room()
        _run(
            self.rules,
            self._frontier,
            self.table,
            self._root,
            self._path,
            self.epsilon,
            count,
            self._rng,
            self._counters,
        )
        return int(self._counters[ITERATIONS]) - before


@kernel_apart
def _run(
    game: Any,
    frontier: Any,
    table: InformationSetTable,
    root: Root,
    path: JointPath,
    epsilon: float,
    count: int,
    rng: RandomState,
    counters: Integers,
) -> None:
    """Up to ``count`` iterations; ends early when a table has to grow. Modifies table, rng and
    counters in place.
    """
    for _ in range(count):
        if not table.is_ready():
            return
        for i in range(2):
            _traverse(game, frontier, table, root, path, i, epsilon, rng, counters)
        counters[ITERATIONS] += 1


@inline
def _traverse(
    game: Any,
    frontier: Any,
    table: InformationSetTable,
    root: Root,
    path: JointPath,
    i: int,
    epsilon: float,
    rng: RandomState,
    counters: Integers,
) -> None:
    """One traversal for update player ``i``: Fig. 3.2."""
    node, parent = begin_at(root, path), -1
    pi, s = root.reach[1 - i] * root.reach[2], 1.0
    explore_0, explore_1 = (epsilon, 0.0) if i == 0 else (0.0, epsilon)
    depth, in_memory = np.uint64(0), True  # an unsigned index is never taken to count from the end
    mover = game.current_player(path.state)
    while mover != TERMINAL and in_memory:
        if mover == CHANCE:
            a = move_chance(game, path, rng)
            node = after_chance(node, a)
            p = path.probabilities[a]
            path.n_0[depth], path.pi[depth] = 0, p
            depth += np.uint64(1)
            pi *= p
            s *= p
        else:
            n_0, n_1 = count_joint(game, mover, path)
            a_0, a_1 = 0, 0
            if n_0 * n_1 > 1:
                row = table.find(node)
                if row == MISSING:
                    in_memory = False
                    counters[PLAYOUTS] += 1
                    size = 2 * (n_0 + n_1)
                    if not table.has_room(1, size):
                        counters[REFUSED] += 1
                        break
                    row = table.add(node, size)
                    table.values[row] = parent
                    counters[ADDED] += 1
                sigma_0, sigma_1 = path.sigmas(depth)
                match_regrets(table.values, row + _RULE, n_0, 0.0, sigma_0)
                match_regrets(table.values, row + _RULE + 2 * n_0, n_1, 0.0, sigma_1)
                a_0 = sample_exploring(rng, sigma_0, n_0, explore_0)
                a_1 = sample_exploring(rng, sigma_1, n_1, explore_1)
                (
                    path.row[depth],
                    path.n_0[depth],
                    path.n_1[depth],
                    path.a_0[depth],
                    path.a_1[depth],
                ) = row, n_0, n_1, a_0, a_1
                path.pi[depth], path.sampled[depth] = pi, s
                depth += np.uint64(1)
                parent = row
                p_0, p_1 = sigma_0[a_0], sigma_1[a_1]
                pi *= p_1 if i == 0 else p_0
                s *= (explore_0 / n_0 + (1.0 - explore_0) * p_0) * (
                    explore_1 / n_1 + (1.0 - explore_1) * p_1
                )
            node = after_joint(node, a_0, a_1)
            move_jointly(game, mover, a_0, a_1, path)
        counters[MOVES] += 1
        mover = game.current_player(path.state)
    if in_memory:
        counters[IN_TREE] += 1
    else:
        play_on(game, path, frontier.ROLLOUT, rng, counters)
    _update(table.values, path, depth, i, frontier.payoff(game, path.state, i), s)


@inline
def _update(values: Floats, path: JointPath, depth: np.uint64, i: int, u: float, q: float) -> None:
    """Walk back up: regrets of player ``i``, the mean strategy of the opponent (lines 19 to 24)."""
    d, x = depth, 1.0
    while d > np.uint64(0):
        d -= np.uint64(1)
        n_0, n_1 = path.n_0[d], path.n_1[d]
        if n_0 == 0:  # chance
            x *= path.pi[d]
            continue
        own_row = path.row[d] + _RULE
        their_row = own_row + 2 * n_0
        sigma_0, sigma_1 = path.sigmas(d)
        if i == 0:
            x = _learn(
                values,
                own_row,
                n_0,
                path.a_0[d],
                sigma_0,
                their_row,
                n_1,
                path.a_1[d],
                sigma_1,
                path.pi[d],
                path.sampled[d],
                u,
                q,
                x,
            )
        else:
            x = _learn(
                values,
                their_row,
                n_1,
                path.a_1[d],
                sigma_1,
                own_row,
                n_0,
                path.a_0[d],
                sigma_0,
                path.pi[d],
                path.sampled[d],
                u,
                q,
                x,
            )


@inline
def _learn(
    values: Floats,
    own_row: int,
    n: int,
    a: int,
    sigma: Floats,
    their_row: int,
    their_n: int,
    their_a: int,
    their_sigma: Floats,
    pi: float,
    s: float,
    u: float,
    q: float,
    x: float,
) -> float:
    """At one node, with the tail ``x`` of what follows it. Returns the tail of the node itself."""
    c = x * their_sigma[their_a]
    x = c * sigma[a]
    w = u * pi / q
    regret, total = view(values, own_row, n), view(values, their_row + their_n, their_n)
    before = regret[a]
    for b in range(n):
        regret[b] -= x * w
    regret[a] = before + (c - x) * w
    weight = pi / s
    for b in range(their_n):
        total[b] += weight * their_sigma[b]
    return x
