"""Magnetic mirror descent search: one step of a learning algorithm, made where it is needed.

Sokota, Farina, Wu, Hu, Wang, Kolter and Brown (2024), "The update-equivalence framework for
decision-time planning". A step of magnetic mirror descent (Sokota et al. 2023) in every information
set can improve a policy pi_0 for the whole game, the blueprint. In one set the step needs only the
values of the actions of that set. So the search makes it at the set that a match has come to, and
nowhere else. The values q are means of rollouts: a history is drawn from the belief, an action is
tried, and the blueprint plays for all players to the end.

The step maximises <q, pi> - alpha KL(pi, rho) - beta KL(pi, pi_0), where rho is the magnet, alpha
the temperature, and beta = 1 / eta of the stepsize eta. Its solution is

    pi(a)  proportional to  [exp(q(a)) rho(a)^alpha pi_0(a)^beta]^(1 / (alpha + beta)),

which is the papers' [pi_0(a) exp(eta q(a)) rho(a)^(alpha eta)]^(1 / (1 + alpha eta)). Here q is in
units of the largest payoff, so that one eta fits games with other stakes. As alpha and 1 / eta fall
to 0, the step becomes a best response to the blueprint, which others can exploit. With a uniform
blueprint and magnet only alpha + beta matters. Of the sums 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1
and 2, our default, 0.2, was the best or nearly so in most of ten small games. An exact step takes
nash_conv in Leduc poker from 4.75 to 3.50, and in Goofspiel(4, imp_info) from 1.42 to 0.52. It
takes it in Liar's Dice(1,1,3) from 1.11 to 0.33 and in Dark Hex(2) from 1.25 to 0.04, but in the
coordination game from 0.25 to 0.45. Such a step ruins a blueprint that is near an equilibrium
already. So with a blueprint the default is a small step, eta = 0.2 without temperature. With 10,000
rollouts in each set, it takes nash_conv in Leduc poker from 1.22 to 1.19 and from 0.027 to 0.027.
In Goofspiel(4, imp_info) it takes it from 0.30 to 0.29 and from 0.015 to 0.014, and in Liar's
Dice(1,1,3) from 0.088 to 0.080, but from 0.001 to 0.003. A step of eta = 10 and alpha = 0.1 takes
the smaller ones to 0.72, 0.71 and 0.08.

Histories are drawn as likely as chance and the others, playing by the blueprint, make them. All
actions are tried from the same histories, one after the other, which compares them with less noise.
Nothing is known of what is found in the end: one step need not bring a policy closer to an
equilibrium, whatever the game, and the number of players makes no difference to that.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.budget import Budget
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.history_step import draw_outcome
from hiddenhand.jit.infoset_table import (
    MISSING,
    InformationSetTable,
    left_as_it_is,
    new_table,
    num_sets,
    table_from_arrays,
)
from hiddenhand.jit.random import below
from hiddenhand.jit.sampling import sample
from hiddenhand.jit.views import copy_row, view
from hiddenhand.parameters import parameter
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief.belief import DEFAULT_CAP
from hiddenhand.search.belief_search import BeliefSearch, SearchParameters
from hiddenhand.search.exclusive_use import alone
from hiddenhand.search.sampling.tree_search import Starts
from hiddenhand.search.selection.leaf_values import PlayOn
from hiddenhand.search.traversal import (
    NUM_COUNTERS,
    Trajectory,
    Traversal,
    begin_trail,
    iterations_made,
    trail_moves,
    trajectory_arrays,
)
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Strategy, Weights
from hiddenhand.trees.strategy_files import load_strategy

MAGNETS: Final = ("uniform", "blueprint")

# among the counters: the history that is being looked at, and the action to be tried next
_START, _ACTION = NUM_COUNTERS, NUM_COUNTERS + 1


@dataclass(frozen=True, kw_only=True)
class MMDParameters(SearchParameters):
    """The parameters of `MMD`.

    blueprint: "uniform", a file that ``hiddenhand solve`` or ``hiddenhand search`` wrote, or a
        `Strategy`; in information sets that it does not know, all actions are equally likely.
    particles: number of histories that the search draws from the belief at each move, if the belief
        holds more, as the starts of all rollouts; 0 to draw one history from the whole belief for
        each trial of the actions.
    eta: the stepsize, for payoffs in units of the largest; by default 10 for a uniform blueprint
        and 0.2 for another one.
    alpha: the temperature, for payoffs in units of the largest; by default 0.1 for a uniform
        blueprint and 0 for another one.
    magnet: the policy towards which alpha draws, "uniform" or "blueprint".
    cap: the most histories that the belief keeps.
    """

    blueprint: str | Path | Strategy = "uniform"
    particles: int = parameter(0, least=0)
    eta: float | None = parameter(None, above=0)
    alpha: float | None = parameter(None, least=0)
    magnet: str = parameter("uniform", choices=MAGNETS)
    cap: int = parameter(DEFAULT_CAP, least=1)


@Algorithm(
    name="mmd",
    paper="Sokota, Farina, Wu, Hu, Wang, Kolter and Brown (2024), The update-equivalence "
    "framework for decision-time planning",
    summary="Magnetic mirror descent search: one step away from a blueprint, by the values of "
    "rollouts from the present information set.",
    guarantee="none: a step can lead further away from an equilibrium, too",
    searches_chance=False,
)
class MMD(BeliefSearch):
    """MMD search for games of any number of players; simultaneous moves are made in turns.

    An iteration is a rollout. The search keeps nothing from move to move but the belief.
    """

    PARAMETERS = MMDParameters
    ALGORITHM: ClassVar[str] = "mmd"
    COUNTERS = NUM_COUNTERS + 2

    settings: MMDParameters
    _budget: Budget = Budget(1)  # of the last thinking

    def _prepare(self) -> None:
        given = self.settings
        is_uniform = given.blueprint == "uniform"
        usual = (10.0, 0.1) if is_uniform else (0.2, 0.0)
        self.eta = usual[0] if given.eta is None else given.eta
        self.alpha = usual[1] if given.alpha is None else given.alpha
        self._blueprint = _table_of(self.game, given.blueprint)
        self._path = Trajectory(**trajectory_arrays(self.game))

    def __repr__(self) -> str:
        return one_line(self, self.game, f"eta={self.eta:g}", f"alpha={self.alpha:g}")

    def _forget(self, own: np.random.SeedSequence) -> None:
        if self.settings.particles > 0:
            self._random = np.random.default_rng(own.spawn(1)[0])
        self._totals: dict[int, Floats] = {}  # information set -> rollouts and sums, `Rollouts`

    @property
    def can_start_from(self) -> bool:
        """See `StartsFrom`: a uniform blueprint needs no moves that led to a history."""
        return num_sets(self._blueprint) == 0

    def _arrive(self) -> None:
        if self.belief.is_alive:
            self._starts_from(self.belief.modelled(self._blueprint, 0))

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Make rollouts from the present information set."""
        budget = self._budget = Budget(iterations, seconds).after(self._budget)
        if not self.belief.is_alive or not self._is_to_move():
            return
        with alone(self), explaining(self.game, self._way):
            rollouts = self._rollouts()
            if budget.seconds is not None:
                iterations_made(rollouts, 0)  # compile, or load, before the clock starts
            budget.spend(
                lambda count: iterations_made(rollouts, count),
                lambda done: progress.update(Report(done, budget.iterations)),
            )

    def policy(self, num_actions: int) -> Floats:
        """The blueprint after one step; the blueprint itself where nothing was searched."""
        key = self.belief.information_key
        totals = self._totals.get(key)
        if totals is None:
            return self._blueprint_at(key, num_actions)
        return self._after_a_step(key, totals)

    def change_blueprint(self, blueprint: Strategy) -> None:
        """Make rollouts by another blueprint from now on, and forget those made so far."""
        self._blueprint = _table_of(self.game, blueprint)
        self._totals.clear()
        self._arrive()

    def trials(self, num_actions: int) -> Floats:
        """``float64[2, n]``: how often each action of the present information set was tried, and
        the sums of the payoffs then.
        """
        totals = self._totals.get(self.belief.information_key)
        return np.zeros((2, num_actions)) if totals is None else totals.reshape(2, -1).copy()

    def weights(self) -> Weights:
        """The policy of each information set that was searched."""
        policies = {key: self._after_a_step(key, totals) for key, totals in self._totals.items()}
        return Weights.of(policies)

    def _after_a_step(self, key: int, totals: Floats) -> Floats:
        n = totals.size // 2
        blueprint = self._blueprint_at(key, n)
        magnet = blueprint if self.settings.magnet == "blueprint" else np.full(n, 1.0 / n)
        largest = self.game.max_utility or 1.0  # a game may pay nothing at all
        return mmd_step(_action_values(totals) / largest, blueprint, magnet, self.eta, self.alpha)

    def _blueprint_at(self, key: int, n: int) -> Floats:
        row = int(self._blueprint.find(np.uint64(key)))
        if row == MISSING:
            return np.full(n, 1.0 / n)
        return self._blueprint.values[row : row + n].copy()

    def _starts_from(self, weights: Floats) -> None:
        leaves = self.belief.leaves
        chosen = np.arange(leaves.size)
        if 0 < self.settings.particles < leaves.size:
            drawn = self._random.choice(leaves.size, self.settings.particles, p=weights)
            chosen, times = np.unique(drawn, return_counts=True)
            weights = times.astype(np.float64)
        self._chosen = chosen
        self._starts = Starts(
            leaves.state[chosen],
            leaves.keys[chosen],
            np.cumsum(weights) / weights.sum(),
            repetitions=0,
        )
        self._counters[_START] = self._counters[_ACTION] = 0

    def _rollouts(self) -> "Rollouts":
        n = int(self.belief.trie.num_actions[self.belief.leaves.node[0]])
        return Rollouts(
            game=self.game,
            table=self._blueprint,
            path=self._path,
            leaves=PlayOn(),
            rng=self._rng,
            counters=self._counters,
            starts=self._starts,
            totals=self._totals.setdefault(self.belief.information_key, np.zeros(2 * n)),
        )

    def _way(self) -> list[int]:
        leaf = int(self._chosen[self._path.trail[1]])
        return [*self.belief.moves_to(leaf), *trail_moves(self._path.trail)]


