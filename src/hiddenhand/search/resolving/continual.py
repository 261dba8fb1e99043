"""Continual resolving: at each move of a match a small game is solved, made so that its solution is
safe to play in the whole game.

Sustr, Kovarik and Lisy (2019), Section 3.4, Algorithm 1, after Moravcik et al. (2017). The
searching player, the *resolver*, keeps

S     the public state that the match has come to
KPS   known public states, in which the resolver's strategy has been found; here `known`, which has
      the strategies in the information sets that the match has passed
NPS   next public states, in which the resolver may have to move for the first time after S
D     the data to resolve NPS: the resolver's ranges, and for each history that enters one of NPS
      what it is worth to the opponent

The resolver solves a gadget game (see `gadgets`) whenever the match enters a public state that is
not known. The first solution is that of the whole game from its root, without a gadget. It is made
before play or, if there is no time before play, at the first move. In a public state that is known,
the resolver plays what was found before.

A `Resolver` solves the gadget games: the one of `exact` writes them out, that of `mccr` samples
them.

The paper leaves some things open. Here, the ranges of both players come from the strategies that
were found on the way, and are uniform where none was found. Values that are missing are replaced as
`gadgets` says. Where the histories are too many to keep, those in the resolver's present
information set are kept first.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

import numpy as np

from hiddenhand.budget import verify_budget
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game, verify_player
from hiddenhand.games.constant_sum import as_zero_sum
from hiddenhand.games.history import Event
from hiddenhand.games.validation.conformance import verify_rules
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.infoset_table import (
    MISSING,
    InformationSetTable,
    new_table,
    num_bytes,
    num_sets,
)
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import Key
from hiddenhand.jit.random import seed_sequence
from hiddenhand.parameters import parameter
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.history_trie import moves_to
from hiddenhand.search.belief.public_states import (
    FIRST_HISTORY,
    Frontier,
    frontier,
    node_of,
    remember,
)
from hiddenhand.search.belief_search import SearchParameters
from hiddenhand.search.exclusive_use import alone
from hiddenhand.search.online import above, mean_or_uniform
from hiddenhand.search.opponent_model import Model
from hiddenhand.search.resolving.gadgets import Gadget, build_gadget, root_gadget
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import Weights, weights_from_table

DEFAULT_HISTORIES: Final = 4096  # of a gadget: "at most some thousand"
DEFAULT_FLOOR: Final = 0.1


class Resolver(ABC):
    """Solves one gadget game after the other.

    COLUMN: which run of a row in ``table`` is the strategy, counted from 0.
    table: what was found in the present gadget game, by information sets.
    threshold: what is played leaves out moves below this share of the likeliest one, see
        `Weights.above`.
    """

    COLUMN: int
    table: InformationSetTable
    threshold: float = 0.0

    @abstractmethod
    def start(self, game: Game, seed: int) -> None:
        """Forget everything; a match of ``game`` begins."""

    @abstractmethod
    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """Turn to another gadget game.

        gadget: the gadget game. If the first move of a match is made at the root, the gadget of the
            search before play comes a second time; then the resolver goes on from what it found.
        public_key: the key of the public state of the gadget game.
        moves: 1 if the resolver is to move in this public state. Then `values` is later asked for
            the public states in which the resolver moves next. 0 in a search before play, which
            begins at the root. Then `values` is later asked for the public states in which the
            resolver moves first.
        """

    @abstractmethod
    def think(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        """Go on solving the present gadget game, for so many iterations, for so many seconds, or
        until the first of both limits.
        """

    @abstractmethod
    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """What was found of F histories with which the match enters its next public state.

        Returns two arrays, each ``float64[F]``: what each history is worth to the opponent, NaN
        where that is not known; and the gifts, see `gadgets`.
        """

    @abstractmethod
    def thought(self) -> Mapping[str, float]:
        """Figures about solving, by name."""

    def broke_off(self) -> tuple[Key, list[int]]:
        """Where the last traversal was, for messages about a rule of the game that broke a law: the
        key of the history in which the traversal began, and the moves that it has made since.
        """
        return np.uint64(0), []

    def expect(self, likely: Floats) -> None:  # noqa: B027 - most resolvers have no use for it
        """Take note of how likely a model of the opponent goes to each history of the present
        gadget's frontier, ``float64[F]``.
        """

    @property
    def told(self) -> str:
        """What was done with a model of the opponent, in a sentence; empty where there is none."""
        return ""

    def fork(self) -> Self:
        """A copy of this resolver. Both can be used on their own, and neither changes what the
        other knows. They may share what `begin` replaces.
        """
        return copy.copy(self)


@dataclass(frozen=True, kw_only=True)
class ResolvingParameters(SearchParameters):
    """The parameters of every search by `ContinualResolving`.

    floor: the least attention that a small game pays to a position that the opponent was unlikely
        to enter, as a share of the attention to the likeliest; none pays equal attention to all.
    cap: the most histories that a small game begins with; if there are more, a sample of them is
        kept, the histories in the player's own information set first.
    """

    floor: float | None = parameter(DEFAULT_FLOOR, above=0)
    cap: int = parameter(DEFAULT_HISTORIES, least=1)


class ContinualResolving:
    """Algorithm 1 with a `Resolver`, for two-player zero-sum games; simultaneous moves are made in
    turns.

    game: the game, zero-sum and for two players.
    resolver: what solves the gadget games.
    floor: the floor in p(h), see `gadgets`, above 0; None for p(h) = pi_{-o}(h).
    cap: the most histories that a gadget has, at least 1.
    seed: the seed of the random numbers, a whole number of at least 0.

    model: what the opponent is believed to do; None where nothing is.
    """

    model: Model | None = None

    def __init__(
        self, game: Game | str, resolver: Resolver, *, floor: float | None, cap: int, seed: int
    ) -> None:
        self.game = as_zero_sum(game, "continual resolving", "ismcts")
        verify_rules(self.game)
        if floor is not None and not floor > 0:
            raise OptionError(
                f"floor={floor} is not allowed; give a number above 0, or none for the plain root "
                "distribution"
            )
        self.floor = floor
        self.cap = cap
        self.resolver = resolver
        self.start(0, seed)

    def __repr__(self) -> str:
        return one_line(self, self.game, f"{self.resolvings:,} resolvings")

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        verify_player(self.game, seat)
        own_seed, public_seed = seed_sequence(seed).spawn(2)
        self.seat = seat
        self.seed = seed
        self.belief = Belief(self.game, seat, cap=max(self.cap // 2, 1), seed=own_seed)
        self._public = Belief(self.game, self.game.num_players, cap=self.cap, seed=public_seed)
        self.known = new_table(per_action=1)
        self._believed = new_table(per_action=1)  # what the model says of the sets that were passed
        self.gadget: Gadget | None = None
        self.resolvings = 0
        self._state: int | None = None  # the public state of the last own move
        self._solved = self._again = False
        self._attentive = True  # whether the present information set gets more attention
        self.resolver.start(self.game, seed)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Move on to where the match is now. If the public state is not known, turn to its gadget
        game. See `OnlineSearch.notice`.
        """
        share = None if seconds is None else seconds / 3  # for each belief, and for the gadget game
        with alone(self):
            for belief in (self.belief, self._public):
                with explaining(self.game, belief.way):
                    belief.notice(events, share, iterations)
            with explaining(self.game):
                self._arrive()

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Go on solving the present gadget game; before the first `notice`, the whole game. If the
        strategy of the present information set was found before, nothing is done.
        """
        iterations, seconds = verify_budget(iterations, seconds)
        if self._again and self._row() != MISSING:
            return
        with alone(self), explaining(self.game, self._way):
            if self.gadget is None:
                self._turn_to(root_gadget(self.game, self.seat), moves=0)
            self._solve(iterations, seconds, progress)
        self._solved = True

    def _solve(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        """Go on solving the present gadget game."""
        self.resolver.think(iterations, seconds, progress)

    def policy(self, num_actions: int) -> Floats:
        """The strategy found for the present information set; uniform if there is none."""
        row, table = self._row(), self.resolver.table
        if row == MISSING:
            return mean_or_uniform(np.zeros(num_actions))
        sums = table.values[row + self.resolver.COLUMN * num_actions :][:num_actions]
        return mean_or_uniform(above(sums, self.resolver.threshold))

    @property
    def choice(self) -> str:
        """What was done with a model of the opponent, in a sentence; empty where there is none."""
        return self.resolver.told

    @property
    def is_sampled(self) -> bool:
        """Whether there are more histories than are kept, so that a public state would be resolved
        from a sample of those that it begins with.
        """
        return self.belief.is_sample or self._public.is_sample

    def weights(self) -> Weights:
        """The strategy sums of the present solution, for each information set in memory."""
        found = weights_from_table(self.resolver.table, self.resolver.COLUMN)
        return found.above(self.resolver.threshold)

    def thought(self) -> Mapping[str, float]:
        """Figures by name: those of the resolver, the information sets and bytes in memory, the
        histories in the gadget, the gadget games so far, whether a belief is a sample, and how
        often nothing was left of one.
        """
        return {
            **self._figures(),
            "information sets": num_sets(self.resolver.table),
            "bytes": num_bytes(self.resolver.table) + num_bytes(self.known),
            "gadget": self.gadget.size if self.gadget is not None else 0,
            "resolvings": self.resolvings,
            "sampled": float(self.is_sampled),
            "recoveries": self.belief.recoveries + self._public.recoveries,
        }

    def _figures(self) -> Mapping[str, float]:
        return self.resolver.thought()

    def branch(self, events: Sequence[Event]) -> Self:
        """A search that knows what this one knows, in another match. It is for measuring what would
        be played in all information sets, so it pays the same attention to each of them.

        events: all that the player noticed in the other match. The public ones among them begin
            with those that this search has noticed in its own match.
        """
        other = copy.copy(self)
        other.belief = Belief(self.game, self.seat, cap=self.belief.cap, seed=self.seed)
        other._public, other.known = copy.deepcopy(self._public), copy.deepcopy(self.known)
        other._believed = copy.deepcopy(self._believed)
        other._fork_resolver()
        other._attentive = False
        other.belief.notice(events)
        public = [event for event in events if event.public]
        other._public.notice(public[self._public.num_events :])
        other._arrive()
        return other

    def _fork_resolver(self) -> None:
        self.resolver = self.resolver.fork()

    def _way(self) -> list[int] | None:
        """The moves that the resolver's last traversal has made, from the beginning of the game."""
        began, moves = self.resolver.broke_off()
        for belief in (self.belief, self._public):
            if (node := node_of(belief, began)) is not None:
                return [*moves_to(self.game, belief.trie, node), *moves]
        return None

    def _arrive(self) -> None:
        """The player is to move, perhaps for another time in the same public state."""
        self._again = self._solved and self._public.key == self._state
        if self._public.key != self._state:
            self._enter()
            self._state = self._public.key

    def _enter(self) -> None:
        """The public state is a new one: build its gadget, from what the resolver found last."""
        if self.gadget is None:
            self._turn_to(root_gadget(self.game, self.seat), moves=1)
            return
        if not self._beliefs:
            return  # nobody knows where we are: go on with what there is
        self._recall()
        found = self._frontier()
        if found.size == 0:
            return  # the match is over: there is nothing left to resolve
        if found.size == 1 and found.history[0] == FIRST_HISTORY:
            # nothing has happened yet: this is the game that was solved before play
            self._turn_to(self.gadget, moves=1)
            return
        if not self._attentive:
            found = replace(found, focus=np.zeros(found.size, np.bool_))
        values, gifts = self.resolver.values(found)
        self._turn_to(build_gadget(self.game, found, self.seat, values, gifts, self.floor), moves=1)
        if self.model is not None:
            self.resolver.expect(self._likely(self.model))
        self.resolvings += 1

    def _recall(self) -> None:
        """Add what was found to what is known of the strategies on the way here."""
        if self._solved:
            table, column = self.resolver.table, self.resolver.COLUMN
            self.known = remember(self._beliefs, table, column, self.known)

    def _likely(self, model: Model) -> Floats:
        """``float64[F]``: how likely the model of the opponent goes to each history with which the
        public state is entered.
        """
        self._believed = remember(self._beliefs, model.table, 0, self._believed)
        return frontier(self.belief, self._public, self._believed, 0).reach[:, 1 - self.seat]

    @property
    def _beliefs(self) -> list[Belief]:
        """Those that have histories left."""
        return [belief for belief in (self._public, self.belief) if belief.is_alive]

    def _frontier(self) -> Frontier:
        return frontier(self.belief, self._public, self.known, 0)

    def _turn_to(self, gadget: Gadget, moves: int) -> None:
        self.gadget = gadget
        self._solved = False
        self.resolver.begin(gadget, self._public.key, moves)

    def _row(self) -> int:
        """Where the present information set is in the resolver's table."""
        return int(find_row(self.resolver.table, np.uint64(self.belief.information_key)))


# --- kernels ---


@kernel
def find_row(table: InformationSetTable, key: np.uint64) -> int:
    """The row of a key, or MISSING."""
    return table.find(key)
