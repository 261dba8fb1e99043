"""Continual resolving as `auto` uses it: it chooses how to solve each gadget game, uses all the
time that it gets, and perhaps has none before play.

Where the budget allows it, a gadget game is written out and solved exactly; that is better by
orders of magnitude, and nearly always possible towards the end of a match. Elsewhere the gadget
game is sampled: with few samples without a baseline, and with many samples with one, because a
baseline makes samples vary less, but doubles their time and first learns from noise. The values of
the next gadget game come from the resolver that solved the one before.

Three things differ from the algorithm of the paper. First, the search thinks on in a public state
that it knows. If the public sees little, a player moves more than once in one public state, and the
search also uses the time at the later moves. Second, most of a gadget game that is written out may
still be to come. Then solving it goes on: to begin anew would take more time than a somewhat
smaller game saves. Third, there may be no time before play, and the opponent may have moved
already. Then the search solves the whole game at the first move, as in the paper. But that solution
says little about bad moves: an opponent who makes one enters a part of the game that the solution
never visits. So half of the time goes into the whole game, and the other half into the game from
here on, if the time is long enough for both.

With a blueprint, a public state is resolved also where none before it was: the ranges are those of
the blueprint, and what the opponent's sets are worth is what a best response earns against it.
"""

import contextlib
import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Self

import numpy as np

from hiddenhand import clock
from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.jit.arrays import Floats, Keys
from hiddenhand.jit.infoset_table import new_table, num_sets
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.auto.candidates import Left
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.public_states import (
    FIRST_HISTORY,
    Frontier,
    remember,
    root_frontier,
)
from hiddenhand.search.parallel.streams import UNDIVIDED, Division
from hiddenhand.search.resolving.continual import ContinualResolving, find_row
from hiddenhand.search.resolving.exact import ExactResolver
from hiddenhand.search.resolving.gadget_tree import write_gadget
from hiddenhand.search.resolving.gadgets import Gadget, build_gadget, is_whole, root_gadget
from hiddenhand.search.resolving.mccr import SamplingResolver
from hiddenhand.search.resolving.trembles import TREMBLE
from hiddenhand.search.table_search import DEFAULT_MEMORY
from hiddenhand.search.tree_budget import (
    ANYWAY,
    PLAYS,
    QUICK,
    Account,
    Fitting,
    iterations_for,
    iterations_in,
    measured_pace,
    time_left,
    variant_for,
)
from hiddenhand.solvers.repair import load_repair
from hiddenhand.trees.blueprint import ENOUGH, SetBlueprint
from hiddenhand.trees.profile import uniform_profile
from hiddenhand.trees.strategy import table_of
from hiddenhand.trees.tree_size import estimated_histories

_SAMPLED_EVER: Final = 1e9  # histories above which no time is long enough to resolve by sampling
_TOO_LOW: Final = 1.3  # how many times more histories a small game may have than was guessed
_MOST: Final = 0.7  # of the histories of a game that is written out
_MUCH_LONGER: Final = 10.0  # times as many iterations of CFR
_REACHED: Final = 1e-6  # of all play, below which a solution of a game says nothing
_FOR_TWO: Final = 0.01  # seconds of a move, which two games written out and solved take at least
_MANY: Final = 30_000  # samples of a thinking, for which a baseline is worth its time
_TRIED: Final = 2_000  # samples, to see how fast they are


