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
`variants`.

What is different here: no walk over histories. Perfect recall lets all v_p be computed by one pass
over the terminal histories and one over the information sets (see `profile`), which is the same
arithmetic in another order.
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand import clock
from hiddenhand.archives import (
    Array,
    Kind,
    count,
    defect,
    duration,
    load_arrays,
    mapping,
    save_arrays,
    text,
)
from hiddenhand.budget import Budget, verify_budget
from hiddenhand.compiled.arrays import Floats, Indices, Integers
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import kernel_apart
from hiddenhand.errors import FileError, OptionError, RefusedOptionError
from hiddenhand.games.base import Game
from hiddenhand.games.rules import rules_of, verify_same_rules
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.trees.profile import (
    multiply_sequences,
    nash_conv,
    normalised,
    uniform_profile,
)
from hiddenhand.trees.solution import Solution, Stall, next_look, solution
from hiddenhand.trees.tree import GameTree, SequenceForm
from hiddenhand.trees.unroll import as_tree
from hiddenhand.trees.variants import VARIANTS, Variant, variant_of

_WITHOUT_END: Final = 2**62  # iterations
_FILE: Final = Kind(
    "cfr",
    {"game": text, "rules": text, "variant": mapping, "iterations": count, "seconds": duration},
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


class CFR:
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

    def __init__(self, tree: GameTree | Game | str, variant: str | Variant = "cfr+") -> None:
        self.tree = tree = as_tree(tree)
        self.variant = variant_of(variant)
        self.seconds = 0.0
        self._measured = 0.0  # seconds in which nash_conv was computed
        self._done = np.zeros(1, np.int64)
        self.regret = np.zeros(tree.num_sequences)
        self.last_regret = np.zeros(tree.num_sequences)
        self.average = np.zeros(tree.num_sequences)
        self.strategy = uniform_profile(tree)
        self.terminals = Terminals.of(tree)

    def run(
        self,
        iterations: int | Budget | None = None,
        *,
        seconds: float | None = None,
        target: float | None = None,
        check_every: int = 100,
        progress: Progress = SILENT,
    ) -> Solution:
        """Make ``iterations`` more (or spend a budget), or stop after ``seconds``, or once
        nash_conv of the average strategy is at most ``target``. One of the three must be given.
        A run with a target alone also ends where nash_conv falls no more, see `Stall`.

        nash_conv is computed every ``check_every`` iterations where there is a target, and
        elsewhere whenever the number of iterations has doubled. A run that is interrupted (Ctrl-C)
        keeps what it has done.

        A variant with a schedule whose horizon is not known takes ``iterations`` of the first run
        as its horizon, provided that nothing else may end the run. The horizon stays the same when
        the run is continued or saved; `variants` says what happens beyond it, and without one.
        """
        if isinstance(iterations, Budget):
            iterations, seconds = verify_budget(iterations, seconds)
        budget = _verified_budget(iterations, seconds, target, check_every)
        if seconds is None and target is None and iterations is not None:
            self._fix_horizon(iterations)
        convergence: list[tuple[int, float]] = []
        stall = Stall() if target is not None and iterations is None and seconds is None else None

        def next_stop() -> int:
            if target is None:
                return next_look(_FIRST_LOOK + _SMALL // self.tree.num_histories, self.iterations)
            return self.iterations - self.iterations % check_every + check_every

        stop = next_stop()

        def work(count: int) -> int:
            return self._iterate(min(count, stop - self.iterations))

        def look(done: int) -> None:
            nonlocal stop
            if self.iterations < stop and (target is None or done != iterations):
                progress.update(Report(done, iterations))
                return
            stop = next_stop()
            began = clock.now()
            gap = nash_conv(self.tree, self.average_profile())
            self._measured += clock.now() - began
            convergence.append((self.iterations, gap))
            progress.update(Report(done, iterations, figures={"nash_conv": gap}))
            if target is not None and gap <= target:
                raise StopIteration
            if stall is not None and stall.at(self.iterations, gap):
                raise StopIteration

        budget.spend(work, look)
        return replace(self.solution(tuple(convergence)), target=target)

    def iterate(
        self,
        iterations: int | None = None,
        *,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """`run` for callers that only play the strategy: it does not compute nash_conv, which takes
        as long as some five iterations.
        """
        budget = Budget(iterations, seconds)
        if seconds is None and iterations is not None:
            self._fix_horizon(iterations)
        budget.spend(self._iterate, lambda done: progress.update(Report(done, iterations)))

    def __repr__(self) -> str:
        return f"CFR({self.tree.game}, {self.method}, {self.iterations:,} iterations)"

    def solution(self, convergence: tuple[tuple[int, float], ...] = ()) -> Solution:
        """What was found so far."""
        return solution(
            self.tree,
            self.method,
            self.average_profile(),
            self.iterations,
            self.seconds + self._measured,
            convergence,
        )

    @property
    def iterations(self) -> int:
        """Iterations made so far."""
        return int(self._done[0])

    @property
    def method(self) -> str:
        """The name of the variant, if it has one."""
        published = replace(self.variant, horizon=0)
        return next(
            (name for name, variant in VARIANTS.items() if variant == published), "cfr variant"
        )

    def average_profile(self) -> Floats:
        """The average strategy as a profile ``float64[S]``: what converges."""
        return normalised(self.tree, self.average)

    def last_profile(self) -> Floats:
        """The strategy that the next iteration would play: the last iterate."""
        return self.strategy.copy()

    def save(self, path: Path | str) -> None:
        """Write a checkpoint."""
        arrays = {
            "regret": self.regret,
            "last_regret": self.last_regret,
            "average": self.average,
            "strategy": self.strategy,
        }
        save_arrays(
            path,
            _FILE,
            self._identity() | {"iterations": self.iterations, "seconds": self.seconds},
            arrays,
        )

    @classmethod
    def load(cls, path: Path | str, tree: GameTree) -> Self:
        """Continue from a checkpoint made on the same game. Raises FileError if it is not one."""
        header, arrays = load_arrays(path, _FILE)
        if header["game"] != repr(tree.game):
            raise FileError(
                f"{path} is a checkpoint of {header['game']}, not of {tree.game}; give one made on "
                "the same game"
            )
        verify_same_rules(tree.game, path, header["rules"])
        run = cls(tree, _variant_in(path, header["variant"]))
        if arrays["regret"].shape != run.regret.shape:
            raise defect(path, _FILE.name, "regret")
        run._done[0], run.seconds = header["iterations"], header["seconds"]
        run.regret, run.last_regret, run.average, run.strategy = (
            arrays[n] for n in ("regret", "last_regret", "average", "strategy")
        )
        return run

    def _fix_horizon(self, iterations: int) -> None:
        """Before the first iteration of a schedule that knows no horizon, make it known."""
        variant = self.variant
        if variant.has_schedule and not variant.horizon and not self.iterations:
            self.variant = replace(variant, horizon=iterations)

    def _identity(self) -> dict[str, object]:
        return {
            "game": repr(self.tree.game),
            "rules": rules_of(self.tree.game),
            "variant": asdict(self.variant),
        }

    def _iterate(self, count: int) -> int:
        began = clock.now()
        iterations = Iterations(
            self.variant,
            self.tree.sequence_form,
            self.terminals,
            self._done,
            self.regret,
            self.last_regret,
            self.average,
            self.strategy,
        )
        _run(iterations, count)
        self.seconds += clock.now() - began
        return count


def cfr(
    tree: GameTree,
    variant: str | Variant = "cfr+",
    iterations: int | None = None,
    target: float | None = None,
) -> Solution:
    """Run a variant of CFR (one of `VARIANTS`, or your own) from the start: the average strategy
    with what is known of it.
    """
    return CFR(tree, variant).run(iterations, target=target)


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


def _verified_budget(
    iterations: int | None, seconds: float | None, target: float | None, check_every: int
) -> Budget:
    if iterations is None and seconds is None and target is None:
        raise OptionError(
            "give a number of iterations or of seconds, a target for nash_conv, or several of them"
        )
    if target is not None and not target > 0:
        raise RefusedOptionError("target", target, "give a nash_conv above 0")
    if check_every < 1:
        raise OptionError(f"check_every={check_every} is not allowed; give at least 1")
    return Budget(_WITHOUT_END if iterations is None else iterations, seconds)


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
