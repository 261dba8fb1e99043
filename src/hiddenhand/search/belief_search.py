"""What searches share that know from a belief where a match is."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hiddenhand.games.base import Game, verify_player
from hiddenhand.games.history import Event, Move
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.random import RandomState, new_state, seed_sequence
from hiddenhand.parameters import Configured, Parameters
from hiddenhand.search.belief.belief import DEFAULT_CAP, Belief
from hiddenhand.search.belief.known_belief import KnownBelief
from hiddenhand.search.online import InfosetRoot
from hiddenhand.search.traversal import ITERATIONS, NUM_COUNTERS, trail_moves


@dataclass(frozen=True, kw_only=True)
class SearchParameters(Parameters):
    """The parameters that every search has.

    seed: the seed of the random numbers, a whole number of at least 0.
    """

    seed: int = 0


class BeliefSearch(Configured, ABC):
    """A search with a belief. Derived classes say in `_prepare` what they make once, in `_forget`
    what a match begins with, and in `_arrive` what they do where the match is now.

    COUNTERS: the number of counters.
    seat: the player that the search decides for.
    seed: the seed of the present match.
    """

    COUNTERS: ClassVar[int] = NUM_COUNTERS

    game: Game
    belief: Belief
    seat: int
    seed: int
    _rng: RandomState
    _counters: Integers
    _path: Any

    def _set_up(self, game: Game | str) -> None:
        self.game = self._form_of(game)
        verify_rules(self.game)
        self._prepare()
        self.start(0, self.settings.seed)

    def _form_of(self, game: Game | str) -> Game:
        """The form of ``game`` that is searched. Raises GameError if the search is not for it."""
        return as_sequential(game)

    @abstractmethod
    def _prepare(self) -> None:
        """Make what all matches have in common, and verify what depends on the game."""

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        verify_player(self.game, seat)
        own, of_belief = self._sequences(seed)[:2]
        self._restart(seat, seed, own, self._belief_of(seat, of_belief))

    def start_from(self, root: InfosetRoot, seed: int) -> None:
        """See `StartsFrom.start_from`."""
        self._restart(root.seat, seed, self._sequences(seed)[0], KnownBelief(self.game, root))

    def _restart(self, seat: int, seed: int, own: np.random.SeedSequence, belief: Belief) -> None:
        self.seat, self.seed, self.belief = seat, seed, belief
        self._rng = new_state(own)
        self._counters = np.zeros(self.COUNTERS, np.int64)
        self._forget(own)
        self._arrive()

    def _belief_of(self, observer: int, seed: np.random.SeedSequence) -> Belief:
        return Belief(self.game, observer, cap=self.cap, seed=seed)

    @property
    def cap(self) -> int:
        """How many histories a belief keeps at most."""
        return int(getattr(self.settings, "cap", DEFAULT_CAP))

    def _sequences(self, seed: int) -> list[np.random.SeedSequence]:
        """What the random numbers of the search are made from, and those of the belief."""
        return seed_sequence(seed).spawn(2)

    @abstractmethod
    def _forget(self, own: np.random.SeedSequence) -> None:
        """Forget what was found. ``own``: what random numbers of the search are made from."""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Move the belief on by what the player noticed. See `OnlineSearch.notice`."""
        with explaining(self.game, self.belief.way):
            self.belief.notice(events, seconds, iterations)
            self._arrive()

    def _arrive(self) -> None:
        """The match has begun, or moved on."""

    def thought(self) -> Mapping[str, float]:
        """Figures by name: iterations, histories in the belief, whether they are a sample, and how
        often no history was left.
        """
        return {
            "iterations": int(self._counters[ITERATIONS]),
            **self._memory(),
            "belief": self.belief.leaves.size,
            "sampled": float(self.belief.is_sample),
            "recoveries": self.belief.recoveries,
        }

    def _memory(self) -> dict[str, float]:
        """Figures about what is in memory."""
        return {}

    def _is_to_move(self) -> bool:
        leaves, trie = self.belief.leaves, self.belief.trie
        return int(trie.player[leaves.node[0]]) == self.belief.observer

    def _way(self) -> Sequence[Move] | None:
        """The moves that the last iteration has made, from the beginning of the game; None where
        they are not known.
        """
        return trail_moves(self._path.trail)