def mmd_step(q: Floats, blueprint: Floats, magnet: Floats, eta: float, alpha: float) -> Floats:
    """``float64[n]``: the policy after a step of magnetic mirror descent.

    q: ``float64[n]``, the value of each action.
    blueprint: ``float64[n]``, pi_0, the policy before the step.
    magnet: ``float64[n]``, rho; positive wherever the blueprint is.
    eta: the stepsize, above 0.
    alpha: the temperature, at least 0.
    """
    beta = 1.0 / eta
    playable = blueprint > 0
    logits = np.full(q.size, -np.inf)
    logits[playable] = (
        q[playable] + alpha * np.log(magnet[playable]) + beta * np.log(blueprint[playable])
    ) / (alpha + beta)
    policy = np.exp(logits - logits.max())
    return np.asarray(policy / policy.sum())


def _action_values(totals: Floats) -> Floats:
    """The mean payoff of each action; of one never tried, that of the others."""
    counts, sums = totals.reshape(2, -1)
    mean = sums.sum() / max(counts.sum(), 1.0)
    return np.divide(sums, counts, out=np.full(counts.size, mean), where=counts > 0)


def _table_of(game: Game, blueprint: str | Path | Strategy) -> InformationSetTable:
    """A blueprint as a table whose rows are probabilities, to which nothing is added. Raises
    FileError if it is none for ``game``.
    """
    if isinstance(blueprint, str) and blueprint == "uniform":
        return left_as_it_is(new_table(per_action=1, row_actions=game.max_actions))
    strategy = blueprint if isinstance(blueprint, Strategy) else load_strategy(blueprint)
    strategy.verify(game, "the blueprint" if isinstance(blueprint, Strategy) else blueprint)
    arrays = {
        "keys": strategy.keys,
        "starts": strategy.starts,
        "values": strategy.probabilities,
        "layout": np.array([1, 0]),
    }
    return left_as_it_is(table_from_arrays(arrays, row_actions=game.max_actions))


