"""Operations on masks of bits that processors have instructions for."""

from typing import Any

from numba import types
from numba.extending import intrinsic, overload


def ones(mask: int) -> int:
    """How many bits of a mask, a 64-bit integer of at least 0, are set."""
    return int(mask).bit_count()


@intrinsic  # type: ignore[untyped-decorator]
def _ones(context: Any, mask: types.Integer) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@overload(ones, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
def _compiled_ones(mask: Any) -> Any:
    def implementation(mask: Any) -> Any:
        return _ones(mask)

    return implementation
