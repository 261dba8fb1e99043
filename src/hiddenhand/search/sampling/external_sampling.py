"""External sampling of a whole game, by its rules.

Lanctot, Waugh, Zinkevich and Bowling (2009), "Monte Carlo sampling for regret minimization in
extensive games": a traversal for update player i follows all actions of i, and draws one move of
everybody else. Regrets vary far less than those of outcome sampling, for a traversal that takes
longer.

Gibson, Burch, Lanctot and Szafron (2012), "Efficient Monte Carlo counterfactual regret minimization
in games with many player actions", average strategy sampling: an action of i is followed with a
probability that falls with its share of the mean strategy:

rho(a) = min(1, max(epsilon, (beta + tau v s(a)) / (beta + v)))

r_I, s_I   cumulative regrets and cumulative mean strategy of information set I: the two runs of a
           row in the table. A last number v counts what was added to s_I, the visits.
s          s_I, normalised
sigma      the present strategy: regret matching on r_I
q          the probability with which all actions of i on the way were followed

Ours: a traversal divides a budget of some lines of play. The set where it begins has all of it, and
each action that is followed has an equal part of its set's. A set with less than a line for each
action follows fewer of them: with less than two lines a single one, drawn as outcome sampling does.
So traversals of long games end, and all parts of a traversal get the same care.

A traversal leaves memory where it comes to a set that is not in memory. It adds the set, follows
its actions if it is one of i, and plays on at random, as outcome sampling does.

In a traversal, a *branch* is a set of i whose actions are being followed.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.archives import Array, Kind
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.constant_sum import as_zero_sum
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.jit.history_step import begin, draw_outcome
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, num_sets
from hiddenhand.jit.random import below, uniform
from hiddenhand.jit.sampling import match_regrets, sample, sample_exploring
from hiddenhand.jit.views import view
from hiddenhand.parameters import parameter
from hiddenhand.search.table_search import TableParameters, TableSearch
from hiddenhand.search.traversal import (
    IN_TREE,
    PLAYOUTS,
    Trajectory,
    Traversal,
    begin_trail,
    trajectory_arrays,
)
from hiddenhand.trees.strategy import Weights

EXPLORES: Final = 0.4
"""How much of the draw is uniform where not all actions can be followed, as in outcome sampling."""
ROWS: Final = 4096
"""Rows of the table that there is room for when an iteration begins. A traversal that comes to more
new sets plays on at random from those that it has no room for.
"""
_CHUNK: Final = 8192  # iterations of a stream between two merges, which take long
_FEW: Final = 1000  # histories of the belief, which only says where a match is
_STRATEGY: Final = 1  # the second run of a row is s_I


@dataclass(frozen=True)
class Branches(Trajectory):
    """Where a traversal is, and its D branches, from the first on. Of a branch, row, num_actions,
    chosen (the action that is followed now) and sigma are known, and besides:

    state_at: ``int64[D, state_size]``, and keys_at: ``uint64[D, P + 1]``, before the actions.
    moves_at: ``int64[D]``, how many moves led there.
    actions_at: ``int64[D, A]``, the actions.
    is_known: ``int64[D]``, 1 if the set was in memory before, so that the traversal stays there.
    rho: ``float64[D, A]``; 0 for an action that is not followed.
    worth: ``float64[D, A]``, what i is paid after each action, as this traversal estimates it.
    reach: ``float64[D]``, q.
    lines: ``float64[D]``, the budget of each action that is followed.
    drawn: ``float64[A]``, room for the strategy from which a move is drawn.
    """

    state_at: Integers
    keys_at: Keys
    moves_at: Integers
    actions_at: Integers
    is_known: Integers
    rho: Floats
    worth: Floats
    reach: Floats
    lines: Floats
    drawn: Floats


def branches_of(game: Game) -> Branches:
    """Room for the traversals of ``game``."""
    arrays = trajectory_arrays(game)
    depth, most = arrays["sigma"].shape
    return Branches(
        **arrays,
        state_at=np.zeros((depth, game.state_size), np.int64),
        keys_at=np.zeros((depth, game.num_players + 1), np.uint64),
        moves_at=np.zeros(depth, np.int64),
        actions_at=np.zeros((depth, most), np.int64),
        is_known=np.zeros(depth, np.int64),
        rho=np.zeros((depth, most)),
        worth=np.zeros((depth, most)),
        reach=np.zeros(depth),
        lines=np.zeros(depth),
        drawn=np.zeros(most),
    )


@dataclass(frozen=True)
class ExternalTraversal(Traversal):
    """External sampling; `path` is `Branches`.

    epsilon, tau, beta: see rho above.
    lines: the budget of a traversal.
    """

    epsilon: float
    tau: float
    beta: float
    lines: float

    def iterate(self) -> None:
        """A traversal for each update player."""
        for i in range(2):
            self.traverse(i)

    def traverse(self, i: int) -> None:
        """One traversal for update player ``i``."""
        game, path = self.game, self.path
        begin(game, path.state, path.keys)
        begin_trail(path.trail)
        depth, in_memory, q = 0, True, 1.0
        player = game.current_player(path.state)
        while True:
            action, resumes = 0, player == TERMINAL
            if resumes:
                self.counters[IN_TREE] += int(in_memory)
                depth = self.close(depth, self.leaves.payoff(game, path.state, i))
            elif player == CHANCE:
                action = draw_outcome(game, path.state, path.actions, path.probabilities, self.rng)[
                    0
                ]
            else:
                n, row = game.legal_actions(path.state, player, path.actions), MISSING
                if in_memory:
                    key = game.information(path.state, player, path.keys[player])
                    row, in_memory = self.find_or_enter(key, n)
                if row == MISSING:
                    action = path.actions[below(self.rng, n)]
                elif player == i and n > 1:
                    self.open(depth, row, n, in_memory, q)
                    depth, resumes = self.next_action(depth), True
                else:
                    action = path.actions[self.draw(row, n, player != i, q)]
            if resumes:
                if depth == 0:
                    return
                player = i
                in_memory, action, q = self.resume(depth - 1)
            player = self.move(player, action)

    def draw(self, row: int, n: int, learns: bool, q: float) -> int:
        """Draw the index of an action by sigma, which the mean strategy ``learns``."""
        values, sigma = self.table.values, self.path.drawn
        match_regrets(values, row, n, 0.0, sigma)
        if learns:
            mean = view(values, row + n, n)
            for a in range(n):
                mean[a] += sigma[a] / q
            values[row + 2 * n] += 1.0
        return sample(self.rng, sigma, n)

    # --- branches ---

    def open(self, d: int, row: int, n: int, is_known: bool, q: float) -> None:
        """Make the present set branch ``d``, and draw which of its actions are followed."""
        path = self.path
        for place in range(path.state.size):
            path.state_at[d, place] = path.state[place]
        for place in range(path.keys.size):
            path.keys_at[d, place] = path.keys[place]
        for a in range(n):
            path.actions_at[d, a] = path.actions[a]
            path.worth[d, a] = 0.0
        path.moves_at[d], path.row[d], path.num_actions[d] = path.trail[0], row, n
        path.is_known[d], path.reach[d], path.chosen[d] = int(is_known), q, -1
        match_regrets(self.table.values, row, n, 0.0, path.sigma[d])
        lines = self.lines if d == 0 else path.lines[d - 1]
        followed = self.follow_one(d, n) if lines < 2.0 else self.follow(d, row, n, lines)
        path.lines[d] = lines / max(followed, 1)

    def follow(self, d: int, row: int, n: int, lines: float) -> int:
        """Draw which actions of branch ``d`` are followed, each on its own. Returns how many."""
        path, mean = self.path, view(self.table.values, row + n, n)
        visits, total, followed = self.table.values[row + 2 * n], 0.0, 0
        for a in range(n):
            total += mean[a]
        for a in range(n):
            if lines >= n:
                share = mean[a] / total if total > 0.0 else 1.0
                rho = (self.beta + self.tau * visits * share) / (self.beta + visits)
            else:
                rho = lines * (EXPLORES / n + (1.0 - EXPLORES) * path.sigma[d, a])
            rho = min(max(rho, self.epsilon), 1.0)
            path.rho[d, a] = rho if rho == 1.0 or uniform(self.rng) < rho else 0.0
            followed += int(path.rho[d, a] > 0.0)
        return followed

    def follow_one(self, d: int, n: int) -> int:
        """Draw the one action of branch ``d`` that is followed. Returns 1."""
        path = self.path
        chosen = sample_exploring(self.rng, path.sigma[d], n, EXPLORES)
        for a in range(n):
            path.rho[d, a] = 0.0
        path.rho[d, chosen] = EXPLORES / n + (1.0 - EXPLORES) * path.sigma[d, chosen]
        return 1

    def close(self, depth: int, worth: float) -> int:
        """Note what the action of the last branch is worth that was followed to the end, and go on
        to the next action. Returns how many branches are left.
        """
        if depth == 0:
            return 0
        self.note(depth - 1, worth)
        return self.next_action(depth - 1)

    def next_action(self, d: int) -> int:
        """Go on to the next action that is followed, of branch ``d``, or of a branch before it if
        there is none. Branches that are finished learn. Returns how many branches are left.
        """
        path = self.path
        while True:
            a = path.chosen[d] + 1
            while a < path.num_actions[d] and path.rho[d, a] == 0.0:
                a += 1
            path.chosen[d] = a
            if a < path.num_actions[d]:
                return d + 1
            worth = self.learn(d)
            if d == 0:
                return 0
            d -= 1
            self.note(d, worth)

    def note(self, d: int, worth: float) -> None:
        """Note what the action of branch ``d`` is worth that is followed now."""
        path, a = self.path, self.path.chosen[d]
        path.worth[d, a] = worth / path.rho[d, a]

    def learn(self, d: int) -> float:
        """Update the regrets of branch ``d``. Returns what its set is worth."""
        path, n, mean = self.path, self.path.num_actions[d], 0.0
        for a in range(n):
            mean += path.sigma[d, a] * path.worth[d, a]
        regret = view(self.table.values, path.row[d], n)
        for a in range(n):
            regret[a] += (path.worth[d, a] - mean) / path.reach[d]
        return mean

    def resume(self, d: int) -> tuple[bool, int, float]:
        """Return to branch ``d`` for the action that is followed now. Returns whether the traversal
        is in memory after it, the action, and q after it.
        """
        path, a = self.path, self.path.chosen[d]
        for place in range(path.state.size):
            path.state[place] = path.state_at[d, place]
        for place in range(path.keys.size):
            path.keys[place] = path.keys_at[d, place]
        path.trail[0] = path.moves_at[d]
        return path.is_known[d] == 1, path.actions_at[d, a], path.reach[d] * path.rho[d, a]


@dataclass(frozen=True, kw_only=True)
class ExternalParameters(TableParameters):
    """The parameters of `ExternalMCCFR`.

    epsilon: the least probability with which an action of the update player is followed.
    tau: actions whose share of the mean strategy is at least 1 / tau are always followed.
    beta: for how many visits of an information set, roughly, all its actions are followed.
    lines: how many lines of play a traversal follows at most, roughly.
    """

    epsilon: float = parameter(0.05, above=0, most=1)
    tau: float = parameter(100.0, least=1)
    beta: float = parameter(100.0, least=0)
    lines: float = parameter(1000.0, least=1)


class ExternalMCCFR(TableSearch):
    """MCCFR by external sampling, for a two-player zero-sum game; simultaneous moves are made in
    turns. It is not aimed at where a match is.
    """

    PARAMETERS = ExternalParameters
    ALGORITHM = "external"
    TRAVERSALS = 2
    FILE: ClassVar[Kind] = TableSearch.FILE.with_more(
        arrays={"weight": Array(np.float64, (1,), least=1, most=1)}
    )
    """``weight``: how often an iteration counts. Files without it hold growing weights."""

    settings: ExternalParameters

    def _form_of(self, game: Game | str) -> Game:
        return as_zero_sum(game, "external sampling", "ismcts")

    def _prepare(self) -> None:
        self.settings = replace(self.settings, chunk=self.settings.chunk or _CHUNK)
        super()._prepare()
        self._path = branches_of(self.game)

    @property
    def cap(self) -> int:
        return _FEW

    def weights(self) -> Weights:
        """See `TableSearch.weights`."""
        last = self.table.starts[1 : num_sets(self.table) + 1] - 1
        return replace(super().weights(), visits=self.table.values[last])

    # --- what `TableSearch` asks for ---

    def _empty_table(self) -> InformationSetTable:
        return replace(super()._empty_table(), rows=ROWS)

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {**super()._arrays(), "weight": np.ones(1)}

    @property
    def _row(self) -> tuple[int, int]:
        return 2, 1

    @property
    def _strategy_column(self) -> int:
        return _STRATEGY

    @property
    def _num_traversals(self) -> int:
        """Ways to an end of the game or out of memory. A traversal follows several."""
        return int(self._counters[IN_TREE] + self._counters[PLAYOUTS])

    def _traversal(self) -> ExternalTraversal:
        given = self.settings
        return ExternalTraversal(
            **self._in_common(),
            epsilon=given.epsilon,
            tau=given.tau,
            beta=given.beta,
            lines=given.lines,
        )
