"""Simultaneous-move Monte Carlo tree search.

Lisy (2014), Section 3.1.1, Fig. 3.1, with the selection rules of `joint_selectors`. An iteration
selects a joint action at each node in memory, adds the first node that is not, rolls out from there
uniformly at random (or asks an evaluation function, see `leaves`), and updates all nodes on its
path by the value for player 0.

propagate   "values": each node is updated by the value of the sample; "means" (SM-MCTS-A, Section
            3.1.2): by the mean of all values that came up from the node below. Convergence is
            proven for the second; the first is faster (Section 4.2.1).
result      visits for DUCT, else the mean strategy, by default without the exploration mixed into
            it (Eq. 3.7). With it (Eq. 3.6) the strategy is the one that was actually played, near
            an equilibrium of the game in which both must explore.
move        "max", the default for DUCT, makes the move with most of the result; "mix", the default
            for the others, draws moves from it. DUCT keeps trying everything: with the 50 actions
            of Oshi-Zumo its visit frequencies are close to random play (Section 4.2.7: "max").
leaf        with an evaluation function: "evaluate" asks it in the state of the node that was added;
            "step" makes one more random joint move first. The thesis' regret matching stepped and
            its DUCT did not. That decides its matches of Oshi-Zumo(50,3,1): so set up, DUCT wins 61
            +- 13 % at 43,000 against 49,000 iterations (printed are 62.0 and 56.8); evaluated alike
            it wins 44 %.

What differs from the figure: no recursion (a path is stored on the way down and walked back up).
Moves that are forced for both have no node.
"""

from dataclasses import replace
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.kernels import inline, kernel_apart
from hiddenhand.compiled.keys import Key
from hiddenhand.compiled.random import RandomState
from hiddenhand.compiled.table import MISSING, InformationSetTable, num_sets
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.search.joint.following import (
    JointPath,
    Means,
    Root,
    SimultaneousSearch,
    Values,
    after_chance,
    after_joint,
    begin_at,
    count_joint,
    move_chance,
    move_jointly,
    play_on,
)
from hiddenhand.search.rules.joint_selectors import JointSelector, make_joint_selector
from hiddenhand.search.thinking import (
    ADDED,
    DEFAULT_MEMORY,
    IN_TREE,
    ITERATIONS,
    MOVES,
    PLAYOUTS,
    REFUSED,
)
from hiddenhand.trees.strategy import Weights

PROPAGATE: Final = ("values", "means")
MOVES_BY: Final = ("mix", "max")
LEAVES: Final = ("evaluate", "step")


class SMMCTS(SimultaneousSearch):
    """SM-MCTS of a two-player zero-sum game that hides nothing but what is chosen at the same
    moment.

    selector: "duct", "exp3", "drm" (decoupled regret matching), "rm" (coupled), or a
    `JointSelector` of your own. exploration, gamma, guaranteed, ties, tie_tolerance: of the
    selection rule, see `make_joint_selector`. propagate: "values" or "means". move: "mix" plays in
    proportion to the result, "max" the action with most of it (of several such any, or with
    ``ties`` "first" the first); unless said, "max" for DUCT and "mix" for all others.
    keep_exploration: leave the exploration in the result. evaluation: the game's evaluation
    function instead of rollouts; leaf: "evaluate" or "step", where it is asked. memory: bytes that
    its table may take, also while it grows. Equal seeds and iterations give equal results to the
    last bit.
    """

    ALGORITHM = "smmcts"
    TRAVERSALS = 1

    def __init__(
        self,
        game: Game,
        selector: str | JointSelector = "rm",
        *,
        exploration: float | None = None,
        gamma: float | None = None,
        guaranteed: float = 0.0,
        ties: str = "random",
        tie_tolerance: float | None = None,
        propagate: str = "values",
        move: str | None = None,
        keep_exploration: bool = False,
        evaluation: bool = False,
        leaf: str = "evaluate",
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
    ) -> None:
        if propagate not in PROPAGATE:
            raise OptionError(
                f"propagate={propagate!r} is not allowed; choose one of: {', '.join(PROPAGATE)}"
            )
        if move not in (None, *MOVES_BY):
            raise OptionError(f"move={move!r} is not allowed; choose one of: {', '.join(MOVES_BY)}")
        if leaf not in LEAVES or (leaf == "step" and not evaluation):
            raise OptionError(
                f"leaf={leaf!r} with evaluation={evaluation} is not allowed; choose evaluate or, "
                "with an evaluation function, step"
            )
        own: dict[str, Any] = {
            "exploration": exploration,
            "gamma": gamma,
            "guaranteed": guaranteed,
            "ties": ties,
            "tie_tolerance": tie_tolerance,
        }
        self._named = {"selector": selector, **own}
        self.selector = (
            make_joint_selector(selector, game, **own) if isinstance(selector, str) else selector
        )
        self.propagate = propagate
        self.move = move or ("max" if selector == "duct" else "mix")
        self.keep_exploration = keep_exploration
        self.leaf = leaf
        self._carrying: Any = Means() if propagate == "means" else Values()
        super().__init__(
            game,
            self.selector,
            extra=self._carrying.SIZE,
            evaluation=evaluation,
            after_move=leaf == "step",
            memory=memory,
            seed=seed,
        )

    def _final(self, sums: Floats, totals: Any, sizes: Any) -> Floats:
        gamma = self.selector.exploration if self.keep_exploration else 0.0
        return np.asarray((1.0 - gamma) * sums + gamma / sizes * totals)

    def _move_probabilities(self, weights: Floats) -> Floats:
        if self.move == "max":
            best = weights == weights.max()
            if self._named["ties"] == "first":
                best[int(np.argmax(best)) + 1 :] = False
            return best / best.sum()
        return super()._move_probabilities(weights)

    def count_samples(self) -> None:
        """What is accumulated counts samples in any case: all of them add the same mass."""

    def weights(self) -> Weights:
        """See `SimultaneousSearch.weights`."""
        found = super().weights()
        return replace(found, visits=found.mass)

    def _num_known(self) -> int:
        return int((np.diff(self.table.starts[: num_sets(self.table) + 1]) == 1).sum())

    def _parameters(self) -> dict[str, Any]:
        if not isinstance(self._named["selector"], str):
            raise FileError(
                f"a search by {self.selector} cannot be written to a file; name one of our "
                "selection rules, or keep the search's strategy"
            )
        own = ("propagate", "move", "keep_exploration", "evaluation", "leaf", "memory", "seed")
        return self._named | {name: getattr(self, name) for name in own}

    def _iterate(self, count: int) -> int:
        before = int(self._counters[ITERATIONS])
        self._make_room()
        _run(
            self.rules,
            self.selector,
            self._carrying,
            self._frontier,
            self.table,
            self._root,
            self._path,
            count,
            self._rng,
            self._counters,
        )
        return int(self._counters[ITERATIONS]) - before


