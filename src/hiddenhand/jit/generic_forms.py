"""Entries, records and generic forms: what generic kernels are given of an instance.

See `pointers` for what generic kernels are. The rules of a class are compiled together, by one
kernel that writes the addresses of their *entries* down. An entry takes what a generic kernel hands
over, makes arrays of addresses and lengths again, and calls the rule. Rules are compiled as in any
kernel, guards and checks of array indices included. So both kinds of kernels compute the same, bit
for bit, and an exception in a rule ends both with the same message.

The addresses are in the *record* of the instance, which lives as long as it.
"""

import functools
import weakref
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.errors import NumbaTypeError
from numba.core.registry import cpu_target
from numba.extending import NativeValue, intrinsic, unbox

from hiddenhand.jit.arrays import Integers
from hiddenhand.jit.bridge import Compiled, CompiledType, method_of, type_of_instance
from hiddenhand.jit.dispatching import KernelDispatcher
from hiddenhand.jit.pointers import COMPANION, WORD, PointedType, handed_over

# --- entries: what is called ---


@intrinsic  # type: ignore[untyped-decorator]
def _write(typing_context: Any, instance: Any, companion: Any, record: Any, fields: Any) -> Any:
    """Write the addresses of rules into ``record``, and the fields into ``fields``."""
    said = instance.rules.pointed
    names = said.own_rules(instance.rules)
    found = {name: _resolved(typing_context, instance, companion, name) for name in names}

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, _, into, room = arguments
        records = context.make_array(record)(context, builder, value=into).data
        rooms = context.make_array(fields)(context, builder, value=room).data
        builder.store(value, builder.bitcast(rooms, value.type.as_pointer()))
        _put(builder, records, 0, rooms)
        for name, (bound, resolved) in found.items():
            entry = _entry(context, builder, said.rules[name], bound, resolved, name)
            _put(builder, records, said.places[name], entry)
        return context.get_dummy_value()

    return types.void(instance, companion, record, fields), generate


def _put(builder: Any, records: Any, place: int, pointer: Any) -> None:
    builder.store(builder.ptrtoint(pointer, WORD), builder.gep(records, [ir.Constant(WORD, place)]))


def _resolved(typing_context: Any, instance: CompiledType, companion: Any, name: str) -> Any:
    """A rule, and its signature with the types it returns."""
    bound = method_of(instance, name)
    takes = [
        companion.placed if kind is COMPANION else kind
        for kind in instance.rules.pointed.rules[name].args
    ]
    resolved = typing_context.resolve_function_type(bound, tuple(takes), {})
    wanted = instance.rules.pointed.rules[name].return_type
    if wanted != types.void and not typing_context.can_convert(resolved.return_type, wanted):
        raise NumbaTypeError(f"{instance.class_name}.{name} returns {resolved.return_type}")
    return bound, resolved


def _entry(
    context: Any, builder: Any, rule: Any, bound: Any, resolved: Any, name: str
) -> ir.Function:
    """A function that takes what `_call_rule` hands over and calls the rule."""
    given = handed_over(rule)
    shape = context.call_conv.get_function_type(rule.return_type, given)
    entry = ir.Function(builder.module, shape, f"{builder.function.name}.{name}")
    entry.linkage = "internal"
    within = ir.IRBuilder(entry.append_basic_block("entry"))
    arguments = iter(context.call_conv.get_arguments(entry))
    values = [within.bitcast(next(arguments), context.get_value_type(bound.this))]
    for kind, taken in zip(rule.args, resolved.args, strict=True):
        if isinstance(kind, types.Array):
            values.append(_vector(context, within, kind, next(arguments), next(arguments)))
        elif kind is COMPANION:
            place = within.bitcast(next(arguments), context.get_value_type(taken.placed))
            values.append(place if taken.by_place else within.load(place))
        else:
            values.append(context.cast(within, next(arguments), kind, taken))
    call = context.get_function(bound, resolved)
    context.add_linking_libs(getattr(call, "libs", ()))
    answer = call(within, values)
    if rule.return_type == types.void:
        context.call_conv.return_value(within, context.get_dummy_value())
    else:
        answer = context.cast(within, answer, resolved.return_type, rule.return_type)
        context.call_conv.return_value(
            within, context.get_return_value(within, rule.return_type, answer)
        )
    return entry


