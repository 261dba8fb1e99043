"""Training: a blueprint of a game, as good as the time allows.

Where all moves are public and the game fits into memory, it is trained in vector form. CFR comes
nearer to an equilibrium than sampling, if there is time for some tens of iterations. Limit Hold'em
with buckets is trained by public chance sampling. Any other game is trained by MCCFR from its
beginning: by external sampling, or, if that is named, by outcome sampling (`mccfr`).

A run keeps its state in a file beside the blueprint, and continues from there. A killed run loses
only the work since it last wrote the state.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.dataframes import frame
from hiddenhand.errors import FileError, GameError, OptionError, RefusedOptionError, TooLargeError
from hiddenhand.files import alone_at, as_path
from hiddenhand.games.base import Game, verify_constant_sum
from hiddenhand.games.registry import game_of
from hiddenhand.games.turn_based import as_sequential
from hiddenhand.jit.dispatching import Stopwatch
from hiddenhand.jit.infoset_table import num_bytes
from hiddenhand.mapped import Mapped
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.parameters import whole_number
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.sampling.external_sampling import ExternalMCCFR
from hiddenhand.search.sampling.oos import OOS
from hiddenhand.search.table_search import TableSearch
from hiddenhand.solvers.vector_form.holdem.betting import is_bucketed
from hiddenhand.solvers.vector_form.holdem.public_chance_sampling import PCS
from hiddenhand.solvers.vector_form.public_game import VectorForm, vector_form
from hiddenhand.solvers.vector_form.vector_cfr import VectorCFR
from hiddenhand.solvers.vector_form.vector_mccfr import VectorMCCFR
from hiddenhand.text import one_line, rounded
from hiddenhand.trees.blueprint import (
    TRAIN,
    About,
    about_blueprint,
    blueprint_path,
    write_set_blueprint,
)
from hiddenhand.trees.profile import nash_conv
from hiddenhand.trees.tree import GameTree
from hiddenhand.trees.tree_size import estimated_histories
from hiddenhand.trees.unroll import memory_left, unroll

MCCFR: Final = "mccfr"
EXTERNAL: Final = ExternalMCCFR.ALGORITHM
SAMPLED: Final = (MCCFR, EXTERNAL)
"""The algorithms for all games."""
ALGORITHMS: Final = (VectorCFR.NAME, VectorMCCFR.NAME, PCS.NAME, *SAMPLED)
_WALKED: Final = 6e7  # numbers that an iteration of CFR walks over in a second, on one thread
_WORTHWHILE: Final = 60  # iterations of CFR, with which it is ahead of sampling
_BYTES: Final = 14  # for each number in vector form, while the blueprint is written
_LARGEST: Final = 4 * 2**30  # bytes of a state that is kept,
_SPARE: Final = 0.5  # of the memory that is left, which writing it may take
_SAVING: Final = 0.05  # of the time, that may go into keeping the state of the run,
_LEAST: Final = 30.0  # and seconds between two times at least
_FIRST_LOOK: Final = (
    1.0  # seconds of training, after which nash_conv is measured for the first time
)
_LOOKING: Final = 0.02  # of the time, that may go into measuring it on the way,
_MEASURING: Final = 0.1  # of the time, that may go into an exact nash_conv in the end,
_QUICK: Final = 2.0  # and seconds that may in any case
_WRITTEN: Final = 1e6  # histories that are written out and measured in a second
_PLAYS: Final = 500  # at random, to guess how large a game is
_EPSILON: Final = 0.6  # how much MCCFR explores, as in the paper


@dataclass(frozen=True)
class Trained(Shown, Plotted):
    """What training did.

    method: the algorithm.
    iterations, seconds: number of iterations, and their time, earlier runs included.
    began_at: the iterations that earlier runs had made.
    nash_conv: of what was found, exactly; None where that takes too long. The file keeps 16 bits of
        each probability, which changes it a little.
    curve: seconds of training and nash_conv then, as often as it was measured on the way.
    information_sets: how many the blueprint knows.
    file: the blueprint.
    state: the file from which the next training continues; None if the state is too large.
    """

    method: str
    iterations: int
    seconds: float
    began_at: int
    nash_conv: float | None
    curve: tuple[tuple[float, float], ...]
    information_sets: int
    file: Path
    state: Path | None

    def __repr__(self) -> str:
        gap = "" if self.nash_conv is None else f", nash_conv {rounded(self.nash_conv)}"
        made = f"{self.iterations:,} iterations{gap}"
        return one_line(self, f"{self.file.name} by {self.method}", made)

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` of ``curve``: seconds of training and nash_conv."""
        return frame({"seconds": seconds, "nash_conv": gap} for seconds, gap in self.curve)


