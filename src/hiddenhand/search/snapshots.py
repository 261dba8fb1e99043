"""Long searches from the beginning of a game: snapshots on the way, and the curve of what was
found.

A snapshot of a search that is kept in ``lhe.search`` is a file with a number, ``lhe.001.search``.
``lhe.search`` itself is always the newest of them, and ``lhe.curve.jsonl`` has a line of JSON for
each, the beginning included. All files are written whole. A search that was killed, at any moment,
continues from the last snapshot: the curve knows the `Plan`.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from hiddenhand import clock
from hiddenhand.archives import count, duration
from hiddenhand.budget import verify_budget
from hiddenhand.dataframes import frame
from hiddenhand.errors import FileError, OptionError, RefusedOptionError
from hiddenhand.files import as_path, newer_format, write_file
from hiddenhand.notebooks import Plotted, Shown
from hiddenhand.parameters import whole_number
from hiddenhand.progress import SILENT, Progress, Report
from hiddenhand.search.online import OnlineSearch
from hiddenhand.search.root_search import Found, found_by, spec_of
from hiddenhand.search.table_search import TableSearch
from hiddenhand.text import one_line
from hiddenhand.trees.strategy import UNSEEN

Measure = Callable[[Found], Mapping[str, float]]
"""What a line of the curve says besides iterations, seconds and information sets, by name."""
_FORMAT: Final = 1  # of lines; a line names it where it is not 1
_ABOUT: Final = ("game", "algorithm", "seed")
_HARDLY_ANY: Final = 0.005  # seconds, which the clock of a search may be early
_MOST: Final = 60
"""Snapshots that a plan may have: each doubles what was done before."""


@dataclass(frozen=True)
class Plan:
    """How long a search runs, and when it writes snapshots. Raises OptionError for a plan that
    cannot be carried out.

    iterations, seconds: how long; one of the two.
    snapshots: N, for snapshots at the ends of N parts, of which each is as long as all before it
        together; None for one at the end only.
    every: seconds after which there is a snapshot, besides; None for no such snapshots.
    begun: after how many iterations of the search the plan began.
    begun_seconds: after how many seconds of the search the plan began.
    nash_conv: whether the curve says how far from an equilibrium the search is.
    unseen: what is played in information sets that the search does not know.
    """

    iterations: int | None = None
    seconds: float | None = None
    snapshots: int | None = None
    every: float | None = None
    begun: int = 0
    begun_seconds: float = 0.0
    nash_conv: bool = False
    unseen: str = "uniform"

    def __post_init__(self) -> None:
        verify_budget(self.iterations, self.seconds)
        if self.iterations is not None and self.seconds is not None:
            raise OptionError(
                "a search with snapshots ends after iterations or after seconds; give one of them"
            )
        if self.snapshots is not None and whole_number("snapshots", self.snapshots) > _MOST:
            raise RefusedOptionError(
                "snapshots", self.snapshots, f"give a whole number from 1 to {_MOST}"
            )
        if self.every is not None and not 0 < self.every < math.inf:
            raise RefusedOptionError("every", self.every, "give seconds above 0")

    @property
    def stops(self) -> list[float]:
        """Where snapshots are due, in iterations or seconds of the search, the end included."""
        count = self.snapshots or 1
        parts = [0.5 ** (count - number) for number in range(1, count + 1)]
        if self.iterations is None:
            assert self.seconds is not None
            return [self.begun_seconds + part * self.seconds for part in parts]
        ends = {max(round(part * self.iterations), 1) for part in parts}
        return [self.begun + end for end in sorted(ends)]


class Curve(Shown, Plotted):
    """The lines of a curve, in a file.

    path: the file.
    lines: each with the number of its snapshot and the name of that file, or null for both, with
        ``iterations``, ``seconds`` and ``information_sets``, with what else was measured, and with
        the plan.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: list[dict[str, Any]] = []

    @classmethod
    def read(cls, path: Path | str) -> "Curve":
        """The curve in a file; one without lines if there is no file. Raises FileError for a file
        that is no curve.
        """
        path = as_path(path, "path")
        curve = cls(path)
        if not path.exists():
            return curve
        try:
            curve.lines = [
                json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()
            ]
            form = max((line.get("format", _FORMAT) for line in curve.lines), default=_FORMAT)
            if form <= _FORMAT:
                _verify_lines(curve.lines)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise FileError(
                f"{path} is not the curve of a search; move it away, or give another --out"
            ) from None
        if form > _FORMAT:
            raise newer_format(path, form, _FORMAT)
        return curve

    @property
    def plan(self) -> Plan | None:
        """The plan of the last line."""
        return _plan_of(self.lines[-1]) if self.lines else None

    def __repr__(self) -> str:
        made = self.lines[-1]["iterations"] if self.lines else 0
        snapshots = f"{self.num_snapshots} snapshots"
        return one_line(self, self.path.name, f"{made:,} iterations", snapshots)

    @property
    def num_snapshots(self) -> int:
        """The number of the last snapshot."""
        return max((line["snapshot"] or 0 for line in self.lines), default=0)

    def to_frame(self) -> Any:
        """A ``pandas.DataFrame`` with a row for each line, without the plan."""
        return frame(
            {name: value for name, value in line.items() if name != "plan"} for line in self.lines
        )

    def write(self) -> None:
        """Write all lines, whole."""
        write_file(self.path, "".join(json.dumps(line) + "\n" for line in self.lines).encode())


