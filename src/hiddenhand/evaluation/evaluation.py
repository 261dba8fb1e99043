"""What every measurement takes and gives: a search by name, seeds, and a record of how exploitable it was.

A measurement is repeated with several seeds. What differs between them is all randomness there is: the search's, the opponent's, chance's, and the
actions in sets that were never seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from hiddenhand.budget import Budget
from hiddenhand.compiled.random import seed_sequence
from hiddenhand.errors import BudgetError
from hiddenhand.games.base import Game
from hiddenhand.players.player import PlayerError
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.players.specs import make_player, parse_spec
from hiddenhand.players.statistics import Interval, mean_interval
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.strategy import UNSEEN

MakeSearch = Callable[[Game], OnlineSearch]
"""Makes the search to be measured. For more than one job it must be possible to send it to other processes."""

_OWN_BUDGET: Final = ("iterations", "seconds")


@dataclass(frozen=True)
class NamedSearch:
    """The search of the player that ``spec`` names, such as ``oos(targeting=ist,delta=0.5)``."""

    spec: str

    def __post_init__(self) -> None:
        own = [name for name, _ in parse_spec(self.spec).arguments if name in _OWN_BUDGET]
        if own:
            raise BudgetError(f"{self.spec} has a budget of its own; leave {own[0]} out of it and give the budget of the measurement instead")

    def __call__(self, game: Game) -> OnlineSearch:
        player = make_player(self.spec, game)
        if not isinstance(player, SearchPlayer):
            raise PlayerError(f"{self.spec} does not search, so there is nothing to measure; name a player such as oos or ismcts(selector=rm)")
        player.start(game, 0, 0)
        return player.search

    def __str__(self) -> str:
        return self.spec


@dataclass(frozen=True)
class Point:
    """``nash_conv`` over seeds when the measurement had come to ``at``."""

    at: float
    nash_conv: Interval


@dataclass(frozen=True)
class Evaluation:
    """How exploitable a search was.

    game; player: the search, by name; method; unseen: what sets play that were never seen; seeds: what it was repeated with.
    iterations, seconds: the budget of each thinking, None where it did not limit.
    nash_conv: with its 95 % interval over seeds; each: that of each seed alone; curve: how it came about, by ``unit``.
    known: how many information sets of ``information_sets`` were seen, on average over seeds.
    """

    game: Game
    player: str
    method: str
    unseen: str
    seeds: tuple[int, ...]
    iterations: int | None
    seconds: float | None
    nash_conv: Interval
    each: tuple[float, ...]
    unit: str
    curve: tuple[Point, ...]
    known: float
    information_sets: int

    @classmethod
    def over_seeds(cls, at: Sequence[float], rows: Sequence[Sequence[float]], **others: object) -> Self:
        """From a row of figures for each seed, a figure for each place of the curve; the last one counts."""
        curve = tuple(Point(place, mean_interval(column)) for place, column in zip(at, zip(*rows, strict=True), strict=True))
        return cls(nash_conv=curve[-1].nash_conv, each=tuple(row[-1] for row in rows), curve=curve, **others)  # type: ignore[arg-type]


def verify_seeds(seeds: Sequence[int]) -> tuple[int, ...]:
    """``seeds``, different ones and at least one. Raises BudgetError."""
    for seed in seeds:
        seed_sequence(seed)
    if not seeds or len(set(seeds)) < len(seeds):
        raise BudgetError(f"seeds={list(seeds)} is not allowed; give at least one, and each once")
    return tuple(seeds)


def verify_unseen(unseen: str) -> str:
    """``unseen``. Raises BudgetError if there is no such thing."""
    if unseen not in UNSEEN:
        raise BudgetError(f"unseen={unseen!r} is not allowed; choose one of: {', '.join(UNSEEN)}")
    return unseen


def search_named(player: str | MakeSearch) -> MakeSearch:
    """``player`` itself if it makes searches, else the search of that name."""
    return NamedSearch(player) if isinstance(player, str) else player


def think(search: OnlineSearch, budget: Budget) -> None:
    """Think for one budget."""
    search.think(budget.iterations, budget.seconds)
