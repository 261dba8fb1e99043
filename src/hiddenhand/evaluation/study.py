"""What all measurements share: a search, a game that is written out, seeds; and the record of what came out.

A measurement is repeated with several seeds. What differs between them is all randomness there is: the search's, the opponents', chance's, and the
actions in information sets that were never seen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from hiddenhand.budget import Budget
from hiddenhand.compiled.random import seed_sequence
from hiddenhand.errors import BudgetError, PlayerError
from hiddenhand.evaluation.gathering import Gathered
from hiddenhand.games.base import Game
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.players.specs import make_player, parse_spec
from hiddenhand.players.statistics import Interval
from hiddenhand.players.workers import in_parallel
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.online import OnlineSearch
from hiddenhand.trees.strategy import UNSEEN
from hiddenhand.trees.tree import Floats, GameTree

MakeSearch = Callable[[Game], OnlineSearch]
"""Makes the search to be measured. For more than one job it must be possible to send it to other processes."""

_Result = TypeVar("_Result")
_OWN_BUDGET: Final = ("iterations", "seconds")


@dataclass(frozen=True)
class NamedSearch:
    """Makes the search of the player that ``spec`` names, such as ``oos(targeting=ist,delta=0.5)``."""

    spec: str

    def __post_init__(self) -> None:
        own = [name for name, _ in parse_spec(self.spec).arguments if name in _OWN_BUDGET]
        if own:
            raise BudgetError(f"{self.spec} has a budget of its own; leave {own[0]} out of it and give the budget of the measurement instead")

    def __call__(self, game: Game) -> OnlineSearch:
        player = make_player(self.spec, game)
        if not isinstance(player, SearchPlayer):
            raise PlayerError(f"{self.spec} does not search, so there is nothing to measure; name a search such as oos or ismcts(selector=rm)")
        player.start(game, 0, 0)
        return player.search

    def __str__(self) -> str:
        return self.spec


@dataclass(frozen=True)
class Study:
    """Who is measured in which game, and how often.

    search: what makes the search, or a name for it; tree: the game; seeds: what to repeat the measurement with. unseen: what sets play that no
    search ever saw: "fixed", one action for each that is drawn once from the seed (the papers' choice), or "uniform". jobs, backend: how many
    processes share the work, see `in_parallel`; seconds are worth the same only where each has a processor to itself.
    """

    search: str | MakeSearch
    tree: GameTree
    seeds: Sequence[int] = (0,)
    unseen: str = "fixed"
    jobs: int = 1
    backend: str = "loky"
    progress: Progress = SILENT

    def __post_init__(self) -> None:
        for seed in self.seeds:
            seed_sequence(seed)  # says what is wrong with it
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise BudgetError(f"seeds={list(self.seeds)} is not allowed; give at least one, and each once")
        if self.unseen not in UNSEEN:
            raise BudgetError(f"unseen={self.unseen!r} is not allowed; choose one of: {', '.join(UNSEEN)}")
        self.make  # noqa: B018 - says what is wrong with the name

    @property
    def make(self) -> MakeSearch:
        """What makes the search."""
        return NamedSearch(self.search) if isinstance(self.search, str) else self.search

    def profile(self, gathered: Gathered, seed: int) -> Floats:
        """The strategy that was gathered with a seed, as a profile ``float64[S]``."""
        return gathered.profile(self.tree, self.unseen, seed)

    def share(self, function: Callable[..., _Result], calls: Sequence[tuple[Any, ...]], unit: str) -> Iterator[_Result]:
        """``function(make, game, *call)`` for all ``calls``, in their order, however many processes work on them."""
        numbered = [(function, number, self.make, self.tree.game, *call) for number, call in enumerate(calls)]
        early: dict[int, _Result] = {}
        due = 0
        for done, (number, result) in enumerate(in_parallel(_numbered, numbered, self.jobs, self.backend), 1):
            self.progress.update(Report(done, len(calls), unit))
            early[number] = result
            while due in early:
                yield early.pop(due)
                due += 1


def _numbered(function: Callable[..., _Result], number: int, *arguments: Any) -> tuple[int, _Result]:
    return number, function(*arguments)


@dataclass(frozen=True)
class Point:
    """``nash_conv`` over seeds when the measurement had come to ``at``."""

    at: float
    nash_conv: Interval


@dataclass(frozen=True)
class Evaluation:
    """How exploitable a search was.

    game; search: what was measured, by name; method; unseen, seeds: as in `Study`; iterations, seconds: of each thinking, None where not limited.
    curve: `nash_conv` as it came about, by ``unit``; each: that of each seed alone in the end.
    known: how many of ``information_sets`` were seen, on average over seeds.
    """

    game: Game
    search: str
    method: str
    unseen: str
    seeds: tuple[int, ...]
    iterations: int | None
    seconds: float | None
    unit: str
    curve: tuple[Point, ...]
    each: tuple[float, ...]
    known: float
    information_sets: int

    @property
    def nash_conv(self) -> Interval:
        """In the end, with its 95 % interval over seeds."""
        return self.curve[-1].nash_conv


def evaluation(
    study: Study, method: str, budget: Budget, unit: str, curve: Sequence[Point], each: Sequence[float], known: Sequence[int]
) -> Evaluation:
    """The record of a measurement; ``known`` has the number of known sets for each seed."""
    return Evaluation(
        game=study.tree.game,
        search=str(study.search),
        method=method,
        unseen=study.unseen,
        seeds=tuple(study.seeds),
        iterations=budget.iterations,
        seconds=budget.seconds,
        unit=unit,
        curve=tuple(curve),
        each=tuple(each),
        known=sum(known) / len(known),
        information_sets=study.tree.num_sets,
    )
