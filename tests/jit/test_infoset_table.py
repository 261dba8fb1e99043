"""The table of information sets, against a dictionary."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from hiddenhand.archives import load_arrays, save_arrays
from hiddenhand.jit.infoset_table import (
    MISSING,
    InformationSetTable,
    grown,
    new_table,
    num_bytes,
    num_sets,
    table_from_arrays,
    table_to_arrays,
)
from hiddenhand.jit.kernels import kernel
from hiddenhand.trees.strategy import TABLE

NO_LIMIT = 2**62


@kernel
def add_all(table, keys, sizes, starts):
    for index in range(keys.size):
        starts[index] = table.add(keys[index], sizes[index])


@kernel
def find_all(table, keys, starts):
    for index in range(keys.size):
        starts[index] = table.find(keys[index])


def added(table: InformationSetTable, keys: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    starts = np.zeros(keys.size, np.int64)
    add_all(table, keys, sizes, starts)
    return starts


def found(table: InformationSetTable, keys: np.ndarray) -> np.ndarray:
    starts = np.zeros(keys.size, np.int64)
    find_all(table, keys, starts)
    return starts


def random_keys(count: int, seed: int) -> np.ndarray:
    return np.unique(np.random.default_rng(seed).integers(1, 2**64, size=count, dtype=np.uint64))


def filled(
    keys: np.ndarray, sizes: np.ndarray, per_action: int = 2, per_set: int = 0, step: int = 100
) -> InformationSetTable:
    """A table that grew as it was filled."""
    table = new_table(per_action=per_action, per_set=per_set, sets=1, values=1)
    for first in range(0, keys.size, step):
        part = slice(first, first + step)
        if not table.has_room(len(keys[part]), int(sizes.max())):
            larger = grown(table, len(keys[part]), int(sizes.max()), NO_LIMIT)
            assert larger is not None
            table = larger
        added(table, keys[part], sizes[part])
    return table


def assert_equal(table: InformationSetTable, other: InformationSetTable, keys: np.ndarray) -> None:
    assert num_sets(table) == num_sets(other)
    assert (table.per_action, table.per_set) == (other.per_action, other.per_set)
    assert np.array_equal(found(table, keys), found(other, keys))
    used = int(table.counts[1])
    assert np.array_equal(table.values[:used], other.values[:used])


@pytest.mark.parametrize(("per_action", "per_set"), [(1, 0), (2, 0), (2, 1), (3, 4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_it_is_a_dictionary(seed: int, per_action: int, per_set: int) -> None:
    """Random additions, look-ups and writes, with growth between them."""
    rng = np.random.default_rng(seed)
    candidates = rng.integers(0, 2**64, size=3000, dtype=np.uint64)
    candidates[:3] = [0, 1, 2**64 - 1]
    table = new_table(per_action=per_action, per_set=per_set, sets=1, values=1)
    rows: dict[int, np.ndarray] = {}
    start_of: dict[int, int] = {}
    for key in rng.choice(candidates, size=4000):
        number, n = int(key), 1 + int(key) % 5
        start = int(found(table, np.array([key]))[0])
        assert start == start_of.get(number, MISSING)
        if start == MISSING:
            if not table.has_room(1, 5):
                larger = grown(table, 1, 5, NO_LIMIT)
                assert larger is not None
                table = larger
            start = start_of[number] = int(added(table, np.array([key]), np.array([n]))[0])
            rows[number] = np.zeros(n * per_action + per_set)
        place = rng.integers(rows[number].size)
        rows[number][place] += 1.0
        table.values[start + place] += 1.0
    assert num_sets(table) == len(rows)
    assert int(table.counts[1]) == sum(row.size for row in rows.values())
    for number, row in rows.items():
        assert np.array_equal(table.values[start_of[number] : start_of[number] + row.size], row)


def test_a_full_table_still_answers() -> None:
    """At its highest load a look-up for what is missing ends."""
    table = new_table(per_action=1, sets=64, values=10_000)
    capacity = table.keys.size
    keys = random_keys(3000, 5)
    added(table, keys[:capacity], np.ones(capacity, np.int64))
    assert not table.has_room(1, 1)
    assert set(found(table, keys[capacity:])) == {MISSING}


def test_the_memory_limit_holds_while_both_tables_exist() -> None:
    keys = random_keys(1000, 8)
    table = filled(keys, np.full(keys.size, 2))
    before = {
        name: array.copy() for name, array in vars(table).items() if isinstance(array, np.ndarray)
    }
    without_limit = grown(table, 100_000, 2, NO_LIMIT)
    assert without_limit is not None
    assert grown(table, 100_000, 2, num_bytes(table)) is None
    succeeded = 0
    for limit in np.linspace(1.0, 1.2, 21) * (num_bytes(table) + num_bytes(without_limit)):
        tracemalloc.start()
        larger = grown(table, 100_000, 2, int(limit))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert num_bytes(table) + peak <= limit + 20_000  # Python's own objects
        succeeded += larger is not None
        assert larger is None or larger.has_room(100_000, 2)
    assert succeeded
    for name, array in before.items():
        assert np.array_equal(getattr(table, name), array)


def test_a_new_table_is_ready_for_what_an_iteration_may_add() -> None:
    """Wide rows need more than the room that a table begins with."""
    assert new_table(per_action=2, rows=2, row_actions=50_000).is_ready()
    assert new_table(per_action=4, rows=5000, row_actions=1).is_ready()
    table = new_table(per_action=2, rows=2, row_actions=50_000, sets=1, values=1)
    assert table_from_arrays(table_to_arrays(table), rows=2, row_actions=50_000).is_ready()


@pytest.mark.parametrize("sets", [1_000, 3_000, 10_000, 30_000, 100_000, 300_000])
def test_bytes_for_each_set(sets: int) -> None:
    """Sets of 3 actions with 2 numbers each. Beyond these 16 bytes for each action, a set costs at
    most 150.
    """
    keys = random_keys(sets, 9)
    table = new_table(per_action=2)
    for first in range(0, keys.size, 1000):
        part = keys[first : first + 1000]
        if not table.has_room(part.size, 3):
            larger = grown(table, part.size, 3, NO_LIMIT)
            assert larger is not None
            table = larger
        added(table, part, np.full(part.size, 3))
    assert num_bytes(table) <= keys.size * (150 + 16 * 3)


def test_a_table_comes_back_from_a_file(tmp_path: Path) -> None:
    keys = random_keys(777, 10)
    table = filled(keys, 1 + np.arange(keys.size) % 4, per_set=2)
    table.values[: int(table.counts[1])] = np.random.default_rng(11).random(int(table.counts[1]))
    save_arrays(tmp_path / "table", TABLE, {}, table_to_arrays(table))
    loaded = table_from_arrays(load_arrays(tmp_path / "table", TABLE)[1])
    assert_equal(table, loaded, keys)
    assert set(found(loaded, random_keys(50, 12))) == {MISSING}
    added(loaded, np.array([12345], np.uint64), np.array([3]))
    assert num_sets(loaded) == num_sets(table) + 1
