"""The arrays that the package works with, by what their numbers are."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
"""Keys of information sets, public states and histories."""
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int32]
"""Places in other arrays, where many are kept."""
Players = npt.NDArray[np.int8]
"""Who is to move."""


class ReadOnlyArrays:
    """Base of dataclasses whose arrays are read-only, also in copies that other processes get.

    To Numba an array that may be written is of another type, so kernels would be compiled for both.
    """

    def __post_init__(self) -> None:
        _protect(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        _protect(self)


def _protect(record: object) -> None:
    for array in vars(record).values():
        if isinstance(array, np.ndarray):
            array.flags.writeable = False


def starts_of(sizes: Any) -> Integers:
    """Where runs of these sizes begin when they lie end to end, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def places_of(starts: Any, sizes: Any) -> Integers:
    """The numbers from ``starts[i]`` to ``starts[i] + sizes[i] - 1`` for each i, end to end."""
    before = np.cumsum(sizes) - sizes
    return np.asarray(np.arange(np.sum(sizes)) + np.repeat(starts - before, sizes), np.int64)


def lengthened(array: npt.NDArray[Any], size: int, fill: int = 0) -> npt.NDArray[Any]:
    """A copy of an array that has room for ``size`` rows, the new ones full of ``fill``."""
    longer = np.full((size, *array.shape[1:]), fill, array.dtype)
    longer[: array.shape[0]] = array
    return longer
