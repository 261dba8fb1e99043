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
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, Self

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Flags, Floats, Integers, Keys
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.draws import match_regrets, sample_exploring
from hiddenhand.compiled.kernels import inline, kernel, kernel_apart
from hiddenhand.compiled.keys import Key, mix
from hiddenhand.compiled.random import RandomState, below, new_state, uniform
from hiddenhand.compiled.table import (
    MISSING,
    InformationSetTable,
    made_ready,
    new_table,
    num_bytes,
    num_sets,
)
from hiddenhand.compiled.views import copy_row, view
from hiddenhand.compiled.walk import advance, draw_outcome
from hiddenhand.errors import OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game, verify_listed
from hiddenhand.games.guards import BrokenRule
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.belief.public_states import Frontier, next_history
from hiddenhand.search.resolving.continual import (
    DEFAULT_FLOOR,
    DEFAULT_HISTORIES,
    ContinualResolving,
    Resolver,
)
from hiddenhand.search.resolving.gadgets import Gadget
from hiddenhand.search.rules.baselines import (
    baseline_bytes,
    make_baseline,
    most_known,
    ready_baseline,
    verify_baseline,
)
from hiddenhand.search.thinking import (
    ADDED,
    DEFAULT_MEMORY,
    IN_TREE,
    ITERATIONS,
    MOVES,
    NUM_COUNTERS,
    PLAYOUTS,
    REFUSED,
    verify_memory,
)
from hiddenhand.search.traversal import Path, begin_trail, note_move, path_arrays, trail_moves

MODES: Final = ("reset", "keep")
VALUES: Final = ("weighted", "arithmetic", "exact")

_STRATEGY: Final = 1  # the second run of a row is s_I
NUMERATOR, DENOMINATOR, PLAIN, VISITS, HERE, ABOVE = range(
    6
)  # of a row of values; the second pair is the first with weights of 1
_TAG_SHIFT = np.uint64(12)  # the upper 52 bits of a public key are a float64 without loss


