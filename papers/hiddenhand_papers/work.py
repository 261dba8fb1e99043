"""A quiet worker: missing units, run one after the other in one process while the machine is also
used for other things.

The worker takes units in the order in which they decide most items for each minute of a processor.
An undecided item grows in steps, see `Scale.steps`: a 64th of the paper's matches and seeds first,
and twice as many with each step, until the item is decided. So an item never costs much more than
its verdict needs. The pictures and tables of an item grow one by one, the cheapest step first: a
table of 1 s a move gets more matches than one of 5 s. Only the reading of the set-up that decides
is run. If that differs from the paper, the other readings are run as far, because one of them may
explain the difference. The item whose next step takes the least time comes first, and items with a
verdict come last. Stored units of its kind give an estimate of a unit's time. The worker gives up a
unit that takes many times as long, so that it does not spend all of its time on a unit that it
cannot finish.

The worker claims a unit while it runs the unit, and stores each result at once. So a worker can be
killed at any moment, and loses only the unit that it was running. It leaves out units whose results
are times, because other work would change them.
"""

import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from hiddenhand import clock, systems
from hiddenhand.errors import OptionError
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand_papers.experiment import Experiment, Scale
from hiddenhand_papers.report.shown import shown
from hiddenhand_papers.report.verdicts import DIFFERS, NOT_RUN, UNDECIDED
from hiddenhand_papers.runner import make
from hiddenhand_papers.store import Row, Store
from hiddenhand_papers.units import Unit

OPEN: Final = (UNDECIDED, NOT_RUN)
"""The verdicts of items that need more units."""

_NUMBER: Final = re.compile(r"\b(seed|start)=\d+")
_ITERATIONS: Final = re.compile(r"\b(?:iterations|preplay)=(\d+)")
_UNKNOWN: Final = 60.0  # seconds of a unit of whose kind none is stored
_NEWEST: Final = 10
_MANY_TIMES: Final = 10.0  # the guess, after which a unit is given up,
_PATIENCE: Final = 600.0  # but not before so many seconds


@dataclass(frozen=True)
class OpenUnit:
    """A unit that is missing.

    unit: the unit.
    seconds: about how many seconds of a processor it takes.
    """

    unit: Unit
    seconds: float


@dataclass(frozen=True)
class Worked:
    """What a worker did.

    made: how many units it made.
    open: how many units are missing now.
    seconds: about how many seconds of a processor these take.
    """

    made: int
    open: int
    seconds: float


@dataclass(frozen=True)
class OpenItem:
    """An experiment with missing units.

    experiment: the experiment.
    is_decided: whether it has a verdict.
    units: the missing units of its next step, see `next_step`.
    """

    experiment: Experiment
    is_decided: bool
    units: tuple[OpenUnit, ...]

    @property
    def seconds(self) -> float:
        """About how many seconds of a processor the units take."""
        return sum(one.seconds for one in self.units)


def open_items(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    guess: Callable[[Unit], float] | None = None,
    without: Collection[Unit] = (),
) -> list[OpenItem]:
    """Return the experiments with missing units, in the order in which a worker takes them.

    guess: how many seconds a unit takes; by default, as stored units tell.
    without: units that are left out.
    """
    guess = guess or guesses(store.rows())
    kept = store.keys() | {unit.key for unit in without}
    found = []
    for one in shown(experiments, scale, store):
        word = one.verdict.word
        if missing := next_step(one.experiment, word, scale, kept, guess):
            found.append(OpenItem(one.experiment, word not in OPEN, missing[1]))
    return sorted(found, key=_order)


def _order(item: OpenItem) -> tuple[bool, float]:
    return item.is_decided, item.seconds


def next_step(
    experiment: Experiment,
    verdict: str,
    scale: Scale,
    kept: Collection[str],
    guess: Callable[[Unit], float],
) -> tuple[Scale, tuple[OpenUnit, ...]] | None:
    """Return the step to ``scale`` that an experiment takes next, and its missing units; None if
    nothing is missing. Each part has a next step, the first one at which units are missing. The
    experiment takes the one that takes the least time.

    A part of an experiment without a verdict lacks units of its deciding reading. A part of one
    that differs lacks units of all readings, at the steps at which the deciding one is complete.
    With another verdict, a part lacks units of the first step.

    kept: the keys of the units that are stored.
    """
    deciding = experiment.deciding.parts
    found = []
    for name, part in (experiment.parts if verdict == DIFFERS else deciding).items():
        steps = scale.steps
        if verdict == DIFFERS:
            first = deciding.get(name, part)
            steps = [step for step in steps if not _missing(first, step, kept)] or steps[:1]
        elif verdict not in OPEN:
            steps = steps[:1]
        lacking = ((step, _missing(part, step, kept)) for step in steps)
        if step := next(((step, units) for step, units in lacking if units), None):
            found.append((step[0], tuple(OpenUnit(unit, guess(unit)) for unit in step[1])))
    return min(found, key=lambda one: sum(unit.seconds for unit in one[1]), default=None)


