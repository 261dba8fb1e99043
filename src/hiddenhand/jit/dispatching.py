"""A kernel as Numba sees it: a function that is compiled for the types of its arguments, and whose
machine code is kept on disk.

One file holds one compiled kernel. It is named by a digest of all that decides its machine code:
the kernel and every function it calls, their constants, the argument types (a game's type carries a
digest of its rules), Numba with its options, Python and the processor. So nothing stale is ever
loaded, and an edit recompiles what it touches and no more. The folder is named by the sources of
the bridge itself; `cache` keeps the files.

This module does not use Numba's own cache. That cache looks only at the date of the file that
defines the outermost function, and two processes that save at once can mix up its numbered files.

Kernels release Python's global lock (the GIL). They divide as C does, without checks for zero. They
never use Numba's option `fastmath`, so that compiled and interpreted runs agree bit for bit.
"""

import contextlib
import gc
import os
import pickle
import platform
import re
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numba
import numba.np.linalg
from numba.core import compiler, config, event, types
from numba.core.caching import _Cache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher

from hiddenhand import clock
from hiddenhand.jit.cache import cache_folder, read_code, turn_file, write_code
from hiddenhand.jit.compile_lock import Turns
from hiddenhand.jit.fingerprint import digest_functions, digest_text
from hiddenhand.jit.inlining import (
    KERNELS,
    KernelCompiler,
    QuickFlags,
    as_values,
    link_environments,
)


def _ensure_blas() -> None:
    """Tell Numba that SciPy has BLAS, which Numba asks at its start, for products of matrices.

    Numba's own function imports all of scipy.linalg to find out, which takes about a tenth of a
    second. Hiddenhand requires SciPy, so the answer is known. A kernel with a product imports what
    it needs.
    """


numba.np.linalg.ensure_blas = _ensure_blas

_OPTIONS: Final = {"nopython": True, "nogil": True, "error_model": "numpy"}
TYPES_OF_INSTANCES: Final[dict[int, tuple[weakref.ref[Any], Any]]] = {}
"""The types of the instances that live, by their addresses; `bridge` writes them."""


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel.

    apart: whether no two arguments may share memory.
    """

    def __init__(self, function: Callable[..., Any], *, apart: bool = False) -> None:
        super().__init__(function, targetoptions=dict(_OPTIONS), pipeline_class=KernelCompiler)
        self.is_apart = apart
        self._cache = _KernelCache(function, "apart" if apart else "")
        self._compiler._customize_flags = _without_aliases if apart else QuickFlags

    def compile(self, signature: Any) -> Any:
        """Compile for the types of arguments in a signature, or load what was compiled."""
        with (
            _counted(),
            global_compiler_lock,
            _in_a_folder(),
            _no_collection(),
            self._cache.turns.ended(),
        ):
            return super().compile(signature)

    def load(self, args: tuple[types.Type, ...]) -> bool:
        """Whether machine code for these types of arguments is there; it may be loaded from disk
        for that, but nothing is compiled.
        """
        if args in self.overloads:
            return True
        with global_compiler_lock:
            found = self._cache.loaded(args, self.targetctx)
            if found is not None and args not in self.overloads:
                self.targetctx.insert_user_function(
                    found.entry_point, found.fndesc, [found.library]
                )
                self.add_overload(found)
        return found is not None

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How a kernel is called by compiled code: instances are handed over by value, see
        `bridge`.
        """
        named = {name: as_values(kind) for name, kind in kws.items()}
        return super().get_call_template(tuple(as_values(kind) for kind in args), named)

    def typeof_pyval(self, value: Any) -> types.Type:
        """The type of an argument. Those of known instances are looked up, which takes a tenth of
        the time of Numba's way.
        """
        known = TYPES_OF_INSTANCES.get(id(value))
        if known is not None and known[0]() is value:
            return known[1]
        return super().typeof_pyval(value)

    def _reduce_states(self) -> dict[str, Any]:
        return {"function": self.py_func, "apart": self.is_apart}

    @classmethod
    def _rebuild(cls, function: Callable[..., Any], apart: bool) -> "KernelDispatcher":
        return cls(function, apart=apart)


KERNELS.append(KernelDispatcher)


class Stopwatch:
    """Measures how long work of this thread takes, without what is compiled on the way."""

    def __init__(self) -> None:
        self._began = clock.now() - _COMPILED.seconds

    @property
    def seconds(self) -> float:
        """The seconds since the stopwatch was made."""
        return clock.now() - _COMPILED.seconds - self._began


