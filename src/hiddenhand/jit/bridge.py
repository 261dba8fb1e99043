"""The bridge: a frozen dataclass whose methods run as plain Python and, handed to a kernel, as
machine code.

Everything that a compiled search is parameterised by derives from `Compiled`: games, selection
rules, evaluation functions, tables. Numba sees an instance as a struct of its fields. Inside a
kernel

- ``self.field`` reads the struct. Fields are numbers, booleans, arrays, tuples of them and nested
  `Compiled` instances; a field that holds a string or None is for people and does not exist in
  compiled code;
- ``self.CONSTANT``, a number or a tuple of numbers on the class, is a compile-time constant;
- ``self.method(...)`` calls the class's own method, inherited ones too, each compiled for its own
  arguments; a property needs no parentheses.

The Numba type of an instance is named by its class, a digest of all its methods (see `fingerprint`)
and its fields' types. So games that differ only in numbers share one compilation, and an edited
rule makes another type, for which no machine code of the old rule can be found.

Arrays are *borrowed*: compiled code neither counts references to them nor may keep them, because
the instance that was passed in outlives the call. That keeps atomic counters out of inner loops.
"""

import contextlib
import functools
import weakref
from typing import Any

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.datamodel.registry import register_default
from numba.core.errors import NumbaTypeError
from numba.core.imputils import impl_ret_borrowed
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    overload,
    register_model,
    typeof_impl,
    unbox,
)

from hiddenhand.jit.dispatching import TYPES_OF_INSTANCES
from hiddenhand.jit.methods import (
    ON_RENEWAL,
    RULES,
    Compiled,
    Rules,
    compiled_fields,
    field_names,
    rules_of_class,
)

__all__ = ["Compiled", "CompiledType"]


class CompiledType(types.Type):
    """The Numba type of a `Compiled` instance.

    An instance is handed over in one of two ways. A kernel receives it by value: each number and
    each array in it is an argument of its own, so that LLVM may assume that no two of the arrays
    overlap. A method receives its instance by place, as an address in memory. If the values were
    handed over at every call, that would be most of the code of a search, and most of the time to
    compile it. What a method returns, or hands to functions, is a value again, because after the
    method another instance may lie at the same place.

    class_name: the name of the class.
    digest: the digest of its methods and constants.
    fields: the names and types of the fields.
    by_place: whether the instance, and every instance within it, is handed over by place.
    """

    def __init__(
        self,
        class_name: str,
        digest: str,
        fields: tuple[tuple[str, types.Type], ...],
        by_place: bool = False,
    ) -> None:
        self.class_name = class_name
        self.digest = digest
        self.fields = fields
        self.by_place = by_place
        of_fields = ", ".join(f"{name}: {t}" for name, t in fields)
        where = " by place" if by_place else ""
        super().__init__(name=f"{class_name}[{digest}]({of_fields}){where}")

    @property
    def as_value(self) -> "CompiledType":
        """The same type, handed over by value."""
        return _placed_or_not(self, False) if self.by_place else self

    @property
    def placed(self) -> "CompiledType":
        """The same type, handed over by place."""
        return self if self.by_place else _placed_or_not(self, True)

    def can_convert_to(self, typing_context: Any, other: types.Type) -> Conversion | None:
        """Whether an instance can be converted: only between by value and by place."""
        same = isinstance(other, CompiledType) and other.as_value == self.as_value
        return Conversion.safe if same else None

    def unify(self, typing_context: Any, other: types.Type) -> "CompiledType | None":
        """The type of a variable to which instances of both types are assigned: by value."""
        same = isinstance(other, CompiledType) and other.as_value == self.as_value
        return self.as_value if same else None

    @property
    def rules(self) -> Rules:
        """The methods, properties and constants of the class."""
        return RULES[self.class_name, self.digest]


@functools.cache
def _placed_or_not(compiled_type: CompiledType, by_place: bool) -> CompiledType:
    """The same type, by place or by value. The result is kept here and not in the type itself,
    because a type is written to disk with the code that uses it.
    """
    return CompiledType(
        compiled_type.class_name, compiled_type.digest, compiled_type.fields, by_place
    )


class _BoundMethod(types.BoundFunction):
    """A method with its instance. A call finds what was compiled for the types of its arguments."""

    def get_impl_key(self, signature: Any) -> Any:
        return self.template.dispatcher.get_overload(signature.args)


@register_default(_BoundMethod)
def _model_of_bound_method(models: Any, method: _BoundMethod) -> Any:
    """In compiled code a bound method is represented by its instance."""
    return models[method.this]


# --- how Numba handles the type: typeof, data model, unboxing, attributes ---


_TYPES: dict[tuple[Any, ...], CompiledType] = {}
"""All types of instances, by class, digest and types of fields. They are kept because each call of
a kernel asks for the types of all its arguments. Types of fields are compared by their addresses,
which is fast. It is safe because Numba makes every type only once, and a `CompiledType` keeps the
types of its fields alive.
"""
ON_RENEWAL.append(TYPES_OF_INSTANCES.clear)
_ARRAY_TYPES: dict[tuple[np.dtype[Any], int, int], types.Type] = {}
_BY_SHAPE: dict[tuple[Any, ...], CompiledType] = {}
"""The types of instances by their `_shape`."""
ON_RENEWAL.append(_BY_SHAPE.clear)