class MCCR(ContinualResolving):
    """Monte Carlo Continual Resolving for a two-player zero-sum game; simultaneous moves are made
    in turns.

    mode: "reset" or "keep". epsilon: exploration, above 0 and at most 1. values: "weighted",
    "arithmetic" or "exact". focus: the share of samples that start in the own information set, from
    0 to below 1; corrected: whether that is corrected for. floor: of the gadgets' root
    distribution, None for the plain one. cap: how many histories a gadget keeps. baseline: "off",
    "set" or "history". memory: bytes that its tables may take, also while they grow. Equal seeds
    and numbers of iterations give equal results.
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
    _root: "_Root"

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
        if not 0 < epsilon <= 1:
            raise OptionError(
                f"epsilon={epsilon} is not allowed; exploration must be above 0 and at most 1"
            )
        if not 0 <= focus < 1:
            raise OptionError(
                f"focus={focus} is not allowed; the share of samples in the own information set "
                "must be at least 0 and below 1"
            )
        self.mode = mode
        self.epsilon = float(epsilon)
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
        self._path = _new_path(game, self.baseline_kind != "off")
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
                self.table, self._values = _kept_below(self.table, self._values, public_key)
            else:
                self._set_rows()
        if not keeps:
            self._values = self._new_values()
        self._baseline = make_baseline(self.baseline_kind, self._game)
        begins_here = moves > 0 and int(gadget.keys[0, -1]) == public_key
        self._root = _start_in(gadget, begins_here, keeps, self.focus, self.corrected)
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
            found = np.full(entered.size, np.nan)
            _walk(
                self._game,
                self.table,
                entered.state,
                entered.keys,
                1 - self._root.gadget.resolver,
                self._path,
                found,
            )
        else:
            found = _averages(self.collected(entered))
        return found, np.zeros(entered.size)

    def collected(self, entered: Frontier) -> Floats:
        """``float64[F, 4]``: for each history the numerator and the denominator of the average, and
        the same with weights of 1; 0 where nothing is
        known.
        """
        sums = np.zeros((entered.size, 4))
        _read_values(self._values, entered.history, sums)
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
        return new_table(per_action=4, per_set=2, rows=2 * self._path.entry_row.size)

    def _iterate(self, count: int) -> int:
        before = int(self._counters[ITERATIONS])
        self._make_room()
        _run(
            self._game,
            self.table,
            self._values,
            self._baseline,
            self._root,
            self._path,
            self._moves,
            self.epsilon,
            self.averages == "arithmetic",
            count,
            self._rng,
            self._counters,
        )
        return int(self._counters[ITERATIONS]) - before

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


@dataclass(frozen=True)
class _Root(Compiled):
    """A gadget, and how its histories are sampled.

    begins_here: whether they are in the public state to be played in, which therefore counts as one
    where the resolver moves, even if they do not. keeps: whether values are collected in all public
    states to come. cumulative, own: ``float64[F]``, distributions over all histories and over those
    of the own set (if ``focus`` > 0), summed up; sampled: ``float64[F]``, the l that a traversal
    from each starts with. regret: ``float64[G, 2]``, the opponent's for following and terminating.
    """

    gadget: Gadget
    begins_here: bool
    keeps: bool
    focus: float
    cumulative: Floats
    own: Floats
    sampled: Floats
    regret: Floats

    def draw(self, rng: RandomState) -> int:
        """A history of the frontier."""
        if self.focus > 0.0 and uniform(rng) < self.focus:
            return self._search(self.own, uniform(rng))
        return self._search(self.cumulative, uniform(rng)) if self.cumulative.size > 1 else 0

    def follows(self, of: int) -> float:
        """f in the opponent's set ``of``."""
        if not self.gadget.may_terminate[of]:
            return 1.0
        follow, terminate = max(self.regret[of, 0], 0.0), max(self.regret[of, 1], 0.0)
        return follow / (follow + terminate) if follow + terminate > 0.0 else 0.5

    def _search(self, cumulative: Floats, r: float) -> int:
        low, high = 0, cumulative.size - 1
        while low < high:
            middle = (low + high) // 2
            if cumulative[middle] > r:
                high = middle
            else:
                low = middle + 1
        return low


def _start_in(
    gadget: Gadget, begins_here: bool, keeps: bool, focus: float, corrected: bool
) -> _Root:
    p = gadget.probability
    own = np.where(gadget.focus, p, 0.0)
    if not 0 < own.sum() < p.sum():
        focus = 0.0
    within = own / own.sum() if focus > 0 else own
    sampled = focus * within + (1.0 - focus) * p if corrected else p
    return _Root(
        gadget,
        begins_here,
        keeps,
        focus,
        _cumulative(p),
        _cumulative(within),
        sampled,
        np.zeros((gadget.payoff.size, 2)),
    )


def _cumulative(p: Floats) -> Floats:
    """Sums of ``p`` up to each entry; the last positive one and those after it are certain to be
    enough.
    """
    total = np.cumsum(p)
    if p.any():
        total[np.flatnonzero(p)[-1] :] = 2.0
    return total


@dataclass(frozen=True)
class _Path(Path):
    """A path that knows, over depths d in memory, baseline: the row of b; pi, sampled (l), xi:
    ``float64[D]``. Over the entries e into next public states: entry_row: ``int64[D]``, the row of
    values; entry_depth; entry_weight: ``float64[D]``; entry_sampled (l).
    """

    baseline: Integers
    pi: Floats
    sampled: Floats
    xi: Floats
    entry_row: Integers
    entry_depth: Integers
    entry_weight: Floats
    entry_sampled: Floats


