"""What all measurements share: a search, a game that is written out, seeds; and the record of what
came out.

A measurement is repeated with several seeds. What differs between them is all randomness there is:
the search's, the opponents', chance's, and the actions in information sets that were never seen.

It is made in parts, which processes share, and may be kept in a file: what was finished is then not
made again. Each measurement comes in two forms: a plain one, and a stepwise one that tells, after
each step, what is known by then. So whoever interrupts it has the last of those.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.compiled.arrays import Floats
from hiddenhand.compiled.random import seed_sequence
from hiddenhand.errors import OptionError, PlayerError
from hiddenhand.evaluation.gathering import Gathered
from hiddenhand.evaluation.part_records import PartRecords
from hiddenhand.games.base import Game
from hiddenhand.games.rules import other_rules, rules_of
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.players.specs import BUDGET, make_player, parse_spec
from hiddenhand.players.workers import in_parallel
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.online import OnlineSearch
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand.trees.profile import best_response_values, expected_values
from hiddenhand.trees.strategy import UNSEEN, Weights
from hiddenhand.trees.tree import GameTree

MakeSearch = Callable[[Game], OnlineSearch]
"""Makes the search to be measured. For more than one job it must be possible to send it to other
processes.
"""

Part = Sequence[Weights]
"""A part of a measurement that is done at once: what was accumulated, once or several times."""

_MOST_SEEDS: Final = 10_000


@dataclass(frozen=True)
class NamedSearch:
    """Makes the search of the player that ``spec`` names, such as
    ``oos(targeting=ist,delta=0.5)``.
    """

    spec: str

    def __post_init__(self) -> None:
        own = [name for name, _ in parse_spec(self.spec).arguments if name in BUDGET]
        if own:
            raise OptionError(
                f"{self.spec} has a budget of its own; leave {own[0]} out of it and give the "
                "budget of the measurement instead"
            )

    def __call__(self, game: Game) -> OnlineSearch:
        player = make_player(self.spec, game)
        if not isinstance(player, SearchPlayer):
            raise PlayerError(
                f"{self.spec} does not search, so there is nothing to measure; name a search such "
                "as oos or ismcts(selector=rm)"
            )
        player.start(game, 0, 0)
        return player.search

    def __str__(self) -> str:
        return self.spec


@dataclass(frozen=True)
class Study:
    """Who is measured in which game, and how often.

    search: what makes the search, or a name for it.
    tree: the game, written out.
    seeds: what to repeat the measurement with.
    unseen: what information sets play that no search ever saw: "fixed", one action for each set
        that is drawn once from the seed (the papers' choice), or "uniform".
    jobs, backend: how many processes share the work, see `in_parallel`; a budget in seconds is
        worth the same only where each process has a processor to itself.
    progress: is told how many parts are done.
    file: where to keep what is finished, and to look for what was finished before; one file for
        each game, search, method and budget. It needs a search that is named.
    """

    search: str | MakeSearch
    tree: GameTree
    seeds: Sequence[int] = (0,)
    unseen: str = "fixed"
    jobs: int = 1
    backend: str = "loky"
    progress: Progress = SILENT
    file: Path | str | None = None

    def __post_init__(self) -> None:
        if len(self.seeds) > _MOST_SEEDS:
            raise OptionError(
                f"{len(self.seeds):,} seeds are too many; give at most {_MOST_SEEDS:,}"
            )
        for seed in self.seeds:
            seed_sequence(seed)  # says what is wrong with it
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise OptionError(
                f"seeds={list(self.seeds)} is not allowed; give at least one, and each once"
            )
        if self.unseen not in UNSEEN:
            raise OptionError(
                f"unseen={self.unseen!r} is not allowed; choose one of: {', '.join(UNSEEN)}"
            )
        self.make  # noqa: B018 - says what is wrong with the name
        if self.file is not None and not isinstance(self.search, str):
            raise OptionError(
                f"file={str(self.file)!r} is not allowed for a search without a name, which the "
                "file could not tell from others; name it"
            )

    @property
    def make(self) -> MakeSearch:
        """What makes the search."""
        return NamedSearch(self.search) if isinstance(self.search, str) else self.search

    def profile(self, gathered: Gathered, seed: int) -> Floats:
        """The strategy that was gathered with a seed, as a profile ``float64[S]``."""
        return gathered.profile(self.tree, self.unseen, seed)

    def share(
        self,
        method: str,
        budget: Budget,
        function: Callable[..., Part],
        calls: Mapping[str, tuple[Any, ...]],
    ) -> Iterator[Part]:
        """``function(make, game, *call)`` for all ``calls``, in their order, however many processes
        work on them; by name, each with one of its own.

        Those that the file has are taken from it, and the others written into it as they finish.
        ``budget`` is part of what the file is about.
        """
        with closing(
            PartRecords(
                self.file,
                self._question(method, budget),
                {"rules": partial(other_rules, self.tree.game)},
            )
        ) as store:
            kept = store.names()
            open_calls = [
                (function, name, self.make, self.tree.game, *call)
                for name, call in calls.items()
                if name not in kept
            ]
            arriving = in_parallel(_named, open_calls, self.jobs, self.backend)
            early: dict[str, Part] = {}
            done = len(calls) - len(open_calls)
            for name in calls:
                while name not in kept and name not in early:
                    finished, part = next(arriving)
                    early[finished] = part
                    done += 1
                    if self.file is not None:
                        store.add(finished, part)
                    self.progress.update(Report(done, len(calls), "parts"))
                yield store.part(name) if name in kept else early.pop(name)

    def _question(self, method: str, budget: Budget) -> dict[str, Any]:
        """The same for two measurements that can share their parts."""
        search = str(parse_spec(self.search)) if isinstance(self.search, str) else None
        return {
            "game": repr(self.tree.game),
            "search": search,
            "method": method,
            "iterations": budget.iterations,
            "seconds": budget.seconds,
            "rules": rules_of(self.tree.game),
        }


def told(preplay: Budget | None) -> str:
    """The part of a part's name that says how long a search thinks before play."""
    if preplay is None:
        return ""
    limits = (("iterations", preplay.iterations), ("seconds", preplay.seconds))
    return "".join(f", {limit} {unit} of pre-play" for unit, limit in limits if limit is not None)


def _named(function: Callable[..., Part], name: str, *arguments: Any) -> tuple[str, Part]:
    return name, function(*arguments)


@dataclass(frozen=True)
class Point:
    """What was known when the measurement had come to ``at``, over seeds: ``nash_conv``, and for
    each player what a best response earns.
    """

    at: float
    nash_conv: Interval
    best_response_values: tuple[Interval, ...]


@dataclass(frozen=True)
class Evaluation:
    """How exploitable a search was.

    game: in which it was measured, with moves in turns.
    search: what was measured, by name.
    method: how it was measured, see `hiddenhand.evaluation.evaluate.METHODS`.
    unseen, seeds: as in `Study`.
    iterations, seconds: the budget of each thinking; None where it was not limited.
    preplay_iterations, preplay_seconds: the budget of thinking before play; None without it.
    weights: how the aggregate method weighs searches; None for other methods.
    unit: what the points of ``curve`` count: iterations, seconds, matches or seeds.
    curve: `nash_conv` and the players' `best_response_values` as they came about.
    each: nash_conv of each seed alone, in the end.
    each_best_response_values: for each seed alone, what a best response of each player earns.
    known: how many of the information sets were seen, on average over seeds.
    information_sets: how many the game has.

    In a game for two that is zero-sum, `nash_conv` is the sum of both best-response values, each of
    which is at least the game's value for that player. A program that prints one seat's best
    response, as that of the OOS paper does, shows about half of `nash_conv` if the value is 0.
    """

    game: Game
    search: str
    method: str
    unseen: str
    seeds: tuple[int, ...]
    iterations: int | None
    seconds: float | None
    preplay_iterations: int | None
    preplay_seconds: float | None
    weights: str | None
    unit: str
    curve: tuple[Point, ...]
    each: tuple[float, ...]
    each_best_response_values: tuple[tuple[float, ...], ...]
    known: float
    information_sets: int

    @property
    def nash_conv(self) -> Interval:
        """In the end, with its 95 % interval over seeds."""
        return self.curve[-1].nash_conv

    @property
    def best_response_values(self) -> tuple[Interval, ...]:
        """What a best response of each player to the others earns in the end, with its 95 %
        interval over seeds.
        """
        return self.curve[-1].best_response_values


def exploited(tree: GameTree, profile: Floats) -> Floats:
    """``float64[1 + P]``: nash_conv of ``profile``, and what a best response of each of the P
    players earns.
    """
    values = best_response_values(tree, profile)
    return np.array([np.sum(values - expected_values(tree, profile)), *values])


def mean_point(at: float, rows: Sequence[Floats]) -> Point:
    """The point whose intervals are those of the means over ``rows``, one for each seed, see
    `exploited`.
    """
    nash_conv, *values = (mean_interval(column.tolist()) for column in np.array(rows).T)
    return Point(at, nash_conv, tuple(values))


def evaluation(
    study: Study,
    method: str,
    budget: Budget,
    unit: str,
    curve: Sequence[Point],
    rows: Sequence[Floats],
    known: Sequence[int],
    *,
    preplay: Budget | None = None,
    weights: str | None = None,
) -> Evaluation:
    """The record of a measurement. ``rows`` and ``known`` have for each seed, or for the first few,
    what `exploited` says and how many sets are known.
    """
    return Evaluation(
        game=study.tree.game,
        search=str(study.search),
        method=method,
        unseen=study.unseen,
        seeds=tuple(study.seeds[: len(rows)]),
        iterations=budget.iterations,
        seconds=budget.seconds,
        preplay_iterations=preplay.iterations if preplay else None,
        preplay_seconds=preplay.seconds if preplay else None,
        weights=weights,
        unit=unit,
        curve=tuple(curve),
        each=tuple(float(row[0]) for row in rows),
        each_best_response_values=tuple(tuple(map(float, row[1:])) for row in rows),
        known=sum(known) / len(known),
        information_sets=study.tree.num_sets,
    )


def last(steps: Iterator[Evaluation]) -> Evaluation:
    """What is known after the last step."""
    *_, found = steps
    return found