def _vector(context: Any, builder: Any, kind: types.Array, address: Any, size: Any) -> Any:
    """An array that is borrowed: see `bridge`."""
    array = context.make_array(kind)(context, builder)
    item = context.get_data_type(kind.dtype)
    width = ir.Constant(WORD, context.get_abi_sizeof(item))
    context.populate_array(
        array,
        data=builder.bitcast(address, item.as_pointer()),
        shape=cgutils.pack_array(builder, [size]),
        strides=cgutils.pack_array(builder, [width]),
        itemsize=width,
        meminfo=None,
    )
    return array._getvalue()


@KernelDispatcher
def write_rules(instance: Any, companion: Any, record: Integers, fields: Integers) -> None:
    """Write the record of ``instance``. Its rules are compiled for that.

    companion: the instance that rules are given beside their own; None if there is none.
    fields: room for the fields of ``instance``.
    """
    _write(instance, companion, record, fields)


# --- records ---

_RECORDS: Final[dict[int, tuple[weakref.ref[Any], Any, list[Any]]]] = {}
"""For the address of an instance that lives: its type and that of its companion, and arrays, of
which the last but one is its record.
"""
_ADDRESSES: Final[dict[int, int]] = {}
"""For the address of an instance: that of its record. Kernels look there, and call no Python code
for it: a signal could raise an exception in that, which machine code does not expect.
"""


def make_record(instance: Any, companion: Any) -> None:
    """Make the record of ``instance``, unless it has one for companions of that type. Compiles its
    rules.

    If its rules call those of an inner instance by pointer, the record of that is made before. The
    companion of the inner instance is the one within ``companion``.

    companion: the instance that rules are given; None where they are given none.
    """
    kind = type_of_instance(instance)
    kinds = kind, None if companion is None else type_of_instance(companion)
    number = id(instance)
    owner, made_for, arrays = _RECORDS.get(number, (None, None, []))
    if owner is None or owner() is not instance:
        arrays = []
    elif made_for == kinds:
        return
    within = None if companion is None else next(iter(_inner(companion).values()), None)
    for inner in _inner(instance, companion).values():
        make_record(inner, within)
    said = kind.rules.pointed
    record = np.zeros(1 + len(said.rules) + len(said.numbers), np.int64)
    context, written = cpu_target.target_context, _compiled_type(instance, companion)
    size = context.get_abi_sizeof(context.get_value_type(written))
    fields = np.zeros(size // 8 + 1, np.int64)
    for name, kind_of_number in said.numbers.items():
        value = getattr(instance, name)
        as_float = kind_of_number is float
        record[said.places[name]] = np.float64(value).view(np.int64) if as_float else value
    if taken := said.taken_rules(kind.rules):
        make_record(said.defaults, None)
        for name in taken:
            record[said.places[name]] = _RECORDS[id(said.defaults)][2][-2][said.places[name]]
    beside = types.none if companion is None else _compiled_type(companion)
    write = write_rules.compile((written, beside, typeof(record), typeof(fields)))
    write(instance, companion, record, fields)
    # Another thread may still use what was made before, so that is kept, too.
    kept = [*arrays, record, fields]
    _RECORDS[number] = (weakref.ref(instance, functools.partial(_forget, number)), kinds, kept)
    _ADDRESSES[number] = record.ctypes.data


def _inner(instance: Any, companion: Any = None) -> dict[str, Any]:
    """The instances in the fields of ``instance`` whose rules its own rules call by pointer, by the
    names of the fields. There are none if its rules take a companion that calls none.
    """
    kind = type_of_instance(instance)
    if not kind.rules.around_any or (companion is not None and not _inner(companion)):
        return {}
    found = {name: getattr(instance, name) for name, _ in kind.fields}
    return {name: inner for name, inner in found.items() if getattr(inner, "pointed", None)}


def _compiled_type(instance: Compiled, companion: Any = None) -> CompiledType:
    """The type of ``instance`` for which its rules are compiled."""
    inner = _inner(instance, companion)
    replaced = tuple((name, _pointed_type(within)) for name, within in inner.items())
    return _with_fields(type_of_instance(instance), replaced)


@functools.cache
def _with_fields(kind: CompiledType, other: tuple[tuple[str, types.Type], ...]) -> CompiledType:
    """``kind`` with ``other`` types of some of its fields."""
    fields = tuple((name, dict(other).get(name, field)) for name, field in kind.fields)
    return CompiledType(kind.class_name, kind.digest, fields)


def _pointed_type(instance: Any) -> PointedType:
    return PointedType(type(instance).pointed.name, _constants(instance))


def _forget(
    number: int,
    _: object,
    records: dict[int, Any] = _RECORDS,
    addresses: dict[int, int] = _ADDRESSES,
) -> None:
    """Called when an instance is no more; the dictionaries are still there when Python ends."""
    records.pop(number, None)
    addresses.pop(number, None)


@unbox(PointedType)  # type: ignore[untyped-decorator]
def _unbox_pointed(pointed: PointedType, instance: Any, c: Any) -> NativeValue:
    name = c.context.insert_const_string(c.builder.module, __name__)
    module = c.pyapi.import_module(name)
    addresses = c.pyapi.object_getattr_string(module, "_ADDRESSES")
    number = c.pyapi.long_from_ulonglong(c.builder.ptrtoint(instance, WORD))
    found = c.pyapi.dict_getitem(addresses, number)  # borrowed
    address = cgutils.alloca_once_value(c.builder, WORD(0))
    with c.builder.if_else(cgutils.is_null(c.builder, found)) as (without, with_record):
        with without:
            c.pyapi.err_set_string("PyExc_RuntimeError", "an instance has no record")
        with with_record:
            c.builder.store(c.pyapi.long_as_longlong(found), address)
    for thing in (number, addresses, module):
        c.pyapi.decref(thing)
    return NativeValue(
        c.builder.inttoptr(c.builder.load(address), WORD.as_pointer()),
        is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()),
    )


