"""What every online search has in common: it follows a match from one player's seat, thinks, and
says with which probabilities it would play.

A search knows what its player knows: the rules, the seat, and the events that the player noticed.
It never sees a state of the match.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

import numpy as np

from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.jit.arrays import Floats, Integers, Keys
from hiddenhand.progress import SILENT, Progress
from hiddenhand.trees.strategy import Weights


class OnlineSearch(Protocol):
    """A search that can be used in a match. It keeps what it has learnt from move to move, and
    forgets everything when a match starts.
    """

    game: Game
    """The game, with moves in turns."""

    def start(self, seat: int, seed: int) -> None:
        """A match begins, in which the search decides for player ``seat``."""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Follow the match to where it is now: the player is to move, or the match is over.

        events: what the player noticed since the last call, the player's own actions included.
        seconds: roughly how long this may take; None for no limit, which makes results repeatable.
        iterations: how many iterations are to follow; no more histories are kept than these can
            look at, see `Belief.notice`. None if that is not known.
        """

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search on from the present information set; before the first `notice`, from the root.

        iterations: how many iterations to make; None for no limit.
        seconds: how long to search; None for no limit. One of the two must be given.
        progress: receives reports of progress.
        """

    def policy(self, num_actions: int) -> Floats:
        """The probabilities with which to play the ``num_actions`` legal actions of the present
        information set: what a match samples from.
        """

    def weights(self) -> Weights:
        """The accumulated numbers of each information set in memory, not normalised: visits, or
        sums of strategies.
        """

    def thought(self) -> Mapping[str, float]:
        """Figures about the search so far, by name: iterations in all, information sets in memory,
        the size of the belief, and so on.
        """


@dataclass(frozen=True, eq=False)
class InfosetRoot:
    """An information set with its histories, from which a search can begin: F histories.

    seat: the player who is to move.
    key: the key of the set.
    num_actions: the number of legal actions.
    states: ``int64[F, state_size]``.
    keys: ``uint64[F, P + 1]``, of the players; the public key is not needed.
    weights: ``float64[F]``, in proportion to how likely each history is when the others play
        uniformly.
    is_sample: whether the set has more histories.
    """

    seat: int
    key: int
    num_actions: int
    states: Integers
    keys: Keys
    weights: Floats
    is_sample: bool = False

    def sampled(self, most: int, seed: int) -> "InfosetRoot":
        """The set with at most so many histories: a random sample of them if there are more."""
        if self.weights.size <= most:
            return self
        random = np.random.default_rng(seed)
        kept = np.sort(random.choice(self.weights.size, most, replace=False))
        rows = self.states[kept], self.keys[kept], self.weights[kept]
        return InfosetRoot(self.seat, self.key, self.num_actions, *rows, is_sample=True)


@runtime_checkable
class StartsFrom(OnlineSearch, Protocol):
    """A search that can begin in an information set whose histories are known, and need not look
    for them by what its player noticed.
    """

    cap: int
    """The most histories that the search keeps."""

    @property
    def can_start_from(self) -> bool:
        """Whether the search, with its parameters, uses nothing but the histories."""

    def start_from(self, root: InfosetRoot, seed: int) -> None:
        """Forget everything, and be in ``root``. With equal seeds the search finds what it finds
        after `start` and `notice`, bit for bit if its belief would have the same histories.
        """


@runtime_checkable
class Branching(OnlineSearch, Protocol):
    """A search that can be split into several, which share what they know up to some point."""

    def branch(self, events: Sequence[Event]) -> Self:
        """A search that knows what this one knows, in another match, in which the player has
        noticed ``events`` since the match began.
        """


def mean_or_uniform(sums: Floats) -> Floats:
    """``float64[n]``: the probabilities of n actions in proportion to ``sums``; uniform if all sums
    are 0.

    sums: ``float64[n]``, the sums of a strategy over all iterations, or visits.
    """
    total = sums.sum()
    return sums / total if total > 0 else np.full(sums.size, 1.0 / sums.size)


def above(sums: Floats, threshold: float) -> Floats:
    """``float64[n]``: the same ``sums``, but 0 below ``threshold`` times the largest one. See
    `Weights.above`.
    """
    return np.where(sums < threshold * sums.max(), 0.0, sums) if threshold > 0 else sums


def one_hot(values: Floats) -> Floats:
    """``float64[n]``: 1 for the first of n actions with the highest value, and 0 for the others."""
    chosen = np.zeros(values.size)
    chosen[int(np.argmax(values))] = 1.0
    return chosen
