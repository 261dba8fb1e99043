"""Fig. 3.4 of Lisy's thesis (2014) word for word, with UCT or regret matching: recursive, on
histories and dictionaries.

It draws its random numbers in the order in which the compiled search does, so that both can be
compared number by number.
"""

import math

from naive.adding import added
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History


class NaiveISMCTS:
    """rows: from a key to two lists with a number for each action (visits and sums, or regrets and
    sums of strategies).
    """

    def __init__(self, game: Game, selector: str, rng: Xoshiro) -> None:
        self.game = game
        self.selector = selector
        self.rng = rng
        self.rows: dict[int, tuple[list[float], list[float]]] = {}

    def iterate(self) -> None:
        self.rng.uniform()  # which start
        self.search(History(self.game))

    def search(self, h: History) -> tuple[float, ...]:
        if h.is_terminal:
            return h.returns()
        if h.player == CHANCE:
            outcomes = h.chance_outcomes()
            return self.search(h.child(outcomes[self.rng.draw([p for _, p in outcomes])][0]))
        key, actions = h.information_key, h.legal_actions()
        new = key not in self.rows
        if new:
            self.rows[key] = [0.0] * len(actions), [0.0] * len(actions)
        a, sigma = self.select(key)
        child = h.child(actions[a])
        values = self.simulate(child) if new else self.search(child)
        self.update(key, a, sigma, values[h.player])
        return values

    def simulate(self, h: History) -> tuple[float, ...]:
        while not h.is_terminal:
            if h.player == CHANCE:
                outcomes = h.chance_outcomes()
                h = h.child(outcomes[self.rng.draw([p for _, p in outcomes])][0])
            else:
                actions = h.legal_actions()
                h = h.child(actions[int(self.rng.uniform() * len(actions))])
        return h.returns()

    def select(self, key: int) -> tuple[int, list[float]]:
        first, second = self.rows[key]
        n = len(first)
        if self.selector == "uct":
            untried = [a for a in range(n) if first[a] == 0]
            if untried:
                return untried[int(self.rng.uniform() * len(untried))], []
            c = 2 * self.game.max_utility
            bounds = [
                second[a] / first[a] + c * math.sqrt(math.log(added(first)) / first[a])
                for a in range(n)
            ]
            return bounds.index(max(bounds)), []
        positive = [max(r, 0.0) for r in first]
        total = added(positive)
        sigma = [0.2 / n + 0.8 * r / total for r in positive] if total > 0 else [1.0 / n] * n
        return self.rng.draw(sigma), sigma

    def update(self, key: int, a: int, sigma: list[float], reward: float) -> None:
        first, second = self.rows[key]
        if self.selector == "uct":
            first[a] += 1
            second[a] += reward
            return
        gain = 0.5 + 0.5 * reward / self.game.max_utility
        for b in range(len(first)):
            first[b] += (gain / sigma[b] if b == a else 0.0) - gain
            second[b] += (sigma[b] - 0.2 / len(first)) / 0.8
