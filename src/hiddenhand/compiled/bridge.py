"""The bridge: a frozen dataclass whose methods run as plain Python and, handed to a kernel, as machine code.

Everything that a compiled search is parameterised by derives from `Compiled`: games, selection rules, evaluation functions, tables. Numba sees
an instance as a struct of its fields. Inside a kernel

- ``self.field`` reads the struct. Fields are numbers, booleans, arrays, tuples of them and nested `Compiled` instances; a field that holds a string
  or None is for people and does not exist in compiled code;
- ``self.CONSTANT``, a number on the class, is a compile-time constant;
- ``self.method(...)`` calls the class's own method, inherited ones too, each compiled for its own arguments; a property needs no parentheses.

The Numba type of an instance is named by its class, a digest of all its methods (see `fingerprint`) and its fields' types. Two consequences: games
that differ in numbers only share one compilation, and an edited rule is another type, for which no stale machine code can exist.

Arrays are *borrowed*: compiled code neither counts references to them nor may keep them, because the instance that was passed in outlives the call.
That keeps atomic counters out of inner loops.
"""

import dataclasses
import inspect
import types as python_types
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.errors import NumbaTypeError
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate, make_overload_method_template
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
from hiddenhand.compiled.kernels import inline
from hiddenhand.errors import RuleError


class Compiled:
    """Base of all frozen dataclasses whose methods can be compiled. It adds nothing to a class but that."""


@dataclasses.dataclass(frozen=True)
class _Rules:
    """What compiled code may use of a class, by name."""

    digest: str
    methods: dict[str, tuple[str, Any]]  # name -> (unique name, Numba template)
    properties: dict[str, tuple[str, Any]]
    constants: dict[str, Any]


_RULES_OF_CLASS: dict[type, _Rules] = {}
_RULES: dict[tuple[str, str], _Rules] = {}  # (class name, digest) -> rules, so that a type read back from disk finds its methods


class CompiledType(types.Type):
    """The Numba type of a `Compiled` instance."""

    def __init__(self, class_name: str, digest: str, fields: tuple[tuple[str, types.Type], ...]) -> None:
        self.class_name = class_name
        self.digest = digest
        self.fields = fields
        super().__init__(name=f"{class_name}[{digest}]({', '.join(f'{name}: {t}' for name, t in fields)})")

    @property
    def rules(self) -> _Rules:
        return _RULES[self.class_name, self.digest]


def rules_digest(cls: type) -> str:
    """The digest under which ``cls`` is compiled. It changes with any method, base, constant, or global that a method uses."""
    return _rules_of(cls).digest


