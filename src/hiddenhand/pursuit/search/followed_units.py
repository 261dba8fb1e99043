"""Which units of the other side a player of pursuit still reckons with, and where they may be: the
belief of `mo`.

Lisy (2014), Section 5.3: the evader leaves out a pursuing unit that it never saw, or that may be
on too many nodes. Such a unit is left out of the game altogether: the belief, and the search, are
those of the game with fewer pursuing units. When a unit comes into sight it is followed (again),
from a node that is known. Pursuers always follow the evader.

Nothing is inferred from how starts are drawn (page 100): where starts are not given, the belief
begins with what the player sees after they are drawn.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.infoset_table import InformationSetTable
from hiddenhand.jit.random import RandomState
from hiddenhand.pursuit.games.information_model import PursuitModel
from hiddenhand.pursuit.games.layout import EVADER, NODES, PLACED, SIZE, TIME
from hiddenhand.pursuit.games.terrain import nodes_of
from hiddenhand.pursuit.games.visibility import VisibilityPursuit
from hiddenhand.pursuit.search.merged_belief import Noticed, States, all_alike, at_most, moved_on

_NONE = -1  # no action


class FollowedUnits:
    """The belief of one player.

    rules: the game of the match.
    model: the player's information-set model of it, which follows the match too.
    ignore: the number of possible nodes above which a pursuing unit is left out.
    cap: how many states are kept at most; pursuers keep all, which are never more than nodes.
    modelled: whether states are as likely as the opponent's strategy makes them, or all alike.

    Attributes:

    units: the numbers, from 0, of the units of the other side that are followed.
    game: the game of these units alone, with last-seen recall.
    states: the belief; without states if no unit is followed.
    epoch: how often ``units`` has changed, by which statistics of ``game`` become useless.
    recoveries: how often no state explained what was noticed, and the belief began anew.
    """

    def __init__(
        self, rules: VisibilityPursuit, model: PursuitModel, ignore: int, cap: int, modelled: bool
    ) -> None:
        self._rules, self._model = rules, model
        self._is_evader = model.player == EVADER
        self._ignore = ignore
        self._cap = cap if self._is_evader else max(cap, rules.terrain.num_nodes)
        self._modelled = modelled
        self._pending = _NONE  # the own action whose outcome was not noticed yet
        # where and when each unit was seen last by the other side, as in the state of the game
        self._where, self._when = np.zeros((2, rules.num_units), np.int64)
        self._is_seen = False  # whether the evader is in sight
        self.recoveries = self.epoch = 0
        self._follow(())

    def _follow(self, units: Sequence[int]) -> None:
        """From now on ``units`` are followed. Nothing is known of them yet."""
        self.units = tuple(units)
        self.epoch += 1
        pursuers = max(len(self.units), 1) if self._is_evader else self._rules.pursuers
        self.game = replace(self._rules, pursuers=pursuers, recall="last_seen", start=None, apart=0)
        self.states = States(np.zeros((0, self.game.state_size), np.int64), np.zeros(0))

    # --- a match ---

    def begin(self, node: Integers, random: np.random.Generator) -> None:
        """A match begins, in ``node`` of the model. Starts are known if the game names them."""
        if self._rules.starts.size > 0:
            self._where[:], self._when[:], self._is_seen = self._rules.starts, 1, True
            self._begin_anew(node, random)

    def notice(
        self,
        event: Event,
        node: Integers,
        table: InformationSetTable,
        rng: RandomState,
        random: np.random.Generator,
    ) -> None:
        """Follow an event of the match.

        node: where the model is after it.
        table: what the search knows of ``game``.
        rng, random: what is drawn from, in the kernel and here.
        """
        if event.action > 0:
            self._pending = event.action - 1
        if event.private == 0 or not self._model.is_placed(node):
            return
        digits = self._digits(event.private)
        self._look(node, digits)
        if self._pending != _NONE and self.states.size > 0:
            noticed = Noticed(self._model.player, self._pending, self._token(digits))
            self._move_on(moved_on(self.game, self.states, noticed, table, rng), node, random)
        else:
            self._begin_anew(node, random)
        self._pending = _NONE

    def _digits(self, private: int) -> list[int]:
        """For each unit of the other side 1 + the node where it is seen, or 0."""
        told, base = private - 1, self._rules.terrain.num_nodes + 1
        count = self._model.num_others
        return [told // base ** (count - 1 - unit) % base for unit in range(count)]

    def _token(self, digits: Sequence[int]) -> int:
        """The token that the player would get in the game of the followed units."""
        told = 0
        for unit in self.units:
            told = told * (self._rules.terrain.num_nodes + 1) + digits[unit]
        return 1 + told

    def _look(self, node: Integers, digits: Sequence[int]) -> None:
        """Note who is in sight, by the rule of `VisibilityPursuit`."""
        time, own = self._model.time(node) + 1, self._model.own_nodes(node).tolist()
        others = [digit - 1 for digit in digits]
        evader, pursuers = (own[0], others) if self._is_evader else (others[0], own)
        self._is_seen = False
        for unit, there in enumerate(pursuers, 1):
            mutual = there >= 0 and evader >= 0 and self._rules.terrain.sees(there, evader)
            self._is_seen |= bool(mutual)
            if mutual or (self._rules.sees_all and there >= 0):
                self._where[unit], self._when[unit] = there, time
        if self._is_seen:
            self._where[0], self._when[0] = evader, time

    def _move_on(self, after: States, node: Integers, random: np.random.Generator) -> None:
        if after.size == 0:
            self.recoveries += 1
            self._begin_anew(node, random)
            return
        after = at_most(after, self._cap, random)
        self.states = after if self._modelled else all_alike(after)
        if self._wanted(node) != self.units:
            self._regroup(self._wanted(node), node)

    def _wanted(self, node: Integers) -> tuple[int, ...]:
        """The units that are to be followed."""
        if not self._is_evader:
            return (0,)
        sizes = node[self._model.sizes :][: self._model.num_others].tolist()
        return tuple(unit for unit, size in enumerate(sizes) if 0 < size <= self._ignore)

    # --- states made from what the model knows ---

    def _begin_anew(self, node: Integers, random: np.random.Generator) -> None:
        """Follow units from the model's sets of possible nodes, all combinations alike."""
        wanted, before = self._wanted(node), self.states
        if wanted != self.units:
            self._follow(wanted)
        if not wanted:
            return
        terrain = self._rules.terrain
        own = [[here] for here in self._model.own_nodes(node).tolist()]
        others = [nodes_of(terrain, self._model.set_of(node, unit)) for unit in wanted]
        nodes = _combinations(
            [*own, *others] if self._is_evader else [*others, *own], self._cap, random
        )
        possible = np.zeros((1, terrain.num_words), np.int64)
        if not self._is_evader:
            possible[0] = self._model.set_of(node, 0)
        elif self._is_seen or before.size == 0:
            terrain.only(int(nodes[0, 0]), possible[0])
        else:
            possible = self._spread(before, nodes, random)
        self._become(nodes, possible, node, np.ones(len(nodes)))

    def _spread(self, before: States, nodes: Integers, random: np.random.Generator) -> Integers:
        """``int64[F, W]``: what PP may be after a move, from that of any state before."""
        terrain, words = self._rules.terrain, self._rules.terrain.num_words
        spread = np.zeros(words, np.int64)
        drawn = before.state[random.integers(before.size)]
        start = drawn.size - 2 * words
        terrain.spread(drawn[start : start + words], spread)
        in_sight = np.bitwise_or.reduce(terrain.visible[nodes[:, 1:]], axis=1)
        return np.asarray(spread[None] & ~in_sight)

    def _regroup(self, units: tuple[int, ...], node: Integers) -> None:
        """Go over to other units: a new one is where it was just seen."""
        old, before = self.units, self.states
        if not units:
            self._follow(units)
            return
        columns = [before.state[:, NODES]]
        for unit in units:
            known = unit in old
            columns.append(
                before.state[:, NODES + 1 + old.index(unit)]
                if known
                else np.full(before.size, self._where[1 + unit])
            )
        words = self._rules.terrain.num_words
        possible = before.state[:, -2 * words : -words].copy()
        if self._is_seen:
            for row in possible:
                self._rules.terrain.only(int(columns[0][0]), row)
        self._follow(units)
        self._become(np.stack(columns, 1), possible, node, before.probability)

    def _become(self, nodes: Integers, possible: Integers, node: Integers, weight: Floats) -> None:
        """The belief becomes one state for each row of ``nodes``, ``int64[F, U]``.

        possible: ``int64[F, W]``, or a row for all, PP.
        weight: ``float64[F]``, what probabilities are in proportion to.
        """
        game, words = self.game, self._rules.terrain.num_words
        state = np.zeros((len(nodes), game.state_size), np.int64)
        kept = [0, *(1 + unit for unit in self.units)] if self._is_evader else slice(None)
        state[:, TIME], state[:, PLACED] = self._model.time(node), game.num_units
        state[:, NODES : game.where] = nodes
        state[:, game.where : game.when] = self._where[kept]
        state[:, game.when : game.possible] = self._when[kept]
        state[:, game.possible : game.possible + words] = possible
        state[:, SIZE] = _sizes(state[:, game.possible : game.possible + words])
        self.states = States(state, weight / weight.sum())

    # --- for people ---

    def heat(self, unit: int) -> Floats:
        """``float64[N]``: how likely a unit of the other side is at each node; all 0 for a unit
        that is left out.
        """
        size = self._rules.terrain.num_nodes
        if unit not in self.units or self.states.size == 0:
            return np.zeros(size)
        column = NODES + (1 + self.units.index(unit) if self._is_evader else 0)
        nodes, probability = self.states.state[:, column], self.states.probability
        return np.bincount(nodes, probability, size).astype(np.float64)


def _combinations(places: list[list[int]], cap: int, random: np.random.Generator) -> Integers:
    """``int64[F, U]``: each way to take one of ``places`` for each unit; of more than ``cap``
    ways a sample.
    """
    sizes = [len(nodes) for nodes in places]
    total = prod(sizes)
    numbers: Any = np.arange(total) if total <= cap else random.integers(total, size=cap)
    columns = []
    for nodes in reversed(places):
        columns.append(np.array(nodes, np.int64)[numbers % len(nodes)])
        numbers = numbers // len(nodes)
    return np.stack(columns[::-1], 1)


def _sizes(words: Integers) -> Integers:
    """How many nodes each set has; ``words`` is ``int64[F, W]``."""
    bits = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=1)
    return bits.sum(1).astype(np.int64)
