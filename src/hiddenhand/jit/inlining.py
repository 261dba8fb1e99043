"""How functions are compiled that only other compiled functions call: as parts, not as programs.

Numba makes a program of its own of every function that it compiles: the function gets wrappers for
callers in Python and C, is optimised, and is turned into machine code. A search calls some fifty
small functions that are called from nowhere else. When they are inlined, all that work is thrown
away. `PartDispatcher` stops before this work: what it compiles is handed to callers as it is, and
is optimised once, together with the kernel that it becomes part of. If such a function is called
from plain Python, it is compiled a second time, as a kernel.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final, TypeVar

from numba import types
from numba.core import compiler, compiler_machinery, config, event, ir, sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.extending import overload
from numba.np import arrayobj

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS: Final = {"nopython": True, "nogil": True, "error_model": "numpy", "forceinline": True}


KERNELS: Final[list[Callable[[Any], Any]]] = []
"""What makes a kernel of a function; `dispatching`, which needs this module, adds it."""


class PartDispatcher(CPUDispatcher):  # type: ignore[misc]
    """A function that is compiled as part of the kernels that call it.

    checked: whether array indices in it are checked.
    """

    _is_method: ClassVar[bool] = False

    def __init__(self, function: Callable[..., Any], checked: bool = False) -> None:
        options = {**_OPTIONS, "boundscheck": True} if checked else dict(_OPTIONS)
        super().__init__(function, targetoptions=options, pipeline_class=_PartCompiler)
        self._compiler._customize_flags = QuickFlags

    def compile(self, signature: Any) -> Any:
        """Compile for the types of arguments in a signature, unless that was done. Numba's own
        method starts two clocks for each function that is being compiled, which every use of LLVM
        calls.
        """
        args, return_type = sigutils.normalize_signature(signature)
        if (known := self.overloads.get(tuple(args))) is not None:
            return known.entry_point
        told = {"dispatcher": self, "args": args, "return_type": return_type}
        with (
            global_compiler_lock,
            self._compiling_counter,
            event.trigger_event("numba:compile", data=told),
        ):
            result = self._compiler.compile(args, return_type)
            self.add_overload(result)
        return result.entry_point

    def add_overload(self, result: CompileResult) -> None:
        """Keep what was compiled, for other compiled functions. There is nothing that Python could
        call.
        """
        self.overloads[tuple(result.signature.args)] = result

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template for a call, as Numba makes it. An argument that is a constant has the type
        of other values: once the function is inlined, the optimiser knows the constant anyway.
        """
        plain = {name: as_values(types.unliteral(kind)) for name, kind in kws.items()}
        own = args[:1] if self._is_method else ()
        others = tuple(as_values(types.unliteral(kind)) for kind in args[len(own) :])
        return super().get_call_template((*own, *others), plain)

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """The function that a call from Python calls."""
        return self._for_python

    @functools.cached_property
    def _for_python(self) -> Any:
        return KERNELS[0](self.py_func)

    def _reduce_states(self) -> dict[str, Any]:
        return {"function": self.py_func, "checked": bool(self.targetoptions.get("boundscheck"))}

    @classmethod
    def _rebuild(cls, function: Callable[..., Any], checked: bool) -> "PartDispatcher":
        return cls(function, checked)


class MethodDispatcher(PartDispatcher):
    """A method, which receives its instance by place: see `bridge`."""

    _is_method = True


def inline(function: _Function, *, checked: bool = False) -> _Function:
    """A small function that only kernels call, and which is compiled as part of them.

    checked: whether array indices in it are checked.
    """
    part: Any = function if config.DISABLE_JIT else PartDispatcher(function, checked)
    return part


def as_values(kind: Any) -> Any:
    """The same type, with all instances in it handed over by value: see `bridge`."""
    if isinstance(kind, types.UniTuple):
        return types.UniTuple(as_values(kind.dtype), kind.count)
    if isinstance(kind, types.Tuple):
        return types.Tuple([as_values(item) for item in kind.types])
    return getattr(kind, "as_value", kind)


