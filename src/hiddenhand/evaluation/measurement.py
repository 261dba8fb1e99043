"""What all measurements share: a search, a game that is written out, and seeds; and the record of
the result.

A measurement is repeated with several seeds. All random numbers follow from the seed: those of the
search, of the opponents and of chance, and the actions in information sets that were never seen.

A measurement is made in parts, which processes share. The parts may be kept in a file, and finished
parts are not made again. Each measurement comes in two forms: a plain function, and a stepwise one
that yields the result so far after each step. So the caller of an interrupted stepwise form still
has the last result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, Final, ParamSpec

import numpy as np

from hiddenhand.budget import Budget
from hiddenhand.dataframes import columns, frame
from hiddenhand.errors import OptionError, PlayerError, RefusedOptionError
from hiddenhand.evaluation.part_records import PartRecords
from hiddenhand.evaluation.policy_accumulator import Gathered, Sets
from hiddenhand.files import as_path
from hiddenhand.games.base import Game
from hiddenhand.games.rule_digests import other_rules, rules_of
from hiddenhand.jit.arrays import Floats
from hiddenhand.jit.random import seed_sequence
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.players.registry import BUDGET, make_player, parse_spec
from hiddenhand.players.search_player import SearchPlayer
from hiddenhand.progress import SILENT, Progress, Report, verify_progress
from hiddenhand.search.online import OnlineSearch
from hiddenhand.statistics import Interval, mean_interval
from hiddenhand.text import rounded
from hiddenhand.trees.after_errors import regret_after_errors
from hiddenhand.trees.profile import best_response_values, expected_values, gap, uniform_profile
from hiddenhand.trees.strategy import UNSEEN, Weights
from hiddenhand.trees.tree import GameTree
from hiddenhand.workers import in_parallel

MakeSearch = Callable[[Game], OnlineSearch]
"""Makes the search to be measured. For more than one job it must be possible to send it to other
processes.
"""

Part = Sequence[Weights]
"""A part of a measurement that is done at once: what was accumulated, once or several times."""

_P = ParamSpec("_P")
_MOST_SEEDS: Final = 10_000


@dataclass(frozen=True)
class NamedSearch:
    """Makes the search that a player uses.

    spec: the name of the player, such as ``oos(targeting=ist,delta=0.5)``.
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
        player = make_player(game, self.spec)
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
    """Which search is measured in which game, and how often.

    search: what makes the search, or the name of a player who uses it.
    tree: the game, written out.
    seeds: the seeds with which the measurement is repeated, at least one and each once.
    unseen: what is played in information sets that no search ever saw, "fixed" (one action for each
        set, drawn once from the seed, as in the papers) or "uniform" (all actions alike).
    jobs: how many processes share the work; -1 for one for each processor. A budget in seconds is
        comparable only where each process has a processor to itself.
    backend: which of joblib's backends runs the processes, see `in_parallel`.
    progress: receives reports of how many parts are done.
    file: the file in which finished parts are kept and looked for, one for each game, search,
        method and budget; None keeps nothing. A file needs a search that is given by name.
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
            raise RefusedOptionError("unseen", self.unseen, f"choose one of: {', '.join(UNSEEN)}")
        verify_progress(self.progress)
        if self.file is not None:
            as_path(self.file, "file")
        self.make  # noqa: B018 - says what is wrong with the name
        if self.file is not None and not isinstance(self.search, str):
            raise OptionError(
                f"file={str(self.file)!r} is not allowed for a search without a name, because the "
                "file could not tell it from others; name it by the place of its class, such as "
                "'my_module:MySearch' or 'my_file.py:MySearch'"
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
        """The results of ``function(make, game, *call)`` for all ``calls``, in their order, however
        many processes work on them. A part that the file has is taken from it; the others are
        written into it as they finish.

        method: the name of the measurement, which the file must agree with.
        budget: the budget of the measurement, which the file must agree with.
        function: what makes a part.
        calls: for the name of each part, the last arguments of ``function``.
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

    def gathered(
        self,
        method: str,
        budget: Budget,
        function: Callable[..., Part],
        calls: Mapping[str, tuple[Any, ...]],
    ) -> Iterator[Gathered]:
        """For each seed what its parts have together. Arguments as in `share`, with as many calls
        for each seed, one seed after the other. Sets with one action are known anyway.
        """
        parts, sets = self.share(method, budget, function, calls), Sets.of(self.tree)
        for _ in self.seeds:
            own = (next(parts)[0] for _ in range(len(calls) // len(self.seeds)))
            gathered = Gathered(sets, *own)
            gathered.known |= np.diff(self.tree.set_start) == 1
            yield gathered

    def _question(self, method: str, budget: Budget) -> dict[str, Any]:
        """What a file of parts is about. It is equal for two measurements that may share parts."""
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
    """What was known at one point of a measurement.

    at: how far the measurement had come, in the unit of its curve.
    nash_conv: of the strategy, over seeds.
    best_response_values: for each player what a best response earns, over seeds.
    """

    at: float
    nash_conv: Interval
    best_response_values: tuple[Interval, ...]


@dataclass(frozen=True)
class Evaluation(Shown, Plotted):
    """How exploitable a search was.

    game: the game in which the search was measured, with moves in turns.
    search: the name of the search.
    method: how the search was measured, one of `hiddenhand.evaluation.evaluate.METHODS`.
    unseen: what was played in information sets that were never seen, see `Study`.
    seeds: the seeds with which the measurement was repeated.
    iterations: the budget of each thinking in iterations; None where they were not limited.
    seconds: the budget of each thinking in seconds; None where they were not limited.
    preplay_iterations: the iterations before play; None where they were not limited, or where the
        search did not think before play.
    preplay_seconds: the seconds before play; None as for iterations.
    weights: how the aggregate method weighs searches, "visits" or "mass"; None for other methods.
    unit: what the points of ``curve`` count, "iterations", "seconds", "matches" or "seeds".
    curve: what was known at each point of the measurement, the last one at its end.
    each: nash_conv of each seed alone, at the end.
    each_best_response_values: for each seed alone, what a best response of each player earns at
        the end.
    regret_after_errors: the regret after errors in the end, its mean and the largest, see
        `hiddenhand.trees.after_errors`, on average over seeds; None for the method opening.
    against_random: what each player earns in the end when all others play all legal actions alike,
        on average over seeds; None for the method opening.
    known: how many information sets were seen, on average over seeds.
    information_sets: how many information sets the game has.

    In a zero-sum game for two players, `nash_conv` is the sum of both best-response values, each of
    which is at least the game's value for that player. A program that prints the best response of
    one seat only, as that of the OOS paper does, shows about half of `nash_conv` if the value is 0.
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
    regret_after_errors: tuple[float, float] | None
    against_random: tuple[float, ...] | None
    known: float
    information_sets: int

    def __repr__(self) -> str:
        gap = self.nash_conv
        told = f"{gap}" if len(self.seeds) > 1 else rounded(gap.value)
        return f"Evaluation({self.search} in {self.game}, {self.method}: nash_conv {told})"

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` of ``curve``, a row for each point."""
        return frame(
            {"search": self.search, self.unit: point.at, **columns("nash_conv", point.nash_conv)}
            for point in self.curve
        )

    @property
    def nash_conv(self) -> Interval:
        """nash_conv at the end, with its 95 % interval over seeds."""
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
    return np.array([gap(values, expected_values(tree, profile)), *values])


@dataclass(frozen=True)
class Measures:
    """What was measured of one seed.

    exploited: ``float64[1 + P]``, see `exploited`.
    regret: the regret after errors on average, and the largest; None where there is no strategy.
    against_random: ``float64[P]``, what each player earns when all others play all legal actions
        alike; None where there is no strategy.
    """

    exploited: Floats
    regret: tuple[float, float] | None = None
    against_random: Floats | None = None


def measures(tree: GameTree, profile: Floats) -> Measures:
    """The measures of a strategy, as a profile ``float64[S]``."""
    regret, at_random = regret_after_errors(tree, profile), uniform_profile(tree)
    against_random = [
        expected_values(tree, np.where(tree.sequence_player == player, profile, at_random))[player]
        for player in range(tree.num_players)
    ]
    return Measures(
        exploited(tree, profile), (regret.mean, regret.largest), np.array(against_random)
    )


def bounds_of_exploited(tree: GameTree) -> Floats:
    """``float64[1 + P, 2]``: the least and the largest possible value of each figure of
    `exploited`.
    """
    least, most = tree.utility.min(axis=0), tree.utility.max(axis=0)
    return np.array([(0.0, (most - least).sum()), *zip(least, most, strict=True)])


def mean_point(tree: GameTree, at: float, rows: Sequence[Measures]) -> Point:
    """The point ``at`` of a curve, with means over seeds and their intervals; a row each seed."""
    columns = np.array([row.exploited for row in rows]).T
    nash_conv, *values = (
        mean_interval(column.tolist(), *bounds.tolist())
        for column, bounds in zip(columns, bounds_of_exploited(tree), strict=True)
    )
    return Point(at, nash_conv, tuple(values))


def evaluation(
    study: Study,
    method: str,
    budget: Budget,
    unit: str,
    curve: Sequence[Point],
    rows: Sequence[Measures],
    known: Sequence[int],
    *,
    preplay: Budget | None = None,
    weights: str | None = None,
) -> Evaluation:
    """The record of a measurement, the fields of which are those of `Evaluation`.

    rows: for each seed, or for the first few seeds, what was measured.
    known: for the same seeds, how many information sets were seen.
    """
    regret = _mean([row.regret for row in rows])
    earned = _mean([row.against_random for row in rows])
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
        each=tuple(float(row.exploited[0]) for row in rows),
        each_best_response_values=tuple(tuple(map(float, row.exploited[1:])) for row in rows),
        regret_after_errors=(regret[0], regret[1]) if regret else None,
        against_random=tuple(earned) if earned else None,
        known=sum(known) / len(known),
        information_sets=study.tree.num_sets,
    )


def _mean(each: Sequence[Sequence[float] | Floats | None]) -> list[float] | None:
    """The means over those seeds of which something is known."""
    known = [np.asarray(one) for one in each if one is not None]
    return list(np.mean(known, axis=0).tolist()) if known else None


def whole(stepwise: Callable[_P, Iterator[Evaluation]]) -> Callable[_P, Evaluation]:
    """The plain form of a stepwise measurement: it takes the same arguments, and returns the result
    after the last step.
    """

    @wraps(stepwise)
    def measure(*args: _P.args, **kwargs: _P.kwargs) -> Evaluation:
        *_, found = stepwise(*args, **kwargs)
        return found

    measure.__name__ = measure.__qualname__ = stepwise.__name__.removesuffix("_stepwise")
    return measure
