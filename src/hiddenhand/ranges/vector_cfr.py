"""CFR and its variants in vector form: for all hands at once, on the public tree.

The arithmetic is that of `trees.cfr`, in another order, so that strategies agree up to rounding.
Nothing is written out but a few numbers for each action of each hand in each public history: R, x,
and for the predictive variants r. In Liar's Dice with two dice of five faces each these are 15.7
million information sets, and an iteration takes half a second.
"""

import copy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, Self, cast

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
from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.errors import FileError, OptionError, RefusedOptionError, TooLargeError
from hiddenhand.games.base import Game
from hiddenhand.games.rules import rules_of, verify_same_rules
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.ranges.measuring import Walks
from hiddenhand.ranges.public_game import VectorForm, vector_form
from hiddenhand.ranges.strategies import strategy_of
from hiddenhand.ranges.walking import MEAN, Step, update_step
from hiddenhand.trees.solution import Solution, Stall, next_look, solution_in_words
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.unroll import memory_left, unroll
from hiddenhand.trees.variants import variant_of

BITS: Final = (32, 64)
_MANY: Final = 20_000_000  # numbers of both players, from which on they have 32 bits
_FIRST_LOOK: Final = 16
_LOOKS: Final = 10  # iterations between two looks for a target, or a tenth of all made if more
_WITHOUT_END: Final = 2**62
_KINDS: Final[dict[int, type[np.floating[Any]]]] = {32: np.float32, 64: np.float64}
_HEADER: Final = {
    "game": text,
    "rules": text,
    "variant": mapping,
    "iterations": count,
    "seconds": duration,
}


def file_kind(name: str, bits: int) -> Kind:
    """The kind of file that holds the checkpoint of a run by a named method."""
    return Kind(
        f"{name} of {bits} bits",
        _HEADER,
        {
            f"{name} {player}": Array(_KINDS[bits], (f"{letter}{player}",))
            for name, letter in (("regret", "S"), ("average", "S"), ("last regret", "R"))
            for player in range(2)
        }
        | {"rng": Array(np.uint64, ("N",))},
    )


