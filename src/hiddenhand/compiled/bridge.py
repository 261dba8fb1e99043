"""The bridge: a frozen dataclass whose methods run as plain Python and, handed to a kernel, as
machine code.

Everything that a compiled search is parameterised by derives from `Compiled`: games, selection
rules, evaluation functions, tables. Numba sees an instance as a struct of its fields. Inside a
kernel

- ``self.field`` reads the struct. Fields are numbers, booleans, arrays, tuples of them and nested
  `Compiled` instances; a field that holds a string or None is for people and does not exist in
  compiled code;
- ``self.CONSTANT``, a number on the class, is a compile-time constant;
- ``self.method(...)`` calls the class's own method, inherited ones too, each compiled for its own
  arguments; a property needs no parentheses.

The Numba type of an instance is named by its class, a digest of all its methods (see `fingerprint`)
and its fields' types. Two consequences: games that differ in numbers only share one compilation,
and an edited rule is another type, for which no stale machine code can exist.

Arrays are *borrowed*: compiled code neither counts references to them nor may keep them, because
the instance that was passed in outlives the call. That keeps atomic counters out of inner loops.
"""

import dataclasses
import functools
import inspect
import os
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, ClassVar, Final

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.datamodel.registry import register_default
from numba.core.errors import NumbaTypeError
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)

from hiddenhand.compiled.fingerprint import digest_functions, digest_text
from hiddenhand.compiled.helpers import Helpers
from hiddenhand.compiled.inlining import PartDispatcher
from hiddenhand.errors import RuleError

Guard = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Takes a method, and returns one that calls it and looks at what it returns."""

_OWN_PACKAGE: Final = __name__.partition(".")[0] + "."


class Compiled:
    """Base of all frozen dataclasses whose methods can be compiled. It adds nothing to a class but
    that.

    A class that is not part of this package is *guarded*: array indices in its methods are checked,
    and the methods named in ``guards`` are compiled with their guards. ``HIDDENHAND_GUARD=all`` in
    the environment guards ours, too.
    """

    guards: ClassVar[Mapping[str, Guard]] = {}

    @property
    def guarded(self) -> bool:
        """Whether this instance is guarded; a constant in compiled code. What wraps another
        instance is guarded if that is.
        """
        return is_guarded(type(self))


def is_guarded(cls: type) -> bool:
    """Whether compiled methods of ``cls`` are guarded."""
    return (
        not cls.__module__.startswith(_OWN_PACKAGE) or os.environ.get("HIDDENHAND_GUARD") == "all"
    )


class _Rules:
    """What compiled code may use of a class, by name: functions of methods and properties,
    constants.

    Numba's templates for the functions are made when the first of them is compiled: code that is
    loaded from disk needs none.
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
        self.digest = digest_text(f"{self.rules_digest}{digest_functions(guards)}{self._guarded}")
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
            self._templates[name] = _template(unique, compilable, self._guarded)
        return self._templates[name]


_RULES_OF_CLASS: dict[type, _Rules] = {}
_RULES: dict[
    tuple[str, str], _Rules
] = {}  # (class name, digest) -> rules, so that a type read back from disk finds its methods


class CompiledType(types.Type):
    """The Numba type of a `Compiled` instance."""

    def __init__(
        self, class_name: str, digest: str, fields: tuple[tuple[str, types.Type], ...]
    ) -> None:
        self.class_name = class_name
        self.digest = digest
        self.fields = fields
        super().__init__(
            name=f"{class_name}[{digest}]({', '.join(f'{name}: {t}' for name, t in fields)})"
        )

    @property
    def rules(self) -> _Rules:
        return _RULES[self.class_name, self.digest]


def rules_digest(cls: type) -> str:
    """The digest under which ``cls`` is compiled. It changes with any method, base, constant, or
    global that a method uses.
    """
    return _rules_of(cls).rules_digest


