"""Searches that do not search: they know beforehand what they will say, and write down what they
were asked.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import Belief
from hiddenhand.trees.strategy import Weights
from hiddenhand.trees.tree import GameTree

Floats = npt.NDArray[np.float64]


class Pretending:
    """Says ``weights_at(search)``, ``float64[S]`` over the sequences of ``tree``; with ``own_set``
    only about the set that it is in.

    thoughts: seat, seed and key of the information set, for each time it thought; budgets: the
    iterations it was given.
    """

    def __init__(
        self, tree: GameTree, weights_at: "Callable[[Pretending], Floats]", own_set: bool = False
    ) -> None:
        self.tree = tree
        self.game: Game = tree.game
        self.own_set = own_set
        self.thoughts: list[tuple[int, int, int]] = []
        self.budgets: list[int | None] = []
        self._weights_at = weights_at
        self.start(0, 0)

    def start(self, seat: int, seed: int) -> None:
        self.seat, self.seed = seat, seed
        self.belief = Belief(self.game, seat)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        assert all(isinstance(event, Event) for event in events)
        self.belief.notice(events)
        assert self.belief.is_alive

    @property
    def key(self) -> int:
        return self.belief.information_key

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.thoughts.append((self.seat, self.seed, self.key))
        self.budgets.append(iterations)

    def policy(self, num_actions: int) -> Floats:
        """Deterministic: so the matches show that the search's moves are made."""
        return np.eye(num_actions)[0]

    def weights(self) -> Weights:
        tree, values = self.tree, self._weights_at(self)
        sets = [tree.find_set(self.key)] if self.own_set else list(range(tree.num_sets))[::-1]
        rows = [values[tree.set_start[i] : tree.set_start[i + 1]] for i in sets]
        return Weights(tree.set_key[sets], np.cumsum([0, *map(len, rows)]), np.concatenate(rows))

    def thought(self) -> Mapping[str, float]:
        return {}


def saying(tree: GameTree, profile: Floats, own_set: bool = False) -> Pretending:
    """Always says ``profile``, with a weight that differs from set to set."""
    mass = np.concatenate(
        [
            np.ones(tree.num_players),
            np.repeat(1.0 + np.arange(tree.num_sets) % 7, np.diff(tree.set_start)),
        ]
    )
    return Pretending(tree, lambda _: mass * profile, own_set)


def babbling(tree: GameTree, own_set: bool = False) -> Pretending:
    """Says something else whenever it has thought, which depends on all it was told."""

    def weights_at(search: Pretending) -> Floats:
        return np.random.default_rng([search.seed, search.seat, search.key]).exponential(
            size=tree.num_sequences
        )

    return Pretending(tree, weights_at, own_set)


def own_sets_above(tree: GameTree) -> dict[int, set[int]]:
    """For each information set the sets of the same player on the way to it, itself included: by
    walking up from every history.
    """
    above: dict[int, set[int]] = {}
    for h in range(tree.num_histories):
        number = int(tree.information_set[h])
        if number >= 0:
            found, up = {number}, int(tree.parent[h])
            while up >= 0:
                if tree.player[up] == tree.player[h]:
                    found.add(int(tree.information_set[up]))
                up = int(tree.parent[up])
            assert above.setdefault(number, found) == found
    return above