def compiled_fields(instance: Any) -> list[tuple[str, Any]]:
    """The fields that exist in compiled code, with their values. Raises RuleError for a value that has no compiled form."""
    found = []
    for name in _field_names(type(instance)):
        value = getattr(instance, name)
        if value is None or isinstance(value, str):
            continue
        if not _has_compiled_form(value):
            raise RuleError(
                f"{type(instance).__name__}.{name} is a {type(value).__name__}, which has no compiled form; "
                "use numbers, booleans, NumPy arrays, tuples of these, or another frozen dataclass of this kind"
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
        raise RuleError(f"{cls.__name__} must be decorated with @dataclass(frozen=True) to be compiled")
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
        if isinstance(attribute, python_types.FunctionType):
            functions[name] = attribute
        elif isinstance(attribute, property):
            properties[name] = attribute.fget
        elif isinstance(attribute, (bool, int, float)):
            constants[name] = attribute
    used = [*functions.values(), *properties.values()]
    digest = digest_text(digest_functions(used) + repr(sorted(constants.items())))
    rules = _Rules(
        digest,
        {name: _template(cls, digest, name, function) for name, function in functions.items()},
        {name: _template(cls, digest, name, function) for name, function in properties.items()},
        constants,
    )
    _RULES[cls.__qualname__, digest] = rules
    return rules


def _with_instance(function: Any) -> Any:
    """A static method as a method that passes over its instance."""
    compiled = inline(function)

    def method(self: Any, *args: Any) -> Any:
        return compiled(*args)

    return method


def _template(cls: type, digest: str, name: str, method: Any) -> tuple[str, Any]:
    """A Numba template of its own for each method, so that two classes may use one method name with different parameters."""

    def choose(self: Any, *args: Any, method: Any = method) -> Any:
        return method

    choose.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    overload(choose, strict=False, jit_options={"forceinline": True})(choose)
    unique = f"{name}@{cls.__qualname__}:{digest}"
    return unique, make_overload_method_template(CompiledType, unique, choose, "never", strict=False)


# --- how Numba handles the type: typeof, data model, unboxing, attributes ---


_TYPES: dict[tuple[Any, ...], CompiledType] = {}  # by what decides them: a call of a kernel asks for the types of all arguments, again and again
_ARRAY_TYPES: dict[tuple[np.dtype[Any], int, int], types.Type] = {}


@typeof_impl.register(Compiled)
def _typeof_compiled(value: Any, context: Any) -> CompiledType:
    rules = _rules_of(type(value))
    fields = tuple((name, _typeof_field(field)) for name, field in compiled_fields(value))
    key = (type(value), rules.digest, fields)
    if key not in _TYPES:
        _TYPES[key] = CompiledType(type(value).__qualname__, rules.digest, fields)
    return _TYPES[key]


def _typeof_field(value: Any) -> types.Type:
    if type(value) is not np.ndarray:
        return typeof(value)
    key = (value.dtype, value.ndim, value.flags.num)
    if key not in _ARRAY_TYPES:
        _ARRAY_TYPES[key] = typeof(value)
    return _ARRAY_TYPES[key]


@register_model(CompiledType)
class _CompiledModel(models.StructModel):
    """A struct of the fields, without reference counting: what it holds is borrowed from the Python instance."""

    def __init__(self, manager: Any, compiled_type: CompiledType) -> None:
        super().__init__(manager, compiled_type, list(compiled_type.fields) or [("_empty", types.int8)])

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
            c.context.nrt.decref(c.builder, field_type, native.value)  # borrowed: the instance keeps it alive
        c.pyapi.decref(attribute)
    return NativeValue(struct._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


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
            bound = _bind(self.context, compiled_type, rules.properties[name])
            return self.context.resolve_function_type(bound, (), {}).return_type
        if name in rules.methods:
            return _bind(self.context, compiled_type, rules.methods[name])
        return None


def _bind(context: Any, compiled_type: CompiledType, entry: tuple[str, Any]) -> types.BoundFunction:
    unique, template = entry
    return template(context)._resolve(compiled_type, unique)


@lower_getattr_generic(CompiledType)
def _lower_attribute(context: Any, builder: Any, compiled_type: CompiledType, value: Any, name: str) -> Any:
    for field, field_type in compiled_type.fields:
        if field == name:
            struct = cgutils.create_struct_proxy(compiled_type)(context, builder, value=value)
            return _borrow(context, builder, field_type, getattr(struct, name))
    rules = compiled_type.rules
    if name in rules.constants:
        constant = rules.constants[name]
        return context.get_constant(typeof(constant), constant)
    if name in rules.properties:
        bound = _bind(context.typing_context, compiled_type, rules.properties[name])
        signature = context.typing_context.resolve_function_type(bound, (), {})
        getter = context.get_function(bound, signature)
        context.add_linking_libs(getattr(getter, "libs", ()))
        return getter(builder, (value,))
    return value  # a bound method is its instance


@lower_setattr_generic(CompiledType)
def _refuse_assignment(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    raise NumbaTypeError(f"cannot set attribute {name!r}")


@overload(float)
def _float_of_truth(value: Any) -> Any:
    """``float(a > b)``, which Numba lacks though it has ``int(a > b)``."""

    def implementation(value: Any) -> Any:
        return 1.0 if value else 0.0

    return implementation if isinstance(value, types.Boolean) else None


def _borrow(context: Any, builder: Any, field_type: types.Type, value: Any) -> Any:
    """Take an array out of the struct with null owners: the optimiser then drops all its reference counting."""
    if isinstance(field_type, types.BaseTuple):
        items = [_borrow(context, builder, item_type, builder.extract_value(value, index)) for index, item_type in enumerate(field_type)]
        return context.make_tuple(builder, field_type, items)
    if not isinstance(field_type, types.Array):
        return impl_ret_borrowed(context, builder, field_type, value)
    array = context.make_array(field_type)(context, builder, value=value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    return array._getvalue()