def _new_path(game: Game, with_baseline: bool) -> _Path:
    arrays = path_arrays(game, width=most_known(game) if with_baseline else 0)
    depth = arrays["row"].size
    integers = {
        name: np.zeros(depth, np.int64) for name in ("baseline", "entry_row", "entry_depth")
    }
    floats = {
        name: np.zeros(depth) for name in ("pi", "sampled", "xi", "entry_weight", "entry_sampled")
    }
    return _Path(**arrays | integers | floats)


@kernel_apart
def _run(
    game: Any,
    table: InformationSetTable,
    values: InformationSetTable,
    baseline: Any,
    root: _Root,
    path: _Path,
    moves: int,
    epsilon: float,
    arithmetic: bool,
    count: int,
    rng: RandomState,
    counters: Integers,
) -> None:
    """Up to ``count`` iterations; ends early when a table has to grow. Modifies the tables, the
    root's regrets, rng and counters.
    """
    for _ in range(count):
        if not (table.is_ready() and values.is_ready() and baseline.is_ready()):
            return
        for i in range(2):
            _traverse(
                game,
                table,
                values,
                baseline,
                root,
                path,
                i,
                moves,
                epsilon,
                arithmetic,
                rng,
                counters,
            )
        counters[ITERATIONS] += 1


@inline
def _traverse(
    game: Any,
    table: InformationSetTable,
    values: InformationSetTable,
    baseline: Any,
    root: _Root,
    path: _Path,
    i: int,
    moves: int,
    epsilon: float,
    arithmetic: bool,
    rng: RandomState,
    counters: Integers,
) -> None:
    """One traversal for update player ``i``."""
    state, keys, actions = path.state, path.keys, path.actions
    gadget = root.gadget
    resolver, opponent, public = gadget.resolver, 1 - gadget.resolver, keys.size - 1
    h = root.draw(rng)
    copy_row(gadget.state, h, state)
    copy_row(gadget.keys, h, keys)
    begin_trail(path.trail, h)
    history, own_set = gadget.history[h], gadget.set[h]
    f = root.follows(own_set)
    ours, theirs, chance = (
        gadget.reach[h, 0],
        f * gadget.reach[h, 1],
        gadget.reach[h, 2],
    )  # everybody's part
    l = root.sampled[h]
    depth, in_memory = np.uint64(0), True  # an unsigned index is never taken to count from the end
    entries = np.uint64(0)
    made, moved_here, entered = (
        0,
        False,
        True,
    )  # in how many public states the resolver moved; whether in this one; whether it is a new one
    here = above = _tag(keys[public])  # the present public state and the one before
    player = game.current_player(state)
    while player != TERMINAL:
        if entered and (made == moves or (root.keeps and made > moves)):
            weight = _weight(player, opponent, arithmetic, ours, theirs, chance)
            entries = _enter(values, path, entries, history, here, above, depth, weight, l)
        entered = False
        if player == resolver and not moved_here:
            made += 1
            moved_here = True
        if player == CHANCE:
            action, a, p = draw_outcome(game, state, actions, path.probabilities, rng)
            xi = p
            chance *= p
            if (
                in_memory
                and baseline.KNOWS
                and not game.draws_chance
                and game.max_chance_outcomes <= path.sigma.shape[1]
            ):
                n = game.chance_outcomes(state, actions, path.probabilities)
                for b in range(n):
                    path.sigma[depth, b] = path.probabilities[b]
                path.baseline[depth] = baseline.find(history, history, n)
                path.player[depth], path.num_actions[depth], path.chosen[depth], path.xi[depth] = (
                    CHANCE,
                    n,
                    a,
                    xi,
                )
                depth += np.uint64(1)
        else:
            n = game.legal_actions(state, player, actions)
            row = MISSING
            if in_memory:
                key = game.information(state, player, keys[player])
                row = table.find(key)
                if row == MISSING:
                    in_memory = False
                    counters[PLAYOUTS] += 1
                    if table.has_room(1, n):
                        row = table.add(key, n)
                        table.values[row + 2 * n] = here
                        counters[ADDED] += 1
                    else:
                        counters[REFUSED] += 1
            if row == MISSING:
                a = below(rng, n)
                p = xi = 1.0 / n
            else:
                sigma = path.sigma[depth]
                explore = epsilon if player == i else 0.0
                match_regrets(table.values, row, n, 0.0, sigma)
                a = sample_exploring(rng, sigma, n, explore)
                p, xi = sigma[a], explore / n + (1.0 - explore) * sigma[a]
                path.baseline[depth] = baseline.find(key, history, n)
                path.row[depth], path.player[depth], path.num_actions[depth], path.chosen[depth] = (
                    row,
                    player,
                    n,
                    a,
                )
                path.pi[depth], path.sampled[depth], path.xi[depth] = (
                    (theirs if i == resolver else ours) * chance,
                    l,
                    xi,
                )
                depth += np.uint64(1)
            if player == resolver:
                ours *= p
            else:
                theirs *= p
            action = actions[a]
        l *= xi
        noticed = keys[public]
        counters[MOVES] += 1
        note_move(game, path.trail, action)
        advance(game, state, player, action, keys, path.observations)
        history = next_history(history, a)
        if keys[public] != noticed:
            entered, moved_here = True, False
            here, above = _tag(keys[public]), here
            if root.begins_here and made == 0:
                made = 1
        player = game.current_player(state)
    if in_memory:
        counters[IN_TREE] += 1
    worth = _update(
        table.values,
        values.values,
        baseline,
        path,
        depth,
        entries,
        i,
        opponent,
        game.returns(state, 0),
    )
    if gadget.may_terminate[own_set]:
        paid = worth if opponent == 0 else -worth
        weight = gadget.reach[h, 0] * gadget.reach[h, 2] / root.sampled[h]
        _choose(root.regret, own_set, f, weight * paid, weight * gadget.payoff[own_set])


