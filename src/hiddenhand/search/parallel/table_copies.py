"""Copies of a table of information sets, one for each stream of a search: how they are made, follow
the table, and are sent to other processes. What a copy holds, and how copies become one table
again, is in `search.parallel.table_merging`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from hiddenhand.jit.arrays import Floats, Integers, Keys, places_of
from hiddenhand.jit.infoset_table import InformationSetTable, grown, new_table, num_sets
from hiddenhand.search.parallel.cache_lines import LINE, alone
from hiddenhand.search.parallel.table_merging import (
    BLOCK,
    CopiedTable,
    Merging,
    end_averages,
    enter_rows,
    fill_rows,
    forget_rows,
    merge_rows,
    place_rows,
    write_rows,
)

Share = Callable[[list[tuple[Any, ...]]], None]
"""Makes calls, each given as a function with its arguments, perhaps several at the same time."""

_Entered = tuple[CopiedTable, Integers, int]
"""A copy, where the rows that its stream has added start in the table, and where those begin that
no stream before it has added.
"""

_AHEAD: Final = 4  # times as many values as a table has now
_FEW: Final = 4096  # rows that one thread merges, or writes, sooner than two share them


class Copies:
    """Copies of one table, for W streams. Their values stand in one array, with a row for each
    copy.

    streams: W.
    merging: what the numbers of a row are.
    share: makes calls.
    threads: how many calls are made at the same time.
    here: how many copies there are: W, or, where some of the streams work that are divided over
        several processes, fewer.
    """

    def __init__(
        self, streams: int, merging: Merging, share: Share, threads: int, here: int | None = None
    ) -> None:
        self.copies: list[CopiedTable] = []
        self._streams = streams
        self._here = streams if here is None else here
        self._merging = merging
        self._share = share
        self._threads = threads
        self._values = np.empty((self._here, 0))
        self._touched = np.zeros((self._here, 0), np.uint8)
        self._added = [_no_rows(1) for _ in range(self._here)]  # by each stream: their slots
        self._of: InformationSetTable | None = None  # the table that all copies follow
        self._known = self._used = 0  # its sets and values

    def follow(self, table: InformationSetTable) -> None:
        """Let all copies follow ``table``, unless they do."""
        if not self._follow(table):
            self._catch_up(table, 0)
        elif self.copies[0].growing != table.growing:
            self.copies = [replace(copy, growing=table.growing) for copy in self.copies]

    def merge(
        self, table: InformationSetTable, memory_limit: int
    ) -> tuple[InformationSetTable, int, int]:
        """``table``, perhaps a larger one, with all that the streams have learnt. Returned are also
        how many rows were added to it, and how many of them have one number only.
        """
        known, arrays = self._known, (self._values, self._touched)
        self._share(
            [
                (merge_rows, table, *arrays, first, last, self._merging)
                for first, last in _parts(0, known, self._threads)
            ]
        )
        self._touched[:, : (table.values.size >> BLOCK) + 1] = 0
        added = sum(num_sets(copy) for copy in self.copies)
        if added == 0:
            return table, 0, 0
        larger = self._with_room(table, added, memory_limit) if table.growing else table
        if self._merge_added(larger):
            self._catch_up(larger, known)
        else:
            self.forget()  # streams have added rows that are not in the table
        sizes = np.diff(larger.starts[known : num_sets(larger) + 1])
        return larger, sizes.size, int((sizes == 1).sum())

    def forget(self) -> None:
        """The table was, or will be, changed by others."""
        self._of = None

    def _follow(self, table: InformationSetTable) -> bool:
        """Whether the copies follow ``table``: the one that they did, and no row came or went."""
        return (
            self._of is not None
            and table.values is self._of.values
            and table.slots is self._of.slots
            and table.counts.tolist() == [self._known, self._used]
        )

    def _with_room(
        self, table: InformationSetTable, added: int, memory_limit: int
    ) -> InformationSetTable:
        """``table`` with room for all rows that were added, and for as many in the next round, if
        that is allowed. It grows to twice its size, because its copies are made anew, too.
        """
        numbers = sum(int(copy.counts[1]) - self._used for copy in self.copies)
        actions = -(-(numbers - added * table.per_set) // (added * table.per_action))
        if table.has_room(2 * added, actions):
            return table
        for sets in (max(2 * added, num_sets(table)), added):
            larger = grown(table, sets, actions, memory_limit)
            if larger is not None:
                return larger
        return table

    def _merge_added(self, table: InformationSetTable) -> bool:
        """Merge the rows that streams have added. Returns whether there was room for all."""
        known, full, entered = num_sets(table), np.zeros(1, np.int64), list[_Entered]()
        for copy in self.copies:
            places, fresh = np.empty(num_sets(copy), np.int64), int(table.counts[1])
            enter_rows(table, copy, places, full)
            entered.append((copy, places, fresh))
        self._share(
            [
                (self._fill, table, entered, int(table.starts[first]), int(table.starts[last]))
                for first, last in _parts(known, num_sets(table), self._threads)
            ]
        )
        return full[0] == 0

    def _fill(
        self, table: InformationSetTable, entered: list[_Entered], first: int, last: int
    ) -> None:
        """Write those new rows of ``table`` that start from ``first`` on and before ``last``."""
        for copy, places, fresh in entered:
            fill_rows(table, copy, places, fresh, first, last, self._merging)
        if self._merging.averages:
            end_averages(table.values, first, last)

    def _catch_up(self, table: InformationSetTable, since: int) -> None:
        """Let all copies follow ``table``, whose rows before row ``since`` they have already."""
        if self._values.shape[1] < table.values.size:
            self._reserve(table.values.size)
            since = 0
        self._of, self._known, self._used = table, num_sets(table), int(table.counts[1])
        calls: list[tuple[Any, ...]] = [
            (self._write, table, number, since) for number in range(self._here)
        ]
        if self._known - since >= _FEW:
            self._share(calls)
        else:
            for write, *arguments in calls:
                write(*arguments)
        self.copies = [self._copy(table, number) for number in range(self._here)]

    def _reserve(self, size: int) -> None:
        """Arrays for tables of ``size`` values, and larger ones if possible: what is not written to
        takes no memory, and need not be copied when the table grows.
        """
        try:
            self._values = np.empty((self._here, _AHEAD * size))
        except MemoryError:
            self._values = np.empty((self._here, size))
        lines = (self._values.shape[1] >> BLOCK) // LINE + 2  # the last is shared by no two rows
        self._touched = np.zeros((self._here, lines * LINE), np.uint8)

    def _write(self, table: InformationSetTable, number: int, since: int) -> None:
        """Write the rows of ``table`` from row ``since`` on into a copy, and forget those that its
        stream has added.
        """
        added, free = self._added[number], table.keys.size - num_sets(table)
        if added.keys.size < free:
            self._added[number] = added = _no_rows(free)
        else:
            forget_rows(added)
        added.counts[1] = table.counts[1]
        write_rows(table, self._values[number], since, self._merging, self._streams)

    def _copy(self, table: InformationSetTable, number: int) -> CopiedTable:
        """A copy, to which as many rows can be added as ``table`` has room for."""
        added, free = self._added[number], table.keys.size - num_sets(table)
        return CopiedTable(
            slots=added.slots,
            keys=added.keys[:free],
            starts=added.starts,
            counts=added.counts,
            values=self._values[number, : table.values.size],
            of=table,
            touched=self._touched[number],
            per_action=table.per_action,
            per_set=table.per_set,
            rows=table.rows,
            row_actions=table.row_actions,
            growing=table.growing,
        )


def _no_rows(most: int) -> InformationSetTable:
    """Room for the slots, keys and starts of ``most`` rows."""
    table = new_table(per_action=1, sets=most, values=1)
    return replace(table, counts=alone(table.counts))


@dataclass(frozen=True)
class Changes:
    """What a stream has changed in its copy of a table, to be sent to another process.

    rows: ``int64[R]``, which rows were looked up.
    numbers: ``float64[...]``, what stands in these rows.
    keys: ``uint64[N]``, of the rows that were added.
    starts: ``int64[N]``, where each of them ends.
    added: ``float64[...]``, what stands in them.
    """

    rows: Integers
    numbers: Floats
    keys: Keys
    starts: Integers
    added: Floats


def changes_of(copy: CopiedTable) -> Changes:
    """What was changed in a copy since it followed its table."""
    table, added = copy.of, num_sets(copy)
    rows = np.flatnonzero(copy.touched[table.starts[: num_sets(table)] >> BLOCK])
    return Changes(
        rows,
        copy.values[_numbers_of(table, rows)],
        copy.keys[:added].copy(),
        copy.starts[1 : added + 1].copy(),
        copy.values[int(table.counts[1]) : int(copy.counts[1])].copy(),
    )


def change(copy: CopiedTable, changes: Changes) -> None:
    """Make a copy that follows its table what it is after ``changes``."""
    table, added, first = copy.of, changes.keys.size, int(copy.of.counts[1])
    copy.values[_numbers_of(table, changes.rows)] = changes.numbers
    copy.touched[table.starts[changes.rows] >> BLOCK] = 1
    copy.keys[:added] = changes.keys
    copy.starts[0], copy.starts[1 : added + 1] = first, changes.starts
    copy.values[first : first + changes.added.size] = changes.added
    copy.counts[:] = added, first + changes.added.size
    place_rows(copy)


def _numbers_of(table: InformationSetTable, rows: Integers) -> Integers:
    """Where the numbers of ``rows`` stand in ``values``."""
    return places_of(table.starts[rows], table.starts[rows + 1] - table.starts[rows])


def _parts(first: int, last: int, parts: int) -> list[tuple[int, int]]:
    """The rows from ``first`` on and before ``last`` cut into ``parts`` of about the same size: the
    first of each and the one after it. Few rows are not cut.
    """
    rows = last - first
    if rows < _FEW:
        return [(first, last)]
    return list(pairwise(first + rows * part // parts for part in range(parts + 1)))
