"""A digest of everything that decides what a Python function compiles to.

Numba's own disk cache looks only at the date of the file that defines the outermost kernel. Here a
compiled type is named after a digest of its rules instead, so machine code of an older rule can
never be found again. The digest is taken from the *bytecode*, not from the text: it is there for
classes typed into a notebook, a prompt or ``python -c``, and a changed comment costs no
recompilation.

What counts: the code (with nested functions), its constants, and every value that it names, because
Numba freezes them. A name may lead through modules and classes: ``cards.deck.JACK`` counts by the
value of JACK, whatever module made it and whatever ``__version__`` stands beside it. Only what is
really installed, or belongs to Python, counts by its name and version. `named_values` lists what a
function names, also for other modules.
"""

import dataclasses
import dis
import enum
import functools
import hashlib
import platform
import sys
import sysconfig
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

_SCALARS: Final = (int, float, complex, str, bytes, type(None), np.generic, slice, range)
MISSING: Final = object()
_EMPTY: Final = types.CellType()
_PACKAGES: Final = {"site-packages", "dist-packages"}  # what installers call their folders
_OWN_FOLDER: Final = Path(__file__).resolve().parent.parent


def digest_functions(functions: Iterable[types.FunctionType]) -> str:
    """16 hexadecimal digits that change when any function, or anything they refer to, changes."""
    describer = _Describer()
    for function in functions:
        describer.function(function)
    return digest_text("\n".join(describer.parts))