def link_environments(result: CompileResult) -> None:
    """Tell the machine code of a kernel where its parts keep what they need of Python."""
    for environment in result._find_referenced_environments():
        result.codegen.set_env(environment.env_name, environment)


class QuickFlags(compiler.Flags):  # type: ignore[misc]
    """Numba's flags, compared faster. Numba keeps what it finds for an operator or a function by
    the types of the arguments and by all flags. It compares these so often, value by value, that
    this was a tenth of all compile time.
    """

    def __init__(self, flags: compiler.Flags | None = None) -> None:
        super().__init__(flags)
        self._listed: dict[str, Any] | None = None
        self._listed_for: dict[str, Any] = {}

    def values(self) -> dict[str, Any]:
        """All flags by name, those that were not set included."""
        if self._listed is None or self._listed_for != self._values:
            self._listed, self._listed_for = super().values(), self._values.copy()
        return self._listed

    def __hash__(self) -> int:
        return _HASH_OF_FLAGS

    def __eq__(self, other: object) -> bool:
        return self is other or bool(super().__eq__(other))


_HASH_OF_FLAGS: Final = hash(compiler.Flags())  # Numba's hash depends on the names alone


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a part and of all functions that it calls. It is neither optimised nor turned
    into machine code.
    """

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class _PartTyping(NopythonTypeInference):  # type: ignore[misc]
    """Type inference, after which instances are returned by value."""

    _name = "part_typing"

    def run_pass(self, state: Any) -> bool:
        changed = bool(super().run_pass(state))
        state.return_type = as_values(state.return_type)
        for block in state.func_ir.blocks.values():
            if isinstance(block.terminator, ir.Return):  # of a variable made for it, by a cast
                name = block.terminator.value.name
                state.typemap[name] = as_values(state.typemap.pop(name))
        return changed


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):  # type: ignore[misc]
    """Lowering, without the wrappers and the machine code."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        flags = state.flags
        flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
        with _short_shape_errors():
            super().run_pass(state)
        state.library.finalize()
        entry = object()  # a name for what there is nothing to call of
        state.targetctx.insert_user_function(entry, state.cr.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state.cr = state.cr._replace(cfunc=entry)
        return True


def _raise_shape_error(source: Any, target: Any) -> None:
    """What an assignment to a slice calls where the shapes differ."""
    raise NotImplementedError


@overload(_raise_shape_error)  # type: ignore[untyped-decorator]
def _compiled_shape_error(source: Any, target: Any) -> Any:
    def implementation(source: Any, target: Any) -> None:
        raise ValueError("cannot assign slice from input of different shape")

    return implementation


@contextlib.contextmanager
def _short_shape_errors() -> Iterator[None]:
    """While our code is lowered, the error of an assignment to a slice does not name the shapes.

    Numba would write the shapes out, and compile all its code for strings: 1.3 s for one
    assignment. The thread that compiles holds Numba's lock, so no other code is compiled meanwhile.
    """
    before = arrayobj.raise_with_shape_context
    arrayobj.raise_with_shape_context = _raise_shape_error
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = before


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class _KernelLowering(NativeLowering):  # type: ignore[misc]
    """Lowering, with short errors, and without a wrapper for callers in C: there are none."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_cfunc_wrapper = True
        with _short_shape_errors():
            return bool(super().run_pass(state))


class _PartCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's pipeline for parts."""

    def define_pipelines(self) -> list[Any]:
        return [_pipeline(self.state, _PartLowering, _PartTyping)]


class KernelCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's pipeline for kernels."""

    def define_pipelines(self) -> list[Any]:
        return [_pipeline(self.state, _KernelLowering)]


def _pipeline(state: Any, lowering: type[NativeLowering], *others: type[Any]) -> Any:
    """Numba's pipeline, in which some steps are exchanged: ``lowering``, which makes code for LLVM,
    and ``others``. Each takes the place of the step that it derives from.
    """
    manager = compiler.DefaultPassBuilder.define_nopython_pipeline(state)
    ours = {step.__mro__[1]: step for step in (lowering, *others)}
    manager.passes = [(ours.get(step, step), text) for step, text in manager.passes]
    manager.finalize()
    return manager
