"""Training: a blueprint of a game, as good as the time allows.

CFR comes nearer to an equilibrium than sampling, if there is time for some tens of iterations. So
the method is chosen by how many numbers an iteration walks over, and by the time. A run keeps its
state in a file beside the blueprint, and goes on from there; so nothing is lost when it is killed
but what it did since it was last written.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hiddenhand import clock
from hiddenhand.budget import Budget
from hiddenhand.errors import OptionError
from hiddenhand.files import as_path
from hiddenhand.games.base import Game
from hiddenhand.games.registry import game_of
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.ranges.blueprint import write_blueprint
from hiddenhand.ranges.public_game import VectorForm, vector_form
from hiddenhand.ranges.vector_cfr import VectorCFR
from hiddenhand.ranges.vector_mccfr import VectorMCCFR

ALGORITHMS: Final = ("vector-cfr", "vector-mccfr")
_WALKED: Final = 6e7  # numbers that an iteration of CFR walks over in a second, on one thread
_WORTHWHILE: Final = 60  # iterations of CFR, with which it is ahead of sampling
_SAVING: Final = 0.05  # of the time, that may go into keeping the state of the run,
_LEAST: Final = 30.0  # and seconds between two times at least
_LARGEST: Final = 2 * 2**30  # bytes of a state that is kept
_MEASURING: Final = 0.1  # of the time, that may go into an exact nash_conv in the end,
_QUICK: Final = 2.0  # and seconds that may in any case


@dataclass(frozen=True)
class Trained:
    """What training did.

    method: the algorithm.
    iterations, seconds: all that were made, and how long they took, those of earlier runs included.
    began_at: the iterations that earlier runs had made.
    nash_conv: of the blueprint, exactly; None where that takes too long.
    state: the file from which the next training goes on; None where the state is too large.
    """

    method: str
    iterations: int
    seconds: float
    began_at: int
    nash_conv: float | None
    state: Path | None


def train(
    game: Game | str,
    out: Path | str,
    *,
    iterations: int | None = None,
    seconds: float | None = None,
    algorithm: str | None = None,
    seed: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Trained:
    """Train a blueprint of a game and write it to a file.

    game: a zero-sum game of two players in which all moves are public, or its name.
    out: the file. The state of the run is kept beside it, in a file whose name ends with that of
        the algorithm; if it is there, the run goes on.
    iterations, seconds: how long to train; one of them must be given.
    algorithm: one of `ALGORITHMS`; unless said, that of the earlier run, or the one that suits the
        game and the time.
    seed: of the random numbers of a new run that samples.
    threads: how many threads walk, with vector-cfr.

    Raises what `vector_form` raises, and FileError. Ctrl-C ends the training; what was found is
    written.
    """
    Budget(iterations, seconds)
    if algorithm is not None and algorithm not in ALGORITHMS:
        raise OptionError(
            f"algorithm={algorithm!r} is not allowed; choose one of: {', '.join(ALGORITHMS)}"
        )
    out = as_path(out, "out")
    form = vector_form(game_of(game), progress=progress)
    run, state = _run(form, out, algorithm, (iterations, seconds), seed, threads)
    began_at, began = run.iterations, clock.now()
    interrupted = False
    try:
        run.iterate(iterations, seconds=seconds, progress=_Keeping(run, state, progress))
    except KeyboardInterrupt:
        interrupted = True
    spent = clock.now() - began
    write_blueprint(
        out,
        form,
        run.average,
        method=run.NAME,
        iterations=run.iterations,
        seconds=run.seconds,
    )
    keeps = _fits(run)
    if keeps:
        run.save(state)
    if interrupted:
        raise KeyboardInterrupt
    walked = sum(form.sizes) / _WALKED
    gap = run.nash_conv() if walked <= max(_MEASURING * spent, _QUICK) else None
    return Trained(run.NAME, run.iterations, run.seconds, began_at, gap, state if keeps else None)


def _run(
    form: VectorForm,
    out: Path,
    algorithm: str | None,
    budget: tuple[int | None, float | None],
    seed: int,
    threads: int,
) -> tuple[VectorCFR, Path]:
    """A new run, or the one whose state is kept; and the file of the state."""
    states = {name: out.with_name(f"{out.name}.{name}") for name in ALGORITHMS}
    kept = [name for name in ALGORITHMS if states[name].exists()]
    if algorithm is None:
        algorithm = kept[0] if kept else _suited(form, *budget, threads)
    state = states[algorithm]
    if algorithm == VectorMCCFR.NAME:
        sampled = VectorMCCFR.load(state, form) if algorithm in kept else None
        return sampled or VectorMCCFR(form, seed=seed), state
    whole = VectorCFR.load(state, form, threads=threads) if algorithm in kept else None
    return whole or VectorCFR(form, threads=threads), state


def _suited(form: VectorForm, iterations: int | None, seconds: float | None, threads: int) -> str:
    """The algorithm that suits a game and a time."""
    due = float(iterations or 0)
    if seconds is not None:
        due = seconds * _WALKED * threads / max(sum(form.sizes), 1)
    return VectorCFR.NAME if due >= _WORTHWHILE else VectorMCCFR.NAME


def _fits(run: VectorCFR) -> bool:
    """Whether the state of a run is small enough to be kept."""
    return sum(array.nbytes for array in (*run.regret, *run.average)) <= _LARGEST


class _Keeping:
    """Tells progress, and now and then writes the state of a run."""

    def __init__(self, run: VectorCFR, state: Path, progress: Progress) -> None:
        self._run, self._state, self._progress = run, state, progress
        self._next = clock.now() + _LEAST

    def update(self, report: Report) -> None:
        """See `Progress`."""
        self._progress.update(report)
        began = clock.now()
        if began >= self._next and _fits(self._run):
            self._run.save(self._state)
            self._next = clock.now() + max(_LEAST, (clock.now() - began) / _SAVING)
