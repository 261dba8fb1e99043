"""Resolving down the public tree: which places there are, in which order they are come to, and that
every search goes on from the right one.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from naive.resolving import tree_of

from hiddenhand.budget import Budget
from hiddenhand.evaluation.top_down import PublicPlace, public_tree, search_everywhere
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.online import Branching
from hiddenhand.search.resolving.exact import CR
from hiddenhand.search.resolving.mccr import MCCR
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.tree import GameTree


def ways_of(tree: GameTree, seat: int) -> list[tuple[list[int], np.ndarray]]:
    """For each public state in which ``seat`` moves, in any order, the moves to a history of it,
    and the keys of the sets there.
    """
    places: dict[int, list[int]] = {}
    for h in np.flatnonzero(tree.player == seat):
        places.setdefault(int(tree.keys[h, -1]), []).append(int(h))
    ways = [
        (tree.path(histories[0]), np.unique(tree.set_key[tree.information_set[histories]]))
        for histories in places.values()
    ]
    return [ways[number] for number in np.random.default_rng(1).permutation(len(ways))]


def flat(
    forest: Sequence[PublicPlace], above: PublicPlace | None = None
) -> list[tuple[PublicPlace, PublicPlace | None]]:
    return [pair for place in forest for pair in ((place, above), *flat(place.below, place))]


def asked_below(place: PublicPlace) -> list[int]:
    return [*place.sets.tolist(), *(key for below in place.below for key in asked_below(below))]


class Recording:
    """A search that says where it has thought. path: the events of each branching on the way to
    it.
    """

    def __init__(self, tree: GameTree, path: tuple[tuple[Event, ...], ...] = ()) -> None:
        self.tree, self.game, self.path = tree, tree.game, path
        self.thoughts: list[int] = []

    def start(self, seat: int, seed: int) -> None: ...

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None: ...

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.thoughts.append(iterations or 0)

    def policy(self, num_actions: int) -> np.ndarray:
        return np.full(num_actions, 1.0 / num_actions)

    def weights(self) -> Weights:
        """Of all sets, the number of branchings and of thoughts, and one more."""
        starts = self.tree.set_start.astype(np.int64) - self.tree.num_players
        return Weights(
            self.tree.set_key,
            starts,
            np.full(starts[-1], 100.0 * len(self.path) + sum(self.thoughts)),
        )

    def thought(self) -> Mapping[str, float]:
        return {}

    def branch(self, events: Sequence[Event]) -> "Recording":
        return Recording(self.tree, (*self.path, tuple(events)))


@pytest.mark.parametrize("spec", ["Kuhn", "IIGS(4)", "hidden turns"])
def test_every_set_gets_what_was_found_in_its_own_public_state(spec: str) -> None:
    """After one thought at the root, one in each place on the way, and each place reached by
    branching from the one above.
    """
    tree = tree_of(spec)
    for seat in range(2):
        forest = public_tree(tree.game, seat, ways_of(tree, seat))
        search = Recording(tree)
        found = search_everywhere(search, Budget(7), Budget(9), forest)
        assert search.thoughts == [9]
        depth = {}

        def measure(
            places: Sequence[PublicPlace], deep: int, depth: dict[int, int] = depth
        ) -> None:
            for place in places:
                depth.update(dict.fromkeys(place.sets.tolist(), deep))
                measure(place.below, deep + 1)

        measure(forest, 1)
        assert sorted(found.keys.tolist()) == sorted(depth)
        for row, key in enumerate(found.keys.tolist()):
            n = int(np.diff(tree.set_start)[tree.find_set(key)])
            assert (
                found.values[found.starts[row] : found.starts[row + 1]].tolist()
                == [100.0 * depth[key] + 7] * n
            )


def test_who_can_branch() -> None:
    game: Game = tree_of("Kuhn").game
    assert isinstance(CR(game), Branching)
    assert isinstance(MCCR(game), Branching)
