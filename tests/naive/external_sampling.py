"""External sampling as `search.sampling.external_sampling` describes it: recursive, on histories
and dictionaries. It draws its random numbers in the order in which the compiled search does.
"""

from dataclasses import dataclass

from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.search.sampling.external_sampling import EXPLORES


@dataclass
class NaiveExternal:
    """A run. table: from the key of an information set to r, s and v in one list."""

    game: Game
    rng: Xoshiro
    epsilon: float
    tau: float
    beta: float
    lines: float

    def __post_init__(self) -> None:
        self.table: dict[int, list[float]] = {}

    def iterate(self) -> None:
        for i in range(2):
            self.walk(History(self.game), i, 1.0, self.lines, in_memory=True)

    def walk(self, h: History, i: int, q: float, lines: float, *, in_memory: bool) -> float:
        """What player i is paid after h."""
        if h.is_terminal:
            return h.returns()[i]
        if h.player == CHANCE:
            outcomes = h.chance_outcomes()
            drawn = outcomes[self.rng.draw([p for _, p in outcomes])][0]
            return self.walk(h.child(drawn), i, q, lines, in_memory=in_memory)
        actions = h.legal_actions()
        n = len(actions)
        if not in_memory:
            below = h.child(actions[self.rng.below(n)])
            return self.walk(below, i, q, lines, in_memory=False)
        is_known = h.information_key in self.table
        row = self.table.setdefault(h.information_key, [0.0] * (2 * n + 1))
        sigma = matched(row[:n])
        if h.player != i or n == 1:
            if h.player != i:
                for a in range(n):
                    row[n + a] += sigma[a] / q
                row[2 * n] += 1.0
            below = h.child(actions[self.rng.draw(sigma)])
            return self.walk(below, i, q, lines, in_memory=is_known)
        rho = self.followed(row, n, sigma, lines)
        share = lines / max(sum(p > 0.0 for p in rho), 1)
        worth = [0.0] * n
        for a in range(n):
            if rho[a] > 0.0:
                below = h.child(actions[a])
                paid = self.walk(below, i, q * rho[a], share, in_memory=is_known)
                worth[a] = paid / rho[a]
        mean = 0.0
        for a in range(n):
            mean += sigma[a] * worth[a]
        for a in range(n):
            row[a] += (worth[a] - mean) / q
        return mean

    def followed(self, row: list[float], n: int, sigma: list[float], lines: float) -> list[float]:
        """rho of the actions that are followed, and 0 for the others."""
        drawn = [EXPLORES / n + (1.0 - EXPLORES) * p for p in sigma]
        if lines < 2.0:
            chosen = self.rng.draw(drawn)
            return [p if a == chosen else 0.0 for a, p in enumerate(drawn)]
        total, visits = 0.0, row[2 * n]
        for a in range(n):
            total += row[n + a]
        rho = []
        for a in range(n):
            share = row[n + a] / total if total > 0.0 else 1.0
            p = (self.beta + self.tau * visits * share) / (self.beta + visits)
            p = min(max(p if lines >= n else lines * drawn[a], self.epsilon), 1.0)
            rho.append(p if p == 1.0 or self.rng.uniform() < p else 0.0)
        return rho


def matched(regrets: list[float]) -> list[float]:
    """Regret matching, with the arithmetic of the compiled one."""
    total = 0.0
    for r in regrets:
        total += max(r, 0.0)
    if not total > 0.0:
        return [1.0 / len(regrets)] * len(regrets)
    return [max(r, 0.0) * (1.0 / total) for r in regrets]
