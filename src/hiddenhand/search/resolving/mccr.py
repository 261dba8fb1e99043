"""Monte Carlo Continual Resolving: continual resolving by outcome sampling, with a tree that grows
as it is sampled.

Sustr, Kovarik and Lisy (2019), Section 4. The gadget game of the present public state (see
`gadgets`) is solved by outcome-sampling MCCFR. A traversal for update player i draws a history h of
the frontier, descends from there as OOS does, and updates on the way back; an iteration makes one
for each player.

r_I, s_I   cumulative regrets and cumulative mean strategy of information set I: the two runs of a
           row in the table
sigma      the present strategy: regret matching on r_I
f          the opponent's present probability of following into the game at the own set of the
           gadget, by regret matching on its two regrets
pi         pi_{-i}: everybody else's part in the probability of the present history, from the
           beginning of the game; with f in it if i is the resolver. The opponent's part in h is
           pi_o(h) + floor max pi_o, as in p(h), or 1 without a floor
l          the probability of sampling the present history; it begins with that of h
xi         the probability of sampling the action that was taken
u          the payoff at the end; u_o(h) the opponent's on average from h on, as this traversal
           estimates it: see `baselines`

Where the traversal enters a public state in which the match may have to be resolved next (Algorithm
1: NPS), at history h', a row for h' collects what the opponent is paid from there on: numerator and
denominator of an average over traversals,

weighted     sum pi_owner(h') u_o(h') / l(h')  /  sum pi_owner(h') / l(h')     Eq. 6; owner: who
             acts at h'
arithmetic   sum pi_{-o}(h') u_o(h') / l(h')  /  sum pi_{-o}(h') / l(h')      Eq. 5 divided by the
             opponent's counterfactual reach
exact        nothing is collected: the game below h' is walked by the mean strategies

How the paper is read, and what differs. Chance and both players' parts are in l, the playout's,
too, where they cancel. At the gadget both actions count in every traversal (Section 4.1.4). A share
``focus`` of the traversals starts in the resolver's own information set; that changes l, so what is
solved stays the same. The published program left l as it was, which solves another game:
``corrected=False``. With a baseline the regrets and values are those of VR-MCCFR.

"keep" goes on with the regrets, mean strategies and values of all solutions before, but for the
part of the game that the match has left behind, which is dropped. Values are then collected in all
public states to come, not only in the next ones. pi and l are of the whole game and not of the
gadget, whose p(h) sum to 1 in every public state. So an iteration adds to a sum what one before
play does on average, as far as both play alike, and sums that are kept weigh as much as the
iterations that made them. "reset" starts anew, unless the match is still at the root: what was
found before play is then a solution of the same game, and goes on.
"""

import copy
from collections.abc import Mapping
from time import perf_counter
from typing import Final, Self

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.kernels import kernel
from hiddenhand.compiled.keys import Key, mix
from hiddenhand.compiled.random import new_state
from hiddenhand.compiled.table import (
    InformationSetTable,
    made_ready,
    new_table,
    num_bytes,
    num_sets,
)
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game, verify_listed
from hiddenhand.parameters import verify_exploration
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief.public_states import Frontier
from hiddenhand.search.resolving.continual import (
    DEFAULT_FLOOR,
    DEFAULT_HISTORIES,
    ContinualResolving,
    Resolver,
)
from hiddenhand.search.resolving.gadget_sampling import (
    GadgetSampling,
    Root,
    resolving_trajectory,
    start_in,
)
from hiddenhand.search.resolving.gadgets import Gadget
from hiddenhand.search.resolving.values import (
    averages,
    expected_payoffs,
    kept_below,
    new_values,
    read_values,
)
from hiddenhand.search.rules.baselines import (
    baseline_bytes,
    make_baseline,
    ready_baseline,
    verify_baseline,
)
from hiddenhand.search.rules.leaves import PlayOn
from hiddenhand.search.thinking import DEFAULT_MEMORY, verify_memory
from hiddenhand.search.traversal import ITERATIONS, NUM_COUNTERS, iterations_made, trail_moves

MODES: Final = ("reset", "keep")
VALUES: Final = ("weighted", "arithmetic", "exact")

_STRATEGY: Final = 1  # the second run of a row is s_I


class MCCR(ContinualResolving):
    """Monte Carlo Continual Resolving for a two-player zero-sum game; simultaneous moves are made
    in turns.

    mode: "reset" or "keep". epsilon: exploration, above 0 and at most 1. values: "weighted",
    "arithmetic" or "exact". focus: the share of samples that start in the own information set, from
    0 to below 1; corrected: whether that is corrected for. floor: of the gadgets' root
    distribution, None for the plain one. cap: how many histories a gadget keeps. baseline: "off",
    "set", "history" or "predictive". memory: bytes that its tables may take, also while they grow.
    Equal seeds and numbers of iterations give equal results.
    """

    def __init__(
        self,
        game: Game,
        *,
        mode: str = "reset",
        epsilon: float = 0.6,
        values: str = "weighted",
        focus: float = 0.9,
        corrected: bool = True,
        floor: float | None = DEFAULT_FLOOR,
        cap: int = DEFAULT_HISTORIES,
        baseline: str = "off",
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
    ) -> None:
        resolver = SamplingResolver(
            mode=mode,
            epsilon=epsilon,
            values=values,
            focus=focus,
            corrected=corrected,
            baseline=baseline,
            memory=memory,
        )
        super().__init__(game, resolver, floor=floor, cap=cap, seed=seed)


