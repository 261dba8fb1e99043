"""What compiled code may use of a class: the methods and constants of a frozen dataclass.

`Compiled` is the base of all classes whose instances can be handed to a kernel; `bridge` tells
Numba how. Here is what belongs to the class and not to an instance: its rules, found once, and the
digest of all that decides their machine code.
"""

import dataclasses
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, ClassVar, Final, TypeVar, cast

import numpy as np
from numba import types
from numba.core.errors import NumbaTypeError
from numba.core.typing.templates import AbstractTemplate

from hiddenhand.errors import RuleError
from hiddenhand.jit.fingerprint import digest_functions, digest_text
from hiddenhand.jit.helpers import Helpers
from hiddenhand.jit.inlining import MethodDispatcher

_Method = TypeVar("_Method", bound=Callable[..., Any])
Guard = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Takes a method, and returns one that calls it and looks at what it returns."""

_OF_CLASS: Final = ("pointed", "whole", "around_any")
"""What `Compiled` says of a class and no method may read."""
_OWN_PACKAGE: Final = __name__.partition(".")[0] + "."


class Compiled:
    """Base of all frozen dataclasses whose methods can be compiled.

    A class that is not part of this package is *guarded*: array indices in its methods are checked,
    and the methods named in ``guards`` are compiled with their guards. With
    ``HIDDENHAND_GUARD=all`` in the environment, classes of this package are guarded, too.

    guards: the guards of methods, by the names of the methods.
    pointed: what generic kernels know of an instance, whose rules they call by pointer: a
        `ByPointer`. None for a class that generic kernels are compiled with.
    whole: whether methods use more of a game than ``pointed`` of games says. An instance, and
        whatever holds it, then has no generic form.
    around_any: whether the methods that are called by pointer use no more of the instances in the
        fields than ``pointed`` of theirs says. They are then compiled once, and call the rules of
        those instances by pointer, too.
    """

    guards: ClassVar[Mapping[str, Guard]] = {}
    pointed: ClassVar[Any] = None
    whole: ClassVar[bool] = False
    around_any: ClassVar[bool] = False

    @property
    def guarded(self) -> bool:
        """Whether this instance is guarded, which is a constant in compiled code. A class that
        wraps another instance overrides this, and is guarded if that instance is.
        """
        return is_guarded(type(self))


def is_guarded(cls: type) -> bool:
    """Whether compiled methods of ``cls`` are guarded."""
    return (
        not cls.__module__.startswith(_OWN_PACKAGE) or os.environ.get("HIDDENHAND_GUARD") == "all"
    )


class BesideRules:
    """What `beside_rules` makes of a method: a descriptor in which `_register` sees no function."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.__doc__ = method.__doc__
        self.method = method

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self.method if instance is None else MethodType(self.method, instance)


def beside_rules(method: _Method) -> _Method:
    """A method that is no rule: it is never compiled and decides nothing of what is. It may change,
    or be added to a base, and the digests of all classes stay what they were, so that files which
    were made before are still read.
    """
    return cast(_Method, BesideRules(method))


class PropertyBesideRules:
    """A property that is no rule, see `beside_rules`."""

    def __init__(self, method: Callable[[Any], Any]) -> None:
        self.__doc__ = method.__doc__
        self.method = method

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self.method(instance)


class Rules:
    """What compiled code may use of a class.

    methods: the functions of its methods, by name.
    properties: the functions of its properties, by name.
    constants: its numbers and tuples of numbers, by name.
    pointed, whole, around_any: see `Compiled`.
    rules_digest: a digest of the methods, properties and constants.
    digest: a digest of all of these and of the guards, which names the compiled type.

    Numba's template of a function is made when the function is first compiled, because code that is
    loaded from disk needs no templates.
    """

    def __init__(
        self,
        cls: type[Compiled],
        methods: dict[str, FunctionType],
        properties: dict[str, FunctionType],
        constants: dict[str, Any],
    ) -> None:
        self.methods = methods
        self.properties = properties
        self.constants = constants
        self._guarded = is_guarded(cls)
        self._guards = (
            {name: guard for name, guard in cls.guards.items() if name in methods}
            if self._guarded
            else {}
        )
        functions = digest_functions([*methods.values(), *properties.values()])
        own = {name: value for name, value in constants.items() if name != "guarded"}
        self.rules_digest = digest_text(functions + repr(sorted(own.items())))
        guards: list[Any] = list(self._guards.values())
        self.pointed, self.whole, self.around_any = cls.pointed, cls.whole, cls.around_any
        self.digest = digest_text(
            f"{self.rules_digest}{digest_functions(guards)}{self._guarded}{self.pointed}"
        )
        self._owner = cls.__qualname__
        self._templates: dict[str, type[AbstractTemplate]] = {}

    @functools.cached_property
    def _helpers(self) -> Helpers:
        return Helpers(self._guarded)

    def template(self, name: str) -> type[AbstractTemplate]:
        """The Numba template of a method or property."""
        if name not in self._templates:
            function = self.methods.get(name) or self.properties[name]
            guard = self._guards.get(name)
            compilable = (
                self._helpers.with_helpers(function)
                if guard is None
                else guard(self._helpers.compiled(function))
            )
            unique = f"{name}@{self._owner}:{self.digest}"
            self._templates[name] = _template(
                unique, compilable, self._guarded, self._returns_integer(name)
            )
        return self._templates[name]

    def _returns_integer(self, name: str) -> bool:
        """Whether generic kernels take what a method returns for an integer."""
        called = None if self.pointed is None else self.pointed.rules.get(name)
        return called is not None and isinstance(called.return_type, types.Integer)


