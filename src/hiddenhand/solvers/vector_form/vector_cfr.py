"""CFR and its variants in vector form: for all hands at once, on the public tree.

The arithmetic is that of `solvers.cfr`, in another order, so that strategies agree up to rounding.
Nothing is written out but a few numbers for each action of each hand in each public history: R, x,
and for the predictive variants r. In Liar's Dice with two dice of five faces each these are 15.7
million information sets, and an iteration takes half a second.
"""

import copy
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from hiddenhand import clock
from hiddenhand.algorithm import Algorithm
from hiddenhand.archives import Array, Kind, defect, mapping
from hiddenhand.errors import FileError, OptionError, RefusedOptionError, TooLargeError
from hiddenhand.progress import SILENT, Progress
from hiddenhand.solvers.cfr_variants import Variant, variant_of
from hiddenhand.solvers.runs import HEADER, Checkpointed, SolverRun
from hiddenhand.solvers.solution import Convergence, Play, Solution, with_last
from hiddenhand.solvers.vector_form.blueprint import write_hand_blueprint
from hiddenhand.solvers.vector_form.profile import Walks
from hiddenhand.solvers.vector_form.public_game import VectorForm
from hiddenhand.solvers.vector_form.public_tree_walk import MEAN, Step, update_step
from hiddenhand.solvers.vector_form.strategies import strategy_of
from hiddenhand.trees.blueprint import About
from hiddenhand.trees.strategy import Strategy
from hiddenhand.trees.unroll import memory_left

BITS: Final = (32, 64)
_MANY: Final = 20_000_000  # numbers of both players, from which on they have 32 bits
_FIRST_LOOK: Final = 16
_LOOKS: Final = 10  # iterations between two looks for a target, or a tenth of all made if more
_KINDS: Final[dict[int, type[np.floating[Any]]]] = {32: np.float32, 64: np.float64}


def file_kind(name: str, bits: int) -> Kind:
    """The kind of file that holds the checkpoint of a run by a named method."""
    return Kind(
        f"{name} of {bits} bits",
        HEADER | {"variant": mapping},
        {
            f"{name} {player}": Array(_KINDS[bits], (f"{letter}{player}",))
            for name, letter in (("regret", "S"), ("average", "S"), ("last regret", "R"))
            for player in range(2)
        }
        | {"rng": Array(np.uint64, ("N",))},
    )


@Algorithm(
    name="vector-cfr",
    paper="Johanson, Waugh, Bowling and Zinkevich (2011), Accelerating best response calculation "
    "in large extensive games; Johanson, Bard, Lanctot, Gibson and Bowling (2012), Efficient Nash "
    "equilibrium approximation through Monte Carlo counterfactual regret minimization",
    summary="CFR and its variants for all hands at once, on the tree of what is public: nothing "
    "else of the game is written out.",
    games="zero-sum games of two players in which all moves are public and only hands are hidden, "
    "such as poker and Liar's Dice",
    guarantee="the average strategy converges to an equilibrium",
)
class VectorCFR(SolverRun, Checkpointed):
    """A run of CFR or one of its variants in vector form, for zero-sum games of two players whose
    moves are public.

    variant: the variant of CFR; hiddenhand algorithms lists all of them among the solvers.
    threads: the number of threads, at least 1; the bits of the result do not depend on it.
    bits: the size of each number in memory, 32 or 64; by default 32 in a large game, else 64.
    regret, average, last_regret: for each player R, x and r; see `public_game` for their order.
    """

    NAME: ClassVar[str] = "vector-cfr"
    variant: Variant

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
        super().__init__(form.game)
        self.method = self.NAME
        self.form = form
        self.variant = variant_of(variant)
        self.name = variant
        self.bits = bits
        predicts = self.variant.prediction > 0.0
        _verify_memory(form, (3 if predicts else 2) * bits // 8)
        self.walks = Walks(form, threads)
        kind = _KINDS[bits]
        self.regret = [np.zeros(size, kind) for size in form.sizes]
        self.average = [np.zeros(size, kind) for size in form.sizes]
        self.last_regret = [np.zeros(size if predicts else 0, kind) for size in form.sizes]
        self._is_shared = False  # whether a solution has the average strategy

    def solution(self, convergence: Convergence = ()) -> Solution:
        began = clock.now()
        value, gap = self.value(), self.nash_conv()
        self._measured += clock.now() - began
        self._is_shared = True
        return Solution(
            HandPlay(self.form, self.average),
            self.method,
            (value, (self.game.payoff_sum or 0.0) - value),
            gap,
            self.iterations,
            self.seconds + self._measured,
            with_last(convergence, self.iterations, gap),
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

    def write_blueprint(self, path: Path) -> int:
        """Write the average strategy as a blueprint. Returns how many information sets it knows."""
        about = About.of(self.game, self.NAME, self.iterations, self.seconds)
        write_hand_blueprint(path, about, self.form, self.average)
        return self.form.num_sets

    @classmethod
    def load(cls, path: Path | str, form: VectorForm, **arguments: Any) -> Self:
        """Continue from a checkpoint made on the same game by the same variant. ``arguments``:
        those of the constructor. Raises FileError if it is not one.
        """
        return cls(form, **arguments)._restored(path)

    def _kind(self) -> Kind:
        return file_kind(self.NAME, self.bits)

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        held = {
            "regret": self.regret,
            "average": self.average,
            "last regret": self.last_regret,
        }
        return {
            f"{name} {player}": arrays[player]
            for name, arrays in held.items()
            for player in range(2)
        } | {"rng": self.walks.rng}

    def _take_header(self, path: Path | str, header: Mapping[str, Any]) -> None:
        super()._take_header(path, header)
        if header["variant"] | {"horizon": 0} != asdict(self.variant):
            raise FileError(f"{path} is a run of another variant than {self.name}; name that one")
        try:
            self.variant = replace(self.variant, horizon=header["variant"].get("horizon"))
        except OptionError as error:
            raise defect(path, self._kind().name, "variant") from error

    def _first_look(self) -> int:
        return _FIRST_LOOK

    def _next_check(self, check_every: int | None) -> int:
        if check_every is not None:
            return super()._next_check(check_every)
        return self.iterations + max(_LOOKS, self.iterations // _LOOKS)

    def _advance(self, times: int) -> None:
        if self._is_shared:
            self.average = [array.copy() for array in self.average]
            self._is_shared = False
        for _ in range(times):
            for player in range(2):
                self.walks.walk(
                    self._step(player),
                    (self.regret[player], self.last_regret[player], self.average[player]),
                    (self.regret[1 - player], self.last_regret[1 - player]),
                )
            self.iterations += 1

    def _step(self, player: int) -> Step:
        """The next step."""
        return update_step(self.variant, self.iterations + 1, player)


class HandPlay(Play):
    """Average strategies of a game in vector form.

    average: for each player what is kept of the average strategy.
    """

    def __init__(self, form: VectorForm, average: list[npt.NDArray[Any]]) -> None:
        self.game = form.game
        self.form = form
        self.average = average

    def strategy(self, progress: Progress = SILENT) -> Strategy:
        return strategy_of(self.form, self.average)


def _verify_memory(form: VectorForm, bytes_each: int) -> None:
    needed, left = sum(form.sizes) * bytes_each, memory_left()
    if needed > left:
        raise TooLargeError(
            f"{form.game} has {sum(form.sizes):,} actions of hands in its public histories, which "
            f"take {needed / 2**30:,.1f} GiB where {left / 2**30:,.1f} are left; sample it with "
            "mccfr"
        )