class AutoResolving(ContinualResolving):
    """Continual resolving for `auto`; see `ContinualResolving`.

    resolver: the one that solves the present gadget game, ``exact`` or one of ``samplers``.
    exact: solves what can be written out, by the variant of CFR that suits the time.
    samplers: one for few samples, and one for many; none if the game is too large for both.
    histories: how many the whole game has, roughly.
    memory: bytes that what is written out may take, and the tables of each sampler.
    blueprint: one by sets; None where there is none.
    handed_down: whether all of the match so far was resolved, so that all values are known.
    """

    def __init__(
        self,
        game: Game,
        exact: ExactResolver,
        histories: float,
        *,
        floor: float,
        cap: int,
        memory: int,
        seed: int,
        division: Division = UNDIVIDED,
        blueprint: SetBlueprint | None = None,
    ) -> None:
        self.model = exact.model
        self.exact = exact
        self.samplers = () if histories > _SAMPLED_EVER else _samplers(memory, division)
        self.histories = histories
        self.memory = memory
        self.blueprint = blueprint
        super().__init__(game, exact, floor=floor, cap=cap, seed=seed)

    def start(self, seat: int, seed: int) -> None:
        self._is_unvalued = False  # whether the blueprint has still to value the public state
        self._before: _Before | None = None
        self._is_lost = False  # whether this search branched from one that is sampled
        self.handed_down = True
        self.resolver = self.exact
        super().start(seat, seed)
        for sampler in self.samplers:
            sampler.start(self.game, seed)
        self._fitting = Fitting(seed, self.memory, _load(self.game, self.exact.kind))
        self._account = Account()
        if self.samplers and _TOO_LOW * self.histories > ANYWAY:
            _pace(self.game)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `ContinualResolving.notice`. Once the public states are sampled, nothing is followed
        any more, and nothing resolved.
        """
        if not self.is_sampled:
            super().notice(events, None if seconds is None else seconds / 2, iterations)

    @property
    def is_sampled(self) -> bool:
        return self._is_lost or super().is_sampled

    @property
    def plays(self) -> bool:
        """Whether the match has come to a move."""
        return self._state is not None

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `ContinualResolving.think`. Iterations are those by sampling: of CFR as many are made
        as take as long.
        """
        if (seconds is None or seconds >= _FOR_TWO) and self._solves_from_root():
            left = Left(iterations, seconds)
            half = None if iterations is None else (iterations + 1) // 2
            super().think(half, None if seconds is None else seconds / 2, progress)
            if self.exact.is_written_out and self._is_seldom_here():
                self._enter()
            if half is not None and iterations is not None:
                iterations -= half
                if iterations == 0:
                    return
            seconds = left.seconds
        super().think(iterations, seconds, progress)

    def _solve(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        began = clock.now()
        if self._is_written(iterations, seconds) and iterations is not None:
            iterations = self._account.due(iterations, self.exact.num_histories)
        if seconds is not None:
            seconds = time_left(seconds, began)
        if iterations == 0:
            return
        if self.exact.is_written_out:
            self.exact.solve_by(self._variant_for(iterations, seconds))
        elif self.resolver is self.exact:  # the first thinking chooses for all
            self.resolver = self.samplers[self._samples(iterations, seconds) >= _MANY]
        self.resolver.think(iterations, seconds, progress)

    # --- writing gadget games out ---

    def fits(self, left: Left) -> bool:
        """Write the present gadget game out if the budget allows it; whether it is written out."""
        before_play = not self.plays
        if not self._is_written(left.iterations, left.seconds, before_play):
            return False
        if self.blueprint is None:
            return True
        if self._is_unvalued and self.exact.gadget is self.gadget:
            self._value(self.blueprint)
            if not self._is_written(left.iterations, left.seconds, before_play):
                return False
        if not self.exact.is_given:
            self.exact.give(self.blueprint.on(self.exact.write_out().tree))
        return True

    def _is_written(
        self, iterations: int | None, seconds: float | None, before_play: bool = False
    ) -> bool:
        """`fits` without a blueprint. A larger game will do that was solved for much longer than
        this budget allows.
        """
        if not self.exact.is_written_out:
            if self._fitting.attempt(
                self.game, self._write, iterations, seconds, self.exact.gadget.state, before_play
            ):
                self._before = None
            elif self._before is not None and self._before.is_worth(iterations, seconds):
                self.exact, self._account = self._before.exact.fork(), self._before.account
                self._before = None
                self.exact.begin(self.exact.gadget, self._public.key, 1)
            else:
                return False
        self.resolver = self.exact
        return True

    def _write(self, most: int, progress: Progress) -> int:
        self.exact.write_out(most, progress)
        return self.exact.num_histories

    def _value(self, blueprint: SetBlueprint) -> None:
        """Turn to the same gadget game with the values of the blueprint."""
        tree, found = self.exact.write_out().tree, self._frontier()
        played = blueprint.on(tree)
        self.exact.assume(np.where(np.isnan(played), uniform_profile(tree), played))
        values, gifts = self.exact.values(found)
        gadget = build_gadget(self.game, found, self.seat, values, gifts, self.floor)
        self._begin(gadget, moves=1)
        self._is_unvalued = False

    def _variant_for(self, iterations: float | None, seconds: float | None) -> str:
        if iterations is None:
            assert seconds is not None
            iterations = iterations_in(seconds, self.exact.num_histories)
        return variant_for(iterations, has_chance=self.game.max_chance_outcomes > 1)

    def _samples(self, iterations: int | None, seconds: float | None) -> float:
        """How many samples a budget is good for, roughly."""
        in_time = math.inf if seconds is None else seconds * _pace(self.game)
        return in_time if iterations is None else min(iterations, in_time)

    # --- from gadget game to gadget game ---

    def _turn_to(self, gadget: Gadget, moves: int) -> None:
        if self.exact.is_written_out and self._is_most_of_it(gadget):
            self.gadget, self._solved = gadget, False
            self.exact.begin(self.exact.gadget, self._public.key, moves)
            return
        self._before = self._kept(gadget)
        self._begin(gadget, moves)

    def _begin(self, gadget: Gadget, moves: int) -> None:
        """Begin to solve ``gadget``, or continue with a whole game that was sampled before play."""
        if gadget is not self.gadget:
            self.resolver = self.exact
        self.gadget, self._solved = gadget, False
        self._fitting.begin(self.histories if is_whole(gadget) else 0.0)
        self._account = Account()
        for resolver in (self.exact, *self.samplers):
            resolver.begin(gadget, self._public.key, moves)

    def _is_most_of_it(self, gadget: Gadget) -> bool:
        """Whether a gadget game is most of the one that is written out."""
        if is_whole(self.exact.gadget) and nobody_has_moved(gadget):
            return True
        written = self.exact.num_histories
        return (
            written > QUICK
            and share_of_play(gadget.reach) >= _REACHED
            and estimated_histories(self.game, 0, PLAYS, gadget.state, decided=False)
            > _MOST * written
        )

    def _kept(self, gadget: Gadget) -> "_Before | None":
        """The present run, if it can be of use where the time is too short to write another one
        out: what it has found there is worth something, and there is memory for both.
        """
        is_solved = self.exact.is_written_out and num_sets(self.exact.table) > 0
        if not is_solved or share_of_play(gadget.reach) < _REACHED:
            return None
        if not self._fitting.has_memory_for(2 * self.exact.num_histories):
            return None
        return _Before(self.exact.fork(), self._account)

    def _enter(self) -> None:
        before = self.resolvings
        stands_in = self.blueprint is not None and not self._solved
        super()._enter()
        self._is_unvalued = stands_in and self.resolvings > before

    def _recall(self) -> None:
        """See `ContinualResolving`. Where nothing was solved before, the blueprint stands in."""
        if self.blueprint is None or self._solved:
            super()._recall()
            return
        keys = [belief.trie.key[belief.trie.player >= 0] for belief in self._beliefs]
        found = self.blueprint.among(np.concatenate(keys), ENOUGH)
        self.known = remember(self._beliefs, table_of(found), 0, self.known)

    def _arrive(self) -> None:
        super()._arrive()
        self._again = False

    # --- the whole game ---

    def begin_at_root(self) -> bool:
        """Turn to the whole game, unless something was turned to before. Whether the present gadget
        game is the whole game.
        """
        if self.gadget is None:
            self._turn_to(root_gadget(self.game, self.seat), moves=0)
        assert self.gadget is not None
        return is_whole(self.gadget)

    def leave_root(self) -> bool:
        """Turn from the whole game, in which nothing was found, to the public state that the match
        is in. Returns whether that is another gadget game.
        """
        before = self.gadget
        self._enter()
        return self.gadget is not before

    def forget_root(self) -> None:
        """Before play, nothing was found: the first move may have more time for the whole game."""
        self.gadget = None

    def _solves_from_root(self) -> bool:
        """Whether the present gadget is the whole game, of which nothing is known, and the opponent
        has moved already.
        """
        if self.gadget is None or self._solved or not is_whole(self.gadget):
            return False
        if self._state is None or _is_root(found := self._frontier()):
            return False
        return bool((found.reach[:, 1 - self.seat] < 1.0).any())

    def _is_seldom_here(self) -> bool:
        """Whether play by what was found in the whole game hardly ever comes here."""
        self._recall()
        found = self._frontier()
        reach = found.reach.copy()
        reach[:, -1] *= found.weight
        return found.size > 0 and share_of_play(reach) < _REACHED

    # --- what others ask ---

    def sets_here(self) -> Keys:
        """The information sets of the player with which the present public state is entered."""
        keys: Keys = self._public.leaves.keys[:, self.seat]
        return keys

    def _figures(self) -> Mapping[str, float]:
        """Iterations are those by sampling and of CFR, in all; histories those of the present
        gadget game, if it is written out.
        """
        exact = self.exact.thought()
        sampled = sum(sampler.thought()["iterations"] for sampler in self.samplers)
        return {
            "iterations": sampled + exact["iterations"],
            "CFR iterations": exact["iterations"],
            "histories": exact["histories"],
        }

    def branch(self, events: Sequence[Event]) -> Self:
        other = super().branch(events)
        other._is_lost = self.is_sampled
        return other

    def _fork_resolver(self) -> None:
        before = (self.exact, *self.samplers)
        self.exact, self.samplers = self.exact.fork(), tuple(s.fork() for s in self.samplers)
        self.resolver = (self.exact, *self.samplers)[before.index(self.resolver)]
        self._fitting, self._account = copy.deepcopy((self._fitting, self._account))


@dataclass(frozen=True, eq=False)
class _Before:
    """What was written out and solved before the present gadget game, of which it has all of the
    histories.
    """

    exact: ExactResolver
    account: Account

    def is_worth(self, iterations: int | None, seconds: float | None) -> bool:
        """Whether it was solved for much longer than a budget allows."""
        allowed = iterations_for(iterations, seconds, self.exact.num_histories)
        return self.exact.num_iterations >= _MUCH_LONGER * allowed


def _samplers(memory: int, division: Division) -> tuple[SamplingResolver, ...]:
    """For few samples, and for many."""
    return tuple(
        SamplingResolver(baseline=kind, tremble=TREMBLE, memory=memory, **vars(division))
        for kind in ("off", "predictive")
    )


def _is_root(found: Frontier) -> bool:
    """Whether it is that of the whole game, or of nothing."""
    return found.size == 0 or (found.size == 1 and bool(found.history[0] == FIRST_HISTORY))


def nobody_has_moved(gadget: Gadget) -> bool:
    """Whether only chance has moved before a gadget game, so that it is what remains of the whole
    game, however chance has moved. With a floor, all entries of a player who has not moved are the
    same and above 1.
    """
    ours, theirs, chance = gadget.reach.T
    nobody = np.all(ours == 1.0) and np.all(theirs == theirs[0]) and theirs[0] >= 1.0
    return bool(nobody and np.isclose(chance.sum(), 1.0))


def share_of_play(reach: Floats) -> float:
    """How much of the play that chance allows goes through histories.

    reach: ``float64[F, 3]``, the parts of the two players and of chance in their probabilities.
    """
    chance = reach[:, -1].sum()
    return float(reach.prod(axis=1).sum() / chance) if chance > 0.0 else 0.0


# --- what is compiled, or loaded, before the clock of a match starts, once in each process ---


@lru_cache(maxsize=64)
def _load(game: Game, kind: str) -> float:
    """Load all that exact resolving of ``game`` needs. Returns the pace at which it is written out.

    kind: of the gadget.
    """
    estimated_histories(game, 0, plays=1)
    for small in (game, KuhnPoker()):  # the second one where the first one is not small
        resolver = ExactResolver(gadget=kind, gains=True)
        resolver.start(small, 0)
        resolver.begin(root_gadget(small, 0), 0, 0)
        try:
            resolver.write_out(ANYWAY)
        except TooLargeError:
            continue
        resolver.think(1, None, SILENT)
        load_repair(resolver.write_out())
        resolver.values(root_frontier(small))
        find_row(resolver.table, np.uint64(0))
        belief = Belief(small, 0, cap=1, seed=0)
        remember([belief], resolver.table, resolver.COLUMN, new_table(per_action=1))
        break
    may_terminate = replace(root_gadget(game, 0), may_terminate=np.ones(1, np.bool_))
    with contextlib.suppress(TooLargeError):
        write_gadget(game, may_terminate, kind, ANYWAY)
    return measured_pace(game)


@lru_cache(maxsize=64)
def _pace(game: Game) -> float:
    """Load all that sampling in ``game`` needs. Returns how many samples are made in a second, from
    the beginning of the game and without a baseline.
    """
    for sampler in reversed(_samplers(DEFAULT_MEMORY, UNDIVIDED)):
        sampler.start(game, 0)
        sampler.begin(root_gadget(game, 0), 0, 0)
        sampler.think(1, None)
    began = clock.now()
    sampler.think(_TRIED, None)
    return _TRIED / (clock.now() - began)
