"""Searches as the papers print them, or as their authors' programs did them, where ours are done
otherwise on purpose. They are here to measure what that changes, and nowhere else in use.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hiddenhand.evaluation.measurement import MakeSearch
from hiddenhand.games.base import Game
from hiddenhand.games.history import Event
from hiddenhand.search.algorithms import read_algorithm
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.sampling.ismcts import ISMCTS
from hiddenhand.search.sampling.oos import OOS
from hiddenhand_papers.curves import AggregateLine
from hiddenhand_papers.measures import AggregateRun


class InvertedOOS(OOS):
    """OOS with 1 / w_T in the place of w_T, as Eq. 3 of the OOS paper is printed."""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        super().notice(events, seconds, iterations)
        self._weighting = 1.0 / self._weighting


class ForgetfulISMCTS(ISMCTS):
    """IS-MCTS that begins each search with empty statistics."""

    def notice(
        self, events: Sequence[Event], seconds: float | None = None, iterations: int | None = None
    ) -> None:
        super().notice(events, seconds, iterations)
        self.table = self._empty_table()


VARIANTS: Final[dict[str, Callable[..., OnlineSearch]]] = {
    "w_T inverted": InvertedOOS,
    "statistics wiped": ForgetfulISMCTS,
}


@dataclass(frozen=True)
class Variant:
    """Makes a variant of a search.

    spec: the name of the search, with all parameters that are not those of `make_search`.
    variant: the name of the variant.
    """

    spec: str
    variant: str

    def __call__(self, game: Game) -> OnlineSearch:
        algorithm, given = read_algorithm(self.spec)
        arguments: dict[str, Any] = algorithm.arguments(algorithm.given_once(given, {}))
        return VARIANTS[self.variant](game, **arguments)

    def __str__(self) -> str:
        return f"{self.spec} with {self.variant}"


@dataclass(frozen=True)
class VariantRun(AggregateRun):
    """An `AggregateRun` of a variant.

    variant: the name of the variant; that of the search is of the search that it varies.
    """

    variant: str

    @property
    def made_by(self) -> MakeSearch:
        return Variant(self.search, self.variant)


@dataclass(frozen=True)
class VariantLine(AggregateLine):
    """An `AggregateLine` of a variant.

    variant: the name of the variant.
    """

    variant: str = ""

    def _unit(self, seconds: float, seed: int, matches: int) -> VariantRun:
        usual = super()._unit(seconds, seed, matches)
        return VariantRun(**vars(usual), variant=self.variant)
