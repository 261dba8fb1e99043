"""Baselines on a written-out game: what a move that was not sampled is believed to be worth, so
that samples vary less.

Schmid, Burch, Lanctot, Moravcik, Kadlec and Bowling (2019), "Variance reduction in Monte Carlo
counterfactual regret minimization (VR-MCCFR) for extensive form games using baselines"; Davis,
Schmid and Bowling (2020), "Low-variance and zero-variance baselines for extensive-form games".
`hiddenhand.search.selection.baselines` has the same for games that are not written out. With

b(h, a)   what player i is believed to be paid after action (or outcome) a at history h
u(h)      a traversal's estimate of what player i is paid on average from h on

there are four kinds of b:

set         belongs to what player i noticed up to h, and to a; moves towards u(ha). Schmid et al.
history     belongs to h and a; moves towards u(ha). Learned history baseline of Davis et al.
predictive  b(h, a) becomes sum_c sigma'(ha, c) b(ha, c), where sigma' is the strategy after the
            traversal, and is what is paid where ha is terminal. Davis et al. let every history be
            sampled once before b can be exact; here b starts as the exact values of uniform play,
            because the game is written out and one walk finds them.
off         b = 0

"set" and "history" move by b += rate (u - b) from b = 0 on, as in both papers, where rate = 0.5.

Dimensions: H histories, P players, N numbers.
"""

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from hiddenhand.errors import RefusedOptionError
from hiddenhand.jit.arrays import Floats, Indices
from hiddenhand.jit.bridge import Compiled
from hiddenhand.trees.profile import history_values, uniform_profile
from hiddenhand.trees.tree import GameTree

BASELINES: Final = ("off", "set", "history", "predictive")
OFF, LEARNED, PREDICTIVE = 0, 1, 2


def verify_baseline(kind: str) -> str:
    """``kind``. Raises OptionError if it is none of the `BASELINES`."""
    if kind not in BASELINES:
        raise RefusedOptionError("baseline", kind, f"choose one of: {', '.join(BASELINES)}")
    return kind


def verify_rate(rate: float) -> float:
    """``rate``. Raises OptionError unless it is above 0 and at most 1."""
    if not 0 < rate <= 1:
        raise RefusedOptionError("rate", rate, "give a number above 0 and at most 1")
    return float(rate)


@dataclass(frozen=True, eq=False)
class NoBaseline(Compiled):
    """b = 0, and the estimates are those of plain sampling."""

    KNOWS: ClassVar[int] = 0
    """Whether b is ever anything but 0."""

    kind: int = OFF

    def of_move(self, i: int, h: int) -> float:
        """b for player i of the move that leads to history h."""
        return 0.0

    def meet(self, i: int, h: int, worth: float) -> None:
        """Move b of the move to history h towards what h was found to be worth to player i."""

    def put(self, i: int, h: int, worth: float) -> None:
        """Let b of the move to history h be ``worth`` to player i."""


@dataclass(frozen=True, eq=False)
class TreeBaseline(Compiled):
    """b for all moves of a game. K is 1 where one player wins what the other loses, and one number
    says it for both; else it is the number of players.

    kind: whether b is 0, learned or predictive.
    rate: how far it moves towards each new value.
    place: ``int32[K or P, H]``, for player i in row i % the number of rows: where b of the move to
        each history lies.
    sign: ``float64[P]``, what turns a stored b into what it is for each player.
    value: ``float64[K, N]``, b; for player i in row i % K.
    total: ``float64[N]``, of the values that are learned at once: their sum, weighted; 0 between.
    weight: ``float64[N]``, the sum of the weights; 0 between.
    """

    KNOWS: ClassVar[int] = 1

    kind: int
    rate: float
    place: Indices
    sign: Floats
    value: Floats
    total: Floats
    weight: Floats

    @staticmethod
    def of(tree: GameTree, kind: str, rate: float) -> "TreeBaseline":
        """A baseline of one of the `BASELINES` for a game, before anything was learned. Raises
        OptionError.
        """
        verify_baseline(kind)
        players, size = tree.num_players, tree.num_histories
        is_shared = kind != "set" and players == 2 and tree.game.zero_sum
        rows = 1 if is_shared else players
        sign = np.array([1.0, -1.0]) if is_shared else np.ones(players)
        if kind == "set":
            place = np.array([_places(tree, player) for player in range(players)])
        else:
            place = np.arange(size, dtype=np.int32)[None]
        value = np.zeros((rows, int(place.max()) + 1))
        if kind == "predictive":
            value[:] = history_values(tree, uniform_profile(tree)).T[:rows]
        return TreeBaseline(
            OFF if kind == "off" else PREDICTIVE if kind == "predictive" else LEARNED,
            verify_rate(rate),
            place,
            sign,
            value,
            np.zeros(value.shape[1]),
            np.zeros(value.shape[1]),
        )

    def of_move(self, i: int, h: int) -> float:
        """b for player i of the move that leads to history h."""
        value, place = self.value, self.place
        return self.sign[i] * value[i % value.shape[0], place[i % place.shape[0], h]]

    def meet(self, i: int, h: int, worth: float) -> None:
        """Move b of the move to history h towards what h was found to be worth to player i."""
        row, at = i % self.value.shape[0], self.place[i % self.place.shape[0], h]
        self.value[row, at] += self.rate * (self.sign[i] * worth - self.value[row, at])

    def put(self, i: int, h: int, worth: float) -> None:
        """Let b of the move to history h be ``worth`` to player i."""
        row, at = i % self.value.shape[0], self.place[i % self.place.shape[0], h]
        self.value[row, at] = self.sign[i] * worth

    def note(self, i: int, h: int, worth: float, weight: float) -> None:
        """Note that history h was found to be ``worth`` so much to player i, with a weight."""
        at = self.place[i % self.place.shape[0], h]
        self.total[at] += weight * self.sign[i] * worth
        self.weight[at] += weight

    def learn(self, i: int, h: int) -> None:
        """Move b of the move to history h towards what was noted of it, if anything was."""
        at = self.place[i % self.place.shape[0], h]
        if self.weight[at] > 0.0:
            row = i % self.value.shape[0]
            mean = self.total[at] / self.weight[at]
            self.value[row, at] += self.rate * (mean - self.value[row, at])
        self.total[at] = self.weight[at] = 0.0


def _places(tree: GameTree, player: int) -> Indices:
    """``int32[H]``: a number for each pair of what ``player`` noticed up to the history before, and
    of the move. The root, to which no move leads, has one of its own.
    """
    noticed = tree.augmented_set(player)[tree.parent]
    pairs = np.stack([noticed, tree.action], axis=1)
    pairs[0] = -1
    _, number = np.unique(pairs, axis=0, return_inverse=True)
    return np.asarray(number.ravel(), np.int32)