class _Compiled(threading.local):
    """How long a thread has compiled kernels, or loaded them from disk.

    depth: how many kernels it compiles, one within the other.
    """

    seconds = 0.0
    depth = 0


_COMPILED: Final = _Compiled()


@contextlib.contextmanager
def _counted() -> Iterator[None]:
    """Count the time that the block takes as compiling."""
    began = clock.now()
    _COMPILED.depth += 1
    try:
        yield
    finally:
        _COMPILED.depth -= 1
        if not _COMPILED.depth:
            _COMPILED.seconds += clock.now() - began


@contextlib.contextmanager
def _in_a_folder() -> Iterator[None]:
    """Within the block there is a current folder. Numba asks for its path, and fails where the
    folder was removed.
    """
    try:
        Path.cwd()
    except FileNotFoundError:
        removed = os.open(".", os.O_RDONLY)
        os.chdir("/")
        try:
            yield
        finally:
            os.chdir(removed)
            os.close(removed)
    else:
        yield


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Within the block Python looks for no garbage. Compiling makes many objects, of which almost
    all are needed until it ends, and a tenth of its time went into looking through them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _without_aliases(flags: Any) -> Any:
    flags.noalias = True
    return QuickFlags(flags)


@contextlib.contextmanager
def when_compiling(announce: Callable[[str], None]) -> Iterator[None]:
    """A context in which ``announce`` is called with the name of each kernel that this thread has
    to compile, because the kernel cannot be loaded from disk.
    """

    class Listener(event.Listener):  # type: ignore[misc]
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


_NO_CHANGE_OF_CODE: Final = re.compile(
    "CACHE_|COLOR_|CUDA_|DISABLE_PERFORMANCE_WARNINGS|DUMP_|FULL_TRACEBACKS|SHOW_HELP|THREADING_|.*NUM_THREADS|_"
)


def _compiler_options() -> list[str]:
    """All options of Numba, however they were set, except those that surely change no machine
    code.
    """
    names = [name for name in vars(config) if name.isupper() and not _NO_CHANGE_OF_CODE.match(name)]
    return [f"{name}={getattr(config, name)!r}" for name in sorted(names)]


class _KernelCache(_Cache):  # type: ignore[misc]
    """Keeps one kernel's compiled versions on disk, one file each."""

    def __init__(self, function: Any, kind: str = "") -> None:
        self._function = function
        self._kind = kind
        self._identity: str | None = None
        self._enabled = True
        self.turns = Turns()

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

    def loaded(self, args: tuple[types.Type, ...], target_context: Any) -> Any:
        """What was compiled for these types of arguments, or None if it is not on disk."""
        if not self._enabled:
            return None
        target_context.refresh()
        return self._loaded(self._name(args, target_context.codegen()), target_context)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        target_context.refresh()
        if not self._enabled:
            return None
        name = self._name(signature, target_context.codegen())
        result = self._loaded(name, target_context)
        if result is None and (turn := turn_file(name)) is not None:
            self.turns.take(turn)
            result = self._loaded(name, target_context)  # another process may have compiled it
        return result

    def _loaded(self, name: str, target_context: Any) -> Any:
        payload = read_code(name)
        if payload is None:
            return None
        try:
            return compiler.CompileResult._rebuild(target_context, *pickle.loads(payload))
        except ImportError:
            return None  # as below
        except AttributeError as error:
            if error.obj is not None:
                raise  # of something that was found
            # A rule was defined where nothing can be imported from, by exec for example. Then it is
            # compiled each time.
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        link_environments(result)
        if not self._enabled or result.lifted or result.library.has_dynamic_globals:
            return
        payload = pickle.dumps(result._reduce(), protocol=4)
        write_code(self._name(signature, result.codegen), payload)

    def _name(self, signature: Any, codegen: Any) -> str:
        if self._identity is None:
            function = self._function
            name = f"{function.__module__}.{function.__qualname__}"
            self._identity = f"{name} {digest_functions([function])} {self._kind}"
        target = (
            f"{codegen.magic_tuple()} {numba.__version__} {sys.version} {platform.machine()} "
            f"{_compiler_options()}"
        )
        digest = digest_text(f"{self._identity} {signature} {target}")
        return f"{self._function.__name__}-{digest}.code"