ON_RENEWAL: Final[list[Callable[[], None]]] = []
"""What `renew_rules` calls, so that modules that keep compiled types forget them."""
_RULES_OF_CLASS: dict[type, Rules] = {}
RULES: dict[tuple[str, str], Rules] = {}
"""Rules by class name and digest, so that a type that is read from disk finds its methods."""


def rules_digest(cls: type) -> str:
    """The digest under which ``cls`` is compiled. It changes with any method, base, constant, or
    global that a method uses.
    """
    return rules_of_class(cls).rules_digest


def renew_rules(instance: Compiled) -> None:
    """Find out anew what the rules of ``instance``, and of the instances in its fields, are.

    A name in a rule may have another value than when the rule was compiled, above all in a
    notebook. Numba would not notice that. After this call the instance has another compiled type.
    """
    _RULES_OF_CLASS[type(instance)] = _register(type(instance))
    for forget in ON_RENEWAL:
        forget()
    for _, value in compiled_fields(instance):
        if isinstance(value, Compiled):
            renew_rules(value)


def compiled_fields(instance: Any) -> list[tuple[str, Any]]:
    """The fields that exist in compiled code, with their values. Raises RuleError for a value that
    has no compiled form.
    """
    found = []
    for name in field_names(type(instance)):
        value = getattr(instance, name)
        if value is None or isinstance(value, str):
            continue
        if type(value) is not np.ndarray and not _has_compiled_form(value):
            raise RuleError(
                f"{type(instance).__name__}.{name} is a {type(value).__name__}, which has no "
                "compiled form; "
                "use numbers, booleans, NumPy arrays, tuples of these, or another frozen "
                "dataclass of this kind"
            )
        found.append((name, value))
    return found


_FIELD_NAMES: dict[type, tuple[str, ...]] = {}


def field_names(cls: type) -> tuple[str, ...]:
    """The names of the fields of a dataclass."""
    if cls not in _FIELD_NAMES:
        _FIELD_NAMES[cls] = tuple(field.name for field in dataclasses.fields(cls))
    return _FIELD_NAMES[cls]


def _has_compiled_form(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_has_compiled_form(item) for item in value)
    return isinstance(value, (bool, int, float, np.generic, np.ndarray, Compiled))


def rules_of_class(cls: type) -> Rules:
    """What compiled code may use of ``cls``, which is found out once. A subclass has rules of its
    own. Raises RuleError for a class that is no frozen dataclass.
    """
    if cls not in _RULES_OF_CLASS:
        _RULES_OF_CLASS[cls] = _register(cls)
    return _RULES_OF_CLASS[cls]


def _register(cls: type) -> Rules:
    parameters = getattr(cls, "__dataclass_params__", None)
    if "__dataclass_params__" not in vars(cls) or parameters is None or not parameters.frozen:
        raise RuleError(
            f"{cls.__name__} must be decorated with @dataclass(frozen=True) to be compiled"
        )
    functions: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    constants: dict[str, Any] = {}
    field_names = {field.name for field in dataclasses.fields(cls)}
    for name in dir(cls):
        if name.startswith("__") or name in field_names or name in _OF_CLASS:
            continue
        attribute = inspect.getattr_static(cls, name)
        if isinstance(attribute, staticmethod):
            attribute = _with_instance(attribute.__func__)
        if isinstance(attribute, FunctionType):
            functions[name] = attribute
        elif attribute is Compiled.guarded:
            constants[name] = is_guarded(cls)
        elif isinstance(attribute, property):
            properties[name] = attribute.fget
        elif _is_constant(attribute):
            constants[name] = attribute
    rules = Rules(cls, functions, properties, constants)
    return RULES.setdefault((cls.__qualname__, rules.digest), rules)


def _is_constant(value: Any) -> bool:
    """Whether a value on a class is a number, or a tuple of numbers or of such tuples."""
    if isinstance(value, tuple):
        return bool(value) and all(map(_is_constant, value))
    return isinstance(value, (bool, int, float))


def _with_instance(function: Any) -> Any:
    """A static method as a method that ignores its instance."""

    def method(self: Any, *args: Any) -> Any:
        return function(*args)

    return method


def _template(
    unique: str, method: Any, checked: bool, returns_integer: bool
) -> type[AbstractTemplate]:
    """A Numba template of its own for each method, so that two classes may use one method name with
    different parameters.

    returns_integer: whether the method is refused if it returns a fraction, as Numba makes of an
        int64 in one branch and a uint64 in another.
    """
    compiled = MethodDispatcher(method, checked)

    class Method(AbstractTemplate):
        key = unique
        dispatcher = compiled

        def generic(self, args: Any, kws: Any) -> Any:
            called = compiled._type.get_call_type(self.context, (self.this, *args), kws)
            if returns_integer and isinstance(called.return_type, types.Float):
                raise NumbaTypeError(f"{unique} returns {called.return_type}, not an integer")
            return called.as_method()

    return Method
