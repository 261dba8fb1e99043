"""Simultaneous-move Monte Carlo tree search.

Lisy (2014), Section 3.1.1, Fig. 3.1, with the selection rules of `joint_selectors`. An iteration
selects a joint action at each node in memory, and adds the first node that is not in memory. From
there it rolls out uniformly at random, or uses an evaluation function (see
`search.selection.leaf_values`). Then it updates all nodes on its path by the value for player 0.

propagate   With "values" a node is updated by the value of the sample. With "means" (SM-MCTS-A,
            Section 3.1.2) it is updated by the mean of all values that came up from the node below.
            Convergence is proven for "means"; "values" is faster (Section 4.2.1).
result      Visits for DUCT, else the mean strategy. By default the exploration is taken out of the
            mean strategy (Eq. 3.7). With it (Eq. 3.6) the strategy is the one that was actually
            played, which is near an equilibrium of the game in which both players must explore.
move        "max", the default for DUCT, makes the move with most of the result. "mix", the default
            for the other rules, draws moves from it. DUCT keeps trying everything: with the 50
            actions of Oshi-Zumo its visit frequencies are close to random play. Section 4.2.7 uses
            "max".
leaf        With an evaluation function, "evaluate" asks it in the state of the node that was added,
            and "step" makes one more random joint move first. In the thesis, regret matching made
            that move and DUCT did not. That decides its matches of Oshi-Zumo(50,3,1): so set up,
            DUCT wins 61 +- 13 % at 43,000 against 49,000 iterations (printed are 62.0 and 56.8).
            If both evaluate in the same way, DUCT wins 44 %.

What differs from the figure: there is no recursion, because the path is stored on the way down and
walked back up; and moves that are forced for both players have no node.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import MISSING, num_sets
from hiddenhand.jit.observation_keys import Key
from hiddenhand.parameters import parameter
from hiddenhand.search.selection.joint_selectors import JointSelector, make_joint_selector
from hiddenhand.search.selection.leaf_values import leaves_of
from hiddenhand.search.selection.selectors import verify_settings_of
from hiddenhand.search.simultaneous.joint_nodes import JointTraversal, after_chance, after_joint
from hiddenhand.search.simultaneous.simultaneous_search import SimultaneousSearch
from hiddenhand.search.table_search import CountingSearch, LeafParameters, unnamed
from hiddenhand.search.traversal import ADDED, IN_TREE, PLAYOUTS, REFUSED

PROPAGATE: Final = ("values", "means")
MOVES_BY: Final = ("mix", "max")
LEAVES: Final = ("evaluate", "step")


@dataclass(frozen=True, kw_only=True)
class SMMCTSParameters(LeafParameters):
    """The parameters of `SMMCTS`.

    selector: how actions are chosen at a node, "rm" (regret matching on the estimated matrix of the
        node), "drm" (regret matching of each player alone), "exp3" (exponential weights) or "duct"
        (UCT of each player alone); in Python also a `JointSelector`.
    exploration: the constant C of UCT for selector duct, at least 0, in units of the largest
        payoff; 2 by default.
    gamma: the share of uniform play in what selectors rm, drm and exp3 choose, above 0 and below 1;
        by default 0.1 for rm and drm and 0.2 for exp3.
    guaranteed: the probability of a uniformly random action from which nothing is learnt, at least
        0 and below 1, for selectors duct, drm and exp3; rm explores enough by itself.
    ties: which of several equally good actions selector duct takes, "random" (any of them) or
        "first"; with "first", players whose numbers are once equal choose alike for ever.
    tie_tolerance: how far apart bounds count as equal for selector duct with random ties, at least
        0, in units of the largest payoff; 0.01 by default.
    propagate: what a node learns from the node below, "values" (the value of the sample, which is
        faster) or "means" (the mean of all values there, for which convergence is proven).
    move: how the search chooses its move from its result, "mix" (drawn in proportion to it) or
        "max" (the action with the largest share); by default "max" for selector duct, because duct
        keeps trying all actions, and "mix" for the others.
    keep_exploration: whether the result contains the exploration; false takes it out.
    leaf: where the evaluation function gives the value, "evaluate" (in the state of the new node)
        or "step" (one random joint move later).
    """

    selector: str | JointSelector = parameter("rm", positional=True)
    exploration: float | None = None
    gamma: float | None = None
    guaranteed: float = 0.0
    ties: str = "random"
    tie_tolerance: float | None = None
    propagate: str = parameter("values", choices=PROPAGATE)
    move: str | None = parameter(None, choices=MOVES_BY)
    keep_exploration: bool = False
    leaf: str = parameter("evaluate", choices=LEAVES)

    def __post_init__(self) -> None:
        super().__post_init__()
        verify_settings_of(
            self.selector,
            exploration=self.exploration,
            gamma=self.gamma,
            guaranteed=self.guaranteed or None,
            tie_tolerance=self.tie_tolerance,
        )
        if self.leaf == "step" and not self.evaluation:
            raise OptionError(
                f"leaf={self.leaf!r} with evaluation={self.evaluation} is not allowed; choose "
                "evaluate or, with an evaluation function, step"
            )


@Algorithm(
    name="sm-mcts",
    paper="Lisý (2014), thesis, Section 3.1.1; Bošanský, Lisý, Lanctot, Čermák and Winands "
    "(2016), Algorithms for computing strategies in two-player simultaneous move games",
    summary="Simultaneous-move Monte Carlo tree search, with regret matching, Exp3 or decoupled "
    "UCT at each node.",
    games="zero-sum games of two players with simultaneous moves, in which nothing else is hidden",
    guarantee="with selector=rm or exp3 and propagate=means it converges to an approximate "
    "equilibrium; with duct there is no guarantee",
    aliases=("smmcts",),
)
class SMMCTS(CountingSearch, SimultaneousSearch):
    """SM-MCTS of a two-player zero-sum game that hides nothing but what is chosen at the same
    moment.
    """

    PARAMETERS = SMMCTSParameters
    ALGORITHM = "sm-mcts"
    TRAVERSALS = 1
    COUNTS_MARKS = True

    settings: SMMCTSParameters

    def _prepare(self) -> None:
        super()._prepare()
        given = self.settings
        self.rule = self.selector = (
            make_joint_selector(
                given.selector,
                self.rules,
                exploration=given.exploration,
                gamma=given.gamma,
                guaranteed=given.guaranteed,
                ties=given.ties,
                tie_tolerance=given.tie_tolerance,
            )
            if isinstance(given.selector, str)
            else given.selector
        )
        usual = "max" if given.selector == "duct" else "mix"
        self.settings = replace(given, move=given.move or usual)
        self._leaves = leaves_of(self.rules, given.evaluation, after_move=given.leaf == "step")
        self._carrying: Any = Means() if given.propagate == "means" else Values()
        self.extra = self._carrying.SIZE

    def _final(self, sums: Floats, totals: Any, sizes: Any) -> Floats:
        gamma = self.selector.exploration if self.settings.keep_exploration else 0.0
        return np.asarray((1.0 - gamma) * sums + gamma / sizes * totals)

    def _move_probabilities(self, weights: Floats) -> Floats:
        if self.settings.move == "max":
            best = weights == weights.max()
            if self.settings.ties == "first":
                best[int(np.argmax(best)) + 1 :] = False
            return best / best.sum()
        return super()._move_probabilities(weights)

    def _num_known(self) -> int:
        return int((np.diff(self.table.starts[: num_sets(self.table) + 1]) == 1).sum())

    def _parameters(self) -> dict[str, Any]:
        if not isinstance(self.settings.selector, str):
            raise unnamed(self.selector)
        return super()._parameters()

    def _traversal(self) -> "SelectingJointly":
        return SelectingJointly(
            **self._in_common(),
            selector=self._selector_of_streams(self.selector),
            carrying=self._carrying,
        )


@dataclass(frozen=True)
class Values(Compiled):
    """The value of a sample is passed up as it is: SM-MCTS (Fig. 3.1)."""

    SIZE: ClassVar[int] = 0

    def passed_up(self, values: Floats, row: int, u: float) -> float:
        """What the node above learns, if the node below was worth ``u`` in this sample.

        values: the numbers of all rows.
        row: where the numbers for this purpose start in the row of the node below.
        """
        return u


@dataclass(frozen=True)
class Means(Compiled):
    """The mean of all values of a node so far is passed up: SM-MCTS-A (Section 3.1.2). A row holds
    the number of these values, and their sum.
    """

    SIZE: ClassVar[int] = 2

    def passed_up(self, values: Floats, row: int, u: float) -> float:
        """See `Values.passed_up`."""
        values[row] += 1.0
        values[row + 1] += u
        return values[row + 1] / values[row]


@dataclass(frozen=True)
class SelectingJointly(JointTraversal):
    """An iteration of SM-MCTS (Fig. 3.1): select, expand, simulate, update.

    selector: how a joint action is chosen and learnt from, see `joint_selectors`.
    carrying: `Values` or `Means`, what is passed up.
    """

    selector: Any
    carrying: Any

    def iterate(self) -> None:
        """From the root to the end of the game, and back."""
        self.update(self.descend())

    def descend(self) -> np.uint64:
        """Go through memory, add the first node that is not in it, and roll out. Returns how many
        nodes in memory were visited.

        Descent and rollout are one loop: in two, each rule of the game would be compiled twice.
        """
        game, path = self.game, self.path
        node, parent, in_memory, left = self.begin(), -1, True, self.leaves.ROLLOUT
        depth = np.uint64(0)  # an unsigned index is never taken to count from the end
        mover = game.current_player(path.state)
        while mover != TERMINAL and (in_memory or left > 0):
            if mover == CHANCE:
                a, mover = self.move_chance()
                if in_memory:
                    node = after_chance(node, a)
                continue
            n_0, n_1 = self.count_joint(mover)
            a_0, a_1 = 0, 0
            if in_memory and n_0 * n_1 > 1:
                row = self.table.find(node)
                if row == MISSING:
                    row = self.second_visit(node, parent, self.selector.size(n_0, n_1))
                in_memory = row != MISSING
                if in_memory:
                    a_0, a_1 = self.select(depth, row, n_0, n_1)
                    depth += np.uint64(1)
                    parent = row
            if in_memory:
                node = after_joint(node, a_0, a_1)
            elif left == 0:
                break
            else:
                a_0, a_1 = self.choose_at_random(n_0, n_1)
                left -= 1
            mover = self.move_jointly(mover, a_0, a_1)
        if in_memory:
            self.counters[IN_TREE] += 1
        return depth

    def select(self, depth: np.uint64, row: int, n_0: int, n_1: int) -> tuple[int, int]:
        """Choose a joint action at a node in memory, and write the choice into the path."""
        path = self.path
        sigma_0, sigma_1 = path.sigmas(depth)
        node = (self.table.values, self.rule_at(row), n_0, n_1, sigma_0, sigma_1)
        a_0, a_1 = self.selector.select(node, self.rng)
        path.row[depth], path.n_0[depth], path.n_1[depth] = row, n_0, n_1
        path.a_0[depth], path.a_1[depth] = a_0, a_1
        return a_0, a_1

    def rule_at(self, row: int) -> int:
        """Where the numbers of the selection rule begin in a row."""
        return row + 1 + self.carrying.SIZE

    def second_visit(self, node: Key, parent: int, size: int) -> int:
        """The new row of a node that has none, if this is the second visit of the node. Returns
        MISSING if it is the first visit, which leaves a mark, or if there is no room.
        """
        table, counters = self.table, self.counters
        marked, nothing = table.find(~node) != MISSING, 1 - table.per_set
        if marked and table.has_room(1, size):
            row = table.add(node, size)
            table.values[row] = parent
            return row
        counters[PLAYOUTS] += 1
        if marked or not table.has_room(1, nothing):
            counters[REFUSED] += 1
        else:
            table.values[table.add(~node, nothing)] = parent
            counters[ADDED] += 1
        return MISSING

    def update(self, depth: np.uint64) -> None:
        """Walk back up: each node learns what player 0 is paid, or is believed to be."""
        path, values = self.path, self.table.values
        u = self.leaves.payoff(self.game, path.state, 0)
        d = depth
        while d > np.uint64(0):
            d -= np.uint64(1)
            row, n_0, n_1, a_0, a_1 = (
                path.row[d],
                path.n_0[d],
                path.n_1[d],
                path.a_0[d],
                path.a_1[d],
            )
            sigma_0, sigma_1 = path.sigmas(d)
            node = (values, self.rule_at(row), n_0, n_1, sigma_0, sigma_1)
            self.selector.update(node, a_0, a_1, u)
            u = self.carrying.passed_up(values, row + 1, u)