def _verify_lines(lines: Sequence[Mapping[str, Any]]) -> None:
    """Raise ValueError, KeyError or TypeError for lines that are no curve."""
    done = [line["iterations"] for line in lines]
    if not all(map(count, done)) or any(later <= earlier for earlier, later in pairwise(done)):
        raise ValueError("iterations that do not grow")
    for line in lines:
        _ = _plan_of(line), [line[name] for name in _ABOUT]
        if not _or_none(count)(line["snapshot"]):
            raise ValueError("no number of a snapshot")


def _plan_of(line: Mapping[str, Any]) -> Plan:
    """The plan in a line. Raises ValueError, KeyError or TypeError where there is none."""
    given = line["plan"]
    if not set(given) == set(_PLAN) or not all(
        allowed(given[name]) for name, allowed in _PLAN.items()
    ):
        raise ValueError("no plan")
    return Plan(**given)


def _or_none(allowed: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or allowed(value)


_PLAN: Final[dict[str, Callable[[Any], bool]]] = {
    "iterations": _or_none(count),
    "seconds": _or_none(duration),
    "snapshots": _or_none(count),
    "every": _or_none(duration),
    "begun": count,
    "begun_seconds": duration,
    "nash_conv": lambda value: isinstance(value, bool),
    "unseen": lambda value: value in UNSEEN,
}
"""What a plan in a file may hold."""


def curve_of(out: Path) -> Path:
    """The file of the curve of a search that is kept in ``out``."""
    return out.with_name(f"{out.stem}.curve.jsonl")


def numbered(out: Path, number: int) -> Path:
    """The file of a snapshot of a search that is kept in ``out``."""
    return out.with_name(f"{out.stem}.{number:03}{out.suffix}")


class LongRun:
    """A search that runs by a plan, and writes snapshots.

    search: the search, fresh or from a file.
    out: the file in which it is kept.
    plan: how long it runs, and when it writes snapshots.
    measure: what else the curve says.
    """

    def __init__(
        self,
        search: OnlineSearch,
        out: Path | str,
        plan: Plan,
        measure: Measure = lambda found: {},
    ) -> None:
        assert isinstance(search, TableSearch)  # no other search can be saved
        self.search = search
        self.plan = plan
        about = repr(search.game), spec_of(search), search.seed
        self._about = dict(zip(_ABOUT, about, strict=True))
        self._out = as_path(out, "out")
        self._measure = measure
        self._curve = self._taken_up()

    def run(self, progress: Progress = SILENT) -> None:
        """Search on to the end of the plan."""
        self._curve.write()
        for stop in self.plan.stops:
            while (left := self._left(stop)) > 0:
                until = _Clock(progress, self.plan.every)
                if self.plan.seconds is None:
                    self.search.think(iterations=int(left), progress=until)
                else:
                    self.search.think(seconds=left, progress=until)
                self._snapshot()

    @property
    def is_over(self) -> bool:
        """Whether the plan is carried out."""
        return self._left(self.plan.stops[-1]) <= 0

    def _left(self, stop: float) -> float:
        """What is left up to ``stop``, in iterations or seconds; of seconds, hardly any is none."""
        done = self.search.result()
        if self.plan.seconds is None:
            return stop - done.iterations
        left = stop - done.seconds
        return left if left > _HARDLY_ANY else 0.0

    def _taken_up(self) -> Curve:
        """The curve up to where the search is. What a killed run wrote beyond that is made again,
        and a line that it did not come to write is added.
        """
        done = self.search.result().iterations
        curve = Curve(curve_of(self._out)) if done == 0 else Curve.read(curve_of(self._out))
        for line in curve.lines:
            if any(line[key] != value for key, value in self._about.items()):
                raise OptionError(
                    f"{curve.path} is the curve of {line['algorithm']} on {line['game']} with "
                    f"seed {line['seed']}; give another --out"
                )
        curve.lines = [line for line in curve.lines if line["iterations"] <= done]
        if not curve.lines or curve.lines[-1]["iterations"] < done:
            latest = numbered(self._out, curve.num_snapshots + 1)
            was_kept = done > 0 and latest.exists() and self._out.exists()
            is_kept = was_kept and latest.read_bytes() == self._out.read_bytes()
            curve.lines.append(self._line(curve.num_snapshots + 1 if is_kept else None))
        curve.lines[-1]["plan"] = asdict(self.plan)
        return curve

    def _snapshot(self) -> None:
        number = self._curve.num_snapshots + 1
        latest = numbered(self._out, number)
        self.search.save(latest)
        write_file(self._out, latest.read_bytes())
        self._curve.lines.append(self._line(number))
        self._curve.write()

    def _line(self, number: int | None) -> dict[str, Any]:
        found = found_by(self.search, 0.0)
        return {
            **self._about,
            "snapshot": number,
            "file": None if number is None else numbered(self._out, number).name,
            "iterations": found.iterations,
            "seconds": found.seconds,
            "information_sets": found.information_sets,
            **self._measure(found),
            "plan": asdict(self.plan),
        }


class _Clock:
    """A progress that tells another one, and ends the thinking when a snapshot is due."""

    def __init__(self, told: Progress, every: float | None) -> None:
        self._told = told
        self._until = math.inf if every is None else clock.now() + every

    def update(self, report: Report) -> None:
        self._told.update(report)
        if clock.now() >= self._until:
            raise StopIteration