def renew_rules(instance: Compiled) -> None:
    """See the rules of ``instance``, and of what it holds, as they are now.

    What a rule names may be another value than when it was compiled, in a notebook above all. Numba
    would not notice; after this the type of the instance is another one.
    """
    _RULES_OF_CLASS[type(instance)] = _register(type(instance))
    for _, value in compiled_fields(instance):
        if isinstance(value, Compiled):
            renew_rules(value)


def compiled_fields(instance: Any) -> list[tuple[str, Any]]:
    """The fields that exist in compiled code, with their values. Raises RuleError for a value that
    has no compiled form.
    """
    found = []
    for name in _field_names(type(instance)):
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


def _field_names(cls: type) -> tuple[str, ...]:
    if cls not in _FIELD_NAMES:
        _FIELD_NAMES[cls] = tuple(field.name for field in dataclasses.fields(cls))
    return _FIELD_NAMES[cls]


def _has_compiled_form(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_has_compiled_form(item) for item in value)
    return isinstance(value, (bool, int, float, np.generic, np.ndarray, Compiled))


def _rules_of(cls: type) -> _Rules:
    # looked up in the class's own entry: a subclass has other rules than its base
    if cls not in _RULES_OF_CLASS:
        _RULES_OF_CLASS[cls] = _register(cls)
    return _RULES_OF_CLASS[cls]


def _register(cls: type) -> _Rules:
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
        if name.startswith("__") or name in field_names:
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
        elif isinstance(attribute, (bool, int, float)):
            constants[name] = attribute
    rules = _Rules(cls, functions, properties, constants)
    return _RULES.setdefault((cls.__qualname__, rules.digest), rules)


def _with_instance(function: Any) -> Any:
    """A static method as a method that passes over its instance."""

    def method(self: Any, *args: Any) -> Any:
        return function(*args)

    return method


def _template(unique: str, method: Any, checked: bool) -> type[AbstractTemplate]:
    """A Numba template of its own for each method, so that two classes may use one method name with
    different parameters.
    """
    compiled = PartDispatcher(method, checked)

    class Method(AbstractTemplate):
        key = unique
        dispatcher = compiled

        def generic(self, args: Any, kws: Any) -> Any:
            return compiled._type.get_call_type(self.context, (self.this, *args), kws).as_method()

    return Method


class _BoundMethod(types.BoundFunction):
    """A method with its instance. A call finds what was compiled for the types of its arguments."""

    def get_impl_key(self, signature: Any) -> Any:
        return self.template.dispatcher.get_overload(signature.args)


@register_default(_BoundMethod)
def _model_of_bound_method(models: Any, method: _BoundMethod) -> Any:
    """In compiled code it is its instance."""
    return models[method.this]


# --- how Numba handles the type: typeof, data model, unboxing, attributes ---


_TYPES: dict[tuple[Any, ...], CompiledType] = {}
"""All types of instances, by what decides them: a call of a kernel asks for the types of all its
arguments, again and again. The types of fields are known by their addresses, which is fast. It is
safe because Numba makes every type once, and a `CompiledType` keeps those of its fields alive.
"""
_ARRAY_TYPES: dict[tuple[np.dtype[Any], int, int], types.Type] = {}


@typeof_impl.register(Compiled)
def _typeof_compiled(value: Any, context: Any) -> CompiledType:
    rules = _rules_of(type(value))
    fields = tuple((name, _typeof_field(field)) for name, field in compiled_fields(value))
    key = (type(value), rules.digest, *((name, id(kind)) for name, kind in fields))
    if key not in _TYPES:
        _TYPES[key] = CompiledType(type(value).__qualname__, rules.digest, fields)
    return _TYPES[key]


def _typeof_field(value: Any) -> types.Type:
    if isinstance(value, Compiled):
        return _typeof_compiled(value, None)
    if type(value) is not np.ndarray:
        return typeof(value)
    key = (value.dtype, value.ndim, value.flags.num)
    if key not in _ARRAY_TYPES:
        _ARRAY_TYPES[key] = typeof(value)
    return _ARRAY_TYPES[key]


