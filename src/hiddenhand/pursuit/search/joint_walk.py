"""One iteration of IS-MCTS in pursuit with limited sight: the part of `mo` that is compiled.

Lisy (2014), thesis at the Czech Technical University in Prague, Fig. 3.4 and Section 5.3.2. Both
players choose, each by the statistics of their information set, and neither sees the other's
choice; that the evader's unit is moved first makes no difference to the pursuers. The first
information set that is not in memory is added. From there on units are moved by a playout, which
ends a number of moves from the root.

All sets on the path learn u_P = log10 of the mean size of PP over the moves from the root
(Equation 5.12): the evader wants it large, the pursuers small. That is what the evader cannot know
in a match; an iteration knows it, because it knows the state.

D decisions on a path; A joint actions; Z the size of a state; U units.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import MISSING
from hiddenhand.jit.random import below, uniform
from hiddenhand.jit.views import copy_row
from hiddenhand.pursuit.games.layout import EVADER, NODES, SIZE, TIME
from hiddenhand.pursuit.games.visibility import VisibilityPursuit
from hiddenhand.pursuit.search.merged_belief import States
from hiddenhand.search.traversal import IN_TREE, MOVES, NUM_COUNTERS, Traversal

NO_RETURN, UNIFORM, INFORMED = range(3)
"""How units move in a playout: not back to the node before; anywhere; or, in a share of playouts,
towards where the evader was seen last, and away from the pursuing units.
"""

START: Final = NUM_COUNTERS
"""Which counter holds the present start."""
REPEAT: Final = NUM_COUNTERS + 1
"""Which counter holds for how many iterations more it is used."""


@dataclass(frozen=True)
class Path(Compiled):
    """Where an iteration is, and how it got there.

    state: ``int64[Z]``.
    before: ``int64[U]``, the node of each unit a move before; -1 at the root.
    observations: ``int64[3]``, room for tokens.
    actions: ``int64[A]``, sigma: ``float64[A]``, room for actions and for the bounds of UCT.
    row, num_actions, chosen, player: ``int64[D]``, for each decision in memory the row of its
        information set, how many actions there are, the number of the one that was taken, and who
        decided.
    """

    state: Integers
    before: Integers
    observations: Integers
    actions: Integers
    sigma: Floats
    row: Integers
    num_actions: Integers
    chosen: Integers
    player: Integers


def path_of(game: VisibilityPursuit) -> Path:
    """A path for ``game``."""
    decisions = 2 * game.moves + 2
    of_decisions = {
        name: np.zeros(decisions, np.int64) for name in ("row", "num_actions", "chosen", "player")
    }
    return Path(
        state=np.zeros(game.state_size, np.int64),
        before=np.zeros(game.num_units, np.int64),
        observations=np.zeros(3, np.int64),
        actions=np.zeros(game.max_actions, np.int64),
        sigma=np.zeros(game.max_actions),
        **of_decisions,
    )


@dataclass(frozen=True)
class JointWalk(Traversal):
    """What an iteration works with; see `Traversal`, of which ``leaves`` is not used.

    selector: how an action is chosen and learnt from.
    starts: the belief in which iterations start.
    repetitions: K: a start is drawn, all alike, and used for 1 + K p iterations, if p is its
        probability.
    depth: how many moves from the root a playout ends.
    playout: NO_RETURN, UNIFORM or INFORMED.
    informed: the share of playouts that are informed, with INFORMED.
    """

    whole = True

    selector: Any
    starts: States
    repetitions: int
    depth: int
    playout: int
    informed: float

    def iterate(self) -> None:
        """From a start to the end of the playout, and back."""
        path, game = self.path, self.game
        copy_row(self.starts.state, self._next_start(), path.state)
        for unit in range(game.num_units):
            path.before[unit] = -1
        is_informed = self.playout == INFORMED and uniform(self.rng) < self.informed
        steps, decisions, total, in_memory = 0, 0, 0, True
        last = min(self.depth, game.moves - path.state[TIME])
        while steps < last:
            for player in range(2):
                row, n = MISSING, 0
                if in_memory:
                    n = game.legal_actions(path.state, player, path.actions)
                    key = game.information(path.state, player, np.uint64(0))
                    row, in_memory = self.find_or_enter(key, n)
                if row != MISSING:
                    a = self.selector.select(self.table.values, row, n, path.sigma, self.rng)
                    path.row[decisions], path.num_actions[decisions] = row, n
                    path.chosen[decisions], path.player[decisions] = a, player
                    self._move(player, path.actions[a])
                    decisions += 1
                else:
                    self._draw_moves(player, is_informed)
            game.pass_time(path.state)
            if in_memory or is_informed:  # else nobody asks what was seen
                game.look(path.state, 0, path.observations)
            self.counters[MOVES] += 1
            total += path.state[SIZE]
            steps += 1
        self.counters[IN_TREE] += int(in_memory)
        self._learn(decisions, math.log10(max(total / max(steps, 1), 1.0)))

    def _learn(self, decisions: int, value: float) -> None:
        path = self.path
        for d in range(decisions):
            reward = value if path.player[d] == EVADER else -value
            row, n, a = path.row[d], path.num_actions[d], path.chosen[d]
            self.selector.update(self.table.values, row, n, a, 1.0, reward, path.sigma)

    def _next_start(self) -> int:
        counters, p = self.counters, self.starts.probability
        if counters[REPEAT] == 0:
            counters[START] = below(self.rng, p.size)
            counters[REPEAT] = 1 + int(self.repetitions * p[counters[START]])
        counters[REPEAT] -= 1
        return counters[START]

    def _move(self, player: int, action: int) -> None:
        """Move the player's units by a joint action."""
        first, units = player, 1 if player == EVADER else self.game.pursuers
        for unit in range(first, first + units):
            self.path.before[unit] = self.path.state[NODES + unit]
        self.game.terrain.move(self.path.state, NODES + first, units, action)

    def _draw_moves(self, player: int, is_informed: bool) -> None:
        """Move the player's units as the playout says."""
        exits, state = self.game.terrain.exits, self.path.state
        first, units = player, 1 if player == EVADER else self.game.pursuers
        for unit in range(first, first + units):
            here = state[NODES + unit]
            count = exits[here, 0]
            if is_informed:
                chosen = self._informed_exit(unit, here, count)
            else:
                chosen = int(below(self.rng, count))
                returns = exits[here, 1 + chosen] == self.path.before[unit]
                if returns and count > 1 and self.playout != UNIFORM:
                    chosen += 1 + int(below(self.rng, count - 1))
                    chosen -= count if chosen >= count else 0
            self.path.before[unit] = here
            state[NODES + unit] = exits[here, 1 + chosen]

    def _informed_exit(self, unit: int, here: int, count: int) -> int:
        """The exit nearest to where the evader was seen last; or, for the evader, the one with the
        largest sum of distances from the pursuing units. Of equal ones any: the k-th replaces the
        one before with probability 1 / k.
        """
        game, state = self.game, self.path.state
        distance, best, ties, chosen = game.terrain.distance, -1, 0, 0
        for number in range(count):
            there = game.terrain.exits[here, 1 + number]
            if unit == EVADER:
                away = 0
                for other in range(1, game.num_units):
                    away += int(distance[there, state[NODES + other]])
            else:
                away = game.terrain.num_nodes - int(distance[there, state[game.where]])
            if away > best:
                best, ties = away, 0
            if away == best:
                ties += 1
                if below(self.rng, ties) == 0:
                    chosen = number
        return chosen
