"""A belief whose histories are known beforehand, so that they need not be grown from events."""

from collections.abc import Sequence

import numpy as np

from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.infoset_table import InformationSetTable, num_sets
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.history_trie import Leaves, Trie
from hiddenhand.search.online import InfosetRoot


class KnownBelief(Belief):
    """The histories of one information set, without what led to them."""

    def __init__(self, game: Game, root: InfosetRoot) -> None:
        count = root.weights.size
        super().__init__(game, root.seat, cap=count)
        self.is_sample = root.is_sample
        self._likelihood = root.weights / root.weights.sum()
        trie = Trie.empty(1)  # all histories are at one node, which is the set
        trie.parent[0] = -1
        trie.player[0] = root.seat
        trie.key[0] = root.key
        trie.num_actions[0] = root.num_actions
        nothing = np.zeros(count, np.int32)
        self._kept = Leaves(nothing, root.states, root.keys, nothing, *np.ones((2, count))), trie

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Everything is noticed already."""

    def modelled(self, table: InformationSetTable, column: int) -> Floats:
        """How likely each history is if the others play uniformly, as ``table`` says that they
        do.
        """
        assert num_sets(table) == 0
        return self._likelihood
