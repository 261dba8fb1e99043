"""Depth-limited search of an information-set tree, depth first: the part of `istminimax` that is
compiled.

At a decision node the player takes the best action. An observation node is worth what the worst
observation is worth (paranoid), or the mean of all (overconfident). Limits alpha and beta cut off
what cannot matter; with means nothing is cut off. A stack in arrays takes the place of recursion,
so that the search can stop after any number of leaves, and go on.

Nodes that are reached in several ways, because own units move independently and may change places,
are searched once: what is found of them is kept in a table of transpositions. It also says which
action to try first when the next search comes to the same node. A newer node takes the place of an
older one.

L levels, of which level k is the decision node after k own decisions; A actions; Z the size of a
node.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hiddenhand.games.information_model import HIDDEN, NO_OBSERVATION
from hiddenhand.jit.arrays import Floats, Integers, Keys, Players
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import Key, fold
from hiddenhand.jit.views import copy_into

NO_EVALUATION, RLA, URLA, URLA_LOG = range(4)
"""How leaves are valued: by what was acquired; by lookahead; by the sum of both; by the sum of
lookahead and the logarithm of what was acquired.
"""

# counters
LEVEL: Final = 0  # the present level
LIMIT: Final = 1  # the level at which leaves are valued
DONE: Final = 2  # whether the search of this depth is finished
CUT: Final = 3  # whether a match went on at a leaf
BEST: Final = 4  # the index of the action found best at the root
NUM_COUNTERS: Final = 5

# marks of a level
_NUM_ACTIONS: Final = 0
_NEXT: Final = 1  # the index of the next action
_CHOSEN: Final = 2  # the index of the best action so far
_OBSERVING: Final = 3  # whether an action was made, and its observations are looked at
_OBSERVATION: Final = 4  # the observation below which the search is; -1 before the first
_LISTED: Final = 5  # the last observation in the model's order; -1 before the first
_TRIED: Final = 6  # whether the observation that is tried first was looked at
_FIRST: Final = 7  # that observation; -1 if it cannot be made here
_COUNT: Final = 8  # how many observations were valued
_WORST: Final = 9  # the worst of them so far
_GOOD: Final = 10  # the action that was best the last time at this level; -1 before the first
_BAD: Final = 11  # the observation that was worst the last time at this level
NUM_MARKS: Final = 12

# numbers of a level
_ALPHA: Final = 0
_BETA: Final = 1
_BEST: Final = 2  # the value of the best action so far
_SO_FAR: Final = 3  # the value of the present action so far: the least, or the sum
NUM_NUMBERS: Final = 4


EXACTLY, AT_LEAST, AT_MOST = range(3)
"""What is known of a node: what it is worth, or a limit."""


@dataclass(frozen=True)
class Transpositions(Compiled):
    """What was found of C nodes, C being a power of two.

    keys: ``uint64[C]``, which node each place holds, with how many levels below it; 0 for none.
    worth: ``float64[C]``.
    kind: ``int8[C]``, EXACTLY, AT_LEAST or AT_MOST.
    action: ``int64[C]``, the best action.
    """

    keys: Keys
    worth: Floats
    kind: Players
    action: Integers

    @staticmethod
    def empty(size: int) -> "Transpositions":
        """Room for ``size`` nodes."""
        return Transpositions(
            np.zeros(size, np.uint64),
            np.zeros(size),
            np.zeros(size, np.int8),
            np.zeros(size, np.int64),
        )

    def place(self, key: Key) -> Any:
        """Where the node with ``key`` is, if it is in the table."""
        return np.int64(key & np.uint64(self.keys.size - 1))


@dataclass(frozen=True)
class DepthFirst(Compiled):
    """A search in progress.

    model: the information-set tree.
    evaluation: NO_EVALUATION, RLA, URLA or URLA_LOG.
    paranoid: whether observations are the worst, or all alike.
    pruning: whether limits cut anything off.
    decision: ``int64[L + 1, Z]``, the decision node at each level.
    acted: ``int64[L, Z]``, the observation node below it.
    actions: ``int64[L, A]``, the actions there.
    marks: ``int64[L, NUM_MARKS]``, numbers: ``float64[L, NUM_NUMBERS]``, counters:
        ``int64[NUM_COUNTERS]``: see above.
    key: ``uint64[L + 1]``, under which the decision node at each level is kept; 0 for none.
    known: what was found of nodes that may be reached again; used with ``pruning`` only.
    """

    model: Any
    evaluation: int
    paranoid: bool
    pruning: bool
    decision: Integers
    acted: Integers
    actions: Integers
    marks: Integers
    numbers: Floats
    counters: Integers
    key: Keys
    known: Transpositions

    def begin(self, limit: int) -> None:
        """Search from the node at level 0 to ``limit`` levels below."""
        self.counters[LIMIT] = limit
        self.counters[DONE] = 0
        self.counters[CUT] = 0
        self._enter(0, -np.inf, np.inf)

    def go_on(self, leaves: int) -> int:
        """Value up to ``leaves`` more leaves, and return how many were valued."""
        counters, made = self.counters, 0
        while made < leaves and counters[DONE] == 0:
            level = counters[LEVEL]
            if self.marks[level, _OBSERVING] == 0:
                self._next_action(level)
            else:
                observation = self._next_observation(level)
                if observation == NO_OBSERVATION:
                    self._finish_action(level)
                else:
                    made += self._descend(level, observation)
        return made

    def _enter(self, level: int, alpha: float, beta: float) -> None:
        """Come to the decision node at ``level``. An action that was best there the last time is
        tried first.
        """
        self.counters[LEVEL] = level
        marks, actions = self.marks[level], self.actions[level]
        count = self.model.legal_actions(self.decision[level], actions)
        first = self._remembered_action(level)
        for index in range(count):
            if actions[index] == first:
                actions[index] = actions[0]
                actions[0] = first
        marks[_NUM_ACTIONS], marks[_NEXT], marks[_CHOSEN], marks[_OBSERVING] = count, 0, 0, 0
        numbers = self.numbers[level]
        numbers[_ALPHA], numbers[_BETA], numbers[_BEST] = alpha, beta, -np.inf

    def _next_action(self, level: int) -> None:
        """Make the next action, or finish the level where there is none that matters."""
        marks, numbers = self.marks[level], self.numbers[level]
        is_cut = self.pruning and numbers[_BEST] >= numbers[_BETA]
        if marks[_NEXT] == marks[_NUM_ACTIONS] or is_cut:
            marks[_GOOD] = self.actions[level, marks[_CHOSEN]]
            self._remember(level)
            if level == 0:
                self.counters[DONE] = 1
                self.counters[BEST] = marks[_CHOSEN]
            else:
                self.counters[LEVEL] = level - 1
                self._take(level - 1, numbers[_BEST])
            return
        acted = self.acted[level]
        copy_into(acted, self.decision[level])
        self.model.act(acted, self.actions[level, marks[_NEXT]])
        marks[_OBSERVING], marks[_TRIED], marks[_COUNT], marks[_WORST] = 1, 0, 0, marks[_BAD]
        marks[_OBSERVATION] = marks[_LISTED] = NO_OBSERVATION
        numbers[_SO_FAR] = np.inf if self.paranoid else 0.0

    def _next_observation(self, level: int) -> int:
        """The next observation that matters: first the one that was worst the last time, then all
        others.
        """
        marks, numbers = self.marks[level], self.numbers[level]
        acted = self.acted[level]
        is_bad = numbers[_SO_FAR] <= max(numbers[_ALPHA], numbers[_BEST])
        if self.paranoid and self.pruning and is_bad:
            return NO_OBSERVATION
        if marks[_TRIED] == 0:
            marks[_TRIED], marks[_FIRST] = 1, NO_OBSERVATION
            if self.model.may_observe(acted, marks[_BAD]):
                marks[_OBSERVATION] = marks[_FIRST] = marks[_BAD]
                return marks[_BAD]
        observation = marks[_LISTED]
        while True:
            observation = self.model.next_observation(acted, observation)
            if observation == NO_OBSERVATION or observation != marks[_FIRST]:
                break
        marks[_LISTED] = marks[_OBSERVATION] = observation
        return observation

    def _descend(self, level: int, observation: int) -> int:
        """Go to the node after an observation; 1 if it is a leaf, which is valued, else 0."""
        below = self.decision[level + 1]
        copy_into(below, self.acted[level])
        self.model.observe(below, observation)
        is_over = self.model.is_over(below)
        if is_over or level + 1 == self.counters[LIMIT]:
            value = self._acquired(below) if is_over or self.evaluation != RLA else 0.0
            if not is_over:
                self.counters[CUT] = 1
                if self.evaluation != NO_EVALUATION:
                    value += self.model.lookahead(below)
            self._take(level, value)
            return 1
        numbers, alpha, beta = self.numbers[level], -np.inf, np.inf
        if self.paranoid:
            alpha = max(numbers[_ALPHA], numbers[_BEST])
            beta = min(numbers[_BETA], numbers[_SO_FAR])
        worth = self._recalled(level + 1, alpha, beta) if self.pruning else np.nan
        if np.isnan(worth):
            self._enter(level + 1, alpha, beta)
        else:
            self._take(level, worth)
        return 0

    def _acquired(self, node: Integers) -> float:
        """What was acquired since the root, on the scale of the evaluation."""
        if self.evaluation == URLA_LOG:
            return self.model.simulated(node)
        return self.model.acquired(node)

    def _at_best(self, node: Integers, left: int) -> float:
        """The most that a search of ``left`` levels from a decision node can find."""
        if self.evaluation == RLA:
            return math.inf
        most = self.model.at_best(node, left)
        if self.evaluation == URLA_LOG and most < 0:
            return -math.log10(max(-most, 1.0))
        return most

    # --- what is known of nodes ---

    def _recalled(self, level: int, alpha: float, beta: float) -> float:
        """What is known of the decision node at ``level``, if that is enough; else NaN."""
        node, left = self.decision[level], self.counters[LIMIT] - level
        self.key[level] = np.uint64(0)
        if self.paranoid:
            most = self._at_best(node, left)
            if most <= alpha:
                return most
        key = self.model.identity(node)
        if key == np.uint64(0):
            return np.nan
        self.key[level] = key
        key = fold(key, left, 0, 0)
        known = self.known
        place = known.place(key)
        if known.keys[place] == key:
            kind, worth = known.kind[place], known.worth[place]
            if (
                kind == EXACTLY
                or (kind == AT_LEAST and worth >= beta)
                or (kind == AT_MOST and worth <= alpha)
            ):
                return worth
        return np.nan

    def _remembered_action(self, level: int) -> int:
        """The action to try first: the best one of the node in the search before, if that is
        known; else the one that was best the last time at this level.
        """
        known = self.known
        if level > 0 and self.pruning and self.key[level] != np.uint64(0):
            left = self.counters[LIMIT] - level
            for deep in range(left, left - 2, -1):
                key = fold(self.key[level], deep, 0, 0)
                place = known.place(key)
                if known.keys[place] == key:
                    return known.action[place]
        return self.marks[level, _GOOD]

    def _remember(self, level: int) -> None:
        """Keep what was found of the decision node at ``level``."""
        if level == 0 or not self.pruning or self.key[level] == np.uint64(0):
            return
        known, numbers = self.known, self.numbers[level]
        key = fold(self.key[level], self.counters[LIMIT] - level, 0, 0)
        place, kind = known.place(key), EXACTLY
        if numbers[_BEST] >= numbers[_BETA]:
            kind = AT_LEAST
        elif numbers[_BEST] <= numbers[_ALPHA]:
            kind = AT_MOST
        known.keys[place], known.worth[place] = key, numbers[_BEST]
        known.kind[place], known.action[place] = kind, self.marks[level, _GOOD]

    # --- coming back ---

    def _take(self, level: int, value: float) -> None:
        """The node after the present observation at ``level`` is worth ``value``."""
        marks, numbers = self.marks[level], self.numbers[level]
        marks[_COUNT] += 1
        if not self.paranoid:
            numbers[_SO_FAR] += value
        elif value < numbers[_SO_FAR]:
            numbers[_SO_FAR] = value
            marks[_WORST] = marks[_OBSERVATION]

    def _finish_action(self, level: int) -> None:
        """All observations after an action were looked at, or enough of them."""
        marks, numbers = self.marks[level], self.numbers[level]
        value = numbers[_SO_FAR] if self.paranoid else numbers[_SO_FAR] / marks[_COUNT]
        if value > numbers[_BEST]:
            numbers[_BEST] = value
            marks[_CHOSEN] = marks[_NEXT]
        marks[_BAD] = marks[_WORST]
        marks[_OBSERVING] = 0
        marks[_NEXT] += 1


def new_depth_first(
    model: Any,
    root: Integers,
    evaluation: int,
    paranoid: bool,
    pruning: bool,
    levels: int,
    known: Transpositions,
) -> DepthFirst:
    """A search of ``model`` from the decision node ``root``, of up to ``levels`` levels."""
    marks = np.zeros((levels + 1, NUM_MARKS), np.int64)
    marks[:, _GOOD], marks[:, _BAD] = -1, HIDDEN
    decision = np.zeros((levels + 1, model.node_size), np.int64)
    decision[0] = root
    return DepthFirst(
        model=model,
        evaluation=evaluation,
        paranoid=paranoid,
        pruning=pruning,
        decision=decision,
        acted=np.zeros((levels + 1, model.node_size), np.int64),
        actions=np.zeros((levels + 1, max(model.max_actions, 1)), np.int64),
        marks=marks,
        numbers=np.zeros((levels + 1, NUM_NUMBERS)),
        counters=np.zeros(NUM_COUNTERS, np.int64),
        key=np.zeros(levels + 1, np.uint64),
        known=known,
    )


def root_value(search: DepthFirst) -> float:
    """What the root is worth, once the search of a depth is finished."""
    return float(search.numbers[0, _BEST])


@kernel
def run(search: DepthFirst, leaves: int) -> int:
    """`DepthFirst.go_on`, compiled."""
    return search.go_on(leaves)
