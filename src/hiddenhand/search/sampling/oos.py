"""Online Outcome Sampling in a match.

Lisy, Lanctot and Bowling (2015), "Online Monte Carlo counterfactual regret minimization for search
in imperfect information games". An iteration makes two traversals, one for each update player. Some
papers give traversals per second where they write of iterations. `outcome_sampling` is the
traversal, Algorithm 1. In a match, an iteration is targeted with probability delta: its samples
then pass through the part of the game that the match has come to (see `targets`). The factor w_T
makes up for the change of targeting from one decision to the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.random import new_state, seed_sequence
from hiddenhand.compiled.table import (
    MISSING,
    new_table,
    num_bytes,
    num_sets,
    table_to_arrays,
)
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.games.checking.conformance import verify_rules
from hiddenhand.games.checking.kernel_errors import explaining
from hiddenhand.games.constant_sum import as_zero_sum
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.parameters import verify_exploration
from hiddenhand.search.belief.belief import DEFAULT_CAP, Belief
from hiddenhand.search.belief.targets import Everywhere, Target, target_of, weighting_factor
from hiddenhand.search.online import mean_or_uniform
from hiddenhand.search.rules.baselines import (
    Baseline,
    baseline_bytes,
    make_baseline,
    ready_baseline,
    verify_baseline,
)
from hiddenhand.search.rules.leaves import leaves_of
from hiddenhand.search.sampling.outcome_sampling import OutcomeSampling, sampled_trajectory
from hiddenhand.search.streams import AVERAGES
from hiddenhand.search.thinking import (
    DEFAULT_MEMORY,
    TableSearch,
    verify_memory,
)
from hiddenhand.search.traversal import ITERATIONS, NUM_COUNTERS, trail_moves
from hiddenhand.trees.strategy import TABLE, Weights

TARGETINGS: Final = ("ist", "pst")
_STRATEGY: Final = 1  # the second run of a row is s_I
_BASELINE: Final = "baseline_"  # what the names of its arrays in a file begin with
_FEW: Final = 1000  # histories
PARAMETERS: Final = (
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


class OOS(TableSearch):
    """OOS for a two-player zero-sum game; simultaneous moves are made in turns. `run` searches a
    game from its root. The methods `start`, `notice`, `think` and `policy` follow a match.

    Equal seeds and equal numbers of iterations give equal results to the last bit, however the
    search is called; with several streams only if each thinking has equal numbers of iterations.

    game: the game, zero-sum and for two players.
    epsilon: exploration, the probability with which a sampled action is drawn uniformly at random
        instead of from the present strategy, above 0 and at most 1; 0.6 suits the search of a game
        from its root, 0.4 suits matches.
    gamma: the share of uniform play that is mixed into the strategy of regret matching, at least 0
        and below 1.
    targeting: what samples are aimed at in a match, "ist" (histories that the player to move
        considers possible) or "pst" (histories that fit what all players have seen); by default
        "ist" in games with simultaneous moves and "pst" in other games.
    delta: the probability that an iteration is aimed at where the match is, from 0 (never, which is
        MCCFR) to 1 (always, and then convergence is not guaranteed).
    cap: the most histories that the aim is made of, at least 1; if there are more, a random sample
        of them is kept.
    seed: the seed of the random numbers, a whole number of at least 0.
    memory: bytes that the tables may take, also while they grow.
    threads: number of streams that search at the same time, on as many cores, at least 1.
    streams: number of streams, at least 1; by default as many as threads.
    chunk: the most iterations that each stream makes before all streams are merged, at least 1;
        1048576 by default.
    evaluation: whether the game's evaluation function gives the value where memory ends, instead of
        a random rollout to the end of the game.
    baseline: estimates that make samples vary less (VR-MCCFR), "off" for none, "set" for one of
        each action of an information set; "history" for one of each action of a history,
        "predictive" for such estimates that foresee the next strategy.
    weighting: whether samples have weights that correct for a change of aim from one move to the
        next (w_T of the paper); false gives the OOS of Lisy's thesis (2014), which has no such
        weights.
    """

    ALGORITHM = "oos"
    TRAVERSALS = 2
    MERGED = TableSearch.MERGED | {"baseline": ("_baseline", AVERAGES)}

    def __init__(
        self,
        game: Game | str,
        *,
        epsilon: float = 0.4,
        gamma: float = 0.01,
        targeting: str | None = None,
        delta: float = 0.9,
        cap: int = DEFAULT_CAP,
        seed: int = 0,
        memory: int = DEFAULT_MEMORY,
        evaluation: bool = False,
        baseline: str = "off",
        weighting: bool = True,
        threads: int = 1,
        streams: int | None = None,
        chunk: int | None = None,
    ) -> None:
        self.game = as_zero_sum(game, "OOS", "ismcts")
        verify_rules(self.game)
        self.evaluation = evaluation
        self._leaves = leaves_of(self.game, evaluation)
        self.baseline = verify_baseline(baseline)
        self.epsilon = verify_exploration(epsilon)
        if not 0 <= gamma < 1:
            raise OptionError(
                f"gamma={gamma} is not allowed; give a number of at least 0 and below 1"
            )
        if targeting not in (None, *TARGETINGS):
            raise OptionError(
                f"targeting={targeting!r} is not allowed; choose one of: {', '.join(TARGETINGS)}"
            )
        if not 0 <= delta <= 1:
            raise OptionError(f"delta={delta} is not allowed; give a probability from 0 to 1")
        self.gamma = float(gamma)
        self.targeting = targeting or ("ist" if isinstance(self.game, TurnBased) else "pst")
        self.delta = float(delta)
        self.weighting = weighting
        self._counting = False
        self.cap = cap
        self.memory = verify_memory(memory)
        self._divide(threads, streams, chunk)
        self._path = sampled_trajectory(self.game, baseline != "off")
        self.start(0, seed)

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        own_seed, public_seed = seed_sequence(seed).spawn(2)
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
        self._shared = 0
        self._streams.start(seed)
        self._baseline = make_baseline(self.baseline, self.game)
        self._target: Everywhere | Target = Everywhere()
        self._weighting = 1.0
        # Without targets, the belief only says where the match is, for which few histories do.
        cap = self.cap if self.delta > 0 else _FEW
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
                # The public histories are too many to keep, and of a sample hardly any would be in
                # the player's information set. So the information set is targeted instead.
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
            return mean_or_uniform(np.zeros(num_actions))
        return mean_or_uniform(self.table.values[row + num_actions : row + 2 * num_actions])

    def count_samples(self) -> None:
        """From the next `start` on, count how many samples the mean strategy of each information
        set is made of. `weights` then reports them as `Weights.visits`.
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
        """Figures by name: the iterations, the information sets in memory, the histories in the
        belief and in the target, whether either of them is a sample, and how often nothing was left
        of either.
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
                "a search that counts its samples cannot be written to a file; make one that does "
                "not count them"
            )
        return {name: getattr(self, name) for name in PARAMETERS}

    @property
    def _strategy_column(self) -> int:
        return _STRATEGY

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays of the table and, if there is a baseline, those of its table."""
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

    def _traversal(self) -> OutcomeSampling:
        return OutcomeSampling(
            game=self.game,
            table=self.table,
            path=self._path,
            leaves=self._leaves,
            rng=self._rng,
            counters=self._counters,
            target=self._target,
            baseline=self._baseline,
            delta=self.delta,
            weight=1.0 / self._weighting,
            epsilon=self.epsilon,
            gamma=self.gamma,
        )

    def _make_room(self) -> None:
        """See `TableSearch._make_room`; a baseline grows as well."""
        self._baseline = ready_baseline(self._baseline, self._room() - num_bytes(self.table))
        super()._make_room()

    def _other_bytes(self) -> int:
        return baseline_bytes(self._baseline)

    def _can_target(self) -> bool:
        """Whether it is known where the match is, and how likely chance was to bring it there."""
        beliefs = self.belief, self._public
        return all(belief.is_alive and not belief.is_drawn for belief in beliefs)

    def _targets_the_public(self) -> bool:
        return self.targeting == "pst" and self.delta > 0
