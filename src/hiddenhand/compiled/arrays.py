"""The arrays that the package works with, by what their numbers are."""

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
