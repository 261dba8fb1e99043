"""How good the values are with which resolving by sampling goes on, and how exploitable it can be.

Sustr, Kovarik and Lisy (2019). A search from the root estimates what each history that enters a
next public state is worth to the opponent. Three things are measured or computed.

- `averaging_error` (Section 5.4.1, Figure 2 left): in a game with one equilibrium, how far the
  averages of Eq. 5 and Eq. 6 are from the values of the equilibrium. The figure shows the mover's
  values v1(root, a), and Eq. 5 as printed divides by the number of samples T; both forms are
  measured, see `ErrorPoint`.
- `value_stability` (Section 5.4.2, Figure 3): how much the values of the sets in Omega still change
  until the end, and how exploitable the mean strategy is meanwhile. Omega consists of the
  opponent's augmented sets in the public states in which the searcher acts for the second time. For
  the first move no values are needed.
- `mccr_bound` (Theorem 4.1): how exploitable MCCR is at most, with some probability.

t(J)    the value of the set J in payoffs, as gadgets use it: the mean of the values of its
        histories, weighed by pi_{-o} of the mean strategy
v(J)    the counterfactual value, t(J) sum_J pi_{-o}(h), which the paper plots

The searcher is in seat 0 unless another seat is given. A history of which nothing is known counts
as a payoff of 0. The paper's exploitability is half of `nash_conv`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import OptionError
from hiddenhand.evaluation.tracing import trace
from hiddenhand.games.base import TERMINAL, Game
from hiddenhand.jit.arrays import Flags, Floats, Indices, Keys, Players
from hiddenhand.jit.kernels import kernel
from hiddenhand.search.belief.public_states import FIRST_HISTORY, Frontier, next_history
from hiddenhand.search.resolving.gadgets import root_gadget
from hiddenhand.search.resolving.history_values import PLAIN, VISITS
from hiddenhand.search.resolving.mccr import VALUES, SamplingResolver
from hiddenhand.solvers.linear_program import solve_lp
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand.trees.profile import history_values, nash_conv, reach_probabilities
from hiddenhand.trees.strategy import strategy_from_weights, weights_from_table
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import multiply_down

AVERAGES: Final = tuple(name for name in VALUES if name != "exact")
_MEMORY: Final = 2**30


@dataclass(frozen=True)
class Omega:
    """The opponent's augmented sets in the public states in which the searcher acts for the second
    time. Their values are wanted then.

    seat: the searcher.
    histories: ``int64[F]``, the numbers of the histories that enter those public states.
    set: ``int64[F]``, the number of the set that each history is in.
    size: how many sets there are.
    """

    seat: int
    histories: npt.NDArray[np.intp]
    set: npt.NDArray[np.intp]
    size: int


@dataclass(frozen=True)
class StabilityPoint:
    """How far the values were from their last ones after some iterations, over seeds.

    at: the iterations.
    payoffs: how much t(J) differs from the t(J) at the end, as the mean over Omega.
    values: how much v(J) differs from the v(J) at the end, as the mean over Omega.
    nash_conv: of the mean strategy.
    """

    at: int
    payoffs: Interval
    values: Interval
    nash_conv: Interval


@dataclass(frozen=True)
class Stability:
    """How values settle in a search from the root.

    game: the game, with moves in turns.
    seat: the player who searches.
    sets: how many sets of the opponent are in Omega.
    averages: how values are averaged, one of `AVERAGES`.
    epsilon: how much the search explores, above 0 and at most 1.
    seeds: the seeds of the runs.
    curve: how far the values were from the last ones, after more and more iterations.
    """

    game: Game
    seat: int
    sets: int
    averages: str
    epsilon: float
    seeds: tuple[int, ...]
    curve: tuple[StabilityPoint, ...]


@dataclass(frozen=True)
class ErrorPoint:
    """After some iterations, over seeds: the mean distance of the values from the equilibrium's.

    at: the iterations.
    weighted: of the opponent's values, by Eq. 6.
    arithmetic: of the opponent's values, by Eq. 5 divided by the sum of its weights.
    mover: of the mover's values, v1(root, a) where the mover moves first: sums of u / l, divided by
        the sum of 1 / l.
    mover_printed: of the same sums, divided as printed by the number of traversals, T.

    The last does not converge. A traversal for the opponent never samples an action that the mover
    would not play, and Eq. 5 counts that as a payoff of 0. In biased rock, paper, scissors over six
    seeds ``mover`` comes to 0.003 and 0.017 after 3 million iterations for b = 10 and 100, while
    ``mover_printed`` stays at 0.05 and 0.08.
    """

    at: int
    weighted: Interval
    arithmetic: Interval
    mover: Interval
    mover_printed: Interval


@dataclass(frozen=True)
class AveragingError:
    """How far the averages are from the values of an equilibrium.

    game: the game, searched from its root.
    seat: the player who searches.
    epsilon: how much the search explores, in (0, 1].
    seeds: of the runs.
    curve: the distances after more and more iterations.
    """

    game: Game
    seat: int
    epsilon: float
    seeds: tuple[int, ...]
    curve: tuple[ErrorPoint, ...]


@dataclass(frozen=True)
class Bound:
    """Theorem 4.1, and what goes into it.

    exploitability: the bound.
    probability: (1 - p)^(N + 1), with which the bound holds.
    information_sets: |I_i|.
    spread: Delta_{u,i}, the largest payoff less the smallest.
    actions: A_i, the most actions in an information set.
    delta: the least probability of sampling a terminal history.
    resolvings: N.
    preplay: T_0, iterations before play.
    iterations: T_R, iterations of each resolving.
    """

    exploitability: float
    probability: float
    information_sets: int
    spread: float
    actions: int
    delta: float
    resolvings: int
    preplay: int
    iterations: int


def omega(tree: GameTree, seat: int = 0) -> Omega:
    """The sets in Omega, and the histories that they are entered by."""
    moved, entry = _moves(tree, seat)
    second = np.unique(tree.keys[(tree.player == seat) & (moved == 1), -1])
    histories = np.flatnonzero(
        entry & (tree.player != TERMINAL) & np.isin(tree.keys[:, -1], second)
    )
    keys, number = np.unique(tree.keys[histories, 1 - seat], return_inverse=True)
    return Omega(seat, histories, number.ravel(), keys.size)


def value_stability(
    tree: GameTree,
    looks: Sequence[int],
    seeds: Sequence[int],
    *,
    seat: int = 0,
    averages: str = "weighted",
    epsilon: float = 0.6,
) -> Stability:
    """Search from the root, and compare the values at several looks with those at the last look.
    Raises OptionError.

    tree: the game, written out.
    looks: after how many iterations to look, in increasing order.
    seeds: the seeds of the runs.
    seat: the player who searches.
    averages: how values are averaged, one of `AVERAGES`.
    epsilon: how much the search explores, above 0 and at most 1.
    """
    looks = _verified(looks)
    if averages not in AVERAGES:
        raise OptionError(
            f"averages={averages!r} is not allowed; choose one of: {', '.join(AVERAGES)}"
        )
    wanted = omega(tree, seat)
    rows = np.array([_settling(tree, wanted, looks, seed, averages, epsilon) for seed in seeds])
    curve = (
        StabilityPoint(at, *(mean_interval(rows[:, place, column].tolist()) for column in range(3)))
        for place, at in enumerate(looks)
    )
    return Stability(tree.game, seat, wanted.size, averages, epsilon, tuple(seeds), tuple(curve))


def averaging_error(
    tree: GameTree,
    looks: Sequence[int],
    seeds: Sequence[int],
    *,
    seat: int = 0,
    epsilon: float = 0.6,
) -> AveragingError:
    """Search from the root, and compare the values of the histories right after the first move of
    ``seat`` with those of an equilibrium. This makes sense in games with only one equilibrium. In a
    matrix game these values are those of the actions at the root, for the opponent. Raises
    OptionError.

    tree: the game, written out.
    looks: after how many iterations to compare, in increasing order.
    seeds: the seeds of the runs.
    seat: the player who searches.
    epsilon: how much the search explores, above 0 and at most 1.
    """
    looks = _verified(looks)
    entered = _after_first_move(tree, seat)
    right = history_values(tree, solve_lp(tree).profile)[entered, 1 - seat]
    frontier = _frontier(tree, entered)
    errors = {
        name: np.zeros((len(seeds), len(looks))) for name in (*AVERAGES, "mover", "mover_printed")
    }
    for averages in AVERAGES:
        for row, seed in enumerate(seeds):
            resolver = _resolver(tree, seat, seed, averages, epsilon)
            for place, found in enumerate(_looking(resolver, frontier, looks)):
                errors[averages][row, place] = np.abs(found - right).mean()
                sums = resolver.collected(frontier)  # the same whatever is averaged
                movers = _movers_values(sums, traversals=2 * looks[place])
                for name, values in zip(("mover", "mover_printed"), movers, strict=True):
                    errors[name][row, place] = np.abs(values + right).mean()
    curve = (
        ErrorPoint(
            at, **{name: mean_interval(error[:, place].tolist()) for name, error in errors.items()}
        )
        for place, at in enumerate(looks)
    )
    return AveragingError(tree.game, seat, epsilon, tuple(seeds), tuple(curve))


def _movers_values(sums: Floats, traversals: int) -> tuple[Floats, Floats]:
    """What the other player is paid from each history on; 0 where nothing is known.

    sums: ``float64[F, 4]``, what the resolver has collected.
    traversals: how many traversals were made.

    Returns ``float64[F]`` twice: the sum of payoffs divided by the sum of weights, and divided by
    the number of traversals.
    """
    visits = sums[:, VISITS]
    return -sums[:, PLAIN] / np.where(visits > 0, visits, 1.0), -sums[:, PLAIN] / traversals


def mccr_bound(
    tree: GameTree, player: int, *, epsilon: float, preplay: int, iterations: int, p: float = 0.05
) -> Bound:
    """How exploitable the strategy of a player is at most when MCCR plays it. Raises OptionError.

    tree: the game, written out.
    player: the player whose strategy it is.
    epsilon: how much the search explores, above 0 and at most 1.
    preplay: T_0, the iterations before play.
    iterations: T_R, the iterations of each resolving.
    p: in the theorem; the bound holds with a probability of (1 - p)^(N + 1). Above 0 and below 1.

    The delta of the theorem is the least probability with which the moves of the player and of
    chance to some end of the game are sampled; the opponent's part cancels. N is the most public
    states with a move of the player that a match can pass.
    """
    if not 0 < p < 1:
        raise OptionError(f"p={p} is not allowed; give a probability above 0 and below 1")
    own = np.flatnonzero(tree.set_player == player)
    sizes = np.diff(tree.set_start)
    paid = tree.utility[:, player]
    spread, actions = float(paid.max() - paid.min()), int(sizes[own].max())
    delta = _least_sampled(tree, player, epsilon)
    resolvings = _most_resolvings(tree, player)
    scale = (math.sqrt(2.0 / p) + 1.0) * own.size * spread * math.sqrt(actions) / delta
    bound = scale * (2.0 / math.sqrt(preplay) + (2 * resolvings - 1) / math.sqrt(iterations))
    return Bound(
        bound,
        (1.0 - p) ** (resolvings + 1),
        own.size,
        spread,
        actions,
        delta,
        resolvings,
        preplay,
        iterations,
    )


def _verified(looks: Sequence[int]) -> tuple[int, ...]:
    if not looks or looks[0] < 1 or any(later <= earlier for earlier, later in pairwise(looks)):
        raise OptionError(
            f"looks={list(looks)} is not allowed; give numbers of iterations, each larger than the "
            "one before"
        )
    return tuple(looks)


def _settling(
    tree: GameTree, wanted: Omega, looks: Sequence[int], seed: int, averages: str, epsilon: float
) -> Floats:
    """``float64[L, 3]``: at each look the mean change until the end of t(J) and v(J), and
    nash_conv.
    """
    resolver = _resolver(tree, wanted.seat, seed, averages, epsilon)
    payoffs, values, gaps = list[Floats](), list[Floats](), list[float]()
    for found in _looking(resolver, _frontier(tree, wanted.histories), looks):
        profile = strategy_from_weights(
            tree.game, weights_from_table(resolver.table, resolver.COLUMN)
        ).on(tree)
        reach = reach_probabilities(tree, profile)[wanted.histories]
        others = reach[:, wanted.seat] * reach[:, -1]
        value = np.asarray(np.bincount(wanted.set, others * found, wanted.size), np.float64)
        mass = np.bincount(wanted.set, others, wanted.size)
        plain = np.bincount(wanted.set, found, wanted.size) / np.bincount(wanted.set)
        payoffs.append(np.where(mass > 0, value / np.where(mass > 0, mass, 1.0), plain))
        values.append(value)
        gaps.append(nash_conv(tree, profile))
    changes = [[float(np.abs(now - rows[-1]).mean()) for now in rows] for rows in (payoffs, values)]
    return np.column_stack([*changes, gaps])


def _resolver(
    tree: GameTree, seat: int, seed: int, averages: str, epsilon: float
) -> SamplingResolver:
    """A resolver that searches from the root, and collects values of the histories after the first
    move of ``seat``.
    """
    resolver = SamplingResolver(
        epsilon=epsilon, values=averages, focus=0.0, baseline="off", memory=_MEMORY
    )
    resolver.start(tree.game, seed)
    resolver.begin(root_gadget(tree.game, seat), 0, moves=1)
    return resolver


def _looking(
    resolver: SamplingResolver, entered: Frontier, looks: Sequence[int]
) -> Iterator[Floats]:
    """The values ``float64[F]`` of the histories ``entered``, after each number of iterations in
    ``looks``; 0 where the resolver knows nothing.
    """
    for point in trace(resolver.think, lambda: resolver.values(entered)[0], iterations=looks):
        yield np.nan_to_num(point.value)


def _frontier(tree: GameTree, histories: npt.NDArray[np.intp]) -> Frontier:
    """A frontier of ``histories``, in which only their keys mean anything."""
    names = np.full(tree.num_histories, FIRST_HISTORY)
    _name_histories(tree.parent, tree.first_child, names)
    size, players = histories.size, tree.num_players
    return Frontier(
        state=np.zeros((size, 0), np.int64),
        keys=tree.keys[histories],
        history=names[histories],
        weight=np.ones(size),
        reach=np.ones((size, players + 1)),
        focus=np.zeros(size, np.bool_),
    )


def _after_first_move(tree: GameTree, seat: int) -> npt.NDArray[np.intp]:
    """The histories that enter a public state by the first move of ``seat``."""
    moved, entry = _moves(tree, seat)
    return np.flatnonzero(
        entry & (tree.player != TERMINAL) & (moved == 1) & (tree.player[tree.parent] == seat)
    )


def _moves(tree: GameTree, seat: int) -> tuple[Indices, Flags]:
    """``int32[H]``: in how many public states ``seat`` has moved before the present one;
    ``bool[H]``: whether the history enters a public state.
    """
    moved, entry = np.zeros(tree.num_histories, np.int32), np.zeros(tree.num_histories, np.bool_)
    _count_moves(tree.player, tree.parent, tree.keys, seat, moved, entry)
    return moved, entry


def _most_resolvings(tree: GameTree, player: int) -> int:
    """In how many public states ``player`` moves at most, in one history."""
    moved, _ = _moves(tree, player)
    return int(moved[tree.player == player].max()) + 1


def _least_sampled(tree: GameTree, player: int, epsilon: float) -> float:
    own = tree.player[tree.parent] == player
    own[0] = False
    factors = np.where(
        own, epsilon / np.maximum(tree.num_children[tree.parent], 1), tree.probability
    )
    multiply_down(tree.parent, factors)
    return float(factors[tree.terminal].min())


# --- kernels ---


@kernel
def _count_moves(
    player: Players,
    parent: Indices,
    keys: Keys,
    seat: int,
    moved: Indices,
    entry: Flags,
) -> None:
    here = np.zeros(parent.size, np.bool_)  # whether the seat has moved in the present public state
    public = keys.shape[1] - 1
    entry[0] = True
    for h in range(1, parent.size):
        before = parent[h]
        moves = here[before] or player[before] == seat
        entry[h] = keys[h, public] != keys[before, public]
        moved[h] = moved[before] + (1 if entry[h] and moves else 0)
        here[h] = moves and not entry[h]


@kernel
def _name_histories(parent: Indices, first_child: Indices, names: Keys) -> None:
    for h in range(1, parent.size):
        names[h] = next_history(names[parent[h]], h - first_child[parent[h]])
