"""`kernel`: how this package compiles a function, and where the machine code is kept.

A kernel is an ordinary top-level function. It is compiled once for each combination of argument types and then loaded from disk. One file holds
one compiled kernel. It is named by a digest of all that decides its machine code: the kernel and every function it calls, their constants, the
argument types (a game's type carries a digest of its rules), Numba, Python and the processor. So nothing stale is ever loaded, and an edit
recompiles what it touches and no more. The folder, ``<user cache folder>/hiddenhand/<digest>``, is named by the sources of the bridge itself. Files
are written beside and renamed, so any number of processes may compile at the same time.

Why not Numba's own cache: it sees only the date of the file that defines the outermost function, and its numbered files can be mixed up by two
processes that save at once.

Kernels release the GIL, use C division (no zero-division checks) and never `fastmath`: compiled and interpreted runs agree bit for bit.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import platform
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import compiler, config, event
from numba.core.caching import _Cache

from hiddenhand.compiled.fingerprint import digest_functions, digest_text
from hiddenhand.files import write_whole

_BRIDGE = ("bridge.py", "fingerprint.py", "kernels.py", "views.py")  # what no kernel names and all are compiled by
_SEAL = 32  # bytes of the SHA-256 of what follows, with which every file begins
_Function = TypeVar("_Function", bound=Callable[..., Any])

if config.DISABLE_JIT:
    # Keys and random numbers wrap around in 64 bits. Compiled code does so silently; NumPy scalars would warn.
    np.seterr(over="ignore")


def kernel(function: _Function) -> _Function:
    """Compile ``function`` on first use for each combination of argument types, without the GIL, and keep the machine code on disk."""
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = _KernelCache(function)
    return dispatcher


def kernel_apart(function: _Function) -> _Function:
    """A `kernel` for hot loops that promises more: no two of its arguments share memory. What it has read, it may then keep in registers."""
    dispatcher: Any = kernel(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = _KernelCache(function, "apart")
        dispatcher._compiler._customize_flags = _without_aliases
    return dispatcher


def _without_aliases(flags: Any) -> Any:
    flags.noalias = True
    return flags


def inline(function: _Function) -> _Function:
    """A small function that only kernels call: compiled as part of them."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)


def cache_root() -> Path:
    """The folder of all compiled code: ``$HIDDENHAND_CACHE``, or ``hiddenhand`` in the user's cache folder."""
    if chosen := os.environ.get("HIDDENHAND_CACHE"):
        return Path(chosen)
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "hiddenhand"
    try:
        return Path.home() / ".cache" / "hiddenhand"
    except RuntimeError:  # a user without a home
        return Path(tempfile.gettempdir()) / f"hiddenhand-{os.getuid()}"


def cache_folder() -> Path:
    """The folder for this version of the bridge."""
    return cache_root() / _bridge_digest()


@functools.cache
def _bridge_digest() -> str:
    return digest_text("".join(Path(__file__).with_name(name).read_text() for name in _BRIDGE))


def clear_cache() -> int:
    """Delete all compiled code, of all versions. Returns the number of bytes freed."""
    freed = 0
    for path in cache_root().glob("*/*.code*"):  # what a process that was killed had begun to write, too
        with contextlib.suppress(FileNotFoundError):  # another process clears as well
            size = path.stat().st_size
            path.unlink()
            freed += size
        with contextlib.suppress(OSError):  # not empty yet, or something of somebody else is there
            path.parent.rmdir()
    return freed


@contextlib.contextmanager
def when_compiling(announce: Callable[[str], None]) -> Iterator[None]:
    """Call ``announce(name of the kernel)`` whenever one has to be compiled rather than loaded from disk."""

    class Listener(event.Listener):
        def on_start(self, started: Any) -> None:
            dispatcher = started.data["dispatcher"]
            if isinstance(dispatcher._cache, _KernelCache) and threading.get_ident() == thread:
                announce(dispatcher.py_func.__name__)

        def on_end(self, ended: Any) -> None:
            pass

    thread = threading.get_ident()
    listener = Listener()
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)


class _KernelCache(_Cache):
    """Keeps one kernel's compiled versions on disk, one file each."""

    def __init__(self, function: Any, kind: str = "") -> None:
        self._function = function
        self._kind = kind
        self._identity: str | None = None
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        for path in cache_folder().glob(f"{self._function.__name__}-*.code"):
            path.unlink(missing_ok=True)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        target_context.refresh()
        if not self._enabled:
            return None
        try:
            content = self._path(signature, target_context.codegen()).read_bytes()
        except OSError:
            return None  # not there: compile
        seal, payload = content[:_SEAL], content[_SEAL:]
        if seal != hashlib.sha256(payload).digest():
            return None  # damaged: compile again
        try:
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
        except (ImportError, AttributeError):
            return None  # a rule was defined where nothing can be imported from, by exec for example: compile each time

    def save_overload(self, signature: Any, result: Any) -> None:
        if not self._enabled or result.lifted or result.library.has_dynamic_globals:
            return
        with contextlib.suppress(OSError):  # a full or read-only disk costs a compilation, not the run
            payload = pickle.dumps(result._reduce(), protocol=4)
            write_whole(self._path(signature, result.codegen), hashlib.sha256(payload).digest() + payload)

    def _path(self, signature: Any, codegen: Any) -> Path:
        if self._identity is None:
            function = self._function
            self._identity = f"{function.__module__}.{function.__qualname__} {digest_functions([function])} {self._kind}"
        target = f"{codegen.magic_tuple()} {numba.__version__} {sys.version} {platform.machine()} {bool(config.BOUNDSCHECK)}"
        return cache_folder() / f"{self._function.__name__}-{digest_text(f'{self._identity} {signature} {target}')}.code"
