"""How copies of a table of information sets, on which streams have searched at the same time,
become one table again.

Each of W streams works on a copy of its own, and the table itself stays as it was. Then all are
merged, in the order of the streams. With v a number of the table and v_w the same in copy w,

sums       v + sum_w (v_w - v / W): regrets, mean strategies, visits and sums of rewards. A copy
           begins with v / W
averages   the mean of v_w over those streams that learnt it: baselines. A copy begins with v

A copy holds a W-th of each sum, because what a stream learns is then as large, beside what it knows
already, as for a search of its own. With the whole sums in each copy, all streams would answer the
same regrets with the same change of their strategies, and the merged sums would go W times too far.
Regret matching and means are the same for v and v / W.

Rows that streams have added are appended to the table, stream by stream, each row once; what a
second stream found for it is merged as above. Which place each row gets is decided by one thread,
and cheap; rows are then written by several. Then the copies follow the table again. A row is looked
at only if some stream has looked it up, which copies take note of. So a merge costs as much as what
was done since the last one, and one pass over these notes.
"""

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hiddenhand.jit.arrays import Floats, Integers
from hiddenhand.jit.bridge import Compiled
from hiddenhand.jit.infoset_table import MISSING, InformationSetTable, _first_slot
from hiddenhand.jit.kernels import inline, kernel
from hiddenhand.jit.observation_keys import Key

_PIECE: Final = 256  # numbers that are added at a time
BLOCK: Final = 4  # rows are noted by blocks of 2**4 numbers in which they start

Notes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class CopiedTable(InformationSetTable):
    """A copy of a table for one stream, with numbers of its own for every row.

    While streams work, no row of the table comes or goes. So copies share its slots, and have
    slots, keys and starts for those rows only that their stream has added. These rows begin where
    the last row of the table ends.

    of: the table.
    touched: ``uint8[B]``, whether a row of the table that starts in a block of 16 numbers was
        found; B is a multiple of 8.
    """

    of: InformationSetTable = field(kw_only=True)
    touched: Notes = field(kw_only=True)

    _append = InformationSetTable.add

    def add(self, key: Key, num_actions: int) -> int:
        """Add a row of zeros, which is written here: `values` holds anything behind the last row,
        because to clear all the room that there is would take longer.
        """
        start = self._append(key, num_actions)
        for at in range(start, self.counts[1]):
            self.values[at] = 0.0
        return start

    def find(self, key: Key) -> int:
        row = self.of.look_up(key)
        if row == MISSING:
            return self.look_up(key)
        self.touched[row >> BLOCK] = 1
        return row


@dataclass(frozen=True)
class Merging(Compiled):
    """What the numbers of a row are.

    front: how many at its beginning are no sums: the caller that adds a row writes them. If there
        are any, the first is where the row above starts, or negative.
    back: how many at its end are no sums.
    averages: whether a row is not of sums, but of pairs: an average, and whether it was learnt.
    """

    front: int = 0
    back: int = 0
    averages: bool = False


# --- kernels ---


@kernel
def merge_rows(
    table: InformationSetTable, values: Any, touched: Any, first: int, last: int, merging: Merging
) -> None:
    """Merge rows ``first`` to ``last`` - 1, which all copies have, and let the copies follow.

    values: ``float64[W, V]``, those of the copies.
    touched: ``uint8[W, B]``, see `CopiedTable`.
    """
    totals, row, words = np.empty(_PIECE), first, touched.view(np.uint64)
    behind = (table.starts[last] >> BLOCK) + 1
    while row < last:
        start, row = table.starts[row], row + 1
        if not _is_touched(touched, start >> BLOCK):
            block = _next_touched(touched, words, (start >> BLOCK) + 1, behind)
            row = _first_row(table.starts, row, last, block << BLOCK)
            continue
        if merging.averages:
            _average_row(table.values, values, start, table.starts[row])
            continue
        if merging.front + merging.back == 0:  # the sums of one row stand beside those of the next
            while row < last and _is_touched(touched, table.starts[row] >> BLOCK):
                row += 1
        at, end = start + merging.front, table.starts[row] - merging.back
        while at < end:
            after = min(at + _PIECE, end)
            _add_sums(table.values[at:after], values[:, at:after], totals[: after - at])
            at = after


@inline
def _is_touched(touched: Any, block: int) -> bool:
    """Whether any stream has looked up a row that begins in a block."""
    found = 0
    for w in range(touched.shape[0]):
        found |= touched[w, block]
    return found != 0


