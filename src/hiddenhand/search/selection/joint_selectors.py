"""Selection rules for simultaneous moves: how a search chooses an action for both players at once,
and what it learns from the outcome.

Lisy (2014), Section 3.1.1. At a joint node both players choose, or one of them while the other has
one action. Decoupled rules give each player a selection rule of their own (see `selectors`), which
knows nothing of the other: DUCT, Exp3, decoupled regret matching. Coupled regret matching keeps an
estimate of the matrix.

Each rule is a small frozen dataclass with the same methods, which are compiled into the search.

size(n_0, n_1)                      how many numbers the rule keeps at a node
strategy(player, n_0, n_1)          where among these numbers the player's strategy starts, a run of
                                    n numbers: visits, or sums of the distributions that were used
select(node, rng)                   returns the indices of the actions to try, and writes the
                                    distributions that they were drawn from into the sigmas
update(node, a_0, a_1, u)           learns that actions a_0 and a_1 paid player 0 u and player 1 -u

A node is the tuple (values, row, n_0, n_1, sigma_0, sigma_1) of

values             the numbers of all nodes
row                where the rule's numbers start in ``values``
n_0, n_1           how many actions the players have
sigma_0, sigma_1   room for n_0 and n_1 probabilities

The thesis prints two equations with slips, which its Fig. 2.6 does not have. Eq. 3.8 lacks the
factor 1 - gamma. Eq. 3.9 does not subtract the reward from the regret of the action that earned it.
Rewards of Exp3 and decoupled regret matching are scaled to [0, 1] as in Eq. 3.4.

DUCT must break ties at random, says Section 3.1.1, and the program of the thesis counts bounds
within 0.01 of the best as tied. Breaking exact ties only is not enough: players who once have the
same numbers choose alike for ever. On Goofspiel with cards 0..4 in descending order, with C = 5 and
10 million iterations, nash_conv of two seeds is 0.32 and 0.33 with the tolerance (the thesis
prints a little over 0.35) and 1.06 without it.
"""

import math
from dataclasses import dataclass
from typing import Any, Final

from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import inline
from hiddenhand.jit.random import RandomState, below, uniform
from hiddenhand.jit.sampling import match_regrets, sample
from hiddenhand.jit.views import view
from hiddenhand.search.selection.selectors import UCT, make_selector

JointNode = tuple[Floats, int, int, int, Floats, Floats]
"""A node, as the head of this file describes it."""


class JointRule(Compiled):
    """What a search keeps at a joint node.

    Both methods take numbers of actions, and also arrays of such numbers, one for each of many
    nodes. Then they return arrays.
    """

    def size(self, n_0: Any, n_1: Any) -> Any:
        """How many numbers a node with ``n_0`` and ``n_1`` actions has."""
        raise NotImplementedError

    def strategy(self, player: int, n_0: Any, n_1: Any) -> Any:
        """Where among these numbers the strategy of ``player`` starts."""
        raise NotImplementedError


class JointSelector(JointRule):
    """Base of selection rules for both players."""

    @property
    def exploration(self) -> float:
        """How much uniform play the distributions contain; the strategy leaves it out."""
        return 0.0

    def for_streams(self, streams: int) -> "JointSelector":
        """The same rule for one of several streams (see `search.parallel.streams`), whose rows hold
        a part of all sums, and nothing but sums.
        """
        return self

    def select(self, node: JointNode, rng: RandomState) -> tuple[int, int]:
        raise NotImplementedError

    def update(self, node: JointNode, a_0: int, a_1: int, u: float) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Decoupled(JointSelector):
    """Each player follows a `Selector` of its own, as if the other player were part of the world.

    A node holds the numbers of the selector for player 0, then those for player 1.

    rule: the `Selector`, the same for both players.
    """

    rule: Any

    @property
    def exploration(self) -> float:
        return float(getattr(self.rule, "gamma", 0.0))

    def for_streams(self, streams: int) -> "Decoupled":
        return Decoupled(self.rule.for_streams(streams))

    def size(self, n_0: Any, n_1: Any) -> Any:
        return self._own_size(n_0) + self._own_size(n_1)

    def strategy(self, player: int, n_0: Any, n_1: Any) -> Any:
        return (
            self.rule.STRATEGY * n_0
            if player == 0
            else self._own_size(n_0) + self.rule.STRATEGY * n_1
        )

    def select(self, node: JointNode, rng: RandomState) -> tuple[int, int]:
        values, row, n_0, n_1, sigma_0, sigma_1 = node
        size_0 = self._own_size(n_0)
        a_0 = self.rule.select(view(values, row, size_0), 0, n_0, sigma_0, rng)
        a_1 = self.rule.select(
            view(values, row + size_0, self._own_size(n_1)), 0, n_1, sigma_1, rng
        )
        return a_0, a_1

    def update(self, node: JointNode, a_0: int, a_1: int, u: float) -> None:
        values, row, n_0, n_1, sigma_0, sigma_1 = node
        size_0 = self._own_size(n_0)
        self.rule.update(view(values, row, size_0), 0, n_0, a_0, sigma_0[a_0], u, sigma_0)
        self.rule.update(
            view(values, row + size_0, self._own_size(n_1)), 0, n_1, a_1, sigma_1[a_1], -u, sigma_1
        )

    def _own_size(self, n: Any) -> Any:
        return self.rule.PER_ACTION * n + self.rule.PER_SET


