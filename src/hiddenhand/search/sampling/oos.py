"""Online Outcome Sampling.

Lisy, Lanctot and Bowling (2015), "Online Monte Carlo counterfactual regret minimization for search
in imperfect information games", Algorithm 1. An iteration makes two traversals, one for each update
player i; where papers give iterations per second, see which of the two they count. A traversal
samples one terminal history z: it descends through the information sets in memory, adds the first
one that is not, plays on at random, and updates on the way back. In a match, an iteration is
targeted with probability delta: its samples then pass through the part of the game that the match
has come to (see `targets`).

r_I, s_I   cumulative regrets and cumulative mean strategy of information set I: the two runs of a
           row in the table
sigma      the present strategy: regret matching on r_I, mixed with gamma uniform (Section 3.3)
phi        what is sampled from: at player i's sets epsilon uniform plus 1 - epsilon times sigma,
           else sigma
pi         pi_{-i}: the opponent's and chance's part in the probability of the present history
s_1, s_2   the probability of sampling the present history when targeting and when not; both start
           at 1 / w_T
l          delta s_1 + (1 - delta) s_2, the probability of sampling it at all
x          the probability, by sigma and chance, of the path from the present history to z (the
           tail)
u          u_i(z)
w_T        makes up for the change of targeting: all samples of the present information set weigh
           alike (Eq. 3, see `targets.weighting_factor`)

What differs from the paper: no recursion (a path is stored on the way down and walked back up).
Chance belongs to pi, s_1, s_2 and x alike, in the playout, too. Playouts of targeted samples stay
in the target. The mean strategy leaves out the uniform part gamma of sigma, which is there to
explore: the limit is as near to an equilibrium, and the way there shorter (nash_conv on IIGS(6)
after 5 million iterations, four seeds: 0.142 on average against 0.156). When the table may not grow
any more, playouts start where memory ends and nothing is added. An evaluation function may stand in
for playouts (see `leaves`): the sample ends after the first move out of memory, and u is the
estimate there. With a baseline (see `baselines`) the regrets are those of VR-MCCFR, where an
action's sampling probability is l after it divided by l before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats, Integers
from hiddenhand.compiled.draws import match_regrets, sample, sample_exploring
from hiddenhand.compiled.kernels import inline, kernel_apart
from hiddenhand.compiled.random import RandomState, new_state, seed_sequence, uniform
from hiddenhand.compiled.table import (
    MISSING,
    InformationSetTable,
    new_table,
    num_bytes,
    num_sets,
    table_to_arrays,
)
from hiddenhand.compiled.views import view
from hiddenhand.compiled.walk import advance, begin
from hiddenhand.errors import FileError, GameError, OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import TurnBased, as_sequential
from hiddenhand.search.belief.belief import DEFAULT_CAP, Belief
from hiddenhand.search.belief.public_states import FIRST_HISTORY, next_history
from hiddenhand.search.belief.targets import Everywhere, Target, target_of, weighting_factor
from hiddenhand.search.rules.baselines import (
    Baseline,
    baseline_bytes,
    make_baseline,
    most_known,
    ready_baseline,
    verify_baseline,
)
from hiddenhand.search.rules.leaves import frontier_of
from hiddenhand.search.thinking import (
    ADDED,
    DEFAULT_MEMORY,
    IN_TREE,
    ITERATIONS,
    MOVES,
    NUM_COUNTERS,
    PLAYOUTS,
    REFUSED,
    TableSearch,
    verify_memory,
)
from hiddenhand.search.traversal import Path, begin_trail, note_move, path_arrays, trail_moves
from hiddenhand.trees.strategy import TABLE, Weights

TARGETINGS: Final = ("ist", "pst")
_STRATEGY: Final = 1  # the second run of a row is s_I
_BASELINE: Final = "baseline_"  # what the names of its arrays in a file begin with
_FEW: Final = 1000  # histories
_PARAMETERS: Final = (
    "epsilon",
    "gamma",
    "targeting",
    "delta",
    "cap",
    "seed",
    "memory",
    "evaluation",
    "baseline",
    "weighting",
)


class OnlineOutcomeSampling(TableSearch):
    """OOS for a two-player zero-sum game; simultaneous moves are made in turns. `run` searches a
    game from its root; `start`, `notice`, `think` and `policy` follow a match.

    epsilon: exploration, above 0 and at most 1; 0.6 for convergence from the root, 0.4 in matches.
    gamma: how much uniform play is mixed into regret matching, from 0 to below 1. targeting: "ist"
    for the information set or "pst" for the public subgame; by default "ist" where moves are
    simultaneous, else "pst". delta: how often samples are targeted, from 0 (then this is MCCFR) to
    1 (then nothing is sure to converge). weighting: whether samples are weighed by w_T, as in the
    paper; the OOS of Lisy's thesis (2014) has no such factor. cap: how many histories a target
    keeps. memory: bytes that its tables may take, also while they grow. evaluation: the game's
    evaluation function instead of playouts. baseline: "off", "set" or "history". Equal seeds and
    equal numbers of iterations give equal results to the last bit, however the search is called.
    """

    ALGORITHM = "oos"
    TRAVERSALS = 2

    def __init__(
        self,
        game: Game,
        *,
        epsilon: float = 0.6,
        gamma: float = 0.01,
        targeting: str | None = None,
        delta: float = 0.9,
        cap: int = DEFAULT_CAP,
        seed: int = 0,
        memory: int = DEFAULT_MEMORY,
        evaluation: bool = False,
        baseline: str = "off",
        weighting: bool = True,
    ) -> None:
        self.game = _verified(as_sequential(game))
        verify_rules(self.game)
        self.evaluation = evaluation
        self._frontier = frontier_of(self.game, evaluation)
        self.baseline = verify_baseline(baseline)
        if not 0 < epsilon <= 1:
            raise OptionError(
                f"epsilon={epsilon} is not allowed; exploration must be above 0 and at most 1"
            )
        if not 0 <= gamma < 1:
            raise OptionError(
                f"gamma={gamma} is not allowed; the uniform part of regret matching must be at "
                "least 0 and below 1"
            )
        if targeting not in (None, *TARGETINGS):
            raise OptionError(
                f"targeting={targeting!r} is not allowed; choose one of: {', '.join(TARGETINGS)}"
            )
        if not 0 <= delta <= 1:
            raise OptionError(
                f"delta={delta} is not allowed; how often to target must be from 0 to 1"
            )
        self.epsilon = float(epsilon)
        self.gamma = float(gamma)
        self.targeting = targeting or ("ist" if isinstance(self.game, TurnBased) else "pst")
        self.delta = float(delta)
        self.weighting = weighting
        self._counting = False
        self.cap = cap
        self.memory = verify_memory(memory)
        self._path = _new_path(self.game, baseline != "off")
        self.start(0, seed)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        seed_sequence(seed)  # says what is wrong with it
        self.seat = seat
        self.seed = seed
        self.table = new_table(
            per_action=2,
            per_set=int(self._counting),
            rows=self.TRAVERSALS,
            row_actions=self.game.max_actions,
        )
        self._rng = new_state(seed)
        self._counters = np.zeros(NUM_COUNTERS, np.int64)
        self._seconds = 0.0
        self._baseline = make_baseline(self.baseline, self.game)
        self._target: Everywhere | Target = Everywhere()
        self._weighting = 1.0
        own_seed, public_seed = seed_sequence(seed).spawn(2)
        cap = (
            self.cap if self.delta > 0 else _FEW
        )  # without targets the belief only says where we are
        self.belief = Belief(self.game, seat, cap=cap, seed=own_seed)
        self._public = (
            Belief(self.game, self.game.num_players, cap=cap, seed=public_seed)
            if self._targets_the_public()
            else self.belief
        )

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Move on to where the match is now, and target it. See `OnlineSearch.notice`; ``seconds``
        are shared by the belief, the target and w_T.
        """
        share = None if seconds is None else seconds / 3
        with explaining(self.game, self.belief.way):
            self.belief.notice(events, share, iterations)
            if self._public is not self.belief:
                self._public.notice(events, share, iterations)
                # of so many histories that hardly any would be in our information set: target that
                # instead
                if self._public.is_sample:
                    self._public = self.belief
            if self.delta > 0 and self._can_target():
                self._target = target_of(self._public)
                if self.weighting:
                    self._weighting = weighting_factor(
                        self.belief, self._public, self.delta, self.table, _STRATEGY
                    )
            else:
                self._target, self._weighting = Everywhere(), 1.0

    def policy(self, num_actions: int) -> Floats:
        """The mean strategy in the present information set, which has ``num_actions``; uniform if
        it is not in memory.
        """
        row = int(self.table.find(np.uint64(self.belief.information_key)))
        if row == MISSING:
            return np.full(num_actions, 1.0 / num_actions)
        mean = self.table.values[row + num_actions : row + 2 * num_actions]
        return mean / mean.sum() if mean.sum() > 0 else np.full(num_actions, 1.0 / num_actions)

    def count_samples(self) -> None:
        """From the next `start` on, count how many samples the mean strategy of each set comes
        from: see `Weights.visits`.
        """
        self._counting = True

    def weights(self) -> Weights:
        """See `TableSearch.weights`."""
        found = super().weights()
        if self.table.per_set == 0:
            return found
        last = self.table.starts[1 : num_sets(self.table) + 1] - 1
        return replace(found, visits=self.table.values[last])

    def thought(self) -> Mapping[str, float]:
        """Iterations, information sets, histories in the belief and the target, whether those are
        samples, times that nothing was left of them.
        """
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "information sets": num_sets(self.table),
            "belief": self.belief.leaves.size,
            "target": self._public.leaves.size,
            "sampled": float(self.belief.is_sample or self._public.is_sample),
            "recoveries": self.belief.recoveries
            + (self._public.recoveries if self._public is not self.belief else 0),
        }

    # --- what `TableSearch` asks for ---

    def _parameters(self) -> dict[str, Any]:
        if self._counting:
            raise FileError(
                "a search that counts its samples is for measuring, and cannot be written to a "
                "file; make one that does not"
            )
        return {name: getattr(self, name) for name in _PARAMETERS}

    @property
    def _strategy_column(self) -> int:
        return _STRATEGY

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The table, and that of the baseline."""
        baseline = (
            table_to_arrays(self._baseline.table) if isinstance(self._baseline, Baseline) else {}
        )
        return super()._arrays() | {_BASELINE + name: array for name, array in baseline.items()}

    def _restore(self, path: object, arrays: dict[str, npt.NDArray[Any]]) -> None:
        super()._restore(path, arrays)
        if isinstance(self._baseline, Baseline):
            baseline = {
                name.removeprefix(_BASELINE): array
                for name, array in arrays.items()
                if name.startswith(_BASELINE)
            }
            TABLE.verify(path, {}, baseline)
            self._baseline = replace(
                self._baseline, table=self._table_from(path, baseline, self._baseline.table)
            )

    def _events_forgotten(self) -> int:
        return self.belief.num_events

    def _way(self) -> list[int]:
        return trail_moves(self._path.trail)

    def _iterate(self, count: int) -> int:
        before = int(self._counters[ITERATIONS])
        self._make_room()
        _run(
            self.game,
            self.table,
            self._target,
            self._frontier,
            self._baseline,
            self._path,
            self.delta,
            1.0 / self._weighting,
            self.epsilon,
            self.gamma,
            count,
            self._rng,
            self._counters,
        )
        return int(self._counters[ITERATIONS]) - before

    def _make_room(self) -> None:
        """See `TableSearch._make_room`; a baseline grows as well."""
        self._baseline = ready_baseline(self._baseline, self.memory - num_bytes(self.table))
        super()._make_room()

    def _other_bytes(self) -> int:
        return baseline_bytes(self._baseline)

    def _can_target(self) -> bool:
        """Whether it is known where the match is, and how likely chance was to bring it there."""
        beliefs = self.belief, self._public
        return all(belief.is_alive and not belief.is_drawn for belief in beliefs)

    def _targets_the_public(self) -> bool:
        return self.targeting == "pst" and self.delta > 0


def _verified(game: Game) -> Game:
    if game.num_players != 2 or not game.zero_sum:
        raise GameError(
            f"OOS is for two players and zero-sum games; {game} has {game.num_players} "
            f"players{'' if game.zero_sum else ', not zero-sum'}"
        )
    return game


@dataclass(frozen=True)
class _Path(Path):
    """A path that knows, over depths d in memory, baseline: the row of b; pi, sampled (l):
    ``float64[D]``. phi: ``float64[A]``, room.

    For chance only player, chosen = 0 and the outcome's probability in sigma; all of it where there
    are baselines.
    """

    baseline: Integers
    pi: Floats
    sampled: Floats
    phi: Floats


def _new_path(game: Game, with_baseline: bool) -> _Path:
    arrays = path_arrays(game, width=most_known(game) if with_baseline else 0)
    depth = arrays["row"].size
    return _Path(
        **arrays,
        baseline=np.zeros(depth, np.int64),
        pi=np.zeros(depth),
        sampled=np.zeros(depth),
        phi=np.zeros(max(game.max_actions, 1)),
    )


@kernel_apart
def _run(
    game: Any,
    table: InformationSetTable,
    target: Any,
    frontier: Any,
    baseline: Any,
    path: _Path,
    delta: float,
    weight: float,
    epsilon: float,
    gamma: float,
    count: int,
    rng: RandomState,
    counters: Integers,
) -> None:
    """Up to ``count`` iterations; ends early when a table has to grow. Modifies table, rng and
    counters in place. weight: 1 / w_T.
    """
    for _ in range(count):
        if not (table.is_ready() and baseline.is_ready()):
            return
        targeted = target.TARGETED and uniform(rng) < delta
        for i in range(2):
            _traverse(
                game,
                table,
                target,
                frontier,
                baseline,
                path,
                i,
                targeted,
                delta,
                weight,
                epsilon,
                gamma,
                rng,
                counters,
            )
        counters[ITERATIONS] += 1


@inline
def _traverse(
    game: Any,
    table: InformationSetTable,
    target: Any,
    frontier: Any,
    baseline: Any,
    path: _Path,
    i: int,
    targeted: bool,
    delta: float,
    weight: float,
    epsilon: float,
    gamma: float,
    rng: RandomState,
    counters: Integers,
) -> None:
    """One traversal for update player ``i``: Algorithm 1."""
    state, actions, probabilities, phi = path.state, path.actions, path.probabilities, path.phi
    begin(game, state, path.keys)
    begin_trail(path.trail)
    pi, s_1, s_2, x = 1.0, weight, weight, 1.0
    place = target.root()
    depth, in_memory = np.uint64(0), True  # an unsigned index is never taken to count from the end
    history, before = FIRST_HISTORY, depth
    player = game.current_player(state)
    while player != TERMINAL and (in_memory or not frontier.STOPS):
        if player == CHANCE:
            if game.draws_chance:
                a, rho_1, rho_2, place = _draw(game, target, place, targeted, state, rng)
                action, n = a, 1
            else:
                n = game.chance_outcomes(state, actions, probabilities)
                a, rho_1, place = _choose(target, place, targeted, probabilities, n, rng)
                action, rho_2 = actions[a], probabilities[a]
            pi *= rho_2
            if in_memory:
                path.player[depth], path.chosen[depth], path.sigma[depth, 0] = CHANCE, 0, rho_2
                if baseline.KNOWS:
                    path.num_actions[depth], path.sampled[depth], path.baseline[depth] = (
                        1,
                        _mixed(target, delta, s_1, s_2),
                        MISSING,
                    )
                    if not game.draws_chance and game.max_chance_outcomes <= path.sigma.shape[1]:
                        path.chosen[depth], path.num_actions[depth], path.baseline[depth] = (
                            a,
                            n,
                            baseline.find(history, history, n),
                        )
                        for b in range(n):
                            path.sigma[depth, b] = probabilities[b]
                depth += np.uint64(1)
            else:
                x *= rho_2
        else:
            n = game.legal_actions(state, player, actions)
            row = MISSING
            if in_memory:
                key = game.information(state, player, path.keys[player])
                row = table.find(key)
                if row == MISSING:
                    in_memory = False
                    counters[PLAYOUTS] += 1
                    if table.has_room(1, n):
                        row = table.add(key, n)
                        counters[ADDED] += 1
                    else:
                        counters[REFUSED] += 1
            if row == MISSING:
                for b in range(n):
                    phi[b] = 1.0 / n
                a, rho_1, place = _choose(target, place, targeted, phi, n, rng)
                rho_2 = phi[a]
                x *= rho_2
            else:
                sigma = path.sigma[depth]
                explore = epsilon if player == i else 0.0
                match_regrets(table.values, row, n, gamma, sigma)
                if target.TARGETED:
                    for b in range(n):
                        phi[b] = explore / n + (1.0 - explore) * sigma[b]
                    a, rho_1, place = _choose(target, place, targeted, phi, n, rng)
                    rho_2 = phi[a]
                else:
                    a = sample_exploring(rng, sigma, n, explore)
                    rho_1 = rho_2 = explore / n + (1.0 - explore) * sigma[a]
                path.row[depth], path.player[depth], path.num_actions[depth], path.chosen[depth] = (
                    row,
                    player,
                    n,
                    a,
                )
                path.pi[depth], path.sampled[depth] = pi, _mixed(target, delta, s_1, s_2)
                if baseline.KNOWS:
                    path.baseline[depth] = baseline.find(key, history, n)
                if player != i:
                    pi *= sigma[a]
                depth += np.uint64(1)
            action = actions[a]
        counters[MOVES] += 1
        note_move(
            game, path.trail, action
        )  # ends a game that goes on for too long, before anything is written behind the path
        s_1 *= rho_1
        s_2 *= rho_2
        if baseline.KNOWS:
            history = next_history(history, a)
            if depth > before:
                path.sampled[depth] = _mixed(target, delta, s_1, s_2)
                before = depth
        advance(game, state, player, action, path.keys, path.observations)
        player = game.current_player(state)
    if in_memory:
        counters[IN_TREE] += 1
    u, l = frontier.payoff(game, state, i), _mixed(target, delta, s_1, s_2)
    counting = table.per_set > 0
    if baseline.KNOWS:
        _update_with_baseline(
            table.values, counting, baseline, path, depth, i, gamma, u * x * path.sampled[depth] / l
        )
    else:
        _update(table.values, counting, path, depth, i, gamma, u, l, x)


@inline
def _mixed(target: Any, delta: float, s_1: float, s_2: float) -> float:
    """The probability of having come here in either scenario."""
    return delta * s_1 + (1.0 - delta) * s_2 if target.TARGETED else s_2


@inline
def _choose(
    target: Any, place: int, targeted: bool, phi: Floats, n: int, rng: RandomState
) -> tuple[int, float, int]:
    """Draw an action from ``phi``, in the target if ``targeted``: the action, its probability when
    targeting, and the place after it.
    """
    a = target.sample(place, phi, rng) if targeted and place >= 0 else sample(rng, phi, n)
    return a, target.factor(place, a, phi), target.after(place, a)


@inline
def _draw(
    game: Any, target: Any, place: int, targeted: bool, state: Integers, rng: RandomState
) -> tuple[int, float, float, int]:
    """Let chance draw an outcome, in the target if ``targeted``: the outcome, its probability when
    targeting and when not, and the place after it.

    Only outcomes in the target have a known probability. It cancels out elsewhere, and is left out.
    """
    outcome = target.draw(place, rng) if targeted and place >= 0 else game.sample_chance(state, rng)
    return (
        outcome,
        target.draw_factor(place, outcome),
        target.probability_of(place, outcome),
        target.after(place, outcome),
    )


@inline
def _update(
    values: Floats,
    counting: bool,
    path: _Path,
    depth: np.uint64,
    i: int,
    gamma: float,
    u: float,
    l: float,
    x: float,
) -> None:
    """Walk back up: regrets at player ``i``'s information sets, the mean strategy at the opponent's
    (lines 20 to 30).
    """
    d = depth
    while d > np.uint64(0):
        d -= np.uint64(1)
        row, n, a, sigma = path.row[d], path.num_actions[d], path.chosen[d], path.sigma[d]
        c = x
        x *= sigma[a]
        if path.player[d] == CHANCE:
            continue
        if path.player[d] == i:
            w = u * path.pi[d] / l
            regret = view(values, row, n)
            for b in range(n):
                regret[b] -= x * w
            regret[a] += c * w
        else:
            _add_to_mean(values, counting, row, n, sigma, gamma, path.pi[d] / path.sampled[d])


@inline
def _add_to_mean(
    values: Floats,
    counting: bool,
    row: int,
    n: int,
    sigma: Floats,
    gamma: float,
    weight: float,
) -> None:
    """Add ``sigma``, without its uniform part, to the mean strategy of a set, and count the sample
    if that is wanted.
    """
    total = view(values, row + n, n)
    for b in range(n):
        total[b] += weight * (sigma[b] - gamma / n)
    if counting:
        values[row + 2 * n] += 1.0


@inline
def _update_with_baseline(
    values: Floats,
    counting: bool,
    baseline: Any,
    path: _Path,
    depth: np.uint64,
    i: int,
    gamma: float,
    worth: float,
) -> None:
    """The same by a baseline. ``worth``: what the last history in the path pays player ``i``, as
    far as this sample can tell.
    """
    sign, one = 1.0 if i == 0 else -1.0, np.uint64(1)
    d = depth
    while d > np.uint64(0):
        d -= one
        n, a, sigma, at, player = (
            path.num_actions[d],
            path.chosen[d],
            path.sigma[d],
            path.baseline[d],
            path.player[d],
        )
        guess = sign * baseline.of(at, a)
        taken = guess + (worth - guess) * path.sampled[d] / path.sampled[d + one]
        mean = sigma[a] * taken
        for b in range(n):
            if b != a:
                mean += sigma[b] * sign * baseline.of(at, b)
        if player == i:
            w = path.pi[d] / path.sampled[d]
            regret = view(values, path.row[d], n)
            for b in range(n):
                regret[b] += w * (sign * baseline.of(at, b) - mean)
            regret[a] += w * (taken - guess)
        elif player != CHANCE:
            _add_to_mean(
                values, counting, path.row[d], n, sigma, gamma, path.pi[d] / path.sampled[d]
            )
        baseline.learn(at, a, sign * worth)
        worth = mean
