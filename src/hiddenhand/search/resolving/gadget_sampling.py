"""The traversal of Monte Carlo continual resolving: outcome sampling in a gadget game.

Sustr, Kovarik and Lisy (2019), Section 4. A traversal for update player i draws a history h of the
frontier, descends from there as outcome sampling does, and updates on the way back; an iteration
makes one traversal for each player. Letters as in `mccr`.

At the gadget, both actions of the opponent count in every traversal: what the game pays from h on,
and t(I) for terminating. With a baseline (see `baselines`) the regrets and values are those of
VR-MCCFR.

Where the paper has the other player act by sigma, that player trembles, also at the gadget: see
`trembles`. Mean strategies are those without trembles.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.history_step import draw_outcome
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable
from hiddenhand.jit.observation_keys import Key
from hiddenhand.jit.random import RandomState, below, uniform
from hiddenhand.jit.sampling import match_regrets, sample_exploring, search_cumulative
from hiddenhand.jit.views import copy_row, view
from hiddenhand.search.belief.public_states import next_history
from hiddenhand.search.resolving.gadgets import Gadget
from hiddenhand.search.resolving.history_values import (
    ABOVE,
    DENOMINATOR,
    HERE,
    NUMERATOR,
    PLAIN,
    VISITS,
    tag,
)
from hiddenhand.search.resolving.trembles import error_of
from hiddenhand.search.selection.baselines import most_known
from hiddenhand.search.traversal import (
    IN_TREE,
    ITERATIONS,
    Trajectory,
    Traversal,
    begin_trail,
    trajectory_arrays,
)


@dataclass(frozen=True)
class Root(Compiled):
    """A gadget, and how its histories are sampled.

    gadget: the gadget, with its F histories and the G sets of the opponent.
    begins_here: whether the histories are in the public state that is to be played in. That state
        counts as one where the resolver moves, even if the resolver does not move first.
    keeps: whether values are collected in all public states to come.
    focus: the share of traversals that start in the resolver's own information set.
    cumulative: ``float64[F]``, the probabilities p(h) of all histories, summed up.
    own: ``float64[F]``, the probabilities of the histories in the resolver's own information set,
        which sum to 1, summed up; it is used if ``focus`` is above 0.
    sampled: ``float64[F]``, the l that a traversal from each history starts with: the probability
        of drawing that history, times the sum of the products of the rows of `Gadget.reach`. So a
        history's product divided by its l is 1 on average, if l takes account of the focus.
    regret: ``float64[G, 2]``, the opponent's regrets for following and for terminating.
    """

    gadget: Gadget
    begins_here: bool
    keeps: bool
    focus: float
    cumulative: Floats
    own: Floats
    sampled: Floats
    regret: Floats

    def draw(self, rng: RandomState) -> int:
        """A history of the frontier."""
        if self.focus > 0.0 and uniform(rng) < self.focus:
            return search_cumulative(self.own, uniform(rng))
        return search_cumulative(self.cumulative, uniform(rng)) if self.cumulative.size > 1 else 0

    def follows(self, of: int) -> float:
        """f in the opponent's set ``of``."""
        if not self.gadget.may_terminate[of]:
            return 1.0
        follow, terminate = max(self.regret[of, 0], 0.0), max(self.regret[of, 1], 0.0)
        return follow / (follow + terminate) if follow + terminate > 0.0 else 0.5


def start_in(gadget: Gadget, begins_here: bool, keeps: bool, focus: float, corrected: bool) -> Root:
    """The `Root` of traversals in ``gadget``, before anything was learnt at the gadget.

    begins_here: see `Root`.
    keeps: see `Root`.
    focus: the share of traversals that start in the resolver's own information set; counts as 0
        where that set has no history, or all histories, of the frontier.
    corrected: whether l takes account of the focus; else it begins as if all traversals drew a
        history by p(h).
    """
    p = gadget.probability
    own = np.where(gadget.focus, p, 0.0)
    if not 0 < own.sum() < p.sum():
        focus = 0.0
    within = own / own.sum() if focus > 0 else own
    drawn = focus * within + (1.0 - focus) * p if corrected else p
    return Root(
        gadget,
        begins_here,
        keeps,
        focus,
        _cumulative(p),
        _cumulative(within),
        drawn * gadget.reach.prod(axis=1).sum(),
        np.zeros((gadget.payoff.size, 2)),
    )