@dataclass(frozen=True)
class CoupledRegretMatching(JointSelector):
    """Regret matching on the estimated matrix (Hart and Mas-Colell 2000; Eqs. 3.10 and 3.11).

    What an action would have paid against the opponent's action is estimated by the mean of that
    cell of the matrix, or by 0 if the cell was never visited. The action's regret grows by this
    estimate minus what was paid. A node holds the regrets and the sums of p without exploration of
    player 0; the same of player 1; and for each cell its visits and its sum of u.

    gamma: the share of uniform play, above 0 and below 1.
    """

    gamma: float = 0.1

    @property
    def exploration(self) -> float:
        return self.gamma

    def size(self, n_0: Any, n_1: Any) -> Any:
        return 2 * (n_0 + n_1) + 2 * n_0 * n_1

    def strategy(self, player: int, n_0: Any, n_1: Any) -> Any:
        return n_0 if player == 0 else 2 * n_0 + n_1

    def select(self, node: JointNode, rng: RandomState) -> tuple[int, int]:
        values, row, n_0, n_1, sigma_0, sigma_1 = node
        match_regrets(values, row, n_0, self.gamma, sigma_0)
        match_regrets(values, row + 2 * n_0, n_1, self.gamma, sigma_1)
        a_0 = sample(rng, sigma_0, n_0)
        a_1 = sample(rng, sigma_1, n_1)
        return a_0, a_1

    def update(self, node: JointNode, a_0: int, a_1: int, u: float) -> None:
        values, row, n_0, n_1, sigma_0, sigma_1 = node
        regret_0, sum_0 = view(values, row, n_0), view(values, row + n_0, n_0)
        regret_1, sum_1 = view(values, row + 2 * n_0, n_1), view(values, row + 2 * n_0 + n_1, n_1)
        cells = view(values, row + 2 * (n_0 + n_1), 2 * n_0 * n_1)
        floor_0, floor_1 = self.gamma / n_0, self.gamma / n_1
        of_taken_0, of_taken_1 = regret_0[a_0], regret_1[a_1]
        for b in range(n_0):
            regret_0[b] += _mean(cells, b * n_1 + a_1) - u
            sum_0[b] += sigma_0[b] - floor_0
        for b in range(n_1):
            regret_1[b] -= _mean(cells, a_0 * n_1 + b) - u
            sum_1[b] += sigma_1[b] - floor_1
        regret_0[a_0], regret_1[a_1] = of_taken_0, of_taken_1  # the actions taken have no regret
        cell = a_0 * n_1 + a_1
        cells[2 * cell] += 1.0
        cells[2 * cell + 1] += u


@inline
def _mean(cells: Floats, cell: int) -> float:
    """The mean of a cell with its visits and its sum of u, 0 before the first visit."""
    return cells[2 * cell + 1] / max(cells[2 * cell], 1.0)


@dataclass(frozen=True)
class Exploring(Compiled):
    """A `Selector` with guaranteed exploration (Definition 3.1.2): sometimes any action is taken,
    and the selector learns nothing from it.

    A row is that of the selector, and one number that says whether the last action was taken that
    way.

    rule: the `Selector`.
    epsilon: the probability of taking any action, above 0 and below 1.
    """

    rule: Any
    epsilon: float

    @property
    def PER_ACTION(self) -> int:  # noqa: N802 - a constant of other rules
        return self.rule.PER_ACTION

    @property
    def PER_SET(self) -> int:  # noqa: N802
        return self.rule.PER_SET + 1

    @property
    def STRATEGY(self) -> int:  # noqa: N802
        return self.rule.STRATEGY

    @property
    def gamma(self) -> float:
        return float(getattr(self.rule, "gamma", 0.0))

    def for_streams(self, streams: int) -> "Exploring":
        return Exploring(self.rule.for_streams(streams), self.epsilon)

    def select(self, values: Floats, row: int, n: int, sigma: Floats, rng: RandomState) -> int:
        explores = uniform(rng) < self.epsilon
        values[self._flag(row, n)] = 1.0 if explores else 0.0
        return below(rng, n) if explores else self.rule.select(values, row, n, sigma, rng)

    def update(
        self, values: Floats, row: int, n: int, a: int, p: float, reward: float, sigma: Floats
    ) -> None:
        if values[self._flag(row, n)] == 0.0:
            self.rule.update(values, row, n, a, p, reward, sigma)

    def _flag(self, row: int, n: int) -> int:
        return row + self.rule.PER_ACTION * n + self.rule.PER_SET