def missing_to(
    experiment: Experiment, scale: Scale, kept: Collection[str], guess: Callable[[Unit], float]
) -> float:
    """Return about how many seconds of a processor the missing units of the deciding reading take,
    all steps up to ``scale`` together.
    """
    return sum(map(guess, _missing(experiment.deciding, scale, kept)))


def _missing(shown: Experiment, step: Scale, kept: Collection[str]) -> list[Unit]:
    units = dict.fromkeys(shown.units(step))
    return [unit for unit in units if not unit.is_timed and unit.key not in kept]


def work(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    *,
    seconds: float,
    progress: Progress = SILENT,
) -> Worked:
    """Make missing units until nothing is missing, or the time is over.

    scale: the last of the steps.
    seconds: after how many seconds the work ends, even in the middle of a unit. A unit that
        probably takes longer than what is left is not begun.
    progress: receives the number of finished units.

    Raises OptionError for a scale by the clock, and KeyboardInterrupt on Ctrl-C; finished units are
    kept. Call it in the main thread.
    """
    if scale.by_clock:
        raise OptionError("budgets in seconds are not for quiet work; use experiment run")
    until, made = clock.now() + seconds, 0
    guess, tried = guesses(store.rows()), dict[Unit, float]()
    waiting = open_items(experiments, scale, store, guess)
    while waiting and clock.now() < until:
        item = waiting.pop(0)
        for one in item.units:
            if one.unit not in tried:
                tried[one.unit] = one.seconds
                left = until - clock.now()
                if one.seconds <= left and store.claim(one.unit.key):
                    made += _made_in(one, left, store, progress)
                    progress.update(Report(made, made + len(item.units), "units"))
        waiting += open_items([item.experiment], scale, store, guess, tried)
        waiting.sort(key=_order)
    kept = store.keys()
    tried |= {one.unit: one.seconds for item in waiting for one in item.units}
    missing = {unit: spent for unit, spent in tried.items() if unit.key not in kept}
    return Worked(made, len(missing), sum(missing.values()))


def _made_in(one: OpenUnit, seconds: float, store: Store, progress: Progress) -> bool:
    """Make a unit that is claimed, and store it, unless it takes longer than ``seconds``, or many
    times as long as was guessed. Whether it was made.
    """
    try:
        with _deadline(min(seconds, max(_MANY_TIMES * one.seconds, _PATIENCE))):
            one.unit.prepare(progress)
            store.add(make(one.unit))
    except _DeadlineError:
        store.release(one.unit.key)
        return False
    store.release(one.unit.key)
    return True


def lower_priority() -> None:
    """Give this process the lowest priority, for as long as it lives."""
    systems.lower_priority()
    with suppress(OSError, AttributeError):  # not everywhere, and not allowed everywhere
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


class _DeadlineError(BaseException):
    """Raised in the main thread when the time is over."""


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """A block that ends with `_DeadlineError` when it takes longer than ``seconds``."""

    def end(*signal_and_frame: object) -> None:
        raise _DeadlineError

    if not hasattr(signal, "setitimer"):  # on Windows, where no other program sends SIGTERM
        with _timer(seconds, end):
            yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, max(clock.timeout(seconds), 1e-6))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _timer(seconds: float, end: Callable[..., object]) -> Iterator[None]:
    """A block in which SIGTERM calls ``end``, and a thread sends it after ``seconds``."""
    before = signal.signal(signal.SIGTERM, end)
    timer = threading.Timer(clock.timeout(seconds), signal.raise_signal, (signal.SIGTERM,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGTERM, before)


def guesses(rows: Sequence[Row]) -> Callable[[Unit], float]:
    """How long units take: the mean of stored units that differ only in the seed or the first
    match; else of those that differ in the number of iterations, too, in proportion to it; else of
    those of the same class. Of each kind the newest `_NEWEST` count, because searches get faster.
    """
    found: dict[str, deque[float]] = {}
    for row in sorted(rows, key=lambda row: row.made.get("when", "")):
        seconds = float(row.made.get("processor_seconds", row.made.get("seconds", _UNKNOWN)))
        for kind, amount in _kinds(row.unit):
            found.setdefault(kind, deque(maxlen=_NEWEST)).append(seconds / amount)
    means = {kind: fmean(values) for kind, values in found.items()}

    def guess(unit: Unit) -> float:
        known = (means[kind] * amount for kind, amount in _kinds(unit.text) if kind in means)
        return next(known, _UNKNOWN)

    return guess


def _kinds(text: str) -> tuple[tuple[str, float], ...]:
    """The kinds that a unit belongs to, the closest first: those that differ in the seed or the
    first match alone; those that differ in iterations, too; and those of its class. Beside each
    kind is the number that the time is proportional to within it: the iterations, or 1.
    """
    same = _NUMBER.sub("", text)
    iterations = float(max(sum(map(int, _ITERATIONS.findall(text))), 1))
    return (
        (same, 1.0),
        (_ITERATIONS.sub("iterations", same), iterations),
        (text.partition("(")[0], 1.0),
    )
