"""Depth-limited minimax on the information-set tree of one player, deeper and deeper ("MM").

Lisy (2014), thesis at the Czech Technical University in Prague, Section 5.5.1, after Raboin, Nau,
Kuter, Gupta and Svec (2010), who search to a fixed depth; opponent models: Parker, Nau and
Subrahmanian (2006), "Overconfidence or paranoia? Search in imperfect-information games".

1. The depth D is 3 time steps.
2. Alpha-beta to depth D: the best own action, the worst observation, an evaluation at the leaves.
3. Once that is finished, its action is kept, D becomes D + 1, and the search begins again.
4. Where time ends before depth 3 is finished, a random action is made. D never goes beyond the end
   of the match.

The evaluation URLA is relaxed lookahead plus u, what was acquired since the root. The thesis does
not say whether u is the mean size of PP, as relaxed lookahead is a mean, or its logarithm to base
10, as in Equations 5.12 and 5.13: ``urla`` and ``urla_log`` are the two readings. A leaf at which
the match is over is worth what was acquired alone.

Nodes that are reached in several ways are searched once, see below. The action that was best in
the search before, and the observation that was worst the last time at the same level, are tried
first; and a node is left as soon as even seeing the evader in each move to come would not make it
matter. None of that changes a value.

Games without a model of their own are searched by enumerating histories, see `enumerated`.

`DepthFirst` is the part that is compiled. At a decision node the player takes the best action. An
observation node is worth what the worst observation is worth (paranoid), or the mean of all
(overconfident). Limits alpha and beta cut off what cannot matter; with means nothing is cut off. A
stack in arrays takes the place of recursion, so that the search can stop after any number of
leaves, and go on.

Nodes that are reached in several ways, because own units move independently and may change places,
are searched once: what is found of them is kept in a table of transpositions. It also says which
action to try first when the next search comes to the same node. A newer node takes the place of an
older one.

L levels, of which level k is the decision node after k own decisions; A actions; Z the size of a
node.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.games.information_model import HIDDEN, NO_OBSERVATION
from hiddenhand.jit.arrays import Floats, Integers, Keys, Players
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import Key, fold
from hiddenhand.jit.views import copy_into
from hiddenhand.parameters import parameter
from hiddenhand.pursuit.search.model_search import (
    OPPONENTS,
    PARANOID,
    USUAL,
    ModelParameters,
    ModelSearch,
)

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


EVALUATIONS: Final = {"none": NO_EVALUATION, "rla": RLA, "urla": URLA, "urla_log": URLA_LOG}
_DEEPEST: Final = 60
_TRANSPOSITIONS: Final = 2**20
"""Nodes of which is kept what was found, in 25 bytes each."""


@dataclass(frozen=True, kw_only=True)
class ISTMinimaxParameters(ModelParameters):
    """The parameters of `ISTMinimax`.

    evaluation: what a leaf is worth, "rla" (relaxed lookahead), "urla" (relaxed lookahead and what
        was acquired), "urla_log" (the same with the logarithm of what was acquired), "none" or None
        (what was acquired), or "usual": "urla" in games with a model of their own, and in others
        "none", where it is the game's evaluation function if there is one.
    opponent: how observations count, "paranoid" (the worst) or "overconfident" (all alike).
    depth: the first depth, in own moves.
    step: by how much each depth is deeper than the one before.
    deepest: the last depth.
    pruning: whether alpha-beta limits are used; without them it takes longer and finds the same.
    seed: makes no difference, because the search draws nothing at random.
    """

    evaluation: str | None = parameter(USUAL, choices=(USUAL, *EVALUATIONS))
    opponent: str = parameter(PARANOID, choices=OPPONENTS)
    depth: int = parameter(3, least=1)
    step: int = parameter(1, least=1)
    deepest: int = parameter(_DEEPEST, least=1, most=_DEEPEST)
    pruning: bool = True
    seed: int = 0


@Algorithm(
    name="istminimax",
    paper="Lisý (2014), thesis, Section 5.5.1 (MM); after Raboin, Nau, Kuter, Gupta and Svec "
    "(2010), Strategy generation in multi-agent imperfect-information pursuit games, and Parker, "
    "Nau and Subrahmanian (2006), Overconfidence or paranoia?",
    summary="Minimax on the player's information-set tree, deeper and deeper: the best own action "
    "against the worst, or the mean, of what can be noticed.",
    games="games of any number of players, small ones unless they have a model of their "
    "information-set trees",
    guarantee="none: a paranoid player takes the others for better informed than they are",
    searches_chance=False,
)
class ISTMinimax(ModelSearch):
    """Minimax on the player's information-set tree; simultaneous moves are made in turns. An
    iteration is an evaluated leaf.

    Attributes:

    depth_reached: how deep the deepest finished search of the present node was, in own moves.
    value: what that search found, for the player it decides for.
    is_exact: whether that search came to the end of the match everywhere.
    """

    PARAMETERS = ISTMinimaxParameters
    ALGORITHM: ClassVar[str] = "istminimax"
    UNIT: ClassVar[str] = "leaves"
    depth_reached: int = 0
    value: float = 0.0
    is_exact: bool = False

    settings: ISTMinimaxParameters

    def _prepare(self) -> None:
        self._evaluation = self.settings.evaluation or "none"
        if self._evaluation not in (USUAL, "none") and not self.has_model:
            raise OptionError(
                f"evaluation={self._evaluation!r} needs a game with a model of its information-set "
                f"trees, such as VP, which {self.game} is not; use evaluation=none"
            )

    @property
    def _evaluates(self) -> int:
        if self._evaluation == USUAL:
            return URLA if self.has_model else NO_EVALUATION
        return EVALUATIONS[self._evaluation]

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        self._known = Transpositions.empty(_TRANSPOSITIONS if self.has_model else 1)
        super().start(seat, seed)

    def _begin(self, root: Integers) -> None:
        self.depth_reached = 0
        self.value = 0.0
        self.is_exact = False
        levels = min(self.settings.deepest, self.model.max_steps)
        self._search: DepthFirst = new_depth_first(
            self.model,
            root,
            self._evaluates,
            self.paranoid,
            self.settings.pruning,
            levels,
            self._known,
        )
        self._limit = min(self.settings.depth, levels)
        self._most = levels
        self._search.begin(self._limit)

    def _go_on(self, count: int) -> int:
        search = self._search
        made = int(run(search, count) if self._is_compiled else search.go_on(count))
        if search.counters[DONE]:
            self._finish_depth()
        return made

    def _finish_depth(self) -> None:
        search = self._search
        self.depth_reached = self._limit
        self.value = root_value(search)
        self._best = int(search.actions[0, search.counters[BEST]])
        if search.counters[CUT] == 0 or self._limit == self._most:
            self.is_exact = True
            return
        self._limit = min(self._limit + self.settings.step, self._most)
        search.begin(self._limit)

    def _decide(self) -> None:
        if self.depth_reached:
            self._play(self._legal[: self._num_legal].tolist().index(self._best))

    @property
    def _is_settled(self) -> bool:
        return self.is_exact

    def _figures(self) -> dict[str, float]:
        """The depth of the last finished search in own moves, and its value."""
        return {"depth": self.depth_reached, "value": self.value}