@inline
def _next_touched(touched: Any, words: Any, block: int, behind: int) -> int:
    """The first block from ``block`` on in which any stream has looked up a row; ``behind`` if
    there is none before.

    words: ``touched`` as numbers of eight blocks.
    """
    while block < behind:
        if block % 8 == 0 and not _is_touched(words, block // 8):
            block += 8
        elif _is_touched(touched, block):
            return block
        else:
            block += 1
    return behind


@inline
def _first_row(starts: Integers, row: int, last: int, at: int) -> int:
    """The first row from ``row`` on that starts at ``at`` or behind; ``last`` if there is none
    before. It is looked for in steps that grow, because it is often near.
    """
    step = 1
    while row + step < last and starts[row + step] < at:
        row += step
        step *= 2
    return row + int(np.searchsorted(starts[row : min(row + step, last)], at))


@inline
def _add_sums(into: Floats, values: Any, totals: Floats) -> None:
    """Add what all streams have learnt, and let the copies follow. Each step has a loop of its own,
    because such loops are compiled to instructions for several numbers at once.

    totals: room for as many numbers.
    """
    streams, size = values.shape[0], into.size
    for at in range(size):
        totals[at] = into[at]
    for w in range(streams):
        own = values[w]
        for at in range(size):
            totals[at] += own[at] - into[at] / streams
    for at in range(size):
        into[at] = totals[at]
        totals[at] /= streams
    for w in range(streams):
        own = values[w]
        for at in range(size):
            own[at] = totals[at]


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
def enter_rows(
    table: InformationSetTable, copy: CopiedTable, places: Integers, full: Integers
) -> None:
    """Find a place in ``table`` for each row that a stream has added, and write nothing there.

    places: ``int64[N]``, where each of these rows starts in ``table``, written here; MISSING where
        ``table`` has no room.
    full: ``int64[1]``, whether there was a row without room. From then on none is added, so that no
        row is added without the one above it.
    """
    for row in range(places.size):
        key, size = copy.keys[row], copy.starts[row + 1] - copy.starts[row]
        at = table.look_up(key)
        if at == MISSING and full[0] == 0:
            actions = (size - table.per_set) // table.per_action
            if table.has_room(1, actions):
                at = table.add(key, actions)
            else:
                full[0] = 1
        places[row] = at


@kernel
def fill_rows(
    table: InformationSetTable,
    copy: CopiedTable,
    places: Integers,
    fresh: int,
    first: int,
    last: int,
    merging: Merging,
) -> None:
    """Merge the rows that a stream has added, those that start in ``table`` from ``first`` on and
    before ``last``.

    places: see `enter_rows`.
    fresh: where the rows begin that no stream before this one has added.
    """
    for row in range(places.size):
        at, start = places[row], copy.starts[row]
        if at < first or at >= last:
            continue
        size = copy.starts[row + 1] - start
        if merging.averages:
            _add_averages(table.values, at, copy.values, start, size, at >= fresh)
        elif at >= fresh:
            for number in range(size):
                table.values[at + number] = copy.values[start + number]
            if merging.front > 0 and copy.values[start] >= float(copy.starts[0]):
                table.values[at] = float(_place_of(copy, places, copy.values[start]))
        else:
            for number in range(merging.front, size - merging.back):
                table.values[at + number] += copy.values[start + number]


@inline
def _place_of(copy: CopiedTable, places: Integers, start: float) -> int:
    """Where the row that starts at ``start`` in a copy, and was added to it, starts in the
    table.
    """
    return int(places[np.searchsorted(copy.starts[: places.size], np.int64(start))])


@inline
def _add_averages(
    into: Floats, at: int, values: Floats, start: int, size: int, is_new: bool
) -> None:
    """The same for pairs. Meanwhile the second number counts the streams that learnt the first."""
    for number in range(0, size, 2):
        if is_new:
            into[at + number] = into[at + number + 1] = 0.0
        if values[start + number + 1] != 0.0:
            into[at + number + 1] += 1.0
            into[at + number] += (values[start + number] - into[at + number]) / into[
                at + number + 1
            ]


@kernel
def end_averages(values: Floats, first: int, last: int) -> None:
    """Count no more: from ``first`` on and before ``last``, the second number of a pair says
    whether the first was learnt.
    """
    for at in range(first, last, 2):
        values[at + 1] = 1.0 if values[at + 1] > 0.0 else 0.0


@kernel
def place_rows(table: InformationSetTable) -> None:
    """Enter all rows into the slots."""
    for row in range(table.counts[0]):
        table.place(table.keys[row], table.starts[row])


@kernel
def forget_rows(table: InformationSetTable) -> None:
    """Free the slots of all rows, which takes as long as entering them did: each row's slot is in
    the run of slots that begins where the search for its key does.
    """
    mask = np.uint64(table.slots.size - 1)
    for row in range(table.counts[0]):
        slot = _first_slot(table.keys[row]) & mask
        while table.slots[slot + np.uint64(1)] != np.uint64(0):
            table.slots[slot + np.uint64(1)] = np.uint64(0)
            slot = (slot + np.uint64(2)) & mask
    table.counts[0] = 0


@kernel
def write_rows(
    table: InformationSetTable, values: Floats, known: int, merging: Merging, streams: int
) -> None:
    """Write the numbers of ``table`` from row ``known`` on into the copy for one of ``streams``,
    whose numbers are ``values``.
    """
    first, last = table.starts[known], table.counts[1]
    if merging.averages or streams == 1:
        values[first:last] = table.values[first:last]
        return
    for at in range(first, last):
        values[at] = table.values[at] / streams
    for row in range(known, table.counts[0]):
        start, end = table.starts[row], table.starts[row + 1]
        for at in range(start, start + merging.front):
            values[at] = table.values[at]
        for at in range(end - merging.back, end):
            values[at] = table.values[at]