def train(
    game: Game | str,
    out: Path | str | None = None,
    *,
    iterations: int | Budget | None = None,
    seconds: float | None = None,
    algorithm: str | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Trained:
    """Train a blueprint of a game and write it to a file.

    game: a zero-sum game of two players, or its name.
    out: the file; None for the file of the game in the user's data folder. The state of the run is
        kept beside it, in a file whose name ends with that of the algorithm; if that file exists,
        the run continues.
    iterations, seconds: how long to train; one of them must be given.
    algorithm: one of `ALGORITHMS`; by default that of the earlier run, or the one that suits the
        game and the time.
    seed: the seed of the random numbers of a new run that samples.
    threads: number of training threads, at least 1; vector-mccfr and pcs take one. A continued run
        of mccfr or external keeps its first number.

    Raises GameError for a game that cannot be trained, FileError, and OptionError where ``out`` is
    a blueprint whose training cannot continue, because its last state was not kept. Ctrl-C ends the
    training: it writes the blueprint so far, and then raises KeyboardInterrupt. If several
    processes train one file, they train one after the other: no work is lost.
    """
    budget = Budget(iterations, seconds)
    threads = whole_number("threads", threads)
    if algorithm is not None and algorithm not in ALGORITHMS:
        raise RefusedOptionError("algorithm", algorithm, f"choose one of: {', '.join(ALGORITHMS)}")
    rules = as_sequential(game_of(game))
    verify_constant_sum(
        rules, "training by any algorithm", "auto or ismcts, which play without a blueprint"
    )
    file = blueprint_path(rules) if out is None else as_path(out, "out")
    with alone_at(file.with_name(f"{file.name}.lock")):
        run, state = _begun(rules, file, algorithm, budget, seed, threads, progress)
        _verify_not_ahead(file, rules, run)
        return _trained(run, file, state, budget, progress)


def _begun(
    rules: Game,
    file: Path,
    algorithm: str | None,
    budget: Budget,
    seed: int,
    threads: int,
    progress: Progress,
) -> tuple["_Run", Path]:
    """A run, new or from where it was left, and the file of its state."""
    states = {name: file.with_name(f"{file.name}.{name}") for name in ALGORITHMS}
    kept = [name for name in ALGORITHMS if states[name].exists()]
    _verify_kept(kept, file, rules)
    if algorithm is None and kept:
        algorithm = _last_of(kept, file, rules)
    if algorithm is None and is_bucketed(rules):
        algorithm = PCS.NAME
    form = None
    if algorithm not in (*SAMPLED, PCS.NAME):
        form = _form(rules, must=algorithm is not None, progress=progress)
    if algorithm is None:
        algorithm = EXTERNAL if form is None else _suited(form, budget, threads)
    state = states[algorithm]
    before = state if algorithm in kept else None
    run: _Run
    if algorithm == PCS.NAME:
        run = PCS(rules, seed=seed) if before is None else PCS.load(before, rules)
    elif form is None:
        run = _Sampled(algorithm, rules, before, seed, threads)
    else:
        run = _vector_run(algorithm, form, before, seed, threads)
    return run, state


def _last_of(kept: Sequence[str], file: Path, rules: Game) -> str:
    """Of the algorithms whose states are kept beside a file, the one that found the blueprint in
    it: another one would replace the blueprint by its own, which may be worse.
    """
    with contextlib.suppress(FileError):
        if (method := about_blueprint(file, rules).method) in kept:
            return method
    return kept[0]


def _verify_kept(kept: Sequence[str], file: Path, rules: Game) -> None:
    """Raise OptionError if a file is there that training must not replace: one that is no
    blueprint, or a blueprint that was not found by one of the algorithms whose states are ``kept``
    beside it. Its training cannot continue without a state, and another one might replace it by a
    worse blueprint.
    """
    try:
        Mapped.load(file, TRAIN)
    except FileError:
        if kept or not file.exists():
            return
        raise OptionError(
            f"{file} is there, and is no blueprint of this version; remove it, or give another file"
        ) from None
    with contextlib.suppress(FileError):
        if kept and about_blueprint(file, rules).method in kept:
            return
        raise OptionError(
            f"{file} is a blueprint, and there is no state from which its training can continue; "
            "remove it to train anew, or give another file"
        )


def _verify_not_ahead(file: Path, rules: Game, run: "_Run") -> None:
    """Raise OptionError if a file is a blueprint of the same algorithm that was trained for longer
    than the run. So it is where the last state was not kept.
    """
    with contextlib.suppress(FileError):
        about = about_blueprint(file, rules)
        if about.method == run.NAME and about.iterations > run.iterations:
            raise OptionError(
                f"{file} is a blueprint of {about.iterations:,} iterations, and the state from "
                f"which its training can continue has {run.iterations:,}; move the blueprint away "
                "to train from there, or give another file"
            )


def _trained(run: "_Run", out: Path, state: Path, budget: Budget, progress: Progress) -> Trained:
    began_at, began, interrupted = run.iterations, clock.now(), False
    try:
        seconds = budget.seconds
        if seconds is not None and budget.iterations is None:
            seconds -= _first_iteration(run, seconds)
            began = clock.now()
        watching = _Watching(run, state, progress)
        if seconds is None or seconds > 0.0:
            run.iterate(budget.iterations, seconds=seconds, progress=watching)
    except KeyboardInterrupt:
        interrupted = True
    spent = clock.now() - began
    keeps = _is_kept(run)
    try:  # first the state: without it, a blueprint cannot be trained on
        if keeps:
            run.save(state)
    finally:
        sets = run.write_blueprint(out)
    if interrupted:
        raise KeyboardInterrupt
    gap = _nash_conv(run, max(_MEASURING * spent, _QUICK))
    kept = state if keeps else None
    curve = tuple(watching.curve)
    return Trained(run.NAME, run.iterations, run.seconds, began_at, gap, curve, sets, out, kept)


def _first_iteration(run: "_Run", seconds: float) -> float:
    """Make an iteration, and measure where a training of so many seconds does so on the way: then
    all is compiled, or loaded. Returns the seconds that it took without that.
    """
    watch = Stopwatch()
    run.iterate(1, seconds=None, progress=SILENT)
    _nash_conv(run, _LOOKING * seconds)
    return watch.seconds


def _is_kept(run: "_Run") -> bool:
    """Whether the state of a run is small enough to be written."""
    return run.state_bytes <= min(_LARGEST, _SPARE * memory_left())


class _Watching:
    """Tells progress, now and then writes the state of a run, and measures the blueprint each time
    that it was trained for twice as long, where that takes little time.

    curve: the seconds of training, and nash_conv then.
    """

    def __init__(self, run: "_Run", state: Path, progress: Progress) -> None:
        self._run, self._state, self._progress = run, state, progress
        self._next = clock.now() + _LEAST
        self._began = clock.now() - run.seconds
        self._look = max(_FIRST_LOOK, 2.0 * run.seconds)
        self.curve: list[tuple[float, float]] = []

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._measure()
        figures = {"nash_conv": self.curve[-1][1]} if self.curve else {}
        self._progress.update(replace(report, figures={**report.figures, **figures}))
        began = clock.now()
        if began >= self._next and _is_kept(self._run):
            self._run.save(self._state)
            self._next = clock.now() + max(_LEAST, (clock.now() - began) / _SAVING)

    def _measure(self) -> None:
        trained = clock.now() - self._began
        if trained < self._look:
            return
        gap = _nash_conv(self._run, _LOOKING * trained)
        self._look = 2.0 * trained
        if gap is not None:
            self.curve.append((trained, gap))


# --- in vector form ---


def _form(game: Game, must: bool, progress: Progress) -> VectorForm | None:
    """The vector form of a game; None where there is none, or it does not fit into memory.

    must: whether what is wrong is raised instead.
    """
    try:
        form = vector_form(game, progress=progress)
    except (GameError, TooLargeError):
        if must:
            raise
        return None
    fits = sum(form.sizes) * _BYTES <= memory_left()
    return form if fits or must else None


def _suited(form: VectorForm, budget: Budget, threads: int) -> str:
    """The algorithm in vector form that suits a game and a time."""
    due = float(budget.iterations or 0)
    if budget.seconds is not None:
        due = budget.seconds * _WALKED * threads / max(sum(form.sizes), 1)
    return VectorCFR.NAME if due >= _WORTHWHILE else VectorMCCFR.NAME


def _vector_run(
    algorithm: str, form: VectorForm, before: Path | None, seed: int, threads: int
) -> VectorCFR:
    """A new run, or the one whose state is in the file ``before``."""
    if algorithm == VectorMCCFR.NAME:
        return VectorMCCFR(form, seed=seed) if before is None else VectorMCCFR.load(before, form)
    if before is None:
        return VectorCFR(form, threads=threads)
    return VectorCFR.load(before, form, threads=threads)


# --- by samples ---


class _CountingOOS(OOS):
    """OOS that counts its samples from the beginning, and can be kept in a file."""

    def start(self, seat: int, seed: int) -> None:
        self.count_samples()
        super().start(seat, seed)

    def _parameters(self) -> dict[str, Any]:
        return TableSearch._parameters(self)  # that of `OOS` refuses


class _Sampled:
    """A run of MCCFR from the beginning of a game.

    NAME: one of `SAMPLED`.
    """

    def __init__(self, name: str, game: Game, before: Path | None, seed: int, threads: int) -> None:
        self.NAME = name
        self._search: TableSearch
        if before is not None:
            self._search = (ExternalMCCFR if name == EXTERNAL else _CountingOOS).load(before, game)
        elif name == EXTERNAL:
            self._search = ExternalMCCFR(game, seed=seed, threads=threads)
        else:
            self._search = _CountingOOS(
                game, delta=0.0, targeting="ist", epsilon=_EPSILON, seed=seed, threads=threads
            )

    @property
    def iterations(self) -> int:
        return self._search.result().iterations

    @property
    def seconds(self) -> float:
        return self._search.result().seconds

    @property
    def state_bytes(self) -> int:
        return num_bytes(self._search.table)

    def iterate(self, iterations: int | None, *, seconds: float | None, progress: Progress) -> None:
        self._search.think(iterations, seconds, progress)

    def save(self, path: Path) -> None:
        self._search.save(path)

    def write_blueprint(self, out: Path) -> int:
        about = About.of(self._search.game, self.NAME, self.iterations, self.seconds)
        return write_set_blueprint(out, about, self._search.weights())

    @property
    def seconds_of_nash_conv(self) -> float:
        return self._histories / _WRITTEN

    def nash_conv(self) -> float:
        return nash_conv(self._tree, self._search.strategy().on(self._tree))

    @cached_property
    def _histories(self) -> float:
        """How many there are, roughly."""
        return estimated_histories(self._search.game, 0, _PLAYS)

    @cached_property
    def _tree(self) -> GameTree:
        return unroll(self._search.game)


_Run = VectorCFR | PCS | _Sampled


def _nash_conv(run: _Run, seconds: float) -> float | None:
    """How far what was trained is from an equilibrium, if that is found out in some seconds."""
    if isinstance(run, PCS):
        return None
    if isinstance(run, VectorCFR):
        takes = sum(run.form.sizes) / _WALKED
    else:
        takes = run.seconds_of_nash_conv
    return run.nash_conv() if takes <= seconds else None
