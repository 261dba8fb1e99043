"""Algorithm 1 of Lisy, Lanctot and Bowling (2015) word for word: recursive, on histories and
dictionaries, from the root (delta = 0).

It draws its random numbers in the order in which the compiled search does, so that both can be
compared number by number.
"""

from naive.adding import added
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
            action, rho = outcomes[self.rng.draw([p for _, p in outcomes])]
            x, l, u = self.oos(h.child(action), rho * pi, rho * s, i)
            return rho * x, l, u
        key, actions = h.information_key, h.legal_actions()
        n = len(actions)
        explore = self.epsilon if h.player == i else 0.0
        if key not in self.regret:
            self.regret[key], self.mean[key] = [0.0] * n, [0.0] * n
            sigma = [1.0 / n] * n
            a = self.rng.draw([explore / n + (1 - explore) * p for p in sigma])
            x, l, u = self.playout(h.child(actions[a]), s / n, i)
        else:
            sigma = self.regret_matching(key)
            phi = [explore / n + (1 - explore) * p for p in sigma]
            a = self.rng.draw(phi)
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
                action, p = outcomes[self.rng.draw([p for _, p in outcomes])]
            else:
                actions = h.legal_actions()
                action, p = actions[int(self.rng.uniform() * len(actions))], 1.0 / len(actions)
            x, s, h = x * p, s * p, h.child(action)
        return x, s, h.returns()[i]

    def regret_matching(self, key: int) -> list[float]:
        positive = [max(r, 0.0) for r in self.regret[key]]
        n, total = len(positive), added(positive)
        if total <= 0:
            return [1.0 / n] * n
        return [self.gamma / n + (1 - self.gamma) * r / total for r in positive]


class NaiveBaselineOOS(NaiveOOS):
    """The same with baselines: Schmid et al. (2019), Eq. 9 to 11; "predictive": Davis et al.
    (2020).

    baseline: from a name and the number of an action, or of an outcome, to b, what player 0 is paid
    after it.
    """

    RATE = 0.1

    def __init__(
        self, game: Game, epsilon: float, gamma: float, rng: Xoshiro, *, kind: str
    ) -> None:
        super().__init__(game, epsilon, gamma, rng)
        self.kind = kind
        self.baseline: dict[tuple[object, int], float] = {}

    def iterate(self) -> None:
        for i in range(2):
            self.walk(History(self.game), 1.0, 1.0, i)

    def walk(self, h: History, pi: float, s: float, i: int) -> tuple[float, float | None]:
        """What h pays player 0, as far as this traversal can tell; and what it will pay by the next
        strategy, as far as the baselines say, None where they end.
        """
        if h.is_terminal:
            return h.returns()[0], None
        sign = 1.0 if i == 0 else -1.0
        if h.player == CHANCE:
            outcomes, name = h.chance_outcomes(), (h.moves,)
            sigma = phi = [p for _, p in outcomes]
            a = self.rng.draw(phi)
            below = self.walk(h.child(outcomes[a][0]), pi * phi[a], s * phi[a], i)
        else:
            key, actions = h.information_key, h.legal_actions()
            n, explore = len(actions), self.epsilon if h.player == i else 0.0
            is_new = key not in self.regret
            if is_new:
                self.regret[key], self.mean[key] = [0.0] * n, [0.0] * n
            sigma = self.regret_matching(key)
            phi = [explore / n + (1 - explore) * p for p in sigma]
            a, name = self.rng.draw(phi), key if self.kind == "set" else (h.moves,)
            child, by_others = h.child(actions[a]), sigma[a] if h.player != i else 1.0
            if is_new:
                below = sign * self.playout(child, 1.0, i)[2], None
            else:
                below = self.walk(child, pi * by_others, s * phi[a], i)
        worth = [self.baseline.get((name, b), 0.0) for b in range(len(sigma))]
        worth[a] += (below[0] - worth[a]) / phi[a]
        mean = added(p * value for p, value in zip(sigma, worth, strict=True))
        if h.player == i:
            for b in range(len(sigma)):
                self.regret[key][b] += pi / s * sign * (worth[b] - mean)
        elif h.player != CHANCE:
            for b in range(len(sigma)):
                self.mean[key][b] += pi / s * (sigma[b] - self.gamma / len(sigma))
        self.learn(name, a, *below)
        if h.player == i:
            sigma = self.regret_matching(key)
        return mean, added(p * self.baseline.get((name, b), 0.0) for b, p in enumerate(sigma))

    def learn(self, name: object, a: int, found: float, predicted: float | None) -> None:
        if self.kind == "predictive" and predicted is not None:
            self.baseline[name, a] = predicted
            return
        before = self.baseline.get((name, a), found)
        self.baseline[name, a] = before + self.RATE * (found - before)
