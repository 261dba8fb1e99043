"""Continual resolving in vector form, for games whose moves are public: at each own move, what
comes from there on is solved for all hands at once, kept safe by a gadget.

As `continual`, after Sustr, Kovarik and Lisy (2019) and Moravcik et al. (2017), and simpler: the
public history, the hands and their ranges are known exactly, without beliefs. What an opponent's
hand is worth, t(h), is what a best response earns with it against the solution of the public
history before, see `solvers.vector_form.subgames`. Before the first one, that solution is the
blueprint, if there is one, or what was found before play. With neither there is no gadget: what
comes from there on is solved as if all hands had been played alike on the way there.

What is found is compared with the blueprint, by a best response to each of them, and the safer one
is played, see `gadgets.danger`.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Self

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.budget import verify_budget
from hiddenhand.games.base import Game, verify_constant_sum, verify_player
from hiddenhand.games.history import Event
from hiddenhand.games.poker.kuhn import KuhnPoker
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.arrays import Flags, Floats
from hiddenhand.parameters import Configured, parameter
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief_search import SearchParameters
from hiddenhand.search.exclusive_use import alone
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.resolving.gadgets import danger
from hiddenhand.solvers.vector_form.blueprint import HandBlueprint
from hiddenhand.solvers.vector_form.profile import Ranges, Walks
from hiddenhand.solvers.vector_form.public_game import VectorForm, vector_form
from hiddenhand.solvers.vector_form.public_tree_walk import BEST, Step
from hiddenhand.solvers.vector_form.range_tracking import Follower
from hiddenhand.solvers.vector_form.situations import MAX_EFFORT
from hiddenhand.solvers.vector_form.strategies import weights_in
from hiddenhand.solvers.vector_form.subgames import subgame
from hiddenhand.solvers.vector_form.vector_cfr import BITS, VectorCFR
from hiddenhand.text import one_line
from hiddenhand.trees.blueprint import blueprint_at
from hiddenhand.trees.strategy import Weights

DEFAULT_FLOOR: Final = 0.1


@dataclass(frozen=True, kw_only=True)
class VectorCRParameters(SearchParameters):
    """The parameters of `VectorCR`.

    resolver: the variant of CFR that solves what comes from a move on; all of them are among the
        solvers that hiddenhand algorithms lists.
    floor: the least attention to a hand with which the opponent was unlikely to come here, as a
        share of the attention to the likeliest.
    blueprint: the file of a blueprint of the game, which train writes, or "trained" for the one
        that train keeps if no file is named; none for no blueprint.
    effort: the most moves of pairs of hands that the search looks at to find the situations of the
        game; a million take a second or two.
    threads: number of threads that walk the tree, at least 1; the result does not depend on it.
    seed: makes no difference, because nothing is drawn.
    """

    resolver: str = "dcfr"
    floor: float = parameter(DEFAULT_FLOOR, above=0)
    blueprint: str | None = None
    effort: int = parameter(MAX_EFFORT, least=1)
    threads: int = 1
    seed: int = 0


@Algorithm(
    name="vector-cr",
    paper="Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games, Section 3.4; after Moravčík et al. (2017), "
    "DeepStack",
    summary="Continual resolving for all hands at once: at each move, what comes from there on is "
    "made safe and solved on the tree of what is public.",
    games="zero-sum games of two players in which all moves are public and only hands are hidden",
    guarantee="the exploitability of what is played in a match falls as iterations grow, if there "
    "is time before play or the first move is the player's",
    needs_public=True,
)
class VectorCR(Configured):
    """Continual resolving in vector form; see `OnlineSearch`. The game is zero-sum and for two
    players, and all its moves are public.

    keeps_blueprint: whether the search plays the blueprint in the present public history, because
        it is safer than the strategy that it found.
    """

    PARAMETERS = VectorCRParameters

    settings: VectorCRParameters

    def _set_up(self, game: Game | str) -> None:
        given = self.settings
        self.game = as_sequential(game)
        verify_constant_sum(self.game, "vector-cr", "ismcts")
        _load()
        self.form = _form_of(self.game, given.effort)
        self.blueprint: HandBlueprint | None = None
        if given.blueprint is not None:
            self.blueprint = HandBlueprint.load(blueprint_at(given.blueprint, self.game), self.form)
        self.start(0, given.seed)

    def __repr__(self) -> str:
        return one_line(self, self.game, self.settings.resolver, f"{self._resolvings:,} resolvings")

    def start(self, seat: int, seed: int) -> None:
        verify_player(self.game, seat)
        self.seat, self.seed = seat, seed
        self.follower = Follower(self.form, seat)
        self._run: VectorCFR | None = None  # of the last public history in which it was searched
        self._begin = (0, 0)  # the bases of that public history
        self._is_here = False  # whether that is the present one
        self._is_shared = False  # whether another search may go on with the same run
        self._gate: Floats | None = None  # t, which the present public history was resolved with
        self.keeps_blueprint = False
        self._iterations = self._resolvings = 0

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        self._is_here &= not events
        self.follower.follow(events, self._played)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """See `OnlineSearch.think`. Before play, the whole game is solved."""
        iterations, seconds = verify_budget(iterations, seconds)
        if self.follower.is_lost:
            return
        with alone(self):
            if not self._is_here:
                self._resolve()
            assert self._run is not None
            if self._is_shared:
                self._run, self._is_shared = self._run.copy(), False
            before = self._run.iterations
            self._run.iterate(iterations, seconds=seconds, progress=progress)
            self._iterations += self._run.iterations - before
            self.keeps_blueprint = self._is_blueprint_safer(self._run)

    @property
    def is_to_move(self) -> bool:
        """Whether the player is to move, and it is known where."""
        return self.follower.is_to_move

    @property
    def has_resolved(self) -> bool:
        """Whether it has solved a public history of the match, or the whole game before play."""
        return self._run is not None

    @property
    def is_whole(self) -> bool:
        """Whether no player has moved before the present public history."""
        return self.follower.moves == 0

    @property
    def numbers(self) -> int:
        """How many numbers are kept of what comes from the present public history on."""
        return int(self.form.arrays.size[self.follower.situation].sum())

    @property
    def is_known(self) -> bool:
        """Whether the blueprint says what to play with the present hand."""
        if self.blueprint is None or not self.is_to_move:
            return False
        here = self._recalled(self.blueprint, self.follower.situation, self.follower.base)
        return bool(here[:, self._place].any())

    def policy(self, num_actions: int) -> Floats:
        """See `OnlineSearch.policy`. Where nothing was thought, it is that of the blueprint."""
        if not self.is_to_move:
            return mean_or_uniform(np.zeros(num_actions))
        legal = self._legal()[:, self._place]
        return mean_or_uniform(self._played_here()[legal, self._place])

    def weights(self) -> Weights:
        """See `OnlineSearch.weights`: what all own hands play in the present public history; before
        play, what both players play in the whole game.
        """
        if self._run is not None and self._run.form.root == 0:
            return weights_in(self.form, self._run.average)
        if not self.is_to_move:
            return Weights(np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0))
        classes = self.form.merged[self.follower.situation].classes[self.seat]
        legal = self._legal()[:, classes].T
        policy = self._played_here()[:, classes].T
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
        other = copy.copy(self)
        other.follower = self.follower.in_another_match(events, self._played)
        other._is_here = self._is_here and other.follower.base == self.follower.base
        other._is_here &= other.follower.situation == self.follower.situation
        self._is_shared = other._is_shared = True
        return other

    @property
    def _place(self) -> int:
        """The class of the present hand."""
        return self.follower.played_as

    def _legal(self) -> Flags:
        return self.form.merged[self.follower.situation].legal

    def _played_here(self) -> Floats:
        return self._played(self.follower.situation, self.follower.base)

    def _resolve(self) -> None:
        """Turn to the present public history."""
        follower = self.follower
        self._gate = self._worth()
        self.keeps_blueprint = False
        form = subgame(self.form, follower.situation, self._ranges(), self.seat, self._gate)
        self._run = VectorCFR(form, variant=self.settings.resolver, threads=self.settings.threads)
        self._begin = follower.base
        self._is_here, self._is_shared = True, False
        self._resolvings += 1

    def _ranges(self) -> Ranges:
        """What a subgame begins with. A player whose strategy never comes here is taken to come
        with all hands alike.
        """
        first, second = (_scaled(one) for one in self.follower.ranges)
        ranges = [first, second]
        ranges[1 - self.seat] = ranges[1 - self.seat] + self.settings.floor
        return ranges[0], ranges[1]

    def _worth(self) -> Floats | None:
        """``float64[C]``: t, by the solution of the public history before, or by the blueprint;
        None where there is neither, or it never comes here.
        """
        follower, seat = self.follower, self.seat
        if follower.moves == 0 or not follower.ranges[seat].any():
            return None
        if self._solution is not None:
            return self._answer_to_run(self._solution)
        return None if self.blueprint is None else self._answer_to_blueprint(self.blueprint)

    def _answer_to_run(self, run: VectorCFR) -> Floats:
        """``float64[C]``: what each hand of the opponent earns from here on by a best response to
        what a run has found, counterfactually.
        """
        follower, seat = self.follower, self.seat
        bases = self._run_bases(run, follower.base)
        ranges = _scaled(follower.ranges[0]), _scaled(follower.ranges[1])
        step = Step(BEST, 1 - seat)
        found = run.walks.later(step, follower.situation, bases, ranges, run.average[seat])
        return found[: follower.ranges[1 - seat].size].copy()

    def _answer_to_blueprint(self, blueprint: HandBlueprint) -> Floats:
        """The same for the blueprint."""
        follower, seat = self.follower, self.seat
        size = int(self.form.arrays.size[follower.situation, seat])
        kept = blueprint.numbers(seat, follower.base[seat], size)
        ranges = _scaled(follower.ranges[0]), _scaled(follower.ranges[1])
        step = Step(BEST, 1 - seat)
        found = Walks(self.form).later(step, follower.situation, follower.base, ranges, kept)
        return found[: follower.ranges[1 - seat].size].copy()

    def _is_blueprint_safer(self, run: VectorCFR) -> bool:
        """Whether the blueprint is safer than what a run has found from here on."""
        if self.blueprint is None or not self.is_to_move or not self.is_known:
            return False
        attention = self._ranges()[1 - self.seat]

        def danger_of(earned: Floats) -> float:
            gate = None if self._gate is None else attention * self._gate
            return danger(attention * earned, gate)

        kept = danger_of(self._answer_to_blueprint(self.blueprint))
        return kept <= danger_of(self._answer_to_run(run))

    @property
    def _solution(self) -> VectorCFR | None:
        """What was found last; None where the blueprint is safer, or nothing was found."""
        return None if self.keeps_blueprint else self._run

    def _run_bases(self, run: VectorCFR, base: tuple[int, int]) -> tuple[int, int]:
        """Where begins what a run keeps of each player in a public history with these bases."""
        arrays = run.form.arrays
        gadget = arrays.size[run.form.root] - arrays.size[_begins(run.form)]
        first, second = (base[p] - self._begin[p] + int(gadget[p]) for p in range(2))
        return first, second

    def _kept(self, situation: int, base: tuple[int, int]) -> Floats:
        """``float64[A, C]``: what is kept of the mover's strategy; 0 where nothing is."""
        one = self.form.merged[situation]
        player, shape, size = one.situation.mover, one.legal.shape, one.legal.size
        if self._solution is not None:
            first = self._run_bases(self._solution, base)[player]
            kept = self._solution.average[player][first : first + size]
        elif self.blueprint is not None:
            return self._recalled(self.blueprint, situation, base)
        else:
            return np.zeros(shape)
        return kept.reshape(shape).astype(np.float64)

    def _recalled(self, blueprint: HandBlueprint, situation: int, base: tuple[int, int]) -> Floats:
        """``float64[A, C]``: what the blueprint keeps of the mover's strategy."""
        one = self.form.merged[situation]
        first, size = base[one.situation.mover], one.legal.size
        kept = blueprint.numbers(one.situation.mover, first, size)[first : first + size]
        return kept.reshape(one.legal.shape).astype(np.float64)

    def _played(self, situation: int, base: tuple[int, int]) -> Floats:
        """``float64[A, C]``: what the mover plays by the last solution or by the blueprint, and if
        there is neither, all actions alike.
        """
        legal, weights = self.form.merged[situation].legal, self._kept(situation, base)
        total = weights.sum(axis=0)
        uniform = legal / legal.sum(axis=0)
        return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), uniform)


