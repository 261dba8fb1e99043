"""Algorithm 1 of Lisy, Lanctot and Bowling (2015) word for word: recursive, on histories and
dictionaries, from the root (delta = 0).

It draws its random numbers in the order in which the compiled search does, so that both can be
compared number by number.
"""

from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History


class NaiveOOS:
    """regret, mean: from a key to a list with a number for each action."""

    def __init__(self, game: Game, epsilon: float, gamma: float, rng: Xoshiro) -> None:
        self.game = game
        self.epsilon = epsilon
        self.gamma = gamma
        self.rng = rng
        self.regret: dict[int, list[float]] = {}
        self.mean: dict[int, list[float]] = {}

    def iterate(self) -> None:
        for i in range(2):
            self.oos(History(self.game), 1.0, 1.0, i)

    def oos(self, h: History, pi: float, s: float, i: int) -> tuple[float, float, float]:
        """Returns (x, l, u)."""
        if h.is_terminal:
            return 1.0, s, h.returns()[i]
        if h.player == CHANCE:
            outcomes = h.chance_outcomes()
            action, rho = outcomes[self.draw([p for _, p in outcomes])]
            x, l, u = self.oos(h.child(action), rho * pi, rho * s, i)
            return rho * x, l, u
        key, actions = h.information_key, h.legal_actions()
        n = len(actions)
        explore = self.epsilon if h.player == i else 0.0
        if key not in self.regret:
            self.regret[key], self.mean[key] = [0.0] * n, [0.0] * n
            sigma = [1.0 / n] * n
            a = self.draw([explore / n + (1 - explore) * p for p in sigma])
            x, l, u = self.playout(h.child(actions[a]), s / n, i)
        else:
            sigma = self.regret_matching(key)
            phi = [explore / n + (1 - explore) * p for p in sigma]
            a = self.draw(phi)
            x, l, u = self.oos(
                h.child(actions[a]), pi * (sigma[a] if h.player != i else 1.0), s * phi[a], i
            )
        c, x = x, x * sigma[a]
        for b in range(n):
            if h.player == i:
                w = u * pi / l
                self.regret[key][b] += (c - x) * w if b == a else -x * w
            else:
                self.mean[key][b] += pi / s * (sigma[b] - self.gamma / n)
        return x, l, u

    def playout(self, h: History, s: float, i: int) -> tuple[float, float, float]:
        """Uniformly random; chance is part of the tail here, too."""
        x = 1.0
        while not h.is_terminal:
            if h.player == CHANCE:
                outcomes = h.chance_outcomes()
                action, p = outcomes[self.draw([p for _, p in outcomes])]
            else:
                actions = h.legal_actions()
                action, p = actions[int(self.rng.uniform() * len(actions))], 1.0 / len(actions)
            x, s, h = x * p, s * p, h.child(action)
        return x, s, h.returns()[i]

    def regret_matching(self, key: int) -> list[float]:
        positive = [max(r, 0.0) for r in self.regret[key]]
        n, total = len(positive), sum(positive)
        if total <= 0:
            return [1.0 / n] * n
        return [self.gamma / n + (1 - self.gamma) * r / total for r in positive]

    def draw(self, probabilities: list[float]) -> int:
        r, chosen = self.rng.uniform(), 0
        for index, p in enumerate(probabilities):
            if p > 0:
                chosen = index
                if r < p:
                    break
                r -= p
        return chosen
