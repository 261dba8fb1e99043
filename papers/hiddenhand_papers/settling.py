"""Units and lines for the values that resolving by sampling continues from: `value_stability`."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hiddenhand.statistics import Interval
from hiddenhand_papers.curves import longest, over_runs
from hiddenhand_papers.experiment import Results, Scale
from hiddenhand_papers.measures import tree_of
from hiddenhand_papers.units import Result, Unit
from hiddenhand_papers.value_stability import averaging_error, value_stability


@dataclass(frozen=True)
class LooksRun(Unit):
    """A search from the root that is looked at again and again, and compared with something.

    game: the name of the game.
    looks: after how many iterations it is looked at.
    seed: the seed.

    The result has for each figure of ``FIGURES`` its value at each look.
    """

    FIGURES: ClassVar[tuple[str, ...]]

    game: str
    looks: tuple[int, ...]
    seed: int

    @property
    def players(self) -> tuple[str, ...]:
        """See `Unit.players`: the values are those of MCCR."""
        return ("mccr(baseline=off)",)

    def run(self) -> Result:
        """Search, and compare."""
        curve = self._curve()
        return {
            name: [float(f"{getattr(point, name).value:.6g}") for point in curve]
            for name in self.FIGURES
        }

    @abstractmethod
    def _curve(self) -> Sequence[Any]:
        """What is found at each look, with the figures as attributes."""


@dataclass(frozen=True)
class AveragingRun(LooksRun):
    """How far averaged values are from those of the equilibrium, see `averaging_error`."""

    FIGURES: ClassVar = ("weighted", "arithmetic", "mover", "mover_printed")

    def _curve(self) -> Sequence[Any]:
        return averaging_error(tree_of(self.game), self.looks, (self.seed,)).curve


@dataclass(frozen=True)
class SettlingRun(LooksRun):
    """How much values still change until the last look, see `value_stability`."""

    FIGURES: ClassVar = ("payoffs", "values", "nash_conv")

    def _curve(self) -> Sequence[Any]:
        return value_stability(tree_of(self.game), self.looks, (self.seed,)).curve


@dataclass(frozen=True)
class LooksLine:
    """A line through the looks of runs, over seeds.

    name: what the legend calls it.
    kind: the class of its units.
    game: the name of the game.
    shows: which of the figures of a unit.
    looks: after how many iterations there is a point; at the scale ``evening`` only the first
        ``evening_looks`` of them.
    seeds: how many seeds there are; at the scale ``evening`` ``evening``.
    """

    name: str
    kind: type[LooksRun]
    game: str
    shows: str
    looks: tuple[int, ...]
    evening_looks: int
    seeds: int
    evening: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        looks = self.looks[: self.evening_looks] if scale.is_short else self.looks
        for seed in range(scale.seeds(self.seeds, self.evening)):
            yield self.kind(self.game, looks, seed)

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`; the longest runs count. A change that is 0 at the end is left out."""
        points = over_runs(
            longest(
                (len(unit.looks), (unit.seed, unit.looks, result[self.shows]))
                for unit, result in results.items()
                if isinstance(unit, self.kind) and unit.game == self.game
            )
        )
        return [(at, value) for at, value in points if value.value]
