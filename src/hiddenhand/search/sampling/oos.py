"""Online Outcome Sampling in a match.

Lisy, Lanctot and Bowling (2015), "Online Monte Carlo counterfactual regret minimization for search
in imperfect information games". An iteration makes two traversals, one for each update player. Some
papers give traversals per second where they write of iterations. `outcome_sampling` is the
traversal, Algorithm 1. In a match, an iteration is targeted with probability delta: its samples
then pass through the part of the game that the match has come to (see `search.belief.targeting`).
The factor w_T makes up for the change of targeting from one decision to the next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.algorithm import Algorithm
from hiddenhand.errors import FileError
from hiddenhand.games.base import Game
from hiddenhand.games.constant_sum import as_zero_sum
from hiddenhand.games.history import Event
from hiddenhand.games.turn_based import TurnBased
from hiddenhand.games.validation.kernel_errors import explaining
from hiddenhand.jit.infoset_table import num_bytes, num_sets, table_to_arrays
from hiddenhand.jit.random import seed_sequence
from hiddenhand.parameters import Parameters, parameter
from hiddenhand.search.belief.belief import DEFAULT_CAP
from hiddenhand.search.belief.targeting import Everywhere, Target, target_of, weighting_factor
from hiddenhand.search.parallel.streams import AVERAGES
from hiddenhand.search.sampling.outcome_sampling import OutcomeSampling, sampled_trajectory
from hiddenhand.search.selection.baselines import (
    Baseline,
    baseline_bytes,
    make_baseline,
    ready_baseline,
)
from hiddenhand.search.selection.leaf_values import leaves_of
from hiddenhand.search.table_search import LeafParameters, TableSearch, prefixed, with_prefix
from hiddenhand.solvers.baselines import BASELINES
from hiddenhand.trees.strategy import TABLE, Weights

TARGETINGS: Final = ("ist", "pst")
_STRATEGY: Final = 1  # the second run of a row is s_I
_BASELINE: Final = "baseline_"  # what the names of its arrays in a file begin with
_FEW: Final = 1000  # histories


@dataclass(frozen=True, kw_only=True)
class OOSParameters(LeafParameters):
    """The parameters of `OOS`.

    epsilon: exploration, the probability with which a sampled action is drawn uniformly at random
        instead of from the present strategy; 0.6 suits the search of a game from its root, 0.4
        suits matches.
    gamma: the share of uniform play that is mixed into the strategy of regret matching.
    targeting: what samples are aimed at in a match, "ist" (histories that the player to move
        considers possible) or "pst" (histories that fit what all players have seen); by default
        "ist" in games with simultaneous moves and "pst" in other games.
    delta: the probability that an iteration is aimed at where the match is; 0 is MCCFR, which never
        aims, and with 1, which always aims, convergence is not guaranteed.
    cap: the most histories that the aim is made of; if there are more, a random sample of them is
        kept.
    baseline: estimates that make samples vary less (VR-MCCFR), "off" for none, "set" for one of
        each action of an information set; "history" for one of each action of a history,
        "predictive" for such estimates that foresee the next strategy.
    weighting: whether samples have weights that correct for a change of aim from one move to the
        next (w_T of the paper); false gives the OOS of Lisy's thesis (2014), which has no such
        weights.
    threshold: moves whose probability is below this share of the likeliest move's are not played;
        0 plays all, as in the paper, 1 the likeliest alone.
    """

    epsilon: float = parameter(0.4, above=0, most=1)
    gamma: float = parameter(0.01, least=0, below=1)
    targeting: str | None = parameter(None, choices=TARGETINGS)
    delta: float = parameter(0.9, least=0, most=1)
    cap: int = parameter(DEFAULT_CAP, least=1)
    baseline: str = parameter("off", choices=BASELINES)
    weighting: bool = True
    threshold: float = parameter(0.0, least=0, most=1)


@Algorithm(
    name="oos",
    paper="Lisý, Lanctot and Bowling (2015), Online Monte Carlo counterfactual regret "
    "minimization for search in imperfect information games",
    summary="Online Outcome Sampling: regret minimisation by sampling single plays, in a tree "
    "that grows, with samples aimed at where the match is.",
    games="zero-sum games of two players",
    guarantee="the mean strategy converges to an equilibrium, from the beginning of a game and in "
    "a match, if delta is below 1",
)
@Algorithm(
    name="mccfr",
    paper="Lanctot, Waugh, Zinkevich and Bowling (2009), Monte Carlo sampling for regret "
    "minimization in extensive games; as the OOS paper uses it",
    summary="OOS without aiming (delta=0): samples are spread over the whole game, wherever the "
    "match is.",
    games="zero-sum games of two players",
    guarantee="the mean strategy converges to an equilibrium",
    fixed={"delta": 0.0, "targeting": "ist"},
    defaults={"epsilon": 0.6},
)
class OOS(TableSearch):
    """OOS for a two-player zero-sum game; simultaneous moves are made in turns. `run` searches a
    game from its root. The methods `start`, `notice`, `think` and `policy` follow a match.
    """

    PARAMETERS: ClassVar[type[Parameters]] = OOSParameters
    ALGORITHM = "oos"
    TRAVERSALS = 2
    MERGED = TableSearch.MERGED | {"baseline": ("_baseline", AVERAGES)}

    settings: OOSParameters
    _counting = False

    def _form_of(self, game: Game | str) -> Game:
        return as_zero_sum(game, "OOS", "ismcts")

    def _prepare(self) -> None:
        super()._prepare()
        usual = "ist" if isinstance(self.game, TurnBased) else "pst"
        self.settings = replace(self.settings, targeting=self.settings.targeting or usual)
        self.threshold = self.settings.threshold
        self._leaves = leaves_of(self.game, self.settings.evaluation)
        self._path = sampled_trajectory(self.game, self.settings.baseline != "off")

    # --- a match ---

    def start(self, seat: int, seed: int) -> None:
        """Forget everything; a match begins, seen from ``seat``."""
        super().start(seat, seed)
        self._baseline = make_baseline(self.settings.baseline, self.game)
        self._target: Everywhere | Target = Everywhere()
        self._weighting = 1.0
        self._public = self.belief
        if self.settings.targeting == "pst" and self.settings.delta > 0:
            self._public = self._belief_of(self.game.num_players, self._sequences(seed)[2])

    def _sequences(self, seed: int) -> list[np.random.SeedSequence]:
        return [seed_sequence(seed), *seed_sequence(seed).spawn(2)]

    @property
    def cap(self) -> int:
        # Without targets, the belief only says where the match is, for which few histories do.
        return self.settings.cap if self.settings.delta > 0 else _FEW

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
            if self.settings.delta > 0 and self._can_target():
                self._target = target_of(self._public)
                if self.settings.weighting:
                    self._weighting = weighting_factor(
                        self.belief, self._public, self.settings.delta, self.table, _STRATEGY
                    )
            else:
                self._target, self._weighting = Everywhere(), 1.0

    def count_samples(self) -> None:
        """From the next `start` on, count how many samples the mean strategy of each information
        set is made of. `weights` then reports them as `Weights.visits`.
        """
        self._counting = True

    def weights(self) -> Weights:
        found = super().weights()
        if self.table.per_set == 0:
            return found
        last = self.table.starts[1 : num_sets(self.table) + 1] - 1
        return replace(found, visits=self.table.values[last])

    def thought(self) -> Mapping[str, float]:
        """See `BeliefSearch.thought`; besides, the histories in the target."""
        found, public = super().thought(), self._public
        recoveries = self.belief.recoveries
        return {
            **found,
            "target": public.leaves.size,
            "sampled": float(self.belief.is_sample or public.is_sample),
            "recoveries": recoveries + (public.recoveries if public is not self.belief else 0),
        }

    # --- what `TableSearch` asks for ---

    def _parameters(self) -> dict[str, Any]:
        if self._counting:
            raise FileError(
                "a search that counts its samples cannot be written to a file; make one that does "
                "not count them"
            )
        return super()._parameters()

    @property
    def _row(self) -> tuple[int, int]:
        return 2, int(self._counting)

    @property
    def _strategy_column(self) -> int:
        return _STRATEGY

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays of the table and, if there is a baseline, those of its table."""
        found = super()._arrays()
        if isinstance(self._baseline, Baseline):
            found |= prefixed(_BASELINE, table_to_arrays(self._baseline.table))
        return found

    def _restore(self, path: object, arrays: dict[str, npt.NDArray[Any]]) -> None:
        super()._restore(path, arrays)
        if isinstance(self._baseline, Baseline):
            baseline = with_prefix(_BASELINE, arrays)
            TABLE.verify(path, {}, baseline)
            self._baseline = replace(
                self._baseline, table=self._table_from(path, baseline, self._baseline.table)
            )

    def _traversal(self) -> OutcomeSampling:
        return OutcomeSampling(
            **self._in_common(),
            target=self._target,
            baseline=self._baseline,
            delta=self.settings.delta,
            weight=1.0 / self._weighting,
            epsilon=self.settings.epsilon,
            gamma=self.settings.gamma,
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
