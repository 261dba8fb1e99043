"""Arrays that cores write to at the same time without waiting for each other.

A core that writes a number takes the whole line of its cache that the number is in away from all
other cores. So two cores that write to neighbouring numbers all the time are slower than one.
"""

from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

LINE: Final = 128
"""Bytes that no two cores should write to: two lines, because lines are fetched in pairs."""

Anything = TypeVar("Anything", bound=np.generic)


def alone(array: npt.NDArray[Anything]) -> npt.NDArray[Anything]:
    """A copy of ``array``, in lines that nothing else is in."""
    room = np.empty(array.nbytes + 2 * LINE, np.uint8)
    start = -room.ctypes.data % LINE
    own = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    own[...] = array
    return own


def rows_apart(rows: npt.NDArray[Anything]) -> npt.NDArray[Anything]:
    """A copy of ``rows``, a matrix, no two rows of which have a line in common."""
    gap = LINE // rows.itemsize
    wide: npt.NDArray[Any] = np.zeros((rows.shape[0], rows.shape[1] + gap), rows.dtype)
    own = wide[:, : rows.shape[1]]
    own[...] = rows
    return own
