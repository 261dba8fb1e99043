"""Extensive-form UCT and Smooth UCT: self-play Monte Carlo tree search from the beginning of a
game.

Heinrich and Silver (2015), "Smooth UCT search in computer poker". `SelfPlay` is an episode,
Algorithm 1; `selection.smooth_ucb` has what distinguishes the two searches, the selection of
actions (Eq. 1 and Eq. 2), and the exploration that follows the betting (Eq. 3).

An iteration is one episode, played by all players from the beginning of the game. The search is not
aimed at where a match is: before each move it plays more episodes from the beginning, as MCCFR
does. In Kuhn and Leduc poker Smooth UCT comes close to an equilibrium, for which there is no proof,
and UCT does not.

The paper tuned its constants for each game. Those of Smooth UCT were gamma = 0.1 and eta = 0.9,
with c = 1.75 and d = 0.001 in Kuhn poker, c = 18 and d = 0.002 in Leduc poker; the c of UCT was 2
and 20. The largest payoffs there are 2 and 13. Here c is by default the largest payoff of the game,
times `EXPLORATION`, and d is 0.002, because of the two values it suits larger games better. In
Leduc poker with that c, nash_conv after 85 million episodes of one run is 0.035, and 0.063 with d =
0.001; in Kuhn poker the squared error after a million, the mean of 30 runs with c = 1.75, is
0.000029, and 0.000019 with d = 0.001.

`SelfPlay` is an episode, and is compiled. Each player has a tree of their own, over their
information sets. In one table the trees do not meet, because the keys of different players differ.
Letters: u an information set, a an action, r the payoffs, s the state.
"""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.history_step import begin, draw_outcome
from hiddenhand.jit.infoset_table import MISSING
from hiddenhand.jit.random import below
from hiddenhand.parameters import parameter
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.selection.smooth_ucb import UCB, ByPot, Constant, SmoothUCB
from hiddenhand.search.table_search import CountingSearch, TableParameters
from hiddenhand.search.traversal import (
    IN_TREE,
    Trajectory,
    Traversal,
    begin_trail,
    trajectory_arrays,
)
from hiddenhand.trees.strategy import (
    Weights,
    greedy_values,
    weights_from_table,
)


@dataclass(frozen=True)
class Episode(Trajectory):
    """Where an episode is, and how it got there.

    in_tree: ``int64[P]``, 1 for each player who has not left their tree, else 0.
    payoff: ``float64[P]``, r.
    """

    in_tree: Integers
    payoff: Floats


def episode_of(game: Game) -> Episode:
    """Room for the episodes of ``game``."""
    players = game.num_players
    return Episode(
        **trajectory_arrays(game), in_tree=np.ones(players, np.int64), payoff=np.zeros(players)
    )


@dataclass(frozen=True)
class SelfPlay(Traversal):
    """An episode; `path` is an `Episode`.

    rule: how actions are selected and learnt from, `UCB` or `SmoothUCB`.
    schedule: how much is explored, `Constant` or `ByPot`.
    """

    rule: Any
    schedule: Any

    def iterate(self) -> None:
        """SIMULATE from the root to the end of the game, and back."""
        path = self.path
        begin(self.game, path.state, path.keys)
        begin_trail(path.trail)
        for player in range(self.game.num_players):
            path.in_tree[player] = 1
        self.update(self.descend())

    def descend(self) -> int:
        """Play to the end. Returns how many decisions were made in trees, those of new sets
        included.

        A player adds the first set that is not in their tree, and from there on moves uniformly at
        random, the set itself included. The others go on in their own trees.
        """
        game, path = self.game, self.path
        depth = 0
        player = game.current_player(path.state)
        while player != TERMINAL:
            if player == CHANCE:
                action = draw_outcome(game, path.state, path.actions, path.probabilities, self.rng)[
                    0
                ]
            else:
                n = game.legal_actions(path.state, player, path.actions)
                row, is_known = MISSING, False
                if path.in_tree[player] == 1:
                    u = game.information(path.state, player, path.keys[player])
                    row, is_known = self.find_or_enter(u, n)
                    path.in_tree[player] = int(is_known)
                if is_known:
                    c = self.schedule.exploration(game, path.state)
                    a = self.rule.choose(self.table.values, row, n, c, path.sigma[depth], self.rng)
                else:
                    a = below(self.rng, n)
                if row != MISSING:
                    path.row[depth], path.player[depth] = row, player
                    path.num_actions[depth], path.chosen[depth] = n, a
                    depth += 1
                action = path.actions[a]
            player = self.move(player, action)
        return depth

    def update(self, depth: int) -> None:
        """UPDATE: the sets on the path learn what the end pays to the player who moved there."""
        game, path = self.game, self.path
        for player in range(game.num_players):
            self.counters[IN_TREE] += path.in_tree[player]
            path.payoff[player] = self.leaves.payoff(game, path.state, player)
        for d in range(depth):
            row, n, a, sigma = path.row[d], path.num_actions[d], path.chosen[d], path.sigma[d]
            self.rule.update(self.table.values, row, n, a, 1.0, path.payoff[path.player[d]], sigma)