def _cumulative(p: Floats) -> Floats:
    """The sums of ``p`` up to each entry. From the last positive entry on they are 2, so that
    rounding cannot draw an entry after it.
    """
    total = np.cumsum(p)
    if p.any():
        total[np.flatnonzero(p)[-1] :] = 2.0
    return total


@dataclass(frozen=True)
class ResolvingTrajectory(Trajectory):
    """A trajectory that also holds how likely it was, and where it entered public states. A move of
    chance is in it only if it has a baseline.

    baseline: ``int64[D]``, where the row of b begins, MISSING if there is none.
    pi: ``float64[D]``, pi before the move.
    sampled: ``float64[D]``, l before the move.
    xi: ``float64[D]``, the probability of sampling the action that was taken.

    The other arrays have an element for each entry into a next public state, in their order:

    entry_row: ``int64[D]``, where the row of values begins.
    entry_depth: ``int64[D]``, how many moves are in the trajectory before the entry.
    entry_weight: ``float64[D]``, how much the visit weighs in the average.
    entry_sampled: ``float64[D]``, l at the entry.
    """

    baseline: Integers
    pi: Floats
    sampled: Floats
    xi: Floats
    entry_row: Integers
    entry_depth: Integers
    entry_weight: Floats
    entry_sampled: Floats


def resolving_trajectory(game: Game, with_baseline: bool) -> ResolvingTrajectory:
    """Room for the traversals of a gadget of ``game``."""
    arrays = trajectory_arrays(game, width=most_known(game) if with_baseline else 0)
    depth = arrays["row"].size
    for name in ("baseline", "entry_row", "entry_depth"):
        arrays[name] = np.zeros(depth, np.int64)
    for name in ("pi", "sampled", "xi", "entry_weight", "entry_sampled"):
        arrays[name] = np.zeros(depth)
    return ResolvingTrajectory(**arrays)


