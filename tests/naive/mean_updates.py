"""What OOS adds to its table on average, by many traversals from one and the same table."""

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.infoset_table import num_sets
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import uniform
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.tree import GameTree

Floats = npt.NDArray[np.float64]


def sigma_on(tree: GameTree, search: OOS) -> Floats:
    """The strategy that the search plays next, on the tree."""
    profile, gamma, table = uniform_profile(tree), search.settings.gamma, search.table
    for r in range(num_sets(table)):
        i = tree.find_set(int(table.keys[r]))
        n = tree.set_start[i + 1] - tree.set_start[i]
        positive = np.maximum(table.values[table.starts[r] : table.starts[r] + n], 0.0)
        if positive.sum() > 0:
            profile[tree.set_start[i] : tree.set_start[i + 1]] = (
                gamma / n + (1 - gamma) * positive / positive.sum()
            )
    return profile


def chance_part(tree: GameTree, information_set: int) -> float:
    """Chance's part in the probability of an information set's histories, summed over them."""
    total = 0.0
    for h in np.flatnonzero(tree.information_set == information_set):
        part, at = 1.0, int(h)
        while at > 0:
            part, at = part * tree.probability[at], int(tree.parent[at])
        total += part
    return total


def mean_update(
    search: OOS, i: int, repeats: int, delta: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """The mean change of each value by a traversal for player ``i``, times 1 / w_T, its standard
    error, and how often it changed at all. Leaves the table as it was.

    delta: how many traversals are targeted.
    """
    sums, weight = np.zeros((3, search.table.values.size)), 1.0 / search._weighting
    _traversals(search._traversal(), i, delta, repeats, sums)
    mean = sums[0] / repeats
    error = np.sqrt(np.maximum(sums[1] / repeats - mean**2, 0.0) / repeats)
    return mean * weight, error * weight, sums[2]


@kernel
def _traversals(search, i, delta, repeats, sums):  # type: ignore[no-untyped-def]
    """sums: of the change of each value, of its square, and how often it changed at all."""
    table = search.table
    values, slots, counts = table.values.copy(), table.slots.copy(), table.counts.copy()
    used = counts[1]
    for _ in range(repeats):
        # not the first so many: what a baseline learns must not depend on it
        search.traverse(i, uniform(search.rng) < delta)
        for v in range(used):
            change = table.values[v] - values[v]
            sums[0, v] += change
            sums[1, v] += change**2
            sums[2, v] += change != 0.0
        now = table.counts[1]
        table.values[:now] = values[:now]
        if now > used:
            table.slots[:] = slots
            table.counts[:] = counts