class VectorCFR:
    """A run of CFR or one of its variants in vector form, for zero-sum games of two players whose
    moves are public.

    variant: the variant of CFR; hiddenhand algorithms lists all of them among the solvers.
    threads: the number of threads, at least 1; the bits of the result do not depend on it.
    bits: the size of each number in memory, 32 or 64; by default 32 in a large game, else 64.
    regret, average, last_regret: for each player R, x and r; see `public_game` for their order.
    """

    NAME: ClassVar[str] = "vector-cfr"

    def __init__(
        self,
        form: VectorForm,
        *,
        variant: str = "dcfr",
        threads: int = 1,
        bits: int | None = None,
    ) -> None:
        if bits is None:
            bits = 32 if sum(form.sizes) > _MANY else 64
        if bits not in BITS:
            raise OptionError(f"bits={bits} is not allowed; choose 32 or 64")
        if threads < 1:
            raise RefusedOptionError("threads", threads, "give at least 1")
        self.form = form
        self.variant = variant_of(variant)
        self.name = variant
        self.bits = bits
        self.iterations = 0
        self.seconds = 0.0
        self._measured = 0.0  # seconds in which nash_conv was computed
        predicts = self.variant.prediction > 0.0
        _verify_memory(form, (3 if predicts else 2) * bits // 8)
        self.walks = Walks(form, threads)
        kind = _KINDS[bits]
        self.regret = [np.zeros(size, kind) for size in form.sizes]
        self.average = [np.zeros(size, kind) for size in form.sizes]
        self.last_regret = [np.zeros(size if predicts else 0, kind) for size in form.sizes]

    def run(
        self,
        iterations: int | None = None,
        *,
        seconds: float | None = None,
        target: float | None = None,
        progress: Progress = SILENT,
    ) -> "VectorSolution":
        """Make ``iterations`` more, or stop after ``seconds``, or once nash_conv of the average
        strategy is at most ``target``. One of the three must be given.

        nash_conv is computed whenever the number of iterations has doubled, and with a target more
        often. A run with a target alone also ends where nash_conv falls no more, see `Stall`. A run
        that is interrupted (Ctrl-C) keeps what it has done.
        """
        if iterations is None and seconds is None and target is None:
            raise OptionError("give a number of iterations or of seconds, or a target")
        if target is not None and not target > 0:
            raise RefusedOptionError("target", target, "give a nash_conv above 0")
        if seconds is None and target is None and iterations is not None:
            self._fix_horizon(iterations)
        looks: list[tuple[int, float]] = []
        stall = Stall() if target is not None and iterations is None and seconds is None else None

        def next_stop() -> int:
            if target is None:
                return next_look(_FIRST_LOOK, self.iterations)
            return self.iterations + max(_LOOKS, self.iterations // _LOOKS)

        stop = next_stop()

        def work(count: int) -> int:
            return self._iterate(min(count, stop - self.iterations))

        def look(done: int) -> None:
            nonlocal stop
            if self.iterations < stop:
                progress.update(Report(done, iterations))
                return
            stop = next_stop()
            began = clock.now()
            gap = self.nash_conv()
            self._measured += clock.now() - began
            looks.append((self.iterations, gap))
            progress.update(Report(done, iterations, figures={"nash_conv": gap}))
            if target is not None and gap <= target:
                raise StopIteration
            if stall is not None and stall.at(self.iterations, gap):
                raise StopIteration

        Budget(_WITHOUT_END if iterations is None else iterations, seconds).spend(work, look)
        return replace(self.solution(tuple(looks)), target=target)

    def iterate(
        self,
        iterations: int | None = None,
        *,
        seconds: float | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """`run` for callers that only play the strategy: it does not compute nash_conv."""
        if seconds is None and iterations is not None:
            self._fix_horizon(iterations)
        budget = Budget(iterations, seconds)
        budget.spend(self._iterate, lambda done: progress.update(Report(done, iterations)))

    def solution(self, convergence: tuple[tuple[int, float], ...] = ()) -> "VectorSolution":
        """What was found so far."""
        began = clock.now()
        value, gap = self.value(), self.nash_conv()
        self._measured += clock.now() - began
        before = tuple(look for look in convergence if look[0] < self.iterations)
        return VectorSolution(
            method=self.NAME,
            values=(value, (self.form.game.payoff_sum or 0.0) - value),
            nash_conv=gap,
            iterations=self.iterations,
            seconds=self.seconds + self._measured,
            convergence=(*before, (self.iterations, gap)),
            form=self.form,
            average=self.average,
        )

    def value(self) -> float:
        """What player 0 earns when both play the average strategy."""
        return self.walks.earned(MEAN, 0, self.average)

    def nash_conv(self) -> float:
        """nash_conv of the average strategy, exactly."""
        return self.walks.nash_conv(self.average)

    def copy(self) -> Self:
        """A run that goes on from here, and leaves this one as it is."""
        other = copy.copy(self)
        other.walks = Walks(self.form, self.walks.threads)
        other.walks.rng[:] = self.walks.rng
        for name in ("regret", "average", "last_regret"):
            setattr(other, name, [array.copy() for array in getattr(self, name)])
        return other

    def save(self, path: Path | str) -> None:
        """Write a checkpoint. Where Ctrl-C has ended an iteration half-way, the checkpoint is as
        good, but not the one that whole iterations lead to.
        """
        header = {
            "game": repr(self.form.game),
            "rules": rules_of(self.form.game),
            "variant": asdict(self.variant),
            "iterations": self.iterations,
            "seconds": self.seconds,
        }
        arrays = {
            f"{name} {player}": held[player]
            for name, held in self._held().items()
            for player in range(2)
        }
        save_arrays(path, file_kind(self.NAME, self.bits), header, arrays | {"rng": self.walks.rng})

    @classmethod
    def load(cls, path: Path | str, form: VectorForm, **arguments: Any) -> Self:
        """Continue from a checkpoint made on the same game by the same variant. ``arguments``:
        those of the constructor. Raises FileError if it is not one.
        """
        run = cls(form, **arguments)
        kind = file_kind(run.NAME, run.bits)
        header, arrays = load_arrays(path, kind)
        if header["game"] != repr(form.game):
            raise FileError(
                f"{path} is a checkpoint of {header['game']}, not of {form.game}; give one made on "
                "the same game"
            )
        verify_same_rules(form.game, path, header["rules"])
        if header["variant"] | {"horizon": 0} != asdict(run.variant):
            raise FileError(f"{path} is a run of another variant than {run.name}; name that one")
        for name, held in run._held().items():
            for player in range(2):
                if arrays[f"{name} {player}"].shape != held[player].shape:
                    raise defect(path, kind.name, f"{name} {player}")
                held[player] = arrays[f"{name} {player}"]
        if arrays["rng"].shape != run.walks.rng.shape:
            raise defect(path, kind.name, "rng")
        run.walks.rng[:] = arrays["rng"]
        try:
            run.variant = replace(run.variant, horizon=header["variant"].get("horizon"))
        except OptionError as error:
            raise defect(path, kind.name, "variant") from error
        run.iterations, run.seconds = header["iterations"], header["seconds"]
        return run

    def _held(self) -> dict[str, list[npt.NDArray[Any]]]:
        return {
            "regret": self.regret,
            "average": self.average,
            "last regret": self.last_regret,
        }

    def _fix_horizon(self, iterations: int) -> None:
        """Before the first iteration of a schedule that knows no horizon, make it known."""
        if self.variant.has_schedule and not self.variant.horizon and not self.iterations:
            self.variant = replace(self.variant, horizon=iterations)

    def _iterate(self, count: int) -> int:
        began = clock.now()
        for _ in range(count):
            for player in range(2):
                self.walks.walk(
                    self._step(player),
                    (self.regret[player], self.last_regret[player], self.average[player]),
                    (self.regret[1 - player], self.last_regret[1 - player]),
                )
            self.iterations += 1
        self.seconds += clock.now() - began
        return count

    def _step(self, player: int) -> Step:
        """The next step."""
        return update_step(self.variant, self.iterations + 1, player)


def _written_out(found: "VectorSolution") -> GameTree:
    return unroll(found.form.game)


def _on_histories(found: "VectorSolution") -> Floats:
    return found.strategy().on(found.tree)


@dataclass(frozen=True, eq=False, repr=False)
class VectorSolution(Solution):
    """What a run in vector form found, as a `Solution`.

    tree: the game written out, when it is first asked for. Raises TooLargeError.
    profile: ``float64[S]`` over the sequences of ``tree``, when it is first asked for.
    form: the game in vector form.
    average: for each player what is kept of the average strategy.
    """

    # `dataclasses` leaves these two on the class, and `replace` does not hand them on
    tree: GameTree = field(init=False, default=cast(GameTree, cached_property(_written_out)))
    profile: Floats = field(init=False, default=cast(Floats, cached_property(_on_histories)))
    form: VectorForm = field(kw_only=True)
    average: list[npt.NDArray[Any]] = field(kw_only=True)

    @property
    def game(self) -> Game:
        """See `Solution.game`."""
        return self.form.game

    def strategy(self, *, progress: Progress = SILENT) -> Strategy:
        """See `Solution.strategy`."""
        return strategy_of(self.form, self.average)

    def __repr__(self) -> str:
        return solution_in_words(self)


def vector_cfr(
    game: Game,
    iterations: int | None = None,
    *,
    seconds: float | None = None,
    target: float | None = None,
    variant: str = "dcfr",
    threads: int = 1,
) -> VectorSolution:
    """An equilibrium of a game whose moves are public, by CFR in vector form.

    game: a zero-sum game of two players.
    iterations, seconds, target: when to stop, see `VectorCFR.run`.
    variant, threads: see `VectorCFR`.
    """
    run = VectorCFR(vector_form(game), variant=variant, threads=threads)
    return run.run(iterations, seconds=seconds, target=target)


def _verify_memory(form: VectorForm, bytes_each: int) -> None:
    needed, left = sum(form.sizes) * bytes_each, memory_left()
    if needed > left:
        raise TooLargeError(
            f"{form.game} has {sum(form.sizes):,} actions of hands in its public histories, which "
            f"take {needed / 2**30:,.1f} GiB where {left / 2**30:,.1f} are left; sample it with "
            "mccfr"
        )