@dataclass(frozen=True)
class GadgetSampling(Traversal):
    """Outcome sampling in a gadget game; `path` is a `ResolvingTrajectory`.

    values: rows of values, see `values`.
    baseline: b, see `baselines`.
    root: the gadget, and how its histories are sampled.
    moves: in how many public states the resolver moves before values are collected.
    epsilon: how much player i explores.
    tremble: how much the other player trembles, see `trembles`.
    before: how many iterations the counters had when solving this gadget game began; negative if
        iterations of this gadget game are not in the counters.
    arithmetic: whether values are arithmetic averages, else weighted ones.
    """

    values: InformationSetTable
    baseline: Any
    root: Root
    moves: int
    epsilon: float
    tremble: float
    before: int
    arithmetic: bool

    def has_room(self) -> bool:
        return self.table.is_ready() and self.values.is_ready() and self.baseline.is_ready()

    def iterate(self) -> None:
        """A traversal for each update player."""
        for i in range(2):
            self.traverse(i)

    def traverse(self, i: int) -> None:
        """One traversal for update player ``i``."""
        root, gadget, path = self.root, self.root.gadget, self.path
        h = root.draw(self.rng)
        copy_row(gadget.state, h, path.state)
        copy_row(gadget.keys, h, path.keys)
        begin_trail(path.trail, h)
        f = root.follows(gadget.set[h])
        depth, entries = self.descend(i, h, self.trembled_entry(gadget.set[h], f))
        worth = self.update(depth, entries, i, self.leaves.payoff(self.game, path.state, 0))
        if gadget.may_terminate[gadget.set[h]]:
            self.learn_at_gadget(h, f, worth)

    def error(self) -> float:
        """e, how often the other player acts at random in the present traversal."""
        return error_of(self.tremble, self.counters[ITERATIONS] - self.before)

    def trembled_entry(self, of: int, f: float) -> float:
        """The probability of following in the opponent's set ``of``, trembles included."""
        if not self.root.gadget.may_terminate[of]:
            return f
        e = self.error()
        return 0.5 * e + (1.0 - e) * f

    def descend(self, i: int, h: int, f: float) -> tuple[np.uint64, np.uint64]:
        """Go through memory from history ``h`` on, add the first set that is not in it, and play
        out. Returns how many moves are in the trajectory, and how many public states it entered.

        Descent and playout are one loop: in two, each rule of the game would be compiled twice.
        """
        game, path, gadget = self.game, self.path, self.root.gadget
        resolver, public = gadget.resolver, path.keys.size - 1
        # everybody's part in the probability of the present history
        ours, theirs, chance = gadget.reach[h, 0], f * gadget.reach[h, 1], gadget.reach[h, 2]
        l = self.root.sampled[h]
        history = gadget.history[h]
        depth, entries = np.uint64(0), np.uint64(0)  # unsigned: never taken to count from the end
        # in how many public states the resolver moved, whether in this one, whether it is new
        made, moved_here, entered = 0, False, True
        here = above = tag(path.keys[public])  # the present public state and the one before
        in_memory = True
        player = game.current_player(path.state)
        while player != TERMINAL:
            if entered and (made == self.moves or (self.root.keeps and made > self.moves)):
                weight = self.weight_of_entry(player, ours, theirs, chance)
                entries = self.note_entry(entries, history, here, above, depth, weight, l)
            entered = False
            if player == resolver and not moved_here:
                made += 1
                moved_here = True
            if player == CHANCE:
                action, a, xi = draw_outcome(
                    game, path.state, path.actions, path.probabilities, self.rng
                )
                chance *= xi
                if in_memory and self.has_baseline_at_chance():
                    self.note_chance(depth, history, a, xi)
                    depth += np.uint64(1)
            else:
                n = game.legal_actions(path.state, player, path.actions)
                row = MISSING
                if in_memory:
                    key = game.information(path.state, player, path.keys[player])
                    row, in_memory = self.find_or_enter(key, n)
                    if row != MISSING and not in_memory:
                        self.table.values[row + 2 * n] = here
                if row == MISSING:
                    a = below(self.rng, n)
                    p = xi = 1.0 / n
                else:
                    a, p, xi = self.choose(depth, row, player == i, n)
                    path.baseline[depth] = self.baseline.find(key, history, n)
                    path.row[depth], path.player[depth] = row, player
                    path.num_actions[depth], path.chosen[depth] = n, a
                    path.pi[depth] = (theirs if i == resolver else ours) * chance
                    path.sampled[depth], path.xi[depth] = l, xi
                    depth += np.uint64(1)
                if player == resolver:
                    ours *= p
                else:
                    theirs *= p
                action = path.actions[a]
            l *= xi
            noticed = path.keys[public]
            player = self.move(player, action)
            history = next_history(history, a)
            if path.keys[public] != noticed:
                entered, moved_here = True, False
                here, above = tag(path.keys[public]), here
                if self.root.begins_here and made == 0:
                    made = 1
        if in_memory:
            self.counters[IN_TREE] += 1
        return depth, entries

    def choose(
        self, depth: np.uint64, row: int, explores: bool, n: int
    ) -> tuple[int, float, float]:
        """Choose an action by sigma, trembles included, which is written into the path. Returns the
        index of the action, its probability by sigma, and xi.
        """
        sigma = self.path.sigma[depth]
        explore, e = (self.epsilon, 0.0) if explores else (0.0, self.error())
        match_regrets(self.table.values, row, n, e, sigma)
        a = sample_exploring(self.rng, sigma, n, explore)
        return a, sigma[a], explore / n + (1.0 - explore) * sigma[a]

    def has_baseline_at_chance(self) -> bool:
        """Whether moves of chance have a baseline, and are in the trajectory."""
        if not self.baseline.KNOWS or self.game.draws_chance:
            return False
        return self.game.max_chance_outcomes <= self.path.sigma.shape[1]

    def note_chance(self, depth: np.uint64, history: Key, a: int, xi: float) -> None:
        """Write a move of chance, of outcome number ``a``, into the path."""
        path = self.path
        n = self.game.chance_outcomes(path.state, path.actions, path.probabilities)
        for b in range(n):
            path.sigma[depth, b] = path.probabilities[b]
        path.baseline[depth] = self.baseline.find(history, history, n)
        path.player[depth], path.num_actions[depth] = CHANCE, n
        path.chosen[depth], path.xi[depth] = a, xi

    def weight_of_entry(self, player: int, ours: float, theirs: float, chance: float) -> float:
        """How a visit of a history, at which ``player`` moves, weighs in its average."""
        if self.arithmetic:
            return ours * chance
        return theirs if player == 1 - self.root.gadget.resolver else ours

    def note_entry(
        self,
        entries: np.uint64,
        history: Key,
        here: float,
        above: float,
        depth: np.uint64,
        weight: float,
        l: float,
    ) -> np.uint64:
        """Note that the traversal is in a history that enters the public state ``here``. Returns
        the number of entries.
        """
        path, values = self.path, self.values
        row = values.find(history)
        if row == MISSING:
            if not values.has_room(1, 1):
                return entries
            row = values.add(history, 1)
            values.values[row + HERE], values.values[row + ABOVE] = here, above
        path.entry_row[entries], path.entry_depth[entries] = row, depth
        path.entry_weight[entries], path.entry_sampled[entries] = weight, l
        return entries + np.uint64(1)

    def update(self, depth: np.uint64, entries: np.uint64, i: int, worth: float) -> float:
        """Walk back up, and update regrets at the sets of player ``i``, the mean strategy at those
        of the other player, and values at entries.

        worth: what the end pays player 0.

        Returns what the first history pays player 0, as this traversal estimates it.
        """
        path = self.path
        sign = 1.0 if self.root.gadget.resolver == 1 else -1.0  # for the opponent
        d, e, one = depth, entries, np.uint64(1)
        predicted = 0.0
        while True:
            while e > 0 and path.entry_depth[e - one] == d:
                e -= one
                self.average(e, sign * worth)
            if d == 0:
                return worth
            d -= one
            worth, predicted = self.step_up(d, i, worth, predicted, d + one == depth)

    def step_up(
        self, d: np.uint64, i: int, below_it: float, predicted: float, is_last: bool
    ) -> tuple[float, float]:
        """Update at move number ``d`` of the path. Returns what the history before this move is
        worth to player 0, and what it is predicted to be worth in the next traversal; only a
        baseline that predicts needs the second number.

        i: the update player.
        below_it: what the history after the move is worth to player 0.
        predicted: what it is predicted to be worth in the next traversal.
        is_last: whether this is the last move of the path.
        """
        path, baseline = self.path, self.baseline
        player, row, n, a = path.player[d], path.row[d], path.num_actions[d], path.chosen[d]
        sigma, at = path.sigma[d], path.baseline[d]
        guess = baseline.of(at, a)
        taken = guess + (below_it - guess) / path.xi[d]
        worth = sigma[a] * taken
        if baseline.KNOWS:
            for b in range(n):
                if b != a:
                    worth += sigma[b] * baseline.of(at, b)
        if player == i:
            w = path.pi[d] / path.sampled[d] * (1.0 if i == 0 else -1.0)
            regret = view(self.table.values, row, n)
            for b in range(n):
                regret[b] += w * (baseline.of(at, b) - worth)
            regret[a] += w * (taken - guess)
        elif player != CHANCE:
            weight = path.pi[d] / path.sampled[d]
            total = view(self.table.values, row + n, n)
            floor = self.error() / n
            for b in range(n):
                total[b] += weight * (sigma[b] - floor)
        if not baseline.PREDICTS:
            baseline.learn(at, a, below_it)
            return worth, 0.0
        if is_last:
            baseline.learn(at, a, below_it)
        else:
            baseline.put(at, a, predicted)
        if player == i:
            match_regrets(self.table.values, row, n, 0.0, sigma)
        return worth, baseline.predicted(at, n, sigma, worth)

    def average(self, e: np.uint64, paid: float) -> None:
        """Add what the opponent is ``paid`` from entry ``e`` on to the sums of that entry."""
        values, row = self.values.values, self.path.entry_row[e]
        weight, l = self.path.entry_weight[e], self.path.entry_sampled[e]
        values[row + NUMERATOR] += weight * paid / l
        values[row + DENOMINATOR] += weight / l
        values[row + PLAIN] += paid / l
        values[row + VISITS] += 1.0 / l

    def learn_at_gadget(self, h: int, f: float, worth: float) -> None:
        """Update the opponent's regrets at the gadget, where both actions are evaluated.

        h: the number of the history that was drawn.
        f: the probability of following.
        worth: what ``h`` pays player 0, as this traversal estimates it.
        """
        gadget, regret = self.root.gadget, self.root.regret
        of = gadget.set[h]
        paid = worth if gadget.resolver == 1 else -worth
        weight = gadget.reach[h, 0] * gadget.reach[h, 2] / self.root.sampled[h]
        follow, terminate = weight * paid, weight * gadget.payoff[of]
        mean = f * follow + (1.0 - f) * terminate
        regret[of, 0] += follow - mean
        regret[of, 1] += terminate - mean
