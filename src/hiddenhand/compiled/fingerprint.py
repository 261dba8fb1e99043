"""A digest of everything that decides what a Python function compiles to.

Numba's own disk cache looks only at the date of the file that defines the outermost kernel. Here a compiled type is named after a digest of its
rules instead, so machine code of an older rule can never be found again. The digest is taken from the *bytecode*, not from the text: it is there
for classes typed into a notebook, a prompt or ``python -c``, and a changed comment costs no recompilation.

What counts: the code (with nested functions), its constants, and the values of the globals and closure cells it names, because Numba freezes them.
"""

import dataclasses
import enum
import hashlib
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

_SCALARS = (int, float, complex, str, bytes, bool, type(None), np.generic)


def digest_functions(functions: Iterable[types.FunctionType]) -> str:
    """16 hexadecimal digits that change when any of the functions, or anything they refer to, changes."""
    parts: list[str] = []
    seen: set[int] = set()
    for function in functions:
        _describe_function(function, parts, seen)
    return digest_text("\n".join(parts))


def digest_text(text: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of ``text``."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _describe_function(function: types.FunctionType, parts: list[str], seen: set[int]) -> None:
    if id(function) in seen:
        return
    seen.add(id(function))
    parts.append(f"function {function.__qualname__} {function.__defaults__!r} {function.__kwdefaults__!r}")
    _describe_code(function.__code__, parts)
    for name in sorted(_names(function.__code__)):
        if name in function.__globals__:
            parts.append(f"global {name}")
            _describe_value(function.__globals__[name], parts, seen)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name != "__class__":  # put there by super(); the class itself is described by its methods
            parts.append(f"cell {name}")
            _describe_value(cell.cell_contents, parts, seen)


def _describe_code(code: types.CodeType, parts: list[str]) -> None:
    parts.append(f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {code.co_flags}")
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _describe_code(constant, parts)
        elif isinstance(constant, frozenset):
            parts.append(repr(sorted(map(repr, constant))))
        else:
            parts.append(repr(constant))


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


def _describe_value(value: Any, parts: list[str], seen: set[int]) -> None:
    function = getattr(value, "py_func", value)  # a Numba dispatcher stands for the function it compiles
    if isinstance(function, types.FunctionType):
        _describe_function(function, parts, seen)
    elif isinstance(value, _SCALARS):
        parts.append(f"{type(value).__name__} {value!r}")
    elif isinstance(value, enum.EnumType):
        members: dict[str, Any] = dict(value.__members__)
        parts += [f"{value.__qualname__}.{name} {member.value!r}" for name, member in members.items()]
    elif isinstance(value, np.ndarray):
        parts.append(f"array {value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}")
    elif isinstance(value, tuple):
        for item in value:
            _describe_value(item, parts, seen)
    elif isinstance(value, types.ModuleType):
        parts.append(f"module {value.__name__} {getattr(value, '__version__', '')} {_digest_module(value)}")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            _describe_value(getattr(value, field.name), parts, seen)
    else:
        parts.append(f"{type(value).__name__} {getattr(value, '__qualname__', '')}")


def _digest_module(module: types.ModuleType) -> str:
    """Constants reached through a user's module count too; installed libraries are told apart by version alone."""
    path = getattr(module, "__file__", None)
    if path is None or not path.endswith(".py") or "site-packages" in path or getattr(module, "__version__", None):
        return ""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
