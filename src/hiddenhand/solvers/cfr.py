"""Counterfactual regret minimisation on a written-out game, and its faster variants.

CFR (Zinkevich et al. 2007), CFR+ (Tammelin 2014), linear and discounted CFR (Brown and Sandholm
2019), predictive CFR+ (Farina, Kroer and Sandholm 2021), DCFR+ and PDCFR+ (Xu et al. 2024),
HS-DCFR (Zhang, McAleer and Sandholm 2024). In iteration t every player p in turn computes for each
of their sequences, with the letters of `profile`,

r(I, a) = v_p(I, a) - sum_b sigma(I, b) v_p(I, b)        instantaneous counterfactual regret
R(I, a)                                                  regret: a sum of r with discounts
sigma(I, a) = R+(I, a) / sum_b R+(I, b)                  regret matching (uniform if the sum is 0)
x(I, a) = sum_t t^gamma * own reach * sigma(I, a)        the average strategy, not yet normalised

How R is discounted, gamma, and what else is played than R+, is what tells the variants apart; see
`solvers.cfr_variants`.

What is different here: no walk over histories. Perfect recall lets all v_p be computed by one pass
over the terminal histories and one over the information sets (see `profile`), which is the same
arithmetic in another order.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand.algorithm import Algorithm
from hiddenhand.archives import Array, Kind, defect, mapping
from hiddenhand.errors import FileError, OptionError
from hiddenhand.games.base import Game
from hiddenhand.jit.arrays import Floats, Indices, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.kernels import kernel_apart
from hiddenhand.solvers.cfr_variants import Variant, name_of, variant_of
from hiddenhand.solvers.runs import HEADER, Checkpointed, TreeRun
from hiddenhand.trees.profile import multiply_sequences, uniform_profile
from hiddenhand.trees.tree import GameTree, SequenceForm
from hiddenhand.trees.unroll import as_tree

_FILE: Final = Kind(
    "cfr",
    HEADER | {"variant": mapping},
    {
        "regret": Array(np.float64, ("S",)),
        "last_regret": Array(np.float64, ("S",)),
        "average": Array(np.float64, ("S",), least=0.0),
        "strategy": Array(np.float64, ("S",), least=0.0, most=1.0),
    },
)
_NEWER: Final = ("prediction", "alpha_change", "beta_change", "gamma_change", "horizon")
"""Fields of a variant that files from before them lack."""
_FIRST_LOOK: Final = 250
"""The iteration after which nash_conv is computed first in a large game, where that takes as long
as three iterations.
"""
_SMALL: Final = 500_000
"""Histories of a large game. In smaller games nash_conv takes longer, counted in iterations."""


@Algorithm(
    name="cfr",
    paper="Zinkevich, Johanson, Bowling and Piccione (2007), Regret minimization in games with "
    "incomplete information",
    summary="Counterfactual regret minimisation.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "cfr"},
)
@Algorithm(
    name="cfr+",
    paper="Tammelin (2014), Solving large imperfect information games using CFR+",
    summary="CFR that forgets negative regrets and weighs later iterations more.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "cfr+"},
)
@Algorithm(
    name="lcfr",
    paper="Brown and Sandholm (2019), Solving imperfect-information games via discounted regret "
    "minimization",
    summary="Linear CFR: iteration t weighs t.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "lcfr"},
)
@Algorithm(
    name="dcfr",
    paper="Brown and Sandholm (2019), Solving imperfect-information games via discounted regret "
    "minimization",
    summary="Discounted CFR: positive and negative regrets fade, at different rates.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "dcfr"},
)
@Algorithm(
    name="pcfr+",
    paper="Farina, Kroer and Sandholm (2021), Faster game solving via predictive Blackwell "
    "approachability",
    summary="Predictive CFR+: a third of the last regret counts once more, as a guess of the next.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "pcfr+"},
)
@Algorithm(
    name="dcfr+",
    paper="Xu, Li, Liu, Fu, Fu, Xing and Cheng (2024), Minimizing weighted counterfactual regret "
    "with optimistic online mirror descent",
    summary="DCFR+: CFR+ with the positive regrets fading, and the average of late iterations.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "dcfr+"},
)
@Algorithm(
    name="pdcfr+",
    paper="Xu, Li, Liu, Fu, Fu, Xing and Cheng (2024), Minimizing weighted counterfactual regret "
    "with optimistic online mirror descent",
    summary="PDCFR+: DCFR+ that counts a third of the last regret once more, as a guess of the "
    "next.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "pdcfr+"},
)
@Algorithm(
    name="hs_dcfr",
    paper="Zhang, McAleer and Sandholm (2024), Faster game solving via hyperparameter schedules",
    summary="HS-DCFR(30): discounted CFR with exponents that change up to the given number of "
    "iterations; without one, up to the next power of two.",
    guarantee="the average strategy converges to an equilibrium in zero-sum games of two players",
    fixed={"variant": "hs_dcfr"},
)
class CFR(TreeRun, Checkpointed):
    """A run of CFR or one of its variants, which can be continued, saved and loaded.

    tree: a game that is written out; a game or its name is written out first.
    variant: the name of one of `VARIANTS`, or a `Variant` of your own.

    Attributes:

    regret: ``float64[S]``, R.
    last_regret: ``float64[S]``, r of the last iteration.
    average: ``float64[S]``, x.
    strategy: ``float64[S]``, sigma of the next iteration.
    terminals: the terminal histories of the game.
    """

    variant: Variant

    def __init__(self, tree: GameTree | Game | str, variant: str | Variant = "cfr+") -> None:
        tree = as_tree(tree)
        self.variant = variant_of(variant)
        super().__init__(tree, name_of(self.variant) or "cfr variant")
        self.last_regret = np.zeros(tree.num_sequences)
        self.strategy = uniform_profile(tree)
        self.terminals = Terminals.of(tree)

    def last_profile(self) -> Floats:
        """The strategy that the next iteration would play: the last iterate."""
        return self.strategy.copy()

    @classmethod
    def load(cls, path: Path | str, tree: GameTree, variant: str | None = None) -> Self:
        """Continue from a checkpoint made on the same game, by any variant if none is named. Raises
        FileError if it is not one.
        """
        run = cls(tree)._restored(path)
        if variant not in (None, run.method):
            raise FileError(f"{path} is a run of {run.method}, not of {variant}; name another file")
        return run

    def _kind(self) -> Kind:
        return _FILE

    def _arrays(self) -> dict[str, Floats]:
        return {name: getattr(self, name) for name in _FILE.arrays}

    def _take_header(self, path: Path | str, header: Mapping[str, Any]) -> None:
        super()._take_header(path, header)
        self.variant = _variant_in(path, header["variant"])
        self.method = name_of(self.variant) or "cfr variant"

    def _first_look(self) -> int:
        return _FIRST_LOOK + _SMALL // self.tree.num_histories

    def _advance(self, times: int) -> None:
        done = np.array([self.iterations], np.int64)
        try:
            _run(self.going_on(done), times)
        finally:
            self.iterations = int(done[0])

    def going_on(self, done: Integers) -> "Iterations":
        """The iterations after those that are ``done`` ``int64[1]``, which change this run."""
        return Iterations(
            self.variant,
            self.tree.sequence_form,
            self.terminals,
            done,
            self.regret,
            self.last_regret,
            self.average,
            self.strategy,
        )


def _variant_in(path: object, fields: dict[str, object]) -> Variant:
    """The variant whose fields are in a file. Old files say nothing of schedules, and say of
    predictions only whether there are any. These have a weight of 1.
    """
    fields = {name: getattr(Variant, name) for name in _NEWER} | fields
    if isinstance(predictive := fields.pop("predictive", False), bool) and predictive:
        fields["prediction"] = 1.0
    kinds = {name: type(value) for name, value in asdict(Variant()).items()}
    if {name: type(value) for name, value in fields.items()} != kinds:
        raise defect(path, _FILE.name, "variant")
    try:
        return Variant(**fields)  # type: ignore[arg-type]
    except OptionError:
        raise defect(path, _FILE.name, "variant") from None


# --- the iterations ---


@dataclass(frozen=True, eq=False)
class Terminals(Compiled):
    """The terminal histories, with those merged that have the same sequences of all players.

    sequence: ``int32[P, Z]``, the last sequence of each player.
    weight: ``float64[P, Z]``, chance's probability times the player's payoff, summed over the
        histories that were merged.
    chance: ``float64[Z]``, chance's probability alone, summed likewise.
    """

    sequence: Indices
    weight: Floats
    chance: Floats

    @staticmethod
    def of(tree: GameTree) -> "Terminals":
        """Those of a game written out."""
        sequence, number = _distinct_rows(tree.terminal_sequence, tree.num_sequences)
        paid = [
            np.bincount(number, tree.terminal_chance * tree.utility[:, p], sequence.shape[0])
            for p in range(tree.num_players)
        ]
        chance = np.bincount(number, tree.terminal_chance, sequence.shape[0])
        return Terminals(
            np.ascontiguousarray(sequence.T), np.array(paid), np.asarray(chance, np.float64)
        )


def _distinct_rows(rows: Indices, below: int) -> tuple[Indices, npt.NDArray[np.intp]]:
    """The distinct rows of ``int32[Z, P]``, sorted, and which of them each row is. All entries are
    less than ``below``. Numbers that tell rows apart are sorted faster than rows, if they fit.
    """
    if below ** rows.shape[1] > np.iinfo(np.int64).max:
        distinct, number = np.unique(rows, axis=0, return_inverse=True)
        return distinct, number.ravel()
    code = rows[:, 0].astype(np.int64)
    for column in rows.T[1:]:
        code = code * below + column
    _, first, number = np.unique(code, return_index=True, return_inverse=True)
    return rows[first], number.ravel()


@dataclass(frozen=True, eq=False)
class Iterations(Compiled):
    """What iterations read, and what they modify in place: the last five arrays.

    variant: the discounts and the kind of update.
    form: the information sets.
    terminals: the terminal histories.
    done: ``int64[1]``, the iterations made so far.
    regret, last_regret, average, strategy: ``float64[S]``, R, r, x and sigma.
    """

    variant: Variant
    form: SequenceForm
    terminals: Terminals
    done: Integers
    regret: Floats
    last_regret: Floats
    average: Floats
    strategy: Floats

    def match_regrets(self, p: int, plan: Floats) -> None:
        """Write sigma of player p, and into ``plan`` each of their sequences' product of their own
        probabilities, in one pass from the first information set to the last.
        """
        form, strategy, prediction = self.form, self.strategy, self.variant.prediction
        regret, last_regret, predicts = self.regret, self.last_regret, prediction > 0.0
        for i in range(form.set_player.size):
            if form.set_player[i] != p:
                continue
            start, end = form.set_start[i], form.set_start[i + 1]
            total = 0.0
            if predicts:  # decided once for all actions, which is faster
                for s in range(start, end):
                    strategy[s] = max(regret[s] + prediction * last_regret[s], 0.0)
                    total += strategy[s]
            else:
                for s in range(start, end):
                    strategy[s] = max(regret[s] + 0.0, 0.0)  # never -0
                    total += strategy[s]
            reach = plan[form.set_parent[i]]
            for s in range(start, end):
                strategy[s] = strategy[s] / total if total > 0.0 else 1.0 / (end - start)
                plan[s] = reach * strategy[s]

    def collect(self, p: int, plan: Floats, values: Floats) -> None:
        """Add what each terminal history is worth to player p, weighted by all parts but the
        player's own, to the player's last sequence.
        """
        sequence, weight = self.terminals.sequence, self.terminals.weight
        num_players = sequence.shape[0]
        own = sequence[p]
        if num_players == 2:
            other = sequence[1 - p]
            for z in range(own.size):
                values[own[z]] += weight[p, z] * plan[other[z]]
            return
        for z in range(own.size):
            w = weight[p, z]
            for q in range(num_players):
                if q != p:
                    w *= plan[sequence[q, z]]
            values[own[z]] += w

    def update(self, p: int, t: int, plan: Floats, values: Floats) -> None:
        """What iteration t changes for player p, in one pass from the last information set to the
        first: add the present strategy to x; find r, and pass the value of the set on to its
        parent; add r to R. x fades, and R is discounted. All ``values`` of the player become 0.
        """
        variant, form, strategy, average = self.variant, self.form, self.strategy, self.average
        regret, last_regret = self.regret, self.last_regret
        positive, negative = variant.positive_discount(t), variant.negative_discount(t)
        weight, fading = variant.weight(t), variant.fading(t)
        for i in range(form.set_player.size - 1, -1, -1):
            if form.set_player[i] != p:
                continue
            value = 0.0
            for s in range(form.set_start[i], form.set_start[i + 1]):
                value += strategy[s] * values[s]
            values[form.set_parent[i]] += value
            for s in range(form.set_start[i], form.set_start[i + 1]):
                last_regret[s] = values[s] - value
                summed = regret[s] + last_regret[s]
                regret[s] = summed * positive if summed > 0.0 else summed * negative
                average[s] = (average[s] + weight * plan[s]) * fading
                values[s] = 0.0
        values[p] = 0.0  # of the empty sequence


@kernel_apart
def _run(run: Iterations, count: int) -> None:
    """Make ``count`` iterations after the ``done[0]`` ones before."""
    num_players = run.terminals.sequence.shape[0]
    values, plan = np.zeros(run.strategy.size), run.strategy.copy()
    multiply_sequences(run.form, plan)
    for _ in range(count):
        t = run.done[0] + 1
        for p in range(num_players):
            run.collect(p, plan, values)
            run.update(p, t, plan, values)
            if run.variant.alternating:
                run.match_regrets(p, plan)
        if not run.variant.alternating:
            for p in range(num_players):
                run.match_regrets(p, plan)
        run.done[0] = t
