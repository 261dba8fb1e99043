"""Extensive-form UCT and Smooth UCT: self-play Monte Carlo tree search from the beginning of a
game.

Heinrich and Silver (2015), "Smooth UCT search in computer poker". `self_play` is an episode,
Algorithm 1; `rules.smooth` has what distinguishes the two searches, the selection of actions
(Eq. 1 and Eq. 2), and the exploration that follows the betting (Eq. 3).

An iteration is one episode, played by all players from the beginning of the game. The search is not
aimed at where a match is: before each move it plays more episodes from the beginning, as MCCFR
does. In Kuhn and Leduc poker Smooth UCT comes close to an equilibrium, for which there is no proof,
and UCT does not.

The paper tuned its constants for each game. Those of Smooth UCT were gamma = 0.1 and eta = 0.9,
with c = 1.75 and d = 0.001 in Kuhn poker, c = 18 and d = 0.002 in Leduc poker; the c of UCT was 2
and 20. The largest payoffs there are 2 and 13. Here c is by default the largest payoff of the game,
times `EXPLORATION`, and d is 0.002, because of the two values it suits larger games better. In
Leduc poker with that c, nash_conv after 85 million episodes of one run is 0.035, and 0.063 with d =
0.001; in Kuhn poker the squared error after a million, the mean of 30 runs with c = 1.75, is
0.000029, and 0.000019 with d = 0.001.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.random import new_state, seed_sequence
from hiddenhand.compiled.table import MISSING, new_table, num_sets
from hiddenhand.errors import OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.search.belief.belief import Belief
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.rules.leaves import PlayOn
from hiddenhand.search.rules.smooth import UCB, ByPot, Constant, SmoothUCB
from hiddenhand.search.sampling.self_play import SelfPlay, episode_of
from hiddenhand.search.thinking import DEFAULT_MEMORY, TableSearch, verify_memory
from hiddenhand.search.traversal import ITERATIONS, NUM_COUNTERS, trail_moves
from hiddenhand.trees.strategy import (
    Strategy,
    Weights,
    greedy_values,
    strategy_from_weights,
    weights_from_table,
)

AVERAGE: Final = "average"
GREEDY: Final = "greedy"
STRATEGIES: Final = (AVERAGE, GREEDY)
EXPLORATION: Final = 1.25
"""The exploration c unless it is given, in units of the largest payoff: between what the paper
found best in Kuhn poker, 0.88 and 1, and in Leduc poker, 1.4 and 1.5.
"""
_FEW: Final = 1000  # histories
_SUMS: Final = 1  # the second run of a row is the sums of payoffs


class EFUCT(TableSearch):
    """Extensive-form UCT for games of any number of players; simultaneous moves are made in turns.

    Equal seeds and equal numbers of iterations give equal results to the last bit, however the
    search is called; with several streams only if each thinking has equal numbers of iterations.

    game: the game.
    exploration: the constant c of UCB, in payoffs of the game, at least 0; by default 1.25 times
        the largest payoff.
    potential: k of Eq. 3, from 0 to 1, in games that know their pot: c is then the pot at the
        beginning of the betting round, plus k times what the players could still have added, but at
        most exploration; none for the same c everywhere.
    strategy: the strategy that the search plays and returns, "average" (each action as often as it
        was taken) or "greedy" (the action with the highest mean payoff).
    memory: bytes that the tables may take, also while they grow.
    seed: the seed of the random numbers, a whole number of at least 0.
    threads: number of streams that search at the same time, on as many cores, at least 1.
    streams: number of streams, at least 1; by default as many as threads.
    chunk: the most iterations that each stream makes before all streams are merged, at least 1;
        1048576 by default.
    """

    ALGORITHM = "ef-uct"
    TRAVERSALS = 1

    def __init__(
        self,
        game: Game | str,
        *,
        exploration: float | None = None,
        potential: float | None = None,
        strategy: str = AVERAGE,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
        threads: int = 1,
        streams: int | None = None,
        chunk: int | None = None,
    ) -> None:
        self.game = as_sequential(game)
        verify_rules(self.game)
        self.TREES = self.game.num_players
        self.exploration = (
            EXPLORATION * float(self.game.max_utility)
            if exploration is None
            else verified_between("exploration", exploration, math.inf)
        )
        self.potential = (
            None if potential is None else verified_between("potential", potential, 1.0)
        )
        if potential is not None and not hasattr(self.game, "exploration_bound"):
            raise OptionError(
                f"potential={potential} is not allowed for {self.game}, which does not know its "
                "pot; leave it out"
            )
        if strategy not in STRATEGIES:
            raise OptionError(
                f"strategy={strategy!r} is not allowed; choose one of: {', '.join(STRATEGIES)}"
            )
        self.tells = strategy
        self.memory = verify_memory(memory)
        self._divide(threads, streams, chunk)
        self._path = episode_of(self.game)
        self.start(0, seed)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        own_seed, belief_seed = seed_sequence(seed).spawn(2)
        self.seat = seat
        self.seed = seed
        self.table = new_table(
            per_action=UCB.PER_ACTION,
            per_set=UCB.PER_SET,
            rows=self.TREES,
            row_actions=self.game.max_actions,
        )
        self._rng = new_state(own_seed)
        self._counters = np.zeros(NUM_COUNTERS, np.int64)
        self._seconds = 0.0
        self._shared = 0
        self._streams.start(seed)
        # It only says where the match is, for which few histories do.
        self.belief = Belief(self.game, seat, cap=_FEW, seed=belief_seed)

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        """Move on to where the match is now. See `OnlineSearch.notice`."""
        with explaining(self.game, self.belief.way):
            self.belief.notice(events, seconds, iterations)

    def policy(self, num_actions: int) -> Floats:
        """The average or greedy strategy in the present information set; uniform if it is not in
        memory.
        """
        row = int(self.table.find(np.uint64(self.belief.information_key)))
        if row == MISSING:
            return mean_or_uniform(np.zeros(num_actions))
        visits, sums = self.table.values[row : row + 2 * num_actions].reshape(2, -1)
        if self.tells == AVERAGE:
            return mean_or_uniform(visits)
        return mean_or_uniform(greedy_values(visits, sums, np.array([0, num_actions])))

    def count_samples(self) -> None:
        """What is accumulated counts samples in any case: each adds 1."""

    def strategy(self) -> Strategy:
        """The average or greedy strategy in all information sets in memory."""
        if self.tells == AVERAGE:
            return super().strategy()
        return strategy_from_weights(self.game, self.weights())

    def weights(self) -> Weights:
        """See `TableSearch.weights`; of the greedy strategy all visits of a set are on one
        action.
        """
        found = super().weights()
        values = found.values
        if self.tells == GREEDY:
            sums = weights_from_table(self.table, _SUMS).values
            values = greedy_values(found.values, sums, found.starts)
        return replace(found, values=values, visits=found.mass)

    def thought(self) -> Mapping[str, float]:
        """Figures by name: the iterations, the information sets in memory, the histories in the
        belief, whether they are a sample, and how often nothing was left of it.
        """
        return {
            "iterations": int(self._counters[ITERATIONS]),
            "information sets": num_sets(self.table),
            "belief": self.belief.leaves.size,
            "sampled": float(self.belief.is_sample),
            "recoveries": self.belief.recoveries,
        }

    # --- what `TableSearch` asks for ---

    @property
    def rule(self) -> UCB:
        """How actions are selected."""
        return UCB(self.exploration)

    def _parameters(self) -> dict[str, Any]:
        names = ("exploration", "potential", "memory", "seed")
        return {"strategy": self.tells, **{name: getattr(self, name) for name in names}}

    @property
    def _strategy_column(self) -> int:
        return UCB.STRATEGY

    @property
    def _is_greedy(self) -> bool:
        return self.tells == GREEDY

    def _events_forgotten(self) -> int:
        return self.belief.num_events

    def _way(self) -> list[int]:
        return trail_moves(self._path.trail)

    def _traversal(self) -> SelfPlay:
        c = self.exploration
        return SelfPlay(
            game=self.game,
            table=self.table,
            path=self._path,
            leaves=PlayOn(),
            rng=self._rng,
            counters=self._counters,
            rule=self._selector_of_streams(self.rule),
            schedule=Constant(c) if self.potential is None else ByPot(c, self.potential),
        )


class SmoothUCT(EFUCT):
    """Smooth UCT for games of any number of players; simultaneous moves are made in turns.

    Equal seeds and equal numbers of iterations give equal results to the last bit, however the
    search is called; with several streams only if each thinking has equal numbers of iterations.

    game: the game.
    gamma: the least probability with which UCB selects an action, instead of the average strategy,
        from 0 to 1.
    eta: that probability in a new information set, from 0 to 1.
    decay: d of the paper, how fast that probability falls from eta towards gamma, at least 0: after
        N visits it is eta / (1 + d sqrt(N)).
    exploration: the constant c of UCB, in payoffs of the game, at least 0; by default 1.25 times
        the largest payoff.
    potential: k of Eq. 3, from 0 to 1, in games that know their pot: c is then the pot at the
        beginning of the betting round, plus k times what the players could still have added, but at
        most exploration; none for the same c everywhere.
    strategy: the strategy that the search plays and returns, "average" (each action as often as it
        was taken) or "greedy" (the action with the highest mean payoff).
    memory: bytes that the tables may take, also while they grow.
    seed: the seed of the random numbers, a whole number of at least 0.
    threads: number of streams that search at the same time, on as many cores, at least 1.
    streams: number of streams, at least 1; by default as many as threads.
    chunk: the most iterations that each stream makes before all streams are merged, at least 1;
        1048576 by default.
    """

    ALGORITHM = "smooth-uct"

    def __init__(
        self,
        game: Game | str,
        *,
        gamma: float = 0.1,
        eta: float = 0.9,
        decay: float = 0.002,
        exploration: float | None = None,
        potential: float | None = None,
        strategy: str = AVERAGE,
        memory: int = DEFAULT_MEMORY,
        seed: int = 0,
        threads: int = 1,
        streams: int | None = None,
        chunk: int | None = None,
    ) -> None:
        self.gamma = verified_between("gamma", gamma, 1.0)
        self.eta = verified_between("eta", eta, 1.0)
        self.decay = verified_between("decay", decay, math.inf)
        super().__init__(
            game,
            exploration=exploration,
            potential=potential,
            strategy=strategy,
            memory=memory,
            seed=seed,
            threads=threads,
            streams=streams,
            chunk=chunk,
        )

    @property
    def rule(self) -> SmoothUCB:
        """How actions are selected."""
        return SmoothUCB(self.exploration, gamma=self.gamma, eta=self.eta, decay=self.decay)

    def _parameters(self) -> dict[str, Any]:
        return super()._parameters() | {
            name: getattr(self, name) for name in ("gamma", "eta", "decay")
        }


def verified_between(name: str, value: float, most: float) -> float:
    """``value``, which was given as ``name``. Raises OptionError unless it is finite and from 0 to
    ``most``.
    """
    if not 0 <= value <= most or not math.isfinite(value):
        allowed = "at least 0" if most == math.inf else f"from 0 to {most:g}"
        raise OptionError(f"{name}={value} is not allowed; give a number {allowed}")
    return float(value)
