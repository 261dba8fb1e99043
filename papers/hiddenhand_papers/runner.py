"""Running experiments: the units that are missing, in parallel, each kept as it finishes.

Units go to the processes of `in_parallel`, or to a cluster of Ray or Dask. Each is claimed before
it begins (see `store`), so that another run on the same store takes other units.
"""

import platform
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

import hiddenhand
from hiddenhand import clock
from hiddenhand.errors import OptionError
from hiddenhand.processors import num_processors
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.workers import in_parallel
from hiddenhand_papers.experiment import Experiment, Scale
from hiddenhand_papers.store import Row, Store
from hiddenhand_papers.units import Unit

BACKENDS: Final = ("loky", "ray", "dask")
_PACKAGES: Final = ("hiddenhand", "numba", "numpy", "scipy")


@dataclass(frozen=True)
class Status:
    """How far an experiment is at a scale.

    name: the name of the experiment.
    units: how many units it has.
    done: how many of them are kept.
    stale: how many of the others are kept with other rules or other code.
    seconds: how long the kept ones took, in wall seconds of one process each.
    processor: how many seconds of one processor all units take, if those that are missing take as
        long as the kept ones on average. Of results of older versions only wall seconds are known,
        which are more where the machine did something else as well.
    """

    name: str
    units: int
    done: int
    stale: int
    seconds: float
    processor: float


@dataclass(frozen=True)
class Run:
    """What a run did.

    wanted: how many units the experiments have.
    made: how many of them this run made.
    elsewhere: how many are missing because another run has claimed them.
    """

    wanted: int
    made: int
    elsewhere: int


def status(experiment: Experiment, scale: Scale, rows: Sequence[Row]) -> Status:
    """How far ``experiment`` is, if ``rows`` are all that is kept."""
    by_key = {row.key: row for row in rows}
    texts = {row.unit for row in rows}
    units = list(dict.fromkeys(_units(experiment, scale)))
    done = [unit for unit in units if unit.key in by_key]
    missing = [unit for unit in units if unit.key not in by_key]
    made = [by_key[unit.key].made for unit in done]
    wall = [float(entry.get("seconds", 0.0)) for entry in made]
    spent = [
        float(entry.get("processor_seconds", other))
        for entry, other in zip(made, wall, strict=True)
    ]
    return Status(
        name=experiment.name,
        units=len(units),
        done=len(done),
        stale=sum(unit.text in texts for unit in missing),
        seconds=sum(wall),
        processor=len(units) * sum(spent) / len(spent) if spent else 0.0,
    )


def run(
    experiments: Sequence[Experiment],
    scale: Scale,
    store: Store,
    *,
    jobs: int = 1,
    backend: str = "loky",
    progress: Progress = SILENT,
) -> Run:
    """Make the units of ``experiments`` that ``store`` does not have.

    scale: how much is run.
    jobs: how many processes share the work; -1 for one for each processor.
    backend: one of `BACKENDS`.
    progress: receives the number of finished units.

    Raises OptionError, also for a budget in seconds where no experiment has a reading by the clock.
    Ctrl-C ends it at once; finished units are kept.
    """
    if backend not in BACKENDS:
        raise OptionError(f"there is no backend {backend!r}; choose one of: {', '.join(BACKENDS)}")
    wanted = list(dict.fromkeys(unit for one in experiments for unit in _units(one, scale)))
    if not wanted:
        raise OptionError(
            "there is no reading with a budget in seconds in these experiments; name some that "
            "have matches or searches from the root, such as oos/fig4b, or leave --budget out"
        )
    kept = store.keys()
    missing = [unit for unit in wanted if unit.key not in kept]
    for first in {type(unit): unit for unit in missing}.values():
        first.prepare(progress)
    done = len(wanted) - len(missing)
    progress.update(Report(done, len(wanted), "units"))
    made = 0
    with _workers(backend, jobs):
        calls = ((unit,) for unit in missing if store.claim(unit.key))
        for row in in_parallel(make, calls, jobs, backend):
            store.add(row)
            store.release(row.key)
            made += 1
            progress.update(Report(done + made, len(wanted), "units"))
    return Run(len(wanted), made, len(missing) - made)


def _units(experiment: Experiment, scale: Scale) -> list[Unit]:
    """The units of a scale; none if it asks for the clock and the experiment has no such units."""
    units = list(experiment.units(scale))
    return units if not scale.by_clock or any(unit.by_clock for unit in units) else []


def make(unit: Unit) -> Row:
    """The row of a unit, which is run now; this is what workers do."""
    began, spent = clock.now(), clock.processor_seconds()
    result = unit.run()
    made = _surroundings() | {
        "seconds": round(clock.now() - began, 3),
        "processor_seconds": round(clock.processor_seconds() - spent, 3),
        "seeds": list(unit.seeds),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return Row(unit.text, unit.digest, result, made)


@contextmanager
def _workers(backend: str, jobs: int) -> Iterator[None]:
    """A cluster that lasts as long as the block, where the backend needs one."""
    if backend == "loky":
        yield
        return
    from hiddenhand.search.parallel.cluster import Dask, Ray

    count = num_processors() if jobs == -1 else max(jobs, 1)
    cluster = {"ray": Ray, "dask": Dask}[backend](count)
    try:
        yield
    finally:
        cluster.close()


@cache
def _surroundings() -> dict[str, Any]:
    """Commit, machine and versions."""
    return {
        "commit": _commit(),
        "machine": processor(),
        "python": platform.python_version(),
        "packages": {name: version_of(name) for name in _PACKAGES},
    }


def _commit() -> str:
    """The commit of the sources, with a plus sign if they were changed since; empty if they are in
    no repository.
    """
    folders = [Path(hiddenhand.__file__).parent, Path(__file__).parent]
    commit = git(folders[0], "rev-parse", "--short=12", "HEAD")
    changed = commit and any(git(folder, "status", "--porcelain", "--", ".") for folder in folders)
    return f"{commit}+" if changed else commit


def git(folder: Path, *arguments: str) -> str:
    """What git prints in a folder; nothing if it fails."""
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def version_of(package: str) -> str:
    """The version of a package; nothing if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def processor() -> str:
    """The name of the processor."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
