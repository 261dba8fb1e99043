"""Algorithms 1 and 2 of Heinrich and Silver (2015), "Smooth UCT search in computer poker", word for
word: recursive, on histories and dictionaries, with a tree for each player.

It draws its random numbers in the order in which the compiled search does, so that both can be
compared bit by bit. In place of Q it keeps sums of payoffs, as the compiled search does.
"""

import math

from naive.adding import added
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History

Node = tuple[list[float], list[float]]
"""For each action of an information state, N(u, a) and N(u, a) Q(u, a)."""


class NaiveSelfPlay:
    """c: of Eq. 1. smooth: gamma, eta and d of Eq. 2; None for UCT.

    trees: T^i for each player i, from keys of information states to nodes.
    """

    def __init__(
        self, game: Game, rng: Xoshiro, c: float, smooth: tuple[float, float, float] | None
    ) -> None:
        self.game = game
        self.rng = rng
        self.c = c
        self.smooth = smooth
        self.trees: list[dict[int, Node]] = [{} for _ in range(game.num_players)]

    def episode(self) -> None:
        self.out_of_tree = [False] * self.game.num_players
        self.simulate(History(self.game))

    def simulate(self, s: History) -> tuple[float, ...]:
        if s.is_terminal:
            return s.returns()
        i = s.player
        if i == CHANCE:
            outcomes = s.chance_outcomes()
            return self.simulate(s.child(outcomes[self.rng.draw([p for _, p in outcomes])][0]))
        actions = s.legal_actions()
        if self.out_of_tree[i]:
            return self.simulate(s.child(actions[self.rng.below(len(actions))]))
        u = s.information_key
        if u not in self.trees[i]:
            self.trees[i][u] = [0.0] * len(actions), [0.0] * len(actions)
            a = self.rng.below(len(actions))
            self.out_of_tree[i] = True
        else:
            a = self.select(self.trees[i][u])
        r = self.simulate(s.child(actions[a]))
        visits, sums = self.trees[i][u]
        visits[a] += 1
        sums[a] += r[i]
        return r

    def select(self, node: Node) -> int:
        visits, _ = node
        if self.smooth is not None:
            gamma, eta, d = self.smooth
            z = self.rng.uniform()
            if not (z < gamma or z * (1 + d * math.sqrt(added(visits))) < eta):
                r, chosen = self.rng.uniform() * added(visits), 0
                for a, count in enumerate(visits):
                    if count > 0:
                        chosen = a
                        if r < count:
                            break
                        r -= count
                return chosen
        return self.upper_confidence_bound(node)

    def upper_confidence_bound(self, node: Node) -> int:
        visits, sums = node
        untried = [a for a, count in enumerate(visits) if count == 0]
        if untried:
            return untried[self.rng.below(len(untried))]
        log_visits = math.log(added(visits))
        bounds = [
            sums[a] / visits[a] + self.c * math.sqrt(log_visits / visits[a])
            for a in range(len(visits))
        ]
        best = [a for a, bound in enumerate(bounds) if bound == max(bounds)]
        return best[self.rng.below(len(best))] if len(best) > 1 else best[0]
