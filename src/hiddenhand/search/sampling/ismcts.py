"""Information-set Monte Carlo tree search.

Cowling, Powley and Whitehouse (2012); with modelled beliefs and other selection rules than UCT:
Lisy (2014), "Alternative selection functions for information set Monte Carlo tree search", and
Section 3.2.3 of his thesis. An iteration (Fig. 3.4) starts in a history of the present information
set, selects by the statistics of the information set of whoever moves, adds the first one that is
not in memory, rolls out uniformly at random, and updates all sets on its path by the payoff of the
player who moved there. An evaluation function may stand in for the rollout (see `leaves`).

Starts are drawn from the belief (see `belief`): uniformly, or modelled, each history as likely as
the opponents' mean strategies and chance make it (Fig. 3.5). They are drawn in proportion; with
``repetitions`` K > 0 instead as the thesis does, a uniform history for 1 + K p iterations.
Statistics are kept from move to move, whatever histories reach a set. Nothing here converges to an
equilibrium: that is what the papers show.

Which move UCT makes. The papers say the most visited one. The matches that Lisy, Lanctot and
Bowling (2015) and Lisy (2014) print are those of UCT whose moves are drawn by visit frequencies,
``move="sampled"``: OOS against it wins 47.8 and 48.0 % from the two seats with thinking before
play, printed are 50.0 and 48.8, and 61.7 and 46.5 % without, printed in the thesis are 60.8 and
49.4; against the most visited move it wins 45.8 and 42.7 %. What the papers call UCT there is
"ruct". Their program forgets what it knows of an information set when a new history reaches it;
keeping it, as here, makes no difference to these matches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.archives import defect
from hiddenhand.budget import verify_budget
from hiddenhand.compiled.arrays import Floats, Integers, Keys
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.draws import search_cumulative
from hiddenhand.compiled.random import RandomState, below, new_state, seed_sequence, uniform
from hiddenhand.compiled.table import MISSING, new_table, num_sets
from hiddenhand.compiled.views import copy_row
from hiddenhand.compiled.walk import draw_outcome
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import CHANCE, TERMINAL, Game
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.progress import SILENT, Progress
from hiddenhand.search.belief.belief import DEFAULT_CAP, Belief
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.rules.leaves import leaves_of
from hiddenhand.search.rules.selectors import Selector, make_selector
from hiddenhand.search.thinking import DEFAULT_MEMORY, TableSearch, verify_memory
from hiddenhand.search.traversal import (
    IN_TREE,
    ITERATIONS,
    NUM_COUNTERS,
    Trajectory,
    Traversal,
    begin_trail,
    trail_moves,
    trajectory_arrays,
)
from hiddenhand.trees.strategy import Weights

BELIEFS: Final = ("uniform", "modelled")
MOVES_BY: Final = ("most_visited", "sampled")

# among the counters: the present start, and for how many iterations more it is used
_START, _REPEAT = NUM_COUNTERS, NUM_COUNTERS + 1


class ISMCTS(TableSearch):
    """IS-MCTS for games of any number of players; simultaneous moves are made in turns.

    selector: "uct" (first action on ties), "ruct" (random ties), "exp3", "exp3p", "rm", or a
    `Selector` of your own. belief: "uniform" or "modelled". repetitions: K of the thesis, 0 to draw
    starts in proportion. exploration, gamma, tie_tolerance: of the selection rule, see
    `make_selector`. move: "sampled" draws moves from the mean strategy, which for UCT are the visit
    frequencies; "most_visited" makes the move with most of it. Unless said, UCT makes the most
    visited move, and the other rules, which must mix, draw theirs. cap: how many histories a belief
    keeps. memory: bytes that its tables may take, also while they grow. evaluation: the game's
    evaluation function instead of rollouts. threads: how many streams search at the same time, on
    as many cores; streams: how many there are, as many as threads unless said; chunk: after how
    many iterations of each stream all are merged at the latest, 262144 unless said. Equal seeds and
    iterations give equal results to the last bit.
    """

    ALGORITHM = "ismcts"
    TRAVERSALS = 1

    def __init__(
        self,
        game: Game,
        selector: str | Selector = "uct",
        *,
        belief: str = "uniform",
        repetitions: int = 0,
        exploration: float | None = None,
        gamma: float | None = None,
        tie_tolerance: float | None = None,
        move: str | None = None,
        cap: int = DEFAULT_CAP,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
        evaluation: bool = False,
        threads: int = 1,
        streams: int | None = None,
        chunk: int | None = None,
    ) -> None:
        self.game = as_sequential(game)
        verify_rules(self.game)
        self.evaluation = evaluation
        self._leaves = leaves_of(self.game, evaluation)
        if belief not in BELIEFS:
            raise OptionError(
                f"belief={belief!r} is not allowed; choose one of: {', '.join(BELIEFS)}"
            )
        if repetitions < 0:
            raise OptionError(f"repetitions={repetitions} is not allowed; give at least 0")
        if move not in (None, *MOVES_BY):
            raise OptionError(f"move={move!r} is not allowed; choose one of: {', '.join(MOVES_BY)}")
        own = {"exploration": exploration, "gamma": gamma, "tie_tolerance": tie_tolerance}
        self._named = {"selector": selector, **own}
        self.selector = (
            make_selector(selector, self.game, **own) if isinstance(selector, str) else selector
        )
        self.move = move or ("most_visited" if self.selector.MOST_VISITED else "sampled")
        self.belief_model = belief
        self.repetitions = repetitions
        self.cap = cap
        self.memory = verify_memory(memory)
        self._divide(threads, streams, chunk)
        self._path = Trajectory(**trajectory_arrays(self.game))
        self.start(0, seed)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        table_seed, belief_seed = seed_sequence(seed).spawn(2)
        self.seat = seat
        self.seed = seed
        self.table = new_table(
            per_action=self.selector.PER_ACTION,
            per_set=self.selector.PER_SET,
            row_actions=self.game.max_actions,
        )
        self.belief = Belief(self.game, seat, cap=self.cap, seed=belief_seed)
        self._rng = new_state(table_seed)
        self._counters = np.zeros(NUM_COUNTERS + 2, np.int64)
        self._seconds = 0.0
        self._shared = 0
        self._streams.start(seed)
        self._starts_from(np.ones(1))

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Move the belief on by what the player noticed. See `OnlineSearch.notice`."""
        with explaining(self.game, self.belief.way):
            self.belief.notice(events, seconds, iterations)
            if self.belief.is_alive:
                modelled = self.belief_model == "modelled"
                weights = (
                    self.belief.modelled(self.table, self.selector.STRATEGY)
                    if modelled
                    else self.belief.uniform()
                )
                self._starts_from(weights)

    def think(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Search on from the present information set. If nothing consistent with it is known any
        more, there is nothing to search.
        """
        verify_budget(iterations, seconds)
        if self.belief.is_alive:
            super().think(iterations, seconds, progress)

    def policy(self, num_actions: int) -> Floats:
        """The mean strategy, or the action with most of it; uniform in an information set that is
        not in memory.
        """
        row = int(self.table.find(np.uint64(self.belief.information_key)))
        if row == MISSING:
            return mean_or_uniform(np.zeros(num_actions))
        first = row + self.selector.STRATEGY * num_actions
        return _move_probabilities(
            self.table.values[first : first + num_actions], self.move == "most_visited"
        )

    def count_samples(self) -> None:
        """What is accumulated counts samples in any case: each adds 1."""

    def weights(self) -> Weights:
        """See `TableSearch.weights`."""
        found = super().weights()
        return replace(found, visits=found.mass)

    def thought(self) -> Mapping[str, float]:
        """Iterations, information sets, histories in the belief, whether it is a sample, times that
        nothing was left of it.
        """
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "information sets": num_sets(self.table),
            "belief": self.belief.leaves.size,
            "sampled": float(self.belief.is_sample),
            "recoveries": self.belief.recoveries,
        }

    # --- what `TableSearch` asks for ---

    def _parameters(self) -> dict[str, Any]:
        if not isinstance(self._named["selector"], str):
            raise FileError(
                f"a search by {self.selector} cannot be written to a file; name one of our "
                "selection rules, or keep the search's strategy"
            )
        others = {
            name: getattr(self, name)
            for name in ("repetitions", "move", "cap", "memory", "seed", "evaluation")
        }
        return {**self._named, "belief": self.belief_model, **others}

    @property
    def _strategy_column(self) -> int:
        return self.selector.STRATEGY

    def _restore(self, path: object, arrays: dict[str, npt.NDArray[Any]]) -> None:
        if self._counters[_START] >= self._starts.cumulative.size:
            raise defect(path, self.FILE.name, "counters")
        super()._restore(path, arrays)

    def _starts_from(self, weights: Floats) -> None:
        leaves = self.belief.leaves
        self._starts = Starts(
            leaves.state, leaves.keys, np.cumsum(weights) / weights.sum(), self.repetitions
        )
        self._counters[_START] = self._counters[_REPEAT] = 0

    def _events_forgotten(self) -> int:
        return self.belief.num_events

    def _way(self) -> list[int]:
        return [*self.belief.moves_to(int(self._path.trail[1])), *trail_moves(self._path.trail)]

    def _traversal(self) -> "TreeSearch":
        return TreeSearch(
            game=self.game,
            table=self.table,
            path=self._path,
            leaves=self._leaves,
            rng=self._rng,
            counters=self._counters,
            selector=self._selector_of_streams(self.selector),
            starts=self._starts,
        )


def _move_probabilities(weights: Floats, most_visited: bool) -> Floats:
    if most_visited:
        chosen = np.zeros(weights.size)
        chosen[int(np.argmax(weights))] = 1.0
        return chosen
    return mean_or_uniform(weights)


@dataclass(frozen=True)
class Starts(Compiled):
    """Where iterations start: F histories.

    state: ``int64[F, state_size]``.
    keys: ``uint64[F, P + 1]``, of each player and of the public.
    cumulative: ``float64[F]``, the sums of their probabilities.
    repetitions: K of the thesis; 0 to draw each start in proportion.
    """

    state: Integers
    keys: Keys
    cumulative: Floats
    repetitions: int

    def next(self, counters: Integers, rng: RandomState) -> int:
        """The start of the next iteration; with repetitions the same as before until it is used
        up.
        """
        if self.repetitions == 0:
            return search_cumulative(self.cumulative, uniform(rng))
        if counters[_REPEAT] == 0:
            start = below(rng, self.cumulative.size)
            p = self.cumulative[start] - (self.cumulative[start - 1] if start > 0 else 0.0)
            counters[_START], counters[_REPEAT] = start, 1 + int(self.repetitions * p)
        counters[_REPEAT] -= 1
        return counters[_START]


@dataclass(frozen=True)
class TreeSearch(Traversal):
    """An iteration of IS-MCTS (Fig. 3.4): select, expand, simulate, update.

    selector: how an action is chosen and learnt from, see `selectors`.
    starts: where iterations start.
    """

    selector: Any
    starts: Starts

    def iterate(self) -> None:
        """From a start to the end of the game, and back."""
        path, start = self.path, self.starts.next(self.counters, self.rng)
        begin_trail(path.trail, start)
        copy_row(self.starts.state, start, path.state)
        copy_row(self.starts.keys, start, path.keys)
        self.update(self.descend())

    def descend(self) -> int:
        """Go through memory, add the first set that is not in it, and roll out. Returns how many
        decisions were made in memory, that of the new set included.

        Descent and rollout are one loop: in two, each rule of the game would be compiled twice.
        """
        game, path = self.game, self.path
        depth, in_memory = 0, True
        player = game.current_player(path.state)
        while player != TERMINAL and (in_memory or not self.leaves.STOPS):
            if player == CHANCE:
                action = draw_outcome(game, path.state, path.actions, path.probabilities, self.rng)[
                    0
                ]
            else:
                n = game.legal_actions(path.state, player, path.actions)
                row = MISSING
                if in_memory:
                    key = game.information(path.state, player, path.keys[player])
                    row, in_memory = self.find_or_enter(key, n)
                if row == MISSING:
                    a = below(self.rng, n)
                else:
                    a = self.selector.select(self.table.values, row, n, path.sigma[depth], self.rng)
                    path.row[depth], path.player[depth] = row, player
                    path.num_actions[depth], path.chosen[depth] = n, a
                    depth += 1
                action = path.actions[a]
            player = self.move(player, action)
        if in_memory:
            self.counters[IN_TREE] += 1
        return depth

    def update(self, depth: int) -> None:
        """All sets on the path learn what the end pays to the player who moved there."""
        path = self.path
        for d in range(depth):
            row, n, a, sigma = path.row[d], path.num_actions[d], path.chosen[d], path.sigma[d]
            u = self.leaves.payoff(self.game, path.state, path.player[d])
            self.selector.update(self.table.values, row, n, a, sigma[a], u, sigma)