@register_model(CompiledType)
class _CompiledModel(models.StructModel):
    """A struct of the fields, without reference counting: what it holds is borrowed from the Python
    instance.
    """

    def __init__(self, manager: Any, compiled_type: CompiledType) -> None:
        super().__init__(
            manager, compiled_type, list(compiled_type.fields) or [("_empty", types.int8)]
        )

    def has_nrt_meminfo(self) -> bool:
        return False

    def traverse(self, builder: Any) -> list[Any]:
        return []

    def inner_models(self) -> list[Any]:
        return []


@unbox(CompiledType)
def _unbox_compiled(compiled_type: CompiledType, instance: Any, c: Any) -> NativeValue:
    struct = cgutils.create_struct_proxy(compiled_type)(c.context, c.builder)
    for name, field_type in compiled_type.fields:
        attribute = c.pyapi.object_getattr_string(instance, name)
        native = c.unbox(field_type, attribute)
        setattr(struct, name, native.value)
        if not isinstance(field_type, CompiledType):
            c.context.nrt.decref(
                c.builder, field_type, native.value
            )  # borrowed: the instance keeps it alive
        c.pyapi.decref(attribute)
    return NativeValue(
        struct._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    )


@infer_getattr
class _CompiledAttribute(AttributeTemplate):
    key = CompiledType

    def generic_resolve(self, compiled_type: CompiledType, name: str) -> types.Type | None:
        for field, field_type in compiled_type.fields:
            if field == name:
                return field_type
        rules = compiled_type.rules
        if name in rules.constants:
            return typeof(rules.constants[name])
        if name in rules.properties:
            bound = _bind(compiled_type, name)
            return self.context.resolve_function_type(bound, (), {}).return_type
        if name in rules.methods:
            return _bind(compiled_type, name)
        return None


def _bind(compiled_type: CompiledType, name: str) -> types.BoundFunction:
    return _BoundMethod(compiled_type.rules.template(name), compiled_type)


@lower_getattr_generic(CompiledType)
def _lower_attribute(
    context: Any, builder: Any, compiled_type: CompiledType, value: Any, name: str
) -> Any:
    for field, field_type in compiled_type.fields:
        if field == name:
            struct = cgutils.create_struct_proxy(compiled_type)(context, builder, value=value)
            return _borrow(context, builder, field_type, getattr(struct, name))
    rules = compiled_type.rules
    if name in rules.constants:
        constant = rules.constants[name]
        return context.get_constant(typeof(constant), constant)
    if name in rules.properties:
        bound = _bind(compiled_type, name)
        signature = context.typing_context.resolve_function_type(bound, (), {})
        getter = context.get_function(bound, signature)
        context.add_linking_libs(getattr(getter, "libs", ()))
        return getter(builder, (value,))
    return value  # a bound method is its instance


@lower_setattr_generic(CompiledType)
def _refuse_assignment(
    context: Any, builder: Any, signature: Any, arguments: Any, name: str
) -> None:
    raise NumbaTypeError(f"cannot set attribute {name!r}")


@overload(float)
def _float_of_truth(value: Any) -> Any:
    """``float(a > b)``, which Numba lacks though it has ``int(a > b)``."""

    def implementation(value: Any) -> Any:
        return 1.0 if value else 0.0

    return implementation if isinstance(value, types.Boolean) else None


def _borrow(context: Any, builder: Any, field_type: types.Type, value: Any) -> Any:
    """Take an array out of the struct with null owners: the optimiser then drops all its reference
    counting.
    """
    if isinstance(field_type, types.BaseTuple):
        items = [
            _borrow(context, builder, item_type, builder.extract_value(value, index))
            for index, item_type in enumerate(field_type)
        ]
        return context.make_tuple(builder, field_type, items)
    if not isinstance(field_type, types.Array):
        return impl_ret_borrowed(context, builder, field_type, value)
    array = context.make_array(field_type)(context, builder, value=value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()
