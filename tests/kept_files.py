"""Files of every kind that the package writes, as a version of it wrote them: ``tests/kept_files/``
has a folder for each version.

``python tests/kept_files.py tests/kept_files/VERSION`` writes those of the present version, with
Python 3.11, before it is released. The files of a released version never change.
"""

import json
import sys
from pathlib import Path

from hiddenhand import CFR, OOS, evaluate, load_game, play_tournament, solve, train, unroll
from hiddenhand.search.snapshots import Curve
from hiddenhand.web.recorded_matches import RECORD_FORMAT
from hiddenhand.web.store import Store

EVENTS = ({"name": "opened", "at": 1}, {"name": "over"})
"""What the file of tables holds of the table ``place``."""


def write_files(folder: Path) -> None:
    """Write a file of each kind into an empty folder."""
    folder.mkdir(parents=True)
    kuhn = load_game("kuhn_poker")
    tree = unroll(kuhn)
    solve(tree).strategy().save(folder / "strategy")
    search = OOS(kuhn, seed=1)
    search.run(iterations=2000)
    search.save(folder / "search")
    run = CFR(tree, "cfr+")
    run.run(iterations=100)
    run.save(folder / "cfr")
    train(kuhn, folder / "blueprint", iterations=200)
    (folder / "blueprint.lock").unlink(missing_ok=True)
    play_tournament("kuhn_poker", ["random", "equilibrium"], 3, deals=1, file=folder / "matches")
    evaluate(kuhn, "oos", iterations=20, matches=5, seeds=[1], file=folder / "evaluation")
    store = Store(folder / "tables")
    for number, event in enumerate(EVENTS):
        store.add("place", number, event)
    store.close()
    record = {
        "format": RECORD_FORMAT,
        "game": "kuhn_poker",
        "players": ["random", "human"],
        "seconds": 1.0,
        "seed": 0,
        "deals": "1",
        "moves": [1, 2, 0, 1, 0],
        "returns": [-1.0, 1.0],
    }
    (folder / "record.json").write_text(json.dumps(record))
    curve = Curve(folder / "search.curve.jsonl")
    curve.lines = [
        {
            "game": repr(kuhn), "algorithm": "oos", "seed": 1, "snapshot": None, "file": None,
            "iterations": done, "seconds": 0.5, "information_sets": 12, "nash_conv": 1 / done,
            "plan": {
                "iterations": 200, "seconds": None, "snapshots": 2, "every": None, "begun": 0,
                "begun_seconds": 0.0, "nash_conv": True, "unseen": "fixed",
            },
        }
        for done in (100, 200)
    ]  # fmt: skip
    curve.write()


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
