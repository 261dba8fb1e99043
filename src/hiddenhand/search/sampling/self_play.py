"""One episode of self-play Monte Carlo tree search in extensive-form games: the part of
`smooth_uct` that is compiled.

Algorithm 1 of Heinrich and Silver (2015), "Smooth UCT search in computer poker". Each player has a
tree of their own, over their information sets. In one table the trees do not meet, because the keys
of different players differ. Letters: u an information set, a an action, r the payoffs, s the state.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.history_step import begin, draw_outcome
from hiddenhand.jit.infoset_table import MISSING
from hiddenhand.jit.random import below
from hiddenhand.search.traversal import (
    IN_TREE,
    Trajectory,
    Traversal,
    begin_trail,
    trajectory_arrays,
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
