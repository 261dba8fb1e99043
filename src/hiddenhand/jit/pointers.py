"""Rules by pointer: one machine code of a kernel for all games.

A kernel that is compiled for one game has the rules of that game within it. A *generic* kernel
calls them through pointers instead. It knows of a game no more than the address of its *record*: an
array with the address of the game's fields, the addresses of its rules, and its sizes. So one
generic kernel serves every game, and a new or edited game costs no more than its own rules.

A class says in ``pointed`` which of its methods are called so (see `ByPointer`): games do, and
evaluation functions. A class that holds an instance of such a class, a search for example, stays
what it is. In its *generic form* the type of the inner instance is replaced, and nothing else.

A rule gets an array as the address of its first item and its length: two numbers, where compiled
code otherwise hands over seven.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    models,
    register_model,
)

from hiddenhand.jit.fingerprint import digest_text
from hiddenhand.jit.methods import Rules, rules_of_class

INTEGERS: Final = types.int64[::1]
KEYS: Final = types.uint64[::1]
FLOATS: Final = types.float64[::1]
COMPANION: Final = types.voidptr
"""In the arguments of a rule: an instance of the class that `ByPointer.companion` names."""
WORD: Final = ir.IntType(64)
_NUMBERS: Final = {int: types.int64, float: types.float64, bool: types.boolean}


@dataclass(eq=False)
class ByPointer:
    """What generic kernels know of the instances of a class and of all classes derived from it.

    name: the name of the class.
    rules: the methods that are called by pointer, and their signatures: numbers, and vectors
        without gaps.
    numbers: the attributes that are read from the record, and their kinds: int, float or bool.
    constants: the attributes, whole numbers, that are constants of the generic kernel, so that
        there is one kernel for each of their values.
    companion: the class of the instance that rules are given beside their own, if any.
    shared: the rules that need not be defined.
    defaults: an instance of a class that defines no rule, known once there is one. A rule of
        ``shared`` that another class does not define is the one of this instance, so that it is
        compiled once for all.
    """

    name: str
    rules: Mapping[str, Any]
    numbers: Mapping[str, type]
    constants: tuple[str, ...] = ()
    companion: str = ""
    shared: tuple[str, ...] = ()
    defaults: Any = field(default=None, repr=False)

    @functools.cached_property
    def places(self) -> Mapping[str, int]:
        """Where each rule and each number stands in a record, behind the address of the fields."""
        return {name: place for place, name in enumerate([*self.rules, *self.numbers], start=1)}

    def own_rules(self, rules: Rules) -> list[str]:
        """The rules that are compiled with a class."""
        taken = self.taken_rules(rules)
        of_defaults = self.defaults is not None and rules is rules_of_class(type(self.defaults))
        return list(self.shared) if of_defaults else [n for n in self.rules if n not in taken]

    def taken_rules(self, rules: Rules) -> list[str]:
        """The rules that a class takes from `defaults`."""
        theirs = None if self.defaults is None else rules_of_class(type(self.defaults))
        if theirs is None or rules is theirs:
            return []
        return [name for name in self.shared if rules.methods[name] is theirs.methods[name]]


# --- the type ---

_KINDS: Final[dict[str, ByPointer]] = {}
"""All that classes have said, by name, so that a type that is read from disk finds it."""


def by_pointer(kind: ByPointer) -> ByPointer:
    """``kind``, after it was registered. For the class attribute ``pointed``."""
    return _KINDS.setdefault(kind.name, kind)


class PointedType(types.Type):  # type: ignore[misc]
    """The Numba type of any instance of a class whose rules are called by pointer.

    kind: the name in `ByPointer`.
    constants: the values of its constants.
    """

    def __init__(self, kind: str, constants: tuple[int, ...]) -> None:
        self.kind = kind
        self.constants = constants
        super().__init__(name=f"any {kind}[{digest_text(str(self.said))}]{constants}")

    @property
    def said(self) -> ByPointer:
        """What the class said."""
        return _KINDS[self.kind]


@register_model(PointedType)
class _PointedModel(models.PrimitiveModel):  # type: ignore[misc]
    """The address of the record."""

    def __init__(self, manager: Any, pointed: PointedType) -> None:
        super().__init__(manager, pointed, WORD.as_pointer())


@infer_getattr
class _PointedAttribute(AttributeTemplate):  # type: ignore[misc]
    key = PointedType

    def generic_resolve(self, pointed: PointedType, name: str) -> types.Type | None:
        said = pointed.said
        if name in said.constants:
            return types.int64
        if name in said.numbers:
            return _NUMBERS[said.numbers[name]]
        if name in said.rules:
            return types.BoundFunction(_template(pointed.kind, name), pointed)
        return None


@functools.cache
def _template(kind: str, name: str) -> type[AbstractTemplate]:
    rule = f"{kind}.{name} by pointer"

    class Rule(AbstractTemplate):  # type: ignore[misc]
        key = rule

        def generic(self, args: Any, kws: Any) -> Any:
            signature = _KINDS[kind].rules[name]
            if kws or len(args) != len(signature.args):
                return None
            taken = [
                _taken(given, wanted) for given, wanted in zip(args, signature.args, strict=True)
            ]
            if None in taken:
                return None
            return typing.signature(signature.return_type, *taken, recvr=self.this)

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _call_rule(context, builder, signature, arguments, name)

    lower_builtin(rule, PointedType, types.VarArg(types.Any))(call)
    return Rule


def _taken(given: types.Type, wanted: types.Type) -> types.Type | None:
    """The type with which an argument is handed to a rule; None if it cannot be."""
    if wanted is COMPANION:
        return given if isinstance(given, PointedType) else None
    if not isinstance(wanted, types.Array):
        return wanted
    fits = (
        isinstance(given, types.Array)
        and (given.dtype, given.ndim, given.layout) == (wanted.dtype, 1, "C")
        and given.aligned
    )
    return given if fits else None


@lower_getattr_generic(PointedType)  # type: ignore[untyped-decorator]
def _lower_attribute(
    context: Any, builder: Any, pointed: PointedType, record: Any, name: str
) -> Any:
    said = pointed.said
    if name in said.constants:
        return context.get_constant(types.int64, pointed.constants[said.constants.index(name)])
    if name in said.rules:
        return record  # a bound method is its instance
    word = _word(builder, record, said.places[name])
    if said.numbers[name] is float:
        return builder.bitcast(word, ir.DoubleType())
    return builder.trunc(word, ir.IntType(1)) if said.numbers[name] is bool else word


def _word(builder: Any, record: Any, place: int) -> Any:
    """A word of a record, which never changes."""
    word = builder.load(builder.gep(record, [ir.Constant(WORD, place)], inbounds=True))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


# --- calls: what is handed over ---


def handed_over(signature: Any) -> list[types.Type]:
    """The types of what a rule is handed over: the address of the fields of its instance, and for
    each argument a number, two for a vector, or the address of the companion's fields.
    """
    given = [types.voidptr]
    for argument in signature.args:
        vector = isinstance(argument, types.Array)
        given += [types.voidptr, types.intp] if vector else [argument]
    return given


def _call_rule(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> Any:
    record, *values = arguments
    said = signature.args[0].said
    rule = said.rules[name]
    given = [_address(builder, _word(builder, record, 0))]
    for kind, value in zip(signature.args[1:], values, strict=True):
        if isinstance(kind, PointedType):
            given.append(_address(builder, _word(builder, value, 0)))
        elif isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value=value)
            given += [builder.bitcast(array.data, cgutils.voidptr_t), array.nitems]
        else:
            given.append(value)
    kinds = handed_over(rule)
    shape = context.call_conv.get_function_type(rule.return_type, kinds)
    callee = builder.inttoptr(_word(builder, record, said.places[name]), shape.as_pointer())
    status, answer = context.call_conv.call_function(
        builder, callee, rule.return_type, kinds, given
    )
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return answer


def _address(builder: Any, word: Any) -> Any:
    return builder.inttoptr(word, cgutils.voidptr_t)
