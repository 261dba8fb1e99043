"""A strategy found by CFR, repaired where play by it hardly ever comes.

In an information set that the others never reach, all counterfactual values are 0, so that CFR
learns nothing there, and leaves whatever its first iterations found. Against opponents who err,
matches come to such sets. They are learned again here, in three steps.

1. CFR continues from the regrets that it has, while all players tremble: in each information set a
   player plays any action, all equally likely, with a tiny probability e, and what CFR says
   otherwise. A player counts on the others' trembles, and not on their own. So every set is
   reached, if rarely, and regret matching does not mind how small regrets are, as it divides them
   by their sum. What was learned in the seldom sets is forgotten.
2. A regret that was found while others still came to a set is large beside all regrets that come
   after the others have left it. So whenever the number of iterations has doubled, each set is
   faded: its regrets become as small as the others' reach has become since the last doubling, and
   its average as small as the player's own reach.
3. What is found is played in the seldom sets only, and only where it costs nothing: no best
   response of another player may earn more than it did against the strategy as it was, and cost
   the player something. Where one does, the sets that it comes to are left as they were, until none
   does.

The limit of strategies in games with trembles, for e to 0, is a refinement of equilibrium that
chooses well after errors (Farina, Kroer and Sandholm 2017, "Regret minimization in behaviorally-
constrained zero-sum games", with e fixed). To play it everywhere would cost precision: it is found
more slowly than an equilibrium is. Hence the third step.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.jit.arrays import Flags, Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel_apart
from hiddenhand.solvers.cfr import CFR, Iterations
from hiddenhand.trees.profile import (
    best_response,
    expected_values,
    normalised,
    reach_of_sets,
    realisation_plan,
    uniform_profile,
)
from hiddenhand.trees.tree import GameTree

TREMBLE: Final = 1e-12
"""e: so small that it changes nothing where play comes."""
SELDOM: Final = 1e-3
"""Sets are repaired to which players go seldomer than this share of how often random play does."""
REPAIRING: Final = 0.2
"""The share of the time, or of the iterations, that is meant for repairs."""
REPAIRED: Final = 500
"""Iterations after which a repair has found what it can."""
_COSTS_NOTHING: Final = 1e-10  # of the largest payoff, what an opponent may gain
_ATTEMPTS: Final = 30
_PASS: Final = 2e-9  # seconds that a best response takes for each history
_LEAST_PASSES: Final = 20  # as many as a repair takes at least


def repaired(run: CFR, iterations: int | None = None, seconds: float | None = None) -> Floats:
    """The average strategy of a run, as a profile ``float64[S]``, repaired. The run itself does not
    change.

    iterations, seconds: how long CFR continues while players tremble; the limit that is reached
        first counts. All steps together take ``seconds`` at most, and where that is too short,
        nothing is repaired.

    Raises OptionError for a bad budget.
    """
    tree, profile = run.tree, run.average_profile()
    budget = Budget(iterations, seconds)
    if seconds is not None and passes_in(seconds, tree) < _LEAST_PASSES:
        return profile
    ends = math.inf if seconds is None else clock.now() + seconds
    seldom = seldom_sets(tree, profile)
    if not seldom.any():
        return profile
    found = _with_trembles(run, seldom, _half(budget))
    for player in range(tree.num_players):
        mine = seldom & (tree.set_player == player)
        if mine.any():
            profile = _exchanged(tree, profile, found, mine, player, ends)
    return profile


def passes_in(seconds: float, tree: GameTree) -> float:
    """How many best responses may be computed in a time, roughly."""
    return seconds / (_PASS * tree.num_histories)


def load_repair(run: CFR) -> None:
    """Compile or load everything that repairs need."""
    _with_trembles(run, np.ones(run.tree.num_sets, np.bool_), Budget(1))


def seldom_sets(tree: GameTree, profile: Floats) -> Flags:
    """``bool[I]``: to which sets players by ``profile`` go a thousand times seldomer than players
    who act at random.
    """
    plan, at_random = (realisation_plan(tree, one) for one in (profile, uniform_profile(tree)))
    seldom = np.zeros(tree.num_sets, np.bool_)
    for player in range(tree.num_players):
        comes, may_come = (
            one[tree.set_parent] * reach_of_sets(tree, one, player) for one in (plan, at_random)
        )
        seldom |= (tree.set_player == player) & (comes < SELDOM * may_come)
    return seldom


def _half(budget: Budget) -> Budget:
    """The budget with half of its time, because the rest of a repair takes time, too."""
    return Budget(budget.iterations, None if budget.seconds is None else budget.seconds / 2)


def _exchanged(
    tree: GameTree, profile: Floats, found: Floats, mine: Flags, player: int, ends: float
) -> Floats:
    """``profile`` with ``found`` in its place in as many of the sets ``mine`` of ``player`` as cost
    nothing; as it is where the time ``ends`` before.
    """
    others = [other for other in range(tree.num_players) if other != player]
    spare = _COSTS_NOTHING * float(np.abs(tree.utility).max())
    most = {other: best_response(tree, profile, other).value + spare for other in others}
    least = float(expected_values(tree, profile)[player]) - spare
    for _ in range(_ATTEMPTS):
        if clock.now() > ends:
            break
        tried = np.where(tree.of_sets(mine), found, profile)
        responses = [best_response(tree, tried, other) for other in others]
        harmful = [
            response.profile
            for response in responses
            if response.value > most[response.player]
            and expected_values(tree, response.profile)[player] < least
        ]
        if not harmful:
            return tried
        for response in harmful:
            plan = realisation_plan(tree, response)
            comes = plan[tree.set_parent] * reach_of_sets(tree, plan, player)
            mine = mine & (comes == 0.0)
    return profile


# --- CFR with trembles ---


@dataclass(frozen=True, eq=False)
class _Trembling(Compiled):
    """Iterations in which all players tremble.

    iterations: those of CFR.
    e: how often players tremble.
    lately: ``float64[S]``, the plans of all iterations since the last doubling, summed.
    others: ``float64[I]``, the others' reach before the last doubling, on average; 0 before that.
    own: ``float64[I]``, the player's own reach likewise.
    """

    iterations: Iterations
    e: float
    lately: Floats
    others: Floats
    own: Floats

    def note(self, p: int, plan: Floats) -> None:
        """Add the plan of player p to those of the other iterations."""
        form = self.iterations.form
        for i in range(form.set_player.size):
            if form.set_player[i] == p:
                for s in range(form.set_start[i], form.set_start[i + 1]):
                    self.lately[s] += plan[s]

    def tremble(self, p: int, plan: Floats) -> None:
        """Write the plan of player p for the present strategy with trembles."""
        form, strategy = self.iterations.form, self.iterations.strategy
        for i in range(form.set_player.size):
            if form.set_player[i] != p:
                continue
            start, end = form.set_start[i], form.set_start[i + 1]
            reach = plan[form.set_parent[i]]
            for s in range(start, end):
                plan[s] = reach * ((1.0 - self.e) * strategy[s] + self.e / (end - start))

    def fade(self, p: int, values: Floats) -> None:
        """Make regrets and averages of player p as small as the reach has become."""
        form, lately = self.iterations.form, self.lately
        regret, average = self.iterations.regret, self.iterations.average
        self.collect_reach(p, values)
        for i in range(form.set_player.size - 1, -1, -1):
            if form.set_player[i] != p:
                continue
            start, end = form.set_start[i], form.set_start[i + 1]
            others, own = values[start], lately[form.set_parent[i]]
            values[form.set_parent[i]] += others
            for s in range(start, end):
                if others < self.others[i]:
                    regret[s] *= others / self.others[i]
                if own < self.own[i]:
                    average[s] *= own / self.own[i]
                values[s] = 0.0
            self.others[i], self.own[i] = others, own
        values[p] = 0.0

    def collect_reach(self, p: int, values: Floats) -> None:
        """Add the others' reach of each terminal history to the last sequence of player p. Summed
        over all that follows one action of a set, it is the others' reach of the set.
        """
        sequence, chance = self.iterations.terminals.sequence, self.iterations.terminals.chance
        for z in range(chance.size):
            reach = chance[z]
            for q in range(sequence.shape[0]):
                if q != p:
                    reach *= self.lately[sequence[q, z]]
            values[sequence[p, z]] += reach


def _with_trembles(run: CFR, seldom: Flags, budget: Budget, e: float = TREMBLE) -> Floats:
    """What CFR finds that goes on from ``run`` with trembles, as a profile ``float64[S]``."""
    tree, forgotten = run.tree, run.tree.of_sets(seldom)
    iterations = replace(
        run.going_on(np.zeros(1, np.int64)),
        regret=np.where(forgotten, 0.0, run.regret),
        last_regret=np.where(forgotten, 0.0, run.last_regret),
        average=np.zeros(tree.num_sequences),
        strategy=np.where(forgotten, uniform_profile(tree), run.strategy),
    )
    trembling = _Trembling(
        iterations,
        e,
        np.zeros(tree.num_sequences),
        np.zeros(tree.num_sets),
        np.zeros(tree.num_sets),
    )

    def work(count: int) -> int:
        _run(trembling, count)
        return count

    budget.spend(work)
    return normalised(tree, iterations.average)


@kernel_apart
def _run(run: _Trembling, count: int) -> None:
    """Make ``count`` iterations after the ``done[0]`` ones before."""
    iterations, lately = run.iterations, run.lately
    num_players = iterations.terminals.sequence.shape[0]
    values, plan = np.zeros(lately.size), np.ones(lately.size)
    for p in range(num_players):
        run.tremble(p, plan)
    for _ in range(count):
        t = iterations.done[0] + 1
        for p in range(num_players):
            iterations.collect(p, plan, values)
            iterations.update(p, t, plan, values)
            run.note(p, plan)
            iterations.match_regrets(p, plan)
            run.tremble(p, plan)
        iterations.done[0] = t
        if t & (t - 1) == 0:  # the number of iterations has doubled
            lately /= max(t - t // 2, 1)
            lately[:num_players] = 1.0
            for p in range(num_players):
                run.fade(p, values)
            lately[:] = 0.0
