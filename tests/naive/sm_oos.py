"""Fig. 3.2 of Lisy's thesis (2014) word for word: recursive, on states and dictionaries.

As in the compiled search, chance belongs to the tail x, and the probability of a playout is left
out of both x and q. It draws its random numbers in the order in which the compiled search does, so
that both can be compared number by number.
"""

import numpy as np
from naive.sm_mcts import JointGame, Path, matched
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, TERMINAL, Game


class NaiveSMOOS(JointGame):
    """regret, mean: from a joint history to a list for each player. A new root is set by
    ``restart``, with the probabilities pi to begin with.
    """

    def __init__(self, game: Game, epsilon: float, rng: Xoshiro, asks: bool = False) -> None:
        super().__init__(game, rng, asks)
        self.epsilon = epsilon
        self.regret: dict[Path, list[list[float]]] = {}
        self.mean: dict[Path, list[list[float]]] = {}
        self.restart(self.root(), ())

    def restart(
        self, state: np.ndarray, path: Path, reach: tuple[float, float, float] = (1.0, 1.0, 1.0)
    ) -> None:
        self.start = state, path, reach

    def iterate(self) -> None:
        state, path, reach = self.start
        for i in range(2):
            self.oos(state, path, i, reach[1 - i] * reach[2], 1.0)

    def oos(
        self, h: np.ndarray, path: Path, i: int, pi: float, s: float
    ) -> tuple[float, float, float]:
        """Returns (x, q, u)."""
        if self.player(h) == TERMINAL:
            return 1.0, s, self.game.returns(h, i)
        if self.player(h) == CHANCE:
            a, p, after = self.rolled(h)
            x, q, u = self.oos(after, (*path, (a,)), i, pi * p, s * p)
            return x * p, q, u
        sizes = [len(actions) for actions in self.actions(h)]
        if sizes == [1, 1]:
            return self.oos(self.after(h, 0, 0), (*path, (0, 0)), i, pi, s)
        known = path in self.regret
        if not known:
            self.regret[path], self.mean[path] = ([[0.0] * n for n in sizes] for _ in range(2))
        sigma = [matched(self.regret[path][p], 0.0) for p in range(2)]
        explore = [self.epsilon if p == i else 0.0 for p in range(2)]
        phi = [
            [explore[p] / sizes[p] + (1 - explore[p]) * sigma[p][b] for b in range(sizes[p])]
            for p in range(2)
        ]
        a = [self.rng.draw(phi[p]) for p in range(2)]
        after, sampled = self.after(h, *a), s * (phi[0][a[0]] * phi[1][a[1]])
        if known:
            x, q, u = self.oos(
                after, (*path, (a[0], a[1])), i, pi * sigma[1 - i][a[1 - i]], sampled
            )
        else:
            x, q, u = 1.0, sampled, self.rollout(after, i)
        c = x * sigma[1 - i][a[1 - i]]
        x = c * sigma[i][a[i]]
        w = u * pi / q
        for b in range(sizes[i]):
            self.regret[path][i][b] += (c - x) * w if b == a[i] else -x * w
        for b in range(sizes[1 - i]):
            self.mean[path][1 - i][b] += pi / s * sigma[1 - i][b]
        return x, q, u

    def rows(self) -> list[list[float]]:
        """What the compiled search keeps in its rows, after the parent."""
        return [
            self.regret[path][0] + self.mean[path][0] + self.regret[path][1] + self.mean[path][1]
            for path in self.regret
        ]
