"""Smooth UCT trains in Limit Hold'em: how fast, and in how much memory, for two players and three.

Usage, in the root of the repository:

    python -m benchmarks.holdem_training --players 3 --seconds 600 --file three.search
    python -m benchmarks.holdem_training --play --file three.search
    python -m benchmarks.holdem_training --whole

The search has the buckets of Heinrich and Silver (2015), Table 1, and their constants. It is kept
in the file, and the same command goes on with it. Every few seconds it is written down how many
episodes and information sets there are, what the table takes, and what all of the process takes in
memory of its own: the tables of buckets are files that are mapped, and are counted apart. The paper
trained two players within 200 MB, and three within 3.6 GB.

`--play` has the greedy and the average strategy of the file play duplicate matches, in which each
deal is played in all orders of the seats. `--whole` says what the table of two players takes once
it has all information sets. Results are in benchmarks/results/holdem_training.json.
"""

import argparse
import itertools
import json
import re
import threading
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.kept import Kept
from benchmarks.measuring import surroundings
from hiddenhand import load_game, make_search
from hiddenhand.games.poker.limit_holdem import LimitHoldem
from hiddenhand.jit.infoset_table import (
    InformationSetTable,
    made_ready,
    new_table,
    num_bytes,
    num_sets,
    table_to_arrays,
)
from hiddenhand.jit.kernels import kernel
from hiddenhand.jit.random import RandomState, new_state, next_uint64
from hiddenhand.search.sampling.smooth_uct import SmoothUCT
from hiddenhand.search.selection.smooth_ucb import UCB
from hiddenhand.search.table_search import DEFAULT_MEMORY
from hiddenhand.search.traversal import ITERATIONS
from hiddenhand.trees.strategy_files import load_strategy
from hiddenhand_papers.smooth.duels import CALL, RAISE, RANDOM, duel

KEPT: Final = Kept.of(__file__)
MOST_CHIPS: Final = {2: 240, 3: 360}
"""C of the paper, 24 and 36 big blinds, in chips."""
ALL_SETS: Final = (1_520_352, 3_952_949)
"""Information sets and actions of two players."""
_EACH: Final = 10.0  # seconds of the processor between two lines
_MIB: Final = 2**20


class Memory:
    """Watches how much memory this process takes, a hundred times a second.

    own: the most bytes of its own, at any moment so far.
    mapped: the most bytes of files that were mapped.
    """

    def __init__(self) -> None:
        self.own = self.mapped = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            status = Path("/proc/self/status").read_text()
            own, mapped = (
                1024 * int(re.findall(rf"{name}:\s+(\d+)", status)[0])
                for name in ("RssAnon", "RssFile")
            )
            self.own, self.mapped = max(self.own, own), max(self.mapped, mapped)
            time.sleep(0.01)


def train(players: int, seconds: float, file: Path, memory: int) -> list[dict[str, Any]]:
    """Train for so many seconds of the processor, and keep the search in ``file``."""
    watched = Memory()
    game = load_game(f"limit_holdem(players={players},buckets=paper)")
    if file.exists():
        search = SmoothUCT.load(file, game)
    else:
        spec = f"smooth-uct(exploration={MOST_CHIPS[players]},potential=0.5,decay=0.00005)"
        made = make_search(game, spec, 1, memory=memory)
        assert isinstance(made, SmoothUCT)
        search = made
        search.think(iterations=1)  # compiled now, and not on the clock
    lines, until = [], time.process_time() + seconds
    while time.process_time() < until:
        began, before = time.process_time(), int(search._counters[ITERATIONS])
        while time.process_time() < began + _EACH:
            search.think(iterations=100_000)
        episodes = int(search._counters[ITERATIONS])
        lines.append(
            {
                "episodes": episodes,
                "episodes a second": round((episodes - before) / (time.process_time() - began)),
                "information sets": num_sets(search.table),
                "table bytes": num_bytes(search.table),
                "own memory": watched.own,
                "mapped files": watched.mapped,
            }
        )
        print(json.dumps(lines[-1]), flush=True)
    search.save(file)
    lines[-1]["own memory, with saving"] = watched.own
    return lines


def whole_table() -> dict[str, Any]:
    """The table of two players with all sets and actions, grown as in a search. What it takes
    depends on numbers only, so keys are drawn, and rows are empty.
    """
    sets, actions = ALL_SETS
    table = new_table(per_action=UCB.PER_ACTION, per_set=UCB.PER_SET, rows=2, row_actions=3)
    rng, largest = new_state(1), actions - 2 * sets  # with two actions or three
    while num_sets(table) < sets:
        table = made_ready(table, DEFAULT_MEMORY)
        _add_rows(table, sets, largest, rng)
    return {
        "information sets": sets,
        "actions": actions,
        "table bytes": num_bytes(table),
        "bytes in use": sum(array.nbytes for array in table_to_arrays(table).values())
        + table.slots.nbytes,
    }


@kernel
def _add_rows(table: InformationSetTable, sets: int, largest: int, rng: RandomState) -> None:
    """Add rows until the table has ``sets`` or is full, the first ``largest`` for three actions."""
    while table.counts[0] < sets and table.is_ready():
        table.add(next_uint64(rng), 3 if table.counts[0] < largest else 2)


def play(file: Path, deals: int) -> dict[str, Any]:
    """Duplicate matches of the strategies in ``file`` against simple players, in all orders of the
    seats: what they win, in thousandths of a big blind for each hand, with standard errors.
    """
    average, greedy = load_strategy(file), load_strategy(file, greedy=True)
    game = next(
        game
        for players in (2, 3)
        if repr(game := LimitHoldem(players, buckets="paper")) == average.game
    )
    found: dict[str, Any] = {"deals": deals}
    others = {"call": CALL, "raise": RAISE, "random": RANDOM}
    tables = [(name, [number] * (game.players - 1)) for name, number in others.items()]
    if game.players == 3:
        tables.append(("call and raise", [CALL, RAISE]))
    for kind, strategy in (("greedy", greedy), ("average", average)):
        for name, seated in tables:
            orders = sorted(set(itertools.permutations([0, *seated])))
            (result,) = duel(game, [strategy], np.array(orders), deals, 1)
            found[f"{kind} against {name}"] = vars(result) | {"orders": len(orders)}
    orders = sorted(set(itertools.permutations([0] + [1] * (game.players - 1))))
    result, _ = duel(game, [greedy, average], np.array(orders), deals, 1)
    found["greedy against average"] = vars(result) | {"orders": len(orders)}
    return found


def main() -> None:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--players", type=int, choices=(2, 3), default=2)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--file", type=Path, default=Path("holdem.search"))
    parser.add_argument("--memory", type=int, default=3200, help="of the table, in MiB")
    parser.add_argument("--play", action="store_true")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--deals", type=int, default=100_000)
    asked = parser.parse_args()
    if asked.whole:
        name, found = "the table of two players", whole_table()
        print(json.dumps(found))
    elif asked.play:
        name, found = f"matches of {asked.file.stem}", play(asked.file, asked.deals)
        print(json.dumps(found, indent=1))
    else:
        name = f"training of {asked.file.stem}, {asked.players} players"
        found = {"lines": train(asked.players, asked.seconds, asked.file, asked.memory * _MIB)}
    kept = KEPT.read()
    if "lines" in found and name in kept:
        found["lines"] = kept[name]["lines"] + found["lines"]
    KEPT.add(name, found | {"where": surroundings()})


if __name__ == "__main__":
    main()
