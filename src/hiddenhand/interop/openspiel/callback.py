"""How compiled rules ask Python: `ask` calls one function of Python from machine code.

Kernels run without Python's global lock, and their machine code is kept on disk. So the address of
the function is an argument and not a constant of the code, and ctypes takes the lock for the time
of the call. Arrays are handed over as the addresses of their first items.

An exception cannot pass through machine code. The function returns FAILED instead, and the rule
ends the kernel with `BrokenRule`. Then the same moves are made again in plain Python, which raises
what went wrong; see `hiddenhand.games.validation.kernel_errors`.
"""

import ctypes
from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from hiddenhand.errors import HiddenhandError

FAILED: Final = -(2**63)
"""What is returned in place of an answer if Python raised an exception."""

Answering = Callable[[int, int, int, int, int, int], int]
"""Takes the number of a game, the question, a number and three addresses, and returns the answer,
which is not FAILED.
"""

_ARGUMENTS: Final = 6
_KIND: Final = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * _ARGUMENTS)
_ANSWERING: dict[int, Answering] = {}
_KEPT: list[Any] = []
_INTERRUPTED: list[BaseException] = []


def callable_from_kernels(function: Answering) -> int:
    """The address under which compiled code can call ``function`` as long as this process lives."""

    def called(*arguments: int) -> int:
        try:
            return function(*arguments)
        except Exception:
            return FAILED
        except BaseException as interruption:  # Ctrl-C: raised again where Python runs by itself
            _INTERRUPTED.append(interruption)
            return FAILED

    callback = _KIND(called)
    _KEPT.append(callback)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None  # a callback has one
    _ANSWERING[address] = function
    return address


def ask(
    address: int, number: int, question: int, argument: int, first: int, second: int, third: int
) -> int:
    """What the function at ``address`` answers to the other arguments, see `Answering`."""
    if _INTERRUPTED:
        raise _INTERRUPTED.pop()
    return _ANSWERING[address](number, question, argument, first, second, third)


def place_of(array: Any) -> int:
    """The address of the first item of ``array``."""
    if not array.flags.c_contiguous:
        raise HiddenhandError("a game of another program needs arrays without gaps")
    return int(array.ctypes.data)


@intrinsic  # type: ignore[untyped-decorator]
def _call(
    context: Any, address: Any, number: Any, question: Any, argument: Any, a: Any, b: Any, c: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        function = ir.FunctionType(word, [word] * _ARGUMENTS).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return types.int64(*[types.int64] * (_ARGUMENTS + 1)), generate


@overload(ask)  # type: ignore[untyped-decorator]
def _compiled_ask(
    address: Any, number: Any, question: Any, argument: Any, first: Any, second: Any, third: Any
) -> Any:
    def implementation(
        address: Any, number: Any, question: Any, argument: Any, first: Any, second: Any, third: Any
    ) -> Any:
        return _call(address, number, question, argument, first, second, third)

    return implementation


@intrinsic  # type: ignore[untyped-decorator]
def _first_item(context: Any, array: types.Array) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = context.make_array(array)(context, builder, value=arguments[0])
        return builder.ptrtoint(whole.data, ir.IntType(64))

    return types.int64(array), generate


@overload(place_of)  # type: ignore[untyped-decorator]
def _compiled_place_of(array: Any) -> Any:
    def implementation(array: Any) -> Any:
        return _first_item(array)

    return implementation