def digest_text(text: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of ``text``."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


_HAS_DOCSTRING: Final = 0x4000000  # in co_flags, since Python 3.14


def _without_docstring(code: types.CodeType) -> tuple[Any, ...]:
    """The constants of the code, with None in place of a docstring: what explains a function
    changes nothing of what it does.

    Python puts a docstring first. So it does with None where a function has none; but lambdas and
    comprehensions, whose names are in angle brackets, have constants of their own there.
    """
    constants = code.co_consts
    is_function = not code.co_name.startswith("<")
    may_have = sys.version_info < (3, 14) or bool(code.co_flags & _HAS_DOCSTRING)
    if is_function and may_have and constants and isinstance(constants[0], str):
        return (None, *constants[1:])
    return constants


# --- what a function names ---


def names_in(code: types.CodeType) -> set[str]:
    """Every global and every attribute that the code, or a function inside it, names."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return names


def globals_in(code: types.CodeType) -> set[str]:
    """The globals that the code, or a function inside it, reads."""
    steps = dis.get_instructions(code)
    names = {step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= globals_in(constant)
    return names


def named_values(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals and closure cells that ``function`` names, with their values, in a fixed order.

    A module or class is followed by all it holds under a name that the function names anywhere, as
    "module.name": more than the function can reach, never less. Libraries are not opened.
    """
    names = sorted(names_in(function.__code__))
    for name, value in _direct_values(function, names):
        yield from _opened(name, value, names, set())


def _direct_values(function: types.FunctionType, names: list[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        if name in function.__globals__:
            yield name, function.__globals__[name]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    for name, cell in cells:
        if name != "__class__" and cell != _EMPTY:  # __class__ is put there by super()
            yield name, cell.cell_contents


def _opened(path: str, value: Any, names: list[str], inside: set[int]) -> Iterator[tuple[str, Any]]:
    yield path, value
    if not is_namespace(value) or id(value) in inside:
        return
    inside.add(id(value))
    for name in names:
        held = attribute_of(value, name)
        if held is not MISSING:
            yield from _opened(f"{path}.{name}", held, names, inside)


def is_namespace(value: Any) -> bool:
    """Whether ``value`` is a module or class that counts by what it holds."""
    return isinstance(value, (types.ModuleType, type)) and library_of(value) is None


def attribute_of(namespace: Any, name: str) -> Any:
    """What a module or class holds under ``name``, or MISSING; a property stands for itself."""
    if isinstance(namespace, types.ModuleType):
        try:
            return getattr(namespace, name, MISSING)
        except Exception:  # a module that makes its attributes when asked, and cannot make this
            return MISSING
    for base in namespace.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return MISSING


# --- what belongs to a library ---


def library_of(value: types.FunctionType | types.ModuleType | type) -> str | None:
    """Name and version of the installed library that ``value`` belongs to, or None for other code.

    Our own code, and a package that does not say its version, are followed like a user's file.
    """
    if isinstance(value, types.ModuleType):
        return _library(getattr(value, "__file__", None), value.__name__)
    if isinstance(value, types.FunctionType):
        module = sys.modules.get(value.__globals__.get("__name__", ""))
        return library_of(module) if module and vars(module) is value.__globals__ else None
    module = sys.modules.get(value.__module__)
    return library_of(module) if module else None


@functools.cache
def _library(file: str | None, module: str) -> str | None:
    if file is None:
        built_in = module in sys.builtin_module_names
        return f"{module} {platform.python_version()}" if built_in else None
    path = Path(file).resolve()
    if path.is_relative_to(_OWN_FOLDER):
        return None
    if _PACKAGES.intersection(path.parts):
        version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", None)
        return f"{module} {version}" if isinstance(version, str) else None
    if any(path.is_relative_to(folder) for folder in _folders_of_python()):
        return f"{module} {platform.python_version()}"
    return None


@functools.cache
def _folders_of_python() -> tuple[Path, ...]:
    paths = sysconfig.get_paths()
    return tuple(Path(paths[name]).resolve() for name in ("stdlib", "platstdlib"))


# --- descriptions, the text that digests are taken from ---


class _Describer:
    """Collects in ``parts`` what tells values apart; each function is described once."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._functions: dict[int, int] = {}  # in the order in which they were met
        self._around: list[int] = []  # the values that hold what is being described

    def function(self, function: types.FunctionType) -> None:
        known = id(function) in self._functions
        number = self._functions.setdefault(id(function), len(self._functions))
        self.parts.append(f"function {number} {function.__qualname__}")
        if known:
            return
        library = library_of(function)
        if library is not None:
            self.parts.append(f"library {library}")
            return
        self.value(function.__defaults__)
        self.value(function.__kwdefaults__)
        self._code(function.__code__)
        for name, value in named_values(function):
            self.parts.append(f"name {name}")
            self.value(value)

    def value(self, value: Any) -> None:
        if id(value) in self._around:
            self.parts.append(f"around {self._around.index(id(value))}")
            return
        self._around.append(id(value))
        for kind, describe in _KINDS:
            if isinstance(value, kind):
                describe(self, value)
                break
        else:
            self._other(value)
        self._around.pop()

    def _code(self, code: types.CodeType) -> None:
        flags = code.co_flags & ~_HAS_DOCSTRING
        names = f"{code.co_names} {code.co_varnames} {code.co_freevars} {flags}"
        self.parts.append(f"{code.co_code.hex()} {names}")
        for constant in _without_docstring(code):
            if isinstance(constant, types.CodeType):
                self._code(constant)
            else:
                self.value(constant)

    def _scalar(self, value: Any) -> None:
        self.parts.append(f"{type(value).__name__} {value!r}")

    def _array(self, value: np.ndarray[Any, Any]) -> None:
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        self.parts.append(f"array {value.dtype} {value.shape} {content}")

    def _items(self, value: Iterable[Any]) -> None:
        if type(value) not in (tuple, list):
            self._class(type(value))
        self.parts.append("items")
        for item in value:
            self.value(item)
        self.parts.append("end")

    def _dictionary(self, value: dict[Any, Any]) -> None:
        self._items([item for pair in value.items() for item in pair])

    def _set(self, value: Iterable[Any]) -> None:
        self.parts.append(f"set {sorted(map(repr, value))}")

    def _module(self, value: types.ModuleType) -> None:
        self.parts.append(f"module {library_of(value) or value.__name__}")

    def _class(self, value: type) -> None:
        """Its name, and what makes values of it; functions that use more of it name that."""
        self.parts.append(f"class {value.__module__}.{value.__qualname__}")
        if issubclass(value, enum.Enum):
            for name, member in value.__members__.items():
                self.parts.append(f"member {name}")
                self.value(member.value)
        if issubclass(value, tuple) and hasattr(value, "_fields"):
            self.value(value._fields)
            self.value(getattr(value, "_field_defaults", {}))

    def _member(self, value: enum.Enum) -> None:
        self.parts.append(f"{type(value).__qualname__}.{value.name}")
        self.value(value.value)

    def _other(self, value: Any) -> None:
        for holder in _HOLDERS_OF_FUNCTIONS:
            if isinstance(held := getattr(value, holder, None), types.FunctionType):
                self.parts.append(f"{type(value).__name__} {getattr(value, 'targetoptions', '')}")
                self.function(held)
                return
        self._class(type(value))
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                self.value(getattr(value, field.name))


_HOLDERS_OF_FUNCTIONS: Final = ("py_func", "_defn", "__func__", "fget", "__wrapped__")
"""Where Numba's dispatchers and intrinsics, methods, properties and wrappers keep a function."""

_KINDS: Final[tuple[tuple[Any, Callable[[_Describer, Any], None]], ...]] = (
    (types.FunctionType, _Describer.function),
    (enum.Enum, _Describer._member),
    (_SCALARS, _Describer._scalar),
    (np.ndarray, _Describer._array),
    ((tuple, list), _Describer._items),
    (dict, _Describer._dictionary),
    ((set, frozenset), _Describer._set),
    (types.ModuleType, _Describer._module),
    (type, _Describer._class),
)
