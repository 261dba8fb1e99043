"""SM-MCTS on all games of two joint moves with two actions, as fast as machine code goes.

Lisy (2014), Section 4.2.2: a search through all games of depth 2 with 2 actions whose payoffs are
0, 0.5 and 1. There are 3**16 of them. Games that differ only in the order of the actions, at any
node, or in who is who, are one here; 66,771 are left. Payoffs are -1, 0 and 1 in this module, which
the selection rules scale to the thesis' 0 to 1, so exploitability is halved.

The iteration is that of `sm_mcts`, with its selection rules, on the five nodes of such a game: a
first visit teaches nothing, and plays on at random.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from hiddenhand.games.random_game import MatrixTree
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.random import RandomState, below, new_state, seed_sequence
from hiddenhand.jit.views import view
from hiddenhand.search.selection.joint_selectors import make_joint_selector

NODES: Final = 5  # the root, and a node for each pair of actions
LEAVES: Final = 16
_KINDS: Final = 81  # 2 x 2 matrices with entries -1, 0 and 1


def matrices() -> Floats:
    """``float64[81, 2, 2]``: all matrices."""
    return np.array(list(product((-1.0, 0.0, 1.0), repeat=4))).reshape(-1, 2, 2)


def all_games() -> Floats:
    """``float64[G, 16]``: the leaves of all games, each once, in the order of `MatrixTree`."""
    every = matrices()
    number = {matrix.tobytes(): index for index, matrix in enumerate(every)}

    def of(matrix: Floats) -> int:
        return number[np.ascontiguousarray(matrix).tobytes()]

    first = np.array([min(of(m), of(m[::-1]), of(m[:, ::-1]), of(m[::-1, ::-1])) for m in every])
    swapped = np.array([first[of(-m.T + 0.0)] for m in every])
    kinds = np.unique(first)
    cells = np.stack(np.meshgrid(*[kinds] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    orders = ((0, 1, 2, 3), (2, 3, 0, 1), (1, 0, 3, 2), (3, 2, 1, 0))
    transposed = swapped[cells[:, (0, 2, 1, 3)]]
    codes = np.stack([_code(form[:, order]) for form in (cells, transposed) for order in orders])
    kept = cells[codes[0] == codes.min(axis=0)]
    return np.ascontiguousarray(every[kept].reshape(-1, LEAVES))


def _code(cells: Integers) -> Integers:
    return cells @ np.array([_KINDS**3, _KINDS**2, _KINDS, 1])


@dataclass(frozen=True)
class Method:
    """A variant of SM-MCTS.

    selector: its selection rule, "drm" or "exp3".
    gamma: its exploration.
    means: whether means are propagated, instead of samples.
    """

    selector: str
    gamma: float
    means: bool


def mean_exploitability(
    games: Floats, method: Method, runs: int, iterations: int, seed: int
) -> Floats:
    """``float64[G, 2]``: how exploitable, on average over ``runs``, the empirical frequencies are
    that the method finds in games with leaves ``float64[G, 16]``, the sum over the players in the
    thesis' payoffs; and the standard error of this mean, infinite for a single run.
    """
    example = MatrixTree(2, 2, games[0].tolist())
    selector = make_joint_selector(
        method.selector,
        example,
        exploration=None,
        gamma=method.gamma,
        guaranteed=0.0,
        ties="random",
        tie_tolerance=None,
    )
    size = int(selector.size(2, 2))
    found = np.zeros((len(games), 2))
    _measure(
        selector,
        games,
        method.means,
        method.gamma,
        runs,
        iterations,
        np.zeros(NODES * size),
        np.zeros(4),
        new_state(seed_sequence(seed)),
        found,
    )
    mean = found[:, 0] / runs
    variance = np.maximum(found[:, 1] / runs - mean**2, 0.0)
    error = np.sqrt(variance / (runs - 1)) if runs > 1 else np.full(len(games), np.inf)
    return np.stack([mean, error], axis=1) / 2


@kernel
def _measure(
    selector: Any,
    games: Floats,
    means: bool,
    gamma: float,
    runs: int,
    iterations: int,
    values: Floats,
    sigma: Floats,
    rng: RandomState,
    found: Floats,
) -> None:
    """Write the sums of nash_conv, and of its squares, into ``found`` ``float64[G, 2]``. values:
    ``float64[5 * size]`` and sigma: ``float64[4]``, room.
    """
    size = values.size // NODES
    visits, passed = np.zeros(NODES, np.int64), np.zeros((NODES, 2))
    profile = np.zeros((NODES, 2, 2))
    for game in range(games.shape[0]):
        for _ in range(runs):
            values[:] = 0.0
            visits[:] = 0
            passed[:] = 0.0
            for _ in range(iterations):
                _iterate(selector, games[game], means, values, size, visits, passed, sigma, rng)
            for node in range(NODES):
                for player in range(2):
                    at = node * size + selector.strategy(player, 2, 2)
                    total = values[at] + values[at + 1]
                    share = values[at] / total if total > 0.0 else 0.5
                    profile[node, player, 0] = (1.0 - gamma) * share + gamma / 2.0
                    profile[node, player, 1] = 1.0 - profile[node, player, 0]
            value = nash_conv(games[game], profile)
            found[game, 0] += value
            found[game, 1] += value * value


@inline
def _iterate(
    selector: Any,
    leaves: Floats,
    means: bool,
    values: Floats,
    size: int,
    visits: Integers,
    passed: Floats,
    sigma: Floats,
    rng: RandomState,
) -> None:
    """An iteration of SM-MCTS. passed: how many values each node passed up, and their sum."""
    sigma_0, sigma_1 = view(sigma, 0, 2), view(sigma, 2, 2)
    kept = np.zeros(4)
    a_0, a_1 = below(rng, 2), below(rng, 2)
    b_0, b_1 = below(rng, 2), below(rng, 2)
    child = -1
    if visits[0] > 0:
        a_0, a_1 = selector.select((values, 0, 2, 2, sigma_0, sigma_1), rng)
        for index in range(4):
            kept[index] = sigma[index]
        child = 1 + 2 * a_0 + a_1
        if visits[child] > 0:
            b_0, b_1 = selector.select((values, child * size, 2, 2, sigma_0, sigma_1), rng)
    u = leaves[4 * (2 * a_0 + a_1) + 2 * b_0 + b_1]
    if child >= 0:
        if visits[child] > 0:
            selector.update((values, child * size, 2, 2, sigma_0, sigma_1), b_0, b_1, u)
            if means:
                passed[child, 0] += 1.0
                passed[child, 1] += u
                u = passed[child, 1] / passed[child, 0]
        visits[child] += 1
        root = (values, 0, 2, 2, view(kept, 0, 2), view(kept, 2, 2))
        selector.update(root, a_0, a_1, u)
    visits[0] += 1


@kernel
def nash_conv(leaves: Floats, profile: Floats) -> float:
    """nash_conv of a profile ``float64[5, 2, 2]``, by node, player and action, in a game with
    leaves ``float64[16]``.
    """
    best_0, best_1 = -np.inf, np.inf
    for a in range(2):
        up, down = 0.0, 0.0
        for b in range(2):
            first, second = 4 * (2 * a + b), 4 * (2 * b + a)
            highest, lowest = -np.inf, np.inf
            for c in range(2):
                y, x = profile[1 + 2 * a + b, 1], profile[1 + 2 * b + a, 0]
                highest = max(
                    highest, y[0] * leaves[first + 2 * c] + y[1] * leaves[first + 2 * c + 1]
                )
                lowest = min(lowest, x[0] * leaves[second + c] + x[1] * leaves[second + 2 + c])
            up += profile[0, 1, b] * highest
            down += profile[0, 0, b] * lowest
        best_0, best_1 = max(best_0, up), min(best_1, down)
    return best_0 - best_1