@lru_cache(maxsize=4)
def _form_of(game: Game, effort: int) -> VectorForm:
    """The vector form of a game, found once. Raises what `vector_form` raises."""
    return vector_form(game, effort=effort)


@cache
def _load() -> None:
    """Have everything compiled, or loaded, that resolving needs, before a clock runs and once in
    each process.
    """
    form = vector_form(KuhnPoker())
    situation = next(n for n, one in enumerate(form.merged) if one.situation.mover == 0)
    ranges = np.ones(3), np.ones(3)
    part = subgame(form, situation, ranges, 0, np.zeros(3))
    for bits in BITS:
        run = VectorCFR(part, bits=bits)
        run.iterate(1)
        run.walks.later(Step(BEST, 1), situation, (0, 0), ranges, run.average[0])
    packed = np.zeros(form.sizes[0], np.uint16)
    packed.flags.writeable = False  # as in the file of a blueprint
    Walks(form).later(Step(BEST, 1), situation, (0, 0), ranges, packed)
    follower = Follower(form, 0)
    follower.follow([Event(0, 1, 1), Event(0, 0, 1)], lambda *where: np.ones((2, 3)))


def _begins(form: VectorForm) -> int:
    """The situation in which a subgame begins, after its gadget if it has one."""
    arrays = form.arrays
    has_gadget = form.root == arrays.mover.size - 1 and form.root >= len(form.merged)
    return int(arrays.child[arrays.first_edge[form.root]]) if has_gadget else form.root


def _scaled(range_: Floats) -> Floats:
    """A range whose largest entry is 1; all 1 where it is 0."""
    most = float(range_.max())
    return range_ / most if most > 0.0 else np.ones(range_.size)
