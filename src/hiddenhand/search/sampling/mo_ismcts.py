"""Trees of what an observer saw since the search began: SO-ISMCTS and MO-ISMCTS.

Cowling, Powley and Whitehouse (2012), "Information set Monte Carlo tree search". A node is what the
observer of its tree saw since the root, and an edge is a move as the observer saw it:

single      SO-ISMCTS with partially observable moves, Algorithm 2: one tree, observed by the
            searcher. Moves of others that the searcher cannot tell apart are one edge, and which
            of them is made is drawn at random.
multiple    MO-ISMCTS, Algorithm 3: a tree for each player, who moves by their own; all trees are
            descended at once.

All trees begin in one root, whatever the determinisation: what the others saw before the search
began is pooled, so that they play as if they did not know their own cards. IS-MCTS by information
sets, see `ismcts`, tells such sets apart, which takes more iterations to fill them, and has a tree
for each player as well.

Determinisations differ in which edges of a node can be taken. So each edge has a row of its own in
the table, with one action, and selection rules see the rows of those edges that can be taken now,
side by side. Of edges that were never taken, one is taken at random and added; there the iteration
leaves memory. Where there is no room to add one, an edge in memory is taken, if there is any. UCT
compares an edge's visits with how often it could have been taken.

Dimensions: D moves that a history may have, A actions, P players.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import advance, draw_outcome
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import Key, fold
from hiddenhand.jit.random import RandomState, below
from hiddenhand.jit.views import copy_into
from hiddenhand.search.belief.propagation import first_of
from hiddenhand.search.sampling.tree_search import TreeSearch
from hiddenhand.search.selection.selectors import UCT, Selector
from hiddenhand.search.traversal import ADDED, IN_TREE, PLAYOUTS, REFUSED

OWNER: Final = "owner"
SINGLE: Final = "single"
MULTIPLE: Final = "multiple"
OBSERVERS: Final = (OWNER, SINGLE, MULTIPLE)


@dataclass(frozen=True)
class AvailableUCT(UCT):
    """UCT for edges that cannot be taken each time: mean + C sqrt(ln m_a / n_a), where m_a is how
    often the edge could have been taken.

    Row: visits n_a, sums of rewards, m_a.
    """

    PER_ACTION: ClassVar[int] = 3

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        best = 0
        for a in range(n):
            tried = values[row + a]
            mean = values[row + n + a] / tried
            log_available = math.log(values[row + 2 * n + a])
            sigma[a] = mean + self.exploration * math.sqrt(log_available / tried)
            if sigma[a] > sigma[best]:
                best = a
        return self._tied(sigma, n, sigma[best], rng) if self.random_ties else best

    def update(
        self, values: Floats, row: int, n: int, a: int, p: float, reward: float, sigma: Floats
    ) -> None:
        for b in range(n):
            values[row + 2 * n + b] += 1.0
        values[row + a] += 1.0
        values[row + n + a] += reward


def for_edges(selector: Selector) -> Selector:
    """A selection rule as it is used for edges. Raises OptionError for one that keeps numbers for a
    whole information set.
    """
    if selector.PER_SET > 0:
        raise OptionError(
            f"{selector} keeps numbers for each information set, which trees of edges do not have; "
            "use observer=owner"
        )
    if isinstance(selector, UCT):
        return AvailableUCT(selector.exploration, selector.random_ties, selector.tie_tolerance)
    return selector


@dataclass(frozen=True)
class Edges(Compiled):
    """Room for the edges that can be taken. Arrays are written by kernels.

    rows: ``int64[D, A]``, where the row of each edge begins in the table, or MISSING.
    keys: ``uint64[A]``, the key of each edge of the present node.
    of_action: ``int64[A]``, to which edge each action belongs, or MISSING.
    place: ``int64[A]``, room to number edges anew.
    values: ``float64[A * PER_ACTION]``, the rows of the edges of a node, side by side.
    state, observed, observations: room to look a move ahead.
    """

    rows: Integers
    keys: Keys
    of_action: Integers
    place: Integers
    values: Floats
    state: Integers
    observed: Keys
    observations: Integers

    @staticmethod
    def of(game: Game, per_action: int) -> "Edges":
        """Room for the edges of a game."""
        most = max(game.max_actions, 1)
        return Edges(
            rows=np.zeros((game.max_depth + 1, most), np.int64),
            keys=np.zeros(most, np.uint64),
            of_action=np.zeros(most, np.int64),
            place=np.zeros(most, np.int64),
            values=np.zeros(most * per_action),
            state=np.zeros(game.state_size, np.int64),
            observed=np.zeros(game.num_players + 1, np.uint64),
            observations=np.zeros(game.num_players + 1, np.int64),
        )


@dataclass(frozen=True)
class EdgeSearch(TreeSearch):
    """An iteration of SO-ISMCTS or MO-ISMCTS: select, expand, simulate, update.

    edges: room for them.
    seat: the player for whom the search decides.
    single: whether there is one tree, theirs.
    """

    edges: Edges
    seat: int
    single: bool

    def descend(self) -> int:
        """Go through memory, add the first edge that is not in it, and roll out. Returns how many
        edges were taken in memory, the new one included.
        """
        game, path = self.game, self.path
        depth, in_memory = 0, True
        player = game.current_player(path.state)
        while player != TERMINAL and (in_memory or not self.leaves.STOPS):
            if player == CHANCE:
                action = draw_outcome(game, path.state, path.actions, path.probabilities, self.rng)[
                    0
                ]
            else:
                n = game.legal_actions(path.state, player, path.actions)
                if in_memory:
                    a, in_memory = self.take_edge(player, n, depth)
                    depth += 1
                else:
                    a = below(self.rng, n)
                action = path.actions[a]
            player = self.move(player, action)
        if in_memory:
            self.counters[IN_TREE] += 1
        return depth

    def update(self, depth: int) -> None:
        """The edges that could be taken learn what the end pays to the player who moved there."""
        path = self.path
        for d in range(depth):
            n, a, sigma = path.num_actions[d], path.chosen[d], path.sigma[d]
            u = self.leaves.payoff(self.game, path.state, path.player[d])
            self.gather(d, n)
            self.selector.update(self.edges.values, 0, n, a, sigma[a], u, sigma)
            self.scatter(d, n)

    def take_edge(self, player: int, n: int, depth: int) -> tuple[int, bool]:
        """Choose one of ``n`` actions by the edges that they belong to, and remember what was
        chosen from. Returns the action's number, and whether the edge was in memory.
        """
        path, edges = self.path, self.edges
        m, untried = self.find_edges(player, n), 0
        for b in range(m):
            row = self.table.find(edges.keys[b])
            edges.rows[depth, b] = row
            untried += int(row == MISSING)
        if 0 < untried < m and not self.table.has_room(1, 1):
            m, untried = self.drop_untried(depth, m, n), 0
        if untried > 0:
            chosen = self.enter(depth, m, below(self.rng, untried))
            for b in range(m):
                path.sigma[depth, b] = 1.0 / m
        else:
            self.gather(depth, m)
            chosen = self.selector.select(edges.values, 0, m, path.sigma[depth], self.rng)
        path.player[depth], path.num_actions[depth], path.chosen[depth] = player, m, chosen
        return self.action_of(chosen, n), untried == 0

    def find_edges(self, player: int, n: int) -> int:
        """Write down which edge each of ``n`` actions belongs to; returns how many edges there
        are.
        """
        game, path, edges = self.game, self.path, self.edges
        if not self.single or player == self.seat:
            key = game.information(path.state, player, path.keys[player])
            for a in range(n):
                edges.keys[a] = edge_key(key, path.actions[a])
                edges.of_action[a] = a
            return n
        m = 0
        for a in range(n):
            copy_into(edges.state, path.state)
            copy_into(edges.observed, path.keys)
            advance(game, edges.state, player, path.actions[a], edges.observed, edges.observations)
            key = fold(edges.observed[self.seat], 0, player + 1, 0)
            b = 0
            while b < m and edges.keys[b] != key:
                b += 1
            edges.keys[b], edges.of_action[a] = key, b
            m = max(m, b + 1)
        return m

    def drop_untried(self, depth: int, m: int, n: int) -> int:
        """Leave out those of ``m`` edges, to which ``n`` actions belong, that were never taken.
        Returns how many are left.
        """
        edges, left = self.edges, 0
        for b in range(m):
            row = edges.rows[depth, b]
            edges.place[b] = MISSING if row == MISSING else left
            if row != MISSING:
                edges.rows[depth, left] = row
                left += 1
        for a in range(n):
            edges.of_action[a] = edges.place[edges.of_action[a]]
        return left

    def enter(self, depth: int, m: int, which: int) -> int:
        """Add that of ``m`` edges that is number ``which`` of those never taken, if there is room,
        and return its number.
        """
        self.counters[PLAYOUTS] += 1
        chosen = 0
        for b in range(m):
            if self.edges.rows[depth, b] == MISSING:
                if which == 0:
                    chosen = b
                which -= 1
        if self.table.has_room(1, 1):
            self.edges.rows[depth, chosen] = self.table.add(self.edges.keys[chosen], 1)
            self.counters[ADDED] += 1
        else:
            self.counters[REFUSED] += 1
        return chosen

    def action_of(self, chosen: int, n: int) -> int:
        """One of the actions that belong to an edge, at random."""
        of_action, count = self.edges.of_action, 0
        for a in range(n):
            count += int(of_action[a] == chosen)
        which = below(self.rng, count) if count > 1 else 0
        for a in range(n):
            if of_action[a] == chosen:
                if which == 0:
                    return a
                which -= 1
        return n - 1

    def gather(self, depth: int, m: int) -> None:
        """Lay the rows of ``m`` edges side by side; zeros stand for those never taken."""
        edges, table = self.edges, self.table
        for b in range(m):
            row = edges.rows[depth, b]
            for column in range(table.per_action):
                edges.values[column * m + b] = 0.0 if row == MISSING else table.values[row + column]

    def scatter(self, depth: int, m: int) -> None:
        """Put the rows back."""
        edges, table = self.edges, self.table
        for b in range(m):
            row = edges.rows[depth, b]
            if row != MISSING:
                for column in range(table.per_action):
                    table.values[row + column] = edges.values[column * m + b]


def from_one_root(keys: Keys, seat: int) -> Keys:
    """``uint64[F, P + 1]``: keys of histories of an information set of ``seat``, as if the others
    had seen the same in all of them.
    """
    pooled = keys.copy()
    for player in range(keys.shape[1] - 1):
        if player != seat:
            pooled[:, player] = keys[:, seat] ^ np.uint64(first_of(player))
    return pooled


@kernel
def edge_key(key: Key, action: int) -> Any:
    """The key of the edge that is ``action`` at the node ``key``."""
    return fold(key, action + 1, 0, 0)


def edge_values(table: InformationSetTable, key: int, actions: list[int], column: int) -> Floats:
    """``float64[n]``: a column of the rows of the edges of a node; 0 for edges never taken."""
    rows = [int(table.find(np.uint64(edge_key(np.uint64(key), action)))) for action in actions]
    return np.array([0.0 if row == MISSING else table.values[row + column] for row in rows])
