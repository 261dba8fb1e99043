"""Sampling in gadget games, checked: against slow twins, and against what a traversal should add on
average, which is found by enumeration.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from naive.gadget_games import gadget_game
from naive.resolving import (
    NaiveMCCR,
    Start,
    frontier_of,
    history_at,
    names_of,
    public_states,
    upper_frontier,
)
from naive.tables import rows

from hiddenhand.jit.infoset_table import MISSING, num_sets
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import mix
from hiddenhand.search.resolving.gadgets import Gadget, build_gadget
from hiddenhand.trees.profile import history_values, reach_probabilities, uniform_profile
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import unroll

Floats = npt.NDArray[np.float64]


def gadget_at(tree: GameTree, seat: int, *, floor: float | None = 0.1) -> Gadget:
    """That of the first public state in which ``seat`` moves: with uniform play before and random
    values.
    """
    states = (
        histories
        for histories in public_states(tree).values()
        if any(tree.player[h] == seat for h in histories)
    )
    nodes = upper_frontier(tree, next(states))
    entered = frontier_of(
        tree,
        nodes,
        reach_probabilities(tree, uniform_profile(tree)),
        focus=int(tree.keys[nodes[0], seat]),
    )
    values = np.random.default_rng(1).uniform(-1, 1, size=len(nodes))
    return build_gadget(tree.game, entered, seat, values, np.zeros(len(nodes)), floor)


def starts_of(tree: GameTree, gadget: Gadget) -> list[Start]:
    """What the gadget leads to, as the slow twins know it."""
    return [
        Start(
            history_at(tree, int(gadget.state[h, 0])),
            int(gadget.history[h]),
            float(gadget.probability[h]),
            (float(gadget.reach[h, 0]), float(gadget.reach[h, 1]), float(gadget.reach[h, 2])),
            bool(gadget.focus[h]),
            int(gadget.set[h]),
            float(gadget.payoff[gadget.set[h]]) if gadget.may_terminate[gadget.set[h]] else None,
        )
        for h in range(gadget.size)
    ]


def assert_alike(resolver: Any, twin: NaiveMCCR) -> None:
    """What a resolver by sampling knows is what its twin knows."""
    compiled, values = rows(resolver.table), rows(resolver._values)
    assert compiled.keys() == twin.regret.keys()
    assert values.keys() == twin.values.keys()
    assert values
    for key, row in compiled.items():
        np.testing.assert_allclose(
            row[: 2 * len(twin.mean[key])], twin.regret[key] + twin.mean[key], rtol=1e-9, atol=1e-9
        )
    for name, row in values.items():
        np.testing.assert_allclose(row[:4], twin.values[name], rtol=1e-9, atol=1e-9)
    for group, regret in twin.gadget.items():
        np.testing.assert_allclose(resolver._root.regret[group], regret, rtol=1e-9, atol=1e-9)


@kernel
def _repeat(search, i, repeats, worth, total, squares, in_gadget):  # type: ignore[no-untyped-def]
    """Traversals from one and the same table. The last part of ``total`` is, for each row of
    values, numerator minus worth times denominator. ``in_gadget`` is the same for the regrets at
    the gadget: sums, and sums of squares.
    """
    table, values, root = search.table, search.values, search.root
    first, second, regret = table.values.copy(), values.values.copy(), root.regret.copy()
    num_values, num_rows = table.counts[1], values.counts[0]
    for _ in range(repeats):
        search.traverse(i)
        for v in range(num_values):
            change = table.values[v] - first[v]
            total[v] += change
            squares[v] += change**2
        for r in range(num_rows):
            at = values.starts[r]
            change = (
                values.values[at] - second[at] - worth[r] * (values.values[at + 1] - second[at + 1])
            )
            total[num_values + r] += change
            squares[num_values + r] += change**2
        change_in_gadget = root.regret - regret
        in_gadget[0] += change_in_gadget
        in_gadget[1] += change_in_gadget**2
        table.values[:num_values] = first[:num_values]
        used = values.counts[1]
        values.values[:used] = second[:used]
        root.regret[:] = regret


class Exactness:
    """A resolver that has turned to ``gadget``, after a warm-up in which all sets came into memory,
    and what its next traversal should add on average.
    """

    def __init__(self, tree: GameTree, gadget: Gadget, resolver: Any, warm_up: int = 300) -> None:
        self.tree = tree
        self.gadget = gadget
        self.resolver = resolver
        self.resolver.think(warm_up, None)
        self.written = unroll(gadget_game(tree.game, gadget, "resolving"), verified=True)
        self.profile = self.present()
        self.reach = reach_probabilities(self.written, self.profile)
        self.worth = history_values(self.written, self.profile)

    def present(self) -> Floats:
        """sigma and f."""
        written, profile = self.written, uniform_profile(self.written)
        groups = {
            int(mix(np.uint64(key))): int(group)
            for key, group in zip(
                self.gadget.keys[:, 1 - self.gadget.resolver], self.gadget.set, strict=True
            )
        }
        self.group_of: dict[int, int] = {}
        for number in range(written.num_sets):
            own, key = (
                slice(written.set_start[number], written.set_start[number + 1]),
                int(written.set_key[number]),
            )
            row = int(self.resolver.table.find(written.set_key[number]))
            if row == MISSING:
                self.group_of[number] = groups[key]
                regret = self.resolver._root.regret[groups[key]]
            else:
                regret = self.resolver.table.values[row : row + own.stop - own.start]
            positive = np.maximum(regret, 0.0)
            if positive.sum() > 0:
                profile[own] = positive / positive.sum()
        return profile

    def expected(self, i: int) -> tuple[Floats, Floats]:
        """For each sequence of the gadget game the regret of ``i``, and the other's part in it
        times chance's.

        In the gadget game p(h) stands for everybody's part in h. The part of the player whose
        regret it is, and of the one whose mean strategy it is not, does not count.
        """
        written = self.written
        regret, mean = np.zeros(written.num_sequences), np.zeros(written.num_sequences)
        for h in np.flatnonzero(written.player >= 0):
            player = int(written.player[h])
            own = slice(
                written.set_start[written.information_set[h]],
                written.set_start[written.information_set[h] + 1],
            )
            after = np.arange(
                written.first_child[h], written.first_child[h] + written.num_children[h]
            )
            own_column = 0 if player == self.gadget.resolver else 1
            parts = 1.0 / self.gadget.reach[self.drawn(int(h))]
            if player == i or int(written.information_set[h]) in self.group_of:
                others = parts[own_column] * self.reach[h, 1 - player] * self.reach[h, -1]
                regret[own] += others * (self.worth[after, player] - self.worth[h, player])
            if player != i:
                mean[own] += (
                    parts[1 - own_column]
                    * self.reach[h, player]
                    * self.reach[h, -1]
                    * self.profile[own]
                )
        return regret, mean

    def drawn(self, h: int) -> int:
        """Which history of the frontier leads to a history of the gadget game: its first move."""
        while self.written.parent[h] > 0:
            h = int(self.written.parent[h])
        return int(self.written.action[h])

    def deviations(self, i: int, repeats: int) -> Floats:
        """By how many standard errors the mean of each number that traversals of ``i`` add is off;
        the values of histories come last.
        """
        resolver, written = self.resolver, self.written
        resolver._make_room()
        table = resolver.table
        worth = self.worth_of_entries()
        numbers, size = int(table.counts[1]), int(table.counts[1]) + worth.size
        total, squares = np.zeros(size), np.zeros(size)
        in_gadget = np.zeros((2, *resolver._root.regret.shape))
        _repeat(resolver._traversal(), i, repeats, worth, total, squares, in_gadget)
        regret, mean = self.expected(i)
        off = []
        for number in range(written.num_sets):
            own = slice(written.set_start[number], written.set_start[number + 1])
            n, row = own.stop - own.start, int(table.find(written.set_key[number]))
            if row == MISSING:
                group = self.group_of[number]
                off.append(
                    standardised(in_gadget[0, group], in_gadget[1, group], repeats, regret[own])
                )
            elif written.set_player[number] == i:
                off.append(
                    standardised(total[row : row + n], squares[row : row + n], repeats, regret[own])
                )
            else:
                off.append(
                    standardised(
                        total[row + n : row + 2 * n],
                        squares[row + n : row + 2 * n],
                        repeats,
                        mean[own],
                    )
                )
        off.append(standardised(total[numbers:], squares[numbers:], repeats, np.zeros(worth.size)))
        return np.concatenate(off)

    def worth_of_entries(self) -> Floats:
        """What each history that has a row of values is worth to the opponent."""
        profile = uniform_profile(self.tree)
        for number in range(self.tree.num_sets):
            key, own = (
                self.tree.set_key[number],
                slice(self.tree.set_start[number], self.tree.set_start[number + 1]),
            )
            if int(key) in self.written._set_by_key:
                there = self.written.find_set(int(key))
                profile[own] = self.profile[
                    self.written.set_start[there] : self.written.set_start[there + 1]
                ]
        worth = history_values(self.tree, profile)[:, 1 - self.gadget.resolver]
        node = {name: h for h, name in enumerate(names_of(self.tree))}
        values = self.resolver._values
        return np.array([worth[node[int(key)]] for key in values.keys[: num_sets(values)]])


def standardised(total: Floats, squares: Floats, repeats: int, expected: Floats) -> Floats:
    mean = total / repeats
    error = np.sqrt(np.maximum(squares / repeats - mean**2, 0.0) / repeats)
    return np.abs(mean - expected) / (error + 1e-9)
