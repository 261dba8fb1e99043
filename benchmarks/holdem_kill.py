"""A training in Limit Hold'em that is killed again and again, and ends with the same bits.

Usage, in the root of the repository: python -m benchmarks.holdem_kill [--episodes N] [--kills K]

`hiddenhand search` trains Smooth UCT with snapshots, once without a break. A second run with the
same seed is ended by SIGKILL at random moments, each time gone on with by `--resume` alone, and at
last left to its end. Both files must hold the same, but for the seconds, and so must both curves.
What was seen is kept in benchmarks/results/holdem_kill.json.
"""

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.kept import Kept
from benchmarks.measuring import surroundings
from hiddenhand.archives import load_arrays
from hiddenhand.search.table_search import TableSearch

KEPT: Final = Kept.of(__file__)
_SEARCH: Final = [sys.executable, "-m", "hiddenhand", "search", "limit_holdem(buckets=paper)"]
_SMOOTH: Final = "smooth-uct(exploration=240,potential=0.5,decay=0.00005)"
"""The constants of Section 4.3 of Heinrich and Silver (2015), in chips, ten to a big blind."""
_TIMES: Final = ("seconds", "sha256")  # what may differ


def contents(file: Path) -> list[Any]:
    """What a file holds of a search, without times."""
    header, arrays = load_arrays(file, TableSearch.ANY_FILE)
    kept = {name: value for name, value in header.items() if name not in _TIMES}
    return [kept, *(arrays[name].tobytes() for name in sorted(arrays))]


def curve(file: Path) -> list[dict[str, Any]]:
    """The lines of a curve, without times and names of files."""
    lines = map(json.loads, file.with_suffix(".curve.jsonl").read_text().splitlines())
    return [{name: line[name] for name in ("snapshot", "iterations", "plan")} for line in lines]


def killed(command: list[str], file: Path, chooser: random.Random) -> dict[str, Any] | None:
    """Kill a run some time after it has begun to work; None if it ended before."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait = 3.0 + chooser.random() * 12.0
    try:
        assert process.wait(wait) == 0
        return None
    except subprocess.TimeoutExpired:
        process.kill()
        assert process.wait() == -signal.SIGKILL
    known = file.with_suffix(".curve.jsonl").exists()
    return {
        "seconds": round(time.perf_counter() - began, 2),
        "kept episodes": curve(file)[-1]["iterations"] if known else 0,
    }


def main() -> None:
    """Make both runs, and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--episodes", type=int, default=4_000_000)
    parser.add_argument("--kills", type=int, default=3)
    asked = parser.parse_args()
    chooser = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = Path(folder) / "whole.search", Path(folder) / "broken.search"
        budget = ["--iterations", str(asked.episodes), "--snapshots", "8", "--seed", "1"]
        anew = [*_SEARCH, _SMOOTH, *budget, "--out"]
        resumed = [*_SEARCH, "smooth-uct", "--resume", str(broken)]
        subprocess.run([*anew, str(whole)], check=True, stdout=subprocess.DEVNULL)
        kills = []
        for _ in range(asked.kills):
            command = resumed if broken.exists() else [*anew, str(broken)]
            kills.append(killed(command, broken, chooser))
        if kills[-1] is not None:
            subprocess.run(resumed, check=True, stdout=subprocess.DEVNULL)
        assert contents(broken) == contents(whole)
        assert curve(broken) == curve(whole)
        seen = {
            "episodes": asked.episodes,
            "snapshots": [line["iterations"] for line in curve(whole)],
            "kills": kills,
            "equal to the last bit": True,
            "bytes compared": sum(map(len, contents(whole)[1:])),
            "where": surroundings(),
        }
    print(json.dumps(seen, indent=1))
    KEPT.write(seen)


if __name__ == "__main__":
    main()