@dataclass(frozen=True)
class Rollouts(Traversal):
    """A rollout: from a history of the belief by an action, and then by the blueprint, whose
    probabilities are the rows of the table.

    starts: the histories.
    totals: ``float64[2 n]``, how often each action was tried, and the sums of what was paid then.
    """

    starts: Starts
    totals: Floats

    def iterate(self) -> None:
        """Try the next action from the present history; before the first action, draw another."""
        game, path, counters = self.game, self.path, self.counters
        n, a = self.totals.size // 2, counters[_ACTION]
        if a == 0:
            counters[_START] = self.starts.next(counters, self.rng)
        start = counters[_START]
        begin_trail(path.trail, start)
        copy_row(self.starts.state, start, path.state)
        copy_row(self.starts.keys, start, path.keys)
        decider = game.current_player(path.state)
        game.legal_actions(path.state, decider, path.actions)
        player = self.move(decider, path.actions[a])
        while player != TERMINAL:
            player = self.move(player, self.next_move(player))
        self.totals[a] += 1.0
        self.totals[n + a] += self.leaves.payoff(game, path.state, decider)
        counters[_ACTION] = a + 1 if a + 1 < n else 0

    def next_move(self, player: int) -> int:
        """What chance or the blueprint does in the present state."""
        game, path = self.game, self.path
        if player == CHANCE:
            return draw_outcome(game, path.state, path.actions, path.probabilities, self.rng)[0]
        n = game.legal_actions(path.state, player, path.actions)
        row = self.table.find(game.information(path.state, player, path.keys[player]))
        if row == MISSING:
            return path.actions[below(self.rng, n)]
        return path.actions[sample(self.rng, view(self.table.values, row, n), n)]
