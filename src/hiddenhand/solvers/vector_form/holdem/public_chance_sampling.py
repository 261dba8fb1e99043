"""Public chance sampling for Limit Hold'em with buckets: a board is drawn, and all holdings play.

Johanson, Bard, Lanctot, Gibson and Bowling (2012), "Efficient Nash equilibrium approximation
through Monte Carlo counterfactual regret minimization". Here one public action of the opponent is
sampled, too, as in `vector_mccfr`. A walk visits a small part of the betting tree, and
showdowns take linear time: holdings are sorted by strength, and what shares a card is taken back.
Regret that falls below 0 is forgotten, and iteration t weighs t.

Players have imperfect recall: of the cards they know the bucket of the present round alone. CFR
guarantees nothing then. Waugh, Zinkevich, Johanson, Kan, Schnizlein and Bowling (2009), "A
practical use of imperfect recall", found that it plays well nevertheless.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np

from hiddenhand.archives import Array, Kind
from hiddenhand.games.base import Game
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.jit.arrays import Floats, Integers, starts_of
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, new_state, uniform
from hiddenhand.solvers.runs import HEADER, Checkpointed
from hiddenhand.solvers.vector_form.holdem.betting import (
    NOBODY,
    BettingTree,
    betting_tree,
    verify_bucketed,
)
from hiddenhand.solvers.vector_form.holdem.deals import HOLDINGS, Deal, draw_deal
from hiddenhand.text import one_line
from hiddenhand.trees.blueprint import About, write_set_blueprint
from hiddenhand.trees.strategy import Weights

_ACTIONS: Final = 3
_EXPLORED: Final = 0.1  # of the samples of the opponent's actions, that are drawn uniformly
_PAIRS: Final = 990.0  # holdings that the opponent may have, when a player's own are known
_STATE: Final = Kind(
    "pcs",
    HEADER,
    {
        "regret": Array(np.float64, ("R",)),
        "average": Array(np.float64, ("R",)),
        "visits": Array(np.float64, ("I",)),
        "rng": Array(np.uint64, ("N",)),
    },
)


@dataclass(frozen=True)
class _Room(Compiled):
    """What a walk keeps at each depth.

    node, child: ``int64[D]``, where it is, and which child it came from; `NOBODY` at first.
    reach: ``float64[D, 1081]``, how much the opponent comes there with each holding.
    value: ``float64[D, 1081]``, what each holding earns from there on, counterfactually.
    follows: ``float64[D, 3, 1081]``, what each action earns.
    sigma: ``float64[3, 1081]``, the present strategy.
    """

    node: Integers
    child: Integers
    reach: Floats
    value: Floats
    follows: Floats
    sigma: Floats


class PCS(Checkpointed):
    """A run of public chance sampling in Limit Hold'em with buckets, for two players.

    seed: the seed of the random numbers, a whole number of at least 0.
    regret, average: ``float64[R]``, as `BettingTree.first_row` says where.
    visits: ``float64[I]``, with how many holdings each information set was met.
    """

    NAME: ClassVar[str] = "pcs"
    game: LimitHoldem

    def __init__(self, game: Game, *, seed: int = 0) -> None:
        super().__init__(verify_bucketed(game))
        self.tree, self.keys = betting_tree(self.game)
        self.regret, self.average = np.zeros(self.tree.num_rows), np.zeros(self.tree.num_rows)
        self.visits = np.zeros(self.keys.size)
        self._rng = new_state(seed)
        self._deal = Deal.room(self.game)
        depth = self.tree.depth + 1
        self._room = _Room(
            np.zeros(depth, np.int64),
            np.zeros(depth, np.int64),
            np.zeros((depth, HOLDINGS)),
            np.zeros((depth, HOLDINGS)),
            np.zeros((depth, _ACTIONS, HOLDINGS)),
            np.zeros((_ACTIONS, HOLDINGS)),
        )

    def __repr__(self) -> str:
        return one_line(self, self.game, f"{self.iterations:,} iterations")

    def weights(self) -> Weights:
        """The average strategy in the information sets that were met."""
        tree = self.tree
        sizes = np.repeat(tree.num_children, np.diff(tree.first_set))
        return Weights(self.keys, starts_of(sizes), self.average, self.visits)

    def write_blueprint(self, path: Path) -> int:
        """Write the average strategy as a blueprint. Returns how many information sets it knows."""
        about = About.of(self.game, self.NAME, self.iterations, self.seconds)
        return write_set_blueprint(path, about, self.weights())

    @classmethod
    def load(cls, path: Path | str, game: Game) -> Self:
        """Continue from a state that was written for the same game. Raises FileError."""
        return cls(game)._restored(path)

    def _kind(self) -> Kind:
        return _STATE

    def _arrays(self) -> dict[str, Any]:
        return {
            "regret": self.regret,
            "average": self.average,
            "visits": self.visits,
            "rng": self._rng,
        }

    def _advance(self, times: int) -> None:
        """In an iteration each player walks once, with a board of its own."""
        kept = self.regret, self.average, self.visits
        for _ in range(times):
            self.iterations += 1
            for player in range(2):
                draw_deal(self.game, self._deal, self._rng)
                _walk(
                    self.tree,
                    self._deal,
                    self._room,
                    player,
                    float(self.iterations),
                    *kept,
                    self._rng,
                )


# --- kernels ---


@kernel
def _walk(
    tree: BettingTree,
    deal: Deal,
    room: _Room,
    player: int,
    weight: float,
    regret: Floats,
    average: Floats,
    visits: Floats,
    rng: RandomState,
) -> None:
    """Walk over the betting tree: all actions of ``player``, and one of the opponent's at each
    node. ``weight``: of this iteration in the average strategy.
    """
    depth = int(np.int64(0))  # a plain 0 would be a type of its own to Numba
    room.node[0], room.child[0] = 0, NOBODY
    room.reach[0, :] = 1.0 / _PAIRS
    while depth >= 0:
        node = room.node[depth]
        mover, came_from = tree.player[node], room.child[depth]
        if mover == NOBODY:
            if tree.folded[node] == NOBODY:
                deal.fill_shown(room.reach[depth], tree.stake[node], room.value[depth])
            else:
                paid = -tree.stake[node] if tree.folded[node] == player else tree.stake[node]
                deal.fill_folded(room.reach[depth], paid, room.value[depth])
            depth -= 1
            continue
        if mover != player:
            if came_from != NOBODY:
                room.value[depth, :] = room.value[depth + 1]
                depth -= 1
                continue
            _fill_sigma(tree, deal, node, regret, room.sigma)
            _learn_average(tree, deal, room, depth, weight, average, visits)
            action, chance = _sampled(tree, room, depth, rng)
            for h in range(HOLDINGS):
                room.reach[depth + 1, h] = room.reach[depth, h] * room.sigma[action, h] / chance
        else:
            if came_from != NOBODY:
                room.follows[depth, came_from, :] = room.value[depth + 1]
            action = came_from + 1
            if action == tree.num_children[node]:
                _fill_sigma(tree, deal, node, regret, room.sigma)
                _learn(tree, deal, room, depth, regret)
                depth -= 1
                continue
            room.reach[depth + 1, :] = room.reach[depth]
        room.child[depth] = action
        room.node[depth + 1], room.child[depth + 1] = tree.first_child[node] + action, NOBODY
        depth += 1


@kernel
def _fill_sigma(tree: BettingTree, deal: Deal, node: int, regret: Floats, sigma: Floats) -> None:
    """The strategy of regret matching, for each action and holding."""
    actions, first = tree.num_children[node], tree.first_row[node]
    for h in range(HOLDINGS):
        row, total = first + actions * deal.bucket[tree.round[node], h], 0.0
        for a in range(actions):
            total += max(regret[row + a], 0.0)
        for a in range(actions):
            sigma[a, h] = max(regret[row + a], 0.0) / total if total > 0.0 else 1.0 / actions


@kernel
def _learn(tree: BettingTree, deal: Deal, room: _Room, depth: int, regret: Floats) -> None:
    """What a node is worth, and what is regretted there."""
    node = room.node[depth]
    actions, first = tree.num_children[node], tree.first_row[node]
    for h in range(HOLDINGS):
        worth = 0.0
        for a in range(actions):
            worth += room.sigma[a, h] * room.follows[depth, a, h]
        room.value[depth, h] = worth
        row = first + actions * deal.bucket[tree.round[node], h]
        for a in range(actions):
            regret[row + a] += room.follows[depth, a, h] - worth
    for h in range(HOLDINGS):  # after all holdings of a bucket
        row = first + actions * deal.bucket[tree.round[node], h]
        for a in range(actions):
            regret[row + a] = max(regret[row + a], 0.0)


@kernel
def _learn_average(
    tree: BettingTree,
    deal: Deal,
    room: _Room,
    depth: int,
    weight: float,
    average: Floats,
    visits: Floats,
) -> None:
    """The opponent's average strategy learns what is played now."""
    node = room.node[depth]
    actions, first = tree.num_children[node], tree.first_row[node]
    for h in range(HOLDINGS):
        bucket = deal.bucket[tree.round[node], h]
        visits[tree.first_set[node] + bucket] += 1.0
        for a in range(actions):
            share = room.reach[depth, h] * room.sigma[a, h]
            average[first + actions * bucket + a] += weight * share


@kernel
def _sampled(tree: BettingTree, room: _Room, depth: int, rng: RandomState) -> tuple[int, float]:
    """An action of the opponent, as likely as all holdings together make it, and now and then drawn
    uniformly; with the probability with which it was drawn.
    """
    actions = tree.num_children[room.node[depth]]
    total = room.reach[depth].sum()
    drawn, passed = uniform(rng), 0.0
    for a in range(actions):
        chance = 1.0 / actions
        if total > 0.0:
            played = 0.0
            for h in range(HOLDINGS):
                played += room.reach[depth, h] * room.sigma[a, h]
            chance = (1.0 - _EXPLORED) * played / total + _EXPLORED / actions
        passed += chance
        if drawn < passed or a == actions - 1:
            return a, chance
    return 0, 1.0  # nobody comes here
