"""A resolver that writes a gadget game out and solves it exactly where there is time for it, and
samples it elsewhere.

Exact resolving is better by orders of magnitude where it can be done at all, and towards the end of
a match it nearly always can. So each public state gets the resolver that fits it and the budget,
see `fitting`, and the values that it is resolved from come from whichever resolver solved the state
before.
"""

import contextlib
import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Self

import numpy as np

from hiddenhand import clock
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.keys import Key
from hiddenhand.compiled.table import InformationSetTable, new_table, num_sets
from hiddenhand.errors import TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.belief.public_states import Frontier, remember, root_frontier
from hiddenhand.search.fitting import (
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
from hiddenhand.search.resolving.continual import Resolver, find_row
from hiddenhand.search.resolving.exact import ExactResolver, is_whole
from hiddenhand.search.resolving.gadget_tree import write_gadget
from hiddenhand.search.resolving.gadgets import Gadget, root_gadget
from hiddenhand.search.resolving.sampled import BaselineBySamples
from hiddenhand.trees.estimate import estimated_histories
from hiddenhand.trees.repair import load_repair

_SAMPLED_EVER: Final = 1e9  # histories above which no time is long enough to resolve by sampling
_TOO_LOW: Final = 1.3  # how many times more histories a small game may have than was guessed
_MOST: Final = 0.7  # of the histories of a game that is written out
_MUCH_LONGER: Final = 10.0  # times as many iterations of CFR
_REACHED: Final = 1e-6  # of the play in a game, so that its solution says what to do there


@dataclass(frozen=True, eq=False)
class _Before:
    """What was written out and solved before the present gadget game, of which it has all of the
    histories.
    """

    exact: ExactResolver
    gadget: Gadget
    account: Account

    def is_worth(self, iterations: int | None, seconds: float | None) -> bool:
        """Whether it was solved for much longer than a budget allows."""
        allowed = iterations_for(iterations, seconds, self.exact.num_histories)
        return self.exact.num_iterations >= _MUCH_LONGER * allowed


class AdaptiveResolver(Resolver):
    """Exact in each public state whose gadget game fits the budget, by sampling elsewhere.

    exact: solves what can be written out, by the variant of CFR that suits the time.
    sampling: solves all else.
    histories: how many the whole game has, roughly.
    may_sample: whether the game is small enough for anybody to resolve by sampling.
    """

    _gadget: Gadget

    def __init__(self, exact: ExactResolver, sampling: BaselineBySamples, histories: float) -> None:
        self.exact = exact
        self.sampling = sampling
        self.histories = histories

    @property
    def may_sample(self) -> bool:
        return self.histories <= _SAMPLED_EVER

    @property
    def present(self) -> ExactResolver | BaselineBySamples:
        """The resolver of the present gadget game."""
        return self.exact if self.exact.is_written_out else self.sampling

    @property
    def COLUMN(self) -> int:  # type: ignore[override]  # noqa: N802 - as in `Resolver`
        """See `Resolver`."""
        return self.present.COLUMN

    @property
    def table(self) -> InformationSetTable:  # type: ignore[override]
        """See `Resolver`."""
        return self.present.table

    def start(self, game: Game, seed: int) -> None:
        """See `Resolver.start`."""
        self._game = game
        self._fitting = Fitting(seed, self.sampling.memory, _load(game, self.exact.kind))
        self._account = Account()
        self._before: _Before | None = None
        self.exact.start(game, seed)
        self.sampling.start(game, seed)
        if _TOO_LOW * self.histories > ANYWAY and self.may_sample:
            self.sampling.load()

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """See `Resolver.begin`. Where most of what was written out is still to come, that run goes
        on: to begin anew would take more time than a somewhat smaller game saves.
        """
        if self.exact.is_written_out and self._is_most_of_it(gadget):
            self.exact.begin(self._gadget, public_key, moves)
            return
        self._before = self._kept(gadget)
        self._begin_anew(gadget, public_key, moves)

    def value(self, gadget: Gadget) -> None:
        """Turn to the present gadget game with other values, which `ExactResolver.assume` found."""
        self._begin_anew(gadget, self._public_key, self._moves)

    @property
    def has_written(self) -> Gadget | None:
        """The gadget that is written out; None if there is none."""
        return self._gadget if self.exact.is_written_out else None

    def _begin_anew(self, gadget: Gadget, public_key: int, moves: int) -> None:
        self._gadget, self._public_key, self._moves = gadget, public_key, moves
        self._fitting.begin(self.histories if is_whole(gadget) else 0.0)
        self._account = Account()
        self.exact.begin(gadget, public_key, moves)
        self.sampling.begin(gadget, public_key, moves)

    def fits(
        self, iterations: int | None, seconds: float | None, before_play: bool = False
    ) -> bool:
        """Write the present gadget game out if the budget allows it; whether it is written out. If
        not, a larger one will do that was solved for much longer than this.
        """
        if self.exact.is_written_out:
            return True
        if self._fitting.attempt(
            self._game, self._write, iterations, seconds, self._gadget.state, before_play
        ):
            self._before = None
            return True
        if self._before is None or not self._before.is_worth(iterations, seconds):
            return False
        self._go_back(self._before)
        return True

    def think(self, iterations: int | None, seconds: float | None, progress: Progress) -> None:
        """See `Resolver.think`. ``iterations`` are those by sampling: of CFR as many are made as
        take as long.
        """
        began = clock.now()
        if self.fits(iterations, seconds) and iterations is not None:
            iterations = self._account.due(iterations, self.exact.num_histories)
        if seconds is not None:
            seconds = time_left(seconds, began)
        if iterations == 0:
            return
        if self.present is self.exact:
            self.exact.solve_by(self._variant_for(iterations, seconds))
        self.present.think(iterations, seconds, progress)

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """See `Resolver.values`."""
        return self.present.values(entered)

    def expect(self, likely: Floats) -> None:
        """See `Resolver.expect`. Sampling knows no model."""
        self.exact.expect(likely)

    @property
    def told(self) -> str:
        """See `Resolver.told`."""
        return self.exact.told if self.present is self.exact else ""

    def thought(self) -> Mapping[str, float]:
        """Iterations by sampling and of CFR, in all; histories in the present gadget game, if it is
        written out.
        """
        exact = self.exact.thought()
        return {
            "iterations": self.sampling.thought()["iterations"],
            "CFR iterations": exact["iterations"],
            "histories": exact["histories"],
        }

    def broke_off(self) -> tuple[Key, list[int]]:
        """See `Resolver.broke_off`."""
        return self.present.broke_off()

    def fork(self) -> Self:
        """See `Resolver.fork`."""
        other = copy.copy(self)
        other.exact, other.sampling = self.exact.fork(), self.sampling.fork()
        other._fitting, other._account = copy.deepcopy((self._fitting, self._account))
        return other

    def _is_most_of_it(self, gadget: Gadget) -> bool:
        """Whether a gadget game is most of the one that is written out."""
        if is_whole(self._gadget) and nobody_has_moved(gadget):
            return True
        written = self.exact.num_histories
        return (
            written > QUICK
            and share_of_play(gadget.reach) >= _REACHED
            and estimated_histories(self._game, 0, PLAYS, gadget.state, decided=False)
            > _MOST * written
        )

    def _go_back(self, before: _Before) -> None:
        """Continue the earlier run, whose written-out tree has all of the present gadget game."""
        self._before = None
        self.exact, self._gadget = before.exact, before.gadget
        self._account = before.account
        self.exact.begin(self._gadget, self._public_key, self._moves)

    def _kept(self, gadget: Gadget) -> _Before | None:
        """The present run, if it can be of use where the time is too short to write another one
        out: what it has found there is worth something, and there is memory for both.
        """
        is_solved = self.exact.is_written_out and num_sets(self.exact.table) > 0
        if not is_solved or share_of_play(gadget.reach) < _REACHED:
            return None
        if not self._fitting.has_memory_for(2 * self.exact.num_histories):
            return None
        return _Before(self.exact.fork(), self._gadget, self._account)

    def _variant_for(self, iterations: float | None, seconds: float | None) -> str:
        if iterations is None:
            assert seconds is not None
            iterations = iterations_in(seconds, self.exact.num_histories)
        return variant_for(iterations, has_chance=self._game.max_chance_outcomes > 1)

    def _write(self, most: int, progress: Progress) -> int:
        self.exact.write_out(most, progress)
        return self.exact.num_histories


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


@lru_cache(maxsize=64)
def _load(game: Game, kind: str) -> float:
    """Have everything compiled, or loaded, that exact resolving of ``game`` needs: before the clock
    of a match starts, and once in each process. Returns the pace at which it is written out.

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
