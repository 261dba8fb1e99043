"""SO-ISMCTS and MO-ISMCTS (Cowling, Powley and Whitehouse 2012) on histories and dictionaries: a
node is a list of what its observer noticed since the root, an edge a node and what comes next.

It draws its random numbers in the order in which the compiled search does.
"""

import math
from typing import Any

from naive.adding import added
from naive.ismcts import NaiveISMCTS
from naive.xoshiro import Xoshiro

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History

Edge = tuple[Any, ...]


class NaiveEdges(NaiveISMCTS):
    """edges: from an edge to its numbers: visits, sums and how often it could be taken; or regrets
    and sums of strategies.
    """

    def __init__(
        self,
        game: Game,
        selector: str,
        single: bool,
        seat: int,
        starts: list[History],
        rng: Xoshiro,
    ) -> None:
        super().__init__(game, selector, rng)
        self.single = single
        self.seat = seat
        self.starts = starts
        self.edges: dict[Edge, list[float]] = {}

    def iterate(self) -> None:
        start = self.starts[int(self.rng.uniform() * len(self.starts))]
        self.walk(start, [()] * self.game.num_players)

    def walk(self, h: History, seen: list[tuple[Any, ...]]) -> tuple[float, ...]:
        if h.is_terminal:
            return h.returns()
        if h.player == CHANCE:
            outcomes = h.chance_outcomes()
            move = outcomes[self.rng.draw([p for _, p in outcomes])][0]
            return self.walk(h.child(move), self.after(seen, h.child(move)))
        actions = h.legal_actions()
        of_action = [self.edge(h, seen, action) for action in actions]
        edges = list(dict.fromkeys(of_action))
        untried = [edge for edge in edges if edge not in self.edges]
        sigma = [1 / len(edges)] * len(edges)
        if untried:
            chosen = untried[int(self.rng.uniform() * len(untried))]
            self.edges[chosen] = [0.0, 0.0, 0.0]
        else:
            b, sigma = self.select_edge(edges, sigma)
            chosen = edges[b]
        same = [action for action, edge in zip(actions, of_action, strict=True) if edge == chosen]
        child = h.child(same[int(self.rng.uniform() * len(same)) if len(same) > 1 else 0])
        if untried:
            values = self.simulate(child)
        else:
            values = self.walk(child, self.after(seen, child))
        self.update_edges(edges, edges.index(chosen), sigma, values[h.player])
        return values

    def edge(self, h: History, seen: list[tuple[Any, ...]], action: int) -> Edge:
        if not self.single or h.player == self.seat:
            return (h.player, seen[h.player], action)
        return (h.player, self.after(seen, h.child(action))[self.seat])

    def after(self, seen: list[tuple[Any, ...]], child: History) -> list[tuple[Any, ...]]:
        events = [child.noticed(player) for player in range(self.game.num_players)]
        return [
            old if event is None else (*old, event) for old, event in zip(seen, events, strict=True)
        ]

    def select_edge(self, edges: list[Edge], sigma: list[float]) -> tuple[int, list[float]]:
        rows = [self.edges[edge] for edge in edges]
        if self.selector == "uct":
            c = 2 * self.game.max_utility
            bounds = [
                total / visits + c * math.sqrt(math.log(available) / visits)
                for visits, total, available in rows
            ]
            return bounds.index(max(bounds)), sigma
        positive = [max(row[0], 0.0) for row in rows]
        total, n = added(positive), len(rows)
        if total > 0:
            sigma = [0.2 / n + 0.8 * r / total for r in positive]
        return self.rng.draw(sigma), sigma

    def update_edges(self, edges: list[Edge], a: int, sigma: list[float], reward: float) -> None:
        gain = 0.5 + 0.5 * reward / self.game.max_utility
        for b, edge in enumerate(edges):
            if edge not in self.edges:
                continue
            row = self.edges[edge]
            if self.selector == "uct":
                row[0] += b == a
                row[1] += reward if b == a else 0.0
                row[2] += 1
            else:
                row[0] += (gain / sigma[b] if b == a else 0.0) - gain
                row[1] += (sigma[b] - 0.2 / len(edges)) / 0.8