# --- generic forms ---

Path = tuple[str, ...]


def _is_whole(kind: CompiledType) -> bool:
    """Whether something in an instance has to know all of a game."""
    inner = (field for _, field in kind.fields if isinstance(field, CompiledType))
    return kind.rules.whole or any(map(_is_whole, inner))


@functools.cache
def _paths(kind: CompiledType) -> tuple[Path, ...]:
    """By which attributes the instances are reached whose rules generic kernels call by pointer."""
    if kind.rules.pointed is not None:
        return ((),)
    if _is_whole(kind):
        return ()
    return tuple(
        (name, *path)
        for name, inner in kind.fields
        if isinstance(inner, CompiledType)
        for path in _paths(inner)
    )


def pointed_in(instance: Compiled) -> list[Any]:
    """The instances within ``instance`` whose rules generic kernels call by pointer."""
    kind = type_of_instance(instance)
    return [functools.reduce(getattr, path, instance) for path in _paths(kind)]


def generic_type(instance: Compiled) -> types.Type:
    """The Numba type of ``instance`` in generic kernels."""
    found = pointed_in(instance)
    constants = tuple(_constants(inner) for inner in found)
    kind = type_of_instance(instance)
    return _generic(kind, constants) if found else kind


def _constants(instance: Any) -> tuple[int, ...]:
    return tuple(int(getattr(instance, name)) for name in type(instance).pointed.constants)


@functools.cache
def _generic(kind: CompiledType, constants: tuple[tuple[int, ...], ...]) -> types.Type:
    return _replaced(kind, iter(constants))


def _replaced(kind: CompiledType, constants: Iterator[tuple[int, ...]]) -> types.Type:
    if kind.rules.pointed is not None:
        return PointedType(kind.rules.pointed.name, next(constants))
    if not _paths(kind):
        return kind
    fields = tuple(
        (name, _replaced(inner, constants) if isinstance(inner, CompiledType) else inner)
        for name, inner in kind.fields
    )
    return CompiledType(kind.class_name, kind.digest, fields)
