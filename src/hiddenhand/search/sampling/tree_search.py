"""One iteration of IS-MCTS, and where it starts: the part of `ismcts` that is compiled.

The letters are those of Fig. 3.4 and 3.5 of Lisy's thesis (2014).
"""

from dataclasses import dataclass
from typing import Any, Final

from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import draw_outcome
from hiddenhand.jit.infoset_table import MISSING
from hiddenhand.jit.random import RandomState, below, uniform
from hiddenhand.jit.sampling import search_cumulative
from hiddenhand.jit.views import copy_row
from hiddenhand.search.traversal import IN_TREE, NUM_COUNTERS, Traversal, begin_trail

START: Final = NUM_COUNTERS
"""Which counter holds the present start."""
REPEAT: Final = NUM_COUNTERS + 1
"""Which counter holds for how many iterations more it is used."""


@dataclass(frozen=True)
class Starts(Compiled):
    """Where iterations start: F histories.

    state: ``int64[F, state_size]``.
    keys: ``uint64[F, P + 1]``, of each player and of the public.
    cumulative: ``float64[F]``, the sums of their probabilities.
    repetitions: K of the thesis; 0 to draw each start in proportion.
    """

    state: Integers
    keys: Keys
    cumulative: Floats
    repetitions: int

    def next(self, counters: Integers, rng: RandomState) -> int:
        """The start of the next iteration; with repetitions the same as before until it is used
        up.
        """
        if self.repetitions == 0:
            return search_cumulative(self.cumulative, uniform(rng))
        if counters[REPEAT] == 0:
            start = below(rng, self.cumulative.size)
            p = self.cumulative[start] - (self.cumulative[start - 1] if start > 0 else 0.0)
            counters[START], counters[REPEAT] = start, 1 + int(self.repetitions * p)
        counters[REPEAT] -= 1
        return counters[START]


@dataclass(frozen=True)
class TreeSearch(Traversal):
    """An iteration of IS-MCTS (Fig. 3.4): select, expand, simulate, update.

    selector: how an action is chosen and learnt from, see `selectors`.
    starts: where iterations start.
    """

    selector: Any
    starts: Starts

    def iterate(self) -> None:
        """From a start to the end of the game, and back."""
        path, start = self.path, self.starts.next(self.counters, self.rng)
        begin_trail(path.trail, start)
        copy_row(self.starts.state, start, path.state)
        copy_row(self.starts.keys, start, path.keys)
        self.update(self.descend())

    def descend(self) -> int:
        """Go through memory, add the first set that is not in it, and roll out. Returns how many
        decisions were made in memory, that of the new set included.

        Descent and rollout are one loop: in two, each rule of the game would be compiled twice.
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
                row = MISSING
                if in_memory:
                    key = game.information(path.state, player, path.keys[player])
                    row, in_memory = self.find_or_enter(key, n)
                if row == MISSING:
                    a = below(self.rng, n)
                else:
                    a = self.selector.select(self.table.values, row, n, path.sigma[depth], self.rng)
                    path.row[depth], path.player[depth] = row, player
                    path.num_actions[depth], path.chosen[depth] = n, a
                    depth += 1
                action = path.actions[a]
            player = self.move(player, action)
        if in_memory:
            self.counters[IN_TREE] += 1
        return depth

    def update(self, depth: int) -> None:
        """All sets on the path learn what the end pays to the player who moved there."""
        path = self.path
        for d in range(depth):
            row, n, a, sigma = path.row[d], path.num_actions[d], path.chosen[d], path.sigma[d]
            u = self.leaves.payoff(self.game, path.state, path.player[d])
            self.selector.update(self.table.values, row, n, a, sigma[a], u, sigma)
