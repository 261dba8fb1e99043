"""Monte Carlo Continual Resolving: continual resolving by outcome sampling, with a tree that grows
as it is sampled.

Sustr, Kovarik and Lisy (2019), Section 4. The gadget game of the present public state (see
`gadgets`) is solved by outcome-sampling MCCFR. A traversal for update player i draws a history h of
the frontier, descends from there as OOS does, and updates on the way back. An iteration makes a
traversal for each player.

r_I, s_I   cumulative regrets and cumulative mean strategy of information set I: the two runs of a
           row in the table
sigma      the present strategy: regret matching on r_I
f          the opponent's present probability of following at their set of the gadget, by regret
           matching on the regrets of following and terminating
pi         pi_{-i}: everybody else's part in the probability of the present history, from the
           beginning of the game; if i is the resolver, f is a factor of it. The opponent's part in
           h is pi_o(h) + floor max pi_o, as in p(h), or 1 without a floor
l          the probability of sampling the present history; it begins with that of h, times the sum
           of pi_r pi_o pi_c, everybody's parts (see `gadgets`), over the frontier
xi         the probability of sampling the action that was taken
u          the payoff at the end
u_o(h)     what the opponent is paid on average from h on, as this traversal estimates it: see
           `baselines`

Where the traversal enters a public state that may have to be resolved next (NPS of Algorithm 1), at
history h', a row for h' collects what the opponent is paid from there on. It has the numerator and
the denominator of an average over traversals,

weighted     sum pi_owner(h') u_o(h') / l(h')  /  sum pi_owner(h') / l(h')      Eq. 6; the owner is
             the player who acts at h'
arithmetic   sum pi_{-o}(h') u_o(h') / l(h')  /  sum pi_{-o}(h') / l(h')       Eq. 5, divided by the
             opponent's counterfactual reach
exact        nothing is collected: the game below h' is played out by the mean strategies

How the paper is read, and what differs. The probabilities of both players' and of chance's actions
are factors of l, also in the playout, where they cancel. At the gadget both actions of the opponent
are evaluated in every traversal (Section 4.1.4). A share ``focus`` of the traversals starts in the
resolver's own information set. l takes account of that, so that the same game is solved. The
published program left l as it was, which solves another game; ``corrected=False`` does that. With a
baseline the regrets and values are those of VR-MCCFR.

With "keep", a solution goes on from the regrets, mean strategies and values of all solutions before
it. The part of the game that the match has left behind is dropped. Values are then collected in all
public states to come, and not only in the next ones. At h, pi_r pi_o pi_c / l is 1 on average. So a
traversal adds to a sum about as much as a traversal of an earlier solution that came to this public
state, however rarely one came. With "reset", a solution starts anew, unless the match is still at
the root. Then what was found before play is a solution of the same game, and is kept.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from hiddenhand.algorithm import Algorithm
from hiddenhand.budget import Budget
from hiddenhand.games.base import Game, verify_listed
from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.infoset_table import InformationSetTable, new_table, num_bytes, num_sets
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.observation_keys import Key, mix
from hiddenhand.jit.random import new_state
from hiddenhand.parameters import Configured, parameter
from hiddenhand.search.belief.public_states import Frontier
from hiddenhand.search.parallel.streams import AVERAGES, Division, Streams
from hiddenhand.search.parallel.table_merging import Merging
from hiddenhand.search.resolving.continual import ContinualResolving, ResolvingParameters
from hiddenhand.search.resolving.gadget_sampling import GadgetSampling, resolving_trajectory
from hiddenhand.search.resolving.gadgets import Gadget
from hiddenhand.search.resolving.history_values import expected_payoffs, kept_below, new_values
from hiddenhand.search.resolving.sampler import Sampler
from hiddenhand.search.resolving.trembles import TREMBLE, verify_tremble
from hiddenhand.search.selection.baselines import baseline_bytes, make_baseline, ready_baseline
from hiddenhand.search.selection.leaf_values import PlayOn
from hiddenhand.search.table_search import TableParameters, verify_memory
from hiddenhand.search.traversal import ITERATIONS, NUM_COUNTERS
from hiddenhand.solvers.baselines import BASELINES

MODES: Final = ("reset", "keep")
VALUES: Final = ("weighted", "arithmetic", "exact")


@dataclass(frozen=True, kw_only=True)
class SamplingParameters(TableParameters):
    """The parameters of `SamplingResolver`.

    mode: what the search of a move's small game begins with, "reset" (nothing) or "keep" (the
        regrets, strategies and values that it found at earlier moves).
    epsilon: exploration, the probability with which a sampled action is drawn uniformly at random
        instead of from the present strategy.
    values: how the search finds the opponent's payoff from a position that may come next;
        "weighted" (the mean of samples, weighed by the probability that the player to move there
        plays to it); "arithmetic" (weighed by the probability that all but the opponent play to
        it); or "exact" (the expected payoff of the mean strategies, for small games).
    focus: the share of samples that start in the player's own information set; they improve the
        present move.
    corrected: whether the weights of samples correct for focus, so that the small game stays the
        same; false repeats the published program, which solves another game.
    baseline: estimates that make samples vary less (VR-MCCFR), "off" for none, "set" for one of
        each action of an information set; "history" for one of each action of a history,
        "predictive" for such estimates that foresee the next strategy.
    tremble: in iteration t, the player who is not updated acts uniformly at random with probability
        tremble / sqrt(t), at most 1/2, so that the search also learns positions that a good
        opponent avoids; by default 0 without a baseline, as in the paper, and 1 with one.
    threshold: moves whose probability is below this share of the likeliest move's are not played;
        0 plays all, as in the paper, 1 the likeliest alone.
    """

    mode: str = parameter("reset", choices=MODES)
    epsilon: float = parameter(0.6, above=0, most=1)
    values: str = parameter("weighted", choices=VALUES)
    focus: float = parameter(0.9, least=0, below=1)
    corrected: bool = True
    baseline: str = parameter("predictive", choices=BASELINES)
    tremble: float | None = None
    threshold: float = parameter(0.0, least=0, most=1)


@dataclass(frozen=True, kw_only=True)
class MCCRParameters(SamplingParameters, ResolvingParameters):
    """The parameters of `MCCR`."""


@Algorithm(
    name="mccr",
    paper="Šustr, Kovařík and Lisý (2019), Monte Carlo continual resolving for online strategy "
    "computation in imperfect information games",
    summary="Monte Carlo Continual Resolving: at each move a small safe game, made of where the "
    "match stands, is solved by outcome sampling.",
    games="zero-sum games of two players",
    guarantee="with mode=reset the exploitability of what is played in a match falls as "
    "iterations grow; with mode=keep it does in practice",
    needs_public=True,
)
class MCCR(ContinualResolving, Configured):
    """Monte Carlo Continual Resolving for a two-player zero-sum game; simultaneous moves are made
    in turns.

    Equal seeds and equal numbers of iterations give equal results.
    """

    PARAMETERS = MCCRParameters

    settings: MCCRParameters

    def _set_up(self, game: Game | str) -> None:
        given = self.settings
        resolver = SamplingResolver(given)
        super().__init__(game, resolver, floor=given.floor, cap=given.cap, seed=given.seed)


class SamplingResolver(Sampler):
    """Outcome sampling in gadget games. Its parameters are `SamplingParameters`.

    table: see `Sampler`. A row ends with the tag of the public state that its set was first met in.
    """

    MERGED: ClassVar[dict[str, tuple[str, Merging]]] = {
        "table": ("table", Merging(back=1)),
        "values": ("_values", Merging(back=2)),
        "baseline": ("_baseline", AVERAGES),
    }
    SUMMED: ClassVar[dict[str, str]] = {"root": "regret"}
    COUNTS_MARKS: ClassVar[bool] = False

    def __init__(self, given: SamplingParameters | None = None, **parameters: Any) -> None:
        self.given = given or SamplingParameters(**parameters)
        tremble = self.given.tremble
        if tremble is None:
            tremble = 0.0 if self.given.baseline == "off" else TREMBLE
        self.tremble = verify_tremble(tremble)
        self.threshold = self.given.threshold
        self.memory = verify_memory(self.given.memory)
        division = Division(self.given.threads, self.given.streams, self.given.chunk)
        self._streams = Streams(division.verified(self.memory))

    def start(self, game: Game, seed: int) -> None:
        if self.given.values == "exact":
            verify_listed(game)
        self._game = game
        self._seed = seed
        self._path = resolving_trajectory(game, self.given.baseline != "off")
        self._counters = np.zeros(NUM_COUNTERS, np.int64)
        self._seconds = 0.0
        self._shared = 0
        self._rng = new_state(seed)
        self._streams.start(seed)
        self._begun = False
        self._set_rows()
        self._baseline: Any = make_baseline(self.given.baseline, game)

    def begin(self, gadget: Gadget, public_key: int, moves: int) -> None:
        keeps = self.given.mode == "keep"
        if self._goes_on(gadget):  # with a copy of what was found before play, which forks share
            self._rng, self.table, self._values, self._baseline = copy.deepcopy(
                (self._rng, self.table, self._values, self._baseline)
            )
        else:
            seed = int(_mixed(np.uint64(self._seed % 2**64), np.uint64(public_key)))
            self._rng = new_state(seed)
            self._streams.start(seed)
            if keeps and self._begun:
                self.table, self._values = kept_below(self.table, self._values, public_key)
            else:
                self._set_rows()
            self._baseline = make_baseline(self.given.baseline, self._game)
            self._before = int(self._counters[ITERATIONS])
        if not keeps:
            self._values = self._new_values()
        given = self.given
        self._begin_at(
            gadget, public_key, moves, keeps=keeps, focus=given.focus, corrected=given.corrected
        )

    def values(self, entered: Frontier) -> tuple[Floats, Floats]:
        if self.given.values != "exact":
            return super().values(entered)
        opponent = 1 - self._root.gadget.resolver
        found = expected_payoffs(self._game, self.table, entered.state, entered.keys, opponent)
        return found, np.zeros(entered.size)

    def thought(self) -> Mapping[str, float]:
        """Figures by name: the iterations and seconds in all, and of how many histories that may
        come next something is known.
        """
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "values": num_sets(self._values),
            "seconds": self._seconds,
        }

    @property
    def counters(self) -> Integers:
        """What every search counts, see `hiddenhand.search.traversal`."""
        return self._counters

    @property
    def _trail(self) -> Integers:
        return self._path.trail

    def fork(self) -> Self:
        other = super().fork()
        other._counters = self._counters.copy()
        other._streams = self._streams.fork()
        return other

    def _set_rows(self) -> None:
        """Empty tables."""
        self.table = new_table(per_action=2, per_set=1, rows=2, row_actions=self._game.max_actions)
        self._values = self._new_values()

    def _new_values(self) -> InformationSetTable:
        """An empty table of values, see `hiddenhand.search.resolving.history_values`. A traversal
        enters at most as many histories as the path has entries.
        """
        return new_values(rows=2 * self._path.entry_row.size)

    def _warm_up(self) -> None:
        if self._streams.count > 1:
            self._streams.warm_up(self)
        else:
            super()._warm_up()

    def _spend(self, budget: Budget, tell: Callable[[int], None]) -> None:
        if self._streams.count > 1:
            self._streams.spend(self, budget, tell)
        else:
            super()._spend(budget, tell)

    def _traversal(self) -> GadgetSampling:
        before = self._before
        if self._streams.count > 1:  # streams count from 0 in each round
            before -= int(self._counters[ITERATIONS])
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
            epsilon=self.given.epsilon,
            tremble=self.tremble,
            before=before,
            arithmetic=self.given.values == "arithmetic",
        )

    def _make_room(self) -> None:
        """See `Sampler`. The baseline gets what the other tables leave."""
        super()._make_room()
        left = self._room() - num_bytes(self.table) - num_bytes(self._values)
        self._baseline = ready_baseline(self._baseline, left)

    def _room(self) -> int:
        copies = 1 if self._streams.count == 1 else 1 + self._streams.count
        # to keep a part, it is copied
        return (self.memory // 2 if self.given.mode == "keep" else self.memory) // copies

    def _other_bytes(self) -> int:
        return baseline_bytes(self._baseline)


@kernel
def _mixed(seed: Key, public_key: Key) -> Key:
    return mix(seed ^ mix(public_key))
