"""Parts of arrays, and copies of parts, without the cost of a slice.

Compiled code has to clip a slice with unknown limits to the array, and to ask whether its limits
count from the end. In an inner loop that is a dozen instructions for each array.
"""

from typing import Any

import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from hiddenhand.jit.kernels import inline


@inline
def copy_row(rows: Any, row: int, into: Any) -> None:
    """``into[:] = rows[row]``. A slice would do, but takes long to run and a second to compile."""
    for column in range(into.size):
        into[column] = rows[row, column]


@inline
def copy_into(target: Any, source: Any) -> None:
    """``target[:] = source`` for vectors of one length, which compiles several times faster."""
    for place in range(source.size):
        target[place] = source[place]


def view(array: npt.NDArray[Any], start: int, size: int) -> npt.NDArray[Any]:
    """``array[start : start + size]`` of a vector, which must lie within it. Compiled code does not
    check that.
    """
    return array[start : start + size]


@intrinsic  # type: ignore[untyped-decorator]
def _view(context: Any, array: types.Array, start: types.Integer, size: types.Integer) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = context.make_array(array)(context, builder, value=arguments[0])
        part = context.make_array(array)(context, builder)
        context.populate_array(
            part,
            data=builder.gep(whole.data, [arguments[1]]),
            shape=cgutils.pack_array(builder, [arguments[2]]),
            strides=whole.strides,
            itemsize=whole.itemsize,
            meminfo=None,  # borrowed: see `bridge`
        )
        return part._getvalue()

    return array(array, types.intp, types.intp), generate


@overload(view, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _compiled_view(array: Any, start: Any, size: Any) -> Any:
    def implementation(array: Any, start: Any, size: Any) -> Any:
        return _view(array, start, size)

    return implementation