@inline
def _tag(public_key: Key) -> float:
    """A public state as a number in a row: which part of the game the row belongs to."""
    return np.float64(public_key >> _TAG_SHIFT)


@inline
def _weight(
    player: int, opponent: int, arithmetic: bool, ours: float, theirs: float, chance: float
) -> float:
    """How a visit of an entry weighs in its average."""
    if arithmetic:
        return ours * chance
    return theirs if player == opponent else ours


@inline
def _enter(
    values: InformationSetTable,
    path: _Path,
    entries: np.uint64,
    history: Key,
    here: float,
    above: float,
    depth: np.uint64,
    weight: float,
    l: float,
) -> np.uint64:
    """Note that the traversal is in a history that enters the public state ``here``. Returns the
    number of entries.
    """
    row = values.find(history)
    if row == MISSING:
        if not values.has_room(1, 1):
            return entries
        row = values.add(history, 1)
        values.values[row + HERE], values.values[row + ABOVE] = here, above
    (
        path.entry_row[entries],
        path.entry_depth[entries],
        path.entry_weight[entries],
        path.entry_sampled[entries],
    ) = row, depth, weight, l
    return entries + np.uint64(1)


@inline
def _update(
    table: Floats,
    values: Floats,
    baseline: Any,
    path: _Path,
    depth: np.uint64,
    entries: np.uint64,
    i: int,
    opponent: int,
    worth: float,
) -> float:
    """Walk back up: regrets at ``i``'s sets, the mean strategy at the other's, values at entries.
    ``worth`` is what the end pays player 0; returned is what the first history does, as far as one
    can tell.
    """
    sign = 1.0 if opponent == 0 else -1.0
    d, e, one = depth, entries, np.uint64(1)
    while True:
        while e > 0 and path.entry_depth[e - one] == d:
            e -= one
            _average(
                values, path.entry_row[e], path.entry_weight[e], path.entry_sampled[e], sign * worth
            )
        if d == 0:
            return worth
        d -= one
        worth = _step_up(table, baseline, path, d, i, worth)


