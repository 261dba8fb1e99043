"""Fig. 3.1 of Lisy's thesis (2014) word for word, with all selection rules of its Section 3.1.1:
recursive, on states, lists and dictionaries.

It draws its random numbers in the order in which the compiled search does, so that both can be
compared number by number.
"""

import math
from typing import Any

import numpy as np
from naive.adding import added
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, SIMULTANEOUS, TERMINAL, Game

Path = tuple[tuple[int, ...], ...]
"""A joint history: the indices of both actions, or of chance's outcome."""


class JointGame:
    """The rules of a game as functions of states that are not modified."""

    def __init__(self, game: Game, rng: Xoshiro, asks: bool = False, steps: bool = False) -> None:
        self.game = game
        self.rng = rng
        self.asks = asks
        self.steps = steps

    def root(self) -> np.ndarray:
        state = np.zeros(self.game.state_size, np.int64)
        self.game.initial_state(state)
        return state

    def player(self, state: np.ndarray) -> int:
        return self.game.current_player(state)

    def actions(self, state: np.ndarray) -> tuple[list[int], list[int]]:
        mover = self.player(state)
        first, second = (
            self.game.actions_of(state, p) if mover in (p, SIMULTANEOUS) else [0] for p in range(2)
        )
        return first, second

    def after(self, state: np.ndarray, a_0: int, a_1: int) -> np.ndarray:
        actions, mover, after = self.actions(state), self.player(state), state.copy()
        joint = np.array([actions[0][a_0], actions[1][a_1]], np.int64)
        if mover == SIMULTANEOUS:
            self.game.apply_joint_action(after, joint, np.zeros(3, np.int64))
        else:
            self.game.apply_action(after, int(joint[mover]), np.zeros(3, np.int64))
        return after

    def rolled(self, state: np.ndarray) -> tuple[int, float, np.ndarray]:
        """An outcome of chance: its index, its probability, the state after it."""
        outcomes, p = (
            np.zeros(self.game.max_chance_outcomes, np.int64),
            np.zeros(self.game.max_chance_outcomes),
        )
        n = self.game.chance_outcomes(state, outcomes, p)
        a, after = self.rng.draw(p[:n].tolist()), state.copy()
        self.game.apply_action(after, int(outcomes[a]), np.zeros(3, np.int64))
        return a, float(p[a]), after

    def rollout(self, state: np.ndarray, player: int) -> float:
        """Uniformly random to the end; or what the evaluation function says, at once or after one
        more joint move.
        """
        if self.steps:
            a_0, a_1 = (
                self.rng.below(len(actions)) if len(actions) > 1 else 0
                for actions in self.actions(state)
            )
            state = self.after(state, a_0, a_1)
        if self.asks and self.player(state) != TERMINAL:
            return self.game.evaluation().evaluate(self.game, state, player)
        while self.player(state) != TERMINAL:
            if self.player(state) == CHANCE:
                state = self.rolled(state)[2]
            else:
                sizes = [len(actions) for actions in self.actions(state)]
                a_0, a_1 = (self.rng.below(n) if n > 1 else 0 for n in sizes)
                state = self.after(state, a_0, a_1)
        return self.game.returns(state, player)


