"""Copies of a table of information sets, one for each stream of a search: how they are made, follow
the table, and are sent to other processes. What a copy holds, and how copies become one table
again, is in `merging`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from hiddenhand.compiled.arrays import Floats, Integers, Keys
from hiddenhand.compiled.cache_lines import LINE, alone
from hiddenhand.compiled.merging import (
    BLOCK,
    CopiedTable,
    Merging,
    Notes,
    end_averages,
    follow_new,
    merge_new,
    merge_rows,
    place_rows,
    write_rows,
)
from hiddenhand.compiled.table import InformationSetTable, grown, num_sets

Share = Callable[[list[tuple[Any, ...]]], None]
"""Makes calls, each given as a function with its arguments, perhaps several at the same time."""

_AHEAD: Final = 4  # times as many values as a table has now
_FEW: Final = 4096  # rows that one thread merges sooner than two share them


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
        self._values = np.zeros((self._here, 0))
        self._touched = np.zeros((self._here, 0), np.uint8)
        self._of: InformationSetTable | None = None  # the table that all copies follow
        self._known = self._used = 0  # its sets and values

    def follow(self, table: InformationSetTable) -> None:
        """Let all copies follow ``table``, unless they do."""
        if not self._follow(table):
            self._renew(table, 0)
            self._note(table)
        if self.copies[0].growing != table.growing:
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
                for first, last in _parts(known, self._threads)
            ]
        )
        self._touched[:, : (table.values.size >> BLOCK) + 1] = 0
        added = sum(num_sets(copy) - known for copy in self.copies)
        if added == 0:
            return table, 0, 0
        larger = self._with_room(table, added, memory_limit) if table.growing else table
        full = np.zeros(1, np.int64)
        for copy in self.copies:
            merge_new(larger, copy, known, self._merging, full)
        if self._merging.averages:
            end_averages(larger, known)
        if full[0]:
            self.forget()  # copies have keys that are not in the table
        elif larger is table:
            self._share([(self._append, table, copy) for copy in self.copies])
        else:
            self._renew(larger, known)
        if not full[0]:
            self._note(larger)
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

    def _note(self, table: InformationSetTable) -> None:
        """The copies follow ``table`` now."""
        self._of = table
        self._known, self._used = num_sets(table), int(table.counts[1])

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

    def _renew(self, table: InformationSetTable, since: int) -> None:
        """Make copies of a table that is of another size, or another one. Rows before row ``since``
        are as they were.
        """
        used, size = int(table.counts[1]), table.values.size
        before: list[CopiedTable | None] = list(self.copies) or [None] * self._here
        if self._values.shape[1] < size:
            self._reserve(size)
            since = 0
        else:
            end = max((int(copy.counts[1]) for copy in self.copies), default=0)
            self._values[:, used:end] = 0.0
        self.copies = [
            _copy(table, self._values[number, :size], self._touched[number], before[number])
            for number in range(self._here)
        ]
        self._share([(self._write, table, copy, since) for copy in self.copies])

    def _reserve(self, size: int) -> None:
        """Arrays for tables of ``size`` values, and larger ones if possible: what is not written to
        takes no memory, and need not be copied when the table grows.
        """
        try:
            self._values = np.zeros((self._here, _AHEAD * size))
        except MemoryError:
            self._values = np.zeros((self._here, size))
        blocks = (self._values.shape[1] >> BLOCK) + 1
        self._touched = np.zeros((self._here, blocks + LINE), np.uint8)  # rows share no line

    def _write(self, table: InformationSetTable, copy: CopiedTable, since: int) -> None:
        """Write a copy, its values from row ``since`` on."""
        sets = num_sets(table)
        copy.slots[:] = table.slots
        copy.keys[:sets] = table.keys[:sets]
        copy.starts[: sets + 1] = table.starts[: sets + 1]
        copy.counts[:] = table.counts
        write_rows(table, copy, since, self._merging, self._streams)

    def _append(self, table: InformationSetTable, copy: CopiedTable) -> None:
        """Write into a copy what was added to ``table``."""
        follow_new(table, copy, self._known)
        write_rows(table, copy, self._known, self._merging, self._streams)


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


def changes_of(copy: CopiedTable, known: int) -> Changes:
    """What was changed in a copy that had ``known`` rows before."""
    first, last = int(copy.starts[known]), int(copy.counts[1])
    rows = np.flatnonzero(copy.touched[copy.starts[:known] >> BLOCK])
    where = _numbers_of(copy, rows)
    return Changes(
        rows,
        copy.values[where],
        copy.keys[known : num_sets(copy)].copy(),
        copy.starts[known + 1 : num_sets(copy) + 1].copy(),
        copy.values[first:last].copy(),
    )


def change(copy: CopiedTable, changes: Changes, known: int) -> None:
    """Make a copy with ``known`` rows what it is after ``changes``."""
    copy.values[_numbers_of(copy, changes.rows)] = changes.numbers
    copy.touched[copy.starts[changes.rows] >> BLOCK] = 1
    first, added = int(copy.starts[known]), changes.keys.size
    copy.keys[known : known + added] = changes.keys
    copy.starts[known + 1 : known + added + 1] = changes.starts
    copy.values[first : first + changes.added.size] = changes.added
    copy.counts[:] = known + added, first + changes.added.size
    place_rows(copy, known)


def _numbers_of(copy: CopiedTable, rows: Integers) -> Integers:
    """Where the numbers of ``rows`` stand in ``values``."""
    starts = copy.starts[rows]
    sizes = copy.starts[rows + 1] - starts
    before = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(sizes.sum()) + np.repeat(starts - before, sizes))


def _copy(
    table: InformationSetTable, values: Floats, touched: Notes, before: CopiedTable | None
) -> CopiedTable:
    """A copy of ``table`` whose arrays are yet to be written; those of ``before`` are taken if they
    are large enough.
    """
    fits = before is not None and before.slots.size == table.slots.size
    of = before if fits else table
    assert of is not None
    arrays = {
        name: getattr(of, name) if fits else np.empty_like(getattr(of, name))
        for name in ("slots", "keys", "starts", "counts")
    }
    arrays["counts"] = alone(arrays["counts"])
    return CopiedTable(
        **arrays,
        values=values,
        touched=touched,
        per_action=table.per_action,
        per_set=table.per_set,
        rows=table.rows,
        row_actions=table.row_actions,
        growing=table.growing,
    )


def _parts(rows: int, parts: int) -> list[tuple[int, int]]:
    """``rows`` cut into ``parts`` of about the same size: the first of each and the one after it.
    Few rows are not cut.
    """
    if rows < _FEW:
        return [(0, rows)]
    cuts = [rows * part // parts for part in range(parts + 1)]
    return list(pairwise(cuts))