@inline
def _step_up(
    table: Floats, baseline: Any, path: _Path, d: np.uint64, i: int, below_it: float
) -> float:
    """Update at depth d of the path, below which the game is worth ``below_it`` to player 0, and
    return what it is worth there.
    """
    row, n, a, sigma, at, player = (
        path.row[d],
        path.num_actions[d],
        path.chosen[d],
        path.sigma[d],
        path.baseline[d],
        path.player[d],
    )
    guess = baseline.of(at, a)
    taken = guess + (below_it - guess) / path.xi[d]
    worth = sigma[a] * taken
    if baseline.KNOWS:
        for b in range(n):
            if b != a:
                worth += sigma[b] * baseline.of(at, b)
    if player == i:
        w = path.pi[d] / path.sampled[d] * (1.0 if i == 0 else -1.0)
        regret = view(table, row, n)
        for b in range(n):
            regret[b] += w * (baseline.of(at, b) - worth)
        regret[a] += w * (taken - guess)
    elif player != CHANCE:
        weight = path.pi[d] / path.sampled[d]
        total = view(table, row + n, n)
        for b in range(n):
            total[b] += weight * sigma[b]
    baseline.learn(at, a, below_it)
    return worth


@inline
def _average(values: Floats, row: int, weight: float, sampled: float, paid: float) -> None:
    values[row + NUMERATOR] += weight * paid / sampled
    values[row + DENOMINATOR] += weight / sampled
    values[row + PLAIN] += paid / sampled
    values[row + VISITS] += 1.0 / sampled


@inline
def _choose(regret: Floats, of: int, f: float, follow: float, terminate: float) -> None:
    """The opponent's regrets at the gadget, both actions seen."""
    mean = f * follow + (1.0 - f) * terminate
    regret[of, 0] += follow - mean
    regret[of, 1] += terminate - mean


# --- between resolvings ---


@kernel
def _mixed(seed: Key, public_key: Key) -> Key:
    return mix(seed ^ mix(public_key))


def _averages(sums: Floats) -> Floats:
    """The averages of what was `collected`; with weights of 1 where a history was met only when its
    owner did not mean to go there.
    """
    numerator, denominator, plain, visits = sums.T
    weighs = denominator > 0
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.where(weighs, numerator, plain) / np.where(weighs, denominator, visits)
        )


@kernel
def _read_values(values: InformationSetTable, history: Keys, sums: Floats) -> None:
    for h in range(history.size):
        row = values.find(history[h])
        if row != MISSING:
            for column in range(4):
                sums[h, column] = values.values[row + column]


def _kept_below(
    table: InformationSetTable, values: InformationSetTable, public_key: int
) -> tuple[InformationSetTable, InformationSetTable]:
    """The rows of both tables that belong to the public state with that key or to one below it."""
    kept, kept_values = np.zeros(num_sets(table), np.bool_), np.zeros(num_sets(values), np.bool_)
    _mark_below(
        table,
        values,
        np.uint64(public_key),
        new_table(per_action=1, sets=2 * kept_values.size + 2),
        kept,
        kept_values,
    )
    return _selected(table, kept), _selected(values, kept_values)


def _selected(table: InformationSetTable, kept: Flags) -> InformationSetTable:
    """A table with some of the rows."""
    sizes = {
        "sets": max(int(kept.sum()), 1024),
        "values": max(int(np.diff(table.starts[: kept.size + 1])[kept].sum()), 16384),
    }
    smaller = new_table(
        per_action=table.per_action,
        per_set=table.per_set,
        rows=table.rows,
        row_actions=table.row_actions,
        **sizes,
    )
    _copy_rows(table, kept, smaller)
    return smaller


