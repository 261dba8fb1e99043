"""Whether it pays to resolve to a limit of depth on top of a blueprint:

    python -m studies.depth_limits

After Brown, Sandholm and Amos (2018), "Depth-limited solving for imperfect-information games". A
blueprint is trained by MCCFR. Then each player solves the beginning of the game anew: its first
decisions, up to a limit. There the opponent chooses, in each information set, one of several
continuations, and the player goes on by the blueprint. All values at the limit are exact. In a
match they would be estimates, so a match would find no more. What each player found is played up to
the limit, and the blueprint after it. `nash_conv` says whether that is better than the blueprint
alone.

- "4": the blueprint; half of it and half uniform play; and the blueprint with the first or the last
  action made ten times as likely.
- "many": besides, the blueprint squared, uniform play, each action made ten times as likely, and
  best responses to the blueprint.
- "many, with noise": the same with an error in each value at the limit, normal with a deviation of
  0.1. A mean of 100 plays has such an error, where the game is won or lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
import numpy.typing as npt
from benchmarks.kept import heading, row

from hiddenhand import load_game, unroll
from hiddenhand.games.base import TERMINAL
from hiddenhand.games.tree_game import TreeGame
from hiddenhand.jit.arrays import Flags, Floats
from hiddenhand.search.training import train
from hiddenhand.solvers.cfr import CFR
from hiddenhand.trees.blueprint import SetBlueprint
from hiddenhand.trees.profile import best_response, history_values, nash_conv, uniform_profile
from hiddenhand.trees.tree import GameTree

CASES: Final = (
    # game, iterations of MCCFR, decisions up to the limit
    ("IIGS(5)", 200_000, 2),
    ("IIGS(5)", 200_000, 4),
    ("LD(1,1,6)", 3_000_000, 2),
    ("LD(1,1,6)", 3_000_000, 3),
    ("LD(1,1,6)", 15_000_000, 2),
    ("GP(3,3,2,2)", 3_000_000, 2),
    ("GP(3,3,2,2)", 3_000_000, 3),
)
COLUMNS: Final = (
    *("game", "iterations", "decisions", "blueprint"),
    *("with 4", "with many", "with many and noise"),
)
NOISE: Final = 0.1
SOLVING: Final = 3000  # iterations of CFR
BIAS: Final = 10.0
LEAST: Final = 0.05  # that is added to an action, so that bias makes a difference


def blueprint_of(name: str, iterations: int, tree: GameTree) -> Floats:
    """A blueprint as a profile ``float64[S]``."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "blueprint"
        train(tree.game, file, iterations=iterations, seed=1, algorithm="mccfr")
        played = SetBlueprint.load(file, tree.game).on(tree)
    return np.where(np.isnan(played), uniform_profile(tree), played)


def continuations(tree: GameTree, blueprint: Floats, many: bool) -> list[Floats]:
    """What the opponent may do from the limit on, as profiles ``float64[S]``."""
    place = np.arange(tree.num_sequences)
    inside = tree.sequence_set >= 0
    place[inside] -= tree.set_start[tree.sequence_set[inside]]
    size = np.diff(tree.set_start)[tree.sequence_set]
    uniform = uniform_profile(tree)

    def biased(chosen: Flags) -> Floats:
        return _normalised(tree, np.where(chosen, BIAS * blueprint + LEAST, blueprint))

    found = [blueprint, (blueprint + uniform) / 2, biased(place == 0), biased(place == size - 1)]
    if many:
        found += [_normalised(tree, blueprint**2), uniform]
        found += [biased(place == action) for action in range(1, int(size[inside].max()))]
        found += [best_response(tree, blueprint, player).profile for player in range(2)]
    return found


def _normalised(tree: GameTree, weights: Floats) -> Floats:
    inside = tree.sequence_set >= 0
    owner = tree.sequence_set[inside]
    total = np.bincount(owner, weights[inside], tree.num_sets)
    found = np.ones(tree.num_sequences)
    found[inside] = weights[inside] / total[owner]
    return found


@dataclass(frozen=True)
class Beginning:
    """The beginning of a game as a game.

    game: with a choice of the opponent at each history at the limit.
    nodes: ``[N]``, the histories of the tree that the first N nodes are.
    is_limit: ``bool[H]``, which histories of the tree are at the limit.
    """

    game: TreeGame
    nodes: npt.NDArray[np.intp]
    is_limit: Flags


