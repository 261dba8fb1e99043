"""The public states of a written-out game as a tree of their own.

Johanson, Waugh, Bowling and Zinkevich (2011), "Accelerating best response calculation in large
extensive games", Definition 2; Sustr, Kovarik and Lisy (2019), Section 3.1. All players know in
which public state a game is. A walk down the tree of public states passes through all histories,
and all information sets, that fit what all players saw. A public state may hold a history together
with its descendants, where the public noticed nothing of a move.

Dimensions: H histories, I information sets, N public states.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hiddenhand.errors import GameError
from hiddenhand.jit.arrays import Indices, starts_of
from hiddenhand.jit.bridge import Compiled
from hiddenhand.trees.tree import GameTree


@dataclass(frozen=True, eq=False)
class PublicTree(Compiled):
    """The public states of a `GameTree`, numbered as in `GameTree.public_state`: the first is that
    of the empty history, and each comes after the one that leads to it.

    state: ``int32[H]``, the public state of each history.
    member: ``int32[H]``, the histories, those of one public state behind each other, parents first.
    first_member: ``int32[N + 1]``, where those of each public state begin.
    child: ``int32[N - 1]``, the public states that follow upon each, behind each other.
    first_child: ``int32[N + 1]``, where those that follow upon each public state begin.
    information_set: ``int32[I]``, the information sets, those of one public state behind each
        other.
    first_set: ``int32[N + 1]``, where those of each public state begin.
    """

    state: Indices
    member: Indices
    first_member: Indices
    child: Indices
    first_child: Indices
    information_set: Indices
    first_set: Indices

    @property
    def num_states(self) -> int:
        """N."""
        return self.first_member.size - 1

    @staticmethod
    def of(tree: GameTree) -> "PublicTree":
        """The public states of a game. Raises GameError where an information set lies in several of
        them: its player would not know what the public knows.
        """
        state = tree.public_state
        num_states = int(state.max()) + 1
        set_state = _states_of_sets(tree, state)
        entered = 1 + np.flatnonzero(state[tree.parent[1:]] != state[1:])
        state_parent = np.full(num_states, -1, np.int64)
        state_parent[state[entered]] = state[tree.parent[entered]]
        member, first_member = _grouped(state, num_states)
        child, first_child = _grouped(state_parent[1:], num_states)
        information_set, first_set = _grouped(set_state, num_states)
        return PublicTree(
            state,
            member,
            first_member,
            (1 + child).astype(np.int32),
            first_child,
            information_set,
            first_set,
        )


def _states_of_sets(tree: GameTree, state: Indices) -> Indices:
    """``int32[I]``: the public state of each information set. Raises GameError where one has
    several.
    """
    deciding = np.flatnonzero(tree.information_set >= 0)
    found = np.full(tree.num_sets, -1, np.int32)
    found[tree.information_set[deciding]] = state[deciding]
    wrong = deciding[found[tree.information_set[deciding]] != state[deciding]]
    if wrong.size:
        history = tree.history(int(wrong[0]))
        raise GameError(
            f"{tree.game} tells the public what a player does not notice, for instance after "
            f"{history.moves}; public states can be sampled only where every player notices all "
            "that the public does: use mccfr-external"
        )
    return found


def _grouped(group: npt.NDArray[Any], size: int) -> tuple[Indices, Indices]:
    """Numbers 0, 1, ... ordered by their ``group``, and where each of ``size`` groups begins."""
    order = np.argsort(group, kind="stable").astype(np.int32)
    counts = np.bincount(group, minlength=size)
    return order, starts_of(counts).astype(np.int32)