@kernel
def _mark_below(
    table: InformationSetTable,
    values: InformationSetTable,
    public_key: Key,
    states: InformationSetTable,
    kept: Flags,
    kept_values: Flags,
) -> None:
    """Mark the rows at and below a public state. ``states``: room to note which public states those
    are.

    A history enters a public state after one that entered the state before; so rows of values come
    in that order, too.
    """
    states.add(np.uint64(_tag(public_key)), 0)
    for number in range(kept_values.size):
        start = values.starts[number]
        here = np.uint64(values.values[start + HERE])
        kept_values[number] = states.find(here) != MISSING
        if (
            not kept_values[number]
            and states.find(np.uint64(values.values[start + ABOVE])) != MISSING
        ):
            kept_values[number] = True
            states.add(here, 0)
    for number in range(kept.size):
        kept[number] = states.find(np.uint64(table.values[table.starts[number + 1] - 1])) != MISSING


@kernel
def _copy_rows(table: InformationSetTable, kept: Flags, smaller: InformationSetTable) -> None:
    for number in range(kept.size):
        if kept[number]:
            start, end = table.starts[number], table.starts[number + 1]
            row = smaller.add(table.keys[number], (end - start - table.per_set) // table.per_action)
            for place in range(end - start):
                smaller.values[row + place] = table.values[start + place]


@kernel
def _walk(
    game: Any,
    table: InformationSetTable,
    states: Integers,
    keys: Keys,
    player: int,
    path: _Path,
    found: Floats,
) -> None:
    """Write what ``player`` is paid on average from each of ``states`` on, if both play the mean
    strategies in ``table``.
    """
    depths, room = path.row.size, path.actions.size
    state, seen = (
        np.zeros((depths + 1, states.shape[1]), np.int64),
        np.zeros((depths + 1, keys.shape[1]), np.uint64),
    )
    actions, probabilities = np.zeros((depths + 1, room), np.int64), np.zeros((depths + 1, room))
    mover, count, next_move, total = (
        np.zeros(depths + 1, np.int64),
        np.zeros(depths + 1, np.int64),
        np.zeros(depths + 1, np.int64),
        np.zeros(depths + 1),
    )
    for h in range(found.size):
        copy_row(states, h, state[0])
        copy_row(keys, h, seen[0])
        d = 0
        mover[0], count[0] = _look(game, table, state[0], seen[0], actions[0], probabilities[0])
        next_move[0], total[0] = 0, 0.0
        while True:
            if next_move[d] == count[d]:
                worth = game.returns(state[d], player) if mover[d] == TERMINAL else total[d]
                if d == 0:
                    found[h] = worth
                    break
                d -= 1
                total[d] += probabilities[d, next_move[d] - 1] * worth
                continue
            a = next_move[d]
            next_move[d] += 1
            if probabilities[d, a] > 0.0:
                if d + 1 == depths:
                    raise BrokenRule("the game goes on after max_depth moves")
                copy_row(state, d, state[d + 1])
                copy_row(seen, d, seen[d + 1])
                advance(game, state[d + 1], mover[d], actions[d, a], seen[d + 1], path.observations)
                d += 1
                mover[d], count[d] = _look(
                    game, table, state[d], seen[d], actions[d], probabilities[d]
                )
                next_move[d], total[d] = 0, 0.0


@inline
def _look(
    game: Any,
    table: InformationSetTable,
    state: Integers,
    keys: Keys,
    actions: Integers,
    probabilities: Floats,
) -> tuple[int, int]:
    """Who moves, and how many moves there are; writes them and their probabilities."""
    player = game.current_player(state)
    if player == TERMINAL:
        return player, 0
    if player == CHANCE:
        return player, game.chance_outcomes(state, actions, probabilities)
    n = game.legal_actions(state, player, actions)
    row = table.find(game.information(state, player, keys[player]))
    total = 0.0
    if row != MISSING:
        for a in range(n):
            total += table.values[row + n + a]
    for a in range(n):
        probabilities[a] = table.values[row + n + a] / total if total > 0.0 else 1.0 / n
    return player, n
