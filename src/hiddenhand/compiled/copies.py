"""Copies of a table of information sets, for streams that search at the same time, and how the
copies become one table again.

Each of W streams works on a copy of its own, and the table itself stays as it was. Then all are
merged, in the order of the streams. With v a number of the table and v_w the same in copy w,

sums       v + sum_w (v_w - v): regrets, mean strategies, visits and sums of rewards
averages   the mean of v_w over those streams that learnt it: baselines

Rows that streams have added are appended to the table, stream by stream, each row once; what a
second stream found for it is merged as above. Afterwards the copies equal the table again. A row is
looked at only if some stream has looked it up, which copies take note of. So a merge costs as much
as what was done since the last one, and one pass over the starts of the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.compiled.arrays import Floats, Integers, Keys
from hiddenhand.compiled.bridge import Compiled
from hiddenhand.compiled.kernels import inline, kernel
from hiddenhand.compiled.keys import Key
from hiddenhand.compiled.table import (
    MISSING,
    InformationSetTable,
    grown,
    num_sets,
)

_FEW: Final = 4096  # rows that one thread merges sooner than two share them
_BLOCK: Final = 4  # rows are noted by blocks of 2**4 numbers in which they start

Notes = npt.NDArray[np.uint8]
Share = Callable[[list[tuple[Any, ...]]], None]
"""Makes calls, each given as a function with its arguments, perhaps several at the same time."""


@dataclass(frozen=True)
class CopiedTable(InformationSetTable):
    """A copy of a table, which takes note of the rows that are found.

    touched: ``uint8[V / 16 + 1]``, whether a row that starts in a block of 16 numbers was found.
    """

    touched: Notes = field(kw_only=True)

    def find(self, key: Key) -> int:
        row = self.look_up(key)
        if row != MISSING:
            self.touched[row >> _BLOCK] = 1
        return row


@dataclass(frozen=True)
class Merging(Compiled):
    """What the numbers of a row are.

    front: how many at its beginning are no sums: who adds a row writes them. If there are any, the
        first is where the row above starts, or negative.
    back: how many at its end are no sums.
    averages: whether a row is not of sums, but of pairs: an average, and whether it was learnt.
    """

    front: int = 0
    back: int = 0
    averages: bool = False


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
        self._of: InformationSetTable | None = None  # the table that all copies equal
        self._known = self._used = 0  # its sets and values

    def follow(self, table: InformationSetTable) -> None:
        """Make all copies equal to ``table``, unless they are."""
        if not self._equal(table):
            self._renew(table)
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
        self._touched[:] = 0
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
            self._renew(larger)
        if not full[0]:
            self._note(larger)
        sizes = np.diff(larger.starts[known : num_sets(larger) + 1])
        return larger, sizes.size, int((sizes == 1).sum())

    def forget(self) -> None:
        """The table was, or will be, changed by others."""
        self._of = None

    def _equal(self, table: InformationSetTable) -> bool:
        """Whether the copies equal ``table``: the one that they did, and no row came or went."""
        return (
            self._of is not None
            and table.values is self._of.values
            and table.slots is self._of.slots
            and table.counts.tolist() == [self._known, self._used]
        )

    def _note(self, table: InformationSetTable) -> None:
        """The copies equal ``table`` now."""
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

    def _renew(self, table: InformationSetTable) -> None:
        """Make copies of a table that is of another size, or another one."""
        before: list[CopiedTable | None] = list(self.copies) or [None] * self._here
        if self._values.shape[1] != table.values.size:
            self._values = np.zeros((self._here, table.values.size))
            blocks = (table.values.size >> _BLOCK) + 1
            self._touched = np.zeros((self._here, blocks), np.uint8)
        elif self.copies:
            self._values[:, int(table.counts[1]) :] = 0.0
        self.copies = [
            _copy(table, self._values[number], self._touched[number], before[number])
            for number in range(self._here)
        ]
        self._share([(self._write, table, copy) for copy in self.copies])

    def _write(self, table: InformationSetTable, copy: CopiedTable) -> None:
        """Write a whole copy."""
        sets = num_sets(table)
        copy.slots[:] = table.slots
        copy.keys[:sets] = table.keys[:sets]
        copy.starts[: sets + 1] = table.starts[: sets + 1]
        copy.counts[:] = table.counts
        write_rows(table, copy, 0, self._merging, self._streams)

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
    rows = np.flatnonzero(copy.touched[copy.starts[:known] >> _BLOCK])
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
    copy.touched[copy.starts[changes.rows] >> _BLOCK] = 1
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


# --- kernels ---


@kernel
def merge_rows(
    table: InformationSetTable, values: Any, touched: Any, first: int, last: int, merging: Merging
) -> None:
    """Merge rows ``first`` to ``last`` - 1, which all copies have, and make the copies equal.

    values: ``float64[W, V]``, those of the copies.
    touched: ``uint8[W, V / 16 + 1]``, see `CopiedTable`.
    """
    streams = values.shape[0]
    for row in range(first, last):
        start = table.starts[row]
        found = 0
        for w in range(streams):
            found |= touched[w, start >> _BLOCK]
        if found == 0:
            continue
        end = table.starts[row + 1]
        if merging.averages:
            _average_row(table.values, values, start, end)
            continue
        for at in range(start + merging.front, end - merging.back):
            total = table.values[at]
            before = total / streams
            for w in range(streams):
                total += values[w, at] - before
            table.values[at] = total
            for w in range(streams):
                values[w, at] = total / streams


@inline
def _average_row(into: Floats, values: Any, start: int, end: int) -> None:
    """A row of pairs: an average, and whether it was learnt. Streams that have learnt nothing for a
    pair have no say.
    """
    for at in range(start, end, 2):
        before, known = into[at], into[at + 1]
        total, learnt = 0.0, 0
        for w in range(values.shape[0]):
            if values[w, at + 1] != 0.0 and (known == 0.0 or values[w, at] != before):
                total += values[w, at]
                learnt += 1
        if learnt > 0:
            into[at], into[at + 1] = total / learnt, 1.0
            for w in range(values.shape[0]):
                values[w, at], values[w, at + 1] = into[at], 1.0


@kernel
def merge_new(
    table: InformationSetTable, copy: CopiedTable, known: int, merging: Merging, full: Integers
) -> None:
    """Merge the rows that a stream has added to its copy, those from row ``known`` on.

    full: ``int64[1]``, whether there was a row for which ``table`` had no room. From then on none
        is added, so that no row is added without the one above it.
    """
    placed = np.zeros(copy.counts[0] - known, np.int64)
    for row in range(known, copy.counts[0]):
        start, end = copy.starts[row], copy.starts[row + 1]
        size, key = end - start, copy.keys[row]
        at = table.look_up(key)
        is_new = at == MISSING
        if is_new:
            actions = (size - table.per_set) // table.per_action
            if full[0] != 0 or not table.has_room(1, actions):
                full[0] = 1
                continue
            at = table.add(key, actions)
            for number in range(size):
                table.values[at + number] = 0.0
            _write_front(table, copy, known, placed, at, start, merging)
            for number in range(size - merging.back, size):
                table.values[at + number] = copy.values[start + number]
        placed[row - known] = at
        if merging.averages:
            _add_averages(table.values, at, copy.values, start, size)
        else:
            for number in range(merging.front, size - merging.back):
                table.values[at + number] += copy.values[start + number]


@inline
def _write_front(
    table: InformationSetTable,
    copy: CopiedTable,
    known: int,
    placed: Integers,
    at: int,
    start: int,
    merging: Merging,
) -> None:
    """The first numbers of a new row. Where the row above starts is told in terms of the copy; if
    that row is new as well, it may start elsewhere in ``table``.
    """
    for number in range(merging.front):
        table.values[at + number] = copy.values[start + number]
    if merging.front == 0 or copy.values[start] < float(copy.starts[known]):
        return
    above = np.searchsorted(copy.starts[known : known + placed.size], np.int64(copy.values[start]))
    table.values[at] = float(placed[above])


@inline
def _add_averages(into: Floats, at: int, values: Floats, start: int, size: int) -> None:
    """The same for pairs. Meanwhile the second number counts the streams that learnt the first."""
    for number in range(0, size, 2):
        if values[start + number + 1] != 0.0:
            into[at + number + 1] += 1.0
            into[at + number] += (values[start + number] - into[at + number]) / into[
                at + number + 1
            ]


@kernel
def end_averages(table: InformationSetTable, known: int) -> None:
    """Count no more: from row ``known`` on, the second number of a pair says whether the first was
    learnt.
    """
    for at in range(table.starts[known], table.counts[1], 2):
        table.values[at + 1] = 1.0 if table.values[at + 1] > 0.0 else 0.0


@kernel
def place_rows(table: InformationSetTable, known: int) -> None:
    """Enter the rows from row ``known`` on into the slots."""
    for row in range(known, table.counts[0]):
        table.place(table.keys[row], table.starts[row])


@kernel
def follow_new(table: InformationSetTable, copy: CopiedTable, known: int) -> None:
    """Let a copy have the rows of ``table`` from row ``known`` on, with nothing written in them."""
    for row in range(known, table.counts[0]):
        copy.place(table.keys[row], table.starts[row])
        copy.keys[row] = table.keys[row]
        copy.starts[row + 1] = table.starts[row + 1]
    for at in range(table.counts[1], copy.counts[1]):
        copy.values[at] = 0.0
    copy.counts[0], copy.counts[1] = table.counts[0], table.counts[1]


@kernel
def write_rows(
    table: InformationSetTable, copy: CopiedTable, known: int, merging: Merging, streams: int
) -> None:
    """Write the numbers of ``table`` from row ``known`` on into a copy for one of ``streams``."""
    for row in range(known, table.counts[0]):
        start, end = table.starts[row], table.starts[row + 1]
        back = end if merging.averages else end - merging.back
        front = end if merging.averages else start + merging.front
        for at in range(start, end):
            copy.values[at] = table.values[at]
        for at in range(front, back):
            copy.values[at] /= streams
