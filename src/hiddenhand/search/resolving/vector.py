"""Continual resolving in vector form, for games whose moves are public: at each own move, what
comes from there on is solved for all hands at once, kept safe by a gadget.

As `continual`, after Sustr, Kovarik and Lisy (2019) and Moravcik et al. (2017), and simpler: the
public history, the hands and their ranges are known exactly, without beliefs. What an opponent's
hand is worth, t(h), is what a best response earns with it against the solution of the public
history before, see `ranges.subgames`. At the first move there is no gadget: what comes from there
on is solved as if the opponent had played all hands alike on the way there, unless there was time
before play.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Final, Self

import numpy as np

from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Flags, Floats
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress
from hiddenhand.ranges.following import Follower
from hiddenhand.ranges.measuring import Ranges
from hiddenhand.ranges.public_game import VectorForm, vector_form
from hiddenhand.ranges.subgames import subgame
from hiddenhand.ranges.vector_cfr import VectorCFR
from hiddenhand.ranges.walking import BEST, Step
from hiddenhand.search.alone import alone
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.trees.strategy import Weights

DEFAULT_FLOOR: Final = 0.1


class VectorCR:
    """Continual resolving in vector form; see `OnlineSearch`.

    game: the game, zero-sum and for two players, in which all moves are public.
    resolver: the variant of CFR that solves what comes from a move on; all of them are among the
        solvers that hiddenhand algorithms lists.
    floor: how much attention is paid to a hand with which the opponent was unlikely to come here,
        above 0, as a share of the attention to the likeliest.
    threads: how many threads walk, at least 1; what is found does not depend on it.
    seed: makes no difference, because nothing is drawn.
    """

    def __init__(
        self,
        game: Game,
        *,
        resolver: str = "dcfr",
        floor: float = DEFAULT_FLOOR,
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        if not floor > 0:
            raise OptionError(f"floor={floor} is not allowed; give a number above 0")
        self.game = as_sequential(game)
        self.form = vector_form(self.game)
        self.resolver = resolver
        self.floor = floor
        self.threads = threads
        self.start(0, seed)

    def start(self, seat: int, seed: int) -> None:
        """See `OnlineSearch.start`."""
        self.seat, self.seed = seat, seed
        self.follower = Follower(self.form, seat)
        self._run: VectorCFR | None = None  # of the last public history in which it was searched
        self._is_here = False  # whether that is the present one
        self._iterations = self._resolvings = 0

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """See `OnlineSearch.notice`."""
        self._is_here &= not events
        self.follower.follow(events, self._played)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. Before play, the whole game is solved."""
        verify_budget(iterations, seconds)
        if self.follower.is_lost:
            return
        with alone(self):
            if not self._is_here:
                self._resolve()
            assert self._run is not None
            before = self._run.iterations
            self._run.iterate(iterations, seconds=seconds, progress=progress)
            self._iterations += self._run.iterations - before

    @property
    def is_to_move(self) -> bool:
        """Whether the player is to move, and it is known where."""
        return self.follower.is_to_move

    @property
    def is_whole(self) -> bool:
        """Whether no player has moved before the present public history."""
        return self.follower.moves == 0

    @property
    def numbers(self) -> int:
        """How many numbers are kept of what comes from the present public history on."""
        return int(self.form.arrays.size[self.follower.situation].sum())

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`."""
        if not (self._is_here and self.follower.is_to_move):
            return mean_or_uniform(np.zeros(num_actions))
        place = self.follower.played_as
        legal = self._legal()[:, place]
        return mean_or_uniform(self._played(self.follower.situation, (0, 0))[legal, place])

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`: what all own hands play in the present public history."""
        if not (self._is_here and self.follower.is_to_move):
            return Weights(np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))
        classes = self.form.merged[self.follower.situation].classes[self.seat]
        legal = self._legal()[:, classes].T
        policy = self._played(self.follower.situation, (0, 0))[:, classes].T
        starts = np.concatenate([[0], np.cumsum(legal.sum(axis=1))]).astype(np.int64)
        return Weights(self.follower.keys.copy(), starts, policy[legal])

    def thought(self) -> Mapping[str, float]:
        """Iterations in all, the numbers that are kept of the present public history and of those
        after it, and how many public histories were resolved.
        """
        return {
            "iterations": self._iterations,
            "numbers": 0 if self._run is None else sum(self._run.form.sizes),
            "resolvings": self._resolvings,
        }

    def branch(self, events: Sequence[Event]) -> Self:
        """See `ContinualResolving.branch`."""
        other = copy.copy(self)
        other.follower = self.follower.in_another_match(events, self._played)
        other._is_here = self._is_here and other.follower.situation == self.follower.situation
        other._is_here &= other.follower.base == self.follower.base
        return other

    def _legal(self) -> Flags:
        return self.form.merged[self.follower.situation].legal

    def _resolve(self) -> None:
        """Turn to the present public history."""
        follower, seat = self.follower, self.seat
        worth = None if self._run is None else self._worth(self._run)
        form = subgame(self.form, follower.situation, self._ranges(), seat, worth)
        self._run = VectorCFR(form, variant=self.resolver, threads=self.threads)
        follower.base = (0, 0)
        self._is_here = True
        self._resolvings += 1

    def _ranges(self) -> Ranges:
        """What a subgame begins with. A player whose strategy never comes here is taken to come
        with all hands alike.
        """
        first, second = (_scaled(one) for one in self.follower.ranges)
        ranges = [first, second]
        ranges[1 - self.seat] = ranges[1 - self.seat] + self.floor
        return ranges[0], ranges[1]

    def _worth(self, run: VectorCFR) -> Floats | None:
        """``float64[C]``: t, by the solution of the public history before; None where that solution
        never comes here.
        """
        own, opponent = self.follower.ranges[self.seat], 1 - self.seat
        if not own.any():
            return None
        found = run.walks.later(
            Step(BEST, opponent),
            self.follower.situation,
            self._bases(run.form),
            (_scaled(self.follower.ranges[0]), _scaled(self.follower.ranges[1])),
            run.average[self.seat],
        )
        return found[: self.follower.ranges[opponent].size].copy()

    def _bases(self, form: VectorForm) -> tuple[int, int]:
        """Where begins what a run keeps of each player in the present public history."""
        gadget = form.arrays.size[form.root] - form.arrays.size[_begins(form)]
        return self.follower.base[0] + int(gadget[0]), self.follower.base[1] + int(gadget[1])

    def _played(self, situation: int, base: tuple[int, int]) -> Floats:
        """``float64[A, C]``: what the mover plays by the last solution, and if there is none, all
        actions alike.
        """
        one = self.form.merged[situation]
        player, legal = one.situation.mover, one.legal
        weights = np.zeros(legal.shape)
        if self._run is not None:
            form = self._run.form
            gadget = form.arrays.size[form.root] - form.arrays.size[_begins(form)]
            first = base[player] + int(gadget[player])
            kept = self._run.average[player][first : first + legal.size]
            weights = kept.reshape(legal.shape).astype(np.float64)
        total = weights.sum(axis=0)
        uniform = legal / legal.sum(axis=0)
        return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), uniform)


def _begins(form: VectorForm) -> int:
    """The situation in which a subgame begins, after its gadget if it has one."""
    arrays = form.arrays
    has_gadget = form.root == arrays.mover.size - 1 and form.root >= len(form.merged)
    return int(arrays.child[arrays.first_edge[form.root]]) if has_gadget else form.root


def _scaled(range_: Floats) -> Floats:
    """A range whose largest entry is 1; all 1 where it is 0."""
    most = float(range_.max())
    return range_ / most if most > 0.0 else np.ones(range_.size)
