"""The files that the verb ``search`` writes during a search, and the measures of its result."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hiddenhand import clock
from hiddenhand.cli.common import write_out
from hiddenhand.errors import OptionError
from hiddenhand.progress import Progress, Report

if TYPE_CHECKING:
    from hiddenhand.games.base import Game
    from hiddenhand.search.algorithms import Algorithm
    from hiddenhand.search.online import OnlineSearch
    from hiddenhand.search.root_search import Found
    from hiddenhand.search.snapshots import LongRun, Plan
    from hiddenhand.trees.tree import GameTree

_EVERY: Final = 60.0  # seconds, where several processes search
_MOST_HISTORIES: Final = 20_000_000


@dataclass(frozen=True)
class Budgeted:
    """The budget of a search, and the files to write meanwhile.

    iterations, seconds: the budget.
    out: the file in which the search is kept.
    plan: for snapshots; None without them.
    is_resumed: whether the plan is an old one, of which an earlier run did a part.
    """

    iterations: int | None
    seconds: float | None
    out: Path | None
    plan: "Plan | None" = None
    is_resumed: bool = False


def budgeted(
    algorithm: "Algorithm",
    iterations: int | None,
    seconds: float | None,
    snapshots: int | None,
    every: float | None,
    out: Path | None,
    resume: Path | None,
) -> Budgeted:
    """Return the budget and the plan that the options name. A search that is resumed without a
    budget continues the plan in its curve. Raises OptionError.
    """
    from hiddenhand.budget import verify_budget
    from hiddenhand.search.snapshots import Curve, Plan, curve_of

    wants_snapshots = snapshots is not None or every is not None
    if resume is not None and iterations is None and seconds is None and not wants_snapshots:
        kept = out or resume
        plan = Curve.read(curve_of(kept)).plan
        if plan is not None:
            return Budgeted(plan.iterations, plan.seconds, kept, plan, is_resumed=True)
    verify_budget(iterations, seconds)
    if not wants_snapshots:
        return Budgeted(iterations, seconds, out)
    if out is None:
        named = "--every" if snapshots is None else "--snapshots"
        raise OptionError(f"{named} needs a file to write to; give --out")
    if not algorithm.can_be_saved:
        raise OptionError(
            f"a search by {algorithm.name} cannot be resumed, so there are no snapshots of it; "
            "leave out --snapshots and --every"
        )
    return Budgeted(iterations, seconds, out, Plan(iterations, seconds, snapshots, every))


class Measures:
    """Measures of how good a search's strategy is, in games that are small enough.

    game: the game.
    nash_conv: whether to measure how far from an equilibrium strategies are.
    unseen: the strategy in information sets that the search never saw.
    seed: seed of that strategy, if it is drawn.
    """

    def __init__(self, game: "Game", nash_conv: bool, unseen: str, seed: int) -> None:
        from hiddenhand.trees.kuhn_equilibria import has_known_equilibria
        from hiddenhand.trees.unroll import unroll

        self._nash_conv, self._unseen, self._seed = nash_conv, unseen, seed
        self._has_known = has_known_equilibria(game)
        self._tree: GameTree | None = None
        if nash_conv:
            self._tree = write_out(game, _MOST_HISTORIES)
        elif self._has_known:  # Kuhn poker is too small to need progress
            self._tree = unroll(game)

    def of(self, found: "Found") -> dict[str, float]:
        """Return the measures by name: ``nash_conv``, if the options ask for it, and in Kuhn poker
        the ``squared_error``.
        """
        if self._tree is None:
            return {}
        from hiddenhand.trees import profile
        from hiddenhand.trees.kuhn_equilibria import squared_error

        tree, measures = self._tree, {}
        played = found.strategy.on(tree, self._unseen, self._seed)
        if self._nash_conv:
            measures["nash_conv"] = profile.nash_conv(tree, played)
        if self._has_known:
            measures["squared_error"] = squared_error(tree, played)
        return measures


def long_run(
    running: "OnlineSearch", asked: Budgeted, measures: Measures, nash_conv: bool, unseen: str
) -> "LongRun":
    """Return the search with snapshots that the options name. ``nash_conv`` and ``unseen`` are what
    a new plan keeps of ``measures``. Raises OptionError if an old plan is finished.
    """
    from hiddenhand.search.snapshots import LongRun
    from hiddenhand.search.table_search import TableSearch

    assert isinstance(running, TableSearch)  # no other search can be saved
    assert asked.plan is not None
    assert asked.out is not None
    done, plan = running.result(), asked.plan
    if not asked.is_resumed:
        plan = replace(plan, begun=done.iterations, begun_seconds=done.seconds)
        plan = replace(plan, nash_conv=nash_conv, unseen=unseen)
    run = LongRun(running, asked.out, plan, measures.of)
    if run.is_over:
        raise OptionError(
            f"the search in {asked.out} has done what was planned; give a number of iterations or "
            "of seconds to continue it"
        )
    return run


def saving(
    running: "OnlineSearch", out: Path | None, is_spread: bool
) -> Callable[[Progress], Progress]:
    """Return a function that adds to a progress: if several processes search, it also writes
    ``running`` to ``out`` now and then.
    """
    if out is None or not is_spread:
        return lambda progress: progress
    return lambda progress: _Saving(progress, running, out)


class _Saving:
    """A progress that forwards reports, and writes the search to a file now and then."""

    def __init__(self, told: Progress, running: "OnlineSearch", out: Path) -> None:
        self._told, self._running, self._out = told, running, out
        self._last = clock.now()

    def update(self, report: Report) -> None:
        from hiddenhand.search.root_search import found_by, keep

        self._told.update(report)
        if clock.now() - self._last >= _EVERY:
            keep(self._running, found_by(self._running, 0.0), self._out)
            self._last = clock.now()
