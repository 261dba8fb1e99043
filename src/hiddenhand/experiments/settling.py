"""Units and lines for the values that resolving by sampling goes on with, see `value_stability`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hiddenhand.experiments.experiment import Results, Scale
from hiddenhand.experiments.measures import over_seeds, tree_of
from hiddenhand.experiments.units import Result, Unit
from hiddenhand.experiments.value_stability import averaging_error, value_stability
from hiddenhand.statistics import Interval

_ERRORS: Final = ("weighted", "arithmetic", "mover", "mover_printed")
_CHANGES: Final = ("payoffs", "values", "nash_conv")


@dataclass(frozen=True)
class AveragingRun(Unit):
    """How far averaged values are from those of the equilibrium, see `averaging_error`.

    game: the name of the game.
    looks: after how many iterations it is looked at.
    seed: the seed.
    """

    game: str
    looks: tuple[int, ...]
    seed: int

    @property
    def players(self) -> tuple[str, ...]:
        """See `Unit.players`: the values are those of MCCR."""
        return ("mccr",)

    def run(self) -> Result:
        """Search, and compare."""
        found = averaging_error(tree_of(self.game), self.looks, (self.seed,))
        return {
            name: [float(f"{getattr(point, name).value:.6g}") for point in found.curve]
            for name in _ERRORS
        }


@dataclass(frozen=True)
class SettlingRun(Unit):
    """How much values still change until the end, see `value_stability`.

    game: the name of the game.
    looks: after how many iterations it is looked at; the last is the end.
    seed: the seed.
    """

    game: str
    looks: tuple[int, ...]
    seed: int

    @property
    def players(self) -> tuple[str, ...]:
        """See `Unit.players`: the values are those of MCCR."""
        return ("mccr",)

    def run(self) -> Result:
        """Search, and compare."""
        found = value_stability(tree_of(self.game), self.looks, (self.seed,))
        return {
            name: [float(f"{getattr(point, name).value:.6g}") for point in found.curve]
            for name in _CHANGES
        }


@dataclass(frozen=True)
class LooksLine:
    """A line through the looks of runs, over seeds.

    name: what the legend calls it.
    kind: the class of its units.
    game: the name of the game.
    shows: which of the figures of a unit.
    looks: after how many iterations there is a point; at the scale ``quick`` only the first
        ``quick_looks`` of them.
    seeds: how many seeds there are; at the scale ``quick`` ``quick``.
    """

    name: str
    kind: type[AveragingRun] | type[SettlingRun]
    game: str
    shows: str
    looks: tuple[int, ...]
    quick_looks: int
    seeds: int
    quick: int

    def units(self, scale: Scale) -> Iterator[Unit]:
        """See `Line`."""
        looks = self.looks[: self.quick_looks] if scale.is_quick else self.looks
        for seed in range(scale.count(self.seeds, self.quick)):
            yield self.kind(self.game, looks, seed)

    def points(self, results: Results) -> list[tuple[float, Interval]]:
        """See `Line`; the longest runs count. A change that is 0 at the end is left out."""
        found: dict[tuple[int, ...], list[list[float]]] = {}
        for unit, result in results.items():
            if isinstance(unit, self.kind) and unit.game == self.game:
                found.setdefault(unit.looks, []).append(result[self.shows])
        if not found:
            return []
        looks = max(found, key=len)
        columns = zip(*found[looks], strict=True)
        return [
            (at, over_seeds(values))
            for at, values in zip(looks, columns, strict=True)
            if any(values)
        ]