class SamplingResolver(Resolver):
    """Outcome sampling in gadget games; parameters as in `MCCR`."""

    COLUMN = _STRATEGY

    _values: InformationSetTable
    _root: Root

    def __init__(
        self,
        *,
        mode: str,
        epsilon: float,
        values: str,
        focus: float,
        corrected: bool,
        baseline: str,
        memory: int,
    ) -> None:
        for name, value, allowed in (("mode", mode, MODES), ("values", values, VALUES)):
            if value not in allowed:
                raise OptionError(
                    f"{name}={value!r} is not allowed; choose one of: {', '.join(allowed)}"
                )
        if not 0 <= focus < 1:
            raise OptionError(
                f"focus={focus} is not allowed; the share of samples in the own information set "
                "must be at least 0 and below 1"
            )
        self.mode = mode
        self.epsilon = verify_exploration(epsilon)
        self.averages = values
        self.focus = float(focus)
        self.corrected = corrected
        self.baseline_kind = verify_baseline(baseline)
        self.memory = verify_memory(memory)

    def start(self, game: Game, seed: int) -> None:
        """See `Resolver.start`."""
        if self.averages == "exact":
            verify_listed(game)
        self._game = game
        self._seed = seed
        self._path = resolving_trajectory(game, self.baseline_kind != "off")
        self._counters = np.zeros(NUM_COUNTERS, np.int64)
        self._seconds = 0.0
        self._rng = new_state(seed)
        self._begun = False
        self._set_rows()

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        """See `Resolver.begin`."""
        keeps, goes_on = self.mode == "keep", self._begun and gadget is self._root.gadget
        if goes_on:  # with what was found before play, and left to others who do the same
            self._rng, self.table, self._values = copy.deepcopy(
                (self._rng, self.table, self._values)
            )
        else:
            self._rng = new_state(int(_mixed(np.uint64(self._seed % 2**64), np.uint64(public_key))))
            if keeps and self._begun:
                self.table, self._values = kept_below(self.table, self._values, public_key)
            else:
                self._set_rows()
        if not keeps:
            self._values = self._new_values()
        self._baseline = make_baseline(self.baseline_kind, self._game)
        begins_here = moves > 0 and int(gadget.keys[0, -1]) == public_key
        self._root = start_in(gadget, begins_here, keeps, self.focus, self.corrected)
        self._moves = moves
        self._begun = True

    def think(
        self, iterations: int | None, seconds: float | None, progress: Progress = SILENT
    ) -> None:
        """See `Resolver.think`."""
        budget = Budget(iterations, seconds)
        unit, total = ("iterations", iterations) if iterations is not None else ("seconds", seconds)
        self._iterate(0)  # compile, or load, before the clock starts
        began = perf_counter()

        def tell(done: int) -> None:
            progress.update(
                Report(done if unit == "iterations" else perf_counter() - began, total, unit)
            )

        budget.spend(self._iterate, tell)
        self._seconds += perf_counter() - began

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        """See `Resolver.values`. Sampling knows of no gifts."""
        if self.averages == "exact":
            opponent = 1 - self._root.gadget.resolver
            found = expected_payoffs(self._game, self.table, entered.state, entered.keys, opponent)
        else:
            found = averages(self.collected(entered))
        return found, np.zeros(entered.size)

    def collected(self, entered: Frontier) -> Floats:
        """``float64[F, 4]``: for each history the numerator and the denominator of the average, and
        the same with weights of 1; 0 where nothing is
        known.
        """
        sums = np.zeros((entered.size, 4))
        read_values(self._values, entered.history, sums)
        return sums

    def thought(self) -> Mapping[str, float]:
        """Iterations and seconds in all, and values known of histories that may come next."""
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "values": num_sets(self._values),
            "seconds": self._seconds,
        }

    @property
    def counters(self) -> Integers:
        """What every search counts, see `base`."""
        return self._counters

    def broke_off(self) -> tuple[Key, list[int]]:
        """See `Resolver.broke_off`."""
        return self._root.gadget.history[self._path.trail[1]], trail_moves(self._path.trail)

    def fork(self) -> Self:
        """See `Resolver.fork`."""
        other = super().fork()
        other._counters = self._counters.copy()
        return other

    def _set_rows(self) -> None:
        """Empty tables."""
        self.table = new_table(per_action=2, per_set=1, rows=2, row_actions=self._game.max_actions)
        self._values = self._new_values()

    def _new_values(self) -> InformationSetTable:
        """For each history with values a row: the four sums, and tags of the public state that it
        enters and of the one before.
        """
        return new_values(rows=2 * self._path.entry_row.size)

    def _iterate(self, count: int) -> int:
        self._make_room()
        return iterations_made(self._traversal(), count)

    def _traversal(self) -> GadgetSampling:
        return GadgetSampling(
            game=self._game,
            table=self.table,
            path=self._path,
            leaves=PlayOn(),
            rng=self._rng,
            counters=self._counters,
            values=self._values,
            baseline=self._baseline,
            root=self._root,
            moves=self._moves,
            epsilon=self.epsilon,
            arithmetic=self.averages == "arithmetic",
        )

    def _make_room(self) -> None:
        """Before a chunk: let the tables grow if they are full, and else go on without adding to
        them.
        """
        limit = (
            self.memory // 2 if self.mode == "keep" else self.memory
        )  # to keep a part, it is copied
        sizes = num_bytes(self.table), num_bytes(self._values), baseline_bytes(self._baseline)
        self.table = made_ready(self.table, limit - sizes[1] - sizes[2])
        self._values = made_ready(self._values, limit - num_bytes(self.table) - sizes[2])
        self._baseline = ready_baseline(
            self._baseline, limit - num_bytes(self.table) - num_bytes(self._values)
        )


@kernel
def _mixed(seed: Key, public_key: Key) -> Key:
    return mix(seed ^ mix(public_key))