@dataclass(frozen=True)
class FirstUCT(UCT):
    """UCT that takes the first of all actions with the same bound, and the first of those never
    tried. Section 3.1.1 warns of this form.
    """

    def _untried(self, values: Floats, row: int, n: int, which: int) -> int:
        for a in range(n):
            if values[row + a] == 0.0:
                return a
        return n - 1


JOINT_SELECTORS: Final = ("duct", "exp3", "drm", "rm")
TIES: Final = ("random", "first")


def make_joint_selector(
    name: str,
    game: Game,
    *,
    exploration: float | None = None,
    gamma: float | None = None,
    guaranteed: float = 0.0,
    ties: str = "random",
    tie_tolerance: float | None = None,
) -> JointSelector:
    """The selection rule called ``name`` (one of `JOINT_SELECTORS`) for ``game``. Raises
    OptionError.

    name: "duct" (UCT of each player alone), "exp3" (exponential weights), "drm" (regret matching of
        each player alone) or "rm" (regret matching on the estimated matrix of the node).
    game: the game, whose largest payoff scales the rule.
    exploration: the constant C of duct, at least 0, in units of the largest payoff, which is half
        the range of payoffs; 2 by default.
    gamma: the share of uniform play in what exp3, drm and rm choose, above 0 and below 1; by
        default 0.2 for exp3 and 0.1 for drm and rm.
    guaranteed: the probability of a uniformly random action from which nothing is learnt, at least
        0 and below 1, see `Exploring`; not for rm, which explores enough by itself.
    ties: which of several actions with equal bounds duct takes, "random" (any of them) or "first".
    tie_tolerance: how far apart bounds count as equal for duct with random ties, at least 0, in
        units of the largest payoff; 0.01 by default. With 0, players whose numbers are once equal
        choose alike for ever.
    """
    if name not in JOINT_SELECTORS:
        raise OptionError(
            f"there is no selection rule {name!r} for simultaneous moves; choose one of: "
            f"{', '.join(JOINT_SELECTORS)}"
        )
    if exploration is not None and (name != "duct" or not 0 <= exploration < math.inf):
        raise OptionError(
            f"exploration={exploration} is not allowed for {name}; it is duct's constant, at least "
            "0, in units of the largest payoff"
        )
    if gamma is not None and (name == "duct" or not 0 < gamma < 1):
        raise OptionError(
            f"gamma={gamma} is not allowed for {name}; it is the exploration of exp3, drm and rm, "
            "above 0 and below 1"
        )
    if not 0 <= guaranteed < 1 or (guaranteed > 0 and name == "rm"):
        raise OptionError(
            f"guaranteed={guaranteed} is not allowed for {name}; it is extra exploration of duct, "
            "exp3 and drm, at least 0 and below 1"
        )
    if ties not in TIES or (ties != "random" and name != "duct"):
        raise OptionError(
            f"ties={ties!r} is not allowed for {name}; choose random or, for duct, first"
        )
    if tie_tolerance is not None and (
        name != "duct" or ties == "first" or not 0 <= tie_tolerance < math.inf
    ):
        raise OptionError(
            f"tie_tolerance={tie_tolerance} is not allowed for {name} with ties={ties}; it is for "
            "duct"
            " with random ties, at least 0, in units of the largest payoff"
        )
    if name == "rm":
        return CoupledRegretMatching(0.1 if gamma is None else float(gamma))
    rule = _own_rule(name, game, exploration, gamma, ties, tie_tolerance)
    return Decoupled(Exploring(rule, float(guaranteed)) if guaranteed > 0 else rule)


def _own_rule(
    name: str,
    game: Game,
    exploration: float | None,
    gamma: float | None,
    ties: str,
    tie_tolerance: float | None,
) -> Any:
    if name == "duct" and ties == "first":
        return FirstUCT(
            (2.0 if exploration is None else float(exploration)) * float(game.max_utility)
        )
    if name == "duct":
        return make_selector("ruct", game, exploration=exploration, tie_tolerance=tie_tolerance)
    if name == "exp3":
        return make_selector("exp3", game, gamma=0.2 if gamma is None else gamma)
    return make_selector("rm", game, gamma=0.1 if gamma is None else gamma)