def beginning(tree: GameTree, player: int, decisions: int, values: Sequence[Floats]) -> Beginning:
    """The beginning of a game for a player who solves it. ``values``: ``float64[H]`` for each
    continuation, what the first player is paid from each history on.
    """
    count, kept = np.zeros(tree.num_histories, np.int64), np.ones(tree.num_histories, np.bool_)
    is_limit = np.zeros(tree.num_histories, np.bool_)
    for history in range(tree.num_histories):
        before = tree.parent[history]
        if before >= 0:
            count[history] = count[before] + (tree.information_set[before] >= 0)
            kept[history] = kept[before] and not is_limit[before]
        is_limit[history] = count[history] >= decisions and tree.player[history] >= 0
    nodes = np.flatnonzero(kept)
    limits = nodes[is_limit[nodes]]
    number = np.full(tree.num_histories, -1)
    number[nodes] = np.arange(nodes.size)
    places, ways = number[limits], len(values)
    chosen = nodes.size + ways * np.arange(limits.size)  # the first continuation at each limit

    def with_choices(array: npt.NDArray[np.generic], filling: float) -> npt.NDArray[np.generic]:
        return np.concatenate([array[nodes], np.full(ways * limits.size, filling, array.dtype)])

    children = np.where(tree.num_children > 0, tree.first_child, 0)
    mover, first = with_choices(tree.player, TERMINAL), with_choices(number[children], 0)
    size = with_choices(tree.num_children, 0)
    sets = with_choices(tree.information_set.astype(np.int64), -1)
    mover[places], first[places], size[places] = 1 - player, chosen, ways
    known = np.unique(tree.keys[limits, 1 - player], return_inverse=True)[1]
    sets[places] = tree.num_sets + known
    sets[sets >= 0] = np.unique(sets[sets >= 0], return_inverse=True)[1]
    paid = np.zeros(nodes.size + ways * limits.size)
    ends = nodes[tree.terminal_number[nodes] >= 0]
    paid[number[ends]] = tree.utility[tree.terminal_number[ends], 0]
    for way, value in enumerate(values):
        paid[chosen + way] = value[limits]
    game = TreeGame(
        mover, first, size, with_choices(tree.probability, 1.0), sets, np.stack([paid, -paid], 1)
    )
    return Beginning(game, nodes, is_limit)


def solved(tree: GameTree, part: Beginning, player: int, blueprint: Floats) -> Floats:
    """The blueprint ``float64[S]``, with what a player finds in the beginning of the game."""
    small, found = unroll(part.game, 10**7), blueprint.copy()
    run = CFR(small, "pdcfr+")
    run.iterate(SOLVING)
    profile, node = run.average_profile(), np.zeros(small.num_histories, np.int64)
    for history in range(1, small.num_histories):
        before = small.parent[history]
        node[history] = part.game.first_child[node[before]] + history - small.first_child[before]
    for history in np.flatnonzero(small.player == player):
        whole = part.nodes[node[history]]
        old, new = tree.information_set[whole], small.information_set[history]
        if old >= 0:
            found[tree.set_start[old] : tree.set_start[old + 1]] = profile[
                small.set_start[new] : small.set_start[new + 1]
            ]
    return found


def resolved(tree: GameTree, blueprint: Floats, decisions: int, many: bool, noise: float) -> float:
    """nash_conv of the blueprint, with what both players find in the beginning of the game."""
    random, found = np.random.default_rng(0), blueprint
    owner = np.where(tree.sequence_set >= 0, tree.set_player[tree.sequence_set], -1)
    for player in range(2):
        values = []
        for way in continuations(tree, blueprint, many):
            played = np.where(owner == 1 - player, way, blueprint)
            exact = history_values(tree, played)[:, 0]
            values.append(exact + noise * random.standard_normal(exact.size))
        part = beginning(tree, player, decisions, values)
        mine = solved(tree, part, player, blueprint)
        found = np.where(owner == player, mine, found)
    return nash_conv(tree, found)


def main() -> None:
    """Print a table, a row for each case."""
    print("\n".join(heading(COLUMNS)))
    for name, iterations, decisions in CASES:
        tree = unroll(load_game(name))
        blueprint = blueprint_of(name, iterations, tree)
        cells = [
            f"`{name}`",
            f"{iterations:,}",
            str(decisions),
            f"{nash_conv(tree, blueprint):.3f}",
        ]
        for many, noise in ((False, 0.0), (True, 0.0), (True, NOISE)):
            cells.append(f"{resolved(tree, blueprint, decisions, many, noise):.3f}")
        print(row(cells), flush=True)


if __name__ == "__main__":
    main()
