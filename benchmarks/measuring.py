"""How a figure is taken and kept: measurements, targets, interleaved rounds, fresh processes, and
what machine it was.
"""

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import ROOT, Kept, row
from hiddenhand_papers.runner import git, processor, version_of

RESULTS: Final = Kept(ROOT / "benchmarks" / "results" / "peers.json")
MEASURED: Final = ("src", "benchmarks", ":!benchmarks/results")
"""What the figures depend on, for git."""
PACKAGES: Final = ("hiddenhand", "numba", "llvmlite", "numpy", "scipy", "open_spiel", "LiteEFG")


@dataclass(frozen=True)
class Target:
    """What a measurement must reach: ``ratio`` (ours / theirs) at least, ``least`` or ``most`` (of
    ours).
    """

    kind: str
    value: float

    def is_met(self, measured: float) -> bool:
        return measured <= self.value if self.kind == "most" else measured >= self.value

    def __str__(self) -> str:
        text = f"{self.value:,g}"
        return {"ratio": f"ratio >= {text}", "least": f">= {text}", "most": f"<= {text}"}[self.kind]


@dataclass(frozen=True)
class Measurement:
    """One figure, an entry for each round. ``theirs`` is empty where there is nobody to compare
    with.
    """

    group: str
    name: str
    unit: str
    ours: list[float]
    theirs: list[float] = field(default_factory=list)
    peer: str = ""
    target: Target | None = None
    note: str = ""

    @property
    def ratios(self) -> list[float]:
        """Ours / theirs, round by round."""
        return (
            [mine / other for mine, other in zip(self.ours, self.theirs, strict=True)]
            if self.theirs
            else []
        )

    @property
    def is_met(self) -> bool | None:
        """Whether the median reaches the target; None without a target."""
        if self.target is None:
            return None
        return self.target.is_met(
            statistics.median(self.ratios if self.target.kind == "ratio" else self.ours)
        )

    def record(self) -> dict[str, Any]:
        """For the file of results."""
        return asdict(self) | {"ratios": self.ratios, "is_met": self.is_met}


def from_record(record: dict[str, Any]) -> Measurement:
    """The measurement that `Measurement.record` described."""
    target = Target(**record["target"]) if record["target"] else None
    fields = {
        name: record[name] for name in ("group", "name", "unit", "ours", "theirs", "peer", "note")
    }
    return Measurement(**fields, target=target)


def interleaved(
    rounds: int, ours: Callable[[int], float], theirs: Callable[[int], float]
) -> tuple[list[float], list[float]]:
    """Call both with the number of the round, in turns, so that a slow spell of the machine hits
    both.
    """
    mine, others = [], []
    for number in range(rounds):
        mine.append(ours(number))
        others.append(theirs(number))
    return mine, others


def rate_for(seconds: float, step: Callable[[], Any]) -> float:
    """How many times a second ``step`` can be called, over about ``seconds``."""
    calls, began = 0, time.perf_counter()
    while (passed := time.perf_counter() - began) < seconds:
        step()
        calls += 1
    return calls / passed


def in_fresh_process(task: str, *arguments: str, cache: Path | None = None) -> dict[str, float]:
    """Run a task of `benchmarks.fresh` in a process of its own. ``cache``: another folder for
    compiled code.
    """
    environment = dict(os.environ) | ({"HIDDENHAND_CACHE": str(cache)} if cache else {})
    command = [sys.executable, "-m", "benchmarks.fresh", task, *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def wall_seconds(*command: str) -> float:
    """How long a command takes from start to end."""
    began = time.perf_counter()
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    return time.perf_counter() - began


def surroundings() -> dict[str, Any]:
    """The machine, the versions and the commit."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": git(ROOT, "rev-parse", "HEAD") or "none",
        "uncommitted changes": bool(git(ROOT, "status", "--porcelain", "--", *MEASURED)),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: version_of(name) or None for name in PACKAGES},
    }


def keep(measurements: list[Measurement], around: dict[str, Any]) -> None:
    """Write everything to one file."""
    RESULTS.write(around | {"measurements": [one.record() for one in measurements]})


def measured_rows(
    kept: Kept, cases: Iterable[tuple[str, Callable[[], list[str]]]], until: float = math.inf
) -> Iterator[str]:
    """The lines of a table, printed as they come: one for each case whose cells are kept.

    cases: the name of each, and what measures its cells. Cells are kept at once, and kept cells are
        not measured again.
    until: the time by `time.monotonic` after which nothing is measured any more.
    """
    known = kept.read()
    for name, measure in cases:
        if name not in known and time.monotonic() < until:
            known[name] = {"cells": measure(), "at": surroundings()}
            kept.write(known)
        if name in known:
            print(row(known[name]["cells"]), flush=True)
            yield row(known[name]["cells"])
