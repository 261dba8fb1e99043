"""Copies of tables, and how they become one again, against dictionaries."""

from typing import Any

import numpy as np
import pytest

from hiddenhand.jit.infoset_table import (
    MISSING,
    InformationSetTable,
    new_table,
    num_bytes,
    num_sets,
)
from hiddenhand.jit.kernels import kernel
from hiddenhand.search.parallel.table_copies import Copies, change, changes_of
from hiddenhand.search.parallel.table_merging import CopiedTable, Merging

NO_LIMIT = 2**62


@kernel
def learn(table, keys, amounts):
    """Add to each number of the rows with these keys; rows of one action that are missing are
    added.
    """
    for index in range(keys.size):
        row = table.find(keys[index])
        if row == MISSING:
            row = table.add(keys[index], 1)
        for number in range(table.per_action + table.per_set):
            table.values[row + number] += amounts[index] * (number + 1)


def share(calls: list[tuple[Any, ...]]) -> None:
    for function, *arguments in calls:
        function(*arguments)


def rows(table: InformationSetTable) -> dict[int, list[float]]:
    """The numbers in each row, by key: of a copy those rows first that its table has."""
    found = {}
    for part in (table.of, table) if isinstance(table, CopiedTable) else (table,):
        for i in range(num_sets(part)):
            found[int(part.keys[i])] = table.values[part.starts[i] : part.starts[i + 1]].tolist()
    return found


def drawn(random: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys, some of them the same, and what to add: sums of powers of two are exact."""
    keys = random.integers(1, 400, size).astype(np.uint64)
    return keys, random.integers(1, 9, size).astype(np.float64)


@pytest.mark.parametrize("per_set", [1, 600])
@pytest.mark.parametrize("streams", [2, 4])
def test_sums_are_those_of_one_table(streams: int, per_set: int) -> None:
    """Round after round, while the table grows: what a single table would have been told."""
    random = np.random.default_rng(streams)
    table = new_table(per_action=2, per_set=per_set, sets=8, values=32)
    single = new_table(per_action=2, per_set=per_set, sets=2000, values=20_000 * per_set)
    copies = Copies(streams, Merging(), share, 2)
    for _ in range(12):
        copies.follow(table)
        for copy in copies.copies:
            keys, amounts = drawn(random, min(3, copy.keys.size - num_sets(copy)))
            learn(copy, keys, amounts)
            learn(single, keys, amounts)
        table, added, _ = copies.merge(table, NO_LIMIT)
        assert rows(table) == rows(single)
        assert added <= 3 * streams
    assert num_bytes(table) > num_bytes(new_table(per_action=2, per_set=1, sets=8, values=32))
    for copy in copies.copies:
        parts = {key: (np.array(row) / streams).tolist() for key, row in rows(single).items()}
        assert rows(copy) == parts


def test_what_is_no_sum_is_kept_as_it_was_written() -> None:
    """The row above at the front, in terms of the table that it is in, and tags at the back."""
    table = new_table(per_action=1, per_set=2, sets=100, values=1000)
    copies = Copies(2, Merging(front=1, back=1), share, 1)
    copies.follow(table)
    for copy, keys in zip(copies.copies, ([5, 6], [7, 6, 8]), strict=True):
        above = -1
        for key in keys:
            row = copy.add(np.uint64(key), 1)
            copy.values[row : row + 3] = above, 10.0, key
            above = row
    merged, added, single = copies.merge(table, NO_LIMIT)
    assert merged is table
    assert (added, single) == (4, 0)
    assert rows(table) == {5: [-1, 10, 5], 6: [0, 20, 6], 7: [-1, 10, 7], 8: [3, 10, 8]}
    assert rows(copies.copies[0]) == {5: [-1, 5, 5], 6: [0, 10, 6], 7: [-1, 5, 7], 8: [3, 5, 8]}


def test_averages_are_means_of_those_who_learnt() -> None:
    table = new_table(per_action=2, sets=100, values=1000)
    for key, pair in ((1, (4.0, 1.0)), (2, (0.0, 0.0)), (3, (7.0, 1.0))):
        row = table.add(np.uint64(key), 1)
        table.values[row : row + 2] = pair
    copies = Copies(3, Merging(averages=True), share, 1)
    copies.follow(table)
    for copy, learnt in zip(
        copies.copies, ({1: 5.0, 9: 1.0}, {1: 9.0, 2: 3.0, 9: 2.0}, {9: 6.0}), strict=True
    ):
        for key, value in learnt.items():
            row = copy.find(np.uint64(key))
            row = copy.add(np.uint64(key), 1) if row == MISSING else row
            copy.values[row : row + 2] = value, 1.0
    table, _, _ = copies.merge(table, NO_LIMIT)
    assert rows(table) == {1: [7, 1], 2: [3, 1], 3: [7, 1], 9: [3, 1]}
    assert all(rows(copy) == rows(table) for copy in copies.copies)


def test_changes_make_another_copy_the_same() -> None:
    random = np.random.default_rng(3)
    table = new_table(per_action=2, sets=600, values=5000)
    learn(table, *drawn(random, 60))
    there, here = (Copies(2, Merging(), share, 1) for _ in range(2))
    for copies in (there, here):
        copies.follow(table)
    for sent, received in zip(there.copies, here.copies, strict=True):
        learn(sent, *drawn(random, 80))
        change(received, changes_of(sent))
        assert_same(sent, received)
    merged = [copies.merge(table_of(table), NO_LIMIT)[0] for copies in (there, here)]
    assert rows(merged[0]) == rows(merged[1])


def table_of(table: InformationSetTable) -> InformationSetTable:
    again = new_table(per_action=2, sets=600, values=5000)
    for key, row in rows(table).items():
        start = again.add(np.uint64(key), len(row) // 2)
        again.values[start : start + len(row)] = row
    return again


def assert_same(one: CopiedTable, other: CopiedTable) -> None:
    assert rows(one) == rows(other)
    added = one.keys[: num_sets(one)]
    assert [one.look_up(key) for key in added] == [other.look_up(key) for key in added]


@pytest.mark.parametrize("part", [1.0, 0.2, 0.002])
def test_all_rows_that_were_looked_up_are_merged_and_no_others(part: float) -> None:
    """Whether rows that stand together were looked up, or one here and one there."""
    random = np.random.default_rng(11)
    table = new_table(per_action=2, per_set=1, sets=5000, values=20_000)
    learn(table, np.arange(1, 5000, dtype=np.uint64), np.ones(4999))
    copies = Copies(3, Merging(), share, 2)
    copies.follow(table)
    expected = rows(table)
    for copy in copies.copies:
        keys = random.permutation(np.arange(1, 5000, dtype=np.uint64))[: int(5000 * part)]
        learn(copy, keys, 3 * np.ones(keys.size))
        for key in keys.tolist():
            expected[key] = (np.array(expected[key]) + np.array([3, 6, 9])).tolist()
    merged, added, _ = copies.merge(table, NO_LIMIT)
    assert (merged is table, added) == (True, 0)
    assert {key: np.round(row, 9).tolist() for key, row in rows(table).items()} == expected