class NaiveSMMCTS(JointGame):
    """nodes: from a joint history to what the rule keeps there. ``rule`` makes that. means:
    SM-MCTS-A. A new root is set by ``restart``.
    """

    def __init__(
        self,
        game: Game,
        rule: Any,
        rng: Xoshiro,
        means: bool = False,
        asks: bool = False,
        steps: bool = False,
    ) -> None:
        super().__init__(game, rng, asks, steps)
        self.rule = rule
        self.means = means
        self.nodes: dict[Path, Any] = {}
        self.seen: dict[Path, list[float]] = {}
        self.used: list[Path] = []
        self.start: tuple[np.ndarray, Path] = (self.root(), ())

    def restart(self, state: np.ndarray, path: Path) -> None:
        self.start = state, path

    def iterate(self) -> None:
        self.search(*self.start)

    def search(self, h: np.ndarray, path: Path) -> float:
        if self.player(h) == TERMINAL:
            return self.game.returns(h, 0)
        if self.player(h) == CHANCE:
            a, _, after = self.rolled(h)
            return self.search(after, (*path, (a,)))
        n_0, n_1 = (len(actions) for actions in self.actions(h))
        if n_0 * n_1 == 1:
            return self.search(self.after(h, 0, 0), (*path, (0, 0)))
        if path not in self.nodes:
            self.nodes[path] = self.rule(self, n_0, n_1)
            self.seen[path] = [0.0, 0.0]
            return self.rollout(h, 0)
        node = self.nodes[path]
        if path not in self.used:
            self.used.append(path)
        a_0, a_1 = node.select()
        u = self.search(self.after(h, a_0, a_1), (*path, (a_0, a_1)))
        node.update(a_0, a_1, u)
        if not self.means:
            return u
        self.seen[path][0] += 1
        self.seen[path][1] += u
        return self.seen[path][1] / self.seen[path][0]

    def rows(self) -> list[list[float]]:
        """What the compiled search keeps in its rows, after the parent: for nodes visited more than
        once, in the order of their second visit.
        """
        return [
            (self.seen[path] if self.means else []) + self.nodes[path].numbers()
            for path in self.used
            if path in self.nodes
        ]


class DecoupledNode:
    """Both players follow a rule of their own."""

    def __init__(self, own: list[Any]) -> None:
        self.own = own

    def select(self) -> tuple[int, int]:
        return self.own[0].select(), self.own[1].select()

    def update(self, a_0: int, a_1: int, u: float) -> None:
        self.own[0].update(a_0, u)
        self.own[1].update(a_1, -u)

    def numbers(self) -> list[float]:
        return [*self.own[0].numbers(), *self.own[1].numbers()]


class DUCT:
    """Eq. 3.1. tolerance: how far bounds may be apart to count as equal, None to take the first
    action of those with the best.
    """

    def __init__(self, search: NaiveSMMCTS, n: int, c: float, tolerance: float | None) -> None:
        self.search, self.c, self.tolerance = search, c, tolerance
        self.visits, self.total = [0.0] * n, [0.0] * n

    def select(self) -> int:
        n = len(self.visits)
        untried = [a for a in range(n) if self.visits[a] == 0]
        if untried:
            which = self.search.rng.below(len(untried))
            return untried[0 if self.tolerance is None else which]
        log = math.log(added(self.visits))
        bounds = [
            self.total[a] / self.visits[a] + self.c * math.sqrt(log / self.visits[a])
            for a in range(n)
        ]
        if self.tolerance is None:
            return bounds.index(max(bounds))
        best = [a for a in range(n) if bounds[a] >= max(bounds) - self.tolerance]
        return best[self.search.rng.below(len(best)) if len(best) > 1 else 0]

    def update(self, a: int, u: float) -> None:
        self.visits[a] += 1
        self.total[a] += u

    def numbers(self) -> list[float]:
        return self.visits + self.total


class Exp3:
    """Eqs. 3.3 to 3.5; the mean strategy leaves the exploration out."""

    def __init__(self, search: NaiveSMMCTS, n: int, gamma: float) -> None:
        self.search, self.gamma = search, gamma
        self.gains, self.sums, self.largest = [0.0] * n, [0.0] * n, search.game.max_utility

    def select(self) -> int:
        n = len(self.gains)
        powers = [math.exp(self.gamma / n * (gain - max(self.gains))) for gain in self.gains]
        scale = (1 - self.gamma) / added(powers)
        self.sigma = [self.gamma / n + power * scale for power in powers]
        return self.search.rng.draw(self.sigma)

    def update(self, a: int, u: float) -> None:
        self.gains[a] += (0.5 + 0.5 * u / self.largest) / self.sigma[a]
        self._remember()

    def _remember(self) -> None:
        for b, p in enumerate(self.sigma):
            self.sums[b] += (p - self.gamma / len(self.sigma)) / (1 - self.gamma)

    def numbers(self) -> list[float]:
        return self.gains + self.sums