AVERAGE: Final = "average"
GREEDY: Final = "greedy"
STRATEGIES: Final = (AVERAGE, GREEDY)
EXPLORATION: Final = 1.25
"""The exploration c unless it is given, in units of the largest payoff: between what the paper
found best in Kuhn poker, 0.88 and 1, and in Leduc poker, 1.4 and 1.5.
"""
_FEW: Final = 1000  # histories
_SUMS: Final = 1  # the second run of a row is the sums of payoffs


@dataclass(frozen=True, kw_only=True)
class EFUCTParameters(TableParameters):
    """The parameters of `EFUCT`.

    exploration: the constant c of UCB, in payoffs of the game; by default 1.25 times the largest
        payoff.
    potential: k of Eq. 3, in games that know their pot: c is then the pot at the beginning of the
        betting round, plus k times what the players could still have added, but at most
        exploration; none for the same c everywhere.
    strategy: the strategy that the search plays and returns, "average" (each action as often as it
        was taken) or "greedy" (the action with the highest mean payoff).
    """

    exploration: float | None = parameter(None, least=0)
    potential: float | None = parameter(None, least=0, most=1)
    strategy: str = parameter(AVERAGE, choices=STRATEGIES)


@dataclass(frozen=True, kw_only=True)
class SmoothUCTParameters(EFUCTParameters):
    """The parameters of `SmoothUCT`.

    gamma: the least probability with which UCB selects an action, instead of the average strategy.
    eta: that probability in a new information set.
    decay: d of the paper, how fast that probability falls from eta towards gamma: after N visits it
        is eta / (1 + d sqrt(N)).
    """

    gamma: float = parameter(0.1, least=0, most=1)
    eta: float = parameter(0.9, least=0, most=1)
    decay: float = parameter(0.002, least=0)


@Algorithm(
    name="ef-uct",
    paper="Heinrich and Silver (2015), Smooth UCT search in computer poker",
    summary="Extensive-form UCT: self-play from the beginning of the game, a tree for each "
    "player, in which actions are selected by UCB.",
    guarantee="none: it gets no closer to an equilibrium after a while",
)
class EFUCT(CountingSearch):
    """Extensive-form UCT for games of any number of players; simultaneous moves are made in
    turns.
    """

    PARAMETERS = EFUCTParameters
    ALGORITHM = "ef-uct"
    TRAVERSALS = 1

    settings: EFUCTParameters

    def _prepare(self) -> None:
        super()._prepare()
        given = self.settings
        self.TREES = self.game.num_players
        if given.exploration is None:
            largest = float(self.game.max_utility)
            self.settings = replace(given, exploration=EXPLORATION * largest)
        if given.potential is not None and not hasattr(self.game, "exploration_bound"):
            raise OptionError(
                f"potential={given.potential} is not allowed for {self.game}, which does not know "
                "its pot; leave it out"
            )
        self._path = episode_of(self.game)

    @property
    def cap(self) -> int:
        return _FEW  # the belief only says where the match is

    def policy(self, num_actions: int) -> Floats:
        """The average or greedy strategy in the present information set; uniform if it is not in
        memory.
        """
        row = int(self.table.find(np.uint64(self.belief.information_key)))
        if not self._is_greedy or row == MISSING:
            return super().policy(num_actions)
        visits, sums = self.table.values[row : row + 2 * num_actions].reshape(2, -1)
        return mean_or_uniform(greedy_values(visits, sums, np.array([0, num_actions])))

    def weights(self) -> Weights:
        """See `TableSearch.weights`; of the greedy strategy all visits of a set are on one
        action.
        """
        found = super().weights()
        if not self._is_greedy:
            return found
        sums = weights_from_table(self.table, _SUMS).values
        return replace(found, values=greedy_values(found.values, sums, found.starts))

    # --- what `TableSearch` asks for ---

    @property
    def rule(self) -> UCB:
        """How actions are selected."""
        return UCB(self._c)

    @property
    def _c(self) -> float:
        assert self.settings.exploration is not None  # `_prepare` fills it in
        return self.settings.exploration

    @property
    def _row(self) -> tuple[int, int]:
        return UCB.PER_ACTION, UCB.PER_SET

    @property
    def _strategy_column(self) -> int:
        return UCB.STRATEGY

    @property
    def _is_greedy(self) -> bool:
        return self.settings.strategy == GREEDY

    def _traversal(self) -> SelfPlay:
        c, potential = self._c, self.settings.potential
        return SelfPlay(
            **self._in_common(),
            rule=self._selector_of_streams(self.rule),
            schedule=Constant(c) if potential is None else ByPot(c, potential),
        )


@Algorithm(
    name="smooth-uct",
    paper="Heinrich and Silver (2015), Smooth UCT search in computer poker",
    summary="Smooth UCT: self-play from the beginning of the game, a tree for each player, in "
    "which actions are selected by UCB or drawn from the average strategy.",
    guarantee="none: in small poker games the average strategy comes close to an equilibrium",
)
class SmoothUCT(EFUCT):
    """Smooth UCT for games of any number of players; simultaneous moves are made in turns."""

    PARAMETERS = SmoothUCTParameters
    ALGORITHM = "smooth-uct"

    settings: SmoothUCTParameters

    @property
    def rule(self) -> SmoothUCB:
        """How actions are selected."""
        given = self.settings
        return SmoothUCB(self._c, gamma=given.gamma, eta=given.eta, decay=given.decay)
