"""Rounds of streams, as in `search.parallel.streams`, with dictionaries in place of merged
tables."""

from dataclasses import replace
from typing import Any

import numpy as np

from hiddenhand.jit.infoset_table import new_table, num_sets
from hiddenhand.jit.random import new_state, seed_sequence
from hiddenhand.search.traversal import ITERATIONS, run


def rows_of(table: Any) -> dict[int, np.ndarray]:
    starts = table.starts[: num_sets(table) + 1].tolist()
    return {
        int(key): table.values[first:last].copy()
        for key, first, last in zip(table.keys, starts[:-1], starts[1:], strict=False)
    }


def table_of(rows: dict[int, np.ndarray], streams: int, like: Any) -> Any:
    """A table with the rows of one of ``streams``."""
    numbers = sum(row.size for row in rows.values())
    table = new_table(
        per_action=like.per_action,
        per_set=like.per_set,
        rows=like.rows,
        row_actions=like.row_actions,
        sets=len(rows) + 5000,
        values=numbers + 100_000,
    )
    for key, row in rows.items():
        actions = (row.size - like.per_set) // like.per_action
        start = table.add(np.uint64(key), actions)
        table.values[start : start + row.size] = row / streams
    return table


def searched(search: Any, seed: int, streams: int, *thinkings: int) -> dict[int, np.ndarray]:
    """The rows that ``search``, at the root and with sums only in its table, should have after it
    has thought for so many iterations, once or several times.
    """
    merged: dict[int, np.ndarray] = {}
    rng = [new_state(own) for own in seed_sequence(seed).spawn(3)[2].spawn(streams)]
    for number, iterations in enumerate(thinkings):
        _think(search, rng, merged, iterations, sum(thinkings[:number]))
    return merged


def _think(
    search: Any, rng: list[Any], merged: dict[int, np.ndarray], iterations: int, known: int
) -> None:
    """Think on from ``merged``, which ``known`` iterations have made."""
    streams, done, share = len(rng), 0, 4
    least = max(iterations // 64, min(known, iterations) // 2)
    while done < iterations:
        each = max(64, max(done // share, least) // streams)
        size = min(each * streams, iterations - done)
        before, began = {key: row.copy() for key, row in merged.items()}, done
        for w in range(streams):
            table = table_of(before, streams, search.table)
            counters = np.zeros_like(search._counters)
            run(
                replace(search._traversal(), table=table, rng=rng[w], counters=counters),
                (size + streams - 1 - w) // streams,
            )
            done += int(counters[ITERATIONS])
            for key, row in rows_of(table).items():
                if key in before:
                    merged[key] = merged[key] + (row - before[key] / streams)
                else:
                    merged[key] = merged[key] + row if key in merged else row
        share = 2 if 8 * (len(merged) - len(before)) > done - began else 4
