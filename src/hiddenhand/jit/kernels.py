"""`kernel`: how this package compiles a function.

A kernel is an ordinary top-level function. It is compiled once for each combination of argument
types and then loaded from disk; see `dispatching`. A kernel that is given a game runs in one of two
tiers; see `tiers`.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.core import config

from hiddenhand.jit.dispatching import KernelDispatcher, when_compiling
from hiddenhand.jit.inlining import inline
from hiddenhand.jit.tiers import TieredKernel

__all__ = ["inline", "kernel", "kernel_apart", "specialised_kernel", "when_compiling"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

if config.DISABLE_JIT:
    # Keys and random numbers wrap around in 64 bits. Compiled code does so silently; NumPy scalars
    # would warn.
    np.seterr(over="ignore")


def kernel(function: _Function) -> _Function:
    """A function that is compiled on first use for each combination of argument types. Its machine
    code is kept on disk, and runs without the GIL.
    """
    compiled: Any = function if config.DISABLE_JIT else TieredKernel(function)
    return compiled


def specialised_kernel(function: _Function) -> _Function:
    """A `kernel` that uses more of a game than every game has. It has no generic form."""
    compiled: Any = function if config.DISABLE_JIT else KernelDispatcher(function)
    return compiled


def kernel_apart(function: _Function) -> _Function:
    """A `kernel` for hot loops, in which no two arguments may share memory. Compiled code can then
    keep in registers what it has read.
    """
    compiled: Any = function if config.DISABLE_JIT else TieredKernel(function, apart=True)
    return compiled