class DRM(Exp3):
    """Eq. 3.8, and Fig. 2.6 for the update: ``gains`` are regrets."""

    def select(self) -> int:
        self.sigma = matched(self.gains, self.gamma)
        return self.search.rng.draw(self.sigma)

    def update(self, a: int, u: float) -> None:
        reward = 0.5 + 0.5 * u / self.largest
        self.gains = [r - reward for r in self.gains]
        self.gains[a] += reward / self.sigma[a]
        self._remember()


class Exploring:
    """Definition 3.1.2."""

    def __init__(self, search: NaiveSMMCTS, rule: Any, epsilon: float) -> None:
        self.search, self.rule, self.epsilon, self.explored = search, rule, epsilon, False

    def select(self) -> int:
        self.explored = self.search.rng.uniform() < self.epsilon
        return (
            self.search.rng.below(len(self.rule.numbers()) // 2)
            if self.explored
            else self.rule.select()
        )

    def update(self, a: int, u: float) -> None:
        if not self.explored:
            self.rule.update(a, u)

    def numbers(self) -> list[float]:
        return [*self.rule.numbers(), float(self.explored)]


class CoupledRM:
    """Eqs. 3.8, 3.10 and 3.11."""

    def __init__(self, search: NaiveSMMCTS, n_0: int, n_1: int, gamma: float) -> None:
        self.search, self.gamma = search, gamma
        self.regret, self.sums = ([0.0] * n_0, [0.0] * n_1), ([0.0] * n_0, [0.0] * n_1)
        self.visits, self.total = ([[0.0] * n_1 for _ in range(n_0)] for _ in range(2))

    def select(self) -> tuple[int, int]:
        self.sigma = [matched(regret, self.gamma) for regret in self.regret]
        return self.search.rng.draw(self.sigma[0]), self.search.rng.draw(self.sigma[1])

    def update(self, a_0: int, a_1: int, u: float) -> None:
        def reward(b_0: int, b_1: int) -> float:
            if (b_0, b_1) == (a_0, a_1):
                return u
            return self.total[b_0][b_1] / self.visits[b_0][b_1] if self.visits[b_0][b_1] else 0.0

        for b in range(len(self.regret[0])):
            self.regret[0][b] += reward(b, a_1) - u
        for b in range(len(self.regret[1])):
            self.regret[1][b] -= reward(a_0, b) - u
        for sums, sigma in zip(self.sums, self.sigma, strict=True):
            for b, p in enumerate(sigma):
                sums[b] += p - self.gamma / len(sigma)
        self.visits[a_0][a_1] += 1
        self.total[a_0][a_1] += u

    def numbers(self) -> list[float]:
        visits, total = (
            [v for row in self.visits for v in row],
            [x for row in self.total for x in row],
        )
        cells = [number for cell in zip(visits, total, strict=True) for number in cell]
        return self.regret[0] + self.sums[0] + self.regret[1] + self.sums[1] + cells


def matched(regret: list[float], gamma: float) -> list[float]:
    """Regret matching with ``gamma`` uniform."""
    n, positive = len(regret), [max(r, 0.0) for r in regret]
    total = added(positive)
    if total <= 0:
        return [1.0 / n] * n
    scale = (1 - gamma) / total
    return [gamma / n + p * scale for p in positive]


def rule_of(name: str, **parameters: Any) -> Any:
    """A function that makes a node of NaiveSMMCTS."""
    own: dict[str, Any] = {
        "duct": lambda search, n: DUCT(
            search,
            n,
            2.0 * search.game.max_utility,
            parameters.get("tie_tolerance", 0.01) * search.game.max_utility,
        ),
        "duct first": lambda search, n: DUCT(search, n, 2.0 * search.game.max_utility, None),
        "exp3": lambda search, n: Exp3(search, n, 0.2),
        "drm": lambda search, n: DRM(search, n, 0.1),
    }
    if name == "rm":
        return lambda search, n_0, n_1: CoupledRM(search, n_0, n_1, 0.1)
    make, epsilon = own[name], parameters.get("guaranteed", 0.0)
    if epsilon:
        return lambda search, n_0, n_1: DecoupledNode(
            [Exploring(search, make(search, n), epsilon) for n in (n_0, n_1)]
        )
    return lambda search, n_0, n_1: DecoupledNode([make(search, n) for n in (n_0, n_1)])