@kernel_apart
def _run(
    game: Any,
    selector: Any,
    carrying: Any,
    frontier: Any,
    table: InformationSetTable,
    root: Root,
    path: JointPath,
    count: int,
    rng: RandomState,
    counters: Integers,
) -> None:
    """Up to ``count`` iterations; ends early when a table has to grow. Modifies table, rng and
    counters in place.
    """
    for _ in range(count):
        if not table.is_ready():
            return
        _iteration(game, selector, carrying, frontier, table, root, path, rng, counters)
        counters[ITERATIONS] += 1


@inline
def _iteration(
    game: Any,
    selector: Any,
    carrying: Any,
    frontier: Any,
    table: InformationSetTable,
    root: Root,
    path: JointPath,
    rng: RandomState,
    counters: Integers,
) -> None:
    """Fig. 3.1: select, expand, simulate, update."""
    first = 1 + carrying.SIZE  # where in a row the rule's numbers begin
    node, parent = begin_at(root, path), -1
    depth, in_memory = np.uint64(0), True  # an unsigned index is never taken to count from the end
    mover = game.current_player(path.state)
    while mover != TERMINAL:
        if mover == CHANCE:
            node = after_chance(node, move_chance(game, path, rng))
        else:
            n_0, n_1 = count_joint(game, mover, path)
            a_0, a_1 = 0, 0
            if n_0 * n_1 > 1:
                row = table.find(node)
                if row == MISSING:
                    row = _second_visit(table, node, parent, selector.size(n_0, n_1), counters)
                if row == MISSING:
                    in_memory = False
                    break
                sigma_0, sigma_1 = path.sigmas(depth)
                a_0, a_1 = selector.select(
                    table.values, row + first, n_0, n_1, sigma_0, sigma_1, rng
                )
                (
                    path.row[depth],
                    path.n_0[depth],
                    path.n_1[depth],
                    path.a_0[depth],
                    path.a_1[depth],
                ) = row, n_0, n_1, a_0, a_1
                depth += np.uint64(1)
                parent = row
            node = after_joint(node, a_0, a_1)
            move_jointly(game, mover, a_0, a_1, path)
        counters[MOVES] += 1
        mover = game.current_player(path.state)
    if in_memory:
        counters[IN_TREE] += 1
    else:
        play_on(game, path, frontier.ROLLOUT, rng, counters)
    u = frontier.payoff(game, path.state, 0)
    while depth > np.uint64(0):
        depth -= np.uint64(1)
        row = path.row[depth]
        sigma_0, sigma_1 = path.sigmas(depth)
        selector.update(
            table.values,
            row + first,
            path.n_0[depth],
            path.n_1[depth],
            path.a_0[depth],
            path.a_1[depth],
            sigma_0,
            sigma_1,
            u,
        )
        u = carrying.passed_up(table.values, row + 1, u)


@inline
def _second_visit(
    table: InformationSetTable, node: Key, parent: int, size: int, counters: Integers
) -> int:
    """The new row of a node that has none, if this is its second visit. MISSING if it is the first,
    which leaves a mark, or for want of room.
    """
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