@typeof_impl.register(Compiled)
def type_of_instance(value: Any, context: object = None) -> CompiledType:
    """The type of an instance. It is kept, because a call of a kernel would take many times as long
    if all fields were looked at again. An instance is frozen, so its type lasts as long as it.
    """
    number = id(value)
    if (known := TYPES_OF_INSTANCES.get(number)) is not None and known[0]() is value:
        return known[1]
    shape = _shape(value)
    found = (_BY_SHAPE.get(shape) if shape else None) or _type_of_fields(value)
    if shape:
        _BY_SHAPE[shape] = found
    with contextlib.suppress(TypeError):  # a class with slots may have no weak references
        last_words = functools.partial(_forget, number)
        TYPES_OF_INSTANCES[number] = (weakref.ref(value, last_words), found)
    return found


def _forget(number: int, _: object, known: dict[int, Any] = TYPES_OF_INSTANCES) -> None:
    """Called when an instance is no more; ``known`` is still there when Python ends."""
    known.pop(number, None)


def _shape(value: Any) -> tuple[Any, ...] | None:
    """What the type of an instance follows from, found out faster than the type; None if there is a
    field that takes longer.
    """
    found: list[Any] = [type(value)]
    for name in field_names(type(value)):
        field = getattr(value, name)
        kind = type(field)
        if kind is np.ndarray:
            found.append((field.dtype, field.ndim, field.flags.num))
        elif kind is float or kind is bool or (kind is int and -(2**63) <= field < 2**63):
            found.append(kind)
        elif isinstance(field, Compiled):
            found.append(id(type_of_instance(field)))  # it is kept in `_TYPES`
        else:
            return None
    return tuple(found)


def _type_of_fields(value: Any) -> CompiledType:
    rules = rules_of_class(type(value))
    fields = tuple((name, _typeof_field(field)) for name, field in compiled_fields(value))
    key = (type(value), rules.digest, *((name, id(kind)) for name, kind in fields))
    if key not in _TYPES:
        _TYPES[key] = CompiledType(type(value).__qualname__, rules.digest, fields)
    return _TYPES[key]


def _typeof_field(value: Any) -> types.Type:
    if isinstance(value, Compiled):
        return type_of_instance(value)
    if type(value) is not np.ndarray:
        return typeof(value)
    key = (value.dtype, value.ndim, value.flags.num)
    if key not in _ARRAY_TYPES:
        _ARRAY_TYPES[key] = typeof(value)
    return _ARRAY_TYPES[key]


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


@register_model(CompiledType)
def _model_of_compiled(manager: Any, compiled_type: CompiledType) -> Any:
    """A struct, or a pointer to one."""
    struct = _CompiledModel(manager, compiled_type)
    if not compiled_type.by_place:
        return struct
    return models.PrimitiveModel(manager, compiled_type, struct.get_value_type().as_pointer())


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


@lower_cast(CompiledType, CompiledType)
def _with_or_without_place(
    context: Any, builder: Any, given: CompiledType, wanted: CompiledType, value: Any
) -> Any:
    if given.by_place == wanted.by_place:
        return value
    return _placed(builder, given, value) if wanted.by_place else builder.load(value)


def _placed(builder: Any, compiled_type: CompiledType, value: Any) -> Any:
    """The place of an instance, or of a copy of it if it is given by value."""
    return value if compiled_type.by_place else cgutils.alloca_once_value(builder, value)


@infer_getattr
class _CompiledAttribute(AttributeTemplate):
    key = CompiledType

    def generic_resolve(self, compiled_type: CompiledType, name: str) -> types.Type | None:
        for field, field_type in compiled_type.fields:
            if field == name:
                within = compiled_type.by_place and isinstance(field_type, CompiledType)
                return field_type.placed if within else field_type
        rules = compiled_type.rules
        if name in rules.constants:
            return typeof(rules.constants[name])
        if name in rules.properties:
            bound = method_of(compiled_type, name)
            return self.context.resolve_function_type(bound, (), {}).return_type
        if name in rules.methods:
            return method_of(compiled_type, name)
        return None


def method_of(compiled_type: CompiledType, name: str) -> types.BoundFunction:
    """A method or property in compiled code, with its instance by place."""
    return _BoundMethod(compiled_type.rules.template(name), compiled_type.placed)


@lower_getattr_generic(CompiledType)
def _lower_attribute(
    context: Any, builder: Any, compiled_type: CompiledType, value: Any, name: str
) -> Any:
    for place, (field, field_type) in enumerate(compiled_type.fields):
        if field == name:
            return _read(context, builder, compiled_type, value, place, field_type)
    rules = compiled_type.rules
    if name in rules.constants:
        constant = rules.constants[name]
        return context.get_constant_generic(builder, typeof(constant), constant)
    instance = _placed(builder, compiled_type, value)
    if name in rules.properties:
        bound = method_of(compiled_type, name)
        signature = context.typing_context.resolve_function_type(bound, (), {})
        getter = context.get_function(bound, signature)
        context.add_linking_libs(getattr(getter, "libs", ()))
        return getter(builder, (instance,))
    return instance  # a bound method is its instance


def _read(
    context: Any,
    builder: Any,
    compiled_type: CompiledType,
    value: Any,
    place: int,
    field_type: types.Type,
) -> Any:
    """Field number ``place`` of an instance. If the instance is given by place, so is an instance
    in one of its fields: the outer instance does not move as long as its method runs.
    """
    if not compiled_type.by_place:
        return _borrow(context, builder, field_type, builder.extract_value(value, place))
    pointer = cgutils.gep_inbounds(builder, value, 0, place)
    if isinstance(field_type, CompiledType):
        return pointer
    return _borrow(context, builder, field_type, builder.load(pointer))


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
